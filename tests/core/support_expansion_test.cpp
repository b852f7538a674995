// Support functions to second order: against differences and plain sums in extended precision, and what holds for
// every support function.
#include <abut/core/shape.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "point_sets.h"

namespace abut {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using samples::Random;
using samples::random_points;

using Real = long double;
using Vector3r = Eigen::Matrix<Real, 3, 1>;
using Matrix3r = Eigen::Matrix<Real, 3, 3>;

struct Reference {
  Real value = 0;
  Vector3r point = Vector3r::Zero();
  Matrix3r hessian = Matrix3r::Zero();  // of prescribed support functions alone
};

// A prescribed support function of points in any dimension, point by point. With t = max(p·x, 0) / h the Hessian is
// (β-1) / h (Σ t^(β-2) p pᵀ - point pointᵀ); since Σ t^β = 1 and Σ t^(β-1) p = point, that is a sum of squares of
// p - t point, in which nothing cancels.
template <int kDimension>
struct PrescribedSum {
  using Vector = Eigen::Matrix<Real, kDimension, 1>;
  Real value = 0;
  Vector point = Vector::Zero();
  Eigen::Matrix<Real, kDimension, kDimension> hessian = Eigen::Matrix<Real, kDimension, kDimension>::Zero();

  PrescribedSum(const std::vector<Vector>& points, const Vector& x, Real beta) {
    Real largest = 0;
    for (const Vector& p : points) largest = std::max(largest, p.dot(x));
    if (!(largest > 0)) return;
    Real sum = 0;
    for (const Vector& p : points) sum += std::pow(std::max(p.dot(x) / largest, Real(0)), beta);
    value = largest * std::pow(sum, 1 / beta);
    for (const Vector& p : points) point += std::pow(std::max(p.dot(x) / value, Real(0)), beta - 1) * p;
    for (const Vector& p : points) {
      const Real t = p.dot(x) / value;
      if (!(t > 0)) continue;
      hessian += (beta - 1) / value * std::pow(t, beta - 2) * (p - t * point) * (p - t * point).transpose();
    }
  }
};

Reference reference(const Sphere& /*shape*/, const Vector3r& /*x*/) {
  return {};
}

Reference reference(const Ellipsoid& shape, const Vector3r& x) {
  const Vector3r scaled = shape.radii().cast<Real>().cwiseProduct(x);
  return {scaled.norm(), shape.radii().cast<Real>().cwiseProduct(scaled) / scaled.norm(), Matrix3r::Zero()};
}

Reference reference(const Superquadric& shape, const Vector3r& x) {
  const Real q1 = 2 / (2 - static_cast<Real>(shape.exponents()[0]));
  const Real q2 = 2 / (2 - static_cast<Real>(shape.exponents()[1]));
  const Vector3r u = shape.radii().cast<Real>().cwiseProduct(x).cwiseAbs();
  const Real ring = std::pow(std::pow(u.x(), q2) + std::pow(u.y(), q2), 1 / q2);
  const Real value = std::pow(std::pow(ring, q1) + std::pow(u.z(), q1), 1 / q1);
  const Real along_ring = std::pow(ring / value, q1 - 1);
  const Vector3r slopes(along_ring * std::pow(u.x() / ring, q2 - 1), along_ring * std::pow(u.y() / ring, q2 - 1),
                        std::pow(u.z() / value, q1 - 1));
  return {value, shape.radii().cast<Real>().cwiseProduct(slopes).cwiseProduct(x.cwiseSign()), Matrix3r::Zero()};
}

Reference reference(const SmoothHull& shape, const Vector3r& x) {
  std::vector<Vector3r> points;
  for (const Vector3d& point : shape.points()) points.emplace_back(point.cast<Real>());
  const PrescribedSum<3> sum(points, x, shape.sharpness());
  return {sum.value, sum.point, sum.hessian};
}

Reference reference(const SmoothRevolution& shape, const Vector3r& x) {
  using Vector2r = Eigen::Matrix<Real, 2, 1>;
  std::vector<Vector2r> points;
  for (const Vector2d& point : shape.profile()) points.emplace_back(point.cast<Real>());
  const Vector3r weights(1, 1, shape.flatness());
  const Real w = std::sqrt(weights.dot(x.cwiseAbs2()));
  const PrescribedSum<2> sum(points, Vector2r(w, x.z()), shape.sharpness());
  Eigen::Matrix<Real, 2, 3> inner;
  inner.row(0) = weights.cwiseProduct(x) / w;
  inner.row(1) = Vector3r::UnitZ();
  Matrix3r bend = weights.asDiagonal();
  bend -= inner.row(0).transpose() * inner.row(0);
  return {sum.value, inner.transpose() * sum.point, inner.transpose() * sum.hessian * inner + sum.point.x() / w * bend};
}

using Smooth = std::variant<Sphere, Ellipsoid, Superquadric, SmoothHull, SmoothRevolution>;

SupportExpansion expansion(const Smooth& shape, const Vector3d& direction) {
  return std::visit([&](const auto& s) { return s.core_expansion(direction); }, shape);
}
Vector3d core_support(const Smooth& shape, const Vector3d& direction) {
  return std::visit([&](const auto& s) -> Vector3d { return s.core_support(direction); }, shape);
}
Reference reference(const Smooth& shape, const Vector3r& x) {
  return std::visit([&](const auto& s) { return reference(s, x); }, shape);
}

std::vector<Vector2d> random_profile(int count, Random& random) {
  std::vector<Vector2d> profile;
  profile.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) profile.emplace_back(random.uniform(0.0, 1.0), random.uniform(-1.0, 1.0));
  return profile;
}

std::string describe(const Smooth& shape) {
  constexpr std::array<const char*, 5> kNames = {"sphere", "ellipsoid", "superquadric", "smooth hull", "revolution"};
  std::ostringstream text;
  text << kNames[shape.index()];
  if (const auto* s = std::get_if<Superquadric>(&shape)) text << " e " << s->exponents().transpose();
  if (const auto* s = std::get_if<SmoothHull>(&shape))
    text << " beta " << s->sharpness() << " n " << s->points().size();
  if (const auto* s = std::get_if<SmoothRevolution>(&shape)) {
    text << " beta " << s->sharpness() << " n " << s->profile().size() << " gamma " << s->flatness();
  }
  return text.str();
}

constexpr std::array<double, 7> kSharpnesses = {2.5, 5.0, 10.0, 10.25, 50.0, 200.0, 1000.0};

// Bodies of the order of a metre; of every number of points up to more than a register holds.
std::vector<Smooth> smooth_bodies(Random& random) {
  std::vector<Smooth> bodies = {Sphere(0.5)};
  for (int i = 0; i < 4; ++i) bodies.emplace_back(Ellipsoid(random.vector(0.2, 2.0)));
  for (const double e1 : {1.0, 1.2, 1.5, 1.9}) {
    for (const double e2 : {1.0, 1.3, 1.5, 1.8}) bodies.emplace_back(Superquadric(random.vector(0.3, 1.5), {e1, e2}));
  }
  for (const double beta : kSharpnesses) {
    for (const int count : {1, 2, 3, 4, 5, 7, 8, 9, 20, 64}) {
      bodies.emplace_back(SmoothHull(random_points(count, random), beta));
    }
    for (const int count : {1, 2, 3, 5, 10}) {
      for (const double flatness : {1e-3, 0.5, 3.0}) {
        bodies.emplace_back(SmoothRevolution(random_profile(count, random), beta, flatness));
      }
    }
  }
  return bodies;
}

double sharpness(const Smooth& shape) {
  if (const auto* s = std::get_if<SmoothHull>(&shape)) return s->sharpness();
  if (const auto* s = std::get_if<SmoothRevolution>(&shape)) return s->sharpness();
  if (const auto* s = std::get_if<Superquadric>(&shape)) return 2.0 / (2.0 - s->exponents().maxCoeff());
  return 2.0;
}

// Where h is small points lie across the direction, so that rounding of their products with it counts more; and no
// body of few points is smooth where h vanishes.
bool is_well_ahead(const Smooth& shape, const Vector3d& direction) {
  return shape.index() == 0 || reference(shape, direction.cast<Real>()).value > 0.05L;
}

// Runs check(shape, direction) for random directions and every body.
template <class Check>
void for_bodies(std::uint64_t seed, int directions, const Check& check) {
  Random random(seed);
  int checked = 0;
  int skipped = 0;
  for (const Smooth& shape : smooth_bodies(random)) {
    for (int i = 0; i < directions; ++i) {
      const Vector3d direction = random.direction();
      if (!is_well_ahead(shape, direction)) {
        ++skipped;
        continue;
      }
      ++checked;
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << describe(shape) << ", along "
                                      << direction.transpose());
      check(shape, direction);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GT(checked, 5 * skipped);
}

TEST(SupportExpansion, IsThatOfCentralDifferencesInExtendedPrecision) {
  for (const std::uint64_t seed : {1u, 2u}) {
    for_bodies(seed, 8, [](const Smooth& shape, const Vector3d& direction) {
      const SupportExpansion result = expansion(shape, direction);
      const Vector3r x = direction.cast<Real>();
      // The k-th derivative grows like the k-th power of the sharpness.
      const Real step = 1e-5L / static_cast<Real>(sharpness(shape));
      Vector3r gradient;
      Matrix3r hessian;
      for (int k = 0; k < 3; ++k) {
        const Reference ahead = reference(shape, x + step * Vector3r::Unit(k));
        const Reference behind = reference(shape, x - step * Vector3r::Unit(k));
        gradient[k] = (ahead.value - behind.value) / (2 * step);
        hessian.col(k) = (ahead.point - behind.point) / (2 * step);
      }
      ASSERT_NEAR(result.value, static_cast<double>(reference(shape, x).value), 4e-15);
      ASSERT_LT((result.point - gradient.cast<double>()).norm(), 1e-8);
      ASSERT_LT((result.hessian - hessian.cast<double>()).norm(),
                1e-8 * sharpness(shape) + 1e-7 * result.hessian.norm());
    });
  }
}

// A ratio t of products with x is good to a few units, its power β times less.
TEST(SupportExpansion, OfPrescribedSupportFunctionsIsTheirPlainSum) {
  for (const std::uint64_t seed : {3u, 4u, 5u}) {
    for_bodies(seed, 20, [](const Smooth& shape, const Vector3d& direction) {
      if (shape.index() < 3) return;
      const SupportExpansion result = expansion(shape, direction);
      const Reference expected = reference(shape, direction.cast<Real>());
      const double rounding = 1e-15 * sharpness(shape) / static_cast<double>(expected.value);
      ASSERT_LT((result.point - expected.point.cast<double>()).norm(), 3.0 * rounding);
      ASSERT_LT((result.hessian - expected.hessian.cast<double>()).norm(),
                10.0 * rounding * (1.0 + result.hessian.norm()));
    });
  }
}

TEST(SupportExpansion, AgreesWithTheSupportPoint) {
  for_bodies(6, 50, [](const Smooth& shape, const Vector3d& direction) {
    const SupportExpansion result = expansion(shape, direction);
    ASSERT_LT((result.point - core_support(shape, direction)).norm(), 2e-15 * sharpness(shape) / 0.05);
    ASSERT_NEAR(result.value, result.point.dot(direction), 1e-14);
  });
}

TEST(SupportExpansion, HasAPositiveSemidefiniteHessianThatVanishesAlongTheDirection) {
  for_bodies(7, 50, [](const Smooth& shape, const Vector3d& direction) {
    const Matrix3d hessian = expansion(shape, direction).hessian;
    ASSERT_TRUE(hessian == hessian.transpose());
    const double size = hessian.norm() + 1e-30;  // a single point has the square of rounding for a curvature
    ASSERT_LE((hessian * direction).norm(), 1e-13 * size);
    ASSERT_GE(Eigen::SelfAdjointEigenSolver<Matrix3d>(hessian).eigenvalues().minCoeff(), -1e-14 * size);
  });
}

TEST(SupportExpansion, IsHomogeneous) {
  for_bodies(8, 4, [](const Smooth& shape, const Vector3d& direction) {
    const SupportExpansion unit = expansion(shape, direction);
    for (const double length : {1e-300, 1e-150, 1e-99, 1e-9, 3.0, 1e9, 1e101, 1e150, 1e300}) {
      const SupportExpansion result = expansion(shape, length * direction);
      const double rounding = 1e-14 * sharpness(shape);
      ASSERT_NEAR(result.value / length, unit.value, 1e-14) << length;
      ASSERT_LT((result.point - unit.point).norm(), rounding) << length;
      if (length < 1e-150) continue;
      ASSERT_LT((length * result.hessian - unit.hessian).norm(), 20.0 * rounding * (1.0 + unit.hessian.norm()))
          << length;
    }
  });
}

// One point of many dominates: what is left of the curvature is small, and a difference of large numbers would lose it.
TEST(SupportExpansion, KeepsTheSmallCurvatureNearCornersOfSharpBodies) {
  Random random(9);
  constexpr int kHulls = samples::kIsInstrumented ? 1000 : 3000;
  int reached = 0;
  for (int i = 0; i < kHulls; ++i) {
    const SmoothHull hull(random_points(20, random), 200.0);
    const Vector3d direction = (hull.points()[0] + 0.1 * random.direction()).normalized();
    const Matrix3r expected = reference(hull, direction.cast<Real>()).hessian;
    const double size = static_cast<double>(expected.norm());
    if (!(1e-10 < size && size < 1e-6)) continue;
    ++reached;
    ASSERT_LT((hull.core_expansion(direction).hessian - expected.cast<double>()).norm(), 2e-12 * size) << i;
  }
  EXPECT_GT(reached, kHulls / 30);
}

TEST(SupportExpansion, DoesNotSeePointsAtTheOriginNorTheKindOfPower) {
  Random random(10);
  for (const double beta : {5.0, 50.0, 50.5}) {
    for (const int count : {1, 3, 8, 17}) {
      std::vector<Vector3d> points = random_points(count, random);
      const SmoothHull plain(points, beta);
      const SmoothHull real(points, std::nextafter(beta, 100.0));  // a whole exponent no more
      for (int i = 0; i < 30; ++i) points.emplace_back(Vector3d::Zero());
      const SmoothHull padded(points, beta);
      for (int i = 0; i < 100; ++i) {
        const Vector3d direction = random.direction();
        const SupportExpansion expected = plain.core_expansion(direction);
        const SupportExpansion result = padded.core_expansion(direction);
        ASSERT_EQ(result.value, expected.value);
        ASSERT_EQ(result.point, expected.point);
        ASSERT_EQ(result.hessian, expected.hessian);
        const SupportExpansion other = real.core_expansion(direction);
        ASSERT_LT((other.point - expected.point).norm(), 1e-13);
        ASSERT_LT((other.hessian - expected.hessian).norm(), 2e-12 * (1e-3 + expected.hessian.norm()));
      }
    }
  }
}

TEST(SupportExpansion, IsZeroWhereNoPointLiesAhead) {
  const SmoothHull hull({Vector3d(1, 0, 1), Vector3d(0, 1, 2), Vector3d(-1, -1, 1)}, 8.0);
  const SmoothRevolution solid({{0.5, 5.0}, {0.0, 6.0}}, 8.5, 1e-3);
  for (const SupportExpansion& result :
       {hull.core_expansion(-Vector3d::UnitZ()), hull.core_expansion(Vector3d::Zero()),
        solid.core_expansion(-Vector3d::UnitZ()), solid.core_expansion(Vector3d::Zero())}) {
    EXPECT_EQ(result.value, 0.0);
    EXPECT_EQ(result.point, Vector3d::Zero());
    EXPECT_EQ(result.hessian, Matrix3d::Zero());
  }
}

TEST(SupportExpansion, OfASuperquadricWithExponentsOneIsThatOfItsEllipsoid) {
  const Vector3d radii(0.4, 1.1, 0.7);
  const Ellipsoid ellipsoid(radii);
  const Superquadric superquadric(radii, {1.0, 1.0});
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      for (int z = -1; z <= 1; ++z) {
        if (x == 0 && y == 0 && z == 0) continue;
        const Vector3d direction(x, y, z);
        const SupportExpansion expected = ellipsoid.core_expansion(direction);
        const SupportExpansion result = superquadric.core_expansion(direction);
        EXPECT_NEAR(result.value, expected.value, 1e-15);
        EXPECT_LT((result.point - expected.point).norm(), 1e-15) << direction.transpose();
        EXPECT_LT((result.hessian - expected.hessian).norm(), 1e-15) << direction.transpose();
      }
    }
  }
}

TEST(SupportExpansion, OfASuperquadricIsKnownOnItsAxes) {
  const Vector3d radii(0.5, 0.8, 1.5);
  const double a = radii.x();
  const double b = radii.y();
  const double c = radii.z();
  // Exponents above 1 make corners of the ends of the axes, an exponent 1 an ellipse around z or along it.
  const Superquadric pointed(radii, {1.5, 1.5});
  for (int k = 0; k < 3; ++k) EXPECT_EQ(pointed.core_expansion(-Vector3d::Unit(k)).hessian, Matrix3d::Zero());
  const Superquadric cones(radii, {1.5, 1.0});
  EXPECT_EQ(cones.core_expansion(Vector3d::UnitZ()).hessian, Matrix3d::Zero());
  EXPECT_EQ(cones.core_expansion(Vector3d::UnitX()).hessian, Matrix3d(Vector3d(0.0, b * b / a, 0.0).asDiagonal()));
  // Along z no matrix has all second derivatives; those along x and y are those of ellipses.
  const Superquadric lens(radii, {1.0, 1.5});
  EXPECT_TRUE(lens.core_expansion(Vector3d::UnitX())
                  .hessian.isApprox(Matrix3d(Vector3d(0.0, 0.0, c * c / a).asDiagonal()), 1e-15));
  const Matrix3d at_pole = lens.core_expansion(Vector3d::UnitZ()).hessian;
  EXPECT_TRUE(at_pole.isApprox(Matrix3d(Vector3d(a * a / c, b * b / c, 0.0).asDiagonal()), 1e-15));
  for (int k = 0; k < 2; ++k) {
    const double step = 1e-4;
    const Vector3d up = lens.core_support(Vector3d::UnitZ() + step * Vector3d::Unit(k));
    const Vector3d down = lens.core_support(Vector3d::UnitZ() - step * Vector3d::Unit(k));
    EXPECT_NEAR((up - down)[k] / (2.0 * step), at_pole(k, k), 1e-7);
  }
}

TEST(SupportExpansion, OfASuperquadricIsFiniteAndSemidefiniteForAllExponentsOnAndNearItsPlanes) {
  const double largest = std::nextafter(2.0, 0.0);
  Random random(12);
  for (const double e1 : {1e-12, 1e-3, 0.5, 0.99, 1.0, 1.01, 1.9, 2.0 - 1e-6, largest}) {
    for (const double e2 : {1e-12, 1e-3, 0.5, 0.99, 1.0, 1.01, 1.9, 2.0 - 1e-6, largest}) {
      const Superquadric shape(Vector3d(0.3, 1.0, 2.0), {e1, e2});
      for (int i = 0; i < 200; ++i) {
        Vector3d direction = random.direction();
        for (int k = 0; k < 3; ++k) {
          if (random.chance(0.4))
            direction[k] *= random.chance(0.5) ? 0.0 : std::pow(10.0, random.uniform(-320.0, 0.0));
        }
        if (direction.norm() == 0.0) continue;
        direction.normalize();
        const SupportExpansion result = shape.core_expansion(direction);
        ASSERT_TRUE(result.hessian.allFinite()) << e1 << " " << e2 << ": " << direction.transpose();
        ASSERT_LT((result.point - shape.core_support(direction)).norm(), 1e-14);
        const double size = result.hessian.norm() + 1e-150;  // squares of less vanish
        ASSERT_GE(Eigen::SelfAdjointEigenSolver<Matrix3d>(result.hessian).eigenvalues().minCoeff(), -1e-14 * size);
        ASSERT_LE((result.hessian * direction).norm(), 1e-14 * size);
      }
    }
  }
}

TEST(SupportExpansion, OfASphereIsThatOfItsCentre) {
  const SupportExpansion result = Sphere(2.0).core_expansion(Vector3d(1, 2, 3));
  EXPECT_EQ(result.value, 0.0);
  EXPECT_EQ(result.point, Vector3d::Zero());
  EXPECT_EQ(result.hessian, Matrix3d::Zero());
}

}  // namespace
}  // namespace abut
