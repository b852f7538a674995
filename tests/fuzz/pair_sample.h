// Two convex shapes out of bytes, and one placement after another: anywhere, on a lattice, touching, in one place, far
// apart, and a small step from where they were.
#pragma once

#include <abut/core/shape.h>
#include <abut/narrowphase/distance.h>
#include <fuzz/byte_source.h>
#include <fuzz/sampled_shape.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace abut::fuzz {

/// How a placement was chosen; failures are counted by it.
enum class Placement : std::uint8_t { anywhere, lattice, touching, step, same, noise, far, corner };
inline constexpr std::array<const char*, 8> kPlacementNames = {"anywhere", "lattice", "touching", "step",
                                                               "same",     "noise",   "far",      "corner"};

struct PairSample {
  Shape a = Sphere(1.0);
  Shape b = Sphere(1.0);
  Pose world_from_a;
  Pose world_from_b;
  DistanceOptions options;
  Placement placement = Placement::anywhere;
  double size = 0.0;         ///< Half the diagonals of both boxes, margins included, metres.
  double coordinates = 0.0;  ///< Of points of both in their body frames, added, metres: they scale rounding.
  bool is_sliver = false;    ///< The Minkowski difference may be as thin as 1e-10 of its length, but not flat.
};

/// A shape's size and form, from its boxes in its own frame.
struct Reach {
  double half_diagonal = 0.0;  ///< Metres.
  double farthest = 0.0;       ///< No point is farther from the body's origin, metres.
  bool is_flat = false;        ///< Thinner than 1e-4 of its length along one axis.
  bool is_needle = false;      ///< Along two.

  explicit Reach(const Shape& shape) {
    Vector3d half;
    Vector3d far;
    for (int axis = 0; axis < 3; ++axis) {
      const double upper = support(shape, Vector3d::Unit(axis))[axis];
      const double lower = support(shape, -Vector3d::Unit(axis))[axis];
      half[axis] = 0.5 * (upper - lower);
      far[axis] = std::max(upper, -lower);
    }
    half_diagonal = half.norm();
    farthest = far.norm();
    Vector3d sides = obb(shape).half_extents.array() - shape.margin();
    std::sort(sides.data(), sides.data() + 3);
    is_flat = sides[0] < 1e-4 * sides[2];
    is_needle = sides[1] < 1e-4 * sides[2];
    const SmoothHull* smooth = shape.get_if<SmoothHull>();
    if (smooth != nullptr && smooth->points().size() < 4) is_flat = is_needle = true;  // not along the body's axes
  }
};

/// Refers to bytes that outlive it.
class PairSampler {
 public:
  /// @param unit  Metres: sizes are drawn from 1e-6 to 1e6 of it.
  explicit PairSampler(ByteSource& bytes, double unit = 1.0) : bytes_(bytes) {
    const double size_a = unit * (bytes.one_in(4) ? bytes.power(-6.0, 6.0) : 1.0);
    const double size_b = bytes.one_in(4) ? unit * bytes.power(-6.0, 6.0) : size_a;
    sample_.a = sampled_shape(bytes, size_a);
    sample_.b = bytes.one_in(8) ? sample_.a : sampled_shape(bytes, size_b);
    const Reach reach_a(sample_.a);
    const Reach reach_b(sample_.b);
    sample_.size = std::max(reach_a.half_diagonal + reach_b.half_diagonal, 1e-9 * unit);
    sample_.coordinates = reach_a.farthest + reach_b.farthest;
    has_needle_ = reach_a.is_needle || reach_b.is_needle;
    are_flat_ = reach_a.is_flat && reach_b.is_flat;
    if (bytes.one_in(2)) sample_.world_from_a = Pose(sample_.size * bytes.vector(-1.0, 1.0), bytes.rotation());
    if (bytes.one_in(16)) sample_.world_from_a = Pose(1e7 * unit * bytes.vector(-1.0, 1.0), bytes.rotation());
  }

  /// The pair in a new placement, with new options.
  const PairSample& next() {
    choose_options();
    sample_.placement = static_cast<Placement>(bytes_.below(kPlacementNames.size()));
    const Pose a_from_b = chosen_pose();
    sample_.is_sliver = has_needle_ || are_flat_;
    sample_.world_from_b = sample_.world_from_a * a_from_b;
    if (sample_.placement == Placement::touching) move_into_touch();
    return sample_;
  }

 private:
  void choose_options() {
    DistanceOptions& options = sample_.options;
    options = DistanceOptions{};
    if (bytes_.one_in(4)) options.solver = static_cast<Solver>(bytes_.below(5));
    options.warm_start = static_cast<WarmStart>(bytes_.below(4));
    if (bytes_.one_in(8)) options.tolerance = sample_.size * bytes_.power(-16.0, -3.0);
    if (bytes_.one_in(8)) options.max_distance = sample_.size * bytes_.power(-6.0, 1.0);
  }

  Pose chosen_pose() {
    const double size = sample_.size;
    switch (sample_.placement) {
      case Placement::lattice: {
        Vector3d translation;
        for (int i = 0; i < 3; ++i) translation[i] = size * (static_cast<double>(bytes_.below(17)) - 8.0) / 8.0;
        return Pose::from_matrix(translation, bytes_.lattice_rotation());
      }
      case Placement::step: {
        const Vector3d turn = bytes_.power(-12.0, -1.0) * bytes_.direction();
        const Pose here = Pose::relative(sample_.world_from_a, sample_.world_from_b);
        return here * Pose(bytes_.power(-12.0, -1.0) * size * bytes_.direction(),
                           Quaterniond(1.0, turn.x(), turn.y(), turn.z()));
      }
      case Placement::same:
        return bytes_.one_in(2) ? Pose() : Pose(bytes_.power(-17.0, -6.0) * size * bytes_.direction());
      case Placement::noise: {
        const Vector3d noise = bytes_.power(-17.0, -6.0) * bytes_.direction();
        Vector3d translation = Vector3d::Zero();
        translation[static_cast<int>(bytes_.below(3))] = size * bytes_.uniform(-1.0, 1.0);
        return Pose(translation, Quaterniond(1.0, noise.x(), noise.y(), noise.z()));
      }
      case Placement::far:
        return Pose(size * bytes_.power(0.0, 4.0) * bytes_.direction(), bytes_.rotation());
      case Placement::corner: {
        // Support points of both in one place: a corner on a face, an edge on an edge, as the shapes have them.
        const Quaterniond rotation = bytes_.one_in(2) ? Quaterniond::Identity() : bytes_.rotation();
        const Vector3d toward = bytes_.direction();
        const Vector3d on_a = support(sample_.a, toward);
        const Vector3d on_b = rotation * support(sample_.b, rotation.conjugate() * Vector3d(-bytes_.direction()));
        return Pose(on_a - on_b, rotation);
      }
      default:
        return Pose(size * bytes_.vector(-1.0, 1.0), bytes_.rotation());
    }
  }

  // Along the normal, to a gap or a depth that the solvers find hard.
  void move_into_touch() {
    static constexpr std::array<double, 16> kGaps = {0.0,    1e-16, -1e-16, 1e-14, -1e-14, 1e-12, -1e-12, 1e-10,
                                                     -1e-10, 1e-9,  -1e-9,  1e-7,  -1e-7,  1e-5,  -1e-5,  1e-3};
    const Separation s = distance(sample_.a, sample_.world_from_a, sample_.b, sample_.world_from_b);
    const double gap = kGaps[bytes_.below(kGaps.size())] * sample_.size;
    sample_.world_from_b = Pose((gap - s.distance) * s.normal) * sample_.world_from_b;
  }

  ByteSource& bytes_;
  PairSample sample_;
  bool has_needle_ = false;
  bool are_flat_ = false;
};

}  // namespace abut::fuzz
