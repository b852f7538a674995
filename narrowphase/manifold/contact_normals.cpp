#include <abut/core/mixed_hash.h>
#include <abut/core/shapes/mesh_adjacency.h>
#include <abut/narrowphase/manifold/contact_normals.h>
#include <abut/narrowphase/manifold/parted_solid.h>
#include <abut/narrowphase/manifold/spread_senses.h>
#include <abut/narrowphase/mesh_solid.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

namespace abut::detail {
namespace {

// 1 - cos of the angle between normals that are one, twice.
constexpr double kSame = 1.0 - kSameNormal * kSameNormal;

constexpr double kNotMet = std::numeric_limits<double>::infinity();

class ContactNormals {
 public:
  ContactNormals(std::span<PatchPair> pairs, std::span<const std::uint32_t> order, const MetBodies& bodies,
                 double slack, std::array<SideScratch, 2>& scratch)
      : pairs_(pairs), order_(order), bodies_(bodies), slack_(slack), scratch_(scratch) {}

  void find() {
    do_overlap_ =
        std::any_of(pairs_.begin(), pairs_.end(), [](const PatchPair& pair) { return pair.separation.distance < 0.0; });
    find_pieces(0);
    find_pieces(1);
    look_at(0);
    look_at(1);
    choose_sides(0);
    choose_sides(1);
    for (PatchPair& pair : pairs_) find_normal(pair);
    find_led_normals();
  }

 private:
  void find_normal(PatchPair& pair) {
    pair.source = NormalSource::surface;
    choice_ = {};
    pair.normal = normal_of(pair);
    pair.choice = choice_;
    const bool is_own = pair.normal && pair.normal->dot(pair.separation.normal) >= kSame;
    if (is_own) pair.source = NormalSource::separation;
  }

  // The deepest pair whose normal is clear leads those in which either surface may give in.
  void find_led_normals() {
    const PatchPair* deepest = nullptr;
    for (const std::uint32_t i : order_) {
      const PatchPair& pair = pairs_[i];
      if (!pair.normal || !pair.choice.is_clear || pair.source == NormalSource::passed) continue;
      if (deepest == nullptr || pair.separation.distance < deepest->separation.distance - slack_) deepest = &pair;
    }
    if (deepest == nullptr) return;
    leading_ = *deepest->normal;
    for (PatchPair& pair : pairs_) {
      if (pair.choice.is_led && (!pair.normal || pair.normal->dot(leading_) < kSame)) find_normal(pair);
    }
  }

  static const PatchLeaf& leaf_of(const PatchPair& pair, std::size_t side) { return side == 0 ? pair.a : pair.b; }

  // The place of a triangle of the leaf's mesh among those that were met.
  static std::uint32_t place_of(std::span<const MetTriangle> met, const PatchLeaf& leaf, std::uint32_t item) {
    const auto key = std::tuple(leaf.owner_path == 0 ? item : leaf.outer_item, leaf.owner_path, item);
    const auto found = std::lower_bound(met.begin(), met.end(), key,
                                        [](const MetTriangle& x, const auto& k) { return x.leaf->order() < k; });
    return found != met.end() && found->leaf->order() == key ? static_cast<std::uint32_t>(found - met.begin())
                                                             : MetTriangle::kNoPiece;
  }

  // Of each mesh the triangles that were met and have open edges, of copies the first.
  void find_open_triangles(std::size_t side) {
    std::pmr::vector<MetTriangle>& met = scratch_[side].triangles;
    std::pmr::vector<OpenTriangle>& open = scratch_[side].open_triangles;
    open.clear();
    for (std::size_t begin = 0; begin < met.size();) {
      const PatchLeaf& owner = *met[begin].leaf;
      const TriangleMesh& mesh = *owner.shape->get_if<TriangleMesh>();
      const auto open_begin = static_cast<std::uint32_t>(open.size());
      std::size_t end = begin;
      for (; end < met.size(); ++end) {
        const PatchLeaf& leaf = *met[end].leaf;
        if (leaf.owner_path != owner.owner_path) break;
        if (owner.owner_path != 0 && leaf.outer_item != owner.outer_item) break;
        const bool is_first = met[end].copy_before == MetTriangle::kNoPiece;
        if (is_first && !mesh.adjacency().is_joined_all_round(leaf.item)) open.emplace_back(mesh, leaf.item);
      }
      arrange(std::span(open).subspan(open_begin));
      for (; begin < end; ++begin) {
        met[begin].open_begin = open_begin;
        met[begin].open_end = static_cast<std::uint32_t>(open.size());
      }
    }
  }

  static std::uint64_t hash_of(const std::array<Vector3d, 3>& corners) {
    std::uint64_t sum = 0;  // of any order
    for (const Vector3d& corner : corners) {
      std::uint64_t hash = 0;
      for (int axis = 0; axis < 3; ++axis) hash = mixed_hash(hash, std::bit_cast<std::uint64_t>(corner[axis] + 0.0));
      sum += hash;
    }
    return sum;
  }
  // The sense in which a triangle runs along with another one of the same corners: -1 where it is wound the other way;
  // 0 where it is no copy of it.
  static double sense_of_copy(const PatchLeaf& leaf, const PatchLeaf& other) {
    const bool is_same_mesh = other.shape == leaf.shape && other.owner_path == leaf.owner_path &&
                              (leaf.owner_path == 0 || other.outer_item == leaf.outer_item);
    if (!is_same_mesh) return 0.0;
    const TriangleMesh& mesh = *leaf.shape->get_if<TriangleMesh>();
    const std::array<Vector3d, 3> corners = mesh.corners(leaf.item);
    const std::array<Vector3d, 3> found = mesh.corners(other.item);
    const auto first = static_cast<std::size_t>(std::find(found.begin(), found.end(), corners[0]) - found.begin());
    if (first == 3) return 0.0;
    const Vector3d& next = found[(first + 1) % 3];
    const Vector3d& last = found[(first + 2) % 3];
    return next == corners[1] && last == corners[2] ? 1.0 : next == corners[2] && last == corners[1] ? -1.0 : 0.0;
  }
  // Copies among the triangles that were met know each other.
  void find_copies(std::size_t side) {
    std::pmr::vector<MetTriangle>& met = scratch_[side].triangles;
    std::pmr::vector<PlacedTriangle>& placed = scratch_[side].placed;
    placed.clear();
    for (std::uint32_t i = 0; i < met.size(); ++i) {
      const TriangleMesh& mesh = *met[i].leaf->shape->get_if<TriangleMesh>();
      if (mesh.adjacency().has_copies()) placed.push_back({hash_of(mesh.corners(met[i].leaf->item)), i});
    }
    std::sort(placed.begin(), placed.end());
    for (auto at = placed.begin(); at != placed.end(); ++at) {
      for (auto next = at + 1; next != placed.end() && next->hash == at->hash; ++next) {
        if (sense_of_copy(*met[at->place].leaf, *met[next->place].leaf) == 0.0) continue;
        met[at->place].copy_after = next->place;
        met[next->place].copy_before = at->place;
        break;
      }
    }
  }

  // Floods over the neighbours among the triangles that were met, also across cracks and to copies.
  void find_pieces(std::size_t side) {
    std::pmr::vector<MetTriangle>& met = scratch_[side].triangles;
    std::pmr::vector<SurfacePiece>& pieces = scratch_[side].pieces;
    met.clear();
    pieces.clear();
    for (const PatchPair& pair : pairs_) {
      const PatchLeaf& leaf = leaf_of(pair, side);
      if (leaf.kind == LeafKind::triangle) met.push_back({&leaf});
    }
    const auto is_before = [](const MetTriangle& x, const MetTriangle& y) { return x.leaf->order() < y.leaf->order(); };
    const auto is_same = [](const MetTriangle& x, const MetTriangle& y) { return x.leaf->order() == y.leaf->order(); };
    std::sort(met.begin(), met.end(), is_before);
    met.erase(std::unique(met.begin(), met.end(), is_same), met.end());
    find_copies(side);
    find_open_triangles(side);
    const auto place = [&](const PatchLeaf& owner, std::uint32_t item) { return place_of(met, owner, item); };
    for (std::uint32_t seed = 0; seed < met.size(); ++seed) {
      if (met[seed].piece != MetTriangle::kNoPiece) continue;
      const auto piece = static_cast<std::uint32_t>(pieces.size());
      pieces.emplace_back();
      met[seed].piece = piece;
      scratch_[side].open.assign(1, seed);
      while (!scratch_[side].open.empty()) {
        const std::uint32_t at = scratch_[side].open.back();
        scratch_[side].open.pop_back();
        const PatchLeaf& leaf = *met[at].leaf;
        const TriangleMesh& mesh = *leaf.shape->get_if<TriangleMesh>();
        const auto reach_place = [&](std::uint32_t next, const auto& sense) {
          if (next == MetTriangle::kNoPiece || met[next].piece != MetTriangle::kNoPiece) return;
          met[next].piece = piece;
          met[next].sense = sense() * met[at].sense;
          scratch_[side].open.push_back(next);
        };
        const auto reach = [&](std::uint32_t triangle, const auto& sense) {
          reach_place(place(leaf, triangle), sense);
        };
        for (const std::uint32_t copy : {met[at].copy_before, met[at].copy_after}) {
          if (copy != MetTriangle::kNoPiece) reach_place(copy, [&] { return sense_of_copy(leaf, *met[copy].leaf); });
        }
        for (std::size_t k = 0; k < 3; ++k) {
          const MeshAdjacency::Link link = mesh.adjacency().link(leaf.item, k);
          if (link.is_joined()) reach(link.triangle(), [&] { return sense_across(mesh, leaf.item, k); });
        }
        if (mesh.adjacency().is_joined_all_round(leaf.item)) continue;
        SurfaceLeaf surface = leaf.surface();
        surface.look_among(open_with(met[at], side));
        for (std::size_t k = 0; k < 3; ++k) {
          if (mesh.adjacency().link(leaf.item, k).is_joined()) continue;
          const double length = (surface.corners()[(k + 1) % 3] - surface.corners()[k]).norm();
          for (const double part : {0.0, 0.5, 1.0}) {
            const auto onward = surface.beyond_gap(k, part * length);
            if (onward) reach(onward->triangle, [&] { return onward->sense; });
          }
        }
      }
    }
    for (PatchPair& pair : pairs_) {
      const PatchLeaf& leaf = leaf_of(pair, side);
      if (leaf.kind == LeafKind::triangle) pair.met[side] = place(leaf, leaf.item);
    }
  }

  // The outward normal of a side's surface is the pair's normal for a and its reverse for b.
  static double sign_of(std::size_t side) { return side == 0 ? 1.0 : -1.0; }

  struct Seen {
    double side;    ///< 1: from the front, -1: from the back, 0: cannot be told.
    bool is_legal;  ///< The normal is one that the surface has, or nearly.
  };
  static Seen seen_from(SurfaceLeaf& surface, const Vector3d& outward, NormalsOfSides& nearest) {
    constexpr double kClear = 0.05;
    constexpr double kAlong = 1.0 - 0.5 * kSameNormal * kSameNormal;
    // Along the face, also where an open edge has a normal that is as near: rounding would choose.
    const double along = surface.normal().dot(outward);
    if (std::abs(along) >= kAlong) return {std::copysign(1.0, along), true};
    const double front = surface.nearest_normal(outward, 1.0, nearest).dot(outward);
    const double back = surface.nearest_normal(outward, -1.0, nearest).dot(outward);
    const double side = front > back + kClear ? 1.0 : back > front + kClear ? -1.0 : 0.0;
    return {side, std::max(front, back) >= kCosSameContact};
  }

  /// The body is a solid to the pair's other leaf.
  [[nodiscard]] bool is_solid(const PatchPair& pair, std::size_t side) const {
    return bodies_[side].outside != 0.0 && leaf_of(pair, 1 - side).has_surface();
  }
  [[nodiscard]] bool is_from_within(const PatchPair& pair, std::size_t side) const {
    return is_solid(pair, side) && pair.seen[side] * bodies_[side].outside < 0.0;
  }

  // From where each pair sees the triangles of a side; those of a solid are met from outside.
  void look_at(std::size_t side) {
    for (PatchPair& pair : pairs_) {
      const PatchLeaf& leaf = leaf_of(pair, side);
      if (leaf.kind != LeafKind::triangle) continue;
      SurfaceLeaf surface = leaf.surface();
      if (!surface.has_normal()) continue;
      surface.look_among(open_around(pair, side));
      pair.limit_to_separation(side, surface);
      const Vector3d outward = leaf.a_from_leaf.unrotate(sign_of(side) * pair.separation.normal);
      const Seen seen = seen_from(surface, outward, pair.nearest[side]);
      pair.seen[side] = seen.side;
      pair.is_legal[side] = seen.is_legal;
      if (!is_solid(pair, side)) continue;
      const MetTriangle& met = scratch_[side].triangles[pair.met[side]];
      scratch_[side].pieces[met.piece].side = bodies_[side].outside * met.sense;
    }
  }

  void choose_sides(std::size_t side) {
    std::pmr::vector<SurfacePiece>& pieces = scratch_[side].pieces;
    if (pieces.empty()) return;
    for (const PatchPair& pair : pairs_) {
      if (pair.seen[side] == 0.0 || !pair.is_legal[side] || is_from_within(pair, 1 - side)) continue;
      const MetTriangle& met = scratch_[side].triangles[pair.met[side]];
      pieces[met.piece].note(pair.seen[side] * met.sense, pair.separation.distance);
    }
    find_middles(side);
    find_pairs_by_piece(side);
    for (std::uint32_t i = 0; i < pieces.size(); ++i) {
      SurfacePiece& piece = pieces[i];
      if (piece.side != 0.0) continue;
      if (piece.front != kNotMet || piece.back != kNotMet) piece.side = piece.front <= piece.back + slack_ ? 1.0 : -1.0;
      if (is_reached_from_outside(side, piece)) piece.side = -piece.side;
      // The deepest pair and the solid's middle may both be on the wrong side, but hardly ever on the same.
      if (piece.solid_in_front == 0.0 || piece.side * piece.solid_in_front > 0.0) continue;
      const double found = side_by_parts(side, i);
      if (found != 0.0) piece.side = found;
      if (piece.side == 0.0) piece.side = std::copysign(1.0, piece.solid_in_front);
    }
    for (const std::uint32_t i : order_) {
      const PatchPair& pair = pairs_[i];
      const PatchLeaf& leaf = leaf_of(pair, side);
      if (leaf.kind != LeafKind::triangle) continue;
      const MetTriangle& met = scratch_[side].triangles[pair.met[side]];
      SurfacePiece& piece = pieces[met.piece];
      if (piece.side != 0.0) continue;
      const SurfaceLeaf surface = leaf.surface();
      if (surface.has_normal()) piece.side = side_of_first(pair, side, surface) * met.sense;
    }
  }

  void find_pairs_by_piece(std::size_t side) {
    SideScratch& scratch = scratch_[side];
    const auto piece_of = [&](std::uint32_t pair) -> SurfacePiece* {
      if (leaf_of(pairs_[pair], side).kind != LeafKind::triangle) return nullptr;
      return &scratch.pieces[scratch.triangles[pairs_[pair].met[side]].piece];
    };
    for (const std::uint32_t i : order_) {
      if (SurfacePiece* piece = piece_of(i)) ++piece->pairs_end;
    }
    std::uint32_t count = 0;
    for (SurfacePiece& piece : scratch.pieces) {
      piece.pairs_begin = count;
      count += std::exchange(piece.pairs_end, count);
    }
    scratch.pairs_by_piece.resize(count);
    for (const std::uint32_t i : order_) {
      if (SurfacePiece* piece = piece_of(i)) scratch.pairs_by_piece[piece->pairs_end++] = i;
    }
  }
  /// The places of the pairs that meet a piece, by leaves.
  [[nodiscard]] std::span<const std::uint32_t> pairs_of(std::size_t side, const SurfacePiece& piece) const {
    return std::span(scratch_[side].pairs_by_piece).subspan(piece.pairs_begin, piece.pairs_end - piece.pairs_begin);
  }

  // From where a convex body meets a closed mesh whose outside its middle lies in, in the sense of the triangles; 0: it
  // does not.
  [[nodiscard]] double side_of_outside(const PatchPair& pair, std::size_t side) const {
    const PatchLeaf& leaf = leaf_of(pair, side);
    const PatchLeaf& body = leaf_of(pair, 1 - side);
    if (bodies_[side].outward == 0.0 || body.kind != LeafKind::convex) return 0.0;
    const TriangleMesh& mesh = *leaf.shape->get_if<TriangleMesh>();
    const Vector3d middle = leaf.a_from_leaf.inverse() * body.center();
    if (!middle.allFinite() || !mesh.is_closed() || contains(mesh, middle)) return 0.0;
    return bodies_[side].outward;
  }

  // Whether the deepest pair says that a piece of a closed mesh is met from within, though the middle of its convex
  // body is outside.
  [[nodiscard]] bool is_reached_from_outside(std::size_t side, const SurfacePiece& piece) const {
    // The triangles of a closed mesh run alike.
    if (!(piece.side * bodies_[side].outward < 0.0)) return false;
    const PatchPair* deepest = nullptr;
    for (const std::uint32_t i : pairs_of(side, piece)) {
      const PatchPair& pair = pairs_[i];
      const double sense = scratch_[side].triangles[pair.met[side]].sense;
      if (!pair.is_legal[side] || sense * pair.seen[side] != piece.side) continue;
      if (deepest == nullptr || pair.separation.distance < deepest->separation.distance) deepest = &pair;
    }
    return deepest != nullptr && side_of_outside(*deepest, side) != 0.0;
  }

  // On which side of the surfaces that a solid crosses its middle lies.
  void find_middles(std::size_t side) {
    for (const PatchPair& pair : pairs_) {
      if (!is_crossed_by_solid(pair, side)) continue;
      const PatchLeaf& leaf = leaf_of(pair, side);
      const MetTriangle& met = scratch_[side].triangles[pair.met[side]];
      const SurfaceLeaf surface = leaf.surface();
      if (!surface.has_normal()) continue;
      const Vector3d middle = leaf.a_from_leaf.inverse() * bodies_[1 - side].middle;
      scratch_[side].pieces[met.piece].solid_in_front +=
          met.sense * surface.normal().dot(middle - surface.corners()[0]);
    }
  }

  [[nodiscard]] bool is_crossed_by_solid(const PatchPair& pair, std::size_t side) const {
    return leaf_of(pair, side).kind == LeafKind::triangle && pair.separation.distance < 0.0 && is_solid(pair, 1 - side);
  }

  static void keep_one_of_each(std::pmr::vector<std::uint32_t>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }

  // By the two parts in which the surface cuts the solid; 0 where they do not tell it.
  double side_by_parts(std::size_t side, std::uint32_t piece) {
    std::pmr::vector<MetTriangle>& met = scratch_[side].piece_triangles;
    std::pmr::vector<std::uint32_t>& seeds = scratch_[side].open;
    const std::span<const std::uint32_t> pairs = pairs_of(side, scratch_[side].pieces[piece]);
    seeds.clear();
    for (const std::uint32_t i : pairs) seeds.push_back(pairs_[i].met[side]);
    keep_one_of_each(seeds);
    met.clear();
    for (const std::uint32_t place : seeds) met.push_back(scratch_[side].triangles[place]);
    seeds.clear();
    const PatchPair* first = nullptr;
    for (const std::uint32_t i : pairs) {
      const PatchPair& pair = pairs_[i];
      if (!is_crossed_by_solid(pair, side)) continue;
      seeds.push_back(leaf_of(pair, 1 - side).item);
      first = first == nullptr ? &pair : first;
    }
    keep_one_of_each(seeds);
    const PatchLeaf& leaf = leaf_of(*first, side);
    const PatchLeaf& solid = leaf_of(*first, 1 - side);
    SpreadSenses senses(leaf, met, piece, seeds.get_allocator().resource());
    const auto sense = [&](std::uint32_t triangle) { return senses.find(triangle).sense; };
    return side_of_larger_part(*solid.shape->get_if<TriangleMesh>(), seeds, *leaf.shape->get_if<TriangleMesh>(),
                               leaf.item, std::ref(sense), leaf.a_from_leaf.inverse() * solid.a_from_leaf,
                               seeds.get_allocator().resource());
  }

  // Where no pair tells the side of a piece, its first one does: the face looks against that of a solid, else to where
  // the middle of the other leaf lies.
  [[nodiscard]] double side_of_first(const PatchPair& pair, std::size_t side, const SurfaceLeaf& surface) const {
    const PatchLeaf& leaf = leaf_of(pair, side);
    const PatchLeaf& other = leaf_of(pair, 1 - side);
    if (is_solid(pair, 1 - side)) {
      const Vector3d outward = bodies_[1 - side].outside * other.a_from_leaf.rotate(other.surface().normal());
      return leaf.a_from_leaf.rotate(surface.normal()).dot(outward) <= 0.0 ? 1.0 : -1.0;
    }
    const double outside = side_of_outside(pair, side);
    if (outside != 0.0) return outside;
    const Vector3d center = leaf.a_from_leaf.inverse() * other.center();
    return surface.normal().dot(center - surface.corners()[0]) >= 0.0 ? 1.0 : -1.0;
  }

  [[nodiscard]] double side_of(const PatchPair& pair, std::size_t side) const {
    const PatchLeaf& leaf = leaf_of(pair, side);
    if (leaf.kind != LeafKind::triangle) return 1.0;
    const MetTriangle& met = scratch_[side].triangles[pair.met[side]];
    return met.sense * scratch_[side].pieces[met.piece].side;
  }

  /// The triangles of the same mesh that were met and have open edges; none of what is no triangle.
  [[nodiscard]] std::span<const OpenTriangle> open_around(const PatchPair& pair, std::size_t side) const {
    if (leaf_of(pair, side).kind != LeafKind::triangle) return {};
    return open_with(scratch_[side].triangles[pair.met[side]], side);
  }
  [[nodiscard]] std::span<const OpenTriangle> open_with(const MetTriangle& met, std::size_t side) const {
    return std::span(scratch_[side].open_triangles).subspan(met.open_begin, met.open_end - met.open_begin);
  }

  /// The surface at one leaf of a pair, met from its side.
  class MetSurface {
   public:
    /// @param around  Of a triangle: those of its mesh that were met and have open edges.
    MetSurface(PatchPair& pair, std::size_t index, double side, std::span<const OpenTriangle> around)
        : pair_(pair),
          index_(index),
          leaf_(leaf_of(pair, index)),
          surface_(leaf_.surface()),
          sign_(sign_of(index)),
          side_(side),
          is_behind_(pair.seen[index] * side < 0.0) {
      surface_.look_among(around);
    }

    [[nodiscard]] SurfaceLeaf& surface() { return surface_; }
    /// The nearest of its normals, as a normal from a to b, frame of a. Of a pair of surfaces, after
    /// nearest_of_separation().
    [[nodiscard]] Vector3d nearest(const Vector3d& normal) {
      if (!is_limited_to_reach_) pair_.limit_to_reach(index_, surface_);
      is_limited_to_reach_ = true;
      return sign_ *
             leaf_.a_from_leaf.rotate(surface_.nearest_normal(sign_ * leaf_.a_from_leaf.unrotate(normal), side_));
    }
    /// The same of the separation's.
    [[nodiscard]] Vector3d nearest_of_separation(const Vector3d& normal) {
      const Vector3d outward = sign_ * leaf_.a_from_leaf.unrotate(normal);
      pair_.limit_to_separation(index_, surface_);
      return sign_ * leaf_.a_from_leaf.rotate(surface_.nearest_normal(outward, side_, pair_.nearest[index_]));
    }
    /// That of its face, from a to b, frame of a.
    [[nodiscard]] Vector3d face() const { return sign_ * side_ * leaf_.a_from_leaf.rotate(surface_.normal()); }
    /// The pair meets it from the side that its piece is not met from.
    [[nodiscard]] bool is_behind() const { return is_behind_; }
    /// A point lies on the side that its piece is met from.
    [[nodiscard]] bool faces(const Vector3d& point) const {
      return side_ * surface_.normal().dot(leaf_.a_from_leaf.inverse() * point - surface_.corners()[0]) >= 0.0;
    }

   private:
    PatchPair& pair_;
    std::size_t index_;
    const PatchLeaf& leaf_;
    SurfaceLeaf surface_;
    double sign_;
    double side_;
    bool is_behind_;
    bool is_limited_to_reach_ = false;
  };

  /// The normal of a pair's contact, nothing where it has none.
  [[nodiscard]] std::optional<Vector3d> normal_of(PatchPair& pair) {
    const Vector3d& normal = pair.separation.normal;
    if (!(std::abs(normal.squaredNorm() - 1.0) < 1e-6)) return std::nullopt;
    // Against a half-space there is one normal.
    if (pair.a.kind == LeafKind::half_space || pair.b.kind == LeafKind::half_space) return normal;
    std::optional<MetSurface> a;
    std::optional<MetSurface> b;
    if (pair.a.has_surface()) a.emplace(pair, 0, side_of(pair, 0), open_around(pair, 0));
    if (pair.b.has_surface()) b.emplace(pair, 1, side_of(pair, 1), open_around(pair, 1));
    if ((a && a->surface().is_covered()) || (b && b->surface().is_covered())) return std::nullopt;
    if (!a && !b) return normal;
    if (a && b) {
      // Two faces that have passed through each other seem apart, each behind the other.
      if (!a->is_behind() || !b->is_behind()) return normal_of_surfaces(*a, *b, normal, pair.separation.distance);
      if (!is_solid(pair, 0) && !is_solid(pair, 1)) {
        return do_overlap_ ? normal_of_crossed(*a, *b, normal) : std::nullopt;
      }
      pair.source = NormalSource::passed;
      // Of two solids the face that lies more across the way between the two.
      const bool is_of_b = is_solid(pair, 0) && (!is_solid(pair, 1) || b->face().dot(normal) < a->face().dot(normal));
      return is_of_b ? normal_of_passed(*b, *a, normal) : normal_of_passed(*a, *b, normal);
    }
    return a ? normal_of_surface(*a, pair.a, pair.is_legal[0], pair.b, normal)
             : normal_of_surface(*b, pair.b, pair.is_legal[1], pair.a, normal);
  }

  /// @param is_legal  The surface has a normal like that of the pair, on the side that this meets it from.
  static std::optional<Vector3d> normal_of_surface(MetSurface& surface, const PatchLeaf& leaf, bool is_legal,
                                                   const PatchLeaf& body, const Vector3d& normal) {
    if (surface.is_behind() && is_legal) {
      // The thin end of a body that lies in the surface is out of it soonest downwards, or has left it there.
      return surface.faces(body.center()) ? std::optional(surface.face()) : std::nullopt;
    }
    const Vector3d nearest = surface.nearest_of_separation(normal);
    // What slips out sideways between two triangles is pushed off the face, if it comes from there: a point that is
    // deeper than it is far from an edge may slip out downwards.
    if (nearest.dot(normal) < kCosSameContact && leaf.kind == LeafKind::triangle && !surface.faces(body.center())) {
      return std::nullopt;
    }
    return nearest;
  }

  /// 1: the first of two normals is the leading one, -1: the second; 0: both, none, or not known yet.
  [[nodiscard]] double preference(const Vector3d& first, const Vector3d& second) {
    choice_.is_led = true;
    const auto is_leading = [&](const Vector3d& found) { return found.dot(leading_) >= kSame ? 1.0 : 0.0; };
    return is_leading(first) - is_leading(second);
  }

  /// Positive: the first of two normals is nearer to a third than the second. A choice by that alone is not clear.
  [[nodiscard]] double nearness(const Vector3d& first, const Vector3d& second, const Vector3d& third) {
    choice_.is_clear = false;
    return (first - second).dot(third);
  }

  /// @param distance  Of the two leaves.
  [[nodiscard]] std::optional<Vector3d> normal_of_surfaces(MetSurface& a, MetSurface& b, const Vector3d& normal,
                                                           double distance) {
    const auto fit = [](MetSurface& surface, const Vector3d& found) { return surface.nearest(found).dot(found); };
    const Vector3d of_a = a.nearest_of_separation(normal);
    const Vector3d of_b = b.nearest_of_separation(normal);
    if (of_a.dot(normal) >= kSame && of_b.dot(normal) >= kSame) return normal;
    // One of the two gives in, then both. Where either may, the more bent one does, then the one whose own is not the
    // leading normal, then the one that has the other's normal, then the one whose own is farther from the
    // separation's. Flatness comes first: a triangle has the normals of all its edges and corners that the other leaf
    // reaches, also of those that it does not touch.
    const double fit_of_b = fit(b, of_a);
    const double fit_of_a = fit(a, of_b);
    if (fit_of_b >= kCosSameContact && fit_of_a >= kCosSameContact) {
      constexpr double kEqual = kSameNormal * kSameNormal;
      double for_a = a.surface().flatness() - b.surface().flatness();
      if (std::abs(for_a) <= kEqual) for_a = preference(of_a, of_b);
      if (std::abs(for_a) <= kEqual) for_a = fit_of_b - fit_of_a;
      if (std::abs(for_a) <= kEqual) for_a = nearness(of_a, of_b, normal);
      return for_a >= 0.0 ? of_a : of_b;
    }
    // Apart, a surface that would have the leading normal here is nearer elsewhere.
    const bool may_give_in = fit_of_b >= kCosSameContact || fit_of_a >= kCosSameContact;
    const double led = may_give_in && distance > 0.0 ? preference(of_a, of_b) : 0.0;
    if (fit_of_b >= kCosSameContact) return led >= 0.0 ? std::optional(of_a) : std::nullopt;
    if (fit_of_a >= kCosSameContact) return led <= 0.0 ? std::optional(of_b) : std::nullopt;
    const Vector3d via_b = a.nearest(of_b);
    const Vector3d via_a = b.nearest(of_a);
    const double fit_via_b = fit(b, via_b);
    const double fit_via_a = fit(a, via_a);
    if (std::max(fit_via_b, fit_via_a) < kCosSameContact) return std::nullopt;
    return fit_via_b >= fit_via_a ? via_b : via_a;
  }

  /// Of two surfaces: the face of the one that is less bent, of that whose normal the other has, or else of the one
  /// that lies more across the separation.
  [[nodiscard]] std::optional<Vector3d> normal_of_crossed(MetSurface& a, MetSurface& b, const Vector3d& normal) {
    const Vector3d of_a = a.face();
    const Vector3d of_b = b.face();
    const bool are_parallel =
        of_a.dot(of_b) > kCosSameContact && std::min(of_a.dot(normal), of_b.dot(normal)) < -kCosSameContact;
    if (!are_parallel) return std::nullopt;
    constexpr double kEqual = kSameNormal * kSameNormal;
    double for_a = a.surface().flatness() - b.surface().flatness();
    if (std::abs(for_a) <= kEqual) for_a = preference(of_a, of_b);
    if (std::abs(for_a) <= kEqual) for_a = b.nearest(of_a).dot(of_a) - a.nearest(of_b).dot(of_b);
    if (std::abs(for_a) <= kEqual) for_a = nearness(of_b, of_a, normal);
    return for_a >= 0.0 ? of_a : of_b;
  }

  /// Of a surface, or another solid, and a solid that reaches through it.
  static std::optional<Vector3d> normal_of_passed(const MetSurface& surface, const MetSurface& solid,
                                                  const Vector3d& normal) {
    const Vector3d face = surface.face();
    const bool reaches_through = face.dot(solid.face()) > kCosMostTilt && face.dot(normal) < 0.0;
    return reaches_through ? std::optional(face) : std::nullopt;
  }

  std::span<PatchPair> pairs_;
  std::span<const std::uint32_t> order_;
  const MetBodies& bodies_;
  double slack_;
  bool do_overlap_ = false;              // Apart, nothing has passed through anything.
  Vector3d leading_ = Vector3d::Zero();  // of the deepest pair whose normal is clear; zero: not known yet
  NormalChoice choice_;                  // of the normal that is being found
  std::array<SideScratch, 2>& scratch_;
};

}  // namespace

void find_contact_normals(std::span<PatchPair> pairs, std::span<const std::uint32_t> order, const MetBodies& bodies,
                          double slack, std::array<SideScratch, 2>& scratch) {
  ContactNormals(pairs, order, bodies, slack, scratch).find();
}

}  // namespace abut::detail
