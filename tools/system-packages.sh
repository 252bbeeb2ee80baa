#!/bin/sh
# Debian packages that tests and benches use beside what `fetchoff setup` installs for clients:
# installed without a question as root, otherwise only named.
set -eu

missing=
for package in "$@"; do
    if ! dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed; then
        missing="$missing $package"
    fi
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    echo "installing Debian packages:$missing" >&2
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq -o DPkg::Lock::Timeout=600 update
    # shellcheck disable=SC2086
    apt-get -qq -o DPkg::Lock::Timeout=600 install --yes --no-install-recommends $missing >/dev/null
else
    echo "hint: some tests or benches are skipped without these Debian packages: apt-get install$missing" >&2
fi
