#!/bin/sh
# build.sh BUILD SOURCE KIT KIT_C [-- PACKAGE-OR-FLAG...]
# Compiles a C++ source with both kits, the pkg-config packages named, and flags such as -lPocoNet.
set -eu

build=$1
source=$2
kit=$3
kit_c=$4
shift 4
[ $# -eq 0 ] || shift

packages="jansson nettle"
flags=
for word in "$@"; do
    case $word in
    -*) flags="$flags $word" ;;
    *) packages="$packages $word" ;;
    esac
done

sh "$kit_c/documents.sh" "$build"

# Word splitting is wanted: each of these is a list.
# shellcheck disable=SC2046,SC2086
{
    # The warnings of other people's headers are not ours.
    headers=$(pkg-config --cflags $packages | sed 's/-I/-isystem /g')
    libraries="$(pkg-config --libs $packages) -Wl,-rpath,\$ORIGIN -ldl"
    warnings="-Wall -Wextra -Werror"
    (cd "$build" && "${CC:-cc}" -c -std=gnu11 -D_GNU_SOURCE -O2 $warnings ${CFLAGS:-} -pthread $headers "$kit_c"/*.c)
    exec "${CXX:-c++}" -std=c++20 -O2 $warnings ${CXXFLAGS:-} -pthread "-I$kit" "-I$kit_c" $headers \
        -o "$build/adapter" "$source" "$kit"/*.cpp "$build"/*.o $flags $libraries
}
