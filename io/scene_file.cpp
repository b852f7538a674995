#include <abut/io/file_error.h>
#include <abut/io/read_file.h>
#include <abut/io/scene_file.h>
#include <abut/io/shape_json.h>
#include <abut/io/solver_names.h>
#include <abut/narrowphase/cast/rigid_motion.h>
#include <tbb/parallel_for.h>

#include <cmath>
#include <exception>
#include <map>
#include <optional>
#include <unordered_map>

namespace abut {
namespace {

constexpr auto kRefused = UnknownFields::refused;

// Reads shapes in parallel, for the sake of their files. Where several are wrong, the first is reported.
class ShapeLoader {
 public:
  explicit ShapeLoader(const std::filesystem::path& folder) : files_(folder) {}

  std::size_t add(std::string path, const Json& value) {
    jobs_.push_back({std::move(path), &value, std::nullopt, nullptr});
    return jobs_.size() - 1;
  }

  void load() {
    tbb::parallel_for(std::size_t{0}, jobs_.size(), [this](std::size_t i) {
      Job& job = jobs_[i];
      try {
        job.shape = json::within(job.path, [&] { return read_shape(*job.value, files_, kRefused); });
      } catch (...) {
        job.error = std::current_exception();
      }
    });
    for (const Job& job : jobs_) {
      if (job.error) std::rethrow_exception(job.error);
    }
  }

  const Shape& shape(std::size_t job) const { return *jobs_[job].shape; }
  std::vector<std::filesystem::path> files() { return files_.files(); }

 private:
  struct Job {
    std::string path;
    const Json* value = nullptr;
    std::optional<Shape> shape;
    std::exception_ptr error;
  };
  ShapeFiles files_;
  std::vector<Job> jobs_;
};

Motion read_motion(const Json& value) {
  const std::string& name = json::string(value);
  if (name == "fixed") return Motion::fixed;
  if (name == "moving") return Motion::moving;
  throw InvalidInput("", json::quoted(name) + " is not a motion; known are fixed and moving");
}

// As large as a turn may be elsewhere, so that its length and the first angles are numbers.
Vector3d read_turning_rate(const Json& value) {
  const Vector3d rate = json::vector<3>(value);
  for (int i = 0; i < 3; ++i) {
    if (!(std::abs(rate[i]) <= kMaxTurn)) throw InvalidInput("", i, "must be at most 1e+100 radians a second", rate[i]);
  }
  return rate;
}

void read_velocity(const Json& value, SceneBody& body) {
  json::require_object(value);
  json::refuse_unknown_fields(value, {"linear", "angular"});
  if (json::find(value, "linear") != nullptr) body.linear_velocity = json::field(value, "linear", json::vector<3>);
  if (json::find(value, "angular") != nullptr) body.angular_velocity = json::field(value, "angular", read_turning_rate);
}

class SceneParser {
 public:
  SceneParser(const Json& root, const std::filesystem::path& folder) : root_(root), shapes_(folder) {}

  SceneDescription parse() {
    json::require_object(root_);
    json::refuse_unknown_fields(root_, {"shapes", "bodies", "ignore_pairs", "settings"});
    read_named_shapes();
    const Json& bodies = json::member(root_, "bodies");
    json::within("bodies", [&] { json::require_array(bodies); });
    std::vector<std::size_t> shape_of;  // a body's job of the loader
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const std::string path = json::element("bodies", i);
      json::within(path, [&] { shape_of.push_back(read_names(bodies[i], path, i)); });
    }
    shapes_.load();
    scene_.files = shapes_.files();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      json::within(json::element("bodies", i),
                   [&] { scene_.bodies.push_back(read_body(bodies[i], shapes_.shape(shape_of[i]))); });
    }
    read_ignore_pairs();
    read_settings();
    return std::move(scene_);
  }

 private:
  void read_named_shapes() {
    const Json* named = json::find(root_, "shapes");
    if (named == nullptr) return;
    json::within("shapes", [&] { json::require_object(*named); });
    for (const auto& item : named->items()) {
      shape_jobs_[item.key()] = shapes_.add(json::member_path("shapes", item.key()), item.value());
    }
  }

  // Notes the body's name; returns the job that reads its shape.
  std::size_t read_names(const Json& body, const std::string& path, std::size_t index) {
    json::require_object(body);
    json::refuse_unknown_fields(body, {"name", "shape", "pose", "motion", "velocity"});
    const std::string& name = json::field(body, "name", json::string);
    if (!index_of_.try_emplace(name, index).second) {
      throw InvalidInput("name", json::quoted(name) + " is the name of an earlier body");
    }
    const Json& shape = json::member(body, "shape");
    if (!shape.is_string()) return shapes_.add(path + ".shape", shape);
    const auto named = shape_jobs_.find(shape.get_ref<const std::string&>());
    if (named == shape_jobs_.end()) {
      throw InvalidInput("shape", json::quoted(shape.get_ref<const std::string&>()) + " is not among the shapes");
    }
    return named->second;
  }

  static SceneBody read_body(const Json& value, const Shape& shape) {
    SceneBody body{value["name"].get<std::string>(), {shape, read_pose_field(value, kRefused), Motion::moving, {}}};
    if (json::find(value, "motion") != nullptr) body.body.motion = json::field(value, "motion", read_motion);
    if (json::find(value, "velocity") != nullptr) {
      json::field(value, "velocity", [&body](const Json& velocity) { read_velocity(velocity, body); });
    }
    return body;
  }

  void read_ignore_pairs() {
    const Json* pairs = json::find(root_, "ignore_pairs");
    if (pairs == nullptr) return;
    json::within("ignore_pairs", [&] { json::require_array(*pairs); });
    for (std::size_t i = 0; i < pairs->size(); ++i) {
      json::within(json::element("ignore_pairs", i), [&] {
        const Json& pair = (*pairs)[i];
        if (!pair.is_array() || pair.size() != 2) {
          throw InvalidInput("", "must be an array of 2 body names, got " + json::describe(pair));
        }
        const std::size_t a = json::within("[0]", [&] { return body_index(pair[0]); });
        const std::size_t b = json::within("[1]", [&] { return body_index(pair[1]); });
        if (a == b) throw InvalidInput("", "must be two different bodies");
        scene_.ignore_pairs.emplace_back(a, b);
      });
    }
  }

  std::size_t body_index(const Json& value) const {
    const std::string& name = json::string(value);
    const auto found = index_of_.find(name);
    if (found == index_of_.end()) throw InvalidInput("", json::quoted(name) + " is not the name of a body");
    return found->second;
  }

  void read_settings() {
    const Json* found = json::find(root_, "settings");
    if (found == nullptr) return;
    json::within("settings", [&] {
      const Json& settings = *found;
      json::require_object(settings);
      json::refuse_unknown_fields(settings, {"contact_margin", "solver", "warm_start", "time_step"});
      if (json::find(settings, "contact_margin") != nullptr) {
        scene_.settings.contact_margin = json::field(settings, "contact_margin", json::number);
        require_not_negative("contact_margin", scene_.settings.contact_margin);
      }
      if (json::find(settings, "solver") != nullptr) {
        scene_.settings.solver =
            json::field(settings, "solver", [](const Json& name) { return solver_from_name(json::string(name)); });
      }
      if (json::find(settings, "warm_start") != nullptr) {
        scene_.settings.warm_start = json::field(
            settings, "warm_start", [](const Json& name) { return warm_start_from_name(json::string(name)); });
      }
      if (json::find(settings, "time_step") != nullptr) {
        scene_.time_step = json::field(settings, "time_step", json::number);
        require_positive("time_step", scene_.time_step);
      }
    });
  }

  const Json& root_;
  SceneDescription scene_;
  ShapeLoader shapes_;
  std::map<std::string, std::size_t> shape_jobs_;
  std::unordered_map<std::string, std::size_t> index_of_;
};

}  // namespace

SceneDescription parse_scene(std::string_view text, const std::filesystem::path& folder) {
  const Json root = json::parse(text);
  return SceneParser(root, folder).parse();
}

SceneDescription read_scene_file(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  try {
    return parse_scene(text, file.parent_path());
  } catch (const InvalidInput& error) {
    throw FileError(file, error.what());
  }
}

std::vector<BodyId> add_to(Scene& scene, const SceneDescription& description) {
  scene.set_settings(description.settings);
  std::vector<BodyId> ids;
  ids.reserve(description.bodies.size());
  for (const SceneBody& body : description.bodies) ids.push_back(scene.add(body.body));
  for (const auto& pair : description.ignore_pairs) scene.ignore_pair(ids[pair.first], ids[pair.second]);
  return ids;
}

Pose pose_at(const SceneBody& body, double time) {
  const Pose& start = body.body.pose;
  const Pose moved(time * body.linear_velocity);
  const double speed = body.angular_velocity.stableNorm();
  if (!(speed > 0.0)) return moved * start;
  // Products, so that the first rotation keeps its bits where the turn is the identity.
  const Vector3d origin = start.translation();
  const double angle = speed * time;
  if (!std::isfinite(angle)) throw InvalidInput("angular_velocity", "has turned by an angle that is not finite", angle);
  const Quaterniond turn(Eigen::AngleAxisd(angle, body.angular_velocity / speed));
  return moved * Pose(origin, turn) * (Pose(-origin) * start);
}

}  // namespace abut
