#!/usr/bin/env bash
# Builds abut, with warnings as errors, and runs all its tests; under the thread sanitizer those that run code in several
# threads.
#   scripts/test.sh [PRESET]   release (default), native, debug, clang, asan-ubsan or tsan
set -euo pipefail

preset=${1:-release}
jobs=$(nproc)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "$preset" in
  clang | asan-ubsan | tsan) scripts/setup.sh --dev ;;
  *) scripts/setup.sh ;;
esac

run=()
# The thread sanitizer needs parts of the address space where the randomisation of newer kernels may put something else.
# The build needs this as well as the run: it asks the finished programs for their lists of tests.
if [ "$preset" = tsan ] && setarch "$(uname -m)" --addr-no-randomize true 2>/dev/null; then
  run=(setarch "$(uname -m)" --addr-no-randomize)
fi

# With these, ccache knows precompiled headers.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:+$CCACHE_SLOPPINESS,}pch_defines,time_macros
cmake --preset "$preset" -DABUT_WERROR=ON -DABUT_UNITY_TESTS=ON -DABUT_PRECOMPILE=ON
"${run[@]}" cmake --build --preset "$preset" --parallel "$jobs"
"${run[@]}" ctest --preset "$preset" --output-on-failure --parallel "$jobs"
