// Samples are drawn in chunks of a fixed number, each with a generator of its own, and only counts leave a chunk: sums
// of whole numbers do not depend on the order that threads add them in.
#include <abut/core/error.h>
#include <abut/narrowphase/distance.h>
#include <abut/planning/disabled_pairs.h>
#include <abut/planning/random_values.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <optional>

namespace abut {
namespace {

constexpr std::size_t kSamplesPerChunk = 64;
/// More would take longer than anybody waits.
constexpr double kMostSamples = 1e12;

// A ball around a shape, in the shape's frame.
struct PieceBall {
  Vector3d center;
  double radius = 0.0;
};

template <class Vertices>
double farthest_distance(const Vertices& vertices, const Vector3d& center) {
  double farthest_sq = 0.0;
  for (const Vector3d& vertex : vertices) farthest_sq = std::max(farthest_sq, (vertex - center).squaredNorm());
  return std::sqrt(farthest_sq);
}

PieceBall bounding_ball(const Shape& shape) {
  const Obb box = obb(shape);
  double radius = box.half_extents.norm();
  if (const auto* hull = shape.get_if<ConvexHull>())
    radius = farthest_distance(hull->vertices(), box.center) + shape.margin();
  if (const auto* sphere = shape.get_if<Sphere>()) radius = sphere->sweep_radius() + shape.margin();
  return {box.center, radius};
}

// A shape of a link with its ball.
struct LinkPiece {
  const Shape* shape;
  Pose link_from_shape;
  PieceBall ball;
  std::size_t link;
};

// Where a piece is at one configuration.
struct PlacedLinkPiece {
  Pose root_from_shape;
  Vector3d center_root;
};

class LinkCollider {
 public:
  explicit LinkCollider(const RobotModel& robot) : robot_(robot) {
    for (std::size_t link = 0; link < robot.links().size(); ++link) {
      first_piece_.push_back(pieces_.size());
      for (const LinkGeometry& geometry : robot.links()[link].geometry) {
        pieces_.push_back({&geometry.shape, geometry.link_from_shape, bounding_ball(geometry.shape), link});
      }
    }
    first_piece_.push_back(pieces_.size());
  }

  void place(std::span<const double> values, std::vector<PlacedLinkPiece>& placed) const {
    const std::vector<Pose> root_from_link = robot_.link_poses(values);
    placed.clear();
    for (const LinkPiece& piece : pieces_) {
      const Pose root_from_shape = root_from_link[piece.link] * piece.link_from_shape;
      placed.push_back({root_from_shape, root_from_shape * piece.ball.center});
    }
  }

  [[nodiscard]] bool links_collide(std::size_t link_a, std::size_t link_b,
                                   const std::vector<PlacedLinkPiece>& placed) const {
    for (std::size_t a = first_piece_[link_a]; a < first_piece_[link_a + 1]; ++a) {
      for (std::size_t b = first_piece_[link_b]; b < first_piece_[link_b + 1]; ++b) {
        const double reach = (pieces_[a].ball.radius + pieces_[b].ball.radius) * kRoundingRoom;
        if ((placed[a].center_root - placed[b].center_root).squaredNorm() > reach * reach) continue;
        if (collides(*pieces_[a].shape, placed[a].root_from_shape, *pieces_[b].shape, placed[b].root_from_shape)) {
          return true;
        }
      }
    }
    return false;
  }

 private:
  // So that rounding parts no balls of bodies that touch.
  static constexpr double kRoundingRoom = 1.0 + 1e-12;

  const RobotModel& robot_;
  std::vector<LinkPiece> pieces_;
  std::vector<std::size_t> first_piece_;  // of each link, and the end
};

// The nearest link above one that has geometry, over links that have none.
std::optional<std::size_t> solid_parent(const RobotModel& robot, std::size_t link) {
  for (std::optional<std::size_t> joint = robot.parent_joint(link); joint; joint = robot.parent_joint(link)) {
    link = robot.joints()[*joint].parent_link;
    if (!robot.links()[link].geometry.empty()) return link;
  }
  return std::nullopt;
}

// Whether a joint slides as far as it likes, so that no sample moves it (random_values).
bool slides_without_end(const RobotModel& robot, std::size_t joint) {
  const std::optional<JointMimic>& mimic = robot.joints()[joint].mimic;
  const std::optional<std::size_t> first = robot.first_variable(mimic ? mimic->joint : joint);
  if (!first) return false;
  const std::size_t count = mimic ? 1 : variable_count(robot.joints()[joint]);
  const std::span<const RobotVariable> variables = std::span(robot.variables()).subspan(*first, count);
  return std::ranges::any_of(variables, [](const RobotVariable& v) { return !v.is_angle && !v.has_range(); });
}

// Of each link the first one below the last such joint above it, or the root: where they differ for two links, there is
// one between them, and samples show too little of the two.
std::vector<std::size_t> parts_that_samples_move(const RobotModel& robot) {
  std::vector<std::size_t> first_link(robot.links().size(), robot.root_link());
  for (const std::size_t index : robot.joints_from_root()) {
    const RobotJoint& joint = robot.joints()[index];
    first_link[joint.child_link] = slides_without_end(robot, index) ? joint.child_link : first_link[joint.parent_link];
  }
  return first_link;
}

// A pair whose reason, if there is one, is yet to be found.
struct PairCandidate {
  std::size_t link_a;
  std::size_t link_b;
};

std::vector<std::size_t> count_collisions(const RobotModel& robot, const LinkCollider& collider,
                                          const std::vector<PairCandidate>& candidates,
                                          const DisabledPairsOptions& options) {
  const std::vector<std::size_t> zeros(candidates.size(), 0);
  tbb::enumerable_thread_specific<std::vector<std::size_t>> counts_of_threads(zeros);
  const std::size_t chunks = options.samples / kSamplesPerChunk + (options.samples % kSamplesPerChunk != 0 ? 1 : 0);
  tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t chunk) {
    std::vector<std::size_t>& counts = counts_of_threads.local();
    std::mt19937_64 generator = generator_for(options.seed, chunk);
    std::vector<PlacedLinkPiece> placed;
    const std::size_t end = std::min((chunk + 1) * kSamplesPerChunk, options.samples);
    for (std::size_t sample = chunk * kSamplesPerChunk; sample < end; ++sample) {
      collider.place(random_values(robot, generator), placed);
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (collider.links_collide(candidates[i].link_a, candidates[i].link_b, placed)) ++counts[i];
      }
    }
  });
  std::vector<std::size_t> total = zeros;
  for (const std::vector<std::size_t>& counts : counts_of_threads) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += counts[i];
  }
  return total;
}

}  // namespace

std::vector<DisabledPair> find_disabled_pairs(const RobotModel& robot, const DisabledPairsOptions& options) {
  if (options.samples == 0) throw InvalidInput("samples", "must be > 0", 0.0);
  if (static_cast<double>(options.samples) > kMostSamples) {
    throw InvalidInput("samples", "must be <= 1e12", static_cast<double>(options.samples));
  }
  if (!(options.always_fraction > 0.0 && options.always_fraction <= 1.0)) {
    throw InvalidInput("always_fraction", "must be in (0, 1]", options.always_fraction);
  }
  const LinkCollider collider(robot);
  std::vector<PlacedLinkPiece> placed;
  collider.place(robot.default_values(), placed);

  const std::vector<std::size_t> part_of = parts_that_samples_move(robot);
  std::vector<DisabledPair> disabled;
  std::vector<PairCandidate> candidates;
  const std::vector<RobotLink>& links = robot.links();
  for (std::size_t a = 0; a < links.size(); ++a) {
    for (std::size_t b = a + 1; b < links.size(); ++b) {
      if (links[a].geometry.empty() || links[b].geometry.empty()) continue;
      if (solid_parent(robot, a) == b || solid_parent(robot, b) == a) {
        disabled.push_back({a, b, kAdjacentReason});
      } else if (collider.links_collide(a, b, placed)) {
        disabled.push_back({a, b, kDefaultReason});
      } else if (part_of[a] == part_of[b]) {
        candidates.push_back({a, b});
      }
    }
  }

  const std::vector<std::size_t> counts = count_collisions(robot, collider, candidates, options);
  const double always = options.always_fraction * static_cast<double>(options.samples);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto [a, b] = candidates[i];
    if (counts[i] == 0) disabled.push_back({a, b, kNeverReason});
    if (counts[i] > 0 && static_cast<double>(counts[i]) >= always) disabled.push_back({a, b, kAlwaysReason});
  }
  std::sort(disabled.begin(), disabled.end(), [](const DisabledPair& p, const DisabledPair& q) {
    return p.link_a != q.link_a ? p.link_a < q.link_a : p.link_b < q.link_b;
  });
  return disabled;
}

LinkPairs link_pairs(std::span<const DisabledPair> pairs, std::size_t link_count) {
  LinkPairs result(link_count);
  for (const DisabledPair& pair : pairs) result.insert(pair.link_a, pair.link_b);
  return result;
}

}  // namespace abut
