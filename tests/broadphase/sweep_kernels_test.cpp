// Every implementation of the sweep's inner loops finds what the plain definition says.
#include <abut/broadphase/detail/sweep_kernels.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace abut::detail {
namespace {

using Hits = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Hits of one loop, sorted; the buffer is small, so that it is drained many times.
class Collector : public HitBuffer {
 public:
  Collector() {
    drain = [](HitBuffer& buffer) { static_cast<Collector&>(buffer).take(); };
  }
  Hits sorted() {
    take();
    std::sort(hits_.begin(), hits_.end());
    return hits_;
  }

 private:
  void take() {
    for (std::size_t k = 0; k < count; ++k) hits_.emplace_back(first[k], second[k]);
    count = 0;
  }
  Hits hits_;
};

/// Runs of boxes one behind the other, each sorted by lower end and guarded.
class Runs {
 public:
  RunRange add(std::size_t count, double extent, samples::Random& random) {
    const std::size_t begin = word_.size();
    std::vector<float> starts;
    for (std::size_t k = 0; k < count; ++k) {
      // Whole numbers, so that many ends are equal.
      starts.push_back(static_cast<float>(random.below(static_cast<std::uint32_t>(extent))));
    }
    std::sort(starts.begin(), starts.end());
    for (std::size_t k = 0; k < count; ++k) {
      push(starts[k], random);
      upper_[0].back() = starts[k] + static_cast<float>(random.below(4));
      word_.back() = next_id_++ | random.below(32) << 27;
    }
    for (std::size_t k = 0; k < SweepKernels::kGuard; ++k) push(std::numeric_limits<float>::infinity(), random);
    return {begin, begin + count};
  }
  [[nodiscard]] SweepArrays arrays() const {
    return {{lower_[0].data(), lower_[1].data(), lower_[2].data()},
            {upper_[0].data(), upper_[1].data(), upper_[2].data()},
            word_.data()};
  }
  [[nodiscard]] float longest(RunRange run) const {
    float longest = 0.0F;
    for (std::size_t i = run.begin; i < run.end; ++i) longest = std::max(longest, upper_[0][i] - lower_[0][i]);
    return longest;
  }
  [[nodiscard]] float start(std::size_t i) const { return lower_[0][i]; }
  [[nodiscard]] bool is_pair(std::size_t i, std::size_t j) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (lower_[axis][i] > upper_[axis][j] || lower_[axis][j] > upper_[axis][i]) return false;
    }
    return (word_[i] & word_[j] & SweepWord::kExcluding) == 0;
  }
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> words(std::size_t i, std::size_t j) const {
    return {word_[i], word_[j]};
  }

 private:
  void push(float start, samples::Random& random) {
    lower_[0].push_back(start);
    upper_[0].push_back(start);
    for (std::size_t axis = 1; axis < 3; ++axis) {
      lower_[axis].push_back(static_cast<float>(random.below(6)));
      upper_[axis].push_back(lower_[axis].back() + static_cast<float>(random.below(3)));
    }
    word_.push_back(0);
  }

  std::vector<float> lower_[3];
  std::vector<float> upper_[3];
  std::vector<std::uint32_t> word_;
  std::uint32_t next_id_ = 1;
};

TEST(SweepKernels, StartWithThePlainOneAndHaveDifferentNames) {
  const auto all = all_sweep_kernels();
  ASSERT_FALSE(all.empty());
  EXPECT_STREQ(all.front()->name, "plain");
  for (const SweepKernels* kernels : all) EXPECT_LE(kernels->lanes, HitBuffer::kMaxLanes);
}

TEST(SweepKernels, FindThePairsOfARunThatBruteForceFinds) {
  for (const SweepKernels* kernels : all_sweep_kernels()) {
    std::size_t found = 0;
    for (std::size_t count : {0U, 1U, 2U, 3U, 15U, 16U, 17U, 33U, 700U}) {
      SCOPED_TRACE(testing::Message() << kernels->name << ", seed 1, " << count << " boxes");
      samples::Random random(1);
      Runs runs;
      runs.add(5, 20.0, random);
      const RunRange run = runs.add(count, 40.0, random);
      runs.add(40, 20.0, random);
      Hits expected;
      for (std::size_t i = run.begin; i < run.end; ++i) {
        for (std::size_t j = i + 1; j < run.end; ++j) {
          if (runs.is_pair(i, j)) expected.push_back(runs.words(i, j));
        }
      }
      std::sort(expected.begin(), expected.end());
      Collector whole;
      kernels->sweep_self(runs.arrays(), run, whole);
      ASSERT_EQ(whole.sorted(), expected);
      Collector parts;
      const std::size_t middle = run.begin + count / 3;
      kernels->sweep_self(runs.arrays(), {run.begin, middle}, parts);
      kernels->sweep_self(runs.arrays(), {middle, run.end}, parts);
      ASSERT_EQ(parts.sorted(), expected);
      found += expected.size();
    }
    EXPECT_GT(found, 2 * HitBuffer::kRoom);
  }
}

TEST(SweepKernels, FindThePairsOfTwoRunsThatBruteForceFinds) {
  for (const SweepKernels* kernels : all_sweep_kernels()) {
    for (const auto& [count_a, count_b] : {std::pair(1U, 1U), {1U, 100U}, {60U, 3U}, {200U, 301U}, {7U, 16U}}) {
      SCOPED_TRACE(testing::Message() << kernels->name << ", seed 2, " << count_a << " and " << count_b << " boxes");
      samples::Random random(2);
      Runs runs;
      const RunRange a = runs.add(count_a, 40.0, random);
      const RunRange b = runs.add(count_b, 40.0, random);
      runs.add(40, 40.0, random);
      Hits later;
      Hits later_or_equal;
      Hits all;
      for (std::size_t i = a.begin; i < a.end; ++i) {
        for (std::size_t j = b.begin; j < b.end; ++j) {
          if (!runs.is_pair(i, j)) continue;
          if (runs.start(j) > runs.start(i)) later.push_back(runs.words(i, j));
          if (runs.start(j) >= runs.start(i)) later_or_equal.push_back(runs.words(i, j));
          all.push_back(runs.words(i, j));
        }
      }
      std::sort(later.begin(), later.end());
      std::sort(later_or_equal.begin(), later_or_equal.end());
      std::sort(all.begin(), all.end());
      Collector strictly;
      kernels->sweep_later(runs.arrays(), a, runs.arrays(), b, false, strictly);
      ASSERT_EQ(strictly.sorted(), later);
      Collector with_ties;
      kernels->sweep_later(runs.arrays(), a, runs.arrays(), b, true, with_ties);
      ASSERT_EQ(with_ties.sorted(), later_or_equal);
      for (const float reach : {runs.longest(b), std::numeric_limits<float>::infinity()}) {
        Collector searched;
        kernels->search(runs.arrays(), a, runs.arrays(), b, reach, searched);
        ASSERT_EQ(searched.sorted(), all);
      }
    }
  }
}

}  // namespace
}  // namespace abut::detail
