// The test arm: seven revolute joints, a palm that is a mesh, and two fingers of which one follows the other.
#pragma once

#include <abut/planning/urdf_file.h>

#include <filesystem>

namespace abut::test {

/// A file of examples/plan/data.
inline std::filesystem::path planning_data(const std::filesystem::path& name) {
  return std::filesystem::path(ABUT_PLANNING_TEST_DATA) / name;
}

/// arm.urdf: 8 variables, joint_1 ... joint_7 and left_finger_joint.
inline RobotModel test_arm(const UrdfOptions& options = {}) {
  return read_urdf(planning_data("arm.urdf"), options);
}

}  // namespace abut::test
