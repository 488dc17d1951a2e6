# The part `caf` of scripts/bench.sh, which includes this file: operations of coarrays
# by hcube, by MPI and, where Open MPI has it, by OpenSHMEM.
#
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of scripts/bench.sh

bench_caf() {
    local latency=barrier,finish,spawn-xor,broadcast,allreduce ranks
    if [ -n "$full" ]; then
        measured 60 caf-2 2 "Coarrays: all operations" caf --sizes 8,64,512,4k,32k,64k,256k,1M,4M
    else
        measured 15 caf-2 2 "Coarrays: all operations" caf --repeat 5
    fi
    for ranks in 4 8; do
        measured 10 "caf-$ranks" "$ranks" "Coarrays: synchronisation and shipped functions" caf \
            --operations "$latency" --repeat 5
    done
    step 1 "Results of coarrays" write_joined caf
}
