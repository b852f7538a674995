#!/usr/bin/env bash
# Builds abut, with warnings as errors except under the thread sanitizer, and runs all its tests; under the thread
# sanitizer those that run code in several threads.
#   scripts/test.sh [PRESET]   release (default), native, debug, clang, asan-ubsan or tsan
set -euo pipefail

preset=${1:-release}
jobs=$(nproc)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ "$preset" = clang ] || [ "$preset" = asan-ubsan ]; then scripts/setup.sh --dev; else scripts/setup.sh; fi

run=()
# The thread sanitizer needs parts of the address space where the randomisation of newer kernels may put something else.
# The build needs this as well as the run: it asks the finished programs for their lists of tests.
if [ "$preset" = tsan ] && setarch "$(uname -m)" --addr-no-randomize true 2>/dev/null; then
  run=(setarch "$(uname -m)" --addr-no-randomize)
fi

# g++ itself says that the sanitizers lead its flow analysis to false warnings, so that build does not stop at them.
case "$preset" in
  tsan) warnings_are_errors=OFF ;;
  *) warnings_are_errors=ON ;;
esac

# With these, ccache knows precompiled headers.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:+$CCACHE_SLOPPINESS,}pch_defines,time_macros
cmake --preset "$preset" -DABUT_WERROR="$warnings_are_errors" -DABUT_UNITY_TESTS=ON -DABUT_PRECOMPILE=ON
"${run[@]}" cmake --build --preset "$preset" --parallel "$jobs"
"${run[@]}" ctest --preset "$preset" --output-on-failure --parallel "$jobs"
