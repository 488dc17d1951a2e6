# The part `llcs` of scripts/bench.sh, which includes this file: longest common subsequences by hcube, by its kernels,
# by a plain loop and by the crate rapidfuzz on one process; by all ranks compared with the cost model, as in chapter 5
# of Krusche 2005.
#
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of scripts/bench.sh

bench_llcs() {
    local ranks one=(--lengths "1000,10^4,10^5" --repeat 5) lengths="8192,16384,32768,65536,10^5,3*10^5"
    local all=hcube,grid,alpha,barriers
    if [ -n "$full" ]; then
        one=(--lengths "100,1000,10^4,10^5,10^6" --symbols "2,4,8,26,32,256" --repeat 5)
        lengths+=,10^6
    fi
    measured 15 llcs-one-random 1 "Longest common subsequences" llcs "${one[@]}"
    measured 5 llcs-one-common 1 "Longest common subsequences, 90% in common" llcs --symbols 256 --common 90 \
        --variants hcube,rapidfuzz --lengths "100,1000,10^4,10^5" --repeat 5
    for ranks in 2 4; do
        # Ranks without a core show nothing about square grids.
        [ "$ranks" -le "$cores" ] || all=hcube,grid
        measured 30 "llcs-ranks-$ranks" "$ranks" "Longest common subsequences" llcs --lengths "$lengths" --symbols 4 \
            --variants "$all" --repeat 9
    done
    step 1 "Results of longest common subsequences" write_llcs
}

write_llcs() {
    local all
    "$tool" bench llcs --from "$(joined "llcs-one-*.json")" --plot "$folder/llcs.svg" >/dev/null
    all=$(joined "llcs-ranks-*.json")
    [ -z "$all" ] || "$tool" bench llcs --from "$all" --plot "$folder/llcs-ranks.svg" >/dev/null
    "$tool" bench llcs --from "$(joined "llcs-*.json")" --json "$folder/llcs.json" >/dev/null
    echo "All results: ${folder#"$root"/}/llcs.json, llcs.svg and llcs-ranks.svg"
}
