#!/bin/sh
# build.sh TOOLCHAIN OUTPUT [TREE...]: builds the adapter in this folder with the Go that is named or installed,
# and not with one that a go.mod asks for. Modules of source trees take the places of those of the same paths.
set -eu
export GOTOOLCHAIN="$1" GOWORK=off GOFLAGS=
version=$(go env GOVERSION)
if [ "$1" != local ] && [ "$1" != "$version" ]; then
    echo "$1 is wanted, and $version answers: Go 1.21 or later fetches others" >&2
    exit 1
fi
# Since Go 1.21 the version in go.mod decides which old ways are kept to (https://go.dev/doc/godebug):
# a program that is written for this Go keeps to none.
case $version in
go1.19* | go1.20*) ;;
*) go mod edit -go="${version#go}" ;;
esac
output=$2
shift 2
for tree in "$@"; do
    module=$(cd "$tree" && go mod edit -json | sed -n 's/^\t\t"Path": "\(.*\)"$/\1/p' | head -n 1)
    if [ -z "$module" ] || ! grep -qF "$module " go.mod; then
        echo "the adapter uses no module ${module:-(no go.mod)} of $tree" >&2
        exit 1
    fi
    go mod edit -replace "$module=$tree"
    export GOFLAGS=-mod=mod # its go.mod may require what go.sum doesn't know
done
exec go build -trimpath -buildvcs=false -o "$output" .
