// Scene files: what is read, what is refused and with which words, and motion at constant velocity.
#include <abut/io/file_error.h>
#include <abut/io/json.h>
#include <abut/io/scene_file.h>
#include <gtest/gtest.h>

#include <numbers>
#include <string>
#include <utility>

#include "temp_folder.h"

namespace abut {
namespace {

using test::error_of;
using test::TempFolder;

constexpr const char* kTetra = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

std::string scene_error(const std::string& text) {
  return error_of<InvalidInput>([&] { return parse_scene(text, {}); });
}

// A scene of two bodies "a" and "b" with more fields.
std::string two_spheres(const std::string& more) {
  return R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}},
                        {"name": "b", "shape": {"type": "sphere", "radius": 1}}])" +
         more + "}";
}

TEST(SceneFile, TheMeshFilesThatWereReadAreTold) {
  const TempFolder folder;
  const auto mesh = folder.write("parts/a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n");
  const auto other = folder.write("b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const SceneDescription scene = parse_scene(R"({
      "shapes": {"unused": {"type": "convex", "file": "b.obj"}},
      "bodies": [{"name": "a", "shape": {"type": "compound", "children": [
                   {"shape": {"type": "mesh", "file": "parts/a.obj"}}, {"shape": {"type": "sphere", "radius": 1}}]}},
                 {"name": "b", "shape": {"type": "mesh", "file": "parts/../parts/a.obj"}}]})",
                                             folder.path());
  ASSERT_EQ(scene.files.size(), 2u);
  EXPECT_TRUE(std::filesystem::equivalent(scene.files[0], other));
  EXPECT_TRUE(std::filesystem::equivalent(scene.files[1], mesh));
  for (const std::filesystem::path& file : scene.files) EXPECT_TRUE(file.is_absolute()) << file;
}

TEST(SceneFile, ReadsEveryField) {
  const TempFolder folder;
  folder.write("meshes/tetra.obj", kTetra);
  const auto file = folder.write("scene.json", R"({
    "shapes": {"tetra": {"type": "convex", "file": "meshes/tetra.obj", "margin": 0.25}},
    "bodies": [
      {"name": "table", "shape": {"type": "box", "half_extents": [1, 2, 3]}, "motion": "fixed"},
      {"name": "one", "shape": "tetra", "pose": {"translation": [0, 0, 4], "rotation": [0, 1, 0, 0]}},
      {"name": "two", "shape": "tetra", "motion": "moving",
       "velocity": {"linear": [1, 2, 3], "angular": [0, 0, -1]}}
    ],
    "ignore_pairs": [["two", "table"]],
    "settings": {"contact_margin": 0.001, "solver": "polyak", "warm_start": "transformed_previous", "time_step": 0.25}
  })");
  const SceneDescription scene = read_scene_file(file);
  ASSERT_EQ(scene.bodies.size(), 3u);
  EXPECT_EQ(scene.bodies[0].name, "table");
  EXPECT_EQ(scene.bodies[0].body.motion, Motion::fixed);
  EXPECT_EQ(scene.bodies[0].body.shape.get_if<Box>()->half_extents(), Vector3d(1, 2, 3));
  EXPECT_EQ(scene.bodies[1].body.motion, Motion::moving);
  EXPECT_EQ(scene.bodies[1].body.shape.margin(), 0.25);
  EXPECT_EQ(scene.bodies[1].body.pose.translation(), Vector3d(0, 0, 4));
  EXPECT_TRUE((scene.bodies[1].body.pose.rotate(Vector3d::UnitZ())).isApprox(-Vector3d::UnitZ(), 1e-15));
  EXPECT_EQ(scene.bodies[2].linear_velocity, Vector3d(1, 2, 3));
  EXPECT_EQ(scene.bodies[2].angular_velocity, Vector3d(0, 0, -1));
  ASSERT_EQ(scene.ignore_pairs.size(), 1u);
  EXPECT_EQ(scene.ignore_pairs[0], std::make_pair(std::size_t{2}, std::size_t{0}));
  EXPECT_EQ(scene.settings.contact_margin, 0.001);
  EXPECT_EQ(scene.settings.solver, Solver::polyak);
  EXPECT_EQ(scene.settings.warm_start, WarmStart::transformed_previous);
  EXPECT_EQ(scene.time_step, 0.25);
}

TEST(SceneFile, BodiesThatNameOneFileShareOneHull) {
  const TempFolder folder;
  folder.write("tetra.obj", kTetra);
  const SceneDescription scene = parse_scene(R"({"shapes": {"t": {"type": "convex", "file": "tetra.obj"}},
    "bodies": [{"name": "a", "shape": "t"}, {"name": "b", "shape": "t"},
               {"name": "c", "shape": {"type": "convex", "file": "./tetra.obj"}}]})",
                                             folder.path());
  const auto* vertices = scene.bodies[0].body.shape.get_if<ConvexHull>()->vertices().data();
  for (const SceneBody& body : scene.bodies) {
    EXPECT_EQ(body.body.shape.get_if<ConvexHull>()->vertices().data(), vertices) << body.name;
  }
}

TEST(SceneFile, WhatIsNotSaidHasItsDefault) {
  const SceneDescription scene = parse_scene(two_spheres(""), {});
  EXPECT_EQ(scene.settings.contact_margin, 0.0);
  EXPECT_EQ(scene.settings.solver, Solver::automatic);
  EXPECT_EQ(scene.settings.warm_start, WarmStart::previous);
  EXPECT_EQ(scene.time_step, kDefaultTimeStep);
  EXPECT_TRUE(scene.bodies[0].body.pose == Pose());
  EXPECT_EQ(scene.bodies[0].linear_velocity, Vector3d::Zero());
  EXPECT_TRUE(parse_scene(R"({"bodies": []})", {}).bodies.empty());
}

TEST(SceneFile, ErrorsNameThePathTheRuleAndTheValue) {
  const std::pair<std::string, const char*> errors[] = {
      {"[]", "must be an object, got an array of 0"},
      {"{}", "bodies: is required"},
      {R"({"bodies": {}})", "bodies: must be an array, got an object"},
      {R"({"bodys": []})", "bodys: is not a field of this object; it takes shapes, bodies, ignore_pairs, settings"},
      {R"({"bodies": [{"shape": {"type": "sphere", "radius": 1}}]})", "bodies[0].name: is required"},
      {R"({"bodies": [{"name": "a"}]})", "bodies[0].shape: is required"},
      {R"({"bodies": [{"name": "a", "shape": "mug"}]})", "bodies[0].shape: \"mug\" is not among the shapes"},
      {R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": -1}}]})",
       "bodies[0].shape.radius: must be finite and > 0, got -1"},
      {R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1, "radios": 1}}]})",
       "bodies[0].shape.radios: is not a field of this object; it takes type, radius, margin"},
      {R"({"shapes": {"blue mug": {"type": "box"}}, "bodies": []})", "shapes[\"blue mug\"].half_extents: is required"},
      {R"({"shapes": {"mug": {"type": "convex", "file": "no.obj"}}, "bodies": []})",
       "shapes.mug.file: no.obj: does not exist"},
      {R"({"shapes": {"m": {"type": "sphere", "radius": 1}, "m": {"type": "sphere", "radius": 2}}, "bodies": []})",
       "shapes.m: must not be given twice"},
      {R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}},
                      {"name": "a", "shape": {"type": "sphere", "radius": 1}}]})",
       "bodies[1].name: \"a\" is the name of an earlier body"},
      {R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}, "pose": {"rotation": [0, 0, 0, 0]}}]})",
       "bodies[0].pose.rotation: must not be the zero quaternion"},
      {R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}, "motion": "static"}]})",
       "bodies[0].motion: \"static\" is not a motion; known are fixed and moving"},
      {R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}, "velocity": {"linear": [1, 2]}}]})",
       "bodies[0].velocity.linear: must be an array of 3 numbers, got an array of 2"},
      {R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1},)"
       R"("velocity": {"angular": [0, 1.7e308, 1]}}]})",
       "bodies[0].velocity.angular[1]: must be at most 1e+100 radians a second, got 1.7e+308"},
      {R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}, "velocity": {"spin": 1}}]})",
       "bodies[0].velocity.spin: is not a field of this object; it takes linear, angular"},
      {R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}, "mass": 1}]})",
       "bodies[0].mass: is not a field of this object; it takes name, shape, pose, motion, velocity"},
      {two_spheres(R"(, "ignore_pairs": [["a", "b"], ["a", "c"]])"),
       "ignore_pairs[1][1]: \"c\" is not the name of a body"},
      {two_spheres(R"(, "ignore_pairs": [["a", "a"]])"), "ignore_pairs[0]: must be two different bodies"},
      {two_spheres(R"(, "ignore_pairs": [["a"]])"),
       "ignore_pairs[0]: must be an array of 2 body names, got an array of 1"},
      {two_spheres(R"(, "settings": {"contact_margin": -1})"),
       "settings.contact_margin: must be finite and >= 0, got -1"},
      {two_spheres(R"(, "settings": {"time_step": 0})"), "settings.time_step: must be finite and > 0, got 0"},
      {two_spheres(R"(, "settings": {"solver": "magic"})"),
       "settings.solver: \"magic\" is not a solver; available are auto, gjk, polyak, nesterov, rtr and qp"},
      {two_spheres(R"(, "settings": {"warm_start": "hot"})"),
       "settings.warm_start: \"hot\" is not a warm start; known are none, obb, previous and transformed_previous"},
      {two_spheres(R"(, "settings": {"tolerance": 1})"),
       "settings.tolerance: is not a field of this object; it takes contact_margin, solver, warm_start, time_step"},
  };
  for (const auto& [text, error] : errors) {
    SCOPED_TRACE(text);
    EXPECT_EQ(scene_error(text), error);
  }
}

TEST(SceneFile, OfSeveralBrokenFilesTheFirstIsReported) {
  Json scene = {{"bodies", Json::array()}};
  for (int i = 0; i < 20; ++i) {
    const std::string number = std::to_string(i);
    scene["bodies"].push_back(
        {{"name", "n" + number}, {"shape", {{"type", "mesh"}, {"file", "none" + number + ".ply"}}}});
  }
  for (int repeat = 0; repeat < 10; ++repeat) {
    ASSERT_EQ(scene_error(scene.dump()), "bodies[0].shape.file: none0.ply: does not exist");
  }
}

TEST(SceneFile, FileErrorsNameTheFileAndTheLine) {
  const TempFolder folder;
  const auto missing = folder.path() / "none.json";
  EXPECT_EQ(error_of<FileError>([&] { return read_scene_file(missing); }), missing.string() + ": does not exist");
  EXPECT_EQ(error_of<FileError>([&] { return read_scene_file(folder.path()); }),
            folder.path().string() + ": is a folder, not a file");
  const auto broken = folder.write("broken.json", "{\n\"bodies\": [,]}");
  const std::string error = error_of<FileError>([&] { return read_scene_file(broken); });
  EXPECT_EQ(error.rfind(broken.string() + ": is not JSON: ", 0), 0u) << error;
  EXPECT_NE(error.find("line 2, column 12"), std::string::npos) << error;
  const auto wrong = folder.write("wrong.json", R"({"bodies": [{"name": 3}]})");
  EXPECT_EQ(error_of<FileError>([&] { return read_scene_file(wrong); }),
            wrong.string() + ": bodies[0].name: must be a string, got 3");
}

TEST(SceneFile, AddToMakesTheSceneThatTheFileDescribes) {
  const SceneDescription description = parse_scene(
      two_spheres(R"(, "ignore_pairs": [["a", "b"]], "settings": {"contact_margin": 0.5, "solver": "gjk"})"), {});
  Scene scene;
  const std::vector<BodyId> ids = add_to(scene, description);
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_EQ(scene.bodies(), ids);
  EXPECT_LT(ids[0].slot, ids[1].slot);
  EXPECT_TRUE(scene.is_ignored(ids[0], ids[1]));
  EXPECT_EQ(scene.settings().contact_margin, 0.5);
  EXPECT_EQ(scene.settings().solver, Solver::gjk);
  scene.step();
  EXPECT_TRUE(scene.contacts().empty());
}

TEST(SceneMotion, AtTimeZeroABodyIsExactlyWhereTheSceneSays) {
  SceneBody body{"a", {Sphere(1.0), Pose(Vector3d(1, 2, 3), Quaterniond(0.3, -0.4, 0.5, 0.6)), Motion::moving, {}}};
  EXPECT_TRUE(pose_at(body, 0.0) == body.body.pose);
  EXPECT_TRUE(pose_at(body, 5.0) == body.body.pose);
  body.linear_velocity = Vector3d(1, 1, 1);
  body.angular_velocity = Vector3d(3, -2, 1);
  EXPECT_TRUE(pose_at(body, 0.0) == body.body.pose);
}

TEST(SceneMotion, TurnsAboutTheBodyOriginAndTheWorldAxes) {
  SceneBody body{"a", {Sphere(1.0), Pose(Vector3d(5, 0, 0), Quaterniond(0, 1, 0, 0)), Motion::moving, {}}};
  body.linear_velocity = Vector3d(0, 2, 0);
  body.angular_velocity = Vector3d(0, 0, std::numbers::pi / 2.0);
  const Pose pose = pose_at(body, 1.0);
  EXPECT_TRUE(pose.translation().isApprox(Vector3d(5, 2, 0), 1e-15));
  // The first rotation turns y to -y; a quarter turn about the world's z brings that to +x.
  EXPECT_TRUE(pose.rotate(Vector3d::UnitY()).isApprox(Vector3d::UnitX(), 1e-15));
  EXPECT_TRUE(pose.rotate(Vector3d::UnitX()).isApprox(Vector3d::UnitY(), 1e-15));
}

TEST(SceneMotion, ManySmallStepsEndWhereOneLargeOneDoes) {
  SceneBody body{"a", {Sphere(1.0), Pose(Vector3d(1, 2, 3), Quaterniond(1, 2, 3, 4)), Motion::moving, {}}};
  body.angular_velocity = Vector3d(0.3, -1.2, 2.0);
  Matrix3d rotation = body.body.pose.rotation();
  constexpr int kSteps = 20'000;
  constexpr double kStep = 1e-4;
  for (int i = 0; i < kSteps; ++i) {  // each axis moves by ω × axis: the midpoint rule
    for (int column = 0; column < 3; ++column) {
      const Vector3d axis = rotation.col(column);
      const Vector3d middle = axis + 0.5 * kStep * body.angular_velocity.cross(axis);
      rotation.col(column) = axis + kStep * body.angular_velocity.cross(middle);
    }
  }
  // The midpoint rule's error is of the order of (|ω| h)² |ω| T, here about 1e-7.
  EXPECT_TRUE(pose_at(body, kSteps * kStep).rotation().isApprox(rotation, 1e-6));
}

TEST(SceneMotion, APoseThatIsNotFiniteIsRefused) {
  SceneBody body{"a", {Sphere(1.0), Pose(), Motion::moving, {}}};
  body.linear_velocity = Vector3d(1e308, 0, 0);
  EXPECT_NE(error_of<InvalidInput>([&] { return pose_at(body, 100.0); }), "no error");
  body.linear_velocity = Vector3d::Zero();
  body.angular_velocity = Vector3d(0, 1e200, 0);
  EXPECT_EQ(error_of<InvalidInput>([&] { return pose_at(body, 1e200); }),
            "angular_velocity: has turned by an angle that is not finite, got inf");
}

}  // namespace
}  // namespace abut
