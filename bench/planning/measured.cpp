#include "measured.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>

namespace abut::bench {
namespace {

/// Of its items a piece of work asks this part before the clock starts, so that a checker finds its data in the caches.
constexpr std::size_t kPartToWarmUp = 8;

}  // namespace

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> samples) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

void Measured::run(const std::vector<Work>& work, int rounds, double (*seconds)()) {
  std::vector<std::vector<double>> samples(work.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < work.size(); ++i) {
      const Work& one = work[i];
      for (std::size_t item = 0; item < (one.items + kPartToWarmUp - 1) / kPartToWarmUp; ++item) one.ask(item);
      const double start = seconds();
      for (std::size_t item = 0; item < one.items; ++item) one.ask(item);
      samples[i].push_back(seconds() - start);
    }
  }
  for (std::size_t i = 0; i < work.size(); ++i) {
    Cell& cell = cells_[work[i].row * columns_ + work[i].column];
    cell.seconds += median(samples[i]);
    cell.items += work[i].items;
  }
}

double Measured::microseconds(std::size_t row, std::size_t column) const {
  const Cell& cell = cells_[row * columns_ + column];
  if (cell.items == 0) return std::numeric_limits<double>::quiet_NaN();
  return 1e6 * cell.seconds / static_cast<double>(cell.items);
}

void Table::print() const {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (const std::string& cell : rows_[i]) std::printf("| %s ", cell.c_str());
    std::puts("|");
    if (i > 0) continue;
    for (std::size_t k = 0; k < rows_[i].size(); ++k) std::printf("| --- ");
    std::puts("|");
  }
  std::puts("");
}

std::string number_text(double value) {
  if (std::isnan(value)) return "";
  const int digits = value >= 100.0 ? 0 : value >= 10.0 ? 1 : value >= 0.1 ? 2 : 3;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string compared_text(double value, double bar) {
  if (std::isnan(value)) return "";
  return value == bar ? number_text(value) : number_text(value) + " (×" + number_text(value / bar) + ")";
}

}  // namespace abut::bench
