// What has become of a sorted list of pairs.
#pragma once

#include <abut/broadphase/proxy_pair.h>

#include <cstddef>
#include <span>
#include <vector>

namespace abut::detail {

/// Compares two lists, both sorted by (a, b). Its memory is kept.
class PairChanges {
 public:
  /// Replaces `began` by the pairs that only `now` has, and `ended` by those that only `last` has, sorted.
  void find(std::span<const ProxyPair> last, std::span<const ProxyPair> now, std::vector<ProxyPair>& began,
            std::vector<ProxyPair>& ended);
  [[nodiscard]] std::size_t memory() const;

 private:
  struct Part {
    std::vector<ProxyPair> began;
    std::vector<ProxyPair> ended;
  };
  std::vector<Part> parts_;
};

}  // namespace abut::detail
