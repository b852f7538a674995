// Queries as lines: what is read back gives the same answer, to the last bit.
#include <abut/core/error.h>
#include <abut/io/json.h>
#include <abut/io/query.h>
#include <abut/io/query_line.h>
#include <abut/io/shape_json.h>
#include <abut/io/shape_text.h>
#include <abut/narrowphase/distance.h>
#include <abut/world/snapshot.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/random_shapes.h>

#include <bit>
#include <string>
#include <vector>

namespace abut {
namespace {

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

/// One shape of every kind, the half-space and a compound of compounds among them.
std::vector<Shape> all_kinds(samples::Random& random) {
  std::vector<Shape> shapes;
  for (std::uint32_t kind = 0; kind < samples::kShapeKinds; ++kind) {
    shapes.push_back(samples::random_shape(static_cast<samples::ShapeKind>(kind), 0.5, random));
  }
  shapes.push_back(Shape(HalfSpace(3.0 * random.direction(), random.uniform(-0.5, 0.5)), 0.125));
  std::vector<CompoundChild> children;
  for (const std::size_t i : {2u, 6u, 12u, 14u}) {
    children.push_back({shapes[i], random.pose(0.3) * random.pose(0.3) * random.pose(0.1)});
  }
  shapes.push_back(Compound(children));
  return shapes;
}

/// Poses whose matrices no quaternion gives, as products leave them.
Pose any_pose(samples::Random& random, double half_side) {
  return random.chance(0.3) ? Pose(random.vector(-half_side, half_side))
                            : random.pose(half_side) * random.pose(0.1) * random.pose(0.1);
}

void expect_answer(const std::string& line, const Separation& expected, bool has_witness) {
  const QueryAnswer answer = QueryAnswerer().answer(line);
  ASSERT_FALSE(answer.is_error) << answer.line << "\n" << line;
  const Json result = json::parse(answer.line);
  ASSERT_EQ(bits(result["distance"].get<double>()), bits(expected.distance)) << line;
  if (std::isinf(expected.distance_error) && expected.status == SolveStatus::beyond_limit) {
    EXPECT_FALSE(result.contains("distance_error"));
  } else {
    EXPECT_EQ(bits(result["distance_error"].get<double>()), bits(expected.distance_error));
  }
  EXPECT_EQ(result["iterations"].get<int>(), expected.iterations);
  EXPECT_EQ(result["status"], expected.status == SolveStatus::converged         ? "converged"
                              : expected.status == SolveStatus::iteration_limit ? "iteration_limit"
                                                                                : "beyond_limit");
  if (!has_witness) return;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto axis = static_cast<Eigen::Index>(i);
    EXPECT_EQ(bits(result["point_a"][i].get<double>()), bits(expected.point_a[axis]));
    EXPECT_EQ(bits(result["point_b"][i].get<double>()), bits(expected.point_b[axis]));
    EXPECT_EQ(bits(result["normal"][i].get<double>()), bits(expected.normal[axis]));
  }
}

TEST(QueryLine, EveryPairOfKindsIsAnsweredWithTheSameBits) {
  samples::Random random(31);
  int overlaps = 0;
  for (int round = 0; round < 6; ++round) {
    const std::vector<Shape> shapes = all_kinds(random);
    for (const Shape& a : shapes) {
      for (const Shape& b : shapes) {
        if (!a.is_bounded() && !b.is_bounded()) continue;
        const Pose world_from_a = any_pose(random, 0.6);
        const Pose world_from_b = any_pose(random, 0.6);
        const Separation expected = distance(a, world_from_a, b, world_from_b);
        SCOPED_TRACE(testing::Message() << a.type_name() << " " << b.type_name());
        expect_answer(query_line("q", a, world_from_a, b, world_from_b), expected, /*has_witness=*/true);
        ASSERT_FALSE(HasFailure());
        overlaps += expected.distance < 0.0;
      }
    }
  }
  EXPECT_GT(overlaps, 300);
}

// Of composites nothing but the bound is known then; a depth's bound does not say whether the bodies touch.
TEST(QueryLine, AnswersBeyondTheLimitSayWhatIsKnown) {
  samples::Random random(34);
  int composite = 0;
  int deep = 0;
  for (int round = 0; round < 40; ++round) {
    const std::vector<Shape> shapes = all_kinds(random);
    const Shape& a = shapes[random.below(static_cast<std::uint32_t>(shapes.size()))];
    const Shape& b = shapes[random.below(static_cast<std::uint32_t>(shapes.size()))];
    if (!a.is_bounded() || !b.is_bounded()) continue;
    const bool has_composite = a.is_composite() || b.is_composite();
    const Pose world_from_a = any_pose(random, 0.6);
    const Pose world_from_b = any_pose(random, 1.5);
    for (const double limit : {0.05, -0.05}) {
      const DistanceOptions options{.max_distance = limit};
      const Separation expected = distance(a, world_from_a, b, world_from_b, options);
      const std::string line = query_line("q", a, world_from_a, b, world_from_b, options);
      const bool is_beyond = expected.status == SolveStatus::beyond_limit;
      SCOPED_TRACE(line);
      expect_answer(line, expected, !is_beyond || !has_composite);
      ASSERT_FALSE(HasFailure());
      const Json result = json::parse(QueryAnswerer().answer(line).line);
      EXPECT_EQ(result["collides"], collides(a, world_from_a, b, world_from_b));
      EXPECT_EQ(result.contains("point_a"), !is_beyond || !has_composite);
      composite += is_beyond && has_composite && limit > 0.0;
      deep += is_beyond && limit < 0.0;
    }
  }
  EXPECT_GT(composite, 5);
  EXPECT_GT(deep, 5);
}

TEST(QueryLine, CarriesOptionsAndTheMemoryOfThePair) {
  samples::Random random(32);
  int warm = 0;
  int limited = 0;
  int beyond = 0;
  for (int round = 0; round < 400; ++round) {
    const auto kind = [&] { return static_cast<samples::ShapeKind>(random.below(12)); };
    const Shape a = samples::random_shape(kind(), 0.5, random);
    const Shape b = samples::random_shape(kind(), 0.5, random);
    const Pose world_from_a = any_pose(random, 0.6);
    const Pose world_from_b = any_pose(random, 0.6);
    constexpr Solver kSolvers[] = {Solver::automatic, Solver::gjk, Solver::polyak, Solver::nesterov, Solver::rtr};
    DistanceOptions options{.solver = solver_or_automatic(kSolvers[random.below(5)], a, b),
                            .warm_start = static_cast<WarmStart>(random.below(4)),
                            .tolerance = random.chance(0.5) ? 0.0 : 1e-4};
    if (random.chance(0.5)) options.max_distance = 0.05;
    if (random.chance(0.5)) options.max_iterations = 1 + static_cast<int>(random.below(4));
    PairCache cache;
    if (random.chance(0.7)) {
      (void)distance(a, world_from_a * random.pose(0.05), b, world_from_b, options, &cache);
    }
    PairCache start = cache;
    const Separation expected = distance(a, world_from_a, b, world_from_b, options, &cache);
    expect_answer(query_line("q", a, world_from_a, b, world_from_b, options, &start), expected, true);
    ASSERT_FALSE(HasFailure());
    warm += start.has_solution;
    limited += expected.status == SolveStatus::iteration_limit;
    beyond += expected.status == SolveStatus::beyond_limit;
  }
  EXPECT_GT(warm, 100);
  EXPECT_GT(limited, 20);
  EXPECT_GT(beyond, 20);
}

TEST(QueryLine, OfAPlainQueryHasNoFieldsBeyondTheFormat) {
  const std::string line = query_line("a \"b\"", Sphere(1.0), Pose(), Box({1, 2, 0.5}), Pose(Vector3d(3, 0, -0.0)),
                                      {.solver = Solver::gjk, .tolerance = 1e-3});
  EXPECT_EQ(line,
            "{\"id\":\"a \\\"b\\\"\",\"query\":\"distance\",\"a\":{\"shape\":{\"type\":\"sphere\",\"radius\":1},"
            "\"pose\":{\"translation\":[0,0,0],\"rotation\":[1,0,0,0]}},\"b\":{\"shape\":{\"type\":\"box\","
            "\"half_extents\":[1,2,0.5]},\"pose\":{\"translation\":[3,0,-0.0],\"rotation\":[1,0,0,0]}},"
            "\"solver\":\"gjk\",\"tolerance\":0.001}");
}

TEST(QueryLine, RefusesWhatJsonCannotSay) {
  const Pose huge(Vector3d::Constant(1e308));
  EXPECT_EQ(samples::error_text([&] { (void)query_line("q", Sphere(1.0), Pose(), Sphere(1.0), huge * huge); }),
            "b.pose.translation[0]: must be finite, got inf");
  EXPECT_EQ(samples::error_text([&] {
              (void)query_line("q", Sphere(1.0), Pose(), Sphere(1.0), Pose(),
                               {.solver = Solver::nesterov_unnormalised});
            }),
            "solver: nesterov_unnormalised has no name in the query format");
}

TEST(QueryLine, TheReaderChecksWhatIsBeyondTheFormat) {
  const auto error = [](const std::string& pose, const std::string& more) {
    const std::string sphere = R"("shape":{"type":"sphere","radius":1})";
    const QueryAnswer answer = QueryAnswerer().answer(R"({"id":"q","query":"distance","a":{)" + sphere + R"(},"b":{)" +
                                                      sphere + R"(,"pose":)" + pose + "}" + more + "}");
    const Json result = json::parse(answer.line);
    return answer.is_error ? result["error"].get<std::string>() : std::string("no error");
  };
  const std::string turned = R"({"rotation":[1,0,0,0],"rotation_matrix":)";
  EXPECT_EQ(error(turned + "[[1,0,0],[0,1,0],[0,0,1]]}", ""), "no error");
  EXPECT_EQ(error(turned + "[[1,0,0],[0,1,0]]}", ""),
            "b.pose.rotation_matrix: must be an array of 3 rows, got an array of 2");
  EXPECT_EQ(error(turned + "[[1,0,0],[0,0,1],[0,1,0]]}", ""),
            "b.pose.rotation_matrix: must be that of rotation, to within 1e-6, got 1");
  EXPECT_EQ(error("{}", R"(,"replay":{"max_iterations":0})"),
            "replay.max_iterations: must be from 1 to 1000000, got 0");
  EXPECT_EQ(error("{}", R"(,"replay":{"warm_start":"previous","normal_a":[0,0,0],"point_a":[0,0,0],
                        "point_b":[0,0,0],"cores_overlap":false,"corners":[]})"),
            "replay.normal_a: must be unit");
  EXPECT_EQ(error("{}", R"(,"replay":{"warm_start":"previous","normal_a":[0,0,1],"point_a":[0,0,0],
                        "point_b":[0,0,0],"cores_overlap":false,"corners":[[0,1],[2]]})"),
            "replay.corners[1]: must be an array of 2 vertices, got an array of 1");
  EXPECT_EQ(error("{}", R"(,"replay":{"warm_start":"previous","normal_a":[0,0,2],"point_a":[0,0,0],
                        "point_b":[0,0,0],"cores_overlap":false,"corners":[[7000000,1]]})"),
            "replay.normal_a: must be unit");
  EXPECT_EQ(error("{}", R"(,"replay":{"typo":1})").rfind("replay.typo: ", 0), 0u);
}

TEST(QueryLine, AsksAgainWhatDidNotConvergeInAScene) {
  samples::Random random(34);
  Scene scene({.contact_margin = 0.01});
  std::vector<BodyId> ids;
  for (int i = 0; i < 60; ++i) {  // deep in each other, where depth closes slowly
    const Shape shape = samples::random_shape(static_cast<samples::ShapeKind>(i % 12), 0.5, random);
    ids.push_back(scene.add({.shape = shape, .pose = random.pose(0.2)}));
  }
  std::size_t lines = 0;
  std::size_t warm = 0;
  for (int frame = 0; frame < 6; ++frame) {
    scene.step();
    const std::vector<UnconvergedPair> pairs = unconverged_pairs(scene);
    EXPECT_EQ(pairs.size(), scene.statistics().not_converged);
    const Scene restored = restore(save(scene));
    const std::vector<UnconvergedPair> kept = unconverged_pairs(restored);
    ASSERT_EQ(kept.size(), pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const UnconvergedPair& unconverged = pairs[i];
      const std::string line = query_line("q", scene, unconverged);
      EXPECT_EQ(query_line("q", restored, kept[i]), line);
      const QueryAnswer answer = QueryAnswerer().answer(line);
      const Json result = json::parse(answer.line);
      ASSERT_FALSE(answer.is_error) << answer.line;
      EXPECT_EQ(result["status"], "iteration_limit") << line;
      const Json query = json::parse(line);
      EXPECT_EQ(query["expected"]["distance"].get<double>(), unconverged.separation.distance);
      EXPECT_EQ(result["distance"], query["expected"]["distance"]);
      EXPECT_EQ(result["distance_error"], query["expected"]["distance_error"]);
      warm += query.contains("replay") ? 1 : 0;
      ++lines;
    }
    for (const BodyId id : ids) {
      const Pose pose = scene.pose(id);
      scene.set_pose(id, Pose(pose.translation() + random.vector(-0.01, 0.01), pose.quaternion()));
    }
    if (!pairs.empty()) {
      EXPECT_EQ(samples::error_text([&] { (void)unconverged_pairs(scene); }),
                "body_a: has been moved or reshaped since the last step()");
    }
  }
  EXPECT_GT(lines, 20u);
  EXPECT_GT(warm, 0u);
}

TEST(ShapeText, IsReadAsTheSameShapeToTheLastBit) {
  samples::Random random(33);
  ShapeFiles files;
  const auto snapshot_of = [](const Shape& shape) {
    Scene scene;
    scene.add({.shape = shape});
    return save(scene);
  };
  for (int round = 0; round < 20; ++round) {
    for (const Shape& shape : all_kinds(random)) {
      std::string text;
      append_shape(text, shape);
      const Shape again = read_shape(json::parse(text), files, UnknownFields::ignored);
      ASSERT_EQ(snapshot_of(again), snapshot_of(shape)) << text;
    }
    const Pose pose = any_pose(random, 1.0);
    std::string text;
    append_pose(text, pose);
    EXPECT_EQ(read_pose(json::parse(text), UnknownFields::ignored), pose) << text;
  }
}

TEST(ShapeText, OfAPoseThatAQuaternionGivesHasNoMatrix) {
  for (const Quaterniond& q : {Quaterniond::Identity(), Quaterniond(0.5, 0.5, -0.5, 0.5), Quaterniond(0, 1, 0, 0)}) {
    std::string text;
    append_pose(text, Pose(Vector3d(1, 2, 3), q));
    EXPECT_EQ(text.find("matrix"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace abut
