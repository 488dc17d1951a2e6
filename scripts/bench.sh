#!/usr/bin/env bash
# Measures hcube against the bound of this machine, message passing against
# shared memory, and the sweeps of Plimpton et al. 2006; and the all-to-all
# exchange as Hofmann and Ruenger 2013 do:
#
#   [MPI=openmpi|mpich] scripts/bench.sh [gups] [alltoall]     both by default
#
# What is compared is measured in one run, alternating, as often as --repeat
# says; tables show medians and (largest - smallest) / median. All results go to
# target/bench/gups.json: {"mpi": ..., "sections": {<name>: <hcube gups --json>,
# ...}, "hpcc": <hcube hpcc --json> or null}. Figures of different sections were
# taken at different times: compare inside a section. Those of the all-to-all
# exchange go to target/bench/alltoall.json, {"runs": [...]}, with the plots
# alltoall-ranks.svg, alltoall-sizes.svg and alltoall-memory.svg beside it, and
# include two ranks of MPICH where the tool is built for it. Called by `make bench`,
# which builds the tool. Compares with HPCC too where `make run` has built it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
mpi=${MPI:-openmpi}
tool=$root/target/$mpi/release/hcube
folder=$root/target/bench
work=$folder/$mpi
cores=$(nproc)
parts=${*:-gups alltoall}

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
unset HCUBE_ALLTOALL HCUBE_PATH HCUBE_MEMORY
unset HCUBE_LOOK_AHEAD HCUBE_MODE HCUBE_DIMENSIONS HCUBE_RELAXED HCUBE_OPTIMISATIONS HCUBE_HUGE_PAGES HCUBE_RANKS_PER_NODE

for part in $parts; do
    case $part in
    gups | alltoall) ;;
    *) echo "bench: $part: expected gups or alltoall" >&2; exit 2 ;;
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

for part in $parts; do
    "bench_$part"
done
