// The loops of sweep_kernels.h over a type Lanes that tests one block of candidates. Included by one source file for
// each instruction set, in which Lanes is local: nothing here calls a function that other files could share, since the
// linker might then run code of the wrong instruction set.
#pragma once

#include <abut/broadphase/detail/sweep_kernels.h>

namespace abut::detail {

/// Lanes has:
///   kWidth                    candidates a block
///   Query(arrays, i)          box i, prepared
///   collect(query, arrays, j, hits)            tests j ... j + kWidth - 1 from their beginning on
///   collect_ending(query, arrays, j, n, hits)  tests the first n of them, also where they end along the sweep
template <class Lanes>
struct SweepLoops {
  static void drain_if_full(HitBuffer& hits) {
    if (hits.count >= HitBuffer::kRoom) hits.drain(hits);
  }

  static void scan(const typename Lanes::Query& query, float end, const SweepArrays& b, std::size_t j,
                   HitBuffer& hits) {
    do {
      Lanes::collect(query, b, j, hits);
      drain_if_full(hits);
      j += Lanes::kWidth;
    } while (b.lower[0][j] <= end);
  }

  static void sweep_self(const SweepArrays& run, RunRange part, HitBuffer& hits) {
    for (std::size_t i = part.begin; i < part.end; ++i) {
      scan(typename Lanes::Query(run, i), run.upper[0][i], run, i + 1, hits);
    }
  }

  static void sweep_later(const SweepArrays& a, RunRange part, const SweepArrays& b, RunRange other, bool ties,
                          HitBuffer& hits) {
    std::size_t start = other.begin;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const float lower = a.lower[0][i];
      if (ties) {
        while (start < other.end && b.lower[0][start] < lower) ++start;
      } else {
        while (start < other.end && b.lower[0][start] <= lower) ++start;
      }
      if (start == other.end) break;
      scan(typename Lanes::Query(a, i), a.upper[0][i], b, start, hits);
    }
  }

  static void search(const SweepArrays& a, RunRange part, const SweepArrays& b, RunRange other, float reach,
                     HitBuffer& hits) {
    std::size_t start = other.begin;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      // Skips what surely ends before the box begins, a block at a time. The difference is rounded to nearest, so
      // floats below the rounded one are below the exact one as well.
      const float first = a.lower[0][i] - reach;
      while (start + kSkip < other.end && b.lower[0][start + kSkip] < first) start += kSkip;
      const float end = a.upper[0][i];
      const typename Lanes::Query query(a, i);
      for (std::size_t j = start; j < other.end && b.lower[0][j] <= end; j += Lanes::kWidth) {
        const std::size_t left = other.end - j;
        Lanes::collect_ending(query, b, j, left < Lanes::kWidth ? left : Lanes::kWidth, hits);
        drain_if_full(hits);
      }
    }
  }

  static constexpr std::size_t kSkip = 16;
  static constexpr SweepKernels kernels(const char* name) {
    return {name, Lanes::kWidth, &sweep_self, &sweep_later, &search};
  }
};

}  // namespace abut::detail
