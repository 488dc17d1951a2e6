# The part `hpcc` of scripts/bench.sh, which includes this file: Fourier transforms,
# STREAM and broadcasts of panels.
#
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of scripts/bench.sh

bench_hpcc() {
    local ranks system lengths=2^20,2^22
    [ -z "$full" ] || lengths=2^14,2^16,2^18,2^20,2^22,2^24
    for ranks in 1 2 4 8; do
        measured 12 "fft-$ranks" "$ranks" "Fourier transforms" fft --lengths "$lengths" --repeat 5
    done
    measured 20 stream-2 2 "STREAM" stream --sizes 16k,128k,1M,8M,64M --repeat 5
    for ranks in 2 4; do
        measured 10 "panels-$ranks" "$ranks" "Broadcasts of panels" panels --repeat 5
    done
    for system in fft stream panels; do
        step 1 "Results of $system" write_joined "$system"
    done
}
