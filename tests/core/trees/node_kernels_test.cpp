// The tests of a node's children: all instruction sets give the same bits, no box that is near is left out, and few
// that are far are kept.
#include <abut/core/obb.h>
#include <abut/core/trees/node_kernels.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace abut::detail {
namespace {

using samples::Random;

BoxNode random_node(Random& random) {
  BoxNode node{};
  node.count = 1 + static_cast<std::uint32_t>(random.uniform(0.0, 7.99));
  node.rotation[3] = 1.0F;
  for (std::size_t i = 0; i < node.count; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      node.lower[k][i] = static_cast<float>(random.uniform(-1.0, 1.0));
      node.upper[k][i] = node.lower[k][i] + static_cast<float>(random.uniform(0.0, 0.5));
    }
    if (random.uniform(0.0, 1.0) < 0.05) {
      for (std::size_t k = 0; k < 3; ++k) {
        node.lower[k][i] = -std::numeric_limits<float>::infinity();
        node.upper[k][i] = std::numeric_limits<float>::infinity();
      }
    }
  }
  return node;
}

TurnedBox random_box(Random& random, Obb& obb) {
  obb.center = random.vector(-1.5, 1.5);
  obb.axes = random.rotation().toRotationMatrix();
  obb.half_extents = random.vector(0.0, 0.5);
  TurnedBox box;
  box.pad = 1e-5F;
  for (std::size_t j = 0; j < 3; ++j) {
    const auto row = static_cast<Eigen::Index>(j);
    box.center[j] = static_cast<float>(obb.center[row]);
    box.half[j] = static_cast<float>(obb.half_extents[row]);
    for (std::size_t k = 0; k < 3; ++k) {
      box.axes[j][k] = static_cast<float>(obb.axes(static_cast<Eigen::Index>(k), row));
    }
  }
  box.set_reach();
  return box;
}

Obb child(const BoxNode& node, std::size_t i) {
  Aabb box;
  for (std::size_t k = 0; k < 3; ++k) {
    box.lower[static_cast<Eigen::Index>(k)] = node.lower[k][i];
    box.upper[static_cast<Eigen::Index>(k)] = node.upper[k][i];
  }
  return Obb::from_aabb(box);
}

TEST(NodeKernels, AllGiveTheSameBits) {
  ASSERT_FALSE(all_node_kernels().empty());
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    const BoxNode node = random_node(random);
    Obb obb;
    const TurnedBox box = random_box(random, obb);
    const TurnedPlane plane{{box.axes[0][0], box.axes[0][1], box.axes[0][2]}, 0.3F, 1e-5F};
    const auto run = [&](const NodeKernels& kernels, unsigned* masks, float* values) {
      masks[0] = kernels.overlaps(node, box, 0.1F, values);
      masks[1] = kernels.distances(node, box, 0.3F, values + 8);
      masks[2] = kernels.heights(node, plane, 0.2F, values + 16);
    };
    unsigned expected[3];
    float expected_values[24];
    run(*all_node_kernels()[0], expected, expected_values);
    for (const NodeKernels* kernels : all_node_kernels()) {
      SCOPED_TRACE(kernels->name);
      unsigned masks[3];
      float values[24];
      run(*kernels, masks, values);
      for (std::size_t m = 0; m < 3; ++m) {
        EXPECT_EQ(masks[m], expected[m]) << m;
        for (std::size_t i = 0; i < node.count; ++i) EXPECT_EQ(values[8 * m + i], expected_values[8 * m + i]) << m;
      }
    }
  }
}

TEST(NodeKernels, KeepWhatIsNearAndLeaveOutWhatIsFar) {
  Random random(2);
  int near = 0;
  int kept_far = 0;
  int far = 0;
  for (int round = 0; round < 8000; ++round) {
    const BoxNode node = random_node(random);
    Obb obb;
    const TurnedBox box = random_box(random, obb);
    float values[8];
    const unsigned overlapping = best_node_kernels().overlaps(node, box, 0.0F, values);
    float bounds[8];
    const unsigned all = best_node_kernels().distances(node, box, std::numeric_limits<float>::infinity(), bounds);
    EXPECT_EQ(all, (1U << node.count) - 1U);
    EXPECT_EQ(overlapping >> node.count, 0u);
    for (std::size_t i = 0; i < node.count; ++i) {
      const bool is_kept = (overlapping >> i & 1U) != 0;
      if (!std::isfinite(node.lower[0][i])) {
        EXPECT_TRUE(is_kept);
        EXPECT_EQ(bounds[i], -std::numeric_limits<float>::infinity());
        continue;
      }
      const double gap = separation_bound(obb, child(node, i));  // <= distance, > 0 exactly where they are apart
      if (gap <= 0.0) {
        EXPECT_TRUE(is_kept);
        EXPECT_LE(bounds[i], 0.0F);
        ++near;
      } else if (gap > 1e-4) {
        ++far;
        kept_far += is_kept ? 1 : 0;
      }
    }
  }
  EXPECT_GT(near, 500);
  EXPECT_GT(far, 500);
  EXPECT_EQ(kept_far, 0);
}

TEST(NodeKernels, BoundDistancesOfBoxesFromBelow) {
  Random random(3);
  int positive = 0;
  for (int round = 0; round < 500; ++round) {
    const BoxNode node = random_node(random);
    Obb obb;
    const TurnedBox box = random_box(random, obb);
    float bounds[8];
    static_cast<void>(best_node_kernels().distances(node, box, std::numeric_limits<float>::infinity(), bounds));
    for (std::size_t i = 0; i < node.count; ++i) {
      if (!std::isfinite(node.lower[0][i])) continue;
      double sampled = std::numeric_limits<double>::infinity();
      for (int k = 0; k < 200; ++k) {
        const Vector3d p = obb.center + obb.axes * random.vector(-1.0, 1.0).cwiseProduct(obb.half_extents);
        const Obb other = child(node, i);
        const Vector3d outside = ((p - other.center).cwiseAbs() - other.half_extents).cwiseMax(0.0);
        sampled = std::min(sampled, outside.norm());
      }
      EXPECT_LE(bounds[i], sampled + 1e-6);
      positive += bounds[i] > 0.0F ? 1 : 0;
    }
  }
  EXPECT_GT(positive, 200);
}

}  // namespace
}  // namespace abut::detail
