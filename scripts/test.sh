#!/usr/bin/env bash
# Runs all tests; stops at the first failure. `make test` calls it after
# `scripts/setup.sh build test hpcc fftw scalapack opencoarrays`.
#
#   scripts/test.sh [step...]     steps by number or none for all; for developers
#
# Every MPI library has its own target directory, the same that `make` uses, so
# that nothing is built twice. The library is built before its tests because
# the C clients link the shared object. Rust tests have the profile `checked`
# (Cargo.toml), which spares the optimiser's last pass over each of them.
#
# With CI=true a test that cannot run fails unless HCUBE_TEST_SKIP has its name.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH=$PATH:${CARGO_HOME:-${HOME:-/root}/.cargo}/bin:$PWD/target/mpi/bin
export PATH

# What `make MPI=... test` has set is one library; here all of them have a turn.
unset MPI MPICC MAKEFLAGS MFLAGS MAKELEVEL

# The components that Open MPI selects on a machine without a fast network, without the search, which takes longer than
# most tests.
export OMPI_MCA_pml=${OMPI_MCA_pml:-ob1}

# The same random cases in every run of all tests; `cargo test` and `make check-deep` try others each time.
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-1}

# Otherwise launchers and ranks probe all devices of the machine, which takes a third of the start of a job.
export HWLOC_COMPONENTS=${HWLOC_COMPONENTS:--pci,-linuxio}

wanted=" $* "
number=0
begin=$SECONDS
times=()

# step <title> <command...>
step() {
    local title=$1 start=$SECONDS
    shift
    number=$((number + 1))
    [ "$wanted" = "  " ] || [[ $wanted == *" $number "* ]] || return 0
    printf '\n=== %d. %s\n' "$number" "$title"
    "$@" || {
        printf '\n=== FAILED: %s (%s)\n' "$title" "$*" >&2
        exit 1
    }
    times+=("$(printf '%6d s  %d. %s' $((SECONDS - start)) "$number" "$title")")
    printf '=== %s: passed in %d s\n' "$title" $((SECONDS - start))
}

# with <mpi> <command...>: for that MPI library.
with() {
    local mpi=$1
    shift
    env MPI="$mpi" MPICC="mpicc.$mpi" CARGO_TARGET_DIR="$PWD/target/$mpi" "$@"
}

# take_crates <from> <to> <profile>: if nothing is built yet, the third-party crates, which do not depend on MPI.
# Compiling them takes almost half of a build without optimisation at link time.
take_crates() {
    [ ! -e "target/$2/$3" ] || return 0
    mkdir -p "target/$2/$3"
    # Programs, which have no dot in their names, need not be copied.
    (cd "target/$1/$3" && find .fingerprint build deps -type f ! -path '*hcube*' ! -path '*mpi*' \
        \( ! -path 'deps/*' -o -name '*.*' \) -print0 | tar --null -T - -cf -) | tar -C "target/$2/$3" -xf -
}

lint() {
    # Everything, then the libraries for MPICH, which are not the same.
    with openmpi cargo clippy --release --workspace --all-targets -- -D warnings && take_crates openmpi mpich release &&
        with mpich cargo clippy --release --no-deps "${mpich_packages[@]}" -p hcube-lab -- -D warnings
}

# The format of Rust, and of C where it is written by hand; the other headers are generated.
format() {
    local files
    mapfile -t files < <(find crates examples hpcc-glue lab tests -name target -prune -o \
        \( -name '*.[ch]' -o -name '*.cpp' \) ! -path 'tests/abi/*' -print)
    files+=(include/hcube_fftw.h include/BSPWrapper.h include/BSPWrapper/*.h)
    cargo fmt --all --check && clang-format --dry-run -Werror "${files[@]}"
}

# Commands at the same time, because most of a build is the optimiser in one thread; what each has printed
# comes when all have ended.
together() {
    local command failed=0 index logs pids=()
    logs=$(mktemp -d)
    for command in "$@"; do
        $command >"$logs/${#pids[@]}" 2>&1 &
        pids+=($!)
    done
    for index in "${!pids[@]}"; do
        wait "${pids[$index]}" || failed=1
        cat "$logs/$index"
    done
    rm -r "$logs"
    return $failed
}

# FFTW is built here, so that no test waits for it.
build_openmpi() {
    with openmpi cargo build --release && with openmpi scripts/manual.sh &&
        build_fftw openmpi && openmpi_tests --no-run
}

# Without hcube-lab, whose optimisation takes as long as that of all libraries: its tests do not run with MPICH, and the
# manual pages are the same.
mpich_packages=(-p hcube -p hcube-preload -p hcube-pblas -p hcube-bsplib -p hcube-gfortran -p hcube-tool)

# unoptimised <command...>: without optimisation at link time, which takes most of a build: the libraries for Open MPI are tested as
# they are installed.
unoptimised() {
    CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 "$@"
}

build_mpich() {
    unoptimised with mpich cargo build --release "${mpich_packages[@]}" && build_fftw mpich
}

# The current libraries of the Python registry, and the standard ABI of MPI 5; those that the set-up could not get are left out.
# That of MPICH 5 serves Intel MPI as well.
current=()
for library in openmpi5 mpich5 intelmpi abi; do
    if [ -x "target/mpi/bin/mpicc.$library" ]; then
        current+=("$library")
    else
        echo "not tested, because it is not installed: $library" >&2
    fi
done

build_others() {
    build_mpich && take_crates mpich smpi release && HCUBE_BUILD_ONLY=1 scripts/simulate.sh && build_current
}

# build_of <mpi>: the library whose build serves it.
build_of() {
    case $1 in
    intelmpi) echo mpich5 ;;
    *) echo "$1" ;;
    esac
}

build_current() {
    local mpi
    for mpi in "${current[@]}"; do
        [ "$(build_of "$mpi")" = "$mpi" ] || continue
        take_crates mpich "$mpi" release && unoptimised with "$mpi" cargo build --release -p hcube -p hcube-preload || return
    done
}

# Two at a time: each of them uses all cores but when it links. Then what takes crates from both.
builds() {
    together build_openmpi build_others && take_crates openmpi mpich checked && mpich_core_tests --no-run &&
        with mpich env HCUBE_LAB=target/openmpi/release/hcube-lab scripts/manual.sh
}

# The machine's own FFTW is for Open MPI; for MPICH one is built.
build_fftw() {
    case $1 in
    openmpi) MPI=$1 scripts/build-fftw.sh plugin bench ;;
    mpich) MPI=$1 scripts/build-fftw.sh plugin patched ;;
    esac
}

# skipping <names> <command...>: with tests of these names left out, for a reason that is known.
skipping() {
    local names=$1
    shift
    HCUBE_TEST_SKIP="${HCUBE_TEST_SKIP:-},$names" "$@"
}

# The source of OpenCoarrays is optional: without it, its tests are left out also in continuous integration.
[ -f target/opencoarrays/source/opencoarrays.tar ] || HCUBE_TEST_SKIP=${HCUBE_TEST_SKIP:-},opencoarrays-tests

# Open MPI 4 has no functions with large counts. CP2K is tested where a user has installed it; the set-up does not.
openmpi_tests() {
    skipping only-mpich,large-counts,cp2k with openmpi cargo test --profile checked --workspace \
        --features hcube-core/rsmpi "$@"
}

# elsewhere <mpi> <build> <command...>: tests that were built for Open MPI with another library, and with the libraries of a
# build: the tests of the packages hcube and hcube-tool contain nothing of MPI.
elsewhere() {
    local mpi=$1 build=$2
    shift 2
    with openmpi env MPI="$mpi" CARGO_TARGET_DIR="$PWD/target/$build" cargo test --target-dir target/openmpi \
        --profile checked --workspace --features hcube-core/rsmpi "$@"
}

# programs <libraries>: options for cargo that select the programs of tests/programs.txt with this word.
programs() {
    awk -v libraries="$1" '!/^#/ { for (i = 2; i <= NF; i++) if ($i == libraries) printf "--test %s ", $1 }' tests/programs.txt
}

# Also those inside the core, which asks the library for its constants. Debian's mpi4py is for Open MPI.
mpich_tests() {
    # shellcheck disable=SC2046 # words
    skipping only-openmpi,mpi4py,cp2k elsewhere mpich mpich $(programs mpich) && mpich_core_tests
}

mpich_core_tests() {
    skipping only-openmpi with mpich cargo test --profile checked -p hcube-core --features hcube-core/rsmpi --lib \
        --test datatype --test communicator_state -p hcube-core-client --test mpi "$@"
}

# The wheels contain no Fortran bindings. Inside one host, which is sufficient for these tests, the libraries need not
# search for networks.
current_tests() {
    local mpi
    for mpi in "${current[@]}"; do
        printf '%s\n' "--- $mpi, with the build for $(build_of "$mpi")"
        # shellcheck disable=SC2046 # words
        skipping only-openmpi,only-mpich,mpi-fortran,mpi4py,another-mpi-library \
            env_of_one_host "$mpi" elsewhere "$mpi" "$(build_of "$mpi")" $(programs current) || return
    done
}

# env_of_one_host <mpi> <command...>
env_of_one_host() {
    local mpi=$1
    shift
    case $mpi in
    openmpi5) OMPI_MCA_btl=self,sm "$@" ;;
    intelmpi) I_MPI_FABRICS=shm "$@" ;;
    *) "$@" ;;
    esac
}

step "format" format
step "shell scripts" shellcheck scripts/*.sh scripts/deep/*.sh hpcc-glue/*/*.sh install/{hcube-run,bspcc,bspcxx,bsprun,hcube-caf,commands.sh,launch.sh} .ci/run
step "lint" lint
# The pages of libhcube_bsp.so would have the same names as the pages of crates/bsp.
step "documentation" with openmpi env RUSTDOCFLAGS="-D warnings" cargo doc --release --no-deps --workspace --lib \
    --exclude hcube-bsplib --exclude hcube-gfortran
# A header that is out of date fails the build. For SimGrid: library, platform and drivers.
step "builds for all MPI libraries and SimGrid" builds
# The official HPCC and the simulated ranks are among these.
# Every interleaving of the protocols in shared memory, and a mutation of each access.
step "models of protocols" with openmpi scripts/models.sh --mutations
step "tests with Open MPI" openmpi_tests
step "tests with MPICH" mpich_tests
step "tests with current MPI libraries" current_tests

printf '\n'
printf '%s\n' "${times[@]}"
printf '=== all tests passed in %d s\n' $((SECONDS - begin))
