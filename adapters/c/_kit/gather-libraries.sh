#!/bin/sh
# gather-libraries.sh PREFIX TREE...
# Gathers the shared libraries and headers of trees that are built, in place or as they were installed, in PREFIX. Which
# libraries are of the first tree is in PREFIX/of-trees/0, and so on.
set -eu

prefix=$1
shift
mkdir -p "$prefix/lib" "$prefix/include" "$prefix/of-trees"
number=0
for tree in "$@"; do
    names=$prefix/of-trees/$number
    number=$((number + 1))
    : >"$names"
    for place in lib lib64 lib/*-linux-gnu .libs lib/.libs src/.libs build/lib build; do
        # shellcheck disable=SC2231 # a place may be a pattern
        for library in "$tree"/$place/lib*.so*; do
            [ -e "$library" ] || continue
            echo "${library##*/}" >>"$names"
            cp -P "$library" "$prefix/lib/"
        done
    done
    if [ ! -s "$names" ]; then
        echo "there is no shared library in $tree: build it first" >&2
        exit 1
    fi
    [ ! -d "$tree/include" ] || cp -R "$tree/include/." "$prefix/include/"
done
