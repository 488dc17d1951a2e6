#!/usr/bin/env bash
# Provides what hcube needs on this machine, and does nothing when all is there:
#
#   [MPI=openmpi|mpich|smpi|openmpi5|mpich5|intelmpi|abi] scripts/setup.sh [build] [test] [hpcc] [fftw] [scalapack]
#       [opencoarrays] [simulate] [deep]
#   MPI=<name> MPICC=<wrapper> scripts/setup.sh ...     for the library of a compiler wrapper, under a name of your own
#
#   build  what compiles the library for the chosen MPI (default)
#   test   what the tests need besides: all MPI libraries, compilers for C++ and Fortran, mpi4py,
#          man, mandoc, HPCC as the distribution builds it, a browser that
#          shows the report, a renderer of SVG besides it, what makes hosts of
#          network namespaces, what builds programs against an installed tree
#          (pkg-config, CMake, modules), what checks shell scripts and the
#          format of C (shellcheck, clang-format), and OpenCoarrays for both MPI
#          libraries, without which tests of hcube-run --caf are skipped; and current MPI libraries of
#          the Python registry, without which no test runs on them
#   hpcc   what HPCC needs: a BLAS and HPCC's source tarball
#   fftw   what the glue for FFTW needs: FFTW's source tarball, an FFTW with MPI of
#          the machine's own (Debian's is for Open MPI), and perl for FFTW's checks
#   scalapack  what programs of ScaLAPACK need: ScaLAPACK for the chosen MPI library, OpenBLAS,
#          and for the tests (with `test`) ScaLAPACK for both MPI libraries and its testers
#   opencoarrays  the source of OpenCoarrays, whose tests are run against gfortran's coarrays. They are skipped
#          where it cannot be downloaded
#   simulate  what simulations need besides: SimGrid, and a C++ compiler for platforms
#   deep   what scripts/check-deep.sh needs besides: the C compiler's sanitizers,
#          valgrind, and a C++ compiler for libFuzzer
#
# Every need is tested by using it (a file compiled, a tool found), not by the
# name of a package, so a machine that is not Debian but has all of it passes.
# On Debian missing packages are installed with apt-get (as root, or by a sudo without a password). Otherwise the script
# ends with status 1 and one message that lists all that is missing.
#
# HCUBE_HPCC_TARBALL=<file>, HCUBE_FFTW_TARBALL=<file> and HCUBE_OPENCOARRAYS_TARBALL=<file>
# name copies of the tarballs, for machines that cannot reach a Debian archive.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
mpi=${MPI:-openmpi}
rust_minimum=1.89
PATH=$PATH:${CARGO_HOME:-${HOME:-/root}/.cargo}/bin:$root/target/mpi/bin
export PATH LC_ALL=C

want_test= want_hpcc= want_fftw= want_scalapack= want_simulate= want_deep=
# The programs of which the source is needed.
sources=()
for component in "$@"; do
    case $component in
    build) ;;
    test) want_test=1 ;;
    hpcc) want_hpcc=1 sources+=(hpcc) ;;
    fftw) want_fftw=1 sources+=(fftw) ;;
    scalapack) want_scalapack=1 ;;
    opencoarrays) sources+=(opencoarrays) ;;
    simulate) want_simulate=1 ;;
    deep) want_deep=1 ;;
    *)
        echo "setup: unknown component '$component': choose of build, test, hpcc, fftw, scalapack, opencoarrays, simulate, deep" >&2
        exit 2
        ;;
    esac
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Another package manager may be at work (unattended upgrades after a start):
# wait for it. Downloads are retried.
apt_options=(-q -o DPkg::Lock::Timeout=120 -o Acquire::Retries=3)

say() {
    echo "setup: $*" >&2
}

# shellcheck source=scripts/setup-sources.sh
. "$root/scripts/setup-sources.sh"

# --- What is missing -------------------------------------------------------

# shellcheck source=scripts/setup-probes.sh
. "$root/scripts/setup-probes.sh"
# shellcheck source=scripts/setup-wheels.sh
. "$root/scripts/setup-wheels.sh"

# The MPI libraries that the chosen components need.
libraries=$mpi
[ -z "$want_simulate" ] || [ "$mpi" = smpi ] || libraries="$mpi smpi"
[ -z "$want_test" ] || libraries="openmpi mpich smpi $wheel_names"
# The library of a compiler wrapper that the caller names.
if [ -n "${MPICC:-}" ] && [[ " openmpi mpich smpi $wheel_names " != *" $mpi "* ]] && [ "$MPICC" != "mpicc.$mpi" ]; then
    name_library "$mpi" "$MPICC" || exit
fi

mpi_packages() {
    case $1 in
    openmpi) echo "libopenmpi-dev openmpi-bin" ;;
    mpich) echo "libmpich-dev mpich" ;;
    smpi) echo "libsimgrid-dev" ;;
    esac
}

# Prints the Debian packages that provide what is missing.
missing_packages() {
    local library
    compiles cc stdio.h || echo gcc libc6-dev
    command -v make >/dev/null 2>&1 || echo make
    has_clang || echo clang
    for library in $libraries; do
        has_mpi "$library" || mpi_packages "$library"
    done
    [ -z "$(missing_wheels)" ] || makes_environments || echo python3 python3-venv
    if [ -n "$want_simulate" ]; then
        compiles_cxx || echo g++
        has_platforms || echo libsimgrid-dev
    fi
    if [ -n "$want_test" ]; then
        compiles_cxx || echo g++
        compiles_fortran openmpi && compiles_fortran mpich || echo gfortran
        has_mpi4py || echo python3-mpi4py
        command -v hpcc >/dev/null 2>&1 || echo hpcc
        has_manual_pages || echo man-db mandoc
        command -v nm >/dev/null 2>&1 || echo binutils
        has_browser || echo chromium
        has_renderer || echo librsvg2-bin
        command -v pkg-config >/dev/null 2>&1 || echo pkg-config
        command -v cmake >/dev/null 2>&1 || echo cmake
        has_modules || echo environment-modules
        command -v pdftotext >/dev/null 2>&1 || echo poppler-utils
        has_namespaces || echo iproute2 util-linux mount hostname
        has_shellcheck || echo shellcheck
        has_clang_format || echo clang-format
    fi
    if [ -n "$want_deep" ]; then
        compiles_cxx || echo g++
        compiles cc stdio.h -fsanitize=address || echo libasan8
        compiles cc stdio.h -fsanitize=undefined || echo libubsan1
        # Without the C library's symbols valgrind refuses to start.
        valgrind -q --error-exitcode=1 true >/dev/null 2>&1 || echo valgrind libc6-dbg
    fi
    if [ -n "$want_hpcc" ]; then
        compiles cc stdio.h -lopenblas || echo libopenblas-dev
    fi
    if [ -n "$want_fftw" ]; then
        has_fftw || echo libfftw3-dev libfftw3-mpi-dev
        command -v ar >/dev/null 2>&1 || echo binutils
        perl -e 'use strict' >/dev/null 2>&1 || echo perl-base
    fi
    if [ -n "$want_scalapack" ]; then
        for library in $libraries; do
            case $library in
            openmpi | mpich) compiles "mpicc.$library" stdio.h "-lscalapack-$library" || echo "libscalapack-$library-dev" ;;
            esac
        done
        compiles cc stdio.h -l:libopenblas.so.0 || echo libopenblas0-pthread
        [ -z "$want_test" ] || has_scalapack_testers || echo scalapack-mpi-test
    fi
}

# Prints the MPI libraries that are to be installed from the Python registry.
missing_wheels() {
    local library
    for library in $libraries; do
        ! is_wheel "$library" || has_wheel "$library" || echo "$library"
    done
}

# Prints the packages without which some tests are skipped. Not every release of Debian has them.
optional_packages() {
    local library
    [ -n "$want_test" ] || return 0
    for library in openmpi mpich; do
        has_opencoarrays "$library" || echo "libcoarrays-$library-dev"
    done
}

# Prints what is wrong with the Rust toolchain, if anything.
rust_problem() {
    local version tool
    version=$(cargo --version 2>/dev/null | cut -d ' ' -f 2) || true
    if [ -z "$version" ]; then
        echo "a Rust toolchain, version $rust_minimum or later (https://rustup.rs)"
    elif [ "$(printf '%s\n' "$rust_minimum" "$version" | sort -V | head -n 1)" != "$rust_minimum" ]; then
        echo "Rust $rust_minimum or later (cargo here is $version): rustup update"
    elif [ -n "$want_test" ]; then
        for tool in fmt clippy; do
            cargo "$tool" --version >/dev/null 2>&1 || echo "cargo $tool: rustup component add ${tool/#fmt/rustfmt}"
        done
    fi
}

# --- Providing it ----------------------------------------------------------

# Runs a command as root, or fails where that would take a password.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo -n "$@"
    fi
}

# Output of apt goes to a log, of which the end is shown on a failure.
install_packages() {
    local log=$root/target/setup.log
    command -v apt-get >/dev/null 2>&1 || return 1
    [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || return 1
    say "installing $*"
    mkdir -p "${log%/*}"
    # The index may be old but good enough when it cannot be refreshed.
    if ! {
        as_root apt-get "${apt_options[@]}" update || true
        as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get "${apt_options[@]}" install -y --no-install-recommends "$@"
    } >"$log" 2>&1 </dev/null; then
        tail -n 15 "$log" >&2
        return 1
    fi
}

lacking=$(missing_packages | xargs)
if [ -n "$lacking" ]; then
    # shellcheck disable=SC2086 # one word per package
    install_packages $lacking || true
    lacking=$(missing_packages | xargs)
fi

# By themselves: a package that does not exist would keep apt-get from installing the others.
for package in $(optional_packages); do
    install_packages "$package" || true
done
unavailable=$(optional_packages | xargs)
[ -z "$unavailable" ] || say "without $unavailable, which cannot be installed from here, tests of hcube-run --caf do not run"

for library in $(missing_wheels); do
    install_wheel "$library" || true
done
# The one that is chosen is needed; of those for the tests, each that cannot be installed is left out.
lacking_libraries=
for library in $(missing_wheels); do
    if [ "$library" = "$mpi" ]; then
        lacking_libraries=$library
    else
        say "without $library, which cannot be installed from here, no test runs on it"
    fi
done
for library in $libraries; do
    is_wheel "$library" || [ -n "$(mpi_packages "$library")" ] || has_mpi "$library" || lacking_libraries+=" $library"
done

problem=$(rust_problem)
if [ -n "$problem" ] && [ -n "$want_test" ] && command -v rustup >/dev/null 2>&1; then
    rustup component add rustfmt clippy >/dev/null 2>&1 || true
    problem=$(rust_problem)
fi

for program in "${sources[@]}"; do
    describe_source "$program"
    [ -n "$given" ] || continue
    if ! holds "$given" "$member"; then
        say "$variable: '$given' is not the source of $title"
        exit 1
    fi
    cmp -s "$given" "$tarball" || place_tarball "$given"
done
mapfile -t missing < <(missing_sources optional)
download_optional "${missing[@]}"
mapfile -t missing < <(missing_sources "")
if [ ${#missing[@]} -gt 0 ]; then
    for program in "${missing[@]}"; do
        describe_source "$program"
        say "downloading the source of $title"
    done
    download_tarballs "" "${missing[@]}" || true
    mapfile -t missing < <(missing_sources "")
fi

has_host_address || say "the host name '$(cat /proc/sys/kernel/hostname)' does not resolve to an address: jobs of Open MPI that end" \
    "by an error take about 10 s more. Name it in /etc/hosts: echo \"127.0.1.1 \$(hostname)\" >> /etc/hosts"

# --- The one message -------------------------------------------------------

if [ -n "$lacking$problem$lacking_libraries" ] || [ ${#missing[@]} -gt 0 ]; then
    {
        echo
        echo "setup: this machine lacks something that cannot be installed from here. Please provide:"
        if [ -n "$lacking" ]; then
            echo "  - packages (names of Debian): $lacking"
            echo "      apt-get install --no-install-recommends $lacking      (as root)"
        fi
        for library in $lacking_libraries; do
            if is_wheel "$library"; then
                echo "  - the MPI library $library: $(wheel_packages "${library/abi/mpich5}") of the Python registry, which pip cannot reach"
            else
                echo "  - the MPI library $library: name its compiler wrapper with MPICC (known are openmpi, mpich, smpi," \
                    "${wheel_names// /, })"
            fi
        done
        [ -z "$problem" ] || echo "  - ${problem//$'\n'/$'\n'  - }"
        for program in "${missing[@]}"; do
            describe_source "$program"
            echo "  - the source of $title (${tarball##*/}, Debian's source package $package), as"
            echo "      $tarball"
            echo "      or anywhere, named by $variable=<file>"
        done
        echo "and run the same command again."
    } >&2
    exit 1
fi
