#!/usr/bin/env bash
# Builds OpenCoarrays' library for an MPI library for which the distribution has none, from its source:
#
#   scripts/build-opencoarrays.sh <mpi>
#
# Result: target/opencoarrays/<mpi>/libcaf_mpi.so, which `hcube-lab hosts bench` and `hcube bench gfortran
# --opencoarrays FILE` measure. Needs what `scripts/setup.sh opencoarrays` provides, and mpicc.<mpi>.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tarball=$root/target/opencoarrays/source/opencoarrays.tar

fail() {
    echo "build-opencoarrays: $*" >&2
    exit 1
}

if [ $# -ne 1 ]; then
    echo "usage: ${0##*/} <mpi>" >&2
    exit 2
fi
mpi=$1
[ -f "$tarball" ] || fail "no $tarball: run scripts/setup.sh opencoarrays first"
command -v "mpicc.$mpi" >/dev/null || fail "mpicc.$mpi is not in the search path"

folder=$root/target/opencoarrays/$mpi
rm -rf "$folder"
mkdir -p "$folder/source"
tar -xf "$tarball" -C "$folder/source" --strip-components=2 --wildcards '*/src/runtime-libraries' \
    '*/src/application-binary-interface'
cd "$folder/source/runtime-libraries"
# The definitions of its CMakeLists.txt for gfortran 8 and later; w: warnings of code that is not ours.
"mpicc.$mpi" -O2 -w -shared -fPIC -pthread -DPREFIX_NAME=_gfortran_caf_ -DGCC_GE_7 -DGCC_GE_8 -DHAVE_MPI \
    -I../application-binary-interface -Icommon -o "$folder/libcaf_mpi.so" mpi/mpi_caf.c common/caf_auxiliary.c
echo "OpenCoarrays ($mpi) built: ${folder#"$root"/}/libcaf_mpi.so"
