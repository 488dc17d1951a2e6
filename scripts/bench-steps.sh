# The steps of scripts/bench.sh, which includes this file: what they are called, what they run, and how long they take.
#
# The seconds of a step are those on a machine with 2 cores and no other work, on which the calibration takes
# CALIBRATION_MS. They are scaled to this machine: before the first step by the calibration, a loop on all cores at the
# same time, which takes longer where the machine is slower or busy; from then on by what the steps have taken, the last
# ones most.
#
# shellcheck shell=bash
# shellcheck disable=SC2154 # cores, a variable of scripts/bench.sh

titles=() seconds=() commands=()

CALIBRATION_MS=600
# Seconds of steps on which an estimate is based, and to which the calibration applies.
WINDOW=120
PRIOR=20

# step <seconds> <title> <command> [argument...]: adds a step.
step() {
    seconds+=("$1")
    titles+=("$2")
    shift 2
    commands+=("$(printf '%q ' "$@")")
}

in_words() {
    printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
}

# Milliseconds since some time.
clock() {
    local now=${EPOCHREALTIME/[.,]/}
    echo $((now / 1000))
}

# How long a step takes here, in thousandths of its seconds.
calibrate() {
    local begin number spin
    begin=$(clock)
    for ((number = 0; number < cores; number++)); do
        for ((spin = 0; spin < 200000; spin++)); do :; done &
    done
    wait
    echo $((1000 * ($(clock) - begin) / CALIBRATION_MS))
}

run_steps() {
    local number finished=0 all=0 scale first begin taken looked_back=$PRIOR spent keep
    for number in "${seconds[@]}"; do all=$((all + number)); done
    first=$(clock)
    scale=$(calibrate)
    printf '=== %d steps, about %s on this machine as it is now (calibration: %d %% of the noted times)\n' ${#titles[@]} \
        "$(in_words $((all * scale / 1000)))" $((scale / 10))
    spent=$((looked_back * scale))
    for number in "${!titles[@]}"; do
        begin=$(clock)
        printf '=== %d/%d, %s, about %s left: %s\n' $((number + 1)) ${#titles[@]} "$(in_words $(((begin - first) / 1000)))" \
            "$(in_words $(((all - finished) * scale / 1000)))" "${titles[number]}"
        eval "${commands[number]}"
        taken=$(($(clock) - begin))
        finished=$((finished + seconds[number]))
        # Older steps have a smaller weight.
        keep=$((seconds[number] < WINDOW ? WINDOW - seconds[number] : 0))
        looked_back=$((looked_back * keep / WINDOW + seconds[number]))
        spent=$((spent * keep / WINDOW + taken))
        [ "$looked_back" -eq 0 ] || scale=$((spent / looked_back))
    done
    echo "=== finished after $(in_words $((($(clock) - first) / 1000)))"
}
