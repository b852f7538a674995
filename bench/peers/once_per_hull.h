// What a library makes of a hull, made once for all bodies that share it.
#pragma once

#include <map>

#include "peer.h"

namespace abut::peers {

/// @tparam Made  What is copied to each of them: a shared pointer.
template <class Made>
class OncePerHull {
 public:
  /// make(shape), unless that of the hull is known; other shapes share nothing.
  template <class Make>
  Made of(const PlainShape& shape, Make&& make) {
    if (shape.kind != Kind::hull) return make(shape);
    const auto known = made_.find(shape.hull.get());
    return known != made_.end() ? known->second : made_.emplace(shape.hull.get(), make(shape)).first->second;
  }

 private:
  std::map<const PlainHull*, Made> made_;
};

}  // namespace abut::peers
