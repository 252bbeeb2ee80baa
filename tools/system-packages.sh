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
    # DPkg::Lock::Timeout doesn't cover the lock of `update`, which fails at once. So copies of this
    # script wait for each other (what apt-get starts must not keep the lock: 9<&-), and `update` is
    # tried again while anybody else has its lock.
    if command -v flock >/dev/null; then
        exec 9<"$0"
        flock 9 || echo "note: $0 cannot be locked" >&2
    fi
    tries=10
    until said=$(apt-get -qq -o DPkg::Lock::Timeout=600 update 2>&1 9<&-); do
        tries=$((tries - 1))
        case $said in *lock*) ;; *) tries=0 ;; esac # without a network it won't help to wait
        if [ "$tries" -le 0 ]; then
            echo "$said" >&2
            exit 100
        fi
        sleep 6
    done
    # shellcheck disable=SC2086
    apt-get -qq -o DPkg::Lock::Timeout=600 install --yes --no-install-recommends $missing >/dev/null 9<&-
else
    echo "hint: some tests or benches are skipped without these Debian packages: apt-get install$missing" >&2
fi
