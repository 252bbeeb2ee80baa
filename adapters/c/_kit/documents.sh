#!/bin/sh
# documents.sh BUILD: compiles the parser of the sink "json" into a library beside the program.
set -eu
# Word splitting is wanted: the flags are a list.
# shellcheck disable=SC2046,SC2086
exec "${CXX:-c++}" -std=c++17 -O2 -Wall -Wextra -Werror ${CXXFLAGS:-} -fno-exceptions -shared -fPIC \
    -o "$1/documents.so" "$(dirname "$0")/documents.cpp" $(pkg-config --cflags simdjson | sed 's/-I/-isystem /g') \
    $(pkg-config --libs simdjson)
