// The inner loops of the sweep, for each instruction set that the processor may have.
//
// A loop that branches at each hit spends most of its time on mispredictions. These loops write every candidate of a
// block behind the last hit, hits first, and advance by the number of hits; the only branch that depends on the boxes
// is the one that ends a scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace abut::detail {

/// What a sweep carries along with each box: the id and, above it, flags.
struct SweepWord {
  static constexpr std::uint32_t kIdMask = (std::uint32_t{1} << 27) - 1;  ///< ProxyTable::kMaxProxies - 1
  static constexpr std::uint32_t kNotFirstU = std::uint32_t{1} << 27;     ///< See ColumnGrid.
  static constexpr std::uint32_t kNotFirstV = std::uint32_t{1} << 28;
  static constexpr std::uint32_t kFixed = std::uint32_t{1} << 29;
  static constexpr std::uint32_t kFiltered = std::uint32_t{1} << 30;  ///< As in ProxyTable::State.
  static constexpr std::uint32_t kBase = std::uint32_t{1} << 31;  ///< Entered in an earlier call; may be out of date.

  /// Two boxes that share one of these flags are no pair: both are fixed, or another column reports them.
  static constexpr std::uint32_t kExcluding = kNotFirstU | kNotFirstV | kFixed;
};

/// Boxes as arrays sorted by lower[0], which is on the axis of the sweep; the other two are u and v.
struct SweepArrays {
  const float* lower[3];
  const float* upper[3];
  const std::uint32_t* word;
};

/// Pairs of words of boxes that overlap, gathered and handed on in blocks.
struct HitBuffer {
  /// Blocks of candidates are up to this long: so many values past the last hit may be written, and in arrays swept be
  /// read past the end.
  static constexpr std::size_t kMaxLanes = 16;
  static constexpr std::size_t kRoom = 512;

  std::uint32_t first[kRoom + kMaxLanes];
  std::uint32_t second[kRoom + kMaxLanes];
  std::size_t count = 0;
  void (*drain)(HitBuffer&) = nullptr;  ///< Called when kRoom are there; must set count to 0.
};

/// Positions in sorted arrays.
struct RunRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
  [[nodiscard]] bool is_empty() const { return begin == end; }
};

/// One implementation. Runs marked "guarded" are followed by kGuard boxes that begin at infinity.
struct SweepKernels {
  /// A scan looks at the block behind the box it is for without asking, and then at the first box behind that block.
  static constexpr std::size_t kGuard = HitBuffer::kMaxLanes + 1;

  const char* name;
  std::size_t lanes;

  /// Pairs (i, j), i in `part`, j > i in the guarded run that `part` belongs to.
  void (*sweep_self)(const SweepArrays& run, RunRange part, HitBuffer& hits);

  /// Pairs (i, j), i in `part` of a, j in the guarded run `other` of b, of which b's box begins later; equal beginnings
  /// count only with `ties`.
  void (*sweep_later)(const SweepArrays& a, RunRange part, const SweepArrays& b, RunRange other, bool ties,
                      HitBuffer& hits);

  /// Pairs (i, j), i in `part` of a, j in the run `other` of b, which need not be guarded but is followed by kMaxLanes
  /// readable values.
  /// @param reach  Bound on the length along the sweep of the boxes of `other`; infinite where there is none.
  void (*search)(const SweepArrays& a, RunRange part, const SweepArrays& b, RunRange other, float reach,
                 HitBuffer& hits);
};

/// Those that this processor can run, the plain one first and the fastest last. All find the same pairs, in an order of
/// their own.
[[nodiscard]] std::span<const SweepKernels* const> all_sweep_kernels();
[[nodiscard]] inline const SweepKernels& best_sweep_kernels() {
  return *all_sweep_kernels().back();
}

}  // namespace abut::detail
