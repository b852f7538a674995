#!/usr/bin/env bash
# Compares `abut query` with sets of reference queries and fails where too few of a set pass.
#   scripts/check_reference.sh DIR [ABUT [THRESHOLDS]]
# DIR holds NAME.jsonl and check.py, ABUT is the program (build/release/apps/abut), THRESHOLDS a file of lines
# "NAME FRACTION", the least fraction of NAME's queries that must pass (.ci/reference-thresholds).
set -euo pipefail

if [ $# -lt 1 ] || [ $# -gt 3 ]; then
  sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
reference=$1
abut=${2:-$root/build/release/apps/abut}
thresholds=${3:-$root/.ci/reference-thresholds}
[ -f "$reference/check.py" ] || { echo "check_reference.sh: there is no check.py in '$reference'" >&2; exit 2; }
[ -x "$abut" ] || { echo "check_reference.sh: there is no program '$abut'" >&2; exit 2; }

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
failed=0
while read -r name least rest || [ -n "$name" ]; do
  case "$name" in '' | '#'*) continue ;; esac
  if [ -z "$least" ] || [ -n "$rest" ]; then
    echo "check_reference.sh: a line of $thresholds is not 'NAME FRACTION': $name $least $rest" >&2
    exit 2
  fi
  queries=$reference/$name.jsonl
  started=$(date +%s.%N)
  # Exit status 1 says that a query was answered with an error, which some sets expect; anything else is a crash.
  status=0
  "$abut" query <"$queries" >"$results/$name.jsonl" || status=$?
  seconds=$(awk -v a="$started" -v b="$(date +%s.%N)" 'BEGIN { printf "%.2f", b - a }')
  if [ "$status" -gt 1 ]; then
    echo "$name: abut query ended with status $status"
    failed=1
    continue
  fi
  python3 "$reference/check.py" "$queries" "$results/$name.jsonl" >"$results/$name.txt" || true
  # The last line of check.py reads "N passed, M failed".
  if ! tail -n 1 "$results/$name.txt" | awk -v name="$name" -v least="$least" -v seconds="$seconds" '
      !/^[0-9]+ passed, [0-9]+ failed$/ || $1 + $3 == 0 { print name ": check.py gave no counts"; exit 1 }
      {
        fraction = $1 / ($1 + $3)
        enough = fraction >= least
        printf "%-12s %6d of %6d pass (%.4f, at least %s): %s, %s s\n",
               name, $1, $1 + $3, fraction, least, enough ? "ok" : "TOO FEW", seconds
        exit !enough
      }'; then
    failed=1
    tail -n 30 "$results/$name.txt" | cut -c 1-300
  fi
done <"$thresholds"
exit "$failed"
