# The parts `preload` and `programs` of scripts/bench.sh, which includes this file: the
# preload library against the MPI library, in the benchmarks of lab/preload and in
# real programs with the inputs of lab/programs.
#
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of scripts/bench.sh

# --- The preload library -----------------------------------------------------

preload=$root/target/$mpi/release/libhcube_preload.so

# variant <name> <ranks> <program> [argument...]: runs it without hcube (stock), with it
# (preload), or with hcube that forwards all calls (forwarding).
variant() {
    local name=$1 ranks=$2 settings=()
    shift 2
    case $name in
    preload) settings=("LD_PRELOAD=$preload") ;;
    forwarding) settings=("LD_PRELOAD=$preload" HCUBE_ALLTOALL=library) ;;
    esac
    timeout 300 "${launcher[@]}" -np "$ranks" env OMP_NUM_THREADS=1 "${settings[@]}" "$@"
}

# proves <name> <ranks> <program> [argument...]: a run that is not measured, whose statistics must show what the
# variant claims: that hcube was called, and with `forwarding` that it made no exchange itself.
proves() {
    local name=$1 calls="" own=""
    rm -f "$work/proof.json"
    HCUBE_STATS=json:$work/proof.json variant "$@" >"$work/proof.output" 2>&1 </dev/null ||
        { tail -n 20 "$work/proof.output" >&2; echo "bench: $3 failed ($name)" >&2; return 1; }
    [ ! -f "$work/proof.json" ] || calls=$(grep -c '"path"' "$work/proof.json") || true
    [ ! -f "$work/proof.json" ] || own=$(grep '"path"' "$work/proof.json" | grep -vc '"library"') || true
    if [ "${calls:-0}" -eq 0 ] || { [ "$name" = forwarding ] && [ "${own:-0}" -gt 0 ]; }; then
        echo "bench: $3: NOT MEASURED: by its statistics hcube has not done what '$name' says" >&2
        return 1
    fi
}

# alternate <rounds> <variants> <ranks> <program of lab/preload> [argument...]
alternate() {
    local rounds=$1 variants=$2 ranks=$3 program=$4 round name
    shift 4
    for name in $variants; do
        [ "$name" = stock ] || proves "$name" "$ranks" "$work/$program" "$work/unused.records" "$name" "$@"
    done
    for ((round = 0; round < rounds; round++)); do
        for name in $variants; do
            variant "$name" "$ranks" "$work/$program" "$work/preload.records" "$name" "$@"
        done
    done
}

# guest <seconds> <title> <rounds> <variants> <ranks> <program> [argument...]: a step.
guest() {
    local time=$1 title=$2
    shift 2
    fits "$3" "$title" || return 0
    step "$time" "$title" alternate "$@"
}

bench_preload() {
    local program ranks rounds=${full:+9} many=3000
    rounds=${rounds:-5}
    # MPICH has room for 2048 communicators.
    [ "$kind" = openmpi ] || many=1500
    for program in churn progress memory start exchange; do
        "mpicc.$mpi" -std=c99 -O2 -o "$work/$program" "lab/preload/$program.c" lab/preload/bench.c -ldl
    done
    guest 12 "Short-lived communicators, 2 ranks" "$rounds" "stock preload forwarding" 2 churn 10000
    guest 12 "Short-lived communicators, 8 ranks" "$rounds" "stock preload forwarding" 8 churn 500
    guest 5 "One-sided communication with a rank that waits, 2 ranks" "$rounds" "stock preload" 2 progress
    for ranks in 2 8; do
        guest 6 "Memory of $many communicators, 1 exchange each, $ranks ranks" 3 "stock preload" "$ranks" memory "$many" 1
        guest 6 "Memory of $many communicators, 3 exchanges each, $ranks ranks" 3 "stock preload" "$ranks" memory "$many" 3
    done
    guest 6 "Time and memory at the start, 8 ranks" 3 "stock preload" 8 start 100 8
    for ranks in 2 4 8; do
        guest $((4 * ranks)) "Exchanges out of place, 8 B to 4 MiB per pair, $ranks ranks" \
            "$rounds" preload "$ranks" exchange $((4 << 20)) 21
        guest 3 "Forwarded exchanges, 8 B to 64 KiB per pair, $ranks ranks" \
            "$rounds" forwarding "$ranks" exchange $((64 << 10)) 21
    done
    step 1 "Results of the preload library" write_preload
}

write_preload() {
    local extra=()
    [ ! -f "$folder/alltoall.json" ] || extra=(--alltoall "$folder/alltoall.json")
    "$lab" collect preload --mpi "$mpi" --cores "$cores" "${extra[@]}" --json="$folder/preload.json" "$work/preload.records"
    echo "All results: ${folder#"$root"/}/preload.json"
}

# --- Programs with the preload library ---------------------------------------

# Where Debian's packages have what the programs need.
pseudopotential=/usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF.gz
python=python3

# seconds_of <program>, result_of <program>: from its output.
seconds_of() {
    case $1 in
    LAMMPS) awk '/^Loop time of/ { print $4 }' ;;
    # The wall time of the whole run, `1m 2.34s WALL` or `2.34s WALL`.
    Quantum*) sed -n 's/^ *PWSCF .*CPU *//p' | awk '{ sub(/s *WALL/, ""); print (split($0, part, "m") > 1 ? 60 * part[1] + part[2] : $0 + 0) }' ;;
    mpi4py-fft*) awk '$1 == "seconds" { print $2 }' ;;
    esac
}

result_of() {
    case $1 in
    LAMMPS) awk '/^Loop time of/ { shown = 0 } shown { print } /^ *Step Temp/ { shown = 1 }' ;;
    Quantum*) grep -E '^!|convergence has been achieved|highest occupied' ;;
    mpi4py-fft*) awk '$1 == "checksum"' ;;
    esac | sha256sum | cut -d ' ' -f 1
}

# compare_program <rounds> <ranks> <name> <command> [argument...]: stock and preload, alternating.
compare_program() {
    local rounds=$1 ranks=$2 name=$3 round of output time
    shift 3
    output=$work/program.output
    (cd "$work" && proves preload "$ranks" "$@")
    for ((round = 0; round < rounds; round++)); do
        for of in stock preload; do
            (cd "$work" && variant "$of" "$ranks" "$@") >"$output" 2>&1 </dev/null ||
                { tail -n 20 "$output" >&2; echo "bench: $name failed ($of, $ranks ranks)" >&2; return 1; }
            time=$(seconds_of "$name" <"$output")
            [ -n "$time" ] || { echo "bench: $name: its output has no time: $output" >&2; return 1; }
            printf 'benchmark\tprograms\ncase\t%s\nranks\t%s\nvariant\t%s\nunit\ts\nvalues\t%s\nresult\t%s\n\n' \
                "$name" "$ranks" "$of" "$time" "$(result_of "$name" <"$output")" >>"$work/programs.records"
            printf '%s, %s ranks, %s: %s s\n' "$name" "$ranks" "$of" "$time"
        done
    done
}

# skip_program <reason>
skip_program() {
    printf 'skipped\t%s\n\n' "$1" >>"$work/programs.records"
    echo "=== $1"
}

# program <seconds> <name> <command> [argument...]: steps on 2 and 4 ranks.
program() {
    local time=$1 name=$2 rounds=${full:+11} ranks
    shift 2
    for ranks in 2 4; do
        step "$time" "$name, $ranks ranks" compare_program "${rounds:-5}" "$ranks" "$name" "$@"
    done
}

bench_programs() {
    : >"$work/programs.records"
    if [ "$mpi" != openmpi ]; then
        echo "=== Programs: skipped, those of the distribution are for Open MPI"
        return
    fi
    cp lab/programs/* "$work"
    if command -v lmp >/dev/null; then
        program 25 LAMMPS lmp -log none -in charges.lammps
    else
        skip_program "LAMMPS: lmp is not installed (apt install lammps)"
    fi
    if ! command -v pw.x >/dev/null; then
        skip_program "Quantum ESPRESSO: pw.x is not installed (apt install quantum-espresso)"
    elif ! [ -f "$pseudopotential" ]; then
        skip_program "Quantum ESPRESSO: no $pseudopotential (apt install quantum-espresso-data)"
    else
        gunzip -c "$pseudopotential" >"$work/Si.pz-vbc.UPF"
        program 30 "Quantum ESPRESSO" pw.x -in silicon.in
    fi
    "$python" -c "import mpi4py_fft" 2>/dev/null || python=/usr/bin/python3
    if "$python" -c "import mpi4py_fft" 2>/dev/null; then
        program 15 mpi4py-fft "$python" transforms.py
    else
        skip_program "mpi4py-fft: Python has no module mpi4py_fft (apt install python3-mpi4py-fft)"
    fi
    step 1 "Results of programs" write_programs
}

write_programs() {
    "$lab" collect preload --mpi "$mpi" --cores "$cores" --json="$folder/programs.json" --plot "$folder/programs.svg" \
        "$work/programs.records"
    echo "All results: ${folder#"$root"/}/programs.json and programs.svg"
}
