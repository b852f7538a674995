#include <abut/narrowphase/depth_descent.h>
#include <abut/narrowphase/epa.h>
#include <abut/narrowphase/nearest_points.h>
#include <abut/narrowphase/polytope.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::detail {
namespace {

// A Minkowski difference thinner than this fraction of its size is flat: its thickness is rounding.
constexpr double kFlat = 1e-14;
// The points of GJK's simplex serve as a start when they are this far from degenerate; else better ones are sought.
constexpr double kGoodStart = 1e-3;

Vector3d any_perpendicular(const Vector3d& unit) {
  int smallest = 0;
  unit.cwiseAbs().minCoeff(&smallest);
  return unit.cross(Vector3d::Unit(smallest)).normalized();
}

// Builds a tetrahedron with volume out of GJK's simplex and further support points, or finds that D is flat.
class StartTetrahedron {
 public:
  StartTetrahedron(const AnyDifference& difference, const Simplex<DifferencePoint>& simplex) : difference_(difference) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(simplex.size()); ++i) offer(simplex[static_cast<int>(i)]);
    size_ = std::max(difference.extent(), std::numeric_limits<double>::min());
    complete();
  }

  [[nodiscard]] bool is_flat() const { return flat_; }
  /// Of a flat D: unit, perpendicular to all of it.
  [[nodiscard]] const Vector3d& flat_normal() const { return normal_; }
  [[nodiscard]] const std::array<DifferencePoint, 4>& corners() const { return corners_; }

 private:
  void offer(const DifferencePoint& point) {
    if (candidate_count_ < candidates_.size()) candidates_[candidate_count_++] = point;
  }

  // The candidate with the largest value of `height`; its height.
  template <class Height>
  double best_candidate(Height height, DifferencePoint& best) const {
    double largest = -1.0;
    for (std::size_t i = 0; i < candidate_count_; ++i) {
      const double h = height(candidates_[i].difference);
      if (h > largest) {
        largest = h;
        best = candidates_[i];
      }
    }
    return largest;
  }

  void complete() {
    if (candidate_count_ == 0) offer(difference_.support(Vector3d::UnitX()));
    corners_[0] = candidates_[0];
    const Vector3d origin = corners_[0].difference;

    const auto length = [&origin](const Vector3d& p) { return (p - origin).norm(); };
    double height = best_candidate(length, corners_[1]);
    if (height < kGoodStart * size_) {
      for (int axis = 0; axis < 3; ++axis) {
        offer(difference_.support(Vector3d::Unit(axis)));
        offer(difference_.support(-Vector3d::Unit(axis)));
      }
      height = best_candidate(length, corners_[1]);
      if (height <= kFlat * size_) {  // a point
        normal_ = Vector3d::UnitX();
        flat_ = true;
        return;
      }
    }
    const Vector3d axis = (corners_[1].difference - origin) / height;

    const auto from_line = [&](const Vector3d& p) { return axis.cross(p - origin).norm(); };
    height = best_candidate(from_line, corners_[2]);
    if (height < kGoodStart * size_) {
      const Vector3d u = any_perpendicular(axis);
      const Vector3d v = axis.cross(u);
      for (const Vector3d& direction : {u, v, Vector3d(-u), Vector3d(-v)}) offer(difference_.support(direction));
      height = best_candidate(from_line, corners_[2]);
      if (height <= kFlat * size_) {  // a segment
        normal_ = u;
        flat_ = true;
        return;
      }
    }
    normal_ = axis.cross(corners_[2].difference - origin).normalized();

    const auto from_plane = [&](const Vector3d& p) { return std::abs(normal_.dot(p - origin)); };
    height = best_candidate(from_plane, corners_[3]);
    if (height < kGoodStart * size_) {
      offer(difference_.support(normal_));
      offer(difference_.support(-normal_));
      height = best_candidate(from_plane, corners_[3]);
      flat_ = height <= kFlat * size_;
    }
  }

  const AnyDifference& difference_;
  std::array<DifferencePoint, 16> candidates_;
  std::size_t candidate_count_ = 0;
  std::array<DifferencePoint, 4> corners_;
  Vector3d normal_ = Vector3d::UnitX();
  double size_ = 0.0;
  bool flat_ = false;
};

// D lies in a plane through (nearly) the origin: that plane's normal separates, the depth is rounding.
EpaResult flat_result(const AnyDifference& difference, const Simplex<DifferencePoint>& simplex,
                      const Vector3d& normal) {
  EpaResult result;
  const double along = difference.support(normal).difference.dot(normal);
  const double against = -difference.support(-normal).difference.dot(normal);
  result.normal = along <= against ? normal : Vector3d(-normal);
  result.distance = -std::min(along, against);
  result.distance_error = std::abs(along + against);
  const NearestPoints nearest = nearest_points(simplex);
  result.point_a = nearest.point_a;
  result.point_b = nearest.point_b;
  result.converged = true;
  return result;
}

// The witness points of a face: of the piece of its facet that the origin projects into.
DepthMinimum minimum_at(const Polytope& polytope, int index, double depth, double tolerance) {
  const Polytope::NearestPoint nearest = polytope.nearest_point(index, tolerance);
  DepthMinimum minimum;
  minimum.depth = depth;
  minimum.normal = polytope.normal(index);
  for (std::size_t i = 0; i < 3; ++i) {
    const DifferencePoint& corner = polytope.vertex(polytope.corners(nearest.face)[i]);
    minimum.on_a += nearest.weight[i] * corner.on_a;
    minimum.on_b += nearest.weight[i] * corner.on_b();
  }
  return minimum;
}

}  // namespace

EpaResult epa(const AnyDifference& difference, const Simplex<DifferencePoint>& simplex, double tolerance,
              int max_iterations) {
  const StartTetrahedron start(difference, simplex);
  if (start.is_flat()) return flat_result(difference, simplex, start.flat_normal());

  Polytope polytope(start.corners());
  EpaResult result;
  double inner = 0.0;                                        // least plane offset: the depth is at least this
  double retired = std::numeric_limits<double>::infinity();  // least offset of a face that was left out
  double outer = std::numeric_limits<double>::infinity();    // least support value met: the depth is at most this
  Vector3d outer_normal = Vector3d::UnitX();
  DepthMinimum minimum;
  max_iterations = std::min(max_iterations, kMaxEpaIterations);
  while (!result.converged && result.iterations < max_iterations) {
    const int nearest = polytope.nearest_face();
    if (nearest < 0) break;
    ++result.iterations;
    inner = polytope.offset(nearest);
    const Vector3d normal = polytope.normal(nearest);
    const DifferencePoint point = difference.support(normal);
    const double height = normal.dot(point.difference);
    if (height < outer) {
      outer = height;
      outer_normal = normal;
    }
    if (height - inner <= tolerance) {
      minimum = settled(difference, minimum_at(polytope, nearest, height, tolerance), tolerance);
      result.converged = true;
    } else if (!polytope.expand(point)) {
      // A known vertex cannot lie beyond a face but by rounding on a sliver, and neither can the horizon cross itself.
      // The face is left out; what it bounded is remembered.
      retired = std::min(retired, inner);
      polytope.retire(nearest);
    }
  }
  if (outer == std::numeric_limits<double>::infinity()) return flat_result(difference, simplex, start.flat_normal());
  if (!result.converged) {
    minimum = descend(difference, outer_normal, tolerance);
    inner = std::min(inner, retired);
  }
  result.distance = -minimum.depth;
  result.distance_error = std::max(0.0, minimum.depth - inner);
  result.normal = minimum.normal;
  result.point_a = minimum.on_a;
  result.point_b = minimum.on_b;
  result.iterations += minimum.iterations;
  return result;
}

}  // namespace abut::detail
