#!/usr/bin/env bash
# Measures what messages between and inside hosts of this machine cost, and what ranks that wait do, for the models of
# hosts in `results/src/machine/hosts-*.json`, and writes these files.
#
#   scripts/calibrate-hosts.sh [library...]     openmpi, openmpi5, mpich, mpich5; all by default
#
# Figures of messages are smallest means of 600 batches of 4 ping-pongs in three runs, on ranks that run before other
# programs of the machine (nice), so that other work does little harm:
#
# - Two ranks between hosts on a core each: the processor time of a message of 8 bytes of both sides.
# - n ranks on one core: two exchange messages, and the others poll and yield in turn. Until the receiver of a message
#   inside a host has its turn, n / 2 ranks poll on average, and half as many where the ranks are divided between two
#   cores: the difference is the time of these polls, the rest the cost of the message.
# - What a message between hosts takes longer is a multiple of n polls, the turns that the receiver misses. Where messages
#   inside a host do not wait for the polls of others (Open MPI 5), the receiver is assumed to miss one turn, as measured
#   with Open MPI 4, and the time of polls follows.
# - What longer messages take longer, on 4 ranks of one core, is the processor time of their bytes.
# - A copy of a message of 16 KiB: what a byte of an eager message that arrives before its receive is posted costs more.
# - The largest message of which a blocking send returns before its receive is posted is the longest eager one.
# - Messages between all pairs of ranks at the same time, 200 round trips in each of 45 batches: how much more messages cost
#   there.
# - Rates of inner loops are of one process on each core, because cores may share their units: by hcube probe with a table
#   of the size of HPCC's on hosts, and the median of hcube bench for products and transforms of about the length of a
#   rank's part. A transform's copies are part of its levels.
#
# HCUBE_LAB names another hcube-lab than the one in target/openmpi, beside which hcube is. Needs root, for the priority of
# the ranks.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
lab=${HCUBE_LAB:-target/openmpi/release/hcube-lab}
tool=$(dirname "$lab")/hcube
folder=target/calibrate
[ "$(id -u)" = 0 ] || {
    echo "calibrate-hosts: needs root, for the priority of the ranks" >&2
    exit 1
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
rm -rf "$folder"
mkdir -p "$folder"

failed() {
    echo "calibrate-hosts: $*; the end of $folder/log:" >&2
    tail "$folder/log" >&2
    exit 1
}

# The core of a rank, by its number on its host or in the job.
# shellcheck disable=SC2016
readonly on_host='${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-0}}' in_job='${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}'

# Lines `place bytes us` of a job, each the smallest of three runs: library, hosts, ranks per host, core of each rank,
# largest message, file, what is measured. Ranks of MPICH may not end after they have printed.
measured() {
    local status
    for _ in 1 2 3; do
        status=0
        timeout -k 10 60 "$lab" hosts --mpi "$1" --hosts "$2" --ranks-per-host "$3" -- \
            sh -c "exec nice -n -15 taskset -c \$(($4)) \"\$0\" \"\$@\"" "$PWD/$folder/messages-$1" "$3" "$5" "${7:-costs}" \
            2>>"$folder/log" || status=$?
        [ $status -eq 0 ] || echo "$1 on $2 x $3 ranks, $6: status $status" >>"$folder/log"
    done | awk '{ key = $1 " " $2
        if (!(key in least)) order[++n] = key
        if (!(key in least) || $3 < least[key]) least[key] = $3 }
        END { for (at = 1; at <= n; at++) print order[at], least[order[at]] }' >"$folder/$6"
    [ -s "$folder/$6" ] || failed "no figures of $1 on $2 x $3 ranks ($6)"
}

title() {
    case $1 in
        openmpi) echo "Open MPI 4" ;;
        openmpi5) echo "Open MPI 5" ;;
        mpich) echo "MPICH 4" ;;
        mpich5) echo "MPICH 5" ;;
        *) echo "$1" ;;
    esac
}

# The time of a message: file, place, bytes.
time_of() {
    awk -v place="$2" -v bytes="$3" '$1 == place && $2 == bytes { print $3; n++ } END { exit !n }' "$folder/$1" ||
        failed "no time of $3 bytes in $folder/$1 ($2)"
}

# Points of a curve as JSON: file, place, the cost of 8 bytes.
points() {
    awk -v place="$2" -v cost="$3" '$1 == place { if ($2 == 8) first = $3
        us = cost + $3 - first
        printf "%s\n      {\"bytes\": %d, \"us\": %.2f}", (n++ ? "," : ""), $2, (us > last ? us : last)
        last = us > last ? us : last }' "$folder/$1"
}

# The longest message in a file of blocking sends. A send that returns too late only makes it shorter.
eager() {
    awk '$1 ~ /^eager-/ { if ($2 > most) most = $2; n++ } END { print most + 0; exit !n }' "$folder/$1"
}

# hcube on one rank of Open MPI on each of two cores at the same time: a name for files, arguments. FILE in them stands for
# the file of the core.
both() {
    local name=$1 core process processes=()
    shift
    for core in 0 1; do
        nice -n -15 taskset -c "$core" mpirun.openmpi --bind-to none -n 1 "$tool" "${@//FILE/$folder/$name-$core.json}" \
            >>"$folder/log" 2>&1 &
        processes+=($!)
    done
    for process in "${processes[@]}"; do
        wait "$process" || failed "$name"
    done
}

# The mean of both cores of the first value of a key in nanoseconds, divided by a number: name, key, nanoseconds in a unit of
# the value, number.
rate() {
    local core
    for core in 0 1; do
        sed -n "/\"$2\"/ { s/.*\"$2\": \([0-9.e+-]*\).*/\1/p; q; }" "$folder/$1-$core.json"
    done | awk -v ns="$3" -v number="$4" \
        '{ sum += $1; n++ } END { printf "%.4g", sum / n * ns / number; exit !(n == 2 && sum > 0) }' ||
        failed "no $2 in $folder/$1-*.json"
}

readonly log2_table=19 order=256 log2_length=18
both probe probe --no-progress --force --table-size "$log2_table" FILE
both gemm bench gemm --no-progress --variants hcube --sizes "$order" --repeat 99 --json=FILE
both fft bench fft --no-progress --algorithms six-step --lengths "2^$log2_length" --repeat 99 --json=FILE
costs=
for cost in generate_ns update_ns divide_ns copy_ns entry_ns; do
    value=$(rate probe "$cost" 1 1)
    costs+="\"$cost\": $value, "
done
multiply_ns=$(rate gemm median_ms 1e6 $((order * order * order)))
level_ns=$(rate fft median_us 1e3 $(((1 << log2_length) * log2_length)))
costs+="\"multiply_ns\": $multiply_ns, \"level_ns\": $level_ns"
copy_ns=

[ $# -gt 0 ] || set -- openmpi openmpi5 mpich mpich5
for library; do
    "mpicc.$library" -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra lab/simgrid/messages.c -o "$folder/messages-$library"
    measured "$library" 2 1 "$in_job % 2" 8 "$library-alone"
    measured "$library" 2 2 1 131072 "$library-4"
    measured "$library" 4 4 1 8 "$library-16"
    measured "$library" 4 4 "$on_host % 2" 8 "$library-16-on-two"
    measured "$library" 8 4 1 8 "$library-32"
    measured "$library" 2 1 "$in_job % 2" 131072 "$library-blocking" blocking
    measured "$library" 2 1 "$in_job % 2" 16384 "$library-copies" copies
    measured "$library" 2 2 "$on_host % 2" 8 "$library-4-pairs" pairs
    measured "$library" 4 4 "$on_host % 2" 8 "$library-16-pairs" pairs
    measured "$library" 8 4 "$on_host % 2" 8 "$library-32-pairs" pairs
    # The same for all libraries: a copy has nothing to do with them.
    if [ -z "$copy_ns" ]; then
        copy_us=$(time_of "$library-copies" copy 16384)
        copy_ns=$(awk -v us="$copy_us" 'BEGIN { printf "%.3f", 1000 * us / 16384 }')
    fi
    network=$(time_of "$library-alone" network 8)
    few=$(time_of "$library-4" node 8)
    one=$(time_of "$library-16" node 8)
    two=$(time_of "$library-16-on-two" node 8)
    # Where the kernel lets two ranks of a host run alternately without the others, their messages say nothing of polls.
    in_turn=$(awk -v one="$one" -v two="$two" 'BEGIN { print (one > 1.3 * two) }')
    node=$(awk -v in_turn="$in_turn" -v one="$one" -v two="$two" -v few="$few" \
        'BEGIN { cost = in_turn ? 2 * two - one : few; printf "%.2f", (cost > 0 ? cost : 0) }')
    : >"$folder/polls"
    for ranks in 4 16 32; do
        between=$(time_of "$library-$ranks" network 8)
        inside=$(time_of "$library-$ranks" node 8)
        pairs=$(time_of "$library-$ranks-pairs" pairs-network 8)
        echo "$ranks $between $inside $pairs" >>"$folder/polls"
    done
    polls=$(awk -v network="$network" -v node="$node" -v in_turn="$in_turn" '{
        poll = in_turn ? ($3 - node) / ($1 / 2) : ($2 - network) / ($1 * 1.5)
        missed = ($2 - network - poll * $1 / 2) / (poll * $1)
        printf "%s\n      {\"ranks\": %d, \"us\": %.2f, \"missed_turns\": %.2f, \"pairs_us\": %.2f}", (NR > 1 ? "," : ""),
            $1, poll, (missed > 0 ? missed : 0), $4 }' "$folder/polls")
    eager_bytes=$(eager "$library-blocking") || failed "no eager message in $folder/$library-blocking"
    cat >"$folder/hosts-$library.json" <<END
{
  "name": "hosts-$library",
  "title": "hosts of one machine with 2 cores, $(title "$library"), a model",
  "sources": [
    "Costs of messages and polls: scripts/calibrate-hosts.sh on this machine, $(date '+%B %Y'). No exchange was used.",
    "Equal shares of sender and receiver are an assumption. eager_bytes is of messages between hosts.",
    "Latency and bandwidth do not limit: all messages are copied by the two processors, in the time of their costs.",
    "Copies of early messages: the smallest time of a copy of 16 KiB, by the same script.",
    "Rates of inner loops: one process on each core, by the same script; update_ns with a table of 2^$log2_table words of each, multiply_ns with matrices of order $order, level_ns with 2^$log2_length numbers.",
    "Copies of hcube and of the MPI library's algorithms: copy_ns, in caches."
  ],
  "topology": {"kind": "fat-tree", "down": [64]},
  "cores": 4,
  "network": {"latency_us": 0.0, "bandwidth_gb_s": 1000.0},
  "node": {"latency_us": 0.0, "bandwidth_gb_s": 1000.0},
  "costs": {$costs},
  "messages": {
    "shared_cores": 2,
    "eager_bytes": $eager_bytes,
    "copy_ns": $copy_ns,
    "polls": [$polls
    ],
    "network": [$(points "$library-4" network "$network")
    ],
    "node": [$(points "$library-4" node "$node")
    ]
  }
}
END
    mv "$folder/hosts-$library.json" results/src/machine
done
