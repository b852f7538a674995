// Metres and a y axis that points up, by the transformation of one group.
#include "street_svg.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string>

namespace abut::driving {
namespace {

constexpr double kPixelsPerMetre = 18.0;
constexpr double kBorder = 1.0;  // metres around all that is drawn
constexpr double kLegend = 1.6;  // metres below it

// Three decimals, whatever the stream was set to.
std::string number(double value) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << value;
  return text.str();
}

std::string point(const Vector2d& p) {
  return number(p.x()) + ',' + number(p.y());
}

// The outline of a shape: sides moved outwards by the radius, with arcs between them.
std::string outline(const Shape& shape, const Pose& world_from_shape) {
  const std::span<const Vector2d> corners = shape.corners();
  const double radius = shape.radius();
  const std::string arc = std::string("A").append(number(radius)).append(",").append(number(radius)).append(" 0 ");
  if (corners.size() == 1) {
    const Vector2d center = world_from_shape * corners[0];
    const Vector2d right(radius, 0.0);
    return std::string("M").append(point(center - right)) + arc + "0 1 " + point(center + right) + arc + "0 1 " +
           point(center - right) + 'Z';
  }
  std::string path;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vector2d& from = corners[i];
    const Vector2d& to = corners[(i + 1) % corners.size()];
    const Vector2d along = (to - from).normalized();
    const Vector2d outward = radius * Vector2d(along.y(), -along.x());
    path += i == 0 ? "M" : radius > 0.0 ? arc + "0 1 " : std::string("L");
    path += point(world_from_shape * (from + outward)) + 'L' + point(world_from_shape * (to + outward));
  }
  if (radius > 0.0) {
    const Vector2d along = (corners[1] - corners[0]).normalized();
    path += arc + "0 1 " + point(world_from_shape * (corners[0] + radius * Vector2d(along.y(), -along.x())));
  }
  return path + 'Z';
}

// From red at contact over yellow to green.
std::string colour(double clearance) {
  const double share = std::clamp(clearance / kAmpleClearance, 0.0, 1.0);
  const double red = share < 0.5 ? 215.0 + 60.0 * share : 245.0 - 430.0 * (share - 0.5);
  const double green = share < 0.5 ? 48.0 + 260.0 * share : 178.0 - 60.0 * (share - 0.5);
  const auto whole = [](double value) { return std::to_string(static_cast<int>(std::lround(value))); };
  return std::string("rgb(").append(whole(red)) + ',' + whole(green) + ",40)";
}

// Upright text, though the drawing's y axis points up.
std::string label(const std::string& words, const Vector2d& place) {
  return std::string("<text transform=\"translate(").append(point(place)) + ") scale(1,-1)\">" + words + "</text>\n";
}

struct Bounds {
  Vector2d lower = Vector2d::Constant(std::numeric_limits<double>::infinity());
  Vector2d upper = Vector2d::Constant(-std::numeric_limits<double>::infinity());

  void add(const Shape& shape, const Pose& world_from_shape) {
    for (const Vector2d& corner : shape.corners()) {
      const Vector2d place = world_from_shape * corner;
      lower = lower.cwiseMin(place - Vector2d::Constant(shape.radius()));
      upper = upper.cwiseMax(place + Vector2d::Constant(shape.radius()));
    }
  }
};

std::string fill_of(const std::string& name) {
  if (name.starts_with("kerb")) return "#b5b5b5";
  return name.starts_with("bollard") ? "#7a5c00" : "#9fb4c7";
}

void write_legend(std::ostream& out, const Vector2d& place) {
  constexpr int kSteps = 20;
  constexpr double kWidth = 0.5;
  for (int i = 0; i <= kSteps; ++i) {
    out << "<rect x=\"" << number(place.x() + kWidth * i) << "\" y=\"" << number(place.y()) << "\" width=\""
        << number(kWidth) << "\" height=\"0.5\" fill=\"" << colour(kAmpleClearance * i / kSteps) << "\"/>\n";
  }
  out << label("0 m", place - Vector2d(0.9, 0.0))
      << label(number(kAmpleClearance).substr(0, 1) + " m or more", place + Vector2d(kWidth * kSteps + 3.2, 0.0));
}

}  // namespace

void write_svg(std::ostream& out, const Street& street, const Shape& footprint, const Path& path,
               const PathCheck& check) {
  Bounds bounds;
  for (const Obstacle& obstacle : street.obstacles) bounds.add(obstacle.shape, obstacle.world_from_obstacle);
  for (const Pose& pose : check.poses) bounds.add(footprint, pose);
  const Vector2d low = bounds.lower - Vector2d(kBorder, kBorder + kLegend);
  const Vector2d size = bounds.upper + Vector2d::Constant(kBorder) - low;

  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << number(kPixelsPerMetre * size.x()) << "\" height=\""
      << number(kPixelsPerMetre * size.y()) << "\" viewBox=\"0 0 " << number(size.x()) << ' ' << number(size.y())
      << "\" font-family=\"sans-serif\" font-size=\"0.8\" text-anchor=\"middle\" fill=\"#222\">\n"
      << "<title>A car's footprint along a path, coloured by its clearance</title>\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      << "<g transform=\"translate(" << number(-low.x()) << ',' << number(size.y() + low.y()) << ") scale(1,-1)\">\n";

  out << "<g stroke=\"#444\" stroke-width=\"0.04\">\n";
  for (std::size_t i = 0; i < street.obstacles.size(); ++i) {
    const Obstacle& obstacle = street.obstacles[i];
    out << "<path class=\"obstacle\" fill=\"" << fill_of(street.names[i]) << "\" d=\""
        << outline(obstacle.shape, obstacle.world_from_obstacle) << "\"/>\n";
  }
  out << "</g>\n";

  const std::size_t count = check.poses.size();
  const double step = count > 1 ? path.length() / static_cast<double>(count - 1) : path.length();
  const auto stride = static_cast<std::size_t>(std::max(1.0, std::round(kDrawnEvery / step)));
  for (std::size_t i = 0; i < count; i += stride) {
    const std::string paint = colour(check.clearances[i].distance);
    out << "<path class=\"footprint\" fill=\"" << paint << "\" fill-opacity=\"0.12\" stroke=\"" << paint
        << "\" stroke-width=\"0.05\" d=\"" << outline(footprint, check.poses[i]) << "\"/>\n";
  }

  out << "<path class=\"path\" fill=\"none\" stroke=\"#1f4e79\" stroke-width=\"0.08\" d=\"";
  for (std::size_t i = 0; i < count; i += std::max<std::size_t>(stride / 4, 1)) {
    out << (i == 0 ? "M" : " ") << point(check.poses[i].translation);
  }
  out << "\"/>\n";

  if (check.first_contact) {
    const auto& contact = *check.first_contact;
    out << "<path class=\"contact\" fill=\"none\" stroke=\"#a00000\" stroke-width=\"0.1\" d=\""
        << outline(footprint, contact.pose) << "\"/>\n"
        << "<circle class=\"contact-point\" cx=\"" << number(contact.point.x()) << "\" cy=\""
        << number(contact.point.y()) << "\" r=\"0.2\" fill=\"#a00000\"/>\n"
        << label(std::string("first contact: ") + street.names[contact.obstacle] + ", " + number(contact.place) +
                     " m along the path",
                 low + Vector2d(30.0, 0.6));
  }
  write_legend(out, low + Vector2d(3.0, 0.6));
  out << "</g>\n</svg>\n";
}

}  // namespace abut::driving
