// The walks over a tree of boxes with AVX2: eight children at a time. Compiled for that instruction set whatever the
// build's.
#include <abut/broadphase/detail/proxy_tree_walk_loops.h>
#include <immintrin.h>

namespace abut::detail {
namespace {

struct Avx2Lanes {
  static unsigned meet(const TreeNode& node, const TreeRay& ray, float limit, float* keys) {
    __m256 enter = _mm256_setzero_ps();
    __m256 leave = _mm256_set1_ps(limit);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool positive = ray.is_positive[axis];
      const __m256 near = _mm256_loadu_ps(positive ? node.lower[axis] : node.upper[axis]);
      const __m256 far = _mm256_loadu_ps(positive ? node.upper[axis] : node.lower[axis]);
      const __m256 inverse = _mm256_set1_ps(ray.inverse[axis]);
      enter = _mm256_max_ps(_mm256_mul_ps(_mm256_sub_ps(near, _mm256_set1_ps(ray.near_origin[axis])), inverse), enter);
      leave = _mm256_min_ps(_mm256_mul_ps(_mm256_sub_ps(far, _mm256_set1_ps(ray.far_origin[axis])), inverse), leave);
    }
    const __m256 key = _mm256_mul_ps(enter, _mm256_set1_ps(1.0F - kTreeSlack));
    const __m256 met = _mm256_cmp_ps(key, _mm256_mul_ps(leave, _mm256_set1_ps(1.0F + kTreeSlack)), _CMP_LE_OQ);
    _mm256_storeu_ps(keys, key);
    return static_cast<unsigned>(_mm256_movemask_ps(met));
  }
  static unsigned approach(const TreeNode& node, const TreeBox& box, float limit, float* keys) {
    __m256 square[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const __m256 below = _mm256_sub_ps(_mm256_loadu_ps(node.lower[axis]), _mm256_set1_ps(box.upper[axis]));
      const __m256 above = _mm256_sub_ps(_mm256_set1_ps(box.lower[axis]), _mm256_loadu_ps(node.upper[axis]));
      const __m256 gap = _mm256_max_ps(above, _mm256_max_ps(below, _mm256_setzero_ps()));
      square[axis] = _mm256_mul_ps(gap, gap);
    }
    const __m256 key =
        _mm256_mul_ps(_mm256_add_ps(_mm256_add_ps(square[0], square[1]), square[2]), _mm256_set1_ps(1.0F - kTreeSlack));
    _mm256_storeu_ps(keys, key);
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(key, _mm256_set1_ps(limit), _CMP_LE_OQ)));
  }
};

constexpr TreeWalks kAvx2 = TreeWalkLoops<Avx2Lanes>::walks("AVX2");

}  // namespace

const TreeWalks& avx2_tree_walks() {
  return kAvx2;
}

}  // namespace abut::detail
