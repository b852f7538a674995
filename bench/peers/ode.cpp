// Comparison with ODE: dCollide for pairs, a sweep-and-prune space for scenes (the hash space of ODE 0.16 loses some
// touching pairs). It has contacts with depths and no distances of pairs that are apart, no cone and no ellipsoid;
// hulls take planes and polygons, which here are triangles.
#include <ode/ode.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>

#include "once_per_hull.h"
#include "peer.h"

namespace abut::peers {
namespace {

constexpr int kMostContacts = 16;

/// ODE's state of the process.
void start_ode() {
  static const bool is_started = dInitODE2(0) != 0;
  static_cast<void>(is_started);
}

/// The arrays that ODE refers to: face planes n.x = offset, polygons and points of a hull. ODE takes no face without
/// area.
struct HullArrays {
  std::vector<dReal> planes;
  std::vector<unsigned int> polygons;
  std::vector<dReal> points;

  explicit HullArrays(const PlainHull& hull);
};

/// A body: its geometry in ODE, and what that refers to.
struct Geometry {
  dGeomID geom = nullptr;
  std::shared_ptr<HullArrays> arrays;
};

using KnownArrays = OncePerHull<std::shared_ptr<HullArrays>>;

HullArrays::HullArrays(const PlainHull& hull) : points(hull.points.begin(), hull.points.end()) {
  const auto corner = [&hull](std::size_t entry, int axis) {
    return hull.points[3 * static_cast<std::size_t>(hull.triangles[entry]) + static_cast<std::size_t>(axis)];
  };
  for (std::size_t i = 0; i + 2 < hull.triangles.size(); i += 3) {
    double u[3];
    double v[3];
    for (int k = 0; k < 3; ++k) {
      u[k] = corner(i + 1, k) - corner(i, k);
      v[k] = corner(i + 2, k) - corner(i, k);
    }
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double length = std::hypot(n[0], n[1], n[2]);
    if (!(length > 0.0)) continue;
    double offset = 0.0;
    for (int k = 0; k < 3; ++k) {
      planes.push_back(n[k] / length);
      offset += n[k] / length * corner(i, k);
    }
    planes.push_back(offset);
    polygons.push_back(3);
    for (std::size_t k = 0; k < 3; ++k) polygons.push_back(static_cast<unsigned int>(hull.triangles[i + k]));
  }
}

/// @param space  Where the geometry goes, or null.
std::unique_ptr<Geometry> geometry_of(const PlainShape& shape, dSpaceID space, KnownArrays& known) {
  auto result = std::make_unique<Geometry>();
  const double* s = shape.size;
  switch (shape.kind) {
    case Kind::sphere:
      result->geom = dCreateSphere(space, s[0]);
      break;
    case Kind::box:
      result->geom = dCreateBox(space, 2.0 * s[0], 2.0 * s[1], 2.0 * s[2]);
      break;
    case Kind::capsule:
      result->geom = dCreateCapsule(space, s[0], 2.0 * s[1]);
      break;
    case Kind::cylinder:
      result->geom = dCreateCylinder(space, s[0], 2.0 * s[1]);
      break;
    case Kind::cone:
    case Kind::ellipsoid:
      break;
    case Kind::hull: {
      result->arrays = known.of(shape, [](const PlainShape& it) { return std::make_shared<HullArrays>(*it.hull); });
      HullArrays& arrays = *result->arrays;
      result->geom = dCreateConvex(space, arrays.planes.data(), static_cast<unsigned int>(arrays.planes.size() / 4),
                                   arrays.points.data(), static_cast<unsigned int>(arrays.points.size() / 3),
                                   arrays.polygons.data());
      break;
    }
  }
  return result;
}

void set_pose(dGeomID geom, const PlainPose& pose) {
  const double* r = pose.rotation;
  const dMatrix3 rotation = {r[0], r[1], r[2], 0, r[3], r[4], r[5], 0, r[6], r[7], r[8], 0};
  dGeomSetRotation(geom, rotation);
  dGeomSetPosition(geom, pose.translation[0], pose.translation[1], pose.translation[2]);
}

class OdePairs final : public PairSolver {
 public:
  /// ODE's geometries carry their poses: each pair has its own two.
  OdePairs(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs) {
    start_ode();
    KnownArrays known;
    for (const PlainPair& pair : pairs) {
      pairs_.emplace_back(geometry_of(shapes[pair.a], nullptr, known), geometry_of(shapes[pair.b], nullptr, known));
      set_pose(pairs_.back().first->geom, pair.world_from_a);
      set_pose(pairs_.back().second->geom, pair.world_from_b);
    }
  }
  ~OdePairs() override {
    for (const auto& [a, b] : pairs_) {
      dGeomDestroy(a->geom);
      dGeomDestroy(b->geom);
    }
  }

  void collides(std::span<char> answers) override {
    dContactGeom contact;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      answers[i] = dCollide(pairs_[i].first->geom, pairs_[i].second->geom, 1, &contact, sizeof contact) > 0 ? 1 : 0;
    }
  }

  void distances(std::span<double> answers) override {
    for (double& answer : answers) answer = std::numeric_limits<double>::quiet_NaN();
  }

  void depths(std::span<double> answers) override {
    dContactGeom contacts[kMostContacts];
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const int count =
          dCollide(pairs_[i].first->geom, pairs_[i].second->geom, kMostContacts, contacts, sizeof contacts[0]);
      answers[i] = std::numeric_limits<double>::quiet_NaN();
      for (int k = 0; k < count; ++k) answers[i] = std::fmax(answers[i], contacts[k].depth);
    }
  }

 private:
  std::vector<std::pair<std::unique_ptr<Geometry>, std::unique_ptr<Geometry>>> pairs_;
};

class OdeScene final : public SceneSolver {
 public:
  explicit OdeScene(std::span<const PlainShape> bodies) {
    start_ode();
    space_ = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ);
    KnownArrays known;
    for (const PlainShape& shape : bodies) {
      bodies_.push_back(geometry_of(shape, space_, known));
      dGeomSetData(bodies_.back()->geom, reinterpret_cast<void*>(bodies_.size() - 1));
    }
  }
  ~OdeScene() override { dSpaceDestroy(space_); }  // and the geometries in it

  void step(std::span<const PlainPose> world_from_bodies) override {
    for (std::size_t i = 0; i < bodies_.size(); ++i) set_pose(bodies_[i]->geom, world_from_bodies[i]);
    contacts_.clear();
    dSpaceCollide(space_, this, &OdeScene::add_contacts);
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> near_pairs() override {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const dContactGeom& contact : contacts_) add_ordered(pairs, index_of(contact.g1), index_of(contact.g2));
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
  }

 private:
  static std::uint32_t index_of(dGeomID geom) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(dGeomGetData(geom)));
  }

  static void add_contacts(void* self, dGeomID a, dGeomID b) {
    dContactGeom contacts[4];
    const int count = dCollide(a, b, 4, contacts, sizeof contacts[0]);
    std::vector<dContactGeom>& all = static_cast<OdeScene*>(self)->contacts_;
    all.insert(all.end(), contacts, contacts + count);
  }

  dSpaceID space_ = nullptr;
  std::vector<std::unique_ptr<Geometry>> bodies_;
  std::vector<dContactGeom> contacts_;
};

bool answers(Query query, Kind a, Kind b) {
  const auto is_known = [](Kind kind) { return kind != Kind::cone && kind != Kind::ellipsoid; };
  return query != Query::distance && is_known(a) && is_known(b);
}

std::unique_ptr<PairSolver> make_pairs(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs) {
  return std::make_unique<OdePairs>(shapes, pairs);
}

std::unique_ptr<SceneSolver> make_scene(std::span<const PlainShape> bodies, double /*margin*/) {
  return std::make_unique<OdeScene>(bodies);
}

}  // namespace

Peer ode_peer() {
  return {.name = "ode", .answers = answers, .pairs = make_pairs, .scene = make_scene};
}

}  // namespace abut::peers
