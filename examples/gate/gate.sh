#!/usr/bin/env bash
# Runs a gate with what a CI system has in variables, and shows its summary.
#
# Its exit status is the gate's, but for a gate that is withheld because a self-check failed: that is measured once
# more, and if it is withheld again, the job passes with a warning unless GATE_STRICT is "true".
#
#   GATE_BASE       client id or adapter folder                  (needed)
#   GATE_HEAD       the changed client; empty: GATE_BASE's, with GATE_WITH
#   GATE_WITH       source trees of head's library, one a line
#   GATE_BASE_WITH  source trees of base's library, one a line
#   GATE_WORKLOADS  workloads, one a line
#   GATE_MARGIN, GATE_BUDGET   per cent, seconds
#   GATE_STRICT     "true": what cannot be told fails, and so does what is withheld
#   GATE_RECORD     file with the repository's record
#   GATE_OUT        folder for the files; default: .fetchoff/gate. The run is in run, a second one in run-again.
#                   In a checkout that GATE_WITH names, it must begin with .fetchoff: other files are taken for sources.
#   FETCHOFF        the command; default: fetchoff
set -euo pipefail

out=${GATE_OUT:-.fetchoff/gate}
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
arguments+=(--wait --markdown "$out/gate.md" --junit "$out/gate.xml")
arguments+=(--benchmark-action "$out/benchmark.json" --bencher "$out/bencher.json")

forget_files() { # of an earlier job, or of a gate that is measured again
    rm -f "$out"/{gate.md,gate.xml,benchmark.json,bencher.json}
}
measure() { # FOLDER
    status=0
    "${FETCHOFF:-fetchoff}" gate "${arguments[@]}" --out "$out/$1" || status=$?
}
is_withheld() { # A broken adapter also ends with 4, but before there is a summary.
    [ "$status" = 4 ] && [ -f "$out/gate.md" ]
}
warn() {
    if [ "${GITHUB_ACTIONS:-}" = true ]; then
        echo "::warning title=Fetchoff gate::$1"
    else
        echo "warning: $1" >&2
    fi
}

mkdir -p "$out"
rm -rf "$out"/{run,run-again}
forget_files
measure run
if is_withheld; then
    echo "A self-check failed, so the gate is measured once more." >&2
    forget_files
    measure run-again
fi
if is_withheld && [ "${GATE_STRICT:-false}" != true ]; then
    warn "a self-check failed in both of two tries, so it is not known whether head is slower"
    status=0
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$out/gate.md" ]; then
    cat "$out/gate.md" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$status"
