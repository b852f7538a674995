// URDF files: the test arm, every element that counts, meshes and where they are found, and files that are wrong.
#include <abut/io/file_error.h>
#include <abut/planning/urdf_file.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "../io/temp_folder.h"
#include "arm.h"

namespace abut {
namespace {

using std::numbers::pi;
using test::error_of;
using test::TempFolder;
using test::test_arm;

constexpr double kArmRounding = 1e-12;

// A box [0, 1] x [0, 2] x [0, 3] as an OBJ file, with its outside outside.
constexpr const char* kBoxObj =
    "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 1 2 0\nv 0 0 3\nv 1 0 3\nv 0 2 3\nv 1 2 3\n"
    "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

std::string robot_text(const std::string& content) {
  return "<robot name=\"r\">\n" + content + "\n</robot>\n";
}

// A link with one shape, on a line of its own after the robot's.
std::string link_text(const std::string& shape, const std::string& origin = "") {
  return "<link name=\"a\"><collision>" + origin + "<geometry>" + shape + "</geometry></collision></link>";
}

RobotModel parse_links(const std::string& content) {
  return parse_urdf(robot_text(content), "");
}

const Shape& only_shape(const RobotModel& robot) {
  EXPECT_EQ(robot.links().at(0).geometry.size(), 1u);
  return robot.links()[0].geometry.at(0).shape;
}

RobotModel with_mesh(const TempFolder& folder, const std::string& attributes, const UrdfOptions& options = {}) {
  return parse_urdf(robot_text(link_text("<mesh " + attributes + "/>")), folder.path(), options);
}

void expect_box(const Aabb& box, const Vector3d& lower, const Vector3d& upper) {
  EXPECT_LT((box.lower - lower).norm(), 1e-6) << box.lower.transpose();
  EXPECT_LT((box.upper - upper).norm(), 1e-6) << box.upper.transpose();
}

TEST(UrdfFile, TheTestArmIsReadWhole) {
  const RobotModel arm = test_arm();
  EXPECT_EQ(arm.name(), "test_arm");
  EXPECT_EQ(arm.links().size(), 12u);
  EXPECT_EQ(arm.joints().size(), 11u);
  ASSERT_EQ(arm.variables().size(), 8u);
  EXPECT_EQ(arm.links()[0].name, "base");
  EXPECT_EQ(arm.root_link(), 0u);
  for (int i = 0; i < 7; ++i) {
    const RobotVariable& variable = arm.variables()[static_cast<std::size_t>(i)];
    EXPECT_EQ(variable.name, "joint_" + std::to_string(i + 1));
    EXPECT_TRUE(variable.is_angle);
    EXPECT_TRUE(variable.has_limits);
  }
  EXPECT_EQ(arm.variables()[1].lower, -1.8);
  EXPECT_EQ(arm.variables()[3].upper, -0.1);
  EXPECT_EQ(arm.variables()[7].name, "left_finger_joint");
  EXPECT_FALSE(arm.variables()[7].is_angle);
  const RobotJoint& follower = arm.joints()[arm.find_joint("right_finger_joint").value()];
  ASSERT_TRUE(follower.mimic);
  EXPECT_EQ(follower.mimic->joint, arm.find_joint("left_finger_joint"));

  const RobotLink& base = arm.links()[0];
  ASSERT_EQ(base.geometry.size(), 2u);
  EXPECT_EQ(base.geometry[0].name, "foot");
  ASSERT_NE(base.geometry[0].shape.get_if<Box>(), nullptr);
  EXPECT_EQ(base.geometry[0].shape.get_if<Box>()->half_extents(), Vector3d(0.12, 0.1, 0.05));
  EXPECT_EQ(base.geometry[0].link_from_shape.translation(), Vector3d(-0.02, 0.0, 0.05));
  ASSERT_NE(base.geometry[1].shape.get_if<Cylinder>(), nullptr);
  EXPECT_EQ(base.geometry[1].shape.get_if<Cylinder>()->half_length(), 0.06);
  const RobotLink& palm = arm.links()[arm.find_link("palm").value()];
  ASSERT_EQ(palm.geometry.size(), 1u);
  ASSERT_NE(palm.geometry[0].shape.get_if<ConvexHull>(), nullptr);
  EXPECT_EQ(palm.geometry[0].shape.get_if<ConvexHull>()->vertices().size(), 8u);
  EXPECT_TRUE(arm.links()[arm.find_link("tool").value()].geometry.empty());
}

TEST(UrdfFile, TheTestArmStandsWhereItsDrawingSays) {
  const RobotModel arm = test_arm();
  std::vector<double> values = arm.default_values();
  EXPECT_EQ(values[3], -0.1);
  values[3] = 0.0;  // straight up, the hand level; outside of the limits, which poses do not ask for
  std::vector<Pose> poses = arm.link_poses(values);
  const auto at = [&](const char* name) { return poses[arm.find_link(name).value()]; };
  // Up: 0.3 to the shoulder, 0.32 to the elbow, 0.36 to the wrist, 0.09 to the flange. The 0.08 of the elbow goes back
  // in the forearm. The hand points along x.
  EXPECT_LT((at("wrist").translation() - Vector3d(0.0, 0.0, 0.98)).norm(), kArmRounding);
  EXPECT_LT((at("forearm").translation() - Vector3d(0.08, 0.0, 0.62)).norm(), kArmRounding);
  EXPECT_LT((at("flange").translation() - Vector3d(0.0, 0.0, 1.07)).norm(), kArmRounding);
  EXPECT_LT((at("tool").translation() - Vector3d(0.225, 0.0, 1.07)).norm(), kArmRounding);
  // The fingers open to both sides by as much.
  values[7] = 0.05;
  poses = arm.link_poses(values);
  const Vector3d between = 0.5 * (at("left_finger").translation() + at("right_finger").translation());
  EXPECT_LT((between - Vector3d(0.175, 0.0, 1.07)).norm(), kArmRounding);
  EXPECT_NEAR((at("left_finger").translation() - at("right_finger").translation()).norm(), 0.1, kArmRounding);
  // A quarter turn of the base carries all of it from x to y.
  values[0] = pi / 2.0;
  poses = arm.link_poses(values);
  EXPECT_LT((at("tool").translation() - Vector3d(0.0, 0.225, 1.07)).norm(), kArmRounding);
}

TEST(UrdfFile, ReadsEveryKindOfJoint) {
  const RobotModel robot = parse_links(R"(
    <link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/><link name="f"/><link name="g"/>
    <joint name="jf" type="fixed"><parent link="a"/><child link="b"/><axis xyz="0 0 0"/></joint>
    <joint name="jr" type="revolute"><parent link="a"/><child link="c"/><axis xyz="0 0 2"/>
      <limit lower="-1" upper="+2.5e-1"/></joint>
    <joint name="jc" type="continuous"><parent link="a"/><child link="d"/></joint>
    <joint name="jp" type="prismatic"><parent link="a"/><child link="e"/><axis xyz=" 0
      3	4 "/><limit upper="1"/></joint>
    <joint name="jl" type="planar"><parent link="a"/><child link="f"/><axis xyz="0 1 0"/></joint>
    <joint name="jo" type="floating"><parent link="a"/><child link="g"/><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/></joint>)");
  ASSERT_EQ(robot.joints().size(), 6u);
  const JointKind kinds[] = {JointKind::fixed,     JointKind::revolute, JointKind::continuous,
                             JointKind::prismatic, JointKind::planar,   JointKind::floating};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(robot.joints()[i].kind, kinds[i]);
    EXPECT_EQ(robot.joints()[i].parent_link, 0u);
    EXPECT_EQ(robot.joints()[i].child_link, i + 1);
  }
  EXPECT_EQ(robot.joints()[1].axis, Vector3d(0.0, 0.0, 1.0));
  EXPECT_EQ(robot.joints()[1].lower, -1.0);
  EXPECT_EQ(robot.joints()[1].upper, 0.25);
  EXPECT_EQ(robot.joints()[2].axis, Vector3d(1.0, 0.0, 0.0));  // where none is given
  EXPECT_LT((robot.joints()[3].axis - Vector3d(0.0, 0.6, 0.8)).norm(), kArmRounding);
  EXPECT_EQ(robot.joints()[3].lower, 0.0);
  EXPECT_EQ(robot.joints()[4].axis, Vector3d(0.0, 1.0, 0.0));
  EXPECT_EQ(robot.variables().size(), 1u + 1u + 1u + 3u + 6u);
  const Pose& origin = robot.joints()[5].parent_from_joint;
  const Matrix3d rotation = (Eigen::AngleAxisd(0.3, Vector3d::UnitZ()) * Eigen::AngleAxisd(0.2, Vector3d::UnitY()) *
                             Eigen::AngleAxisd(0.1, Vector3d::UnitX()))
                                .toRotationMatrix();
  EXPECT_EQ(origin.translation(), Vector3d(1.0, 2.0, 3.0));
  EXPECT_LT((origin.rotation() - rotation).norm(), kArmRounding);
}

TEST(UrdfFile, ReadsEveryShapeAndSeveralOfALink) {
  const RobotModel robot = parse_links(R"(<link name="a">
    <visual><geometry><mesh filename="nowhere.dae"/></geometry><material name="never defined"/></visual>
    <inertial><mass value="heavy"/></inertial>
    <collision name="one"><geometry><box size="2 4 6"/></geometry></collision>
    <collision><origin rpy="0 0 1.5707963267948966"/><geometry><cylinder radius="0.5" length="3"/></geometry></collision>
    <collision><origin xyz="0 0 1"/><geometry><sphere radius="0.25"/></geometry></collision>
    </link><transmission name="t"/><gazebo/><material name="m"/>)");
  const std::vector<LinkGeometry>& geometry = robot.links()[0].geometry;
  ASSERT_EQ(geometry.size(), 3u);
  EXPECT_EQ(geometry[0].name, "one");
  EXPECT_EQ(geometry[1].name, "");
  ASSERT_NE(geometry[0].shape.get_if<Box>(), nullptr);
  EXPECT_EQ(geometry[0].shape.get_if<Box>()->half_extents(), Vector3d(1.0, 2.0, 3.0));
  ASSERT_NE(geometry[1].shape.get_if<Cylinder>(), nullptr);
  EXPECT_EQ(geometry[1].shape.get_if<Cylinder>()->radius(), 0.5);
  EXPECT_EQ(geometry[1].shape.get_if<Cylinder>()->half_length(), 1.5);
  EXPECT_LT((geometry[1].link_from_shape.rotate(Vector3d::UnitX()) - Vector3d::UnitY()).norm(), kArmRounding);
  ASSERT_NE(geometry[2].shape.get_if<Sphere>(), nullptr);
  EXPECT_EQ(geometry[2].shape.get_if<Sphere>()->sweep_radius(), 0.25);
  EXPECT_EQ(geometry[2].link_from_shape.translation(), Vector3d(0.0, 0.0, 1.0));
}

TEST(UrdfFile, ChainsOfMimicsLeadToTheJointThatIsFree) {
  const auto joint = [](const std::string& name, const std::string& child, const std::string& mimic) {
    return "<joint name=\"" + name + "\" type=\"continuous\"><parent link=\"a\"/><child link=\"" + child + "\"/>" +
           mimic + "</joint>";
  };
  const std::string links = "<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/><link name=\"d\"/>";
  const RobotModel robot = parse_links(
      links + joint("first", "b", "<mimic joint=\"second\" multiplier=\"2\" offset=\"0.5\"/>") +
      joint("second", "c", "<mimic joint=\"third\" multiplier=\"-3\" offset=\"0.25\"/>") + joint("third", "d", ""));
  ASSERT_EQ(robot.variables().size(), 1u);
  EXPECT_EQ(robot.variables()[0].name, "third");
  ASSERT_TRUE(robot.joints()[0].mimic && robot.joints()[1].mimic);
  EXPECT_EQ(robot.joints()[0].mimic->joint, 2u);
  EXPECT_EQ(robot.joints()[0].mimic->multiplier, -6.0);  // 2 (-3 x + 0.25) + 0.5
  EXPECT_EQ(robot.joints()[0].mimic->offset, 1.0);
  EXPECT_EQ(robot.joints()[1].mimic->joint, 2u);
}

TEST(UrdfFile, MeshesAreHullsUnlessAskedOtherwise) {
  const TempFolder folder;
  folder.write("box.obj", kBoxObj);
  const RobotModel hull = with_mesh(folder, "filename=\"box.obj\" scale=\"1 -0.5 2\"");
  ASSERT_NE(only_shape(hull).get_if<ConvexHull>(), nullptr);
  expect_box(aabb(only_shape(hull), Pose()), {0.0, -1.0, 0.0}, {1.0, 0.0, 6.0});

  const RobotModel surface = with_mesh(folder, "filename=\"box.obj\"", {.meshes = UrdfMeshes::as_they_are});
  const auto* mesh = only_shape(surface).get_if<TriangleMesh>();
  ASSERT_NE(mesh, nullptr);
  EXPECT_EQ(mesh->triangles().size(), 12u);
  expect_box(aabb(only_shape(surface), Pose()), Vector3d::Zero(), {1.0, 2.0, 3.0});
}

// Six times the volume that the triangles enclose, negative where they are inside out.
double signed_volume(const TriangleMesh& mesh) {
  double volume = 0.0;
  for (const auto& t : mesh.triangles()) {
    volume += mesh.vertices()[t[0]].dot(mesh.vertices()[t[1]].cross(mesh.vertices()[t[2]]));
  }
  return volume;
}

TEST(UrdfFile, AMirroredMeshKeepsItsOutside) {
  const TempFolder folder;
  folder.write("box.obj", kBoxObj);
  for (const char* scale : {"1 1 1", "-1 1 1", "1 -1 -1", "-1 -1 -1"}) {
    SCOPED_TRACE(scale);
    const RobotModel robot = with_mesh(folder, std::string("filename=\"box.obj\" scale=\"") + scale + "\"",
                                       {.meshes = UrdfMeshes::as_they_are});
    ASSERT_NE(only_shape(robot).get_if<TriangleMesh>(), nullptr);
    EXPECT_NEAR(signed_volume(*only_shape(robot).get_if<TriangleMesh>()), 36.0, 1e-6);
  }
}

TEST(UrdfFile, ConvexPartsReplaceTheMeshesThatHaveSome) {
  const TempFolder folder;
  folder.write("box.obj", kBoxObj);
  folder.write("parts.obj",
               "o left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n"
               "o right\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\nf 5 6 7\nf 5 6 8\n");
  const std::string text = robot_text(
      "<link name=\"a\"><collision name=\"n\"><origin xyz=\"0 0 1\"/><geometry><mesh filename=\"box.obj\" "
      "scale=\"2 2 2\"/></geometry></collision><collision><geometry><mesh filename=\"./box.obj\"/></geometry>"
      "</collision></link>");
  const UrdfOptions options = {
      .meshes = UrdfMeshes::convex_parts, .parts = {{"box.obj", folder.path() / "parts.obj"}}, .package_folders = {}};
  const RobotModel robot = parse_urdf(text, folder.path(), options);
  const std::vector<LinkGeometry>& geometry = robot.links()[0].geometry;
  ASSERT_EQ(geometry.size(), 3u);
  for (const LinkGeometry& piece : geometry) EXPECT_NE(piece.shape.get_if<ConvexHull>(), nullptr);
  EXPECT_EQ(geometry[1].name, "n");
  EXPECT_EQ(geometry[1].link_from_shape.translation(), Vector3d(0.0, 0.0, 1.0));
  expect_box(aabb(geometry[0].shape, Pose()), Vector3d::Zero(), {2.0, 2.0, 2.0});
  expect_box(aabb(geometry[1].shape, Pose()), {10.0, 0.0, 0.0}, {12.0, 2.0, 2.0});
  expect_box(aabb(geometry[2].shape, Pose()), Vector3d::Zero(), {1.0, 2.0, 3.0});

  UrdfOptions unknown = options;
  unknown.parts["other.obj"] = "x.obj";
  EXPECT_EQ(error_of<InvalidInput>([&] { return parse_urdf(text, folder.path(), unknown); }),
            "parts: no mesh of the robot is called \"other.obj\"");
  UrdfOptions missing = options;
  missing.parts["box.obj"] = folder.path() / "none.obj";
  EXPECT_EQ(error_of<InvalidInput>([&] { return parse_urdf(text, folder.path(), missing); }),
            "link \"a\", <mesh> (line 2): " + (folder.path() / "none.obj").string() + ": does not exist");
}

TEST(UrdfFile, MeshesAreFoundByEveryKindOfName) {
  const TempFolder folder;
  folder.write("stack/arm_description/meshes/box.obj", kBoxObj);
  folder.write("elsewhere/hand_description/box.obj", kBoxObj);
  const std::filesystem::path urdf_folder = folder.path() / "stack/arm_description/urdf";
  std::filesystem::create_directories(urdf_folder);
  const std::string absolute = (folder.path() / "stack/arm_description/meshes/box.obj").string();
  const std::filesystem::path elsewhere = folder.path() / "elsewhere";
  const std::vector<std::string> names = {"../meshes/box.obj",
                                          absolute,
                                          "file://" + absolute,
                                          "package://arm_description/meshes/box.obj",
                                          "package://hand_description/box.obj",
                                          "package://elsewhere/hand_description/box.obj"};
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const std::string text = robot_text(link_text("<mesh filename=\"" + name + "\"/>"));
    const RobotModel robot = parse_urdf(text, urdf_folder, {.package_folders = {folder.path(), elsewhere}});
    EXPECT_NE(only_shape(robot).get_if<ConvexHull>(), nullptr);
  }
}

TEST(UrdfFile, MeshesBesideALinkedFolderAreThoseBesideItsTarget) {
  const TempFolder folder;
  folder.write("mesh.obj", "v 0 0 0\nv 9 0 0\nv 0 9 0\nv 0 0 9\n");
  folder.write("real/mesh.obj", kBoxObj);
  std::filesystem::create_directories(folder.path() / "real/sub");
  std::filesystem::create_directory_symlink("real/sub", folder.path() / "link");
  const std::string in_link = (folder.path() / "link/../mesh.obj").string();
  const std::pair<std::filesystem::path, std::string> names[] = {
      {"link", "../mesh.obj"},
      {"link/..", "mesh.obj"},
      {"link/..", "package://real/mesh.obj"},
      {"", "link/../mesh.obj"},
      {"", in_link},
      {"", "file://" + in_link},
      {"link", "package://link/../mesh.obj"},
  };
  for (const auto& [urdf_folder, name] : names) {
    SCOPED_TRACE(urdf_folder.string() + " " + name);
    const RobotModel robot =
        parse_urdf(robot_text(link_text("<mesh filename=\"" + name + "\"/>")), folder.path() / urdf_folder);
    expect_box(aabb(only_shape(robot), Pose()), Vector3d::Zero(), {1.0, 2.0, 3.0});
  }
}

TEST(UrdfFile, AMeshOfSeveralLinksIsThereOnce) {
  const TempFolder folder;
  folder.write("box.obj", kBoxObj);
  const std::string collision = "<collision><geometry><mesh filename=\"box.obj\"/></geometry></collision>";
  const RobotModel robot =
      parse_urdf(robot_text("<link name=\"a\">" + collision + collision + "</link>"), folder.path());
  const auto& geometry = robot.links()[0].geometry;
  ASSERT_EQ(geometry.size(), 2u);
  EXPECT_EQ(geometry[0].shape.get_if<ConvexHull>()->vertices().data(),
            geometry[1].shape.get_if<ConvexHull>()->vertices().data());
}

std::string parse_error(const std::string& text, const std::filesystem::path& folder = "") {
  return error_of<InvalidInput>([&] { return parse_urdf(text, folder); });
}

std::string content_error(const std::string& content, const std::filesystem::path& folder = "") {
  return parse_error(robot_text(content), folder);
}

// Links a and b, and a joint j with this content on line 3.
std::string joint_error(const std::string& type, const std::string& content) {
  return content_error("<link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\" type=\"" + type + "\">" + content +
                       "</joint>");
}

const std::string kEnds = "<parent link=\"a\"/><child link=\"b\"/>";

TEST(UrdfFile, SaysWhereAFileIsNotXml) {
  EXPECT_EQ(parse_error(""), "holds no element");
  EXPECT_EQ(parse_error("<!-- only a comment -->"), "holds no element");
  EXPECT_EQ(parse_error("<robot name=\"r\">\n<link name=\"a\">\n</robot>"),
            "line 2: is not XML: an element is not closed, or closed by another name");
  EXPECT_EQ(parse_error("<robot name=\"r\">\n<link name=a/>\n</robot>"),
            "line 2: is not XML: an attribute is broken or given twice");
  EXPECT_EQ(parse_error("<robot name=\"r\">\n<!-- "), "line 2: is not XML: a comment is not closed");
  EXPECT_EQ(parse_error("<robot name=\"r\"/>\n<robot name=\"s\"/>"),
            "line 2: is not XML: <robot> is a second root element");
  EXPECT_EQ(parse_error("<robot name=\"r\">\n<link name=\"a\" name=\"b\"/></robot>"),
            "line 2: is not XML: an attribute is broken or given twice");
  EXPECT_EQ(parse_error(std::string("<robot name=\"r\">\0</robot>", 25)), "is not XML: it holds a zero byte");
  EXPECT_NE(parse_error("not XML at all"), "no error");
}

TEST(UrdfFile, ElementsNestedWithoutEndAreRefused) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  EXPECT_NE(content_error(deep).find("nests elements too deeply"), std::string::npos);
}

TEST(UrdfFile, SaysWhatIsWrongWithTheRobotAndItsLinks) {
  EXPECT_EQ(parse_error("<scene name=\"r\"/>"), "<scene> (line 1): must be <robot>");
  EXPECT_EQ(parse_error("<robot/>"), "<robot> (line 1): must have the attribute name");
  EXPECT_EQ(parse_error("<robot name=\"\"/>"), "<robot> (line 1): name must not be empty");
  EXPECT_EQ(parse_error("<robot name=\"r\"/>"), "<robot> (line 1): must hold a <link>");
  EXPECT_EQ(content_error("<link/>"), "<link> (line 2): must have the attribute name");
  EXPECT_EQ(content_error("<link name=\"a\"/>\n<link name=\"a\"/>"), "link \"a\", <link> (line 3): is given twice");
  EXPECT_EQ(
      content_error("<link name=\"a\"/><xacro:include filename=\"b\"/>"),
      "<xacro:include> (line 2): is a macro: the file must be turned into plain URDF, by the program xacro, first");
}

TEST(UrdfFile, SaysWhatIsWrongWithAShape) {
  const auto shape_error = [](const std::string& shape) { return content_error(link_text(shape)); };
  EXPECT_EQ(content_error("<link name=\"a\"><collision/></link>"),
            "link \"a\", <collision> (line 2): must hold a <geometry>");
  const std::string one_shape =
      "link \"a\", <geometry> (line 2): must hold one shape, a <box>, <cylinder>, <sphere> or <mesh>, but holds ";
  EXPECT_EQ(shape_error(""), one_shape + "0");
  EXPECT_EQ(shape_error("<sphere radius=\"1\"/><sphere radius=\"1\"/>"), one_shape + "2");
  EXPECT_EQ(shape_error("<torus radius=\"1\"/>"),
            "link \"a\", <torus> (line 2): is not a shape; known are box, cylinder, sphere and mesh");
  EXPECT_EQ(shape_error("<sphere/>"), "link \"a\", <sphere> (line 2): must have the attribute radius");
  EXPECT_EQ(shape_error("<sphere radius=\"-1\"/>"), "link \"a\", <sphere> (line 2): radius must be > 0, got \"-1\"");
  EXPECT_EQ(shape_error("<cylinder radius=\"1\" length=\"0\"/>"),
            "link \"a\", <cylinder> (line 2): length must be > 0, got \"0\"");
  EXPECT_EQ(shape_error("<box size=\"1 -2 3\"/>"), "link \"a\", <box> (line 2): size must be > 0, got \"1 -2 3\"");
  EXPECT_EQ(shape_error("<mesh/>"), "link \"a\", <mesh> (line 2): must have the attribute filename");
  EXPECT_EQ(shape_error("<mesh filename=\"\"/>"), "link \"a\", <mesh> (line 2): filename must not be empty");
  EXPECT_EQ(shape_error("<mesh filename=\"m.obj\" scale=\"1 0 1\"/>"),
            "link \"a\", <mesh> (line 2): scale must not be 0, got \"1 0 1\"");
  EXPECT_EQ(content_error(link_text("<sphere radius=\"1\"/>", "<origin/><origin/>")),
            "link \"a\", <origin> (line 2): is given twice");
}

TEST(UrdfFile, NumbersAreFiniteAndNothingElse) {
  for (const char* number :
       {"nan", "inf", "-inf", "1e999", "1,5", "0x10", "1.5m", "one", " ", "1 2", "--1", "+-1", "+", "${radius}"}) {
    SCOPED_TRACE(number);
    EXPECT_EQ(content_error(link_text("<sphere radius=\"" + std::string(number) + "\"/>")),
              "link \"a\", <sphere> (line 2): radius must be a finite number, got \"" + std::string(number) + "\"");
  }
  for (const char* vector : {"1 2", "1 2 3 4", "1 2 nan", "1 2 3x", "1, 2, 3", " "}) {
    SCOPED_TRACE(vector);
    const std::string rule = " must be three finite numbers, got \"" + std::string(vector) + "\"";
    EXPECT_EQ(content_error(link_text("<box size=\"" + std::string(vector) + "\"/>")),
              "link \"a\", <box> (line 2): size" + rule);
    for (const char* attribute : {"xyz", "rpy"}) {
      const std::string origin = "<origin " + std::string(attribute) + "=\"" + vector + "\"/>";
      EXPECT_EQ(content_error(link_text("<sphere radius=\"1\"/>", origin)),
                "link \"a\", <origin> (line 2): " + (attribute + rule));
    }
    EXPECT_EQ(joint_error("continuous", kEnds + "<axis xyz=\"" + vector + "\"/>"),
              "joint \"j\", <axis> (line 3): xyz" + rule);
  }
}

TEST(UrdfFile, SaysWhatIsWrongWithAJoint) {
  EXPECT_EQ(content_error("<link name=\"a\"/><joint/>"), "<joint> (line 2): must have the attribute name");
  EXPECT_EQ(content_error("<link name=\"a\"/><joint name=\"j\"/>"),
            "joint \"j\", <joint> (line 2): must have the attribute type");
  EXPECT_EQ(
      joint_error("hinge", kEnds),
      "joint \"j\", <joint> (line 3): type \"hinge\" is unknown; known are fixed, revolute, continuous, prismatic, "
      "planar and floating");
  EXPECT_EQ(joint_error("fixed", "<child link=\"b\"/>"), "joint \"j\", <joint> (line 3): must hold a <parent>");
  EXPECT_EQ(joint_error("fixed", "<parent link=\"a\"/>"), "joint \"j\", <joint> (line 3): must hold a <child>");
  EXPECT_EQ(joint_error("fixed", "<parent/><child link=\"b\"/>"),
            "joint \"j\", <parent> (line 3): must have the attribute link");
  EXPECT_EQ(joint_error("fixed", "<parent link=\"a\"/><child link=\"c\"/>"),
            "joint \"j\", <child> (line 3): \"c\" is not a link of the robot");
  EXPECT_EQ(joint_error("fixed", kEnds + "\n<parent link=\"b\"/>"), "joint \"j\", <parent> (line 4): is given twice");
  EXPECT_EQ(joint_error("fixed", kEnds + "</joint>\n<joint name=\"j\" type=\"fixed\">"),
            "joint \"j\", <joint> (line 4): is given twice");
  EXPECT_EQ(joint_error("revolute", kEnds), "joint \"j\", <joint> (line 3): must hold a <limit>");
  EXPECT_EQ(joint_error("prismatic", kEnds), "joint \"j\", <joint> (line 3): must hold a <limit>");
  EXPECT_EQ(joint_error("revolute", kEnds + "<limit lower=\"1\" upper=\"-1\"/>"),
            "joint \"j\", <limit> (line 3): lower must be <= upper, got 1 and -1");
  EXPECT_EQ(joint_error("revolute", kEnds + "<limit lower=\"low\"/>"),
            "joint \"j\", <limit> (line 3): lower must be a finite number, got \"low\"");
  EXPECT_EQ(joint_error("planar", kEnds + "<axis xyz=\"0 0 -0\"/>"),
            "joint \"j\", <axis> (line 3): xyz must not be 0, got \"0 0 -0\"");
}

TEST(UrdfFile, NamesThatAreNotKnownAreRefused) {
  const auto shape_error = [](const std::string& shape, const std::string& origin = "") {
    return content_error(link_text(shape, origin));
  };
  const std::string ball = "<sphere radius=\"1\"/>";
  EXPECT_EQ(content_error("<link name=\"a\"><colision/></link>").find("link \"a\", <colision> (line 2): is not known"),
            0u);
  EXPECT_EQ(shape_error(ball, "<orgin xyz=\"1 2 3\"/>").find("link \"a\", <orgin> (line 2): is not known"), 0u);
  EXPECT_EQ(shape_error(ball, "<origin xzy=\"1 2 3\"/>"),
            "link \"a\", <origin> (line 2): the attribute \"xzy\" is not known; known are xyz, rpy");
  EXPECT_EQ(
      shape_error("<mesh filename=\"none.obj\" scal=\"2 2 2\"/>").find("link \"a\", <mesh> (line 2): the attribute"),
      0u);
  EXPECT_EQ(shape_error("<sphere radius=\"1\"><origin/></sphere>"),
            "link \"a\", <origin> (line 2): is not known in a <sphere>, which holds nothing");
  EXPECT_EQ(shape_error(ball, "<xacro:place/>").find("link \"a\", <xacro:place> (line 2): is a macro"), 0u);
  const auto joint_begin = [](const std::string& content) {
    const std::string text = joint_error("revolute", kEnds + content);
    return text.substr(0, text.find(" is not known"));
  };
  EXPECT_EQ(joint_begin("<axes xyz=\"0 0 1\"/><limit/>"), "joint \"j\", <axes> (line 3):");
  EXPECT_EQ(joint_begin("<axis xzy=\"0 0 1\"/><limit/>"), "joint \"j\", <axis> (line 3): the attribute \"xzy\"");
  EXPECT_EQ(joint_begin("<limit uper=\"1\"/>"), "joint \"j\", <limit> (line 3): the attribute \"uper\"");
  EXPECT_EQ(joint_begin("<limit/><mimik joint=\"k\"/>"), "joint \"j\", <mimik> (line 3):");
  EXPECT_EQ(joint_begin("<limit/><mimic joint=\"j\" ofset=\"1\"/>"),
            "joint \"j\", <mimic> (line 3): the attribute \"ofset\"");
}

TEST(UrdfFile, WhatIsNotKnownInTheRobotItselfIsRefused) {
  for (const std::string name : {"Link", "jiont", "Joint", "collision", "visual", "origin", "disable_collisions"}) {
    const std::string text = content_error("<link name=\"a\"/>\n<" + name + " name=\"b\"/>");
    const std::string start = "<" + name + "> (line 3): is not known in a <robot>; known are link, joint, material, ";
    EXPECT_EQ(text.substr(0, start.size()), start);
  }
  EXPECT_EQ(content_error("<link name=\"a\"><collision><geometry nmae=\"b\"><sphere radius=\"1\"/></geometry>"
                          "</collision></link>"),
            "link \"a\", <geometry> (line 2): the attribute \"nmae\" is not known; known are name, id");
}

TEST(UrdfFile, WhatMeansNothingForCollisionIsPassedOver) {
  const RobotModel robot = parse_urdf(R"(<robot name="r" version="1.0"><link name="a" type="base" drake:id="1">
    <inertial><mass value="1"/></inertial><visual><orgin/></visual><contact><stiffness value="1"/></contact>
    <collision name="c" group="g"><origin/>
    <geometry name="g" x:y="1"><sphere radius="1"><drake:compliant/></sphere></geometry>
    <verbose value="0"/><drake:proximity_properties/></collision></link><link name="b"/>
    <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="5" velocity="2"/><dynamics damping="1" friction="0"/>
    <safety_controller soft_lower_limit="-1" soft_upper_limit="1" k_position="1" k_velocity="1"/>
    <calibration rising="0"/></joint><gazebo/><ros2_control name="x"/><material name="m"/><transmission/>
    <sensor name="s"/><mujoco><compiler/></mujoco><loop_joint/><drake:bushing/><controller:gazebo_ros/></robot>)",
                                      "");
  EXPECT_EQ(robot.links().size(), 2u);
}

TEST(UrdfFile, SaysWhatIsWrongWithAMimic) {
  EXPECT_EQ(joint_error("continuous", kEnds + "<mimic/>"),
            "joint \"j\", <mimic> (line 3): must have the attribute joint");
  EXPECT_EQ(joint_error("continuous", kEnds + "<mimic joint=\"k\"/>"),
            "joint \"j\", <mimic> (line 3): \"k\" is not a joint of the robot");
  EXPECT_EQ(joint_error("continuous", kEnds + "<mimic joint=\"j\"/>"),
            "joint \"j\", <mimic> (line 3): joint \"j\" mimics, in the end, itself: the mimics are a cycle");
  EXPECT_EQ(joint_error("continuous", kEnds + "<mimic joint=\"j\" multiplier=\"much\"/>"),
            "joint \"j\", <mimic> (line 3): multiplier must be a finite number, got \"much\"");
  EXPECT_EQ(joint_error("planar", kEnds + "<mimic joint=\"j\"/>"),
            "joint \"j\", <mimic> (line 3): a planar or floating joint cannot mimic another");
  EXPECT_EQ(joint_error("fixed", kEnds + "<mimic joint=\"j\"/>"), "no error");  // of no meaning

  const auto two_joints = [](const std::string& first, const std::string& second_type, const std::string& second) {
    return content_error(
        "<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>\n<joint name=\"j\" type=\"continuous\">" + kEnds +
        first + "</joint>\n<joint name=\"k\" type=\"" + second_type + "\"><parent link=\"a\"/><child link=\"c\"/>" +
        second + "</joint>");
  };
  EXPECT_EQ(two_joints("<mimic joint=\"k\"/>", "continuous", "<mimic joint=\"j\"/>"),
            "joint \"j\", <mimic> (line 3): joint \"k\" mimics, in the end, itself: the mimics are a cycle");
  EXPECT_EQ(two_joints("<mimic joint=\"k\"/>", "floating", ""),
            "joint \"j\", <mimic> (line 3): joint \"k\" is not revolute, continuous or prismatic");
  EXPECT_EQ(two_joints("<mimic joint=\"k\"/>", "continuous", ""), "no error");
}

TEST(UrdfFile, RefusesWhatIsNoTree) {
  const auto fixed = [](const std::string& name, const std::string& parent, const std::string& child) {
    return "<joint name=\"" + name + "\" type=\"fixed\"><parent link=\"" + parent + "\"/><child link=\"" + child +
           "\"/></joint>\n";
  };
  const std::string links = "<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>\n";
  EXPECT_EQ(content_error(links + fixed("j", "a", "b")),
            "link \"c\": is a second root beside link \"a\": no joint has either as its child");
  EXPECT_EQ(content_error(links + fixed("j", "a", "b") + fixed("k", "b", "c") + fixed("l", "c", "a")),
            "link \"a\": is below itself: the joints are a cycle, and no link is a root");
  EXPECT_EQ(content_error(links + fixed("j", "b", "c") + fixed("k", "c", "b")),
            "link \"b\": is not below the root link \"a\": the joints above it are a cycle");
  EXPECT_EQ(content_error(links + fixed("j", "a", "c") + fixed("k", "b", "c")),
            "link \"c\": must be the child of one joint, but is that of joint \"j\" and of joint \"k\"");
}

TEST(UrdfFile, SaysWhatIsWrongWithAMesh) {
  const TempFolder folder;
  folder.write("empty.stl", "");
  folder.write("prose.obj", "this is not a mesh");
  folder.write("drawing.dae", "<COLLADA/>");
  folder.write("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
  folder.write("far.ply",
               "ply\nformat ascii 1.0\nelement vertex 1\nproperty double x\nproperty double y\n"
               "property double z\nend_header\n1e300 0 0\n");
  const std::string place = "link \"a\", <mesh> (line 2): ";
  const auto mesh_error = [&](const std::string& attributes) {
    return content_error(link_text("<mesh " + attributes + "/>"), folder.path());
  };
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  EXPECT_EQ(mesh_error("filename=\"none.stl\""), place + path("none.stl") + ": does not exist");
  EXPECT_EQ(mesh_error("filename=\"x/../none.stl\""), place + path("none.stl") + ": does not exist");
  EXPECT_EQ(mesh_error("filename=\"empty.stl\""), place + path("empty.stl") + ": is empty");
  EXPECT_EQ(mesh_error("filename=\"drawing.dae\""),
            place + path("drawing.dae") + ": is not a mesh file: its name must end in .obj, .stl or .ply");
  EXPECT_EQ(mesh_error("filename=\"prose.obj\"").rfind(place + path("prose.obj") + ": ", 0), 0u)
      << mesh_error("filename=\"prose.obj\"");
  EXPECT_EQ(mesh_error("filename=\"far.ply\" scale=\"1e300 1 1\"").rfind(place, 0), 0u);
  EXPECT_EQ(mesh_error("filename=\"http://host/box.obj\""),
            place + "\"http://host/box.obj\" must be a path, or begin with file:// or package://");
  EXPECT_EQ(mesh_error("filename=\"package://only\""), place + "\"package://only\" must be package://NAME/FILE");
  EXPECT_EQ(mesh_error("filename=\"package://no_such_package/box.obj\""),
            place + "the package \"no_such_package\" was not found: no folder above " + folder.path().string() +
                " has its name, and no package folders are given");
  EXPECT_EQ(error_of<InvalidInput>([&] {
              return parse_urdf(robot_text(link_text("<mesh filename=\"package://no_such_package/box.obj\"/>")),
                                folder.path(), {.package_folders = {folder.path() / "p", folder.path() / "q/"}});
            }),
            place + "the package \"no_such_package\" was not found: no folder above " + folder.path().string() +
                " has its name; also tried " + path("p/no_such_package") + ", " + path("q/no_such_package"));
  EXPECT_EQ(error_of<InvalidInput>([&] {
              return parse_urdf(robot_text(link_text("<mesh filename=\"points.obj\"/>")), folder.path(),
                                {.meshes = UrdfMeshes::as_they_are});
            }),
            place + path("points.obj") + ": holds no triangles");
}

TEST(UrdfFile, ErrorsOfAFileBeginWithItsName) {
  const TempFolder folder;
  const auto file = folder.write("robot.urdf", robot_text(link_text("<mesh filename=\"none.stl\"/>")));
  EXPECT_EQ(
      error_of<FileError>([&] { return read_urdf(file); }),
      file.string() + ": link \"a\", <mesh> (line 2): " + (folder.path() / "none.stl").string() + ": does not exist");
  const auto none = folder.path() / "none.urdf";
  EXPECT_EQ(error_of<FileError>([&] { return read_urdf(none); }), none.string() + ": does not exist");
  EXPECT_EQ(error_of<FileError>([&] { return read_urdf(folder.path()); }),
            folder.path().string() + ": is a folder, not a file");
}

TEST(UrdfFile, NamesOfAnyCharactersSurvive) {
  const std::string name = "a \"b\" & <c> 'd' \xc3\xa9\t\xff";
  std::string escaped;
  for (const char c : name) {
    if (c == '"') {
      escaped += "&quot;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else {
      escaped += c;
    }
  }
  const RobotModel robot = parse_links("<link name=\"" + escaped + "\"><collision name=\"" + escaped +
                                       "\"><geometry><sphere radius=\"1\"/></geometry></collision></link>");
  EXPECT_EQ(robot.links()[0].name, name);
  EXPECT_EQ(robot.links()[0].geometry[0].name, name);
}

TEST(UrdfFile, EveryCutAndEveryChangedByteOfAFileIsAnErrorOrARobot) {
  std::string whole;
  {
    std::ifstream stream(test::planning_data("arm.urdf"), std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  ASSERT_GT(whole.size(), 1000u);
  const auto outcome = [](const std::string& text) {
    return error_of<InvalidInput>([&] { return parse_urdf(text, ABUT_PLANNING_TEST_DATA); });
  };
  std::set<std::string> errors;
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    const std::string cut = outcome(whole.substr(0, at));
    EXPECT_NE(cut, "no error") << at;
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
    const std::string error = outcome(changed);
    EXPECT_EQ(error.find("another exception"), std::string::npos) << at << ": " << error;
    EXPECT_EQ(error.find("urdfdom"), std::string::npos) << at << ": " << error;  // nothing is left for it to find
    errors.insert(error);
  }
  EXPECT_GT(errors.size(), 50u);
}

}  // namespace
}  // namespace abut
