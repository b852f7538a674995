// Scenes as bytes: the restored scene goes on as the original does, bit for bit; broken bytes are refused.
#include <abut/core/byte_stream.h>
#include <abut/core/error.h>
#include <abut/world/contact_bytes.h>
#include <abut/world/detail/scene_state.h>
#include <abut/world/snapshot.h>
#include <abut/world/unconverged.h>
#include <fuzz/altered_snapshot.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/instrumented.h>
#include <support/random_scenes.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "scene_checks.h"

namespace abut {
namespace {

using fuzz::Bytes;
using fuzz::resting_snapshot;
using fuzz::signed_again;
using fuzz::small_snapshot;

/// What a step shows, by its bits.
Bytes shown(const Scene& scene) {
  ByteWriter out;
  const auto body = [&](BodyId id) {
    out.write(id.slot);
    out.write(id.generation);
  };
  const auto pairs = [&](std::span<const BodyPair> list) {
    out.write_count(list.size());
    for (const BodyPair& pair : list) {
      body(pair.a);
      body(pair.b);
    }
  };
  out.write_count(scene.contacts().size());
  for (const Contact& contact : scene.contacts()) {
    body(contact.body_a);
    body(contact.body_b);
    out.write(contact.normal);
    out.write(contact.distance);
    out.write(contact.distance_error);
    out.write(contact.status);
    out.write(contact.is_sensor);
    for (const ContactPoint& point : contact.points()) {
      out.write(point.point_a);
      out.write(point.point_b);
      out.write(point.distance);
      out.write(point.feature_id);
      out.write(point.normal);
      out.write(point.leaf_a);
      out.write(point.leaf_b);
    }
  }
  pairs(scene.began());
  pairs(scene.ended());
  pairs(scene.candidate_pairs());
  for (const std::uint8_t flag : scene.began_with_sensor()) out.write(flag);
  for (const std::uint8_t flag : scene.ended_with_sensor()) out.write(flag);
  const StepStatistics& statistics = scene.statistics();
  out.write_count(statistics.solved_pairs);
  out.write(statistics.iterations);
  return out.take();
}

/// A scene of every kind of shape with all that a snapshot holds, some steps old, with changes since the last step.
struct Busy {
  explicit Busy(WarmStart warm_start = WarmStart::previous)
      : moving(samples::mixed_scene({.count = 45, .size = 0.1, .spacing = 0.15, .wander = 0.02, .seed = 3})),
        scene({.contact_margin = 0.01, .warm_start = warm_start, .max_points = 3}) {
    ids = add_all(scene, moving.bodies);
    for (std::size_t i = 0; i + 1 < ids.size(); i += 5) scene.ignore_pair(ids[i], ids[i + 1]);
    for (std::size_t i = 0; i < ids.size(); i += 7) scene.set_filter(ids[i], {.layers = 3, .mask = ~0u, .group = -1});
    for (std::size_t i = 2; i < ids.size(); i += 9) scene.set_sensor(ids[i], true);
    for (frame = 0; frame < 4; ++frame) step(scene);
    // Free slots, a stale contact, moved and reshaped bodies.
    for (const std::size_t i : {4u, 11u, 12u}) scene.remove(ids[i]);
    ids[11] = scene.add(moving.bodies[11]);
    std::erase_if(ids, [this](BodyId id) { return !scene.contains(id); });
    scene.set_shape(ids[6], samples::l_mesh(0.1));
    scene.set_pose(ids[8], Pose(scene.pose(ids[8]).translation(), Quaterniond(0.9, 0.1, 0.2, 0.3)));
  }

  void step(Scene& any) const {
    const std::vector<Pose> poses = moving.poses(frame, 20);
    for (const BodyId id : ids) {
      if (any.contains(id)) any.set_pose(id, poses[id.slot]);
    }
    any.step();
  }

  samples::MovingScene moving;
  Scene scene;
  std::vector<BodyId> ids;
  std::size_t frame = 0;
};

void expect_same_steps(Busy& busy, Scene& restored) {
  std::size_t contacts = 0;
  for (; busy.frame < 16; ++busy.frame) {
    SCOPED_TRACE(busy.frame);
    busy.step(busy.scene);
    busy.step(restored);
    ASSERT_EQ(shown(restored), shown(busy.scene));
    contacts += busy.scene.contacts().size();
    if (busy.frame == 9) {  // both take the same free slot
      const BodyDescription ball{.shape = Sphere(0.05), .pose = Pose(Vector3d(0, 0, 0.1))};
      ASSERT_EQ(restored.add(ball), busy.scene.add(ball));
    }
  }
  EXPECT_GT(contacts, 200u);
}

TEST(Snapshot, ARestoredSceneStepsAsTheOriginalBitForBit) {
  for (const WarmStart start :
       {WarmStart::none, WarmStart::obb, WarmStart::previous, WarmStart::transformed_previous}) {
    Busy busy(start);
    Scene restored = restore(save(busy.scene));
    EXPECT_EQ(shown(restored), shown(busy.scene));  // before any step
    expect_same_steps(busy, restored);
  }
}

/// A rough surface of 2 n² triangles, or a level one where `height` is 0.
TriangleMesh rough_ground(int n, double height, samples::Random& random, TreeKind tree = TreeKind::automatic) {
  std::vector<Vector3d> vertices;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) vertices.emplace_back(0.25 * j, 0.25 * i, height * random.uniform(-0.5, 0.5));
  }
  std::vector<TriangleMesh::Indices> triangles;
  const auto row = static_cast<std::uint32_t>(n + 1);
  for (std::uint32_t i = 0; i + 1 < row; ++i) {
    for (std::uint32_t j = 0; j + 1 < row; ++j) {
      const std::uint32_t corner = i * row + j;
      triangles.push_back({corner, corner + 1, corner + row + 1});
      triangles.push_back({corner, corner + row + 1, corner + row});
    }
  }
  return TriangleMesh(std::move(vertices), std::move(triangles), tree);
}

/// Bodies that roll on it, in a scene and in the one that is restored from it.
void expect_same_steps_on(const Shape& ground, samples::Random& random) {
  Scene scene({.contact_margin = 0.02});
  scene.add({.shape = ground, .motion = Motion::fixed});
  std::vector<BodyId> ids;
  for (int i = 0; i < 10; ++i) {
    const Shape shape = i % 3 != 0 ? Shape(Box({0.3, 0.2, 0.2})) : Shape(rough_ground(3, 0.2, random));
    const Vector3d at(random.uniform(0.5, 2.5), random.uniform(0.5, 2.5), random.uniform(-0.2, 0.3));
    ids.push_back(scene.add({.shape = shape, .pose = Pose(at, random.rotation())}));
  }
  scene.step();
  const Bytes bytes = save(scene);
  Scene restored = restore(bytes);
  ASSERT_EQ(save(restored), bytes);
  for (int step = 0; step < 8; ++step) {
    for (const BodyId id : ids) {
      const Pose pose(scene.pose(id).translation() + random.vector(-0.02, 0.02),
                      scene.pose(id).quaternion() * Quaterniond(1.0, 0.01, -0.005, 0.003));
      scene.set_pose(id, pose);
      restored.set_pose(id, pose);
    }
    scene.step();
    restored.step();
    ASSERT_EQ(shown(restored), shown(scene)) << "step " << step;
  }
  EXPECT_GT(scene.contacts().size(), 3u);
}

TEST(Snapshot, ScenesOfDeformedMeshesAndOfTreesAsAskedForStepAsTheOriginalBitForBit) {
  samples::Random random(8);
  for (int round = 0; round < (samples::kIsInstrumented ? 2 : 6); ++round) {
    SCOPED_TRACE(round);
    const TriangleMesh level = rough_ground(12, 0.0, random);
    const TriangleMesh other = rough_ground(12, 0.4, random);
    std::vector<Vector3d> vertices(other.vertices().begin(), other.vertices().end());
    const TriangleMesh rough = level.with_vertices(vertices);
    expect_same_steps_on(rough, random);
    // So that the tree of the first vertices is a bad one; and once more.
    for (Vector3d& v : vertices) v = {1.3 * v.y() + 0.2 * v.x(), v.x() + 3.0 * v.z(), v.z()};
    expect_same_steps_on(rough.with_vertices(vertices), random);
    expect_same_steps_on(rough_ground(12, 0.4, random, TreeKind::aabb), random);
    std::vector<CompoundChild> bars;
    for (int i = 0; i < 60; ++i) {
      const Vector3d at(random.uniform(0.0, 3.0), random.uniform(0.0, 3.0), random.uniform(-0.2, 0.2));
      bars.push_back({Box({0.3, 0.05, 0.05}), Pose(at, random.rotation())});
    }
    expect_same_steps_on(Compound(bars, TreeKind::obb), random);
    expect_same_steps_on(Compound({{rough, Pose()}, {Sphere(0.5), Pose(Vector3d(1.5, 1.5, -0.3))}}), random);
  }
}

TEST(Snapshot, OfARestoredSceneIsTheSameBytes) {
  const Busy busy;
  const Bytes bytes = save(busy.scene);
  EXPECT_EQ(save(busy.scene), bytes);
  EXPECT_EQ(save(restore(bytes)), bytes);
}

TEST(Snapshot, KeepsHandlesSettingsAndWhatIsKnownOfBodies) {
  const Busy busy;
  const Scene restored = restore(save(busy.scene));
  EXPECT_EQ(restored.bodies(), busy.scene.bodies());
  EXPECT_EQ(restored.settings().contact_margin, 0.01);
  EXPECT_EQ(restored.settings().max_points, 3);
  for (const BodyId id : busy.ids) {
    EXPECT_EQ(restored.pose(id), busy.scene.pose(id));
    EXPECT_EQ(restored.filter(id), busy.scene.filter(id));
    EXPECT_EQ(restored.motion(id), busy.scene.motion(id));
    EXPECT_EQ(restored.is_sensor(id), busy.scene.is_sensor(id));
    EXPECT_EQ(restored.shape(id).type_name(), busy.scene.shape(id).type_name());
    EXPECT_EQ(restored.is_ignored(id, busy.ids[0]), busy.scene.is_ignored(id, busy.ids[0]));
  }
  EXPECT_FALSE(restored.contains({12, 1}));
}

TEST(Snapshot, OfAnEmptySceneIsAnEmptyScene) {
  Scene restored = restore(save(Scene()));
  EXPECT_EQ(restored.body_count(), 0u);
  restored.step();
  EXPECT_EQ(restored.add({.shape = Sphere(1.0)}), (BodyId{0, 1}));
}

TEST(Snapshot, DerivativesOfTheLastContactsAreThoseOfTheOriginal) {
  Busy busy;
  busy.step(busy.scene);
  const Scene restored = restore(save(busy.scene));
  std::vector<SeparationDerivatives> expected(busy.scene.contacts().size());
  std::vector<SeparationDerivatives> derivatives(expected.size());
  busy.scene.contact_derivatives(expected);
  restored.contact_derivatives(derivatives);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(derivatives[i].by_b.distance, expected[i].by_b.distance);
    EXPECT_EQ(derivatives[i].by_a.normal, expected[i].by_a.normal);
  }
}

TEST(Snapshot, SharedShapesAreWrittenOnceAndSharedAgain) {
  samples::Random random(5);
  const ConvexHull hull = samples::random_hull(200, 0.5, random);
  const TriangleMesh mesh = samples::l_mesh(1.0);
  const Compound compound({{Shape(hull), Pose()}, {Shape(mesh), Pose(Vector3d(1, 0, 0))}});
  Scene one;
  for (const Shape& shape : {Shape(hull), Shape(mesh), Shape(compound)}) one.add({.shape = shape});
  Scene many;
  for (int i = 0; i < 30; ++i) {
    for (const Shape& shape : {Shape(hull, 0.01 * i), Shape(mesh), Shape(compound)}) {
      many.add({.shape = shape, .pose = Pose(Vector3d(10.0 * i, 0, 0))});
    }
  }
  const std::size_t records = 90 * 160;
  EXPECT_LT(save(many).size(), save(one).size() + records);
  const Scene restored = restore(save(many));
  const std::vector<BodyId> ids = restored.bodies();
  const auto* first = restored.shape(ids[0]).get_if<ConvexHull>();
  const auto* last = restored.shape(ids[87]).get_if<ConvexHull>();
  EXPECT_EQ(first->vertices().data(), last->vertices().data());
  EXPECT_EQ(restored.shape(ids[89]).get_if<Compound>()->children()[0].shape.get_if<ConvexHull>()->vertices().data(),
            first->vertices().data());
  EXPECT_EQ(restored.shape(ids[87]).margin(), 0.01 * 29);
}

TEST(Snapshot, PosesOfManyProductsKeepTheirBits) {
  Pose turned;
  const Pose turn(Vector3d(1e-3, 0, 0), Quaterniond(1.0, 0.1, 0.2, 0.3));
  for (int i = 0; i < 100000; ++i) turned = turned * turn;
  Scene scene;
  const BodyId id = scene.add({.shape = Box({1, 2, 3}), .pose = turned});
  EXPECT_EQ(restore(save(scene)).pose(id), turned);
}

TEST(Snapshot, ContactsOfPosesThatAreNotQuiteOrthonormalAreRead) {
  // A rotation as far off as Pose::from_stored takes it, as single precision leaves it after many products.
  for (const double factor : {1.0 + 4e-4, 1.0 - 4e-4, 1.0 + 1.1e-6}) {
    const Matrix3d rotation = Eigen::AngleAxisd(0.4, Vector3d(1, 2, 3).normalized()).toRotationMatrix();
    const Pose pose = Pose::from_stored(Vector3d::Zero(), rotation * factor);
    Scene scene({.contact_margin = 0.01});
    scene.add({.shape = Box({1, 1, 1}), .pose = pose});
    scene.add({.shape = Box({1, 1, 1}), .pose = Pose(pose.rotation() * Vector3d(1.99, 0, 0))});
    scene.step();
    ASSERT_EQ(scene.contacts().size(), 1u);
    const Scene read = restore(save(scene));
    ASSERT_EQ(read.contacts().size(), 1u);
    EXPECT_EQ(read.contacts()[0].normal, scene.contacts()[0].normal) << factor;
    EXPECT_NEAR(scene.contacts()[0].normal.norm(), 1.0, 1e-9) << factor;
  }
}

TEST(Snapshot, WhatPairsOfAllKindsRememberOfSuchPosesIsRead) {
  samples::Random random(7);
  std::size_t contacts = 0;
  for (int i = 0; i < (samples::kIsInstrumented ? 20 : 100); ++i) {
    Scene scene({.contact_margin = 0.05});
    for (std::uint32_t kind = 0; kind < samples::kShapeKinds; ++kind) {
      const double factor = random.uniform(1.0 - 4e-4, 1.0 + 4e-4);
      const Pose pose = random.pose(1.5);
      scene.add({.shape = samples::random_shape(static_cast<samples::ShapeKind>(kind), 1.0, random),
                 .pose = Pose::from_stored(pose.translation(), pose.rotation() * factor)});
    }
    scene.step();
    Scene read = restore(save(scene));
    read.step();
    contacts += scene.contacts().size();
    scene.step();
    EXPECT_EQ(shown(read), shown(scene));
  }
  EXPECT_GT(contacts, 200u);
}

TEST(Snapshot, ThePairFiltersAnswersAreKept) {
  const auto ball = [](double x) { return BodyDescription{.shape = Sphere(1.0), .pose = Pose(Vector3d(x, 0, 0))}; };
  Scene scene;
  const BodyId a = scene.add(ball(0));
  const BodyId b = scene.add(ball(1));
  scene.add(ball(2));
  int asked = 0;
  const PairFilter filter = [&](const BodyPair& pair) {
    ++asked;
    return pair.a != a;
  };
  scene.set_pair_filter(filter);
  scene.step();
  EXPECT_EQ(asked, 3);
  scene.set_filter(b, {.layers = 5});
  const Bytes bytes = save(scene);
  EXPECT_EQ(samples::error_text([&] { (void)restore(bytes); }),
            "snapshot.pair_filter: is needed: the scene that was saved had one");
  asked = 0;
  Scene restored = restore(bytes, filter);
  restored.step();
  EXPECT_EQ(asked, 2);  // the pairs of b
  scene.step();
  EXPECT_EQ(shown(restored), shown(scene));
  // A filter where there was none is asked about everything.
  scene.set_pair_filter({});
  scene.step();
  asked = 0;
  Scene asking = restore(save(scene), filter);
  asking.step();
  EXPECT_EQ(asked, 3);
}

TEST(Snapshot, OfASceneWithOtherSettingsSinceItsLastStepIsRestored) {
  Scene scene({.contact_margin = 0.01});
  scene.add({.shape = Box({1, 1, 1})});
  scene.add({.shape = Box({1, 1, 1}), .pose = Pose(Vector3d(1.9, 0, 0))});
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 1u);
  for (const SceneSettings& settings : {scene.settings(), SceneSettings{.contact_margin = 0.2, .max_points = 2}}) {
    scene.set_settings(settings);
    Scene restored = restore(save(scene));
    EXPECT_EQ(shown(restored), shown(scene));
    EXPECT_EQ(save(restored), save(scene));
    restored.step();
    scene.step();
    EXPECT_EQ(shown(restored), shown(scene));
    EXPECT_EQ(scene.statistics().solved_pairs, 1u);
  }
}

TEST(Snapshot, KeepsNothingOfAPairFilterThatIsGone) {
  Scene scene;
  const BodyId body = scene.add({.shape = Sphere(1.0)});
  scene.add({.shape = Sphere(1.0), .pose = Pose(Vector3d(1, 0, 0))});
  scene.set_pair_filter([](const BodyPair&) { return true; });
  scene.step();
  scene.set_filter(body, {.layers = 2});
  scene.set_pair_filter({});
  scene.step();
  EXPECT_EQ(save(restore(save(scene))), save(scene));
}

TEST(Snapshot, KeepsCompoundsNestedAsDeepAsTheyMayBe) {
  Shape nested = Sphere(1.0);
  for (std::size_t i = 0; i < Compound::kMaxDepth; ++i) nested = Compound({{Sphere(0.5), Pose()}, {nested, Pose()}});
  Scene scene;
  scene.add({.shape = nested});
  scene.add({.shape = nested, .pose = Pose(Vector3d(1.5, 0, 0))});
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 1u);
  EXPECT_NEAR(scene.contacts()[0].distance, -0.5, 1e-9);
  EXPECT_EQ(save(restore(save(scene))), save(scene));
}

// ---- Broken bytes

TEST(BrokenSnapshot, CutShortAnywhereIsRefused) {
  const Bytes bytes = small_snapshot();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW((void)restore(std::span(bytes).first(size)), InvalidInput) << size;
  }
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_THROW((void)restore(longer), InvalidInput);
}

TEST(BrokenSnapshot, EveryFlippedBitIsRefused) {
  Bytes bytes = small_snapshot();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::byte before = bytes[i];
    bytes[i] ^= std::byte{1} << (i % 8);
    EXPECT_THROW((void)restore(bytes), InvalidInput) << i;
    bytes[i] = before;
  }
  EXPECT_EQ(save(restore(bytes)), bytes);
}

TEST(BrokenSnapshot, TheErrorsSayWhatIsWrong) {
  const auto error = [](const Bytes& bytes) { return samples::error_text([&] { (void)restore(bytes); }); };
  EXPECT_EQ(error({}), "snapshot: is no snapshot: it does not begin with ABUTSNAP");
  Bytes bytes = small_snapshot();
  bytes[8] = std::byte{7};
  EXPECT_EQ(error(bytes), "snapshot.version: must be 5, got 7");
  bytes = small_snapshot();
  bytes[40] ^= std::byte{1};
  EXPECT_EQ(error(bytes), "snapshot.checksum: does not fit: the bytes have been altered");
  bytes = small_snapshot();
  const std::string size = std::to_string(bytes.size());
  bytes.pop_back();
  EXPECT_EQ(error(bytes).rfind("snapshot.size: is " + std::to_string(bytes.size()) + " bytes", 0), 0u) << error(bytes);
}

TEST(BrokenSnapshot, AlteredBytesWithAFittingChecksumGiveASoundSceneOrAnError) {
  samples::Random random(2);
  for (const Bytes& bytes : {small_snapshot(), resting_snapshot()}) {
    std::size_t refused = 0;
    std::size_t accepted = 0;
    const int rounds = samples::kIsInstrumented ? 500 : 3000;
    for (int round = 0; round < rounds; ++round) {
      Bytes altered = bytes;
      for (std::uint32_t change = 1 + random.below(3); change > 0; --change) {
        const std::size_t place = 20 + random.below(static_cast<std::uint32_t>(bytes.size() - 28));
        constexpr std::uint64_t kTelling[] = {0, 1, 0x7f, 0x80, 0xff};
        altered[place] = static_cast<std::byte>(random.chance(0.5) ? kTelling[random.below(5)] : random.below(256));
      }
      try {
        Scene scene = restore(signed_again(altered));
        ++accepted;
        scene.step();
        scene.step();
        (void)save(scene);
      } catch (const InvalidInput& error) {
        EXPECT_GT(std::string(error.what()).size(), 10u);
        ++refused;
      }
    }
    EXPECT_GT(refused, static_cast<std::size_t>(rounds / 10));
    EXPECT_GT(accepted, static_cast<std::size_t>(rounds / 10));
  }
}

TEST(BrokenSnapshot, PairsThatRememberMoreCornersThanThereAreAreRefused) {
  // Whatever number in the bytes it is that says how many.
  const Bytes bytes = small_snapshot();
  int refused = 0;
  for (std::size_t place = 20; place + 12 < bytes.size(); place += samples::kIsInstrumented ? 3 : 1) {
    Bytes altered = bytes;
    for (std::size_t k = 0; k < 4; ++k) altered[place + k] = static_cast<std::byte>(k == 0 ? 7 : 0);
    const std::string error = samples::error_text([&] { (void)restore(signed_again(altered)); });
    refused += error.find("corners.count: must be at most 3, got 7") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
}

TEST(BrokenSnapshot, UnconvergedPairsThatNoStepCouldHaveLeftAreRefused) {
  samples::Random random(34);
  Scene scene({.contact_margin = 0.01});
  for (int i = 0; i < 60; ++i) {  // deep in each other, where depth closes slowly
    const Shape shape = samples::random_shape(static_cast<samples::ShapeKind>(i % 12), 0.5, random);
    scene.add({.shape = shape, .pose = random.pose(0.2)});
  }
  scene.step();
  const std::size_t count = unconverged_pairs(scene).size();
  ASSERT_GT(count, 2u);
  const Bytes bytes = save(scene);
  // The list is the last part, of entries of one size, each of which begins with its candidate.
  std::size_t begin = bytes.size();
  const auto number_at = [&bytes](std::size_t place) {
    std::uint64_t number = 0;
    for (std::size_t k = 0; k < 8; ++k) number |= std::to_integer<std::uint64_t>(bytes[place + k]) << (8 * k);
    return number;
  };
  for (std::size_t entry = 100; entry < 500 && begin == bytes.size(); ++entry) {
    const std::size_t place = bytes.size() - 16 - count * entry;
    if (number_at(place) == count) begin = place;
  }
  ASSERT_LT(begin, bytes.size());
  const auto error_with = [&](std::size_t place, std::byte value) {
    Bytes altered = bytes;
    altered[place] = value;
    return samples::error_text([&] { (void)restore(signed_again(altered)); });
  };
  const std::string path = "snapshot.last_step.unconverged";
  const std::string candidate = error_with(begin + 8 + 4, std::byte{1});
  EXPECT_EQ(candidate.rfind(path + "[0].candidate: must be one of ", 0), 0u) << candidate;
  EXPECT_NE(candidate.find(", in ascending order, got 42949"), std::string::npos) << candidate;  // 2^32 and some
  EXPECT_EQ(error_with(begin + 7, std::byte{1}).rfind(path, 0), 0u);  // a count beyond the bytes
  EXPECT_EQ(error_with(begin, static_cast<std::byte>(count - 1)), path + ": must be as many as not_converged says, " +
                                                                      std::to_string(count) + ", got " +
                                                                      std::to_string(count - 1));
  int refused = 0;
  for (std::size_t place = begin; place < begin + 300; place += samples::kIsInstrumented ? 9 : 3) {
    const std::string error = error_with(place, std::byte{0xff});
    if (error == "no error") continue;
    EXPECT_EQ(error.rfind(path, 0), 0u) << error;
    ++refused;
  }
  EXPECT_GT(refused, samples::kIsInstrumented ? 2 : 10);
}

/// The bytes with the first of these sequences in them replaced by the other, of the same length, and signed.
Bytes replaced(Bytes bytes, const Bytes& from, const Bytes& to) {
  const auto place = std::search(bytes.begin(), bytes.end(), from.begin(), from.end());
  EXPECT_NE(place, bytes.end());
  EXPECT_EQ(from.size(), to.size());
  std::copy(to.begin(), to.end(), place);
  return signed_again(bytes);
}

/// A ball that has been moved, on a box, and a mesh that touches the side of the box.
Scene scene_of_contacts() {
  Scene scene({.contact_margin = 0.05});
  scene.add({.shape = Box({1, 1, 1})});
  const BodyId ball = scene.add({.shape = Sphere(0.5), .pose = Pose(Vector3d(0.1, 0.2, 1.4))});
  scene.add({.shape = samples::l_mesh(0.5), .pose = Pose(Vector3d(1.45, 0, 0))});
  scene.step();
  scene.set_pose(ball, Pose(Vector3d(0.1, 0.21, 1.43)));
  scene.step();
  return scene;
}

TEST(BrokenSnapshot, ContactsThatNoStepCouldHaveLeftAreRefusedByField) {
  const Scene scene = scene_of_contacts();
  const Bytes bytes = save(scene);
  ASSERT_EQ(scene.contacts().size(), 2u);
  // What follows a contact is the distance of its separation.
  const auto bytes_of = [&scene](const Contact& contact, std::size_t i, double separation) {
    ByteWriter out;
    write(out, contact);
    out.write(separation == 0.0 ? scene.contacts()[i].distance : separation);
    return out.take();
  };
  const auto error_with = [&](std::size_t i, const auto& change, double separation = 0.0) {
    const Contact& contact = scene.contacts()[i];
    Contact altered = contact;
    change(altered);
    const Bytes broken = replaced(bytes, bytes_of(contact, i, 0.0), bytes_of(altered, i, separation));
    const std::string error = samples::error_text([&] { (void)restore(broken); });
    const std::string path = "snapshot.last_step.contacts[" + std::to_string(i) + "].";
    return error.rfind(path, 0) == 0 ? error.substr(path.size()) : error;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_with(0, [](Contact&) {}), "no error");
  EXPECT_EQ(error_with(0, [&](Contact& c) { c.distance = nan; }), "distance: must be finite, got nan");
  EXPECT_EQ(error_with(0, [&](Contact& c) { c.distance = -infinite; }), "distance: must be finite, got -inf");
  EXPECT_EQ(error_with(
                0, [&](Contact& c) { c.distance = 7.0; }, 7.0),
            "distance: must be at most the contact margin, got 7");
  EXPECT_EQ(error_with(0, [&](Contact& c) { c.distance_error = nan; }), "distance_error: must be >= 0, got nan");
  EXPECT_EQ(error_with(0, [&](Contact& c) { c.distance_error = -1.0; }), "distance_error: must be >= 0, got -1");
  EXPECT_EQ(error_with(0, [&](Contact& c) { c.normal *= 5.0; }), "normal: must be unit, got 5");
  EXPECT_EQ(error_with(0, [&](Contact& c) { c.normal = Vector3d(0, nan, 0); }).rfind("normal: must be unit, got ", 0),
            0u);
  EXPECT_EQ(error_with(0, [&](Contact& c) { c.status = SolveStatus::beyond_limit; }),
            "status: must be that of a distance");
  EXPECT_EQ(error_with(
                0, [&](Contact& c) { c.distance = 0.0; }, 0.01),
            "separation.distance: must be the contact's, got 0.01");
  EXPECT_EQ(error_with(0, [&](Contact& c) { c.normal = -c.normal; }), "separation.normal: must be the contact's");
  EXPECT_EQ(error_with(0, [&](Contact& c) { c.status = SolveStatus::iteration_limit; }),
            "separation.status: must be the contact's");
  EXPECT_EQ(error_with(
                0, [](Contact&) {}, nan),
            "separation.distance: must be finite, got nan");

  const auto point_error = [&](std::size_t i, const auto& change) {
    return error_with(i, [&](Contact& contact) { change(contact.point_storage[0]); });
  };
  EXPECT_EQ(point_error(0, [&](ContactPoint& p) { p.point_a.y() = nan; }),
            "points[0].point_a[1]: must be finite, got nan");
  EXPECT_EQ(point_error(0, [&](ContactPoint& p) { p.point_b.z() = infinite; }),
            "points[0].point_b[2]: must be finite, got inf");
  EXPECT_EQ(point_error(0, [&](ContactPoint& p) { p.distance = nan; }), "points[0].distance: must be finite, got nan");
  EXPECT_EQ(point_error(0, [&](ContactPoint& p) { p.normal *= 0.0; }), "points[0].normal: must be unit, got 0");
  EXPECT_EQ(point_error(0, [&](ContactPoint& p) { p.leaf_a = 1; }), "points[0].leaf_a: must be less than 1, got 1");
  EXPECT_EQ(point_error(1, [&](ContactPoint& p) { p.leaf_b = 20; }), "points[0].leaf_b: must be less than 20, got 20");
  EXPECT_EQ(point_error(1, [&](ContactPoint& p) { p.leaf_b = 19; }), "no error");

  // No points, of a contact that has one.
  Bytes none = bytes_of(scene.contacts()[0], 0, 0.0);
  ASSERT_EQ(scene.contacts()[0].points().size(), 1u);
  constexpr std::size_t kCount = 2 * 8 + 5 * 8 + 2;  // after bodies, normal, distance, error, status and flag
  ASSERT_EQ(none[kCount], std::byte{1});
  none[kCount] = std::byte{0};
  EXPECT_EQ(samples::error_text([&] { (void)restore(replaced(bytes, bytes_of(scene.contacts()[0], 0, 0.0), none)); }),
            "snapshot.last_step.contacts[0].points: must be 1 ... 12 points, got 0");
}

TEST(BrokenSnapshot, LeavesOfABodyThatWasMadeASensorSinceAreThoseThatItHas) {
  Scene scene = scene_of_contacts();
  const auto error_with = [&scene](std::uint32_t leaf) {
    const auto bytes_of = [](const Contact& contact) {
      ByteWriter out;
      write(out, contact);
      return out.take();
    };
    Contact altered = scene.contacts()[1];
    altered.point_storage[0].leaf_b = leaf;
    const Bytes broken = replaced(save(scene), bytes_of(scene.contacts()[1]), bytes_of(altered));
    return samples::error_text([&] { (void)restore(broken); });
  };
  const BodyId mesh = scene.bodies()[2];
  scene.set_sensor(mesh, true);
  EXPECT_EQ(error_with(19), "no error");
  EXPECT_EQ(error_with(20), "snapshot.last_step.contacts[1].points[0].leaf_b: must be less than 20, got 20");
  scene.set_shape(mesh, Box({1, 1, 1}));  // what it had before is not known any more
  EXPECT_EQ(error_with(20), "no error");
}

TEST(BrokenSnapshot, WhatPairsAndBodiesCannotRememberIsRefusedByField) {
  const Scene scene = scene_of_contacts();
  const Bytes bytes = save(scene);
  const detail::SceneState& state = detail::state_of(scene);
  const auto bytes_of_pair = [](const detail::PairHistory& history) {
    ByteWriter out;
    out.write(history.looked_in);
    out.write(history.gap);
    out.write(history.travel);
    out.write(history.contact);
    return out.take();
  };
  const auto pair_error = [&](const auto& change) {
    const detail::PairHistory& history = state.pair_memory.history(state.candidates.places[0]);
    detail::PairHistory altered = history;
    change(altered);
    const Bytes broken = replaced(bytes, bytes_of_pair(history), bytes_of_pair(altered));
    return samples::error_text([&] { (void)restore(broken); });
  };
  const std::string pair = "snapshot.last_step.candidates[0].";
  EXPECT_EQ(pair_error([](detail::PairHistory&) {}), "no error");
  EXPECT_EQ(pair_error([](detail::PairHistory& h) { h.looked_in = 9; }), pair + "looked_in: must be at most 2, got 9");
  EXPECT_EQ(pair_error([](detail::PairHistory& h) { h.gap = 3.0; }),
            pair + "gap: must be at most the contact's distance, got 3");
  EXPECT_EQ(pair_error([](detail::PairHistory& h) { h.travel = -1.0; }), pair + "travel: must not be negative, got -1");
  EXPECT_EQ(pair_error([](detail::PairHistory& h) { h.travel = 6.0; }),
            pair + "travel: must be at most that of both bodies together, got 6");

  const auto bytes_of_body = [](const detail::BodyMotion& motion) {
    ByteWriter out;
    out.write(motion.travel);
    out.write(motion.last_travel);
    out.write(motion.moved_in);
    return out.take();
  };
  const auto body_error = [&](const auto& change) {
    const detail::BodyMotion& motion = state.bodies.motion(1);
    detail::BodyMotion altered = motion;
    change(altered);
    const Bytes broken = replaced(bytes, bytes_of_body(motion), bytes_of_body(altered));
    return samples::error_text([&] { (void)restore(broken); });
  };
  const std::string body = "snapshot.bodies[1].";
  EXPECT_EQ(body_error([](detail::BodyMotion& m) { m.travel = -1.0; }), body + "travel: must not be negative, got -1");
  EXPECT_EQ(body_error([](detail::BodyMotion& m) { m.last_travel = -2.0; }),
            body + "last_travel: must not be negative, got -2");
  EXPECT_EQ(body_error([](detail::BodyMotion& m) { m.moved_in = 4; }),
            body + "moved_in: must be at most the next step, got 4");
  EXPECT_EQ(body_error([](detail::BodyMotion& m) { m.moved_in = 3; }), "no error");
}

TEST(BrokenSnapshot, BodiesThatNoStepCouldSeeMovedAreRefused) {
  // Two in touch that rest, so that the next step keeps what the last one has found.
  Scene scene;
  for (int i = 0; i < 2; ++i) scene.add({.shape = Box({1, 1, 1}), .pose = Pose(Vector3d(0.5 * i, 0, 0))});
  scene.step();
  scene.step();
  const Bytes bytes = save(scene);
  // Whatever bytes they are that mark the bodies as moved.
  std::array<std::size_t, 2> marks = {0, 0};
  for (std::size_t place = 20; place + 8 < bytes.size(); ++place) {
    if (bytes[place] != std::byte{0}) continue;
    Bytes altered = bytes;
    altered[place] = std::byte{1};
    const std::string error = samples::error_text([&] { (void)restore(signed_again(altered)); });
    for (std::size_t i = 0; i < 2; ++i) {
      if (error == "snapshot.bodies[" + std::to_string(i) +
                       "].has_moved: must be of a body that the next step sees moved or reshaped") {
        EXPECT_EQ(marks[i], 0u);
        marks[i] = place;
      }
    }
  }
  ASSERT_NE(marks[0], 0u);
  ASSERT_NE(marks[1], 0u);
  Bytes both = bytes;
  for (const std::size_t place : marks) both[place] = std::byte{1};
  EXPECT_THROW((void)restore(signed_again(both)), InvalidInput);
  // Of bodies that have, or that have another shape, they are right.
  scene.set_pose(scene.bodies()[0], Pose(Vector3d(0.1, 0, 0)));
  scene.set_shape(scene.bodies()[1], Box({1, 1, 2}));
  Scene restored = restore(save(scene));
  restored.step();
  scene.step();
  EXPECT_EQ(shown(restored), shown(scene));
}

TEST(BrokenSnapshot, NumbersOfStepsThatMightBeginAnewAreRefused) {
  const Bytes bytes = save(Scene());
  int refused = 0;
  for (std::size_t place = 20; place + 16 < bytes.size(); ++place) {
    Bytes altered = bytes;
    std::fill_n(altered.begin() + static_cast<std::ptrdiff_t>(place), 8, std::byte{0xff});
    const std::string error = samples::error_text([&] { (void)restore(signed_again(altered)); });
    refused += error.rfind("snapshot.step_count: must be at most 9223372036854775807, got ", 0) == 0 ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
}

TEST(BrokenSnapshot, AbsurdCountsAreRefusedBeforeMemoryIsTaken) {
  // Eight bytes at a time become a count beyond all memory.
  const Bytes bytes = small_snapshot();
  std::size_t refused = 0;
  for (std::size_t place = 20; place + 16 < bytes.size(); place += samples::kIsInstrumented ? 21 : 7) {
    for (const std::uint64_t count : {~std::uint64_t{0}, std::uint64_t{1} << 40, std::uint64_t{1} << 61}) {
      Bytes altered = bytes;
      for (std::size_t k = 0; k < 8; ++k) altered[place + k] = static_cast<std::byte>(count >> (8 * k));
      try {
        (void)restore(signed_again(altered));
      } catch (const InvalidInput&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, bytes.size() / (samples::kIsInstrumented ? 30 : 10));
}

}  // namespace
}  // namespace abut
