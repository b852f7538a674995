#include "smooth_peers.h"

#ifdef ABUT_STUDY_LIBCCD
#include <ccd/ccd.h>
#endif
#ifdef ABUT_STUDY_FCL
#include "../peers/peer.h"
#include "clock.h"
#endif

#include <abut/core/error.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>

namespace abut::study {

#ifdef ABUT_STUDY_LIBCCD
namespace {

struct Object {
  const Shape& shape;
  const Pose& pose;
  int supports = 0;
};

ccd_vec3_t ccd_vector(const Vector3d& v) {
  return {{v.x(), v.y(), v.z()}};
}

void support_of(const void* object, const ccd_vec3_t* direction_world, ccd_vec3_t* point_world) {
  // libccd passes its user's pointer through as const; the count is the study's own.
  Object& self = *const_cast<Object*>(static_cast<const Object*>(object));
  ++self.supports;
  const double* d = direction_world->v;
  *point_world = ccd_vector(self.pose * support(self.shape, self.pose.unrotate(Vector3d(d[0], d[1], d[2]))));
}

void first_direction(const void* a, const void* b, ccd_vec3_t* direction) {
  *direction =
      ccd_vector(static_cast<const Object*>(b)->pose.translation() - static_cast<const Object*>(a)->pose.translation());
}

Answer solve(double epa_tolerance, Object a, Object b) {
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.first_dir = first_direction;
  ccd.support1 = support_of;
  ccd.support2 = support_of;
  ccd.max_iterations = 500;
  ccd.epa_tolerance = epa_tolerance;
  Answer answer;
  ccd_vec3_t direction;
  ccd_vec3_t position;
  const bool is_found = ccdGJKPenetration(&a, &b, &ccd, &answer.depth, &direction, &position) == 0;
  const Vector3d normal(direction.v[0], direction.v[1], direction.v[2]);
  answer.iterations = a.supports - 1;
  if (is_found && std::abs(normal.norm() - 1.0) < 1e-6) {
    answer.normal = normal.normalized();
  } else {
    answer.depth = std::numeric_limits<double>::quiet_NaN();
    answer.converged = false;
  }
  return answer;
}

}  // namespace

std::optional<Method> libccd_method(const std::string& name, double epa_tolerance) {
  return Method{name,
                [epa_tolerance](const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b) {
                  return solve(epa_tolerance, {a, world_from_a, 0}, {b, world_from_b, 0});
                }};
}

#else

std::optional<Method> libccd_method(const std::string& /*name*/, double /*epa_tolerance*/) {
  return std::nullopt;
}

#endif

#ifdef ABUT_STUDY_FCL
namespace {

peers::PlainShape plain(const Shape& shape) {
  peers::PlainShape result;
  if (const auto* ellipsoid = shape.get_if<Ellipsoid>()) {
    result.kind = peers::Kind::ellipsoid;
    for (int i = 0; i < 3; ++i) result.size[i] = ellipsoid->radii()[i];
    return result;
  }
  const auto* hull = shape.get_if<ConvexHull>();
  if (hull == nullptr) throw InvalidInput("shapes", "must be ellipsoids or convex hulls");
  result.kind = peers::Kind::hull;
  auto surface = std::make_shared<peers::PlainHull>();
  for (const Vector3d& p : hull->vertices()) surface->points.insert(surface->points.end(), {p.x(), p.y(), p.z()});
  for (const auto& triangle : hull->triangles()) {
    for (const std::uint32_t index : triangle) surface->triangles.push_back(static_cast<int>(index));
  }
  result.hull = std::move(surface);
  return result;
}

peers::PlainPose plain(const Pose& pose) {
  peers::PlainPose result;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result.rotation[3 * i + j] = pose.rotation()(i, j);
    result.translation[i] = pose.translation()[i];
  }
  return result;
}

}  // namespace

Row* add_fcl(Results& results, const std::string& row_name, std::span<const Shape> shapes,
             std::span<const PosedPair> pairs, std::span<const double> best) {
  // Only the shapes that are asked: FCL prepares each.
  std::map<std::uint32_t, std::uint32_t> index_of;
  std::vector<peers::PlainShape> plain_shapes;
  const auto plain_index = [&](std::uint32_t shape) {
    const auto [place, is_new] = index_of.emplace(shape, static_cast<std::uint32_t>(plain_shapes.size()));
    if (is_new) plain_shapes.push_back(plain(shapes[shape]));
    return place->second;
  };
  std::vector<peers::PlainPair> plain_pairs;
  for (const PosedPair& pair : pairs) {
    const std::uint32_t a = plain_index(pair.a);
    plain_pairs.push_back({a, plain_index(pair.b), plain(pair.world_from_a), plain(pair.world_from_b)});
  }
  const auto solver = peers::fcl_peer().pairs(plain_shapes, plain_pairs);
  std::vector<double> depths(pairs.size());
  const double nanoseconds = timed([&] { solver->depths(depths); });
  double off_micrometre = 0.0;
  double off_millimetre = 0.0;
  for (std::size_t i = 0; i < depths.size(); ++i) {
    const double error = std::abs(depths[i] - best[i]);
    if (!(error <= 1e-6)) off_micrometre += 1.0;  // NaN is off too
    if (!(error <= 1e-3)) off_millimetre += 1.0;
  }
  return &results.row(row_name)
              .add("queries", static_cast<double>(pairs.size()))
              .add("time_ns_mean", nanoseconds / static_cast<double>(pairs.size()))
              .add("off_micrometre", off_micrometre)
              .add("off_millimetre", off_millimetre);
}

#else

Row* add_fcl(Results& /*results*/, const std::string& /*row_name*/, std::span<const Shape> /*shapes*/,
             std::span<const PosedPair> /*pairs*/, std::span<const double> /*best*/) {
  return nullptr;
}

#endif

}  // namespace abut::study
