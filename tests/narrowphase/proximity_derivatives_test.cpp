// Derivatives of proximity against central differences, against the KKT system written out, and where there are none.
#include <abut/narrowphase/proximity.h>
#include <abut/narrowphase/quaternion_derivatives.h>
#include <gtest/gtest.h>
#include <narrowphase/pill_samples.h>
#include <support/instrumented.h>

#include <Eigen/LU>

#include <array>
#include <cmath>
#include <functional>
#include <vector>

namespace abut {
namespace {

using samples::kIsInstrumented;
using samples::kPillKinds;
using samples::PillKind;
using samples::PillPair;
using samples::proximity_of;
using samples::Random;
using samples::random_pair;

constexpr int kPoses = kIsInstrumented ? 40 : 1000;

using Vector8 = Eigen::Matrix<double, 8, 1>;

ProximityDerivatives differentiate(const PillPair& pair) {
  return derivatives(pair.a, pair.world_from_a, pair.b, pair.world_from_b, proximity_of(pair));
}

// phi in units of the size, so that all are lengths.
Vector8 numbers_of(const Proximity& p, double size) {
  Vector8 numbers;
  numbers << p.phi / size, p.distance, p.point_a, p.point_b;
  return numbers;
}

Vector8 column_of(const PillDerivatives& by, int column, double size) {
  Vector8 numbers;
  numbers << by.phi[column] / size, by.distance[column], by.point_a.col(column), by.point_b.col(column);
  return numbers;
}

struct Differences {
  Vector8 value;
  double doubt;  // how far two steps disagree before the extrapolation
};

// Central differences of two steps, extrapolated.
Differences differences(const std::function<Vector8(double)>& at, double step) {
  const Vector8 coarse = (at(step) - at(-step)) / (2.0 * step);
  const Vector8 fine = (at(0.5 * step) - at(-0.5 * step)) / step;
  return {(4.0 * fine - coarse) / 3.0, (fine - coarse).lpNorm<Eigen::Infinity>()};
}

Pose moved(const Pose& pose, int coordinate, double by) {
  if (coordinate < 3) return Pose(by * Vector3d::Unit(coordinate)) * pose;
  const Quaterniond turn(Eigen::AngleAxisd(by, Vector3d::Unit(coordinate - 3)));
  return Pose(pose.translation(), turn * pose.quaternion());
}

// A little more radius or half length, coordinates 6 and 7.
Shape grown(const Shape& shape, int coordinate, double by) {
  if (const auto* capsule = shape.get_if<Capsule>()) {
    return Shape(Capsule(capsule->radius() + (coordinate == 6 ? by : 0.0),
                         capsule->half_length() + (coordinate == 7 ? by : 0.0)),
                 shape.margin());
  }
  const auto* polygon = shape.get_if<PaddedPolygon>();
  return Shape(PaddedPolygon(polygon->points(), polygon->radius() + (coordinate == 6 ? by : 0.0)), shape.margin());
}

bool has_length(const Shape& shape) {
  const auto* capsule = shape.get_if<Capsule>();
  return capsule != nullptr && capsule->half_length() > 0.0;
}

bool is_smooth(const ProximityDerivatives& d) {
  return d.is_phi_smooth && d.is_distance_smooth && d.are_points_smooth;
}

Proximity varied(const PillPair& pair, bool is_a, int coordinate, double by) {
  PillPair other = pair;
  if (coordinate < 6) {
    Pose& pose = is_a ? other.world_from_a : other.world_from_b;
    pose = moved(pose, coordinate, by);
  } else {
    Shape& shape = is_a ? other.a : other.b;
    shape = grown(shape, coordinate, by);
  }
  return proximity_of(other);
}

// Moves b so that the cores are about this far apart.
void set_apart(PillPair& pair, double core_distance) {
  const Proximity p = proximity_of(pair);
  pair.world_from_b = Pose((core_distance - (p.distance + pair.radii())) * p.normal) * pair.world_from_b;
}

TEST(ProximityDerivatives, AreThoseOfCentralDifferences) {
  for (const auto& [kind_a, kind_b] : kPillKinds) {
    int smooth = 0;
    int apart = 0;
    int compared = 0;
    Random random(1);
    for (int i = 0; i < kPoses; ++i) {
      SCOPED_TRACE(testing::Message() << "kinds " << int(kind_a) << int(kind_b) << " seed 1 number " << i);
      const double size = i % 3 == 0 ? 1.0 : std::pow(10.0, random.uniform(-6.0, 3.0));
      PillPair pair = random_pair(kind_a, kind_b, size, random);
      // Bodies that touch, that are in each other, and that are apart.
      if (i % 4 == 0) set_apart(pair, random.uniform(0.2, 1.0) * pair.radii());
      if (proximity_of(pair).distance + pair.radii() < 0.02 * size) continue;
      ++apart;
      const ProximityDerivatives exact = differentiate(pair);
      if (!is_smooth(exact)) continue;
      ++smooth;
      for (const bool is_a : {true, false}) {
        for (int coordinate = 0; coordinate < 8; ++coordinate) {
          const PillDerivatives& by = is_a ? exact.by_a : exact.by_b;
          const bool is_angle = coordinate >= 3 && coordinate < 6;
          const double unit = is_angle ? size : 1.0;
          const Vector8 column = column_of(by, coordinate, size) / unit;
          if (coordinate == 7 && !has_length(is_a ? pair.a : pair.b)) {
            EXPECT_EQ(column, Vector8::Zero());
            continue;
          }
          const Differences found = differences(
              [&](double t) { return numbers_of(varied(pair, is_a, coordinate, is_angle ? t : t * size), size); },
              2e-5);
          // Within the step the active set may change; the derivative is then another one on the far side.
          if (found.doubt > 1e-3 * size * (1.0 + column.norm())) continue;
          ++compared;
          EXPECT_LT((found.value / size - column).lpNorm<Eigen::Infinity>(),
                    1e-6 * (1.0 + column.norm()) + 0.1 * found.doubt / size)
              << (is_a ? "by a, " : "by b, ") << "coordinate " << coordinate << ": " << found.value.transpose() / size
              << " instead of " << column.transpose();
        }
      }
    }
    EXPECT_GE(apart, kPoses / 4);
    EXPECT_EQ(smooth, apart);
    EXPECT_GT(compared, 12 * smooth);
  }
}

TEST(ProximityDerivatives, ByQuaternionsAreThoseOfAllFourComponents) {
  for (const auto& [kind_a, kind_b] : kPillKinds) {
    Random random(2);
    int compared = 0;
    for (int i = 0; i < kPoses / 10; ++i) {
      SCOPED_TRACE(testing::Message() << "kinds " << int(kind_a) << int(kind_b) << " seed 2 number " << i);
      PillPair pair = random_pair(kind_a, kind_b, 1.0, random);
      set_apart(pair, 0.5);
      const ProximityDerivatives exact = differentiate(pair);
      if (!is_smooth(exact)) continue;  // cores that crossed so deeply that they still do
      ++compared;
      const Quaterniond q = pair.world_from_b.quaternion();
      const Eigen::Matrix<double, 3, 4> rotation = rotation_by_quaternion(q);
      Eigen::Matrix<double, 8, 3> by_rotation;
      for (int k = 0; k < 3; ++k) by_rotation.col(k) = column_of(exact.by_b, 3 + k, 1.0);
      const Eigen::Matrix<double, 8, 4> by_quaternion = by_rotation * rotation;
      for (int component = 0; component < 4; ++component) {
        const Differences found = differences(
            [&](double t) {
              Eigen::Vector4d wxyz(q.w(), q.x(), q.y(), q.z());
              wxyz[component] += t;
              PillPair other = pair;
              other.world_from_b =
                  Pose(pair.world_from_b.translation(), Quaterniond(wxyz[0], wxyz[1], wxyz[2], wxyz[3]));
              return numbers_of(proximity_of(other), 1.0);
            },
            2e-5);
        if (found.doubt > 1e-3) continue;
        EXPECT_LT((found.value - by_quaternion.col(component)).lpNorm<Eigen::Infinity>(),
                  1e-6 * (1.0 + by_quaternion.norm()) + 0.1 * found.doubt);
      }
    }
    EXPECT_GE(compared, kPoses / 10 * 3 / 4);
  }
}

TEST(ProximityDerivatives, OfAMotionOfBothBodiesAreThoseOfARigidMotion) {
  for (const auto& [kind_a, kind_b] : kPillKinds) {
    Random random(3);
    for (int i = 0; i < kPoses / 4; ++i) {
      SCOPED_TRACE(testing::Message() << "kinds " << int(kind_a) << int(kind_b) << " seed 3 number " << i);
      PillPair pair = random_pair(kind_a, kind_b, 1.0, random);
      const Proximity p = proximity_of(pair);
      if (p.distance + pair.radii() < 1e-3) continue;  // where the cores meet, the normal counts as fixed
      const ProximityDerivatives d = differentiate(pair);
      const double scale = 1.0 + d.by_a.point_a.norm() + d.by_a.point_b.norm();
      const Vector3d origin_a = pair.world_from_a.translation();
      const Vector3d origin_b = pair.world_from_b.translation();
      for (int k = 0; k < 3; ++k) {
        EXPECT_LT((d.by_a.point_a.col(k) + d.by_b.point_a.col(k) - Vector3d::Unit(k)).norm(), 1e-12 * scale);
        EXPECT_LT((d.by_a.point_b.col(k) + d.by_b.point_b.col(k) - Vector3d::Unit(k)).norm(), 1e-12 * scale);
        EXPECT_LT(std::abs(d.by_a.phi[k] + d.by_b.phi[k]), 1e-12 * scale);
        // A turn of all about the world's origin.
        const Vector3d axis = Vector3d::Unit(k);
        const auto turned = [&](const auto& by_a, const auto& by_b) {
          return (by_a.col(3 + k) + by_a.template leftCols<3>() * axis.cross(origin_a) + by_b.col(3 + k) +
                  by_b.template leftCols<3>() * axis.cross(origin_b))
              .eval();
        };
        EXPECT_LT((turned(d.by_a.point_a, d.by_b.point_a) - axis.cross(p.point_a)).norm(), 1e-10 * scale);
        EXPECT_LT((turned(d.by_a.point_b, d.by_b.point_b) - axis.cross(p.point_b)).norm(), 1e-10 * scale);
        EXPECT_LT(turned(d.by_a.distance, d.by_b.distance).norm(), 1e-12 * scale);
      }
      EXPECT_LT((d.by_b.distance.leftCols<3>().transpose() - p.normal).norm(), 1e-14);
      EXPECT_EQ(d.by_a.distance[6], -1.0);
      EXPECT_EQ(d.by_b.phi[6], -2.0 * pair.radii());
    }
  }
}

// The full system of 4 + 2 · 4 rows at the solution, for two squares: how x moves with a translation of b.
TEST(ProximityDerivatives, AreThoseOfTheKktSystemWrittenOut) {
  const std::vector<Eigen::Vector2d> square = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  Eigen::Matrix<double, 8, 4> g = Eigen::Matrix<double, 8, 4>::Zero();
  for (int side = 0; side < 4; ++side) {
    const Eigen::Vector2d normal = (side % 2 == 0 ? 1.0 : -1.0) * Eigen::Vector2d::Unit(side / 2);
    g.row(side).head<2>() = normal;
    g.row(4 + side).tail<2>() = normal;
  }
  const Shape shape = PaddedPolygon(square, 0.1);
  Random random(4);
  int compared = 0;
  for (int i = 0; i < kPoses / 4; ++i) {
    SCOPED_TRACE(testing::Message() << "seed 4 number " << i);
    PillPair pair{shape, shape, random.pose(1.0), random.pose(3.0), 1.0};
    const Proximity p = proximity_of(pair);
    const ProximityDerivatives d = differentiate(pair);
    if (p.distance + pair.radii() < 1e-3 || !is_smooth(d)) continue;
    Eigen::Matrix<double, 3, 4> f;
    f << pair.world_from_a.rotation().leftCols<2>(), -pair.world_from_b.rotation().leftCols<2>();
    Eigen::Vector4d x;
    x << (pair.world_from_a.inverse() * p.core_point_a).head<2>(),
        (pair.world_from_b.inverse() * p.core_point_b).head<2>();
    const Eigen::Matrix<double, 8, 1> slack = Eigen::Matrix<double, 8, 1>::Ones() - g * x;
    // Gᵀλ = -(Px + c) = Fᵀ (p_b - p_a): on the sides of a square each force is a component of that.
    const Eigen::Vector4d force = f.transpose() * (p.core_point_b - p.core_point_a);
    Eigen::Matrix<double, 8, 1> dual;
    for (int row = 0; row < 8; ++row) dual[row] = slack[row] < 1e-9 ? std::max(0.0, g.row(row).dot(force)) : 0.0;
    Eigen::Matrix<double, 12, 12> kkt;
    kkt << f.transpose() * f, g.transpose(), dual.asDiagonal() * g, (-slack).asDiagonal().toDenseMatrix();
    Eigen::Matrix<double, 12, 3> right = Eigen::Matrix<double, 12, 3>::Zero();
    right.topRows<4>() = f.transpose();  // -δc for δr = -δt
    const Eigen::Matrix<double, 4, 3> x_by_b = kkt.fullPivLu().solve(right).topRows<4>();

    // From the core points to those on the surfaces: the normal turns by the change of the gap.
    const Matrix3d core_a = f.leftCols<2>() * x_by_b.topRows<2>();
    const Matrix3d core_b = Matrix3d::Identity() - f.rightCols<2>() * x_by_b.bottomRows<2>();
    const double apart = p.distance + pair.radii();
    const Matrix3d normal = (Matrix3d::Identity() - p.normal * p.normal.transpose()) * (core_b - core_a) / apart;
    const double scale = 1.0 + core_a.norm() + core_b.norm() + 1.0 / apart;
    EXPECT_LT((core_a + 0.1 * normal - d.by_b.point_a.leftCols<3>()).norm(), 1e-9 * scale);
    EXPECT_LT((core_b - 0.1 * normal - d.by_b.point_b.leftCols<3>()).norm(), 1e-9 * scale);
    ++compared;
  }
  EXPECT_GT(compared, kPoses / 8);
}

TEST(ProximityDerivatives, FlagsNameWhatIsNotSmooth) {
  const Shape capsule = Capsule(0.1, 1.0);
  const auto flags = [](const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
    const Proximity p = proximity(a, pose_a, b, pose_b);
    const ProximityDerivatives d = derivatives(a, pose_a, b, pose_b, p);
    EXPECT_TRUE(d.by_a.point_a.allFinite() && d.by_a.point_b.allFinite() && d.by_b.point_a.allFinite() &&
                d.by_b.point_b.allFinite() && d.by_a.phi.allFinite() && d.by_b.distance.allFinite());
    return std::array<bool, 3>{d.is_phi_smooth, d.is_distance_smooth, d.are_points_smooth};
  };
  using Flags = std::array<bool, 3>;
  const Flags all = {true, true, true};
  const Flags none = {false, false, false};
  const Flags not_points = {true, true, false};
  const Flags only_phi = {true, false, false};
  const Quaterniond across(Eigen::AngleAxisd(1.0, Vector3d::UnitX()));
  EXPECT_EQ(flags(capsule, Pose(), capsule, Pose(Vector3d(1, 0, 0), across)), all);
  EXPECT_EQ(flags(capsule, Pose(), capsule, Pose(Vector3d(0.3, 0, 3), across)), all);
  // Parallel beside each other; parallel past each other; collinear.
  EXPECT_EQ(flags(capsule, Pose(), capsule, Pose(Vector3d(1, 0, 0.5))), none);
  EXPECT_EQ(flags(capsule, Pose(), capsule, Pose(Vector3d(1, 0, 3))), all);
  EXPECT_EQ(flags(capsule, Pose(), capsule, Pose(Vector3d(0, 0, 3))), all);
  // Crossing, and crossing along a piece.
  EXPECT_EQ(flags(capsule, Pose(), capsule, Pose(Vector3d(0, 0, 0.5), across)), only_phi);
  EXPECT_EQ(flags(capsule, Pose(), capsule, Pose(Vector3d(0, 0, 0.5))), only_phi);
  // The point of a is just about to leave its end.
  EXPECT_EQ(flags(capsule, Pose(), capsule, Pose(Vector3d(1, 0, 1.0), Quaterniond(0.8, 0.6, 0, 0))), not_points);

  const Shape square = PaddedPolygon(std::vector<Eigen::Vector2d>{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, 0.1);
  const Shape ball = Capsule(0.1, 0.0);
  EXPECT_EQ(flags(square, Pose(), ball, Pose(Vector3d(0.3, 0.2, 1.0))), all);          // face
  EXPECT_EQ(flags(square, Pose(), ball, Pose(Vector3d(1.3, 0.2, 1.0))), all);          // side
  EXPECT_EQ(flags(square, Pose(), ball, Pose(Vector3d(1.3, 1.2, 1.0))), all);          // corner
  EXPECT_EQ(flags(square, Pose(), ball, Pose(Vector3d(1.3, 1.2, 0.0))), all);          // corner, in the plane
  EXPECT_EQ(flags(square, Pose(), ball, Pose(Vector3d(1.0, 0.2, 1.0))), not_points);   // between face and side
  EXPECT_EQ(flags(square, Pose(), ball, Pose(Vector3d(1.0, 1.0, 1.0))), not_points);   // over a corner
  EXPECT_EQ(flags(square, Pose(), ball, Pose(Vector3d(1.3, 1.0, 1.0))), not_points);   // between side and corner
  EXPECT_EQ(flags(square, Pose(), ball, Pose(Vector3d(0.3, 0.2, 0.0))), only_phi);     // in the face
  EXPECT_EQ(flags(square, Pose(), square, Pose(Vector3d(0.3, 0.2, 1.0))), none);       // parallel faces
  EXPECT_EQ(flags(square, Pose(), square, Pose(Vector3d(2.3, 0.2, 0.0))), none);       // parallel sides
  EXPECT_EQ(flags(square, Pose(), square, Pose(Vector3d(2.3, 2.2, 0.5))), all);        // corners
  EXPECT_EQ(flags(square, Pose(), capsule, Pose(Vector3d(0.3, 0.2, 2.0))), all);       // upright over the face
  EXPECT_EQ(flags(square, Pose(), capsule, Pose(Vector3d(0.3, 0.2, 0.5))), only_phi);  // through it
  const Quaterniond lying(Eigen::AngleAxisd(std::acos(0.0), Vector3d::UnitX()));
  EXPECT_EQ(flags(square, Pose(), capsule, Pose(Vector3d(0.3, 0.2, 2.0), lying)), none);
}

TEST(ProximityDerivatives, OfAPointThatGrowsAreThoseOfTheEndThatIsPulled) {
  const Shape point = Capsule(0.1, 0.0);
  const Shape rod = Capsule(0.2, 1.0);
  for (const double angle : {0.0, 1e-9, 0.4, -0.4}) {
    SCOPED_TRACE(angle);
    // Beside the rod; its axis leans towards it, or away from it, by the angle.
    const Pose turned(Vector3d(1.0, 0.0, 0.3), Quaterniond(Eigen::AngleAxisd(angle, Vector3d::UnitY())));
    const ProximityDerivatives by = derivatives(rod, Pose(), point, turned, proximity(rod, Pose(), point, turned));
    constexpr double kStep = 1e-6;
    const Proximity none = proximity(rod, Pose(), point, turned);
    const Proximity grown = proximity(rod, Pose(), Capsule(0.1, kStep), turned);
    // Nearly parallel ones have nearest points all along.
    const double along = std::abs(angle) > 0.1 ? 1.0 : 0.0;
    EXPECT_NEAR(by.by_b.distance[7], (grown.distance - none.distance) / kStep, 1e-6);
    EXPECT_LE((by.by_b.point_b.col(7) - along * (grown.point_b - none.point_b) / kStep).norm(), 1e-5);
  }
}

// With any length the nearest points are not unique, so that by the length they have no derivative.
TEST(ProximityDerivatives, AreNotSmoothOfACapsuleWithoutLengthThatLiesOverAFace) {
  const Shape square = PaddedPolygon(std::vector<Eigen::Vector2d>{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, 0.1);
  const Shape ball = Capsule(0.1, 0.0);
  for (const double angle : {0.0, 1e-9, 1e-5, 0.5}) {
    SCOPED_TRACE(angle);
    const Pose pose(Vector3d(0.3, 0.2, 1.0), Quaterniond(Eigen::AngleAxisd(std::acos(0.0) - angle, Vector3d::UnitX())));
    for (const bool is_first : {false, true}) {
      const ProximityDerivatives d =
          is_first ? derivatives(ball, pose, square, Pose(), proximity(ball, pose, square, Pose()))
                   : derivatives(square, Pose(), ball, pose, proximity(square, Pose(), ball, pose));
      EXPECT_TRUE(d.is_phi_smooth && d.is_distance_smooth);
      EXPECT_EQ(d.are_points_smooth, angle > 1e-7);
    }
  }
}

TEST(ProximityDerivatives, AreNotSmoothOfACapsuleWithoutLengthBesideOneThatIsParallel) {
  const Shape ball = Capsule(0.1, 0.0);
  for (const double half_length : {1.0, 0.0}) {
    const Shape capsule = Capsule(0.2, half_length);
    for (const double angle : {0.0, 1e-9, 1e-5, 0.5}) {
      SCOPED_TRACE(testing::Message() << half_length << " at " << angle);
      const Pose pose(Vector3d(1.0, 0.0, 0.0), Quaterniond(Eigen::AngleAxisd(angle, Vector3d::UnitX())));
      for (const bool is_first : {false, true}) {
        const ProximityDerivatives d =
            is_first ? derivatives(ball, pose, capsule, Pose(), proximity(ball, pose, capsule, Pose()))
                     : derivatives(capsule, Pose(), ball, pose, proximity(capsule, Pose(), ball, pose));
        EXPECT_TRUE(d.is_phi_smooth && d.is_distance_smooth);
        EXPECT_EQ(d.are_points_smooth, angle > 1e-7);
      }
    }
  }
  // Past its end the nearest points stay unique.
  const Pose above(Vector3d(1.0, 0.0, 2.0));
  const Shape capsule = Capsule(0.2, 1.0);
  EXPECT_TRUE(derivatives(capsule, Pose(), ball, above, proximity(capsule, Pose(), ball, above)).are_points_smooth);
}

TEST(ProximityDerivatives, AreSmoothDownToATinyAngleAndATinyRoom) {
  const Shape capsule = Capsule(0.1, 1.0);
  for (const double angle : {1e-5, 1e-9}) {
    const Pose pose(Vector3d(1, 0, 0.0), Quaterniond(Eigen::AngleAxisd(angle, Vector3d::UnitX())));
    const Proximity p = proximity(capsule, Pose(), capsule, pose);
    const ProximityDerivatives d = derivatives(capsule, Pose(), capsule, pose, p);
    EXPECT_EQ(d.is_phi_smooth, angle > 1e-7);
    EXPECT_EQ(d.are_points_smooth, angle > 1e-7);
  }
  const Shape ball = Capsule(0.1, 0.0);
  const Quaterniond askew(Eigen::AngleAxisd(0.5, Vector3d::UnitX()));
  for (const double room : {1e-5, 1e-9, -1e-9, -1e-5}) {
    const Pose pose(Vector3d(1, 0, 1.0 + room), askew);
    const Proximity p = proximity(capsule, Pose(), ball, pose);
    const ProximityDerivatives d = derivatives(capsule, Pose(), ball, pose, p);
    EXPECT_TRUE(d.is_phi_smooth && d.is_distance_smooth);
    EXPECT_EQ(d.are_points_smooth, std::abs(room) > 1e-7);
  }
}

// Where the cores cross, phi stays at -(R_a + R_b)², and where they just part it leaves that value without a kink.
TEST(ProximityDerivatives, OfPhiAreContinuousWhereTheCoresMeet) {
  const Shape needle = Capsule(0.1, 1.0);
  const Shape square = PaddedPolygon(std::vector<Eigen::Vector2d>{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, 0.2);
  for (const double height : {1.001, 1.000001, 1.0, 0.9}) {
    const Pose pose(Vector3d(0.2, 0.3, height));
    const Proximity p = proximity(needle, pose, square, Pose());
    const ProximityDerivatives d = derivatives(needle, pose, square, Pose(), p);
    EXPECT_NEAR(d.by_a.phi[2], 2.0 * std::max(0.0, height - 1.0), 1e-12);
    EXPECT_TRUE(d.is_phi_smooth);
    EXPECT_DOUBLE_EQ(d.by_a.phi[6], -0.6);
  }
}

}  // namespace
}  // namespace abut
