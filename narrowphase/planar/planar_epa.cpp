#include <abut/narrowphase/planar/planar_epa.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace abut::planar::detail {
namespace {

// A corner of the difference, and the corners that it comes from.
struct Corner {
  PlaneVector point{0.0, 0.0};
  Outline::Index of_a = 0;
  Outline::Index of_b = 0;

  friend bool operator==(const Corner& p, const Corner& q) { return p.of_a == q.of_a && p.of_b == q.of_b; }
};

Corner support(const CorePair& pair, PlaneVector direction) {
  Corner corner;
  corner.of_a = pair.a.support(direction);
  corner.of_b = pair.b.support(pair.a_from_b.unrotate(-direction));
  corner.point = plane_vector(pair.a.corner(corner.of_a)) - pair.a_from_b * plane_vector(pair.b.corner(corner.of_b));
  return corner;
}

// From one corner to the next, counter-clockwise.
struct Side {
  Corner start;
  Corner end;
  PlaneVector outward{0.0, 0.0};  // not a unit
  double distance = 0.0;          // of the origin from its line, metres; < 0 beyond it
};

Side side_of(const Corner& start, const Corner& end) {
  const PlaneVector along = end.point - start.point;
  const PlaneVector outward{along.y, -along.x};
  return {start, end, outward, outward.dot(start.point) / std::sqrt(outward.squared_norm())};
}

constexpr std::size_t kMostSides = 64;
// A few roundings of the size.
constexpr double kProgress = 4e-16;

}  // namespace

DeepestSide expand_polygon(const CorePair& pair) {
  DeepestSide deepest;
  if (pair.a.size() < 3 || pair.b.size() < 3) return deepest;
  PlaneVector to_b = between_centers(pair);
  if (!(to_b.squared_norm() > 0.0)) to_b = {1.0, 0.0};  // any direction, but one
  std::array<Side, kMostSides> sides;
  std::size_t count = 0;
  const std::array<Corner, 4> first = {support(pair, to_b), support(pair, {-to_b.y, to_b.x}), support(pair, -to_b),
                                       support(pair, {to_b.y, -to_b.x})};
  for (std::size_t i = 0; i < 4; ++i) {
    const Corner& end = first[(i + 1) % 4];
    if (!(first[i] == end)) sides[count++] = side_of(first[i], end);
  }
  while (true) {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < count; ++i) nearest = sides[i].distance < sides[nearest].distance ? i : nearest;
    const Side side = sides[nearest];
    const Corner corner = support(pair, side.outward);
    const double height = side.outward.dot(corner.point);
    const double level = side.outward.dot(side.start.point);
    const double scale = std::abs(side.outward.x) + std::abs(side.outward.y);
    if (corner == side.start || corner == side.end ||
        !(height - level > kProgress * scale * (pair.a.reach() + pair.b.reach()))) {
      const double length = std::sqrt(side.outward.squared_norm());
      deepest.is_found = true;
      deepest.normal = {side.outward.x / length, side.outward.y / length};
      deepest.gap = -height / length;
      return deepest;
    }
    if (count == kMostSides) return deepest;
    sides[nearest] = side_of(side.start, corner);
    sides[count++] = side_of(corner, side.end);
  }
}

}  // namespace abut::planar::detail
