// Neighbours come from the mesh's adjacency or from the grid; flat triangles between two others are passed over. Across
// open edges they are looked for by place.
#include <abut/core/shapes/mesh_adjacency.h>
#include <abut/core/triangle_normal.h>
#include <abut/narrowphase/manifold/surface_normals.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace abut::detail {
namespace {

// A triangle of a smaller height, as a fraction of its longest edge, has a normal made of rounding.
constexpr double kNeedleHeight = 1e-9;

// Radians: an edge that bends the surface by less is flat.
constexpr double kFlatBend = 1e-3;

// Sine of the angle out of the plane across an edge up to which a direction is one of that edge.
constexpr double kSinOffEdge = 0.1;

// A corner is exceeded by another one that is higher by this fraction of their distance; less than kSameNormal, so that
// a corner of a flat surface has no direction beside that surface's normal.
constexpr double kConeSlack = 0.5 * kSameNormal;

// The same of a direction that was turned towards the middle of the cone: rounding.
constexpr double kConeRounding = 1e-12;

// Slivers beyond an edge that are passed over, and triangles around a corner that are looked at.
constexpr int kMostSlivers = 4;
constexpr int kMostAround = 256;

// A crack so wide, as a fraction of a triangle's longest edge, is none: coordinates in float of what is 300 times as
// far from the origin as it is large. Much wider, and steps without risers would be level.
constexpr double kCrack = 2e-5;

// Cosine of the angle by which a surface may bend where it runs on across a crack.
constexpr double kCosMostBend = 0.5;

struct FaceNormal {
  Vector3d unit = Vector3d::Zero();
  double area = 0.0;  ///< Twice the area; 0: a needle.

  explicit FaceNormal(const std::array<Vector3d, 3>& corners) {
    const TriangleNormal found(corners[0], corners[1], corners[2]);
    const double length = found.length();
    if (!(length > kNeedleHeight * found.longest_sq) || !std::isfinite(length)) return;
    unit = found.normal / length;
    area = length;
  }
};

Vector3d edge_vector(const std::array<Vector3d, 3>& corners, std::size_t edge) {
  return corners[(edge + 1) % 3] - corners[edge];
}

// Whether a triangle holds a point, to `gap`, metres; none that is not finite.
// @param normal  Unit, of the triangle.
bool holds(const std::array<Vector3d, 3>& corners, const Vector3d& normal, const Vector3d& point, double gap) {
  if (!(std::abs(normal.dot(point - corners[0])) <= gap)) return false;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3d along = edge_vector(corners, k);
    if (!(normal.cross(along).dot(point - corners[k]) >= -gap * along.norm())) return false;
  }
  return true;
}

// The grid's triangle under prism `index`: its cell and which half.
struct GridPlace {
  Eigen::Index row;
  Eigen::Index column;
  bool is_upper;  ///< Beyond the diagonal.

  GridPlace(const HeightField& field, std::uint32_t index)
      : row(index / 2 / (field.heights().cols() - 1)),
        column(index / 2 % (field.heights().cols() - 1)),
        is_upper(index % 2 != 0) {}

  /// The row and column of a corner.
  [[nodiscard]] std::array<Eigen::Index, 2> corner(std::size_t k) const {
    if (k == 0) return {row, column};
    if (is_upper) return {row + 1, k == 1 ? column + 1 : column};
    return {k == 1 ? row : row + 1, column + 1};
  }
};

}  // namespace

SurfaceLeaf::SurfaceLeaf(const TriangleMesh& mesh, std::uint32_t triangle)
    : mesh_(&mesh), item_(triangle), corners_(mesh.corners(triangle)) {
  set_face();
}

SurfaceLeaf::SurfaceLeaf(const HeightField& field, std::uint32_t prism) : field_(&field), item_(prism) {
  const HeightField::Prism points = field.prism(prism);
  std::copy_n(points.begin(), 3, corners_.begin());
  set_face();
}

void SurfaceLeaf::set_face() {
  const FaceNormal face(corners_);
  normal_ = face.unit;
  has_normal_ = face.area > 0.0;
}

bool SurfaceLeaf::is_covered() const {
  if (has_normal_ || mesh_ == nullptr) return false;
  const MeshAdjacency& adjacency = mesh_->adjacency();
  for (std::size_t k = 0; k < 3; ++k) {
    const MeshAdjacency::Link link = adjacency.link(item_, k);
    if (link.is_covered() || link.is_joined()) return true;
  }
  return false;
}

// Of a height field what is below a corner or edge counts too: its walls.
bool SurfaceLeaf::is_met(const Vector3d& point) const {
  Vector3d offset = point - met_center_;
  if (field_ != nullptr) offset.z() = 0.0;
  return offset.squaredNorm() <= met_radius_ * met_radius_;
}

bool SurfaceLeaf::is_edge_met(std::size_t edge) const {
  Vector3d along = edge_vector(corners_, edge);
  if (field_ != nullptr) along.z() = 0.0;
  const double at = along.dot(met_center_ - corners_[edge]) / along.squaredNorm();
  return is_met(corners_[edge] + std::clamp(at, 0.0, 1.0) * along);
}

void SurfaceLeaf::find_edges() {
  has_edges_ = true;
  for (std::size_t k = 0; k < 3; ++k) {
    Edge& edge = edges_[k];
    const Vector3d along = edge_vector(corners_, k);
    const double length = along.norm();
    if (!(length > 0.0)) continue;
    edge.along = along / length;
    edge.outward = edge.along.cross(normal_);
    find_beyond(k);
  }
}

void SurfaceLeaf::find_beyond(std::size_t k) {
  Edge& edge = edges_[k];
  if (field_ != nullptr) {
    const GridPlace place(*field_, item_);
    const Eigen::Index cells = field_->heights().cols() - 1;
    const Eigen::Index rows = field_->heights().rows() - 1;
    Eigen::Index row = place.row;
    Eigen::Index column = place.column;
    const bool is_diagonal = k == (place.is_upper ? 0 : 2);
    if (!is_diagonal) {
      if (place.is_upper) {
        (k == 1 ? row : column) += k == 1 ? 1 : -1;
      } else {
        (k == 0 ? row : column) += k == 0 ? -1 : 1;
      }
    }
    edge.is_known = true;
    if (row < 0 || row >= rows || column < 0 || column >= cells) {  // a wall of the whole field
      edge.beyond = Vector3d(edge.along.y(), -edge.along.x(), 0.0).normalized();
      return;
    }
    const auto neighbour = static_cast<std::uint32_t>(2 * (row * cells + column) + (place.is_upper ? 0 : 1));
    const HeightField::Prism points = field_->prism(neighbour);
    const FaceNormal face({points[0], points[1], points[2]});
    edge.beyond = face.unit;
    edge.is_known = face.area > 0.0;
    return;
  }
  const MeshAdjacency& adjacency = mesh_->adjacency();
  std::uint32_t triangle = item_;
  std::size_t side = k;
  std::array<Vector3d, 3> corners = corners_;
  double sense = 1.0;
  for (int hop = 0; hop <= kMostSlivers; ++hop) {
    const MeshAdjacency::Link link = adjacency.link(triangle, side);
    if (!link.is_joined() || (hop > 0 && link.triangle() == item_)) break;
    const std::array<Vector3d, 3> next = mesh_->corners(link.triangle());
    // Neighbours of one winding run along their edge in opposite directions.
    if (edge_vector(corners, side).dot(edge_vector(next, link.edge())) > 0.0) sense = -sense;
    const FaceNormal face(next);
    if (face.area > 0.0) {
      edge.beyond = sense * face.unit;
      edge.is_known = true;
      return;
    }
    // A sliver: on through the longer of its other edges.
    triangle = link.triangle();
    corners = next;
    const std::size_t first = (link.edge() + 1) % 3;
    const std::size_t second = (link.edge() + 2) % 3;
    const bool is_first = edge_vector(next, first).squaredNorm() >= edge_vector(next, second).squaredNorm();
    side = is_first ? first : second;
  }
  edge.is_known = true;
  const std::optional<Onward> onward = beyond_gap(k, edge.along.dot(met_center_ - corners_[k]));
  edge.is_open = !onward;
  if (onward) edge.beyond = onward->normal;
}

double SurfaceLeaf::gap() const {
  double longest_sq = 0.0;
  for (std::size_t k = 0; k < 3; ++k) longest_sq = std::max(longest_sq, edge_vector(corners_, k).squaredNorm());
  return kCrack * std::sqrt(longest_sq);
}

std::optional<SurfaceLeaf::Onward> SurfaceLeaf::beyond_gap(std::size_t k, double at) const {
  const Vector3d whole = edge_vector(corners_, k);
  const double length = whole.norm();
  if (around_.empty() || !has_normal_ || !(length > 0.0)) return std::nullopt;
  const Vector3d along = whole / length;
  const Vector3d outward = along.cross(normal_);
  const double gap = this->gap();
  const double end = std::min(4.0 * gap, 0.5 * length);  // of triangles that touch at an end the one beside the edge
  const Vector3d point = corners_[k] + std::clamp(at, end, length - end) * along;
  std::optional<Onward> found;
  double best = kCosMostBend;
  visit_near(around_, point, 3.0 * gap, [&](std::uint32_t item) {
    if (item == item_) return false;
    const std::array<Vector3d, 3> corners = mesh_->corners(item);
    const FaceNormal face(corners);
    if (!(face.area > 0.0)) return false;
    const Vector3d onward = along.cross(face.unit);
    const double cosine = onward.dot(outward);
    const bool is_as_good = found && std::abs(cosine) == best && item < found->triangle;
    if (!is_as_good && !(std::abs(cosine) > best)) return false;
    const double sense = std::copysign(1.0, cosine);
    const Vector3d ahead = sense * onward.normalized();
    // Where no copy of this one reaches.
    if (!holds(corners, face.unit, point + 2.0 * gap * ahead, gap)) return false;
    best = std::abs(cosine);
    found = {item, ahead.cross(along), sense};
    return false;
  });
  return found;
}

double SurfaceLeaf::flatness() {
  if (!has_normal_) return 1.0;
  if (!has_edges_) find_edges();
  double sum = 0.0;
  int neighbours = 0;
  for (const Edge& edge : edges_) {
    if (!edge.is_known || edge.is_open) continue;
    sum += edge.beyond.dot(normal_);
    ++neighbours;
  }
  return neighbours > 0 ? sum / neighbours : 1.0;
}

SurfaceLeaf::Fan SurfaceLeaf::fan(std::size_t corner, const Vector3d& direction, double side) {
  if (mesh_ == nullptr) return field_fan(corner, direction);
  if (direction != fan_direction_) {  // both sides are asked for
    fan_ = mesh_fan(corner, direction, kConeSlack);
    fan_direction_ = direction;
  }
  Fan found = fan_;
  if (found.is_exceeded) return found;
  // The ends of a narrow strip lie so nearly across the direction that they exceed a flat corner by less than the
  // slack. What is in a corner's cone stays there on the way to its middle.
  const Vector3d middle = side * found.normal.normalized();
  const Vector3d off = middle - middle.dot(direction) * direction;
  const double sine = off.norm();
  if (!(sine > 2.0 * kConeSlack)) return found;
  const Vector3d turned = (direction + kConeSlack / sine * off).normalized();
  found.is_exceeded = mesh_fan(corner, turned, kConeRounding).is_exceeded;
  return found;
}

SurfaceLeaf::Fan SurfaceLeaf::mesh_fan(std::size_t corner, const Vector3d& direction, double slack) const {
  Fan result;
  const Vector3d& center = corners_[corner];
  const auto exceeds = [&](const Vector3d& point) {
    const Vector3d offset = point - center;
    return direction.dot(offset) > slack * offset.norm();
  };
  for (const Vector3d& point : corners_) {
    if (exceeds(point)) {
      result.is_exceeded = true;
      return result;
    }
  }
  result.normal = normal_;
  const MeshAdjacency& adjacency = mesh_->adjacency();
  // Around it the one way; where that ends at an open edge, the other way as well.
  for (const std::size_t start : {corner, (corner + 2) % 3}) {
    std::uint32_t triangle = item_;
    std::size_t edge = start;
    std::array<Vector3d, 3> corners = corners_;
    double sense = 1.0;
    std::uint32_t last = item_;  // or what that is a copy of
    for (int step = 0; step < kMostAround; ++step) {
      const MeshAdjacency::Link link = adjacency.link(triangle, edge);
      if (!link.is_joined()) break;
      if (step == 0) last = adjacency.link(link.triangle(), link.edge()).triangle();
      if (link.triangle() == last) return result;
      const std::array<Vector3d, 3> next = mesh_->corners(link.triangle());
      if (edge_vector(corners, edge).dot(edge_vector(next, link.edge())) > 0.0) sense = -sense;
      // The corner is that end of the shared edge that lies where it does.
      const std::size_t low = link.edge();
      const std::size_t high = (low + 1) % 3;
      const bool is_low = (next[low] - center).squaredNorm() <= (next[high] - center).squaredNorm();
      for (const std::size_t k : {is_low ? high : low, (low + 2) % 3}) {
        if (exceeds(next[k])) {
          result.is_exceeded = true;
          return result;
        }
      }
      result.normal += sense * FaceNormal(next).unit;
      triangle = link.triangle();
      corners = next;
      edge = is_low ? (low + 2) % 3 : high;
    }
  }
  result.is_open = !around_.empty();
  const double gap = around_.empty() ? 0.0 : this->gap();
  result.is_exceeded = visit_near(around_, center, gap, [&](std::uint32_t item) {
    if (item == item_) return false;
    const std::array<Vector3d, 3> next = mesh_->corners(item);
    const FaceNormal face(next);
    if (!(face.area > 0.0) || !holds(next, face.unit, center, gap)) return false;
    const auto is_higher = [&](const Vector3d& point) { return (point - center).norm() > gap && exceeds(point); };
    if (std::any_of(next.begin(), next.end(), is_higher)) return true;
    result.normal += std::copysign(1.0, face.unit.dot(result.normal)) * face.unit;
    return false;
  });
  return result;
}

SurfaceLeaf::Fan SurfaceLeaf::field_fan(std::size_t corner, const Vector3d& direction) const {
  Fan result;
  result.normal = Vector3d::UnitZ();
  const Eigen::MatrixXd& heights = field_->heights();
  const auto [row, column] = GridPlace(*field_, item_).corner(corner);
  const double base = field_->base();
  const double at = direction.z() < 0.0 ? base : heights(row, column);
  // Both triangles of a cell meet at its diagonal: two of the eight around are no neighbours.
  for (Eigen::Index i = -1; i <= 1; ++i) {
    for (Eigen::Index j = -1; j <= 1; ++j) {
      const Eigen::Index r = row + i;
      const Eigen::Index c = column + j;
      if (i * j == -1 || (i == 0 && j == 0) || r < 0 || c < 0 || r >= heights.rows() || c >= heights.cols()) continue;
      const Vector3d level(static_cast<double>(j) * field_->spacing().x(),
                           static_cast<double>(i) * field_->spacing().y(), 0.0);
      for (const double height : {heights(r, c), base}) {
        const Vector3d offset(level.x(), level.y(), height - at);
        if (direction.dot(offset) <= kConeSlack * offset.norm()) continue;
        result.is_exceeded = true;
        return result;
      }
    }
  }
  return result;
}

Vector3d SurfaceLeaf::nearest_normal(const Vector3d& direction, double side) {
  if (!has_normal_) return direction;
  const Vector3d face = side * normal_;
  // 1 - cos of kSameNormal.
  if (direction.dot(face) >= 1.0 - 0.5 * kSameNormal * kSameNormal) return face;

  // Of a prism that is met from below it is a corner of the base.
  const bool is_base = field_ != nullptr && direction.z() < 0.0;
  const auto rise_of = [&](std::size_t k) {
    return is_base ? corners_[k].head<2>().dot(direction.head<2>()) : corners_[k].dot(direction);
  };
  std::size_t top = 0;
  for (std::size_t k = 1; k < 3; ++k) {
    if (rise_of(k) > rise_of(top)) top = k;
  }
  if (is_base || is_met(corners_[top])) {
    const Fan around = fan(top, direction, side);
    // Nearly level with the surface around it, an edge or corner is of both sides.
    constexpr double kLevel = 0.05;
    const bool is_of_side = field_ != nullptr || side * direction.dot(around.normal) > -kLevel * around.normal.norm();
    const bool is_known = !around.is_open || is_touched(corners_[top]);
    if (!around.is_exceeded && is_of_side && is_known) return direction;
  }
  if (!has_edges_) find_edges();
  Vector3d best = face;
  double best_rise = -2.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Edge& edge = edges_[k];
    if (!edge.is_known) continue;
    const double off = direction.dot(edge.along);
    const double across = direction.dot(edge.outward);
    const double up = direction.dot(face);
    if (std::abs(off) > kSinOffEdge || across <= 0.0) continue;
    double bend = std::numbers::pi;
    if (!edge.is_open) {
      const double sine = side * edge.beyond.dot(edge.outward);
      const double cosine = edge.beyond.dot(normal_);
      bend = std::atan2(sine, cosine);
      if (cosine < 0.0 && std::abs(sine) < kFlatBend) bend = std::numbers::pi;  // folded back onto itself
    }
    if (bend < kFlatBend || !is_edge_met(k)) continue;
    const double angle = std::min(std::atan2(across, up), bend);
    const Vector3d candidate = std::cos(angle) * face + std::sin(angle) * edge.outward;
    const double rise = candidate.dot(direction);
    if (rise > best_rise) {
      best_rise = rise;
      best = candidate;
    }
  }
  // A normal of an edge that is nothing like the direction is no answer to it.
  return best_rise > 0.5 ? best : face;
}

const Vector3d& SurfaceLeaf::nearest_normal(const Vector3d& direction, double side, NormalsOfSides& known) {
  Vector3d& normal = side > 0.0 ? known.front : known.back;
  if (normal == Vector3d::Zero()) normal = nearest_normal(direction, side);
  return normal;
}

}  // namespace abut::detail
