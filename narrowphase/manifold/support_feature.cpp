// The support features of all shapes. A shape is core ⊕ ball; its features are those of the core, each moved out by the
// ball's radius along its own outer normal, so that the moved feature lies on the surface.
#include <abut/core/shapes/hull_exit.h>
#include <abut/core/simd.h>
#include <abut/narrowphase/manifold/support_feature.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <variant>

namespace abut::detail {
namespace {

using Kind = SupportFeature::Kind;

// Marks on the rim of a round end: cos and sin of k 22.5°. A polygon of 16 corners has 97 % of the disc's area.
constexpr std::uint32_t kRimMarks = 16;
constexpr double kCos1 = 0.92387953251128674;  // 22.5°
constexpr double kCos2 = 0.70710678118654752;
constexpr double kCos3 = 0.38268343236508977;
constexpr std::array<double, kRimMarks + 4> kRimSine = {0.0,    kCos3,  kCos2,  kCos1,  1.0,    kCos1, kCos2,
                                                        kCos3,  0.0,    -kCos3, -kCos2, -kCos1, -1.0,  -kCos1,
                                                        -kCos2, -kCos3, 0.0,    kCos3,  kCos2,  kCos1};
// Indices after those of the rims of both ends.
constexpr std::uint32_t kLineEnd = 2 * kRimMarks;
constexpr std::uint32_t kSideLine = 2;

// A triangle of a smaller height, as a fraction of its longest edge, has a normal made of rounding: it counts as edges.
constexpr double kNeedle = 1e-9;

// Radians. Nearer to the axis of a cone a direction does not tell a side line: more than the error of a normal.
constexpr double kAlongAxis = 1e-3;

class FeatureBuilder {
 public:
  FeatureBuilder(double margin, const FeatureView& view, const FeatureQuery& query, SupportFeature& feature)
      : query_(query),
        margin_(margin),
        rotation_(view.rotation),
        translation_(view.translation),
        direction_(view.direction),
        known_top_(view.top),
        feature_(feature) {}

  void build(const Box& box);
  void build(const Capsule& capsule);
  void build(const Cylinder& cylinder);
  void build(const Cone& cone);
  void build(const ConvexHull& hull);
  void build(const Triangle& triangle);
  void build(const PaddedPolygon& polygon);
  void build(const HalfSpace& half_space);
  void build(const HeightField::Prism& prism);
  // What build() left for later.
  void add_hull_face(const ConvexHull& hull, std::uint32_t face);
  // Spheres, ellipsoids and other smooth bodies.
  template <class G>
  void build(const G& /*shape*/) {
    make_point(feature_code(FeatureKind::none, 0));
  }

 private:
  [[nodiscard]] Vector3d to_contact(const Vector3d& point_body) const { return rotation_ * point_body + translation_; }

  void make_point(FeatureCode code) {
    feature_.kind = Kind::point;
    feature_.code = code;
  }
  void make_vertex(std::uint32_t index) { make_point(feature_code(FeatureKind::vertex, index)); }

  void make_segment(std::uint32_t edge, const Vector3d& p, std::uint32_t index_p, const Vector3d& q,
                    std::uint32_t index_q, double radius) {
    feature_.kind = Kind::segment;
    feature_.code = feature_.side_codes[0] = feature_code(FeatureKind::edge, edge);
    feature_.corner_count = feature_.vertex_count = 2;
    feature_.corners[0] = to_contact(p);
    feature_.corners[1] = to_contact(q);
    feature_.corner_codes[0] = feature_code(FeatureKind::vertex, index_p);
    feature_.corner_codes[1] = feature_code(FeatureKind::vertex, index_q);
    if (radius > 0.0) {  // outwards at right angles to the edge
      const Vector3d along = q - p;
      const Vector3d across = direction_ - along.dot(direction_) / along.squaredNorm() * along;
      const Vector3d offset = radius * (rotation_ * across).normalized();
      feature_.corners[0] += offset;
      feature_.corners[1] += offset;
    }
  }

  // The corners follow by add_corner, with side codes face_sides + k.
  void begin_polygon(std::uint32_t face, const Vector3d& normal_body, double radius) {
    feature_.kind = Kind::polygon;
    feature_.code = feature_code(FeatureKind::face, face);
    feature_.corner_count = feature_.vertex_count = 0;
    feature_.normal = rotation_ * normal_body;
    offset_ = translation_ + radius * feature_.normal;
  }
  void add_corner(const Vector3d& point_body, std::uint32_t vertex, std::uint32_t side) {
    const std::size_t i = feature_.corner_count++;
    feature_.corners[i] = rotation_ * point_body + offset_;
    feature_.corner_codes[i] = feature_code(FeatureKind::vertex, vertex);
    feature_.side_codes[i] = feature_code(FeatureKind::edge, side);
    feature_.vertex_count = feature_.corner_count;
  }
  // Corners come counter-clockwise seen from outside the shape, which is clockwise in the contact plane for b.
  void end_polygon() {
    Vector3d sum = feature_.corners[0];
    for (std::size_t i = 1; i < feature_.corner_count; ++i) sum += feature_.corners[i];
    feature_.center = sum / static_cast<double>(feature_.corner_count);
  }

  void make_disc(std::uint32_t end, double z, double radius, double offset) {
    const double sign = direction_.z() < 0.0 ? -1.0 : 1.0;
    feature_.kind = Kind::disc;
    feature_.code = feature_code(FeatureKind::face, end);
    feature_.side_codes[0] = feature_code(FeatureKind::edge, end);
    feature_.normal = sign * rotation_.col(2);
    feature_.center = translation_ + z * rotation_.col(2) + offset * feature_.normal;
    feature_.axis_x = radius * rotation_.col(0);
    feature_.axis_y = radius * rotation_.col(1);
    feature_.corner_count = feature_.vertex_count = kRimMarks;
    for (std::uint32_t k = 0; k < kRimMarks; ++k) {
      feature_.corners[k] = feature_.center + kRimSine[k + 4] * feature_.axis_x + kRimSine[k] * feature_.axis_y;
      feature_.corner_codes[k] = feature_code(FeatureKind::vertex, end * kRimMarks + k);
    }
  }

  // Radial unit vector towards the direction; zero when that is along the axis.
  [[nodiscard]] Vector3d radial() const {
    const double length = std::hypot(direction_.x(), direction_.y());
    if (!(length > 0.0)) return Vector3d::Zero();
    return {direction_.x() / length, direction_.y() / length, 0.0};
  }

  // Whether an edge is level enough, and more so than the best so far.
  struct BestEdge {
    double slope = 2.0;
    double length = 0.0;
    std::uint32_t end = 0;
    std::uint32_t index = 0;
  };
  void consider_edge(const Vector3d& along, std::uint32_t end, std::uint32_t index, BestEdge& best) const {
    const double length_sq = along.squaredNorm();
    const double rise = std::abs(along.dot(direction_));
    if (!(length_sq > 0.0) || rise * rise > query_.sin_tilt * query_.sin_tilt * length_sq) return;
    const double length = std::sqrt(length_sq);
    const double slope = rise / length;
    if (slope > best.slope + kSameSlope || (slope > best.slope - kSameSlope && length <= best.length)) return;
    best = {slope, length, end, index};
  }

  // nullptr: the face's own.
  [[nodiscard]] const HullOutlines::Outline* outline_of(const ConvexHull& hull, std::uint32_t face) const {
    return query_.joins_bends ? hull.outlines().of(face) : hull.outlines().alone(face);
  }

  const FeatureQuery& query_;
  const double margin_;
  const Matrix3d& rotation_;  // these four of the view
  const Vector3d& translation_;
  const Vector3d& direction_;
  const HullTop& known_top_;
  SupportFeature& feature_;
  Vector3d offset_ = Vector3d::Zero();  // of a polygon under construction: translation and radius
};

void FeatureBuilder::build(const Box& box) {
  const Vector3d& half = box.half_extents();
  const Vector3d& d = direction_;
  const Vector3d level = d.cwiseAbs();
  const int top = level.x() >= level.y() ? (level.x() >= level.z() ? 0 : 2) : (level.y() >= level.z() ? 1 : 2);
  const int i = (top + 1) % 3;
  const int j = (top + 2) % 3;
  const auto bit = [&](int axis) { return d[axis] < 0.0 ? 0u : 1u << axis; };
  if (d[i] * d[i] + d[j] * d[j] <= query_.sin_tilt * query_.sin_tilt) {
    const double sign = d[top] < 0.0 ? -1.0 : 1.0;
    const auto face = static_cast<std::uint32_t>(2 * top + (sign < 0.0 ? 1 : 0));
    feature_.kind = Kind::polygon;
    feature_.code = feature_code(FeatureKind::face, face);
    feature_.corner_count = feature_.vertex_count = 4;
    feature_.normal = sign * rotation_.col(top);
    feature_.center = translation_ + (half[top] + margin_) * feature_.normal;
    // Counter-clockwise seen from outside: i, j and the outer normal are right-handed where sign is positive.
    const Vector3d first = half[i] * rotation_.col(i);
    const Vector3d second = sign * half[j] * rotation_.col(j);
    const Vector3d sum = first + second;
    const Vector3d difference = first - second;
    feature_.corners[0] = feature_.center - sum;
    feature_.corners[1] = feature_.center + difference;
    feature_.corners[2] = feature_.center + sum;
    feature_.corners[3] = feature_.center - difference;
    const std::uint32_t bit_i = 1u << i;
    const std::uint32_t low_j = sign < 0.0 ? 1u << j : 0u;
    const std::uint32_t high_j = (1u << j) - low_j;
    const std::uint32_t base = bit(top);
    feature_.corner_codes[0] = feature_code(FeatureKind::vertex, base | low_j);
    feature_.corner_codes[1] = feature_code(FeatureKind::vertex, base | bit_i | low_j);
    feature_.corner_codes[2] = feature_code(FeatureKind::vertex, base | bit_i | high_j);
    feature_.corner_codes[3] = feature_code(FeatureKind::vertex, base | high_j);
    for (std::uint32_t k = 0; k < 4; ++k) feature_.side_codes[k] = feature_code(FeatureKind::edge, 4 * face + k);
    return;
  }
  const Vector3d corner = box.core_support(d);
  const int along = level.x() <= level.y() ? (level.x() <= level.z() ? 0 : 2) : (level.y() <= level.z() ? 1 : 2);
  const std::uint32_t vertex = bit(0) | bit(1) | bit(2);
  if (level[along] > query_.sin_tilt) return make_vertex(vertex);
  Vector3d low = corner;
  Vector3d high = corner;
  low[along] = -half[along];
  high[along] = half[along];
  const std::uint32_t low_vertex = vertex & ~(1u << along);
  // After the 24 sides of the faces: four edges an axis.
  const std::uint32_t edge = 24 + 8 * static_cast<std::uint32_t>(along) + low_vertex;
  make_segment(edge, low, low_vertex, high, low_vertex | 1u << along, margin_);
}

void FeatureBuilder::build(const Capsule& capsule) {
  const double half = capsule.half_length();
  if (half > 0.0 && std::abs(direction_.z()) <= query_.sin_tilt) {
    make_segment(0, {0.0, 0.0, -half}, 0, {0.0, 0.0, half}, 1, capsule.radius() + margin_);
  } else {
    make_vertex(direction_.z() < 0.0 ? 0 : 1);
  }
}

void FeatureBuilder::build(const Cylinder& cylinder) {
  const double half = cylinder.half_length();
  const std::uint32_t end = direction_.z() < 0.0 ? 0 : 1;
  if (std::abs(direction_.z()) >= query_.cos_tilt) {
    make_disc(end, std::copysign(half, direction_.z()), cylinder.radius(), margin_);
  } else if (half > 0.0 && std::abs(direction_.z()) <= query_.sin_tilt) {
    const Vector3d side = cylinder.radius() * radial();
    const Vector3d axis(0.0, 0.0, half);
    make_segment(kSideLine, side - axis, kLineEnd, side + axis, kLineEnd + 1, margin_);
  } else {
    make_point(feature_code(FeatureKind::edge, half > 0.0 ? end : 0));  // a disc has one rim
  }
}

void FeatureBuilder::build(const Cone& cone) {
  const double half = cone.half_length();
  const bool is_flat = !(half > 0.0);
  if (direction_.z() <= -query_.cos_tilt || (is_flat && direction_.z() >= query_.cos_tilt)) {
    return make_disc(direction_.z() < 0.0 ? 0 : 1, -half, cone.radius(), margin_);
  }
  const Vector3d out = radial();
  const double slant = std::hypot(2.0 * half, cone.radius());
  const Vector3d side_normal = (2.0 * half * out + Vector3d(0.0, 0.0, cone.radius())) / slant;
  // Along the axis of a flat cone all side lines are as high: which of them is the highest is rounding.
  const double off_axis = std::hypot(direction_.x(), direction_.y());
  const bool is_along_axis = off_axis <= std::min(kAlongAxis, half / slant);
  if (!is_flat && !is_along_axis && side_normal.dot(direction_) >= query_.cos_tilt) {
    const Vector3d rim = cone.radius() * out - Vector3d(0.0, 0.0, half);
    make_segment(kSideLine, rim, kLineEnd, {0.0, 0.0, half}, kLineEnd + 1, margin_);
  } else if (cone.core_support(direction_).z() > 0.0) {
    make_vertex(kLineEnd + 1);  // the apex
  } else {
    make_point(feature_code(FeatureKind::edge, 0));
  }
}

void FeatureBuilder::build(const PaddedPolygon& polygon) {
  const std::span<const Eigen::Vector2d> points = polygon.points();
  const double radius = polygon.radius() + margin_;
  const auto count = static_cast<std::uint32_t>(points.size());
  const auto at = [&](std::uint32_t i) { return Vector3d(points[i].x(), points[i].y(), 0.0); };
  const bool is_upper = direction_.z() >= 0.0;
  if (std::abs(direction_.z()) >= query_.cos_tilt) {
    begin_polygon(is_upper ? 1 : 0, Vector3d(0.0, 0.0, is_upper ? 1.0 : -1.0), radius);
    static_assert(PaddedPolygon::kMostContactCorners <= SupportFeature::kMaxCorners);
    const std::span<const std::uint32_t> kept = polygon.contact_corners();
    for (std::size_t k = 0; k < kept.size(); ++k) {
      const std::uint32_t corner = kept[is_upper ? k : kept.size() - 1 - k];
      add_corner(at(corner), corner, is_upper ? corner : count + corner);
    }
    return end_polygon();
  }
  std::uint32_t top = 0;
  for (std::uint32_t i = 1; i < count; ++i) {
    if (at(i).dot(direction_) > at(top).dot(direction_)) top = i;
  }
  BestEdge best;
  const std::uint32_t next = (top + 1) % count;
  const std::uint32_t previous = (top + count - 1) % count;
  consider_edge(at(next) - at(top), next, top, best);
  consider_edge(at(previous) - at(top), previous, previous, best);
  if (best.length == 0.0) return make_vertex(top);
  const auto [low, high] = std::minmax(top, best.end);
  make_segment(2 * count + best.index, at(low), low, at(high), high, radius);
}

void FeatureBuilder::build(const Triangle& triangle) {
  const std::array<Vector3d, 3>& points = triangle.points();
  const Vector3d twice_area = (points[1] - points[0]).cross(points[2] - points[0]);
  const double area = twice_area.norm();
  const double rise = twice_area.dot(direction_);
  std::uint32_t longest = 0;  // an edge is named by the third corner
  double longest_sq = 0.0;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const double length_sq = (points[(i + 1) % 3] - points[(i + 2) % 3]).squaredNorm();
    if (length_sq > longest_sq) {
      longest = i;
      longest_sq = length_sq;
    }
  }
  const bool is_needle = !(area > kNeedle * longest_sq);
  if (!is_needle && std::isfinite(area) && std::abs(rise) >= query_.cos_tilt * area) {
    const bool is_front = rise >= 0.0;
    begin_polygon(is_front ? 1 : 0, (is_front ? 1.0 : -1.0) / area * twice_area, margin_);
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t corner = is_front ? k : 2 - k;
      add_corner(points[corner], corner, is_front ? corner : 3 + corner);
    }
    return end_polygon();
  }
  const auto higher = [&](std::uint32_t i, std::uint32_t j) {
    return points[j].dot(direction_) > points[i].dot(direction_) ? j : i;
  };
  // A needle is its longest edge: the corner between may be the highest by a rounding.
  const std::uint32_t top = is_needle ? higher((longest + 1) % 3, (longest + 2) % 3) : higher(higher(0, 1), 2);
  BestEdge best;
  const auto consider = [&](std::uint32_t third) {
    const std::uint32_t other = 3 - top - third;
    consider_edge(points[other] - points[top], other, third, best);
  };
  if (is_needle) {
    consider(longest);
  } else {
    consider((top + 2) % 3);
    consider((top + 1) % 3);
  }
  if (best.length == 0.0) return make_vertex(top);
  const auto [low, high] = std::minmax(top, best.end);
  make_segment(6 + best.index, points[low], low, points[high], high, margin_);
}

void FeatureBuilder::build(const HalfSpace& half_space) {
  feature_.kind = Kind::plane;
  feature_.code = feature_code(FeatureKind::face, 0);
  feature_.corner_count = feature_.vertex_count = 0;
  feature_.normal = rotation_ * half_space.normal();
  feature_.center = to_contact((half_space.offset() + margin_) * half_space.normal());
}

// Top, base and three walls; a wall may have no height.
void FeatureBuilder::build(const HeightField::Prism& prism) {
  struct PrismFace {
    std::uint32_t count;
    std::array<std::uint32_t, 4> corners;  // counter-clockwise from outside
  };
  static constexpr std::array<PrismFace, 5> kFaces = {
      {{3, {0, 1, 2, 2}}, {3, {3, 5, 4, 4}}, {4, {3, 4, 1, 0}}, {4, {4, 5, 2, 1}}, {4, {5, 3, 0, 2}}}};
  std::uint32_t best_face = 0;
  Vector3d best_normal = Vector3d::Zero();
  double best_rise = -1.0;
  for (std::uint32_t face = 0; face < kFaces.size(); ++face) {
    const std::array<std::uint32_t, 4>& c = kFaces[face].corners;
    // Of a wall whose one side has no height the diagonals still tell the normal.
    const Vector3d normal = face < 2 ? (prism[c[1]] - prism[c[0]]).cross(prism[c[2]] - prism[c[0]])
                                     : (prism[c[2]] - prism[c[0]]).cross(prism[c[3]] - prism[c[1]]);
    const double area = normal.norm();
    if (!(area > 0.0 && std::isfinite(area)) || normal.dot(direction_) <= best_rise * area) continue;
    best_face = face;
    best_normal = normal / area;
    best_rise = best_normal.dot(direction_);
  }
  if (best_rise >= query_.cos_tilt) {
    begin_polygon(best_face, best_normal, margin_);
    for (std::uint32_t k = 0; k < kFaces[best_face].count; ++k) {
      const std::uint32_t corner = kFaces[best_face].corners[k];
      add_corner(prism[corner], corner, 4 * best_face + k);
    }
    return end_polygon();
  }
  std::uint32_t top = 0;
  for (std::uint32_t i = 1; i < prism.size(); ++i) {
    if (prism[i].dot(direction_) > prism[top].dot(direction_)) top = i;
  }
  // Edges after the sides of the faces: by the corner they start from, of the top, of the base, upright.
  constexpr std::uint32_t kFirstEdge = 20;
  const std::uint32_t level = top < 3 ? 0 : 3;
  const std::uint32_t at = top - level;
  BestEdge best;
  const std::uint32_t after = level + (at + 1) % 3;
  const std::uint32_t before = level + (at + 2) % 3;
  const std::uint32_t upright = 3 - level + at;
  consider_edge(prism[after] - prism[top], after, kFirstEdge + top, best);
  consider_edge(prism[before] - prism[top], before, kFirstEdge + before, best);
  consider_edge(prism[upright] - prism[top], upright, kFirstEdge + 6 + at, best);
  if (best.length == 0.0) return make_vertex(top);
  const auto [low, high] = std::minmax(top, best.end);
  make_segment(best.index, prism[low], low, prism[high], high, margin_);
}

void FeatureBuilder::add_hull_face(const ConvexHull& hull, std::uint32_t face) {
  const HullFaces& faces = hull.faces();
  static_assert(HullOutlines::kMostCorners <= SupportFeature::kMaxCorners);
  std::span<const std::uint32_t> ring = faces.corners(face);
  std::uint32_t first_side = faces.first_side(face);
  const HullOutlines::Outline* outline = outline_of(hull, face);
  feature_.bent_hull = outline != nullptr && outline->is_bent ? &hull : nullptr;
  if (outline == nullptr) {
    begin_polygon(face, faces.normal(face), margin_);
  } else {
    ring = std::span(outline->vertices).first(outline->corner_count);
    first_side = outline->first_side;
    begin_polygon(outline->face, outline->normal, margin_);
    if (outline->is_bent) {
      feature_.bent_outline = outline;
      feature_.bent_rotation = rotation_;
      feature_.bent_translation = translation_;
      feature_.bent_margin = margin_;
    }
  }
  for (const std::uint32_t vertex : ring) {
    if (margin_ > 0.0 && feature_.bent_hull != nullptr) {  // along the normal that the surface has there
      offset_ = translation_ + margin_ * (rotation_ * faces.normal(faces.most_turned(vertex, direction_).face));
    }
    add_corner(hull.vertices()[vertex], vertex, first_side++);
  }
  end_polygon();
}

void FeatureBuilder::build(const ConvexHull& hull) {
  const auto [top, best_face] = known_top_.is_known() ? known_top_ : hull_top(hull, direction_);
  const std::span<const Vector3d> vertices = hull.vertices();
  if (best_face.rise >= query_.cos_tilt) {
    feature_.kind = Kind::polygon;
    const HullOutlines::Outline* outline = outline_of(hull, best_face.face);
    feature_.code = feature_code(FeatureKind::face, outline == nullptr ? best_face.face : outline->face);
    feature_.is_pending = true;
    feature_.face = best_face.face;
    feature_.top = top;
    return;
  }
  BestEdge best;
  const std::uint32_t* first_row = hull.neighbours(0).data();
  for (const std::uint32_t& neighbour : hull.neighbours(top)) {
    consider_edge(vertices[neighbour] - vertices[top], neighbour, 0, best);
  }
  if (best.length == 0.0) return make_vertex(top);
  // An edge is numbered by its place in the row of its lower vertex, after the sides of all faces.
  const auto [low, high] = std::minmax(top, best.end);
  const std::span<const std::uint32_t> row = hull.neighbours(low);
  const auto place =
      static_cast<std::uint32_t>(std::find(row.begin(), row.end(), high) - row.begin() + (row.data() - first_row));
  const std::uint32_t sides = static_cast<std::uint32_t>(3 * hull.triangles().size());
  make_segment(sides + place, vertices[low], low, vertices[high], high, margin_);
}

}  // namespace

ContactFrame::ContactFrame(const Vector3d& normal_world, const Vector3d& origin_world) : origin(origin_world) {
  axes.col(2) = normal_world;
  axes.col(0) = normal_world.unitOrthogonal();
  axes.col(1) = normal_world.cross(axes.col(0));
}

// Not inlined: one piece of code gives everybody the same bits, also where multiplications and additions are fused.
[[gnu::noinline]] Vector3d feature_direction(const Pose& world_from_body, const Vector3d& normal_world, double side) {
  return side * world_from_body.unrotate(normal_world);
}

FeatureView::FeatureView(const Pose& world_from_body, const ContactFrame& frame, double side, const HullTop& known_top)
    : direction(feature_direction(world_from_body, frame.axes.col(2), side)), top(known_top) {
  // The rows of frame.axesᵀ * rotation, the first two together; the third is known.
  using Pair = Simd<2>;
  const Matrix3d& axes = frame.axes;
  const std::array<Pair::Doubles, 3> xy = {Pair::Doubles{axes(0, 0), axes(0, 1)}, Pair::Doubles{axes(1, 0), axes(1, 1)},
                                           Pair::Doubles{axes(2, 0), axes(2, 1)}};
  const auto along_xy = [&xy](const double* vector, double* result) {
    const Pair::Doubles value = xy[0] * vector[0] + xy[1] * vector[1] + xy[2] * vector[2];
    std::memcpy(result, &value, sizeof(value));
  };
  for (Eigen::Index column = 0; column < 3; ++column) {
    along_xy(&world_from_body.rotation()(0, column), &rotation(0, column));
    rotation(2, column) = side * direction[column];
  }
  const Vector3d offset = world_from_body.translation() - frame.origin;
  along_xy(offset.data(), translation.data());
  translation.z() = axes.col(2).dot(offset);
}

ContactRectangle SupportFeature::bounds(double slack) const {
  ContactRectangle result;
  if (kind == Kind::plane) return result;
  if (kind == Kind::disc) {
    const double x = std::abs(axis_x.x()) + std::abs(axis_y.x()) + slack;
    const double y = std::abs(axis_x.y()) + std::abs(axis_y.y()) + slack;
    return {center.x() - x, center.x() + x, center.y() - y, center.y() + y};
  }
  result = {corners[0].x(), corners[0].x(), corners[0].y(), corners[0].y()};
  for (std::size_t i = 1; i < corner_count; ++i) {
    result.lower_x = std::min(result.lower_x, corners[i].x());
    result.upper_x = std::max(result.upper_x, corners[i].x());
    result.lower_y = std::min(result.lower_y, corners[i].y());
    result.upper_y = std::max(result.upper_y, corners[i].y());
  }
  return {result.lower_x - slack, result.upper_x + slack, result.lower_y - slack, result.upper_y + slack};
}

double SupportFeature::bent_height(double x, double y) const {
  const double side = normal.z() < 0.0 ? -1.0 : 1.0;
  const Vector3d point = bent_rotation.transpose() * (Vector3d(x, y, 0.0) - bent_translation);
  const Vector3d up = side * bent_rotation.row(2).transpose();
  const std::span<const ExitPlane> planes = bent_hull->outlines().planes(*bent_outline);
  if (!planes.empty()) return side * plane_exit(planes, point, up, bent_margin);
  return side * hull_exit(bent_hull->faces(), bent_hull->vertices(), face, point, up, bent_margin);
}

double SupportFeature::extent() const {
  switch (kind) {
    case Kind::point:
      return 0.0;
    case Kind::plane:
      return std::numeric_limits<double>::infinity();
    case Kind::disc:
      return 2.0 * axis_x.norm();
    case Kind::segment:
    case Kind::polygon:
      break;
  }
  double extent_sq = 0.0;
  for (std::size_t i = 1; i < corner_count; ++i) {
    const double x = corners[i].x() - corners[0].x();
    const double y = corners[i].y() - corners[0].y();
    extent_sq = std::max(extent_sq, x * x + y * y);
  }
  return std::sqrt(extent_sq);
}

void find_support_feature(const Shape& shape, const FeatureView& view, const FeatureQuery& query,
                          SupportFeature& feature) {
  FeatureBuilder builder(shape.margin(), view, query, feature);
  std::visit([&](const auto& geometry) { builder.build(geometry); }, shape.geometry());
}

void find_support_feature(const HeightField::Prism& prism, const FeatureView& view, const FeatureQuery& query,
                          SupportFeature& feature) {
  FeatureBuilder(/*margin=*/0.0, view, query, feature).build(prism);
}

void find_pending_corners(const Shape& shape, const FeatureView& view, const FeatureQuery& query,
                          SupportFeature& feature) {
  if (!feature.is_pending) return;
  feature.is_pending = false;
  FeatureBuilder(shape.margin(), view, query, feature).add_hull_face(*shape.get_if<ConvexHull>(), feature.face);
}

}  // namespace abut::detail
