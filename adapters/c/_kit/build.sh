#!/bin/sh
# build.sh PROGRAM PLACE... [-- PACKAGE...]
# Compiles C files, a place being one or a folder of them, with the pkg-config packages named.
set -eu

program=$1
shift

sources=
includes=
while [ $# -gt 0 ] && [ "$1" != "--" ]; do
    if [ -d "$1" ]; then
        sources="$sources $(ls "$1"/*.c)"
        includes="$includes -I$1"
    else
        sources="$sources $1"
    fi
    shift
done
[ $# -eq 0 ] || shift

build=$(dirname "$program")
sh "$(dirname "$0")/documents.sh" "$build"

# The warnings of other people's headers are not ours.
headers=$(pkg-config --cflags jansson nettle "$@" | sed 's/-I/-isystem /g')
libraries="$(pkg-config --libs jansson nettle "$@") -Wl,-rpath,\$ORIGIN -ldl"
# Word splitting is wanted: each of these is a list.
# shellcheck disable=SC2086
exec "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror ${CFLAGS:-} -pthread $includes $headers \
    -o "$program" $sources $libraries
