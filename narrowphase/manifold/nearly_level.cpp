// Vertices beside a hull's face that are nearly as high, and on the same side of the hull: those of the far side of a
// thin one are not. A hull lists them around each vertex (hull_surroundings.h); where it has no list, or the tilt asked
// for is larger, a walk over the edges finds them.
#include <abut/core/shapes/hull_surroundings.h>
#include <abut/narrowphase/core_vertex.h>
#include <abut/narrowphase/manifold/contact_manifold.h>
#include <abut/narrowphase/manifold/support_feature.h>
#include <abut/narrowphase/separation.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace abut::detail {
namespace {

static_assert(ManifoldOptions().max_tilt <= HullSurroundings::kMaxTilt, "by default the lists serve");

constexpr std::size_t kMostLevel =
    std::max(1 + HullSurroundings::kMost, SupportFeature::kMaxCorners + SupportFeature::kMaxExtra);
using Vertices = std::array<std::uint32_t, kMostLevel>;

// Vertices of a hull, by their lowest bits: far fewer than there are places.
class VertexSet {
 public:
  VertexSet() { places_.fill(kNoVertex); }

  /// @return Whether it is new.
  bool insert(std::uint32_t vertex) {
    std::size_t place = vertex % kPlaces;
    while (places_[place] != vertex && places_[place] != kNoVertex) place = (place + 1) % kPlaces;
    return std::exchange(places_[place], vertex) != vertex;
  }

 private:
  static constexpr std::size_t kPlaces = 128;
  static_assert(2 * kMostLevel < kPlaces);

  std::array<std::uint32_t, kPlaces> places_;
};

// Whether a vertex lies within the tilt of the highest one.
class LevelTest {
 public:
  LevelTest(const ConvexHull& hull, std::uint32_t highest, const Vector3d& direction, const FeatureQuery& query)
      : hull_(hull),
        vertices_(hull.vertices().data()),
        x_(vertices_[highest].x()),
        y_(vertices_[highest].y()),
        z_(vertices_[highest].z()),
        direction_(direction),
        sin_sq_(query.sin_tilt * query.sin_tilt),
        cos_tilt_(query.cos_tilt),
        max_drop_(query.max_drop + kRelativeTolerance * hull.aabb().half_extents().norm()) {}

  [[nodiscard]] bool operator()(std::uint32_t vertex) const {
    const Vector3d& point = vertices_[vertex];
    const double x = x_ - point.x();
    const double y = y_ - point.y();
    const double z = z_ - point.z();
    const double drop = x * direction_.x() + y * direction_.y() + z * direction_.z();
    return (drop <= max_drop_) & (drop * drop <= sin_sq_ * (x * x + y * y + z * z));  // without a branch
  }

  // Whether no edge rises from the vertex by more than the tilt: then a direction in which it is the highest is near.
  // On the way down a wall to the far side there is one that does. A face within the tilt is soonest seen.
  [[nodiscard]] bool is_on_top(std::uint32_t vertex) const {
    const HullFaces& faces = hull_.faces();
    for (const std::uint32_t face : faces.faces_at(vertex)) {
      if (faces.normal(face).dot(direction_) >= cos_tilt_) return true;
    }
    const Vector3d& point = vertices_[vertex];
    bool rises = false;
    for (const std::uint32_t neighbour : hull_.neighbours(vertex)) {
      const Vector3d along = vertices_[neighbour] - point;
      const double rise = along.dot(direction_);
      rises |= (rise > 0.0) & (rise * rise > sin_sq_ * along.squaredNorm());  // without a branch
    }
    return !rises;
  }

 private:
  const ConvexHull& hull_;
  const Vector3d* vertices_;
  const double x_;  // of the highest
  const double y_;
  const double z_;
  const Vector3d direction_;
  const double sin_sq_;
  const double cos_tilt_;
  const double max_drop_;
};

// The corners of a face, to be told from other vertices. Most have three.
class Corners {
 public:
  explicit Corners(const SupportFeature& feature) : feature_(feature) {
    first_.fill(kNoVertex);
    for (std::size_t i = 0; i < feature.corner_count; ++i) {
      if (i < first_.size()) {
        first_[i] = vertex_of(i);
      } else {
        low_bits_ |= bit_of(vertex_of(i));
      }
    }
  }

  [[nodiscard]] std::uint32_t vertex_of(std::size_t i) const { return feature_.corner_codes[i] & 0x1fffffffu; }
  [[nodiscard]] bool contain(std::uint32_t vertex) const {
    bool is_corner = false;
    for (const std::uint32_t corner : first_) is_corner |= corner == vertex;  // without a branch
    if ((low_bits_ & bit_of(vertex)) == 0) return is_corner;
    for (std::size_t i = first_.size(); i < feature_.corner_count; ++i) is_corner |= vertex_of(i) == vertex;
    return is_corner;
  }

 private:
  static std::uint64_t bit_of(std::uint32_t vertex) { return std::uint64_t{1} << (vertex & 63); }

  const SupportFeature& feature_;
  std::array<std::uint32_t, 4> first_;
  std::uint64_t low_bits_ = 0;  // of the others
};

// The highest, which need not be a corner of the face, and those that the hull lists around it. Which are level cannot
// be foreseen: each is written, and stays if it is.
std::size_t listed(const ConvexHull& hull, std::uint32_t highest, const LevelTest& is_level, Vertices& level) {
  std::size_t count = 0;
  level[count++] = highest;
  for (const std::uint16_t vertex : hull.surroundings().around(highest)) {
    level[count] = vertex;
    count += is_level(vertex) ? 1 : 0;
  }
  return count;
}

// Those that a walk from the corners of the face meets before there are too many, over level ones on top alone.
std::size_t walked(const ConvexHull& hull, const Corners& corners, std::size_t corner_count, const LevelTest& is_level,
                   Vertices& level) {
  VertexSet known;
  std::size_t count = 0;
  for (; count < corner_count; ++count) {
    level[count] = corners.vertex_of(count);
    known.insert(level[count]);
  }
  const std::size_t limit = corner_count + SupportFeature::kMaxExtra;
  for (std::size_t head = 0; head < count; ++head) {
    for (const std::uint32_t vertex : hull.neighbours(level[head])) {
      if (count == limit) return count;
      if (!is_level(vertex) || !known.insert(vertex) || !is_level.is_on_top(vertex)) continue;
      level[count++] = vertex;
    }
  }
  return count;
}

}  // namespace

void find_nearly_level(const Shape& shape, const FeatureView& view, const FeatureQuery& query,
                       const ContactRectangle& wanted, SupportFeature& feature) {
  const ConvexHull* hull = shape.get_if<ConvexHull>();
  if (hull == nullptr || feature.kind != SupportFeature::Kind::polygon) return;
  static const double kListedSine = std::sin(HullSurroundings::kMaxTilt);
  const LevelTest is_level(*hull, feature.top, view.direction, query);
  const Corners corners(feature);
  Vertices level;
  const bool is_listed = hull->surroundings().has_lists() && query.sin_tilt <= kListedSine;
  const std::size_t count = is_listed ? listed(*hull, feature.top, is_level, level)
                                      : walked(*hull, corners, feature.corner_count, is_level, level);

  // The far side of a hull is no nearer than the ball in it is wide, but for what tapers to an edge.
  const bool is_thin = !(query.max_drop < hull->inner_radius());
  const double margin = shape.margin();
  const HullFaces& faces = hull->faces();
  const std::size_t limit = feature.corner_count + SupportFeature::kMaxExtra;
  std::size_t vertex_count = feature.vertex_count;
  for (std::size_t i = 0; i < count && vertex_count < limit; ++i) {
    const std::uint32_t vertex = level[i];
    Vector3d point = view.rotation * hull->vertices()[vertex] + view.translation;
    if (margin > 0.0) {
      const HullFaces::Turned face = faces.most_turned(vertex, view.direction);
      if (face.rise >= -1.0) point += margin * (view.rotation * faces.normal(face.face));
    }
    const bool is_corner = corners.contain(vertex);
    const bool is_wanted = wanted.contains(point);
    if (is_corner | !is_wanted || (is_thin && !is_level.is_on_top(vertex))) continue;
    feature.corners[vertex_count] = point;
    feature.corner_codes[vertex_count++] = feature_code(FeatureKind::vertex, vertex);
  }
  feature.vertex_count = vertex_count;
}

}  // namespace abut::detail
