// Two passes. The first goes through the XML, checks all that matters for collision and gathers it in a clean document;
// urdfdom then reads that. urdfdom by itself takes names given twice, numbers followed by garbage and the like, and
// says of what it does not take only in its log that it does not.
#include <abut/core/error.h>
#include <abut/io/file_error.h>
#include <abut/io/read_file.h>
#include <abut/planning/detail/link_meshes.h>
#include <abut/planning/detail/xml_reader.h>
#include <abut/planning/urdf_file.h>
#include <console_bridge/console.h>
#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace abut {
namespace {

using detail::in_quotes;
using detail::XmlElement;
using detail::XmlReader;

constexpr std::array<std::pair<std::string_view, JointKind>, 6> kJointKinds = {{
    {"fixed", JointKind::fixed},
    {"revolute", JointKind::revolute},
    {"continuous", JointKind::continuous},
    {"prismatic", JointKind::prismatic},
    {"planar", JointKind::planar},
    {"floating", JointKind::floating},
}};

/// What an element may hold: what is read, and what of the format and of common extensions means nothing here. Anything
/// else is most likely misspelt, and would be lost.
struct KnownNames {
  std::string_view element;
  std::vector<std::string_view> attributes;
  std::vector<std::string_view> children;
};

/// What a robot may hold besides its links and joints: other parts of the format, and what controllers, simulators
/// (loop_joint is Isaac Sim's) and Drake (the last three) look for there.
const std::vector<std::string_view>& passed_over_in_robot() {
  static const std::vector<std::string_view> kNames = {
      "material", "transmission", "sensor",     "gazebo", "ros2_control",           "controller",   "mujoco",
      "webots",   "bullet",       "loop_joint", "frame",  "collision_filter_group", "force_element"};
  return kNames;
}

const KnownNames* known_names(std::string_view element) {
  static const std::vector<KnownNames> kKnown = {
      {"link",
       {"name", "id", "type", "concave"},
       {"collision", "visual", "inertial", "contact", "sensor", "material", "gazebo", "transmission", "verbose",
        "self_collision_checking", "audio_source"}},
      {"collision",
       {"name", "id", "type", "group", "mask", "concave"},
       {"origin", "geometry", "verbose", "material", "contact", "contact_coefficients", "surface", "max_contacts",
        "gazebo"}},
      {"box", {"size", "name", "id"}, {}},
      {"cylinder", {"radius", "length", "name", "id"}, {}},
      {"sphere", {"radius", "name", "id"}, {}},
      {"mesh", {"filename", "scale", "name", "id"}, {}},
      {"joint",
       {"name", "id", "type", "verbose", "dont_collapse"},
       {"parent", "child", "origin", "axis", "limit", "mimic", "dynamics", "safety_controller", "calibration",
        "hardwareInterface", "transmission", "gazebo", "sensor", "material", "verbose"}},
      {"origin", {"xyz", "rpy"}, {}},
      {"parent", {"link"}, {}},
      {"child", {"link"}, {}},
      {"axis", {"xyz"}, {}},
      {"limit", {"lower", "upper", "velocity", "effort", "acceleration", "deceleration", "jerk"}, {}},
      {"mimic", {"joint", "multiplier", "offset"}, {}},
  };
  const auto found = std::find_if(kKnown.begin(), kKnown.end(),
                                  [element](const KnownNames& known) { return known.element == element; });
  return found != kKnown.end() ? &*found : nullptr;
}

/// Names with a colon belong to somebody's extension.
bool is_known(const std::vector<std::string_view>& known, std::string_view name) {
  return name.find(':') != std::string_view::npos || std::find(known.begin(), known.end(), name) != known.end();
}

std::string list_of(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) (text += text.empty() ? "" : ", ") += name;
  return text;
}

void refuse_macro(const XmlReader& element) {
  if (!element.name().starts_with("xacro:")) return;
  element.fail("is a macro: the file must be turned into plain URDF, by the program xacro, first");
}

void require_known_attributes(const XmlReader& element, const std::vector<std::string_view>& known) {
  for (const auto& [name, value] : element.attributes()) {
    if (is_known(known, name)) continue;
    element.fail("the attribute " + in_quotes(name) + " is not known; known are " + list_of(known));
  }
}

/// Of an element and all in it, as far as they are looked at.
void require_known_names(const XmlReader& element) {
  const KnownNames* known = known_names(element.name());
  if (known == nullptr) return;
  require_known_attributes(element, known->attributes);
  for (const XmlReader& child : element.children()) {
    refuse_macro(child);
    if (!is_known(known->children, child.name())) {
      child.fail("is not known in a <" + element.name() + ">" +
                 (known->children.empty() ? ", which holds nothing" : "; known are " + list_of(known->children)));
    }
    require_known_names(child);
  }
}

XmlElement& append_child(XmlElement& parent, std::string name) {
  parent.children.push_back({.name = std::move(name), .attributes = {}, .children = {}});
  return parent.children.back();
}

void set_attribute(XmlElement& element, std::string name, std::string value) {
  element.attributes.emplace_back(std::move(name), std::move(value));
}

void set_attribute(XmlElement& element, std::string name, double value) {
  set_attribute(element, std::move(name), detail::shortest_text(value));
}

void set_attribute(XmlElement& element, std::string name, const Vector3d& value) {
  std::string text;
  for (const double coordinate : value) (text += text.empty() ? "" : " ") += detail::shortest_text(coordinate);
  set_attribute(element, std::move(name), std::move(text));
}

void copy_origin(const XmlReader& source, XmlElement& target) {
  const std::optional<XmlReader> origin = source.child("origin");
  if (!origin) return;
  XmlElement& copy = append_child(target, "origin");
  set_attribute(copy, "xyz", origin->vector_or("xyz", Vector3d::Zero()));
  set_attribute(copy, "rpy", origin->vector_or("rpy", Vector3d::Zero()));
}

/// What the first pass makes of a description.
struct CheckedUrdf {
  std::string name;
  XmlElement document;                                 ///< For urdfdom.
  std::vector<RobotLink> links;                        ///< Names only.
  std::vector<RobotJoint> joints;                      ///< Names, kinds, links and mimics.
  std::vector<std::vector<std::string>> shape_places;  ///< Of each link's shapes, as errors call them.
};

class UrdfChecker {
 public:
  explicit UrdfChecker(const XmlElement& root) : root_(root, "") {}

  CheckedUrdf check() {
    if (root_.name() != "robot") root_.fail("must be <robot>");
    result_.name = root_.text("name");
    result_.document.name = "robot";
    set_attribute(result_.document, "name", result_.name);
    for (const XmlReader& child : root_.children()) {
      refuse_macro(child);
      if (child.name() == "link") {
        check_link(child);
      } else if (child.name() != "joint" && !is_known(passed_over_in_robot(), child.name())) {
        child.fail("is not known in a <robot>; known are link, joint, " + list_of(passed_over_in_robot()));
      }
    }
    if (result_.links.empty()) root_.fail("must hold a <link>");
    for (const XmlReader& joint : root_.children("joint")) check_joint(joint);
    resolve_mimics();
    return std::move(result_);
  }

 private:
  struct Follower {
    std::size_t joint;
    XmlReader place;
    JointMimic mimic;
  };

  void check_link(const XmlReader& source) {
    const std::string& name = source.text("name");
    const XmlReader link = source.owned_by("link " + in_quotes(name));
    if (!link_index_.try_emplace(name, result_.links.size()).second) link.fail("is given twice");
    require_known_names(link);
    result_.links.push_back({.name = name, .geometry = {}});
    result_.shape_places.emplace_back();
    XmlElement& copy = append_child(result_.document, "link");
    set_attribute(copy, "name", name);
    for (const XmlReader& collision : link.children("collision")) {
      XmlElement& copied_collision = append_child(copy, "collision");
      const std::string* collision_name = collision.find_text("name");
      if (collision_name != nullptr) set_attribute(copied_collision, "name", *collision_name);
      copy_origin(collision, copied_collision);
      check_shape(collision.required_child("geometry"), append_child(copied_collision, "geometry"));
    }
  }

  void check_shape(const XmlReader& geometry, XmlElement& copy) {
    require_known_attributes(geometry, {"name", "id"});
    const std::vector<XmlReader> shapes = geometry.children();
    if (shapes.size() != 1) {
      geometry.fail("must hold one shape, a <box>, <cylinder>, <sphere> or <mesh>, but holds " +
                    std::to_string(shapes.size()));
    }
    const XmlReader& shape = shapes[0];
    require_known_names(shape);
    result_.shape_places.back().push_back(shape.place());
    XmlElement& copied_shape = append_child(copy, shape.name());
    if (shape.name() == "box") {
      const Vector3d size = shape.vector("size");
      if (!(size.array() > 0.0).all()) shape.fail("size must be > 0, got " + in_quotes(shape.text("size")));
      set_attribute(copied_shape, "size", size);
    } else if (shape.name() == "cylinder") {
      set_attribute(copied_shape, "radius", shape.positive_number("radius"));
      set_attribute(copied_shape, "length", shape.positive_number("length"));
    } else if (shape.name() == "sphere") {
      set_attribute(copied_shape, "radius", shape.positive_number("radius"));
    } else if (shape.name() == "mesh") {
      set_attribute(copied_shape, "filename", shape.text("filename"));
      const Vector3d scale = shape.vector_or("scale", Vector3d::Ones());
      if ((scale.array() == 0.0).any()) shape.fail("scale must not be 0, got " + in_quotes(shape.text("scale")));
      set_attribute(copied_shape, "scale", scale);
    } else {
      shape.fail("is not a shape; known are box, cylinder, sphere and mesh");
    }
  }

  std::size_t link_of(const XmlReader& joint, std::string_view end) const {
    const XmlReader element = joint.required_child(end);
    const auto found = link_index_.find(element.text("link"));
    if (found == link_index_.end()) element.fail(in_quotes(element.text("link")) + " is not a link of the robot");
    return found->second;
  }

  static JointKind kind_of(const XmlReader& joint) {
    const std::string& type = joint.text("type");
    for (const auto& [name, kind] : kJointKinds) {
      if (type == name) return kind;
    }
    joint.fail("type " + in_quotes(type) +
               " is unknown; known are fixed, revolute, continuous, prismatic, planar and floating");
  }

  void check_joint(const XmlReader& source) {
    const std::string& name = source.text("name");
    const XmlReader element = source.owned_by("joint " + in_quotes(name));
    if (!joint_index_.try_emplace(name, result_.joints.size()).second) element.fail("is given twice");
    require_known_names(element);
    RobotJoint joint;
    joint.name = name;
    joint.kind = kind_of(element);
    joint.parent_link = link_of(element, "parent");
    joint.child_link = link_of(element, "child");
    XmlElement& copy = append_child(result_.document, "joint");
    set_attribute(copy, "name", name);
    set_attribute(copy, "type", element.text("type"));
    set_attribute(append_child(copy, "parent"), "link", result_.links[joint.parent_link].name);
    set_attribute(append_child(copy, "child"), "link", result_.links[joint.child_link].name);
    copy_origin(element, copy);
    copy_axis(element, joint.kind, copy);
    copy_limits(element, joint.kind, copy);
    note_mimic(element, joint.kind);
    result_.joints.push_back(std::move(joint));
  }

  static void copy_axis(const XmlReader& joint, JointKind kind, XmlElement& copy) {
    if (kind == JointKind::fixed || kind == JointKind::floating) return;  // exporters like to write 0 0 0
    const std::optional<XmlReader> axis = joint.child("axis");
    if (!axis) return;
    const Vector3d xyz = axis->vector("xyz");
    if (xyz.isZero(0.0)) axis->fail("xyz must not be 0, got " + in_quotes(axis->text("xyz")));
    set_attribute(append_child(copy, "axis"), "xyz", xyz);
  }

  static void copy_limits(const XmlReader& joint, JointKind kind, XmlElement& copy) {
    if (kind != JointKind::revolute && kind != JointKind::prismatic) return;
    const XmlReader limit = joint.required_child("limit");
    const double lower = limit.number_or("lower", 0.0);
    const double upper = limit.number_or("upper", 0.0);
    if (lower > upper) {
      limit.fail("lower must be <= upper, got " + detail::shortest_text(lower) + " and " +
                 detail::shortest_text(upper));
    }
    XmlElement& copied_limit = append_child(copy, "limit");
    set_attribute(copied_limit, "lower", lower);
    set_attribute(copied_limit, "upper", upper);
    set_attribute(copied_limit, "effort", 0.0);  // urdfdom asks for these two
    set_attribute(copied_limit, "velocity", 0.0);
  }

  void note_mimic(const XmlReader& joint, JointKind kind) {
    const std::optional<XmlReader> mimic = joint.child("mimic");
    if (!mimic || kind == JointKind::fixed) return;
    if (kind == JointKind::planar || kind == JointKind::floating) {
      mimic->fail("a planar or floating joint cannot mimic another");
    }
    followers_.push_back(
        {result_.joints.size(), *mimic, {0, mimic->number_or("multiplier", 1.0), mimic->number_or("offset", 0.0)}});
  }

  // Follows each chain of mimics to the joint at its end, the values of which are m1 (m2 x + o2) + o1 and so on.
  void resolve_mimics() {
    std::unordered_map<std::size_t, JointMimic*> mimic_of;
    for (Follower& follower : followers_) {
      const std::string& leader = follower.place.text("joint");
      const auto found = joint_index_.find(leader);
      if (found == joint_index_.end()) follower.place.fail(in_quotes(leader) + " is not a joint of the robot");
      follower.mimic.joint = found->second;
      mimic_of[follower.joint] = &follower.mimic;
    }
    for (const Follower& follower : followers_) {
      JointMimic total = follower.mimic;
      for (std::size_t steps = 0; mimic_of.contains(total.joint); ++steps) {
        if (steps > followers_.size()) {
          follower.place.fail("joint " + in_quotes(follower.place.text("joint")) +
                              " mimics, in the end, itself: the mimics are a cycle");
        }
        const JointMimic& next = *mimic_of[total.joint];
        total = {next.joint, total.multiplier * next.multiplier, total.multiplier * next.offset + total.offset};
      }
      const RobotJoint& leader = result_.joints[total.joint];
      if (leader.kind != JointKind::revolute && leader.kind != JointKind::continuous &&
          leader.kind != JointKind::prismatic) {
        follower.place.fail("joint " + in_quotes(leader.name) + " is not revolute, continuous or prismatic");
      }
      if (!std::isfinite(total.multiplier) || !std::isfinite(total.offset)) {
        follower.place.fail("multiplier and offset are too large");
      }
      result_.joints[follower.joint].mimic = total;
    }
  }

  XmlReader root_;
  CheckedUrdf result_;
  std::unordered_map<std::string, std::size_t> link_index_;
  std::unordered_map<std::string, std::size_t> joint_index_;
  std::vector<Follower> followers_;
};

// Keeps what urdfdom would print.
class KeptLog : public console_bridge::OutputHandler {
 public:
  void log(const std::string& text, console_bridge::LogLevel, const char*, int) override { last_ = text; }
  [[nodiscard]] const std::string& last() const { return last_; }
  void clear() { last_.clear(); }

 private:
  std::string last_;
};

urdf::ModelInterfaceSharedPtr parse_with_urdfdom(const XmlElement& document) {
  // The handler of the log is one for the whole program, which may keep a pointer to it; so there is one for ever.
  static std::mutex mutex;
  static KeptLog log;
  const std::lock_guard lock(mutex);
  console_bridge::OutputHandler* const before = console_bridge::getOutputHandler();
  log.clear();
  console_bridge::useOutputHandler(&log);
  urdf::ModelInterfaceSharedPtr model;
  try {
    model = urdf::parseURDF(detail::xml_text(document));
  } catch (const std::exception&) {
    console_bridge::useOutputHandler(before);
    throw;
  }
  console_bridge::useOutputHandler(before);
  if (!model) throw InvalidInput("", "urdfdom cannot read it: " + log.last());
  return model;
}

Vector3d vector_from(const urdf::Vector3& v) {
  return {v.x, v.y, v.z};
}

Pose pose_from(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  return Pose(vector_from(pose.position), Quaterniond(r.w, r.x, r.y, r.z));
}

std::vector<Shape> shapes_from(const urdf::Geometry& geometry, detail::LinkMeshes& meshes) {
  switch (geometry.type) {
    case urdf::Geometry::SPHERE:
      return {Sphere(dynamic_cast<const urdf::Sphere&>(geometry).radius)};
    case urdf::Geometry::BOX:
      return {Box(0.5 * vector_from(dynamic_cast<const urdf::Box&>(geometry).dim))};
    case urdf::Geometry::CYLINDER: {
      const auto& cylinder = dynamic_cast<const urdf::Cylinder&>(geometry);
      return {Cylinder(cylinder.radius, 0.5 * cylinder.length)};
    }
    case urdf::Geometry::MESH: {
      const auto& mesh = dynamic_cast<const urdf::Mesh&>(geometry);
      return meshes.shapes(mesh.filename, vector_from(mesh.scale));
    }
  }
  return {};
}

std::vector<LinkGeometry> geometry_from(const urdf::Link& link, const std::vector<std::string>& places,
                                        detail::LinkMeshes& meshes) {
  if (link.collision_array.size() != places.size()) {
    throw InvalidInput("link " + in_quotes(link.name), "urdfdom reads another number of collision elements");
  }
  std::vector<LinkGeometry> result;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const urdf::Collision& collision = *link.collision_array[i];
    try {
      const Pose link_from_shape = pose_from(collision.origin);
      for (const Shape& shape : shapes_from(*collision.geometry, meshes)) {
        result.push_back({collision.name, shape, link_from_shape});
      }
    } catch (const std::exception& error) {  // InvalidInput of a shape or FileError of a mesh
      throw InvalidInput(places[i], error.what());
    }
  }
  return result;
}

void fill_joint(const urdf::Joint& source, RobotJoint& joint) {
  joint.parent_from_joint = pose_from(source.parent_to_joint_origin_transform);
  if (joint.kind != JointKind::fixed && joint.kind != JointKind::floating) joint.axis = vector_from(source.axis);
  if (joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic) {
    joint.lower = source.limits->lower;
    joint.upper = source.limits->upper;
  }
}

template <class Pointer>
const auto& required(const Pointer& found, const char* what, const std::string& name) {
  if (!found) throw InvalidInput(what + (" " + in_quotes(name)), "urdfdom reads its name differently");
  return *found;
}

}  // namespace

RobotModel parse_urdf(std::string_view text, const std::filesystem::path& folder, const UrdfOptions& options,
                      std::vector<std::filesystem::path>* mesh_files) {
  const XmlElement root = detail::parse_xml(text);
  CheckedUrdf checked = UrdfChecker(root).check();
  static_cast<void>(RobotModel(checked.name, checked.links, checked.joints));  // refuses what is not a tree
  const urdf::ModelInterfaceSharedPtr model = parse_with_urdfdom(checked.document);
  detail::LinkMeshes meshes(folder, options);
  for (std::size_t i = 0; i < checked.links.size(); ++i) {
    RobotLink& link = checked.links[i];
    link.geometry =
        geometry_from(required(model->getLink(link.name), "link", link.name), checked.shape_places[i], meshes);
  }
  if (options.meshes == UrdfMeshes::convex_parts) {
    if (const std::string* unused = meshes.find_unused_parts()) {
      throw InvalidInput("parts", "no mesh of the robot is called " + in_quotes(*unused));
    }
  }
  if (mesh_files != nullptr) *mesh_files = meshes.files();
  for (RobotJoint& joint : checked.joints) {
    fill_joint(required(model->getJoint(joint.name), "joint", joint.name), joint);
  }
  return RobotModel(std::move(checked.name), std::move(checked.links), std::move(checked.joints));
}

RobotModel read_urdf(const std::filesystem::path& file, const UrdfOptions& options,
                     std::vector<std::filesystem::path>* mesh_files) {
  const std::string text = read_file(file);
  try {
    return parse_urdf(text, std::filesystem::absolute(file).parent_path(), options, mesh_files);
  } catch (const InvalidInput& error) {
    throw FileError(file, error.what());
  }
}

}  // namespace abut
