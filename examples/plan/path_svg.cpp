// Two views side by side, each a group in metres with a y axis that points up.
#include "path_svg.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string>

#include "outline.h"
#include "path_planner.h"

namespace abut::plan {
namespace {

constexpr double kPixelsPerMetre = 300.0;
constexpr double kBorder = 0.15;         // metres around the robot's places
constexpr double kGap = 0.05;            // metres between the views
constexpr double kTitle = 0.12;          // metres above each view
constexpr std::size_t kPlaces = 11;      // of the robot, start and goal among them
constexpr std::size_t kWayPoints = 200;  // of the last link's origin

struct NamedView {
  const char* name;
  View view;
};

const NamedView kViews[] = {{"from the side", {Vector3d::UnitX(), Vector3d::UnitZ()}},
                            {"from above", {Vector3d::UnitX(), Vector3d::UnitY()}}};

struct Bounds {
  Vector2d lower = Vector2d::Constant(std::numeric_limits<double>::infinity());
  Vector2d upper = Vector2d::Constant(-std::numeric_limits<double>::infinity());

  void add(const Polygon& polygon) {
    for (const Vector2d& corner : polygon) {
      lower = lower.cwiseMin(corner);
      upper = upper.cwiseMax(corner);
    }
  }
};

std::string number(double value) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << value;
  return text.str();
}

std::string path_data(const std::vector<Polygon>& polygons) {
  std::string data;
  for (const Polygon& polygon : polygons) {
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      data += i == 0 ? 'M' : 'L';
      data += number(polygon[i].x()) + ',' + number(polygon[i].y());
    }
    data += 'Z';
  }
  return data;
}

std::vector<Polygon> robot_outlines(const PlanningTask& task, const std::vector<double>& configuration,
                                    const View& view) {
  const std::vector<Pose> root_from_link = task.robot.link_poses(task.robot_values(configuration));
  std::vector<Polygon> polygons;
  for (std::size_t link = 0; link < root_from_link.size(); ++link) {
    for (const LinkGeometry& geometry : task.robot.links()[link].geometry) {
      for (Polygon& polygon : outlines(geometry.shape, root_from_link[link] * geometry.link_from_shape, view)) {
        polygons.push_back(std::move(polygon));
      }
    }
  }
  return polygons;
}

// From green at 0 to blue at 1.
std::string colour(double share) {
  const auto between = [&](double a, double b) {
    return std::to_string(static_cast<int>(std::lround(a + share * (b - a))));
  };
  return "rgb(" + between(46, 31) + ',' + between(125, 78) + ',' + between(50, 180) + ')';
}

void draw_robot(std::ostream& out, const std::vector<std::vector<Polygon>>& places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool is_end = i == 0 || i + 1 == places.size();
    const std::string paint = colour(static_cast<double>(i) / static_cast<double>(places.size() - 1));
    out << "<path class=\"robot\" fill=\"" << paint << "\" fill-opacity=\"" << (is_end ? "0.3" : "0.05")
        << "\" stroke=\"" << paint << "\" stroke-opacity=\"" << (is_end ? "1" : "0.35") << "\" stroke-width=\""
        << (is_end ? "0.004" : "0.002") << "\" d=\"" << path_data(places[i]) << "\"/>\n";
  }
}

void draw_way(std::ostream& out, const PlanningTask& task, const std::vector<std::vector<double>>& path,
              const View& view) {
  out << "<path class=\"way\" fill=\"none\" stroke=\"#a00000\" stroke-width=\"0.006\" d=\"";
  const char* command = "M";
  for (const std::vector<double>& configuration : spread_along(path, kWayPoints)) {
    const std::vector<Pose> root_from_link = task.robot.link_poses(task.robot_values(configuration));
    const Vector2d place = view.of(root_from_link[task.tip_link].translation());
    out << command << number(place.x()) << ',' << number(place.y());
    command = "L";
  }
  out << "\"/>\n";
}

}  // namespace

void write_svg(std::ostream& out, const PlanningTask& task, const std::vector<std::vector<double>>& path) {
  const std::vector<std::vector<double>> spread = spread_along(path, kPlaces);
  std::ostringstream views;
  double left = 0.0;
  double height = 0.0;
  struct Drawn {
    const NamedView* view;
    std::vector<std::vector<Polygon>> places;
    Bounds bounds;
  };
  std::vector<Drawn> drawn;
  for (const NamedView& named : kViews) {
    Drawn view{&named, {}, {}};
    for (const std::vector<double>& configuration : spread) {
      view.places.push_back(robot_outlines(task, configuration, named.view));
      for (const Polygon& polygon : view.places.back()) view.bounds.add(polygon);
    }
    view.bounds.lower -= Vector2d::Constant(kBorder);
    view.bounds.upper += Vector2d::Constant(kBorder);
    height = std::max(height, view.bounds.upper.y() - view.bounds.lower.y());
    drawn.push_back(std::move(view));
  }

  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const Drawn& view = drawn[i];
    const Vector2d size = view.bounds.upper - view.bounds.lower;
    // What lies outside of the view, as a floor does, is cut off.
    views << "<clipPath id=\"view" << i << "\"><rect x=\"" << number(view.bounds.lower.x()) << "\" y=\""
          << number(view.bounds.lower.y()) << "\" width=\"" << number(size.x()) << "\" height=\"" << number(size.y())
          << "\"/></clipPath>\n<text x=\"" << number(left + 0.5 * size.x()) << "\" y=\"" << number(0.7 * kTitle)
          << "\">" << view.view->name << "</text>\n<g transform=\"translate(" << number(left - view.bounds.lower.x())
          << ',' << number(kTitle + view.bounds.upper.y()) << ") scale(1,-1)\" clip-path=\"url(#view" << i << ")\">\n";
    for (const Obstacle& obstacle : task.obstacles) {
      views << "<path class=\"obstacle\" fill=\"#c9b458\" fill-opacity=\"0.35\" stroke=\"#7a5c00\" "
               "stroke-width=\"0.003\" d=\""
            << path_data(outlines(obstacle.shape, obstacle.world_from_obstacle, view.view->view)) << "\"/>\n";
    }
    draw_robot(views, view.places);
    draw_way(views, task, path, view.view->view);
    views << "</g>\n";
    left += size.x() + (i + 1 < drawn.size() ? kGap : 0.0);
  }

  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << number(kPixelsPerMetre * left) << "\" height=\""
      << number(kPixelsPerMetre * (height + kTitle)) << "\" viewBox=\"0 0 " << number(left) << ' '
      << number(height + kTitle) << "\" font-family=\"sans-serif\" font-size=\"0.06\" text-anchor=\"middle\" "
      << "fill=\"#222\">\n<title>A path of a robot among obstacles</title>\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      << views.str() << "</svg>\n";
}

}  // namespace abut::plan
