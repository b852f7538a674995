// All is done in the frame of a, so that nothing is lost far from the world's origin, and in the order of the leaves,
// so that neither walk nor threads show.
#include <abut/core/shapes/mesh_adjacency.h>
#include <abut/core/trees/box_tree.h>
#include <abut/narrowphase/composite/leaf_search.h>
#include <abut/narrowphase/composite/leaves.h>
#include <abut/narrowphase/manifold/composite_manifold.h>
#include <abut/narrowphase/manifold/contact_normals.h>
#include <abut/narrowphase/manifold/contact_patch.h>
#include <abut/narrowphase/manifold/outline.h>
#include <abut/narrowphase/manifold/passed_vertices.h>
#include <abut/narrowphase/manifold/patch_leaf.h>
#include <abut/narrowphase/manifold/reduction.h>
#include <abut/narrowphase/manifold/support_feature.h>
#include <abut/narrowphase/mesh_solid.h>
#include <abut/narrowphase/rotate_unit.h>
#include <abut/narrowphase/separate.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <memory_resource>
#include <utility>
#include <vector>

namespace abut::detail {
namespace {

// How far leaves are looked for beyond the separation where the caller sets no limit, of the smaller body's size.
constexpr double kDefaultReach = 0.01;

// Normals of one patch differ by this at least, radians, whatever the tilt.
constexpr double kSmallestPatchAngle = 1e-3;

// What has passed through is at most so many times as deep as the deepest pair of leaves: else it is beside a border,
// or the far side of a solid is nearer. Of vertices, and of pairs of triangles that cross.
constexpr double kMostPassedDepth = 5.0;
constexpr double kMostCrossedDepth = 3.0;

// What the deepest pair of leaves lets out sideways is at most so many times as deep along the face's normal.
constexpr double kSidewaysDepth = 1.05;

// Tangent of the angle by which faces beside a hollow edge may be bent so that a tip below it is led to one of them.
constexpr double kBesideHollow = 0.25;
constexpr double kMostBesideDepth = 2.0;  // of the deepest pair's

// The tip of a convex body that leans over an edge is at most so many times as deep as the deepest pair of leaves.
constexpr double kMostLeaningDepth = 2.0;

constexpr double kNever = std::numeric_limits<double>::infinity();

constexpr std::uint32_t kNone = ~std::uint32_t{0};

struct Candidate {
  Vector3d point_a;
  Vector3d point_b;
  Vector3d normal;
  double distance;
  std::uint64_t id;
  std::uint32_t pair;
  bool is_taken;
};

// Of the stack: enough for what most contacts need, so that it does not matter which thread has had a larger one
// before. A thread that has had one keeps as much as that needed.
constexpr std::size_t kStackBytes = 160 * 1024;
constexpr std::size_t kUsualPairs = 48;
constexpr std::size_t kUsualCandidates = 192;

/// What the stack has no room for, and how much it was.
class ManifoldOverflow : public std::pmr::memory_resource {
 public:
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    bytes_ += bytes;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::size_t bytes_ = 0;
};

struct ManifoldScratch {
  explicit ManifoldScratch(std::pmr::memory_resource* memory)
      : pairs(memory),
        order(memory),
        sides{SideScratch(memory), SideScratch(memory)},
        candidates(memory),
        leaders(memory),
        patches(memory),
        members(memory),
        points(memory),
        seeds(memory),
        passed(memory) {
    pairs.reserve(kUsualPairs);
    candidates.reserve(kUsualCandidates);
  }

  std::pmr::vector<PatchPair> pairs;
  std::pmr::vector<std::uint32_t> order;
  std::array<SideScratch, 2> sides;
  std::pmr::vector<Candidate> candidates;
  std::pmr::vector<std::uint32_t> leaders;  // one a patch: its deepest candidate
  std::pmr::vector<std::uint32_t> patches;  // one a candidate
  std::pmr::vector<std::uint32_t> members;  // of one patch
  std::pmr::vector<PatchPoint> points;      // of one patch
  std::pmr::vector<std::uint32_t> seeds;    // triangles of one body that cross the other
  std::pmr::vector<PassedVertex> passed;    // of a, then of b
};

class PairGatherer : public LeafSink {
 public:
  PairGatherer(double limit, std::pmr::vector<PatchPair>& pairs) : limit_(limit), pairs_(pairs) {}
  [[nodiscard]] double limit() const override { return limit_; }
  bool take(const FoundLeaf& a, const FoundLeaf& b, const Separation& separation) override {
    pairs_.push_back({PatchLeaf(a), PatchLeaf(b), separation});
    return true;
  }

 private:
  double limit_;
  std::pmr::vector<PatchPair>& pairs_;
};

/// Half the diagonal of a body's box; infinite for half-spaces.
double size_of(const Shape& shape) {
  // A hull keeps its oriented box; that of a polygon would have to be found, and memory taken for it.
  if (shape.get_if<ConvexHull>() != nullptr) return obb(shape).half_extents.norm();
  const Aabb bounds = shape.is_composite() ? tree_of(shape).bounds() : aabb(shape, Pose());
  return 0.5 * (bounds.upper - bounds.lower).norm();
}

// Whether a body is within a closed mesh, as furniture in a room, rather than up against it from outside: most of the
// corners of its box are, and the middle. A ring on a peg has its middle in it, but not the corners.
bool is_within(const TriangleMesh& mesh, const Pose& mesh_from_body, const Shape& body) {
  constexpr double kNearCorner = 0.9;
  const Aabb box = tree_of(body).bounds();
  const Vector3d half = 0.5 * kNearCorner * (box.upper - box.lower);
  const auto is_inside = [&](const Vector3d& point_body) {
    const Vector3d point = mesh_from_body * point_body;
    return point.allFinite() && contains(mesh, point);
  };
  if (!is_inside(box.center())) return false;
  int inside = 1;
  for (unsigned corner = 0; corner < 8; ++corner) {
    const Vector3d sign((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1, (corner & 4) != 0 ? 1 : -1);
    inside += is_inside(box.center() + half.cwiseProduct(sign)) ? 1 : 0;
  }
  return inside > 4;
}

bool is_at_border_of(const HeightField& field, std::uint32_t prism) {
  const auto columns = static_cast<std::uint32_t>(field.heights().cols() - 1);
  const auto rows = static_cast<std::uint32_t>(field.heights().rows() - 1);
  const std::uint32_t column = prism / 2 % columns;
  const std::uint32_t row = prism / 2 / columns;
  return column == 0 || row == 0 || column + 1 == columns || row + 1 == rows;
}

MetBody met_body(const Shape& shape, const Pose& a_from_shape, const Pose& shape_from_other, const Shape& other) {
  // What bounds less than this, of the cube of its size, has no inside.
  constexpr double kLeastVolume = 1e-9;
  const TriangleMesh* mesh = shape.get_if<TriangleMesh>();
  if (mesh == nullptr) return {};
  const double size = (mesh->aabb().upper - mesh->aabb().lower).norm();
  const bool is_flat = !(std::abs(mesh->volume()) > kLeastVolume * size * size * size);
  if (is_flat) return {};
  const double outward = mesh->volume() > 0.0 ? 1.0 : -1.0;
  const bool is_solid = other.is_composite() && mesh->is_closed() && !is_within(*mesh, shape_from_other, other);
  return {is_solid ? outward : 0.0, outward, a_from_shape * mesh->centroid()};
}

class CompositeManifold {
 public:
  CompositeManifold(const Separation& separation_a, double size, const ManifoldLimits& limits, double limit,
                    const MetBodies& bodies, ManifoldScratch& scratch)
      : separation_(separation_a),
        slack_(kRelativeTolerance * size),
        spacing_(kPatchSpacing * size),
        limits_(limits),
        limit_(limit),
        bodies_(bodies),
        scratch_(scratch) {}

  /// From the gathered pairs to candidates.
  void find() {
    std::pmr::vector<PatchPair>& pairs = scratch_.pairs;
    scratch_.order.resize(pairs.size());
    for (std::uint32_t i = 0; i < pairs.size(); ++i) scratch_.order[i] = i;
    std::sort(scratch_.order.begin(), scratch_.order.end(), [&pairs](std::uint32_t x, std::uint32_t y) {
      if (pairs[x].a.order() != pairs[y].a.order()) return pairs[x].a.order() < pairs[y].a.order();
      return pairs[x].b.order() < pairs[y].b.order();
    });
    find_contact_normals(pairs, scratch_.order, bodies_, slack_, scratch_.sides);

    double deepest_own = kNever;
    for (const PatchPair& pair : pairs) {
      if (is_own_normal(pair)) deepest_own = std::min(deepest_own, pair.separation.distance);
    }
    // What is deeper along a normal that is not the separation's goes through more than is in touch, to the far side of
    // one of the bodies. A convex body that all small triangles let out sideways has no normal to compare with, and one
    // that the deepest of them lets out so, little before the face would, is as deep as that.
    const bool has_own = deepest_own < kNever;
    const double deepest = std::min({deepest_own, kSidewaysDepth * separation_.distance, 0.0});
    const double below = std::max({limit_, 0.0, -(kMostLeaningDepth - 1.0) * separation_.distance});
    least_of_body_ = has_own ? deepest - below : -kNever;
    least_of_surfaces_ = has_own ? std::min(deepest_own, 0.0) - slack_ : -std::max(limit_, 0.0) - slack_;
    add_all(0.0);
    // The corner of a mesh that two edges of another let out to either side is deeper along the face than both pairs.
    // It is not much deeper: what is much deeper is beside a border, or below another edge.
    const double most = kMostBesideDepth * std::min(separation_.distance, 0.0);
    const double as_deep = separation_.distance + slack_;
    if (as_deep < 0.0 && deepest_candidate() > as_deep && most < least_of_surfaces_) {
      const double least_of_surfaces = std::exchange(least_of_surfaces_, most);
      add_all(0.0);
      if (deepest_candidate() <= as_deep) return;
      least_of_surfaces_ = least_of_surfaces;
      add_all(0.0);
    }
    if (!scratch_.candidates.empty()) return;
    // A tip below a hollow edge may be beside both faces, as seen along their normals, and not much deeper either.
    least_of_body_ = std::max(least_of_body_, most);
    add_all(kBesideHollow);
  }

  /// The tip of a convex body that leans over an edge is below a triangle that is beside the body, at most as far from
  /// it as the tip is deep.
  /// @return Metres: how deep the deepest tip is that is below none of the triangles that were gathered, no more than
  /// kMostLeaningDepth allows; 0: there is none.
  [[nodiscard]] double deepest_missed_tip() const {
    const double most = -kMostLeaningDepth * separation_.distance;
    double missed = 0.0;
    if (!(most > limit_)) return missed;
    for (const PatchPair& pair : scratch_.pairs) {
      const bool is_face_a = pair.a.has_surface();
      const PatchLeaf& face = is_face_a ? pair.a : pair.b;
      const PatchLeaf& body = is_face_a ? pair.b : pair.a;
      if (!pair.normal || !(pair.separation.distance < 0.0) || !face.has_surface()) continue;
      if (body.kind != LeafKind::convex) continue;
      const Vector3d up = is_face_a ? *pair.normal : Vector3d(-*pair.normal);
      const Vector3d tip = body.support(-up);
      const double depth = std::min((face.corners()[0] - tip).dot(up), most);
      if (!(depth > missed)) continue;
      const auto is_as_deep = [&](const Candidate& found) {
        return -found.distance >= depth - slack_ && found.normal.dot(*pair.normal) >= limits_.cos_tilt;
      };
      if (std::any_of(scratch_.candidates.begin(), scratch_.candidates.end(), is_as_deep)) continue;
      const auto is_above = [&](const PatchPair& other) {
        const PatchLeaf& leaf = is_face_a ? other.a : other.b;
        return leaf.has_surface() && is_over(tip, up, leaf.corners());
      };
      if (std::none_of(scratch_.pairs.begin(), scratch_.pairs.end(), is_above)) missed = depth;
    }
    return missed;
  }

  /// Adds what has passed through the other body's surface and is farther from it than what was gathered.
  void find_passed(const Shape& a, const Shape& b, const Pose& a_from_b) {
    const std::array<const Shape*, 2> shapes{&a, &b};
    const std::array<const TriangleMesh*, 2> meshes{a.get_if<TriangleMesh>(), b.get_if<TriangleMesh>()};
    const std::array<const HeightField*, 2> fields{a.get_if<HeightField>(), b.get_if<HeightField>()};
    const std::array<Pose, 2> a_from_this{Pose(), a_from_b};
    const std::array<Pose, 2> other_from_this{a_from_b.inverse(), a_from_b};
    std::array<std::size_t, 2> ends{};
    scratch_.passed.clear();
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t other = 1 - side;
      const bool is_crossed = meshes[other] != nullptr || fields[other] != nullptr;
      if (meshes[side] != nullptr && is_crossed && bodies_[side].outside != 0.0 && find_seeds(side)) {
        const double least = std::max(limit_, 0.0);
        const double most = has_one_way_out(*shapes[other], other) ? kNever : most_passed(kMostPassedDepth);
        if (fields[other] != nullptr) {
          find_passed_vertices(*meshes[side], bodies_[side].outside, scratch_.seeds, *fields[other],
                               other_from_this[side], least, most, scratch_.passed);
        } else {
          find_passed_vertices(*meshes[side], bodies_[side].outside, scratch_.seeds, *meshes[other],
                               scratch_.sides[other], bodies_[other].outside, other_from_this[side], least, most,
                               scratch_.passed);
        }
      }
      ends[side] = scratch_.passed.size();
    }
    for (std::size_t i = 0; i < scratch_.passed.size(); ++i) {
      const std::size_t side = i < ends[0] ? 0 : 1;
      const PassedVertex& vertex = scratch_.passed[i];
      if (!(-vertex.depth <= limit_)) continue;
      const Pose& a_from_other = a_from_this[1 - side];
      std::array<PatchLeaf, 2> leaves;
      leaves[side] = PatchLeaf(*shapes[side], vertex.triangle, a_from_this[side]);
      leaves[1 - side] = PatchLeaf(*shapes[1 - side], vertex.face, a_from_other);
      std::array<Vector3d, 2> points;
      points[side] = a_from_other * vertex.point;
      points[1 - side] = a_from_other * vertex.foot;
      const Vector3d normal = (side == 0 ? -1.0 : 1.0) * a_from_other.rotate(vertex.normal);
      // No pair of features has such a number.
      const std::uint64_t vertex_id = ~(std::uint64_t{vertex.vertex} << 1 | side);
      const std::uint64_t id = mixed_hash(mixed_hash(leaves[0].id(), leaves[1].id()), vertex_id);
      scratch_.candidates.push_back(
          {points[0], points[1], normal, -vertex.depth, id, static_cast<std::uint32_t>(scratch_.pairs.size()), false});
      scratch_.pairs.push_back({leaves[0], leaves[1], separation_});
    }
  }

  /// The points of the candidates that were found, in the frame of a. @return How many.
  std::size_t write(std::span<ContactPoint> points) {
    return scratch_.candidates.empty() ? write_witness(points) : reduce(points);
  }

 private:
  static bool is_body_on_surface(const PatchPair& pair) { return pair.a.has_surface() != pair.b.has_surface(); }
  // Whether a triangle covers a point, as seen along a direction.
  static bool is_over(const Vector3d& point, const Vector3d& direction, const std::array<Vector3d, 3>& corners) {
    double least = kNever;
    double most = -kNever;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3d along = corners[(k + 1) % 3] - corners[k];
      const double area = along.cross(point - corners[k]).dot(direction);
      least = std::min(least, area);
      most = std::max(most, area);
    }
    return least >= 0.0 || most <= 0.0;
  }
  /// The points of all pairs that have a normal are the candidates, and no others.
  /// @param beside  As of add_points(), of a convex body on a surface.
  void add_all(double beside) {
    scratch_.candidates.clear();
    for (const std::uint32_t i : scratch_.order) {
      const PatchPair& pair = scratch_.pairs[i];
      if (pair.normal) add_points(i, *pair.normal, is_body_on_surface(pair) ? beside : 0.0);
    }
  }
  /// Metres.
  [[nodiscard]] double deepest_candidate() const {
    double deepest = kNever;
    for (const Candidate& candidate : scratch_.candidates) deepest = std::min(deepest, candidate.distance);
    return deepest;
  }
  static bool is_own_normal(const PatchPair& pair) { return pair.source == NormalSource::separation; }

  /// Metres: how deep at most, `times` the deepest pair of leaves and the margin.
  [[nodiscard]] double most_passed(double times) const {
    return std::max(limit_, 0.0) + times * std::max(-separation_.distance, 0.0);
  }

  static bool crosses(const PatchPair& pair) {
    return pair.separation.distance < 0.0 || pair.source == NormalSource::passed;
  }

  // What crosses an open surface or a height field, and nothing at its border, can leave it but where it came from.
  bool has_one_way_out(const Shape& surface, std::size_t side) const {
    const auto* const mesh = surface.get_if<TriangleMesh>();
    if (mesh != nullptr && mesh->is_closed()) return false;
    const auto is_at_border = [&](std::uint32_t item) {
      return mesh != nullptr ? !mesh->adjacency().is_joined_all_round(item)
                             : is_at_border_of(*surface.get_if<HeightField>(), item);
    };
    return std::none_of(scratch_.pairs.begin(), scratch_.pairs.end(), [&](const PatchPair& pair) {
      return crosses(pair) && is_at_border(side == 0 ? pair.a.item : pair.b.item);
    });
  }

  // The triangles of one side that cross the other.
  bool find_seeds(std::size_t side) {
    std::pmr::vector<std::uint32_t>& seeds = scratch_.seeds;
    seeds.clear();
    for (const PatchPair& pair : scratch_.pairs) {
      if (crosses(pair)) seeds.push_back(side == 0 ? pair.a.item : pair.b.item);
    }
    std::sort(seeds.begin(), seeds.end());
    seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
    return !seeds.empty();
  }

  void add(std::uint32_t index, const ContactFrame& frame, const Vector3d& point_a, FeatureCode code_a,
           const Vector3d& point_b, FeatureCode code_b) {
    const double distance = point_b.z() - point_a.z();
    if (!(distance <= limit_)) return;
    const PatchPair& pair = scratch_.pairs[index];
    const bool are_surfaces = pair.a.has_surface() && pair.b.has_surface();
    const bool is_turned = frame.axes.col(2).dot(pair.separation.normal) < -kCosSameContact;
    double of_surfaces = is_turned ? -std::max(limit_, 0.0) : least_of_surfaces_;
    if (separation_.distance > 0.0) of_surfaces = -slack_;  // nothing is deep then
    const double least = are_surfaces ? of_surfaces : least_of_body_;
    if (pair.source == NormalSource::surface && distance < least) return;
    if (pair.source == NormalSource::passed && -distance > most_passed(kMostCrossedDepth)) return;
    const std::uint64_t id = mixed_hash(mixed_hash(pair.a.id(), pair.b.id()), patch_point_id(code_a, code_b));
    scratch_.candidates.push_back(
        {frame.to_world(point_a), frame.to_world(point_b), frame.axes.col(2), distance, id, index, false});
  }

  /// @param beside  How far a point may be beside the face that it is below, of its depth.
  void add_points(std::uint32_t index, const Vector3d& normal, double beside) {
    const PatchPair& pair = scratch_.pairs[index];
    const Separation& separation = pair.separation;
    const ContactFrame frame(normal, 0.5 * (separation.point_a + separation.point_b));
    if (!frame.origin.allFinite()) return;
    FeatureQuery query;
    query.sin_tilt = limits_.sin_tilt;
    query.cos_tilt = limits_.cos_tilt;
    query.max_drop = kNever;
    SupportFeature feature_a;
    SupportFeature feature_b;
    pair.a.find_feature(frame, 1.0, query, feature_a);
    pair.b.find_feature(frame, -1.0, query, feature_b);

    using Kind = SupportFeature::Kind;
    const auto to_contact = [&](const Vector3d& point) -> Vector3d {
      return frame.axes.transpose() * (point - frame.origin);
    };
    const bool is_body_a = pair.b.has_surface();
    // The normal may be the surface's, to which that of the separation is near: the surface's point is then moved to
    // lie from the body's along it.
    const auto add_witness = [&] {
      Vector3d point_a = to_contact(separation.point_a);
      Vector3d point_b = to_contact(separation.point_b);
      if (is_body_on_surface(pair)) {
        (is_body_a ? point_b : point_a).head<2>() = (is_body_a ? point_a : point_b).head<2>();
      }
      add(index, frame, point_a, feature_a.code, point_b, feature_b.code);
    };
    // The highest point of the one against the face of the other, where it is deeper than `least`.
    const auto add_highest = [&](bool is_of_a, double least) {
      const SupportFeature& region = is_of_a ? feature_b : feature_a;
      if (!region.is_region()) return;
      const Vector3d point = to_contact(is_of_a ? pair.a.support(normal) : pair.b.support(-normal));
      const Vector3d lifted(point.x(), point.y(), region.height(point.x(), point.y()));
      const double distance = is_of_a ? lifted.z() - point.z() : point.z() - lifted.z();
      if (!(distance < least)) return;
      const double slack =
          region.kind == Kind::plane ? 0.0 : kRelativeTolerance * region.extent() + beside * std::abs(distance);
      if (!Outline(region, slack).contains(point)) return;
      if (is_of_a) {
        add(index, frame, point, feature_a.code, lifted, feature_b.code);
      } else {
        add(index, frame, lifted, feature_a.code, point, feature_b.code);
      }
    };
    const bool is_point_a = feature_a.kind == Kind::point;
    const bool is_point_b = feature_b.kind == Kind::point;
    if (is_point_a || is_point_b) return is_own_normal(pair) ? add_witness() : add_highest(is_point_a, kNever);
    const double slack = kRelativeTolerance * std::min(feature_a.extent(), feature_b.extent());
    const ContactPatch patch(feature_a, feature_b, {slack, limit_});
    double deepest = kNever;
    for (const PatchPoint& point : patch.points()) {
      const auto code_a = static_cast<FeatureCode>(point.id >> 32);
      add(index, frame, point.point_a, code_a, point.point_b, static_cast<FeatureCode>(point.id));
      deepest = std::min(deepest, point.distance);
    }
    if (is_own_normal(pair)) {
      if (!(deepest <= separation.distance + slack)) add_witness();
    } else if (is_body_on_surface(pair)) {
      // Of a body's rim the patch has some points only, of a rounded edge or face those above it, not beyond its ends.
      add_highest(is_body_a, deepest - slack);
    }
  }

  // Of pairs of a convex body and a surface that overlap: how far the body reaches into all triangles that it has met,
  // along the pair's normal. Infinite for others.
  [[nodiscard]] double reach_into_all(const PatchPair& pair) const {
    const Vector3d& normal = pair.separation.normal;
    const bool is_body_a = pair.b.has_surface();
    const PatchLeaf& body = is_body_a ? pair.a : pair.b;
    const bool is_known = pair.separation.distance < 0.0 && std::abs(normal.squaredNorm() - 1.0) < 1e-6;
    if (!is_body_on_surface(pair) || body.kind != LeafKind::convex || !is_known) return kNever;
    const double sign = is_body_a ? 1.0 : -1.0;
    const double tip = (sign * normal).dot(body.support(sign * normal));
    double reach = -kNever;
    for (const PatchPair& other : scratch_.pairs) {
      const PatchLeaf& face = is_body_a ? other.b : other.a;
      const PatchLeaf& same = is_body_a ? other.a : other.b;
      if (same.order() != body.order() || !face.has_surface()) continue;
      for (const Vector3d& corner : face.corners()) reach = std::max(reach, tip - sign * normal.dot(corner));
    }
    return reach;
  }

  // The one point where the leaves have no normal that their surfaces have. Of leaves that are as near those that it
  // lies on; of a convex body on a surface those out of whose neighbours, too, their normal leads soonest.
  std::size_t write_witness(std::span<ContactPoint> points) const {
    double soonest = kNever;
    const PatchPair* way_out = nullptr;
    for (const std::uint32_t i : scratch_.order) {
      const double reach = reach_into_all(scratch_.pairs[i]);
      if (!(reach < soonest)) continue;
      soonest = reach;
      way_out = &scratch_.pairs[i];
    }
    if (way_out != nullptr) {
      const Separation& s = way_out->separation;
      const double depth = std::max(std::min(soonest, -separation_.distance), -s.distance);
      const bool is_body_a = way_out->b.has_surface();
      const Vector3d tip = is_body_a ? way_out->a.support(s.normal) : way_out->b.support(-s.normal);
      points[0] = {is_body_a ? tip : Vector3d(tip + depth * s.normal),
                   is_body_a ? Vector3d(tip - depth * s.normal) : tip, -depth,
                   mixed_hash(way_out->a.id(), way_out->b.id()), s.normal};
      points[0].leaf_a = way_out->a.outer_item;
      points[0].leaf_b = way_out->b.outer_item;
      return 1;
    }
    ContactPoint& point =
        points[0] = {separation_.point_a, separation_.point_b, separation_.distance, 0, separation_.normal};
    double nearest = kNever;
    for (const PatchPair& pair : scratch_.pairs) nearest = std::min(nearest, pair.separation.distance);
    double least = kNever;
    bool is_found = false;
    for (const PatchPair& pair : scratch_.pairs) {
      if (!(pair.separation.distance <= nearest + slack_)) continue;
      const double off = (pair.separation.point_a - separation_.point_a).lpNorm<Eigen::Infinity>() +
                         (pair.separation.point_b - separation_.point_b).lpNorm<Eigen::Infinity>();
      if (is_found && !(off < least)) continue;
      is_found = true;
      least = off;
      point.feature_id = mixed_hash(pair.a.id(), pair.b.id());
      point.leaf_a = pair.a.outer_item;
      point.leaf_b = pair.b.outer_item;
    }
    return 1;
  }

  // The deepest point that is in no patch yet leads the next one, the first of those that are as deep.
  void find_leaders(std::size_t most) {
    std::pmr::vector<Candidate>& candidates = scratch_.candidates;
    const double cos_patch = std::min(limits_.cos_tilt, std::cos(kSmallestPatchAngle));
    scratch_.leaders.clear();
    scratch_.patches.assign(candidates.size(), kNone);
    while (scratch_.leaders.size() < most) {
      std::uint32_t leader = kNone;
      for (std::uint32_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i].is_taken) continue;
        const bool is_deeper = leader == kNone || candidates[i].distance < candidates[leader].distance - slack_;
        if (is_deeper) leader = i;
      }
      if (leader == kNone) return;
      const auto patch = static_cast<std::uint32_t>(scratch_.leaders.size());
      scratch_.leaders.push_back(leader);
      for (std::uint32_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i].is_taken || candidates[i].normal.dot(candidates[leader].normal) < cos_patch) continue;
        candidates[i].is_taken = true;
        scratch_.patches[i] = patch;
      }
      candidates[leader].is_taken = true;
    }
  }

  std::size_t reduce(std::span<ContactPoint> points) {
    find_leaders(points.size());
    std::size_t count = 0;
    const std::size_t patches = scratch_.leaders.size();
    std::size_t left = points.size();
    for (std::size_t patch = 0; patch < patches; ++patch) {
      // A fair share of what is left.
      const std::size_t share = left / (patches - patch);
      const std::size_t most = std::clamp<std::size_t>(share, 1, limits_.max_points);
      const std::size_t written = reduce_patch(static_cast<std::uint32_t>(patch), points.subspan(count, most));
      count += written;
      left -= written;
    }
    for (std::size_t i = 1; i < count; ++i) {  // stable, in place
      for (std::size_t k = i; k > 0 && points[k].distance < points[k - 1].distance; --k) {
        std::swap(points[k], points[k - 1]);
      }
    }
    return count;
  }

  std::size_t reduce_patch(std::uint32_t patch, std::span<ContactPoint> written) {
    const std::pmr::vector<Candidate>& candidates = scratch_.candidates;
    const Candidate& leader = candidates[scratch_.leaders[patch]];
    const ContactFrame frame(leader.normal, leader.point_a);
    scratch_.points.clear();
    scratch_.members.clear();
    double deepest = kNever;
    for (std::uint32_t i = 0; i < candidates.size(); ++i) {
      if (scratch_.patches[i] != patch) continue;
      deepest = std::min(deepest, candidates[i].distance);
      // Between the two, so that the order of the bodies does not matter.
      const Vector3d between = 0.5 * (candidates[i].point_a + candidates[i].point_b);
      const Vector3d in_plane = frame.axes.transpose() * (between - frame.origin);
      scratch_.points.push_back({in_plane, in_plane, candidates[i].distance, 0});
      scratch_.members.push_back(i);
    }
    Vector3d low = scratch_.points[0].point_a;
    Vector3d high = low;
    for (const PatchPoint& point : scratch_.points) {
      low = low.cwiseMin(point.point_a);
      high = high.cwiseMax(point.point_a);
    }
    // Coordinates whose squares overflow have no farthest.
    const std::size_t first = std::min(first_of_patch(scratch_.points, 0.5 * (low + high), deepest + slack_, spacing_),
                                       scratch_.points.size() - 1);
    std::array<std::size_t, ContactManifold::kCapacity> chosen;
    const double touching = touching_distance(deepest, spacing_ / kPatchSpacing);
    const std::size_t others = choose_spread(scratch_.points, scratch_.points[first].point_a, touching, spacing_,
                                             std::span(chosen).first(written.size() - 1));
    const auto write = [&](std::size_t place, std::size_t member) {
      const Candidate& found = candidates[scratch_.members[member]];
      const PatchPair& pair = scratch_.pairs[found.pair];
      written[place] = {found.point_a, found.point_b,     found.distance,   found.id,
                        found.normal,  pair.a.outer_item, pair.b.outer_item};
    };
    write(0, first);
    for (std::size_t i = 0; i < others; ++i) write(i + 1, chosen[i]);
    return others + 1;
  }

  const Separation& separation_;
  double slack_;    // metres: distances that differ by less are one
  double spacing_;  // metres: points that are nearer to each other are one
  const ManifoldLimits& limits_;
  double limit_;
  MetBodies bodies_;
  double least_of_body_ = -kNever;      // metres: of corrected pairs of a surface and a convex body
  double least_of_surfaces_ = -kNever;  // metres: of corrected pairs of two surfaces
  ManifoldScratch& scratch_;
};

std::size_t find_points(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                        const Separation& separation, const ManifoldLimits& limits, ManifoldScratch& scratch,
                        std::span<ContactPoint> points) {
  const double size = std::min(size_of(a), size_of(b));
  const double scale = std::isfinite(size) ? size : 0.0;
  // The pair of leaves that gave the separation is found again also where the body has no size, to rounding.
  const double error = std::isfinite(separation.distance_error) ? separation.distance_error : 0.0;
  const double rounding = 2.0 * error + 1e-14 * std::abs(separation.distance);
  const double as_deep = separation.distance + kRelativeTolerance * scale + rounding;
  double limit = std::max(limits.max_distance, as_deep);
  if (limit == kNever) limit = std::max(as_deep, 0.0) + kDefaultReach * scale;

  Separation in_a = separation;
  transform(in_a, world_from_a.inverse());
  const Pose a_from_b = Pose::relative(world_from_a, world_from_b);
  const MetBodies bodies{met_body(a, Pose(), a_from_b, b), met_body(b, a_from_b, a_from_b.inverse(), a)};
  CompositeManifold manifold(in_a, scale, limits, limit, bodies, scratch);
  const auto find_within = [&](double reach) {
    scratch.pairs.clear();
    PairGatherer gatherer(reach, scratch.pairs);
    search_leaves(a, b, a_from_b, Pose(), DistanceOptions(), /*overlaps=*/reach >= 0.0, gatherer);
    manifold.find();
  };
  find_within(limit);
  const double missed = manifold.deepest_missed_tip();
  if (missed > limit) find_within(missed);
  if (in_a.distance < 0.0) manifold.find_passed(a, b, a_from_b);
  const std::size_t count = manifold.write(points);
  for (ContactPoint& point : points.first(count)) {
    point.point_a = world_from_a * point.point_a;
    point.point_b = world_from_a * point.point_b;
    point.normal = rotate_unit(world_from_a, point.normal);
  }
  return count;
}

}  // namespace

std::size_t composite_contact_points(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                                     const Separation& separation, const ManifoldLimits& limits,
                                     std::span<ContactPoint> points) {
  thread_local std::unique_ptr<std::byte[]> kept;
  thread_local std::size_t kept_bytes = 0;
  alignas(std::max_align_t) std::array<std::byte, kStackBytes> on_stack;
  const std::span<std::byte> room = kept ? std::span(kept.get(), kept_bytes) : std::span<std::byte>(on_stack);
  ManifoldOverflow overflow;
  std::size_t count = 0;
  {
    std::pmr::monotonic_buffer_resource memory(room.data(), room.size(), &overflow);
    ManifoldScratch scratch(&memory);
    count = find_points(a, world_from_a, b, world_from_b, separation, limits, scratch, points);
  }
  if (overflow.bytes() > 0) {
    const std::size_t bytes = room.size() + overflow.bytes();
    kept.reset();
    kept = std::make_unique_for_overwrite<std::byte[]>(bytes);
    kept_bytes = bytes;
  }
  return count;
}

}  // namespace abut::detail
