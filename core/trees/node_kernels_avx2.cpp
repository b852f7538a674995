// The tests of a node's children with AVX2: all eight at a time. Compiled for that instruction set whatever the
// build's.
#include <abut/core/trees/node_kernel_loops.h>
#include <abut/core/trees/node_kernels_wide.h>
#include <immintrin.h>

namespace abut::detail {
namespace {

struct Avx2Lanes {
  struct Floats {
    __m256 v;
  };

  static Floats all(float x) { return {_mm256_set1_ps(x)}; }
  static Floats add(Floats x, Floats y) { return {_mm256_add_ps(x.v, y.v)}; }
  static Floats sub(Floats x, Floats y) { return {_mm256_sub_ps(x.v, y.v)}; }
  static Floats mul(Floats x, Floats y) { return {_mm256_mul_ps(x.v, y.v)}; }
  static Floats larger(Floats x, Floats y) { return {_mm256_max_ps(x.v, y.v)}; }
  static Floats abs(Floats x) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0F), x.v)}; }
  static Floats root(Floats x) { return {_mm256_sqrt_ps(x.v)}; }
  static Floats select_positive(Floats which, Floats yes, Floats no) {
    return {_mm256_blendv_ps(no.v, yes.v, _mm256_cmp_ps(which.v, _mm256_setzero_ps(), _CMP_GT_OQ))};
  }
  static unsigned above(Floats x, Floats y) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(x.v, y.v, _CMP_GT_OQ)));
  }
  static Floats load(const float* from) { return {_mm256_load_ps(from)}; }
  static void store(float* to, Floats x) { _mm256_storeu_ps(to, x.v); }
};

constexpr NodeKernels kAvx2 = NodeLoops<Avx2Lanes>::kernels("AVX2");

}  // namespace

const NodeKernels& avx2_node_kernels() {
  return kAvx2;
}

}  // namespace abut::detail
