#!/bin/sh
# build.sh TOOLCHAIN OUTPUT: builds the adapter in this folder with the Go that is named or installed,
# and not with one that a go.mod asks for.
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
exec go build -trimpath -buildvcs=false -o "$2" .
