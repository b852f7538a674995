// Shapes and poses from JSON: every type, and the text of what is refused.
#include <abut/io/json.h>
#include <abut/io/shape_json.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "temp_folder.h"

namespace abut {
namespace {

using test::error_of;
using test::TempFolder;

Shape shape_from(const std::string& text, UnknownFields unknown = UnknownFields::refused) {
  ShapeFiles files;
  return read_shape(json::parse(text), files, unknown);
}

std::string shape_error(const std::string& text, UnknownFields unknown = UnknownFields::refused) {
  return error_of<InvalidInput>([&] { return shape_from(text, unknown); });
}

TEST(ShapeJson, EveryTypeIsReadUnderItsOwnName) {
  const std::pair<const char*, const char*> shapes[] = {
      {"sphere", R"({"type": "sphere", "radius": 0.5})"},
      {"ellipsoid", R"({"type": "ellipsoid", "radii": [1, 2, 3]})"},
      {"box", R"({"type": "box", "half_extents": [1, 2, 3]})"},
      {"capsule", R"({"type": "capsule", "radius": 1, "half_length": 0})"},
      {"cylinder", R"({"type": "cylinder", "radius": 1, "half_length": 2})"},
      {"cone", R"({"type": "cone", "radius": 1, "half_length": 2})"},
      {"convex", R"({"type": "convex", "points": [[0,0,0], [1,0,0], [0,1,0], [0,0,1]]})"},
      {"triangle", R"({"type": "triangle", "points": [[0,0,0], [1,0,0], [0,1,0]]})"},
      {"padded_polygon", R"({"type": "padded_polygon", "points": [[0,0], [1,0], [0,1]], "radius": 0})"},
      {"superquadric", R"({"type": "superquadric", "radii": [1, 1, 1], "exponents": [0.5, 1.5]})"},
      {"smooth_hull", R"({"type": "smooth_hull", "points": [[1,0,0], [-1,0,0], [0,1,0]], "sharpness": 4})"},
      {"smooth_revolution",
       R"({"type": "smooth_revolution", "profile": [[0.5,-1], [0.5,1]], "sharpness": 4, "flatness": 0.1})"},
      {"halfspace", R"({"type": "halfspace", "normal": [0, 0, 2], "offset": 1})"},
      {"mesh", R"({"type": "mesh", "vertices": [[0,0,0], [1,0,0], [0,1,0]], "triangles": [[0, 1, 2]]})"},
      {"height_field", R"({"type": "height_field", "heights": [[0, 1, 2], [0, 1, 2]], "spacing": [1, 1], "base": -1})"},
      {"compound", R"({"type": "compound", "children": [{"shape": {"type": "sphere", "radius": 1}}]})"},
  };
  for (const auto& [name, text] : shapes) {
    SCOPED_TRACE(text);
    EXPECT_EQ(shape_from(text).type_name(), name);
    // The same with one field too many, and without each field in turn.
    const Json whole = json::parse(text);
    Json more = whole;
    more["colour"] = "red";
    EXPECT_EQ(shape_error(more.dump()).rfind("colour: is not a field of this object; it takes type, ", 0), 0u);
    EXPECT_EQ(shape_error(more.dump(), UnknownFields::ignored), "no error");
    for (const auto& item : whole.items()) {
      Json less = whole;
      less.erase(item.key());
      const std::string error = shape_error(less.dump());
      EXPECT_EQ(error.rfind(item.key() + ": is required", 0), 0u) << error;
      Json wrong = whole;
      wrong[item.key()] = nullptr;
      EXPECT_EQ(shape_error(wrong.dump()).rfind(item.key() + ": must be ", 0), 0u) << shape_error(wrong.dump());
    }
  }
}

TEST(ShapeJson, ValuesArriveWhereTheyBelong) {
  const Shape cone = shape_from(R"({"type": "cone", "radius": 0.25, "half_length": 2, "margin": 0.5})");
  EXPECT_EQ(cone.get_if<Cone>()->radius(), 0.25);
  EXPECT_EQ(cone.get_if<Cone>()->half_length(), 2.0);
  EXPECT_EQ(cone.margin(), 0.5);
  const Shape field =
      shape_from(R"({"type": "height_field", "heights": [[1, 2, 3], [4, 5, 6]], "spacing": [0.5, 2], "base": -1})");
  const auto& heights = field.get_if<HeightField>()->heights();
  ASSERT_EQ(heights.rows(), 2);
  ASSERT_EQ(heights.cols(), 3);
  EXPECT_EQ(heights(0, 2), 3.0);
  EXPECT_EQ(heights(1, 0), 4.0);
  EXPECT_EQ(field.get_if<HeightField>()->spacing(), Eigen::Vector2d(0.5, 2.0));
  const Shape mesh = shape_from(
      R"({"type": "mesh", "vertices": [[0,0,0], [1,0,0], [0,1,0], [0,0,1]], "triangles": [[0,1,2], [3,1,0]]})");
  EXPECT_EQ(mesh.get_if<TriangleMesh>()->triangles()[1], (TriangleMesh::Indices{3, 1, 0}));
  const Shape compound = shape_from(
      R"({"type": "compound", "children": [{"shape": {"type": "sphere", "radius": 1}},
          {"shape": {"type": "box", "half_extents": [1, 1, 1]}, "pose": {"translation": [0, 0, 5]}}]})");
  ASSERT_EQ(compound.get_if<Compound>()->children().size(), 2u);
  EXPECT_EQ(compound.get_if<Compound>()->children()[1].pose.translation(), Vector3d(0, 0, 5));
}

TEST(ShapeJson, ErrorsNameThePathTheRuleAndTheValue) {
  const std::pair<const char*, const char*> errors[] = {
      {R"({"type": "sphere", "radius": -1})", "radius: must be finite and > 0, got -1"},
      {R"({"type": "sphere", "radius": 0})", "radius: must be finite and > 0, got 0"},
      {R"({"type": "sphere", "radius": "1"})", "radius: must be a number, got a string"},
      {R"({"type": "sphere", "radius": 1, "margin": -0.5})", "margin: must be finite and >= 0, got -0.5"},
      {R"({"type": "box", "half_extents": [1, 1, 1, 1]})",
       "half_extents: must be an array of 3 numbers, got an array of 4"},
      {R"({"type": "box", "half_extents": [1, 0, 1]})", "half_extents[1]: must be finite and > 0, got 0"},
      {R"({"type": "capsule", "radius": 1, "half_length": -1})", "half_length: must be finite and >= 0, got -1"},
      {R"({"type": "convex", "points": [[0, 0, 0], [1, 2]]})",
       "points[1]: must be an array of 3 numbers, got an array of 2"},
      {R"({"type": "convex", "points": [[0, 0, 0]], "file": "a.obj"})", "file: excludes points"},
      {R"({"type": "convex"})", "points: is required (points, or file)"},
      {R"({"type": "convex", "file": 3})", "file: must be a string, got 3"},
      {R"({"type": "convex", "file": ""})", "file: must not be empty"},
      {R"({"type": "mesh", "file": ""})", "file: must not be empty"},
      {R"({"type": "convex", "file": "no/such.obj"})", "file: no/such.obj: does not exist"},
      {R"({"type": "triangle", "points": [[0, 0, 0], [1, 0, 0]]})", "points: must be 3 points, got 2"},
      {R"({"type": "mesh", "vertices": [[0, 0, 0]], "triangles": [[0, 0, -1]]})",
       "triangles[0][2]: must be an integer >= 0, got -1"},
      {R"({"type": "mesh", "vertices": [[0, 0, 0]], "triangles": [[0, 0]]})",
       "triangles[0]: must be an array of 3 vertex indices, got an array of 2"},
      {R"({"type": "mesh"})", "vertices: is required (vertices and triangles, or file)"},
      {R"({"type": "height_field", "heights": [[0, 0], [0]], "spacing": [1, 1], "base": 0})",
       "heights[1]: must be an array of 2 numbers, got an array of 1"},
      {R"({"type": "compound", "children": [{"shape": {"type": "sphere", "radius": 1}},
           {"shape": {"type": "compound", "children": [{"shape": {"type": "sphere", "radius": -2}}]}}]})",
       "children[1].shape.children[0].shape.radius: must be finite and > 0, got -2"},
      {R"({"type": "compound", "children": [{"shape": {"type": "sphere", "radius": 1},
           "pose": {"rotation": [0, 0, 0, 0]}}]})",
       "children[0].pose.rotation: must not be the zero quaternion"},
      {R"({"type": "circle", "radius": 1})", "type: \"circle\" is planar: it needs \"dimension\": 2 in the query"},
      {R"({"type": 3})", "type: must be a string, got 3"},
      {R"([1, 2])", "must be an object, got an array of 2"},
  };
  for (const auto& [text, error] : errors) {
    SCOPED_TRACE(text);
    EXPECT_EQ(shape_error(text), error);
  }
  const std::string unknown = shape_error(R"({"type": "teapot"})");
  EXPECT_EQ(unknown.rfind("type: \"teapot\" is not a shape; known are sphere, ellipsoid, box, ", 0), 0u) << unknown;
}

TEST(ShapeJson, RefusesValuesThatTheShapesRefuse) {
  for (const char* text :
       {R"({"type": "convex", "points": []})", R"({"type": "padded_polygon", "points": [], "radius": 1})",
        R"({"type": "superquadric", "radii": [1, 1, 1], "exponents": [1, 2]})",
        R"({"type": "smooth_hull", "points": [[1, 0, 0]], "sharpness": 2})",
        R"({"type": "smooth_revolution", "profile": [[-1, 0]], "sharpness": 4, "flatness": 1})",
        R"({"type": "halfspace", "normal": [0, 0, 0], "offset": 0})",
        R"({"type": "mesh", "vertices": [[0, 0, 0]], "triangles": []})",
        R"({"type": "mesh", "vertices": [[0, 0, 0]], "triangles": [[0, 0, 1]]})",
        R"({"type": "mesh", "vertices": [[0,0,0]], "triangles": [[0, 0, 0]], "margin": 1})",
        R"({"type": "height_field", "heights": [], "spacing": [1, 1], "base": 0})",
        R"({"type": "height_field", "heights": [[0, 0], [0, 0]], "spacing": [1, 0], "base": 0})",
        R"({"type": "height_field", "heights": [[0, 0], [0, 0]], "spacing": [1, 1], "base": 1})",
        R"({"type": "compound", "children": []})"}) {
    SCOPED_TRACE(text);
    const std::string error = shape_error(text);
    EXPECT_NE(error, "no error");
    EXPECT_EQ(error.find("another exception"), std::string::npos) << error;
    EXPECT_NE(error.find(": "), std::string::npos) << error;
  }
}

TEST(ShapeJson, CompoundsNestButNotWithoutEnd) {
  const auto nested = [](int levels) {
    Json shape = {{"type", "sphere"}, {"radius", 1.0}};
    for (int i = 0; i < levels; ++i) shape = {{"type", "compound"}, {"children", {{{"shape", shape}}}}};
    return shape.dump();
  };
  EXPECT_EQ(shape_error(nested(kMaxCompoundDepth)), "no error");
  const std::string error = shape_error(nested(kMaxCompoundDepth + 1));
  EXPECT_NE(error.find("compounds are nested deeper than 16 levels"), std::string::npos) << error;
}

TEST(ShapeJson, FilesAreRelativeToTheFolderAndReadOnce) {
  const TempFolder folder;
  const auto file =
      folder.write("parts/tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  ShapeFiles files(folder.path());
  const Json convex = json::parse(R"({"type": "convex", "file": "parts/tetra.obj"})");
  const Json mesh = json::parse(R"({"type": "mesh", "file": "parts/tetra.obj"})");
  const Shape first = read_shape(convex, files, UnknownFields::refused);
  EXPECT_EQ(first.get_if<ConvexHull>()->vertices().size(), 4u);
  EXPECT_EQ(read_shape(mesh, files, UnknownFields::refused).get_if<TriangleMesh>()->triangles().size(), 4u);
  std::filesystem::remove(file);
  const Shape second = read_shape(convex, files, UnknownFields::refused);
  EXPECT_EQ(second.get_if<ConvexHull>()->vertices().data(), first.get_if<ConvexHull>()->vertices().data());
}

TEST(ShapeJson, FilesBesideALinkedFolderAreThoseBesideItsTarget) {
  const TempFolder folder;
  const std::string faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  folder.write("mesh.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n" + faces);
  folder.write("real/mesh.obj", "v 0 0 0\nv 9 0 0\nv 0 9 0\nv 0 0 9\n" + faces);
  std::filesystem::create_directories(folder.path() / "real/sub");
  std::filesystem::create_directory_symlink("real/sub", folder.path() / "link");
  const auto upper = [](const ConvexHull& hull) { return aabb(Shape(hull), Pose()).upper; };
  ShapeFiles files(folder.path());
  const ConvexHull beside_target = files.hull("link/../mesh.obj");
  const ConvexHull beside_link = files.hull("mesh.obj");
  EXPECT_EQ(upper(beside_target), Vector3d(9.0, 9.0, 9.0));
  EXPECT_EQ(upper(beside_link), Vector3d(1.0, 1.0, 1.0));
  EXPECT_EQ(files.hull("real/mesh.obj").vertices().data(), beside_target.vertices().data());
  EXPECT_EQ(files.hull("./real/sub/../../mesh.obj").vertices().data(), beside_link.vertices().data());
  ShapeFiles linked_files(folder.path() / "link");
  EXPECT_EQ(upper(linked_files.hull("../mesh.obj")), Vector3d(9.0, 9.0, 9.0));
}

TEST(PoseJson, BothPartsAreOptionalAndTheQuaternionIsNormalised) {
  const auto pose_from = [](const char* text) { return read_pose(json::parse(text), UnknownFields::refused); };
  EXPECT_TRUE(pose_from("{}") == Pose());
  EXPECT_EQ(pose_from(R"({"translation": [1, 2, 3]})").translation(), Vector3d(1, 2, 3));
  const Pose turned = pose_from(R"({"rotation": [2, 0, 0, 2]})");
  EXPECT_TRUE((turned * Vector3d::UnitX()).isApprox(Vector3d::UnitY(), 1e-15));
  EXPECT_TRUE(read_pose_field(json::parse("{}"), UnknownFields::refused) == Pose());
}

TEST(PoseJson, ErrorsNameTheField) {
  const auto pose_error = [](const char* text) {
    return error_of<InvalidInput>([&] { return read_pose_field(json::parse(text), UnknownFields::refused); });
  };
  EXPECT_EQ(pose_error(R"({"pose": null})"), "pose: must be an object, got null");
  EXPECT_EQ(pose_error(R"({"pose": {"rotation": [0, 0, 0, 0]}})"), "pose.rotation: must not be the zero quaternion");
  EXPECT_EQ(pose_error(R"({"pose": {"rotation": 0.5}})"), "pose.rotation: must be an array of 4 numbers, got 0.5");
  EXPECT_EQ(pose_error(R"({"pose": {"translation": [1, "2", 3]}})"),
            "pose.translation[1]: must be a number, got a string");
  EXPECT_EQ(pose_error(R"({"pose": {"position": [1, 2, 3]}})"),
            "pose.position: is not a field of this object; it takes translation, rotation");
}

}  // namespace
}  // namespace abut
