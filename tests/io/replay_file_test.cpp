// Recorded runs: written and read again, compared, and refused where they are broken.
#include <abut/io/file_error.h>
#include <abut/io/replay_file.h>
#include <gtest/gtest.h>
#include <support/error_text.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "temp_folder.h"

namespace abut {
namespace {

using samples::error_text;
using test::TempFolder;

const std::vector<std::string> kNames = {"floor", "ball", "box"};

Scene start() {
  Scene scene({.contact_margin = 0.01});
  scene.add({.shape = HalfSpace(Vector3d::UnitZ(), 0.0), .motion = Motion::fixed});
  scene.add({.shape = Sphere(1.0), .pose = Pose(Vector3d(0, 0, 3))});
  scene.add({.shape = Box({1, 1, 1}), .pose = Pose(Vector3d(1, 0, 4))});
  return scene;
}

const std::vector<BodyId> kMoved = {{1, 1}, {2, 1}};

std::vector<Pose> poses_at(int frame) {
  const Pose turn(Vector3d::Zero(), Quaterniond(1.0, 0.01 * frame, 0.0, 0.02));
  return {Pose(Vector3d(0, 0, 3 - 0.3 * frame)), Pose(Vector3d(1, 0, 4 - 0.35 * frame)) * turn * turn};
}

constexpr int kFrames = 10;

std::filesystem::path record(const TempFolder& folder, bool finished = true) {
  const std::filesystem::path file = folder.path() / "run.replay";
  Scene scene = start();
  ReplayWriter writer(file, kNames, scene);
  for (int frame = 0; frame < kFrames; ++frame) {
    const std::vector<Pose> poses = poses_at(frame);
    scene.set_poses(kMoved, poses);
    scene.step();
    writer.write(static_cast<std::uint64_t>(frame), 0.1 * frame, kMoved, poses, scene);
  }
  if (finished) writer.finish();
  return file;
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

struct Result {
  int frames = 0;  // read and found equal
  std::string error = "no error";
};

/// Replays a file and compares every frame.
Result replay(const std::filesystem::path& file) {
  Result result;
  try {
    ReplayReader reader(file);
    Scene scene = reader.scene();
    for (ReplayFrame frame; reader.read(frame); ++result.frames) {
      scene.set_poses(frame.bodies, frame.poses);
      scene.step();
      if (const auto difference = first_difference(frame, scene, reader.names())) {
        result.error = *difference;
        return result;
      }
    }
  } catch (const FileError& error) {
    result.error = error.what();
  }
  return result;
}

TEST(ReplayFile, GivesBackTheSceneThePosesAndTheFrames) {
  const TempFolder folder;
  ReplayReader reader(record(folder));
  EXPECT_EQ(reader.names(), kNames);
  EXPECT_EQ(reader.scene().body_count(), 3u);
  ReplayFrame frame;
  std::size_t contacts = 0;
  for (int i = 0; i < kFrames; ++i) {
    ASSERT_TRUE(reader.read(frame));
    EXPECT_EQ(frame.frame, static_cast<std::uint64_t>(i));
    EXPECT_EQ(frame.time, 0.1 * i);
    EXPECT_EQ(frame.bodies, kMoved);
    EXPECT_EQ(frame.poses, poses_at(i));
    contacts += frame.contacts.size();
  }
  EXPECT_GT(contacts, 5u);
  EXPECT_FALSE(reader.read(frame));
}

TEST(ReplayFile, OfAnUnchangedRunHasNoDifference) {
  const TempFolder folder;
  const Result result = replay(record(folder));
  EXPECT_EQ(result.error, "no error");
  EXPECT_EQ(result.frames, kFrames);
}

TEST(ReplayFile, ThatWasBrokenOffIsReadAsFarAsItGoes) {
  const TempFolder folder;
  const std::filesystem::path file = record(folder, /*finished=*/false);
  EXPECT_EQ(replay(file).frames, kFrames);
  EXPECT_EQ(replay(file).error,
            file.string() + ": ends after 10 frames without the mark of the end: the run was broken off");
  const std::string whole = content_of(file);
  int last = kFrames;
  for (std::size_t size = whole.size() - 1; size > 11; size -= 11) {
    folder.write("cut.replay", whole.substr(0, size));
    const Result result = replay(folder.path() / "cut.replay");
    ASSERT_NE(result.error, "no error") << size;
    ASSERT_LE(result.frames, last) << size;
    last = result.frames;
  }
  EXPECT_EQ(last, 0);  // the first cuts are in the last frame, the last ones before the first
}

TEST(ReplayFile, EveryAlteredByteIsFound) {
  const TempFolder folder;
  const std::string whole = content_of(record(folder));
  for (std::size_t i = 0; i < whole.size(); i += 29) {
    std::string altered = whole;
    altered[i] = static_cast<char>(altered[i] ^ (1 << (i % 8)));
    folder.write("altered.replay", altered);
    ASSERT_NE(replay(folder.path() / "altered.replay").error, "no error") << i;
  }
}

/// The head and each record of a file.
std::vector<std::string> parts_of(const std::string& whole) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  for (std::size_t before = 12; at < whole.size(); before = 4) {  // what stands before a size
    std::uint64_t size = 0;
    std::memcpy(&size, whole.data() + at + before, sizeof(size));
    parts.push_back(whole.substr(at, before + 8 + size + 8));
    at += parts.back().size();
  }
  return parts;
}

TEST(ReplayFile, RecordsThatAreLeftOutRepeatedOrExchangedAreFound) {
  const TempFolder folder;
  const std::vector<std::string> parts = parts_of(content_of(record(folder)));
  ASSERT_EQ(parts.size(), 1u + kFrames + 1u);
  const auto error = [&](const std::vector<std::size_t>& order) {
    std::string text;
    for (const std::size_t part : order) text += parts[part];
    const std::filesystem::path file = folder.write("other.replay", text);
    const Result result = replay(file);
    return std::to_string(result.frames) + " frames, " + result.error.substr(file.string().size() + 2);
  };
  const std::string is_wrong = " has been altered, or does not follow what is before it";
  EXPECT_EQ(error({0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11}), "1 frames, frame 1" + is_wrong);
  EXPECT_EQ(error({0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), "2 frames, frame 2" + is_wrong);
  EXPECT_EQ(error({0, 1, 2, 4, 3, 5, 6, 7, 8, 9, 10, 11}), "2 frames, frame 2" + is_wrong);
  EXPECT_EQ(error({0, 1, 2, 3, 11}), "3 frames, frame 3" + is_wrong);
}

TEST(ReplayFile, WhatHasNoPlaceInARunIsNotWritten) {
  const TempFolder folder;
  Scene scene = start();
  ReplayWriter writer(folder.path() / "run.replay", kNames, scene);
  const std::vector<Pose> poses = poses_at(0);
  EXPECT_EQ(error_text([&] { writer.write(0, std::nan(""), kMoved, poses, scene); }), "time: must be finite, got nan");
  EXPECT_EQ(error_text([&] { writer.write(0, 0.0, kMoved, std::span(poses).first(1), scene); }),
            "poses: must be one for each of the 2 bodies, got 1");
}

TEST(ReplayFile, ErrorsSayWhatIsWrong) {
  const TempFolder folder;
  const auto error = [&](const std::string& text) {
    const std::filesystem::path file = folder.write("other.replay", text);
    return replay(file).error.substr(file.string().size() + 2);
  };
  EXPECT_EQ(error(""), "is empty");
  EXPECT_EQ(error("{\"bodies\": []}"), "is no recorded run: it does not begin with ABUTRPLY");
  std::string whole = content_of(record(folder));
  whole[8] = 4;
  EXPECT_EQ(error(whole), "version: must be 3, got 4");
  whole[8] = 3;
  whole[40] = static_cast<char>(whole[40] ^ 1);
  EXPECT_EQ(error(whole), "its head has been altered");
  whole[40] = static_cast<char>(whole[40] ^ 1);
  EXPECT_EQ(error(whole + "x"), "the mark of the end: is followed by 1 bytes");
}

// ---- Differences

class Differences : public testing::Test {
 protected:
  Differences() : scene_(start()) {
    scene_.set_poses(kMoved, poses_at(7));
    scene_.step();
    recorded_.contacts.assign(scene_.contacts().begin(), scene_.contacts().end());
    recorded_.began.assign(scene_.began().begin(), scene_.began().end());
    recorded_.candidate_pairs = scene_.candidate_pairs().size();
    EXPECT_EQ(difference(), "");
    EXPECT_EQ(recorded_.contacts.size(), 2u);
  }
  std::string difference() { return first_difference(recorded_, scene_, kNames).value_or(""); }

  Scene scene_;
  ReplayFrame recorded_;
};

TEST_F(Differences, OfTheLastBitNameThePairTheFieldAndBothValues) {
  double& distance = recorded_.contacts[0].distance;
  const double found = distance;
  distance = std::nextafter(distance, 1.0);
  char expected[200];
  std::snprintf(expected, sizeof expected,
                "\"floor\" and \"ball\": distance: recorded %.17g (0x%016llx), found %.17g (0x%016llx)", distance,
                static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(distance)), found,
                static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(found)));
  EXPECT_EQ(difference(), expected);
}

TEST_F(Differences, OfEveryFieldOfAContactAreFound) {
  const auto differs = [&](const auto& change, const std::string& field) {
    const ReplayFrame before = recorded_;
    change(recorded_.contacts[1]);
    EXPECT_EQ(difference().rfind("\"ball\" and \"box\": " + field + ": recorded ", 0), 0u) << difference();
    recorded_ = before;
  };
  differs([](Contact& contact) { contact.normal.y() = 7.0; }, "normal.y");
  differs([](Contact& contact) { contact.distance = 7.0; }, "distance");
  differs([](Contact& contact) { contact.distance_error = 7.0; }, "distance_error");
  differs([](Contact& contact) { contact.status = SolveStatus::iteration_limit; }, "status");
  differs([](Contact& contact) { contact.is_sensor = true; }, "is_sensor");
  differs([](Contact& contact) { contact.point_count = 0; }, "number of points");
  differs([](Contact& contact) { contact.point_storage[0].point_a.x() = 7.0; }, "points[0].a.x");
  differs([](Contact& contact) { contact.point_storage[0].point_b.z() = 7.0; }, "points[0].b.z");
  differs([](Contact& contact) { contact.point_storage[0].distance = 7.0; }, "points[0].distance");
  differs([](Contact& contact) { contact.point_storage[0].feature_id ^= 1; }, "points[0].feature_id");
  differs([](Contact& contact) { contact.point_storage[0].normal.x() += 1.0; }, "points[0].normal.x");
  differs([](Contact& contact) { contact.point_storage[0].leaf_b ^= 1; }, "points[0].leaf_b");
}

TEST_F(Differences, OfTheSignOfZeroAreFound) {
  recorded_.contacts[0].normal.x() = 0.0;
  const std::string same = difference();
  recorded_.contacts[0].normal.x() = -0.0;
  EXPECT_NE(difference(), same);
}

TEST_F(Differences, OfPairsAndEventsAreFound) {
  const ReplayFrame before = recorded_;
  recorded_.contacts.pop_back();
  EXPECT_EQ(difference(), "contacts[1]: recorded nothing, found \"ball\" and \"box\"");
  recorded_ = before;
  recorded_.contacts.erase(recorded_.contacts.begin());
  EXPECT_EQ(difference(), "contacts[0]: recorded \"ball\" and \"box\", found \"floor\" and \"ball\"");
  recorded_ = before;
  recorded_.began.clear();
  EXPECT_EQ(difference(), "began[0]: recorded nothing, found \"floor\" and \"ball\"");
  recorded_ = before;
  recorded_.ended.push_back({{0, 1}, {2, 1}});
  EXPECT_EQ(difference(), "ended[0]: recorded \"floor\" and \"box\", found nothing");
  recorded_ = before;
  recorded_.candidate_pairs = 40;
  EXPECT_EQ(difference().rfind("candidate_pairs: recorded 40, found ", 0), 0u) << difference();
}

}  // namespace
}  // namespace abut
