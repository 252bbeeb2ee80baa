#!/bin/sh
# find-python.sh VERSION FOLDER: makes a virtual environment of a CPython of this version, if the
# machine has one.
set -eu
version=$1
folder=$2

# Also of a link to it in FOLDER the standard library would be looked for there: hence an environment.
is_right() {
    "$1" -c "import sys, venv
sys.exit(sys.implementation.name != 'cpython' or '%d.%d' % sys.version_info[:2] != '$version')" \
        2>/dev/null
}

pyenv=${PYENV_ROOT:-$HOME/.pyenv}/versions
uv=${UV_PYTHON_INSTALL_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/uv/python}
for python in \
    "$(command -v "python$version" || true)" \
    "$pyenv/$version".*/bin/python \
    "$uv/cpython-$version".*/bin/python \
    "/usr/bin/python$version" "/usr/local/bin/python$version" "/opt/homebrew/bin/python$version"
do
    if [ -x "$python" ] && is_right "$python"; then
        exec "$python" -m venv --without-pip "$folder"
    fi
done
echo "there is no CPython $version here: pyenv install $version, or uv python install $version" >&2
exit 1
