// Strict JSON reading and number writing.
#include <abut/io/json.h>
#include <abut/io/json_text.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include "temp_folder.h"

namespace abut {
namespace {

using test::error_of;

std::string parse_error(const std::string& text) {
  return error_of<InvalidInput>([&] { return json::parse(text); });
}

/// The id of a text that is refused; "no id" where it has none.
std::string id_of_refused(const std::string& text) {
  std::optional<std::string> id = "of the text before";
  EXPECT_EQ(error_of<InvalidInput>([&] { return json::parse(text, id); }), parse_error(text));
  EXPECT_NE(parse_error(text), "no error") << text;
  return id.value_or("no id");
}

TEST(Json, SyntaxErrorsNameLineAndColumn) {
  const std::string error = parse_error("{\n  \"a\": 1,\n  \"b\": oops\n}");
  EXPECT_NE(error.find("is not JSON"), std::string::npos) << error;
  EXPECT_NE(error.find("line 3, column 8"), std::string::npos) << error;
  EXPECT_EQ(error.find("json.exception"), std::string::npos) << error;
}

TEST(Json, LinesAreCountedFromTheOneGiven) {
  const auto error = [](const std::string& text) {
    return error_of<InvalidInput>([&] { return json::parse(text, /*first_line=*/7); });
  };
  EXPECT_EQ(error("{").rfind("is not JSON: parse error at line 7, column 2: ", 0), 0u) << error("{");
  EXPECT_EQ(error("[\n1,\noops]").rfind("is not JSON: parse error at line 9, column 1: ", 0), 0u);
  EXPECT_EQ(error("[\n" + std::string(1, '\0')).rfind("is not JSON: parse error at line 8, column 1: ", 0), 0u);
}

TEST(Json, RefusesWhatJsonDoesNotHave) {
  for (const char* text :
       {"", "NaN", "Infinity", "{\"a\": 1} x", "{\"a\": 1,}", "[1 2]", "'a'", "{\"a\"", "\xff\xfe"}) {
    EXPECT_EQ(parse_error(text).rfind("is not JSON", 0), 0u) << text << ": " << parse_error(text);
  }
}

TEST(Json, RefusesNumbersOutOfRange) {
  EXPECT_EQ(parse_error("1e999"), "must be in the range of double, got 1e999");
  EXPECT_EQ(parse_error("[1, {}, [2], -1e999]"), "[3]: must be in the range of double, got -1e999");
  EXPECT_EQ(parse_error(R"({"a": [{"b": 1}, {"c": [[], [0, 1e400]], "d": 1}]})"),
            "a[1].c[1][1]: must be in the range of double, got 1e400");
  EXPECT_EQ(parse_error(R"({"": 1, "blue mug": {"x.y": 1e999}})"),
            R"(["blue mug"]["x.y"]: must be in the range of double, got 1e999)");
}

TEST(Json, RefusesTheSameFieldTwiceInOneObjectButNotInTwo) {
  EXPECT_EQ(parse_error(R"({"a": 1, "b": {"c": 1, "c": 2}})"), "b.c: must not be given twice");
  EXPECT_EQ(parse_error(R"([0, [{"a": {}, "b": [1], "a": 2}]])"), "[1][0].a: must not be given twice");
  EXPECT_EQ(parse_error(R"({"a": 1, "b": [{"c": 1}, {"c": 2}, {"a": 3}]})"), "no error");
}

TEST(Json, RefusesNestingThatCouldExhaustTheStack) {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_EQ(parse_error(nested(json::kMaxDepth)), "no error");
  EXPECT_EQ(parse_error(nested(json::kMaxDepth + 1)), "is nested deeper than 256 levels");
  EXPECT_EQ(parse_error(std::string(1'000'000, '[')), "is nested deeper than 256 levels");
}

TEST(Json, TheIdOfARefusedTextIsFoundBeforeAndAfterWhatIsWrong) {
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  for (const std::string& wrong :
       {std::string("1e999"), std::string("-1E+400"), std::string(400, '9'), std::string(400, '9') + ".5e-1",
        std::string(R"({"b": [0, {"c": 1e999}]})"), std::string("[1e999, -0.125e-30, 1e999, 100]"),
        std::string(R"(1, "a": 2)"), std::string(R"({"b": [{"c": 1, "c": [], "c": 2}]})"),
        std::string(R"([{"c": 1, "c": 1e999}])"), deep}) {
    SCOPED_TRACE(wrong);
    EXPECT_EQ(id_of_refused(R"({"a": )" + wrong + R"(, "id": "x"})"), "x");
    EXPECT_EQ(id_of_refused(R"({"id": "x", "a": )" + wrong + "}"), "x");
    EXPECT_EQ(id_of_refused(R"({"a": )" + wrong + "}"), "no id");
  }
}

TEST(Json, TheIdOfARefusedTextIsReadAsJson) {
  EXPECT_EQ(id_of_refused(R"({"a": 1e999, "id": "12345 \" \\ 1e999 \u00e9"})"), "12345 \" \\ 1e999 \xc3\xa9");
  EXPECT_EQ(id_of_refused(R"({"a": 1e999, "\u0069d": "x"})"), "x");
  EXPECT_EQ(id_of_refused(R"({"12345": 1e999, "b\\": "\"", "id": ""})"), "");
  EXPECT_EQ(id_of_refused(R"({"a": 1e999, "id": "x", "12": 1, "123": 2, "1234": 3})"), "x");
}

TEST(Json, TheIdOfARefusedTextIsAStringOfTheOutermostObject) {
  for (const char* text :
       {R"({"a": 1e999, "b": {"id": "x"}})", R"({"a": 1e999, "id": {"id": "x"}})", R"({"a": 1e999, "id": ["x"]})",
        R"({"a": 1e999, "b": "\"id\": \"x\""})", R"({"a": 1e999, "b": "id", "c": "x"})",
        R"({"a": 1e999, "b": "\\\", \"id\": \"x"})", R"([1e999, {"id": "x"}])", R"([1e999, "id", "x"])",
        R"({"a": 1e999, "id": 7})", R"({"a": 1e999, "id": null})", R"({"id": 1e999})", R"({"a": 1e999, "ID": "x"})"}) {
    EXPECT_EQ(id_of_refused(text), "no id") << text;
  }
}

TEST(Json, AnIdThatIsGivenTwiceIsNone) {
  for (const char* text :
       {R"({"id": "x", "id": "y"})", R"({"id": "x", "id": "x"})", R"({"id": "x", "id": 7})", R"({"id": 7, "id": "x"})",
        R"({"a": 1e999, "id": "x", "id": "y"})", R"({"id": "x", "a": 1e999, "id": "y"})",
        R"({"a": 1, "a": 2, "id": "x", "\u0069d": "y"})", R"({"id": 1e999, "id": "x"})"}) {
    EXPECT_EQ(id_of_refused(text), "no id") << text;
  }
}

TEST(Json, ATextThatIsNotJsonHasNoId) {
  for (const char* text :
       {R"({"id": "x")", R"({"id": "x"} y)", R"({"id": "x", "a": 1e999)", R"({"a": 1e999, "id": "x")",
        R"({"a": 1e999, "id": "x"}})", R"({"a": 1e999, "id": "x", "b": 0123})", R"({"a": 1e999, "id": "x", "b": 1.})",
        R"({"a": 1, "a": 2, "id": "x", "b": 1234e})", R"({"a": 1, "a": 2, "id": "x", "b": "123)"}) {
    EXPECT_EQ(id_of_refused(text), "no id") << text;
  }
}

TEST(Json, AByteOfZeroEndsNoText) {
  const auto refused_at = [](int line, int column) {
    return "is not JSON: parse error at line " + std::to_string(line) + ", column " + std::to_string(column) +
           ": the byte 0 (NUL) is no part of JSON";
  };
  const std::string nul(1, '\0');
  EXPECT_EQ(parse_error("{\"a\": 1}" + nul), refused_at(1, 9));
  EXPECT_EQ(parse_error("{\n \"a\": 1\n}\n " + nul + "more{{{"), refused_at(4, 2));
  EXPECT_EQ(parse_error("[1, " + nul + "2]"), refused_at(1, 5));
  EXPECT_EQ(parse_error("[\"a" + nul + "b\"]"), refused_at(1, 4));
  EXPECT_EQ(parse_error("{\"a" + nul + "\": 1}"), refused_at(1, 4));
  EXPECT_EQ(parse_error(nul), refused_at(1, 1));
  EXPECT_EQ(parse_error("[1, oops]" + nul).find("NUL"), std::string::npos);  // what comes first is told
  EXPECT_EQ(parse_error("[1e999]" + nul), "[0]: must be in the range of double, got 1e999");
  EXPECT_EQ(id_of_refused(R"({"id": "x"})" + nul), "no id");
  EXPECT_EQ(id_of_refused(R"({"a": 1e999, "id": "x"})" + nul + "{"), "no id");
}

TEST(Json, AMessageDoesNotRepeatAnEndlessLine) {
  std::string endless = "[\"";
  endless.append(100'000, 'x');
  EXPECT_LT(parse_error(endless).size(), 400u);
}

TEST(Json, ReadersSayWhatTheyExpectedAndWhatTheyGot) {
  const Json value = json::parse(R"({"s": "text", "n": 1.5, "v": [1, null, 3], "o": {}, "t": true})");
  const auto field_error = [&](const char* name, auto read) {
    return error_of<InvalidInput>([&] { return (json::field(value, name, read), 0); });
  };
  EXPECT_EQ(field_error("s", json::number), "s: must be a number, got a string");
  EXPECT_EQ(field_error("n", json::string), "n: must be a string, got 1.5");
  EXPECT_EQ(field_error("n", json::index), "n: must be an integer >= 0, got 1.5");
  EXPECT_EQ(field_error("v", json::vector<3>), "v[1]: must be a number, got null");
  EXPECT_EQ(field_error("v", json::vector<2>), "v: must be an array of 2 numbers, got an array of 3");
  EXPECT_EQ(field_error("v", json::vectors<2>), "v[0]: must be an array of 2 numbers, got 1");
  EXPECT_EQ(field_error("o", json::boolean), "o: must be true or false, got an object");
  EXPECT_EQ(field_error("missing", json::number), "missing: is required");
  EXPECT_EQ(json::field(value, "n", json::number), 1.5);
  EXPECT_TRUE(json::field(value, "t", json::boolean));
}

TEST(Json, AnIndexBeyondItsTypeIsToldItsLimit) {
  const auto index_error = [](const char* text) {
    return error_of<InvalidInput>([&] { return json::index(json::parse(text)); });
  };
  EXPECT_EQ(index_error("4294967295"), "no error");
  EXPECT_EQ(index_error("4294967296"), "must be <= 4294967295, got 4294967296");
  EXPECT_EQ(index_error("1e300"), "must be <= 4294967295, got 1e+300");
  EXPECT_EQ(index_error("-4294967296"), "must be an integer >= 0, got -4294967296");
}

TEST(Json, AnIndexMayBeWrittenAsAReal) {
  EXPECT_EQ(json::index(Json(2.0)), 2u);
  EXPECT_EQ(json::index(Json(4294967295.0)), 4294967295u);
  for (const Json& value : {Json(-1), Json(4294967296.0), Json(1e300), Json("1"), Json(nullptr)}) {
    EXPECT_NE(error_of<InvalidInput>([&] { return json::index(value); }), "no error") << value;
  }
}

TEST(Json, PathsQuoteNamesThatADotWouldMislead) {
  EXPECT_EQ(json::member_path("shapes", "mug"), "shapes.mug");
  EXPECT_EQ(json::member_path("shapes", "blue mug"), "shapes[\"blue mug\"]");
  EXPECT_EQ(json::member_path("shapes", "a.b"), "shapes[\"a.b\"]");
  EXPECT_EQ(json::member_path("shapes", ""), "shapes[\"\"]");
}

TEST(JsonText, NumbersReadBackAsTheSameDouble) {
  std::mt19937_64 random(7);
  const auto check = [](double value) {
    std::string text;
    json::append(text, value);
    ASSERT_EQ(json::parse(text).get<double>(), value) << text;
  };
  for (const double value : {0.0, -0.0, 0.1, -1.0 / 3.0, 1e-320, 1e308, std::numeric_limits<double>::min(), 3e15}) {
    check(value);
  }
  int checked = 0;
  while (checked < 10'000) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    check(value);
    ++checked;
  }
}

TEST(JsonText, WritesVectorsAndFields) {
  std::string line = "{\"a\":1";
  json::append_field(line, "v", Eigen::Vector3d(1.0, -0.5, 1e-9));
  json::append_field(line, "w", Eigen::Vector2d(0.25, 2.0));
  json::append_field(line, "n", 12);
  line += "}";
  EXPECT_EQ(line, R"({"a":1,"v":[1,-0.5,1e-09],"w":[0.25,2],"n":12})");
}

}  // namespace
}  // namespace abut
