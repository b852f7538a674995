#include "recorded_pile.h"

#include <abut/core/shapes/convex_hull.h>
#include <abut/io/recording.h>
#include <abut/io/scene_file.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numbers>
#include <set>

namespace abut::bench {
namespace {

/// Side by side at this distance, metres: the bins are 1.4 m wide, but their ground plates 8 m.
constexpr double kSpacing = 8.1;

/// The k-th of n directions spread over the sphere along a spiral.
Vector3d spread_direction(std::size_t k, std::size_t n) {
  const double z = 1.0 - (2.0 * static_cast<double>(k) + 1.0) / static_cast<double>(n);
  const double around = std::numbers::pi * (3.0 - std::sqrt(5.0)) * static_cast<double>(k);
  const double radius = std::sqrt(1.0 - z * z);
  return {radius * std::cos(around), radius * std::sin(around), z};
}

ConvexHull cut(const ConvexHull& hull, std::size_t max_vertices) {
  if (max_vertices == 0 || hull.vertices().size() <= max_vertices) return hull;
  std::set<std::uint32_t> kept;
  // Few directions find few vertices; more of them until there are enough.
  for (std::size_t count = max_vertices; kept.size() < max_vertices; count *= 2) {
    for (std::size_t k = 0; k < count && kept.size() < max_vertices; ++k) {
      kept.insert(hull.support_vertex(spread_direction(k, count)));
    }
    if (count > 64 * hull.vertices().size()) break;
  }
  std::vector<Vector3d> points;
  for (const std::uint32_t vertex : kept) points.push_back(hull.vertices()[vertex]);
  return ConvexHull::from_points(points);
}

}  // namespace

std::optional<RecordedPile> recorded_pile(const RecordedPileOptions& options) {
  const char* folder = std::getenv("ABUT_TRAJECTORY_DIR");
  if (folder == nullptr) return std::nullopt;
  SceneDescription scene = read_scene_file(std::filesystem::path(folder) / "pile.scene.json");
  Recording recording(std::filesystem::path(folder) / "pile.motion", scene);
  std::vector<std::vector<Pose>> frames;
  RecordedFrame frame;
  for (std::size_t i = 0; i < options.first_frame + options.frame_count && recording.read(frame); ++i) {
    if (i >= options.first_frame) frames.push_back(frame.poses);
  }

  if (options.max_vertices > 0) {
    std::map<const Vector3d*, Shape> cut_hulls;  // bodies share hulls
    for (SceneBody& body : scene.bodies) {
      const ConvexHull* hull = body.body.shape.get_if<ConvexHull>();
      if (hull == nullptr) continue;
      const Vector3d* key = hull->vertices().data();
      const auto known = cut_hulls.find(key);
      body.body.shape = known != cut_hulls.end()
                            ? known->second
                            : cut_hulls.emplace(key, Shape(cut(*hull, options.max_vertices))).first->second;
    }
  }

  RecordedPile pile;
  pile.frames.resize(frames.size());
  const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(options.copies))));
  for (std::size_t copy = 0; copy < options.copies; ++copy) {
    const Pose shift(kSpacing * Vector3d(static_cast<double>(copy % side), static_cast<double>(copy / side), 0.0));
    const std::size_t ahead = 7 * copy;
    std::size_t place = 0;
    for (const SceneBody& body : scene.bodies) {
      BodyDescription description = body.body;
      if (description.motion == Motion::moving) {
        pile.moving.push_back(pile.bodies.size());
        for (std::size_t i = 0; i < frames.size(); ++i) {
          const std::size_t phase = (i + ahead) % (2 * frames.size() - 1);
          const std::size_t from = phase < frames.size() ? phase : 2 * frames.size() - 2 - phase;
          pile.frames[i].push_back(shift * frames[from][place]);
        }
        description.pose = pile.frames[0].back();
        ++place;
      } else {
        description.pose = shift * description.pose;
      }
      pile.bodies.push_back(description);
    }
  }
  return pile;
}

}  // namespace abut::bench
