// Scene files: named bodies, their velocities, ignored pairs and settings from JSON.
#pragma once

#include <abut/world/scene.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace abut {

/// A body of a scene file.
struct SceneBody {
  std::string name;
  BodyDescription body;                         ///< Its pose is the one at time 0.
  Vector3d linear_velocity = Vector3d::Zero();  ///< Metres a second, world frame.
  /// Radians a second, world axes, about the body's origin; in files coordinates of at most kMaxTurn.
  Vector3d angular_velocity = Vector3d::Zero();
};

/// Time between frames where a scene names none, seconds.
inline constexpr double kDefaultTimeStep = 0.01;

struct SceneDescription {
  std::vector<SceneBody> bodies;                                  ///< In the order of the file; names are unique.
  std::vector<std::pair<std::size_t, std::size_t>> ignore_pairs;  ///< Indices into bodies.
  SceneSettings settings;
  double time_step = kDefaultTimeStep;       ///< Seconds, > 0.
  std::vector<std::filesystem::path> files;  ///< The mesh files that were read, absolute; one may be there twice.
};

/// Reads a scene. Mesh files are relative to the scene's folder, each read once, different ones in parallel.
/// @throws FileError  naming the file and, inside it, line and column (not JSON) or the path of the field.
[[nodiscard]] SceneDescription read_scene_file(const std::filesystem::path& file);

/// The same from text.
/// @param folder  What mesh files are relative to.
/// @throws InvalidInput  with the path of the field.
[[nodiscard]] SceneDescription parse_scene(std::string_view text, const std::filesystem::path& folder);

/// Adds the bodies and ignored pairs to a scene and gives it the settings.
/// @return The bodies' handles, in the order of the description; in an empty scene that is the slot order.
std::vector<BodyId> add_to(Scene& scene, const SceneDescription& description);

/// Where a body is after moving at its constant velocity: the rotation is exp([angular t]×) times the first one,
/// exactly.
/// @param time  Seconds. @throws InvalidInput  when the pose or the angle is not finite.
[[nodiscard]] Pose pose_at(const SceneBody& body, double time);

}  // namespace abut
