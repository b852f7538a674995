// Which walks over a tree of boxes this processor can run; the plain ones and those of SSE2, which every x86-64 has.
#include <abut/broadphase/detail/proxy_tree_walk_loops.h>

#include <array>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace abut::detail {
namespace {

// Comparisons are written so that NaN, which comes of a side that lies exactly on the origin of a ray along it, leaves
// the other bound as it is.
float larger(float value, float than) {
  return value > than ? value : than;
}
float smaller(float value, float than) {
  return value < than ? value : than;
}

/// The reference of the others.
struct PlainLanes {
  static TreeAnswer meet(const TreeNode& node, const TreeRay& ray, float limit) {
    TreeAnswer answer{};
    for (std::size_t k = 0; k < TreeNode::kWidth; ++k) {
      float enter = 0.0F;
      float leave = limit;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const TreeNode::Side near_side = ray.near_side[axis];
        const float near = node.side[near_side][axis][k];
        const float far = node.side[near_side ^ 1U][axis][k];
        enter = larger((near - ray.near_origin[axis]) * ray.inverse[axis], enter);
        leave = smaller((far - ray.far_origin[axis]) * ray.inverse[axis], leave);
      }
      answer.keys[k] = enter * (1.0F - kTreeSlack);
      if (answer.keys[k] <= leave * (1.0F + kTreeSlack)) answer.mask |= 1U << k;
    }
    return answer;
  }
  static TreeAnswer approach(const TreeNode& node, const TreeBox& box, float limit) {
    TreeAnswer answer{};
    for (std::size_t k = 0; k < TreeNode::kWidth; ++k) {
      float gap[3];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        gap[axis] = larger(node.side[TreeNode::kLower][axis][k] - box.upper[axis], 0.0F);
        gap[axis] = larger(box.lower[axis] - node.side[TreeNode::kUpper][axis][k], gap[axis]);
      }
      answer.keys[k] = (gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2]) * (1.0F - kTreeSlack);
      if (answer.keys[k] <= limit) answer.mask |= 1U << k;
    }
    return answer;
  }

  static const TreeAnswer& answer(const TreeAnswer& children) { return children; }
};

constexpr TreeWalks kPlain = TreeWalkLoops<PlainLanes>::walks("plain");

#if defined(__SSE2__)

struct Sse2Lanes {
  static TreeAnswer meet(const TreeNode& node, const TreeRay& ray, float limit) {
    TreeAnswer answer{};
    for (std::size_t k = 0; k < TreeNode::kWidth; k += 4) {
      __m128 enter = _mm_setzero_ps();
      __m128 leave = _mm_set1_ps(limit);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const TreeNode::Side near_side = ray.near_side[axis];
        const __m128 near = _mm_loadu_ps(node.side[near_side][axis] + k);
        const __m128 far = _mm_loadu_ps(node.side[near_side ^ 1U][axis] + k);
        const __m128 inverse = _mm_set1_ps(ray.inverse[axis]);
        enter = _mm_max_ps(_mm_mul_ps(_mm_sub_ps(near, _mm_set1_ps(ray.near_origin[axis])), inverse), enter);
        leave = _mm_min_ps(_mm_mul_ps(_mm_sub_ps(far, _mm_set1_ps(ray.far_origin[axis])), inverse), leave);
      }
      const __m128 key = _mm_mul_ps(enter, _mm_set1_ps(1.0F - kTreeSlack));
      const __m128 met = _mm_cmple_ps(key, _mm_mul_ps(leave, _mm_set1_ps(1.0F + kTreeSlack)));
      _mm_storeu_ps(answer.keys + k, key);
      answer.mask |= static_cast<unsigned>(_mm_movemask_ps(met)) << k;
    }
    return answer;
  }
  static TreeAnswer approach(const TreeNode& node, const TreeBox& box, float limit) {
    TreeAnswer answer{};
    for (std::size_t k = 0; k < TreeNode::kWidth; k += 4) {
      __m128 square[3];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const __m128 below =
            _mm_sub_ps(_mm_loadu_ps(node.side[TreeNode::kLower][axis] + k), _mm_set1_ps(box.upper[axis]));
        const __m128 above =
            _mm_sub_ps(_mm_set1_ps(box.lower[axis]), _mm_loadu_ps(node.side[TreeNode::kUpper][axis] + k));
        const __m128 gap = _mm_max_ps(above, _mm_max_ps(below, _mm_setzero_ps()));
        square[axis] = _mm_mul_ps(gap, gap);
      }
      const __m128 key =
          _mm_mul_ps(_mm_add_ps(_mm_add_ps(square[0], square[1]), square[2]), _mm_set1_ps(1.0F - kTreeSlack));
      _mm_storeu_ps(answer.keys + k, key);
      answer.mask |= static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(key, _mm_set1_ps(limit)))) << k;
    }
    return answer;
  }

  static const TreeAnswer& answer(const TreeAnswer& children) { return children; }
};

constexpr TreeWalks kSse2 = TreeWalkLoops<Sse2Lanes>::walks("SSE2");

#endif

/// Filled once, when first asked for.
struct Runnable {
  std::array<const TreeWalks*, 3> walks = {};
  std::size_t count = 0;

  Runnable() {
    walks[count++] = &kPlain;
#if defined(__SSE2__)
    walks[count++] = &kSse2;
#endif
#if defined(ABUT_BROADPHASE_WIDE_KERNELS)
    if (__builtin_cpu_supports("avx2")) walks[count++] = &avx2_tree_walks();
#endif
  }
};

}  // namespace

std::span<const TreeWalks* const> all_tree_walks() {
  static const Runnable runnable;
  return {runnable.walks.data(), runnable.count};
}

}  // namespace abut::detail
