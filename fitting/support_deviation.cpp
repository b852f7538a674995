#include <abut/fitting/detail/solid.h>
#include <abut/fitting/detail/sphere_maximum.h>
#include <abut/fitting/detail/support_samples.h>
#include <abut/fitting/support_deviation.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

// Over a cell with corners aᵢ every direction is x = Σ λᵢ aᵢ with λᵢ ≥ 0. A support function h is convex and
// homogeneous, so h(x) ≤ Σ λᵢ h(aᵢ); and h(x) ≥ p·x for every point p of its body. Hence for two bodies, with p in the
// second one,
//     h₁(x) - h₂(x) ≤ Σ λᵢ (h₁(aᵢ) - p·aᵢ) ≤ Σ λᵢ maxᵢ (h₁(aᵢ) - p·aᵢ), where 1 ≤ Σ λᵢ ≤ 1 / plane_distance for |x| =
//     1, h₁(x) / h₂(x) ≤ Σ λᵢ h₁(aᵢ) / Σ λᵢ p·aᵢ ≤ maxᵢ h₁(aᵢ) / p·aᵢ where all p·aᵢ > 0.
namespace abut {
namespace {

using detail::SphereCell;
using detail::SphereMaximum;

constexpr int kEvenDirections = 4096;          // for the mean, and as the first guess of the largest deviation
constexpr std::size_t kFaceDirections = 4096;  // the deviation peaks at face normals
constexpr double kRelativeGap = 0.01;          // what the bounds may add to the largest deviation found
constexpr double kSizeGap = 1e-9;              // of the size; smaller deviations are as good as none
constexpr double kScaleGap = 1e-9;             // of a scale
constexpr std::size_t kMostShortfalls = 64;
constexpr double kShortfallCosine = 0.9986;  // of 3 degrees
constexpr int kMaxSplits = 500'000;          // some seconds; usual are a few thousand

struct BodySample {
  double value = 0.0;  // support value
  Vector3d point;      // a point of the body that attains it
};

struct PairSample {
  Vector3d direction;
  BodySample shape, hull;
};

struct Bodies {
  const SmoothHull& smooth;
  const ConvexHull& hull;
  Vector3d center;

  PairSample at(const Vector3d& direction) const {
    const Vector3d smooth_point = smooth.core_support(direction);
    const Vector3d hull_point = hull.core_support(direction) - center;
    return {direction, {smooth_point.dot(direction), smooth_point}, {hull_point.dot(direction), hull_point}};
  }
};

using Cell = SphereCell<PairSample>;
using Body = BodySample PairSample::*;

// Points of one body that may prove a bound over the cell: those of the corners and their mean, which lies in the
// middle of the face where the corners see its vertices.
std::array<Vector3d, 4> points_of(const Cell& cell, Body body) {
  const auto& s = cell.samples;
  const Vector3d &a = (s[0].*body).point, &b = (s[1].*body).point, &c = (s[2].*body).point;
  return {(a + b + c) / 3.0, a, b, c};
}

double difference_bound(const Cell& cell, Body larger, Body smaller) {
  double best = std::numeric_limits<double>::infinity();
  for (const Vector3d& point : points_of(cell, smaller)) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 3; ++i) {
      largest = std::max(largest, (cell.samples[i].*larger).value - point.dot(cell.corners[i]));
    }
    best = std::min(best, largest);
  }
  return best > 0.0 ? best / detail::plane_distance(cell.corners) : best;
}

double ratio_bound(const Cell& cell, Body larger, Body smaller) {
  double best = std::numeric_limits<double>::infinity();
  for (const Vector3d& point : points_of(cell, smaller)) {
    double largest = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double below = point.dot(cell.corners[i]);
      largest = below > 0.0 ? std::max(largest, (cell.samples[i].*larger).value / below)
                            : std::numeric_limits<double>::infinity();
      if (std::isinf(largest)) break;
    }
    best = std::min(best, largest);
  }
  return best;
}

// Directions in which the hull reaches beyond the smooth hull.
class Shortfalls {
 public:
  void add(const Vector3d& direction, double ratio) {
    if (ratio > 1.0) all_.push_back({ratio, direction});
  }

  std::vector<Vector3d> take() {
    std::stable_sort(all_.begin(), all_.end(), [](const Entry& a, const Entry& b) { return a.ratio > b.ratio; });
    std::vector<Vector3d> apart;
    for (const Entry& entry : all_) {
      if (apart.size() == kMostShortfalls) break;
      const bool is_near = std::any_of(apart.begin(), apart.end(), [&](const Vector3d& direction) {
        return direction.dot(entry.direction) > kShortfallCosine;
      });
      if (!is_near) apart.push_back(entry.direction);
    }
    return apart;
  }

 private:
  struct Entry {
    double ratio;
    Vector3d direction;
  };
  std::vector<Entry> all_;
};

}  // namespace

SupportDeviation support_deviation(const SmoothHull& shape, const ConvexHull& hull, const Vector3d& center) {
  const Bodies bodies{shape, hull, center};
  SupportDeviation result;
  double outside = 0.0;
  double inside = 0.0;
  double squares = 0.0;
  const auto look = [&](const PairSample& sample) {
    const double difference = sample.shape.value - sample.hull.value;
    outside = std::max(outside, difference);
    inside = std::max(inside, -difference);
    return difference;
  };
  for (int i = 0; i < kEvenDirections; ++i) {
    const double difference = look(bodies.at(detail::even_direction(i, kEvenDirections)));
    squares += difference * difference;
  }
  result.rms = std::sqrt(squares / kEvenDirections);
  for (const detail::FaceNormal& face : detail::main_face_normals(hull, kFaceDirections)) look(bodies.at(face.normal));

  const auto sample = [&](const Vector3d& direction) { return bodies.at(direction); };
  const double size = detail::reach_of(hull, center);
  const auto bound_of = [&](Body larger, Body smaller, double found, double other) {
    return detail::sphere_maximum(
        sample, [&](const PairSample& s) { return (s.*larger).value - (s.*smaller).value; },
        [&](const Cell& cell) { return difference_bound(cell, larger, smaller); }, found,
        [&](double best) { return kRelativeGap * std::max(best, other) + kSizeGap * size; }, kMaxSplits);
  };
  const SphereMaximum out = bound_of(&PairSample::shape, &PairSample::hull, outside, inside);
  const SphereMaximum in = bound_of(&PairSample::hull, &PairSample::shape, inside, out.found);
  result.outside = out.bound;
  result.inside = in.bound;
  result.seen = std::max(out.found, in.found);
  return result;
}

CoveringScale covering_scale(const SmoothHull& shape, const ConvexHull& hull, const Vector3d& center,
                             double precision) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // Where the centre lies outside of the hull, the corners' ratios say nothing about those between them.
  if (!(detail::depth_in(hull, center) > 0.0)) return {kInfinity, {}};
  const Bodies bodies{shape, hull, center};
  const auto ratio = [&](const PairSample& sample) {
    return sample.shape.value > 0.0 ? sample.hull.value / sample.shape.value : kInfinity;
  };
  Shortfalls shortfalls;
  const auto sample_at = [&](const Vector3d& direction) {
    PairSample sample = bodies.at(direction);
    shortfalls.add(direction, ratio(sample));
    return sample;
  };
  double found = 0.0;
  for (const detail::FaceNormal& face : detail::main_face_normals(hull, kFaceDirections)) {
    found = std::max(found, ratio(sample_at(face.normal)));
  }
  const SphereMaximum maximum = detail::sphere_maximum(
      sample_at, ratio, [](const Cell& cell) { return ratio_bound(cell, &PairSample::hull, &PairSample::shape); },
      found, [&](double best) { return std::isinf(precision) ? best : precision * std::abs(best - 1.0) + kScaleGap; },
      kMaxSplits);
  return {maximum.bound, shortfalls.take()};
}

double approximate_volume(const SmoothHull& shape) {
  constexpr int kSteps = 50;  // along an edge of each of the eight octants: 2500 triangles each
  double volume = 0.0;
  std::vector<Vector3d> row, next;
  for (const double x : {1.0, -1.0}) {
    for (const double y : {1.0, -1.0}) {
      for (const double z : {1.0, -1.0}) {
        const auto points_of_row = [&](int i, std::vector<Vector3d>& points) {
          points.clear();
          for (int j = 0; i + j <= kSteps; ++j) {
            points.push_back(shape.core_support(Vector3d(x * i, y * j, z * (kSteps - i - j)).normalized()));
          }
        };
        const auto add = [&](const Vector3d& a, const Vector3d& b, const Vector3d& c) {
          volume += x * y * z * a.dot(b.cross(c)) / 6.0;
        };
        points_of_row(0, row);
        for (int i = 0; i < kSteps; ++i) {
          points_of_row(i + 1, next);
          for (std::size_t j = 0; j + 1 < row.size(); ++j) {
            add(row[j], next[j], row[j + 1]);
            if (j + 1 < next.size()) add(next[j], next[j + 1], row[j + 1]);
          }
          std::swap(row, next);
        }
      }
    }
  }
  return volume;
}

}  // namespace abut
