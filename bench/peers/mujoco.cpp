// Comparison with MuJoCo: its collision functions, which it publishes as a table by geometry types. They are called as
// its own collision stage calls them, on a model that holds the set's shapes; the poses of a pair are copied into the
// data inside the clock (24 numbers a body). Closed forms for simple pairs, boxes included; for the rest MPR of libccd,
// from version 3 on its own GJK and EPA, on its own copy of the hulls. It has no distances of pairs that are apart and
// no cones; its scenes are those of its simulation, of which kinematics and collisions are run: with a point a pair of
// hulls, and as mujoco_patches with several.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "peer.h"

namespace abut::peers {
namespace {

struct DeleteModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct DeleteData {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

void write_numbers(std::ostream& out, const char* name, std::span<const double> numbers) {
  out << " " << name << "=\"";
  for (const double number : numbers) out << number << " ";
  out << "\"";
}

// mjVERSION_HEADER is 222 for 2.2.2, 3012001 for 3.12.1. Margins of hulls that are the sum of both are those of 3.5.
constexpr bool kHasMargin = mjVERSION_HEADER >= 350;

// Its compiler takes time by the square of the number of bodies: more than 8 minutes for 30 000.
constexpr std::size_t kMostBodies = 10000;

/// What the bodies of a scene are, and how they are collided.
struct SceneKind {
  double margin = 0.0;  ///< Up to which contacts are found, metres.
  bool has_patches = false;
};

/// A model with one geometry a shape, in the order of the shapes, all at the origin.
/// @param scene  Each shape in a body of its own with a free joint; else all fixed in the world.
std::string model_text(std::span<const PlainShape> shapes, const SceneKind* scene) {
  std::ostringstream assets;
  std::ostringstream geometries;
  std::ostringstream options;
  assets.precision(17);
  geometries.precision(17);
  options.precision(17);
  std::map<const PlainHull*, std::size_t> meshes;  // by the first shape that has them
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const PlainShape& shape = shapes[i];
    if (scene != nullptr) geometries << "<body><freejoint/>";
    geometries << "<geom type=\"";
    switch (shape.kind) {
      case Kind::sphere:
        geometries << "sphere\"";
        write_numbers(geometries, "size", {shape.size, 1});
        break;
      case Kind::box:
        geometries << "box\"";
        write_numbers(geometries, "size", {shape.size, 3});
        break;
      case Kind::capsule:
        geometries << "capsule\"";
        write_numbers(geometries, "size", {shape.size, 2});
        break;
      case Kind::cylinder:
        geometries << "cylinder\"";
        write_numbers(geometries, "size", {shape.size, 2});
        break;
      case Kind::ellipsoid:
        geometries << "ellipsoid\"";
        write_numbers(geometries, "size", {shape.size, 3});
        break;
      case Kind::hull:
        if (meshes.emplace(shape.hull.get(), i).second) {
          assets << "<mesh name=\"hull_" << i << "\"";
          write_numbers(assets, "vertex", shape.hull->points);
          assets << "/>";
        }
        geometries << "mesh\" mesh=\"hull_" << meshes.at(shape.hull.get()) << "\"";
        break;
      case Kind::cone:
        throw std::invalid_argument("MuJoCo has no cone");
    }
    geometries << "/>";
    if (scene != nullptr) geometries << "</body>";
  }
  if (scene != nullptr) {
    // Room for the contacts of a pile, where the library asks for it in advance.
    if (mjVERSION_HEADER < 300) {
      options << "<size nconmax=\"" << 40 * shapes.size() << "\" njmax=\"1\"/>";
    } else {
      options << "<size memory=\"" << 1 + shapes.size() / 10 << "M\"/>";
    }
    options << "<option><flag multiccd=\"" << (scene->has_patches ? "enable" : "disable") << "\"/></option>";
    options << "<default><geom margin=\"" << 0.5 * scene->margin << "\"/></default>";
  }
  return "<mujoco>" + options.str() + "<asset>" + assets.str() + "</asset><worldbody>" + geometries.str() +
         "</worldbody></mujoco>";
}

std::unique_ptr<mjModel, DeleteModel> compile(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
#if mjVERSION_HEADER < 320
  const int file = mj_makeEmptyFileVFS(files.get(), "shapes.xml", static_cast<int>(text.size()));
  // Its index is the one past the files before it, of which there are none.
  if (file >= 0) std::memcpy(files->filedata[0], text.data(), text.size());
#else
  const int file = mj_addBufferVFS(files.get(), "shapes.xml", text.data(), static_cast<int>(text.size()));
#endif
  if (file < 0) throw std::runtime_error("MuJoCo takes no file of this size");
  char error[1000] = "";
  std::unique_ptr<mjModel, DeleteModel> model(mj_loadXML("shapes.xml", files.get(), error, sizeof error));
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(std::string("MuJoCo: ") + error);
  return model;
}

/// A geometry's frame in the world, as MuJoCo's data holds it.
struct GeometryPose {
  mjtNum position[3];
  mjtNum rotation[9];
};

/// What MuJoCo's collision functions write.
template <class Data, class Found>
Found found_by(int (*)(const mjModel*, Data, Found*, int, int, mjtNum));
using MujocoContact = decltype(found_by(std::declval<mjfCollision>()));

/// One pair in MuJoCo's order: the type with the smaller number first.
struct MujocoPair {
  int geometry_1;
  int geometry_2;
  GeometryPose pose_1;
  GeometryPose pose_2;
  mjfCollision collide;
};

class MujocoPairs final : public PairSolver {
 public:
  MujocoPairs(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs)
      : model_(compile(model_text(shapes, nullptr))), data_(mj_makeData(model_.get())) {
    for (const PlainPair& pair : pairs) {
      MujocoPair added{static_cast<int>(pair.a), static_cast<int>(pair.b), pose_of(pair.a, pair.world_from_a),
                       pose_of(pair.b, pair.world_from_b), nullptr};
      if (model_->geom_type[added.geometry_1] > model_->geom_type[added.geometry_2]) {
        std::swap(added.geometry_1, added.geometry_2);
        std::swap(added.pose_1, added.pose_2);
      }
      added.collide = mjCOLLISIONFUNC[model_->geom_type[added.geometry_1]][model_->geom_type[added.geometry_2]];
      pairs_.push_back(added);
    }
  }

  void collides(std::span<char> answers) override {
    for (std::size_t i = 0; i < pairs_.size(); ++i) answers[i] = contacts_of(pairs_[i]) > 0 ? 1 : 0;
  }

  void distances(std::span<double> answers) override {
    for (double& answer : answers) answer = std::numeric_limits<double>::quiet_NaN();
  }

  void depths(std::span<double> answers) override {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const int count = contacts_of(pairs_[i]);
      double depth = count > 0 ? 0.0 : std::numeric_limits<double>::quiet_NaN();
      for (int k = 0; k < count; ++k) depth = std::max(depth, -contacts_[k].dist);
      answers[i] = depth;
    }
  }

 private:
  int contacts_of(const MujocoPair& pair) {
    place(pair.geometry_1, pair.pose_1);
    place(pair.geometry_2, pair.pose_2);
    return pair.collide(model_.get(), data_.get(), contacts_, pair.geometry_1, pair.geometry_2, /*margin=*/0.0);
  }

  void place(int geometry, const GeometryPose& pose) {
    mju_copy(data_->geom_xpos + 3 * geometry, pose.position, 3);
    mju_copy(data_->geom_xmat + 9 * geometry, pose.rotation, 9);
  }

  /// MuJoCo moves meshes into the frame of their inertia; the model says where that frame is in the body's.
  GeometryPose pose_of(std::uint32_t geometry, const PlainPose& world_from_body) const {
    GeometryPose pose;
    const double* r = world_from_body.rotation;
    const mjtNum* p = model_->geom_pos + 3 * geometry;
    for (int i = 0; i < 3; ++i) {
      pose.position[i] = r[3 * i] * p[0] + r[3 * i + 1] * p[1] + r[3 * i + 2] * p[2] + world_from_body.translation[i];
    }
    mjtNum body_from_geometry[9];
    mju_quat2Mat(body_from_geometry, model_->geom_quat + 4 * geometry);
    mju_mulMatMat(pose.rotation, world_from_body.rotation, body_from_geometry, 3, 3, 3);
    return pose;
  }

  std::unique_ptr<mjModel, DeleteModel> model_;
  std::unique_ptr<mjData, DeleteData> data_;
  std::vector<MujocoPair> pairs_;
  MujocoContact contacts_[mjMAXCONPAIR];
};

/// A body with a free joint for each shape; kinematics and collisions of the model are run, and nothing else.
class MujocoScene final : public SceneSolver {
 public:
  MujocoScene(std::span<const PlainShape> bodies, const SceneKind& kind)
      : model_(compile(model_text(bodies, &kind))), data_(mj_makeData(model_.get())), margin_(kind.margin) {
    if (data_ == nullptr) throw std::runtime_error("MuJoCo: no memory for the data of the scene");
  }

  void step(std::span<const PlainPose> world_from_bodies) override {
    for (std::size_t i = 0; i < world_from_bodies.size(); ++i) {
      mjtNum* position = data_->qpos + 7 * i;
      mju_copy(position, world_from_bodies[i].translation, 3);
      mju_mat2Quat(position + 3, world_from_bodies[i].rotation);
    }
    mj_kinematics(model_.get(), data_.get());
    mj_collision(model_.get(), data_.get());
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> near_pairs() override {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (int i = 0; i < data_->ncon; ++i) {
      const mjContact& contact = data_->contact[i];
      if (contact.dist > margin_) continue;
      add_ordered(pairs, static_cast<std::uint32_t>(contact.geom1), static_cast<std::uint32_t>(contact.geom2));
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
  }

 private:
  std::unique_ptr<mjModel, DeleteModel> model_;
  std::unique_ptr<mjData, DeleteData> data_;
  double margin_;
};

bool answers(Query query, Kind a, Kind b) {
  return query != Query::distance && a != Kind::cone && b != Kind::cone;
}

std::unique_ptr<PairSolver> make_pairs(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs) {
  return std::make_unique<MujocoPairs>(shapes, pairs);
}

std::unique_ptr<SceneSolver> make_scene(std::span<const PlainShape> bodies, double margin) {
  return std::make_unique<MujocoScene>(bodies, SceneKind{margin, /*has_patches=*/false});
}

std::unique_ptr<SceneSolver> make_scene_of_patches(std::span<const PlainShape> bodies, double margin) {
  return std::make_unique<MujocoScene>(bodies, SceneKind{margin, /*has_patches=*/true});
}

}  // namespace

Peer mujoco_peer() {
  return {.name = "mujoco",
          .answers = answers,
          .pairs = make_pairs,
          .scene = make_scene,
          .has_margin = kHasMargin,
          .most_bodies = kMostBodies};
}

Peer mujoco_patches_peer() {
  return {.name = "mujoco_patches",
          .answers = [](Query, Kind, Kind) { return false; },
          .pairs = nullptr,
          .scene = make_scene_of_patches,
          .has_margin = kHasMargin,
          .most_bodies = kMostBodies};
}

}  // namespace abut::peers
