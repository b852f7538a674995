// The pairs of fat boxes whose own boxes overlap.
#include <abut/broadphase/detail/pair_selection.h>
#include <abut/broadphase/detail/parallel_each.h>

#include <bit>

namespace abut::detail {
namespace {

constexpr std::size_t kPairsATask = 8192;  // a multiple of 64

/// Calls visit(first, count) for the pairs of a block, up to 64 at a time.
template <class Visit>
void for_each_word(std::size_t block, std::size_t pair_count, const Visit& visit) {
  const std::size_t end = std::min(pair_count, (block + 1) * kPairsATask);
  for (std::size_t first = block * kPairsATask; first < end; first += 64) {
    visit(first, std::min<std::size_t>(64, end - first));
  }
}

}  // namespace

void PairSelection::select(const FatBoxes& boxes, std::span<const ProxyPair> pairs) {
  if (boxes.do_most_rest()) {
    select_if(pairs, [&boxes](const ProxyPair& pair) { return !boxes.has_room(pair) || boxes.do_own_overlap(pair); });
  } else {
    select_if(pairs, [&boxes](const ProxyPair& pair) { return boxes.do_own_overlap(pair); });
  }
}

template <class Test>
void PairSelection::select_if(std::span<const ProxyPair> pairs, const Test& is_selected) {
  grow(pairs_, pairs.size());
  ProxyPair* const out = pairs_.data();
  const std::size_t blocks = (pairs.size() + kPairsATask - 1) / kPairsATask;
  if (is_serial(blocks)) {
    size_ = 0;
    for (const ProxyPair pair : pairs) {  // which overlap cannot be foreseen: each is written, and stays if it does
      out[size_] = pair;
      size_ += is_selected(pair) ? 1 : 0;
    }
    return;
  }
  // Each task has to know how many pairs come before its own, so they are counted first.
  grow(hits_, blocks * (kPairsATask / 64));
  grow(places_, blocks + 1);
  parallel_each(blocks, [&](std::size_t block) {
    std::size_t count = 0;
    for_each_word(block, pairs.size(), [&](std::size_t first, std::size_t n) {
      std::uint64_t bits = 0;
      for (std::size_t k = 0; k < n; ++k) {
        bits |= static_cast<std::uint64_t>(is_selected(pairs[first + k])) << k;
      }
      hits_[first / 64] = bits;
      count += static_cast<std::size_t>(std::popcount(bits));
    });
    places_[block + 1] = count;
  });
  places_[0] = 0;
  for (std::size_t block = 0; block < blocks; ++block) places_[block + 1] += places_[block];
  size_ = places_[blocks];
  parallel_each(blocks, [&](std::size_t block) {
    std::size_t place = places_[block];
    for_each_word(block, pairs.size(), [&](std::size_t first, std::size_t) {
      for (std::uint64_t bits = hits_[first / 64]; bits != 0; bits &= bits - 1) {
        out[place++] = pairs[first + static_cast<std::size_t>(std::countr_zero(bits))];
      }
    });
  });
}

}  // namespace abut::detail
