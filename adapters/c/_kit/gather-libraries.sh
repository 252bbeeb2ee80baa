#!/bin/sh
# gather-libraries.sh PREFIX TREE...
# Gathers the shared libraries and headers of trees that are built, in place or as they were installed, in PREFIX.
set -eu

prefix=$1
shift
mkdir -p "$prefix/lib" "$prefix/include"
for tree in "$@"; do
    found=
    for place in lib lib64 lib/*-linux-gnu .libs lib/.libs src/.libs build/lib build; do
        for library in "$tree"/$place/lib*.so*; do
            [ -e "$library" ] || continue
            found=yes
            cp -P "$library" "$prefix/lib/"
        done
    done
    if [ -z "$found" ]; then
        echo "there is no shared library in $tree: build it first" >&2
        exit 1
    fi
    [ ! -d "$tree/include" ] || cp -R "$tree/include/." "$prefix/include/"
done
