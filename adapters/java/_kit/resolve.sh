#!/bin/sh
# resolve.sh ARTIFACT VERSION BUILD: libraries.sha256 for what pom.xml asks for at this version; to
# BUILD/packages.txt goes what was locked.
set -eu
artifact=$1 version=$2 build=$3
# By its layout of a repository each file tells its group and version.
if ! mvn --batch-mode -Dstyle.color=never dependency:copy-dependencies -DoutputDirectory="$build/repository" \
    -Dmdep.useRepositoryLayout=true -Dclient.version="$version" >maven.log 2>&1
then
    cat maven.log >&2
    echo >&2 # its last line is a colour
    sed -n -e 's/.*Could not find artifact \([^ ]*\).*/Maven finds no \1/p' \
        -e 's/.*: \([^ ]*\) was not found in .*/Maven finds no \1/p' maven.log | head -n 1 >&2
    exit 1
fi
cd "$build/repository"
find . -name '*.jar' -exec sha256sum {} + | sed 's,  \./,  ,' | sort -k 2 >sums
awk '{ n = split($2, part, "/"); group = part[1]
       for (i = 2; i <= n - 3; i++) group = group "." part[i]
       print group ":" part[n - 2], part[n - 1], "sha256:" $1 }' sums >"$build/packages.txt"
cd - >/dev/null
sed 's,  .*/,  ,' "$build/repository/sums" >libraries.sha256
if ! grep -q "^$artifact $version " "$build/packages.txt"; then
    echo "$artifact $version was asked for, and Maven has taken another" >&2
    exit 1
fi
