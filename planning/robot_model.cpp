// RobotModel: the checks that make links and joints a tree, the list of variables, and poses by the plain recursion.
#include <abut/core/error.h>
#include <abut/planning/robot_model.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>
#include <utility>

namespace abut {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr std::array<const char*, 3> kPlanarSuffixes = {"/x", "/y", "/theta"};
constexpr std::array<const char*, 6> kFloatingSuffixes = {"/x", "/y", "/z", "/roll", "/pitch", "/yaw"};
constexpr std::size_t kFirstPlanarAngle = 2;
constexpr std::size_t kFirstFloatingAngle = 3;

std::string named(const char* what, const std::string& name) {
  return std::string(what) + " \"" + name + "\"";
}

using IndexOfName = std::unordered_map<std::string_view, std::size_t>;

// `items` have a name each; refuses empty and repeated ones.
template <class Items>
IndexOfName index_names(const char* what, const Items& items) {
  IndexOfName index_of;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name.empty()) {
      throw InvalidInput(std::string(what) + "[" + std::to_string(i) + "].name", "must not be empty");
    }
    if (!index_of.try_emplace(items[i].name, i).second) {
      throw InvalidInput(named(what, items[i].name), "is the name of an earlier " + std::string(what));
    }
  }
  return index_of;
}

template <class Items>
std::optional<std::size_t> find_name(const Items& items, std::string_view name) {
  const auto found = std::find_if(items.begin(), items.end(), [name](const auto& item) { return item.name == name; });
  if (found == items.end()) return std::nullopt;
  return static_cast<std::size_t>(found - items.begin());
}

bool has_one_variable(JointKind kind) {
  return kind == JointKind::revolute || kind == JointKind::continuous || kind == JointKind::prismatic;
}

bool has_axis(JointKind kind) {
  return has_one_variable(kind) || kind == JointKind::planar;
}

void check_index(const RobotJoint& joint, const char* field, std::size_t link, std::size_t link_count) {
  if (link < link_count) return;
  throw InvalidInput(
      named("joint", joint.name) + "." + field,
      "must be the index of one of " + std::to_string(link_count) + " links, got " + std::to_string(link));
}

void check_limits(const RobotJoint& joint) {
  if (joint.kind != JointKind::revolute && joint.kind != JointKind::prismatic) return;
  const std::string field = named("joint", joint.name);
  require_finite(field + ".lower", joint.lower);
  require_finite(field + ".upper", joint.upper);
  if (joint.lower > joint.upper) {
    throw InvalidInput(field + ".lower", "must be <= upper (" + std::to_string(joint.upper) + ")", joint.lower);
  }
}

void check_kind(const RobotJoint& joint) {
  if (joint.kind <= JointKind::floating) return;
  throw InvalidInput(named("joint", joint.name) + ".kind",
                     "is none of JointKind, got " + std::to_string(static_cast<int>(joint.kind)));
}

void check_geometry(const RobotLink& link) {
  for (std::size_t i = 0; i < link.geometry.size(); ++i) {
    require_finite(named("link", link.name) + ".geometry[" + std::to_string(i) + "].link_from_shape",
                   link.geometry[i].link_from_shape);
  }
}

void normalise_axis(RobotJoint& joint) {
  if (!has_axis(joint.kind)) return;
  const std::string field = named("joint", joint.name) + ".axis";
  require_finite(field, joint.axis);
  const double length = joint.axis.stableNorm();
  if (!(length > 0.0) || !std::isfinite(length)) {
    throw InvalidInput(field, "must be longer than 0 and of finite length", length);
  }
  // In two steps: the length of a very short axis has few digits.
  joint.axis = (joint.axis / joint.axis.cwiseAbs().maxCoeff()).normalized();
}

void check_mimic(const RobotJoint& joint, const std::vector<RobotJoint>& joints) {
  if (!joint.mimic) return;
  const std::string field = named("joint", joint.name) + ".mimic";
  if (!has_one_variable(joint.kind)) {
    throw InvalidInput(field, "only revolute, continuous and prismatic joints can mimic another");
  }
  require_finite(field + ".multiplier", joint.mimic->multiplier);
  require_finite(field + ".offset", joint.mimic->offset);
  if (joint.mimic->joint >= joints.size()) {
    throw InvalidInput(field + ".joint", "must be the index of one of " + std::to_string(joints.size()) +
                                             " joints, got " + std::to_string(joint.mimic->joint));
  }
  const RobotJoint& leader = joints[joint.mimic->joint];
  if (&leader == &joint) throw InvalidInput(field + ".joint", "must be another joint");
  if (leader.mimic) throw InvalidInput(field + ".joint", named("joint", leader.name) + " mimics a joint itself");
  if (!has_one_variable(leader.kind)) {
    throw InvalidInput(field + ".joint", named("joint", leader.name) + " is not revolute, continuous or prismatic");
  }
}

RobotVariable unlimited_angle(std::string name, std::size_t joint) {
  return {std::move(name), joint, -std::numbers::pi, std::numbers::pi, /*is_angle=*/true, /*has_limits=*/false};
}

RobotVariable unlimited_length(std::string name, std::size_t joint) {
  return {std::move(name), joint, -kNoLimit, kNoLimit, /*is_angle=*/false, /*has_limits=*/false};
}

template <std::size_t N>
void append_variables(std::vector<RobotVariable>& variables, const RobotJoint& joint, std::size_t index,
                      const std::array<const char*, N>& suffixes, std::size_t first_angle) {
  for (std::size_t k = 0; k < N; ++k) {
    std::string name = joint.name + suffixes[k];
    variables.push_back(k < first_angle ? unlimited_length(std::move(name), index)
                                        : unlimited_angle(std::move(name), index));
  }
}

// The variables of one joint, if it has any of its own.
void append_variables(std::vector<RobotVariable>& variables, const RobotJoint& joint, std::size_t index) {
  if (joint.mimic) return;
  switch (joint.kind) {
    case JointKind::fixed:
      return;
    case JointKind::revolute:
    case JointKind::prismatic:
      variables.push_back({joint.name, index, joint.lower, joint.upper, joint.kind == JointKind::revolute, true});
      return;
    case JointKind::continuous:
      variables.push_back(unlimited_angle(joint.name, index));
      return;
    case JointKind::planar:
      return append_variables(variables, joint, index, kPlanarSuffixes, kFirstPlanarAngle);
    case JointKind::floating:
      return append_variables(variables, joint, index, kFloatingSuffixes, kFirstFloatingAngle);
  }
}

Pose pure_turn(double angle, const Vector3d& axis) {
  return Pose(Vector3d::Zero(), Quaterniond(Eigen::AngleAxisd(angle, axis)));
}

Pose planar_motion(const Vector3d& axis, std::span<const double> values) {
  const PlanarAxes axes = planar_axes(axis);
  return Pose(values[0] * axes.x + values[1] * axes.y) * pure_turn(values[2], axis);
}

Pose floating_motion(std::span<const double> values) {
  return Pose({values[0], values[1], values[2]}) * pure_turn(values[5], Vector3d::UnitZ()) *
         pure_turn(values[4], Vector3d::UnitY()) * pure_turn(values[3], Vector3d::UnitX());
}

}  // namespace

double RobotVariable::default_value() const {
  return std::clamp(0.0, lower, upper);
}

bool RobotVariable::has_range() const {
  return upper - lower <= kLongestRange;
}

std::size_t variable_count(const RobotJoint& joint) {
  if (joint.mimic || joint.kind == JointKind::fixed) return 0;
  if (joint.kind == JointKind::planar) return kPlanarSuffixes.size();
  return joint.kind == JointKind::floating ? kFloatingSuffixes.size() : 1;
}

Pose joint_from_child(const RobotJoint& joint, std::span<const double> values) {
  switch (joint.kind) {
    case JointKind::fixed:
      return {};
    case JointKind::revolute:
    case JointKind::continuous:
      return pure_turn(values[0], joint.axis);
    case JointKind::prismatic:
      return Pose(values[0] * joint.axis);
    case JointKind::planar:
      return planar_motion(joint.axis, values);
    case JointKind::floating:
      return floating_motion(values);
  }
  return {};
}

RobotModel::RobotModel(std::string name, std::vector<RobotLink> links, std::vector<RobotJoint> joints)
    : name_(std::move(name)), links_(std::move(links)), joints_(std::move(joints)) {
  if (links_.empty()) throw InvalidInput("links", "must hold at least one link");
  index_names("link", links_);
  index_names("joint", joints_);
  for (const RobotLink& link : links_) check_geometry(link);
  for (RobotJoint& joint : joints_) {
    check_kind(joint);
    require_finite(named("joint", joint.name) + ".parent_from_joint", joint.parent_from_joint);
    check_index(joint, "parent_link", joint.parent_link, links_.size());
    check_index(joint, "child_link", joint.child_link, links_.size());
    check_limits(joint);
    normalise_axis(joint);
    check_mimic(joint, joints_);
  }
  make_tree();
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const std::size_t before = variables_.size();
    append_variables(variables_, joints_[i], i);
    first_variable_.push_back(variables_.size() > before ? std::optional(before) : std::nullopt);
  }
  index_names("variable", variables_);  // a joint "a/x" beside a planar joint "a"
}

void RobotModel::make_tree() {
  parent_joint_.resize(links_.size());
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    std::optional<std::size_t>& parent = parent_joint_[joints_[i].child_link];
    if (parent) {
      throw InvalidInput(named("link", links_[joints_[i].child_link].name),
                         "must be the child of one joint, but is that of " + named("joint", joints_[*parent].name) +
                             " and of " + named("joint", joints_[i].name));
    }
    parent = i;
  }
  std::optional<std::size_t> root;
  for (std::size_t link = 0; link < links_.size(); ++link) {
    if (parent_joint_[link]) continue;
    if (root) {
      throw InvalidInput(
          named("link", links_[link].name),
          "is a second root beside " + named("link", links_[*root].name) + ": no joint has either as its child");
    }
    root = link;
  }
  if (!root) {
    throw InvalidInput(named("link", links_[0].name), "is below itself: the joints are a cycle, and no link is a root");
  }
  root_link_ = *root;

  // Depth first, in the order of the joints, so that the joints of an arm stay together.
  std::vector<std::vector<std::size_t>> joints_below(links_.size());
  for (std::size_t i = 0; i < joints_.size(); ++i) joints_below[joints_[i].parent_link].push_back(i);
  std::vector<std::size_t> open(joints_below[root_link_].rbegin(), joints_below[root_link_].rend());
  std::vector<bool> reached(links_.size(), false);
  reached[root_link_] = true;
  while (!open.empty()) {
    const std::size_t joint = open.back();
    open.pop_back();
    joints_from_root_.push_back(joint);
    reached[joints_[joint].child_link] = true;
    const std::vector<std::size_t>& below = joints_below[joints_[joint].child_link];
    open.insert(open.end(), below.rbegin(), below.rend());
  }
  // Every link has one parent at most, so what the root does not reach goes round in a circle.
  const auto lost = std::find(reached.begin(), reached.end(), false);
  if (lost != reached.end()) {
    throw InvalidInput(
        named("link", links_[static_cast<std::size_t>(lost - reached.begin())].name),
        "is not below the root " + named("link", links_[root_link_].name) + ": the joints above it are a cycle");
  }
}

std::optional<std::size_t> RobotModel::find_link(std::string_view name) const {
  return find_name(links_, name);
}

std::optional<std::size_t> RobotModel::find_joint(std::string_view name) const {
  return find_name(joints_, name);
}

std::optional<std::size_t> RobotModel::find_variable(std::string_view name) const {
  return find_name(variables_, name);
}

std::vector<double> RobotModel::default_values() const {
  std::vector<double> values;
  values.reserve(variables_.size());
  for (const RobotVariable& variable : variables_) values.push_back(variable.default_value());
  return values;
}

std::vector<Pose> RobotModel::link_poses(std::span<const double> values) const {
  if (values.size() != variables_.size()) {
    throw InvalidInput("values", "must be one a variable, " + std::to_string(variables_.size()) + ", got " +
                                     std::to_string(values.size()));
  }
  for (std::size_t i = 0; i < values.size(); ++i) require_finite(variables_[i].name, values[i]);

  std::vector<Pose> root_from_link(links_.size());
  for (const std::size_t index : joints_from_root_) {
    const RobotJoint& joint = joints_[index];
    double following = 0.0;
    std::span<const double> own(&following, 1);
    if (joint.mimic) {
      following = joint.mimic->multiplier * values[*first_variable_[joint.mimic->joint]] + joint.mimic->offset;
    } else if (first_variable_[index]) {
      own = values.subspan(*first_variable_[index], variable_count(joint));
    }
    root_from_link[joint.child_link] =
        root_from_link[joint.parent_link] * joint.parent_from_joint * joint_from_child(joint, own);
  }
  return root_from_link;
}

bool RobotModel::adjacent(std::size_t link_a, std::size_t link_b) const {
  const auto carries = [this](std::size_t parent, std::size_t child) {
    return parent_joint_[child] && joints_[*parent_joint_[child]].parent_link == parent;
  };
  return carries(link_a, link_b) || carries(link_b, link_a);
}

// Source: Duff et al., "Building an Orthonormal Basis, Revisited" (Journal of Computer Graphics Techniques 2017).
PlanarAxes planar_axes(const Vector3d& axis) {
  const double sign = std::copysign(1.0, axis.z());
  const double a = -1.0 / (sign + axis.z());
  const double b = axis.x() * axis.y() * a;
  return {{1.0 + sign * axis.x() * axis.x() * a, sign * b, -sign * axis.x()},
          {b, sign + axis.y() * axis.y() * a, -axis.y()}};
}

LinkPairs::LinkPairs(std::size_t link_count) : link_count_(link_count), bits_(link_count * link_count, false) {}

void LinkPairs::insert(std::size_t link_a, std::size_t link_b) {
  set(link_a, link_b, true);
}

void LinkPairs::erase(std::size_t link_a, std::size_t link_b) {
  set(link_a, link_b, false);
}

void LinkPairs::set(std::size_t link_a, std::size_t link_b, bool value) {
  for (const std::size_t link : {link_a, link_b}) {
    if (link < link_count_) continue;
    throw InvalidInput(
        "link", "must be the index of one of " + std::to_string(link_count_) + " links, got " + std::to_string(link));
  }
  bits_[link_a * link_count_ + link_b] = value;
  bits_[link_b * link_count_ + link_a] = value;
}

bool LinkPairs::contains(std::size_t link_a, std::size_t link_b) const {
  return bits_[link_a * link_count_ + link_b];
}

}  // namespace abut
