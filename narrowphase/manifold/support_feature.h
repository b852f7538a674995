// Support feature: the part of a convex shape or half-space that lies highest along a direction, up to a small tilt: a
// face, a round end, an edge or side line, a vertex.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/core/shapes/hull_outlines.h>
#include <abut/core/shapes/hull_top.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace abut::detail {

/// The contact frame: its z axis is the normal from a to b, its origin lies between the witness points.
struct ContactFrame {
  ContactFrame(const Vector3d& normal_world, const Vector3d& origin_world);

  [[nodiscard]] Vector3d to_world(const Vector3d& point) const { return origin + axes * point; }

  Matrix3d axes;    // columns: x, y, z of the contact frame in the world
  Vector3d origin;  // world
};

/// Which part of a body: 3 bits of kind, 29 of an index.
using FeatureCode = std::uint32_t;

enum class FeatureKind : std::uint8_t {
  none = 0,   ///< A smooth surface.
  vertex,     ///< Also the end of a side line, or a mark on a rim.
  edge,       ///< Also a side line or a rim.
  face,       ///< Also a round end or a plane.
  edge_entry  ///< The one of two points on an edge where it comes in; the other is named by the edge.
};

inline constexpr FeatureCode feature_code(FeatureKind kind, std::uint32_t index) {
  return static_cast<FeatureCode>(kind) << 29 | (index & 0x1fffffffu);
}

/// A rectangle in the contact plane, metres; without bounds unless told otherwise.
struct ContactRectangle {
  double lower_x = -std::numeric_limits<double>::infinity();
  double upper_x = std::numeric_limits<double>::infinity();
  double lower_y = -std::numeric_limits<double>::infinity();
  double upper_y = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool contains(const Vector3d& point) const {
    const double x = point.x();
    const double y = point.y();
    return (x >= lower_x) & (x <= upper_x) & (y >= lower_y) & (y <= upper_y);  // without a branch
  }
};

/// A feature, carried out to the surface by the shape's radius and margin; contact frame, metres.
struct SupportFeature {
  enum class Kind : std::uint8_t {
    point,    ///< Nothing to clip: the witness point stands for it.
    segment,  ///< corners[0] … corners[1].
    polygon,  ///< A convex face.
    disc,     ///< center + axis_x cos t + axis_y sin t; the corners are marks on its rim, fixed to the body.
    plane,    ///< Unbounded, no corners.
  };
  /// Faces with more corners are thinned out to so many, those of the least area first.
  static constexpr std::size_t kMaxCorners = 32;
  /// Vertices beside the face that count too.
  static constexpr std::size_t kMaxExtra = 16;

  Kind kind = Kind::point;
  FeatureCode code = 0;
  std::size_t corner_count = 0;  ///< Of the outline.
  std::size_t vertex_count = 0;  ///< The corners and after them further vertices nearly as high, of hulls.
  std::array<Vector3d, kMaxCorners + kMaxExtra> corners;
  std::array<FeatureCode, kMaxCorners + kMaxExtra> corner_codes;
  std::array<FeatureCode, kMaxCorners> side_codes;  ///< Of the side from corner i to i + 1; of a segment or rim: [0].
  Vector3d normal = Vector3d::Zero();               ///< Of polygon, disc and plane: unit, out of the shape.
  Vector3d center = Vector3d::Zero();               ///< A point in the plane of polygon, disc and plane.
  Vector3d axis_x = Vector3d::Zero();
  Vector3d axis_y = Vector3d::Zero();
  /// Of a hull's polygon: its corners are still to be found by find_pending_corners().
  bool is_pending = false;
  std::uint32_t face = 0;  ///< Of a hull's polygon: its face and its highest vertex.
  std::uint32_t top = 0;
  /// Of a hull's polygon of several faces with a slight bend; else nullptr, and the next four are not set.
  const ConvexHull* bent_hull = nullptr;
  const HullOutlines::Outline* bent_outline;
  Matrix3d bent_rotation;  ///< contact_from_body, with the next.
  Vector3d bent_translation;
  double bent_margin;

  [[nodiscard]] bool is_region() const { return kind >= Kind::polygon; }
  /// Of polygon, disc and plane: z at (x, y).
  [[nodiscard]] double height(double x, double y) const {
    if (bent_hull != nullptr) return bent_height(x, y);
    return center.z() - (normal.x() * (x - center.x()) + normal.y() * (y - center.y())) / normal.z();
  }
  /// From its first corner to the farthest one, in the contact plane, metres; a disc's diameter; a plane's is infinite.
  [[nodiscard]] double extent() const;
  /// Around its outline with at least `slack` to spare, metres; of a region or a segment whose corners are found.
  [[nodiscard]] ContactRectangle bounds(double slack) const;

 private:
  // On the lowest of its faces.
  [[nodiscard]] double bent_height(double x, double y) const;
};

/// The direction in which a contact's feature is the highest: unit, body frame.
/// @param normal_world  From a to b, unit. @param side  1: of body a; -1: of body b.
[[nodiscard]] Vector3d feature_direction(const Pose& world_from_body, const Vector3d& normal_world, double side);

/// Of a shape that is no hull, or where the top is still to be found.
inline constexpr HullTop kUnknownTop;

/// A body as the contact frame sees it.
struct FeatureView {
  /// @param side  1: the feature is the highest along +z (body a); -1: along -z (body b).
  /// @param top   Of a hull along feature_direction(), where it is known; it is not copied.
  FeatureView(const Pose& world_from_body, const ContactFrame& frame, double side, const HullTop& top = kUnknownTop);

  Matrix3d rotation;  ///< contact_from_body, with the next.
  Vector3d translation;
  Vector3d direction;  ///< In which the feature is the highest: unit, body frame.
  const HullTop& top;
};

struct FeatureQuery {
  double sin_tilt = 0.0;  ///< Of the largest tilt.
  double cos_tilt = 1.0;
  double max_drop = 0.0;  ///< Metres: further vertices more than so much lower are of no use.
  /// A hull's faces that are one but for a slight bend are one face (hull_outlines.h).
  bool joins_bends = false;
};

/// Finds which feature it is. The corners of a face of a hull, of which there may be many, are left for
/// find_pending_corners(), and the vertices beside it for find_nearly_level(): most contacts need them of neither body.
/// @param shape    Convex or a half-space.
/// @param feature  Written.
void find_support_feature(const Shape& shape, const FeatureView& view, const FeatureQuery& query,
                          SupportFeature& feature);

/// The same of a prism of a height field: corners 0 … 2 counter-clockwise seen from above, the same below as 3 … 5.
void find_support_feature(const HeightField::Prism& prism, const FeatureView& view, const FeatureQuery& query,
                          SupportFeature& feature);

/// Finds the corners, where they are pending. All arguments as they were for find_support_feature().
void find_pending_corners(const Shape& shape, const FeatureView& view, const FeatureQuery& query,
                          SupportFeature& feature);

/// Finds the vertices beside a face of a hull that are nearly as high, after its corners: kMaxExtra at most.
/// @param wanted  Of those found only the ones in it are kept.
void find_nearly_level(const Shape& shape, const FeatureView& view, const FeatureQuery& query,
                       const ContactRectangle& wanted, SupportFeature& feature);

}  // namespace abut::detail
