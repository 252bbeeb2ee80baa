#!/bin/sh
# must-be-linked.sh PROGRAM PREFIX TREE...
# Fails if the program finds no library of a tree that gather-libraries.sh has gathered in PREFIX: it is linked with the
# system's, or with none. Base and head of a gate would be the same code.
set -eu

program=$1
prefix=$2
shift 2
linked=$(LD_LIBRARY_PATH="$prefix/lib" ldd "$program" | awk -v folder="$prefix/lib/" -F ' => ' '
    index($2, folder) == 1 { sub(/ \(0x[0-9a-f]+\)$/, "", $2); print substr($2, length(folder) + 1) }')
number=0
for tree in "$@"; do
    names=$prefix/of-trees/$number
    number=$((number + 1))
    if ! printf '%s\n' "$linked" | grep -qxFf "$names"; then
        echo "the adapter uses nothing of ${tree##*/}, which has $(sort -u "$names" | paste -sd , | sed 's/,/, /g')" >&2
        exit 1
    fi
done
