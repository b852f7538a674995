#include <abut/core/shapes/mesh_adjacency.h>
#include <abut/narrowphase/manifold/contact_normals.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace abut::detail {
namespace {

constexpr double kNotMet = std::numeric_limits<double>::infinity();

class ContactNormals {
 public:
  ContactNormals(std::span<PatchPair> pairs, std::span<const std::uint32_t> order, double slack,
                 std::array<SideScratch, 2>& scratch)
      : pairs_(pairs), order_(order), slack_(slack), scratch_(scratch) {}

  void find() {
    find_pieces(0);
    find_pieces(1);
    choose_sides();
    for (PatchPair& pair : pairs_) {
      pair.normal = normal_of(pair);
      // 1 - cos of the angle between normals that are one, twice.
      pair.is_own_normal = pair.normal && pair.normal->dot(pair.separation.normal) >= 1.0 - kSameNormal * kSameNormal;
    }
  }

 private:
  static const PatchLeaf& leaf_of(const PatchPair& pair, std::size_t side) { return side == 0 ? pair.a : pair.b; }

  // Floods over the neighbours among the triangles that were met.
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
    const auto place = [&](const PatchLeaf& owner, std::uint32_t item) {
      const auto key = std::tuple(owner.owner_path == 0 ? item : owner.outer_item, owner.owner_path, item);
      const auto found = std::lower_bound(met.begin(), met.end(), key,
                                          [](const MetTriangle& x, const auto& k) { return x.leaf->order() < k; });
      return found != met.end() && found->leaf->order() == key ? static_cast<std::uint32_t>(found - met.begin())
                                                               : MetTriangle::kNoPiece;
    };
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
        for (std::size_t k = 0; k < 3; ++k) {
          const MeshAdjacency::Link link = mesh.adjacency().link(leaf.item, k);
          if (!link.is_joined()) continue;
          const std::uint32_t next = place(leaf, link.triangle());
          if (next == MetTriangle::kNoPiece || met[next].piece != MetTriangle::kNoPiece) continue;
          const auto along = [](const std::array<Vector3d, 3>& c, std::size_t edge) {
            return Vector3d(c[(edge + 1) % 3] - c[edge]);
          };
          const bool is_reversed =
              along(mesh.corners(leaf.item), k).dot(along(mesh.corners(link.triangle()), link.edge())) > 0.0;
          met[next].piece = piece;
          met[next].sense = is_reversed ? -met[at].sense : met[at].sense;
          scratch_[side].open.push_back(next);
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
  static Seen seen_from(SurfaceLeaf& surface, const Vector3d& outward) {
    constexpr double kClear = 0.05;
    const double front = surface.nearest_normal(outward, 1.0).dot(outward);
    if (surface.normal().dot(outward) >= 1.0 - 0.5 * kSameNormal * kSameNormal) return {1.0, true};
    const double back = surface.nearest_normal(outward, -1.0).dot(outward);
    const double side = front > back + kClear ? 1.0 : back > front + kClear ? -1.0 : 0.0;
    return {side, std::max(front, back) >= kCosSameContact};
  }

  void choose_sides() {
    for (std::size_t side = 0; side < 2; ++side) {
      std::pmr::vector<SurfacePiece>& pieces = scratch_[side].pieces;
      if (pieces.empty()) continue;
      for (PatchPair& pair : pairs_) {
        const PatchLeaf& leaf = leaf_of(pair, side);
        if (leaf.kind != LeafKind::triangle) continue;
        const MetTriangle& met = scratch_[side].triangles[pair.met[side]];
        SurfaceLeaf surface = leaf.surface();
        if (!surface.has_normal()) continue;
        const Vector3d outward = leaf.a_from_leaf.unrotate(sign_of(side) * pair.separation.normal);
        const Seen seen = seen_from(surface, outward);
        pair.seen[side] = seen.side;
        if (seen.side != 0.0 && seen.is_legal) pieces[met.piece].note(seen.side * met.sense, pair.separation.distance);
      }
      for (SurfacePiece& piece : pieces) {
        if (piece.front == kNotMet && piece.back == kNotMet) continue;
        piece.side = piece.front <= piece.back + slack_ ? 1.0 : -1.0;
      }
      // Where no pair tells: the side on which the middle of the first pair's other leaf lies.
      for (const std::uint32_t i : order_) {
        const PatchPair& pair = pairs_[i];
        const PatchLeaf& leaf = leaf_of(pair, side);
        if (leaf.kind != LeafKind::triangle) continue;
        const MetTriangle& met = scratch_[side].triangles[pair.met[side]];
        SurfacePiece& piece = pieces[met.piece];
        if (piece.side != 0.0) continue;
        const SurfaceLeaf surface = leaf.surface();
        if (!surface.has_normal()) continue;
        const Vector3d center = leaf.a_from_leaf.inverse() * leaf_of(pair, 1 - side).center();
        piece.side = (surface.normal().dot(center - surface.corners()[0]) >= 0.0 ? 1.0 : -1.0) * met.sense;
      }
    }
  }

  [[nodiscard]] double side_of(const PatchPair& pair, std::size_t side) const {
    const PatchLeaf& leaf = leaf_of(pair, side);
    if (leaf.kind != LeafKind::triangle) return 1.0;
    const MetTriangle& met = scratch_[side].triangles[pair.met[side]];
    return met.sense * scratch_[side].pieces[met.piece].side;
  }

  /// The surface at one leaf of a pair, met from its side.
  class MetSurface {
   public:
    MetSurface(const PatchLeaf& leaf, double sign, double side, double seen)
        : leaf_(leaf), surface_(leaf.surface()), sign_(sign), side_(side), is_behind_(seen * side < 0.0) {}

    [[nodiscard]] SurfaceLeaf& surface() { return surface_; }
    /// The nearest of its normals, as a normal from a to b, frame of a.
    [[nodiscard]] Vector3d nearest(const Vector3d& normal) {
      return sign_ *
             leaf_.a_from_leaf.rotate(surface_.nearest_normal(sign_ * leaf_.a_from_leaf.unrotate(normal), side_));
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
    const PatchLeaf& leaf_;
    SurfaceLeaf surface_;
    double sign_;
    double side_;
    bool is_behind_;
  };

  /// The normal of a pair's contact, nothing where it has none.
  [[nodiscard]] std::optional<Vector3d> normal_of(const PatchPair& pair) const {
    const Vector3d& normal = pair.separation.normal;
    if (!(std::abs(normal.squaredNorm() - 1.0) < 1e-6)) return std::nullopt;
    // Against a half-space there is one normal.
    if (pair.a.kind == LeafKind::half_space || pair.b.kind == LeafKind::half_space) return normal;
    std::optional<MetSurface> a;
    std::optional<MetSurface> b;
    if (pair.a.has_surface()) a.emplace(pair.a, 1.0, side_of(pair, 0), pair.seen[0]);
    if (pair.b.has_surface()) b.emplace(pair.b, -1.0, side_of(pair, 1), pair.seen[1]);
    if ((a && a->surface().is_covered()) || (b && b->surface().is_covered())) return std::nullopt;
    if (!a && !b) return normal;
    if (a && b) return normal_of_surfaces(*a, *b, normal);
    return a ? normal_of_surface(*a, pair.a, pair.b, normal) : normal_of_surface(*b, pair.b, pair.a, normal);
  }

  static std::optional<Vector3d> normal_of_surface(MetSurface& surface, const PatchLeaf& leaf, const PatchLeaf& body,
                                                   const Vector3d& normal) {
    if (surface.is_behind()) return std::nullopt;
    const Vector3d nearest = surface.nearest(normal);
    // What slips out sideways between two triangles is pushed off the face, if it comes from there.
    if (nearest.dot(normal) < kCosSameContact && leaf.kind == LeafKind::triangle && !surface.faces(body.center())) {
      return std::nullopt;
    }
    return nearest;
  }

  static std::optional<Vector3d> normal_of_surfaces(MetSurface& a, MetSurface& b, const Vector3d& normal) {
    constexpr double kExact = 1.0 - kSameNormal * kSameNormal;
    const auto accepts = [](MetSurface& surface, const Vector3d& found, double least) {
      return surface.nearest(found).dot(found) >= least;
    };
    if (accepts(a, normal, kExact) && accepts(b, normal, kExact)) return normal;
    // Two faces that have passed through each other seem apart, each behind the other.
    if (a.is_behind() && b.is_behind()) {
      const Vector3d face = a.face();
      const bool are_parallel = face.dot(normal) < -kCosSameContact && b.face().dot(face) > kCosSameContact;
      return are_parallel ? std::optional(face) : std::nullopt;
    }
    // One of the two gives in, then the other.
    const Vector3d of_a = a.nearest(normal);
    if (accepts(b, of_a, kCosSameContact)) return of_a;
    const Vector3d of_b = b.nearest(normal);
    if (accepts(a, of_b, kCosSameContact)) return of_b;
    const Vector3d of_both = a.nearest(of_b);
    if (accepts(b, of_both, kCosSameContact)) return of_both;
    return std::nullopt;
  }

  std::span<PatchPair> pairs_;
  std::span<const std::uint32_t> order_;
  double slack_;
  std::array<SideScratch, 2>& scratch_;
};

}  // namespace

void find_contact_normals(std::span<PatchPair> pairs, std::span<const std::uint32_t> order, double slack,
                          std::array<SideScratch, 2>& scratch) {
  ContactNormals(pairs, order, slack, scratch).find();
}

}  // namespace abut::detail
