#!/usr/bin/env bash
# Compares `abut validate` with reference answers about robots and fails where any is wrong.
#   scripts/check_validity.sh DIR ROBOTS [ABUT]
# DIR holds ROBOT/NAME.json (scenes), ROBOT/NAME.jsonl (queries with answers) and check_validity.py, ROBOTS holds
# ROBOT/ROBOT.urdf and ROBOT/ROBOT.srdf, ABUT is the program (build/release/apps/abut).
set -euo pipefail

if [ $# -lt 2 ] || [ $# -gt 3 ]; then
  sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
reference=$1
robots=$2
abut=${3:-$root/build/release/apps/abut}
[ -f "$reference/check_validity.py" ] || { echo "check_validity.sh: there is no check_validity.py in '$reference'" >&2; exit 2; }
[ -x "$abut" ] || { echo "check_validity.sh: there is no program '$abut'" >&2; exit 2; }

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
failed=0
found=0
for folder in "$reference"/*/; do
  robot=$(basename "$folder")
  [ -f "$robots/$robot/$robot.urdf" ] || { echo "check_validity.sh: there is no robot '$robot' in '$robots'" >&2; exit 2; }
  files=()
  for queries in "$folder"*.jsonl; do
    [ -f "$queries" ] || continue
    name=$(basename "$queries" .jsonl)
    "$abut" validate --robot "$robots/$robot/$robot.urdf" --srdf "$robots/$robot/$robot.srdf" \
      --scene "$folder$name.json" --clearance "$queries" >"$results/$robot-$name.jsonl" 2>"$results/errors.txt" ||
      { cat "$results/errors.txt"; echo "$robot $name: abut validate failed"; failed=1; }
    files+=("$queries" "$results/$robot-$name.jsonl")
  done
  [ "${#files[@]}" -gt 0 ] || continue
  found=1
  status=0
  python3 "$reference/check_validity.py" --require-clearance "${files[@]}" >"$results/$robot.txt" || status=$?
  echo "$robot: $(tail -n 1 "$results/$robot.txt")"
  if [ "$status" -ne 0 ]; then
    failed=1
    grep -v ' 0 wrong' "$results/$robot.txt" | head -n 30 | cut -c 1-300
  fi
done
[ "$found" -eq 1 ] || { echo "check_validity.sh: there are no queries in '$reference'" >&2; exit 2; }
exit "$failed"
