#!/usr/bin/env bash
# Runs a recorded pile of bodies with one and with two threads: the contacts must be the same, byte for byte.
#   scripts/check_pile.sh DIR [ABUT]
# DIR holds pile.scene.json and pile.motion, ABUT is the program (build/release/apps/abut).
set -euo pipefail

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  sed -n '2,4s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
recording=$1
abut=${2:-$root/build/release/apps/abut}

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
for threads in 1 2; do
  started=$(date +%s.%N)
  "$abut" run "$recording/pile.scene.json" --motion "$recording/pile.motion" --threads "$threads" \
    --output "$results/$threads.jsonl"
  awk -v a="$started" -v b="$(date +%s.%N)" -v threads="$threads" -v frames="$(wc -l <"$results/$threads.jsonl")" \
    'BEGIN { printf "pile, threads %d: %d frames in %.2f s\n", threads, frames, b - a }'
done
if [ ! -s "$results/1.jsonl" ] || ! grep --quiet '"distance"' "$results/1.jsonl"; then
  echo "check_pile.sh: the run reported no contact" >&2
  exit 1
fi
cmp "$results/1.jsonl" "$results/2.jsonl"
echo "pile: the same bytes with 1 and 2 threads"
