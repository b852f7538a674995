// Sets in blocks of a fixed size. What one set learns (a pair that collides, a pair that is near, warm starts) helps
// the next ones of its block alone, so that the answers do not depend on who computes which block.
#include <abut/core/error.h>
#include <abut/narrowphase/distance.h>
#include <abut/world/detail/box_gap.h>
#include <abut/world/detail/query_checks.h>
#include <abut/world/detail/query_run.h>
#include <abut/world/pose_sets.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace abut {
namespace {

using detail::Body;
using detail::SceneState;

/// Sets that one task answers.
constexpr std::size_t kBlock = 64;
constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// Two members of a group, or a member and another body of the scene.
struct Pairing {
  std::uint32_t member = kNone;  // index in the group
  std::uint32_t other = kNone;   // index in the group, or slot
  bool is_within_group = false;
  friend bool operator==(const Pairing&, const Pairing&) = default;
};

/// What all tasks share.
struct Question {
  const SceneState& state;
  std::span<const BodyId> group;
  std::span<const Pose> poses;
  PoseSetOptions options;
  std::vector<std::uint32_t> slots;  // of the group, sorted
  std::vector<Pairing> own_pairs;

  Question(const SceneState& scene, std::span<const BodyId> bodies, std::span<const Pose> all_poses,
           const PoseSetOptions& asked)
      : state(scene), group(bodies), poses(all_poses), options(asked) {
    detail::require_prepared(state);
    require_not_negative("security_margin", options.security_margin);
    if (std::isnan(options.max_distance)) throw InvalidInput("max_distance", "must not be NaN", options.max_distance);
    slots.reserve(group.size());
    for (std::uint32_t i = 0; i < group.size(); ++i) {
      if (!state.bodies.contains(group[i])) state.bodies.require(group[i], detail::indexed("group", i));
      slots.push_back(group[i].slot);
    }
    std::sort(slots.begin(), slots.end());
    if (std::adjacent_find(slots.begin(), slots.end()) != slots.end()) refuse_twice();
    for (std::size_t i = 0; i < poses.size(); ++i) {
      if (!poses[i].is_finite()) require_finite(detail::indexed("poses", i), poses[i]);
    }
    if (group.empty() ? !poses.empty() : poses.size() % group.size() != 0) {
      throw InvalidInput("poses", "must have a pose for each of the " + std::to_string(group.size()) +
                                      " bodies of the group in every set, got " + std::to_string(poses.size()));
    }
    for (std::uint32_t i = 0; options.with_itself && i < group.size(); ++i) {
      for (std::uint32_t j = i + 1; j < group.size(); ++j) {
        if (may_meet(group[i].slot, group[j].slot)) own_pairs.push_back({i, j, true});
      }
    }
  }

  [[nodiscard]] std::size_t set_count() const { return group.empty() ? 0 : poses.size() / group.size(); }
  [[nodiscard]] std::span<const Pose> set(std::size_t k) const { return poses.subspan(k * group.size(), group.size()); }

  [[nodiscard]] bool is_in_group(std::uint32_t slot) const {
    return std::binary_search(slots.begin(), slots.end(), slot);
  }
  [[nodiscard]] bool may_meet(std::uint32_t slot, std::uint32_t other) const {
    return state.bodies.may_pair(slot, other) && state.bodies[slot].filter.accepts(state.bodies[other].filter) &&
           !state.ignored.contains(slot, other);
  }

  [[noreturn]] void refuse_twice() const {
    for (std::size_t i = 1;; ++i) {
      const auto first = std::find(group.begin(), group.end(), group[i]);
      const auto index = static_cast<std::size_t>(first - group.begin());
      if (index == i) continue;
      throw InvalidInput(
          detail::indexed("group", i),
          std::string("must not be in the group twice; it is group[").append(std::to_string(index)) + ']');
    }
  }

  [[nodiscard]] const Body& member(std::uint32_t index) const { return state.bodies[group[index].slot]; }
  [[nodiscard]] BodyPair ids(const Pairing& pairing) const {
    return {group[pairing.member], pairing.is_within_group ? group[pairing.other] : state.bodies.id(pairing.other)};
  }
};

/// The memory of one block of sets.
struct Memory {
  /// @param sets  Of the block: what one set alone learns about a pairing is of no use.
  Memory(const Question& question, std::size_t sets) : boxes(question.group.size()), caches(sets > 1 ? kCaches : 1) {}

  /// Warm start of a pairing; of two that fall on one place the later takes it.
  PairCache& cache(const Pairing& pairing) {
    const std::uint64_t key = std::uint64_t{pairing.is_within_group} << 63 | std::uint64_t{pairing.member} << 32 |
                              std::uint64_t{pairing.other};
    Entry& entry = caches[key * 0x9e3779b97f4a7c15U >> (64 - kCacheBits) & (caches.size() - 1)];
    if (entry.key != key) entry = {key, PairCache()};
    return entry.cache;
  }

  static constexpr unsigned kCacheBits = 8;
  static constexpr std::size_t kCaches = std::size_t{1} << kCacheBits;
  struct Entry {
    std::uint64_t key = ~std::uint64_t{0};
    PairCache cache;
  };
  std::vector<Aabb> boxes;  // of the set, by index in the group
  std::vector<Entry> caches;
  Pairing last;  // that collided, or was nearest
};

class Set {
 public:
  Set(const Question& question, std::span<const Pose> poses, Memory& memory)
      : question_(question), poses_(poses), memory_(memory) {}

  PoseSetCheck check() {
    margin_ = question_.options.security_margin;
    if (memory_.last.member != kNone && collides(memory_.last)) return found(memory_.last);
    find_boxes();
    const Pairing last = memory_.last;
    for (const Pairing& pairing : question_.own_pairs) {
      if (pairing == last || boxes_apart(pairing, margin_)) continue;
      if (collides(pairing)) return found(pairing);
    }
    if (!question_.options.with_scene) return {};
    for (std::uint32_t i = 0; i < question_.group.size(); ++i) {
      Pairing hit;
      question_.state.query_trees.visit_overlaps(memory_.boxes[i].expanded(margin_), [&](std::uint32_t slot) {
        const Pairing pairing{i, slot, false};
        if (pairing == last || !is_pair(i, slot) || boxes_apart(pairing, margin_) || !collides(pairing)) return true;
        hit = pairing;
        return false;
      });
      if (hit.member != kNone) return found(hit);
    }
    return {};
  }

  PoseSetDistance distance() {
    reach_ = question_.options.max_distance;
    find_boxes();
    const Pairing last = memory_.last;
    if (last.member != kNone) consider(last);
    for (const Pairing& pairing : question_.own_pairs) {
      if (pairing == last || boxes_apart(pairing, std::max(reach_, 0.0))) continue;
      consider(pairing);
    }
    for (std::uint32_t i = 0; question_.options.with_scene && i < question_.group.size(); ++i) {
      question_.state.query_trees.visit_nearest(memory_.boxes[i], std::max(reach_, 0.0), [&](std::uint32_t slot) {
        const Pairing pairing{i, slot, false};
        if (pairing != last && is_pair(i, slot) && !boxes_apart(pairing, std::max(reach_, 0.0))) consider(pairing);
        return std::max(reach_, 0.0);
      });
    }
    if (best_.is_within) {
      memory_.last = best_pairing_;
      best_.pair = question_.ids(best_pairing_);
    }
    return best_;
  }

 private:
  void find_boxes() {
    for (std::uint32_t i = 0; i < question_.group.size(); ++i) {
      memory_.boxes[i] = detail::wide_world_box(question_.member(i).shape, poses_[i]);
    }
  }

  [[nodiscard]] bool is_pair(std::uint32_t member, std::uint32_t slot) const {
    return !question_.is_in_group(slot) && question_.may_meet(question_.group[member].slot, slot);
  }
  [[nodiscard]] const Body& other(const Pairing& pairing) const {
    return pairing.is_within_group ? question_.member(pairing.other) : question_.state.bodies[pairing.other];
  }
  [[nodiscard]] const Pose& pose_of_other(const Pairing& pairing) const {
    return pairing.is_within_group ? poses_[pairing.other] : question_.state.bodies[pairing.other].pose;
  }
  /// By the boxes of a set, then by oriented ones.
  [[nodiscard]] bool boxes_apart(const Pairing& pairing, double margin) const {
    const Body& a = question_.member(pairing.member);
    const Body& b = other(pairing);
    if (pairing.is_within_group &&
        memory_.boxes[pairing.member].distance_sq(memory_.boxes[pairing.other]) > margin * margin) {
      return true;
    }
    if (!a.bounded || !b.bounded) return false;
    return detail::box_gap(a, b, Pose::relative(poses_[pairing.member], pose_of_other(pairing)), margin) > margin;
  }

  [[nodiscard]] bool collides(const Pairing& pairing) {
    const Body& a = question_.member(pairing.member);
    const Body& b = other(pairing);
    const DistanceOptions options{.solver = solver_or_automatic(question_.state.settings.solver, a.shape, b.shape),
                                  .tolerance = question_.state.settings.tolerance};
    return abut::collides(a.shape, poses_[pairing.member], b.shape, pose_of_other(pairing), margin_, options,
                          &memory_.cache(pairing));
  }

  PoseSetCheck found(const Pairing& pairing) {
    memory_.last = pairing;
    return {true, question_.ids(pairing)};
  }

  void consider(const Pairing& pairing) {
    const Body& a = question_.member(pairing.member);
    const Body& b = other(pairing);
    const DistanceOptions options{.solver = solver_or_automatic(question_.state.settings.solver, a.shape, b.shape),
                                  .tolerance = question_.state.settings.tolerance,
                                  .max_distance = std::max(reach_, 0.0)};
    const Separation separation = abut::distance(a.shape, poses_[pairing.member], b.shape, pose_of_other(pairing),
                                                 options, &memory_.cache(pairing));
    if (separation.status == SolveStatus::beyond_limit || !(separation.distance <= reach_)) return;
    if (best_.is_within && !(separation.distance < reach_)) return;
    best_.is_within = true;
    best_.separation = separation;
    best_pairing_ = pairing;
    reach_ = separation.distance;
  }

  const Question& question_;
  std::span<const Pose> poses_;
  Memory& memory_;
  double margin_ = 0.0;
  double reach_ = 0.0;
  PoseSetDistance best_;
  Pairing best_pairing_;
};

template <class Answer>
void answer_sets(const Question& question, const Answer& answer) {
  const std::size_t count = question.set_count();
  const std::size_t blocks = (count + kBlock - 1) / kBlock;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, blocks), [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t block = range.begin(); block != range.end(); ++block) {
      const std::size_t end = std::min(count, (block + 1) * kBlock);
      Memory memory(question, end - block * kBlock);
      for (std::size_t k = block * kBlock; k < end; ++k) answer(k, Set(question, question.set(k), memory));
    }
  });
}

void require_answers(std::size_t size, const Question& question) {
  if (size == question.set_count()) return;
  throw InvalidInput("answers", "must have one element for each of the " + std::to_string(question.set_count()) +
                                    " sets, got " + std::to_string(size));
}

}  // namespace

void check(const Scene& scene, std::span<const BodyId> group, std::span<const Pose> poses,
           const PoseSetOptions& options, std::span<PoseSetCheck> answers) {
  const Question question(detail::state_of(scene), group, poses, options);
  require_answers(answers.size(), question);
  answer_sets(question, [&](std::size_t k, Set&& set) { answers[k] = set.check(); });
}

std::vector<PoseSetCheck> check(const Scene& scene, std::span<const BodyId> group, std::span<const Pose> poses,
                                const PoseSetOptions& options) {
  std::vector<PoseSetCheck> answers(group.empty() ? 0 : poses.size() / group.size());
  check(scene, group, poses, options, answers);
  return answers;
}

void distances(const Scene& scene, std::span<const BodyId> group, std::span<const Pose> poses,
               const PoseSetOptions& options, std::span<PoseSetDistance> answers) {
  const Question question(detail::state_of(scene), group, poses, options);
  require_answers(answers.size(), question);
  answer_sets(question, [&](std::size_t k, Set&& set) { answers[k] = set.distance(); });
}

std::vector<PoseSetDistance> distances(const Scene& scene, std::span<const BodyId> group, std::span<const Pose> poses,
                                       const PoseSetOptions& options) {
  std::vector<PoseSetDistance> answers(group.empty() ? 0 : poses.size() / group.size());
  distances(scene, group, poses, options, answers);
  return answers;
}

}  // namespace abut
