# shellcheck shell=bash disable=SC2154
# What scripts/setup.sh tries out, which sources this file: each function tells by its status whether a need is met. $scratch is a
# directory of the caller's, $mpi the chosen MPI library, $want_test whether there will be tests.

# compiles <compiler> <header> [argument...]: a program that includes the header
# compiles and links.
compiles() {
    local compiler=$1 header=$2
    shift 2
    command -v "$compiler" >/dev/null 2>&1 &&
        printf '#include <%s>\nint main(void) { return 0; }\n' "$header" >"$scratch/probe.c" &&
        "$compiler" "$scratch/probe.c" -o "$scratch/probe" "$@" >/dev/null 2>&1
}

compiles_cxx() {
    command -v g++ >/dev/null 2>&1 &&
        printf '#include <vector>\nint main() { return 0; }\n' >"$scratch/probe.cpp" &&
        g++ "$scratch/probe.cpp" -o "$scratch/probe" >/dev/null 2>&1
}

# SimGrid's interface for platforms, which is C++. Preprocessing will do: compiling
# its headers takes seconds, and the compiler is tested by itself.
has_platforms() {
    ! command -v g++ >/dev/null 2>&1 ||
        echo '#include <simgrid/kernel/routing/NetZoneImpl.hpp>' | g++ -std=c++17 -E -x c++ - >/dev/null 2>&1
}

# Fortran's newest binding, for the given MPI library.
compiles_fortran() {
    command -v "mpifort.$1" >/dev/null 2>&1 &&
        printf 'program probe\nuse mpi_f08\ncall MPI_Init()\nend program\n' >"$scratch/probe.f90" &&
        "mpifort.$1" "$scratch/probe.f90" -J"$scratch" -o "$scratch/probe" >/dev/null 2>&1
}

# Any Python on the path will do. MPI itself is not started: that is up to mpirun.
has_mpi4py() {
    local python
    printf '%s\n' 'import mpi4py' 'mpi4py.rc.initialize = False' 'from mpi4py import MPI' \
        'assert MPI.Get_library_version().startswith("Open MPI")' >"$scratch/probe.py"
    while read -r python; do
        "$python" "$scratch/probe.py" >/dev/null 2>&1 && return
    done < <(type -ap python3)
    return 1
}

# Programs that show manual pages, and that check them.
has_manual_pages() {
    printf '.TH probe 1\n.SH NAME\nprobe \\- shown\n' >"$scratch/probe.1"
    man -P cat -l "$scratch/probe.1" 2>/dev/null | grep -q 'probe - shown' && command -v mandoc >/dev/null 2>&1
}

# The browser as the tests of the report start it.
has_browser() {
    printf '<p>shown</p>\n' >"$scratch/probe.html"
    command -v chromium >/dev/null 2>&1 &&
        timeout 60 chromium --headless --no-sandbox --disable-gpu "--user-data-dir=$scratch/browser" \
            --dump-dom "file://$scratch/probe.html" 2>/dev/null | grep -q '<p>shown</p>'
}

# The renderer of SVG that the tests of the pictures use.
has_renderer() {
    printf '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>' \
        >"$scratch/probe.svg"
    rsvg-convert "$scratch/probe.svg" -o "$scratch/probe.png" 2>/dev/null && [ -s "$scratch/probe.png" ]
}

# bindgen loads libclang and needs the headers that come with clang (stddef.h).
# The package clang depends on both; libclang-dev would be ten times its size.
has_clang() {
    printf '#include <stddef.h>\n#include <stdint.h>\n' >"$scratch/probe.h"
    clang -fsyntax-only "$scratch/probe.h" >/dev/null 2>&1
}

has_mpi() {
    case $1 in
    smpi) compiles smpicc mpi.h && command -v smpirun >/dev/null 2>&1 ;;
    *) compiles "mpicc.$1" mpi.h && command -v "mpirun.$1" >/dev/null 2>&1 ;;
    esac
}

# The programs; whether the kernel permits it is another matter. An ordinary user's
# path may lack those for root.
has_namespaces() {
    local program
    for program in ip tc unshare nsenter hostname mount; do
        PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null 2>&1 || return 1
    done
}

# Programs for the lint step of scripts/test.sh.
has_shellcheck() {
    printf '#!/bin/sh\necho shown\n' >"$scratch/probe.sh"
    shellcheck "$scratch/probe.sh" >/dev/null 2>&1
}

has_clang_format() {
    echo 'int probe;' | clang-format --dry-run -Werror --style=LLVM >/dev/null 2>&1
}

# OpenCoarrays for the given MPI library, at Debian's place.
has_opencoarrays() {
    local folders
    folders=(/usr/lib/*/open-coarrays/"$1"/lib)
    printf 'program probe\ninteger, save :: a[*]\na = 1\nsync all\nend program\n' >"$scratch/probe.f90"
    gfortran -fcoarray=lib "$scratch/probe.f90" -o "$scratch/probe" "-L${folders[0]}" -lcaf_mpi >/dev/null 2>&1
}

# Environment Modules, or Lmod where a login shell has set it up: Debian has one of the two.
has_modules() {
    "${LMOD_CMD:-modulecmd}" bash list >/dev/null 2>&1
}

# The testers of PBLAS and of ScaLAPACK, ready built for both MPI libraries.
has_scalapack_testers() {
    local library folders
    for library in openmpi mpich; do
        folders=(/usr/lib/*/scalapack/"$library"-tests)
        [ -x "${folders[0]}/PBLAS/dpb3tst" ] && [ -x "${folders[0]}/xdlu" ] || return 1
    done
}

# FFTW with MPI in both precisions of its benchmark program. Where the machine has
# one for another MPI library than the chosen, scripts/build-fftw.sh builds its own.
has_fftw() {
    [ -z "$want_test" ] && [ "$mpi" != openmpi ] && return
    compiles mpicc.openmpi fftw3-mpi.h -lfftw3_mpi -lfftw3 -lfftw3f_mpi -lfftw3f
}

# An address for the own host name, without waiting for a name service that does not answer.
has_host_address() {
    ! command -v getent >/dev/null 2>&1 || timeout 3 getent ahosts "$(cat /proc/sys/kernel/hostname)" >/dev/null 2>&1
}
