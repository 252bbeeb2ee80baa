#!/usr/bin/env bash
# Runs a gate with what a CI system has in variables, and shows its summary. Its exit status is the gate's.
#
#   GATE_BASE       client id or adapter folder                  (needed)
#   GATE_HEAD       the changed client; empty: GATE_BASE's, with GATE_WITH
#   GATE_WITH       source trees of head's library, one a line
#   GATE_BASE_WITH  source trees of base's library, one a line
#   GATE_WORKLOADS  workloads, one a line
#   GATE_MARGIN, GATE_BUDGET   per cent, seconds
#   GATE_STRICT     "true": what cannot be told fails
#   GATE_RECORD     file with the repository's record
#   GATE_OUT        folder for the files; default: fetchoff-gate
#   FETCHOFF        the command; default: fetchoff
set -euo pipefail

out=${GATE_OUT:-fetchoff-gate}
arguments=("$GATE_BASE")
[ -z "${GATE_HEAD:-}" ] || arguments+=("$GATE_HEAD")

option() { # NAME LINES: the option, once for each line that is not empty
    while IFS= read -r line; do
        [ -z "$line" ] || arguments+=("$1" "$line")
    done <<<"$2"
}
option --with "${GATE_WITH:-}"
option --base-with "${GATE_BASE_WITH:-}"
option --workload "${GATE_WORKLOADS:-}"
option --margin "${GATE_MARGIN:-}"
option --budget "${GATE_BUDGET:-}"
option --record "${GATE_RECORD:-}"
[ "${GATE_STRICT:-false}" != true ] || arguments+=(--strict)
arguments+=(--wait --out "$out/run" --markdown "$out/gate.md" --junit "$out/gate.xml")
arguments+=(--benchmark-action "$out/benchmark.json" --bencher "$out/bencher.json")

mkdir -p "$out"
rm -rf "$out/run" "$out/gate.md"
status=0
"${FETCHOFF:-fetchoff}" gate "${arguments[@]}" || status=$?
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$out/gate.md" ]; then
    cat "$out/gate.md" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$status"
