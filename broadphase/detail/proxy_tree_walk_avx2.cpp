// The walks over a tree of boxes with AVX2: eight children at a time. Compiled for that instruction set whatever the
// build's.
#include <abut/broadphase/detail/proxy_tree_walk_loops.h>
#include <immintrin.h>

namespace abut::detail {
namespace {

struct Avx2Lanes {
  struct Children {
    __m256 keys;
    __m256 taken;  ///< All bits of those that count.
  };

  static Children meet(const TreeNode& node, const TreeRay& ray, float limit) {
    __m256 enter = _mm256_setzero_ps();
    __m256 leave = _mm256_set1_ps(limit);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const TreeNode::Side near_side = ray.near_side[axis];
      const __m256 near = _mm256_loadu_ps(node.side[near_side][axis]);
      const __m256 far = _mm256_loadu_ps(node.side[near_side ^ 1U][axis]);
      const __m256 inverse = _mm256_set1_ps(ray.inverse[axis]);
      enter = _mm256_max_ps(_mm256_mul_ps(_mm256_sub_ps(near, _mm256_set1_ps(ray.near_origin[axis])), inverse), enter);
      leave = _mm256_min_ps(_mm256_mul_ps(_mm256_sub_ps(far, _mm256_set1_ps(ray.far_origin[axis])), inverse), leave);
    }
    const __m256 keys = _mm256_mul_ps(enter, _mm256_set1_ps(1.0F - kTreeSlack));
    return {keys, _mm256_cmp_ps(keys, _mm256_mul_ps(leave, _mm256_set1_ps(1.0F + kTreeSlack)), _CMP_LE_OQ)};
  }
  static Children approach(const TreeNode& node, const TreeBox& box, float limit) {
    __m256 square[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const __m256 below =
          _mm256_sub_ps(_mm256_loadu_ps(node.side[TreeNode::kLower][axis]), _mm256_set1_ps(box.upper[axis]));
      const __m256 above =
          _mm256_sub_ps(_mm256_set1_ps(box.lower[axis]), _mm256_loadu_ps(node.side[TreeNode::kUpper][axis]));
      const __m256 gap = _mm256_max_ps(above, _mm256_max_ps(below, _mm256_setzero_ps()));
      square[axis] = _mm256_mul_ps(gap, gap);
    }
    const __m256 keys =
        _mm256_mul_ps(_mm256_add_ps(_mm256_add_ps(square[0], square[1]), square[2]), _mm256_set1_ps(1.0F - kTreeSlack));
    return {keys, _mm256_cmp_ps(keys, _mm256_set1_ps(limit), _CMP_LE_OQ)};
  }

  static TreeAnswer answer(const Children& children) {
    TreeAnswer answer;
    answer.mask = static_cast<unsigned>(_mm256_movemask_ps(children.taken));
    _mm256_storeu_ps(answer.keys, children.keys);
    return answer;
  }

  // Each child goes to its place without a branch: how many of those that count are farther. The others go beyond.
  static std::size_t push(const TreeNode& node, const Children& children, std::uint64_t* stack) {
    const __m256i child = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(node.child));
    const __m256i none = _mm256_cmpeq_epi32(child, _mm256_set1_epi32(static_cast<int>(TreeNode::kNone)));
    const __m256i taken = _mm256_andnot_si256(none, _mm256_castps_si256(children.taken));
    // As entry() of the loops; keys are not negative, so that as integers they are in the same order.
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i key =
        _mm256_andnot_si256(_mm256_set1_epi32(static_cast<int>(kTreeLaneBits)), _mm256_castps_si256(children.keys));
    const __m256i first = _mm256_or_si256(key, lane);
    // Those that do not count are below all others, and unequal.
    const __m256i ranked = _mm256_blendv_epi8(_mm256_sub_epi32(lane, _mm256_set1_epi32(8)), first, taken);
    __m256i place = _mm256_setzero_si256();
    for (int k = 0; k < 8; ++k) {
      const __m256i other = _mm256_permutevar8x32_epi32(ranked, _mm256_set1_epi32(k));
      place = _mm256_sub_epi32(place, _mm256_cmpgt_epi32(other, ranked));
    }
    alignas(32) std::uint32_t places[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(places), place);
    alignas(32) std::uint64_t entries[8];  // of the lanes 0, 1, 4, 5, 2, 3, 6, 7
    _mm256_store_si256(reinterpret_cast<__m256i*>(entries), _mm256_unpacklo_epi32(child, first));
    _mm256_store_si256(reinterpret_cast<__m256i*>(entries + 4), _mm256_unpackhi_epi32(child, first));
    stack[places[0]] = entries[0];
    stack[places[1]] = entries[1];
    stack[places[4]] = entries[2];
    stack[places[5]] = entries[3];
    stack[places[2]] = entries[4];
    stack[places[3]] = entries[5];
    stack[places[6]] = entries[6];
    stack[places[7]] = entries[7];
    return static_cast<std::size_t>(
        __builtin_popcount(static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(taken)))));
  }
};

constexpr TreeWalks kAvx2 = TreeWalkLoops<Avx2Lanes>::walks("AVX2");

}  // namespace

const TreeWalks& avx2_tree_walks() {
  return kAvx2;
}

}  // namespace abut::detail
