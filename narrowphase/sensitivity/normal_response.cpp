#include <abut/narrowphase/sensitivity/normal_response.h>

#include <abut/narrowphase/smooth/tangent_frame.h>

#include <cmath>

namespace abut::detail {

NormalResponse::NormalResponse(const Vector3d& normal, double gap, const SupportFace& a, const SupportFace& b,
                               bool b_decides, double smallest, double parallel)
    : is_b_first_(b_decides) {
  const auto accept = [&](const SupportFace& face) {
    for (int i = 0; i < face.free_count; ++i) {
      const Vector3d& along = face.along[static_cast<std::size_t>(i)];
      const double tilt = along.dot(normal);
      const Vector3d direction = (along - tilt * normal).normalized();
      if (count_ == 2 || (count_ == 1 && directions_[0].cross(direction).norm() <= parallel)) {
        is_independent_ = false;
        continue;
      }
      tilts_[static_cast<std::size_t>(count_)] = tilt;
      directions_[static_cast<std::size_t>(count_++)] = direction;
    }
  };
  accept(b_decides ? b : a);
  of_first_ = count_;
  accept(b_decides ? a : b);

  const auto j_times = [&](const Vector3d& v) -> Vector3d { return a.bend(v) + b.bend(v) + gap * v; };
  if (count_ == 2) {
    // The dual basis: the normal is determined by the free directions alone.
    const Vector3d& s = directions_[0];
    const Vector3d& t = directions_[1];
    const double inverse_sine = 1.0 / s.cross(t).dot(normal);
    tangents_ = {s, normal.cross(s)};
    const std::array<Vector3d, 2> dual = {t.cross(normal) * inverse_sine, tangents_[1] * inverse_sine};
    for (std::size_t i = 0; i < 2; ++i) {
      const Vector3d stiff = j_times(dual[i]);
      to_turn_[i].normal = dual[i];
      to_turn_[i].slide = {-dual[0].dot(stiff), -dual[1].dot(stiff)};
      to_offset_[i].slide = {dual[0].dot(tangents_[i]), dual[1].dot(tangents_[i])};
    }
    return;
  }
  if (count_ == 1) {
    const Vector3d& s = directions_[0];
    const Vector3d t = normal.cross(s);
    tangents_ = {s, t};
    const Vector3d j_t = j_times(t);
    const double tt = t.dot(j_t);
    const double st = s.dot(j_t);
    is_isolated_ = tt > smallest;
    const double inverse = is_isolated_ ? 1.0 / tt : 0.0;
    to_offset_[0].slide.x() = 1.0;
    to_offset_[1].normal = inverse * t;
    to_offset_[1].slide.x() = -inverse * st;
    to_turn_[0].normal = s - (inverse * st) * t;
    to_turn_[0].slide.x() = -s.dot(j_times(s)) + inverse * st * st;
    return;
  }
  const TangentFrame frame = tangent_frame(normal);
  tangents_ = {frame.u, frame.v};
  const Vector3d j_u = j_times(frame.u);
  const double uu = frame.u.dot(j_u);
  const double uv = frame.v.dot(j_u);
  const double vv = frame.v.dot(j_times(frame.v));
  const double half = 0.5 * (uu - vv);
  const double spread = std::sqrt(half * half + uv * uv);
  // Along its own axes: the lesser eigenvalue, that of the axis of a rim whose curvature is 1e12 times as large, would
  // else be rounding.
  Vector3d stiff = frame.u;
  if (spread > 0.0) {
    const Vector3d axis =
        half >= 0.0 ? (half + spread) * frame.u + uv * frame.v : uv * frame.u + (spread - half) * frame.v;
    stiff = axis.normalized();
  }
  const Vector3d soft = normal.cross(stiff);
  const double larger = stiff.dot(j_times(stiff));
  const double lesser = soft.dot(j_times(soft));
  is_isolated_ = lesser > smallest;
  const double inverse_larger = larger > smallest ? 1.0 / larger : 0.0;
  const double inverse_lesser = is_isolated_ ? 1.0 / lesser : 0.0;
  for (std::size_t k = 0; k < 2; ++k) {
    to_offset_[k].normal =
        inverse_larger * stiff.dot(tangents_[k]) * stiff + inverse_lesser * soft.dot(tangents_[k]) * soft;
  }
}

}  // namespace abut::detail
