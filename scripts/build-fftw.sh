#!/usr/bin/env bash
# Builds the libraries that add hcube to FFTW 3.3.10, and FFTW's benchmark program:
#
#   [MPI=openmpi|mpich] [BUILD=folder] scripts/build-fftw.sh <plugin|bench|patched>...
#
# With BUILD, for the libhcube in that folder, target/<mpi>/release by default, and all products in there.
#
#   plugin   libhcube_fftw{,f,l}.so to preload or to link, and .a beside a static
#            FFTW, in target/<mpi>/release
#   bench    FFTW's mpi-bench (double) and mpi-benchf (single) against the
#            machine's own, unmodified FFTW: target/fftw/<mpi>/mpi-bench
#   patched  FFTW with hcube's solver built in, static, double precision, and its
#            mpi-bench: target/fftw/<mpi>/patched/mpi/mpi-bench
#
# Products that are up to date are not rebuilt. Needs what `scripts/setup.sh build fftw`
# provides, and libhcube built for that MPI (make MPI=<mpi>).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
version=3.3.10
mpi=${MPI:-openmpi}
glue=$root/hpcc-glue/fftw
tarball=$root/target/fftw/source/fftw3_$version.orig.tar.gz
tree=$root/target/fftw/source/fftw-$version
release=${BUILD:-$root/target/$mpi/release}
# The first figure of hcube's version, by which programs find a library.
major=$(sed -n 's/^version = "\([0-9]*\)\..*/\1/p' "$root/Cargo.toml" | head -n 1)
products=${BUILD:+$BUILD/fftw}
products=${products:-$root/target/fftw/$mpi}

usage() {
    echo "usage: [MPI=openmpi|mpich] ${0##*/} <plugin|bench|patched>..." >&2
    exit 2
}

fail() {
    echo "build-fftw: $*" >&2
    exit 1
}

[ $# -gt 0 ] || usage
case $mpi in openmpi | mpich) ;; *) fail "unknown MPI '$mpi': choose openmpi or mpich" ;; esac
for part in "$@"; do
    case $part in plugin | bench | patched) ;; *) usage ;; esac
done

[ -f "$tarball" ] || fail "no $tarball: run MPI=$mpi scripts/setup.sh build fftw first"
[ -f "$release/libhcube.so" ] || fail "no $release/libhcube.so: run make MPI=$mpi first"
mkdir -p "$products"

# Concurrent builds (tests and `make fftw`) would write the same files.
exec 9>"$root/target/fftw/lock"
flock 9

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Runs a command and shows the end of its output only if it fails.
quietly() {
    local log=$1
    shift
    "$@" >"$log" 2>&1 || {
        tail -n 25 "$log" >&2
        fail "FFTW $version did not build; all of the output is in $log"
    }
}

# FFTW's headers, and the sources of its benchmark program.
unpack() {
    local stamp
    stamp=$(sha256sum <"$tarball")
    [ "$stamp" != "$(cat "$tree/.hcube-stamp" 2>/dev/null)" ] || return 0
    rm -rf "$tree"
    mkdir -p "$tree"
    tar -xf "$tarball" -C "$tree" --strip-components=1
    echo "$stamp" >"$tree/.hcube-stamp"
}

# is_current <product> <key>: whether it was made from what the key describes.
is_current() {
    [ -e "$1" ] && [ "$2" = "$(cat "$1.key" 2>/dev/null)" ]
}

# place <file> <product> <key>: replaces the product atomically.
place() {
    mv "$1" "$2.new"
    mv "$2.new" "$2"
    echo "$3" >"$2.key"
}

compiler_key() {
    "mpicc.$mpi" --version | sed -n 1p
    "mpicc.$mpi" -show
}

# precision_flag <suffix>: as FFTW's headers know the precision.
precision_flag() {
    case $1 in f) echo -DFFTW_SINGLE ;; l) echo -DFFTW_LDOUBLE ;; esac
}

# A library to preload, which resolves FFTW's functions at run time, and an archive, which calls them directly.
build_plugin() {
    local suffix key name source
    local -a flags objects
    key=$(compiler_key; cat "$glue"/*.[ch] "$root"/include/*.h "$0" | sha256sum)
    for suffix in "" f l; do
        name=libhcube_fftw$suffix
        if is_current "$release/$name.so" "$key" && is_current "$release/$name.a" "$key"; then
            echo "$name ($mpi) is up to date"
            continue
        fi
        # shellcheck disable=SC2046,SC2207 # a flag or nothing
        flags=(-std=gnu99 -O2 -g -fPIC -Wall -Wextra -Werror -fvisibility=hidden $(precision_flag "$suffix")
            -I"$glue" -I"$root/include" -isystem "$tree" -isystem "$tree/mpi" -isystem "$tree/api")
        objects=()
        for source in transpose-hcube transpose-hcube-comm plugin; do
            "mpicc.$mpi" "${flags[@]}" -DHCUBE_FFTW_RUN_TIME -c "$glue/$source.c" -o "$scratch/$source.o"
            "mpicc.$mpi" "${flags[@]}" -c "$glue/$source.c" -o "$scratch/static-$source.o"
            objects+=("$source.o")
        done
        # No undefined symbol of FFTW: shells and launchers that inherit LD_PRELOAD
        # have no FFTW. nodelete: FFTW's planner and MPI keep addresses in the library.
        (cd "$scratch" && "mpicc.$mpi" -shared -Wl,-z,defs -Wl,-z,nodelete -Wl,-soname,"$name.so.$major" -Wl,-rpath,"\$ORIGIN" \
            -o "$name.so" "${objects[@]}" -L"$release" -lhcube -ldl)
        rm -f "$scratch/$name.a"
        (cd "$scratch" && ar rcs "$name.a" "${objects[@]/#/static-}")
        place "$scratch/$name.so" "$release/$name.so" "$key"
        ln -sf "$name.so" "$release/$name.so.$major"
        place "$scratch/$name.a" "$release/$name.a" "$key"
        echo "$name ($mpi) built: ${release#"$root"/}/$name.so, .a"
    done
}

# Links to FFTW's internal headers and to nothing else of its tree: its top folder
# may contain the config.h of another configuration.
build_bench() {
    local suffix key name
    local -a flags
    key=$(compiler_key; cat "$glue/config.h" "$0" "$tarball" | sha256sum)
    for suffix in "" f; do
        name=mpi-bench$suffix
        if is_current "$products/$name" "$key"; then
            echo "$name ($mpi) is up to date"
            continue
        fi
        printf 'int main(void) { return 0; }\n' >"$scratch/probe.c"
        if [ "$mpi" != openmpi ] || ! "mpicc.$mpi" "$scratch/probe.c" -o "$scratch/probe" \
            "-lfftw3${suffix}_mpi" "-lfftw3$suffix" >/dev/null 2>&1; then
            fail "this machine has no FFTW for mpicc.$mpi to compare with (Debian's is for Open MPI)." \
                "Use: MPI=$mpi $0 patched"
        fi
        # shellcheck disable=SC2046,SC2207 # a flag or nothing
        flags=(-O2 -w $(precision_flag "$suffix") -I"$glue" -I"$tree" -I"$tree/libbench2" -I"$tree/api")
        [ -z "$suffix" ] || flags+=(-DBENCHFFT_SINGLE)
        # An archive, because the programs replace some of its functions.
        rm -rf "$scratch/bench"
        mkdir "$scratch/bench"
        (cd "$scratch/bench" && quietly "$products/$name.log" "mpicc.$mpi" "${flags[@]}" -c "$tree"/libbench2/*.c)
        ar rcs "$scratch/libbench2.a" "$scratch/bench"/*.o
        quietly "$products/$name.log" "mpicc.$mpi" "${flags[@]}" -o "$scratch/$name" \
            "$tree/tests/fftw-bench.c" "$tree/tests/hook.c" "$tree/mpi/mpi-bench.c" "$scratch/libbench2.a" \
            "-lfftw3${suffix}_mpi" "-lfftw3$suffix" -lm
        place "$scratch/$name" "$products/$name" "$key"
        echo "$name ($mpi) built: ${products#"$root"/}/$name"
    done
}

# Only what mpi-bench needs. Started by a `make` with a job server, this make
# cannot join it and would print a warning.
make_patched() {
    local part
    unset MAKEFLAGS MFLAGS MAKELEVEL
    for part in kernel simd-support dft rdft reodft api libbench2; do
        make -C "$1/$part" -j "$(nproc)" || return 1
    done
    make -C "$1" -j "$(nproc)" libfftw3.la && make -C "$1/mpi" -j "$(nproc)" mpi-bench
}

# Configured to compile fast: for tests, and for comparisons on MPI libraries for
# which the machine has no FFTW.
build_patched() {
    local folder=$products/patched program=$products/patched/mpi/mpi-bench configuration key
    local -a options
    options=(--enable-mpi --disable-shared --disable-fortran --disable-doc CC=cc "MPICC=mpicc.$mpi" CFLAGS=-O1
        "CPPFLAGS=-I$root/include" "MPILIBS=-L$release -lhcube" "LDFLAGS=-Wl,-rpath,$release")
    configuration=$(compiler_key; echo "${options[@]}"; cat "$glue/patch-fftw.sh" "$tarball" | sha256sum)
    key=$(echo "$configuration"; cat "$glue"/transpose-hcube* "$root"/include/hcube.h "$root"/include/hcube/*.h | sha256sum)
    if is_current "$program" "$key"; then
        echo "patched FFTW ($mpi) is up to date"
        return
    fi
    if [ "$configuration" != "$(cat "$folder/.hcube-key" 2>/dev/null)" ]; then
        rm -rf "$folder"
        mkdir -p "$folder"
        tar -xf "$tarball" -C "$folder" --strip-components=1
        "$glue/patch-fftw.sh" "$folder" >/dev/null
        (cd "$folder" && quietly "$products/patched.log" ./configure "${options[@]}")
        echo "$configuration" >"$folder/.hcube-key"
    fi
    "$glue/patch-fftw.sh" "$folder" >/dev/null
    quietly "$products/patched.log" make_patched "$folder"
    echo "$key" >"$program.key"
    echo "patched FFTW ($mpi) built: ${program#"$root"/}"
}

unpack
for part in "$@"; do
    "build_$part"
done
