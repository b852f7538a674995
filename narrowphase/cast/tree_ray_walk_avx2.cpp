// The walks of rays with AVX2: eight boxes or four triangles at a time. Compiled for that instruction set whatever the
// build's.
#include <abut/narrowphase/cast/tree_ray_walk_loops.h>
#include <immintrin.h>

namespace abut::detail {
namespace {

struct Avx2RayLanes {
  struct Slabs {
    __m256 near_origin[3];
    __m256 far_origin[3];
    __m256 inverse[3];
    std::size_t near_row[3];
    std::size_t far_row[3];

    explicit Slabs(const RaySlabs& slabs) {
      for (std::size_t k = 0; k < 3; ++k) {
        near_origin[k] = _mm256_set1_ps(slabs.near_origin[k]);
        far_origin[k] = _mm256_set1_ps(slabs.far_origin[k]);
        inverse[k] = _mm256_set1_ps(slabs.inverse[k]);
        near_row[k] = slabs.near_row[k];
        far_row[k] = slabs.far_row[k];
      }
    }
  };

  // Where one of two is NaN, of an overflow, max and min give the second: such a slab excludes nothing.
  static unsigned boxes(const BoxNode& node, const Slabs& slabs, float end, float* entries) {
    const float* sides = reinterpret_cast<const float*>(&node);
    __m256 near[3];
    __m256 far[3];
    for (std::size_t k = 0; k < 3; ++k) {
      near[k] = _mm256_mul_ps(_mm256_sub_ps(_mm256_load_ps(sides + slabs.near_row[k]), slabs.near_origin[k]),
                              slabs.inverse[k]);
      far[k] =
          _mm256_mul_ps(_mm256_sub_ps(_mm256_load_ps(sides + slabs.far_row[k]), slabs.far_origin[k]), slabs.inverse[k]);
    }
    const __m256 enter = _mm256_max_ps(_mm256_max_ps(near[0], near[1]), _mm256_max_ps(near[2], _mm256_setzero_ps()));
    const __m256 leave = _mm256_min_ps(_mm256_min_ps(far[0], far[1]), _mm256_min_ps(far[2], _mm256_set1_ps(end)));
    _mm256_store_ps(entries, enter);
    const auto missed = static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(enter, leave, _CMP_GT_OQ)));
    return ((1U << node.count) - 1U) & ~missed;
  }

  /// The same coordinate of a corner of four triangles.
  static __m256d coordinate(const double* const* corner, std::size_t axis) {
    const __m128d low = _mm_loadh_pd(_mm_load_sd(corner[0] + axis), corner[1] + axis);
    const __m128d high = _mm_loadh_pd(_mm_load_sd(corner[2] + axis), corner[3] + axis);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
  }

  static LeafMeetings triangles(const BoxTreeRay& ray, const ShearedRay& sheared, const RayTriangles& triangles,
                                std::uint32_t first, double limit) {
    LeafMeetings result;
    const double* corner[3][4];
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const LeafTriangle triangle = leaf_triangle(ray, triangles, first);
      for (std::size_t i = 0; i < 3; ++i) corner[i][lane] = triangle.corner[i];
      result.position[lane] = first;
      first += triangle.is_last ? 0 : 1;
    }
    __m256d x[3];
    __m256d y[3];
    __m256d z[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const __m256d along =
          _mm256_sub_pd(coordinate(corner[i], sheared.axis[2]), _mm256_set1_pd(sheared.origin[sheared.axis[2]]));
      const auto shear = [&](std::size_t k) {
        const __m256d across =
            _mm256_sub_pd(coordinate(corner[i], sheared.axis[k]), _mm256_set1_pd(sheared.origin[sheared.axis[k]]));
        return _mm256_sub_pd(across, _mm256_mul_pd(_mm256_set1_pd(sheared.shear[k]), along));
      };
      x[i] = shear(0);
      y[i] = shear(1);
      z[i] = _mm256_mul_pd(along, _mm256_set1_pd(sheared.scale));
    }
    const auto edge = [&](std::size_t i, std::size_t j) {
      return _mm256_sub_pd(_mm256_mul_pd(x[i], y[j]), _mm256_mul_pd(y[i], x[j]));
    };
    const __m256d u = edge(2, 1);
    const __m256d v = edge(0, 2);
    const __m256d w = edge(1, 0);
    const __m256d zero = _mm256_setzero_pd();
    const __m256d least = _mm256_min_pd(_mm256_min_pd(u, v), w);
    const __m256d most = _mm256_max_pd(_mm256_max_pd(u, v), w);
    const __m256d is_missed =
        _mm256_and_pd(_mm256_cmp_pd(least, zero, _CMP_LT_OQ), _mm256_cmp_pd(most, zero, _CMP_GT_OQ));
    __m256d is_uncertain = _mm256_and_pd(_mm256_cmp_pd(most, _mm256_set1_pd(sheared.in_plane), _CMP_LE_OQ),
                                         _mm256_cmp_pd(least, _mm256_set1_pd(-sheared.in_plane), _CMP_GE_OQ));
    result.met = 0;
    if (_mm256_movemask_pd(is_missed) == 0xf) {
      result.uncertain = static_cast<unsigned>(_mm256_movemask_pd(is_uncertain));
      return result;
    }
    const __m256d sign = _mm256_set1_pd(-0.0);
    __m256d size = zero;
    for (std::size_t i = 0; i < 3; ++i) {
      size = _mm256_max_pd(size, _mm256_max_pd(_mm256_andnot_pd(sign, x[i]), _mm256_andnot_pd(sign, y[i])));
    }
    const __m256d nearest = _mm256_max_pd(least, _mm256_xor_pd(sign, most));
    const __m256d is_near =
        _mm256_cmp_pd(nearest, _mm256_mul_pd(_mm256_set1_pd(kNearEdge), _mm256_mul_pd(size, size)), _CMP_LE_OQ);
    is_uncertain = _mm256_or_pd(is_uncertain, _mm256_andnot_pd(is_missed, is_near));
    const __m256d volume = _mm256_add_pd(_mm256_add_pd(u, v), w);
    const __m256d moment =
        _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(u, z[0]), _mm256_mul_pd(v, z[1])), _mm256_mul_pd(w, z[2]));
    const __m256d t = _mm256_div_pd(moment, volume);
    const __m256d is_within =
        _mm256_and_pd(_mm256_cmp_pd(t, zero, _CMP_GE_OQ), _mm256_cmp_pd(t, _mm256_set1_pd(limit), _CMP_LE_OQ));
    _mm256_storeu_pd(result.t, t);
    result.met =
        static_cast<unsigned>(_mm256_movemask_pd(_mm256_andnot_pd(_mm256_or_pd(is_missed, is_uncertain), is_within)));
    result.uncertain = static_cast<unsigned>(_mm256_movemask_pd(is_uncertain));
    return result;
  }
};

constexpr TreeRayWalks kAvx2RayWalks = TreeRayLoops<Avx2RayLanes>::walks("AVX2");

}  // namespace

const TreeRayWalks& avx2_tree_ray_walks() {
  return kAvx2RayWalks;
}

}  // namespace abut::detail
