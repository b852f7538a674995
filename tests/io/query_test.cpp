// Query lines and their answers.
#include <abut/io/json.h>
#include <abut/io/query.h>
#include <abut/io/query_request.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <utility>

#include "temp_folder.h"

namespace abut {
namespace {

using test::error_of;
using test::TempFolder;

Json answer(const std::string& line, bool expect_error = false) {
  QueryAnswerer answerer;
  const QueryAnswer result = answerer.answer(line);
  EXPECT_EQ(result.is_error, expect_error) << line << "\n" << result.line;
  EXPECT_EQ(result.line.find('\n'), std::string::npos);
  return json::parse(result.line);
}

std::string query_error(const std::string& line) {
  const Json result = answer(line, /*expect_error=*/true);
  EXPECT_EQ(result.size(), 3u) << result;
  EXPECT_EQ(result["status"], "error") << result;
  return result["error"].get<std::string>();
}

Eigen::Vector3d vector_of(const Json& value) {
  return json::vector<3>(value);
}

// A sphere of radius 1 at the origin and another shape, three metres along x.
std::string against_sphere(const std::string& shape, const std::string& more = "") {
  return R"({"id": "q", "query": "distance", "a": {"shape": {"type": "sphere", "radius": 1}}, "b": {"shape": )" +
         shape + R"(, "pose": {"translation": [3, 0, 0]}})" + more + "}";
}

TEST(Query, AnswersADistanceQueryWithEveryField) {
  const Json result = answer(against_sphere(R"({"type": "sphere", "radius": 0.5})"));
  EXPECT_EQ(result["id"], "q");
  EXPECT_EQ(result["collides"], false);
  EXPECT_NEAR(result["distance"].get<double>(), 1.5, 1e-12);
  EXPECT_TRUE(vector_of(result["point_a"]).isApprox(Eigen::Vector3d(1, 0, 0), 1e-9));
  EXPECT_TRUE(vector_of(result["point_b"]).isApprox(Eigen::Vector3d(2.5, 0, 0), 1e-9));
  EXPECT_TRUE(vector_of(result["normal"]).isApprox(Eigen::Vector3d::UnitX(), 1e-9));
  const std::set<std::string> solvers = {"closed_form", "gjk", "polyak", "nesterov"};
  EXPECT_TRUE(solvers.contains(result["solver"].get<std::string>())) << result["solver"];
  EXPECT_EQ(result["status"], "converged");
  EXPECT_TRUE(result["iterations"].is_number_integer());
  EXPECT_GE(result["distance_error"].get<double>(), 0.0);
}

TEST(Query, EveryShapeTypeAnswersWithTheDistanceThatItsGeometryHas) {
  const std::pair<const char*, double> shapes[] = {
      {R"({"type": "ellipsoid", "radii": [0.5, 1, 2]})", 1.5},
      {R"({"type": "box", "half_extents": [1, 1, 1]})", 1.0},
      {R"({"type": "box", "half_extents": [1, 1, 1], "margin": 0.25})", 0.75},
      {R"({"type": "capsule", "radius": 0.5, "half_length": 2})", 1.5},
      {R"({"type": "cylinder", "radius": 0.5, "half_length": 2})", 1.5},
      {R"({"type": "convex", "points": [[0, -1, -1], [0, 1, -1], [0, 0, 2], [1, 0, 0]]})", 2.0},
      {R"({"type": "convex", "points": [[-1, 0, 0]]})", 1.0},
      {R"({"type": "triangle", "points": [[0, -1, -1], [0, 1, -1], [0, 0, 2]]})", 2.0},
      {R"({"type": "padded_polygon", "points": [[-1, -1], [1, -1], [1, 1], [-1, 1]], "radius": 0.5})", 0.5},
      {R"({"type": "superquadric", "radii": [0.5, 1, 1], "exponents": [1, 1]})", 1.5},
      {R"({"type": "smooth_hull", "points": [[-1, 0, 0], [1, 0, 0], [0, 1, 0]], "sharpness": 8})", 1.0},
      {R"({"type": "halfspace", "normal": [-2, 0, 0], "offset": 3})", 0.5},
      {R"({"type": "mesh", "vertices": [[0, -1, -1], [0, 1, -1], [0, 0, 2]], "triangles": [[0, 1, 2]]})", 2.0},
      {R"({"type": "height_field", "heights": [[1, 1], [1, 1]], "spacing": [1, 1], "base": -1})", 2.0},
      {R"({"type": "compound", "children": [{"shape": {"type": "sphere", "radius": 0.5}},
           {"shape": {"type": "sphere", "radius": 0.25}, "pose": {"translation": [-1, 0, 0]}}]})",
       0.75},
  };
  for (const auto& [shape, distance] : shapes) {
    SCOPED_TRACE(shape);
    const Json result = answer(against_sphere(shape));
    EXPECT_NEAR(result["distance"].get<double>(), distance, 1e-6) << result;
    EXPECT_EQ(result["collides"], false);
  }
}

TEST(Query, CollideAnswersYesOrNoWithinTheSecurityMargin) {
  const std::string start = R"({"id": "c", "query": "collide", "a": {"shape": {"type": "sphere", "radius": 1}},
      "b": {"shape": {"type": "box", "half_extents": [1, 1, 1]}, "pose": {"translation": [2.5, 0, 0]}})";
  const Json apart = answer(start + "}");
  EXPECT_EQ(apart["collides"], false);
  EXPECT_EQ(apart["status"], "converged");
  EXPECT_FALSE(apart.contains("distance"));
  EXPECT_EQ(answer(start + R"(, "security_margin": 0.4})")["collides"], false);
  EXPECT_EQ(answer(start + R"(, "security_margin": 0.6})")["collides"], true);
}

TEST(Query, ACollidingCompositeHasTheWitnessesOfItsDeepestLeaves) {
  const std::string mesh = R"({"type": "mesh", "vertices": [[-2.5, -9, -9], [-2.5, 9, -9], [-2.5, 0, 9]],
                              "triangles": [[0, 1, 2]]})";
  const Json result = answer(against_sphere(mesh));
  EXPECT_EQ(result["collides"], true);
  const double distance = result["distance"].get<double>();
  EXPECT_LE(distance, 0.0);
  const Vector3d between = vector_of(result["point_b"]) - vector_of(result["point_a"]);
  EXPECT_NEAR(between.dot(vector_of(result["normal"])), distance, 1e-12);
}

TEST(Query, AForcedSolverIsNamedInTheAnswer) {
  for (const char* solver : {"gjk", "polyak", "nesterov"}) {
    const Json result = answer(against_sphere(R"({"type": "convex", "points": [[-1, 0, 0], [1, 1, 0], [1, -1, 0.5]]})",
                                              std::string(R"(, "solver": ")") + solver + "\""));
    EXPECT_EQ(result["solver"], solver);
    EXPECT_NEAR(result["distance"].get<double>(), 1.0, 1e-6);
    EXPECT_GT(result["iterations"].get<int>(), 0);
  }
}

TEST(Query, PlanarShapesAnswerInTwoCoordinates) {
  const Json circles = answer(R"({"id": "p", "query": "distance", "dimension": 2,
      "a": {"shape": {"type": "circle", "radius": 1}, "pose": {"translation": [1, 1]}},
      "b": {"shape": {"type": "circle", "radius": 0.5, "margin": 0.5}, "pose": {"translation": [1, 4], "rotation": 1}}})");
  EXPECT_NEAR(circles["distance"].get<double>(), 1.0, 1e-12);
  EXPECT_TRUE(json::vector<2>(circles["point_a"]).isApprox(Eigen::Vector2d(1, 2), 1e-12));
  EXPECT_TRUE(json::vector<2>(circles["normal"]).isApprox(Eigen::Vector2d(0, 1), 1e-12));
  EXPECT_EQ(circles["solver"], "closed_form");
  const std::string by_gjk = R"({"id": "p", "query": "distance", "dimension": 2, "solver": "gjk",
      "a": {"shape": {"type": "capsule", "radius": 1, "half_length": 2}, "pose": {"translation": [1, 1]}},
      "b": {"shape": {"type": "circle", "radius": 1}, "pose": {"translation": [1, 4]}}})";
  EXPECT_EQ(answer(by_gjk)["solver"], "gjk");
  EXPECT_NEAR(answer(by_gjk)["distance"].get<double>(), 1.0, 1e-12);
  const Json turned = answer(R"({"id": "p", "query": "distance", "dimension": 2,
      "a": {"shape": {"type": "polygon", "points": [[-1, -1], [1, -1], [1, 1], [-1, 1]]}},
      "b": {"shape": {"type": "capsule", "radius": 0.5, "half_length": 1},
            "pose": {"translation": [0, 4], "rotation": 1.5707963267948966}}})");
  EXPECT_NEAR(turned["distance"].get<double>(), 1.5, 1e-12);
  EXPECT_EQ(answer(R"({"id": "p", "query": "collide", "dimension": 2, "security_margin": 2,
      "a": {"shape": {"type": "circle", "radius": 1}},
      "b": {"shape": {"type": "circle", "radius": 1}, "pose": {"translation": [3.5, 0]}}})")["collides"],
            true);
}

TEST(Query, DimensionsDoNotMix) {
  const std::string planar = R"({"id": "m", "query": "distance", "dimension": 2, "a": {"shape": {"type": "circle",
      "radius": 1}}, "b": )";
  EXPECT_EQ(query_error(planar + R"({"shape": {"type": "sphere", "radius": 1}}})"),
            "b.shape.type: \"sphere\" is not a planar shape; known are circle, polygon and capsule");
  EXPECT_EQ(query_error(planar + R"({"shape": {"type": "circle", "radius": 1}, "pose": {"translation": [0, 0, 0]}}})"),
            "b.pose.translation: must be an array of 2 numbers, got an array of 3");
  EXPECT_EQ(query_error(against_sphere(R"({"type": "polygon", "points": [[0, 0], [1, 0], [0, 1]]})")),
            "b.shape.type: \"polygon\" is planar: it needs \"dimension\": 2 in the query");
}

TEST(Query, ErrorsNameThePathAndKeepTheId) {
  const std::string sphere = R"({"type": "sphere", "radius": 1})";
  EXPECT_EQ(query_error(against_sphere(R"({"type": "sphere", "radius": -1})")),
            "b.shape.radius: must be finite and > 0, got -1");
  EXPECT_EQ(answer(against_sphere(R"({"type": "sphere", "radius": -1})"), true)["id"], "q");
  EXPECT_EQ(query_error(R"({"id": "x", "a": {}, "b": {}})"), "query: is required");
  EXPECT_EQ(query_error(R"({"id": "x", "query": "touch", "a": {}, "b": {}})"),
            "query: \"touch\" is not a query; known are distance and collide");
  EXPECT_EQ(query_error(R"({"id": "x", "query": "distance", "b": {}})"), "a: is required");
  EXPECT_EQ(query_error(R"({"id": "x", "query": "distance", "a": null})"), "a: must be an object, got null");
  EXPECT_EQ(query_error(R"({"id": "x", "query": "distance", "a": {"pose": {}}})"), "a.shape: is required");
  EXPECT_EQ(query_error(against_sphere(sphere, R"(, "dimension": 4)")), "dimension: must be 2 or 3, got 4");
  EXPECT_EQ(query_error(against_sphere(sphere, R"(, "tolerance": -1e-6)")),
            "tolerance: must be finite and >= 0, got -1e-06");
  EXPECT_EQ(query_error(against_sphere(sphere, R"(, "security_margin": 0.1)")),
            "security_margin: is for collide queries only");
  EXPECT_EQ(query_error(against_sphere(sphere, R"(, "solver": "qp")")),
            "solver: qp needs two capsules or padded polygons of at most 64 sides, not sphere and sphere");
  EXPECT_EQ(query_error(against_sphere(sphere, R"(, "solver": "magic")")),
            "solver: \"magic\" is not a solver; available are auto, gjk, polyak, nesterov, rtr and qp");
  EXPECT_EQ(query_error(against_sphere(R"({"type": "box", "half_extents": [1, 1, 1]})", R"(, "solver": "rtr")")),
            "solver: rtr needs two smooth bodies, not sphere and box");
  EXPECT_EQ(query_error(against_sphere(sphere, R"(, "derivatives": 1)")), "derivatives: must be true or false, got 1");
}

TEST(Query, CapsulesAndPaddedPolygonsCanBeAskedOfTheQuadraticProgram) {
  const auto line = [](const std::string& height, const std::string& solver) {
    return R"({"id": "q", "query": "distance", "solver": ")" + solver +
           R"(", "a": {"shape": {"type": "capsule", "radius": 0.1, "half_length": 1}, "pose": {"translation": [0, 0, )" +
           height + R"(], "rotation": [0.8, 0.6, 0, 0]}},
               "b": {"shape": {"type": "padded_polygon", "points": [[-1, -1], [1, -1], [0, 2]], "radius": 0.2}}})";
  };
  const Json apart = answer(line("2", "qp"));
  EXPECT_EQ(apart["solver"], "qp");
  EXPECT_NEAR(apart["distance"].get<double>(), answer(line("2", "gjk"))["distance"].get<double>(), 1e-12);
  // The capsule's segment goes through the polygon: how deep, another solver says.
  const Json crossing = answer(line("0", "qp"));
  EXPECT_EQ(crossing["solver"], "gjk");
  EXPECT_LT(crossing["distance"].get<double>(), -0.3 + 1e-12);
}

TEST(Query, SmoothBodiesHaveASolverOfTheirOwnAndDerivatives) {
  const std::string ellipsoid = R"({"type": "ellipsoid", "radii": [0.5, 0.4, 0.3]})";
  const Json result = answer(against_sphere(ellipsoid, R"(, "solver": "rtr", "derivatives": true)"));
  EXPECT_EQ(result["solver"], "rtr");
  const Json& by_b = result["derivatives"];
  const Json& by_a = result["derivatives_a"];
  for (const Json* by : {&by_b, &by_a}) {
    EXPECT_EQ((*by)["distance"].size(), 6);
    for (const char* field : {"point_a", "point_b", "normal"}) {
      ASSERT_EQ((*by)[field].size(), 3);
      EXPECT_EQ((*by)[field][0].size(), 6);
    }
  }
  // Moving b along the normal adds to the distance, moving a takes away from it.
  for (int i = 0; i < 3; ++i) {
    const double normal = result["normal"][static_cast<std::size_t>(i)].get<double>();
    EXPECT_NEAR(by_b["distance"][static_cast<std::size_t>(i)].get<double>(), normal, 1e-9);
    EXPECT_NEAR(by_a["distance"][static_cast<std::size_t>(i)].get<double>(), -normal, 1e-9);
  }
  for (const char* part : {"distance", "points", "normal"}) EXPECT_EQ(result["derivatives_smooth"][part], true);
  // Concentric balls: every normal is as good.
  const Json concentric = answer(R"({"id": "q", "query": "distance", "derivatives": true,
    "a": {"shape": {"type": "sphere", "radius": 1}}, "b": {"shape": {"type": "sphere", "radius": 1}}})");
  EXPECT_EQ(concentric["derivatives"]["distance"].size(), 6);
  for (const char* part : {"distance", "points", "normal"}) EXPECT_EQ(concentric["derivatives_smooth"][part], false);
}

TEST(Query, ParallelFacesSayWhichDerivativesExist) {
  const Json result = answer(R"({"id": "q", "query": "distance", "derivatives": true,
    "a": {"shape": {"type": "halfspace", "normal": [0, 0, 1], "offset": 0}},
    "b": {"shape": {"type": "box", "half_extents": [1, 1, 1]}, "pose": {"translation": [0, 0, 2]}}})");
  EXPECT_EQ(result["derivatives"]["distance"][2], 1.0);
  EXPECT_EQ(result["derivatives_smooth"]["distance"], false);
  EXPECT_EQ(result["derivatives_smooth"]["points"], false);
  EXPECT_EQ(result["derivatives_smooth"]["normal"], true);
}

TEST(Query, CompositesHaveTheDerivativesOfTheirLeavesAndNoneBeyondALimit) {
  const std::string mesh = R"({"type": "mesh", "vertices": [[-2,-2,0],[2,-2,0],[0,2,0]], "triangles": [[0,1,2]]})";
  const auto at_height = [&](const std::string& z, const std::string& more) {
    return answer(R"({"id": "q", "query": "distance", "derivatives": true, "a": {"shape": )" + mesh +
                  R"(}, "b": {"shape": {"type": "sphere", "radius": 1}, "pose": {"translation": [0, 0, )" + z + "]}}" +
                  more + "}");
  };
  const Json deep = at_height("0.8", "");
  EXPECT_NEAR(deep["distance"].get<double>(), -0.2, 1e-12);
  EXPECT_NEAR(deep["derivatives"]["distance"][2].get<double>(), 1.0, 1e-12);
  EXPECT_NEAR(deep["derivatives_a"]["distance"][2].get<double>(), -1.0, 1e-12);
  const Json beyond = at_height("3", R"(, "replay": {"max_distance": 0.1})");
  EXPECT_EQ(beyond["status"], "beyond_limit");
  EXPECT_EQ(beyond["collides"], false);
  EXPECT_FALSE(beyond.contains("point_a"));
  EXPECT_FALSE(beyond.contains("distance_error"));
  EXPECT_TRUE(beyond["derivatives"].is_null());
  EXPECT_TRUE(beyond["derivatives_a"].is_null());
  EXPECT_FALSE(beyond.contains("derivatives_smooth"));
  const Json apart =
      answer(R"({"id": "q", "query": "distance", "derivatives": true, "a": {"shape": )" + mesh +
             R"(}, "b": {"shape": {"type": "sphere", "radius": 1}, "pose": {"translation": [0, 0, 3]}}})");
  EXPECT_EQ(apart["derivatives"]["distance"][2], 1.0);
  EXPECT_EQ(apart["derivatives_smooth"]["points"], true);
}

TEST(Query, UnknownFieldsAndDerivativesSetToFalseAreIgnored) {
  const Json result = answer(against_sphere(R"({"type": "sphere", "radius": 1, "colour": "red"})",
                                            R"(, "derivatives": false, "expected": {"distance": 99})"));
  EXPECT_NEAR(result["distance"].get<double>(), 1.0, 1e-12);
}

TEST(Query, LinesWithoutAUsableIdAnswerWithNull) {
  for (const char* line :
       {"this is not JSON", "[1, 2, 3]", "3", "{}", R"({"id": 7, "query": "distance"})", "{\"id\": \"x\"",
        R"([{"id": "x"}, 1e999])", R"({"a": {"id": "x"}, "b": 1e999})", R"({"id": "x", "id": "y"})"}) {
    SCOPED_TRACE(line);
    EXPECT_TRUE(answer(line, true)["id"].is_null());
  }
  EXPECT_EQ(query_error(R"({"id": 7, "query": "distance"})"), "id: must be a string, got 7");
  EXPECT_EQ(query_error("[1]"), "query line: must be an object, got an array of 1");
}

TEST(Query, AnIdBeforeOrAfterANumberOutOfRangeOrAFieldGivenTwiceIsEchoed) {
  for (const char* line :
       {R"({"id": "x", "query": "distance", "a": {"id": "y", "shape": {"type": "sphere", "radius": 1e999}}})",
        R"({"query": "distance", "id": "x", "a": {}, "a": {}})",
        R"({"query": "distance", "a": {"id": "y", "shape": {"type": "sphere", "radius": 1e999}}, "id": "x"})",
        R"({"query": "distance", "a": {"id": "y", "pose": {}, "pose": {}}, "a": {}, "id": "x"})"}) {
    SCOPED_TRACE(line);
    EXPECT_EQ(answer(line, true)["id"], "x");
  }
  EXPECT_EQ(query_error(R"({"a": {"shape": {"type": "sphere", "radius": 1e999}}, "id": "x"})"),
            "a.shape.radius: must be in the range of double, got 1e999");
}

TEST(Query, AnIdIsEchoedWhateverItHolds) {
  const std::string id = "q \"1\"\\\n\t\xc3\xa9\x01";
  Json query = json::parse(against_sphere(R"({"type": "sphere", "radius": 1})"));
  query["id"] = id;
  EXPECT_EQ(answer(query.dump())["id"], id);
}

TEST(Query, TwoHalfSpacesAreAnError) {
  const std::string error = query_error(R"({"id": "h", "query": "distance",
      "a": {"shape": {"type": "halfspace", "normal": [0, 0, 1], "offset": 0}},
      "b": {"shape": {"type": "halfspace", "normal": [0, 0, -1], "offset": 0}}})");
  EXPECT_NE(error.find("half"), std::string::npos) << error;
}

TEST(Query, HugeCoordinatesNeverPrintANumberThatJsonLacks) {
  for (const char* x : {"1e100", "1e200", "1.7e308"}) {
    QueryAnswerer answerer;
    const QueryAnswer result = answerer.answer(
        std::string(R"({"id": "far", "query": "distance", "a": {"shape": {"type": "box", "half_extents": [1, 1, 1]},
        "pose": {"translation": [-)") +
        x + R"(, 0, 0]}}, "b": {"shape": {"type": "cone", "radius": 1, "half_length": 1}, "pose": {"translation": [)" +
        x + ", 0, 0]}}}");
    SCOPED_TRACE(result.line);
    const Json parsed = json::parse(result.line);
    EXPECT_EQ(parsed["id"], "far");
    if (result.is_error) continue;
    EXPECT_TRUE(parsed["distance"].is_number());
    EXPECT_TRUE(vector_of(parsed["normal"]).allFinite());
  }
}

TEST(Query, AResultThatIsNotFiniteNamesTheNumber) {
  detail::QueryRequest request;
  request.id = "x";
  const auto error = [&request](const Separation& separation) {
    const detail::Witness<Vector3d> witness{separation.point_a, separation.point_b, separation.normal};
    return error_of<InvalidInput>([&] { return detail::distance_line(request, separation, false, &witness); });
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Separation separation;
  separation.distance = 1.0;
  separation.point_a = Vector3d(0.0, 0.0, 0.0);
  separation.point_b = separation.normal = Vector3d::UnitX();
  EXPECT_EQ(error(separation), "no error");
  separation.distance_error = kInfinity;
  separation.status = SolveStatus::iteration_limit;
  EXPECT_EQ(error(separation),
            "the result is not finite: distance_error is infinite; the solver did not converge: its status is "
            "iteration_limit");
  separation.distance_error = 0.0;
  separation.status = SolveStatus::converged;
  const std::string too_large = "; the shapes or the coordinates are too large";
  separation.point_b.y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error(separation), "the result is not finite: point_b[1] is not a number" + too_large);
  separation.distance = -kInfinity;
  EXPECT_EQ(error(separation), "the result is not finite: distance is infinite" + too_large);
}

TEST(Query, ASolverThatStopsWithoutABoundIsNotBlamedOnTheCoordinates) {
  // No coordinate is beyond 3e4, but the ellipsoid is a needle, 2e7 times as long as it is thick.
  const QueryAnswer result = QueryAnswerer().answer(
      R"({"id": "needle", "query": "distance", "a": {"shape": {"type": "sphere", "radius": 2.1773293765995224e-06},)"
      R"( "pose": {"translation": [2.8611085139373854e-06, -2.497996616534374e-06, 1.4161920444264976e-06]}},)"
      R"( "b": {"shape": {"type": "ellipsoid", "radii": [0.001415373768089608, 26388.969914651778,)"
      R"( 0.0006214461142565167]}, "pose": {"translation": [0, 0, 0], "rotation": [0.4602133899131472,)"
      R"( 0.6909763835731427, 0.3331710401281192, -0.44693660748340797]}}})");
  EXPECT_EQ(result.line.find("the coordinates are too large"), std::string::npos) << result.line;
  if (result.is_error) {
    EXPECT_NE(result.line.find("distance_error is infinite"), std::string::npos) << result.line;
  }
}

TEST(Query, DerivativesThatAreNotFiniteAreAnError) {
  const std::string error = query_error(R"({"id": "1", "query": "distance", "derivatives": true,
      "a": {"shape": {"type": "ellipsoid", "radii": [0.5, 1e80, 2]}},
      "b": {"shape": {"type": "capsule", "radius": 0.5, "half_length": 1},
            "pose": {"translation": [0.3, -0.2, 1.7], "rotation": [0.9, 0.1, 0.2, 0.3]}}})");
  EXPECT_NE(error.find("the derivatives are not finite"), std::string::npos) << error;
}

TEST(Query, TheFilesThatALineNames) {
  using Names = std::set<std::string>;
  EXPECT_EQ(named_files(R"({"a": {"shape": {"type": "mesh", "file": "a.obj"}}, "b": {"shape": {"type": "compound",
      "children": [{"shape": {"type": "convex", "fil\u0065": "b.ply"}}, 7, {"shape": {"type": "compound",
      "children": [{"shape": {"type": "mesh", "file": "/c.stl"}}, {"shape": {"type": "mesh", "file": "a.obj"}}]}}]}}})"),
            (Names{"a.obj", "b.ply", "/c.stl"}));
  EXPECT_EQ(named_files(against_sphere(R"({"type": "sphere", "radius": 1})")), Names());
  EXPECT_EQ(named_files(R"({"file": "a.obj", "a": {"shape": {"file": 7, "children": {}}}, "b": [{"file": "b.obj"}]})"),
            Names());
  for (const char* line : {"oops", "", "[]", "7", R"({"a": {"shape": {"type": "mesh", "file": "a.obj"}})"}) {
    EXPECT_EQ(named_files(line), Names()) << line;
  }
}

TEST(Query, FilesAreRelativeToTheFolder) {
  const TempFolder folder;
  folder.write("tetra.obj", "v -1 0 0\nv 1 1 0\nv 1 -1 0\nv 1 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  QueryAnswerer answerer(folder.path());
  const auto distance_of = [&](const char* shape) {
    const QueryAnswer result = answerer.answer(against_sphere(shape));
    EXPECT_FALSE(result.is_error) << result.line;
    return json::parse(result.line).value("distance", -1.0);
  };
  EXPECT_NEAR(distance_of(R"({"type": "convex", "file": "tetra.obj"})"), 1.0, 1e-6);
  EXPECT_NEAR(distance_of(R"({"type": "mesh", "file": "tetra.obj"})"), 1.0, 1e-6);
  const QueryAnswer missing = answerer.answer(against_sphere(R"({"type": "mesh", "file": "none.obj"})"));
  EXPECT_NE(missing.line.find("b.shape.file: "), std::string::npos) << missing.line;
  EXPECT_NE(missing.line.find("none.obj: does not exist"), std::string::npos) << missing.line;
}

}  // namespace
}  // namespace abut
