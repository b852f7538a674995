#include <abut/narrowphase/depth_descent.h>
#include <abut/narrowphase/epa.h>
#include <abut/narrowphase/nearest_points.h>
#include <abut/narrowphase/polytope.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace abut::detail {
namespace {

// A Minkowski difference thinner than this fraction of its size is flat: its thickness is rounding.
constexpr double kFlat = 1e-14;
// One narrower than this is a segment: faces along it would have no usable normals (polytope.cpp), and those at its
// ends alone would be left.
constexpr double kNarrow = 1e-12;
// The points of GJK's simplex serve as a start when they are this far from degenerate; else better ones are sought.
constexpr double kGoodStart = 1e-3;

Vector3d unit_perpendicular(const Vector3d& unit) {
  int smallest = 0;
  unit.cwiseAbs().minCoeff(&smallest);
  return unit.cross(Vector3d::Unit(smallest)).normalized();
}

// Also where the square of the length overflows or vanishes.
Vector3d direction_of(const Vector3d& v) {
  const double length_sq = v.squaredNorm();
  return length_sq > 1e-280 && length_sq < 1e280 ? v.normalized() : v.stableNormalized();
}

// Builds a tetrahedron with volume out of given points of D and further support points, or finds that D is flat.
class StartTetrahedron {
 public:
  StartTetrahedron(const AnyDifference& difference, std::span<const DifferencePoint> points) : difference_(difference) {
    for (const DifferencePoint& point : points) offer(point);
    size_ = std::max(difference.extent(), std::numeric_limits<double>::min());
    complete();
  }

  [[nodiscard]] bool is_flat() const { return flat_; }
  /// Of a flat D: unit, perpendicular to all of it.
  [[nodiscard]] const Vector3d& flat_normal() const { return normal_; }
  /// Unit, along the longest edge; of a D that is a point any vector.
  [[nodiscard]] const Vector3d& axis() const { return axis_; }
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
    axis_ = (corners_[1].difference - origin) / height;
    const Vector3d& axis = axis_;

    const auto from_line = [&](const Vector3d& p) { return axis.cross(p - origin).norm(); };
    height = best_candidate(from_line, corners_[2]);
    if (height < kGoodStart * size_) {
      const Vector3d u = unit_perpendicular(axis);
      const Vector3d v = axis.cross(u);
      for (const Vector3d& direction : {u, v, Vector3d(-u), Vector3d(-v)}) offer(difference_.support(direction));
      height = best_candidate(from_line, corners_[2]);
      if (height <= kNarrow * size_) {  // a segment
        normal_ = u;
        flat_ = true;
        return;
      }
    }
    normal_ = direction_of(axis.cross(corners_[2].difference - origin));

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
  Vector3d axis_ = Vector3d::UnitZ();
  Vector3d normal_ = Vector3d::UnitX();
  double size_ = 0.0;
  bool flat_ = false;
};

// D is flat, and its plane goes through (nearly) the origin: that plane's normal separates, the depth is rounding. Of a
// needle the plane may be made of rounding; other normals across its axis are then as good or better.
EpaResult flat_result(const AnyDifference& difference, const Simplex<DifferencePoint>& simplex,
                      const StartTetrahedron& start) {
  EpaResult result;
  result.distance_error = std::numeric_limits<double>::infinity();
  const Vector3d across = unit_perpendicular(start.axis());
  for (const Vector3d& normal : {start.flat_normal(), across, Vector3d(start.axis().cross(across))}) {
    const double along = difference.support(normal).difference.dot(normal);
    const double against = -difference.support(-normal).difference.dot(normal);
    const double thickness = std::abs(along + against);
    if (!(thickness < result.distance_error)) continue;
    result.normal = along <= against ? normal : Vector3d(-normal);
    result.distance = -std::min(along, against);
    result.distance_error = thickness;
  }
  const NearestPoints nearest = nearest_points(simplex);
  result.point_a = nearest.point_a;
  result.point_b = nearest.point_b;
  result.converged = true;
  return result;
}

// The witness points of a face: of the piece of its facet that the origin projects into.
DepthMinimum minimum_at(const Polytope& polytope, const Polytope::NearestPoint& nearest, int index, double depth) {
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

// An answer of which it is known that no direction within some angle t from its normal n has less depth than its d. In
// the others the polytope has to prove it, whose own depth h over the directions is no larger. The directions where h
// is less than d fall into parts, each about the normal of a face that holds the origin's projection, for there alone h
// has minima. Of a part that lies within the angle nothing is left to prove, and that it does is told in two ways:
//   - A disc of radius r about the projection lies in the face, whose offset is o. At an angle s from the face's normal
//     h >= o cos s + r sin s, which is d where tan(s/2) = (d - o) / (r + √(r² - d² + o²)): a circle around the part.
//   - A ring of points of D around n proves that h >= d on the whole cone at the angle t, once they belong to the
//     polytope: then a part about a normal within it does not cross it. A direction on the cone is n cos t + w sin t, w
//     across n, and p proves it where p·w >= (d - n·p cos t) / sin t. That is more than 0, so that p proves an arc of
//     less than half the ring.
class LocalAnswer {
 public:
  explicit LocalAnswer(const EpaResult& answer) : answer_(answer) {}

  [[nodiscard]] double depth() const { return -answer_.distance; }
  [[nodiscard]] const EpaResult& answer() const { return answer_; }

  // Whether a direction lies within the angle.
  [[nodiscard]] bool is_near(const Vector3d& direction) const {
    return (direction - answer_.normal).squaredNorm() <=
           answer_.reach * answer_.reach * (direction + answer_.normal).squaredNorm();
  }

  // False where a few points do not prove it. Begins with four directions and takes one between two whose points leave
  // some out.
  bool find_ring(const AnyDifference& difference) {
    constexpr double kWidest = 0.5;  // tangent of half the angle
    const double x = std::min(answer_.reach, kWidest);
    if (!(x >= kNarrowest)) return false;
    const double scale = 1.0 / (1.0 + x * x);
    cosine_ = (1.0 - x * x) * scale;
    sine_ = 2.0 * x * scale;
    const Vector3d& n = answer_.normal;
    const Vector3d u = unit_perpendicular(n);
    const Vector3d v = n.cross(u);
    struct Proof {
      Eigen::Vector2d way;    // w
      Eigen::Vector2d place;  // p across n
      double needed;          // of p·w
      [[nodiscard]] bool proves(const Eigen::Vector2d& w) const { return place.dot(w) >= needed; }
    };
    std::array<Proof, kMaxPoints> ring;  // counter-clockwise
    const auto sought = [&](const Eigen::Vector2d& way) {
      points_[count_] = difference.support(cosine_ * n + sine_ * (way.x() * u + way.y() * v));
      const Vector3d& p = points_[count_++].difference;
      return Proof{way, {p.dot(u), p.dot(v)}, (depth() - cosine_ * n.dot(p)) / sine_};
    };
    for (std::size_t i = 0; i < 4; ++i) {
      const double sign = i < 2 ? 1.0 : -1.0;
      ring[i] = sought(i % 2 == 0 ? Eigen::Vector2d(sign, 0.0) : Eigen::Vector2d(0.0, sign));
      if (!ring[i].proves(ring[i].way)) return false;
    }
    for (std::size_t i = 0; i < count_;) {
      const Proof& p = ring[i];
      const Proof& q = ring[i + 1 < count_ ? i + 1 : 0];
      const Eigen::Vector2d half = (p.way + q.way).normalized();
      // Both prove the direction that both prove equally well, or the one half way between: then all between them.
      if (meet(p, q) || (p.proves(half) && q.proves(half))) {
        ++i;
        continue;
      }
      if (count_ == kMaxPoints) return false;
      const std::size_t count = count_;
      const Proof middle = sought(half);
      if (!middle.proves(half)) return false;
      std::copy_backward(ring.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                         ring.begin() + static_cast<std::ptrdiff_t>(count),
                         ring.begin() + static_cast<std::ptrdiff_t>(count) + 1);
      ring[i + 1] = middle;
    }
    return true;
  }
  [[nodiscard]] std::span<const DifferencePoint> ring() const { return {points_.data(), count_}; }

  // Of a ring that was sought: whether all of it belongs to the polytope.
  void end_ring(bool is_there) { ring_ = is_there ? Ring::there : Ring::none; }
  [[nodiscard]] bool is_ring_open() const { return ring_ == Ring::open; }
  [[nodiscard]] bool has_ring() const { return ring_ == Ring::there; }

  // Whether the part about the normal of the polytope's nearest face needs no proof.
  [[nodiscard]] bool covers(const Polytope& polytope, int face) const {
    constexpr double kOutside = 1e-9;  // of a side
    const Vector3d normal = polytope.normal(face);
    if (has_ring() && normal.dot(answer_.normal) >= cosine_) return true;
    const double offset = polytope.offset(face);
    if (!(offset > 0.0)) return false;
    const Vector3d foot = offset * normal;
    double radius = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3d& p = polytope.vertex(polytope.corners(face)[i]).difference;
      const Vector3d side = polytope.vertex(polytope.corners(face)[(i + 1) % 3]).difference - p;
      const double length = side.norm();
      const double inside = side.cross(foot - p).dot(normal) / length;
      if (inside < -kOutside * length) return true;  // of the part of a nearer face, which has been covered
      radius = std::min(radius, inside);
    }
    const double rest_sq = radius * radius - (depth() - offset) * (depth() + offset);
    if (has_ring() || !(radius > 0.0 && rest_sq >= 0.0)) return false;
    const double across = (depth() - offset) / (radius + std::sqrt(rest_sq));
    const double from = (answer_.normal - normal).norm() / (answer_.normal + normal).norm();
    return from + across <= answer_.reach * (1.0 - from * across);
  }

 private:
  enum class Ring : std::uint8_t { open, there, none };

  static constexpr std::size_t kMaxPoints = 16;
  static constexpr double kNarrowest = 0.005;

  // Whether two points of the ring prove the direction between theirs that both prove equally well.
  template <class Proof>
  [[nodiscard]] static bool meet(const Proof& p, const Proof& q) {
    const Eigen::Vector2d apart = p.place - q.place;
    const double length_sq = apart.squaredNorm();
    const double along = p.needed - q.needed;
    if (!(along * along < length_sq)) return false;
    const Eigen::Vector2d across(-apart.y(), apart.x());  // outwards where q follows p
    const Eigen::Vector2d w = (along * apart + std::sqrt(length_sq - along * along) * across) / length_sq;
    const auto turn = [](const Eigen::Vector2d& from, const Eigen::Vector2d& to) {
      return from.x() * to.y() - from.y() * to.x();
    };
    return turn(p.way, w) >= 0.0 && turn(w, q.way) >= 0.0 && p.proves(w);
  }

  EpaResult answer_;
  double cosine_ = 1.0;
  double sine_ = 0.0;
  std::array<DifferencePoint, kMaxPoints> points_;
  std::size_t count_ = 0;
  Ring ring_ = Ring::open;
};

// The polytope, and the bounds that it has proven so far.
class Expansion {
 public:
  Expansion(const AnyDifference& difference, const std::array<DifferencePoint, 4>& corners, double tolerance,
            const NearAnswer& near)
      : difference_(difference), polytope_(corners), tolerance_(tolerance), near_(near) {}

  // What is known of the depth beforehand.
  void assume(const EpaResult& local) {
    local_.emplace(local);
    outer_ = local_->depth();
    outer_normal_ = local.normal;
  }
  // Of directions that are as deep, to rounding, this one is the answer: that of the last time, so that contacts of
  // bodies that lie symmetrically in each other do not turn from frame to frame.
  // @param normal  Unit. @param facet  Its corners, where they are known.
  void prefer(const Vector3d& normal, std::span<const DifferencePoint> facet) {
    preferred_ = normal;
    preferred_facet_ = facet;
  }
  // A point of D that may lie outside; one that does not changes nothing.
  void add(const DifferencePoint& point) { polytope_.expand(point); }

  // Ends when the bounds meet, no face is left, or a plane proves a depth of less than this.
  void run(int max_iterations, double least_depth) {
    max_iterations = std::min(max_iterations, kMaxEpaIterations);
    while (!result_.converged && result_.iterations < max_iterations) {
      const int nearest = polytope_.nearest_face();
      if (nearest < 0 && !local_) break;
      inner_ = nearest < 0 ? local_->depth() : polytope_.offset(nearest);
      if (local_ && inner_ >= local_->depth() - tolerance_) {
        take_local();
        return;
      }
      if (local_ && local_->covers(polytope_, nearest)) {
        polytope_.retire(nearest);
        continue;
      }
      if (local_ && local_->is_ring_open() && local_->is_near(polytope_.normal(nearest))) {
        add_ring();
        continue;
      }
      ++result_.iterations;
      const Vector3d normal = polytope_.normal(nearest);
      const DifferencePoint point = difference_.support(normal);
      const double height = normal.dot(point.difference);
      if (height < outer_) {
        outer_ = height;
        outer_normal_ = normal;
        if (outer_ < least_depth) return;
        if (local_ && outer_ < local_->depth() - tolerance_) local_.reset();
      }
      if (near_.exists() && !local_ && result_.iterations >= next_look_) {
        next_look_ = result_.iterations + std::max(kLooksApart, result_.iterations / 2);
        if (look_near(nearest)) return;
      }
      if (height - inner_ <= tolerance_) {
        const Polytope::NearestPoint on_facet = polytope_.nearest_point(nearest, tolerance_);
        minimum_ = settled(difference_, minimum_at(polytope_, on_facet, nearest, height), tolerance_);
        result_.converged = true;
        result_.corners = vertices_at(on_facet.face);
        if (const auto kept = preferred_minimum(minimum_.depth, minimum_.normal)) {
          minimum_ = *kept;
          result_.corners = preferred_corners();
        }
      } else if (!polytope_.expand(point)) {
        // A known vertex cannot lie beyond a face but by rounding on a sliver, and neither can the horizon cross
        // itself. The face is left out; what it bounded is remembered.
        retired_ = std::min(retired_, inner_);
        polytope_.retire(nearest);
      }
    }
  }

  // Least support value met: the depth is at most this.
  [[nodiscard]] double outer() const { return outer_; }

  /// Of a depth below the one asked for.
  [[nodiscard]] EpaResult shallow_result() const {
    EpaResult result = result_;
    result.distance = -outer_;
    result.distance_error = std::max(0.0, outer_ - std::min(inner_, retired_));
    result.normal = outer_normal_;
    result.is_shallow = true;
    return result;
  }

  EpaResult result() {
    if (local_ && !is_known_ && !result_.converged) take_local();
    if (is_known_) return result_;
    if (!result_.converged) minimum_ = descend(difference_, outer_normal_, tolerance_);
    // Behind a face that was left out the surface may be nearer than behind those that were not.
    if (inner_ > retired_) {
      inner_ = retired_;
      result_.converged = minimum_.depth - inner_ <= tolerance_;
    }
    result_.distance = -minimum_.depth;
    result_.distance_error = std::max(0.0, minimum_.depth - inner_);
    result_.normal = minimum_.normal;
    result_.point_a = minimum_.on_a;
    result_.point_b = minimum_.on_b;
    result_.iterations += minimum_.iterations;
    return result_;
  }

 private:
  // Of the size of D: depths that differ by less are one.
  static constexpr double kTied = 1e-12;
  // Iterations between two looks for an answer near the least plane, at first.
  static constexpr int kLooksApart = 2;

  [[nodiscard]] CornerVertices vertices_at(int face) const {
    const auto corner = [&](int i) { return polytope_.vertex(polytope_.corners(face)[static_cast<std::size_t>(i)]); };
    return vertices_of(corner, 3);
  }

  // The preferred direction's answer, where it is as deep as the one that was found.
  [[nodiscard]] std::optional<DepthMinimum> preferred_minimum(double depth, const Vector3d& normal) const {
    constexpr double kOther = 1.0 - 1e-12;
    if (!preferred_ || normal.dot(*preferred_) > kOther) return std::nullopt;
    const double size = difference_.extent();
    const double as_deep = depth + std::min(tolerance_, kTied * size);
    const DifferencePoint point = difference_.support(*preferred_);
    DepthMinimum kept;
    kept.depth = preferred_->dot(point.difference);
    if (!(kept.depth <= as_deep)) return std::nullopt;
    kept.normal = *preferred_;
    kept.on_a = point.on_a;
    kept.on_b = point.on_b();
    kept = settled(difference_, kept, tolerance_);
    const bool is_same = kept.normal.dot(*preferred_) > kOther && kept.depth <= as_deep;
    const Vector3d off = kept.on_a - kept.on_b - kept.depth * kept.normal;
    const bool is_along = off.squaredNorm() <= 8.0 * tolerance_ * size;  // as far as settled() lets it
    return is_same && is_along ? std::optional(kept) : std::nullopt;
  }
  [[nodiscard]] CornerVertices preferred_corners() const {
    if (preferred_facet_.size() != 3) return {};
    return vertices_of([&](int i) { return preferred_facet_[static_cast<std::size_t>(i)]; }, 3);
  }

  // Whether the answer is known.
  bool look_near(int face) {
    const std::optional<EpaResult> known = near_(outer_normal_, vertices_at(face));
    if (!known || !(-known->distance <= outer_ + tolerance_)) return false;
    assume(*known);
    if (known->converged) take_local(known->distance_error);
    return known->converged;
  }
  // Where there is none, or no place for it, the polytope has to close in on the answer. It is known all the same:
  // faces that it has covered are gone.
  void add_ring() {
    bool is_there = local_->find_ring(difference_);
    for (const DifferencePoint& point : local_->ring()) is_there = is_there && polytope_.include(point);
    local_->end_ring(is_there);
  }
  // Behind faces that are left, or were left out, the surface may be nearer than the answer.
  void take_local() { take_local(std::max(0.0, local_->depth() - std::min(inner_, retired_))); }
  void take_local(double error) {
    const int iterations = result_.iterations;
    result_ = local_->answer();
    result_.iterations += iterations;
    result_.distance_error = std::max(result_.distance_error, error);
    result_.converged = error <= tolerance_;
    is_known_ = true;
    if (const auto kept = preferred_minimum(-result_.distance, result_.normal)) {
      result_.distance = -kept->depth;
      result_.normal = kept->normal;
      result_.point_a = kept->on_a;
      result_.point_b = kept->on_b;
      result_.corners = preferred_corners();
    }
  }

  const AnyDifference& difference_;
  Polytope polytope_;
  double tolerance_;
  const NearAnswer& near_;
  int next_look_ = kLooksApart;
  std::optional<LocalAnswer> local_;
  bool is_known_ = false;
  EpaResult result_;
  double inner_ = 0.0;                                        // least plane offset: the depth is at least this
  double retired_ = std::numeric_limits<double>::infinity();  // least offset of a face that was left out
  double outer_ = std::numeric_limits<double>::infinity();
  Vector3d outer_normal_ = Vector3d::UnitX();
  DepthMinimum minimum_;
  std::optional<Vector3d> preferred_;
  std::span<const DifferencePoint> preferred_facet_;
};

// Nothing where a plane separates, no plane was met, or overlap is not proven: of cores that are apart after all, plane
// offsets are no bound.
std::optional<EpaResult> answer(Expansion& expansion, int max_iterations) {
  expansion.run(max_iterations, /*least_depth=*/std::numeric_limits<double>::min());  // any
  if (!(expansion.outer() > 0.0) || expansion.outer() == std::numeric_limits<double>::infinity()) return std::nullopt;
  const EpaResult result = expansion.result();
  if (!(result.distance + result.distance_error < 0.0)) return std::nullopt;
  return result;
}

}  // namespace

EpaResult epa(const AnyDifference& difference, const Simplex<DifferencePoint>& simplex, double tolerance,
              int max_iterations, double least_depth, const NearAnswer& near) {
  std::array<DifferencePoint, 4> points;
  for (std::size_t i = 0; i < static_cast<std::size_t>(simplex.size()); ++i) points[i] = simplex[static_cast<int>(i)];
  const StartTetrahedron start(difference, std::span(points).first(static_cast<std::size_t>(simplex.size())));
  if (start.is_flat()) return flat_result(difference, simplex, start);
  Expansion expansion(difference, start.corners(), tolerance, near);
  expansion.run(max_iterations, least_depth);
  if (expansion.outer() == std::numeric_limits<double>::infinity()) {
    return flat_result(difference, simplex, start);
  }
  if (expansion.outer() < least_depth) return expansion.shallow_result();
  return expansion.result();
}

std::optional<EpaResult> epa_around(const AnyDifference& difference, const Vector3d& normal,
                                    std::span<const DifferencePoint> facet, std::span<const DifferencePoint> around,
                                    double tolerance, int max_iterations, const NearAnswer& near,
                                    const std::optional<EpaResult>& local) {
  // Three directions around the normal.
  const auto ring = [&](double tilt) {
    const Vector3d u = tilt * unit_perpendicular(normal);
    const Vector3d v = normal.cross(u);
    return std::array<DifferencePoint, 3>{difference.support(normal + u),
                                          difference.support(normal - 0.5 * u + std::sqrt(0.75) * v),
                                          difference.support(normal - 0.5 * u - std::sqrt(0.75) * v)};
  };
  if (facet.size() == 3) {
    // Between the facet and the point across from it the polytope lacks its width: points in between spare it half of
    // its steps.
    constexpr double kTilt = 0.3;  // radians, about; measured among 0.1, 0.2, 0.3, 0.5 and 1
    const std::array<DifferencePoint, 4> points = {facet[0], facet[1], facet[2], difference.support(-normal)};
    const StartTetrahedron start(difference, points);
    if (start.is_flat()) return std::nullopt;
    Expansion expansion(difference, start.corners(), tolerance, near);
    expansion.prefer(normal, facet);
    for (const DifferencePoint& point : around) expansion.add(point);
    if (around.size() < 3) {
      for (const DifferencePoint& point : ring(kTilt)) expansion.add(point);
    }
    expansion.add(difference.support(normal));
    return answer(expansion, max_iterations);
  }
  // With the way back a tetrahedron that is narrow where it matters.
  constexpr double kTilt = 0.1;  // radians, about; measured among 0.1, 0.3 and 0.7
  const auto [p, q, r] = ring(kTilt);
  const std::array<DifferencePoint, 4> points = {p, q, r, difference.support(-normal)};
  const StartTetrahedron start(difference, points);
  if (start.is_flat()) return std::nullopt;
  Expansion expansion(difference, start.corners(), tolerance, near);
  expansion.prefer(normal, {});
  if (local) expansion.assume(*local);
  for (const DifferencePoint& point : points) expansion.add(point);
  expansion.add(difference.support(normal));
  return answer(expansion, max_iterations);
}

}  // namespace abut::detail
