// A checker of configurations; abut is one of them, in several settings.
#pragma once

#include "problems.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace abut::bench {

/// What a checker is made of.
struct CheckedProblem {
  const RobotModel& robot;  ///< With hulls or with meshes.
  const ValidityOptions& options;
  std::span<const Obstacle> obstacles;
};

/// How a motion is looked at.
enum class Certainty : std::uint8_t {
  sampled,
  certified,  ///< Proven for every state on it.
};

class PlanningPeer {
 public:
  virtual ~PlanningPeer() = default;
  virtual bool is_valid(std::span<const double> configuration) = 0;
  /// A motion by states at equal steps, both ends among them: the ends first, then ever finer, up to the first that is
  /// invalid.
  /// @param states  >= 2.
  virtual bool is_motion_valid(const Motion& motion, std::size_t states);
  [[nodiscard]] virtual bool certifies() const { return false; }
  /// The same, proven; only where it certifies.
  virtual bool is_motion_certified(const Motion& /*motion*/) { return false; }

 private:
  std::vector<double> configuration_;
};

[[nodiscard]] std::unique_ptr<PlanningPeer> make_abut(const CheckedProblem& problem);
/// Without the fast tier.
[[nodiscard]] std::unique_ptr<PlanningPeer> make_abut_exact(const CheckedProblem& problem);
/// A plain loop over pairs whose boxes overlap; hulls as convex shapes, meshes as trees of triangles.
[[nodiscard]] std::unique_ptr<PlanningPeer> make_fcl_loop(const CheckedProblem& problem);
/// Managers of objects and a callback that asks which collisions are allowed, as in MoveIt; hulls, too, are trees of
/// triangles.
[[nodiscard]] std::unique_ptr<PlanningPeer> make_fcl_managers(const CheckedProblem& problem);
/// A plain loop over pairs whose boxes overlap; convex shapes only.
[[nodiscard]] std::unique_ptr<PlanningPeer> make_bullet_loop(const CheckedProblem& problem);

struct NamedPeer {
  std::string name;
  bool takes_meshes = true;
  std::unique_ptr<PlanningPeer> (*make)(const CheckedProblem& problem) = nullptr;
};

/// Those that are built in, abut first.
[[nodiscard]] std::span<const NamedPeer> planning_peers();

}  // namespace abut::bench
