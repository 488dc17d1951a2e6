#!/usr/bin/env bash
# Measures hcube against the bound of this machine, message passing against
# shared memory, and the sweeps of Plimpton et al. 2006; and the all-to-all
# exchange, alone and in FFTW, as Hofmann and Ruenger 2013 do:
#
#   [MPI=openmpi|mpich] scripts/bench.sh [gups] [alltoall] [fftw]     all by default
#
# What is compared is measured in one run, alternating, as often as --repeat
# says; tables show medians and (largest - smallest) / median. All results go to
# target/bench/gups.json: {"mpi": ..., "sections": {<name>: <hcube gups --json>,
# ...}, "hpcc": <hcube-lab hpcc --json> or null}. Figures of different sections were
# taken at different times: compare inside a section. Those of the all-to-all
# exchange go to target/bench/alltoall.json, {"runs": [...]}, with the plots
# alltoall-ranks.svg, alltoall-sizes.svg and alltoall-memory.svg beside it, and
# include two ranks of MPICH where the tool is built for it. FFTW's transposes go to
# target/bench/fftw.json and fftw.svg. Called by `make bench`, which builds the
# tool. Compares with HPCC too where `make run` has built it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
mpi=${MPI:-openmpi}
tool=$root/target/$mpi/release/hcube
folder=$root/target/bench
work=$folder/$mpi
cores=$(nproc)
parts=${*:-gups alltoall fftw}

case $mpi in
openmpi) launcher=(mpirun.openmpi --oversubscribe --bind-to none) ;;
mpich) launcher=(mpirun.mpich) ;;
*)
    echo "bench: MPI=$mpi: the tool is built for openmpi and mpich only" >&2
    exit 2
    ;;
esac
command -v "${launcher[0]}" >/dev/null || launcher[0]=mpirun
[ -x "$tool" ] || { echo "bench: no $tool: run make MPI=$mpi first" >&2; exit 1; }
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# Choices of the caller's environment would change what the sections say.
unset HCUBE_ALLTOALL HCUBE_PATH HCUBE_MEMORY HCUBE_FFTW HCUBE_VERBOSE
unset HCUBE_LOOK_AHEAD HCUBE_MODE HCUBE_DIMENSIONS HCUBE_RELAXED HCUBE_OPTIMISATIONS HCUBE_HUGE_PAGES HCUBE_RANKS_PER_NODE

for part in $parts; do
    case $part in
    gups | alltoall | fftw) ;;
    *) echo "bench: $part: expected gups, alltoall or fftw" >&2; exit 2 ;;
    esac
done

rm -rf "$work"
mkdir -p "$work"
sections=()

# section <name> <ranks> <title> [option of hcube gups...]: one table. MPICH
# does not yield, so more ranks than cores would measure the scheduler's ticks.
section() {
    local name=$1 ranks=$2 title=$3
    shift 3
    if [ "$mpi" = mpich ] && [ "$ranks" -gt "$cores" ]; then
        echo "=== $title: left out, $ranks ranks of MPICH on $cores cores"
        return
    fi
    echo "=== $title"
    "${launcher[@]}" -np "$ranks" "$tool" gups --no-progress --json "$work/$name.json" "$@"
    echo
    sections+=("$name")
}

# exchange <name> <ranks> <title> [option of hcube alltoall...]: as section.
exchange() {
    local name=$1 ranks=$2 title=$3
    shift 3
    if [ "$mpi" = mpich ] && [ "$ranks" -gt "$cores" ]; then
        echo "=== $title: left out, $ranks ranks of MPICH on $cores cores"
        return
    fi
    echo "=== $title"
    "${launcher[@]}" -np "$ranks" "$tool" alltoall --no-progress --json "$work/$name.json" "$@"
    echo
}

# joined <file pattern>: those files of $work that are there, with commas.
joined() {
    find "$work" -name "$1" | sort -V | paste -sd,
}

# RandomAccess.
bench_gups() {
    # The table of HPCC with N=6000 has 2^25 words.
    for ranks in 1 2 3 4 8; do
        options=(--table-size 25 --local-bound)
        case $ranks in 2 | 3 | 4) options+=(--compare) ;; esac
        section "ranks-$ranks" "$ranks" "$ranks rank(s): the default, messages alone, and the local bound" "${options[@]}"
    done
    if [ "$cores" -gt 8 ]; then
        section "ranks-$cores" "$cores" "all $cores cores" --table-size 27 --local-bound --compare
    fi

    # The values of Q of the paper's Table 4. A small Q takes a hundred times as long
    # for an update, so it gets fewer of them.
    section look-ahead-small 2 "Small look-ahead (the paper's Table 4), 2 ranks" \
        --table-size 24 --updates 1048576 --look-ahead 1,4,16 --compare --no-verify
    section look-ahead-large 2 "Large look-ahead (the paper's Table 4), 2 ranks" \
        --table-size 24 --updates 16777216 --look-ahead 64,256,1024,2048,4096,8192,32768 --compare --no-verify

    ladder_ranks=4
    [ "$mpi" = openmpi ] || ladder_ranks=2
    section optimisations "$ladder_ranks" "Optimisations (the paper's Table 3), $ladder_ranks ranks, messages alone" \
        --table-size 24 --mode message --ladder --no-verify
    section dimensions 8 "Dimensions (the paper's section 2), 8 ranks, messages alone" \
        --table-size 24 --mode message --dimensions 1,2,3 --no-verify

    hpcc=null
    if [ -x "target/hpcc/$mpi/sandia/hpcc" ] && [ -x "target/hpcc/$mpi/hcube/hpcc" ]; then
        ranks="2 3 4"
        [ "$mpi" = openmpi ] || ranks=2
        echo "=== Messages alone in HPCC (HCUBE_RANKS_PER_NODE=1), against Sandia's OPT2"
        HCUBE_RANKS_PER_NODE=1 "$tool" hpcc --root "target/hpcc/$mpi" --ranks "$ranks" --n 6000 --brief \
            --variants sandia,hcube --repeat 3 --json "$work/hpcc.json"
        hpcc=$(cat "$work/hpcc.json")
    else
        echo "=== Messages alone in HPCC: left out, HPCC is not built (make run MPI=$mpi builds it)"
    fi

    {
        printf '{"mpi": "%s", "cores": %s, "sections": {' "$mpi" "$cores"
        separator=
        for name in "${sections[@]}"; do
            printf '%s\n"%s": ' "$separator" "$name"
            cat "$work/$name.json"
            separator=,
        done
        printf '},\n"hpcc": %s}\n' "$hpcc"
    } >"$folder/gups.json"

    echo
    echo "All results: ${folder#"$root"/}/gups.json"

    # What the default reaches of the bound, once more in one place.
    for ranks in 1 2 3 4 8; do
        file=$work/ranks-$ranks.json
        [ -f "$file" ] || continue
        sed -n 's/.*"of_local_bound": \([0-9.]*\).*/\1/p' "$file" | sed -n 1p |
            awk -v ranks="$ranks" '{ printf "%d rank(s): %.0f %% of the local bound\n", ranks, 100 * $1 }'
    done
}

# The all-to-all exchange.
bench_alltoall() {
    for ranks in 1 2 3 4 8; do
        exchange "alltoall-$ranks" "$ranks" "All-to-all: all algorithms (the paper's Figure 5), $ranks rank(s)" \
            --algorithms all
    done
    for ranks in 2 3 4 8; do
        exchange "memory-$ranks" "$ranks" "All-to-all: additional memory (the paper's Figure 6), $ranks ranks" \
            --algorithms hierarchical-sets,library-in-place,library-out-of-place --memory 0,64k,1M,all --sizes 4M
    done
    other=target/mpich/release/hcube
    if [ "$mpi" = openmpi ] && [ -x "$other" ] && [ "$cores" -ge 2 ]; then
        echo "=== All-to-all: all algorithms with MPICH, 2 ranks"
        mpirun.mpich -np 2 "$other" alltoall --no-progress --json "$work/mpich-2.json" --algorithms all
        echo
    fi
    all=$(joined "alltoall-*.json")
    "$tool" alltoall --from "$all" --over ranks --sizes 4M --plot "$folder/alltoall-ranks.svg"
    "$tool" alltoall --from "$all" --over sizes --plot "$folder/alltoall-sizes.svg"
    "$tool" alltoall --from "$(joined "memory-*.json")" --over ranks --plot "$folder/alltoall-memory.svg"
    for pattern in "memory-*.json" "mpich-*.json"; do
        more=$(joined "$pattern")
        all=$all${more:+,$more}
    done
    "$tool" alltoall --from "$all" --json "$folder/alltoall.json"

    echo "All results: ${folder#"$root"/}/alltoall.json and alltoall-{ranks,sizes,memory}.svg beside it"
}

# compare_fftw <name> <ranks> [option and problem of the client...]: FFTW's own
# plans and those with hcube in one process, in turn.
compare_fftw() {
    local name=$1 ranks=$2
    shift 2
    "${launcher[@]}" -np "$ranks" env "LD_PRELOAD=$plugin" "$work/fftw-bench" --json "$work/$name.json" "$@"
}

# mpi_bench <ranks> <pairwise|hcube> <problem> [option...]: FFTW's own benchmark.
# What planning has learnt is kept beside for the next time.
mpi_bench() {
    local ranks=$1 solver=$2 problem=$3 settings=()
    shift 3
    [ "$solver" = pairwise ] || settings=("LD_PRELOAD=$plugin" HCUBE_FFTW=always)
    mkdir -p "$work/wisdom-$solver-$ranks"
    (cd "$work/wisdom-$solver-$ranks" && "${launcher[@]}" -np "$ranks" env "${settings[@]}" \
        "$root/target/fftw/$mpi/mpi-bench" -o wisdom --report-time "$@" -s "$problem")
}

# upstream <ranks> <problem> <name>: five runs of it without and with hcube, in
# turn. It prints (least mean largest median) of one run in seconds.
upstream() {
    local ranks=$1 problem=$2 name=$3 solver turn
    local -A plan=() times=()
    echo "mpi-bench $name, $ranks ranks" >&2
    for solver in pairwise hcube; do
        # From the line that begins the plan to the one that counts its operations, with
        # what JSON escapes.
        plan[$solver]=$(mpi_bench "$ranks" "$solver" "$problem" --verbose=2 |
            sed -n '/^(mpi-/,/^flops/{/^flops/d;s/["\\]/\\&/g;p}' | paste -sd'|' | sed 's/|/\\n/g')
        case $solver-${plan[$solver]} in
        pairwise-*hcube* | pairwise- | hcube-) echo "bench: mpi-bench: not a plan of $solver" >&2; exit 1 ;;
        hcube-*hcube* | pairwise-*) ;;
        *) echo "bench: mpi-bench: not a plan of $solver" >&2; exit 1 ;;
        esac
    done
    for turn in 1 2 3 4 5; do
        for solver in pairwise hcube; do
            times[$solver]+=${times[$solver]:+, }$(mpi_bench "$ranks" "$solver" "$problem" |
                sed -n 's/^(.* \(.*\))$/\1/p' | awk '{ printf "%.6f", 1e3 * $1 }')
        done
    done
    for solver in pairwise hcube; do
        printf '%s{"problem": "mpi-bench %s", "ranks": %d, "solver": "%s", "times_ms": [%s], "plan": "%s"}' \
            "$separator" "$name" "$ranks" "$solver" "${times[$solver]}" "${plan[$solver]}"
        separator=$',\n'
    done
}

# FFTW's transposes.
bench_fftw() {
    local ranks n layout problem separator= available plugin=$root/target/$mpi/release/libhcube_fftw.so
    local squares=() large=() transforms=() largest=()
    if [ "$mpi" != openmpi ]; then
        echo "=== FFTW: left out, a machine's own FFTW is for Open MPI"
        return
    fi
    for program in "$plugin" "target/fftw/$mpi/mpi-bench"; do
        [ -e "$program" ] || { echo "bench: no $program: run make fftw MPI=$mpi first" >&2; exit 1; }
    done
    "mpicc.$mpi" -std=c99 -O2 -rdynamic -Iinclude -o "$work/fftw-bench" hpcc-glue/fftw/bench/*.c \
        -lfftw3_mpi -lfftw3 -ldl -lm
    for layout in none both; do
        squares+=("transpose,1024x1024,in,$layout" "transpose,2048x2048,in,$layout")
        large+=("transpose,4096x4096,in,$layout" "transpose,8192x8192,in,$layout")
    done
    # Then the transpositions of the transforms.
    large+=(transpose,4096x4096,out,none)
    squares+=(transpose,128x128x256,in,none transpose,128x128x130,in,none)
    large+=(transpose,256x256x512,in,none transpose,256x256x258,in,none)
    for n in 128 256; do
        for layout in none OUT; do
            transforms+=("c2c,${n}x${n}x$n,in,$layout" "r2c,${n}x${n}x$n,in,$layout")
        done
    done
    # The paper's case of equal blocks, 1 GiB in all, needs half as much again by FFTW's plan.
    available=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
    if [ "$available" -gt 3072 ]; then
        large+=(transpose,512x512x514,in,none)
        largest+=(r2c,512x512x512,in,none)
    else
        echo "=== FFTW: 512x512x512 left out, $available MiB of memory are too few"
    fi
    for ranks in 2 4; do
        echo "=== FFTW: its own transposes against hcube's, $ranks ranks"
        compare_fftw "fftw-$ranks-a" "$ranks" --rigour patient --repeat 51 "${squares[@]}"
        compare_fftw "fftw-$ranks-b" "$ranks" --rigour patient --repeat 15 "${large[@]}"
        compare_fftw "fftw-$ranks-c" "$ranks" --rigour measure --repeat 15 "${transforms[@]}"
        [ ${#largest[@]} -eq 0 ] || compare_fftw "fftw-$ranks-d" "$ranks" --rigour measure --repeat 7 "${largest[@]}"
    done
    {
        printf '{"runs": [\n'
        for ranks in 2 4; do
            for n in 128 256; do
                for problem in c r; do
                    upstream "$ranks" "i${problem}f${n}x${n}x$n" "${problem}2c ${n}x${n}x$n in place"
                    upstream "$ranks" "i${problem}f]${n}x${n}x$n" "${problem}2c ${n}x${n}x$n in place OUT"
                done
            done
        done
        printf '\n]}\n'
    } >"$work/mpi-bench.json"
    "$tool" fftw --from "$(joined "fftw-*.json"),$work/mpi-bench.json" --json "$folder/fftw.json" \
        --plot "$folder/fftw.svg"
    echo "All results: ${folder#"$root"/}/fftw.json and fftw.svg beside it"
}

for part in $parts; do
    "bench_$part"
done
