#!/bin/sh
# Cargo as setuptools-rust calls it, with Zig as the linker: for the platform in $RELEASE_TARGET, which
# names a glibc (x86_64-unknown-linux-gnu.2.28).
set -eu

unset CARGO # it names this script, which cargo-zigbuild would start in place of cargo
command=$1
shift
case $command in
    build | rustc) exec cargo-zigbuild "$command" --target "$RELEASE_TARGET" "$@" ;;
    *) exec cargo "$command" "$@" ;;
esac
