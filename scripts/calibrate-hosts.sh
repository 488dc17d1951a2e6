#!/usr/bin/env bash
# Measures what messages between and inside hosts of this machine cost, for the models of hosts in
# `results/src/machine/hosts-*.json`, and writes these files. Nothing else should run on the machine.
#
#   scripts/calibrate-hosts.sh [library...]     openmpi or mpich; both by default
#
# A figure is the smallest mean of 200 batches of 4 ping-pongs of two ranks between hosts, and inside a host: both poll,
# so that it is the processor time of both sides. On 16 ranks, of which 14 wait, the median is longer because 7 of them
# poll on each core.
# HCUBE_LAB names another hcube-lab than the one in target/openmpi. Needs root or user namespaces, as `hcube-lab hosts`.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
lab=${HCUBE_LAB:-target/openmpi/release/hcube-lab}
folder=target/calibrate
mkdir -p "$folder"
# Before other programs of the machine, where that is permitted.
first="nice -n -15"

# Lines `bytes least median` of a job: library, hosts, ranks per host, command in front of the program, largest message.
measured() {
    # shellcheck disable=SC2086
    "$lab" hosts --mpi "$1" --hosts "$2" --ranks-per-host "$3" -- $4 "$PWD/$folder/messages-$1" "$5" 2>>"$folder/log"
}

title() {
    case $1 in
        openmpi) echo "Open MPI 4" ;;
        mpich) echo "MPICH 4" ;;
        *) echo "$1" ;;
    esac
}

# Points of a curve as JSON.
points() {
    awk '{ printf "%s\n      {\"bytes\": %d, \"us\": %s}", (NR > 1 ? "," : ""), $1, $2 }' "$1"
}

[ $# -gt 0 ] || set -- openmpi mpich
for library; do
    "mpicc.$library" -std=c11 -O2 -Wall -Wextra lab/simgrid/messages.c -o "$folder/messages-$library"
    measured "$library" 2 1 "$first" 131072 >"$folder/$library-network"
    measured "$library" 1 2 "$first" 131072 >"$folder/$library-node"
    measured "$library" 4 4 "$first" 8 >"$folder/$library-crowd"
    alone=$(awk '$1 == 8 { print $2 }' "$folder/$library-network")
    poll=$(awk -v alone="$alone" '$1 == 8 { printf "%.2f", ($3 > alone ? ($3 - alone) / 7 : 0) }' "$folder/$library-crowd")
    cat >"results/src/machine/hosts-$library.json" <<END
{
  "name": "hosts-$library",
  "title": "hosts of one machine with 2 cores, $(title "$library"), a model",
  "sources": [
    "Costs of messages: scripts/calibrate-hosts.sh on this machine, $(date '+%B %Y'). No exchange was used.",
    "eager_bytes and equal shares of sender and receiver are assumptions.",
    "Latency and bandwidth do not limit: all messages are copied by the two processors, in the time of their costs.",
    "Copies of hcube and of the MPI library: 0.1 ns for each byte, an estimate."
  ],
  "topology": {"kind": "fat-tree", "down": [64]},
  "cores": 4,
  "network": {"latency_us": 0.0, "bandwidth_gb_s": 1000.0},
  "node": {"latency_us": 0.0, "bandwidth_gb_s": 1000.0},
  "costs": {"generate_ns": 1.0, "update_ns": 10.0, "divide_ns": 1.0, "copy_ns": 0.1},
  "messages": {
    "shared_cores": 2,
    "eager_bytes": 65536,
    "poll_us": $poll,
    "network": [$(points "$folder/$library-network")
    ],
    "node": [$(points "$folder/$library-node")
    ]
  }
}
END
done
