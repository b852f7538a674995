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

struct Edges {
  std::array<Vector3d, 3> along;  // of any length, body frame
  std::size_t count = 0;
};

Edges edges_of(const Part& part) {
  if (part.kind() == kPartKind<Box>) return {{Vector3d::UnitX(), Vector3d::UnitY(), Vector3d::UnitZ()}, 3};
  if (part.kind() == kPartKind<Capsule>) return {{Vector3d::UnitZ()}, 1};
  if (part.kind() == kPartKind<Triangle>) {
    const std::span<const Vector3d> p = part.as<Triangle>().points();
    return {{p[1] - p[0], p[2] - p[1], p[0] - p[2]}, 3};
  }
  return {};
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

  [[nodiscard]] bool among_edges(const Part& a, const Part& b) const {
    const Edges edges_a = edges_of(a);
    const Edges edges_b = edges_of(b);
    for (std::size_t i = 0; i < edges_a.count; ++i) {
      const Vector3d along_a = world_from_a_.rotate(edges_a.along[i]);
      for (std::size_t j = 0; j < edges_b.count; ++j) {
        const Vector3d across = along_a.cross(world_from_b_.rotate(edges_b.along[j]));
        const double length = across.norm();
        if (length > 0.0 && (is_rival(across / length) || is_rival(-across / length))) return true;
      }
    }
    return false;
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
         rivals.among_edges(a, b);
}

}  // namespace abut::detail
