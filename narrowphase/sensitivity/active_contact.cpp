#include <abut/narrowphase/sensitivity/active_contact.h>

#include <abut/narrowphase/sensitivity/rival_normals.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace abut::detail {
namespace {

// Newton steps from the solver's answer to the exact optimum; they converge quadratically.
constexpr int kMaxSteps = 8;
constexpr double kSettled = 3e-9;   // radians
constexpr double kRounded = 1e-12;  // of the sizes: what steps to rounding leave of a distance
constexpr double kCoordinate = 32.0 * std::numeric_limits<double>::epsilon();  // of coordinates in the world
constexpr double kLargestStep = 0.1;  // radians; from farther away the steps lead anywhere
// Ends of a feature are known to a few times the accuracy of the solver's points; a slope, where curvature is small,
// far less well, but then the point decides.
constexpr double kAccuracyFactor = 4.0;
constexpr double kLargestPlace = 1e-3;  // of the sizes: an error of the distance alone may be far larger
constexpr double kSlopePerPlace = 100.0;
constexpr double kLargestSlope = 1e-2;

// Nearest points are unique unless both cores are level along one direction.
bool is_unique(const SupportFace& a, const SupportFace& b) {
  if (a.level_count == 0 || b.level_count == 0) return true;
  if (a.level_count + b.level_count > 2) return false;
  return a.along[0].cross(b.along[0]).norm() > kSmoothMargin;
}

}  // namespace

ActiveContact::ActiveContact(const Part& a, const Pose& world_from_a, const Part& b, const Pose& world_from_b,
                             const Separation& separation, Accuracy accuracy)
    : a_{a, world_from_a, 0.0, 0.0, {}, {}},
      b_{b, world_from_b, 0.0, 0.0, {}, {}},
      normal_(separation.normal),
      is_converged_(separation.status == SolveStatus::converged) {
  measure(a_);
  measure(b_);
  a_.point = separation.point_a - a_.radius * normal_;
  b_.point = separation.point_b + b_.radius * normal_;
  const double radii = a_.radius + b_.radius;
  size_ = a_.extent + b_.extent + radii + std::abs(separation.distance + radii);

  // A gap of e between surfaces of curvature radius R leaves √(2 e R) to the points.
  tolerance_.point = std::clamp(kAccuracyFactor * std::sqrt(2.0 * size_ * separation.distance_error),
                                kSmoothMargin * size_, kLargestPlace * size_);
  tolerance_.slope = std::min(kLargestSlope, kSlopePerPlace * tolerance_.point / size_);
  tolerance_.level = kSmoothMargin;
  find_faces();
  approach_optimum(separation, accuracy);
}

void ActiveContact::measure(Body& body) {
  if (body.part.is_half_space()) {
    body.radius = body.part.margin();
    return;
  }
  const ConvexCore core = body.part.core();
  body.radius = core.radius();
  body.extent = core.extent();
}

void ActiveContact::find_faces() {
  a_.face = find_support_face(a_.part, a_.world_from_part, normal_, a_.point, tolerance_);
  b_.face = find_support_face(b_.part, b_.world_from_part, -normal_, b_.point, tolerance_);
  gap_ = normal_.dot(b_.face.point - a_.face.point);
  response_ =
      NormalResponse(normal_, gap_, a_.face, b_.face, b_.part.is_half_space(), kSmoothMargin * size_, kSmoothMargin);
}

// The steps hold for the features that the points seemed to lie on, and these may be others'.
bool ActiveContact::is_answer(const Separation& separation, double accuracy) const {
  const double coordinates = a_.world_from_part.translation().lpNorm<Eigen::Infinity>() +
                             b_.world_from_part.translation().lpNorm<Eigen::Infinity>();
  const double rounding = accuracy * size_ + kCoordinate * coordinates;
  if (std::abs(distance() - separation.distance) > separation.distance_error + rounding) return false;
  // Where an answer that has not converged lets points lie far from their features, steps may end beside each other.
  const Vector3d apart = b_.face.point - a_.face.point;
  if ((apart - gap_ * normal_).norm() > kSmoothMargin * size_ + kCoordinate * coordinates) return false;
  const auto is_support = [&](const Body& body, const Vector3d& outward) {
    if (body.part.is_half_space()) return true;  // of one plane only
    const Vector3d top = body.world_from_part * body.part.core().support(body.world_from_part.unrotate(outward));
    return outward.dot(top - body.face.point) <= rounding;
  };
  return is_support(a_, normal_) && is_support(b_, -normal_);
}

double ActiveContact::gap_along(const Vector3d& normal) const {
  const auto highest = [](const Body& body, const Vector3d& outward) {
    if (body.part.is_half_space()) return body.face.point;
    return body.world_from_part * body.part.core().support(body.world_from_part.unrotate(outward));
  };
  return normal.dot(highest(b_, -normal) - highest(a_, normal));
}

void ActiveContact::approach_optimum(const Separation& separation, Accuracy accuracy) {
  const Vector3d first_normal = normal_;
  const Vector3d first_point_a = a_.point;
  const Vector3d first_point_b = b_.point;
  double last_size = kLargestStep;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Vector3d apart = b_.face.point - a_.face.point;
    Vector3d turn = Vector3d::Zero();
    Eigen::Vector2d slides = Eigen::Vector2d::Zero();
    const auto answer = [&](double input, const ContactAnswer& to) {
      turn += input * to.normal;
      slides += input * to.slide;
    };
    for (int k = 0; k < 2; ++k) answer(response_.tangent(k).dot(apart), response_.to_offset(k));
    for (int i = 0; i < response_.count(); ++i) answer(-response_.tilt(i), response_.to_turn(i));
    // On a surface that is nearly flat, a small turn moves the point far.
    const Vector3d move_a = a_.face.bend(turn);
    const Vector3d move_b = b_.face.bend(turn);
    const double size = turn.norm() + (move_a.norm() + move_b.norm() + slides.lpNorm<1>()) / size_;
    is_settled_ = size <= kSettled;
    if (is_settled_ && accuracy == Accuracy::settled) break;
    if (!(size < last_size)) break;
    last_size = size;

    a_.point = a_.face.point + move_a;
    b_.point = b_.face.point - move_b;
    for (int i = 0; i < response_.count(); ++i) {
      const Vector3d slide = slides[i] * response_.direction(i);
      if (response_.is_of_a(i)) {
        a_.point += slide;
      } else {
        b_.point -= slide;
      }
    }
    normal_ = (normal_ + turn).normalized();
    find_faces();
  }
  is_settled_ = is_settled_ && is_answer(separation, accuracy == Accuracy::settled ? 4.0 * kSettled : kRounded);
  if (is_settled_ && accuracy == Accuracy::rounding) {
    // Where features are parallel but for rounding, steps may lead to a normal along which less separates.
    const double coordinates = a_.world_from_part.translation().lpNorm<Eigen::Infinity>() +
                               b_.world_from_part.translation().lpNorm<Eigen::Infinity>();
    const double rounding = kCoordinate * (size_ + coordinates);
    is_settled_ = gap_along(normal_) >= gap_along(first_normal) - rounding;
  }
  if (is_settled_) return;
  // What the solver found is still the better answer.
  normal_ = first_normal;
  a_.point = first_point_a;
  b_.point = first_point_b;
  find_faces();
}

// What one input does to the normal and to the points on the surfaces.
struct ActiveContact::Effect {
  Vector3d normal;
  Vector3d point_a;
  Vector3d point_b;
};

ActiveContact::Effect ActiveContact::effect_of(const ContactAnswer& answer) const {
  Effect effect{answer.normal, a_.radius * answer.normal + a_.face.bend(answer.normal),
                -b_.radius * answer.normal - b_.face.bend(answer.normal)};
  for (int i = 0; i < response_.count(); ++i) {
    const Vector3d slide = answer.slide[i] * response_.direction(i);
    if (response_.is_of_a(i)) {
      effect.point_a += slide;
    } else {
      effect.point_b -= slide;
    }
  }
  return effect;
}

namespace {

// matrix = p xᵀ + q yᵀ, of columns 3 … 5 or 0 … 2.
void write_outer(const Vector3d& p, const Vector3d& x, const Vector3d& q, const Vector3d& y,
                 double* __restrict columns) {
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) columns[3 * c + r] = p[r] * x[c] + q[r] * y[c];
  }
}
void add_outer(const Vector3d& p, const Vector3d& x, double* __restrict columns) {
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) columns[3 * c + r] += p[r] * x[c];
  }
}

}  // namespace

// By the pose of one body. @param side  1 for b, -1 for a: how its points enter p_B - p_A.
void ActiveContact::write_by_pose(const std::array<Effect, 4>& effects, const Vector3d& origin, double side,
                                  PoseDerivatives& result) const {
  const bool is_b = side > 0.0;
  const SupportFace& moved = is_b ? b_.face : a_.face;
  const Vector3d arm = moved.point - origin;
  const Vector3d outward = -side * normal_;
  const Vector3d lever = arm.cross(normal_);
  for (int i = 0; i < 3; ++i) {
    result.distance[i] = side * normal_[i];
    result.distance[3 + i] = side * lever[i];
  }

  // The offset along tangent v by (τ, ω) is v·(τ + ω × arm - H (ω × m)).
  const Vector3d place_u = side * response_.tangent(0);
  const Vector3d place_v = side * response_.tangent(1);
  Vector3d turn_u = arm.cross(place_u);
  Vector3d turn_v = arm.cross(place_v);
  if (moved.is_curved) {
    turn_u += (moved.hessian * place_u).cross(outward);
    turn_v += (moved.hessian * place_v).cross(outward);
  }
  const auto write_all = [&](Vector3d Effect::*of, double* columns) {
    write_outer(effects[0].*of, place_u, effects[1].*of, place_v, columns);
    write_outer(effects[0].*of, turn_u, effects[1].*of, turn_v, columns + 9);
  };
  write_all(&Effect::normal, result.normal.data());
  write_all(&Effect::point_a, result.point_a.data());
  write_all(&Effect::point_b, result.point_b.data());
  for (int j = 0; j < response_.count(); ++j) {
    if (response_.is_of_a(j) == is_b) continue;
    const Vector3d turn = normal_.cross(response_.direction(j));
    const Effect& effect = effects[static_cast<std::size_t>(2 + j)];
    add_outer(effect.normal, turn, result.normal.data() + 9);
    add_outer(effect.point_a, turn, result.point_a.data() + 9);
    add_outer(effect.point_b, turn, result.point_b.data() + 9);
  }

  // The moved body takes its point with it: τ + ω × arm - H (ω × m).
  Eigen::Matrix<double, 3, 6>& own = is_b ? result.point_b : result.point_a;
  for (int i = 0; i < 3; ++i) own(i, i) += 1.0;
  own(0, 4) += arm.z();
  own(0, 5) -= arm.y();
  own(1, 3) -= arm.z();
  own(1, 5) += arm.x();
  own(2, 3) += arm.y();
  own(2, 4) -= arm.x();
  if (moved.is_curved) {
    for (int i = 0; i < 3; ++i) own.block<1, 3>(i, 3) += moved.hessian.col(i).cross(outward).transpose();
  }
}

void ActiveContact::write_derivatives(const Vector3d& origin_a, const Vector3d& origin_b,
                                      SeparationDerivatives& result) const {
  std::array<Effect, 4> effects;
  for (int k = 0; k < 2; ++k) effects[static_cast<std::size_t>(k)] = effect_of(response_.to_offset(k));
  for (int j = 0; j < response_.count(); ++j) {
    effects[static_cast<std::size_t>(2 + j)] = effect_of(response_.to_turn(j));
  }
  write_by_pose(effects, origin_a, -1.0, result.by_a);
  write_by_pose(effects, origin_b, 1.0, result.by_b);

  const double margin = kSmoothMargin * size_;
  const double least_turn = std::min(a_.face.turn, b_.face.turn);
  const bool has_half_space = a_.part.is_half_space() || b_.part.is_half_space();
  const bool is_optimal = is_converged_ && is_settled_ && response_.is_isolated() && least_turn > -tolerance_.slope;
  const bool is_overlapping = !has_half_space && gap_ <= margin;
  const bool is_only_one =
      is_optimal && !(is_overlapping && has_rival_normal(a_.part, a_.world_from_part, b_.part, b_.world_from_part,
                                                         normal_, gap_, margin));
  result.is_distance_smooth = is_only_one && is_unique(a_.face, b_.face);
  // A motion of the margin turns the normal and slides the points, where features nearly touch by far more than itself.
  double turn_sq = 0.0;
  double slide_sq = 0.0;
  for (int k = 0; k < 2; ++k) {
    turn_sq += margin * margin * response_.to_offset(k).normal.squaredNorm();
    slide_sq += margin * margin * response_.to_offset(k).slide.squaredNorm();
  }
  for (int i = 0; i < response_.count(); ++i) {
    turn_sq += kSmoothMargin * kSmoothMargin * response_.to_turn(i).normal.squaredNorm();
    slide_sq += kSmoothMargin * kSmoothMargin * response_.to_turn(i).slide.squaredNorm();
  }
  result.are_points_smooth = result.is_distance_smooth && response_.is_independent() &&
                             least_turn > kSmoothMargin + std::sqrt(turn_sq) &&
                             std::min(a_.face.room, b_.face.room) > margin + std::sqrt(slide_sq);
  result.is_normal_smooth = result.are_points_smooth || has_half_space;
}

}  // namespace abut::detail
