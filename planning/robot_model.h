// A robot as its description file tells it: links with collision geometry, joints of every kind, and the scalar
// variables that move them. The format's terms are those of URDF (wiki.ros.org/urdf/XML), its reader is urdf_file.h.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace abut {

/// What a joint lets its child link do, seen from the joint's frame.
enum class JointKind : std::uint8_t {
  fixed,
  revolute,    ///< Turns about the axis within limits.
  continuous,  ///< Turns about the axis without limits.
  prismatic,   ///< Slides along the axis within limits.
  planar,      ///< Slides in the plane that the axis is normal to and turns about the axis: 3 variables.
  floating,    ///< Moves freely: 6 variables, x y z and roll pitch yaw (about fixed axes, in this order).
};

/// A joint that follows another: value = multiplier * value of that joint + offset.
struct JointMimic {
  std::size_t joint = 0;  ///< Index of a joint of one variable that mimics none itself.
  double multiplier = 1.0;
  double offset = 0.0;
};

/// A piece of a link's collision geometry.
struct LinkGeometry {
  std::string name;  ///< May be empty.
  Shape shape;
  Pose link_from_shape;
};

struct RobotLink {
  std::string name;
  std::vector<LinkGeometry> geometry;  ///< May be empty.
};

struct RobotJoint {
  std::string name;
  JointKind kind = JointKind::fixed;
  std::size_t parent_link = 0;
  std::size_t child_link = 0;
  Pose parent_from_joint;             ///< At value zero the child's frame is the joint's.
  Vector3d axis = Vector3d::UnitX();  ///< Unit, joint frame; of no meaning for fixed and floating.
  double lower = 0.0;                 ///< Limits of revolute and prismatic joints, radians or metres.
  double upper = 0.0;
  std::optional<JointMimic> mimic;
};

/// How many variables a joint has: 0 for a fixed or mimic joint, 3 for a planar, 6 for a floating, 1 for any other.
[[nodiscard]] std::size_t variable_count(const RobotJoint& joint);

/// Where a joint puts its child link.
/// @param joint   Its axis is unit.
/// @param values  As many as its kind has; one for a mimic joint, the value that it takes. Radians or metres, finite.
[[nodiscard]] Pose joint_from_child(const RobotJoint& joint, std::span<const double> values);

/// A scalar that a configuration gives a value. A joint that is fixed or mimics another has none; a planar joint has
/// NAME/x, NAME/y, NAME/theta (x and y along two axes that are right-handed with the joint's axis); a floating one
/// NAME/x, NAME/y, NAME/z, NAME/roll, NAME/pitch, NAME/yaw; any other joint one of its own name.
struct RobotVariable {
  std::string name;
  std::size_t joint = 0;
  double lower = 0.0;  ///< Radians or metres; for a variable without limits -pi and pi, or minus and plus infinity.
  double upper = 0.0;
  bool is_angle = false;  ///< Radians, not metres.
  bool has_limits = false;

  /// Zero, or the limit nearest to it.
  [[nodiscard]] double default_value() const;
  /// Whether its limits are no farther apart than kLongestRange.
  [[nodiscard]] bool has_range() const;
  /// Radians or metres: limits farther apart are none that a configuration could reach (ValidityChecker).
  static constexpr double kLongestRange = 2e9;
};

/// Immutable once made. A tree: every link but the root is the child of exactly one joint.
class RobotModel {
 public:
  /// @throws InvalidInput  naming the link or joint: a name that is empty or given twice, an index out of range, a link
  ///     with two parents or none beside the root, a cycle, an axis that is zero or not finite, limits that are not
  ///     finite or out of order, a pose that is not finite, a mimic joint that follows itself, a mimic joint, or one
  ///     with other than one variable. Axes are made unit.
  RobotModel(std::string name, std::vector<RobotLink> links, std::vector<RobotJoint> joints);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<RobotLink>& links() const { return links_; }
  [[nodiscard]] const std::vector<RobotJoint>& joints() const { return joints_; }
  /// In the order of their joints.
  [[nodiscard]] const std::vector<RobotVariable>& variables() const { return variables_; }

  [[nodiscard]] std::size_t root_link() const { return root_link_; }
  /// The joint that carries a link; nothing for the root.
  [[nodiscard]] std::optional<std::size_t> parent_joint(std::size_t link) const { return parent_joint_[link]; }
  /// Joints, each after the joint that carries its parent link: depth first, siblings in the order of joints().
  [[nodiscard]] const std::vector<std::size_t>& joints_from_root() const { return joints_from_root_; }
  /// The first of a joint's variables among variables(); nothing for fixed and mimic joints.
  [[nodiscard]] std::optional<std::size_t> first_variable(std::size_t joint) const { return first_variable_[joint]; }

  [[nodiscard]] std::optional<std::size_t> find_link(std::string_view name) const;
  [[nodiscard]] std::optional<std::size_t> find_joint(std::string_view name) const;
  [[nodiscard]] std::optional<std::size_t> find_variable(std::string_view name) const;

  /// default_value() of every variable.
  [[nodiscard]] std::vector<double> default_values() const;

  /// Poses of all links at one configuration, plainly: for tools and tests; kinematics.h is made for speed.
  /// @param values  One a variable, radians or metres.
  /// @return root_from_link, one a link. @throws InvalidInput  on a wrong number of values or one that is not finite.
  [[nodiscard]] std::vector<Pose> link_poses(std::span<const double> values) const;

  /// Whether a joint, fixed or not, joins the two links.
  [[nodiscard]] bool adjacent(std::size_t link_a, std::size_t link_b) const;

 private:
  void make_tree();

  std::string name_;
  std::vector<RobotLink> links_;
  std::vector<RobotJoint> joints_;
  std::vector<RobotVariable> variables_;
  std::size_t root_link_ = 0;
  std::vector<std::optional<std::size_t>> parent_joint_;
  std::vector<std::size_t> joints_from_root_;
  std::vector<std::optional<std::size_t>> first_variable_;
};

/// Two unit axes that are right-handed with a unit axis: those along which a planar joint slides.
/// For the axis z they are x and y.
struct PlanarAxes {
  Vector3d x;
  Vector3d y;
};
[[nodiscard]] PlanarAxes planar_axes(const Vector3d& axis);

/// A set of unordered pairs of links.
class LinkPairs {
 public:
  explicit LinkPairs(std::size_t link_count);

  /// @throws InvalidInput  on an index out of range.
  void insert(std::size_t link_a, std::size_t link_b);
  /// @throws InvalidInput  on an index out of range.
  void erase(std::size_t link_a, std::size_t link_b);
  [[nodiscard]] bool contains(std::size_t link_a, std::size_t link_b) const;
  [[nodiscard]] std::size_t link_count() const { return link_count_; }

  friend bool operator==(const LinkPairs&, const LinkPairs&) = default;

 private:
  void set(std::size_t link_a, std::size_t link_b, bool value);

  std::size_t link_count_;
  std::vector<bool> bits_;  // link_count_ squared, symmetric
};

}  // namespace abut
