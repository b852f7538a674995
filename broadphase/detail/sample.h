// A few proxies that stand for all of them.
#pragma once

#include <abut/broadphase/detail/column_grid.h>
#include <abut/broadphase/proxy_table.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace abut::detail {

/// Up to kMaxSample ids, evenly spread over those there are.
class Sample {
 public:
  /// Of the proxies of a table: the first one in each of so many equal stretches of ids.
  explicit Sample(const ProxyTable& table) {
    const std::size_t bound = table.id_bound();
    for (std::size_t k = 0; k < ids_.size(); ++k) {
      std::size_t id = k * bound / ids_.size();
      const std::size_t end = (k + 1) * bound / ids_.size();
      while (id < end && !table.contains(static_cast<std::uint32_t>(id))) ++id;
      if (id < end) ids_[count_++] = static_cast<std::uint32_t>(id);
    }
  }

  /// Of a list.
  explicit Sample(std::span<const std::uint32_t> ids) : count_(std::min(ids.size(), ids_.size())) {
    for (std::size_t k = 0; k < count_; ++k) ids_[k] = ids[k * ids.size() / count_];
  }

  [[nodiscard]] std::span<const std::uint32_t> ids() const { return {ids_.data(), count_}; }

 private:
  std::array<std::uint32_t, kMaxSample> ids_ = {};
  std::size_t count_ = 0;
};

}  // namespace abut::detail
