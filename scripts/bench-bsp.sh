# The part `bsp` of scripts/bench.sh, which includes this file: supersteps of BSP programs by hcube, by MPI and, with
# BSPLIB=FILE, by another BSP library; and two programs compared with the predictions of the cost model, by parameters
# that are measured here.
#
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of scripts/bench.sh

# supersteps <seconds> <name> <ranks> <title> [option...]: a step of BSP.
supersteps() {
    measured "$1" "bsp-$3-$2" "$3" "$4" bsp "${@:5}" ${BSPLIB:+--library "$BSPLIB"}
}

bench_bsp() {
    local ranks time=20
    local sweep=(--operations put,hpput,get,hpget,send) latency=(--operations empty,shift,all-to-all)
    if [ ! -f "${tool%/*}/libhcube_bsp.so" ]; then
        echo "=== BSP programs: skipped, libhcube_bsp.so is not built (make MPI=$mpi builds it)"
        return
    fi
    if [ -z "$full" ]; then
        sweep+=(--sizes "8,1k,64k,1M" --messages "1,16,256,4096" --repeat 5)
    else
        time=60
    fi
    for ranks in 2 4 8; do
        supersteps 2 a-latency "$ranks" "BSP programs: latency of supersteps" "${latency[@]}"
        if [ -n "$full" ] || [ "$ranks" -eq 2 ]; then
            supersteps "$time" b-sweep "$ranks" "BSP programs: puts, gets and messages" "${sweep[@]}"
        fi
    done
    with_mpich 2 other-mpi-bsp "BSP programs: latency of supersteps" bsp "${latency[@]}"
    step 1 "Results of BSP programs" write_bsp
    if [ "$cores" -ge 2 ]; then
        step 45 "BSP programs: figures of this machine, 2 ranks" probe_bsp
        step 15 "BSP programs: matrix product, measured and predicted, 2 ranks" predicted matmul --sizes 256,512,1024,2048
        step 15 "BSP programs: longest common subsequences, measured and predicted, 2 ranks" predicted llcs --sizes 4096,16384,65536
    fi
}

probe_bsp() {
    "${launcher[@]}" -np 2 "$tool" bsp probe "$work/supersteps.json" --no-progress --seconds 900
    echo
}

# predicted <program> [option...]: a program compared with its predictions.
predicted() {
    local program=$1
    "${launcher[@]}" -np 2 "$tool" bsp run "$@" --no-progress --machine "$work/supersteps.json" \
        --json="$folder/bsp-$program.json" --plot "$folder/bsp-$program.svg"
    echo
}

write_bsp() {
    local all more
    all=$(joined "bsp-*.json")
    more=$(joined "other-mpi-bsp.json")
    "$tool" bench bsp --from "$all" --plot "$folder/bsp.svg" >/dev/null
    "$tool" bench bsp --from "$all${more:+,$more}" --json="$folder/bsp.json" >/dev/null
    echo "All results: ${folder#"$root"/}/bsp.json and bsp.svg"
}
