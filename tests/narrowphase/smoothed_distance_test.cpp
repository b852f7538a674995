// The smoothed distance: its bounds, its symmetries, and that its derivative is right and continuous.
#include <abut/core/error.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/smoothed_distance.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random_shapes.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace abut {
namespace {

using samples::kIsInstrumented;
using samples::Random;
using samples::random_shape;
using samples::ShapeKind;

using RowVector6 = Eigen::Matrix<double, 1, 6>;
using RowVector12 = Eigen::Matrix<double, 1, 12>;

constexpr std::uint32_t kSmoothedKinds = 12;  // the first of ShapeKind

struct SmoothedPair {
  Shape a;
  Shape b;
  Pose pose_a;
  Pose pose_b;
};

SmoothedDistance smoothed(const SmoothedPair& pair, double smoothing_length) {
  return smoothed_distance(pair.a, pair.pose_a, pair.b, pair.pose_b, smoothing_length);
}

// One of each two kinds, centres at most `spread` apart.
SmoothedPair random_pair(std::uint32_t kind_a, std::uint32_t kind_b, double size, double spread, Random& random) {
  const Shape a = random_shape(static_cast<ShapeKind>(kind_a), size, random);
  const Shape b = random_shape(static_cast<ShapeKind>(kind_b), size, random);
  const Pose pose_a = random.pose(size);
  const Vector3d offset = random.uniform(0.0, spread) * random.direction();
  return {a, b, pose_a, Pose(pose_a.translation() + offset, random.rotation())};
}

// Some pairs of every two kinds, of a third of them under a sanitizer; `spread` and all lengths in units of `size`.
template <class Check>
void for_each_pair(int count, double size, double spread, const Check& check) {
  const int repetitions = kIsInstrumented ? std::min(count, 1) : count;
  for (std::uint32_t kind_a = 0; kind_a < kSmoothedKinds; ++kind_a) {
    for (std::uint32_t kind_b = 0; kind_b < kSmoothedKinds; ++kind_b) {
      if (kIsInstrumented && (kind_a + kind_b) % 3 != 0) continue;
      for (int i = 0; i < repetitions; ++i) {
        const std::uint64_t seed = 1000 * (kSmoothedKinds * kind_a + kind_b) + static_cast<std::uint64_t>(i);
        SCOPED_TRACE(testing::Message() << "kinds " << kind_a << " " << kind_b << " seed " << seed);
        Random random(seed);
        const SmoothedPair pair = random_pair(kind_a, kind_b, size, spread * size, random);
        check(pair, random);
      }
    }
  }
}

RowVector12 gradient_of(const SmoothedDistance& s) {
  RowVector12 gradient;
  gradient << s.by_a, s.by_b;
  return gradient;
}

// A small motion of one coordinate, about the body's own origin and along the world's axes.
Pose moved(const Pose& pose, int coordinate, double by) {
  if (coordinate < 3) return Pose(pose.translation() + by * Vector3d::Unit(coordinate), pose.quaternion());
  const Quaterniond turn(Eigen::AngleAxisd(by, Vector3d::Unit(coordinate - 3)));
  return Pose(pose.translation(), turn * pose.quaternion());
}

RowVector12 differences(const SmoothedPair& pair, double smoothing_length, double h) {
  RowVector12 slopes;
  for (int coordinate = 0; coordinate < 12; ++coordinate) {
    const auto at = [&](double by) {
      SmoothedPair other = pair;
      (coordinate < 6 ? other.pose_a : other.pose_b) =
          moved(coordinate < 6 ? pair.pose_a : pair.pose_b, coordinate % 6, by);
      return smoothed(other, smoothing_length).distance;
    };
    const double one = (at(h) - at(-h)) / (2.0 * h);
    const double two = (at(2.0 * h) - at(-2.0 * h)) / (4.0 * h);
    slopes[coordinate] = (4.0 * one - two) / 3.0;
  }
  return slopes;
}

double radii_of(const Shape& shape) {
  return shape.margin() + std::visit(
                              []<class G>(const G& geometry) {
                                if constexpr (ConvexGeometry<G>) return geometry.sweep_radius();
                                return 0.0;
                              },
                              shape.geometry());
}

TEST(SmoothedDistance, LiesBelowTheDistanceByTheSmoothingLengthAtMost) {
  int apart = 0;
  int overlapping = 0;
  for (const double m : {1e-3, 0.05, 0.5, 20.0}) {
    for_each_pair(4, 1.0, 3.5, [&](const SmoothedPair& pair, Random&) {
      const Separation plain = distance(pair.a, pair.pose_a, pair.b, pair.pose_b);
      const SmoothedDistance s = smoothed(pair, m);
      ASSERT_EQ(s.status, SolveStatus::converged);
      const double error = s.distance_error + plain.distance_error;
      const double radii = radii_of(pair.a) + radii_of(pair.b);
      const double plain_of_cores = std::max(plain.distance + radii, 0.0);
      EXPECT_LE(s.distance, plain_of_cores - radii + error);
      EXPECT_GE(s.distance, plain_of_cores - radii - m - error);
      (plain.distance > 0.0 ? apart : overlapping) += 1;
      // The two points lie in the cores: no nearer to each other than these, and not much farther.
      const double between = (s.point_b - s.point_a).norm();
      EXPECT_GE(between, plain_of_cores - error);
      EXPECT_LE(between * between, plain_of_cores * plain_of_cores + m * m + 2.0 * error);
    });
  }
  EXPECT_GT(apart, kIsInstrumented ? 80 : 800);
  EXPECT_GT(overlapping, kIsInstrumented ? 40 : 400);
}

// Hulls that lie beside their origin, of which the centre is far from the middle of their box.
TEST(SmoothedDistance, LiesBelowTheDistanceOfSmoothHullsBesideTheirOrigin) {
  const auto expect_below = [](const Shape& hull, const Shape& ball, const Pose& pose, double m) {
    const Separation plain = distance(hull, Pose(), ball, pose);
    const SmoothedDistance s = smoothed({hull, ball, Pose(), pose}, m);
    ASSERT_EQ(s.status, SolveStatus::converged);
    const double overlap_counts = std::max(plain.distance, -radii_of(ball));
    EXPECT_LE(s.distance, overlap_counts + s.distance_error + plain.distance_error);
  };
  expect_below(SmoothHull({Vector3d(1, 0, 0)}, 3.0), Sphere(0.1), Pose(Vector3d(1, 0, 0)), 0.1);
  Random random(41);
  for (int i = 0; i < (kIsInstrumented ? 100 : 1000); ++i) {
    SCOPED_TRACE(i);
    const Vector3d middle = random.vector(-1.0, 1.0);
    std::vector<Vector3d> points(1 + random.below(12));
    for (Vector3d& point : points) point = middle + random.vector(-1.0, 1.0);
    const Shape hull(SmoothHull(points, random.uniform(2.5, 80.0)));
    const double m = random.uniform(0.01, 1.0);
    const Vector3d beside = 0.05 * random.direction();
    expect_below(hull, Sphere(1e-9), Pose(), m);
    expect_below(hull, Sphere(1e-3), Pose(beside), m);
  }
}

TEST(SmoothedDistance, TendsToTheDistanceWithTheSmoothingLength) {
  for_each_pair(1, 1.0, 6.0, [](const SmoothedPair& pair, Random&) {
    const Separation plain = distance(pair.a, pair.pose_a, pair.b, pair.pose_b);
    if (plain.distance < 0.05) return;
    double last = std::numeric_limits<double>::infinity();
    for (double m = 1.0; m > 1e-7; m *= 0.1) {
      const SmoothedDistance s = smoothed(pair, m);
      const double below = plain.distance - s.distance;
      EXPECT_LE(std::abs(below), m + plain.distance_error + s.distance_error);
      EXPECT_LT(below, last);
      last = below;
    }
  });
}

TEST(SmoothedDistance, OfPointsIsOneOfTheirDistanceAlone) {
  const double m = 0.3;
  const Shape small = Sphere(0.2);
  const Shape large = Shape(Capsule(0.4, 0.0), 0.1);
  for (const double apart : {0.0, 1e-9, 0.01, 0.7, 1.0, 40.0}) {
    const SmoothedDistance s = smoothed_distance(small, Pose(), large, Pose(Vector3d(0.0, apart, 0.0)), m);
    const double root = std::sqrt(apart * apart + m * m / 3.0);
    EXPECT_NEAR(s.distance, root - m / std::sqrt(3.0) - 0.7, 1e-14 * (1.0 + apart));
    EXPECT_NEAR(s.by_b[1], apart / root, 1e-14);
    EXPECT_LT((s.by_a + s.by_b).norm(), 1e-14);
    EXPECT_EQ(s.point_b, Vector3d(0.0, apart, 0.0));
  }
}

TEST(SmoothedDistance, IsCarriedAlongByARigidMotion) {
  for (const double m : {0.02, 0.5}) {
    for_each_pair(2, 1.0, 3.0, [m](const SmoothedPair& pair, Random& random) {
      const SmoothedDistance before = smoothed(pair, m);
      const Pose motion = random.pose(10.0);
      const SmoothedDistance after = smoothed({pair.a, pair.b, motion * pair.pose_a, motion * pair.pose_b}, m);
      EXPECT_NEAR(after.distance, before.distance, before.distance_error + after.distance_error + 1e-14);
      const auto is_near = [&](const Vector3d& got, const Vector3d& expected) {
        EXPECT_LT((got - motion.rotate(expected)).norm(), 1e-6) << got.transpose();
      };
      is_near(after.by_a.head<3>(), before.by_a.head<3>());
      is_near(after.by_a.tail<3>(), before.by_a.tail<3>());
      is_near(after.by_b.head<3>(), before.by_b.head<3>());
      is_near(after.by_b.tail<3>(), before.by_b.tail<3>());
      // A rigid motion of both changes nothing: its derivative is none.
      const Vector3d force = before.by_b.head<3>();
      const Vector3d lever = pair.pose_b.translation() - pair.pose_a.translation();
      EXPECT_LT((before.by_a.head<3>() + before.by_b.head<3>()).norm(), 1e-14);
      EXPECT_LT((before.by_a.tail<3>().transpose() + before.by_b.tail<3>().transpose() + lever.cross(force)).norm(),
                1e-12);
    });
  }
}

TEST(SmoothedDistance, IsExchangedWithTheBodies) {
  for (const double m : {0.02, 0.5}) {
    for_each_pair(2, 1.0, 3.0, [m](const SmoothedPair& pair, Random&) {
      const SmoothedDistance s = smoothed(pair, m);
      const SmoothedDistance t = smoothed({pair.b, pair.a, pair.pose_b, pair.pose_a}, m);
      EXPECT_NEAR(s.distance, t.distance, s.distance_error + t.distance_error);
      EXPECT_LT((s.by_a - t.by_b).norm(), 1e-6);
      EXPECT_LT((s.by_b - t.by_a).norm(), 1e-6);
    });
  }
}

TEST(SmoothedDistance, HasTheDerivativesOfCentralDifferences) {
  int apart = 0;
  int overlapping = 0;
  for (const double m : {0.1, 0.6}) {
    for_each_pair(4, 1.0, 2.8, [&](const SmoothedPair& pair, Random&) {
      const SmoothedDistance s = smoothed(pair, m);
      const RowVector12 exact = gradient_of(s);
      const RowVector12 found = differences(pair, m, 4e-6);
      EXPECT_LT((found - exact).norm(), 1e-6 * exact.norm()) << found << "\ninstead of\n" << exact;
      (s.distance > 0.0 ? apart : overlapping) += 1;
    });
  }
  EXPECT_GT(apart, kIsInstrumented ? 25 : 350);
  EXPECT_GT(overlapping, kIsInstrumented ? 25 : 350);
}

TEST(SmoothedDistance, HasNoKinkWhereFacesPassThroughParallel) {
  const Shape box = Box({0.5, 0.4, 0.3});
  const double m = 0.2;
  const auto gradient_at = [&](double angle, double gap) {
    const Pose turned(Vector3d(0.1, 0.05, 0.6 + gap), Quaterniond(Eigen::AngleAxisd(angle, Vector3d(0.6, 0.8, 0.0))));
    return gradient_of(smoothed_distance(box, Pose(), box, turned, m));
  };
  for (const double gap : {-0.1, 0.0, 0.2}) {
    SCOPED_TRACE(gap);
    const double slope = (gradient_at(1e-3, gap) - gradient_at(-1e-3, gap)).norm() / 1e-3;
    for (const double angle : {1e-4, 1e-5, 1e-6, 1e-7}) {
      const double jump = (gradient_at(angle, gap) - gradient_at(-angle, gap)).norm();
      EXPECT_LT(jump, 2.0 * slope * angle + 1e-11) << "angle " << angle;
      EXPECT_GT(jump, 0.1 * slope * angle) << "angle " << angle;
    }
  }
  // The plain distance does have one: its nearest point of b jumps across the face, and with it the torque.
  const auto plain_point_at = [&](double angle) {
    const Pose turned(Vector3d(0.1, 0.05, 0.8), Quaterniond(Eigen::AngleAxisd(angle, Vector3d(0.6, 0.8, 0.0))));
    return distance(box, Pose(), box, turned).point_b;
  };
  EXPECT_GT((plain_point_at(1e-4) - plain_point_at(-1e-4)).norm(), 0.5);
}

TEST(SmoothedDistance, HasNoKinkWhereEdgesPassThroughParallel) {
  const Shape capsule = Capsule(0.1, 0.5);
  const double m = 0.1;
  for (const double gap : {0.0, 0.3}) {
    SCOPED_TRACE(gap);
    const auto gradient_at = [&](double angle) {
      const Pose turned(Vector3d(gap, 0.0, 0.02), Quaterniond(Eigen::AngleAxisd(angle, Vector3d::UnitY())));
      return gradient_of(smoothed_distance(capsule, Pose(), capsule, turned, m));
    };
    const double slope = (gradient_at(1e-3) - gradient_at(-1e-3)).norm() / 1e-3;
    for (const double angle : {1e-4, 1e-5, 1e-6}) {
      EXPECT_LT((gradient_at(angle) - gradient_at(-angle)).norm(), 2.0 * slope * angle + 1e-11) << angle;
    }
  }
}

TEST(SmoothedDistance, HasAContinuousDerivativeOnWaysThroughContactAndThroughTheCentre) {
  for_each_pair(1, 1.0, 0.0, [](const SmoothedPair& start, Random& random) {
    const double m = 0.3;
    const Vector3d direction = random.direction();
    const Vector3d spin = random.direction();
    const Vector3d middle = start.pose_a * center(start.a) - start.pose_b.rotate(center(start.b));
    const auto gradient_at = [&](double t) {  // the centres coincide at t = 0
      const Quaterniond turn(Eigen::AngleAxisd(t, spin));
      const Pose pose_b(middle + 2.5 * t * direction, start.pose_b.quaternion());
      return gradient_of(
          smoothed({start.a, start.b, Pose(start.pose_a.translation(), turn * start.pose_a.quaternion()), pose_b}, m));
    };
    // The largest change over a step, looked at ever closer: a jump would stay.
    double begin = -1.0;
    double end = 1.0;
    double largest = 0.0;
    for (int level = 0; level < 6; ++level) {
      const int steps = level == 0 ? 64 : 8;
      const double width = (end - begin) / steps;
      const double first = begin;
      largest = 0.0;
      RowVector12 last = gradient_at(first);
      for (int i = 0; i < steps; ++i) {
        const RowVector12 next = gradient_at(first + (i + 1) * width);
        ASSERT_TRUE(next.allFinite());
        if ((next - last).norm() > largest) {
          largest = (next - last).norm();
          begin = first + i * width;
        }
        last = next;
      }
      end = begin + width;
      if (level == 0) {
        EXPECT_GT(largest, 1e-4);
      }
    }
    EXPECT_LT(largest, 1e-4);  // over 1e-6 of the way
  });
}

TEST(SmoothedDistance, OfConcentricBodiesIsFiniteAndFlat) {
  for_each_pair(1, 1.0, 0.0, [](const SmoothedPair& pair, Random&) {
    for (const double m : {1e-4, 0.1, 5.0}) {
      const Pose pose_b(pair.pose_a * center(pair.a) - pair.pose_b.rotate(center(pair.b)), pair.pose_b.quaternion());
      const SmoothedDistance s = smoothed({pair.a, pair.b, pair.pose_a, pose_b}, m);
      EXPECT_EQ(s.status, SolveStatus::converged);
      EXPECT_LT(s.distance, 0.0);
      EXPECT_LT(gradient_of(s).norm(), 1e-11 / m);
    }
  });
}

// The same body in another unit of length.
Shape body_of_points(int kind, const std::vector<Vector3d>& points, double scale) {
  std::vector<Vector3d> scaled = points;
  for (Vector3d& point : scaled) point *= scale;
  const Vector3d lengths = scaled[0].cwiseAbs();
  if (kind == 0) return Box(lengths);
  if (kind == 1) return Capsule(lengths.x(), lengths.y());
  if (kind == 2) return Cylinder(lengths.x(), lengths.y());
  if (kind == 3) return Ellipsoid(lengths);
  return ConvexHull::from_points(scaled);
}

TEST(SmoothedDistance, ScalesWithAllLengths) {
  constexpr int kKinds = 5;
  for (const double scale : {1e-60, 1e-6, 1e-3, 1e3, 1e60}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      Random random(seed);
      std::vector<Vector3d> points;
      for (int i = 0; i < 8; ++i) points.push_back(random.uniform(0.3, 1.0) * random.direction());
      const Pose pose(random.uniform(0.0, 3.0) * random.direction(), random.rotation());
      const Pose scaled_pose(scale * pose.translation(), pose.quaternion());
      for (int i = 0; i < kKinds; ++i) {
        for (int j = 0; j < kKinds; ++j) {
          SCOPED_TRACE(testing::Message() << "scale " << scale << " seed " << seed << " kinds " << i << " " << j);
          const SmoothedDistance unit =
              smoothed({body_of_points(i, points, 1.0), body_of_points(j, points, 1.0), Pose(), pose}, 0.1);
          const SmoothedDistance other = smoothed(
              {body_of_points(i, points, scale), body_of_points(j, points, scale), Pose(), scaled_pose}, 0.1 * scale);
          EXPECT_EQ(other.status, SolveStatus::converged);
          EXPECT_NEAR(other.distance / scale, unit.distance, unit.distance_error + other.distance_error / scale);
          EXPECT_LT((other.by_b.head<3>() - unit.by_b.head<3>()).norm(), 1e-6);
          EXPECT_LT((other.by_b.tail<3>() / scale - unit.by_b.tail<3>()).norm(), 1e-6);
        }
      }
    }
  }
}

TEST(SmoothedDistance, ConvergesForSizesFarApart) {
  for (const double size_b : {1e-6, 1e-3, 1e3}) {
    SCOPED_TRACE(size_b);
    for (std::uint32_t kind_a = 0; kind_a < kSmoothedKinds; ++kind_a) {
      for (std::uint32_t kind_b = 0; kind_b < kSmoothedKinds; ++kind_b) {
        Random random(100 * kind_a + kind_b);
        const Shape a = random_shape(static_cast<ShapeKind>(kind_a), 1.0, random);
        const Shape b = random_shape(static_cast<ShapeKind>(kind_b), size_b, random);
        const Pose pose_b(random.uniform(0.0, 2.0 * std::max(1.0, size_b)) * random.direction(), random.rotation());
        for (const double m : {0.01, 1.0}) {
          SCOPED_TRACE(testing::Message() << "kinds " << kind_a << " " << kind_b << " m " << m);
          const SmoothedDistance s = smoothed_distance(a, Pose(), b, pose_b, m);
          const Separation plain = distance(a, Pose(), b, pose_b);
          EXPECT_EQ(s.status, SolveStatus::converged);
          EXPECT_TRUE(gradient_of(s).allFinite());
          if (plain.distance <= 0.0) continue;
          EXPECT_LE(s.distance, plain.distance + plain.distance_error + s.distance_error);
          EXPECT_GE(s.distance, plain.distance - m - plain.distance_error - s.distance_error);
        }
      }
    }
  }
}

TEST(SmoothedDistance, TakesDegenerateBodies) {
  const Vector3d point(0.3, 0.2, 0.1);
  const std::vector<Vector3d> one_point{point};
  const std::vector<Vector3d> segment{point, -point};
  const std::vector<Shape> shapes{Triangle({point, point, point}),
                                  Triangle({point, -point, Vector3d(Vector3d::Zero())}),
                                  ConvexHull::from_points(one_point),
                                  ConvexHull::from_points(segment),
                                  Capsule(0.1, 0.0),
                                  Cylinder(0.3, 0.0),
                                  Cone(0.3, 0.0),
                                  Box({1.0, 1e-9, 1e-9}),
                                  Ellipsoid({1.0, 1e-6, 1e-3})};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t j = 0; j < shapes.size(); ++j) {
      for (const double apart : {0.0, 0.5, 3.0}) {
        SCOPED_TRACE(testing::Message() << "shapes " << i << " " << j << " apart " << apart);
        const Pose pose_b(Vector3d(0.0, 0.0, apart));
        const SmoothedDistance s = smoothed_distance(shapes[i], Pose(), shapes[j], pose_b, 0.05);
        const Separation plain = distance(shapes[i], Pose(), shapes[j], pose_b);
        EXPECT_EQ(s.status, SolveStatus::converged);
        ASSERT_TRUE(gradient_of(s).allFinite());
        if (plain.distance <= 1e-6) continue;
        EXPECT_LE(s.distance, plain.distance + plain.distance_error + s.distance_error);
        EXPECT_GE(s.distance, plain.distance - 0.05 - plain.distance_error - s.distance_error);
      }
    }
  }
}

TEST(SmoothedDistance, GrowsByTheMotionWhenABodyIsPulledAway) {
  // Along the gradient by a translation the distance grows at the rate of its length, on from deep inside.
  const Shape a = Box({0.5, 0.4, 0.3});
  const Shape b = Cylinder(0.3, 0.5);
  Pose pose_b(Vector3d(0.05, -0.03, 0.02), Quaterniond(Eigen::AngleAxisd(0.7, Vector3d(0.6, 0.0, 0.8))));
  double last = -std::numeric_limits<double>::infinity();
  int steps = 0;
  for (; steps < 2000 && last <= 0.2; ++steps) {
    const SmoothedDistance s = smoothed_distance(a, Pose(), b, pose_b, 0.3);
    ASSERT_GT(s.distance, last);
    last = s.distance;
    const Vector3d away = s.by_b.head<3>();
    pose_b = Pose(pose_b.translation() + 0.02 * away.normalized(), pose_b.quaternion());
  }
  EXPECT_GT(last, 0.2);
  EXPECT_LT(steps, 100);
}

std::string message_of(const Shape& a, const Shape& b, double smoothing_length) {
  try {
    static_cast<void>(smoothed_distance(a, Pose(), b, Pose(Vector3d(3.0, 0.0, 0.0)), smoothing_length));
  } catch (const InvalidInput& error) {
    return error.field() + "|" + error.what();
  }
  return "no error";
}

TEST(SmoothedDistance, NamesWhatItRefuses) {
  const Shape ball = Sphere(1.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double m : {0.0, -0.1, nan, infinity}) {
    EXPECT_EQ(message_of(ball, ball, m).rfind("smoothing_length|smoothing_length: ", 0), 0U) << m;
  }
  const Shape plane = HalfSpace(Vector3d::UnitZ(), 0.0);
  const Shape mesh = samples::l_mesh(1.0);
  EXPECT_EQ(message_of(ball, plane, 0.1).rfind("shape|shape: ", 0), 0U);
  EXPECT_NE(message_of(plane, ball, 0.1).find("not halfspace"), std::string::npos);
  EXPECT_NE(message_of(ball, mesh, 0.1).find("not mesh"), std::string::npos);
  EXPECT_EQ(message_of(ball, ball, 0.1), "no error");
}

}  // namespace
}  // namespace abut
