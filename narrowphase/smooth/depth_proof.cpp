#include <abut/narrowphase/polytope.h>
#include <abut/narrowphase/smooth/depth_proof.h>
#include <abut/narrowphase/smooth/eigenvalues.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace abut::detail {
namespace {

constexpr std::size_t kMostPoints = 200;
constexpr std::size_t kMaxMinima = 16;
constexpr std::size_t kMaxSearches = 8;  // the rest is kept for better minima
// A plane whose support value is within this fraction of the depth, and nearly closes its gap, is near another minimum.
constexpr double kNearTie = 0.02;
// tan of its angle, and how often a smaller one is tried.
constexpr double kWidestCap = 0.4;
constexpr int kCapTries = 6;
// Minima are one when their directions differ by less, radians.
constexpr double kSameNormal = 1e-4;
// Cosine of the angle around minima, and around places that led to them, in which no further ones are sought.
constexpr double kSearched = 0.995;

// tan of the angle of a cap around a minimum on which h_D >= its height; 0 where the curvature proves none.
double cap_tangent(const AnySmoothDifference& difference, const DifferenceExpansion& minimum) {
  const double spread = eigenvalue_spread(minimum.uu, minimum.uv, minimum.vv);
  if (!(0.5 * (minimum.uu + minimum.vv) - spread > minimum.height)) return 0.0;
  const TangentFrame& frame = minimum.frame;
  const Pose& a_from_b = difference.a_from_b();
  const TangentFrame frame_b{-a_from_b.unrotate(frame.normal), a_from_b.unrotate(frame.u), a_from_b.unrotate(frame.v)};
  // About where the weights of the norms have changed by a factor; measured among 0.25 to 1.
  const double exponent = std::max(difference.a().norm_exponent(), difference.b().norm_exponent());
  double tangent = std::min(kWidestCap, 0.8 / (exponent - 1.0));
  for (int i = 0; i < kCapTries; ++i, tangent *= 0.5) {
    const Matrix2d bound =
        difference.a().curvature_bound(frame, tangent) + difference.b().curvature_bound(frame_b, tangent);
    if (smallest_eigenvalue(bound) >= minimum.height) return tangent;
  }
  return 0.0;
}

// tan of the angles of rings of directions around the minimum; measured among 0.03 to 0.5 and multiples of the cap's.
constexpr std::array<double, 2> kRings{0.15, 0.03};

class Proof {
 public:
  Proof(const AnySmoothDifference& difference, const DifferenceExpansion& minimum, const TrustRegionOptions& options,
        double tolerance)
      : difference_(difference), options_(options), tolerance_(tolerance) {
    add_minimum(minimum);
  }

  DepthProof run(int max_iterations) {
    const TangentFrame& frame = best().frame;
    // Around the back and towards the sides: with the apex a tetrahedron about the origin.
    const double side = std::sqrt(0.75);
    for (const Vector2d& across : {Vector2d(1.0, 0.0), Vector2d(-0.5, side), Vector2d(-0.5, -side)}) {
      add_point(difference_.support(across.x() * frame.u + across.y() * frame.v - 0.5 * frame.normal).difference);
    }
    // Around the minimum, where the faces have to be small: two rings of points save as many planes twice and three
    // times over.
    for (const double tilt : kRings) {
      for (const Vector2d& across :
           {Vector2d(tilt, 0.0), Vector2d(0.0, tilt), Vector2d(-tilt, 0.0), Vector2d(0.0, -tilt)}) {
        add_point(difference_.support(frame.normal + across.x() * frame.u + across.y() * frame.v).difference);
      }
    }
    while (!expand(max_iterations) && best().height > 0.0) {
    }
    result_.minimum = best();
    result_.lower_bound = best().height <= 0.0 ? best().height : std::min(lower_bound_, best().height);
    return result_;
  }

 private:
  struct Minimum {
    DifferenceExpansion at;
    double cap = 0.0;  // tan of its angle
  };

  static DifferencePoint point_of(const Vector3d& difference) {
    return {difference, difference, kNoVertex, kNoVertex};
  }

  [[nodiscard]] const DifferenceExpansion& best() const { return minima_[best_].at; }

  void add_point(const Vector3d& point) {
    points_[point_count_++] = point;
    ++result_.iterations;
  }

  // @return False for one that is known, or without memory.
  bool add_minimum(const DifferenceExpansion& minimum) {
    if (minimum_count_ == kMaxMinima) return false;
    for (std::size_t i = 0; i < minimum_count_; ++i) {
      const DifferenceExpansion& known = minima_[i].at;
      const bool is_near = (known.frame.normal - minimum.frame.normal).squaredNorm() < kSameNormal * kSameNormal;
      if (is_near && minimum.height >= known.height - tolerance_) return false;
    }
    // A gradient takes up to its own length from what the curvature proves; where the trust region was cut off that is
    // too much for a cap.
    const double gradient = minimum.gradient.norm();
    const bool has_cap = minimum.height > 0.0 && gradient <= options_.gradient;
    minima_[minimum_count_] = {minimum, has_cap ? cap_tangent(difference_, minimum) : 0.0};
    if (minima_[minimum_count_].cap > 0.0) result_.gradient = std::max(result_.gradient, gradient);
    if (minimum.height < best().height) best_ = minimum_count_;
    ++minimum_count_;
    return true;
  }

  // For the present depth. On the cap of a minimum that is less deep h_D is larger still.
  [[nodiscard]] Vector3d apex(const Minimum& minimum) const {
    return best().height * std::sqrt(1.0 + minimum.cap * minimum.cap) * minimum.at.frame.normal;
  }

  [[nodiscard]] bool is_searched(const Vector3d& normal) const {
    for (std::size_t i = 0; i < minimum_count_; ++i) {
      if (minima_[i].at.frame.normal.dot(normal) > kSearched) return true;
    }
    for (std::size_t i = 0; i < search_count_; ++i) {
      if (searches_[i].dot(normal) > kSearched) return true;
    }
    return false;
  }

  // Grows a polytope for the present depth. @return False when a deeper look found a smaller depth: start again.
  bool expand(int max_iterations) {
    const Minimum& first = minima_[best_];
    Polytope polytope({point_of(first.cap > 0.0 ? apex(first) : best().difference), point_of(points_[0]),
                       point_of(points_[1]), point_of(points_[2])});
    for (std::size_t i = 3; i < point_count_; ++i) polytope.expand(point_of(points_[i]));
    for (std::size_t i = 0; i < minimum_count_; ++i) {
      if (i != best_ && minima_[i].cap > 0.0) polytope.expand(point_of(apex(minima_[i])));
    }
    double retired = best().height;
    while (true) {
      const int face = polytope.nearest_face();
      if (face < 0) return true;
      const double offset = polytope.offset(face);
      lower_bound_ = std::min(offset, retired);
      if (offset >= best().height - tolerance_) return true;
      if (planes_ >= max_iterations || point_count_ == points_.size()) return true;
      ++planes_;
      const Vector3d normal = polytope.normal(face);
      const Vector3d point = difference_.support(normal).difference;
      const double height = normal.dot(point);
      add_point(point);
      const bool is_better = height < best().height - tolerance_;
      const bool is_near_tie = search_count_ < kMaxSearches && height < (1.0 + kNearTie) * best().height &&
                               height - offset < kNearTie * best().height && !is_searched(normal);
      if (is_better || is_near_tie) {
        const TrustRegionResult found = minimise_height(difference_, normal, options_);
        result_.iterations += found.iterations;
        const double before = best().height;
        if (is_near_tie) searches_[search_count_++] = normal;
        if (add_minimum(found.at)) {
          if (found.at.height < before - tolerance_) return false;
          const Minimum& tie = minima_[minimum_count_ - 1];
          if (tie.cap > 0.0 && polytope.expand(point_of(apex(tie)))) {
            polytope.expand(point_of(point));  // unless the apex covers it
            continue;
          }
        }
      }
      if (!polytope.expand(point_of(point))) {
        retired = std::min(retired, offset);
        polytope.retire(face);
      }
    }
  }

  const AnySmoothDifference& difference_;
  TrustRegionOptions options_;
  double tolerance_;
  std::array<Vector3d, kMostPoints> points_;
  std::size_t point_count_ = 0;
  std::array<Minimum, kMaxMinima> minima_;
  std::size_t minimum_count_ = 0;
  std::size_t best_ = 0;
  std::array<Vector3d, kMaxSearches> searches_;  // directions near a tie, from which a minimum was sought
  std::size_t search_count_ = 0;
  int planes_ = 0;
  double lower_bound_ = -std::numeric_limits<double>::infinity();
  DepthProof result_;
};

}  // namespace

DepthProof prove_depth(const AnySmoothDifference& difference, const DifferenceExpansion& minimum,
                       const TrustRegionOptions& options, double tolerance, int max_iterations) {
  return Proof(difference, minimum, options, tolerance).run(max_iterations);
}

}  // namespace abut::detail
