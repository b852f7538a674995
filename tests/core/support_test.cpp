// Support points of every convex shape against support functions written out from the definitions: the point reaches h
// along its direction and no farther than h along any other, which makes it a subgradient of h.
#include <abut/core/shape.h>
#include <gtest/gtest.h>
#include <support/random.h>
#include <support/random_shapes.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace abut {
namespace {

using samples::Random;

// Powers of ratios to the largest term, in long double, so that the check is not the code it checks.
double beta_norm(const std::vector<double>& values, double beta) {
  long double largest = 0.0L;
  for (const double value : values) largest = std::max(largest, static_cast<long double>(value));
  if (!(largest > 0.0L)) return 0.0;
  long double sum = 0.0L;
  for (const double value : values) {
    if (value > 0.0) sum += std::pow(static_cast<long double>(value) / largest, static_cast<long double>(beta));
  }
  return static_cast<double>(largest * std::pow(sum, 1.0L / static_cast<long double>(beta)));
}

double farthest(std::span<const Vector3d> points, const Vector3d& d) {
  double value = points[0].dot(d);
  for (const Vector3d& point : points) value = std::max(value, point.dot(d));
  return value;
}

double h(const Sphere& s, const Vector3d& d) {
  return s.radius() * d.norm();
}
double h(const Ellipsoid& s, const Vector3d& d) {
  return s.radii().cwiseProduct(d).norm();
}
double h(const Box& s, const Vector3d& d) {
  return s.half_extents().dot(d.cwiseAbs());
}
double h(const Capsule& s, const Vector3d& d) {
  return s.half_length() * std::abs(d.z()) + s.radius() * d.norm();
}
double h(const Cylinder& s, const Vector3d& d) {
  return s.half_length() * std::abs(d.z()) + s.radius() * d.head<2>().norm();
}
double h(const Cone& s, const Vector3d& d) {
  return std::max(s.half_length() * d.z(), s.radius() * d.head<2>().norm() - s.half_length() * d.z());
}
double h(const ConvexHull& s, const Vector3d& d) {
  return farthest(s.vertices(), d);
}
double h(const Triangle& s, const Vector3d& d) {
  return farthest(s.points(), d);
}
double h(const PaddedPolygon& s, const Vector3d& d) {
  double value = s.points()[0].dot(d.head<2>());
  for (const Eigen::Vector2d& point : s.points()) value = std::max(value, point.dot(d.head<2>()));
  return value + s.radius() * d.norm();
}
double h(const Superquadric& s, const Vector3d& d) {
  // Conjugate exponents of 2/e: 1/p + 1/q = 1.
  const double q1 = 2.0 / (2.0 - s.exponents()[0]);
  const double q2 = 2.0 / (2.0 - s.exponents()[1]);
  const Vector3d scaled = s.radii().cwiseProduct(d).cwiseAbs();
  return beta_norm({beta_norm({scaled.x(), scaled.y()}, q2), scaled.z()}, q1);
}
double h(const SmoothHull& s, const Vector3d& d) {
  std::vector<double> values;
  for (const Vector3d& point : s.points()) values.push_back(point.dot(d));
  return beta_norm(values, s.sharpness());
}
double h(const SmoothRevolution& s, const Vector3d& d) {
  const double w = std::sqrt(d.head<2>().squaredNorm() + s.flatness() * d.z() * d.z());
  std::vector<double> values;
  for (const Eigen::Vector2d& point : s.profile()) values.push_back(point.x() * w + point.y() * d.z());
  return beta_norm(values, s.sharpness());
}

double h(const Shape& shape, const Vector3d& direction) {
  return std::visit(
      [&]<class G>(const G& geometry) -> double {
        if constexpr (ConvexGeometry<G>) {
          return h(geometry, direction) + shape.margin() * direction.norm();
        } else {
          ADD_FAILURE() << "not convex";
          return 0.0;
        }
      },
      shape.geometry());
}

// Shapes with the parameters that strain their formulas.
std::vector<Shape> strained_shapes(Random& random) {
  const Vector3d radii(0.3, 1.0, 2.0);
  std::vector<Shape> shapes = {
      Ellipsoid(Vector3d(1e-6, 1.0, 1e6)),
      Box(Vector3d(1e-6, 1.0, 1e6)),
      Capsule(0.1, 0.0),
      Cylinder(1.0, 0.0),
      Cone(1.0, 0.0),
      Cone(1e-6, 1.0),
      Cone(1.0, 1e-6),
      Triangle({Vector3d(1, 2, 3), Vector3d(1, 2, 3), Vector3d(1, 2, 3)}),
  };
  const double largest = std::nextafter(2.0, 0.0);
  for (const double e1 : {1e-12, 1e-3, 0.1, 1.0, 1.9, 2.0 - 1e-6, largest}) {
    for (const double e2 : {1e-12, 1e-3, 0.1, 1.0, 1.9, 2.0 - 1e-6, largest}) {
      shapes.emplace_back(Superquadric(radii, {e1, e2}), e1 < e2 ? 0.1 : 0.0);
    }
  }
  for (const double sharpness : {2.001, 8.0, 50.0, 200.0}) {
    std::vector<Vector3d> points;
    for (int i = 0; i < 30; ++i) points.push_back(random.uniform(0.2, 1.0) * random.direction());
    shapes.emplace_back(SmoothHull(points, sharpness));
    for (Vector3d& point : points) point.x() += 3.0;  // the origin outside: h is 0 where no point lies ahead
    shapes.emplace_back(SmoothHull(points, sharpness));
    for (const double flatness : {1e-6, 0.01, 1.0}) {
      shapes.emplace_back(SmoothRevolution({{0.3, 1.0}, {1.0, 0.5}, {1.0, -0.5}, {0.0, -1.0}}, sharpness, flatness));
      shapes.emplace_back(SmoothRevolution({{0.3, 5.0}, {0.0, 6.0}}, sharpness, flatness));
    }
  }
  return shapes;
}

std::vector<Vector3d> directions(Random& random, int count) {
  std::vector<Vector3d> result;
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      for (int z = -1; z <= 1; ++z) {
        if (x != 0 || y != 0 || z != 0) result.push_back(Vector3d(x, y, z).normalized());
      }
    }
  }
  for (int i = 0; i < count; ++i) result.push_back(random.direction());
  for (int i = 0; i < count; ++i) {  // nearly along an axis
    Vector3d direction = Vector3d::Unit(static_cast<int>(random.below(3)));
    direction += std::pow(10.0, random.uniform(-16.0, -1.0)) * random.direction();
    result.push_back(direction.normalized());
  }
  return result;
}

void expect_subgradient(const Shape& shape, const std::vector<Vector3d>& tried) {
  double size = 0.0;
  std::vector<double> heights;
  for (const Vector3d& direction : tried) {
    heights.push_back(h(shape, direction));
    size = std::max(size, std::abs(heights.back()));
  }
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const Vector3d point = support(shape, tried[i]);
    ASSERT_TRUE(point.allFinite()) << tried[i].transpose();
    ASSERT_NEAR(point.dot(tried[i]), heights[i], 1e-13 * size) << tried[i].transpose();
    for (std::size_t k = 0; k < tried.size(); ++k) {
      ASSERT_LE(point.dot(tried[k]), heights[k] + 1e-13 * size)
          << "point along " << tried[i].transpose() << " is outside along " << tried[k].transpose();
    }
  }
}

TEST(Support, IsASubgradientOfTheSupportFunctionForEveryKind) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (std::uint32_t kind = 0; kind < samples::kShapeKinds; ++kind) {
      for (int i = 0; i < 5; ++i) {
        const Shape shape = samples::random_shape(static_cast<samples::ShapeKind>(kind), 1.0, random);
        if (!shape.is_convex()) continue;
        SCOPED_TRACE(testing::Message() << shape.type_name() << " number " << i);
        expect_subgradient(shape, directions(random, 60));
      }
    }
  }
}

TEST(Support, IsASubgradientForStrainedParameters) {
  for (const std::uint64_t seed : {1u, 2u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::vector<Shape> shapes = strained_shapes(random);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      SCOPED_TRACE(testing::Message() << shapes[i].type_name() << ", shape " << i);
      expect_subgradient(shapes[i], directions(random, 60));
    }
  }
}

TEST(Support, DoesNotDependOnTheLengthOfTheDirection) {
  Random random(3);
  std::vector<Shape> shapes = strained_shapes(random);
  for (std::uint32_t kind = 0; kind < samples::kShapeKinds; ++kind) {
    const Shape shape = samples::random_shape(static_cast<samples::ShapeKind>(kind), 1.0, random);
    if (shape.is_convex()) shapes.push_back(shape);
  }
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape.type_name());
    const double size = aabb(shape, Pose()).half_extents().norm() + center(shape).norm();
    for (const Vector3d& direction : directions(random, 20)) {
      const double height = h(shape, direction);
      for (const double length : {1e-300, 1e-160, 1e-9, 3.0, 1e9, 1e160, 1e300}) {
        const Vector3d point = support(shape, length * direction);
        ASSERT_TRUE(point.allFinite()) << length;
        ASSERT_NEAR(point.dot(direction), height, 1e-13 * size) << length << " x " << direction.transpose();
      }
    }
  }
}

TEST(Support, IsTheGradientOfTheSupportFunctionOfSmoothShapes) {
  constexpr double kStep = 1e-6;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    std::vector<Shape> shapes = {Ellipsoid(Vector3d(0.2, 1.0, 0.5)), Superquadric(Vector3d(0.5, 1.0, 0.7), {1.0, 0.8}),
                                 Superquadric(Vector3d(0.5, 1.0, 0.7), {0.6, 1.2})};
    for (const double sharpness : {4.0, 30.0, 200.0}) {
      std::vector<Vector3d> points;
      for (int i = 0; i < 20; ++i) points.push_back(random.direction());
      shapes.emplace_back(SmoothHull(points, sharpness), 0.2);
      shapes.emplace_back(SmoothRevolution({{0.5, 1.0}, {1.0, 0.0}, {0.7, -0.8}}, sharpness, 0.05));
    }
    for (const Shape& shape : shapes) {
      for (int i = 0; i < 100; ++i) {
        const Vector3d direction = random.direction();
        Vector3d gradient;
        for (int k = 0; k < 3; ++k) {
          const Vector3d step = kStep * Vector3d::Unit(k);
          gradient[k] = (h(shape, direction + step) - h(shape, direction - step)) / (2.0 * kStep);
        }
        // The third derivative of h grows like sharpness squared: 2e-8 from the step, and rounding / step besides.
        ASSERT_LT((support(shape, direction) - gradient).norm(), 2e-6)
            << shape.type_name() << " along " << direction.transpose();
      }
    }
  }
}

TEST(Support, MarginAddsABallAndShiftsNothingElse) {
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    const Vector3d direction = random.direction();
    const Box box(Vector3d(1, 2, 3));
    const Vector3d plain = support(box, direction);
    const Vector3d grown = support(Shape(box, 0.5), direction);
    EXPECT_LT((grown - plain - 0.5 * direction).norm(), 1e-15);
  }
}

TEST(Support, OfSmoothHullContainsItsPoints) {
  Random random(5);
  std::vector<Vector3d> points;
  for (int i = 0; i < 20; ++i) points.push_back(random.direction());
  for (const double sharpness : {2.5, 20.0, 200.0}) {
    const SmoothHull hull(points, sharpness);
    for (int i = 0; i < 500; ++i) {
      const Vector3d direction = random.direction();
      EXPECT_GE(hull.core_support(direction).dot(direction), farthest(points, direction) - 1e-14);
    }
  }
}

}  // namespace
}  // namespace abut
