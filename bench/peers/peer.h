// What a comparison with another library implements. Shapes and poses are plain numbers: the other libraries are built
// as they are packaged, abut perhaps for the processor of this machine, and Eigen's types differ between the two.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace abut::peers {

enum class Kind : std::uint8_t { sphere, box, capsule, cylinder, cone, ellipsoid, hull };

/// The surface of a hull, in metres. Shapes that share one refer to it together, and so do the bodies of a library that
/// can share it.
struct PlainHull {
  std::vector<double> points;  ///< x, y, z of each vertex.
  std::vector<int> triangles;  ///< Three indices each, counter-clockwise from outside.
};

/// A shape as abut defines it, in metres.
struct PlainShape {
  Kind kind = Kind::sphere;
  /// Sphere: radius. Box: half extents. Capsule, cylinder, cone: radius, half length along z. Ellipsoid: radii.
  double size[3] = {};
  std::shared_ptr<const PlainHull> hull;  ///< Of a hull; else null.

  /// For libraries that ask their user for a support function: abut's own, in the body frame.
  void (*support)(const void* abut_shape, const double direction[3], double point[3]) = nullptr;
  const void* abut_shape = nullptr;  ///< Lives as long as the sets of pairs.
};

/// world_from_body: rotation row by row, translation in metres.
struct PlainPose {
  double rotation[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  double translation[3] = {};
};

struct PlainPair {
  std::uint32_t a = 0;  ///< Indices of shapes.
  std::uint32_t b = 0;
  PlainPose world_from_a;
  PlainPose world_from_b;
};

enum class Query : std::uint8_t {
  collides,  ///< Yes or no, with the least work the library allows.
  distance,  ///< Of pairs that are apart, with the nearest points.
  depth,     ///< Of pairs that overlap, with a direction.
};

/// A list of pairs in the library's own types, ready to be queried.
class PairSolver {
 public:
  virtual ~PairSolver() = default;
  /// 1 for touching or overlapping, 0 for apart; one a pair.
  virtual void collides(std::span<char> answers) = 0;
  /// Metres; positive for distances, positive for depths; NaN where the library gave none.
  virtual void distances(std::span<double> answers) = 0;
  virtual void depths(std::span<double> answers) = 0;
};

/// A scene whose bodies all move.
class SceneSolver {
 public:
  virtual ~SceneSolver() = default;
  /// Moves all bodies and finds all contacts, with their points.
  virtual void step(std::span<const PlainPose> world_from_bodies) = 0;
  /// Of the last step: pairs no farther apart than the margin, smaller index first, sorted.
  virtual std::vector<std::pair<std::uint32_t, std::uint32_t>> near_pairs() = 0;
};

/// Adds a pair with the smaller index first.
inline void add_ordered(std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs, std::uint32_t a, std::uint32_t b) {
  pairs.emplace_back(a < b ? a : b, a < b ? b : a);
}

/// A library. The functions say first whether they apply.
struct Peer {
  std::string name;
  bool (*answers)(Query query, Kind a, Kind b) = nullptr;
  std::unique_ptr<PairSolver> (*pairs)(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs) = nullptr;
  /// Null where the library has no scenes. @param margin  Metres; 0 unless has_margin.
  std::unique_ptr<SceneSolver> (*scene)(std::span<const PlainShape> bodies, double margin) = nullptr;
  bool has_margin = false;  ///< Its scenes find contacts of pairs that are apart, too.
  /// Of its scenes; where setting up a larger one takes minutes.
  std::size_t most_bodies = std::numeric_limits<std::size_t>::max();
};

#define ABUT_PEER_API __attribute__((visibility("default")))  // the only names that a comparison exports

ABUT_PEER_API Peer fcl_peer();
ABUT_PEER_API Peer bullet_peer();
ABUT_PEER_API Peer ode_peer();
ABUT_PEER_API Peer libccd_gjk_peer();
ABUT_PEER_API Peer libccd_mpr_peer();
ABUT_PEER_API Peer mujoco_peer();
ABUT_PEER_API Peer mujoco_patches_peer();
ABUT_PEER_API Peer coal_peer();
ABUT_PEER_API Peer coal_patches_peer();
ABUT_PEER_API Peer box3d_peer();
ABUT_PEER_API Peer box3d_fresh_peer();

#undef ABUT_PEER_API

}  // namespace abut::peers
