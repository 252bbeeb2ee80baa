#!/bin/sh
# releases.sh MODULE: a line `VERSION DATE` for each of its versions, by go. A mark `+incompatible` is no part of
# a version here: go adds it by itself.
set -eu
export GOWORK=off GOFLAGS=-mod=mod
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
if ! said=$(go mod init fetchoff/releases 2>&1); then # it tells of what it does as well
    echo "$said" >&2
    exit 1
fi
versions=$(go list -m -versions -f '{{range .Versions}}{{$.Path}}@{{.}} {{end}}' "$1")
if [ -z "$versions" ]; then
    echo "no version of $1 is known" >&2
    exit 1
fi
# shellcheck disable=SC2086 # one argument for each version
go list -m -e -f '{{.Version}} {{if .Time}}{{.Time.Format "2006-01-02"}}{{end}}' $versions |
    sed 's/^v//; s/+incompatible / /'
