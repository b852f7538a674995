// Frames of a scene as lines of JSON.
#include <abut/io/frame_json.h>
#include <abut/io/json.h>
#include <abut/io/scene_file.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace abut {
namespace {

TEST(FrameJson, WritesContactsAndEventsInSceneOrder) {
  const SceneDescription description = parse_scene(R"({"bodies": [
      {"name": "table \"1\"", "shape": {"type": "box", "half_extents": [5, 5, 1]}, "motion": "fixed"},
      {"name": "ball", "shape": {"type": "sphere", "radius": 1}, "pose": {"translation": [0, 0, 1.75]}},
      {"name": "far", "shape": {"type": "sphere", "radius": 1}, "pose": {"translation": [0, 0, 50]}}]})",
                                                   {});
  Scene scene;
  const std::vector<BodyId> ids = add_to(scene, description);
  const std::vector<std::string> names = {"table \"1\"", "ball", "far"};
  FrameWriter writer(names);
  scene.step();
  const Json first = json::parse(writer.write(scene, 0, 0.0));
  EXPECT_EQ(first["frame"], 0);
  EXPECT_EQ(first["time"], 0.0);
  EXPECT_EQ(first["bodies"], 3);
  EXPECT_EQ(first["candidate_pairs"], 1);
  ASSERT_EQ(first["contacts"].size(), 1u);
  const Json& contact = first["contacts"][0];
  EXPECT_EQ(contact["a"], names[0]);
  EXPECT_EQ(contact["b"], "ball");
  EXPECT_NEAR(contact["distance"].get<double>(), -0.25, 1e-9);
  EXPECT_TRUE(json::vector<3>(contact["normal"]).isApprox(Eigen::Vector3d::UnitZ(), 1e-9));
  ASSERT_GE(contact["points"].size(), 1u);
  for (const Json& point : contact["points"]) {
    EXPECT_NEAR(json::vector<3>(point["a"]).z(), 1.0, 1e-9);
    EXPECT_NEAR(json::vector<3>(point["b"]).z(), 0.75, 1e-9);
    EXPECT_NEAR(point["distance"].get<double>(), -0.25, 1e-9);
  }
  EXPECT_EQ(first["began"], Json::parse(R"([["table \"1\"", "ball"]])"));
  EXPECT_EQ(first["ended"], Json::array());

  scene.set_pose(ids[1], Pose(Eigen::Vector3d(0, 0, 49)));
  scene.step();
  const Json second = json::parse(writer.write(scene, 1, 0.5));
  EXPECT_EQ(second["frame"], 1);
  EXPECT_EQ(second["time"], 0.5);
  EXPECT_EQ(second["began"], Json::parse(R"([["ball", "far"]])"));
  EXPECT_EQ(second["ended"], Json::parse(R"([["table \"1\"", "ball"]])"));
}

}  // namespace
}  // namespace abut
