#!/usr/bin/env bash
# Runs the all-to-all cases of correctness suites of others without and with the preload library; for developers, not
# part of CI:
#
#   [MPI=openmpi|mpich] [JOBS=2] [HCUBE_SUITES=<folder>] scripts/deep/suites.sh [case...]
#
#   corrbench  MPI-CorrBench (TU Darmstadt), with the programs of MPICH's own tests
#   mbi        the MPI Bugs Initiative, whose generators write the cases
#   bugbench   MPI-BugBench, the same
#
# Each suite is cloned into target/deep/suites, unless HCUBE_SUITES has a clone of its name. A case is a program that calls
# MPI_Alltoall*, MPI_Ialltoall*, MPI_Alltoall*_init or MPI_Neighbor_alltoall*, and has a name as
# mbi/gencodes/CollCorrect_Alltoall. It is compiled once and runs without hcube and with the preload library: by default,
# where the first exchange of a communicator is forwarded; with HCUBE_ALLTOALL=linear-shift, which serves all blocking
# exchanges; and with HCUBE_PATH=single-copy, which serves nonblocking exchanges after a blocking one. Its verdict must be
# the same:
#
#   ok     exit status 0; also the output of all ranks, in any order, is the same
#   error  another exit status; also the error classes in the MPI library's messages are the same
#   hang   does not end within $seconds: not run with hcube, since nothing is to be compared
#
# suites.txt lists erroneous cases with another verdict, and the reason. One line for each case with another verdict and
# the numbers at the end; the exit status is 1 for a difference, 77 if no suite is available. Output of programs is in
# target/deep/suites/$MPI.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
mpi=${MPI:-openmpi}
jobs=${JOBS:-2}
suites=$PWD/target/deep/suites
folder=$suites/$mpi
library=$PWD/target/$mpi/release/libhcube_preload.so
seconds=20
export LC_ALL=C
case $mpi in
openmpi) launcher="mpirun.openmpi --oversubscribe --bind-to none" ;;
mpich) launcher=mpirun.mpich ;;
*)
    echo "suites: MPI=$mpi: choose openmpi or mpich" >&2
    exit 2
    ;;
esac
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_odls_base_sigkill_timeout=0
# See tests/support: with TCP among its transports MPICH may hang in MPI_Finalize. Warnings contain addresses.
export UCX_TLS=self,posix,sysv,cma UCX_LOG_LEVEL=error
export here folder suites library launcher seconds

# provide <suite> <address>: a copy of the sources in $suites/<suite>, with the generated cases; fails where it is not
# available.
provide() {
    local source=$suites/$1
    [ ! -d "$source" ] || return 0
    rm -rf "$source.new"
    if [ -d "${HCUBE_SUITES:-}/$1" ]; then
        cp -a "$HCUBE_SUITES/$1" "$source.new" || return
    else
        git clone -q --depth 1 "$2" "$source.new" </dev/null >"$source.log" 2>&1 || {
            echo "suites: $1 is not available: $(tail -n 1 "$source.log")"
            return 1
        }
    fi
    # A folder that has them is taken as it is.
    [ -d "$source.new/gencodes" ] || case $1 in
    # The generators write to the working directory.
    mbi)
        mkdir -p "$source.new/gencodes"
        (cd "$source.new/gencodes" && for generator in ../scripts/*Generator*.py; do
            python3 -W ignore "$generator" || exit
        done) >"$source.log" 2>&1
        ;;
    bugbench) (cd "$source.new" && python3 MBB.py -c generate --level 1) >"$source.log" 2>&1 ;;
    esac || {
        echo "suites: $1: no cases were generated, see target/deep/suites/$1.log"
        return 1
    }
    mv "$source.new" "$source"
}

# The cases of a suite: the names of their sources in $suites without .c.
cases() {
    local parts
    case $1 in
    corrbench) parts=(micro-benches/0-level) ;;
    *) parts=(gencodes) ;;
    esac
    (cd "$suites/$1" && grep -rlE --include='*.c' '\b(MPI|MTest)_(I|Neighbor_|Ineighbor_)?[Aa]lltoall[vw]?(_init)? *\(' "${parts[@]}") |
        sed "s|^|$1/|; s|\.c\$||" | sort
}

# Whether the suite says that a case is correct.
is_correct() {
    case $1 in
    corrbench/*) [[ $1 = */correct/* ]] ;;
    *) grep -A 1 -E '^ *\$ mpirun ' "$suites/$1.c" | grep -qE '^ *\| *OK' ;;
    esac
}

# The number of ranks of a case.
ranks() {
    local count
    count=$(sed -nE 's/^ *\$ mpirun -np ([0-9]+) .*/\1/p' "$suites/$1.c" | head -n 1)
    echo "${count:-2}"
}

# run <case> <name of the run> <variable>...: prints the verdict.
run() {
    local work=$folder/$1 name=$2 count code=0
    count=$(ranks "$1")
    shift 2
    # shellcheck disable=SC2086 # a command with arguments
    timeout -k 5 "$seconds" $launcher -np "$count" env "$@" "$work/program" >"$work/$name.out" 2>"$work/$name.err" \
        </dev/null || code=$?
    sort -o "$work/$name.out" "$work/$name.out"
    case $code in
    0) echo ok ;;
    124 | 137) echo hang ;;
    *) echo error ;;
    esac
}

# The MPI library's words for the classes of errors in the messages of a run.
classes() {
    grep -ohE 'MPI_ERR_[A-Z_]+|Null communicator|Invalid (communicator|datatype|count|buffer pointer|request|argument)|Message truncated' \
        "$1.err" | sort -u
}

# same <case> <verdict without hcube> <run> <verdict>: whether the run is as without hcube.
same() {
    local work=$folder/$1
    [ "$2" = "$4" ] || return
    case $2 in
    ok) cmp -s "$work/stock.out" "$work/$3.out" ;;
    error)
        # An error that hcube raises has its own words, with the function and the argument.
        grep -q 'hcube: MPI_' "$work/$3.err" || [ "$(classes "$work/stock")" = "$(classes "$work/$3")" ]
        ;;
    esac
}

# Whether the statistics of a run have an exchange of hcube.
served() {
    if [ -f "$1" ] && grep -o '"path": "[a-z+-]*"' "$1" | grep -qv '"library"'; then
        echo served
    else
        echo forwarded
    fi
}

# check <case>: prints the case, what the suite says, and the verdicts.
check() {
    local work=$folder/$1 expected=erroneous stock verdict name variable attempt
    mkdir -p "$work"
    ! is_correct "$1" || expected=correct
    # shellcheck disable=SC2086 # empty for other suites
    "mpicc.${folder##*/}" -w -O1 ${includes:-} "$suites/$1.c" -o "$work/program" -lm >"$work/compiler.log" 2>&1 || {
        echo "$1 $expected not-compiled"
        return
    }
    stock=$(run "$1" stock HCUBE_PATH=auto)
    [ "$stock" != hang ] || {
        echo "$1 $expected hang"
        return
    }
    for name in default always single-copy; do
        case $name in
        default) variable=HCUBE_PATH=auto ;;
        always) variable=HCUBE_ALLTOALL=linear-shift ;;
        *) variable=HCUBE_PATH=$name ;;
        esac
        rm -f "$work/$name.json"
        # An erroneous case may have several verdicts, and the launcher may lose messages of a job that it ends.
        for attempt in 1 2 3; do
            [ "$attempt" = 1 ] || stock=$(run "$1" stock HCUBE_PATH=auto)
            verdict=$(run "$1" $name "LD_PRELOAD=$library" "$variable" "HCUBE_STATS=json:$work/$name.json")
            ! same "$1" "$stock" $name "$verdict" || break
        done
        if same "$1" "$stock" $name "$verdict"; then
            verdict=same
        elif [ "$expected" = erroneous ] && grep -qE "^$1 " "$here/suites.txt"; then
            verdict=listed
        else
            verdict=DIFFERENT:$verdict
        fi
        echo "$1 $expected $stock $name $verdict $(served "$work/$name.json")"
    done
}
export includes="-I$suites/corrbench/micro-benches/0-level/correct/include"
export -f is_correct ranks run classes same served check

[ -f "$library" ] || {
    echo "suites: no $library: run make MPI=$mpi first" >&2
    exit 2
}
mkdir -p "$folder"
if [ $# -gt 0 ]; then
    names=("$@")
else
    names=()
    provided=
    ! provide corrbench https://github.com/tudasc/MPI-Corrbench || provided+=" corrbench"
    ! provide mbi https://gitlab.com/MpiCorrectnessBenchmark/mpicorrectnessbenchmark || provided+=" mbi"
    ! provide bugbench https://git-ce.rwth-aachen.de/hpc-public/mpi-bugbench || provided+=" bugbench"
    for suite in $provided; do
        mapfile -t -O ${#names[@]} names < <(cases "$suite")
    done
    [ ${#names[@]} -gt 0 ] || exit 77
fi
# shellcheck disable=SC2016 # the argument of the shell that xargs starts
printf '%s\n' "${names[@]}" | xargs -P "$jobs" -I{} bash -c 'check "$1"' _ {} >"$folder/verdicts"
sed -nE 's/^([^ ]+ .*DIFFERENT:.*)/suites: FAILED: \1/p' "$folder/verdicts"
awk -v "cases=${#names[@]}" '
    { runs += NF == 6; served += $6 == "served"; hang += $3 == "hang"; broken += $3 == "not-compiled"; same += $5 == "same"; listed += $5 == "listed" }
    { different += $5 ~ /^DIFFERENT/; correct += $2 == "correct" && $5 == "same"; error += $3 == "error" && $5 == "same" }
    END {
        printf "suites: %d cases, %d runs with hcube, of which %d were served by hcube: ", cases, runs, served
        printf "%d with the same verdict (%d of correct cases, %d errors), %d listed, %d different; ", \
            same, correct, error, listed, different
        printf "%d cases hang without hcube, %d are not compiled\n", hang, broken
        exit different > 0 || served == 0
    }' "$folder/verdicts"
