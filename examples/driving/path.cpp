#include "path.h"

#include <abut/core/error.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace abut::driving {
namespace {

double heading_after(const Clothoid& piece, double s) {
  const double change = (piece.curvature_last - piece.curvature_first) / piece.length;
  return (piece.curvature_first + 0.5 * change * s) * s;
}

// The integral of the direction, by the rule of Gauss with five points on stretches that hardly turn.
Vector2d place_after(const Clothoid& piece, double heading, double s) {
  constexpr double kStretch = 1.0;  // metres
  constexpr std::array<double, 5> kPoints = {0.0, -0.5384693101056831, 0.5384693101056831, -0.9061798459386640,
                                             0.9061798459386640};
  constexpr std::array<double, 5> kWeights = {0.5688888888888889, 0.4786286704993665, 0.4786286704993665,
                                              0.2369268850561891, 0.2369268850561891};
  const int count = std::max(1, static_cast<int>(std::ceil(s / kStretch)));
  const double half = 0.5 * s / count;
  Vector2d sum = Vector2d::Zero();
  for (int i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < kPoints.size(); ++k) {
      const double angle = heading + heading_after(piece, half * (2.0 * i + 1.0 + kPoints[k]));
      sum += half * kWeights[k] * Vector2d(std::cos(angle), std::sin(angle));
    }
  }
  return sum;
}

}  // namespace

Path::Path(const Pose& start, std::vector<Clothoid> pieces) {
  if (pieces.empty()) throw InvalidInput("pieces", "must not be empty");
  Vector2d place = start.translation;
  double heading = start.angle();
  for (const Clothoid& piece : pieces) {
    require_positive("length", piece.length);
    require_finite("curvature_first", piece.curvature_first);
    require_finite("curvature_last", piece.curvature_last);
    pieces_.push_back({piece, length_, place, heading});
    place += place_after(piece, heading, piece.length);
    heading += heading_after(piece, piece.length);
    length_ += piece.length;
  }
}

double Path::largest_curvature() const {
  double largest = 0.0;
  for (const Piece& piece : pieces_) {
    largest = std::max({largest, std::abs(piece.shape.curvature_first), std::abs(piece.shape.curvature_last)});
  }
  return largest;
}

Pose Path::at(double s) const {
  s = std::clamp(s, 0.0, length_);
  const auto next = std::upper_bound(pieces_.begin() + 1, pieces_.end(), s,
                                     [](double value, const Piece& piece) { return value < piece.first; });
  const Piece& piece = *(next - 1);
  const double along = std::min(s - piece.first, piece.shape.length);
  return {piece.start + place_after(piece.shape, piece.heading, along),
          piece.heading + heading_after(piece.shape, along)};
}

std::vector<Pose> Path::poses(double step) const {
  require_positive("step", step);
  const auto count = static_cast<std::size_t>(std::ceil(length_ / step)) + 1;
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < count; ++i) poses.push_back(at(place(i, count)));
  return poses;
}

double Path::place(std::size_t i, std::size_t n) const {
  return n > 1 ? length_ * static_cast<double>(i) / static_cast<double>(n - 1) : 0.0;
}

std::vector<Clothoid> lane_change(double sideways, double length) {
  const double quarter = 0.25 * length;
  const auto pieces_of = [quarter](double curvature) {
    return std::vector<Clothoid>{
        {quarter, 0.0, curvature}, {quarter, curvature, 0.0}, {quarter, 0.0, -curvature}, {quarter, -curvature, 0.0}};
  };
  // How far it leads sideways grows with the curvature nearly in proportion, so that a secant is soon exact.
  const auto reached = [&pieces_of, length](double curvature) {
    return Path(Pose(), pieces_of(curvature)).at(length).translation.y();
  };
  double curvature = sideways / (2.0 * quarter * quarter);
  for (int i = 0; i < 30; ++i) {
    const double found = reached(curvature);
    if (found == 0.0 || std::abs(found - sideways) <= 1e-13 * std::abs(sideways)) break;
    curvature *= sideways / found;
  }
  return pieces_of(curvature);
}

Path street_path(double shift) {
  constexpr double kOut = 2.1;      // metres, around the van
  constexpr double kChange = 16.0;  // metres of a lane change
  constexpr double kLane = -1.6;    // y of the lane's middle, metres
  std::vector<Clothoid> pieces{{4.0, 0.0, 0.0}};
  const auto append = [&pieces](const std::vector<Clothoid>& more) {
    pieces.insert(pieces.end(), more.begin(), more.end());
  };
  append(lane_change(kOut, kChange));
  pieces.push_back({14.0, 0.0, 0.0});
  append(lane_change(-kOut, kChange));
  pieces.push_back({22.0, 0.0, 0.0});
  return {Pose({2.0, kLane + shift}, 0.0), std::move(pieces)};
}

}  // namespace abut::driving
