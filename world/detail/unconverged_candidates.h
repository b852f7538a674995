// The candidates of a step whose solver stopped at its iteration limit, with what it takes to ask again.
#pragma once

#include <abut/narrowphase/separation.h>
#include <abut/world/detail/vector_bytes.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace abut::detail {

struct UnconvergedCandidate {
  std::size_t candidate;
  Separation separation;  ///< World frame.
  PairCache start;        ///< What the solver started from.
};

class UnconvergedCandidates {
 public:
  void clear() { list_.clear(); }
  /// In any order, from several threads.
  void add(const UnconvergedCandidate& candidate) {
    const std::lock_guard lock(mutex_);
    list_.push_back(candidate);
  }
  void restore(std::vector<UnconvergedCandidate> list) { list_ = std::move(list); }
  /// Brings them into the order of the candidates.
  void sort() {
    std::sort(list_.begin(), list_.end(), [](const UnconvergedCandidate& left, const UnconvergedCandidate& right) {
      return left.candidate < right.candidate;
    });
  }

  [[nodiscard]] std::span<const UnconvergedCandidate> list() const { return list_; }
  [[nodiscard]] std::size_t bytes() const { return vector_bytes(list_); }

 private:
  std::vector<UnconvergedCandidate> list_;
  std::mutex mutex_;
};

}  // namespace abut::detail
