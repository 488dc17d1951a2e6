#!/usr/bin/env bash
# Measures RandomAccess, the all-to-all exchange, matrix multiplication, BSP programs,
# longest common subsequences, coarrays, Fortran programs with coarrays, the preload
# library, programs with it, and FFTW with hcube and with its competitors, as Plimpton
# et al. 2006 and Hofmann and Ruenger 2013 do:
#
#   [MPI=openmpi|mpich|openmpi5|...] scripts/bench.sh [--full] [part...]
#
# Parts: random-access, alltoall, gemm, bsp, llcs, caf, gfortran, hpcc, preload, programs, fftw. All by default; --full
# adds problems of FFTW, runs of HPCC and repetitions. The first line states how long that will take on this machine,
# after a short calibration, and every step begins with a line that tells the time so far and the time that is left.
#
# Competitors are measured in one run, alternating, --repeat times; tables show medians and (largest - smallest) /
# median. Figures of different steps were taken at different times: compare inside a step. Results:
#
#   target/bench/gups.json      RandomAccess: {"mpi": ..., "cores": ..., "sections": {<name>:
#                               <hcube bench random-access --json>, ...},
#                               "hpcc": <hcube-lab hpcc --json> or null}
#   target/bench/alltoall.json  all kinds of exchanges, and alltoall-{ranks,sizes,memory,kinds}.svg
#   target/bench/gemm.json      distributed matrix multiplication, and gemm.svg
#   target/bench/bsp.json       supersteps of BSP programs, and bsp.svg; BSPLIB=FILE adds
#                               another BSP library to the comparison
#   target/bench/bsp-matmul.json, bsp-llcs.json
#                               two BSP programs beside their predicted times, and .svg
#   target/bench/llcs.json      longest common subsequences, and llcs.svg, llcs-ranks.svg
#   target/bench/caf.json       operations of coarrays, and caf.svg
#   target/bench/gfortran.json  Fortran programs with coarrays, by hcube, by OpenCoarrays where it is
#                               installed, and without coarrays by MPI, and gfortran.svg
#   target/bench/fft.json       Fourier transforms, and fft.svg
#   target/bench/stream.json    the kernels of STREAM, and stream.svg
#   target/bench/panels.json    broadcasts of panels, and panels.svg
#   target/bench/preload.json   the preload library against the MPI library
#   target/bench/programs.json  LAMMPS, Quantum ESPRESSO and mpi4py-fft with it, and
#                               programs.svg; programs that are not installed are skipped
#   target/bench/fftw.json      FFTW's transposes and transforms, and fftw.svg
#
# For other MPI libraries than openmpi and mpich the results are in target/bench-$MPI, and the default is what needs only the
# library itself: random-access, alltoall, bsp, llcs, caf, preload.
#
# Called by `make bench`, which builds everything. Includes HPCC if `make run` has
# built it, and two ranks of MPICH if the tool is built for it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
mpi=${MPI:-openmpi}
tool=$root/target/$mpi/release/hcube
lab=$root/target/$mpi/release/hcube-lab
folder=$root/target/bench
work=$folder/$mpi
cores=$(nproc)
full=
parts=()

for argument in "$@"; do
    case $argument in
    --full) full=1 ;;
    random-access | gups) parts+=(random_access) ;;
    alltoall | gemm | bsp | llcs | caf | gfortran | hpcc | preload | programs | fftw) parts+=("$argument") ;;
    *)
        echo "bench: $argument: expected --full, random-access, alltoall, gemm, bsp, llcs, caf, gfortran, hpcc, preload, programs or fftw" >&2
        exit 2
        ;;
    esac
done
case $mpi in
openmpi | mpich) every=(random_access alltoall gemm bsp llcs caf gfortran hpcc preload programs fftw) ;;
*)
    every=(random_access alltoall bsp llcs caf preload)
    folder=$root/target/bench-$mpi work=$root/target/bench-$mpi/$mpi
    ;;
esac
[ ${#parts[@]} -gt 0 ] || parts=("${every[@]}")

PATH=$PATH:$root/target/mpi/bin
# The UCX that Open MPI 5 brings fails for one-sided communication on machines without a fast network, with two lines per window.
[ "$mpi" != openmpi5 ] || export OMPI_MCA_osc=${OMPI_MCA_osc:-^ucx}
# openmpi or mpich: the kind of MPI library, which has the launcher's options.
kind=mpich launcher=("mpirun.$mpi")
command -v "${launcher[0]}" >/dev/null || launcher=(mpirun)
case $("${launcher[0]}" --version 2>&1 || true) in
*[Oo]pen[-\ ]MPI* | *open-mpi.org*)
    kind=openmpi
    launcher+=(--oversubscribe --bind-to none)
    ;;
esac
[ -x "$tool" ] || { echo "bench: no $tool: run make MPI=$mpi first" >&2; exit 1; }
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# Options in the caller's environment would change what the steps measure.
unset "${!HCUBE_@}"

rm -rf "$work"
mkdir -p "$work"

# --- Steps -------------------------------------------------------------------

# shellcheck source=scripts/bench-steps.sh
. scripts/bench-steps.sh

# fits <ranks> <title>: whether a step of that many ranks makes sense. MPICH's ranks
# do not yield, so that oversubscribed they would measure the scheduler's ticks.
fits() {
    [ "$kind" = openmpi ] || [ "$1" -le "$cores" ] ||
        { echo "=== $2: skipped, $1 ranks of MPICH on $cores cores"; return 1; }
}

# measured <seconds> <name> <ranks> <title> <subcommand of hcube bench> [option...]: a step with one table.
measured() {
    local time=$1 name=$2 ranks=$3 title="$4, $3 rank(s)"
    shift 4
    fits "$ranks" "$title" || return 0
    step "$time" "$title" measure "$name" "$ranks" "$@"
}

measure() {
    local name=$1 ranks=$2
    shift 2
    "${launcher[@]}" -np "$ranks" "$tool" bench "$@" --no-progress --json="$work/$name.json"
    echo
}

# with_mpich <seconds> <name> <title> <subcommand> [option...]: a step on 2 ranks of MPICH, in addition to Open MPI.
with_mpich() {
    local time=$1 name=$2 title="$3 with MPICH, 2 ranks" other=$root/target/mpich/release/hcube
    shift 3
    if [ "$mpi" = openmpi ] && [ -x "$other" ] && [ "$cores" -ge 2 ]; then
        step "$time" "$title" measure_with_mpich "$other" "$name" "$@"
    fi
}

measure_with_mpich() {
    local program=$1 name=$2
    shift 2
    mpirun.mpich -np 2 "$program" bench "$@" --no-progress --json="$work/$name.json"
    echo
}

# write_joined <system>: all its results in one file, and the picture.
write_joined() {
    "$tool" bench "$1" --from "$(joined "$1-*.json")" --json="$folder/$1.json" --plot "$folder/$1.svg" >/dev/null
    echo "All results: ${folder#"$root"/}/$1.json and $1.svg"
}

# joined <file pattern>: the matching files of $work, separated by commas.
joined() {
    find "$work" -name "$1" | sort -V | paste -sd,
}

# --- RandomAccess ------------------------------------------------------------

sections=()

# section <seconds> <name> <ranks> <title> [option...]: a step of RandomAccess.
section() {
    fits "$3" "$4" || return 0
    measured "${@:1:4}" random-access "${@:5}"
    sections+=("$2")
}

bench_random_access() {
    local options ranks some=2
    # The table of HPCC with N=6000 has 2^25 words.
    for ranks in 1 2 3 4 8; do
        options=(--table-size 25 --local-bound)
        case $ranks in 2 | 3 | 4) options+=(--compare) ;; esac
        section 9 "ranks-$ranks" "$ranks" "RandomAccess: default, only messages, and the local bound" \
            "${options[@]}"
    done
    if [ "$cores" -gt 8 ]; then
        section 30 "ranks-$cores" "$cores" "RandomAccess on all cores" --table-size 27 --local-bound --compare
    fi

    # The values of Q of Plimpton et al. 2006, Table 4. An update with a small Q takes a hundred times as long, so these
    # have fewer updates.
    section 30 look-ahead-small 2 "Small look-ahead (the paper's Table 4)" \
        --table-size 24 --updates 1048576 --look-ahead 1,4,16 --compare --no-verify
    section 25 look-ahead-large 2 "Large look-ahead (the paper's Table 4)" \
        --table-size 24 --updates 16777216 --look-ahead 64,256,1024,2048,4096,8192,32768 --compare --no-verify

    ranks=4
    [ "$kind" = openmpi ] || ranks=2
    section 15 optimisations "$ranks" "Optimisations (the paper's Table 3), only messages" \
        --table-size 24 --mode message --ladder --no-verify
    section 5 dimensions 8 "Dimensions (the paper's section 2), only messages" \
        --table-size 24 --mode message --dimensions 1,2,3 --no-verify

    if [ "$mpi" != openmpi ] && [ "$mpi" != mpich ]; then
        echo "=== Only messages in HPCC: skipped, HPCC is built for openmpi and mpich"
    elif scripts/build-hpcc.sh sandia "$mpi" && scripts/build-hpcc.sh hcube "$mpi"; then
        [ -z "$full" ] || [ "$kind" != openmpi ] || some="2 3 4"
        step "$(wc -w <<<"$some" | awk '{ print 35 * $1 }')" "Only messages in HPCC (HCUBE_RANKS_PER_NODE=1), against Sandia's update" messages_in_hpcc "$some"
    else
        echo "=== Only messages in HPCC: skipped, HPCC could not be built"
    fi
    step 1 "Results of RandomAccess" write_random_access
}

messages_in_hpcc() {
    HCUBE_RANKS_PER_NODE=1 "$lab" hpcc --root "target/hpcc/$mpi" --mpi "$kind" --launcher "${launcher[*]}" --ranks "$1" --n 6000 --brief \
        --variants sandia,hcube --repeat 3 --json="$work/hpcc.json"
}

write_random_access() {
    local name files=() hpcc=()
    for name in "${sections[@]}"; do files+=("$work/$name.json"); done
    [ ! -f "$work/hpcc.json" ] || hpcc=(--hpcc "$work/hpcc.json")
    "$lab" collect random-access --mpi "$mpi" "${hpcc[@]}" --json="$folder/gups.json" "${files[@]}"
    echo "All results: ${folder#"$root"/}/gups.json"
}

# --- The all-to-all exchange -------------------------------------------------

bench_alltoall() {
    local ranks
    for ranks in 1 2 3 4 8; do
        measured 6 "alltoall-$ranks" "$ranks" "All-to-all: all algorithms (the paper's Figure 5)" alltoall \
            --algorithms all --sizes 64k,512k,4M,32M
    done
    for ranks in 2 3 4 8; do
        measured 3 "memory-$ranks" "$ranks" "All-to-all: extra memory (the paper's Figure 6)" alltoall \
            --algorithms hierarchical-sets,library-in-place,library-out-of-place --memory 0,64k,1M,all --sizes 4M
    done
    for ranks in 2 4 8; do
        measured 2 "kinds-$ranks" "$ranks" "All-to-all: general, neighbour and nonblocking exchanges" alltoall \
            --kinds general,neighbours,nonblocking --sizes 64k,4M --repeat 9
    done
    with_mpich 6 mpich-2 "All-to-all: all algorithms" alltoall --algorithms all \
        --sizes 64k,512k,4M,32M
    step 1 "Results of the all-to-all exchange" write_alltoall
}

write_alltoall() {
    local all more pattern
    all=$(joined "alltoall-*.json")
    "$tool" bench alltoall --from "$all" --over ranks --sizes 4M --plot "$folder/alltoall-ranks.svg"
    "$tool" bench alltoall --from "$all" --over sizes --plot "$folder/alltoall-sizes.svg"
    "$tool" bench alltoall --from "$(joined "memory-*.json")" --over ranks --plot "$folder/alltoall-memory.svg"
    "$tool" bench alltoall --from "$(joined "kinds-*.json")" --plot "$folder/alltoall-kinds.svg"
    for pattern in "memory-*.json" "kinds-*.json" "mpich-*.json"; do
        more=$(joined "$pattern")
        all=$all${more:+,$more}
    done
    "$tool" bench alltoall --from "$all" --json="$folder/alltoall.json"
    echo "All results: ${folder#"$root"/}/alltoall.json and alltoall-{ranks,sizes,memory,kinds}.svg"
}

# --- Distributed matrix multiplication ----------------------------------------

# shellcheck source=scripts/bench-gemm.sh
. scripts/bench-gemm.sh

# --- BSP programs -------------------------------------------------------------

# shellcheck source=scripts/bench-bsp.sh
. scripts/bench-bsp.sh

# --- Longest common subsequences ----------------------------------------------

# shellcheck source=scripts/bench-llcs.sh
. scripts/bench-llcs.sh

# --- Coarrays -----------------------------------------------------------------

# shellcheck source=scripts/bench-caf.sh
. scripts/bench-caf.sh

# --- Fortran programs with coarrays --------------------------------------------

# shellcheck source=scripts/bench-gfortran.sh
. scripts/bench-gfortran.sh

# --- Fourier transforms, STREAM, panels ----------------------------------------

# shellcheck source=scripts/bench-hpcc.sh
. scripts/bench-hpcc.sh

# --- The preload library, and programs with it -------------------------------

# shellcheck source=scripts/bench-preload.sh
. scripts/bench-preload.sh

# --- FFTW --------------------------------------------------------------------

plugin=$root/target/$mpi/release/libhcube_fftw.so

# compare_fftw <name> <ranks> [option and problem of the client...]: FFTW's own
# plans and those with hcube in one process, alternating.
compare_fftw() {
    local name=$1 ranks=$2
    shift 2
    "${launcher[@]}" -np "$ranks" env "LD_PRELOAD=$plugin" "$work/fftw-bench" --output "$work/$name.records" "$@"
    "$lab" collect fftw "$work/$name.records" --json="$work/$name.json"
    "$tool" bench fft --from "$work/$name.json"
    echo
}

# mpi_bench <ranks> <pairwise|hcube> <problem> [option...]: FFTW's own benchmark.
# It keeps what planning has found for the next run.
mpi_bench() {
    local ranks=$1 solver=$2 problem=$3 settings=()
    shift 3
    [ "$solver" = pairwise ] || settings=("LD_PRELOAD=$plugin" HCUBE_FFTW=always)
    mkdir -p "$work/wisdom-$solver-$ranks"
    (cd "$work/wisdom-$solver-$ranks" && "${launcher[@]}" -np "$ranks" env "${settings[@]}" \
        "$root/target/fftw/$mpi/mpi-bench" -o wisdom --report-time "$@" -s "$problem")
}

# upstream <ranks> <problem> <name>: five runs without and with hcube, alternating.
upstream() {
    local ranks=$1 problem=$2 name=$3 solver outputs=$work/mpi-bench-$1-$2
    mkdir -p "$outputs"
    for solver in pairwise hcube; do
        mpi_bench "$ranks" "$solver" "$problem" --verbose=2 >"$outputs/$solver.plan"
    done
    for _ in 1 2 3 4 5; do
        for solver in pairwise hcube; do
            mpi_bench "$ranks" "$solver" "$problem" >>"$outputs/$solver.times"
        done
    done
    "$lab" collect mpi-bench --problem "$name" --ranks "$ranks" "$outputs" --json="$outputs.json"
    "$tool" bench fft --from "$outputs.json"
    echo
}

# Problems: most of the time goes into planning, which is why the default has few.
# shellcheck disable=SC2054 # names of problems have commas
bench_fftw() {
    local program ranks n layout problem all=(2)
    local squares=(transpose,1024x1024,in,none transpose,2048x2048,in,none)
    local large=(transpose,4096x4096,in,none transpose,8192x8192,in,none)
    local transforms=(c2c,128x128x128,in,none r2c,128x128x128,in,none)
    local largest=()
    transforms+=(c2c,256x256x256,in,none r2c,256x256x256,in,none)
    if [ "$mpi" != openmpi ]; then
        echo "=== FFTW: skipped, FFTW of the distribution is for Open MPI"
        return
    fi
    for program in "$plugin" "target/fftw/$mpi/mpi-bench"; do
        [ -e "$program" ] || { echo "bench: no $program: run make fftw MPI=$mpi first" >&2; exit 1; }
    done
    "mpicc.$mpi" -std=c99 -O2 -rdynamic -Iinclude -o "$work/fftw-bench" hpcc-glue/fftw/bench/*.c \
        hpcc-glue/bench/counters.c -lfftw3_mpi -lfftw3 -ldl -lm
    if [ -n "$full" ]; then
        all=(2 4)
        squares+=(transpose,1024x1024,in,both transpose,2048x2048,in,both)
        large+=(transpose,4096x4096,in,both transpose,8192x8192,in,both)
        large+=(transpose,4096x4096,out,none)
        # The transpositions of the transforms.
        squares+=(transpose,128x128x256,in,none transpose,128x128x130,in,none)
        large+=(transpose,256x256x512,in,none transpose,256x256x258,in,none)
        transforms+=(c2c,128x128x128,in,OUT r2c,128x128x128,in,OUT)
        transforms+=(c2c,256x256x256,in,OUT r2c,256x256x256,in,OUT)
        # The case of equal blocks of Hofmann and Ruenger 2013 has 1 GiB; FFTW's own plan needs half of it in addition.
        if [ "$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)" -gt 3072 ]; then
            large+=(transpose,512x512x514,in,none)
            largest+=(r2c,512x512x512,in,none)
        else
            echo "=== FFTW: 512x512x512 skipped, less than 3 GiB of memory are available"
        fi
    fi
    for ranks in "${all[@]}"; do
        problem="FFTW's own plans against hcube's, $ranks ranks"
        step 10 "$problem: small transpositions" \
            compare_fftw "fftw-$ranks-a" "$ranks" --rigour patient --repeat 51 "${squares[@]}"
        step 20 "$problem: large transpositions" \
            compare_fftw "fftw-$ranks-b" "$ranks" --rigour patient --repeat 15 "${large[@]}"
        step 60 "$problem: transforms" \
            compare_fftw "fftw-$ranks-c" "$ranks" --rigour measure --repeat 15 "${transforms[@]}"
        [ ${#largest[@]} -eq 0 ] || step 120 "$problem: 512x512x512" \
            compare_fftw "fftw-$ranks-d" "$ranks" --rigour measure --repeat 7 "${largest[@]}"
    done
    if [ -n "$full" ]; then
        for ranks in 2 4; do
            for n in 128 256; do
                for problem in c r; do
                    for layout in "" "OUT"; do
                        upstream_step "$ranks" "$n" "$problem" "$layout"
                    done
                done
            done
        done
    else
        upstream_step 2 128 r OUT
    fi
    step 1 "Results of FFTW" write_fftw
}

# upstream_step <ranks> <n> <c|r> <layout>: a step of FFTW's own benchmark.
upstream_step() {
    local name="${3}2c ${2}x${2}x$2 in place${4:+ $4}"
    step 12 "FFTW's mpi-bench: $name, $1 ranks" upstream "$1" "i${3}f${4:+]}${2}x${2}x$2" "$name"
}

write_fftw() {
    "$tool" bench fft --from "$(joined "fftw-*.json"),$(joined "mpi-bench-*.json")" --json="$folder/fftw.json" \
        --plot "$folder/fftw.svg"
    echo "All results: ${folder#"$root"/}/fftw.json and fftw.svg"
}

# --- All of it ---------------------------------------------------------------

for part in "${parts[@]}"; do
    "bench_$part"
done
run_steps
