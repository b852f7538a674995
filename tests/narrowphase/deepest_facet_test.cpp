// Facets of two hulls' Minkowski difference: proven the deepest only where no other lies nearer, of all facets that
// qhull finds.
#include <abut/narrowphase/convex_core.h>
#include <abut/narrowphase/deepest_facet.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/log_uniform.h>
#include <support/placed_pair.h>
#include <support/random_shapes.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace abut {
namespace {

using detail::DeepestFacet;
using detail::DifferencePoint;
using samples::log_uniform;
using samples::placed;
using samples::Random;

using HullCore = detail::TypedCore<ConvexHull>;

/// Stretched, so that the depth along some axis is small against the others.
ConvexHull stretched_hull(Random& random) {
  const ConvexHull round = samples::random_hull(8 + static_cast<int>(random.below(30)), 0.5, random);
  const Vector3d scale = random.vector(0.2, 1.0);
  std::vector<Vector3d> points;
  for (const Vector3d& vertex : round.vertices()) points.emplace_back(scale.cwiseProduct(vertex));
  return ConvexHull::from_points(points);
}

struct Facet {
  std::array<DifferencePoint, 3> corners;
  Vector3d normal;
  double offset = 0.0;
  bool holds_projection = false;  ///< Not nearer to a side than rounding could tell.
};

DifferencePoint point_at(const Vector3d& difference) {
  return {.difference = difference, .on_a = difference, .vertex_a = 0, .vertex_b = 0};
}

Facet facet_of(const Vector3d& p, const Vector3d& q, const Vector3d& r) {
  Facet facet;
  facet.corners = {point_at(p), point_at(q), point_at(r)};
  facet.normal = (q - p).cross(r - p).normalized();
  facet.offset = facet.normal.dot(p);
  const Vector3d foot = facet.offset * facet.normal;
  const auto inside = [&](const Vector3d& from, const Vector3d& to) {
    return (to - from).cross(foot - from).dot(facet.normal) > 1e-9;
  };
  facet.holds_projection = inside(p, q) && inside(q, r) && inside(r, p);
  return facet;
}

/// All facets of the Minkowski difference a - b.
std::vector<Facet> facets_of(const ConvexHull& a, const ConvexHull& b, const Pose& a_from_b) {
  std::vector<Vector3d> differences;
  for (const Vector3d& p : a.vertices()) {
    for (const Vector3d& q : b.vertices()) differences.emplace_back(p - a_from_b * q);
  }
  const ConvexHull hull = ConvexHull::from_points(differences);
  std::vector<Facet> facets;
  for (const auto& triangle : hull.triangles()) {
    const auto corner = [&](std::size_t i) { return hull.vertices()[triangle[i]]; };
    facets.push_back(facet_of(corner(0), corner(1), corner(2)));
  }
  return facets;
}

/// A point inside of a random edge between two facets: the projections on both lie in them, and one of them is nearer.
Vector3d point_inside_an_edge(const std::vector<Facet>& facets, double depth, Random& random) {
  for (;;) {
    const Facet& facet = facets[random.below(static_cast<std::uint32_t>(facets.size()))];
    const Vector3d& p = facet.corners[0].difference;
    const Vector3d& q = facet.corners[1].difference;
    for (const Facet& other : facets) {
      const auto has = [&](const Vector3d& corner) {
        return std::any_of(other.corners.begin(), other.corners.end(),
                           [&](const DifferencePoint& point) { return point.difference == corner; });
      };
      if (!has(p) || !has(q) || other.normal.dot(facet.normal) > 0.999) continue;
      return 0.5 * (p + q) -
             depth * (random.uniform(0.3, 1.0) * facet.normal + random.uniform(0.3, 1.0) * other.normal);
    }
  }
}

TEST(DeepestFacet, IsProvenOnlyWhereNoOtherLiesNearer) {
  Random random(21);
  int deepest = 0;
  int deepest_proven = 0;
  int others_refuted = 0;
  for (int trial = 0; trial < (samples::kIsInstrumented ? 60 : 400); ++trial) {
    const ConvexHull a = stretched_hull(random);
    const ConvexHull b = stretched_hull(random);
    const double depth = log_uniform(1e-4, 0.2, random);
    Pose a_from_b = placed(Shape(a), Shape(b), -depth, random);
    if (trial % 2 == 1) {
      const Vector3d origin = point_inside_an_edge(facets_of(a, b, a_from_b), 0.2 * depth, random);
      a_from_b = Pose(a_from_b.translation() + origin, a_from_b.quaternion());
    }
    const HullCore core_a(a, 0.0);
    const HullCore core_b(b, 0.0);
    const detail::MinkowskiDifference<HullCore, HullCore> difference(core_a, core_b, a_from_b);
    const std::vector<Facet> facets = facets_of(a, b, a_from_b);
    double least = std::numeric_limits<double>::infinity();
    for (const Facet& facet : facets) least = std::min(least, facet.offset);
    for (const Facet& facet : facets) {
      if (!facet.holds_projection || !(facet.offset > 0.0)) continue;
      SCOPED_TRACE(testing::Message() << "trial " << trial << ", a facet at " << facet.offset << ", the least "
                                      << least);
      auto corners = facet.corners;
      if (random.chance(0.5)) std::swap(corners[0], corners[1]);  // as GJK leaves them, in any order
      const DeepestFacet told(difference, corners, facet.normal, facet.offset, 1e-12);
      const bool is_deepest = facet.offset <= least + 1e-11;
      deepest += is_deepest ? 1 : 0;
      if (told.outcome() == DeepestFacet::Outcome::proven) {
        EXPECT_TRUE(is_deepest);
        ++deepest_proven;
      }
      if (told.outcome() == DeepestFacet::Outcome::refuted) {
        EXPECT_FALSE(is_deepest);
        ++others_refuted;
        // The plane beyond which it is less: through the edge, as far away as the facet.
        for (const DifferencePoint& point : told.edge()) {
          EXPECT_NEAR(told.beyond().dot(point.difference), facet.offset, 1e-12);
        }
        EXPECT_NEAR(told.beyond().norm(), 1.0, 1e-12);
      }
      for (const DifferencePoint& point : told.points()) {
        for (const DifferencePoint& corner : facet.corners) EXPECT_NE(point.difference, corner.difference);
      }
    }
  }
  EXPECT_GT(deepest, samples::kIsInstrumented ? 50 : 350);
  EXPECT_GT(deepest_proven, 0.85 * deepest);
  EXPECT_GT(others_refuted, samples::kIsInstrumented ? 10 : 70);
}

TEST(DeepestFacet, NeedsNoPointsWhereItIsLargeAgainstTheDepth) {
  Random random(22);
  for (int trial = 0; trial < 100; ++trial) {
    const Box a(random.vector(0.3, 1.0));
    const Box b(random.vector(0.3, 1.0));
    const double depth = random.uniform(1e-6, 1e-3);
    // Their Minkowski difference is a box; b stands on a, a little aside.
    const Vector3d half = a.half_extents() + b.half_extents();
    const Pose a_from_b(Vector3d(0.05, 0.02, half.z() - depth));
    const detail::TypedCore<Box> core_a(a, 0.0);
    const detail::TypedCore<Box> core_b(b, 0.0);
    const detail::MinkowskiDifference<detail::TypedCore<Box>, detail::TypedCore<Box>> difference(core_a, core_b,
                                                                                                 a_from_b);
    const Vector3d center = -a_from_b.translation();
    const Facet facet = facet_of(center + Vector3d(half.x(), -half.y(), half.z()), center + half,
                                 center + Vector3d(-half.x(), 0.5 * half.y(), half.z()));
    const DeepestFacet told(difference, facet.corners, facet.normal, depth, 1e-12);
    EXPECT_EQ(told.outcome(), DeepestFacet::Outcome::proven);
    EXPECT_TRUE(told.points().empty());
  }
}

TEST(DeepestFacet, IsLeftUndecidedWhereTheProjectionLiesOnASideOrOnACorner) {
  const Box box(Vector3d(0.5, 0.5, 0.5));
  const detail::TypedCore<Box> core(box, 0.0);
  const Pose a_from_b(Vector3d(0.05, 0.0, 0.9));  // 0.1 deep, aside by more than the balls allow for
  const detail::MinkowskiDifference<detail::TypedCore<Box>, detail::TypedCore<Box>> difference(core, core, a_from_b);
  const Facet half_a_side = facet_of(Vector3d(0.9, -0.9, 0.1), Vector3d(0.9, 0.9, 0.1), Vector3d(-0.9, 0.9, 0.1));
  const Facet at_a_corner = facet_of(Vector3d(0.0, 0.0, 0.1), Vector3d(0.9, 0.0, 0.1), Vector3d(0.0, 0.9, 0.1));
  for (const Facet& facet : {half_a_side, at_a_corner}) {
    const DeepestFacet told(difference, facet.corners, Vector3d::UnitZ(), 0.1, 1e-12);
    EXPECT_EQ(told.outcome(), DeepestFacet::Outcome::undecided);
  }
}

// The balls of both bodies touch the plane, by rounding a little beyond it, and their centre lies on its normal.
TEST(DeepestFacet, IsNotProvenByBallsBetweenTheOriginAndItsPlane) {
  using Core = detail::TypedCore<Box>;
  Random random(23);
  for (int trial = 0; trial < 1000; ++trial) {
    const auto flat_box = [&] { return Box({random.uniform(0.6, 1.0), random.uniform(0.6, 1.0), 0.4}); };
    const Box a = flat_box();
    const Box b = flat_box();
    const Vector3d half = a.half_extents() + b.half_extents();
    const double beyond = random.uniform(0.01, 0.5);
    const Pose a_from_b(Vector3d(0.0, 0.0, -beyond));
    const Core core_a(a, 0.0);
    const Core core_b(b, 0.0);
    const detail::MinkowskiDifference<Core, Core> difference(core_a, core_b, a_from_b);
    const double depth = std::nextafter(beyond + half.z(), 0.0);
    // The origin's projection lies on its first side.
    const Facet facet =
        facet_of({-half.x(), -half.y(), depth}, {half.x(), half.y(), depth}, {-half.x(), half.y(), depth});
    const DeepestFacet told(difference, facet.corners, Vector3d::UnitZ(), depth, 1e-12);
    EXPECT_NE(told.outcome(), DeepestFacet::Outcome::proven) << "trial " << trial;
  }
}

}  // namespace
}  // namespace abut
