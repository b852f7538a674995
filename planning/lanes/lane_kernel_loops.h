// The kernels of lane_kernels.h over a type Lanes of eight floats (core/float_lanes.h). Included by one source file for
// each instruction set.
#pragma once

#include <abut/core/simd_trigonometry.h>
#include <abut/planning/lanes/lane_kernels.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace abut::detail {

template <class Lanes>
struct LaneLoops {
  using Floats = typename Lanes::Floats;

  struct Point {
    Floats x, y, z;
  };
  /// The solids of a block in their lanes.
  struct AllOf {
    const ObstacleBlock& block;
    [[gnu::always_inline]] Floats axis(std::size_t i) const { return Lanes::load(block.axes[i]); }
    [[gnu::always_inline]] Floats origin(std::size_t i) const { return Lanes::load(block.origin[i]); }
    [[gnu::always_inline]] Floats half(std::size_t i) const { return Lanes::load(block.half[i]); }
  };
  /// One of them in all lanes.
  struct OneOf {
    const ObstacleBlock& block;
    std::size_t lane;
    [[gnu::always_inline]] Floats axis(std::size_t i) const { return Lanes::all(block.axes[i][lane]); }
    [[gnu::always_inline]] Floats origin(std::size_t i) const { return Lanes::all(block.origin[i][lane]); }
    [[gnu::always_inline]] Floats half(std::size_t i) const { return Lanes::all(block.half[i][lane]); }
  };

  [[gnu::always_inline]] static Floats dot(const Floats& ax, const Floats& ay, const Floats& az, const Point& b) {
    return Lanes::add(Lanes::add(Lanes::mul(ax, b.x), Lanes::mul(ay, b.y)), Lanes::mul(az, b.z));
  }
  [[gnu::always_inline]] static Point difference(const Point& a, const Point& b) {
    return {Lanes::sub(a.x, b.x), Lanes::sub(a.y, b.y), Lanes::sub(a.z, b.z)};
  }
  [[gnu::always_inline]] static Floats square(const Point& a) { return dot(a.x, a.y, a.z, a); }
  [[gnu::always_inline]] static Point load(const float (&from)[3][kLanes]) {
    return {Lanes::load(from[0]), Lanes::load(from[1]), Lanes::load(from[2])};
  }
  [[gnu::always_inline]] static Point load(const BallSet& balls, std::size_t first) {
    return {Lanes::load(balls.center[0] + first), Lanes::load(balls.center[1] + first),
            Lanes::load(balls.center[2] + first)};
  }
  [[gnu::always_inline]] static void store(const Point& point, float (&to)[3][kLanes]) {
    Lanes::store(to[0], point.x);
    Lanes::store(to[1], point.y);
    Lanes::store(to[2], point.z);
  }
  [[gnu::always_inline]] static Point broadcast(const float* point) {
    return {Lanes::all(point[0]), Lanes::all(point[1]), Lanes::all(point[2])};
  }

  /// Distances of points from solids: squared, except that of a half-space, which has a sign.
  struct Gap {
    Floats value;
    bool is_squared;
  };
  template <class Solids>
  [[gnu::always_inline]] static Gap gap(const Solids& solid, const Point& point) {
    const Floats zero = Lanes::all(0.0F);
    const Point arm = difference(point, {solid.origin(0), solid.origin(1), solid.origin(2)});
    Point local = arm;
    switch (solid.block.kind) {
      case ObstacleKind::upright_cylinder:
        break;  // round about z
      case ObstacleKind::upright_box:
        local.x = Lanes::add(Lanes::mul(solid.axis(0), arm.x), Lanes::mul(solid.axis(1), arm.y));
        local.y = Lanes::add(Lanes::mul(solid.axis(3), arm.x), Lanes::mul(solid.axis(4), arm.y));
        break;
      case ObstacleKind::half_space:
        return {dot(solid.axis(0), solid.axis(1), solid.axis(2), arm), false};
      default:
        local.x = dot(solid.axis(0), solid.axis(1), solid.axis(2), arm);
        local.y = dot(solid.axis(3), solid.axis(4), solid.axis(5), arm);
        local.z = dot(solid.axis(6), solid.axis(7), solid.axis(8), arm);
    }
    const Floats along = Lanes::larger(Lanes::sub(Lanes::abs(local.z), solid.half(2)), zero);
    if (solid.block.kind == ObstacleKind::cylinder || solid.block.kind == ObstacleKind::upright_cylinder) {
      const Floats from_axis = Lanes::root(Lanes::add(Lanes::mul(local.x, local.x), Lanes::mul(local.y, local.y)));
      const Floats across = Lanes::larger(Lanes::sub(from_axis, solid.half(0)), zero);
      return {Lanes::add(Lanes::mul(across, across), Lanes::mul(along, along)), true};
    }
    const Floats beside_x = Lanes::larger(Lanes::sub(Lanes::abs(local.x), solid.half(0)), zero);
    const Floats beside_y = Lanes::larger(Lanes::sub(Lanes::abs(local.y), solid.half(1)), zero);
    return {square({beside_x, beside_y, along}), true};
  }

  /// A bit a lane: the gap is not above a limit.
  [[gnu::always_inline]] static unsigned not_above(const Gap& gap, const Floats& limit) {
    if (!gap.is_squared) return 0xffU & ~Lanes::above(gap.value, limit);
    const unsigned may_touch = 0xffU & ~Lanes::above(Lanes::all(0.0F), limit);
    return may_touch & ~Lanes::above(gap.value, Lanes::mul(limit, limit));
  }
  /// A bit a lane: the gap is below a limit.
  [[gnu::always_inline]] static unsigned below(const Gap& gap, const Floats& limit) {
    if (!gap.is_squared) return Lanes::above(limit, gap.value);
    return Lanes::above(limit, Lanes::all(0.0F)) & Lanes::above(Lanes::mul(limit, limit), gap.value);
  }

  static std::size_t obstacles_near(const ObstacleBlock* blocks, std::size_t count, const std::uint8_t* wanted,
                                    const float* center, float outer, std::uint32_t* near) {
    const Point point = broadcast(center);
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (wanted[i] == 0) continue;
      const Floats limit = Lanes::add(Lanes::all(outer), Lanes::load(blocks[i].outside));
      unsigned lanes = wanted[i] & not_above(gap(AllOf{blocks[i]}, point), limit);
      for (; lanes != 0; lanes &= lanes - 1) {
        near[found++] = static_cast<std::uint32_t>(i * kLanes + static_cast<std::size_t>(std::countr_zero(lanes)));
      }
    }
    return found;
  }

  static LaneVerdict balls_against_obstacle(const BallSet& balls, const ObstacleBlock& block, std::size_t lane) {
    const OneOf solid{block, lane};
    const Floats outside = Lanes::all(block.outside[lane]);
    const Floats inside = Lanes::all(block.inside[lane]);
    unsigned near = 0;
    for (std::size_t i = 0; i < balls.lanes; i += kLanes) {
      const Gap gaps = gap(solid, load(balls, i));
      if (below(gaps, Lanes::add(Lanes::load(balls.inner + i), inside)) != 0) return LaneVerdict::collides;
      near |= not_above(gaps, Lanes::add(Lanes::load(balls.outer + i), outside));
    }
    return near != 0 ? LaneVerdict::unknown : LaneVerdict::clear;
  }

  static LaneVerdict balls_against_balls(const BallSet& a, const float* center, float outer, const BallSet& b) {
    const Point around = broadcast(center);
    unsigned near = 0;
    for (std::size_t first = 0; first < b.lanes; first += kLanes) {
      const Gap from_all = {square(difference(load(b, first), around)), true};
      unsigned wanted = not_above(from_all, Lanes::add(Lanes::load(b.outer + first), Lanes::all(outer)));
      for (; wanted != 0; wanted &= wanted - 1) {
        const std::size_t j = first + static_cast<std::size_t>(std::countr_zero(wanted));
        const float point[3] = {b.center[0][j], b.center[1][j], b.center[2][j]};
        const Point of_b = broadcast(point);
        const Floats outer_b = Lanes::all(b.outer[j]);
        const Floats inner_b = Lanes::all(b.inner[j]);
        for (std::size_t i = 0; i < a.lanes; i += kLanes) {
          const Gap gaps = {square(difference(load(a, i), of_b)), true};
          if (below(gaps, Lanes::add(Lanes::load(a.inner + i), inner_b)) != 0) return LaneVerdict::collides;
          near |= not_above(gaps, Lanes::add(Lanes::load(a.outer + i), outer_b));
        }
      }
    }
    return near != 0 ? LaneVerdict::unknown : LaneVerdict::clear;
  }

  static void place_balls(const float* pose, const BallSet& balls, float* const* center) {
    for (std::size_t i = 0; i < balls.lanes; i += kLanes) {
      const Point point = load(balls, i);
      for (std::size_t k = 0; k < 3; ++k) {
        const float* row = pose + 3 * k;
        const Floats turned = dot(Lanes::all(row[0]), Lanes::all(row[1]), Lanes::all(row[2]), point);
        Lanes::store(center[k] + i, Lanes::add(turned, Lanes::all(pose[9 + k])));
      }
    }
  }

  static void place_frames(const FrameMotion* frames, std::size_t count, const double* configuration, double* placed) {
    using Trigonometry = SimdTrigonometry<Lanes::kDoubles>;
    using Columns = Simd<4>;
    constexpr std::size_t kBlock = 16;
    alignas(32) double value[kBlock];
    alignas(32) double sine[kBlock];
    alignas(32) double cosine[kBlock];

    // The root's; from here on the frame before the one at hand.
    typename Columns::Doubles x = {1.0, 0.0, 0.0, 0.0};
    typename Columns::Doubles y = {0.0, 1.0, 0.0, 0.0};
    typename Columns::Doubles z = {0.0, 0.0, 1.0, 0.0};
    typename Columns::Doubles origin = {};
    // A column's last number is written over by the next one.
    const auto store = [&](double* to) {
      std::memcpy(to, &x, sizeof(x));
      std::memcpy(to + 3, &y, sizeof(y));
      std::memcpy(to + 6, &z, sizeof(z));
      std::memcpy(to + 9, &origin, sizeof(origin));
    };
    store(placed);
    for (std::size_t first = 1; first < count; first += kBlock) {
      const std::size_t end = first + kBlock < count ? first + kBlock : count;
      bool is_large = false;
      for (std::size_t f = first; f < end; ++f) {
        const double angle = frames[f].multiplier * configuration[frames[f].variable] + frames[f].offset;
        is_large = is_large || angle > Trigonometry::kMaxAngle || angle < -Trigonometry::kMaxAngle;
        value[f - first] = angle;
      }
      for (std::size_t f = end; (f - first) % Lanes::kDoubles != 0; ++f) value[f - first] = 0.0;
      for (std::size_t i = 0; i < end - first; i += Lanes::kDoubles) {
        typename Trigonometry::Doubles sines;
        typename Trigonometry::Doubles cosines;
        Trigonometry::sine_and_cosine(Simd<Lanes::kDoubles>::load(value + i), sines, cosines);
        std::memcpy(sine + i, &sines, sizeof(sines));
        std::memcpy(cosine + i, &cosines, sizeof(cosines));
      }
      if (is_large) {
        for (std::size_t i = 0; i < end - first; ++i) {
          sine[i] = std::sin(value[i]);
          cosine[i] = std::cos(value[i]);
        }
      }
      for (std::size_t f = first; f < end; ++f) {
        const FrameMotion& frame = frames[f];
        if (frame.parent + 1 != f) {
          const double* parent = placed + kPlacedFrame * frame.parent;
          std::memcpy(&x, parent, sizeof(x));
          std::memcpy(&y, parent + 3, sizeof(y));
          std::memcpy(&z, parent + 6, sizeof(z));
          origin = typename Columns::Doubles{parent[9], parent[10], parent[11], 0.0};
        }
        typename Columns::Doubles along[4];
        for (std::size_t k = 0; k < 4; ++k) {
          const double* by = frame.columns + 4 * k;
          along[k] = x * by[0] + y * by[1] + z * by[2];
        }
        origin = along[3] + origin;
        z = along[2];
        if (frame.slides) {
          origin = origin + value[f - first] * z;
          x = along[0];
          y = along[1];
        } else {
          x = cosine[f - first] * along[0] + sine[f - first] * along[1];
          y = cosine[f - first] * along[1] - sine[f - first] * along[0];
        }
        store(placed + kPlacedFrame * f);
      }
    }
  }

  static void poses(const LaneFrame* frames, std::size_t count, const double* values, LanePose* poses) {
    using Trigonometry = SimdTrigonometry<Lanes::kDoubles>;
    using Doubles = typename Trigonometry::Doubles;
    for (std::size_t k = 0; k < 9; ++k) Lanes::store(poses[0].rotation[k], Lanes::all(k % 4 == 0 ? 1.0F : 0.0F));
    for (std::size_t k = 0; k < 3; ++k) Lanes::store(poses[0].translation[k], Lanes::all(0.0F));
    for (std::size_t f = 1; f < count; ++f) {
      const LaneFrame& frame = frames[f];
      const LanePose& parent = poses[frame.parent];
      LanePose& pose = poses[f];
      Floats row[9];
      for (std::size_t k = 0; k < 9; ++k) row[k] = Lanes::load(parent.rotation[k]);
      Floats turned[9];
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          const Point column = {Lanes::all(frame.rotation[k]), Lanes::all(frame.rotation[3 + k]),
                                Lanes::all(frame.rotation[6 + k])};
          turned[3 * i + k] = dot(row[3 * i], row[3 * i + 1], row[3 * i + 2], column);
        }
      }
      Floats origin[3];
      const Point offset = broadcast(frame.translation);
      for (std::size_t i = 0; i < 3; ++i) {
        origin[i] =
            Lanes::add(dot(row[3 * i], row[3 * i + 1], row[3 * i + 2], offset), Lanes::load(parent.translation[i]));
      }
      alignas(32) float first[kLanes];   // the value of a slide, or the cosine of a turn
      alignas(32) float second[kLanes];  // the sine
      const double* variable = values + kLanes * frame.variable;
      if (frame.slides) {
        for (std::size_t i = 0; i < kLanes; ++i) {
          first[i] = static_cast<float>(frame.multiplier * variable[i] + frame.offset);
        }
        const Floats way = Lanes::load(first);
        for (std::size_t i = 0; i < 3; ++i) origin[i] = Lanes::add(origin[i], Lanes::mul(way, turned[3 * i + 2]));
      } else {
        for (std::size_t i = 0; i < kLanes; i += Lanes::kDoubles) {
          Doubles angle;
          std::memcpy(&angle, variable + i, sizeof(angle));
          angle = frame.multiplier * angle + frame.offset;
          Doubles sine;
          Doubles cosine;
          Trigonometry::sine_and_cosine(angle, sine, cosine);
          for (std::size_t k = 0; k < Lanes::kDoubles; ++k) {
            first[i + k] = static_cast<float>(cosine[k]);
            second[i + k] = static_cast<float>(sine[k]);
          }
        }
        const Floats c = Lanes::load(first);
        const Floats s = Lanes::load(second);
        for (std::size_t i = 0; i < 3; ++i) {
          const Floats x = turned[3 * i];
          const Floats y = turned[3 * i + 1];
          turned[3 * i] = Lanes::add(Lanes::mul(c, x), Lanes::mul(s, y));
          turned[3 * i + 1] = Lanes::sub(Lanes::mul(c, y), Lanes::mul(s, x));
        }
      }
      for (std::size_t k = 0; k < 9; ++k) Lanes::store(pose.rotation[k], turned[k]);
      for (std::size_t i = 0; i < 3; ++i) Lanes::store(pose.translation[i], origin[i]);
    }
  }

  /// A frame in eight states, ready to move points with.
  struct Moved {
    Floats row[9];
    Point origin;

    explicit Moved(const LanePose& pose) : origin(load(pose.translation)) {
      for (std::size_t k = 0; k < 9; ++k) row[k] = Lanes::load(pose.rotation[k]);
    }
    [[gnu::always_inline]] Point operator()(const BallSet& balls, std::size_t b) const {
      const float local[3] = {balls.center[0][b], balls.center[1][b], balls.center[2][b]};
      const Point point = broadcast(local);
      return {Lanes::add(dot(row[0], row[1], row[2], point), origin.x),
              Lanes::add(dot(row[3], row[4], row[5], point), origin.y),
              Lanes::add(dot(row[6], row[7], row[8], point), origin.z)};
    }
  };

  static void centers(const LanePose& pose, const BallSet& balls, std::size_t count, LaneCenter* centers) {
    const Moved moved(pose);
    for (std::size_t b = 0; b < count; ++b) store(moved(balls, b), centers[b].at);
  }

  static void paths(const LanePose& pose, const BallSet& balls, std::size_t count, float sag, LanePath* paths) {
    const Moved moved(pose);
    for (std::size_t b = 0; b < count; ++b) {
      LanePath& path = paths[b];
      const Point center = moved(balls, b);
      const Point next = {following(center.x), following(center.y), following(center.z)};
      const Floats half = Lanes::all(0.5F);
      store(center, path.center);
      store({Lanes::mul(half, Lanes::add(center.x, next.x)), Lanes::mul(half, Lanes::add(center.y, next.y)),
             Lanes::mul(half, Lanes::add(center.z, next.z))},
            path.middle);
      const Floats chord = Lanes::root(square(difference(next, center)));
      Lanes::store(path.reach, Lanes::add(Lanes::mul(half, chord), Lanes::all(sag)));
    }
  }

  /// In each lane the number of the next one; in the last its own.
  [[gnu::always_inline]] static Floats following(const Floats& values) {
    float shifted[kLanes + 1];
    Lanes::store(shifted, values);
    shifted[kLanes] = shifted[kLanes - 1];
    return Lanes::load(shifted + 1);
  }

  /// A bit a stretch between two states.
  static constexpr unsigned kStretchBits = (1U << (kLanes - 1)) - 1U;

  static std::size_t path_near_obstacles(const ObstacleBlock* blocks, std::size_t count, const std::uint8_t* wanted,
                                         const LanePath& path, float outer, NearInLanes* near) {
    const Floats reach = Lanes::add(Lanes::load(path.reach), Lanes::all(outer));
    return near_obstacles(blocks, count, wanted, path.middle, reach, kStretchBits, near);
  }

  static std::size_t states_near_obstacles(const ObstacleBlock* blocks, std::size_t count, const std::uint8_t* wanted,
                                           const LaneCenter& center, float outer, NearInLanes* near) {
    return near_obstacles(blocks, count, wanted, center.at, Lanes::all(outer), 0xffU, near);
  }

  /// Balls that are `reach` around their centres.
  [[gnu::always_inline]] static std::size_t near_obstacles(const ObstacleBlock* blocks, std::size_t count,
                                                           const std::uint8_t* wanted,
                                                           const float (&centers)[3][kLanes], const Floats& reach,
                                                           unsigned asked, NearInLanes* near) {
    const Point center = load(centers);
    // First one ball around all of them, against eight obstacles at a time.
    constexpr std::size_t kMiddle = kLanes / 2 - 1;
    const float middle[3] = {centers[0][kMiddle], centers[1][kMiddle], centers[2][kMiddle]};
    const Point around = broadcast(middle);
    float extents[kLanes];
    Lanes::store(extents, Lanes::add(Lanes::root(square(difference(center, around))), reach));
    float extent = extents[0];
    for (std::size_t i = 1; i < kLanes; ++i) extent = extents[i] > extent ? extents[i] : extent;

    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (wanted[i] == 0) continue;
      const Floats limits = Lanes::add(Lanes::all(extent), Lanes::load(blocks[i].outside));
      unsigned lanes = wanted[i] & not_above(gap(AllOf{blocks[i]}, around), limits);
      for (; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
        const Floats limit = Lanes::add(reach, Lanes::all(blocks[i].outside[lane]));
        const unsigned open = asked & not_above(gap(OneOf{blocks[i], lane}, center), limit);
        if (open != 0) near[found++] = {static_cast<std::uint32_t>(i * kLanes + lane), open};
      }
    }
    return found;
  }

  static std::size_t states_near_each_other(const PairOfBalls* pairs, std::size_t count, const LaneCenter* centers,
                                            NearInLanes* near) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Gap between = {square(difference(load(centers[pairs[i].a].at), load(centers[pairs[i].b].at))), true};
      const unsigned open = not_above(between, Lanes::all(pairs[i].radii));
      if (open != 0) near[found++] = {static_cast<std::uint32_t>(i), open};
    }
    return found;
  }

  static unsigned paths_near_obstacle(const LanePath* paths, const float* outer, const float* inner, std::size_t count,
                                      const ObstacleBlock& block, std::size_t lane, unsigned wanted, unsigned* hits) {
    const OneOf solid{block, lane};
    unsigned near = 0;
    for (std::size_t b = 0; b < count; ++b) {
      const Gap at_states = gap(solid, load(paths[b].center));
      *hits |= below(at_states, Lanes::all(inner[b] + block.inside[lane]));
      if ((wanted & ~near) == 0) continue;
      const Floats limit = Lanes::add(Lanes::load(paths[b].reach), Lanes::all(outer[b] + block.outside[lane]));
      near |= not_above(gap(solid, load(paths[b].middle)), limit);
    }
    return near & wanted;
  }

  static void relative_pose(const LanePose& from, const LanePose& of, LanePose* pose) {
    const Point arm = difference(load(of.translation), load(from.translation));
    for (std::size_t i = 0; i < 3; ++i) {
      // Column i of `from` is row i of its inverse.
      const Floats x = Lanes::load(from.rotation[i]);
      const Floats y = Lanes::load(from.rotation[3 + i]);
      const Floats z = Lanes::load(from.rotation[6 + i]);
      Lanes::store(pose->translation[i], dot(x, y, z, arm));
      for (std::size_t k = 0; k < 3; ++k) {
        const Point column = {Lanes::load(of.rotation[k]), Lanes::load(of.rotation[3 + k]),
                              Lanes::load(of.rotation[6 + k])};
        Lanes::store(pose->rotation[3 * i + k], dot(x, y, z, column));
      }
    }
  }

  static unsigned paths_near_balls(const LanePath* paths, const float* outer, const float* inner, std::size_t count,
                                   const BallSet& balls, std::size_t ball_count, unsigned wanted, unsigned* hits) {
    unsigned near = 0;
    for (std::size_t b = 0; b < count; ++b) {
      const Point center = load(paths[b].center);
      const Point middle = load(paths[b].middle);
      const Floats reach = Lanes::add(Lanes::load(paths[b].reach), Lanes::all(outer[b]));
      for (std::size_t j = 0; j < ball_count; ++j) {
        const float point[3] = {balls.center[0][j], balls.center[1][j], balls.center[2][j]};
        const Point still = broadcast(point);
        if (inner[b] + balls.inner[j] > 0.0F) {
          const Gap at_states = {square(difference(center, still)), true};
          *hits |= below(at_states, Lanes::all(inner[b] + balls.inner[j]));
        }
        const Gap between = {square(difference(middle, still)), true};
        near |= not_above(between, Lanes::add(reach, Lanes::all(balls.outer[j])));
        if ((wanted & ~near) == 0) return wanted;
      }
    }
    return near & wanted;
  }

  static constexpr LaneKernels kernels(const char* name) {
    return {name,
            &obstacles_near,
            &balls_against_obstacle,
            &balls_against_balls,
            &place_balls,
            &place_frames,
            &poses,
            &centers,
            &paths,
            &states_near_obstacles,
            &states_near_each_other,
            &path_near_obstacles,
            &paths_near_obstacle,
            &relative_pose,
            &paths_near_balls};
  }
};

}  // namespace abut::detail
