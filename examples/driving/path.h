// A path for a car: pieces whose curvature changes evenly along them (clothoids, arcs and straight lines).
#pragma once

#include <abut/narrowphase/planar/planar_pose.h>

#include <vector>

namespace abut::driving {

using planar::Pose;
using planar::Vector2d;

/// Curvatures in 1/metre, to the left where positive; an arc has two equal ones, a straight line zeros.
struct Clothoid {
  double length = 0.0;  ///< Metres, > 0.
  double curvature_first = 0.0;
  double curvature_last = 0.0;
};

/// The rear axle's middle drives along it, heading where it leads.
class Path {
 public:
  /// @param pieces  At least one; each goes on where the last one ended.
  Path(const Pose& start, std::vector<Clothoid> pieces);

  [[nodiscard]] double length() const { return length_; }
  /// 1/metre, without sign.
  [[nodiscard]] double largest_curvature() const;
  /// @param s  Metres along the path, from 0 to length(); beyond, the nearer end.
  [[nodiscard]] Pose at(double s) const;
  /// From start to end. @param step  Metres, > 0; the poses are evenly spaced and no farther apart.
  [[nodiscard]] std::vector<Pose> poses(double step) const;
  /// The place along the path of pose i of n.
  [[nodiscard]] double place(std::size_t i, std::size_t n) const;

 private:
  struct Piece {
    Clothoid shape;
    double first;  // metres along the path
    Vector2d start;
    double heading;
  };

  std::vector<Piece> pieces_;
  double length_ = 0.0;
};

/// Four pieces that lead to a line beside the one before, and that change nothing else.
/// @param sideways  Metres to the left. @param length  Metres along the path.
[[nodiscard]] std::vector<Clothoid> lane_change(double sideways, double length);

/// Through the street: out of the lane around what stands in it, and back. @param shift  Of all of it to the left,
/// metres.
[[nodiscard]] Path street_path(double shift);

}  // namespace abut::driving
