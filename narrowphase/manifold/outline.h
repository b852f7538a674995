// Outline of a face or round end in the contact plane: is a point within it, and which part of a segment is.
#pragma once

#include <abut/narrowphase/manifold/support_feature.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace abut::detail {

/// The part of a segment inside an outline: from parameter `begin` to `end`, 0 … 1; empty when begin > end. Whether and
/// by which side it is cut is decided with the slack; where it is cut, without: the cut lies on the side itself.
struct InnerPart {
  double begin = 0.0;
  double end = 1.0;
  FeatureCode begin_code = 0;  ///< The side that cuts it off there; 0: none.
  FeatureCode end_code = 0;
};

class Outline {
 public:
  /// @param region  A feature; one that is no region has no outline. @param slack  Metres by which it counts as wider.
  Outline(const SupportFeature& region, double slack) : region_(region), slack_(slack) {
    if (region.kind == SupportFeature::Kind::polygon) set_sides();
    if (region.kind == SupportFeature::Kind::disc) set_ellipse();
  }

  [[nodiscard]] bool contains(const Vector3d& point) const {
    if (region_.kind == SupportFeature::Kind::disc) return unit_disc_point(point).squaredNorm() <= grown_radius_sq_;
    // All sides without a branch: at which one a point is out, if at any, cannot be foreseen.
    bool is_out = false;
    bool is_near = false;
    for (std::size_t i = 0; i < side_count_; ++i) {
      const double inside = sides_[i].inside(point);
      is_out |= inside < 0.0;
      is_near |= inside < sides_[i].slack;
    }
    if (is_out || !is_near) return !is_out;
    for (std::size_t i = 0; i < side_count_; ++i) {
      if (sides_[i].inside(point) < sides_[i].slack && !is_beside(i, point)) return false;
    }
    return true;
  }

  [[nodiscard]] InnerPart clip(const Vector3d& p, const Vector3d& q) const {
    return region_.kind == SupportFeature::Kind::disc ? clip_by_ellipse(p, q) : clip_by_sides(p, q);
  }

  /// Of a disc: the square of its radius with the slack, in the frame of unit_disc_point.
  [[nodiscard]] double grown_radius_sq() const { return grown_radius_sq_; }
  /// Of a disc: a point in the frame in which the disc is the unit disc.
  [[nodiscard]] Eigen::Vector2d unit_disc_point(const Vector3d& point) const {
    const double x = point.x() - region_.center.x();
    const double y = point.y() - region_.center.y();
    return {inverse_xx_ * x + inverse_xy_ * y, inverse_yx_ * x + inverse_yy_ * y};
  }

 private:
  struct Line {
    double x;  // normal, inwards
    double y;
    double offset;
    double slack;

    [[nodiscard]] double inside(const Vector3d& point) const { return x * point.x() + y * point.y() + offset; }
  };

  // Whether a point near the line of a side is, but for the slack, between the ends of the side. At the tip of a needle
  // the grown lines of its sides meet far beyond it.
  [[nodiscard]] bool is_beside(std::size_t i, const Vector3d& point) const {
    const Line& line = sides_[i];
    const Vector3d& p = region_.corners[i];
    const double sign = region_.normal.z() < 0.0 ? -1.0 : 1.0;
    const double along = sign * (line.y * (point.x() - p.x()) - line.x * (point.y() - p.y()));  // times the length
    return along >= -line.slack && along <= line.x * line.x + line.y * line.y + line.slack;
  }

  // Lines are not normalised, which saves a root and a division each; the slack is scaled by |x| + |y| of the side,
  // which is its length up to a factor of √2.
  void set_sides() {
    // Corners go counter-clockwise in the contact plane where the face looks along +z.
    const double sign = region_.normal.z() < 0.0 ? -1.0 : 1.0;
    const std::size_t count = region_.corner_count;
    for (std::size_t i = 0; i < count; ++i) {
      const Vector3d& p = region_.corners[i];
      const Vector3d& q = region_.corners[i + 1 < count ? i + 1 : 0];
      Line& line = sides_[i];
      line.x = sign * (p.y() - q.y());
      line.y = sign * (q.x() - p.x());
      line.slack = slack_ * (std::abs(line.x) + std::abs(line.y));
      line.offset = line.slack - line.x * p.x() - line.y * p.y();
    }
    side_count_ = count;
  }

  void set_ellipse() {
    const double radius = region_.axis_x.norm();
    grown_radius_sq_ = (1.0 + slack_ / radius) * (1.0 + slack_ / radius);
    const double xx = region_.axis_x.x();
    const double yx = region_.axis_x.y();
    const double xy = region_.axis_y.x();
    const double yy = region_.axis_y.y();
    const double determinant = xx * yy - xy * yx;  // not 0: the disc is tilted by max_tilt at most
    inverse_xx_ = yy / determinant;
    inverse_xy_ = -xy / determinant;
    inverse_yx_ = -yx / determinant;
    inverse_yy_ = xx / determinant;
  }

  // Cyrus and Beck.
  [[nodiscard]] InnerPart clip_by_sides(const Vector3d& p, const Vector3d& q) const {
    // A bit a side: which of them a point is out of cannot be foreseen, how many are crossed nearly can.
    std::uint32_t p_is_out = 0;
    std::uint32_t q_is_out = 0;
    for (std::size_t i = 0; i < side_count_; ++i) {
      p_is_out |= static_cast<std::uint32_t>(sides_[i].inside(p) < 0.0) << i;
      q_is_out |= static_cast<std::uint32_t>(sides_[i].inside(q) < 0.0) << i;
    }
    if ((p_is_out & q_is_out) != 0) return kNothing;
    const auto cut_at = [&](std::size_t side) {
      const double at_p = sides_[side].inside(p);
      return at_p / (at_p - sides_[side].inside(q));
    };
    InnerPart part;
    std::size_t begin_side = side_count_;
    std::size_t end_side = side_count_;
    for (std::uint32_t rest = p_is_out; rest != 0; rest &= rest - 1) {
      const auto side = static_cast<std::size_t>(std::countr_zero(rest));
      const double cut = cut_at(side);
      if (cut > part.begin) {
        part.begin = cut;
        begin_side = side;
      }
    }
    for (std::uint32_t rest = q_is_out; rest != 0; rest &= rest - 1) {
      const auto side = static_cast<std::size_t>(std::countr_zero(rest));
      const double cut = cut_at(side);
      if (cut < part.end) {
        part.end = cut;
        end_side = side;
      }
    }
    if (part.begin > part.end) return kNothing;
    const InnerPart grown = part;
    const auto exact = [&](const Line& line) {
      const double at_p = line.inside(p);
      return std::clamp((at_p - line.slack) / (at_p - line.inside(q)), grown.begin, grown.end);
    };
    bool begin_is_off = false;
    bool end_is_off = false;
    if (begin_side < side_count_) {
      part.begin = exact(sides_[begin_side]);
      part.begin_code = region_.side_codes[begin_side];
      begin_is_off = !is_beside(begin_side, p + part.begin * (q - p));
    }
    if (end_side < side_count_) {
      part.end = exact(sides_[end_side]);
      part.end_code = region_.side_codes[end_side];
      end_is_off = !is_beside(end_side, p + part.end * (q - p));
    }
    if (begin_is_off || end_is_off) [[unlikely]] {
      // Grown lines are crossed beyond a tip, or beside nearly parallel ones in another order than the sides
      // themselves: without the slack the segment has a part inside, or it passes by.
      const InnerPart strict = clip_strictly(p, q);
      const bool is_met = strict.begin <= strict.end;
      if (!is_met && begin_is_off && end_is_off) return kNothing;
      const InnerPart& known = is_met ? strict : grown;
      if (begin_is_off) {
        part.begin = known.begin;
        part.begin_code = known.begin_code;
      }
      if (end_is_off) {
        part.end = known.end;
        part.end_code = known.end_code;
      }
    }
    return part;
  }

  // The same by the sides themselves. Rarely needed.
  [[nodiscard, gnu::noinline, gnu::cold]] InnerPart clip_strictly(const Vector3d& p, const Vector3d& q) const {
    InnerPart part;
    for (std::size_t i = 0; i < side_count_; ++i) {
      const double at_p = sides_[i].inside(p) - sides_[i].slack;
      const double at_q = sides_[i].inside(q) - sides_[i].slack;
      if (at_p < 0.0 && at_q < 0.0) return kNothing;
      if (!(at_p < 0.0 || at_q < 0.0)) continue;
      const double cut = at_p / (at_p - at_q);
      if (at_p < 0.0 && cut > part.begin) {
        part.begin = cut;
        part.begin_code = region_.side_codes[i];
      }
      if (at_q < 0.0 && cut < part.end) {
        part.end = cut;
        part.end_code = region_.side_codes[i];
      }
    }
    return part;
  }

  [[nodiscard]] InnerPart clip_by_ellipse(const Vector3d& p, const Vector3d& q) const {
    // |start + t along|² = r², r = 1 or with the slack
    const Eigen::Vector2d start = unit_disc_point(p);
    const Eigen::Vector2d along = unit_disc_point(q) - start;
    const double length_sq = along.squaredNorm();
    if (!(length_sq > 0.0)) return kNothing;
    const double middle = -along.dot(start) / length_sq;
    const double nearest_sq = (start + middle * along).squaredNorm();
    if (!(nearest_sq <= grown_radius_sq_)) return kNothing;
    const double reach = std::sqrt((grown_radius_sq_ - nearest_sq) / length_sq);
    const double exact_reach = std::sqrt(std::max(0.0, 1.0 - nearest_sq) / length_sq);
    InnerPart part;
    if (middle + reach < 0.0 || middle - reach > 1.0) return kNothing;
    if (middle - reach > 0.0) {
      part.begin = std::min(1.0, middle - exact_reach);
      part.begin_code = region_.side_codes[0];
    }
    if (middle + reach < 1.0) {
      part.end = std::max(0.0, middle + exact_reach);
      part.end_code = region_.side_codes[0];
    }
    return part;
  }

  static constexpr InnerPart kNothing{1.0, 0.0, 0, 0};
  static_assert(SupportFeature::kMaxCorners <= 32);  // a bit a side

  const SupportFeature& region_;
  const double slack_;
  std::size_t side_count_ = 0;
  std::array<Line, SupportFeature::kMaxCorners> sides_;
  double grown_radius_sq_ = 0.0;
  double inverse_xx_ = 0.0;  // of the matrix whose columns are the disc's axes
  double inverse_xy_ = 0.0;
  double inverse_yx_ = 0.0;
  double inverse_yy_ = 0.0;
};

}  // namespace abut::detail
