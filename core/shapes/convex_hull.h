// Convex hull of points, with the vertex graph that hill climbing walks.
// Source of the hull: Barber, Dobkin, Huhdanpaa, "The Quickhull Algorithm for Convex Hulls" (ACM TOMS 1996), by qhull.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/obb.h>
#include <abut/core/prefetch.h>
#include <abut/core/shapes/hull_faces.h>
#include <abut/core/shapes/hull_outlines.h>
#include <abut/core/shapes/hull_surroundings.h>
#include <abut/core/shapes/support_map.h>
#include <abut/core/shapes/vertex_scan.h>
#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace abut {

/// Immutable and shared: copies refer to the same data. A flat, collinear or single-point hull is a valid shape.
class ConvexHull {
 public:
  /// @param points  At least one, metres, finite; repeated and inner points are dropped.
  /// @throws InvalidInput  naming points[i].
  [[nodiscard]] static ConvexHull from_points(std::span<const Vector3d> points);

  /// Extreme points, metres, body frame; neighbours in space are close in the list, whatever the order of the input.
  /// Where rounding leaves unclear which points are extreme, some more of them. from_points(vertices()) is this hull
  /// again, with the same bits in all its data.
  [[nodiscard]] std::span<const Vector3d> vertices() const { return data_->vertices; }
  /// 0: a point, 1: a segment, 2: flat, 3: solid.
  [[nodiscard]] int dimension() const { return data_->dimension; }
  /// Surface triangles as vertex indices, counter-clockwise seen from outside. A flat hull has both sides; a segment or
  /// a point has none.
  [[nodiscard]] std::span<const std::array<std::uint32_t, 3>> triangles() const { return data_->triangles; }
  /// Vertices that share an edge with `vertex`.
  [[nodiscard]] std::span<const std::uint32_t> neighbours(std::uint32_t vertex) const {
    const std::uint32_t begin = data_->neighbour_begin[vertex];
    return {data_->neighbours.data() + begin, data_->neighbour_begin[vertex + 1] - begin};
  }
  /// Triangles of one plane joined into polygons.
  [[nodiscard]] const detail::HullFaces& faces() const { return data_->faces; }
  [[nodiscard]] const detail::HullOutlines& outlines() const { return data_->outlines; }
  [[nodiscard]] const detail::HullSurroundings& surroundings() const { return data_->surroundings; }
  /// Of large hulls; empty: support_vertex scans.
  [[nodiscard]] const detail::SupportMap& support_map() const { return data_->map; }
  /// Fetches a vertex into the caches; nothing where there is none of that number.
  void prefetch_vertex(std::uint32_t vertex) const {
    if (vertex < data_->vertices.size()) detail::prefetch(&data_->vertices[vertex]);
  }
  /// Fetches into the caches where the faces and the neighbours of a vertex begin, and what lies around it. Only where
  /// the surroundings have lists.
  void prefetch_rows(std::uint32_t vertex) const {
    detail::prefetch(&data_->neighbour_begin[vertex]);
    data_->faces.prefetch_row(vertex);
    data_->surroundings.prefetch(vertex);
  }
  [[nodiscard]] const Aabb& aabb() const { return data_->aabb; }
  [[nodiscard]] const Obb& obb() const { return data_->obb; }
  /// No vertex is farther from another, nor from the origin of the frame, metres.
  [[nodiscard]] double reach() const { return data_->reach; }
  /// Radius of a ball about center() that lies in the hull, metres; 0 unless the hull is solid.
  [[nodiscard]] double inner_radius() const { return data_->inner_radius; }

  [[nodiscard]] double sweep_radius() const { return 0.0; }
  /// Mean of the vertices.
  [[nodiscard]] const Vector3d& center() const { return data_->center; }

  /// Index of a vertex that is farthest along `direction`: a scan of small hulls, a look into a map of directions for
  /// large ones, with cost that hardly grows with the number of vertices. Exact up to rounding.
  [[nodiscard]] std::uint32_t support_vertex(const Vector3d& direction) const;
  /// The same with the direction's place in support_map(), which is not empty.
  [[nodiscard]] std::uint32_t support_vertex(const Vector3d& direction, const detail::SupportMap::Place& place) const;
  /// The same by climbing over neighbours from `start` (GJK++, section V-B), for comparison; the start only changes
  /// the cost.
  [[nodiscard]] std::uint32_t climbed_vertex(const Vector3d& direction, std::uint32_t start) const;
  [[nodiscard]] Vector3d core_support(const Vector3d& direction) const {
    return data_->vertices[support_vertex(direction)];
  }
  /// Around the hull turned about the origin of its frame, in the axes that it is turned into.
  [[nodiscard]] Aabb bounds(const Eigen::Matrix3d& rotation) const;

 private:
  // What a look for a support vertex reads comes first, in one line of the cache.
  struct alignas(64) Data {
    std::vector<Vector3d> vertices;
    detail::SupportMap map;  // of large hulls; empty: support_vertex scans
    std::vector<std::array<std::uint32_t, 3>> triangles;
    std::vector<std::uint32_t> neighbour_begin;  // compressed rows: vertices.size() + 1 offsets into neighbours
    std::vector<std::uint32_t> neighbours;
    detail::HullFaces faces;
    detail::HullOutlines outlines;
    detail::HullSurroundings surroundings;
    int dimension = 0;
    detail::VertexScan<> scan;
    bool scans_bounds = false;  // bounds() looks at all vertices
    bool climbable = false;     // the graph is connected and complete
    double plateau = 0.0;       // metres: vertices that near to a maximum may look like one to their neighbours
    Aabb aabb;
    Obb obb;
    double reach = 0.0;
    Vector3d center = Vector3d::Zero();
    double inner_radius = 0.0;
  };
  explicit ConvexHull(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  [[nodiscard]] static std::uint32_t mapped_vertex(const Data& data, const Vector3d& direction,
                                                   const detail::SupportMap::Place& place);
#if defined(ABUT_AVX2_VARIANTS)
  [[nodiscard]] static std::uint32_t mapped_vertex_avx2(const Data& data, const Vector3d& direction);
  [[nodiscard]] static std::uint32_t mapped_vertex_avx2(const Data& data, const Vector3d& direction,
                                                        const detail::SupportMap::Place& place);
#endif
  [[nodiscard]] static std::uint32_t climb(const Data& data, const Vector3d& direction, std::uint32_t start);

  std::shared_ptr<const Data> data_;
};

}  // namespace abut
