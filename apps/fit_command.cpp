// abut fit: a mesh file in, the shape of a smooth hull fitted to the mesh's convex hull out, as one line of JSON.
#include <abut/apps/commands.h>
#include <abut/apps/output.h>
#include <abut/core/error.h>
#include <abut/fitting/fit_smooth_hull.h>
#include <abut/io/file_error.h>
#include <abut/io/json_text.h>
#include <abut/io/mesh_file.h>

#include <iomanip>
#include <iostream>
#include <ostream>
#include <string>

namespace abut {
namespace {

constexpr int kShapeNameWidth = 26;
constexpr int kFigureWidth = 12;

std::string smooth_hull_json(const SmoothHull& shape) {
  std::string text = "{\"type\":\"smooth_hull\"";
  json::append_field(text, "sharpness", shape.sharpness());
  text += ",\"points\":";
  char separator = '[';
  for (const Vector3d& point : shape.points()) {
    text += separator;
    json::append(text, point);
    separator = ',';
  }
  return text + "]}";
}

// A smooth hull lies around its origin. Where the mesh does not, the shape is a compound that puts it in its place.
std::string shape_json(const FitResult& fit) {
  if (fit.hull_from_shape == Pose()) return smooth_hull_json(fit.shape);
  std::string text =
      "{\"type\":\"compound\",\"children\":[{\"shape\":" + smooth_hull_json(fit.shape) + ",\"pose\":{\"translation\":";
  json::append(text, fit.hull_from_shape.translation());
  return text + "}}]}";
}

void write_row(std::ostream& stream, const char* name, double metres, double size) {
  stream << std::left << std::setw(kShapeNameWidth) << name << std::right << std::setw(kFigureWidth)
         << std::defaultfloat << std::setprecision(4) << metres << " m" << std::setw(kFigureWidth) << std::fixed
         << std::setprecision(3) << 100.0 * metres / size << " % of the size\n";
}

void write_summary(std::ostream& stream, const ConvexHull& hull, const FitResult& fit, bool conservative) {
  stream << "hull vertices " << hull.vertices().size() << ", fitted points " << fit.shape.points().size()
         << ", sharpness " << std::setprecision(4) << fit.shape.sharpness() << '\n';
  write_row(stream, "size", fit.size, fit.size);
  write_row(stream, "rms deviation", fit.deviation.rms, fit.size);
  write_row(stream, "outside the hull, at most", fit.deviation.outside, fit.size);
  write_row(stream, "inside the hull, at most", fit.deviation.inside, fit.size);
  stream << std::fixed << std::setprecision(3) << "volume " << fit.volume_ratio << " of the hull's\n";
  if (conservative) stream << "covers the hull; scaled by " << std::setprecision(6) << fit.cover_scale << " to do so\n";
  if (fit.hull_from_shape == Pose()) return;
  std::string center;
  json::append(center, fit.hull_from_shape.translation());
  stream << "about " << center << ", as a compound: the mesh's own origin lies too near to its surface, or outside\n";
}

ConvexHull read_hull(const std::string& mesh) {
  return ConvexHull::from_points(read_mesh_file(mesh, MeshContent::vertices).vertices);
}

FitResult fit_hull(const ConvexHull& hull, const FitArguments& arguments) {
  try {
    return fit_smooth_hull(
        hull,
        {.vertices = arguments.vertices, .sharpness = arguments.sharpness, .conservative = arguments.conservative});
  } catch (const InvalidInput& error) {
    throw FileError(arguments.mesh, error.what());
  }
}

}  // namespace

int fit_command(const FitArguments& arguments) {
  const ConvexHull hull = read_hull(arguments.mesh);
  const FitResult fit = fit_hull(hull, arguments);
  // Opened last: a mesh that cannot be fitted leaves the file as it was.
  Output output(arguments.output, {arguments.mesh});
  output.write_line(shape_json(fit));
  output.flush();
  write_summary(std::cerr, hull, fit, arguments.conservative);
  return kSuccess;
}

}  // namespace abut
