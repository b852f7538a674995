// A box and a triangle that overlap: the best of the thirteen separating axes. Rounding of the triangle's edges turns
// some of these axes; by how much the best one may be surpassed is part of the error, and where that is more than
// rounding there is no answer. The first axis along which they are apart ends it.
// Source: Akenine-Möller, Fast 3D Triangle-Box Overlap Testing (2001), for the axes.
#include <abut/core/triangle_normal.h>
#include <abut/narrowphase/closed/closed_form.h>
#include <abut/narrowphase/closed/core_gap.h>
#include <abut/narrowphase/simplex.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace abut::detail {
namespace {

// The surfaces slide to where they face each other in one or two steps, but for features that are nearly parallel.
constexpr int kMostSlides = 6;

// Of the rounding: what an answer may be off by. An edge of a tenth of the coordinates turns its axis by twenty times
// as much.
constexpr double kMostDoubt = 256.0;

// Metres, squared: longest edges between which neither squares of areas nor of heights overflow or vanish.
constexpr double kLeastEdgeSq = 1e-100;
constexpr double kMostEdgeSq = 1e140;

class BoxTriangle {
 public:
  BoxTriangle(const Vector3d& half, const Triangle& triangle, const Pose& box_from_triangle) : half_(half) {
    const std::array<Vector3d, 3>& points = triangle.points();
    for (std::size_t k = 0; k < 3; ++k) corners_[k] = box_from_triangle * points[k];
    for (std::size_t k = 0; k < 3; ++k) edges_[k] = corners_[(k + 1) % 3] - corners_[k];
    coordinates_ = half.sum() + box_from_triangle.translation().lpNorm<1>() + points[0].lpNorm<1>() +
                   edges_[0].lpNorm<1>() + edges_[2].lpNorm<1>();
    rounding_ = kClosedRounding * coordinates_;
    find_faces();
    if (!is_apart()) find_triangle();
    if (!is_apart()) find_edges();
  }

  [[nodiscard]] double coordinates() const { return coordinates_; }
  [[nodiscard]] double rounding() const { return rounding_; }
  /// Metres, along normal(); of the first axis where it is above 0, else of the best.
  [[nodiscard]] double gap() const { return gap_; }
  [[nodiscard]] bool is_apart() const { return gap_ > 0.0; }
  /// By how much another axis may surpass that, metres.
  [[nodiscard]] double doubt() const { return std::max(highest_ - gap_, skipped_); }
  /// Sizes are such that the others tell anything, where it is not apart.
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  /// Unit, from the box to the triangle, frame of the box.
  [[nodiscard]] const Vector3d& normal() const { return normal_; }

  struct Witness {
    Vector3d on_box;
    Vector3d on_triangle;
    double residual;  ///< Metres: how far their difference is from gap() along normal().
  };
  /// Points that face each other, as near as a few steps come, of an overlap.
  [[nodiscard]] Witness witness() const {
    Vector3d on_triangle = start();
    Witness best{Vector3d::Zero(), Vector3d::Zero(), std::numeric_limits<double>::infinity()};
    for (int projection = 0; projection < kMostSlides; ++projection) {
      const Vector3d moved = on_triangle - gap_ * normal_;
      const Vector3d on_box = moved.cwiseMin(half_).cwiseMax(-half_);
      const double residual = (moved - on_box).lpNorm<1>();
      if (residual < best.residual) best = {on_box, on_triangle, residual};
      if (best.residual <= rounding_) break;
      on_triangle = nearest_of_triangle(on_box + gap_ * normal_);
    }
    return best;
  }

  /// The point of the box that is farthest along normal(), and that of the triangle that is farthest against it.
  [[nodiscard]] Vector3d support_of_box() const {
    Vector3d point;
    for (Eigen::Index k = 0; k < 3; ++k) point[k] = std::copysign(half_[k], normal_[k]);
    return point;
  }
  [[nodiscard]] const Vector3d& support_of_triangle() const {
    const double s0 = normal_.dot(corners_[0]);
    const double s1 = normal_.dot(corners_[1]);
    const double s2 = normal_.dot(corners_[2]);
    return s0 <= s1 && s0 <= s2 ? corners_[0] : s1 <= s2 ? corners_[1] : corners_[2];
  }

 private:
  enum class Kind { box_face, triangle_face, edges };

  // What takes the place of the best only where it is better by more than rounding.
  void offer(double gap, double doubt, const Vector3d& normal, Kind kind, Eigen::Index box_edge, std::size_t edge) {
    highest_ = std::max(highest_, gap + doubt);
    if (!(gap > gap_ + (kind == Kind::box_face ? 0.0 : rounding_))) return;
    gap_ = gap;
    normal_ = normal;
    kind_ = kind;
    box_edge_ = box_edge;
    edge_ = edge;
  }

  // The better of both directions along an axis.
  void offer_axis(const Vector3d& axis, double length, double doubt, Kind kind, Eigen::Index box_edge,
                  std::size_t edge) {
    const double reach = half_.dot(axis.cwiseAbs());
    const double s0 = axis.dot(corners_[0]);
    const double s1 = axis.dot(corners_[1]);
    const double s2 = axis.dot(corners_[2]);
    const double ahead = std::min(s0, std::min(s1, s2)) - reach;
    const double behind = -std::max(s0, std::max(s1, s2)) - reach;
    const double sign = ahead >= behind ? 1.0 : -1.0;
    offer(std::max(ahead, behind) / length, doubt, axis * (sign / length), kind, box_edge, edge);
  }

  void find_faces() {
    for (Eigen::Index k = 0; k < 3; ++k) {
      const double low = std::min(corners_[0][k], std::min(corners_[1][k], corners_[2][k]));
      const double high = std::max(corners_[0][k], std::max(corners_[1][k], corners_[2][k]));
      const bool is_ahead = low >= -high;
      offer((is_ahead ? low : -high) - half_[k], 0.0, (is_ahead ? 1.0 : -1.0) * Vector3d::Unit(k), Kind::box_face, k,
            0);
    }
  }

  // How far off the gap along an axis may be that `length` divides: rounding turns the axis by so much, or the features
  // that it belongs to are so nearly parallel that what moves them by that length makes another axis as good.
  [[nodiscard]] double doubt_of(double length) const {
    const double turn = 2.0 * rounding_ / length;
    return std::min(turn * lever_, 2.0 * length);
  }

  void find_triangle() {
    const TriangleNormal found(corners_[0], corners_[1], corners_[2]);
    is_sound_ = found.longest_sq > kLeastEdgeSq && found.longest_sq < kMostEdgeSq &&
                coordinates_ < std::sqrt(kMostEdgeSq) && gap_ > -std::numeric_limits<double>::infinity();
    const double longest = std::sqrt(found.longest_sq);
    lever_ = 2.0 * longest + 4.0 * half_.norm();
    const double area = found.normal.norm();
    const double height = area / longest;
    if (height > rounding_) {
      offer_axis(found.normal, area, doubt_of(height), Kind::triangle_face, 0, 0);
    } else {
      skip(height);
    }
  }

  void find_edges() {
    for (std::size_t edge = 0; edge < 3; ++edge) {
      const Vector3d& along = edges_[edge];
      for (Eigen::Index i = 0; i < 3; ++i) {
        const Vector3d axis = Vector3d::Unit(i).cross(along);
        const double length = axis.norm();
        if (length > rounding_) {
          offer_axis(axis, length, doubt_of(length), Kind::edges, i, edge);
          if (is_apart()) return;
        } else {
          skip(length);
        }
      }
    }
  }

  // Features that are parallel to rounding, or of no size: what moves them by `length` makes another axis as good.
  void skip(double length) { skipped_ = std::max(skipped_, 2.0 * length); }

  // Of the triangle, where the axis says that the surfaces face each other.
  [[nodiscard]] Vector3d start() const {
    if (kind_ == Kind::box_face) return support_of_triangle();
    const Vector3d corner = support_of_box();
    if (kind_ == Kind::triangle_face) return nearest_of_triangle(corner + gap_ * normal_);
    // Where the edge passes the box's, seen along that.
    const Eigen::Index i1 = (box_edge_ + 1) % 3;
    const Eigen::Index i2 = (box_edge_ + 2) % 3;
    const Vector3d& along = edges_[edge_];
    const Vector3d between = corner - corners_[edge_];
    const double length_sq = along[i1] * along[i1] + along[i2] * along[i2];
    const double at = (between[i1] * along[i1] + between[i2] * along[i2]) / length_sq;
    return corners_[edge_] + std::clamp(at, 0.0, 1.0) * along;
  }

  [[nodiscard]] Vector3d nearest_of_triangle(const Vector3d& point) const {
    const std::array<double, 3> weights =
        nearest_on_triangle(corners_[0] - point, corners_[1] - point, corners_[2] - point);
    return weights[0] * corners_[0] + weights[1] * corners_[1] + weights[2] * corners_[2];
  }

  Vector3d half_;
  std::array<Vector3d, 3> corners_;  // frame of the box
  std::array<Vector3d, 3> edges_;    // edges_[k] runs from corners_[k] to the next
  double coordinates_ = 0.0;
  double rounding_ = 0.0;
  double lever_ = 0.0;
  double gap_ = -std::numeric_limits<double>::infinity();
  double highest_ = -std::numeric_limits<double>::infinity();
  double skipped_ = 0.0;  // what the axes that were not looked at may add
  bool is_sound_ = false;
  Vector3d normal_ = Vector3d::UnitX();
  Kind kind_ = Kind::box_face;
  Eigen::Index box_edge_ = 0;
  std::size_t edge_ = 0;
};

}  // namespace

std::optional<Separation> separate_closed(const Box& a, double margin_a, const Triangle& b, double margin_b,
                                          const Pose& a_from_b, double max_distance) {
  const BoxTriangle pair(a.half_extents(), b, a_from_b);
  const double rounding = pair.rounding() + kClosedRounding * (margin_a + margin_b);
  if (pair.is_apart()) {
    const double least = pair.gap() - rounding;
    if (!(least - (margin_a + margin_b) > max_distance)) return std::nullopt;
    const Vector3d on_box = pair.support_of_box();
    const Vector3d& on_triangle = pair.support_of_triangle();
    Separation far = grown(least, pair.normal(), on_box, on_triangle, margin_a, margin_b, pair.coordinates(),
                           (on_triangle - on_box).norm() - least);
    far.status = SolveStatus::beyond_limit;
    return far;
  }
  if (!pair.is_sound() || !(pair.doubt() <= kMostDoubt * rounding)) return std::nullopt;
  const BoxTriangle::Witness witness = pair.witness();
  if (!(witness.residual <= kMostDoubt * rounding)) return std::nullopt;
  return grown(pair.gap(), pair.normal(), witness.on_box, witness.on_triangle, margin_a, margin_b, pair.coordinates(),
               rounding + std::max(pair.doubt(), witness.residual));
}

ClosedAnswer closed_collides(const Box& a, double margin_a, const Triangle& b, double margin_b, const Pose& a_from_b,
                             double max_distance) {
  const BoxTriangle pair(a.half_extents(), b, a_from_b);
  if (pair.is_apart()) {
    return pair.gap() > max_distance + (margin_a + margin_b) ? ClosedAnswer::apart : ClosedAnswer::undecided;
  }
  return pair.is_sound() && pair.gap() + pair.doubt() <= 0.0 ? ClosedAnswer::colliding : ClosedAnswer::undecided;
}

}  // namespace abut::detail
