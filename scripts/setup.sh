#!/usr/bin/env bash
# Installs what abut is built from, as far as it is missing (Debian 12 and its relatives).
#   scripts/setup.sh           compiler, build tools and libraries
#   scripts/setup.sh --dev     also clang with its sanitizers, clang-format, clang-tidy and ccache
#   scripts/setup.sh --check   also what the comparison with reference data runs on (python3)
#   scripts/setup.sh --peers   also the libraries that the benchmarks compare with
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config
  libeigen3-dev libtbb-dev libqhull-dev         # the four inner modules
  libassimp-dev nlohmann-json3-dev libcli11-dev # io and apps
  liburdfdom-dev libtinyxml2-dev                # planning
  libompl-dev                                   # planning/ompl and the example abut_plan
  libcminpack-dev                               # fitting
  coinor-libipopt-dev                           # the example abut_parking
  zlib1g-dev                                    # what assimp's CMake package links, though Debian's does not pull it in
  libgtest-dev libbenchmark-dev                 # tests and benchmarks
)
for argument in "$@"; do
  case "$argument" in
    --dev) packages+=(clang libclang-rt-dev llvm clang-format clang-tidy ccache) ;;
    --check) packages+=(python3) ;;
    --peers)
      packages+=(libfcl-dev libbullet-dev libccd-dev libode-dev libmujoco-dev libbox2d-dev libcgal-dev libembree-dev)
      packages+=(libompl-dev)
      ;;
    *)
      echo "setup.sh: unknown argument '$argument' (known: --dev, --check, --peers)" >&2
      exit 2
      ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "setup.sh: this is not a Debian system; install the equivalents of: ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

echo "setup.sh: installing ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup.sh: neither root nor sudo; as root run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
if ! "${as_root[@]}" apt-get update ||
  ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"; then
  echo "setup.sh: could not install ${missing[*]}" >&2
  exit 1
fi
