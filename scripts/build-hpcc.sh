#!/usr/bin/env bash
# Builds the official HPCC 1.5.0 in one of three variants:
#
#   scripts/build-hpcc.sh <stock|sandia|hcube> <openmpi|mpich>
#
#   stock   HPCC as shipped
#   sandia  the same with its optimised RandomAccess algorithm (RA_SANDIA_OPT2)
#   hcube   hcube's kernels, linked in by hpcc-glue/hpcc/hcube.mk
#
# Result: target/hpcc/<mpi>/<variant>/hpcc. Nothing happens when it is up to
# date. Needs what `scripts/setup.sh build hpcc` provides and, for the hcube
# variant, the library built for that MPI (make MPI=<mpi>).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
version=1.5.0
tarball=$root/target/hpcc/source/hpcc_$version.orig.tar.gz

usage() {
    echo "usage: ${0##*/} <stock|sandia|hcube> <openmpi|mpich>" >&2
    exit 2
}

fail() {
    echo "build-hpcc: $*" >&2
    exit 1
}

[ $# -eq 2 ] || usage
variant=$1
mpi=$2
case $variant in stock | sandia | hcube) ;; *) usage ;; esac
case $mpi in openmpi | mpich) ;; *) usage ;; esac

[ -f "$tarball" ] || fail "no $tarball: run MPI=$mpi scripts/setup.sh hpcc first"

folder=$root/target/hpcc/$mpi/$variant
log=$root/target/hpcc/$mpi/$variant.log
key_file=$folder/.build-key
mkdir -p "$folder"

# Concurrent builds of one variant (tests and `make run`) would write the same
# files.
exec 9>"$folder.lock"
flock 9

# The file that HPCC calls hpl/Make.<arch>. Flags are the same for all
# variants, so that they differ only in the kernels:
#   HPL_NO_MPI_DATATYPE  HPL's alternative uses calls that MPI 3 removed
#   LONG_IS_64BITS       or RandomAccess falls back to slower reductions
#   w                    warnings of code that is not ours
make_file() {
    local algorithm=
    [ "$variant" = sandia ] && algorithm=-DRA_SANDIA_OPT2
    cat <<END
SHELL        = /bin/sh
CD           = cd
CP           = cp
LN_S         = ln -s
MKDIR        = mkdir -p
RM           = /bin/rm -f
TOUCH        = touch
ARCH         = \$(arch)
TOPdir       = ../../..
INCdir       = \$(TOPdir)/include
BINdir       = \$(TOPdir)/bin/\$(ARCH)
LIBdir       = \$(TOPdir)/lib/\$(ARCH)
HPLlib       = \$(LIBdir)/libhpl.a
LAlib        = -lopenblas
HPL_OPTS     = -DHPL_NO_MPI_DATATYPE
HPL_INCLUDES = -I\$(INCdir) -I\$(INCdir)/\$(ARCH)
HPL_DEFS     = -DAdd_ -DF77_INTEGER=int -DStringSunStyle \$(HPL_OPTS) \$(HPL_INCLUDES)
HPL_LIBS     = \$(HPLlib) \$(LAlib) -lm
CC           = mpicc.$mpi
CCNOOPT      = \$(HPL_DEFS)
CCFLAGS      = \$(HPL_DEFS) -O3 -DLONG_IS_64BITS $algorithm -w
LINKER       = mpicc.$mpi
LINKFLAGS    =
ARCHIVER     = ar
ARFLAGS      = rc
RANLIB       = ranlib
END
    if [ "$variant" = hcube ]; then
        cat <<END
HCUBE_MPI    = $mpi
HCUBE_DIR    = $root
include \$(HCUBE_DIR)/hpcc-glue/hpcc/hcube.mk
END
    fi
}

# HPCC's makefiles do not track flags and compilers: if one of these changed or
# the last build did not finish, start from the tarball again. Otherwise make
# determines what to rebuild: for the hcube variant the glue and the program,
# if the glue or hcube.h changed.
build_key() {
    sha256sum <"$tarball"
    "mpicc.$mpi" --version | sed -n 1p
    "mpicc.$mpi" -show
    make_file
    [ "$variant" = hcube ] && sha256sum <"$root/hpcc-glue/hpcc/hcube.mk"
    return 0
}

key=$(build_key)
if [ "$key" != "$(cat "$key_file" 2>/dev/null)" ]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    tar -xf "$tarball" -C "$folder" --strip-components=1
    make_file >"$folder/hpl/Make.hcube-$variant"
fi

# Started by a `make` with a job server, this make cannot join it and would
# print a warning.
unset MAKEFLAGS MFLAGS MAKELEVEL

before=$(stat -c %Y.%i "$folder/hpcc" 2>/dev/null || true)
if ! make -C "$folder" -j "$(nproc)" arch="hcube-$variant" >"$log" 2>&1 || [ ! -x "$folder/hpcc" ]; then
    tail -n 25 "$log" >&2
    fail "HPCC $version ($variant, $mpi) did not build; all of its output is in $log"
fi
echo "$key" >"$key_file"

if [ "$before" = "$(stat -c %Y.%i "$folder/hpcc")" ]; then
    echo "HPCC $version $variant ($mpi) is up to date"
else
    echo "HPCC $version $variant ($mpi) built: ${folder#"$root"/}/hpcc"
fi
