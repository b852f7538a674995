#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <abut/io/json_text.h>
#include <abut/narrowphase/distance.h>
#include <abut/planning/checked_robot.h>
#include <abut/planning/motion_bound.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace abut::detail {
namespace {

constexpr std::size_t kBallsAPiece = 8;
constexpr std::size_t kTableCells = 64;
constexpr std::size_t kTableCellsOfOneAxis = 1024;
/// Room in tables for rounding, of the reach of the robot.
constexpr double kTableSlack = 1e-9;
/// Slides without limits: the fast tier has room for this much, metres.
constexpr double kUnlimitedSlide = 100.0;
/// Each step along the chain rounds a place by a few units in the last place of its distance from the root. Twice what
/// adding them up gives.
constexpr double kRoundingSteps = 16.0;

std::vector<std::size_t> chosen_variables(const RobotModel& robot, const ValidityOptions& options) {
  std::vector<std::size_t> result;
  if (options.variables.empty()) {
    for (std::size_t i = 0; i < robot.variables().size(); ++i) result.push_back(i);
    return result;
  }
  for (const std::string& name : options.variables) {
    const std::optional<std::size_t> index = robot.find_variable(name);
    if (!index) throw InvalidInput("variables", "the robot has no variable '" + name + "'");
    if (std::find(result.begin(), result.end(), *index) != result.end()) {
      throw InvalidInput("variables", "'" + name + "' is given twice");
    }
    result.push_back(*index);
  }
  return result;
}

/// @param variables  Those that move.
std::vector<double> fixed_values(const RobotModel& robot, const ValidityOptions& options,
                                 std::span<const std::size_t> variables) {
  std::vector<double> values = robot.default_values();
  std::set<std::string_view> fixed;
  for (const auto& [name, value] : options.fixed_values) {
    const std::optional<std::size_t> index = robot.find_variable(name);
    if (!index) throw InvalidInput("fixed_values", "the robot has no variable '" + name + "'");
    const bool is_free = std::find(variables.begin(), variables.end(), *index) != variables.end();
    if (is_free) throw InvalidInput("fixed_values." + name, "is one of the variables that move");
    if (!fixed.insert(name).second) throw InvalidInput("fixed_values", "'" + name + "' is given twice");
    require_value("fixed_values." + name, value);
    values[*index] = value;
  }
  return values;
}

/// @param variables  Those of configurations. @param values  Of the others.
std::vector<Follower> followers_of(const RobotModel& robot, std::span<const std::size_t> variables,
                                   std::span<const double> values) {
  std::vector<Follower> result;
  for (std::size_t i = 0; i < robot.joints().size(); ++i) {
    const RobotJoint& joint = robot.joints()[i];
    if (!joint.mimic) continue;
    const std::size_t leader = *robot.first_variable(joint.mimic->joint);
    const auto place = std::find(variables.begin(), variables.end(), leader);
    if (place == variables.end()) {
      require_followed("fixed_values." + robot.variables()[leader].name, values[leader], joint.name,
                       joint.mimic->multiplier, joint.mimic->offset);
      continue;
    }
    result.push_back(
        {static_cast<std::size_t>(place - variables.begin()), i, joint.mimic->multiplier, joint.mimic->offset});
  }
  return result;
}

std::string within_largest(double value) {
  std::string text = "must be within +-1e9, got ";
  json::append(text, value);
  return text;
}

double padding_of(const ValidityOptions& options, const std::string& link) {
  for (const auto& [name, padding] : options.padding) {
    if (name == link) return padding;
  }
  return 0.0;
}

void check_options(const RobotModel& robot, const ValidityOptions& options) {
  if (options.disabled_pairs && options.disabled_pairs->link_count() != robot.links().size()) {
    throw InvalidInput("disabled_pairs", "must be made for the robot's " + std::to_string(robot.links().size()) +
                                             " links, not for " + std::to_string(options.disabled_pairs->link_count()));
  }
  require_positive("motion_tolerance", options.motion_tolerance);
  require_finite("world_from_root", options.world_from_root);
  std::set<std::string_view> padded;
  for (const auto& [name, padding] : options.padding) {
    if (!robot.find_link(name)) throw InvalidInput("padding", "the robot has no link '" + name + "'");
    if (!padded.insert(name).second) throw InvalidInput("padding", "'" + name + "' is given twice");
    require_not_negative("padding." + name, padding);
  }
}

/// Adds a shape, or the children of a compound, each a piece of its own.
void add_pieces(std::vector<Piece>& pieces, std::uint32_t body, const LinkPlace& place, const Shape& shape,
                const Pose& link_from_shape, double padding, const std::string& name) {
  if (!shape.is_bounded()) throw InvalidInput(name, "must be bounded to move");
  if (const Compound* compound = shape.get_if<Compound>()) {
    for (const CompoundChild& child : compound->children()) {
      add_pieces(pieces, body, place, child.shape, link_from_shape * child.pose, padding, name);
    }
    return;
  }
  if (padding > 0.0 && !shape.is_convex()) {
    throw InvalidInput("padding." + name, "only convex geometry can be grown, not a " + std::string(shape.type_name()));
  }
  Piece piece(padding > 0.0 ? Shape(shape.geometry(), shape.margin() + padding) : shape);
  piece.body = body;
  piece.frame = place.frame;
  piece.frame_from_shape = place.frame_from_link * link_from_shape;
  pieces.push_back(std::move(piece));
}

LaneFrame lane_frame(const MovingFrame& frame) {
  LaneFrame result{};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k)
      result.rotation[3 * i + k] = static_cast<float>(frame.parent_from_joint.rotation()(i, k));
    result.translation[i] = static_cast<float>(frame.parent_from_joint.translation()[i]);
  }
  result.multiplier = frame.multiplier;
  result.offset = frame.offset;
  result.parent = frame.parent;
  result.variable = frame.variable;
  result.slides = frame.slides;
  return result;
}

/// Largest way of a slide from its joint, metres.
double slide_limit(const MovingFrame& frame, const RobotVariable& variable) {
  const double ends[] = {variable.lower, variable.upper};
  double limit = 0.0;
  for (const double end : ends) {
    const double value = std::isfinite(end) ? frame.multiplier * end + frame.offset : kUnlimitedSlide;
    limit = std::max(limit, std::abs(value));
  }
  return std::min(limit, ValidityChecker::kLargestValue);  // others are refused
}

/// What moves the two pieces of a pair against each other, where it is one or two variables with a range.
struct TableMotion {
  std::vector<TableAxis> axes;    ///< None: there are more.
  std::array<double, 2> rates{};  ///< How far points of one may move against the other per unit of each, metres.
};

/// The values that a variable can have: within its limits, and neither it nor what follows it too large.
TableAxis table_axis(const CheckedRobot& checked, std::uint32_t variable) {
  constexpr double kLargest = ValidityChecker::kLargestValue;
  const RobotVariable& limits = checked.robot.variables()[checked.variables[variable]];
  TableAxis axis{variable, std::max(limits.lower, -kLargest), std::min(limits.upper, kLargest)};
  for (const Follower& follower : checked.followers) {
    if (follower.variable != variable || follower.multiplier == 0.0) continue;
    const double first = (-kLargest - follower.offset) / follower.multiplier;
    const double last = (kLargest - follower.offset) / follower.multiplier;
    axis.lower = std::max(axis.lower, std::min(first, last));
    axis.upper = std::min(axis.upper, std::max(first, last));
  }
  return axis;
}

/// The variables of the frames between a piece and a frame that carries it. @return Whether there is room for all.
bool add_axes(const CheckedRobot& checked, const Piece& piece, std::uint32_t carrier, std::vector<TableAxis>& axes) {
  for (std::uint32_t f = piece.frame; f != carrier; f = checked.kinematics.frames()[f].parent) {
    const MovingFrame& frame = checked.kinematics.frames()[f];
    const auto is_same = [&frame](const TableAxis& axis) { return axis.variable == frame.variable; };
    if (frame.multiplier == 0.0 || std::any_of(axes.begin(), axes.end(), is_same)) continue;
    if (axes.size() == 2) return false;
    axes.push_back(table_axis(checked, frame.variable));
  }
  return true;
}

void add_rates(const CheckedRobot& checked, const Piece& piece, std::uint32_t carrier, TableMotion& motion) {
  // From the piece inwards: `beyond` bounds how far points of the piece are from the origin of the frame at hand,
  // `across` how far they are from its z axis.
  double beyond = piece.arm;
  double across = piece.center.head<2>().norm() + piece.radius;
  for (std::uint32_t f = piece.frame; f != carrier; f = checked.kinematics.frames()[f].parent) {
    const MovingFrame& frame = checked.kinematics.frames()[f];
    for (std::size_t i = 0; i < motion.axes.size(); ++i) {
      if (motion.axes[i].variable != frame.variable) continue;
      motion.rates[i] += std::abs(frame.multiplier) * (frame.slides ? 1.0 : across);
    }
    const Vector3d& way = frame.parent_from_joint.translation();
    across = way.head<2>().norm() + checked.slide_limits[f] + beyond;
    beyond += way.norm() + checked.slide_limits[f];
  }
}

TableMotion table_motion(const CheckedRobot& checked, const PiecePair& pair) {
  TableMotion motion;
  const Piece& a = checked.pieces[pair.a];
  const Piece& b = checked.pieces[pair.b];
  if (!add_axes(checked, a, pair.common, motion.axes) || !add_axes(checked, b, pair.common, motion.axes)) return {};
  for (const TableAxis& axis : motion.axes) {
    const bool has_range = checked.robot.variables()[checked.variables[axis.variable]].has_range();
    if (!has_range || !(axis.upper > axis.lower)) return {};
  }
  add_rates(checked, a, pair.common, motion);
  add_rates(checked, b, pair.common, motion);
  return motion;
}

/// Proves the cells of tables; keeps its memory from one to the next.
class CellProver {
 public:
  explicit CellProver(const CheckedRobot& checked)
      : checked_(checked),
        configuration_(checked.kinematics.dimension(), 0.0),
        change_(checked.kinematics.dimension(), 0.0),
        common_from_frame_(checked.kinematics.frame_count()) {}

  /// What is proven about a pair in a cell of its table. The plane between the two pieces in the middle of the cell
  /// keeps them apart in all of the cell by what it keeps in the corners; where they overlap, points move too little to
  /// part.
  double prove(const PiecePair& pair, const TableMotion& motion, std::span<const double> middle,
               std::span<const double> half) {
    const Piece& a = checked_.pieces[pair.a];
    const Piece& b = checked_.pieces[pair.b];
    const std::vector<TableAxis>& axes = motion.axes;
    double way = 0.0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      configuration_[axes[i].variable] = middle[i];
      way += half[i] * motion.rates[i];
    }
    checked_.kinematics.poses_between(pair.common, a.frame, configuration_, common_from_frame_);
    checked_.kinematics.poses_between(pair.common, b.frame, configuration_, common_from_frame_);
    const Pose common_from_a = common_from_frame_[a.frame] * a.frame_from_shape;
    const Pose common_from_b = common_from_frame_[b.frame] * b.frame_from_shape;
    const Separation separation = distance(a.shape, common_from_a, b.shape, common_from_b);
    const double error = separation.distance_error + kTableSlack * checked_.reach;
    if (separation.distance + error < -way) return PairTable::kCollides;
    double least = separation.distance - error - way;
    if (separation.distance > error && a.shape.is_convex() && b.shape.is_convex()) {
      double in_corners = kInfinity;
      for (std::size_t diagonal = 0; diagonal < axes.size(); ++diagonal) {
        for (std::size_t i = 0; i < axes.size(); ++i) change_[axes[i].variable] = i < diagonal ? -half[i] : half[i];
        bound_.begin_between(checked_, pair, change_.data());
        const Vector3d& n = separation.normal;
        const MovingPlane plane{n, bound_.reach_along(a, pair.common, n, common_from_frame_),
                                bound_.reach_along(b, pair.common, -n, common_from_frame_),
                                bound_.bend(a, pair.common) + bound_.bend(b, pair.common)};
        for (const double tau : {-1.0, 1.0}) {
          in_corners =
              std::min(in_corners, plane.gap(tau, a.shape, common_from_a, b.shape, common_from_b, nullptr) - error);
        }
      }
      least = std::max(least, in_corners);
    }
    return least > PairTable::kUnknown ? least : PairTable::kUnknown;  // NaN proves nothing
  }

 private:
  const CheckedRobot& checked_;
  std::vector<double> configuration_;  // what a pair does not depend on is never looked at
  std::vector<double> change_;
  std::vector<Pose> common_from_frame_;
  MotionBound bound_;
};

/// The piece with a number.
const Piece* piece_of(const CheckedRobot& checked, std::uint32_t number) {
  const auto found = std::find_if(checked.pieces.begin(), checked.pieces.end(),
                                  [number](const Piece& piece) { return piece.number == number; });
  return found != checked.pieces.end() ? &*found : nullptr;
}

/// What a robot has proven about a pair of links of another that differs from it in attached bodies alone; may be null.
std::shared_ptr<const PairTable> table_of(const CheckedRobot& known, const CheckedRobot& other, const PiecePair& pair) {
  const std::uint32_t a = other.pieces[pair.a].number;
  const std::uint32_t b = other.pieces[pair.b].number;
  if (a >= other.link_pieces || b >= other.link_pieces) return nullptr;
  for (const PiecePair& same : known.pairs) {
    if (known.pieces[same.a].number == a && known.pieces[same.b].number == b && same.table >= 0) {
      return known.tables[static_cast<std::size_t>(same.table)];
    }
  }
  return nullptr;
}

}  // namespace

void require_value(std::string_view field, double value) {
  require_finite(field, value);
  if (std::abs(value) > ValidityChecker::kLargestValue) throw InvalidInput(std::string(field), within_largest(value));
}

void require_followed(std::string_view field, double value, const std::string& joint, double multiplier,
                      double offset) {
  const double followed = multiplier * value + offset;
  if (std::abs(followed) <= ValidityChecker::kLargestValue) return;
  throw InvalidInput(std::string(field), "sets the mimic joint \"" + joint + "\", whose value " +
                                             (std::isfinite(followed) ? within_largest(followed) : "must be finite"));
}

PieceBalls::PieceBalls(const std::vector<CoverBall>& balls, const Pose& frame_from_shape, double slack)
    : count(balls.size()) {
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  const std::size_t lanes = (balls.size() + kLanes - 1) / kLanes * kLanes;
  for (std::vector<float>& coordinate : center) coordinate.assign(lanes, 0.0F);
  outer.assign(lanes, kNone);
  inner.assign(lanes, kNone);
  for (std::size_t i = 0; i < balls.size(); ++i) {
    const Vector3d at = frame_from_shape * balls[i].center;
    for (int k = 0; k < 3; ++k) center[k][i] = static_cast<float>(at[k]);
    outer[i] = static_cast<float>(balls[i].outer + slack);
    if (balls[i].inner > slack) inner[i] = static_cast<float>(balls[i].inner - slack);
  }
}

CheckedRobot::CheckedRobot(const RobotModel& model, const ValidityOptions& given,
                           const std::vector<AttachedBody>& carried, const CheckedRobot* known)
    : robot(model),
      options(given),
      attached(carried),
      variables(chosen_variables(model, given)),
      followers(followers_of(model, variables, fixed_values(model, given, variables))),
      kinematics(model, variables, fixed_values(model, given, variables)) {
  check_options(robot, options);

  // The pieces, by frame.
  std::vector<const AttachedBody*> body_attached;
  std::vector<std::size_t> body_link;
  for (std::size_t link = 0; link < robot.links().size(); ++link) {
    body_names.push_back(robot.links()[link].name);
    body_attached.push_back(nullptr);
    body_link.push_back(link);
    for (const LinkGeometry& geometry : robot.links()[link].geometry) {
      add_pieces(pieces, static_cast<std::uint32_t>(link), kinematics.place(link), geometry.shape,
                 geometry.link_from_shape, padding_of(options, robot.links()[link].name), robot.links()[link].name);
    }
  }
  link_pieces = static_cast<std::uint32_t>(pieces.size());
  for (const AttachedBody& body : attached) {
    const std::optional<std::size_t> link = robot.find_link(body.link);
    if (!link) throw InvalidInput("attached." + body.name + ".link", "the robot has no link '" + body.link + "'");
    require_finite("attached." + body.name + ".link_from_body", body.link_from_body);
    if (!body.shape.is_bounded()) throw InvalidInput("attached." + body.name + ".shape", "must be bounded to move");
    for (const std::string& name : body.touch_links) {
      if (std::find(body_names.begin(), body_names.end(), name) == body_names.end()) {
        throw InvalidInput("attached." + body.name + ".touch_links",
                           "'" + name + "' is neither a link of the robot nor a body that is attached already");
      }
    }
    if (body.name.empty() || std::find(body_names.begin(), body_names.end(), body.name) != body_names.end()) {
      throw InvalidInput("attached.name", "'" + body.name + "' is empty or the name of another body");
    }
    add_pieces(pieces, static_cast<std::uint32_t>(body_names.size()), kinematics.place(*link), body.shape,
               body.link_from_body, 0.0, body.name);
    body_names.push_back(body.name);
    body_attached.push_back(&body);
    body_link.push_back(*link);
  }
  for (std::uint32_t i = 0; i < pieces.size(); ++i) pieces[i].number = i;
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.frame < b.frame; });
  tbb::parallel_for(std::size_t{0}, pieces.size(), [this, known](std::size_t i) {
    Piece& piece = pieces[i];
    const Piece* same = known != nullptr && piece.number < link_pieces ? piece_of(*known, piece.number) : nullptr;
    piece.cover = same != nullptr ? same->cover : ball_cover(piece.shape, kBallsAPiece);
    piece.center = piece.frame_from_shape * piece.cover.whole.center;
    piece.radius = piece.cover.whole.outer;
    piece.arm = piece.center.norm() + piece.radius;
  });

  // How far everything reaches, and the room for rounding that follows from it.
  for (const MovingFrame& frame : kinematics.frames()) {
    lane_frames.push_back(lane_frame(frame));
    const bool is_root = frame_reach.empty();
    const double limit =
        is_root || !frame.slides ? 0.0 : slide_limit(frame, robot.variables()[variables[frame.variable]]);
    slide_limits.push_back(limit);
    if (frame.slides) slides.push_back(static_cast<std::uint32_t>(slide_limits.size() - 1));
    segment_lengths.push_back(is_root ? 0.0 : frame.parent_from_joint.translation().norm() + limit);
    frame_reach.push_back(is_root ? 0.0 : frame_reach[frame.parent] + segment_lengths.back());
  }
  is_fast = options.fast_tier;
  for (const Piece& piece : pieces) {
    const double farthest = frame_reach[piece.frame] + piece.arm;
    reach = std::max(reach, farthest);
    is_fast = is_fast && farthest <= kLargestFastLength;
  }
  slack = kRoundingSteps * std::numeric_limits<float>::epsilon() * static_cast<double>(kinematics.frame_count() + 2) *
          reach;
  for (Piece& piece : pieces) {
    piece.balls = PieceBalls(piece.cover.parts, piece.frame_from_shape, slack);
    piece.whole = PieceBalls({piece.cover.whole}, piece.frame_from_shape, slack);
  }

  // The pairs.
  const auto may_touch = [&](std::uint32_t body, std::uint32_t other) {
    if (body_attached[body] == nullptr) return false;
    const std::vector<std::string>& names = body_attached[body]->touch_links;
    return std::find(names.begin(), names.end(), body_names[other]) != names.end();
  };
  const auto is_checked = [&](std::uint32_t a, std::uint32_t b) {
    // A link and all that is attached to it never move against each other.
    if (body_link[a] == body_link[b] || is_allowed(body_names[a], body_names[b])) return false;
    if (body_attached[a] != nullptr || body_attached[b] != nullptr) return !may_touch(a, b) && !may_touch(b, a);
    return !robot.adjacent(body_link[a], body_link[b]) &&
           !(options.disabled_pairs && options.disabled_pairs->contains(body_link[a], body_link[b]));
  };
  for (std::uint32_t a = 0; a < pieces.size(); ++a) {
    for (std::uint32_t b = a + 1; b < pieces.size(); ++b) {
      if (!is_checked(pieces[a].body, pieces[b].body)) continue;
      if (pieces[a].frame == pieces[b].frame) {
        still_pairs.push_back(
            {{a, b, 0, false},
             distance(pieces[a].shape, pieces[a].frame_from_shape, pieces[b].shape, pieces[b].frame_from_shape)});
        continue;
      }
      PiecePair pair;
      pair.a = a;
      pair.b = b;
      pair.common = kinematics.common_frame(pieces[a].frame, pieces[b].frame);
      pairs.push_back(pair);
    }
  }

  // Tables of the pairs that one or two variables decide.
  if (!is_fast) return;
  tbb::enumerable_thread_specific<CellProver> provers([this] { return CellProver(*this); });
  for (PiecePair& pair : pairs) {
    const TableMotion motion = table_motion(*this, pair);
    const std::vector<TableAxis>& axes = motion.axes;
    if (axes.empty()) continue;
    pair.table = static_cast<std::int32_t>(tables.size());
    std::shared_ptr<const PairTable> table = known != nullptr ? table_of(*known, *this, pair) : nullptr;
    if (table == nullptr) {
      table = std::make_shared<const PairTable>(axes, axes.size() == 1 ? kTableCellsOfOneAxis : kTableCells,
                                                [&](std::span<const double> middle, std::span<const double> half) {
                                                  return provers.local().prove(pair, motion, middle, half);
                                                });
    }
    tables.push_back(std::move(table));
  }
  for (std::uint32_t i = 0; i < pairs.size(); ++i) {
    const float radii = pieces[pairs[i].a].whole.outer[0] + pieces[pairs[i].b].whole.outer[0];
    (pairs[i].table >= 0 ? tabled_pairs : free_pairs).push_back({pairs[i].a, pairs[i].b, i, radii});
  }
}

bool CheckedRobot::is_allowed(std::string_view a, std::string_view b) const {
  return std::any_of(options.allowed_collisions.begin(), options.allowed_collisions.end(), [&](const auto& pair) {
    return (pair.first == a && pair.second == b) || (pair.first == b && pair.second == a);
  });
}

bool CheckedRobot::in_range(const double* configuration) const {
  if (!kinematics.in_range({configuration, kinematics.dimension()})) return false;
  return std::all_of(slides.begin(), slides.end(), [&](std::uint32_t f) {
    const MovingFrame& frame = kinematics.frames()[f];
    return std::abs(frame.multiplier * configuration[frame.variable] + frame.offset) <= slide_limits[f];
  });
}

}  // namespace abut::detail
