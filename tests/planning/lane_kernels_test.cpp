// The fast tier's arithmetic: the same bits from every instruction set, and right against doubles.
#include <abut/planning/lanes/lane_kernels.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace abut::detail {
namespace {

std::vector<const LaneKernels*> all_kernels() {
  std::vector<const LaneKernels*> kernels(8);
  kernels.resize(runnable_lane_kernels(kernels.data(), kernels.size()));
  return kernels;
}

ObstacleBlock random_block(ObstacleKind kind, samples::Random& random) {
  ObstacleBlock block{};
  block.kind = kind;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const bool is_upright = kind == ObstacleKind::upright_box || kind == ObstacleKind::upright_cylinder;
    const Quaterniond about_z(Eigen::AngleAxisd(random.uniform(-3.0, 3.0), Vector3d::UnitZ()));
    const Matrix3d rotation = (is_upright ? about_z : random.rotation()).toRotationMatrix();
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        block.axes[3 * i + k][lane] = static_cast<float>(rotation(static_cast<int>(k), static_cast<int>(i)));
      }
      block.origin[i][lane] = static_cast<float>(random.uniform(-1.0, 1.0));
      block.half[i][lane] = static_cast<float>(random.uniform(0.0, 0.3));
    }
    block.outside[lane] = static_cast<float>(random.uniform(0.0, 0.1));
    block.inside[lane] = block.outside[lane] - 0.01F;
  }
  return block;
}

/// Distance of a point from the solid of a lane, in doubles; of a half-space with its sign.
double solid_gap(const ObstacleBlock& block, std::size_t lane, const Vector3d& point) {
  Vector3d local;
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      sum +=
          static_cast<double>(block.axes[3 * i + k][lane]) * (point[row] - static_cast<double>(block.origin[k][lane]));
    }
    local[static_cast<Eigen::Index>(i)] = sum;
  }
  if (block.kind == ObstacleKind::half_space) return local.x();
  const Vector3d half(block.half[0][lane], block.half[1][lane], block.half[2][lane]);
  if (block.kind == ObstacleKind::cylinder || block.kind == ObstacleKind::upright_cylinder) {
    return std::hypot(std::max(0.0, local.head<2>().norm() - half.x()), std::max(0.0, std::abs(local.z()) - half.z()));
  }
  return (local.cwiseAbs() - half).cwiseMax(0.0).norm();
}

struct RandomBalls {
  std::vector<float> center[3];
  std::vector<float> outer;
  std::vector<float> inner;

  RandomBalls(std::size_t count, double spread, samples::Random& random) {
    const std::size_t lanes = (count + kLanes - 1) / kLanes * kLanes;
    constexpr float kNone = -std::numeric_limits<float>::infinity();
    for (auto& coordinate : center) coordinate.assign(lanes, 0.0F);
    outer.assign(lanes, kNone);
    inner.assign(lanes, kNone);
    for (std::size_t i = 0; i < count; ++i) {
      for (auto& coordinate : center) coordinate[i] = static_cast<float>(random.uniform(-spread, spread));
      outer[i] = static_cast<float>(random.uniform(0.02, 0.1));
      inner[i] = 0.5F * outer[i];
    }
  }
  [[nodiscard]] BallSet view() const {
    return {{center[0].data(), center[1].data(), center[2].data()}, outer.data(), inner.data(), outer.size()};
  }
  [[nodiscard]] Vector3d at(std::size_t i) const { return {center[0][i], center[1][i], center[2][i]}; }
};

constexpr ObstacleKind kKinds[] = {ObstacleKind::box, ObstacleKind::upright_box, ObstacleKind::cylinder,
                                   ObstacleKind::upright_cylinder, ObstacleKind::half_space};

TEST(LaneKernels, FindTheObstaclesNearABall) {
  samples::Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const ObstacleBlock block = random_block(kKinds[static_cast<std::size_t>(i) % std::size(kKinds)], random);
    const Vector3d point = random.vector(-1.0, 1.0);
    const float center[3] = {static_cast<float>(point.x()), static_cast<float>(point.y()),
                             static_cast<float>(point.z())};
    const float outer = 0.1F;
    const std::uint8_t wanted = i % 5 == 0 ? 0x5a : 0xff;
    unsigned expected = 0;
    unsigned unclear = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double limit = static_cast<double>(outer + block.outside[lane]);
      const double gap = solid_gap(block, lane, point);
      if (gap <= limit) expected |= 1U << lane;
      if (std::abs(gap - limit) < 1e-5) unclear |= 1U << lane;
    }
    for (const LaneKernels* kernels : all_kernels()) {
      std::array<std::uint32_t, kLanes> places{};
      const std::size_t count = kernels->obstacles_near(&block, 1, &wanted, center, outer, places.data());
      unsigned near = 0;
      for (std::size_t k = 0; k < count; ++k) near |= 1U << places[k];
      EXPECT_EQ(near & ~unclear, expected & wanted & ~unclear) << kernels->name;
    }
  }
}

TEST(LaneKernels, GiveAVerdictOnBallsAndAnObstacle) {
  samples::Random random(2);
  std::array<int, 3> seen{};
  for (int i = 0; i < 3000; ++i) {
    const ObstacleBlock block = random_block(kKinds[static_cast<std::size_t>(i) % std::size(kKinds)], random);
    const RandomBalls balls(11, 0.8, random);
    const std::size_t lane = random.below(kLanes);
    double margin_outer = std::numeric_limits<double>::infinity();
    double margin_inner = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < 11; ++b) {
      const double gap = solid_gap(block, lane, balls.at(b));
      margin_outer = std::min(margin_outer, gap - static_cast<double>(balls.outer[b] + block.outside[lane]));
      margin_inner = std::min(margin_inner, gap - static_cast<double>(balls.inner[b] + block.inside[lane]));
    }
    if (std::abs(margin_outer) < 1e-5 || std::abs(margin_inner) < 1e-5) continue;
    const LaneVerdict expected =
        margin_inner < 0.0 ? LaneVerdict::collides : (margin_outer > 0.0 ? LaneVerdict::clear : LaneVerdict::unknown);
    for (const LaneKernels* kernels : all_kernels()) {
      EXPECT_EQ(kernels->balls_against_obstacle(balls.view(), block, lane), expected) << kernels->name;
    }
    ++seen[static_cast<std::size_t>(expected)];
  }
  for (const int count : seen) EXPECT_GT(count, 50);
}

TEST(LaneKernels, GiveAVerdictOnTwoSetsOfBalls) {
  samples::Random random(3);
  std::array<int, 3> seen{};
  for (int i = 0; i < 3000; ++i) {
    const RandomBalls a(5, 0.3, random);
    const RandomBalls b(9, 0.3, random);
    double margin_outer = std::numeric_limits<double>::infinity();
    double margin_inner = std::numeric_limits<double>::infinity();
    const float origin[3] = {0.0F, 0.0F, 0.0F};
    float around = 0.0F;
    for (std::size_t j = 0; j < 5; ++j) {
      around = std::max(around, static_cast<float>(a.at(j).norm()) + a.outer[j] + 1e-6F);
      for (std::size_t k = 0; k < 9; ++k) {
        const double gap = (a.at(j) - b.at(k)).norm();
        margin_outer = std::min(margin_outer, gap - static_cast<double>(a.outer[j] + b.outer[k]));
        margin_inner = std::min(margin_inner, gap - static_cast<double>(a.inner[j] + b.inner[k]));
      }
    }
    if (std::abs(margin_outer) < 1e-5 || std::abs(margin_inner) < 1e-5) continue;
    const LaneVerdict expected =
        margin_inner < 0.0 ? LaneVerdict::collides : (margin_outer > 0.0 ? LaneVerdict::clear : LaneVerdict::unknown);
    for (const LaneKernels* kernels : all_kernels()) {
      EXPECT_EQ(kernels->balls_against_balls(a.view(), origin, around, b.view()), expected) << kernels->name;
    }
    ++seen[static_cast<std::size_t>(expected)];
  }
  EXPECT_GT(seen[static_cast<std::size_t>(LaneVerdict::collides)], 50);
  EXPECT_GT(seen[static_cast<std::size_t>(LaneVerdict::unknown)], 50);
}

/// A chain of turns and one slide, and its poses in eight states.
struct RandomChain {
  std::vector<LaneFrame> frames{1};
  std::vector<double> from;
  std::vector<double> change;
  std::array<double, kLanes> t{};
  std::vector<double> values;  ///< Of the variables in the eight states.

  explicit RandomChain(samples::Random& random) {
    for (std::uint32_t f = 1; f < 6; ++f) {
      LaneFrame frame{};
      const Matrix3d rotation = random.rotation().toRotationMatrix();
      for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) frame.rotation[3 * i + k] = static_cast<float>(rotation(i, k));
        frame.translation[i] = static_cast<float>(random.uniform(-0.3, 0.3));
      }
      frame.multiplier = f == 4 ? -0.5 : 1.0;
      frame.offset = f == 4 ? 0.2 : 0.0;
      frame.parent = f == 5 ? 3 : f - 1;
      frame.variable = f - 1;
      frame.slides = f == 2;
      frames.push_back(frame);
      from.push_back(random.uniform(-2.0, 2.0));
      change.push_back(random.uniform(-1.0, 1.0));
    }
    for (std::size_t i = 0; i < kLanes; ++i) t[i] = static_cast<double>(i) / 7.0;
    for (std::size_t v = 0; v < from.size(); ++v) {
      for (const double fraction : t) values.push_back(from[v] + fraction * change[v]);
    }
  }
};

FrameMotion in_doubles(const LaneFrame& frame) {
  FrameMotion motion{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t k = 0; k < 3; ++k) motion.columns[4 * k + row] = static_cast<double>(frame.rotation[3 * row + k]);
    motion.columns[12 + row] = static_cast<double>(frame.translation[row]);
  }
  motion.multiplier = frame.multiplier;
  motion.offset = frame.offset;
  motion.parent = frame.parent;
  motion.variable = frame.variable;
  motion.slides = frame.slides;
  return motion;
}

TEST(LaneKernels, PutFramesAndPathsWhereDoublesPutThem) {
  samples::Random random(4);
  for (int sample = 0; sample < 100; ++sample) {
    const RandomChain chain(random);
    const RandomBalls balls(3, 0.2, random);
    for (const LaneKernels* kernels : all_kernels()) {
      std::vector<LanePose> poses(chain.frames.size());
      kernels->poses(chain.frames.data(), chain.frames.size(), chain.values.data(), poses.data());
      std::array<LanePath, 3> paths;
      kernels->paths(poses.back(), balls.view(), 3, 0.25F, paths.data());
      std::array<LaneCenter, 3> centers;
      kernels->centers(poses.back(), balls.view(), 3, centers.data());
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        std::vector<Pose> exact(1);
        for (std::size_t f = 1; f < chain.frames.size(); ++f) {
          const LaneFrame& frame = chain.frames[f];
          Matrix3d rotation;
          for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) rotation(i, k) = static_cast<double>(frame.rotation[3 * i + k]);
          }
          const Vector3d translation(frame.translation[0], frame.translation[1], frame.translation[2]);
          const double value =
              frame.multiplier * (chain.from[frame.variable] + chain.t[lane] * chain.change[frame.variable]) +
              frame.offset;
          const Pose motion = frame.slides
                                  ? Pose(Vector3d(0, 0, value))
                                  : Pose(Vector3d::Zero(), Quaterniond(Eigen::AngleAxisd(value, Vector3d::UnitZ())));
          exact.push_back(exact[frame.parent] * Pose::unchecked(translation, rotation) * motion);
        }
        for (std::size_t b = 0; b < 3; ++b) {
          const Vector3d center = exact.back() * balls.at(b);
          for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_NEAR(static_cast<double>(paths[b].center[k][lane]), center[static_cast<Eigen::Index>(k)], 1e-5)
                << kernels->name;
            EXPECT_EQ(centers[b].at[k][lane], paths[b].center[k][lane]) << kernels->name;
          }
        }
      }
    }
  }
}

TEST(LaneKernels, FindTheStatesInWhichABallIsNearObstacles) {
  samples::Random random(7);
  for (int i = 0; i < 2000; ++i) {
    const ObstacleBlock block = random_block(kKinds[static_cast<std::size_t>(i) % std::size(kKinds)], random);
    LaneCenter center;
    const Vector3d middle = random.vector(-1.0, 1.0);
    const double spread = i % 2 == 0 ? 0.2 : 1.0;
    for (std::size_t state = 0; state < kLanes; ++state) {
      const Vector3d point = middle + random.vector(-spread, spread);
      for (std::size_t k = 0; k < 3; ++k) center.at[k][state] = static_cast<float>(point[static_cast<Eigen::Index>(k)]);
    }
    const float outer = 0.1F;
    const std::uint8_t wanted = i % 5 == 0 ? 0x5a : 0xff;
    std::array<unsigned, kLanes> expected{};
    std::array<unsigned, kLanes> unclear{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      for (std::size_t state = 0; state < kLanes; ++state) {
        const double limit = static_cast<double>(outer + block.outside[lane]);
        const Vector3d point(center.at[0][state], center.at[1][state], center.at[2][state]);
        const double gap = solid_gap(block, lane, point);
        const bool is_wanted = ((wanted >> lane) & 1U) != 0;
        if (is_wanted && gap <= limit) expected[lane] |= 1U << state;
        if (std::abs(gap - limit) < 1e-5) unclear[lane] |= 1U << state;
      }
    }
    for (const LaneKernels* kernels : all_kernels()) {
      std::array<NearInLanes, kLanes> near{};
      const std::size_t count = kernels->states_near_obstacles(&block, 1, &wanted, center, outer, near.data());
      std::array<unsigned, kLanes> found{};
      for (std::size_t k = 0; k < count; ++k) found[near[k].which] = near[k].lanes;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        EXPECT_EQ(found[lane] & ~unclear[lane], expected[lane] & ~unclear[lane]) << kernels->name;
      }
    }
  }
}

TEST(LaneKernels, FindTheStatesInWhichBallsAreNearEachOther) {
  samples::Random random(8);
  std::size_t near_states = 0;
  for (int i = 0; i < 1000; ++i) {
    std::array<LaneCenter, 3> centers;
    for (LaneCenter& center : centers) {
      for (auto& coordinate : center.at) {
        for (float& x : coordinate) x = static_cast<float>(random.uniform(-0.5, 0.5));
      }
    }
    const std::array<PairOfBalls, 3> pairs = {{{0, 1, 0, 0.3F}, {0, 2, 1, 0.5F}, {1, 2, 2, 0.1F}}};
    for (const LaneKernels* kernels : all_kernels()) {
      std::array<NearInLanes, 3> near{};
      const std::size_t count = kernels->states_near_each_other(pairs.data(), 3, centers.data(), near.data());
      std::array<unsigned, 3> found{};
      for (std::size_t k = 0; k < count; ++k) found[near[k].which] = near[k].lanes;
      for (std::size_t p = 0; p < pairs.size(); ++p) {
        for (std::size_t state = 0; state < kLanes; ++state) {
          const auto at = [state](const LaneCenter& center) {
            return Vector3d(center.at[0][state], center.at[1][state], center.at[2][state]);
          };
          const double gap = (at(centers[pairs[p].a]) - at(centers[pairs[p].b])).norm();
          if (std::abs(gap - static_cast<double>(pairs[p].radii)) < 1e-6) continue;
          const bool is_near = ((found[p] >> state) & 1U) != 0;
          EXPECT_EQ(is_near, gap < static_cast<double>(pairs[p].radii)) << kernels->name;
          near_states += is_near ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(near_states, 1000U);
}

TEST(LaneKernels, KeepTheNextCenterWithinReachOfTheMiddle) {
  samples::Random random(5);
  const RandomChain chain(random);
  const RandomBalls balls(1, 0.2, random);
  for (const LaneKernels* kernels : all_kernels()) {
    std::vector<LanePose> poses(chain.frames.size());
    kernels->poses(chain.frames.data(), chain.frames.size(), chain.values.data(), poses.data());
    LanePath path;
    kernels->paths(poses.back(), balls.view(), 1, 0.01F, &path);
    for (std::size_t i = 0; i < kLanes; ++i) {
      const std::size_t next = std::min(i + 1, kLanes - 1);
      const Vector3d middle(path.middle[0][i], path.middle[1][i], path.middle[2][i]);
      for (const std::size_t end : {i, next}) {
        const Vector3d center(path.center[0][end], path.center[1][end], path.center[2][end]);
        EXPECT_LE((center - middle).norm(), static_cast<double>(path.reach[i]) - 0.00999) << kernels->name;
      }
    }
  }
}

TEST(LaneKernels, GiveTheSameBitsWithEveryInstructionSet) {
  samples::Random random(6);
  const std::vector<const LaneKernels*> kernels = all_kernels();
  for (int sample = 0; sample < 200; ++sample) {
    const RandomChain chain(random);
    const RandomBalls balls(8, 0.2, random);
    const RandomBalls others(8, 0.4, random);
    const ObstacleBlock block = random_block(kKinds[static_cast<std::size_t>(sample) % std::size(kKinds)], random);
    struct Result {
      std::vector<double> placed;
      std::vector<LanePose> poses;
      LanePose relative;
      std::array<LanePath, 8> paths;
      std::array<LaneCenter, 8> centers;
      std::array<NearInLanes, 8> near{};
      std::size_t near_count = 0;
      std::array<NearInLanes, 8> states_near{};
      std::size_t states_near_count = 0;
      unsigned open = 0;
      unsigned hits = 0;
      unsigned between = 0;
    };
    std::vector<FrameMotion> motions;
    for (const LaneFrame& frame : chain.frames) motions.push_back(in_doubles(frame));
    std::vector<Result> results;
    for (const LaneKernels* one : kernels) {
      Result& result = results.emplace_back();
      result.placed.resize(kPlacedFrame * chain.frames.size() + kPlacedFramePadding);
      one->place_frames(motions.data(), motions.size(), chain.from.data(), result.placed.data());
      result.poses.resize(chain.frames.size());
      one->poses(chain.frames.data(), chain.frames.size(), chain.values.data(), result.poses.data());
      one->relative_pose(result.poses[2], result.poses[5], &result.relative);
      one->paths(result.relative, balls.view(), 8, 0.01F, result.paths.data());
      const std::uint8_t wanted = 0xff;
      result.near_count = one->path_near_obstacles(&block, 1, &wanted, result.paths[0], 0.1F, result.near.data());
      one->centers(result.relative, balls.view(), 8, result.centers.data());
      result.states_near_count =
          one->states_near_obstacles(&block, 1, &wanted, result.centers[0], 0.1F, result.states_near.data());
      result.open = one->paths_near_obstacle(result.paths.data(), balls.outer.data(), balls.inner.data(), 8, block, 3,
                                             0x7f, &result.hits);
      result.between = one->paths_near_balls(result.paths.data(), balls.outer.data(), balls.inner.data(), 8,
                                             others.view(), 8, 0x7f, &result.hits);
    }
    for (std::size_t i = 1; i < results.size(); ++i) {
      const Result& a = results[0];
      const Result& b = results[i];
      const std::size_t size = a.poses.size() * sizeof(LanePose);
      EXPECT_EQ(a.placed, b.placed) << kernels[i]->name;
      EXPECT_EQ(std::memcmp(a.poses.data(), b.poses.data(), size), 0) << kernels[i]->name;
      EXPECT_EQ(std::memcmp(&a.relative, &b.relative, sizeof(LanePose)), 0) << kernels[i]->name;
      EXPECT_EQ(std::memcmp(&a.paths, &b.paths, sizeof(a.paths)), 0) << kernels[i]->name;
      EXPECT_EQ(std::memcmp(&a.centers, &b.centers, sizeof(a.centers)), 0) << kernels[i]->name;
      EXPECT_EQ(a.states_near_count, b.states_near_count);
      EXPECT_EQ(std::memcmp(a.states_near.data(), b.states_near.data(), sizeof(a.states_near)), 0) << kernels[i]->name;
      EXPECT_EQ(a.near_count, b.near_count);
      EXPECT_EQ(std::memcmp(a.near.data(), b.near.data(), sizeof(a.near)), 0) << kernels[i]->name;
      EXPECT_EQ(a.open, b.open);
      EXPECT_EQ(a.hits, b.hits);
      EXPECT_EQ(a.between, b.between);
    }
  }
}

}  // namespace
}  // namespace abut::detail
