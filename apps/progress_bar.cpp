#include <abut/apps/progress_bar.h>

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string>

namespace abut {
namespace {

constexpr std::size_t kWidth = 40;
constexpr std::chrono::milliseconds kInterval(100);
constexpr const char* kWipe = "\r\x1b[K";

}  // namespace

ProgressBar::ProgressBar(std::optional<std::size_t> total)
    : total_(total), is_terminal_(::isatty(STDERR_FILENO) == 1), next_draw_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  if (is_terminal_) std::cerr << kWipe << std::flush;
}

void ProgressBar::update(std::size_t done) {
  if (!is_terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kInterval;
  std::string text = kWipe;
  if (total_ && *total_ > 0) {
    const std::size_t filled = std::min(kWidth, kWidth * done / *total_);
    text += '[' + std::string(filled, '#') + std::string(kWidth - filled, '.') + "] ";
  }
  text += "frame " + std::to_string(done);
  if (total_) text += " of " + std::to_string(*total_);
  std::cerr << text << std::flush;
}

}  // namespace abut
