// A robot whose motions are plain to see: a ball that slides in a plane, around another.
#pragma once

#include <abut/planning/ompl/state_space.h>
#include <abut/planning/ompl/state_validity.h>
#include <abut/planning/validity_checker.h>
#include <ompl/base/SpaceInformation.h>

#include <memory>
#include <vector>

#include "arm_space.h"

namespace abut::test {

/// A ball of 0.1 m that slides in a plane, and a ball of 0.2 m at the origin.
struct Slider {
  Slider()
      : checker(robot(), {{"ball", Sphere(0.2), Pose()}}),
        space(make_state_space(checker, std::vector<VariableBounds>{{"slide/x", -2.0, 2.0}, {"slide/y", -2.0, 2.0}})),
        information(std::make_shared<ompl::base::SpaceInformation>(space)),
        states(space) {
    information->setStateValidityChecker(std::make_shared<CheckerStateValidity>(information, checker));
    information->setup();
  }

  static RobotModel robot() {
    RobotJoint joint;
    joint.name = "slide";
    joint.kind = JointKind::planar;
    joint.axis = Vector3d::UnitZ();
    joint.child_link = 1;
    return RobotModel("slider", {{"base", {}}, {"moving", {{"", Sphere(0.1), Pose()}}}}, {joint});
  }

  ompl::base::State* at(double x, double y) { return states.add(std::vector<double>{x, y, 0.0}); }

  ValidityChecker checker;
  ompl::base::StateSpacePtr space;
  ompl::base::SpaceInformationPtr information;
  States states;
};

}  // namespace abut::test
