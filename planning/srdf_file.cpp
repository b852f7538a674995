// Reads by one pass over the elements and a second over the groups, since a group may name one that follows it.
#include <abut/core/error.h>
#include <abut/io/file_error.h>
#include <abut/io/read_file.h>
#include <abut/planning/detail/xml_reader.h>
#include <abut/planning/srdf_file.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <ostream>
#include <set>
#include <unordered_map>
#include <utility>

namespace abut {
namespace {

using detail::in_quotes;
using detail::XmlElement;
using detail::XmlReader;

// What says nothing about groups or collisions.
constexpr std::array<std::string_view, 5> kPassedOver = {"end_effector", "virtual_joint", "passive_joint",
                                                         "joint_property", "link_sphere_approximation"};

bool is_passed_over(std::string_view name) {
  return std::find(kPassedOver.begin(), kPassedOver.end(), name) != kPassedOver.end();
}

class SrdfParser {
 public:
  SrdfParser(const XmlElement& root, const RobotModel& robot) : root_(root, ""), robot_(robot) {}

  SemanticModel parse() {
    if (root_.name() != "robot") root_.fail("must be <robot>");
    semantic_.name = root_.text("name");
    if (semantic_.name != robot_.name()) {
      ignore(root_, "is about the robot " + in_quotes(semantic_.name) + ", not " + in_quotes(robot_.name()));
    }
    for (const XmlReader& joint : root_.children("virtual_joint")) virtual_joints_.insert(joint.text("name"));
    read_groups();
    for (const XmlReader& child : root_.children()) {
      if (child.name() == "group") continue;
      if (child.name() == "group_state") {
        read_state(child);
      } else if (child.name() == "disable_collisions") {
        read_pair(child);
        ignore_children(child);
      } else if (!is_passed_over(child.name())) {
        ignore(child, "is not known");
      }
    }
    return std::move(semantic_);
  }

 private:
  void ignore(const XmlReader& element, const std::string& reason) {
    semantic_.ignored.push_back(element.place() + ": " + reason);
  }

  /// Notes what is in an element that holds nothing.
  void ignore_children(const XmlReader& element) {
    for (const XmlReader& child : element.children()) ignore(child, "is not known");
  }

  void read_groups() {
    const std::vector<XmlReader> elements = root_.children("group");
    for (const XmlReader& element : elements) {
      JointGroup group;
      group.name = element.text("name");
      if (!group_index_.try_emplace(group.name, semantic_.groups.size()).second) {
        element.owned_by("group " + in_quotes(group.name)).fail("is given twice");
      }
      semantic_.groups.push_back(std::move(group));
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
      read_members(elements[i].owned_by("group " + in_quotes(semantic_.groups[i].name)), semantic_.groups[i]);
    }
    collect_joints(elements);
  }

  void read_members(const XmlReader& element, JointGroup& group) {
    for (const XmlReader& member : element.children()) {
      if (member.name() == "link") {
        group.links.push_back(link_of(member, "name"));
      } else if (member.name() == "joint") {
        const std::string& name = member.text("name");
        if (!robot_.find_joint(name) && virtual_joints_.contains(name)) {
          ignore(member, in_quotes(name) + " is a virtual joint");
        } else {
          group.joints.push_back(joint_of(member));
        }
      } else if (member.name() == "chain") {
        group.chains.push_back(chain_of(member));
      } else if (member.name() == "group") {
        const auto found = group_index_.find(member.text("name"));
        if (found == group_index_.end()) member.fail(in_quotes(member.text("name")) + " is not a group of the file");
        group.subgroups.push_back(found->second);
      } else {
        if (!is_passed_over(member.name())) ignore(member, "is not known");
        continue;
      }
      ignore_children(member);
    }
  }

  [[nodiscard]] std::size_t link_of(const XmlReader& element, std::string_view attribute) const {
    const std::string& name = element.text(attribute);
    const std::optional<std::size_t> link = robot_.find_link(name);
    if (!link) element.fail(in_quotes(name) + " is not a link of the robot");
    return *link;
  }

  [[nodiscard]] std::size_t joint_of(const XmlReader& element) const {
    const std::string& name = element.text("name");
    const std::optional<std::size_t> joint = robot_.find_joint(name);
    if (!joint) element.fail(in_quotes(name) + " is not a joint of the robot");
    return *joint;
  }

  [[nodiscard]] LinkChain chain_of(const XmlReader& element) const {
    const LinkChain chain{link_of(element, "base_link"), link_of(element, "tip_link")};
    std::size_t link = chain.tip_link;
    do {
      const std::optional<std::size_t> joint = robot_.parent_joint(link);
      if (!joint) {
        element.fail("tip_link " + in_quotes(element.text("tip_link")) + " must be below base_link " +
                     in_quotes(element.text("base_link")));
      }
      link = robot_.joints()[*joint].parent_link;
    } while (link != chain.base_link);
    return chain;
  }

  // The groups in such an order that each comes after those that are parts of it.
  [[nodiscard]] std::vector<std::size_t> groups_from_parts(const std::vector<XmlReader>& elements) const {
    const std::vector<JointGroup>& groups = semantic_.groups;
    std::vector<std::vector<std::size_t>> wholes(groups.size());
    std::vector<std::size_t> open_parts(groups.size());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      open_parts[i] = groups[i].subgroups.size();
      for (const std::size_t part : groups[i].subgroups) wholes[part].push_back(i);
      if (open_parts[i] == 0) order.push_back(i);
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
      for (const std::size_t whole : wholes[order[next]]) {
        if (--open_parts[whole] == 0) order.push_back(whole);
      }
    }
    if (order.size() == groups.size()) return order;

    // Every group that is left has a part that is left, so as many steps as there are groups end in a cycle.
    const auto is_left = [&](std::size_t group) { return open_parts[group] > 0; };
    std::size_t group = 0;
    while (!is_left(group)) ++group;
    for (std::size_t step = 0; step < groups.size(); ++step) {
      group = *std::find_if(groups[group].subgroups.begin(), groups[group].subgroups.end(), is_left);
    }
    elements[group].owned_by("group " + in_quotes(groups[group].name)).fail("is a part of itself");
  }

  // Marks the joint that carries a link; returns the link above, or the root itself.
  std::size_t mark_parent(std::size_t link, std::vector<bool>& marked) const {
    const std::optional<std::size_t> joint = robot_.parent_joint(link);
    if (!joint) return link;
    marked[*joint] = true;
    return robot_.joints()[*joint].parent_link;
  }

  void collect_joints(const std::vector<XmlReader>& elements) {
    for (const std::size_t index : groups_from_parts(elements)) {
      JointGroup& group = semantic_.groups[index];
      std::vector<bool> marked(robot_.joints().size(), false);
      for (const std::size_t joint : group.joints) marked[joint] = true;
      for (const std::size_t link : group.links) mark_parent(link, marked);
      for (const LinkChain& chain : group.chains) {
        for (std::size_t link = chain.tip_link; link != chain.base_link;) link = mark_parent(link, marked);
      }
      for (const std::size_t part : group.subgroups) {
        for (const std::size_t joint : semantic_.groups[part].all_joints) marked[joint] = true;
      }
      for (const std::size_t joint : robot_.joints_from_root()) {
        if (!marked[joint]) continue;
        group.all_joints.push_back(joint);
        for (std::size_t k = 0; k < variable_count(robot_.joints()[joint]); ++k) {
          group.variables.push_back(*robot_.first_variable(joint) + k);
        }
      }
    }
  }

  void read_state(const XmlReader& element) {
    GroupState state;
    state.name = element.text("name");
    const XmlReader owned = element.owned_by("group state " + in_quotes(state.name));
    const auto group = group_index_.find(owned.text("group"));
    if (group == group_index_.end()) owned.fail(in_quotes(owned.text("group")) + " is not a group of the file");
    state.group = group->second;
    if (semantic_.find_state(state.group, state.name)) {
      owned.fail("is given twice for the group " + in_quotes(owned.text("group")));
    }
    std::set<std::size_t> seen;
    for (const XmlReader& child : owned.children()) {
      if (child.name() == "joint") {
        read_values(child, seen, state);
        ignore_children(child);
      } else {
        ignore(child, "is not known");
      }
    }
    semantic_.group_states.push_back(std::move(state));
  }

  void read_values(const XmlReader& element, std::set<std::size_t>& seen, GroupState& state) {
    const std::vector<double> values = element.numbers("value");
    const std::string& name = element.text("name");
    if (!robot_.find_joint(name) && virtual_joints_.contains(name)) {
      return ignore(element, in_quotes(name) + " is a virtual joint");
    }
    const std::size_t joint = joint_of(element);
    if (!seen.insert(joint).second) element.fail(in_quotes(name) + " has a value already");
    const std::size_t count = variable_count(robot_.joints()[joint]);
    if (count == 0) return ignore(element, in_quotes(name) + " is fixed or mimics another joint");
    const std::vector<std::size_t>& of_group = semantic_.groups[state.group].all_joints;
    if (std::find(of_group.begin(), of_group.end(), joint) == of_group.end()) {
      return ignore(element, in_quotes(name) + " is not a joint of the group");
    }
    if (values.size() != count) {
      element.fail("value must be " + std::to_string(count) + (count == 1 ? " number" : " numbers") + ", got " +
                   in_quotes(element.text("value")));
    }
    for (std::size_t k = 0; k < count; ++k) state.values.push_back({*robot_.first_variable(joint) + k, values[k]});
  }

  void read_pair(const XmlReader& element) {
    const std::string& name_a = element.text("link1");
    const std::string& name_b = element.text("link2");
    const std::optional<std::size_t> link_a = robot_.find_link(name_a);
    const std::optional<std::size_t> link_b = robot_.find_link(name_b);
    if (!link_a || !link_b) {
      return ignore(element, in_quotes(link_a ? name_b : name_a) + " is not a link of the robot");
    }
    if (link_a == link_b) return ignore(element, in_quotes(name_a) + " is both links of the pair");
    if (!pairs_.insert(std::minmax(*link_a, *link_b)).second) {
      return ignore(element, in_quotes(name_a) + " and " + in_quotes(name_b) + " are a pair already");
    }
    const std::string* reason = element.find_text("reason");
    semantic_.disabled_pairs.push_back({*link_a, *link_b, reason != nullptr ? *reason : std::string()});
  }

  XmlReader root_;
  const RobotModel& robot_;
  SemanticModel semantic_;
  std::set<std::string> virtual_joints_;
  std::unordered_map<std::string, std::size_t> group_index_;
  std::set<std::pair<std::size_t, std::size_t>> pairs_;
};

// The name of an item, where a user's index may be out of range.
template <class Items>
const std::string& name_at(const Items& items, std::size_t index, const char* field) {
  if (index >= items.size()) {
    throw InvalidInput(
        field, "must be the index of one of " + std::to_string(items.size()) + ", got " + std::to_string(index));
  }
  return items[index].name;
}

XmlElement new_element(std::string name, std::vector<std::pair<std::string, std::string>> attributes) {
  return {.name = std::move(name), .attributes = std::move(attributes), .children = {}};
}

class SrdfWriter {
 public:
  SrdfWriter(const RobotModel& robot, const SemanticModel& semantic) : robot_(robot), semantic_(semantic) {}

  [[nodiscard]] XmlElement document() const {
    XmlElement root = new_element("robot", {{"name", semantic_.name}});
    for (const JointGroup& group : semantic_.groups) root.children.push_back(group_element(group));
    for (const GroupState& state : semantic_.group_states) root.children.push_back(state_element(state));
    for (const DisabledPair& pair : semantic_.disabled_pairs) root.children.push_back(pair_element(pair));
    return root;
  }

 private:
  [[nodiscard]] const std::string& link(std::size_t index) const { return name_at(robot_.links(), index, "link"); }

  [[nodiscard]] XmlElement group_element(const JointGroup& group) const {
    XmlElement result = new_element("group", {{"name", group.name}});
    for (const std::size_t index : group.links) result.children.push_back(new_element("link", {{"name", link(index)}}));
    for (const std::size_t joint : group.joints) {
      result.children.push_back(new_element("joint", {{"name", name_at(robot_.joints(), joint, "joint")}}));
    }
    for (const LinkChain& chain : group.chains) {
      result.children.push_back(
          new_element("chain", {{"base_link", link(chain.base_link)}, {"tip_link", link(chain.tip_link)}}));
    }
    for (const std::size_t subgroup : group.subgroups) {
      result.children.push_back(new_element("group", {{"name", name_at(semantic_.groups, subgroup, "group")}}));
    }
    return result;
  }

  [[nodiscard]] XmlElement state_element(const GroupState& state) const {
    XmlElement result =
        new_element("group_state", {{"name", state.name}, {"group", name_at(semantic_.groups, state.group, "group")}});
    for (std::size_t i = 0; i < state.values.size();) {
      static_cast<void>(name_at(robot_.variables(), state.values[i].variable, "variable"));
      const std::size_t joint = robot_.variables()[state.values[i].variable].joint;
      std::string text;
      for (std::size_t k = 0; k < variable_count(robot_.joints()[joint]); ++k, ++i) {
        if (i == state.values.size() || state.values[i].variable != *robot_.first_variable(joint) + k) {
          throw InvalidInput("group state " + in_quotes(state.name), "must have all values of the joint " +
                                                                         in_quotes(robot_.joints()[joint].name) +
                                                                         " or none, in the order of its variables");
        }
        (text += text.empty() ? "" : " ") += detail::shortest_text(state.values[i].value);
      }
      result.children.push_back(new_element("joint", {{"name", robot_.joints()[joint].name}, {"value", text}}));
    }
    return result;
  }

  [[nodiscard]] XmlElement pair_element(const DisabledPair& pair) const {
    XmlElement result = new_element("disable_collisions", {{"link1", link(pair.link_a)}, {"link2", link(pair.link_b)}});
    if (!pair.reason.empty()) result.attributes.emplace_back("reason", pair.reason);
    return result;
  }

  const RobotModel& robot_;
  const SemanticModel& semantic_;
};

}  // namespace

std::optional<std::size_t> SemanticModel::find_group(std::string_view group) const {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].name == group) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> SemanticModel::find_state(std::size_t group, std::string_view state) const {
  for (std::size_t i = 0; i < group_states.size(); ++i) {
    if (group_states[i].group == group && group_states[i].name == state) return i;
  }
  return std::nullopt;
}

SemanticModel parse_srdf(std::string_view text, const RobotModel& robot) {
  const XmlElement root = detail::parse_xml(text);
  return SrdfParser(root, robot).parse();
}

SemanticModel read_srdf(const std::filesystem::path& file, const RobotModel& robot) {
  const std::string text = read_file(file);
  try {
    return parse_srdf(text, robot);
  } catch (const InvalidInput& error) {
    throw FileError(file, error.what());
  }
}

void write_srdf(std::ostream& stream, const RobotModel& robot, const SemanticModel& semantic) {
  stream << detail::xml_text(SrdfWriter(robot, semantic).document());
}

void write_srdf(const std::filesystem::path& file, const RobotModel& robot, const SemanticModel& semantic) {
  const std::string text = detail::xml_text(SrdfWriter(robot, semantic).document());  // errors leave the file alone
  std::ofstream stream = create_file(file);
  stream << text;
  stream.close();
  if (!stream) throw FileError(file, "cannot be written");
}

}  // namespace abut
