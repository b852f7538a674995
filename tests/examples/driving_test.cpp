// The driving example: its path beside closed forms, what it says of hits and clearances beside loops over all
// obstacles, the drawing, and the program from outside.
#include <abut/core/error.h>
#include <abut/narrowphase/planar/planar_distance.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "../../examples/driving/path.h"
#include "../../examples/driving/path_check.h"
#include "../../examples/driving/street.h"
#include "../../examples/driving/street_svg.h"
#include "../apps/program.h"

namespace abut::driving {
namespace {

using test::content_of;
using test::Outcome;
using test::run_program;
using test::TempFolder;

TEST(DrivingPath, OfAnArcEndsWhereTheCircleDoes) {
  const double radius = 7.0;
  const double angle = 2.5;
  const Path path(Pose({1.0, 2.0}, 0.4), {{radius * angle, 1.0 / radius, 1.0 / radius}});
  const Vector2d center = Vector2d(1.0, 2.0) + radius * Vector2d(-std::sin(0.4), std::cos(0.4));
  const Vector2d end = center + radius * Vector2d(std::sin(0.4 + angle), -std::cos(0.4 + angle));
  EXPECT_LT((path.at(path.length()).translation - end).norm(), 1e-12);
  EXPECT_NEAR(path.at(path.length()).angle(), 0.4 + angle, 1e-12);
}

// The Fresnel integrals by their power series.
TEST(DrivingPath, OfAClothoidFollowsTheFresnelIntegrals) {
  const double length = 10.0;
  const double sharpness = 0.02;  // 1/m², the heading is half of it times s²
  const Path path(Pose(), {{length, 0.0, sharpness * length}});
  double x = 0.0;
  double y = 0.0;
  double term = length;
  const double q = 0.5 * sharpness * length * length;
  for (int k = 0; k < 40; ++k) {
    (k % 2 == 0 ? x : y) += (k % 4 < 2 ? 1.0 : -1.0) * term / (2.0 * k + 1.0);
    term *= q / (k + 1.0);
  }
  EXPECT_NEAR(path.at(length).translation.x(), x, 1e-12);
  EXPECT_NEAR(path.at(length).translation.y(), y, 1e-12);
  EXPECT_NEAR(path.at(length).angle(), q, 1e-12);
}

TEST(DrivingPath, OfALaneChangeMovesSidewaysAndEndsStraight) {
  for (const double sideways : {-3.0, -0.1, 0.0, 2.1}) {
    const Path path(Pose({0.0, 0.0}, 0.7), lane_change(sideways, 16.0));
    const Pose end = path.at(path.length());
    EXPECT_NEAR(Pose({0.0, 0.0}, 0.7).unrotate(end.translation).y(), sideways, 1e-11);
    EXPECT_NEAR(end.angle(), 0.7, 1e-12);
    EXPECT_NEAR(path.length(), 16.0, 1e-12);
  }
}

TEST(DrivingPath, IsSmoothAndItsPosesAreEvenlySpaced) {
  const Path path = street_path(0.3);
  const std::vector<Pose> poses = path.poses(0.07);
  const double step = path.place(1, poses.size());
  EXPECT_LE(step, 0.07);
  EXPECT_GT(step, 0.069);
  for (std::size_t i = 1; i < poses.size(); ++i) {
    const double apart = (poses[i].translation - poses[i - 1].translation).norm();
    ASSERT_LE(apart, step + 1e-12);
    ASSERT_GT(apart, 0.999 * step);
    ASSERT_LE(std::abs(poses[i].angle() - poses[i - 1].angle()), step * path.largest_curvature() + 1e-12);
  }
  EXPECT_EQ(poses.front().translation, path.at(0.0).translation);
  EXPECT_EQ(poses.back().translation, path.at(path.length()).translation);
  EXPECT_EQ(poses.back().translation, path.at(path.length() + 5.0).translation);
}

TEST(DrivingPath, RefusesPiecesThatMakeNoSense) {
  EXPECT_THROW(Path(Pose(), {}), InvalidInput);
  EXPECT_THROW(Path(Pose(), {{0.0, 0.0, 0.0}}), InvalidInput);
  EXPECT_THROW(Path(Pose(), {{1.0, std::nan(""), 0.0}}), InvalidInput);
  EXPECT_THROW((void)street_path(0.0).poses(0.0), InvalidInput);
}

struct Drive {
  explicit Drive(double shift, double margin = 0.0, double step = 0.05, std::uint64_t seed = 1)
      : street(make_street(seed)),
        index(street.obstacles),
        footprint(car_shape(-0.9, 3.6, 1.8, 0.25)),
        path(street_path(shift)),
        check(check_path(index, street.obstacles, footprint, path, step, margin)) {}

  Street street;
  ObstacleIndex index;
  Shape footprint;
  Path path;
  PathCheck check;
};

TEST(DrivingCheck, SaysWhatALoopOverAllObstaclesSays) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    for (const double shift : {-0.9, 0.0, 1.5}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " shift " << shift);
      const Drive drive(shift, 0.2, 0.2, seed);
      std::size_t hits = 0;
      double nearest = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < drive.check.poses.size(); ++i) {
        double least = std::numeric_limits<double>::infinity();
        for (const Obstacle& obstacle : drive.street.obstacles) {
          least = std::min(
              least, distance(drive.footprint, drive.check.poses[i], obstacle.shape, obstacle.world_from_obstacle));
        }
        ASSERT_EQ(drive.check.clearances[i].distance, least) << "pose " << i;
        ASSERT_EQ(drive.check.hits[i] != 0, least <= 0.2) << "pose " << i;
        hits += drive.check.hits[i];
        nearest = std::min(nearest, least);
      }
      EXPECT_EQ(drive.check.hit_count, hits);
      EXPECT_EQ(drive.check.clearances[drive.check.nearest_pose].distance, nearest);
      EXPECT_EQ(drive.check.first_contact.has_value(), hits > 0);
    }
  }
}

TEST(DrivingCheck, FindsTheFirstContactToTheLastDigit) {
  for (const double margin : {0.0, 0.15}) {
    SCOPED_TRACE(testing::Message() << "margin " << margin);
    const Drive drive(-0.8, margin);
    ASSERT_TRUE(drive.check.first_contact.has_value());
    const Contact& contact = *drive.check.first_contact;
    EXPECT_NEAR(contact.distance, margin, 1e-12);
    EXPECT_FALSE(drive.index.collides(drive.footprint, drive.path.at(contact.place - 1e-9), margin));
    EXPECT_TRUE(drive.index.collides(drive.footprint, drive.path.at(contact.place), margin));
    // Halfway between the two bodies.
    const Shape speck = Shape::circle(1e-12);
    const Obstacle& obstacle = drive.street.obstacles[contact.obstacle];
    const Pose there(contact.point, 0.0);
    EXPECT_NEAR(distance(speck, there, obstacle.shape, obstacle.world_from_obstacle), 0.5 * margin, 1e-10);
    EXPECT_NEAR(distance(speck, there, drive.footprint, contact.pose), 0.5 * margin, 1e-10);
    EXPECT_NEAR(contact.normal.norm(), 1.0, 1e-12);
  }
}

TEST(DrivingCheck, WhatIsFreeThroughoutStaysFreeAtFinerSteps) {
  const Drive coarse(0.0, 0.0, 0.5);
  EXPECT_TRUE(coarse.check.is_free_throughout);
  const Drive fine(0.0, 0.0, 0.01);
  EXPECT_EQ(fine.check.hit_count, 0u);
  // At a step of two metres the car could be anywhere between the poses.
  EXPECT_FALSE(Drive(0.0, 0.0, 2.0).check.is_free_throughout);
  // No point of the footprint moves farther than it says.
  for (std::size_t i = 1; i < coarse.check.poses.size(); ++i) {
    for (const Vector2d& corner : coarse.footprint.corners()) {
      const double moved = (coarse.check.poses[i] * corner - coarse.check.poses[i - 1] * corner).norm();
      ASSERT_LE(moved, coarse.check.largest_motion);
    }
  }
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(DrivingDrawing, ShowsEveryObstacleTheFootprintsAndTheContact) {
  for (const double shift : {0.0, -0.8}) {
    const Drive drive(shift);
    std::ostringstream out;
    write_svg(out, drive.street, drive.footprint, drive.path, drive.check);
    const std::string text = out.str();
    EXPECT_TRUE(text.starts_with("<svg "));
    EXPECT_TRUE(text.ends_with("</svg>\n"));
    EXPECT_EQ(count_of(text, "<g"), count_of(text, "</g>"));
    EXPECT_EQ(count_of(text, "\"") % 2, 0u);
    EXPECT_EQ(count_of(text, "nan") + count_of(text, "inf"), 0u);
    EXPECT_EQ(count_of(text, "class=\"obstacle\""), drive.street.obstacles.size());
    EXPECT_EQ(count_of(text, "class=\"footprint\""), (drive.check.poses.size() + 19) / 20);
    EXPECT_EQ(count_of(text, "class=\"contact\""), shift == 0.0 ? 0u : 1u);
    EXPECT_EQ(count_of(text, "class=\"contact-point\""), shift == 0.0 ? 0u : 1u);
  }
}

TEST(DrivingProgram, SaysThatThePathIsFreeAndDrawsIt) {
  const TempFolder folder;
  const Outcome outcome = run_program(folder, "--no-times --svg '{}/driving.svg'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("hits       0 of 1441 poses\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("verdict    free, between the poses too\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("contact"), std::string::npos) << outcome.out;
  EXPECT_TRUE(content_of(folder.path() / "driving.svg").ends_with("</svg>\n"));
  EXPECT_EQ(run_program(folder, "--no-times").out, outcome.out) << "the same call prints the same";
}

TEST(DrivingProgram, NamesTheFirstContactOfAPathThatIsNotFree) {
  const TempFolder folder;
  const Outcome outcome = run_program(folder, "--no-times --shift -0.8");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "");
  const Drive drive(-0.8);
  std::ostringstream hits;
  hits << "hits       " << drive.check.hit_count << " of 1441 poses\n";
  EXPECT_NE(outcome.out.find(hits.str()), std::string::npos) << outcome.out;
  const std::string& name = drive.street.names[drive.check.first_contact->obstacle];
  EXPECT_NE(outcome.out.find("m along the path, with " + name + " at ("), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("verdict    not free\n"), std::string::npos) << outcome.out;
}

TEST(DrivingProgram, RefusesWrongUsageByName) {
  const TempFolder folder;
  for (const char* wrong :
       {"--step 0", "--step nan", "--shift nan", "--shift 9", "--margin -1", "--seed x", "--wings", "extra"}) {
    const Outcome outcome = run_program(folder, wrong);
    EXPECT_EQ(outcome.status, 2) << wrong;
    EXPECT_EQ(outcome.out, "") << wrong;
    EXPECT_TRUE(outcome.err.starts_with("abut_driving: error: ")) << outcome.err;
  }
  const Outcome help = run_program(folder, "--help");
  EXPECT_EQ(help.status, 0);
  for (const char* option : {"--svg", "--shift", "--step", "--margin", "--seed", "--no-times"}) {
    EXPECT_NE(help.out.find(option), std::string::npos) << option;
  }
  const Outcome unwritable = run_program(folder, "--svg '{}/no/such/folder.svg'");
  EXPECT_EQ(unwritable.status, 1);
  EXPECT_NE(unwritable.err.find("cannot be written"), std::string::npos) << unwritable.err;
}

}  // namespace
}  // namespace abut::driving
