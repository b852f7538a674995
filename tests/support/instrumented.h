// Whether the tests run under a sanitizer, which makes them ten times as slow: some then ask less often.
#pragma once

namespace abut::samples {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsInstrumented = true;
#elif defined(__has_feature)
// How clang tells.
inline constexpr bool kIsInstrumented = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kIsInstrumented = false;
#endif

}  // namespace abut::samples
