#!/bin/sh
# Try a wheel as a new user would: an empty environment, no Rust, no cache. Prints how long each step
# took. `try.sh dist/fetchoff-….whl [PYTHON]`
set -eu

wheel=$(realpath "$1")
python=${2:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder/venv"

export HOME="$folder" FETCHOFF_CACHE="$folder/cache" FETCHOFF_LOCK="$folder/lock"
export PATH="$folder/venv/bin:/usr/bin:/bin"
unset CARGO_HOME RUSTUP_HOME CARGO_TARGET_DIR
if command -v cargo rustc; then
    echo "error: there is a Rust in /usr/bin; this shows nothing" >&2
    exit 1
fi

cd "$folder"
began=$(date +%s)
pip install --quiet --disable-pip-version-check "$wheel"
installed=$(date +%s)
fetchoff run --setup -c python/requests -c python/urllib3 -w small-get --budget 10 --seed 1
ranked=$(date +%s)
echo "installed in $((installed - began)) s, ranked after $((ranked - installed)) s more"
