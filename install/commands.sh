# shellcheck shell=sh
# Functions of hcube-run, bspcc, bspcxx, bsprun and hcube-caf, which source this file; $self is the name of the command.

fail() {
    # shellcheck disable=SC2154 # set by the command
    echo "$self: $*" >&2
    exit 2
}

# in_search_path <name>: the file of a program, as exec finds it; a name with a slash is a path.
in_search_path() {
    case $1 in
    */*)
        [ ! -e "$1" ] || { echo "$1" && return; }
        return 1
        ;;
    esac
    (
        IFS=:
        # shellcheck disable=SC2086 # the directories
        for directory in $PATH; do
            if [ -f "${directory:-.}/$1" ] && [ -x "${directory:-.}/$1" ]; then
                echo "${directory:-.}/$1"
                exit 0
            fi
        done
        exit 1
    )
}

# not_found <name>: why no program was found, as the rest of a sentence.
not_found() {
    case $1 in
    */*) echo "no such file" ;;
    *)
        if [ -f "$1" ]; then
            echo "no such program in the search path; the file of this directory is ./$1"
        else
            echo "no such program in the search path"
        fi
        ;;
    esac
}

# bytes <file> <first> <count>: bytes of a file in hexadecimal, each after a blank; nothing where it cannot be read.
bytes() {
    od -An -v -tx1 -j "$2" -N "$3" "$1" 2>/dev/null || true
}

# defect_of <file>: why a file cannot be run, and what to do, as the rest of a sentence; nothing for programs and scripts.
defect_of() {
    if [ -d "$1" ]; then
        echo "is a directory; expected the path of a program"
        return
    elif [ ! -f "$1" ] || [ ! -s "$1" ]; then
        echo "is neither a program nor a script"
        return
    fi
    case $(bytes "$1" 0 4) in
    ' 7f 45 4c 46')
        # The processor in the header, compared with a program that runs here.
        [ "$(bytes "$1" 18 2)" = "$(bytes /proc/self/exe 18 2)" ] ||
            { echo "is a program for another kind of processor; compile it for this machine" && return; }
        [ -x "$1" ] || echo "is not executable (chmod +x $1)"
        ;;
    ' 23 21'*) [ -x "$1" ] || echo "is not executable (chmod +x $1)" ;;
    # Somebody who may run it need not be able to read it.
    '') ;;
    *) echo "is neither a program nor a script that begins with '#!'; start a file for an interpreter by the interpreter, such as python3 $1" ;;
    esac
}

# is_static <program>: whether a program is linked statically, so that the loader preloads nothing.
is_static() {
    [ "$(bytes "$1" 0 4)" = ' 7f 45 4c 46' ] || return 1
    case $(LD_PRELOAD='' LC_ALL=C ldd "$1" 2>&1) in
    *'not a dynamic executable'* | *'statically linked'*) ;;
    *) return 1 ;;
    esac
}

# mpi_library_of <program>: soname and path of the MPI library that a program is linked to; nothing if it is linked to none.
mpi_library_of() {
    # Without the preloaded libraries, which may be for another MPI library.
    LD_PRELOAD='' ldd "$1" 2>/dev/null |
        sed -n 's/^[[:space:]]*\(libmpi\(ch\|_abi\)\{0,1\}\.so\.[0-9]*\) => \([^ ]*\) .*/\1 \3/p' | head -n 1
}

# unknown_mpi_library_of <program>: the soname of an MPI library that a program is linked to if hcube does not know that library.
unknown_mpi_library_of() {
    [ -n "$(mpi_library_of "$1")" ] ||
        LD_PRELOAD='' ldd "$1" 2>/dev/null | sed -n 's/^[[:space:]]*\(libmpi[a-z0-9_]*\.so[.0-9]*\) => .*/\1/p' | head -n 1
}

# make_name <soname>: the value of MPI with which make builds hcube for an MPI library.
make_name() {
    case $1 in
    libmpi.so.40) echo openmpi ;;
    libmpi_abi.*) echo abi ;;
    *) echo mpich ;;
    esac
}

# described <build> <word>: what the file of an installed build says of its MPI library: soname or version.
described() {
    # shellcheck disable=SC2154 # set by the command
    if [ -f "$libraries/$1/mpi.txt" ]; then
        sed -n "s/^$2 //p" "$libraries/$1/mpi.txt"
    else
        # Installed before there was this file, with Debian's libraries.
        case $2,$1 in
        soname,openmpi) echo libmpi.so.40 ;;
        soname,mpich) echo libmpich.so.12 ;;
        esac
    fi
}

# builds_for <soname>...: the installed builds for MPI libraries of these names.
builds_for() {
    for build in "$libraries"/*/libhcube_preload.so; do
        build=${build%/*}
        build=${build##*/}
        for soname; do
            [ "$(described "$build" soname)" != "$soname" ] || echo "$build"
        done
    done
}

# build_for <program>: the installed build for the MPI library that a program is linked to: of several for libraries of that name,
# which can take each other's place, the one for its version. Fails if none is installed.
build_for() {
    library=$(mpi_library_of "$1")
    [ -n "$library" ] || return 0
    builds=$(builds_for "${library%% *}")
    if [ -z "$builds" ]; then
        # shellcheck disable=SC2012 # names that hcube's own installation has made
        fail "$1 uses ${library%% *}, for which hcube is not installed (in $libraries: $(ls "$libraries" | paste -sd' ')); in the sources of hcube: make MPI=$(make_name "${library%% *}") install"
    fi
    [ "$(echo "$builds" | wc -l)" -gt 1 ] || { echo "$builds" && return; }
    # Some libraries contain only a part of their version.
    for part in all most; do
        for build in $builds; do
            version=$(described "$build" version)
            [ "$part" = all ] || version=${version%.*}
            pattern=$(printf '%s' "$version" | sed 's/[^0-9A-Za-z]/\\&/g')
            if [ -n "$version" ] && grep -aqE -e "(^|[^0-9.])$pattern([^0-9]|\$)" "${library#* }" 2>/dev/null; then
                echo "$build"
                return
            fi
        done
    done
    echo "$builds" | head -n 1
}

# linked_to <program>: the kind of MPI library that a program is linked to; empty if it is linked to none.
linked_to() {
    # Without the preloaded libraries, which may be for another MPI library.
    case $(LD_PRELOAD='' ldd "$1" 2>/dev/null) in
    *libmpich.so* | *libmpi.so.12*) echo mpich ;;
    *libmpi.so* | *libmpi_mpifh.so*) echo openmpi ;;
    esac
}

# kind: openmpi or mpich, after the library whose options the commands of this build's MPI library have.
kind() {
    # shellcheck disable=SC2154 # both set by the command
    case $(sed -n 's/^soname //p' "$own/mpi.txt" 2>/dev/null),$mpi in
    libmpi.so.40,* | ,openmpi*) echo openmpi ;;
    *) echo mpich ;;
    esac
}

# belongs_to <kind> <command>: whether a wrapper or launcher belongs to an MPI library, by its own description.
belongs_to() {
    case $1,${2##*/} in
    openmpi,mpic* | openmpi,mpif*) "$2" --showme:version 2>&1 | grep -q 'Open MPI' ;;
    mpich,mpic* | mpich,mpif*) "$2" -v 2>&1 | grep -q -e 'for MPICH' -e 'Intel(R) MPI' ;;
    openmpi,*) "$2" --version 2>&1 | grep -qi 'open.mpi' ;;
    mpich,*) "$2" --version 2>&1 | grep -q -e HYDRA -e 'Intel(R) MPI' ;;
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
        if command -v "$name" >/dev/null && belongs_to "$(kind)" "$name"; then
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
