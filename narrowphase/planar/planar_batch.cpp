// One shape at many poses goes through the filters of cores: first the discs, of several poses at once. A pair that
// mostly is far away costs 2.0 ns so with AVX-512 (3.5 ns one by one, 6.3 ns as single calls), 3.5 ns with SSE2 (4.5
// and 6.8 ns). Distances, and pairs of shapes that change all the time, are plain loops: a distance has to have the
// bits of the single call, and the corners of other shapes have to be fetched for every pair anyway.
#include <abut/core/assert.h>
#include <abut/core/error.h>
#include <abut/core/simd.h>
#include <abut/narrowphase/planar/core_filter.h>
#include <abut/narrowphase/planar/planar_batch.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>

namespace abut::planar {
namespace {

constexpr auto kFilterRounding = static_cast<double>(detail::kFilterSlack);

using detail::FixedCore;
using detail::Verdict;

void require_one_each(const char* field, std::size_t size, std::size_t questions) {
  if (size == questions) return;
  throw InvalidInput(field, "must have one element a question, " + std::to_string(questions),
                     static_cast<double>(size));
}

PairCache* cache_of(std::span<PairCache> caches, std::size_t i) {
  return caches.empty() ? nullptr : &caches[i];
}

// Most poses of a batch are far away, and the discs tell: of as many as a register holds at once.
constexpr std::size_t kPosesAtOnce = 64;

// > 0 where the discs prove that a pose is farther away than the limit; what is left over beyond the poses is anything.
void measure_discs(const detail::MovingCore& moving, std::span<const Pose> poses, const FixedCore& fixed, float limit,
                   std::array<double, kPosesAtOnce>& beyond) {
  constexpr std::size_t kWidth = abut::detail::kSimdWidth;
  using S = abut::detail::Simd<kWidth>;
  static_assert(kPosesAtOnce % kWidth == 0);
  std::array<double, kPosesAtOnce> x{};
  std::array<double, kPosesAtOnce> y{};
  std::array<double, kPosesAtOnce> outside{};
  const double reach = static_cast<double>(moving.reach()) + static_cast<double>(fixed.reach) +
                       static_cast<double>(fixed.slack) + (1.0 + kFilterRounding) * static_cast<double>(limit);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const detail::PlacedDiscs discs = moving.discs_at(poses[i]);
    x[i] = discs.center.x();
    y[i] = discs.center.y();
    outside[i] = reach + static_cast<double>(discs.slack);
  }
  for (std::size_t i = 0; i < kPosesAtOnce; i += kWidth) {
    const auto dx = S::load(&x[i]) - fixed.center.x();
    const auto dy = S::load(&y[i]) - fixed.center.y();
    const auto from_center = S::load(&outside[i]);
    const auto difference = dx * dx + dy * dy - (1.0 + kFilterRounding) * (from_center * from_center);
    std::memcpy(&beyond[i], &difference, sizeof(difference));
  }
}

}  // namespace

void collides(const Shape& a, std::span<const Pose> world_from_a, const Shape& b, const Pose& world_from_b,
              std::span<std::uint8_t> answers, double security_margin) {
  require_not_negative("security_margin", security_margin);
  require_one_each("answers", answers.size(), world_from_a.size());
  detail::SideBlocks blocks;
  const FixedCore fixed = detail::fixed_core(b, world_from_b, blocks);
  const detail::MovingCore moving(a);
  const float limit = detail::filter_limit(a.radius() + b.radius() + security_margin);
  std::array<double, kPosesAtOnce> beyond;
  for (std::size_t first = 0; first < answers.size(); first += kPosesAtOnce) {
    const std::size_t count = std::min(kPosesAtOnce, answers.size() - first);
    measure_discs(moving, world_from_a.subspan(first, count), fixed, limit, beyond);
    for (std::size_t i = 0; i < count; ++i) {
      if (beyond[i] > 0.0) {
        answers[first + i] = 0;
        continue;
      }
      const Pose& pose = world_from_a[first + i];
      const detail::PlacedDiscs discs = moving.discs_at(pose);
      Verdict verdict = detail::filter_discs(discs, fixed, limit);
      if (verdict == Verdict::unsure) {
        verdict = detail::filter_sides(discs, moving.sides_at(pose), fixed, blocks.data(), limit);
      }
      const bool answer = verdict == Verdict::unsure ? collides(a, pose, b, world_from_b, security_margin)
                                                     : verdict == Verdict::overlapping;
      answers[first + i] = answer ? 1 : 0;
    }
  }
}

void distances(const Shape& a, std::span<const Pose> world_from_a, const Shape& b, const Pose& world_from_b,
               std::span<double> answers) {
  require_one_each("answers", answers.size(), world_from_a.size());
  for (std::size_t i = 0; i < answers.size(); ++i) answers[i] = distance(a, world_from_a[i], b, world_from_b);
}

void collides(std::span<const PlacedPair> pairs, std::span<std::uint8_t> answers, double security_margin,
              std::span<PairCache> caches) {
  require_not_negative("security_margin", security_margin);
  require_one_each("answers", answers.size(), pairs.size());
  if (!caches.empty()) require_one_each("caches", caches.size(), pairs.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const PlacedPair& pair = pairs[i];
    ABUT_ASSERT(pair.a != nullptr && pair.b != nullptr);
    answers[i] =
        collides(*pair.a, pair.world_from_a, *pair.b, pair.world_from_b, security_margin, {}, cache_of(caches, i)) ? 1
                                                                                                                   : 0;
  }
}

void distances(std::span<const PlacedPair> pairs, std::span<double> answers, std::span<PairCache> caches) {
  require_one_each("answers", answers.size(), pairs.size());
  if (!caches.empty()) require_one_each("caches", caches.size(), pairs.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const PlacedPair& pair = pairs[i];
    ABUT_ASSERT(pair.a != nullptr && pair.b != nullptr);
    answers[i] = distance(*pair.a, pair.world_from_a, *pair.b, pair.world_from_b, {}, cache_of(caches, i));
  }
}

}  // namespace abut::planar
