// The callback that decides about pairs, and what it has answered.
#pragma once

#include <abut/world/body.h>
#include <abut/world/detail/vector_bytes.h>

#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// The callback is asked once about a pair, when the pair becomes a candidate; the answer holds as long as the pair is
/// one. What it accepted is the last frame's list of candidates, what it refused is kept here; both are in slot order
/// and merge with the candidates of a frame.
class PairAnswers {
 public:
  /// Forgets all answers. @param filter  Empty: every pair is accepted.
  void set_filter(PairFilter filter);
  [[nodiscard]] bool has_filter() const { return static_cast<bool>(filter_); }
  /// Forgets the answers about the pairs of a body.
  void forget(std::uint32_t slot);

  /// Drops the pairs that the callback refuses, asking it in order about those that it was not asked about. When it
  /// throws, the answers are those from before the call.
  /// @param last        The candidates of the last frame, in slot order.
  /// @param candidates  Of this frame, in slot order, before and after.
  void apply(std::span<const BodyPair> last, std::vector<BodyPair>& candidates);

  /// What is known, for a scene that is written and read back.
  struct Memory {
    std::vector<BodyPair> refused;         ///< In slot order.
    std::vector<std::uint32_t> forgotten;  ///< Slots, ascending.
    bool are_all_forgotten = true;
  };
  [[nodiscard]] Memory memory() const;
  void restore(PairFilter filter, const Memory& memory);
  /// Bytes held.
  [[nodiscard]] std::size_t bytes() const { return vector_bytes(refused_, next_refused_, forgotten_); }

 private:
  [[nodiscard]] bool is_forgotten(const BodyPair& pair) const;

  PairFilter filter_;
  std::vector<BodyPair> refused_;
  std::vector<BodyPair> next_refused_;   // scratch
  std::vector<std::uint8_t> forgotten_;  // by slot; the slots beyond are not
  bool are_all_forgotten_ = true;
};

}  // namespace abut::detail
