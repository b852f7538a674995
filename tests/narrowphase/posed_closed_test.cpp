// Pairs of spheres, capsules and what has a closed form with them, asked by their poses in the world: they are answered
// without the pose of one to the other, and a yes or no without roots.
#include <abut/narrowphase/closed/posed_closed.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/separate.h>
#include <gtest/gtest.h>
#include <narrowphase/closed_checks.h>
#include <support/poses.h>
#include <support/random.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace abut {
namespace {

using samples::at;
using samples::Random;

enum class PlacedKind { sphere, capsule, box, cylinder, cone, triangle };
constexpr PlacedKind kKinds[] = {PlacedKind::sphere,   PlacedKind::capsule, PlacedKind::box,
                                 PlacedKind::cylinder, PlacedKind::cone,    PlacedKind::triangle};

// Of about `size` metres.
Shape make(PlacedKind kind, double size, Random& random) {
  const double margin = random.chance(0.5) ? 0.0 : random.uniform(0.0, 0.2) * size;
  const auto length = [&] { return random.uniform(0.1, 1.0) * size; };
  switch (kind) {
    case PlacedKind::sphere:
      return Shape(Sphere(length()), margin);
    case PlacedKind::capsule: {
      const double radius = length();
      return Shape(Capsule(radius, random.chance(0.1) ? 0.0 : length()), margin);
    }
    case PlacedKind::box:
      return Shape(Box(size * random.vector(0.1, 1.0)), margin);
    case PlacedKind::cylinder: {
      const double radius = length();
      return Shape(Cylinder(radius, length()), margin);
    }
    case PlacedKind::cone: {
      const double radius = length();
      return Shape(Cone(radius, length()), margin);
    }
    case PlacedKind::triangle:
      return Shape(
          Triangle({size * random.vector(-1.0, 1.0), size * random.vector(-1.0, 1.0), size * random.vector(-1.0, 1.0)}),
          margin);
  }
  return Shape(Sphere(size));
}

bool has_closed_form(PlacedKind a, PlacedKind b) {
  if (a == PlacedKind::sphere || b == PlacedKind::sphere) return true;
  const auto is_solid = [](PlacedKind kind) { return kind == PlacedKind::cylinder || kind == PlacedKind::cone; };
  return (a == PlacedKind::capsule && !is_solid(b)) || (b == PlacedKind::capsule && !is_solid(a));
}

struct PosedPair {
  Shape a;
  Shape b;
  Pose world_from_a;
  Pose world_from_b;
  double far_away = 0.0;  // from the world's origin, metres
};

// Each kind against each that has a closed form with it, in both orders; near, touching and concentric, turned alike
// and not, about the origin and far from it.
template <class Visit>
void for_random_pairs(std::uint64_t seed, int rounds, double size, const Visit& visit) {
  Random random(seed);
  for (const PlacedKind kind_a : kKinds) {
    for (const PlacedKind kind_b : kKinds) {
      if (!has_closed_form(kind_a, kind_b)) continue;
      for (int i = 0; i < rounds; ++i) {
        const double far_away = i % 4 < 2 ? 0.0 : 1000.0 * size;
        const Vector3d position = far_away * random.direction();
        const double aside = (i % 10 == 0 ? 0.0 : random.uniform(0.0, 4.0)) * size;
        const Pose world_from_a(position, random.rotation());
        const Pose world_from_b(position + aside * random.direction(),
                                i % 8 == 1 ? world_from_a.quaternion() : random.rotation());
        SCOPED_TRACE(testing::Message() << "kinds " << static_cast<int>(kind_a) << " and " << static_cast<int>(kind_b)
                                        << ", pair " << i);
        visit(PosedPair{make(kind_a, size, random), make(kind_b, size, random), world_from_a, world_from_b, far_away});
      }
    }
  }
}

TEST(PosedClosedForms, ProveTheirAnswersInTheWorld) {
  for (const double size : {1.0, 1e-6, 1e6}) {
    for_random_pairs(31, 60, size, [&](const PosedPair& pair) {
      const Separation found = distance(pair.a, pair.world_from_a, pair.b, pair.world_from_b);
      Separation in_a = found;
      detail::transform(in_a, pair.world_from_a.inverse());
      const Pose a_from_b = Pose::relative(pair.world_from_a, pair.world_from_b);
      const double rounding = 3e-14 * 10.0 * size + 1e-15 * pair.far_away;
      EXPECT_EQ(samples::closed_violation(pair.a, pair.b, a_from_b, in_a, rounding), "");
    });
  }
}

TEST(PosedClosedForms, AnswerAsThoseOfTheRelativePose) {
  for_random_pairs(32, 60, 1.0, [](const PosedPair& pair) {
    const Pose a_from_b = Pose::relative(pair.world_from_a, pair.world_from_b);
    const Separation expected = detail::separate(detail::Part(pair.a), detail::Part(pair.b), a_from_b,
                                                 detail::PairQuery{DistanceOptions{}, /*is_boolean=*/false}, nullptr);
    const Separation found = distance(pair.a, pair.world_from_a, pair.b, pair.world_from_b);
    EXPECT_NEAR(found.distance, expected.distance, 1e-14 + found.distance_error + expected.distance_error);
    EXPECT_NEAR(found.distance_error, expected.distance_error, 2e-15 + 2.0 * std::abs(found.distance) * 1e-15);
    EXPECT_EQ(found.solver, Solver::automatic);
    EXPECT_EQ(found.iterations, 0);
  });
}

TEST(PosedClosedForms, ExchangedAnswerWithTheOppositeNormal) {
  for_random_pairs(33, 20, 1.0, [](const PosedPair& pair) {
    const Separation one = distance(pair.a, pair.world_from_a, pair.b, pair.world_from_b);
    const Separation other = distance(pair.b, pair.world_from_b, pair.a, pair.world_from_a);
    EXPECT_NEAR(one.distance, other.distance, one.distance_error + other.distance_error);
    EXPECT_NEAR((one.point_b - one.point_a).dot(one.normal), one.distance, 1e-13 + 1e-15 * pair.far_away);
    EXPECT_NEAR((other.point_b - other.point_a).dot(other.normal), other.distance, 1e-13 + 1e-15 * pair.far_away);
  });
}

TEST(PosedClosedForms, SayYesUpToTheDistanceAndNoBelowIt) {
  for (const double size : {1.0, 1e-6, 1e6}) {
    for_random_pairs(34, 60, size, [&](const PosedPair& pair) {
      const Separation apart = distance(pair.a, pair.world_from_a, pair.b, pair.world_from_b);
      const auto is_within = [&](double limit) {
        return collides(pair.a, pair.world_from_a, pair.b, pair.world_from_b, limit);
      };
      EXPECT_EQ(is_within(0.0), apart.distance - apart.distance_error <= 0.0);
      EXPECT_TRUE(is_within(std::numeric_limits<double>::max()));
      if (apart.distance <= 1e-9 * size) return;
      EXPECT_TRUE(is_within(apart.distance)) << "doubt counts as contact";
      // In the band where squares leave it open, and outside.
      for (const double part : {1e-13, 1e-10, 1e-4, 0.5}) {
        const double step = part * (apart.distance + size) + 2.0 * apart.distance_error;
        EXPECT_TRUE(is_within(apart.distance + step)) << part;
        if (apart.distance > step) {
          EXPECT_FALSE(is_within(apart.distance - step)) << part;
        }
      }
    });
  }
}

TEST(PosedClosedForms, DecideNearlyParallelCapsules) {
  Random random(35);
  for (int i = 0; i < 2000; ++i) {
    SCOPED_TRACE(i);
    const Pose world_from_a(random.vector(-1.0, 1.0), random.rotation());
    const double angle = i % 5 == 0 ? 0.0 : std::pow(10.0, random.uniform(-17.0, -1.0));
    const Pose turn(Vector3d(0.3, random.uniform(-0.5, 0.5), random.uniform(-2.0, 2.0)),
                    Quaterniond(Eigen::AngleAxisd(angle, random.direction())));
    const Pose world_from_b = world_from_a * turn;
    const Shape a(Capsule(0.05, 1.0));
    const Shape b(Capsule(0.05, random.uniform(0.1, 1.0)));
    const Separation apart = distance(a, world_from_a, b, world_from_b);
    Separation in_a = apart;
    detail::transform(in_a, world_from_a.inverse());
    EXPECT_EQ(samples::closed_violation(a, b, Pose::relative(world_from_a, world_from_b), in_a, 1e-13), "");
    EXPECT_TRUE(collides(a, world_from_a, b, world_from_b, apart.distance + 1e-13));
    EXPECT_FALSE(collides(a, world_from_a, b, world_from_b, apart.distance - 1e-13));
  }
}

// Squares of these sizes are zero or infinite.
TEST(PosedClosedForms, DecideWhereSquaresAreOfNoUse) {
  for (const double size : {1e-200, 1e-170, 1e-155, 1e90}) {
    SCOPED_TRACE(size);
    const Shape a(Sphere(1.0 * size));
    for (const Shape& b :
         {Shape(Sphere(0.5 * size)), Shape(Capsule(0.5 * size, size)), Shape(Box(0.5 * size * Vector3d::Ones()))}) {
      EXPECT_TRUE(collides(a, at(0, 0, 0), b, at(1.25 * size, 0, 0), 0.0)) << b.type_name();
      EXPECT_TRUE(collides(b, at(0, 0, 0), a, at(1.25 * size, 0, 0), 0.0)) << b.type_name();
    }
  }
  EXPECT_FALSE(collides(Sphere(1e-3), at(0, 0, 0), Sphere(1e-3), at(1e160, 0, 0), 0.0));
}

TEST(PosedClosedForms, AreThoseOfSpheresAndCapsules) {
  const auto has_form = [](const Shape& a, const Shape& b) {
    const detail::PosedClosed& forms = detail::posed_closed(a, b);
    EXPECT_EQ(forms.separate == nullptr, forms.collides == nullptr);
    return forms.separate != nullptr;
  };
  const Shape sphere(Sphere(1.0));
  const Shape capsule(Capsule(1.0, 1.0));
  const Shape box(Box({1, 1, 1}));
  for (const Shape& round : {sphere, capsule}) {
    for (const Shape& other : {sphere, capsule, box}) {
      EXPECT_TRUE(has_form(round, other));
      EXPECT_TRUE(has_form(other, round));
    }
  }
  for (const Shape& other : {Shape(Cylinder(1.0, 1.0)), Shape(Cone(1.0, 1.0))}) {
    EXPECT_TRUE(has_form(sphere, other));
    EXPECT_TRUE(has_form(other, sphere));
    EXPECT_FALSE(has_form(capsule, other));
  }
  EXPECT_FALSE(has_form(box, box)) << "their axes need the whole pose";
}

}  // namespace
}  // namespace abut
