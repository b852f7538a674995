// tbb::blocked_range of the thread sanitizer build.
#pragma once

#include <cstddef>

namespace tbb {

template <typename Value>
class blocked_range {
 public:
  using const_iterator = Value;
  using size_type = std::size_t;

  blocked_range(Value begin, Value end, size_type grainsize = 1) : begin_(begin), end_(end), grainsize_(grainsize) {}

  const_iterator begin() const { return begin_; }
  const_iterator end() const { return end_; }
  size_type size() const { return static_cast<size_type>(end_ - begin_); }
  size_type grainsize() const { return grainsize_; }
  bool empty() const { return !(begin_ < end_); }

 private:
  Value begin_;
  Value end_;
  size_type grainsize_;
};

}  // namespace tbb
