// abut_driving: drives a car's footprint along a path through a street and says what it meets.
// Exit status: 0 the path is free, 1 it is not, or the drawing cannot be written, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "path_check.h"
#include "street.h"
#include "street_svg.h"

namespace abut::driving {
namespace {

constexpr int kSuccess = 0;
constexpr int kFailure = 1;
constexpr int kUsageError = 2;

constexpr double kLeastStep = 0.001;  // metres
constexpr double kMostStep = 2.0;
constexpr double kMostShift = 5.0;
constexpr double kMostMargin = 2.0;

// Of the car, metres, from the middle of its rear axle.
constexpr double kRear = -0.9;
constexpr double kFront = 3.6;
constexpr double kWidth = 1.8;
constexpr double kCornerRadius = 0.25;

constexpr const char* kDescription =
    R"(Drives a car through a street, around a van in the second row and past a car on the other side.

Asked at all poses of the path at once: does the footprint collide, and how far is the nearest obstacle. Where it
collides, the first contact is found to the last digit.)";

constexpr const char* kFooter = R"(Examples:
  abut_driving
  abut_driving --svg driving.svg
  abut_driving --shift -0.8 --svg contact.svg
  abut_driving --margin 0.5 --step 0.01

Metres. Exit status: 0 the path is free, 1 it is not, or the drawing cannot be written, 2 wrong usage.)";

struct Arguments {
  double shift = 0.0;
  double step = 0.05;
  double margin = 0.0;
  std::uint64_t seed = 1;
  std::string svg;
  bool no_times = false;
};

std::string number(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string point(const Vector2d& p) {
  return "(" + number(p.x(), 3) + ", " + number(p.y(), 3) + ")";
}

std::ostream& row(const char* name) {
  return std::cout << std::left << std::setw(11) << name;
}

void write_report(const Arguments& arguments, const Street& street, const Path& path, const PathCheck& check) {
  const std::size_t count = check.poses.size();
  row("street") << street.obstacles.size() << " obstacles\n";
  row("path") << number(path.length(), 2) << " m in " << count << " poses; from one to the next the footprint moves "
              << "at most " << number(check.largest_motion, 4) << " m\n";
  row("hits") << check.hit_count << " of " << count << " poses";
  if (arguments.margin > 0.0) std::cout << " within " << arguments.margin << " m";
  std::cout << '\n';
  const Clearance& least = check.clearances[check.nearest_pose];
  row("clearance") << number(least.distance, 3) << " m at the least, "
                   << number(path.place(check.nearest_pose, count), 2) << " m along the path, from "
                   << street.names[least.obstacle] << '\n';
  if (check.first_contact) {
    const Contact& contact = *check.first_contact;
    row("contact") << number(contact.place, 6) << " m along the path, with " << street.names[contact.obstacle] << " at "
                   << point(contact.point) << ", normal " << point(contact.normal) << '\n';
  }
  row("verdict") << (check.hit_count > 0        ? "not free"
                     : check.is_free_throughout ? "free, between the poses too"
                                                : "free at the poses; between them only a smaller step could tell")
                 << '\n';
  if (arguments.no_times) return;
  const double per_pose = 1e9 / static_cast<double>(count);
  row("times") << number(check.collides_seconds * per_pose, 0) << " ns a pose for hit or free, "
               << number(check.clearance_seconds * per_pose, 0) << " ns for the clearance\n";
}

bool drive(const Arguments& arguments) {
  const Street street = make_street(arguments.seed);
  const ObstacleIndex index(street.obstacles);
  const Shape footprint = car_shape(kRear, kFront, kWidth, kCornerRadius);
  const Path path = street_path(arguments.shift);
  const PathCheck check = check_path(index, street.obstacles, footprint, path, arguments.step, arguments.margin);
  write_report(arguments, street, path, check);
  if (!arguments.svg.empty()) {
    std::ofstream out(arguments.svg);
    write_svg(out, street, footprint, path, check);
    out.close();
    if (!out) throw std::runtime_error(arguments.svg + ": cannot be written");
  }
  return check.is_free_throughout;
}

// A range alone lets it pass.
std::string refuse_nan(const std::string& text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? "must be a number, got " + text : "";
}

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--svg", arguments.svg, "Draw street, footprints and contact into this file")->type_name("FILE");
  app.add_option("--shift", arguments.shift, "Metres that the path is moved to the left; without it, none")
      ->check(CLI::Range(-kMostShift, kMostShift))
      ->check(refuse_nan);
  app.add_option("--step", arguments.step, "Metres between two poses at most; without it, " + number(arguments.step, 2))
      ->check(CLI::Range(kLeastStep, kMostStep))
      ->check(refuse_nan);
  app.add_option("--margin", arguments.margin, "Metres to keep from all obstacles; without it, none")
      ->check(CLI::Range(0.0, kMostMargin))
      ->check(refuse_nan);
  app.add_option("--seed", arguments.seed, "Of the parked cars' places; without it, 1");
  app.add_flag("--no-times", arguments.no_times, "Leave out the times, so that the same call prints the same");
}

int run(int argc, char** argv) {
  CLI::App app(kDescription, "abut_driving");
  app.footer(kFooter);
  Arguments arguments;
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::cerr << "abut_driving: error: " << error.what() << "\nSee abut_driving --help.\n";
    return kUsageError;
  }
  try {
    return drive(arguments) ? kSuccess : kFailure;
  } catch (const std::exception& error) {
    std::cerr << "abut_driving: error: " << error.what() << '\n';
    return kFailure;
  }
}

}  // namespace
}  // namespace abut::driving

int main(int argc, char** argv) {
  return abut::driving::run(argc, argv);
}
