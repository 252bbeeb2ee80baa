#!/usr/bin/env bash
# prepare.sh PYTHON CLIENT...: what gates of these clients need of the Debian or Ubuntu of a CI system.
#
# As root or by sudo, it installs strace, permits its use, and installs the Debian packages that the clients lack. Where
# that is not possible it says so and ends with 0: a gate then does without, or says itself what it lacks.
#
# PYTHON: the interpreter that has Fetchoff.
set -euo pipefail

python=$1
shift
packages_of_clients=$(dirname "$0")/../../tools/debian_packages.py
apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600)

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}
lacks() {
    echo "hint: $1" >&2
}

if ! as_root true 2>/dev/null || ! command -v apt-get >/dev/null; then
    lacks "strace and Debian packages of clients are not installed here: that needs apt-get, and root or sudo"
    exit 0
fi
if ! command -v strace >/dev/null; then
    { as_root "${apt[@]}" update && as_root "${apt[@]}" install --yes --no-install-recommends strace; } >/dev/null ||
        lacks "strace cannot be installed: system calls will not be counted"
fi
as_root sysctl --quiet --ignore --write kernel.yama.ptrace_scope=0 >/dev/null ||
    lacks "kernel.yama.ptrace_scope cannot be set to 0: system calls may not be counted"
# Root's cache is another: what root writes, the gate could not.
cache=$(mktemp -d)
as_root env "PATH=$PATH" "FETCHOFF_CACHE=$cache" "$python" "$packages_of_clients" "$@"
as_root rm -rf "$cache"
