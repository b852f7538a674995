// A fuzz target: bytes become two convex shapes and their placements; an answer that fails a check aborts.
#include <fuzz/describe_pair.h>
#include <fuzz/pair_checks.h>
#include <fuzz/pair_sample.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr int kMaxPlacements = 8;
  abut::fuzz::ByteSource bytes({data, size});
  abut::fuzz::PairSampler sampler(bytes);
  abut::fuzz::PairChecks checks;
  abut::PairCache cache;
  for (int i = 0; i < kMaxPlacements && !bytes.is_empty(); ++i) {
    const abut::fuzz::PairSample& sample = sampler.next();
    const std::string wrong = checks.violation(sample, cache);
    if (!wrong.empty()) {
      std::fprintf(stderr, "%s\n%s\n", wrong.c_str(), abut::fuzz::description(sample, checks.answer()).c_str());
      std::abort();
    }
  }
  return 0;
}
