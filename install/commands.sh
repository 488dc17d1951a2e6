# shellcheck shell=sh
# Functions of hcube-run, bspcc, bspcxx, bsprun and hcube-caf, which source this file; $self is the name of the command.

fail() {
    # shellcheck disable=SC2154 # set by the command
    echo "$self: $*" >&2
    exit 2
}

# linked_to <program>: the MPI library that a program is linked to; empty if it is linked to none.
linked_to() {
    # Without the preloaded libraries, which may be for another MPI library.
    case $(LD_PRELOAD='' ldd "$1" 2>/dev/null) in
    *libmpich.so* | *libmpi.so.12*) echo mpich ;;
    *libmpi.so* | *libmpi_mpifh.so*) echo openmpi ;;
    esac
}

# belongs_to <mpi> <command>: whether a wrapper or launcher is that of an MPI library, by what it says of itself.
belongs_to() {
    case $1,${2##*/} in
    openmpi,mpic* | openmpi,mpif*) "$2" --showme:version 2>&1 | grep -q 'Open MPI' ;;
    mpich,mpic* | mpich,mpif*) "$2" -v 2>&1 | grep -q 'for MPICH' ;;
    openmpi,*) "$2" --version 2>&1 | grep -qi 'open.mpi' ;;
    mpich,*) "$2" --version 2>&1 | grep -q HYDRA ;;
    esac
}

# command_of <mpi> <name>...: the command of an MPI library, by the names of Debian or by one of these names in the search path.
command_of() {
    of=$1
    shift
    for name; do
        if command -v "$name.$of" >/dev/null; then
            echo "$name.$of"
            return
        fi
    done
    for name; do
        if command -v "$name" >/dev/null && belongs_to "$of" "$name"; then
            echo "$name"
            return
        fi
    done
    fail "found neither $1.$of nor $1 of $of, for which this hcube is built; install $of or add its commands to PATH"
}

# print_command <word>...: prints a command as it can be typed into a shell.
print_command() {
    line=
    for word; do
        case $word in
        '' | *[!A-Za-z0-9_./:=,+@%-]*) word=\'$(printf '%s' "$word" | sed "s/'/'\\\\''/g")\' ;;
        esac
        line="$line $word"
    done
    printf '%s\n' "${line# }"
}
