// A progress bar on standard error, when that is a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace abut {

class ProgressBar {
 public:
  /// @param total  Nothing: the bar counts only.
  explicit ProgressBar(std::optional<std::size_t> total);
  /// Wipes the bar.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Draws at most a few times a second.
  void update(std::size_t done);

 private:
  std::optional<std::size_t> total_;
  bool is_terminal_;
  std::chrono::steady_clock::time_point next_draw_;
};

}  // namespace abut
