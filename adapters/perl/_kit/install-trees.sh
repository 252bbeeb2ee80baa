#!/bin/sh
# install-trees.sh FOLDER TREE...: builds these distributions, in this order, into FOLDER/lib/perl5.
set -eu
folder=$1
shift

export PERL_MM_USE_DEFAULT=1
export PERL5LIB="$folder/lib/perl5${PERL5LIB:+:$PERL5LIB}"

for tree in "$@"; do
    cd "$tree"
    if [ -f Build.PL ]; then
        perl Build.PL --install_base "$folder"
        ./Build
        ./Build install
    elif [ -f Makefile.PL ]; then
        perl Makefile.PL INSTALL_BASE="$folder"
        make
        make install
    else
        echo "${tree##*/} is no Perl distribution: it has neither a Makefile.PL nor a Build.PL" >&2
        exit 1
    fi
done
