#!/bin/sh
# resolve.sh TOOLCHAIN MODULE VERSION PACKAGES: go.mod and go.sum for MODULE at VERSION, with what that
# version itself asks for and nothing later; to PACKAGES goes what was locked.
set -eu
export GOTOOLCHAIN="$1" GOWORK=off GOFLAGS=-mod=mod
sed -i '/\/\/ indirect$/d' go.mod
rm -f go.sum
if ! go get "$2@v$3"; then
    # Its own last line depends on who was asked, and names no module.
    case " $(go list -m -versions "$2") " in
    *" v$3 "* | *" v$3+incompatible "*) ;;
    *) echo "there is no $2 $3" >&2 ;;
    esac
    exit 1
fi
go mod tidy
# go also takes the beginnings of versions: tomorrow they are other versions.
locked=$(go list -m -f '{{.Version}}' "$2")
if [ "${locked%+incompatible}" != "v${3%+incompatible}" ]; then
    echo "there is no $2 $3: go has taken ${locked#v} for it" >&2
    exit 1
fi
awk '$2 !~ /\/go\.mod$/ { sub(/^v/, "", $2); print $1, $2, $3 }' go.sum >"$4"
