// A merge of three sorted lists: the candidates, those of the last frame, and the pairs that were refused then.
#include <abut/world/detail/pair_answers.h>
#include <abut/world/detail/slot_order.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace abut::detail {
namespace {

/// Whether a sorted list holds `pair`, for pairs that come in order.
class Lookup {
 public:
  explicit Lookup(std::span<const BodyPair> pairs) : next_(pairs.begin()), end_(pairs.end()) {}

  [[nodiscard]] bool holds(const BodyPair& pair) {
    while (next_ != end_ && SlotOrder()(*next_, pair)) ++next_;
    return next_ != end_ && *next_ == pair;
  }

 private:
  std::span<const BodyPair>::iterator next_;
  std::span<const BodyPair>::iterator end_;
};

}  // namespace

void PairAnswers::set_filter(PairFilter filter) {
  filter_ = std::move(filter);
  refused_.clear();
  forgotten_.clear();
  are_all_forgotten_ = true;
}

void PairAnswers::forget(std::uint32_t slot) {
  if (!has_filter()) return;
  if (forgotten_.size() <= slot) forgotten_.resize(slot + 1, 0);
  forgotten_[slot] = 1;
}

PairAnswers::Memory PairAnswers::memory() const {
  Memory memory{.refused = refused_, .forgotten = {}, .are_all_forgotten = are_all_forgotten_};
  for (std::size_t slot = 0; slot < forgotten_.size(); ++slot) {
    if (forgotten_[slot] != 0) memory.forgotten.push_back(static_cast<std::uint32_t>(slot));
  }
  return memory;
}

void PairAnswers::restore(PairFilter filter, const Memory& memory) {
  set_filter(std::move(filter));
  refused_ = memory.refused;
  are_all_forgotten_ = memory.are_all_forgotten;
  for (const std::uint32_t slot : memory.forgotten) forget(slot);
}

bool PairAnswers::is_forgotten(const BodyPair& pair) const {
  if (are_all_forgotten_) return true;
  return (pair.a.slot < forgotten_.size() && forgotten_[pair.a.slot] != 0) ||
         (pair.b.slot < forgotten_.size() && forgotten_[pair.b.slot] != 0);
}

void PairAnswers::apply(std::span<const BodyPair> last, std::vector<BodyPair>& candidates) {
  if (!has_filter()) return;
  next_refused_.clear();
  Lookup accepted(last);
  Lookup refused(refused_);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const BodyPair pair = candidates[i];
    const bool was_accepted = accepted.holds(pair);
    const bool was_refused = refused.holds(pair);
    const bool is_known = (was_accepted || was_refused) && !is_forgotten(pair);
    if (is_known ? was_accepted : filter_(pair)) {
      candidates[kept++] = pair;
    } else {
      next_refused_.push_back(pair);
    }
  }
  candidates.resize(kept);
  refused_.swap(next_refused_);
  std::fill(forgotten_.begin(), forgotten_.end(), std::uint8_t{0});
  are_all_forgotten_ = false;
}

}  // namespace abut::detail
