// The active set of GJK: up to four points of the Minkowski difference, and the point of their hull nearest the origin.
// Source: the projection step of GJK++, Alg. 4. Regions are decided by the signs of determinants, as in Montanari,
// Petrinic, Barbieri, "Improving the GJK algorithm for faster and more reliable distance queries" (ACM TOG 2017), and
// only those that hold the newest point are looked at, as in Zhang et al., "Barycode-based GJK Algorithm". Points that
// are too close to degenerate for that go to nearest_on_hull(), which compares all faces.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace abut::detail {

using Eigen::Vector3d;

/// The point of a hull of up to four points nearest the origin: which of them carry it, with what convex weights.
struct NearestOnHull {
  Vector3d closest = Vector3d::Zero();  ///< Exactly along the normal when three points carry it.
  std::array<int, 3> index{};
  std::array<double, 3> weight{};
  int size = 0;  ///< 1 to 3; 0 when the origin lies inside the tetrahedron.
};

/// Robust for every input: slivers and repeated points lose accuracy of the order of their thickness at most.
/// @param points  `count` of them, 1 to 4.
[[nodiscard]] NearestOnHull nearest_on_hull(const std::array<const Vector3d*, 4>& points, int count);

/// Weights of the point of a triangle (its own vertices, any frame) nearest the origin.
[[nodiscard]] std::array<double, 3> nearest_on_triangle(const Vector3d& p, const Vector3d& q, const Vector3d& r);

/// @tparam Point  Has a member `difference`: its position.
template <class Point>
class Simplex {
 public:
  /// One point.
  explicit Simplex(const Point& point) : closest_(point.difference), closest_sq_(point.difference.squaredNorm()) {
    points_[0] = point;
  }

  /// 1 to 4; 4 exactly when the origin was found inside the tetrahedron.
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] const Point& operator[](int i) const { return points_[active_[static_cast<std::size_t>(i)]]; }
  /// The point of the hull nearest the origin; zero when that is inside.
  [[nodiscard]] const Vector3d& closest() const { return closest_; }
  /// |closest()|², metres².
  [[nodiscard]] double closest_sq() const { return closest_sq_; }

  enum class Extension : std::uint8_t {
    nearer,    ///< closest() has come nearer; the points that do not carry it are dropped.
    encloses,  ///< The origin lies inside the tetrahedron.
    stuck,     ///< Rounding leaves no point nearer than before; nothing has changed.
  };
  /// Adds a point that lies beyond the plane through closest(), towards the origin.
  /// @param may_enclose  False: the origin is known to be outside; a sliver that seems to enclose it is `stuck`.
  Extension extend(const Point& point, bool may_enclose = true);

  /// Projects once more, robustly: the nearest point and its weights, for the first size() points (at most three).
  [[nodiscard]] NearestOnHull nearest() const;

 private:
  using Slot = std::uint8_t;

  [[nodiscard]] const Vector3d& at(Slot slot) const { return points_[slot].difference; }
  // Slots beyond `size` repeat one within it.
  Extension accept(const Vector3d& closest, int size, Slot s0, Slot s1, Slot s2) {
    const double closest_sq = closest.squaredNorm();
    if (!(closest_sq < closest_sq_)) return Extension::stuck;
    closest_ = closest;
    closest_sq_ = closest_sq;
    active_ = {s0, s1, s2, 0};
    size_ = size;
    free_slot_ = static_cast<Slot>(std::countr_one((1u << s0) | (1u << s1) | (1u << s2)));
    return Extension::nearer;
  }

  Extension enclose(Slot s, bool may_enclose) {
    if (!may_enclose) return Extension::stuck;
    closest_.setZero();
    closest_sq_ = 0.0;
    active_[3] = s;
    size_ = 4;
    return Extension::encloses;
  }

  Extension extend_point(Slot s);
  Extension extend_segment(Slot s);
  Extension extend_triangle(Slot s, bool may_enclose);
  Extension extend_robustly(Slot s, bool may_enclose);

  std::array<Point, 4> points_;
  std::array<Slot, 4> active_ = {0, 0, 0, 0};
  int size_ = 1;
  Slot free_slot_ = 1;
  Vector3d closest_;
  double closest_sq_;
};

// A face thinner than the root of this, as height over length, has determinants that are mostly rounding.
inline constexpr double kSliverSq = 1e-5;
// A tetrahedron of less than this fraction of the volume of its edges has faces whose sides are mostly rounding.
inline constexpr double kFlatSq = 1e-16;

template <class Point>
auto Simplex<Point>::extend(const Point& point, bool may_enclose) -> Extension {
  const Slot s = free_slot_;
  points_[s] = point;
  if (size_ == 3) return extend_triangle(s, may_enclose);
  return size_ == 2 ? extend_segment(s) : extend_point(s);
}

template <class Point>
auto Simplex<Point>::extend_point(Slot s) -> Extension {
  const Slot i = active_[0];
  const Vector3d edge = at(i) - at(s);
  const double along = -at(s).dot(edge);
  const double length_sq = edge.squaredNorm();
  if (!(along > 0.0)) return accept(at(s), 1, s, s, s);
  if (!(along < length_sq)) return Extension::stuck;
  return accept(at(s) + (along / length_sq) * edge, 2, i, s, s);
}

template <class Point>
auto Simplex<Point>::extend_segment(Slot s) -> Extension {
  const Slot i = active_[0];
  const Slot j = active_[1];
  const Vector3d& p = at(s);
  const Vector3d e = at(i) - p;
  const Vector3d f = at(j) - p;
  const Vector3d normal = e.cross(f);
  const double ee = e.squaredNorm();
  const double ff = f.squaredNorm();
  const double ef = e.dot(f);
  const double pe = -p.dot(e);
  const double pf = -p.dot(f);
  const double normal_sq = normal.squaredNorm();
  // Weights of the projection times normal_sq, which is the determinant of Gram's matrix.
  const double at_i = ff * pe - ef * pf;
  const double at_j = ee * pf - ef * pe;
  const double longest_sq = ee > ff ? ee : ff;
  if (!(normal_sq > kSliverSq * longest_sq * longest_sq)) return extend_robustly(s, false);
  if ((at_i > 0.0) & (at_j > 0.0) & (at_i + at_j <= normal_sq)) {
    return accept((normal.dot(p) / normal_sq) * normal, 3, i, j, s);
  }
  if ((pe > 0.0) & (at_j <= 0.0) & (pe < ee)) return accept(p + (pe / ee) * e, 2, i, s, s);
  if ((pf > 0.0) & (at_i <= 0.0) & (pf < ff)) return accept(p + (pf / ff) * f, 2, j, s, s);
  if ((pe <= 0.0) & (pf <= 0.0)) return accept(p, 1, s, s, s);
  return extend_robustly(s, false);
}

template <class Point>
auto Simplex<Point>::extend_triangle(Slot s, bool may_enclose) -> Extension {
  const Slot i = active_[0];
  const Slot j = active_[1];
  const Slot k = active_[2];
  const Vector3d& p = at(s);
  const Vector3d e = at(i) - p;
  const Vector3d f = at(j) - p;
  const Vector3d g = at(k) - p;
  const Vector3d n_ef = e.cross(f);
  const Vector3d n_fg = f.cross(g);
  const Vector3d n_ge = g.cross(e);
  const double volume = n_ef.dot(g);
  const double ee = e.squaredNorm();
  const double ff = f.squaredNorm();
  const double gg = g.squaredNorm();
  if (!(volume * volume > kFlatSq * ee * ff * gg)) return extend_robustly(s, may_enclose);
  // Outside of a face: the origin and the fourth corner on different sides.
  const double height_ef = n_ef.dot(p);
  const double height_fg = n_fg.dot(p);
  const double height_ge = n_ge.dot(p);
  const bool outside_ef = height_ef * volume > 0.0;
  const bool outside_fg = height_fg * volume > 0.0;
  const bool outside_ge = height_ge * volume > 0.0;
  if (!(outside_ef | outside_fg | outside_ge)) {
    return enclose(s, may_enclose);
  }
  const double ef = e.dot(f);
  const double fg = f.dot(g);
  const double ge = g.dot(e);
  const double pe = -p.dot(e);
  const double pf = -p.dot(f);
  const double pg = -p.dot(g);
  // On the face of e and f: the weight of its corner on e, times the determinant; and so on.
  const double ef_e = ff * pe - ef * pf;
  const double ef_f = ee * pf - ef * pe;
  const double fg_f = gg * pf - fg * pg;
  const double fg_g = ff * pg - fg * pf;
  const double ge_g = ee * pg - ge * pe;
  const double ge_e = gg * pe - ge * pg;
  const auto on_face = [this, s, may_enclose](const Vector3d& normal, double height, double u_sq, double v_sq,
                                              double weights, Slot u, Slot v) {
    const double normal_sq = normal.squaredNorm();
    const double longest_sq = u_sq > v_sq ? u_sq : v_sq;
    if (!((normal_sq > kSliverSq * longest_sq * longest_sq) & (weights <= normal_sq)))
      return extend_robustly(s, may_enclose);
    return accept((height / normal_sq) * normal, 3, u, v, s);
  };
  if (outside_ef & (ef_e > 0.0) & (ef_f > 0.0)) return on_face(n_ef, height_ef, ee, ff, ef_e + ef_f, i, j);
  if (outside_fg & (fg_f > 0.0) & (fg_g > 0.0)) return on_face(n_fg, height_fg, ff, gg, fg_f + fg_g, j, k);
  if (outside_ge & (ge_g > 0.0) & (ge_e > 0.0)) return on_face(n_ge, height_ge, gg, ee, ge_g + ge_e, k, i);
  if ((pe > 0.0) & (pe < ee) & (ef_f <= 0.0) & (ge_g <= 0.0)) return accept(p + (pe / ee) * e, 2, i, s, s);
  if ((pf > 0.0) & (pf < ff) & (ef_e <= 0.0) & (fg_g <= 0.0)) return accept(p + (pf / ff) * f, 2, j, s, s);
  if ((pg > 0.0) & (pg < gg) & (fg_f <= 0.0) & (ge_e <= 0.0)) return accept(p + (pg / gg) * g, 2, k, s, s);
  if ((pe <= 0.0) & (pf <= 0.0) & (pg <= 0.0)) return accept(p, 1, s, s, s);
  return extend_robustly(s, may_enclose);
}

template <class Point>
auto Simplex<Point>::extend_robustly(Slot s, bool may_enclose) -> Extension {
  std::array<const Vector3d*, 4> positions{};
  std::array<Slot, 4> slots = active_;
  slots[static_cast<std::size_t>(size_)] = s;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(size_); ++i) positions[i] = &points_[slots[i]].difference;
  const NearestOnHull nearest = nearest_on_hull(positions, size_ + 1);
  if (nearest.size == 0) return enclose(s, may_enclose);
  const auto slot = [&](int i) {
    return slots[static_cast<std::size_t>(nearest.index[static_cast<std::size_t>(i < nearest.size ? i : 0)])];
  };
  return accept(nearest.closest, nearest.size, slot(0), slot(1), slot(2));
}

template <class Point>
NearestOnHull Simplex<Point>::nearest() const {
  std::array<const Vector3d*, 4> positions{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(size_); ++i) positions[i] = &points_[active_[i]].difference;
  return nearest_on_hull(positions, size_);
}

}  // namespace abut::detail
