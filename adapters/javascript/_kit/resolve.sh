#!/bin/sh
# resolve.sh FOLDER PACKAGE VERSION PACKAGES NODE…: the lock file in FOLDER for PACKAGE at VERSION, beside
# whatever else its package.json asks for; to PACKAGES goes what was locked.
set -eu
folder=$1 package=$2 version=$3 packages=$4 node=$5
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
cd "$folder"

# npm compares what a package asks for with the Node.js that npm itself runs on. Of another runtime than
# Node.js nothing is asked.
case $(basename "$node") in
node) PATH="$(dirname "$(command -v "$node")"):$PATH" strict=--engine-strict ;;
*) strict=--no-engine-strict ;;
esac

if ! npm install --package-lock-only --ignore-scripts --no-audit --no-fund --save-exact "$strict" \
    --omit-lockfile-registry-resolved "$package@$version" >npm.log 2>&1
then
    cat npm.log >&2
    needs=$(sed -n 's/^npm error notsup Required: *//p' npm.log)
    if [ -n "$needs" ]; then
        # What has to be named is the package that npm complains about, which may be another one.
        which=$(sed -n 's/^npm error notsup Not compatible.*: //p' npm.log)
        echo "$which needs another runtime: $needs, and this is $("$node" --version)" >&2
    else
        sed -n 's/^npm error [a-z]*[0-9]* *\(.*[^.]\)\.*$/\1/p' npm.log | sed -n 2p >&2
    fi
    exit 1
fi
node "$here/locked.mjs" package-lock.json >"$packages"
# npm also takes tags and the beginnings of versions: tomorrow they are other versions.
if ! grep -q "^$package $version " "$packages"; then
    echo "there is no $package $version: npm has taken another version for it" >&2
    exit 1
fi
