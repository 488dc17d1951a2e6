#!/usr/bin/env bash
# Adds hcube's transpose solver to the sources of FFTW 3.3.10:
#
#   patch-fftw.sh <FFTW tree>
#
# The tree is either changed completely or not at all. In a tree that has the solver
# already, files that differ are replaced. Neither automake nor autoconf is
# needed afterwards: the generated Makefile.in is changed in the same way.
set -euo pipefail

glue=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sources=(transpose-hcube.c transpose-hcube-comm.c transpose-hcube.h)

fail() {
    echo "patch-fftw: $*" >&2
    exit 1
}

[ $# -eq 1 ] || {
    echo "usage: ${0##*/} <tree of FFTW 3.3.10>" >&2
    exit 2
}
[ -d "$1" ] || fail "'$1' does not exist or is not a folder"
tree=$(cd "$1" && pwd)
for file in configure.ac mpi/conf.c mpi/mpi-transpose.h mpi/Makefile.am; do
    [ -f "$tree/$file" ] || fail "'$1' is not a source tree of FFTW: $file is missing"
done

# FFTW states its version in two parts.
part() {
    sed -n "s/^define($1, *\([0-9.]*\)).*/\1/p" "$tree/configure.ac"
}
version=$(part FFTW_MAJOR_VERSION).$(part FFTW_MINOR_VERSION)
[ "$version" = 3.3.10 ] ||
    fail "'$1' is FFTW ${version/#./of an unknown version}; the solver supports only FFTW 3.3.10"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# edit <file> <sed script>: writes the changed file to the scratch folder, unless it
# contains the solver already; an edit that changes nothing is an error.
edit() {
    ! grep -q 'transpose[-_]hcube' "$tree/$1" || return 0
    sed -e "$2" "$tree/$1" >"$scratch/$1"
    ! cmp -s "$scratch/$1" "$tree/$1" || fail "$tree/$1 differs from that of FFTW 3.3.10"
}

mkdir -p "$scratch/mpi"
state="the solver was present already"
for file in "${sources[@]}"; do
    cmp -s "$glue/$file" "$tree/mpi/$file" && continue
    state="the solver was present already; its files are updated"
    cp "$glue/$file" "$scratch/mpi/"
done
# Last in the table, after FFTW's own, as in the preloaded library, so that both have
# the same signature of wisdom.
edit mpi/conf.c 's/^\( *\)SOLVTAB_END$/\1SOLVTAB(XM(transpose_hcube_register)),\n&/'
edit mpi/mpi-transpose.h 's/^void XM(transpose_recurse_register).*/&\nvoid XM(transpose_hcube_register)(planner *p);/'
edit mpi/Makefile.am "/^TRANSPOSE_SRC *=/s/ transpose-recurse\.c/& ${sources[*]}/"
[ ! -f "$tree/mpi/Makefile.in" ] || edit mpi/Makefile.in "/^TRANSPOSE_SRC *=/s/ transpose-recurse\.c/& ${sources[*]}/
    s/transpose-recurse\.lo/& transpose-hcube.lo transpose-hcube-comm.lo/
    /transpose-recurse\.Plo/{p;s/transpose-recurse/transpose-hcube/p;s/transpose-hcube/transpose-hcube-comm/}"
[ ! -f "$scratch/mpi/conf.c" ] || state="the solver is added"

# Only now change the tree: copy all files beside their targets, then rename them.
for file in "$scratch"/mpi/*; do
    [ ! -f "$file" ] || cp "$file" "$tree/mpi/${file##*/}.new"
done
for file in "$scratch"/mpi/*; do
    [ ! -f "$file" ] || mv "$tree/mpi/${file##*/}.new" "$tree/mpi/${file##*/}"
done

# hcube's source tree or an installation.
include=$glue/../../include
lib=$glue/../../target/openmpi/release
[ -f "$include/hcube.h" ] || include=$glue/../../../include lib=$glue/../../../lib/hcube/${MPI:-openmpi}
include=$(cd "$include" 2>/dev/null && pwd) || include='<folder of hcube.h>'
lib=$(cd "$lib" 2>/dev/null && pwd) || lib='<folder of libhcube>'

cat <<END
$tree: $state. Configure it for the MPI library that hcube was built for, for example:

  ./configure --enable-mpi MPICC=mpicc CPPFLAGS=-I$include \\
      MPILIBS="-L$lib -lhcube" LDFLAGS=-Wl,-rpath,$lib
END
