// The solver over some of the candidates of a frame, with the memory of every pair.
#pragma once

#include <abut/narrowphase/separation.h>
#include <abut/world/body.h>
#include <abut/world/contact.h>
#include <abut/world/detail/body_table.h>
#include <abut/world/detail/pair_memory.h>
#include <abut/world/detail/unconverged_candidates.h>
#include <abut/world/scene.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace abut::detail {

/// What became of a candidate.
enum class Verdict : std::uint8_t {
  still_apart,  ///< Apart when it was last looked at, and the two have not come that far since.
  boxes_apart,  ///< No contact before, and the oriented boxes are farther apart than the contact margin; not solved.
  apart,
  contact,
  still_contact,  ///< A contact in the last step, and neither of the two has moved.
};

[[nodiscard]] inline bool is_contact(Verdict verdict) {
  return verdict == Verdict::contact || verdict == Verdict::still_contact;
}

/// So many candidates are solved together at most: enough of each kind of pair that the code for it, which is more than
/// the first cache of the processor holds of all kinds together, is fetched for several of them, and few enough that
/// what a solver has read of the bodies is still in the caches when their points are found. Has no influence on the
/// results.
inline constexpr std::size_t kPairsTogether = 128;

/// Of candidates that were solved together; the lists are parallel to them.
struct Solutions {
  std::array<Verdict, kPairsTogether> verdicts;
  /// World frame. Not to be read but of contacts.
  std::array<Separation, kPairsTogether> separations;
  std::uint64_t iterations = 0;  ///< Of all solvers.
};

/// The candidates begin … end - 1.
struct IndexRange {
  std::size_t begin;
  std::size_t end;
};

/// How far a pair is looked for: DistanceOptions::max_distance of its solver, metres.
[[nodiscard]] double search_distance(const SceneSettings& settings, const BodyMotion& a, const BodyMotion& b);

/// Solves up to kPairsTogether of `candidates`, each from what it remembers; writes that, `unconverged` and
/// `solutions`. Several threads may each solve theirs.
///
/// With settings.coherence a pair is not looked at again where its history says that nothing can have changed. Results
/// are written by index and do not depend on who computes them.
/// @param step  Number of this step, counted from 1.
void solve_pairs(const BodyTable& bodies, const SceneSettings& settings, std::uint64_t step,
                 const Candidates& candidates, IndexRange range, PairMemory& memory, UnconvergedCandidates& unconverged,
                 Solutions& solutions);

}  // namespace abut::detail
