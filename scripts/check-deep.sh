#!/usr/bin/env bash
# Runs tests under sanitizers, Miri and valgrind, and fuzz targets; for developers,
# not part of CI:
#
#   [MPI=openmpi|mpich] [FUZZ_SECONDS=20] scripts/check-deep.sh [section...]
#
#   address    C clients and library with the address sanitizer, under mpirun
#   undefined  C code with the sanitizer of undefined behaviour, Rust code with
#              debug assertions and overflow checks, under mpirun
#   thread     ranks as threads with the thread sanitizer: the protocols in
#              shared memory are checked for data races
#   aarch64    the unit tests of the core and of systems without a heap, compiled for aarch64 and run by qemu-aarch64
#   miri       the pure modules in Rust's interpreter, where it is installed
#   valgrind   the same modules in valgrind's memcheck
#   models     all models of protocols, also the long ones, and mutations of what they visit, see doc/protocols.md
#   faults     a rank is killed, stopped, out of memory or interrupted by signals after each step that it makes in
#              shared memory, under mpirun; HCUBE_FAULT_STEPS steps of each source (6; 0 for all), a stop
#              lasts 2 s, and once in each rank HCUBE_FAULT_SECONDS (30). By default about 2600 runs, estimated
#              at 45 minutes of two idle cores
#   coarrays   GCC's own tests of coarrays with libhcube_caf.so, under mpirun; downloads 83 MB the
#              first time, see scripts/deep/gcc-coarrays.sh
#   suites     all-to-all cases of MPI-CorrBench, the MPI Bugs Initiative and MPI-BugBench without and
#              with the preload library, under mpirun; clones them the first time, see scripts/deep/suites.sh
#   fuzz       every parser and argument checker with coverage-guided inputs
#              (fuzz/), FUZZ_SECONDS each
#
# All sections by default. `make check-deep` runs scripts/setup.sh first. At the end
# one line for each section: passed, failed, or skipped with the reason; the exit
# status is 1 if one has failed. All files are in target/deep, the output of section
# S in target/deep/S.log.
#
# The sanitizers of rustc are unstable options, but their runtimes come with the
# stable toolchain: RUSTC_BOOTSTRAP=1 unlocks them. The standard library is not
# instrumented.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
PATH=$PATH:${CARGO_HOME:-${HOME:-/root}/.cargo}/bin
mpi=${MPI:-openmpi}
seconds=${FUZZ_SECONDS:-20}
case $mpi in
openmpi | mpich) ;;
*)
    echo "check-deep: MPI=$mpi: choose openmpi or mpich" >&2
    exit 2
    ;;
esac
case $seconds in
'' | *[!0-9]*)
    echo "check-deep: FUZZ_SECONDS=$seconds: expected a number of seconds" >&2
    exit 2
    ;;
esac

all=(address undefined thread aarch64 miri valgrind models faults coarrays suites fuzz)
for section in "$@"; do
    case " ${all[*]} " in
    *" $section "*) ;;
    *)
        echo "check-deep: unknown section '$section': choose of ${all[*]}" >&2
        exit 2
        ;;
    esac
done
[ $# -gt 0 ] || set -- "${all[@]}"

unset MAKEFLAGS MFLAGS MAKELEVEL RUSTFLAGS
export PATH RUSTC_BOOTSTRAP=1 MPI="$mpi" MPICC="mpicc.$mpi" LC_ALL=C
# Sanitized code without optimisation is several times slower.
export CARGO_PROFILE_DEV_OPT_LEVEL=1
target=$(rustc -vV | sed -n 's/^host: //p')
deep=$root/target/deep
mkdir -p "$deep"

# Tests of the pure modules: no MPI, no system calls, no threads.
pure=(plan:: options:: stream:: table:: kernel:: schedule:: vote:: shape:: blocks:: memory:: machine:: model:: error:: grid::)
# The packages that hold them.
systems=(-p hcube-core -p hcube-random-access -p hcube-alltoall -p hcube-transpose -p hcube-fft -p hcube-gemm -p hcube-bsp
    -p hcube-caf -p hcube-hpl -p hcube-stream -p hcube-lcs -p hcube-matmul -p hcube-hpcc)

# The short ones, and all index arithmetic, but not what tries every size: the interpreter is some thousand times slower.
# It does not support streaming stores.
interpreted=(options:: shape:: blocks:: memory::scratch memory::region memory::datatype error:: table:: of_any_size)

# Tests whose ranks are threads: the protocols in shared memory.
threads=("${systems[@]}" --lib --test alltoall_local --test random_access_local --test transpose_local --test grid_local
    --test products --test programs --test runtime --test threads --test coarray_updates --test distributed
    --test supersteps)

# skip <reason>: ends a section.
skip() {
    echo "$*" >"$deep/reason"
    exit 77
}

# test_with <folder> <flags of rustc> <argument of cargo test...>: with an explicit target, so that the flags
# do not apply to build scripts.
test_with() {
    local folder=$deep/$1 flags=$2
    shift 2
    RUSTFLAGS=$flags cargo test --no-fail-fast --target "$target" --target-dir "$folder" "$@"
}

# library <folder> <flags of rustc>: the library that clients link, which cargo does not build for tests.
library() {
    RUSTFLAGS=$2 cargo build --target "$target" --target-dir "$deep/$1" -p hcube -p hcube-preload \
        -p hcube-bsplib
}

# compiler <folder> <flag...>: makes MPI's compiler wrappers (for clients) and build.rs compile C code with these
# flags.
compiler() {
    local folder=$deep/$1 shim=${target//-/_}
    shift
    mkdir -p "$folder"
    printf '#!/bin/sh\nexec cc %s "$@"\n' "$*" >"$folder/cc"
    printf '#!/bin/sh\nexec c++ %s "$@"\n' "$*" >"$folder/c++"
    chmod +x "$folder/cc" "$folder/c++"
    export OMPI_CC=$folder/cc MPICH_CC=$folder/cc OMPI_CXX=$folder/c++ MPICH_CXX=$folder/c++
    export "CFLAGS_$shim=$*"
}

# The tests that start C clients, without those that need a differently built
# library or measure memory, which sanitizers use themselves.
clients=(-p hcube --test interface --test communicators --test random_access --test alltoall --test alltoall_faults --test kernels
    --test bsp --test caf
    -- --test-threads=1 --skip preload_library)
for module in in_place neighbours nonblocking persistent tested refusals grid_transpose gemm_blacs matmul lcs failures variables; do
    clients+=(--skip "$module::")
done
# For blocks of some GiB the sanitizer would need the same amount again.
takes_memory=(--skip memory_beside_the --skip address_space_of_less_than_two_buffers
    --skip nothing_remains_of_communicators --skip blocks_above_two_gibibytes)

# The sanitizers' malloc and functions replace those in libraries.
own_functions=(--skip node::loader::tests)

# The runtime is the C compiler's, as a shared object: the library uses the runtime of the client. The tests that start
# clients contain rustc's. Open MPI does not free all memory at the end, so leak detection is off; tests/communicators
# and others check for leaks.
address() {
    compiler address -fsanitize=address -fno-omit-frame-pointer -g
    export ASAN_OPTIONS=detect_leaks=0:abort_on_error=0:exitcode=99
    local flags="-Zsanitizer=address -Cunsafe-allow-abi-mismatch=sanitizer"
    library address "$flags" && test_with address "$flags" "${clients[@]}" "${takes_memory[@]}" &&
        test_with address "$flags" "${systems[@]}" --lib -- "${own_functions[@]}"
}

undefined() {
    compiler checked -fsanitize=undefined -fno-sanitize-recover=all -g
    export UBSAN_OPTIONS=print_stacktrace=1
    library checked -Clink-arg=-lubsan && test_with checked -Clink-arg=-lubsan "${clients[@]}"
}

# Ranks are threads, and with hcube_one_mapping they map shared memory at the same addresses.
thread() {
    export TSAN_OPTIONS=suppressions=$root/scripts/deep/thread.supp:exitcode=66
    # Ranks that panic at the same time print them behind a lock of the standard library.
    export RUST_BACKTRACE=0
    test_with thread "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer --cfg hcube_one_mapping" \
        "${threads[@]}" -- "${own_functions[@]}"
}

# Packages whose unit tests the emulator can run: it takes memory for each page that a program reserves, and the heaps of
# coarrays and BSP reserve most of the address space.
emulated=(-p hcube-core -p hcube-alltoall -p hcube-fft -p hcube-hpl -p hcube-transpose -p hcube-random-access
    -p hcube-stream -p hcube-lcs)
# What the emulator has not: memory that is given back or limited, core dumps, processes of other programs, the host's
# /proc/cpuinfo.
not_emulated=(active:: onesided loader::tests exit::tests other_users children_do_not_inherit memory_needs_no_addresses
    memory_is_provided pages_go given_back the_processor_is)

# Loads and stores are ordered as on the host.
aarch64() {
    local arm=aarch64-unknown-linux-gnu libraries word left_out=()
    [ -d "$(rustc --print sysroot)/lib/rustlib/$arm/lib" ] || skip "rustup target add $arm: not installed"
    command -v aarch64-linux-gnu-gcc >/dev/null 2>&1 || skip "gcc-aarch64-linux-gnu is not installed"
    command -v qemu-aarch64 >/dev/null 2>&1 || skip "qemu-user is not installed"
    libraries=$(dirname "$(aarch64-linux-gnu-gcc -print-file-name=libc.so.6)")/..
    without_mpi aarch64-linux-gnu-gcc "$deep/aarch64/mpi" || return
    for word in "${not_emulated[@]}"; do left_out+=(--skip "$word"); done
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L $libraries -E LD_LIBRARY_PATH=$deep/aarch64/mpi"
    # There is no process_vm_readv.
    export HCUBE_TEST_SKIP=${HCUBE_TEST_SKIP:-},single-copy,huge-pages PROPTEST_CASES=16
    RUSTFLAGS="-L native=$deep/aarch64/mpi" cargo test --no-fail-fast --target "$arm" --target-dir "$deep/aarch64" \
        "${emulated[@]}" --lib -- "${left_out[@]}"
}

# without_mpi <compiler> <folder>: the compiler for code with mpi.h, and a library in the place of MPI's on another
# processor. Ranks as threads call none of its functions.
without_mpi() {
    local compiler=$1 folder=$2 name=libmpi library
    [ "$mpi" != mpich ] || name=libmpich
    library=$(ldconfig -p | sed -n "s/.* => \(.*\/$name\.so.*\)/\1/p" | head -n 1)
    mkdir -p "$folder"
    nm -D --defined-only "$library" | awk '{ sub("@.*", "", $3); print ".globl " $3 "; " $3 ": .quad 0" }' | sort -u \
        >"$folder/$name.s"
    "$compiler" -shared -o "$folder/$name.so" "$folder/$name.s" || return
    export OMPI_CC=$compiler MPICH_CC=$compiler
}

miri() {
    local toolchain
    for toolchain in "" +nightly; do
        # shellcheck disable=SC2086 # one word or none
        if cargo $toolchain miri --version >/dev/null 2>&1; then
            MIRIFLAGS=-Zmiri-disable-isolation PROPTEST_CASES=4 cargo $toolchain miri test \
                --no-fail-fast --target-dir "$deep/miri" "${systems[@]}" --lib -- "${interpreted[@]}" --skip streaming --skip every_
            return
        fi
    done
    skip "miri is not installed (rustup +nightly component add miri)"
}

valgrind() {
    command -v valgrind >/dev/null 2>&1 || skip "valgrind is not installed"
    local runner=CARGO_TARGET_${target//-/_}_RUNNER
    export "${runner^^}=valgrind -q --error-exitcode=99 --fair-sched=yes"
    PROPTEST_CASES=4 test_with checked -Clink-arg=-lubsan "${systems[@]}" --lib -- "${pure[@]}"
}

# A library whose steps are counted (crates/core/src/atomic/fault.rs), and the tests of its faults.
faults() {
    local flags="--cfg hcube_fault" folder=$deep/fault/$mpi
    export HCUBE_FAULT_STEPS=${HCUBE_FAULT_STEPS:-6} HCUBE_FAULT_SECONDS=${HCUBE_FAULT_SECONDS:-30}
    RUSTFLAGS=$flags cargo build --profile checked --target-dir "$folder" -p hcube -p hcube-preload -p hcube-bsplib \
        -p hcube-pblas -p hcube-gfortran &&
        RUSTFLAGS=$flags cargo test --no-fail-fast --profile checked --target-dir "$folder" -p hcube --test faults
}

coarrays() {
    local code=0
    env -u RUSTC_BOOTSTRAP cargo build --release --target-dir "target/$mpi" -p hcube-gfortran || return
    scripts/deep/gcc-coarrays.sh || code=$?
    [ "$code" -ne 77 ] || skip "gcc-12-source cannot be downloaded"
    return "$code"
}

suites() {
    local code=0
    env -u RUSTC_BOOTSTRAP cargo build --release --target-dir "target/$mpi" -p hcube-preload || return
    scripts/deep/suites.sh || code=$?
    [ "$code" -ne 77 ] || skip "no suite can be cloned"
    return "$code"
}

models() {
    env -u RUSTC_BOOTSTRAP -u CARGO_PROFILE_DEV_OPT_LEVEL scripts/models.sh --long --mutations
}

# The folders with the first inputs of a target, if any.
first_inputs() {
    [ ! -d "$root/fuzz/inputs/$1" ] || echo "$root/fuzz/inputs/$1"
    case $1 in
    machine) echo "$root/results/src/machine" ;;
    report-* | collect-random-access) echo "$root/lab/tests/fixtures" ;;
    esac
}

# Inputs that reach new code are kept in target/deep/fuzz/inputs and run first the next time.
fuzz() {
    local name program=$deep/fuzz/$target/release/fuzz failed=() log inputs
    local coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
    coverage+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
    coverage+=" -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing"
    (cd fuzz && RUSTFLAGS="-Zsanitizer=address -Cunsafe-allow-abi-mismatch=sanitizer $coverage" \
        cargo build --release --locked --target "$target" --target-dir "$deep/fuzz") || return
    # An empty folder: without an argument the tool searches the current folder for files of results.
    local work=$deep/fuzz/work
    rm -rf "$work"
    mkdir -p "$work"
    cd "$work"
    export HCUBE_FUZZ_FOLDER=$work ASAN_OPTIONS=detect_leaks=0 OPENBLAS_NUM_THREADS=1
    while read -r name; do
        inputs=$deep/fuzz/inputs/$name log=$deep/fuzz/$name.log
        mkdir -p "$inputs" "$deep/fuzz/found"
        # Discard the tool's messages: it prints one for every input.
        # shellcheck disable=SC2046 # no folder, one or two
        if HCUBE_FUZZ_TARGET=$name "$program" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 \
            -max_len=16384 -close_fd_mask=3 -artifact_prefix="$deep/fuzz/found/$name-" \
            "$inputs" $(first_inputs "$name") >"$log" 2>&1; then
            echo "fuzz: $name: $(sed -n 's/^Done \(.*\)/\1/p' "$log")"
        else
            failed+=("$name")
            echo "fuzz: $name: FAILED; again with all messages:"
            echo "  HCUBE_FUZZ_TARGET=$name $program $(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)"
        fi
    done < <(HCUBE_FUZZ_TARGET=list "$program" 2>/dev/null)
    [ ${#failed[@]} -eq 0 ] || echo "fuzz: failed: ${failed[*]}"
    return $((${#failed[@]} > 0))
}

# --- The sections in turn --------------------------------------------------

summary=()
status=0
for section in "$@"; do
    printf '=== %s, output in target/deep/%s.log\n' "$section" "$section"
    begin=$SECONDS code=0
    rm -f "$deep/reason"
    : >"$deep/$section.log"
    # A subshell, so that exports of a section do not affect the next. Only lines of progress are shown.
    (set +e; "$section") >>"$deep/$section.log" 2>&1 &
    job=$!
    tail -n +1 -f --pid=$job "$deep/$section.log" 2>/dev/null | grep --line-buffered -E \
        '^ +Running |^test result|^test .* FAILED|^faults: |^fuzz: |^gcc: |^suites: |^[0-9]+ m|^  HCUBE_FUZZ|^error|ERROR: AddressSanitizer|WARNING: ThreadSanitizer|runtime error:' || true
    wait $job || code=$?
    case $code in
    0) line="$section: passed" ;;
    77) line="$section: skipped: $(cat "$deep/reason")" ;;
    *) line="$section: FAILED (status $code), see target/deep/$section.log" status=1 ;;
    esac
    summary+=("$line, $((SECONDS - begin)) s")
    echo "=== ${summary[-1]}"
done
printf '\n=== check-deep with %s\n' "$mpi"
printf '%s\n' "${summary[@]}"
exit $status
