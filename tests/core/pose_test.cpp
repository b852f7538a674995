// Pose: its algebra and what its constructors refuse.
#include <abut/core/left_factor.h>
#include <abut/core/pose.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/random.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace abut {
namespace {

using samples::error_text;
using samples::Random;

double rotation_error(const Matrix3d& rotation) {
  return (rotation * rotation.transpose() - Matrix3d::Identity()).cwiseAbs().maxCoeff();
}

TEST(Pose, MapsPointsAndDirections) {
  const double half_angle = 0.25 * std::numbers::pi;
  const Pose pose(Vector3d(1, 2, 3), Quaterniond(std::cos(half_angle), 0, 0, std::sin(half_angle)));  // x to y
  EXPECT_TRUE((pose * Vector3d(1, 0, 0)).isApprox(Vector3d(1, 3, 3), 1e-15));
  EXPECT_TRUE(pose.rotate(Vector3d(1, 0, 0)).isApprox(Vector3d(0, 1, 0), 1e-15));
  EXPECT_TRUE(pose.unrotate(Vector3d(0, 1, 0)).isApprox(Vector3d(1, 0, 0), 1e-15));
  EXPECT_EQ(Pose() * Vector3d(1, 2, 3), Vector3d(1, 2, 3));
}

TEST(Pose, ComposesAndInverts) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (int i = 0; i < 100; ++i) {
      const Pose a_from_b = random.pose(3.0);
      const Pose b_from_c = random.pose(3.0);
      const Vector3d point = random.vector(-2.0, 2.0);
      const Vector3d mapped = (a_from_b * b_from_c) * point;
      EXPECT_LT((mapped - a_from_b * (b_from_c * point)).norm(), 1e-14);
      EXPECT_LT((a_from_b.inverse() * (a_from_b * point) - point).norm(), 1e-14);
      const Pose identity = a_from_b * a_from_b.inverse();
      EXPECT_LT(identity.translation().norm(), 1e-14);
      EXPECT_LT((identity.rotation() - Matrix3d::Identity()).norm(), 1e-14);
      EXPECT_LT(rotation_error((a_from_b * b_from_c).rotation()), 1e-14);
      EXPECT_GT(a_from_b.rotation().determinant(), 0.0);
    }
  }
}

// What poses are multiplied by, against Eigen's products.
TEST(LeftFactor, MultipliesVectorsAndMatrices) {
  Random random(6);
  const auto matrix = [&random] {
    Matrix3d result;
    for (Eigen::Index column = 0; column < 3; ++column) result.col(column) = random.vector(-3.0, 3.0);
    return result;
  };
  for (int i = 0; i < 1000; ++i) {
    const Matrix3d left = matrix();
    const Matrix3d right = matrix();
    const Vector3d vector = random.vector(-3.0, 3.0);
    const detail::LeftFactor factor(left);
    const detail::LeftFactor transposed = detail::LeftFactor::transposed(left);
    const auto difference = [](const auto& p, const auto& q) { return (p - q).cwiseAbs().maxCoeff(); };
    EXPECT_LT(difference(Matrix3d(factor * right), Matrix3d(left * right)), 2e-14);
    EXPECT_LT(difference(Vector3d(factor * vector), Vector3d(left * vector)), 2e-14);
    EXPECT_LT(difference(Matrix3d(transposed * right), Matrix3d(left.transpose() * right)), 2e-14);
    EXPECT_LT(difference(Vector3d(transposed * vector), Vector3d(left.transpose() * vector)), 2e-14);
  }
}

TEST(Pose, RelativeKeepsItsDigitsFarFromTheOrigin) {
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    const Pose a_from_b = random.pose(1.0);
    // Powers of two, so that the sums below are exact but for the last bits of a_from_b.
    const Vector3d far_away(0x1p40, -0x1p40, 0x1p40);
    const Pose world_from_a(far_away);
    const Pose world_from_b(far_away + a_from_b.translation(), a_from_b.quaternion());
    const Pose relative = Pose::relative(world_from_a, world_from_b);
    EXPECT_EQ(relative.translation(), world_from_b.translation() - far_away);
    EXPECT_LT((relative.rotation() - a_from_b.rotation()).norm(), 1e-14);
  }
  const Pose world_from_a = random.pose(2.0);
  const Pose world_from_b = random.pose(2.0);
  const Pose relative = Pose::relative(world_from_a, world_from_b);
  const Pose composed = world_from_a.inverse() * world_from_b;
  EXPECT_LT((relative.translation() - composed.translation()).norm(), 1e-14);
  EXPECT_LT((relative.rotation() - composed.rotation()).norm(), 1e-14);
}

TEST(Pose, NormalisesQuaternionsOfAnyLength) {
  const Quaterniond unit = Quaterniond(1, 2, -3, 4).normalized();
  const Pose reference(Vector3d::Zero(), unit);
  for (const double length : {1e-300, 1e-160, 1e-9, 1.0, 1e9, 1e160, 1e300}) {
    SCOPED_TRACE(testing::Message() << "length " << length);
    const Pose pose(Vector3d::Zero(), Quaterniond(length * unit.coeffs()));
    EXPECT_LT((pose.rotation() - reference.rotation()).norm(), 1e-14);
    EXPECT_LT(rotation_error(pose.rotation()), 1e-14);
  }
  EXPECT_LT(reference.quaternion().angularDistance(unit), 1e-7);
}

TEST(Pose, RefusesBadQuaternionsAndTranslations) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_text([&] { Pose(Vector3d(0, kNan, 0)); }), "translation[1]: must be finite, got nan");
  EXPECT_EQ(error_text([] { Pose(Vector3d::Zero(), Quaterniond(0, 0, 0, 0)); }),
            "rotation: must not be the zero quaternion");
  EXPECT_EQ(error_text([&] { Pose(Vector3d::Zero(), Quaterniond(1, 0, kNan, 0)); }),
            "rotation[2]: must be finite, got nan");
}

TEST(Pose, FromStoredKeepsEveryBitOfALongProduct) {
  Pose product;
  const Pose turn(Vector3d(0.1, 0.0, 0.0), Quaterniond(1.0, 0.1, 0.2, 0.3));
  for (int i = 0; i < 10000; ++i) product = product * turn;
  EXPECT_EQ(Pose::from_stored(product.translation(), product.rotation()), product);
}

TEST(Pose, FromStoredRefusesAllButRotations) {
  const auto error = [](const Vector3d& translation, const Matrix3d& rotation) {
    try {
      (void)Pose::from_stored(translation, rotation);
    } catch (const InvalidInput& invalid) {
      return invalid.field();
    }
    return std::string();
  };
  const Matrix3d identity = Matrix3d::Identity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error(Vector3d::Zero(), 1.0001 * identity), "");
  EXPECT_EQ(error(Vector3d::Zero(), 1.01 * identity), "rotation");
  EXPECT_EQ(error(Vector3d::Zero(), -identity), "rotation");
  EXPECT_EQ(error({0, nan, 0}, identity), "translation[1]");
  for (int i = 0; i < 9; ++i) {
    for (const double value : {nan, infinity, -infinity}) {
      Matrix3d rotation = identity;
      rotation.data()[i] = value;
      EXPECT_EQ(error(Vector3d::Zero(), rotation), "rotation") << i << " " << value;
    }
  }
}

TEST(Pose, FromMatrixRefusesAllButRotations) {
  Random random(5);
  const Matrix3d rotation = random.rotation().toRotationMatrix();
  EXPECT_LT((Pose::from_matrix(Vector3d(1, 2, 3), rotation).rotation() - rotation).norm(), 1e-14);

  // Six digits, as text files carry them, are made orthonormal.
  const Matrix3d rounded = (rotation * 1e7).array().round().matrix() / 1e7;
  const Pose repaired = Pose::from_matrix(Vector3d::Zero(), rounded);
  EXPECT_LT(rotation_error(repaired.rotation()), 1e-14);
  EXPECT_LT((repaired.rotation() - rotation).norm(), 1e-6);

  EXPECT_EQ(error_text([] { Pose::from_matrix(Vector3d::Zero(), 2.0 * Matrix3d::Identity()); }),
            "rotation: must be orthonormal: R R^T = I to within 1e-6, got 3");
  EXPECT_EQ(error_text([] { Pose::from_matrix(Vector3d::Zero(), -Matrix3d::Identity()); }),
            "rotation: must not be a reflection");
  Matrix3d broken = Matrix3d::Identity();
  broken(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_text([&] { Pose::from_matrix(Vector3d::Zero(), broken); }).substr(0, 9), "rotation:");
}

}  // namespace
}  // namespace abut
