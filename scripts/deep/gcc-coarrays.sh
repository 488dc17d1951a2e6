#!/usr/bin/env bash
# Runs GCC's own tests of coarrays against libhcube_caf.so; for developers, not part of CI:
#
#   [MPI=openmpi|mpich] [HCUBE_GCC_PACKAGE=<file>] scripts/deep/gcc-coarrays.sh [program...]
#
# The programs, all by default, have names as coarray/event_1.f90, the paths of GCC's files from
# gcc/testsuite/gfortran.dg on. They come from Debian's package gcc-12-source (83 MB), which is downloaded and
# unpacked into target/deep/gcc but not installed; HCUBE_GCC_PACKAGE names a copy. GCC runs them on one image. Here
# they run on more images, too, in one node and in several, unless gcc-coarrays.txt says why not.
#
# One line for each run that fails and one with the numbers at the end; the exit status is 1 if one has failed.
# Output of programs is in target/deep/gcc/$MPI.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
mpi=${MPI:-openmpi}
folder=$PWD/target/deep/gcc
library=$PWD/target/$mpi/release
export LC_ALL=C
case $mpi in
openmpi) launcher=(mpirun.openmpi --oversubscribe --bind-to none) ;;
mpich) launcher=(mpirun.mpich) ;;
*)
    echo "gcc-coarrays: MPI=$mpi: choose openmpi or mpich" >&2
    exit 2
    ;;
esac
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# See tests/support: with TCP among its transports MPICH may hang in MPI_Finalize.
export UCX_TLS=self,posix,sysv,cma
# Images, and how many of them are one node.
places=(1/1 2/2 2/1 4/4 4/2)
seconds=60

# The programs in target/deep/gcc/tests.
provide() {
    local package=${HCUBE_GCC_PACKAGE:-} packages
    [ ! -d "$folder/tests/coarray" ] || return 0
    rm -rf "$folder/tests"
    mkdir -p "$folder/package" "$folder/new"
    if [ -z "$package" ]; then
        (cd "$folder/package" && apt-get -q download gcc-12-source) >"$folder/download.log" 2>&1 ||
            skip "gcc-12-source cannot be downloaded (target/deep/gcc/download.log)"
        packages=("$folder"/package/gcc-12-source_*.deb)
        package=${packages[0]}
    fi
    dpkg-deb --fsys-tarfile "$package" | tar -xf - -C "$folder/new" --wildcards '*/gcc-12*.tar.xz'
    mkdir "$folder/new/tests"
    tar -xJf "$folder"/new/usr/src/gcc-12/gcc-12*.tar.xz -C "$folder/new/tests" --wildcards --strip-components=4 \
        '*/gcc/testsuite/gfortran.dg/coarray*' '*/gcc/testsuite/gfortran.dg/team_*'
    mv "$folder/new/tests" "$folder/tests"
    rm -rf "$folder/new" "$folder/package"
}

skip() {
    echo "gcc: skipped: $*"
    exit 77
}

# directive <name> <file>: the values of GCC's directives of this name, in quotes there.
directive() {
    sed -nE "s/.*\{ *dg-$1 +\{?\"?([^\"}]*).*/\1/p" "$2"
}

# The options of a program, without those that choose a coarray library.
options() {
    { directive options "$1" && directive additional-options "$1"; } | tr ' ' '\n' |
        grep -vE '^(-fcoarray=.*|-l.*|-fdump.*|)$' || true
}

# compile <program>: with the files that it needs besides, each program in a folder of its own.
compile() {
    local source=$folder/tests/$1 work=$folder/$mpi/$1 flags others
    mkdir -p "$work"
    mapfile -t flags < <(options "$source")
    mapfile -t others < <(directive additional-sources "$source" | tr ' ' '\n' | sed '/^$/d')
    others=("${others[@]/#/$(dirname "$source")/}")
    gfortran -O1 -fcoarray=lib "${flags[@]}" -J "$work" "$source" "${others[@]}" -o "$work/program" \
        -L"$library" "-Wl,-rpath,$library" -lhcube_caf -latomic >"$work/compiler.log" 2>&1
}

# run <program> <images>/<images per node>: succeeds if the program does what GCC expects of it.
run() {
    local work=$folder/$mpi/$1 images=${2%/*} code=0 expected
    local log=$work/${2/\//-}.log
    timeout "$seconds" "${launcher[@]}" -np "$images" env HCUBE_RANKS_PER_NODE="${2#*/}" "$work/program" \
        >"$log" 2>&1 </dev/null || code=$?
    expected=$(directive output "$folder/tests/$1" | head -n 1)
    if grep -q 'dg-shouldfail' "$folder/tests/$1"; then
        [ $code -ne 0 ] && [ $code -ne 124 ] && grep -qF -- "$expected" "$log"
    else
        [ $code -eq 0 ]
    fi
}

# check <program>: on all images that it is made for.
check() {
    local place limit
    limit=$(awk -v "name=$1" '$1 == name { print $2 }' "$here/gcc-coarrays.txt")
    [ "$limit" != none ] || return 0
    if ! compile "$1"; then
        echo "gcc: FAILED: $1 is not compiled, see target/deep/gcc/$mpi/$1/compiler.log"
        failed=$((failed + 1))
        return
    fi
    for place in "${places[@]}"; do
        [ -z "$limit" ] || [ "$place" = "$limit/1" ] || continue
        runs=$((runs + 1))
        run "$1" "$place" || {
            echo "gcc: FAILED: $1 on $place images (of all, of a node), see target/deep/gcc/$mpi/$1/${place/\//-}.log"
            failed=$((failed + 1))
        }
    done
}

[ -f "$library/libhcube_caf.so" ] || {
    echo "gcc-coarrays: no $library/libhcube_caf.so: run make MPI=$mpi first" >&2
    exit 2
}
provide
if [ $# -gt 0 ]; then
    programs=("$@")
else
    mapfile -t programs < <(cd "$folder/tests" && grep -lE 'dg-do +run' ./*.[fF]* coarray/*.[fF]* | sed 's|^\./||' | sort)
fi
runs=0 failed=0
for program in "${programs[@]}"; do
    check "$program"
done
echo "gcc: ${#programs[@]} programs, $runs runs, $failed failed"
exit $((failed > 0))
