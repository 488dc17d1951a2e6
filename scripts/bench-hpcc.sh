# The part `hpcc` of scripts/bench.sh, which includes this file: Fourier transforms,
# STREAM and broadcasts of panels.
#
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of scripts/bench.sh

# kernel <seconds> <system> <ranks> <title> [option...]: a step of one of them.
kernel() {
    local time=$1 system=$2 ranks=$3 title="$4, $3 rank(s)"
    shift 4
    fits "$ranks" "$title" || return 0
    step "$time" "$title" measure "$system-$ranks" "$ranks" "$system" "$@"
}

bench_hpcc() {
    local ranks system lengths=2^20,2^22
    [ -z "$full" ] || lengths=2^14,2^16,2^18,2^20,2^22,2^24
    for ranks in 1 2 4 8; do
        kernel 12 fft "$ranks" "Fourier transforms" --lengths "$lengths" --repeat 5
    done
    kernel 20 stream 2 "STREAM" --sizes 16k,128k,1M,8M,64M --repeat 5
    for ranks in 2 4; do
        kernel 10 panels "$ranks" "Broadcasts of panels" --repeat 5
    done
    for system in fft stream panels; do
        step 1 "Results of $system" write_kernel "$system"
    done
}

# write_kernel <system>: all its results in one file, and the picture.
write_kernel() {
    "$tool" bench "$1" --from "$(joined "$1-*.json")" --json "$folder/$1.json" --plot "$folder/$1.svg" >/dev/null
    echo "All results: ${folder#"$root"/}/$1.json and $1.svg"
}
