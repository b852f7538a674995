#!/usr/bin/env bash
# Builds the demo and runs it.
#   scripts/demo.sh [SCENE.json | MESH]   arguments are passed on; relative file names are relative to where you are
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/setup.sh"
(
  cd "$root"
  cmake --preset release
  cmake --build --preset release --target abut_demo --parallel "$(nproc)"
) >&2
exec "$root/build/release/examples/demo/abut_demo" "$@"
