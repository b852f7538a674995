// The narrow phase over all candidates of a frame, in parallel, with the warm-start memory of every pair.
#pragma once

#include <abut/narrowphase/separation.h>
#include <abut/world/body.h>
#include <abut/world/detail/body_table.h>
#include <abut/world/scene.h>

#include <cstdint>
#include <vector>

namespace abut::detail {

/// What became of a candidate.
enum class Verdict : std::uint8_t {
  boxes_apart,  ///< The oriented boxes are farther apart than the contact margin; not solved.
  apart,
  contact,
};

/// The candidates of one frame in slot order, each with its warm-start memory.
struct Candidates {
  std::vector<BodyPair> pairs;
  std::vector<PairCache> caches;
};

/// Parallel to the candidates.
struct Solutions {
  std::vector<Verdict> verdicts;
  std::vector<Separation> separations;  ///< World frame; where the verdict is boxes_apart: left over, not to be read.
};

/// Solves `candidates.pairs`; fills `candidates.caches` and `solutions`.
///
/// A pair that was a candidate in the last frame too starts from its cache there; both lists are sorted, so that
/// finding it is a merge. Pairs are matched by slots and generations: a body in a reused slot starts cold. Results are
/// written by index and do not depend on who computes them.
void solve_pairs(const BodyTable& bodies, const SceneSettings& settings, const Candidates& last, Candidates& candidates,
                 Solutions& solutions);

}  // namespace abut::detail
