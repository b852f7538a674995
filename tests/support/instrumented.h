// Whether the tests run under a sanitizer, which makes them ten times as slow: some then ask less often.
#pragma once

namespace abut::samples {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsInstrumented = true;
#else
inline constexpr bool kIsInstrumented = false;
#endif

}  // namespace abut::samples
