# The part `caf` of scripts/bench.sh, which includes this file: operations of coarrays
# by hcube, by MPI and, where Open MPI has it, by OpenSHMEM.
#
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of scripts/bench.sh

# coarrays <seconds> <ranks> <title> [option...]: a step of coarrays.
coarrays() {
    local time=$1 ranks=$2 title="$3, $2 ranks"
    shift 3
    fits "$ranks" "$title" || return 0
    step "$time" "$title" measure "caf-$ranks" "$ranks" caf "$@"
}

bench_caf() {
    local latency=barrier,finish,spawn-xor,broadcast,allreduce ranks
    if [ -n "$full" ]; then
        coarrays 60 2 "Coarrays: all operations" --sizes 8,64,512,4k,32k,64k,256k,1M,4M
    else
        coarrays 15 2 "Coarrays: all operations" --repeat 5
    fi
    for ranks in 4 8; do
        coarrays 10 "$ranks" "Coarrays: synchronisation and shipped functions" --operations "$latency" --repeat 5
    done
    step 1 "Results of coarrays" write_caf
}

write_caf() {
    local all
    all=$(joined "caf-*.json")
    "$tool" bench caf --from "$all" --json "$folder/caf.json" --plot "$folder/caf.svg" >/dev/null
    echo "All results: ${folder#"$root"/}/caf.json and caf.svg"
}
