#!/usr/bin/env bash
# Measures what messages between and inside hosts of this machine cost, and what ranks that wait do, for the models of
# hosts in `results/src/machine/hosts-*.json`, and writes these files.
#
#   scripts/calibrate-hosts.sh [library...]     openmpi or mpich; both by default
#
# Figures are smallest means of 600 batches of 4 ping-pongs in three runs, on ranks that run before other programs of the
# machine (nice), so that other work does little harm:
#
# - Two ranks between hosts on a core each: the processor time of a message of 8 bytes of both sides.
# - n ranks on one core: two exchange messages, and the others poll and yield in turn. Until the receiver of a message
#   inside a host has its turn, n / 2 ranks poll on average, and half as many where the ranks are divided between two
#   cores: the difference is the time of these polls, the rest the cost of the message.
# - What a message between hosts takes longer is a multiple of n polls, the turns that the receiver misses.
# - What longer messages take longer, on 4 ranks of one core, is the processor time of their bytes.
# - A copy of a message of 16 KiB: what a byte of an eager message that arrives before its receive is posted costs more.
# - The largest message of which a blocking send returns before its receive is posted is the longest eager one.
#
# HCUBE_LAB names another hcube-lab than the one in target/openmpi. Needs root, for the priority of the ranks.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
lab=${HCUBE_LAB:-target/openmpi/release/hcube-lab}
folder=target/calibrate
[ "$(id -u)" = 0 ] || {
    echo "calibrate-hosts: needs root, for the priority of the ranks" >&2
    exit 1
}
mkdir -p "$folder"
: >"$folder/log"
# The core of a rank, by its number on its host or in the job.
# shellcheck disable=SC2016
readonly on_host='${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-0}}' in_job='${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}'

# Lines `place bytes us` of a job, each the smallest of three runs: library, hosts, ranks per host, core of each rank,
# largest message, file, what is measured. Ranks of MPICH may not end after they have printed.
measured() {
    for _ in 1 2 3; do
        timeout 60 "$lab" hosts --mpi "$1" --hosts "$2" --ranks-per-host "$3" -- \
            sh -c "exec nice -n -15 taskset -c \$(($4)) \"\$0\" \"\$@\"" "$PWD/$folder/messages-$1" "$3" "$5" "${7:-costs}" \
            2>>"$folder/log" || [ $? -eq 124 ]
    done | awk '{ key = $1 " " $2
        if (!(key in least)) order[++n] = key
        if (!(key in least) || $3 < least[key]) least[key] = $3 }
        END { for (at = 1; at <= n; at++) print order[at], least[order[at]] }' >"$folder/$6"
    [ -s "$folder/$6" ] || {
        echo "calibrate-hosts: no figures of $1 on $2 x $3 ranks:" >&2
        tail "$folder/log" >&2
        exit 1
    }
}

title() {
    case $1 in
        openmpi) echo "Open MPI 4" ;;
        mpich) echo "MPICH 4" ;;
        *) echo "$1" ;;
    esac
}

# The time of a message: file, place, bytes.
time_of() {
    awk -v place="$2" -v bytes="$3" '$1 == place && $2 == bytes { print $3; n++ } END { exit !n }' "$folder/$1"
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

[ $# -gt 0 ] || set -- openmpi mpich
for library; do
    "mpicc.$library" -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra lab/simgrid/messages.c -o "$folder/messages-$library"
    measured "$library" 2 1 "$in_job % 2" 8 "$library-alone"
    measured "$library" 2 2 1 131072 "$library-4"
    measured "$library" 4 4 1 8 "$library-16"
    measured "$library" 4 4 "$on_host % 2" 8 "$library-16-on-two"
    measured "$library" 8 4 1 8 "$library-32"
    measured "$library" 2 1 "$in_job % 2" 131072 "$library-blocking" blocking
    measured "$library" 2 1 "$in_job % 2" 16384 "$library-copies" copies
    copy_ns=$(awk -v us="$(time_of "$library-copies" copy 16384)" 'BEGIN { printf "%.3f", 1000 * us / 16384 }')
    network=$(time_of "$library-alone" network 8)
    node=$(awk -v one="$(time_of "$library-16" node 8)" -v two="$(time_of "$library-16-on-two" node 8)" \
        'BEGIN { cost = 2 * two - one; printf "%.2f", (cost > 0 ? cost : 0) }')
    polls=$(for ranks in 4 16 32; do
        echo "$ranks $(time_of "$library-$ranks" network 8) $(time_of "$library-$ranks" node 8)"
    done | awk -v network="$network" -v node="$node" '{ poll = ($3 - node) / ($1 / 2)
        missed = ($2 - network - poll * $1 / 2) / (poll * $1)
        printf "%s\n      {\"ranks\": %d, \"us\": %.2f, \"missed_turns\": %.2f}", (NR > 1 ? "," : ""), $1, poll,
            (missed > 0 ? missed : 0) }')
    cat >"results/src/machine/hosts-$library.json" <<END
{
  "name": "hosts-$library",
  "title": "hosts of one machine with 2 cores, $(title "$library"), a model",
  "sources": [
    "Costs of messages and polls: scripts/calibrate-hosts.sh on this machine, $(date '+%B %Y'). No exchange was used.",
    "Equal shares of sender and receiver are an assumption. eager_bytes is of messages between hosts.",
    "Latency and bandwidth do not limit: all messages are copied by the two processors, in the time of their costs.",
    "Copies of early messages: the smallest time of a copy of 16 KiB, by the same script.",
    "Copies of hcube and of the MPI library's algorithms: 0.1 ns for each byte, an estimate."
  ],
  "topology": {"kind": "fat-tree", "down": [64]},
  "cores": 4,
  "network": {"latency_us": 0.0, "bandwidth_gb_s": 1000.0},
  "node": {"latency_us": 0.0, "bandwidth_gb_s": 1000.0},
  "costs": {"generate_ns": 1.0, "update_ns": 10.0, "divide_ns": 1.0, "copy_ns": 0.1},
  "messages": {
    "shared_cores": 2,
    "eager_bytes": $(eager "$library-blocking"),
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
done
