// A scene against a model that remembers what it was told and finds everything from scratch in every step, under long
// random scripts: which pairs are candidates, what the pair filter is asked, contacts, sensors, began and ended.
#include <abut/broadphase/brute_force.h>
#include <abut/core/error.h>
#include <abut/world/detail/scene_state.h>
#include <abut/world/detail/slot_order.h>
#include <abut/world/scene.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "scene_checks.h"

namespace abut {
namespace {

using Pairs = std::vector<BodyPair>;
using Flags = std::vector<std::uint8_t>;

template <class Value>
std::vector<Value> copy(std::span<const Value> values) {
  return {values.begin(), values.end()};
}

/// Answers of a pair filter that look random and are the same whenever the same is asked.
bool accepts(const BodyPair& pair, std::uint64_t salt) {
  std::uint64_t bits = salt;
  for (const std::uint32_t value : {pair.a.slot, pair.a.generation, pair.b.slot, pair.b.generation}) {
    bits = (bits ^ value) * 0x9e3779b97f4a7c15u;
    bits ^= bits >> 29;
  }
  return bits % 4 != 0;
}

/// The written rules, and nothing of the scene's: slots, filters, boxes by brute force, distances from cold starts.
class SceneModel {
 public:
  // ---- What the scene is told.

  BodyId add(const BodyDescription& body) {
    std::uint32_t slot = 0;
    while (bodies_.contains(slot)) ++slot;
    const BodyId id{slot, ++generations_[slot]};
    bodies_.emplace(slot, body);
    return id;
  }
  void remove(BodyId id) {
    bodies_.erase(id.slot);
    std::erase_if(ignored_, [&](const auto& pair) { return pair.first == id.slot || pair.second == id.slot; });
    forget(id);
  }
  BodyDescription& operator[](BodyId id) { return bodies_.at(id.slot); }
  void ignore(BodyId a, BodyId b) {
    if (a != b) ignored_.insert(std::minmax(a.slot, b.slot));
  }
  void consider(BodyId a, BodyId b) { ignored_.erase(std::minmax(a.slot, b.slot)); }
  void forget(BodyId id) {
    std::erase_if(answers_,
                  [&](const auto& answer) { return answer.first.a.slot == id.slot || answer.first.b.slot == id.slot; });
  }
  /// @param salt  0: no filter.
  void set_filter(std::uint64_t salt) {
    salt_ = salt;
    answers_.clear();
  }
  void set_margin(double margin) { margin_ = margin; }

  // ---- What must come of it.

  [[nodiscard]] std::vector<BodyId> ids() const {
    std::vector<BodyId> result;
    for (const auto& [slot, body] : bodies_) result.push_back(id_of(slot));
    return result;
  }

  /// What the next step asks the pair filter.
  [[nodiscard]] Pairs questions() const {
    Pairs result;
    if (salt_ == 0) return result;
    for (const BodyPair& pair : allowed_overlaps()) {
      if (!answers_.contains(pair)) result.push_back(pair);
    }
    return result;
  }

  /// Checks everything that the scene says after a step.
  void expect_step(const Scene& scene) {
    std::map<BodyPair, bool> answers;
    Pairs candidates;
    for (const BodyPair& pair : allowed_overlaps()) {
      const auto known = answers_.find(pair);
      const bool answer = known != answers_.end() ? known->second : salt_ == 0 || accepts(pair, salt_);
      answers.emplace(pair, answer);
      if (answer) candidates.push_back(pair);
      if (!answer) ++refused;
    }
    answers_ = answers;
    ASSERT_EQ(copy(scene.candidate_pairs()), candidates);

    Pairs contacts;
    Flags sensors;
    std::size_t next = 0;
    const std::vector<BodyId> all = ids();
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = i + 1; j < all.size(); ++j) {
        const BodyPair pair{all[i], all[j]};
        if (!is_allowed(pair)) continue;
        if (const auto answer = answers_.find(pair); answer != answers_.end() && !answer->second) continue;
        const BodyDescription& a = bodies_.at(pair.a.slot);
        const BodyDescription& b = bodies_.at(pair.b.slot);
        const Separation separation = distance(a.shape, a.pose, b.shape, b.pose);
        const bool reported = next < scene.contacts().size() && scene.contacts()[next].body_a == pair.a &&
                              scene.contacts()[next].body_b == pair.b;
        // At the edge of the margin the last bits decide, and they may differ between cold and warm starts.
        const bool is_ambiguous = std::abs(separation.distance - margin_) <= 1e-8;
        const bool is_contact = is_ambiguous ? reported : separation.distance <= margin_;
        if (is_ambiguous) ++ambiguous;
        ASSERT_EQ(reported, is_contact) << pair.a.slot << " " << pair.b.slot << " at " << separation.distance;
        if (!is_contact) continue;
        // The broad phase must not lose what the distance shows.
        ASSERT_TRUE(std::binary_search(candidates.begin(), candidates.end(), pair, detail::SlotOrder()));
        expect_contact(scene.contacts()[next++], separation, a, b);
        contacts.push_back(pair);
        sensors.push_back(a.is_sensor || b.is_sensor ? 1 : 0);
      }
    }
    ASSERT_EQ(next, scene.contacts().size());
    expect_events(scene, contacts, sensors);
  }

  std::size_t began = 0;
  std::size_t ended = 0;
  std::size_t with_sensor = 0;
  std::size_t refused = 0;
  std::size_t ambiguous = 0;

 private:
  [[nodiscard]] BodyId id_of(std::uint32_t slot) const { return {slot, generations_.at(slot)}; }

  [[nodiscard]] bool is_allowed(const BodyPair& pair) const {
    const BodyDescription& a = bodies_.at(pair.a.slot);
    const BodyDescription& b = bodies_.at(pair.b.slot);
    if (a.motion == Motion::fixed && b.motion == Motion::fixed) return false;
    if (a.is_sensor && b.is_sensor) return false;
    if (!a.shape.is_bounded() && !b.shape.is_bounded()) return false;
    if (ignored_.contains({pair.a.slot, pair.b.slot})) return false;
    const CollisionFilter& p = a.filter;
    const CollisionFilter& q = b.filter;
    if (p.group == q.group && p.group > 0) return true;
    if (p.group == q.group && p.group < 0) return false;
    return (p.layers & q.mask) != 0 && (q.layers & p.mask) != 0;
  }

  /// In slot order.
  [[nodiscard]] Pairs allowed_overlaps() const {
    BruteForce boxes(margin_);
    for (const auto& [slot, body] : bodies_) boxes.insert(slot, detail::world_box(body.shape, body.pose));
    std::vector<ProxyPair> overlaps;
    boxes.find_pairs(overlaps);
    Pairs result;
    for (const ProxyPair& overlap : overlaps) {
      const BodyPair pair{id_of(overlap.a), id_of(overlap.b)};
      if (is_allowed(pair)) result.push_back(pair);
    }
    return result;
  }

  void expect_contact(const Contact& contact, const Separation& separation, const BodyDescription& a,
                      const BodyDescription& b) const {
    EXPECT_NEAR(contact.distance, separation.distance,
                allowed_difference(contact.distance_error, separation.distance_error))
        << a.shape.type_name() << " against " << b.shape.type_name();
    EXPECT_EQ(contact.is_sensor, a.is_sensor || b.is_sensor);
    ASSERT_GE(contact.points().size(), 1u);
    EXPECT_LE(contact.points().size(), contact.is_sensor ? 1u : Contact::kMaxPoints);
    const ContactPoint& deepest = contact.points().front();
    if (a.shape.is_composite() || b.shape.is_composite()) {
      EXPECT_NEAR((deepest.point_b - deepest.point_a).dot(deepest.normal), deepest.distance, 1e-6);
    } else {
      EXPECT_NEAR((deepest.point_b - deepest.point_a).dot(contact.normal), contact.distance,
                  contact.distance_error + 2e-6);
    }
  }

  void expect_events(const Scene& scene, const Pairs& contacts, const Flags& sensors) {
    Pairs begins;
    Flags begins_with_sensor;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      if (std::find(contacts_.begin(), contacts_.end(), contacts[i]) != contacts_.end()) continue;
      begins.push_back(contacts[i]);
      begins_with_sensor.push_back(sensors[i]);
    }
    Pairs ends;
    Flags ends_with_sensor;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      if (std::find(contacts.begin(), contacts.end(), contacts_[i]) != contacts.end()) continue;
      ends.push_back(contacts_[i]);
      ends_with_sensor.push_back(sensors_[i]);
    }
    ASSERT_EQ(copy(scene.began()), begins);
    ASSERT_EQ(copy(scene.ended()), ends);
    ASSERT_EQ(copy(scene.began_with_sensor()), begins_with_sensor);
    ASSERT_EQ(copy(scene.ended_with_sensor()), ends_with_sensor);
    began += begins.size();
    ended += ends.size();
    with_sensor += static_cast<std::size_t>(std::count(sensors.begin(), sensors.end(), 1));
    contacts_ = contacts;
    sensors_ = sensors;
  }

  std::map<std::uint32_t, BodyDescription> bodies_;  // by slot
  std::map<std::uint32_t, std::uint32_t> generations_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> ignored_;
  double margin_ = 0.0;
  std::uint64_t salt_ = 0;
  std::map<BodyPair, bool> answers_;
  Pairs contacts_;
  Flags sensors_;
};

/// A scene and its model, told the same.
class SceneScript {
 public:
  explicit SceneScript(std::uint64_t seed) : random_(seed) {}

  static constexpr std::uint32_t kOperations = 24;

  void change() {
    const std::vector<BodyId> ids = model.ids();
    const std::uint32_t operation = random_.below(kOperations);
    ++used[operation];
    if (ids.size() < 4 || (operation < 3 && ids.size() < 22)) return add();
    const BodyId body = any(ids);
    switch (operation) {
      case 0:
      case 1:
      case 2:
      case 3:
        return remove(body);
      case 4:  // into the slot that has just become free
      case 5:
        remove(body);
        return add();
      case 6:
      case 7:
      case 8:
        return set_pose(body, random_.pose(kHalfSide));
      case 9:
      case 10:  // a small move, so that contacts last
        return drift(body, 0.02);
      case 11:  // hardly any
        return drift(body, 1e-9);
      case 12: {
        std::vector<Pose> poses;
        for (std::size_t i = 0; i < ids.size(); ++i) poses.push_back(random_.pose(kHalfSide));
        for (std::size_t i = 0; i < ids.size(); ++i) model[ids[i]].pose = poses[i];
        return scene.set_poses(ids, poses);
      }
      case 13: {
        const BodyId other = any(ids);
        model.ignore(body, other);
        return scene.ignore_pair(body, other);
      }
      case 14: {
        const BodyId other = any(ids);
        model.consider(body, other);
        return scene.consider_pair(body, other);
      }
      case 15:
        model[body].motion = random_.chance(0.3) ? Motion::fixed : Motion::moving;
        return scene.set_motion(body, model[body].motion);
      case 16:
      case 17:
        model[body].filter = any_filter();
        model.forget(body);
        return scene.set_filter(body, model[body].filter);
      case 18:
        model[body].is_sensor = random_.chance(0.3);
        model.forget(body);
        return scene.set_sensor(body, model[body].is_sensor);
      case 19:
      case 20:
        model[body].shape = any_shape();
        return scene.set_shape(body, model[body].shape);
      case 21: {
        const double margin = random_.chance(0.5) ? 0.0 : random_.uniform(0.0, 0.1);
        model.set_margin(margin);
        return scene.set_settings({.contact_margin = margin});
      }
      case 22: {
        const std::uint64_t salt = random_.chance(0.2) ? 0 : 1 + random_.below(1u << 30);
        return set_pair_filter(salt);
      }
      default:
        return fail_in_filter();
    }
  }

  void step() {
    asked_.clear();
    const Pairs questions = model.questions();
    scene.step();
    ASSERT_EQ(asked_, questions);
    asked += questions.size();
    model.expect_step(scene);
  }

  bool chance(double probability) { return random_.chance(probability); }

  Scene scene;
  SceneModel model;
  std::array<int, kOperations> used{};
  std::size_t asked = 0;
  std::size_t failures = 0;

 private:
  static constexpr double kHalfSide = 0.8;

  BodyId any(const std::vector<BodyId>& ids) { return ids[random_.below(static_cast<std::uint32_t>(ids.size()))]; }
  CollisionFilter any_filter() {
    const auto bits = [&] { return 1 + random_.below(3); };
    const std::uint32_t layers = bits();
    return {.layers = layers, .mask = bits(), .group = static_cast<std::int32_t>(random_.below(7)) - 3};
  }
  Shape any_shape() {
    if (random_.chance(0.05)) return HalfSpace(random_.direction(), -0.9);
    return samples::random_shape(static_cast<samples::ShapeKind>(random_.below(samples::kShapeKinds)), 0.4, random_);
  }

  void add() {
    const BodyDescription body{.shape = any_shape(),
                               .pose = random_.pose(kHalfSide),
                               .motion = random_.chance(0.15) ? Motion::fixed : Motion::moving,
                               .filter = random_.chance(0.5) ? CollisionFilter{} : any_filter(),
                               .is_sensor = random_.chance(0.2)};
    ASSERT_EQ(scene.add(body), model.add(body));
  }
  void remove(BodyId body) {
    scene.remove(body);
    model.remove(body);
  }
  void set_pose(BodyId body, const Pose& pose) {
    model[body].pose = pose;
    scene.set_pose(body, pose);
  }
  void drift(BodyId body, double length) {
    const Pose pose = model[body].pose;
    set_pose(body, Pose(pose.translation() + random_.vector(-length, length), pose.quaternion()));
  }

  void set_pair_filter(std::uint64_t salt) {
    salt_ = salt;
    model.set_filter(salt);
    if (salt == 0) return scene.set_pair_filter({});
    scene.set_pair_filter([this, salt](const BodyPair& pair) {
      if (fails_after_ == asked_.size()) throw std::runtime_error("no answer");
      asked_.push_back(pair);
      return accepts(pair, salt);
    });
  }

  /// A step that the filter breaks off leaves everything as it was.
  void fail_in_filter() {
    const Pairs questions = model.questions();
    if (questions.empty()) return;
    const Pairs candidates = copy(scene.candidate_pairs());
    const Pairs began = copy(scene.began());
    const Pairs ended = copy(scene.ended());
    const std::size_t contacts = scene.contacts().size();
    const std::size_t counted = scene.statistics().candidate_pairs;
    asked_.clear();
    fails_after_ = random_.below(static_cast<std::uint32_t>(questions.size()));
    EXPECT_THROW(scene.step(), std::runtime_error);
    fails_after_ = ~std::size_t{0};
    EXPECT_EQ(copy(scene.candidate_pairs()), candidates);
    EXPECT_EQ(copy(scene.began()), began);
    EXPECT_EQ(copy(scene.ended()), ended);
    EXPECT_EQ(scene.contacts().size(), contacts);
    EXPECT_EQ(scene.statistics().candidate_pairs, counted);
    ++failures;
  }

  samples::Random random_;
  std::uint64_t salt_ = 0;
  Pairs asked_;
  std::size_t fails_after_ = ~std::size_t{0};
};

TEST(SceneModel, EveryStepIsThatOfAScratchModelUnderRandomScripts) {
  const std::uint64_t seeds = samples::kIsInstrumented ? 1 : 4;
  constexpr int kFewer = samples::kIsInstrumented ? 4 : 1;
  std::size_t steps = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    SceneScript script(seed);
    for (int operation = 0; operation < 2000 / kFewer; ++operation) {
      SCOPED_TRACE(testing::Message() << "operation " << operation);
      script.change();
      ASSERT_FALSE(testing::Test::HasFailure());
      if (!script.chance(0.5)) continue;
      script.step();
      ++steps;
      ASSERT_FALSE(testing::Test::HasFailure());
    }
    // The scripts did what they are for.
    for (const int count : script.used) EXPECT_GT(count, 40 / kFewer);
    EXPECT_GT(script.model.began, 1000u / kFewer);
    EXPECT_GT(script.model.ended, 1000u / kFewer);
    EXPECT_GT(script.model.with_sensor, 500u / kFewer);
    EXPECT_GT(script.model.refused, 500u / kFewer);
    EXPECT_GT(script.asked, 1000u / kFewer);
    EXPECT_GT(script.failures, 10u / kFewer);
    EXPECT_LT(script.model.ambiguous, 10u);
  }
  EXPECT_GT(steps, 900 / kFewer * seeds);
}

}  // namespace
}  // namespace abut
