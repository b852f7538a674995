// Metres and a y axis that points up, by the transformation of one group; capsules are rounded rectangles.
#include "trajectory_svg.h"

#include <abut/core/aabb.h>
#include <abut/core/shape.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <numbers>
#include <sstream>
#include <string>

namespace abut::parking {
namespace {

constexpr double kPixelsPerMetre = 40.0;
constexpr double kBorder = 1.0;          // metres around all that is drawn
constexpr std::size_t kDrawnCars = 12;   // between start and goal, about
constexpr std::size_t kStepsPerDot = 4;  // small steps of the drive between two points of the path

// Numbers with two decimals, whatever the stream was set to.
std::string number(double value) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << value;
  return text.str();
}

// A capsule that lies in the plane, its front end marked by a short line across.
std::string capsule(const Capsule& shape, double x, double y, double heading, const std::string& style) {
  const double radius = shape.radius();
  const double half = shape.half_length();
  std::ostringstream text;
  text << "<g transform=\"translate(" << number(x) << ',' << number(y) << ") rotate("
       << number(heading * 180.0 / std::numbers::pi) << ")\" " << style << "><rect x=\"" << number(-half - radius)
       << "\" y=\"" << number(-radius) << "\" width=\"" << number(2.0 * (half + radius)) << "\" height=\""
       << number(2.0 * radius) << "\" rx=\"" << number(radius) << "\"/><path d=\"M" << number(half) << ','
       << number(-radius) << 'V' << number(radius) << "\"/></g>\n";
  return text.str();
}

std::string capsule(const ParkingTask& task, const State& state, const std::string& style) {
  const Vector3d middle = pose_of(task.car, state).translation();
  return capsule(task.car_shape, middle.x(), middle.y(), state[kHeading], style);
}

// Upright text, though the drawing's y axis points up.
std::string label(const std::string& words, double x, double y) {
  return "<text transform=\"translate(" + number(x) + ',' + number(y) + ") scale(1,-1)\">" + words + "</text>\n";
}

}  // namespace

void write_svg(std::ostream& out, const ParkingTask& task, const Trajectory& trajectory,
               const std::vector<State>& driven) {
  Aabb box = aabb(task.parked_shape, task.world_from_parked());
  for (const State& state : trajectory.states) box.merge(aabb(task.car_shape, pose_of(task.car, state)));
  box = box.expanded(kBorder);
  const Vector3d low = box.lower;
  const Vector3d size = box.upper - box.lower;

  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << number(kPixelsPerMetre * size.x()) << "\" height=\""
      << number(kPixelsPerMetre * size.y()) << "\" viewBox=\"0 0 " << number(size.x()) << ' ' << number(size.y())
      << "\" font-family=\"sans-serif\" font-size=\"0.5\" text-anchor=\"middle\" fill=\"#222\">\n"
      << "<title>A car drives around a parked car</title>\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      // Metres, y up.
      << "<g transform=\"translate(" << number(-low.x()) << ',' << number(size.y() + low.y()) << ") scale(1,-1)\">\n";

  out << capsule(task.parked_shape, task.parked_x, task.parked_y, task.parked_heading,
                 "fill=\"#f6c945\" stroke=\"#a67c00\" stroke-width=\"0.06\"");
  const std::size_t last = trajectory.states.size() - 1;
  const std::size_t stride = std::max<std::size_t>(last / kDrawnCars, 1);
  for (std::size_t k = stride; k < last; k += stride) {
    out << capsule(task, trajectory.states[k],
                   "fill=\"#2c7fb8\" fill-opacity=\"0.07\" stroke=\"#2c7fb8\" stroke-opacity=\"0.5\" "
                   "stroke-width=\"0.03\"");
  }
  out << capsule(task, task.start, "fill=\"#d5ecd4\" stroke=\"#2e7d32\" stroke-width=\"0.06\"")
      << capsule(task, task.goal, "fill=\"#d6e6f4\" stroke=\"#1f4e79\" stroke-width=\"0.06\"");

  out << "<path fill=\"none\" stroke=\"#1f4e79\" stroke-width=\"0.06\" d=\"";
  for (std::size_t i = 0; i < driven.size(); i += kStepsPerDot) {
    const Vector3d middle = pose_of(task.car, driven[i]).translation();
    out << (i == 0 ? "M" : " ") << number(middle.x()) << ',' << number(middle.y());
  }
  out << "\"/>\n";

  const double below = task.car_shape.radius() + 0.9;
  const Vector3d start = pose_of(task.car, task.start).translation();
  const Vector3d goal = pose_of(task.car, task.goal).translation();
  out << label("start", start.x(), start.y() - below) << label("goal", goal.x(), goal.y() - below)
      << label("parked", task.parked_x, task.parked_y - 0.2) << "</g>\n</svg>\n";
}

}  // namespace abut::parking
