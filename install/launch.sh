# shellcheck shell=sh
# The launcher of bsprun and hcube-caf, which source this file and commands.sh. Set by the command: $self, its name; $mpi and
# $own, the MPI library and the directory of hcube's libraries for it; $version; $starter and
# $builder, the commands of other MPI libraries for the same; $verb, the word behind $starter. It may define own_option, before_mpirun and start.

# Cores that this process may use: cores and not hardware threads, as Open MPI counts them.
cores() {
    allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
    count=$(lscpu -p=CPU,CORE,SOCKET 2>/dev/null | awk -F, -v allowed="$allowed" '
        BEGIN {
            count = split(allowed, parts, ",")
            for (i = 1; i <= count; i++) {
                last = split(parts[i], range, "-")
                for (cpu = range[1] + 0; cpu <= range[last] + 0; cpu++) may[cpu] = 1
            }
        }
        !/^#/ && ($1 in may) && !seen[$2 "," $3]++ { cores++ }
        END { print cores + 0 }')
    [ "${count:-0}" -gt 0 ] || count=$(nproc)
    echo "$count"
}

# find_program <name>: an executable file, of the search path or of the working directory.
find_program() {
    case $1 in
    */*) [ -f "$1" ] && [ -x "$1" ] && echo "$1" ;;
    *) in_search_path "$1" || { [ -f "$1" ] && [ -x "$1" ] && echo "./$1"; } ;;
    esac
}

# own_option <argument>: takes an option of the command that is not common to all.
own_option() {
    return 1
}

# before_mpirun: prepares the environment; $passed_variable names a variable that the processes are to get.
before_mpirun() {
    :
}

# start <command>...: starts what was put together.
start() {
    exec "$@"
}

# launch <argument>...: starts a program by mpirun.
launch() {
    # Where the processes go, if not to this machine: named on the command line or assigned by a batch system.
    placed=${SLURM_JOB_ID-}${PBS_NODEFILE-}${LSB_HOSTS-}${PE_HOSTFILE-}
    processes= bound= show= passed= program=
    # The first $left arguments are still to be read; options for the launcher are appended behind them.
    left=$#
    while [ "$left" -gt 0 ] && [ -z "$program" ]; do
        argument=$1
        shift
        left=$((left - 1))
        # Values that follow as arguments of their own.
        values=0
        case $argument in
        -n | -np | -npes | --n | --np | --npes | --nprocs)
            [ "$left" -gt 0 ] || fail "$argument: expected a number of processes"
            argument=$argument=$1
            shift
            left=$((left - 1))
            ;;
        esac
        case $argument in
        -n=* | -np=* | -npes=* | --n=* | --np=* | --npes=* | --nprocs=*)
            processes=${argument#*=}
            case $processes in
            *[!0-9]* | '' | 0*) fail "${argument%%=*} $processes: expected a number of processes, at least 1" ;;
            esac
            continue
            ;;
        --show)
            show=1
            continue
            ;;
        --help | -h)
            usage
            exit 0
            ;;
        --version)
            # shellcheck disable=SC2154 # set by the command
            launcher=$(command_of "$mpi" mpirun mpiexec) || exit
            # shellcheck disable=SC2154 # set by the command
            echo "hcube $version for $mpi"
            exec "$launcher" --version
            ;;
        --)
            [ "$left" -gt 0 ] || fail "expected a program after -- (--help)"
            program=$(find_program "$1") || fail "$1: no such program in the search path or the working directory"
            break
            ;;
        -H | -host | --host | -hosts | --hosts | -f | -hostfile | --hostfile | -machinefile | --machinefile | \
            -default-hostfile | --default-hostfile | -rf | -rankfile | --rankfile | -configfile | -N | -npernode | --npernode)
            placed=1
            values=1
            ;;
        -bind-to | --bind-to)
            bound=1
            values=1
            ;;
        -mca | --mca | -gmca | --gmca | -pmca | --pmca | -prtemca | --prtemca | -env | -genv) values=2 ;;
        -x | -map-by | --map-by | -rank-by | --rank-by | -ppn | -perhost | -wd | -wdir | --wdir | \
            -path | --path | -prefix | --prefix | -am | -tune | --tune | -timeout | --timeout | -stdin | --stdin | \
            -output | --output | -output-filename | --output-filename | -cpu-list | --cpu-list | -cpu-set | --cpu-set | \
            -genvlist | -envlist | -launcher | -launcher-exec | -rmk | -iface | -membind | -usize) values=1 ;;
        -*) ! own_option "$argument" || continue ;;
        *)
            # A word that is no program is the value of the option of mpirun before it.
            if program=$(find_program "$argument"); then
                set -- "$argument" "$@"
                left=$((left + 1))
                continue
            fi
            ;;
        esac
        passed=$argument
        set -- "$@" "$argument"
        while [ "$values" -gt 0 ]; do
            [ "$left" -gt 0 ] || fail "$argument: expected a value"
            value=$1
            shift
            set -- "$@" "$value"
            left=$((left - 1)) values=$((values - 1))
        done
    done
    if [ -z "$program" ]; then
        reason=
        if [ -n "$passed" ]; then
            if [ -e "$passed" ]; then reason=$(defect_of "$passed"); else reason=$(not_found "$passed"); fi
        fi
        fail "expected a program${passed:+; $passed is not one${reason:+: $reason}} (--help)"
    fi
    check_program "$program"

    # The program and its arguments, which now stand first, go behind the options for the launcher.
    shift
    left=$((left - 1))
    set -- "$@" "$program"
    while [ "$left" -gt 0 ]; do
        value=$1
        shift
        set -- "$@" "$value"
        left=$((left - 1))
    done
    launch_by_mpirun "$@"
}

# check_program <program>: fails if it belongs to another MPI library.
check_program() {
    uses=$(linked_to "$1")
    # shellcheck disable=SC2154 # set by the command
    if [ -n "$uses" ] && [ "$uses" != "$(kind)" ]; then
        # shellcheck disable=SC2154 # set by the command
        if [ -x "$here/$starter-$uses" ]; then
            other="use $starter-$uses${verb:+ $verb}"
        else
            other="install hcube for $uses"
        fi
        fail "$1 uses $uses, and this is $self for $mpi; $other, or build the program with $builder-$mpi"
    fi
    defect=$(defect_of "$1")
    [ -z "$defect" ] || fail "$1 $defect"
}

# launch_by_mpirun <option>... <program> <argument>...
launch_by_mpirun() {
    passed_variable=
    before_mpirun
    # Other hosts do not inherit the environment from Open MPI.
    [ "$(kind)" != openmpi ] || [ -z "$passed_variable" ] || set -- -x "$passed_variable" "$@"
    if [ -z "$placed" ]; then
        available=$(cores)
        processes=${processes:-$available}
        if [ "$(kind)" = openmpi ] && [ "$processes" -gt "$available" ]; then
            # Without binding, because several processes would be bound to one core and others left idle.
            [ -n "$bound" ] || set -- --bind-to none "$@"
            set -- --oversubscribe "$@"
        fi
    fi
    [ -z "$processes" ] || set -- -n "$processes" "$@"
    launcher=$(command_of "$mpi" mpirun mpiexec) || exit
    set -- "$launcher" "$@"
    if [ -n "$show" ]; then
        print_command "$@"
        exit 0
    fi
    # Open MPI refuses to start as root otherwise; in a container there is often no other user.
    if [ "$(id -u)" = 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT="${OMPI_ALLOW_RUN_AS_ROOT:-1}"
        export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="${OMPI_ALLOW_RUN_AS_ROOT_CONFIRM:-1}"
    fi
    # The run path of a program leads nowhere after the tree was moved.
    # shellcheck disable=SC2154 # set by the command
    export LD_LIBRARY_PATH="$own${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    start "$@"
}
