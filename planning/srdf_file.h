// What an SRDF file (wiki.ros.org/srdf) says about a robot beside its URDF: groups of joints, their named states, and
// pairs of links that are not checked against each other.
#pragma once

#include <abut/planning/disabled_pairs.h>
#include <abut/planning/robot_model.h>

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace abut {

/// The joints between a link and one below it.
struct LinkChain {
  std::size_t base_link = 0;
  std::size_t tip_link = 0;

  friend bool operator==(const LinkChain&, const LinkChain&) = default;
};

/// A set of joints, written as joints, links (each stands for the joint that carries it), chains and other groups.
struct JointGroup {
  std::string name;

  // As they are written; indices into the robot's links and joints and into SemanticModel::groups.
  std::vector<std::size_t> links;
  std::vector<std::size_t> joints;
  std::vector<LinkChain> chains;
  std::vector<std::size_t> subgroups;

  /// All joints of the group, fixed and mimic joints among them, in the order of RobotModel::joints_from_root().
  std::vector<std::size_t> all_joints;
  /// Their variables, in the order of these joints; indices into RobotModel::variables().
  std::vector<std::size_t> variables;

  friend bool operator==(const JointGroup&, const JointGroup&) = default;
};

struct VariableValue {
  std::size_t variable = 0;  ///< Index into RobotModel::variables().
  double value = 0.0;        ///< Radians or metres, finite; may be outside of the limits.

  friend bool operator==(const VariableValue&, const VariableValue&) = default;
};

/// A named state of a group; it need not have a value for every variable.
struct GroupState {
  std::string name;
  std::size_t group = 0;
  std::vector<VariableValue> values;

  friend bool operator==(const GroupState&, const GroupState&) = default;
};

struct SemanticModel {
  std::string name;  ///< Of the robot.
  std::vector<JointGroup> groups;
  std::vector<GroupState> group_states;
  std::vector<DisabledPair> disabled_pairs;
  /// What of the file was passed over though it might matter: pairs with links that the robot has not, values of joints
  /// that cannot have one, elements that are not known, wherever they are, another robot's name. A line each, for
  /// people.
  std::vector<std::string> ignored;

  [[nodiscard]] std::optional<std::size_t> find_group(std::string_view group) const;
  [[nodiscard]] std::optional<std::size_t> find_state(std::size_t group, std::string_view state) const;
};

/// Reads what the file says about a robot. End effectors, virtual joints, passive joints, joint properties and
/// approximations by spheres are passed over.
/// @throws FileError  naming the file, the group, the element and its line, and the rule: not XML, an attribute that is
///     missing or no finite number, a joint, link or group that does not exist, a chain whose tip is not below its
///     base, groups that are parts of themselves, names given twice.
[[nodiscard]] SemanticModel read_srdf(const std::filesystem::path& file, const RobotModel& robot);

/// The same from text. @throws InvalidInput  as read_srdf.
[[nodiscard]] SemanticModel parse_srdf(std::string_view text, const RobotModel& robot);

/// Writes name, groups as they are written, states and pairs; read_srdf gives them back equal. A planar or floating
/// joint that has a value in a state has all, in the order of its variables.
/// @throws InvalidInput  on an index out of range, on a name with a zero byte, or where a planar or floating joint has
///     only some values.
void write_srdf(std::ostream& stream, const RobotModel& robot, const SemanticModel& semantic);

/// The same to a file, which is created or replaced. @throws FileError  also when it cannot be written.
void write_srdf(const std::filesystem::path& file, const RobotModel& robot, const SemanticModel& semantic);

}  // namespace abut
