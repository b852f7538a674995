// Memory of pairs: which candidate keeps its place from frame to frame, and what a pair without one gets.
#include <abut/world/detail/body_table.h>
#include <abut/world/detail/pair_memory.h>
#include <gtest/gtest.h>
#include <support/random.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace abut {
namespace {

using detail::Candidates;
using detail::PairHistory;
using detail::PairMemory;

/// A cache that no solver writes, so that it can be recognised.
PairCache marked(double mark) {
  PairCache cache;
  cache.has_solution = true;
  cache.point_a = Vector3d::Constant(mark);
  return cache;
}

/// Each pair of some bodies with a given probability, in slot order.
std::vector<BodyPair> random_pairs(std::uint32_t bodies, double probability, samples::Random& random) {
  std::vector<BodyPair> pairs;
  for (std::uint32_t a = 0; a < bodies; ++a) {
    for (std::uint32_t b = a + 1; b < bodies; ++b) {
      if (random.chance(probability)) pairs.push_back({{a, 0}, {b, 0}});
    }
  }
  return pairs;
}

/// Frame after frame, beside a map that says what each pair should remember.
class MemoryModel {
 public:
  void next_frame(std::vector<BodyPair> pairs) {
    std::swap(last_, candidates_);
    candidates_.pairs = std::move(pairs);
    memory_.update(last_, candidates_);
    ++frame_;

    ASSERT_EQ(candidates_.places.size(), candidates_.pairs.size());
    const std::set<std::uint32_t> places(candidates_.places.begin(), candidates_.places.end());
    ASSERT_EQ(places.size(), candidates_.pairs.size()) << "two pairs share a place in frame " << frame_;
    std::map<Key, double> marks;
    for (std::size_t i = 0; i < candidates_.pairs.size(); ++i) {
      const std::uint32_t place = candidates_.places[i];
      const auto known = marks_.find(key(candidates_.pairs[i]));
      ASSERT_EQ(memory_.cache(place).has_solution, known != marks_.end()) << "pair " << i << ", frame " << frame_;
      if (known != marks_.end()) {
        ASSERT_EQ(memory_.cache(place).point_a.x(), known->second);
        ASSERT_EQ(memory_.history(place).travel, known->second);
        ++known_count;
      } else {
        ASSERT_EQ(memory_.history(place).looked_in, 0u);
        ASSERT_EQ(memory_.history(place).contact, PairHistory::kNoContact);
        ++new_count;
      }
      const double mark = 1e6 * static_cast<double>(frame_) + static_cast<double>(i);
      memory_.cache(place) = marked(mark);
      memory_.history(place) = {.looked_in = frame_, .gap = 0.0, .travel = mark, .contact = 1};
      marks[key(candidates_.pairs[i])] = mark;
    }
    marks_ = std::move(marks);
  }

  [[nodiscard]] const PairMemory& memory() const { return memory_; }

  std::size_t known_count = 0;
  std::size_t new_count = 0;

 private:
  using Key = std::pair<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>>;
  static Key key(const BodyPair& pair) { return {{pair.a.slot, pair.a.generation}, {pair.b.slot, pair.b.generation}}; }

  PairMemory memory_;
  Candidates candidates_;
  Candidates last_;
  std::map<Key, double> marks_;
  std::uint64_t frame_ = 0;
};

TEST(PairMemory, APairKeepsWhatItRemembersWhileTheListAroundItChanges) {
  samples::Random random(3);
  MemoryModel model;
  for (int frame = 0; frame < 30; ++frame) {
    ASSERT_NO_FATAL_FAILURE(model.next_frame(random_pairs(40, random.uniform(0.0, 1.0), random)));
  }
  EXPECT_GT(model.known_count, 2000u);
  EXPECT_GT(model.new_count, 2000u);
}

TEST(PairMemory, ListsOfSeveralTasksAreMergedAsOne) {
  samples::Random random(4);
  MemoryModel model;
  for (int frame = 0; frame < 6; ++frame) {
    ASSERT_NO_FATAL_FAILURE(model.next_frame(random_pairs(220, 0.8, random)));  // 19 000 pairs
  }
  EXPECT_GT(model.known_count, 50'000u);
  EXPECT_GT(model.new_count, 20'000u);
}

TEST(PairMemory, AFrameWithoutCandidatesForgetsAll) {
  samples::Random random(5);
  const std::vector<BodyPair> pairs = random_pairs(20, 0.5, random);
  MemoryModel model;
  ASSERT_NO_FATAL_FAILURE(model.next_frame(pairs));
  ASSERT_NO_FATAL_FAILURE(model.next_frame({}));
  ASSERT_NO_FATAL_FAILURE(model.next_frame(pairs));
  EXPECT_EQ(model.known_count, 0u);
  EXPECT_EQ(model.new_count, 2 * pairs.size());
}

TEST(PairMemory, ABodyInAReusedSlotRemembersNothing) {
  MemoryModel model;
  ASSERT_NO_FATAL_FAILURE(model.next_frame({{{3, 0}, {5, 0}}, {{4, 7}, {5, 0}}}));
  ASSERT_NO_FATAL_FAILURE(model.next_frame({{{3, 1}, {5, 0}}, {{4, 7}, {5, 1}}}));
  EXPECT_EQ(model.known_count, 0u);
  ASSERT_NO_FATAL_FAILURE(model.next_frame({{{3, 1}, {5, 0}}, {{4, 7}, {5, 0}}}));
  EXPECT_EQ(model.known_count, 1u);
}

/// So many pairs, in slot order.
std::vector<BodyPair> pairs_in_order(std::uint32_t count) {
  std::vector<BodyPair> pairs;
  for (std::uint32_t i = 0; i < count; ++i) pairs.push_back({{i / 8, 0}, {1'000'000 + i % 8, 0}});
  return pairs;
}

TEST(PairMemory, BodiesInReusedSlotsRememberNothingWhereTasksBegin) {
  std::vector<BodyPair> pairs = pairs_in_order(5000);
  MemoryModel model;
  ASSERT_NO_FATAL_FAILURE(model.next_frame(pairs));
  for (std::size_t i = 1023; i < 5000; i += 1024) {  // and the pairs beside
    for (std::size_t k = i; k < i + 3 && k < pairs.size(); ++k) pairs[k].b.generation = 1;
  }
  ASSERT_NO_FATAL_FAILURE(model.next_frame(pairs));
  EXPECT_EQ(model.known_count, 5000U - 12U);
  pairs.erase(pairs.begin() + 1000, pairs.begin() + 2100);
  ASSERT_NO_FATAL_FAILURE(model.next_frame(pairs));
  EXPECT_EQ(model.known_count, 5000U - 12U + 3900U);
  ASSERT_NO_FATAL_FAILURE(model.next_frame(pairs_in_order(5000)));
}

TEST(PairMemory, PlacesAreTheSameWhateverTheNumberOfThreads) {
  const auto places = [](int threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    samples::Random random(8);
    PairMemory memory;
    Candidates last;
    Candidates candidates;
    std::vector<std::uint32_t> all;
    tbb::task_arena(threads).execute([&] {
      for (int frame = 0; frame < 5; ++frame) {
        std::swap(last, candidates);
        candidates.pairs = random_pairs(120, 0.8, random);  // 5 700 pairs
        memory.update(last, candidates);
        all.insert(all.end(), candidates.places.begin(), candidates.places.end());
      }
    });
    return all;
  };
  const std::vector<std::uint32_t> alone = places(1);
  EXPECT_GT(alone.size(), 25'000U);
  EXPECT_EQ(places(2), alone);
  EXPECT_EQ(places(8), alone);
}

TEST(PairMemory, BytesFollowTheMostCandidatesAtOnceHoweverManyComeAndGo) {
  samples::Random random(6);
  MemoryModel model;
  ASSERT_NO_FATAL_FAILURE(model.next_frame(random_pairs(30, 1.0, random)));
  const std::size_t bytes = model.memory().bytes();
  for (int frame = 0; frame < 1500; ++frame) {
    // Frames of few candidates in between leave most places free.
    ASSERT_NO_FATAL_FAILURE(model.next_frame(random_pairs(30, frame % 3 == 0 ? 0.02 : 0.5, random)));
  }
  EXPECT_LE(model.memory().bytes(), 2 * bytes);
  EXPECT_GT(model.new_count, 100'000u);
}

TEST(PairMemory, AForgottenPairStartsColdAndLosesNoOther) {
  Candidates last;
  Candidates candidates{.pairs = {{{0, 0}, {1, 0}}, {{0, 0}, {2, 0}}}, .places = {}};
  PairMemory memory;
  memory.update(last, candidates);
  for (const std::uint32_t place : candidates.places) {
    memory.cache(place) = marked(7.0);
    memory.history(place) = {.looked_in = 1, .contact = 5};
  }
  memory.forget(candidates.places[0]);
  EXPECT_FALSE(memory.cache(candidates.places[0]).has_solution);
  EXPECT_EQ(memory.history(candidates.places[0]).looked_in, 0u);
  EXPECT_TRUE(memory.cache(candidates.places[1]).has_solution);
  EXPECT_EQ(memory.history(candidates.places[1]).looked_in, 1u);

  memory.forget_histories();
  EXPECT_TRUE(memory.cache(candidates.places[1]).has_solution);
  EXPECT_EQ(memory.history(candidates.places[1]).looked_in, 0u);
  EXPECT_EQ(memory.history(candidates.places[1]).contact, 5u);
}

TEST(PairMemory, APlaceThatIsAppendedIsFoundByTheNextUpdate) {
  Candidates restored{.pairs = {{{0, 0}, {1, 0}}, {{0, 0}, {2, 0}}}, .places = {}};
  PairMemory memory;
  restored.places.push_back(memory.append(marked(1.0), {.looked_in = 4}));
  restored.places.push_back(memory.append(marked(2.0), {.looked_in = 5}));
  Candidates next{.pairs = {{{0, 0}, {2, 0}}, {{0, 0}, {3, 0}}}, .places = {}};
  memory.update(restored, next);
  EXPECT_EQ(memory.cache(next.places[0]).point_a.x(), 2.0);
  EXPECT_EQ(memory.history(next.places[0]).looked_in, 5u);
  EXPECT_FALSE(memory.cache(next.places[1]).has_solution);
}

}  // namespace
}  // namespace abut
