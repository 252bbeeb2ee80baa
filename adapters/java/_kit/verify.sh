#!/bin/sh
# verify.sh LIBRARIES: whether the folder holds what libraries.sha256 has locked, if there is such a file.
set -eu
if [ -f libraries.sha256 ]; then
    sums=$PWD/libraries.sha256
    cd "$1"
    sha256sum --check --strict --quiet "$sums"
fi
