// The motion planner's validity checker: whether a robot at a configuration, or on its way between two, is free of
// collision with itself and with obstacles.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/separation.h>
#include <abut/planning/robot_model.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace abut {

namespace detail {
struct CheckedRobot;
struct CheckedWorld;
struct CheckerState;
struct MotionOutcome;
}  // namespace detail

/// Something that stands in the world.
struct Obstacle {
  std::string name;  ///< Not empty; no two bodies of a checker, links included, have the same.
  Shape shape;       ///< Of any kind.
  Pose world_from_obstacle;
};

/// Something that a link carries: it moves with the link, and is checked against the obstacles, the other links and
/// what those carry. Bodies on one link never move against each other and are not checked against each other.
struct AttachedBody {
  std::string name;
  Shape shape;  ///< Bounded.
  std::string link;
  Pose link_from_body;
  /// Links and bodies attached before this one that it may touch, besides the link that carries it. A link stands for
  /// itself alone, not for what it carries.
  std::vector<std::string> touch_links;
};

struct ValidityOptions {
  /// The variables of a configuration, by name and in this order; empty: all of the robot's.
  std::vector<std::string> variables;
  /// Values of other variables, which stay, within +-1e9; those not named have their default,
  /// RobotVariable::default_value(). None of those that move, and each named once.
  std::vector<std::pair<std::string, double>> fixed_values;
  Pose world_from_root;
  /// Pairs of links that are never checked, of the robot's links, besides those that a joint joins.
  std::optional<LinkPairs> disabled_pairs;
  /// Further pairs that are not checked, by the names of links, attached bodies and obstacles; of obstacles that come
  /// later too, so that a name without a body is no error.
  std::vector<std::pair<std::string, std::string>> allowed_collisions;
  /// Links grown by a distance, metres, finite and >= 0, each named once. Of convex geometry only.
  std::vector<std::pair<std::string, double>> padding;
  /// Certified motions: a motion that brings a pair this near, metres, > 0, may count as a collision.
  double motion_tolerance = 1e-5;
  /// Balls in and around each piece of geometry decide what they can prove. The answers are the same without, but for
  /// certified motions that come within motion_tolerance of a contact: there either may be the answer.
  bool fast_tier = true;
};

/// Two bodies that a checker tests against each other, by name; alive as long as the checker.
struct CheckedPair {
  std::string_view link;   ///< A link of the robot, or an attached body.
  std::string_view other;  ///< A link, an attached body or an obstacle.

  friend bool operator==(const CheckedPair&, const CheckedPair&) = default;
};

/// A pair that is in collision, or near; a is the link.
struct CheckedSeparation {
  CheckedPair pair;
  Separation separation;  ///< World frame.
};

struct Clearance {
  /// Smallest signed distance of all pairs, metres; infinite where there are none.
  double distance = 0.0;
  double distance_error = 0.0;
  CheckedPair pair;       ///< Empty names where there are none.
  Separation separation;  ///< Of that pair, world frame.
};

/// What a motion comes to.
struct MotionCheck {
  bool is_valid = false;
  /// Fraction of the motion, 0 to 1, up to which it is valid: of a sampled motion the last sample before the first
  /// invalid one, of a certified one the end of the stretch from the start that is proven. Negative when the first
  /// state is invalid.
  double last_valid = 0.0;
  /// Fraction at which the first invalid state was found; infinite when valid.
  double first_invalid = 0.0;
  CheckedPair pair;  ///< That collides there; empty names when valid.
};

/// Immutable; copies share their data. Every function is const and may run from many threads, each with its own State.
///
/// A configuration is one number a variable of ValidityOptions::variables: radians or metres, within +-1e9, as what
/// mimic joints make of it. Limits are not looked at. Pairs that a checker tests: every two links with geometry that no
/// joint joins and that are not disabled, and every link with every obstacle, also those that cannot move; attached
/// bodies as AttachedBody says. Touching bodies collide. A pair that cannot be decided within rounding counts as a
/// collision.
class ValidityChecker {
 public:
  /// Of a value: a turn of this size is known to 1e-7, a place to 1e-7 m, and squares are far from overflow.
  static constexpr double kLargestValue = 1e9;

  /// What a thread needs for its questions: scratch memory and what was seen last. No answer depends on it beyond the
  /// rounding of distances.
  class State {
   public:
    explicit State(const ValidityChecker& checker);
    ~State();
    State(State&&) noexcept;
    State& operator=(State&&) noexcept;

    /// Forgets what was seen: the next answer is, to the last bit, that of a new state.
    void forget();

   private:
    friend class ValidityChecker;
    std::unique_ptr<detail::CheckerState> state_;
  };

  /// @throws InvalidInput  naming the option, link, variable or obstacle.
  explicit ValidityChecker(const RobotModel& robot, std::vector<Obstacle> obstacles = {},
                           const ValidityOptions& options = {});

  /// The same robot among other obstacles; what was prepared for the robot is shared.
  [[nodiscard]] ValidityChecker with_obstacles(std::vector<Obstacle> obstacles) const;
  /// The same with one more body on a link, or with one fewer, whose name the touch_links of others lose.
  /// @throws InvalidInput  naming the body or link.
  [[nodiscard]] ValidityChecker with_attached(const AttachedBody& body) const;
  [[nodiscard]] ValidityChecker without_attached(std::string_view name) const;

  /// Numbers in a configuration.
  [[nodiscard]] std::size_t dimension() const;
  /// Indices into RobotModel::variables(), in the order of configurations.
  [[nodiscard]] std::span<const std::size_t> variables() const;
  [[nodiscard]] const RobotModel& robot() const;
  /// Refuses what number i of a configuration cannot be, which every question does too: here the caller says what the
  /// field is called. @throws InvalidInput  naming the field.
  void require_value(std::string_view field, std::size_t i, double value) const;
  /// How many pairs of geometry it tests.
  [[nodiscard]] std::size_t pair_count() const;

  // @param configuration  dimension() numbers.
  // @throws InvalidInput  naming "configuration", or "from" or "to" of a motion, on another size or on a number that is
  //                       not finite or beyond +-1e9, or that makes a mimic joint's value so, or "state" where it was
  //                       made for another checker.

  [[nodiscard]] bool is_valid(std::span<const double> configuration, State& state) const;
  /// Some pair that collides; which one does not depend on the state.
  [[nodiscard]] std::optional<CheckedPair> first_contact(std::span<const double> configuration, State& state) const;
  /// All pairs of pieces of geometry that collide: a pair of bodies is there once for each, as a link may have several
  /// collision elements, and each child of a compound is one. For the pairs of bodies keep one of each CheckedPair.
  [[nodiscard]] std::vector<CheckedSeparation> contacts(std::span<const double> configuration, State& state) const;
  /// The nearest pair, or the deepest.
  [[nodiscard]] Clearance clearance(std::span<const double> configuration, State& state) const;
  /// The same, and how its distance changes with the configuration.
  /// @param gradient  Written: dimension() numbers, metres a radian or metres a metre. Exact where the nearest pair is
  ///                  unique and its distance smooth, else one of those nearby.
  [[nodiscard]] Clearance clearance(std::span<const double> configuration, State& state,
                                    std::span<double> gradient) const;

  /// The straight motion from one configuration to another, looked at in steps: no variable changes by more than
  /// `resolution` from one to the next. Both ends count.
  /// @param resolution  Radians or metres, > 0. @throws InvalidInput  naming it, where that makes more than 1e9 steps.
  [[nodiscard]] bool is_motion_valid(std::span<const double> from, std::span<const double> to, double resolution,
                                     State& state) const;
  [[nodiscard]] MotionCheck check_motion(std::span<const double> from, std::span<const double> to, double resolution,
                                         State& state) const;

  /// The straight motion, proven for every state on it: valid only when no state is in collision; invalid only when
  /// some state has a pair nearer than ValidityOptions::motion_tolerance.
  /// @throws InvalidInput  naming "to", where the turns of all joints, with those that mimic others, come to more than
  ///                       1e4 radians together, or carry a link farther than 1e8 metres (on slides of kilometres): a
  ///                       proof may take minutes to days.
  [[nodiscard]] bool is_motion_valid(std::span<const double> from, std::span<const double> to, State& state) const;
  [[nodiscard]] MotionCheck check_motion(std::span<const double> from, std::span<const double> to, State& state) const;

  /// Many configurations, one after another, in parallel in the caller's TBB arena.
  /// @param configurations  A multiple of dimension(). @param valid  One a configuration: 1 or 0.
  void are_valid(std::span<const double> configurations, std::span<std::uint8_t> valid) const;
  /// Many motions, certified. @param from, to  As many configurations each. @param valid  One a motion: 1 or 0.
  /// @throws InvalidInput  naming the first motion that is refused, from 0, before any is answered.
  void are_motions_valid(std::span<const double> from, std::span<const double> to, std::span<std::uint8_t> valid) const;

 private:
  explicit ValidityChecker(std::shared_ptr<const detail::CheckedWorld> world) : world_(std::move(world)) {}

  // Arguments checked, the state's inside.
  detail::CheckerState& begin(State& state, std::span<const double> configuration) const;
  detail::CheckerState& begin(State& state, std::span<const double> from, std::span<const double> to) const;
  detail::CheckerState& ready(State& state) const;
  [[nodiscard]] MotionCheck described(const detail::MotionOutcome& outcome) const;

  std::shared_ptr<const detail::CheckedWorld> world_;
};

}  // namespace abut
