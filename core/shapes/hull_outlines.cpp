// From the largest face on, faces around it with nearly the same normal are taken together, and the planar hull of
// their corners is laid around them. Where a side of that would run too far below the surface, because the faces end in
// a jagged line, a smaller bend is tried.
#include <abut/core/cross.h>
#include <abut/core/shapes/hull_exit.h>
#include <abut/core/shapes/hull_outlines.h>
#include <abut/core/thinned_ring.h>
#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace abut::detail {
namespace {

using Index = HullOutlines::Index;

// Radians by which a face's normal may differ from that of the largest, one after the other: of larger ones a scanned
// body has very many.
constexpr std::array<double, 2> kBends = {1e-3, 2e-4};

// Of the hull's diameter. Faces that reach less far together are left alone: on a body of small faces the vertices
// around the highest (hull_surroundings.h) show as much.
constexpr double kLeastExtent = 0.125;

// A vertex of more faces, the tip of a fine cone, is not looked beyond.
constexpr std::size_t kMostFaces = 64;

// Of the hull's diameter: a corner that lies beside the line between its neighbours by no more is none.
constexpr double kStraight = 1e-9;
// Of the hull's diameter: faces that overlap an outline by no more lie beside it. More than what kStraight leaves out.
constexpr double kBeside = 4e-9;
// Of the square of the diameter: twice the area of a triangle that is none.
constexpr double kNoArea = 1e-12;

// Metres.
constexpr double kLargest = 1e70;

// Faces that are gathered, and their corners, each once.
struct Region {
  std::vector<Index> faces;
  std::vector<Index> vertices;
};

class RegionFinder {
 public:
  RegionFinder(std::span<const Vector3d> vertices, const HullFaces& faces) : vertices_(vertices), faces_(faces) {
    Vector3d lower = vertices.front();
    Vector3d upper = vertices.front();
    for (const Vector3d& vertex : vertices) {
      lower = lower.cwiseMin(vertex);
      upper = upper.cwiseMax(vertex);
    }
    diameter_ = (upper - lower).norm();
    face_met_by_.assign(faces.size(), kNobody);
    vertex_met_by_.assign(vertices.size(), kNobody);
  }

  [[nodiscard]] double diameter() const { return diameter_; }

  // Twice the area of a face times its normal.
  [[nodiscard]] Vector3d area(Index face) const {
    const std::span<const Index> ring = faces_.corners(face);
    Vector3d sum = Vector3d::Zero();
    const Vector3d& origin = vertices_[ring[0]];
    for (std::size_t i = 2; i < ring.size(); ++i) {
      sum += (vertices_[ring[i - 1]] - origin).cross(vertices_[ring[i]] - origin);
    }
    return sum;
  }

  // Faces that hang together with the first and are bent from it by no more than the angle of this cosine, but for
  // those that are taken.
  const Region& around(Index seed, double cos_bend, const std::vector<bool>& is_taken) {
    ++visitor_;
    const Vector3d& normal = faces_.normal(seed);
    region_.faces.assign(1, seed);
    region_.vertices.clear();
    face_met_by_[seed] = visitor_;
    for (std::size_t head = 0; head < region_.faces.size(); ++head) {
      for (const Index vertex : faces_.corners(region_.faces[head])) {
        if (std::exchange(vertex_met_by_[vertex], visitor_) == visitor_) continue;
        region_.vertices.push_back(vertex);
        const std::span<const Index> around = faces_.faces_at(vertex);
        if (around.size() > kMostFaces) continue;
        for (const Index face : around) {
          if (face_met_by_[face] == visitor_ || is_taken[face] || !(faces_.normal(face).dot(normal) >= cos_bend))
            continue;
          face_met_by_[face] = visitor_;
          region_.faces.push_back(face);
        }
      }
    }
    return region_;
  }

  // From one of its corners to the farthest, metres.
  [[nodiscard]] double extent(const Region& region) const {
    double extent_sq = 0.0;
    for (const Index vertex : region.vertices) {
      extent_sq = std::max(extent_sq, (vertices_[vertex] - vertices_[region.vertices.front()]).squaredNorm());
    }
    return std::sqrt(extent_sq);
  }

  // Corners of the planar hull of a region about a normal, counter-clockwise, and its vertices between them on the
  // sides: these may lie higher.
  [[nodiscard]] std::vector<Index> planar_hull(const Region& region, const Vector3d& normal) const {
    struct Member {
      Eigen::Vector2d place;
      Index vertex;
    };
    const Vector3d axis_x = normal.unitOrthogonal();
    const Vector3d axis_y = normal.cross(axis_x);
    std::vector<Member> members;
    for (const Index vertex : region.vertices) {
      const Vector3d offset = vertices_[vertex] - vertices_[region.vertices.front()];
      members.push_back({{axis_x.dot(offset), axis_y.dot(offset)}, vertex});
    }
    std::ranges::sort(members, [](const Member& m, const Member& n) {
      return m.place.x() != n.place.x() ? m.place.x() < n.place.x() : m.place.y() < n.place.y();
    });
    const double straight = kStraight * diameter_;
    std::vector<Member> corners;
    const auto append_chain = [&](auto first, auto last) {
      const std::size_t begin = corners.size();
      for (auto next = first; next != last; ++next) {
        while (corners.size() >= begin + 2) {
          const Eigen::Vector2d& before = corners[corners.size() - 2].place;
          const double width = cross(before, corners.back().place, next->place);
          if (width > straight * (next->place - before).norm()) break;
          corners.pop_back();
        }
        corners.push_back(*next);
      }
      corners.pop_back();  // it begins the other chain
    };
    append_chain(members.begin(), members.end());
    append_chain(members.rbegin(), members.rend());

    std::vector<Index> ring;
    std::vector<std::pair<double, Index>> on_side;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Eigen::Vector2d& p = corners[i].place;
      const Eigen::Vector2d& q = corners[i + 1 < corners.size() ? i + 1 : 0].place;
      const double length = (q - p).norm();
      on_side.clear();
      for (const Member& member : members) {
        const double along = (member.place - p).dot(q - p) / length;
        if (!(along > straight && along < length - straight)) continue;
        if (cross(p, q, member.place) <= 2.0 * straight * length) on_side.emplace_back(along, member.vertex);
      }
      std::ranges::sort(on_side);
      ring.push_back(corners[i].vertex);
      for (const auto& [along, vertex] : on_side) ring.push_back(vertex);
    }
    return ring;
  }

  // The faces that the surface over a ring consists of: those of the region, and others that reach into its outline
  // where the region ends in a jagged line. None if there are too many.
  [[nodiscard]] std::vector<Index> lid(const Region& region, std::span<const Index> ring, const Vector3d& normal) {
    std::vector<Index> found = region.faces;
    if (found.size() > HullOutlines::kMostPlanes) return {};
    ++visitor_;
    for (const Index face : found) face_met_by_[face] = visitor_;
    for (std::size_t head = 0; head < found.size(); ++head) {
      for (const Index vertex : faces_.corners(found[head])) {
        for (const Index face : faces_.faces_at(vertex)) {
          if (std::exchange(face_met_by_[face], visitor_) == visitor_) continue;
          if (!(faces_.normal(face).dot(normal) >= kSteepestExit)) continue;
          if (has_a_side_between(ring, faces_.corners(face), normal)) continue;
          if (has_a_side_between(faces_.corners(face), ring, normal)) continue;
          if (found.size() == HullOutlines::kMostPlanes) return {};
          found.push_back(face);
        }
      }
    }
    return found;
  }

  // By how much the sides of a ring run below the surface at most, metres, as far as three points of each tell.
  [[nodiscard]] double depth_of_sides(std::span<const Index> ring, Index face, const Vector3d& normal) const {
    double depth = 0.0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const Vector3d& p = vertices_[ring[i]];
      const Vector3d& q = vertices_[ring[i + 1 < ring.size() ? i + 1 : 0]];
      for (const double t : {0.25, 0.5, 0.75}) {
        depth = std::max(depth, hull_exit(faces_, vertices_, face, p + t * (q - p), normal, /*margin=*/0.0));
      }
    }
    return depth;
  }

 private:
  static constexpr Index kNobody = static_cast<Index>(-1);

  // Whether a side of a convex ring has all of another one on its outer side, seen along a normal.
  [[nodiscard]] bool has_a_side_between(std::span<const Index> ring, std::span<const Index> other,
                                        const Vector3d& normal) const {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const Vector3d& p = vertices_[ring[i]];
      const Vector3d along = vertices_[ring[i + 1 < ring.size() ? i + 1 : 0]] - p;
      const Vector3d inwards = normal.cross(along);
      const double most = kBeside * diameter_ * along.norm();
      const bool is_out =
          std::ranges::all_of(other, [&](Index vertex) { return inwards.dot(vertices_[vertex] - p) <= most; });
      if (is_out) return true;
    }
    return false;
  }

  std::span<const Vector3d> vertices_;
  const HullFaces& faces_;
  double diameter_ = 0.0;
  Region region_;
  Index visitor_ = 0;
  std::vector<Index> face_met_by_;
  std::vector<Index> vertex_met_by_;
};

}  // namespace

HullOutlines::HullOutlines(std::span<const Vector3d> vertices, const HullFaces& faces) {
  if (faces.size() == 0) return;
  RegionFinder finder(vertices, faces);
  std::vector<double> area(faces.size());
  for (Index face = 0; face < faces.size(); ++face) area[face] = finder.area(face).norm();
  std::vector<Index> order(faces.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index f, Index g) { return area[f] > area[g]; });

  std::vector<Vector3d> points;
  const auto append = [&](std::span<const Index> ring, Index face, const Vector3d& normal, bool is_bent) {
    points.clear();
    for (const Index vertex : ring) points.push_back(vertices[vertex]);
    Outline outline;
    outline.corner_count = 0;
    const double least_area = is_bent ? kNoArea * finder.diameter() * finder.diameter() : 0.0;
    for (const std::uint32_t place : thinned_ring(points, kMostCorners, least_area)) {
      outline.vertices[outline.corner_count++] = ring[place];
    }
    outline.face = face;
    outline.first_side = kFirstSide + static_cast<Index>(kMostCorners * outlines_.size());
    outline.is_bent = is_bent;
    outline.first_plane = static_cast<Index>(planes_.size());
    outline.plane_count = 0;
    outline.normal = normal;
    outlines_.push_back(outline);
  };

  std::vector<bool> is_taken(faces.size(), false);
  std::vector<std::size_t> bend_of(faces.size(), 0);  // the first that has not failed around a face
  const double most_depth = HullFaces::kFlatness * finder.diameter();
  // Beyond, squares of areas overflow, and normals are no longer known.
  const bool is_measurable = finder.diameter() < kLargest;
  for (std::size_t bend = 0; is_measurable && bend < kBends.size(); ++bend) {
    const double cos_bend = std::cos(kBends[bend]);
    for (const Index seed : order) {
      if (is_taken[seed] || bend_of[seed] > bend || !(area[seed] > 0.0)) continue;
      const Region& region = finder.around(seed, cos_bend, is_taken);
      if (region.faces.size() == 1 || finder.extent(region) < kLeastExtent * finder.diameter()) {
        bend_of[seed] = kBends.size();  // with less bend there is less
        continue;
      }
      Vector3d normal = Vector3d::Zero();
      for (const Index face : region.faces) normal += finder.area(face);
      normal.normalize();
      const std::vector<Index> ring = finder.planar_hull(region, normal);
      if (ring.size() < 3) continue;
      append(ring, seed, normal, /*is_bent=*/true);
      Outline& outline = outlines_.back();
      const auto corners = std::span(outline.vertices).first(outline.corner_count);
      if (finder.depth_of_sides(corners, seed, normal) > most_depth) {
        outlines_.pop_back();
        for (const Index face : region.faces) bend_of[face] = bend + 1;
        continue;
      }
      for (const Index face : finder.lid(region, corners, normal)) {
        planes_.push_back({faces.normal(face), vertices[faces.corners(face)[0]]});
        ++outline.plane_count;
      }
      common_.resize(faces.size(), kOwn);
      for (const Index face : region.faces) {
        is_taken[face] = true;
        common_[face] = static_cast<Index>(outlines_.size() - 1);
      }
    }
  }
  for (Index face = 0; face < faces.size(); ++face) {
    if (faces.corners(face).size() <= kMostCorners) continue;
    append(faces.corners(face), face, faces.normal(face), /*is_bent=*/false);
    alone_.resize(faces.size(), kOwn);
    alone_[face] = static_cast<Index>(outlines_.size() - 1);
    common_.resize(faces.size(), kOwn);
    if (!is_taken[face]) common_[face] = alone_[face];
  }
}

}  // namespace abut::detail
