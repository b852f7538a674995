// The table of proxies: rounding, clamping, margins and the errors of its edge.
#include <abut/broadphase/brute_force.h>
#include <abut/broadphase/detail/rounding.h>
#include <abut/broadphase/proxy_table.h>
#include <abut/broadphase/sweep_and_prune.h>
#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <gtest/gtest.h>
#include <support/drifting_boxes.h>
#include <support/error_text.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace abut {
namespace {

using samples::error_text;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr float kLargestFloat = std::numeric_limits<float>::max();
const Aabb kUnitBox{{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}};

/// Doubles of all magnitudes, some of them floats and some right beside one.
double any_double(test::Random& random) {
  const double value = random.uniform(-1.0, 1.0) * std::pow(10.0, random.uniform(-46.0, 38.0));
  switch (random.below(4)) {
    case 0:
      return static_cast<double>(static_cast<float>(value));
    case 1:
      return std::nextafter(static_cast<double>(static_cast<float>(value)), kInfinity);
    case 2:
      return std::nextafter(static_cast<double>(static_cast<float>(value)), -kInfinity);
    default:
      return value;
  }
}

TEST(Rounding, DownIsTheLargestFloatBelowAndUpTheSmallestAbove) {
  test::Random random(11);
  for (int i = 0; i < 200000; ++i) {
    const double value = any_double(random);
    SCOPED_TRACE(testing::Message() << "value " << std::hexfloat << value);
    const float down = detail::round_down(value);
    const float up = detail::round_up(value);
    ASSERT_LE(static_cast<double>(down), value);
    ASSERT_GE(static_cast<double>(up), value);
    ASSERT_GT(static_cast<double>(std::nextafter(down, kLargestFloat)), value);
    ASSERT_LT(static_cast<double>(std::nextafter(up, -kLargestFloat)), value);
  }
}

TEST(Rounding, OfAWholeBoxIsThatOfItsEnds) {
  test::Random random(15);
  for (int i = 0; i < 100000; ++i) {
    const double lower[3] = {any_double(random), any_double(random), any_double(random)};
    const double upper[3] = {any_double(random), 1e308 * random.uniform(-1.0, 1.0), i % 2 == 0 ? 0.0 : -0.0};
    float ends[6];
    detail::round_outwards(lower, upper, ends);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      SCOPED_TRACE(testing::Message() << "seed 15, " << std::hexfloat << lower[axis] << ", " << upper[axis]);
      ASSERT_EQ(ends[axis], detail::round_down(lower[axis]));
      ASSERT_EQ(ends[3 + axis], detail::round_up(upper[axis]));
    }
  }
}

TEST(Rounding, AWidenedBoxHasEndsBeyondThoseOfTheExactOne) {
  test::Random random(16);
  const auto any_float = [&random] { return detail::round_down(any_double(random)); };
  for (int i = 0; i < 100000; ++i) {
    const float amount = i % 3 == 0 ? std::abs(any_float()) : static_cast<float>(random.uniform(0.0, 1.0));
    const float before[6] = {any_float(), any_float(), any_float(), any_float(), i % 2 == 0 ? 0.0F : -0.0F,
                             any_float()};
    float lower[3];
    float upper[3];
    std::copy_n(before, 3, lower);
    std::copy_n(before + 3, 3, upper);
    detail::widen(lower, upper, amount);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      SCOPED_TRACE(testing::Message() << "seed 16, " << std::hexfloat << before[axis] << ", " << before[3 + axis]
                                      << " by " << amount);
      ASSERT_EQ(lower[axis], detail::lowered(before[axis], amount));
      ASSERT_EQ(upper[axis], detail::raised(before[3 + axis], amount));
      const double exact = static_cast<double>(before[axis]) - static_cast<double>(amount);
      ASSERT_TRUE(static_cast<double>(lower[axis]) < exact || lower[axis] == -kLargestFloat);
    }
  }
}

TEST(Rounding, KeysOrderAsFloatsDoAndMapBack) {
  test::Random random(12);
  for (int i = 0; i < 200000; ++i) {
    const auto x = static_cast<float>(any_double(random));
    const auto y = static_cast<float>(any_double(random));
    SCOPED_TRACE(testing::Message() << std::hexfloat << x << " and " << y);
    ASSERT_EQ(x < y, detail::ordered_key(x) < detail::ordered_key(y));
    ASSERT_EQ(x == y, detail::ordered_key(x) == detail::ordered_key(y));
    ASSERT_EQ(detail::from_ordered_key(detail::ordered_key(x)), x);
    ASSERT_EQ(detail::from_ordered_key(detail::ordered_key(x) + 1),
              std::nextafter(x, std::numeric_limits<float>::infinity()));
  }
  EXPECT_EQ(detail::ordered_key(-0.0F), detail::ordered_key(0.0F));
}

TEST(Rounding, LoweredAndRaisedPassTheExactValueByLittle) {
  test::Random random(13);
  for (int i = 0; i < 200000; ++i) {
    const auto value = static_cast<float>(random.uniform(-1.0, 1.0) * std::pow(10.0, random.uniform(-5.0, 6.0)));
    const auto amount = static_cast<float>(std::pow(10.0, random.uniform(-6.0, 2.0)));
    SCOPED_TRACE(testing::Message() << std::hexfloat << value << " by " << amount);
    // The sum of two such floats needs at most 24 + 37 bits; a double rounds it by far less than a step of a float.
    const double exact_lower = static_cast<double>(value) - static_cast<double>(amount);
    const double exact_upper = static_cast<double>(value) + static_cast<double>(amount);
    const float lower = detail::lowered(value, amount);
    const float upper = detail::raised(value, amount);
    ASSERT_LT(static_cast<double>(lower), exact_lower);
    ASSERT_GT(static_cast<double>(upper), exact_upper);
    ASSERT_GE(static_cast<double>(std::nextafter(std::nextafter(lower, kLargestFloat), kLargestFloat)), exact_lower);
    ASSERT_LE(static_cast<double>(std::nextafter(std::nextafter(upper, -kLargestFloat), -kLargestFloat)), exact_upper);
  }
}

TEST(ProxyTable, KeepsABoxThatContainsTheOneGiven) {
  for (const double margin : {0.0, 1e-9, 1e-3, 10.0}) {
    SCOPED_TRACE(testing::Message() << "seed 14, margin " << margin);
    test::Random random(14);
    ProxyTable table(margin);
    for (std::uint32_t id = 0; id < 2000; ++id) {
      Aabb box = Aabb::of_point({any_double(random), any_double(random), any_double(random)});
      box.merge(Vector3d(any_double(random), any_double(random), any_double(random)));
      table.insert(id, box);
      ASSERT_TRUE(table.widened_box(id).contains(box)) << "id " << id;
      if (margin == 0.0) {
        for (int axis = 0; axis < 3; ++axis) {
          ASSERT_EQ(table.widened_box(id).lower[axis], static_cast<double>(detail::round_down(box.lower[axis])));
          ASSERT_EQ(table.widened_box(id).upper[axis], static_cast<double>(detail::round_up(box.upper[axis])));
        }
      }
    }
  }
}

TEST(ProxyTable, ClampsCoordinatesBeyondFloat) {
  ProxyTable table;
  table.insert(0, {{-1e308, -1e300, 0.0}, {1e308, 1e39, 1e300}});
  const Aabb box = table.widened_box(0);
  const auto largest = static_cast<double>(kLargestFloat);
  EXPECT_EQ(box.lower, Vector3d(-largest, -largest, 0.0));
  EXPECT_EQ(box.upper, Vector3d(largest, largest, largest));
  table.set_margin(1e3);
  EXPECT_TRUE(table.widened_box(0).lower.allFinite());
  EXPECT_TRUE(table.widened_box(0).upper.allFinite());
}

TEST(ProxyTable, KnowsWhichIdsAreInUse) {
  ProxyTable table;
  EXPECT_FALSE(table.contains(5));
  table.insert(5, kUnitBox);
  table.insert(2, kUnitBox);
  EXPECT_TRUE(table.contains(5));
  EXPECT_FALSE(table.contains(4));
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(table.id_bound(), 6U);
  table.remove(5);
  EXPECT_FALSE(table.contains(5));
  EXPECT_EQ(table.size(), 1U);
  table.insert(5, kUnitBox);
  EXPECT_TRUE(table.contains(5));
}

TEST(ProxyTable, RefusesBadBoxesAndNamesTheField) {
  ProxyTable table;
  table.insert(3, kUnitBox);
  EXPECT_EQ(error_text([&] {
              table.set_box(3, {{0.0, kNaN, 0.0}, {1.0, 1.0, 1.0}});
            }),
            "proxies[3].box.lower[1]: must not be NaN, got nan");
  EXPECT_EQ(error_text([&] {
              table.insert(4, {{0.0, 0.0, 0.0}, {1.0, 1.0, kNaN}});
            }),
            "proxies[4].box.upper[2]: must not be NaN, got nan");
  EXPECT_EQ(error_text([&] {
              table.set_box(3, {{2.0, 0.0, 0.0}, {1.0, 1.0, 1.0}});
            }),
            "proxies[3].box.upper[0]: must be >= box.lower = 2.000000, got 1");
  EXPECT_EQ(error_text([&] { table.insert(4, Aabb{}); }),
            "proxies[4].box.upper[0]: must be >= box.lower = inf, got -inf");
  EXPECT_EQ(error_text([&] {
              table.insert(4, {{0.0, 0.0, -kInfinity}, {1.0, 1.0, 1.0}});
            }),
            "proxies[4].box.lower[2]: must be finite, got -inf");
  EXPECT_EQ(error_text([&] {
              table.set_box(3, {{0.0, 0.0, 0.0}, {1.0, kInfinity, 1.0}});
            }),
            "proxies[3].box.upper[1]: must be finite, got inf");
  // Refused input changes nothing.
  EXPECT_FALSE(table.contains(4));
  EXPECT_EQ(table.widened_box(3).lower, kUnitBox.lower);
  EXPECT_EQ(table.widened_box(3).upper, kUnitBox.upper);
}

TEST(ProxyTable, RefusesUnknownIdsAndDoubleInsertion) {
  ProxyTable table;
  table.insert(1, kUnitBox);
  EXPECT_EQ(error_text([&] { table.insert(1, kUnitBox); }), "proxies[1]: is in use already");
  EXPECT_EQ(error_text([&] { table.remove(0); }), "proxies[0]: is not in use");
  EXPECT_EQ(error_text([&] { table.set_box(9, kUnitBox); }), "proxies[9]: is not in use");
  EXPECT_EQ(error_text([&] { table.set_filter(9, {}); }), "proxies[9]: is not in use");
  EXPECT_EQ(error_text([&] { table.set_motion(9, Motion::fixed); }), "proxies[9]: is not in use");
  EXPECT_EQ(error_text([&] { table.insert(ProxyTable::kMaxProxies, kUnitBox); }),
            "proxies[134217728]: id must be < 134217728");
  const auto odd = static_cast<Motion>(9);
  EXPECT_EQ(error_text([&] { table.insert(2, kUnitBox, {}, odd); }), "proxies[2].motion: must be at most 1, got 9");
  EXPECT_EQ(error_text([&] { table.set_motion(1, odd); }), "proxies[1].motion: must be at most 1, got 9");
  EXPECT_EQ(table.size(), 1U);
}

TEST(ProxyTable, RefusesMarginsThatAreNoLength) {
  EXPECT_EQ(error_text([] { const SweepAndPrune broad(-1.0); }), "margin: must be finite and >= 0, got -1");
  EXPECT_EQ(error_text([] { const BruteForce broad(kNaN); }), "margin: must be finite and >= 0, got nan");
  ProxyTable table(0.5);
  EXPECT_EQ(error_text([&] { table.set_margin(kInfinity); }), "margin: must be finite and >= 0, got inf");
  EXPECT_EQ(table.margin(), 0.5);
}

}  // namespace
}  // namespace abut
