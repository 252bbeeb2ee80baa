#!/usr/bin/env bash
# What `make test-all` adds to `make test`: all clients, their contracts, whole runs, the report in a browser.
#
# tests/everything.sh [MINUTES]
#
# With MINUTES it ends in that time on a machine of any speed: preparing clients, their contracts and
# whole runs each have a part of it, and what isn't begun in time is skipped and counted. The clients
# and tests that come first are drawn anew each time, so nothing is left out for ever.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=.venv/bin
minutes=${1:-}
percent=$((RANDOM % 100)) # begin after this share of the tests

# deadline PERCENT: the second of this script at which that part of the time is over
deadline() { echo $((minutes * 60 * $1 / 100)); }

# tests PERCENT PYTEST-ARGUMENT...: run them until then
tests() {
    local until=()
    [ -z "$minutes" ] || until=(--until $(($(date +%s) - SECONDS + $(deadline "$1"))))
    "$bin/pytest" --part rest --rotate "0.$(printf %02d "$percent")" "${until[@]}" "${@:2}"
}

# set_up PERCENT PATTERN...: prepare these clients until then
set_up() {
    if [ -z "$minutes" ]; then
        "$bin/fetchoff" setup --quiet "${@:2}"
        return
    fi
    local left=$(($(deadline "$1") - SECONDS)) status=0
    timeout --signal INT --kill-after 30 $((left > 1 ? left : 1)) "$bin/fetchoff" setup --quiet "${@:2}" || status=$?
    [ "$status" -ne 124 ] || echo "skipped: the clients that weren't ready within the time that was given"
    [ "$status" -eq 124 ] || return "$status"
}

mapfile -t languages < <(find adapters -mindepth 1 -maxdepth 1 -type d -printf '%f/*\n' | sort)
first=$((percent * ${#languages[@]} / 100))
echo "the tests begin after $percent % of them, the clients with ${languages[first]}"

tools/system-packages.sh chromium valgrind nginx-light wrk apache2-bin nghttp2-client strace hyperfine cmake openssh-server slurm-wlm munge
make target/tools/h2spec || echo "skipped: h2spec could not be built"
set_up 40 "${languages[@]:first}" "${languages[@]:0:first}"
"$bin/fetchoff" origins --setup
tests 62 tests/contract --numprocesses auto
tests 97 tests/integration tests/diagnosis tests/browser
make docs
