#include "trajectories.h"

#include <abut/core/error.h>
#include <abut/narrowphase/distance.h>
#include <support/random.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <utility>

namespace abut::study {
namespace {

static_assert(std::endian::native == std::endian::little, "recordings are little-endian");

constexpr std::size_t kFrames = 121;  // of the recording: 1 s at 120 Hz and the first frame
constexpr std::size_t kFloats = 7;    // of a pose: translation, then the quaternion w x y z

std::uint32_t index_of(const Hulls& hulls, const std::string& name) {
  const auto found = std::find(hulls.names.begin(), hulls.names.end(), name);
  if (found == hulls.names.end()) throw InvalidInput("ABUT_YCB_DIR", "lacks the recorded hull " + name);
  return static_cast<std::uint32_t>(found - hulls.names.begin());
}

Pose pose_of(const float* p) {
  return Pose(Vector3d(p[0], p[1], p[2]), Quaterniond(p[3], p[4], p[5], p[6]));
}

Trajectories recorded(const std::filesystem::path& folder, const Hulls& hulls) {
  std::ifstream json(folder / "funnel.json");
  const std::string text{std::istreambuf_iterator<char>(json), {}};
  std::ifstream in(folder / "funnel.bin", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  Trajectories result;
  result.source = "funnel";
  // The names of a pair stand side by side in the file; nothing else in it has these two keys in a row.
  const std::regex pair_of_names(R"rx("a"\s*:\s*"([^"]*)"\s*,\s*"b"\s*:\s*"([^"]*)")rx");
  for (std::sregex_iterator it(text.begin(), text.end(), pair_of_names), end; it != end; ++it) {
    Trajectory trajectory;
    trajectory.a = index_of(hulls, (*it)[1]);
    trajectory.b = index_of(hulls, (*it)[2]);
    result.all.push_back(trajectory);
  }
  if (result.all.empty()) throw InvalidInput("ABUT_TRAJECTORY_DIR", "holds no funnel.json with pairs");
  std::vector<float> floats(result.all.size() * kFrames * 2 * kFloats);
  if (bytes.size() < floats.size() * sizeof(float)) {
    throw InvalidInput("funnel.bin", "is too short, bytes", static_cast<double>(bytes.size()));
  }
  std::copy_n(bytes.data(), floats.size() * sizeof(float), reinterpret_cast<char*>(floats.data()));
  const float* next = floats.data();
  for (Trajectory& trajectory : result.all) {
    for (std::size_t frame = 0; frame < kFrames; ++frame) {
      trajectory.world_from_a.push_back(pose_of(next));
      trajectory.world_from_b.push_back(pose_of(next + kFloats));
      next += 2 * kFloats;
    }
  }
  return result;
}

/// b is drawn to a and pushed out of it by a stiff spring along the normal, and keeps turning: a bounce or two a
/// second.
Trajectory generated_one(const Hulls& hulls, samples::Random& random) {
  constexpr double kStep = 1.0 / 120.0;  // seconds
  constexpr int kSubsteps = 8;
  constexpr double kAttraction = 4.0;    // m/s² a metre
  constexpr double kStiffness = 4000.0;  // m/s² a metre of depth
  constexpr double kDamping = 0.5;       // 1/s
  Trajectory trajectory;
  const auto count = static_cast<std::uint32_t>(hulls.shapes.size());
  trajectory.a = random.below(count);
  trajectory.b = random.below(count);
  const Shape& a = hulls.shapes[trajectory.a];
  const Shape& b = hulls.shapes[trajectory.b];
  const Pose world_from_a = random.pose(0.5);
  const Vector3d target = world_from_a * obb(a).center;
  Vector3d position = target + (obb(a).half_extents.norm() + obb(b).half_extents.norm()) * random.direction();
  Vector3d velocity = 0.5 * random.direction() + (target - position).normalized();
  Quaterniond rotation = random.rotation();
  const Vector3d axis = random.direction();
  const double speed = random.uniform(1.0, 10.0);  // radians a second
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    const auto pose_b = [&] { return Pose(position - rotation * obb(b).center, rotation); };
    trajectory.world_from_a.push_back(world_from_a);
    trajectory.world_from_b.push_back(pose_b());
    for (int i = 0; i < kSubsteps; ++i) {
      constexpr double dt = kStep / kSubsteps;
      const Separation found = distance(a, world_from_a, b, pose_b());
      velocity += dt * (kAttraction * (target - position) - kDamping * velocity);
      if (found.distance < 0.0) velocity -= dt * kStiffness * found.distance * found.normal;
      position += dt * velocity;
      rotation = Quaterniond(Eigen::AngleAxisd(speed * dt, axis)) * rotation;
      rotation.normalize();
    }
  }
  return trajectory;
}

}  // namespace

Trajectories load_trajectories(const Hulls& hulls) {
  const char* folder = std::getenv("ABUT_TRAJECTORY_DIR");
  if (folder != nullptr && hulls.is_ycb && std::filesystem::exists(std::filesystem::path(folder) / "funnel.json")) {
    return recorded(folder, hulls);
  }
  constexpr int kGenerated = 100;
  samples::Random random(41);
  Trajectories result;
  result.source = "generated";
  for (int i = 0; i < kGenerated; ++i) result.all.push_back(generated_one(hulls, random));
  return result;
}

}  // namespace abut::study
