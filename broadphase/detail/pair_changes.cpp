// What has become of a sorted list of pairs: a walk along both lists at once, in parts.
#include <abut/broadphase/detail/grow.h>
#include <abut/broadphase/detail/pair_changes.h>
#include <abut/broadphase/detail/parallel_each.h>

#include <algorithm>

namespace abut::detail {
namespace {

constexpr std::size_t kPairsATask = 16384;

bool is_before(const ProxyPair& p, const ProxyPair& q) {
  return p.a != q.a ? p.a < q.a : p.b < q.b;
}

/// Appends what differs. Nearly all pairs stay, so the branches can be foreseen.
void walk(std::span<const ProxyPair> last, std::span<const ProxyPair> now, std::vector<ProxyPair>& began,
          std::vector<ProxyPair>& ended) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < last.size() && j < now.size()) {
    if (last[i] == now[j]) {
      ++i;
      ++j;
    } else if (is_before(last[i], now[j])) {
      ended.push_back(last[i++]);
    } else {
      began.push_back(now[j++]);
    }
  }
  ended.insert(ended.end(), last.begin() + static_cast<std::ptrdiff_t>(i), last.end());
  began.insert(began.end(), now.begin() + static_cast<std::ptrdiff_t>(j), now.end());
}

}  // namespace

void PairChanges::find(std::span<const ProxyPair> last, std::span<const ProxyPair> now, std::vector<ProxyPair>& began,
                       std::vector<ProxyPair>& ended) {
  began.clear();
  ended.clear();
  const std::size_t parts = now.size() / kPairsATask + 1;
  if (is_serial(parts)) return walk(last, now, began, ended);
  if (parts_.size() < parts) parts_.resize(parts);
  // Parts begin at pairs of the new list, and where these are or would be in the last one.
  const auto begin_in_last = [&](std::size_t part) {
    if (part == 0) return std::size_t{0};
    if (part == parts || part * kPairsATask == now.size()) return last.size();
    const auto place = std::lower_bound(last.begin(), last.end(), now[part * kPairsATask], is_before);
    return static_cast<std::size_t>(place - last.begin());
  };
  parallel_each(parts, [&](std::size_t k) {
    Part& part = parts_[k];
    part.began.clear();
    part.ended.clear();
    const std::size_t begin = begin_in_last(k);
    const std::size_t now_begin = k * kPairsATask;
    const std::size_t now_end = std::min(now_begin + kPairsATask, now.size());
    walk(last.subspan(begin, begin_in_last(k + 1) - begin), now.subspan(now_begin, now_end - now_begin), part.began,
         part.ended);
  });
  for (const Part& part : std::span(parts_).first(parts)) {
    began.insert(began.end(), part.began.begin(), part.began.end());
    ended.insert(ended.end(), part.ended.begin(), part.ended.end());
  }
}

std::size_t PairChanges::memory() const {
  std::size_t bytes = memory_of(parts_);
  for (const Part& part : parts_) bytes += memory_of(part.began) + memory_of(part.ended);
  return bytes;
}

}  // namespace abut::detail
