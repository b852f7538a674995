#include <abut/narrowphase/closed/posed_closed.h>
#include <abut/narrowphase/rotate_unit.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <variant>

namespace abut::detail {
namespace {

/// Of cores whose squared distance is gap_sq.
/// @param reach        What the distance is compared with: the radii and the limit, metres.
/// @param coordinates  The sum of sizes and offsets that went into it, metres.
ClosedAnswer compare(double gap_sq, double reach, double coordinates) {
  // Far more than the rounding of any of these forms; the few pairs between are measured once more.
  const double doubt = 1e-12 * (reach + coordinates);
  const double most = reach + doubt;
  const double least = reach - doubt;
  if (gap_sq > most * most) return ClosedAnswer::apart;
  if (least > 0.0 && gap_sq < least * least) return ClosedAnswer::colliding;
  return ClosedAnswer::undecided;
}

// The same cores as in the closed forms of those pairs.

ClosedAnswer by_squares(const PlacedSphere& a, const Sphere& b, double margin_b, const Pose& from_b,
                        double max_distance) {
  const Vector3d between = from_b.translation() - a.center;
  return compare(between.squaredNorm(), a.radius + (b.radius() + margin_b) + max_distance, 0.0);
}

ClosedAnswer by_squares(const PlacedSphere& a, const Capsule& b, double margin_b, const Pose& from_b,
                        double max_distance) {
  const Vector3d between = from_b.translation() - a.center;
  const Vector3d axis = from_b.rotation().col(2);
  const double half = b.half_length();
  const Vector3d gap = between + std::clamp(-between.dot(axis), -half, half) * axis;
  return compare(gap.squaredNorm(), a.radius + (b.radius() + margin_b) + max_distance, half + between.lpNorm<1>());
}

ClosedAnswer by_squares(const PlacedSphere& a, const Box& b, double margin_b, const Pose& from_b, double max_distance) {
  const Vector3d center = from_b.unrotate(a.center - from_b.translation());
  const Vector3d& half = b.half_extents();
  const Vector3d gap = (center.cwiseAbs() - half).cwiseMax(0.0);
  return compare(gap.squaredNorm(), a.radius + margin_b + max_distance, half.sum() + center.lpNorm<1>());
}

ClosedAnswer by_squares(const PlacedCapsule& a, const Capsule& b, double margin_b, const Pose& from_b,
                        double max_distance) {
  const PlacedCapsule placed_b = place(b, margin_b, from_b);
  const SegmentPair pair(a, placed_b);
  return compare(pair.gap.squaredNorm(), a.radius + placed_b.radius + max_distance,
                 a.half_length + placed_b.half_length + pair.between.lpNorm<1>());
}

template <class G>
const G& geometry_of(const Shape& shape) {
  return *std::get_if<G>(&shape.geometry());
}

template <class G, class H>
Separation separate(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b) {
  if constexpr (HasPlacedForm<G, H>) {
    Separation result = separate_closed(place(geometry_of<G>(a), a.margin(), world_from_a), geometry_of<H>(b),
                                        b.margin(), world_from_b);
    result.normal = unit_again(result.normal);
    return result;
  } else {
    Separation result = separate<H, G>(b, world_from_b, a, world_from_a);
    std::swap(result.point_a, result.point_b);
    result.normal = -result.normal;
    return result;
  }
}

template <class G, class H>
bool collides(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b, double max_distance) {
  if constexpr (HasPlacedForm<G, H>) {
    const auto placed_a = place(geometry_of<G>(a), a.margin(), world_from_a);
    const H& geometry_b = geometry_of<H>(b);
    if constexpr (requires { by_squares(placed_a, geometry_b, b.margin(), world_from_b, max_distance); }) {
      const ClosedAnswer answer = by_squares(placed_a, geometry_b, b.margin(), world_from_b, max_distance);
      if (answer != ClosedAnswer::undecided) return answer == ClosedAnswer::colliding;
    }
    const Separation separation = separate_closed(placed_a, geometry_b, b.margin(), world_from_b);
    return separation.distance - separation.distance_error <= max_distance;
  } else {
    return collides<H, G>(b, world_from_b, a, world_from_a, max_distance);
  }
}

constexpr std::size_t kKinds = std::variant_size_v<Geometry>;
using Row = std::array<PosedClosed, kKinds>;
using Table = std::array<Row, kKinds>;

template <std::size_t kA, std::size_t kB>
constexpr PosedClosed functions() {
  using G = std::variant_alternative_t<kA, Geometry>;
  using H = std::variant_alternative_t<kB, Geometry>;
  if constexpr (HasPlacedForm<G, H> || HasPlacedForm<H, G>) {
    return {&separate<G, H>, &collides<G, H>};
  } else {
    return {nullptr, nullptr};
  }
}

template <std::size_t kA, std::size_t... kBs>
constexpr Row row(std::index_sequence<kBs...> /*kinds*/) {
  return {functions<kA, kBs>()...};
}

template <std::size_t... kAs>
constexpr Table table(std::index_sequence<kAs...> kinds) {
  return {row<kAs>(kinds)...};
}

constexpr Table kTable = table(std::make_index_sequence<kKinds>());

}  // namespace

const PosedClosed& posed_closed(const Shape& a, const Shape& b) {
  return kTable[a.geometry().index()][b.geometry().index()];
}

}  // namespace abut::detail
