# The part `gfortran` of scripts/bench.sh, which includes this file: Fortran programs with
# coarrays by hcube, by OpenCoarrays where it is installed, and without coarrays by MPI.
#
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of scripts/bench.sh

# images <seconds> <images> [option...]: a step of programs with coarrays.
images() {
    local time=$1 count=$2 title="Fortran programs with coarrays, $2 images"
    shift 2
    fits "$count" "$title" || return 0
    step "$time" "$title" programs_with_coarrays "$count" "$@"
}

bench_gfortran() {
    local reason status=0 repeat=3
    # Exit status 2: something is missing. With another one the steps say what is wrong.
    reason=$("$tool" bench gfortran --images 1 --operations get-scalar --repeat 1 --no-opencoarrays --no-mpi \
        --no-progress 2>&1 >/dev/null) || status=$?
    if [ "$status" -eq 2 ]; then
        echo "=== Fortran programs with coarrays: skipped: ${reason#hcube: }"
        return
    fi
    [ -z "$full" ] || repeat=9
    images $((10 * repeat)) 2 --repeat "$repeat"
    images $((16 * repeat)) 4 --repeat "$repeat"
    images $((28 * repeat)) 8 --repeat "$repeat"
    step 1 "Results of Fortran programs with coarrays" write_joined gfortran
}

# The tool starts the programs by mpirun itself.
programs_with_coarrays() {
    local count=$1
    shift
    "$tool" bench gfortran --images "$count" --no-progress --launcher "${launcher[*]}" \
        --json="$work/gfortran-$count.json" "$@"
    echo
}
