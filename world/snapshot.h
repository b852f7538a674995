// A scene as bytes: what it holds and what it remembers, so that it goes on from there as if nothing had happened.
#pragma once

#include <abut/world/scene.h>

#include <cstddef>
#include <span>
#include <vector>

namespace abut {

/// The state of a scene: bodies with their handles, shapes, poses, filters and flags, free slots, ignored pairs,
/// settings, the contacts, events, counts and unconverged pairs of the last step, the warm-start memory of all pairs
/// and the answers of the pair filter. Shapes that share their data are written once. Times are not part of it.
///
/// Little-endian on every machine, with a version, a length and a checksum. The same state gives the same bytes.
/// @throws InvalidInput  naming bodies[slot]: a pose that is not finite or that Pose::from_stored refuses, compounds
///                       nested deeper than Compound::kMaxDepth or with more than 2^26 leaves in all.
[[nodiscard]] std::vector<std::byte> save(const Scene& scene);

/// The scene that was saved: the same handles name the same bodies, and every step gives the same bits as it would have
/// given there, on machines and builds that agree about the arithmetic.
/// @param bytes        From save(). Nothing in them is trusted.
/// @param pair_filter  The scene's, which cannot be saved; its answers are. Where the scene had none, one that is given
///                     here is asked about every pair, as after Scene::set_pair_filter.
/// @throws InvalidInput  naming what is wrong: bytes that are cut short, altered, of another version, or say what no
///                       scene can hold; naming "pair_filter" when the scene had one and none is given.
[[nodiscard]] Scene restore(std::span<const std::byte> bytes, PairFilter pair_filter = {});

}  // namespace abut
