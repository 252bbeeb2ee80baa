#!/bin/sh
# build.sh PROGRAM KIT... [-- PACKAGE...]
# Compiles the C files of the working directory and of each kit, with the pkg-config packages named.
set -eu

program=$1
shift

sources=$(ls ./*.c)
includes=
while [ $# -gt 0 ] && [ "$1" != "--" ]; do
    sources="$sources $(ls "$1"/*.c)"
    includes="$includes -I$1"
    shift
done
[ $# -eq 0 ] || shift

flags=$(pkg-config --cflags --libs jansson libcjson libmd "$@")
# Word splitting is wanted: each of these is a list.
# shellcheck disable=SC2086
exec "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra ${CFLAGS:-} $includes -o "$program" $sources $flags
