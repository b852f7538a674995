// InvalidInput: its text, and the checks that raise it.
#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <gtest/gtest.h>
#include <support/error_text.h>

#include <cmath>
#include <limits>

namespace abut {
namespace {

using samples::error_text;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(InvalidInput, NamesFieldRuleAndValue) {
  EXPECT_STREQ(InvalidInput("radius", "must be > 0", -0.5).what(), "radius: must be > 0, got -0.5");
  EXPECT_STREQ(InvalidInput("half_extents", 1, "must be > 0", -0.2).what(), "half_extents[1]: must be > 0, got -0.2");
  EXPECT_STREQ(InvalidInput("points", "must not be empty").what(), "points: must not be empty");
  EXPECT_STREQ(InvalidInput("", "must be an object").what(), "must be an object");
}

TEST(InvalidInput, TakesAPathInFrontOfTheField) {
  const InvalidInput inner("radius", "must be > 0", -1.0);
  const InvalidInput outer = inner.within("shape").within("a");
  EXPECT_EQ(outer.field(), "a.shape.radius");
  EXPECT_EQ(outer.rule(), inner.rule());
  EXPECT_STREQ(outer.what(), "a.shape.radius: must be > 0, got -1");
  EXPECT_STREQ(InvalidInput("[3]", "must be finite").within("points").what(), "points[3]: must be finite");
  EXPECT_STREQ(InvalidInput("", "must be an object").within("a").what(), "a: must be an object");
  EXPECT_STREQ(InvalidInput("a", "must be an object").within("").what(), "a: must be an object");
}

TEST(Checks, AcceptTheirRangeAndRefuseTheRestAndNan) {
  EXPECT_EQ(error_text([] { require_finite("x", -1e300); }), "no error");
  EXPECT_EQ(error_text([] { require_finite("x", kInfinity); }), "x: must be finite, got inf");
  EXPECT_EQ(error_text([] { require_finite("x", kNan); }), "x: must be finite, got nan");
  EXPECT_EQ(error_text([] { require_positive("x", 1e-300); }), "no error");
  EXPECT_EQ(error_text([] { require_positive("x", 0.0); }), "x: must be finite and > 0, got 0");
  EXPECT_EQ(error_text([] { require_positive("x", kNan); }), "x: must be finite and > 0, got nan");
  EXPECT_EQ(error_text([] { require_positive("x", kInfinity); }), "x: must be finite and > 0, got inf");
  EXPECT_EQ(error_text([] { require_not_negative("x", 0.0); }), "no error");
  EXPECT_EQ(error_text([] { require_not_negative("x", -1e-9); }), "x: must be finite and >= 0, got -1e-09");
  EXPECT_EQ(error_text([] { require_not_negative("x", kNan); }), "x: must be finite and >= 0, got nan");
}

TEST(Checks, NameTheComponentOfAVector) {
  EXPECT_EQ(error_text([] { require_finite("p", Eigen::Vector3d(0, kNan, 0)); }), "p[1]: must be finite, got nan");
  EXPECT_EQ(error_text([] { require_positive("p", Eigen::Vector3d(1, 1, -2)); }),
            "p[2]: must be finite and > 0, got -2");
  EXPECT_EQ(error_text([] { require_positive("p", Eigen::Vector3d(1, 1, 2)); }), "no error");
}

}  // namespace
}  // namespace abut
