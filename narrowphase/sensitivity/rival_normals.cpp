#include <abut/narrowphase/sensitivity/rival_normals.h>

#include <abut/narrowphase/convex_core.h>

#include <algorithm>
#include <array>
#include <span>

namespace abut::detail {
namespace {

// Directions nearer to the normal than this, as a cosine, are the same one.
constexpr double kSameCosine = 1.0 - 1e-6;

// Bodies that some coordinate planes of theirs cut into halves that are mirror images.
bool has_mirror_planes(const Part& part) {
  static constexpr std::array kKinds = {kPartKind<Ellipsoid>,       kPartKind<Box>,  kPartKind<Capsule>,
                                        kPartKind<Cylinder>,        kPartKind<Cone>, kPartKind<Superquadric>,
                                        kPartKind<SmoothRevolution>};
  return std::find(kKinds.begin(), kKinds.end(), part.kind()) != kKinds.end();
}

// The axis that a body may be turned about, body frame; zero where it has none. A ball has many, and needs none.
Vector3d axis_of(const Part& part) {
  static constexpr std::array kKinds = {kPartKind<Capsule>, kPartKind<Cylinder>, kPartKind<Cone>,
                                        kPartKind<SmoothRevolution>};
  if (std::find(kKinds.begin(), kKinds.end(), part.kind()) != kKinds.end()) return Vector3d::UnitZ();
  if (part.kind() == kPartKind<Ellipsoid>) {
    const Vector3d& radii = part.as<Ellipsoid>().radii();
    for (int axis = 0; axis < 3; ++axis) {
      if (radii[(axis + 1) % 3] == radii[(axis + 2) % 3]) return Vector3d::Unit(axis);
    }
  }
  return Vector3d::Zero();
}

// Directions of the straight lines on a body, body frame, of any length, until one makes `visit` true: of edges, of
// segments, and of a cylinder's side.
template <class Visit>
bool any_line(const Part& part, const Visit& visit) {
  if (part.kind() == kPartKind<Box>) {
    return visit(Vector3d::UnitX()) || visit(Vector3d::UnitY()) || visit(Vector3d::UnitZ());
  }
  if (part.kind() == kPartKind<Capsule> || part.kind() == kPartKind<Cylinder>) return visit(Vector3d::UnitZ());
  if (part.kind() == kPartKind<Triangle>) {
    const std::span<const Vector3d> p = part.as<Triangle>().points();
    return visit(p[1] - p[0]) || visit(p[2] - p[1]) || visit(p[0] - p[2]);
  }
  if (part.kind() == kPartKind<PaddedPolygon>) {
    const auto sides = part.as<PaddedPolygon>().sides();
    if (sides.size() > kMaxRivalFaces) return false;
    for (const auto& side : sides) {
      if (visit(Vector3d(-side.normal.y(), side.normal.x(), 0.0))) return true;
    }
  }
  return false;
}

class Rivals {
 public:
  Rivals(const Part& a, const Pose& world_from_a, const Part& b, const Pose& world_from_b, const Vector3d& normal,
         double least)
      : a_(a.core()),
        b_(b.core()),
        world_from_a_(world_from_a),
        world_from_b_(world_from_b),
        normal_(normal),
        least_(least) {}

  // @param candidate  Unit, world, from a to b.
  [[nodiscard]] bool is_rival(const Vector3d& candidate) const {
    if (candidate.dot(normal_) > kSameCosine) return false;
    const Vector3d top_a = world_from_a_.rotate(a_.support(world_from_a_.unrotate(candidate)));
    const Vector3d top_b = world_from_b_.rotate(b_.support(world_from_b_.unrotate(-candidate)));
    const Vector3d apart = world_from_b_.translation() - world_from_a_.translation();
    return candidate.dot(apart + top_b - top_a) >= least_;
  }

  [[nodiscard]] bool is_opposite() const { return is_rival(-normal_); }

  [[nodiscard]] bool among_mirror_images(const Part& part, const Pose& world_from_body) const {
    if (!has_mirror_planes(part)) return false;
    const Vector3d local = world_from_body.unrotate(normal_);
    for (unsigned mask = 1; mask < 8; ++mask) {
      Vector3d image = local;
      for (int axis = 0; axis < 3; ++axis) image[axis] = (mask >> axis & 1u) != 0 ? -image[axis] : image[axis];
      if (is_rival(world_from_body.rotate(image))) return true;
    }
    return false;
  }

  // The plane through the axes of two round bodies, or through one's axis and the other's centre.
  [[nodiscard]] bool among_images_in_the_plane_of_axes(const Part& a, const Part& b) const {
    const Vector3d axis_a = world_from_a_.rotate(axis_of(a));
    const Vector3d axis_b = world_from_b_.rotate(axis_of(b));
    if (axis_a.isZero() && axis_b.isZero()) return false;
    const Vector3d apart = world_from_b_ * b_.center() - world_from_a_ * a_.center();
    const auto is_image_rival = [&](const Vector3d& across) {
      const double length = across.norm();
      if (!(length > 0.0)) return false;
      const Vector3d mirror = across / length;
      return is_rival((normal_ - 2.0 * normal_.dot(mirror) * mirror).normalized());
    };
    return is_image_rival(axis_a.cross(axis_b)) || is_image_rival(axis_a.cross(apart)) ||
           is_image_rival(axis_b.cross(apart));
  }

  [[nodiscard]] bool among_common_normals_of_lines(const Part& a, const Part& b) const {
    return any_line(a, [&](const Vector3d& line_a) {
      const Vector3d along_a = world_from_a_.rotate(line_a);
      return any_line(b, [&](const Vector3d& line_b) {
        const Vector3d across = along_a.cross(world_from_b_.rotate(line_b));
        const double length = across.norm();
        return length > 0.0 && (is_rival(across / length) || is_rival(-across / length));
      });
    });
  }

  // The side of a cylinder or cone where it looks at the other's centre.
  // @param sign  1 for normals of a, -1 for those of b. @param to_other  From the part's centre, world.
  [[nodiscard]] bool among_round_sides(const Part& part, const Pose& world_from_body, const Vector3d& to_other,
                                       double sign) const {
    double rise = 0.0;  // of the outward normal, along the axis
    if (part.kind() == kPartKind<Cone>) {
      rise = 0.5 * part.as<Cone>().radius() / part.as<Cone>().half_length();
    } else if (part.kind() != kPartKind<Cylinder>) {
      return false;
    }
    Vector3d outward = world_from_body.unrotate(to_other);
    outward.z() = 0.0;
    const double away = outward.norm();
    if (!(away > 0.0)) return false;
    outward /= away;
    outward.z() = rise;
    return is_rival(sign * world_from_body.rotate(outward.normalized()));
  }
  [[nodiscard]] bool among_round_sides(const Part& a, const Part& b) const {
    const Vector3d apart = world_from_b_ * b_.center() - world_from_a_ * a_.center();
    return among_round_sides(a, world_from_a_, apart, 1.0) || among_round_sides(b, world_from_b_, -apart, -1.0);
  }

  // @param sign  1 for normals of a, -1 for those of b.
  [[nodiscard]] bool among_faces(const Part& part, const Pose& world_from_body, double sign) const {
    const auto is_face_rival = [&](const Vector3d& outward) {
      return is_rival(sign * world_from_body.rotate(outward));
    };
    const auto is_axis_rival = [&](int axis) {
      return is_face_rival(Vector3d::Unit(axis)) || is_face_rival(-Vector3d::Unit(axis));
    };
    if (part.kind() == kPartKind<Box>) return is_axis_rival(0) || is_axis_rival(1) || is_axis_rival(2);
    if (part.kind() == kPartKind<Cylinder> || part.kind() == kPartKind<PaddedPolygon>) return is_axis_rival(2);
    if (part.kind() == kPartKind<Cone>) return is_face_rival(-Vector3d::UnitZ());
    if (part.kind() == kPartKind<Triangle>) {
      const std::span<const Vector3d> p = part.as<Triangle>().points();
      const Vector3d across = (p[1] - p[0]).cross(p[2] - p[0]);
      const double length = across.norm();
      return length > 0.0 && (is_face_rival(across / length) || is_face_rival(-across / length));
    }
    if (part.kind() == kPartKind<ConvexHull>) {
      const HullFaces& faces = part.as<ConvexHull>().faces();
      if (faces.size() > kMaxRivalFaces) return false;
      for (std::uint32_t face = 0; face < faces.size(); ++face) {
        if (is_face_rival(faces.normal(face))) return true;
      }
    }
    return false;
  }

 private:
  ConvexCore a_;
  ConvexCore b_;
  const Pose& world_from_a_;
  const Pose& world_from_b_;
  const Vector3d& normal_;
  double least_;
};

}  // namespace

bool has_rival_normal(const Part& a, const Pose& world_from_a, const Part& b, const Pose& world_from_b,
                      const Vector3d& normal, double gap, double within) {
  const Rivals rivals(a, world_from_a, b, world_from_b, normal, gap - within);
  return rivals.is_opposite() || rivals.among_mirror_images(a, world_from_a) ||
         rivals.among_mirror_images(b, world_from_b) || rivals.among_faces(a, world_from_a, 1.0) ||
         rivals.among_faces(b, world_from_b, -1.0) || rivals.among_images_in_the_plane_of_axes(a, b) ||
         rivals.among_common_normals_of_lines(a, b) || rivals.among_round_sides(a, b);
}

}  // namespace abut::detail
