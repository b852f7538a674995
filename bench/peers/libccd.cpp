// Comparison with libccd: its GJK with EPA, and its MPR. It has no distance of pairs that are apart, and no scenes. The
// support function is the user's: here abut's, so that the two compare as algorithms.
#include <ccd/ccd.h>

#include <cstddef>
#include <limits>

#include "peer.h"

namespace abut::peers {
namespace {

// libccd compares it with squared lengths: depths are then within 0.1 mm, and with 1e-6 they are not.
constexpr double kEpaTolerance = 1e-8;

struct Object {
  const PlainShape* shape = nullptr;
  const PlainPose* pose = nullptr;
};

void support(const void* object, const ccd_vec3_t* direction_world, ccd_vec3_t* point_world) {
  const Object& self = *static_cast<const Object*>(object);
  const double* r = self.pose->rotation;
  const double* d = direction_world->v;
  double direction[3];
  for (int i = 0; i < 3; ++i) direction[i] = r[i] * d[0] + r[3 + i] * d[1] + r[6 + i] * d[2];
  double p[3];
  self.shape->support(self.shape->abut_shape, direction, p);
  for (int i = 0; i < 3; ++i) {
    point_world->v[i] = r[3 * i] * p[0] + r[3 * i + 1] * p[1] + r[3 * i + 2] * p[2] + self.pose->translation[i];
  }
}

void center(const void* object, ccd_vec3_t* center_world) {
  const Object& self = *static_cast<const Object*>(object);
  for (int i = 0; i < 3; ++i) center_world->v[i] = self.pose->translation[i];
}

void first_direction(const void* a, const void* b, ccd_vec3_t* direction) {
  for (int i = 0; i < 3; ++i) {
    direction->v[i] =
        static_cast<const Object*>(b)->pose->translation[i] - static_cast<const Object*>(a)->pose->translation[i];
  }
}

ccd_t settings() {
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.first_dir = first_direction;
  ccd.support1 = support;
  ccd.support2 = support;
  ccd.center1 = center;
  ccd.center2 = center;
  ccd.max_iterations = 500;
  ccd.mpr_tolerance = 1e-6;
  ccd.epa_tolerance = kEpaTolerance;
  return ccd;
}

enum class Algorithm { gjk, mpr };

template <Algorithm algorithm>
class CcdPairs final : public PairSolver {
 public:
  CcdPairs(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs)
      : shapes_(shapes.begin(), shapes.end()), pairs_(pairs.begin(), pairs.end()), ccd_(settings()) {
    for (const PlainPair& pair : pairs_) {
      first_.push_back({&shapes_[pair.a], &pair.world_from_a});
      second_.push_back({&shapes_[pair.b], &pair.world_from_b});
    }
  }

  void collides(std::span<char> answers) override {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const int hit = algorithm == Algorithm::gjk ? ccdGJKIntersect(&first_[i], &second_[i], &ccd_)
                                                  : ccdMPRIntersect(&first_[i], &second_[i], &ccd_);
      answers[i] = hit != 0 ? 1 : 0;
    }
  }

  void distances(std::span<double> answers) override {
    for (double& answer : answers) answer = std::numeric_limits<double>::quiet_NaN();
  }

  void depths(std::span<double> answers) override {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      double depth = std::numeric_limits<double>::quiet_NaN();
      ccd_vec3_t direction;
      ccd_vec3_t position;
      const int failed = algorithm == Algorithm::gjk
                             ? ccdGJKPenetration(&first_[i], &second_[i], &ccd_, &depth, &direction, &position)
                             : ccdMPRPenetration(&first_[i], &second_[i], &ccd_, &depth, &direction, &position);
      answers[i] = failed == 0 ? depth : std::numeric_limits<double>::quiet_NaN();
    }
  }

 private:
  std::vector<PlainShape> shapes_;
  std::vector<PlainPair> pairs_;
  std::vector<Object> first_;
  std::vector<Object> second_;
  ccd_t ccd_;
};

template <Algorithm algorithm>
std::unique_ptr<PairSolver> make_pairs(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs) {
  return std::make_unique<CcdPairs<algorithm>>(shapes, pairs);
}

bool answers(Query query, Kind /*a*/, Kind /*b*/) {
  return query != Query::distance;
}

}  // namespace

Peer libccd_gjk_peer() {
  return {.name = "libccd_gjk", .answers = answers, .pairs = make_pairs<Algorithm::gjk>};
}

Peer libccd_mpr_peer() {
  return {.name = "libccd_mpr", .answers = answers, .pairs = make_pairs<Algorithm::mpr>};
}

}  // namespace abut::peers
