// tbb::enumerable_thread_specific of the thread sanitizer build: one object a thread, made when the thread first asks.
#pragma once

#include <concepts>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace tbb {

template <class T>
class enumerable_thread_specific {
 public:
  enumerable_thread_specific() : make_([] { return T(); }) {}
  explicit enumerable_thread_specific(const T& exemplar) : make_([exemplar] { return exemplar; }) {}
  template <std::invocable Make>
  explicit enumerable_thread_specific(Make make) : make_(std::move(make)) {}

  T& local() {
    const std::lock_guard lock(mutex_);
    T*& object = of_thread_[std::this_thread::get_id()];
    if (object == nullptr) object = &objects_.emplace_back(make_());
    return *object;
  }

  auto begin() { return objects_.begin(); }
  auto end() { return objects_.end(); }
  auto begin() const { return objects_.begin(); }
  auto end() const { return objects_.end(); }
  [[nodiscard]] std::size_t size() const { return objects_.size(); }

 private:
  std::mutex mutex_;
  std::function<T()> make_;
  std::deque<T> objects_;
  std::map<std::thread::id, T*> of_thread_;
};

}  // namespace tbb
