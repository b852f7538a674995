// What makes a local minimum of the depth a global one: ellipsoids inside bodies, bounds of curvature, tangent balls
// and the polytope's proof. Each bound is held against the support functions themselves, at many directions.
#include <abut/narrowphase/smooth/depth_proof.h>
#include <abut/narrowphase/smooth/tangent_ball.h>
#include <gtest/gtest.h>
#include <narrowphase/separation_checks.h>
#include <narrowphase/smooth_samples.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

namespace abut {
namespace {

using detail::AnySmoothDifference;
using detail::DifferenceExpansion;
using detail::minimise_height;
using detail::smooth_core;
using detail::SmoothCore;
using detail::TangentFrame;
using detail::TrustRegionOptions;
using detail::TrustRegionResult;
using Eigen::Matrix2d;
using samples::kSmoothKinds;
using samples::Random;
using samples::smooth_body;
using samples::spread_directions;

double smallest_eigenvalue(const Matrix2d& m) {
  return 0.5 * m.trace() - std::hypot(0.5 * (m(0, 0) - m(1, 1)), m(0, 1));
}

Vector3d any_direction(int index, Random& random) {
  return index < 6 ? Vector3d((index < 3 ? 1.0 : -1.0) * Vector3d::Unit(index % 3)) : random.direction();
}

TEST(InnerEllipsoid, LiesInsideItsBodyAndTouchesIt) {
  const std::vector<Vector3d> directions = spread_directions(400);
  int found = 0;
  for (std::uint32_t kind = 0; kind < kSmoothKinds; ++kind) {
    Random random(10 + kind);
    for (int i = 0; i < 60; ++i) {
      SCOPED_TRACE(testing::Message() << "kind " << kind << " number " << i);
      const Shape shape = smooth_body(kind, 1.0, random);
      const SmoothCore core = *smooth_core(shape);
      const Vector3d n = any_direction(i, random);
      const std::optional<Matrix3d> gram = core.inner_ellipsoid(n);
      if (!gram) continue;
      ++found;
      const double touching = n.dot(core.support(n));
      EXPECT_NEAR(std::sqrt(n.dot(*gram * n)), touching, 1e-12);
      EXPECT_LT((*gram * n - touching * core.support(n)).norm(), 1e-12);
      for (const Vector3d& x : directions) {
        EXPECT_LE(std::sqrt(std::max(0.0, x.dot(*gram * x))), x.dot(core.support(x)) + 1e-13);
      }
    }
  }
  EXPECT_EQ(found, 6 * 60);  // all but the two kinds without a centre
}

TEST(CurvatureBound, HoldsOnTheWholeDisc) {
  int useful = 0;
  for (std::uint32_t kind = 1; kind < kSmoothKinds; ++kind) {
    Random random(20 + kind);
    for (int i = 0; i < 60; ++i) {
      const Shape shape = smooth_body(kind, 1.0, random);
      const SmoothCore core = *smooth_core(shape);
      const TangentFrame frame = detail::tangent_frame(any_direction(i, random));
      const detail::TangentExpansion here = core.expansion(frame);
      Matrix2d curvature;
      curvature << here.uu, here.uv, here.uv, here.vv;
      for (const double tangent : {0.3, 0.1, 0.03, 0.01, 0.003}) {
        SCOPED_TRACE(testing::Message() << shape.type_name() << " number " << i << " tangent " << tangent);
        const Matrix2d bound = core.curvature_bound(frame, tangent);
        if (smallest_eigenvalue(bound) > 0.1 * smallest_eigenvalue(curvature)) ++useful;
        for (int k = 0; k < 40; ++k) {
          const double angle = random.uniform(0.0, 2.0 * std::numbers::pi);
          const double length = k == 0 ? 0.0 : k < 20 ? tangent : random.uniform(0.0, tangent);
          const Vector3d x = frame.normal + length * (std::cos(angle) * frame.u + std::sin(angle) * frame.v);
          const Matrix3d hessian = core.full_expansion(x).hessian;
          Matrix2d across;
          across << frame.u.dot(hessian * frame.u), frame.u.dot(hessian * frame.v), frame.v.dot(hessian * frame.u),
              frame.v.dot(hessian * frame.v);
          EXPECT_GE(smallest_eigenvalue(across - bound), -1e-10 * (1.0 + across.norm()));
        }
      }
    }
  }
  EXPECT_GT(useful, 500);
}

struct PlacedPair {
  Shape a;
  Shape b;
  Pose a_from_b;
};

PlacedPair overlapping_pair(std::uint32_t kind_a, std::uint32_t kind_b, Random& random) {
  const Shape a = smooth_body(kind_a, 1.0, random);
  const Shape b = smooth_body(kind_b, 1.0, random);
  return {a, b, random.pose(0.25)};
}

TrustRegionOptions fine() {
  TrustRegionOptions options;
  options.gradient = 1e-11;
  options.rounding = 1e-15;
  return options;
}

double least_height(const AnySmoothDifference& difference, const std::vector<Vector3d>& directions) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vector3d& n : directions) least = std::min(least, n.dot(difference.support(n).difference));
  return least;
}

TEST(TangentBall, LiesInsideTheDifference) {
  const std::vector<Vector3d> directions = spread_directions(500);
  int found = 0;
  for (std::uint32_t kind_a = 1; kind_a < kSmoothKinds; ++kind_a) {
    for (std::uint32_t kind_b = 0; kind_b < kSmoothKinds; ++kind_b) {
      Random random(100 * kind_a + kind_b);
      for (int i = 0; i < 10; ++i) {
        SCOPED_TRACE(testing::Message() << "kinds " << kind_a << " " << kind_b << " number " << i);
        const PlacedPair pair = overlapping_pair(kind_a, kind_b, random);
        const SmoothCore a = *smooth_core(pair.a);
        const SmoothCore b = *smooth_core(pair.b);
        const AnySmoothDifference difference(a, b, pair.a_from_b);
        const Vector3d n = random.direction();  // a ball is one at any point of the surface
        const DifferenceExpansion at = difference.expansion(n);
        for (const double enough : {0.0, 1e9}) {
          const double radius = detail::tangent_ball_radius(difference, at, enough);
          if (radius > 0.0) ++found;
          for (const Vector3d& x : directions) {
            const double ball = x.dot(at.difference) + radius * (1.0 - x.dot(n));
            EXPECT_LE(ball, x.dot(difference.support(x).difference) + 1e-12);
          }
        }
      }
    }
  }
  EXPECT_GT(found, 700);
}

TEST(TangentBall, SettlesShallowContactsOfFittedHulls) {
  // Twenty points without a centre of symmetry, as a fit gives them.
  int settled = 0;
  int total = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Random random(3000 + seed);
    const auto blob = [&random] {
      std::vector<Vector3d> points;
      for (const Vector3d& n : spread_directions(20)) points.push_back((0.5 + 0.05 * random.uniform(-1.0, 1.0)) * n);
      return SmoothHull(std::move(points), 8.0);
    };
    const Shape a = blob();
    const Shape b = blob();
    const SmoothCore core_a = *smooth_core(a);
    const SmoothCore core_b = *smooth_core(b);
    Pose a_from_b(2.0 * random.direction(), random.rotation());
    const AnySmoothDifference apart(core_a, core_b, a_from_b);
    const TrustRegionResult start = minimise_height(apart, -apart.center().normalized(), fine());
    a_from_b = Pose((start.at.height - 0.01) * start.at.frame.normal) * a_from_b;
    const AnySmoothDifference difference(core_a, core_b, a_from_b);
    const TrustRegionResult found = minimise_height(difference, start.at.frame.normal, fine());
    ASSERT_TRUE(found.converged);
    ASSERT_GT(found.at.height, 0.0);
    ++total;
    if (tangent_ball_radius(difference, found.at, found.at.height) >= found.at.height) ++settled;
  }
  EXPECT_GT(settled, total * 4 / 5);
}

TEST(DepthProof, FindsTheGlobalMinimumFromAnyLocalOne) {
  const std::vector<Vector3d> directions = spread_directions(2000);
  int improved = 0;
  int proven = 0;
  int total = 0;
  for (std::uint32_t kind_a = 1; kind_a < kSmoothKinds; ++kind_a) {
    for (std::uint32_t kind_b = 1; kind_b < kSmoothKinds; ++kind_b) {
      Random random(1000 + 100 * kind_a + kind_b);
      for (int i = 0; i < 12; ++i) {
        SCOPED_TRACE(testing::Message() << "kinds " << kind_a << " " << kind_b << " number " << i);
        const PlacedPair pair = overlapping_pair(kind_a, kind_b, random);
        const SmoothCore a = *smooth_core(pair.a);
        const SmoothCore b = *smooth_core(pair.b);
        const AnySmoothDifference difference(a, b, pair.a_from_b);
        const TrustRegionResult local = minimise_height(difference, random.direction(), fine());
        if (!local.converged || local.at.height <= 0.0) continue;
        ++total;
        const detail::DepthProof proof = prove_depth(difference, local.at, fine(), 1e-9, 128);
        EXPECT_LE(proof.lower_bound, proof.minimum.height + 1e-12);
        EXPECT_LE(proof.minimum.height, local.at.height + 1e-12);
        const double sampled = least_height(difference, directions);
        EXPECT_LE(proof.lower_bound, sampled + 1e-12);
        if (proof.minimum.height > 0.0) {
          EXPECT_LE(proof.minimum.height, sampled + 1e-9);
        }
        if (proof.minimum.height < local.at.height - 1e-6) ++improved;
        if (proof.lower_bound >= proof.minimum.height - 1e-9) ++proven;
      }
    }
  }
  EXPECT_GT(improved, total / 10);
  EXPECT_GT(proven, total * 9 / 10);
  RecordProperty("proven", proven);
  RecordProperty("total", total);
}

}  // namespace
}  // namespace abut
