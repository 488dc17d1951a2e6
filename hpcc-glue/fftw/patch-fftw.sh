#!/usr/bin/env bash
# Adds hcube's transpose solver to the sources of FFTW 3.3.10:
#
#   patch-fftw.sh <FFTW tree>
#
# The tree is either changed completely or left as it is. One that has the solver
# gets the present files of it, if they differ. Neither automake nor autoconf is
# needed afterwards: the generated Makefile.in is changed like its source.
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
[ -d "$1" ] || fail "there is no folder '$1'"
tree=$(cd "$1" && pwd)
for file in configure.ac mpi/conf.c mpi/mpi-transpose.h mpi/Makefile.am; do
    [ -f "$tree/$file" ] || fail "'$1' is no source tree of FFTW: it has no $file"
done

# FFTW gives its version in two parts.
part() {
    sed -n "s/^define($1, *\([0-9.]*\)).*/\1/p" "$tree/configure.ac"
}
version=$(part FFTW_MAJOR_VERSION).$(part FFTW_MINOR_VERSION)
[ "$version" = 3.3.10 ] ||
    fail "'$1' is FFTW ${version/#./of an unknown version}, and the solver fits 3.3.10 alone"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# edit <file> <sed script>: the changed file into the scratch folder, unless it knows
# the solver; an edit that finds nothing is an error.
edit() {
    ! grep -q 'transpose[-_]hcube' "$tree/$1" || return 0
    sed -e "$2" "$tree/$1" >"$scratch/$1"
    ! cmp -s "$scratch/$1" "$tree/$1" || fail "$tree/$1 is not as FFTW 3.3.10 has it"
}

mkdir -p "$scratch/mpi"
state="the solver was in place already"
for file in "${sources[@]}"; do
    cmp -s "$glue/$file" "$tree/mpi/$file" && continue
    state="the solver was in place already; its files are renewed"
    cp "$glue/$file" "$scratch/mpi/"
done
# Last in the table, behind FFTW's own: as where it is loaded, so that both have
# the same signature of wisdom.
edit mpi/conf.c 's/^\( *\)SOLVTAB_END$/\1SOLVTAB(XM(transpose_hcube_register)),\n&/'
edit mpi/mpi-transpose.h 's/^void XM(transpose_recurse_register).*/&\nvoid XM(transpose_hcube_register)(planner *p);/'
edit mpi/Makefile.am "/^TRANSPOSE_SRC *=/s/ transpose-recurse\.c/& ${sources[*]}/"
[ ! -f "$tree/mpi/Makefile.in" ] || edit mpi/Makefile.in "/^TRANSPOSE_SRC *=/s/ transpose-recurse\.c/& ${sources[*]}/
    s/transpose-recurse\.lo/& transpose-hcube.lo transpose-hcube-comm.lo/
    /transpose-recurse\.Plo/{p;s/transpose-recurse/transpose-hcube/p;s/transpose-hcube/transpose-hcube-comm/}"
[ ! -f "$scratch/mpi/conf.c" ] || state="the solver is in place now"

# Only now is the tree touched: everything beside its place first, then moved there.
for file in "$scratch"/mpi/*; do
    [ ! -f "$file" ] || cp "$file" "$tree/mpi/${file##*/}.new"
done
for file in "$scratch"/mpi/*; do
    [ ! -f "$file" ] || mv "$tree/mpi/${file##*/}.new" "$tree/mpi/${file##*/}"
done

# hcube's source tree or what `make install` has made of it.
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
