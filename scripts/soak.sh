#!/usr/bin/env bash
# Runs all systems for hours with random programs, sizes, ranks, nodes and disturbances; for developers, not part
# of CI:
#
#   [LIBRARIES="openmpi mpich"] scripts/soak.sh [--hours H] [--seed S] [--runs N] [JOB...]
#
# --hours  how long in all (6)
# --seed   the seed of the first run (the number of seconds since 1970); the run of a seed is always the same
# --runs   ends each library after that many runs, also before
# JOB      only these (tests/soak/jobs.rs)
#
# The libraries take turns of at most half an hour. target/soak/runs.csv has a line for each run: library, seed, job,
# ranks, manner, end, seconds. At the end the number of runs and hours; the exit status is 1 if a run has failed.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH=$PATH:${CARGO_HOME:-${HOME:-/root}/.cargo}/bin:$PWD/target/mpi/bin
export PATH OMPI_MCA_pml=${OMPI_MCA_pml:-ob1} HWLOC_COMPONENTS=${HWLOC_COMPONENTS:--pci,-linuxio}
unset MPI MPICC MAKEFLAGS MFLAGS MAKELEVEL
read -ra libraries <<<"${LIBRARIES:-openmpi mpich}"
hours=6 seed=$(date +%s) runs= jobs=

usage() {
    echo "soak: $1" >&2
    sed -n 's/^#   //p' "$0" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    case $1 in
    --hours | --seed | --runs)
        [[ ${2:-} =~ ^[0-9]+(\.[0-9]+)?$ ]] || usage "$1 '${2:-}': expected a number"
        declare "${1#--}=$2"
        shift
        ;;
    -*) usage "unknown option '$1'" ;;
    *) jobs+=${jobs:+,}$1 ;;
    esac
    shift
done
[ ${#libraries[@]} -gt 0 ] || usage "LIBRARIES is empty"

# with <library> <command...>
with() {
    local mpi=$1
    shift
    env MPI="$mpi" MPICC="mpicc.$mpi" CARGO_TARGET_DIR="$PWD/target/$mpi" "$@"
}

packages=(-p hcube -p hcube-preload -p hcube-bsplib -p hcube-gfortran -p hcube-pblas)
for library in "${libraries[@]}"; do
    with "$library" cargo build --release "${packages[@]}"
    with "$library" cargo test --profile checked -p hcube --test soak --no-run
done

mkdir -p target/soak
log=$PWD/target/soak/runs.csv begin=$(date +%s)
lines=0
[ ! -e "$log" ] || lines=$(wc -l <"$log")
total=$(awk -v hours="$hours" 'BEGIN { printf "%d", 3600 * hours }')
turn=$((total / ${#libraries[@]} < 1800 ? total / ${#libraries[@]} : 1800))
failed=0 number=0
while true; do
    library=${libraries[$((number % ${#libraries[@]}))]}
    left=$((begin + total - $(date +%s)))
    # What is left after whole turns, and a job that took longer than its turn.
    [ "$left" -gt 0 ] || break
    words="hours=$(awk -v seconds=$((left < turn ? left : turn)) 'BEGIN { printf "%f", seconds / 3600 }')"
    words+=" seed=$((seed + number * 1000000)) log=$log${runs:+ runs=$runs}${jobs:+ jobs=$jobs}"
    HCUBE_TEST_SOAK=$words with "$library" cargo test --quiet --profile checked -p hcube --test soak -- \
        --ignored --exact hours || failed=1
    number=$((number + 1))
    [ -z "$runs" ] || [ "$number" -lt ${#libraries[@]} ] || break
done

printf '\n'
tail -n +$((lines + 1)) "$log" | awk -F, -v seconds=$(($(date +%s) - begin)) '
    { runs[$1]++; ends[$1 "," $6]++; time += $7 }
    END {
        for (library in runs)
            printf "soak: %s: %d runs, %d right, %d told, %d failed\n", library, runs[library],
                ends[library ",right"], ends[library ",told"], ends[library ",failed"]
        printf "soak: %.2f hours, %.2f of them in jobs\n", seconds / 3600, time / 3600
    }'
exit $failed
