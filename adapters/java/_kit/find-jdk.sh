#!/bin/sh
# find-jdk.sh RELEASE LINK: makes LINK a symbolic link to an installed JDK of that release, looked for
# where packages, SDKMAN!, mise, asdf, Gradle and IntelliJ put theirs.
set -eu
release=$1 link=$2

is_wanted() {
    [ -x "$1/bin/javac" ] && grep -q "^JAVA_VERSION=\"${release}[.\"]" "$1/release" 2>/dev/null
}

for home in "${JAVA_HOME:-/nowhere}" /usr/lib/jvm/* /usr/java/* /opt/* /opt/java/* /usr/local/lib/jvm/* \
    "$HOME"/.sdkman/candidates/java/* "$HOME"/.local/share/mise/installs/java/* \
    "$HOME"/.asdf/installs/java/* "$HOME"/.gradle/jdks/* "$HOME"/.jdks/*; do
    if is_wanted "$home"; then
        ln -sfn "$home" "$link"
        exit
    fi
done
echo "there is no JDK $release in JAVA_HOME, /usr/lib/jvm, /usr/java, /opt, or the folders of SDKMAN!, mise, asdf, Gradle and IntelliJ" >&2
exit 1
