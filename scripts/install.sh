#!/usr/bin/env bash
# Installs what `make` has built for one MPI library, or removes it again:
#
#   MPI=openmpi|mpich|... PREFIX=/opt/hcube [LIBDIR=...] [DESTDIR=...] scripts/install.sh [uninstall]
#
# Builds for several MPI libraries can be installed side by side: files that depend
# on the MPI library are in $LIBDIR/hcube/<mpi>, the others are common. The first
# build that is installed is the default (hcube, hcube.pc, CMake without a component)
# until it is removed. No installed file contains PREFIX: the tree may be moved.
#
#   $PREFIX/bin           hcube-<mpi>, bspcc-<mpi>, bspcxx-<mpi>, bsprun-<mpi>, hcube-caf-<mpi>; the default's without
#                         -<mpi>; hcube-run
#   $PREFIX/include       hcube.h, hcube/*.h, bsp.h, mcbsp.h, BSPWrapper.h, hcube_fftw.h
#   $PREFIX/share         manual pages, completions for bash, zsh and fish
#   $LIBDIR/hcube/<mpi>   libhcube, libhcube_bsp and libhcube_caf (shared and static), libhcube_preload.so,
#                         libhcube_pblas.so, and libhcube_fftw{,f,l} where `make fftw` has built
#                         them; mpi.txt, the soname and the version of the MPI library and what `hcube --version` prints; bin and pkgconfig with the names of the default for this MPI library
#   $LIBDIR/pkgconfig     hcube-<mpi>.pc, hcube-pblas-<mpi>.pc, hcube-bsp-<mpi>.pc, hcube-caf-<mpi>.pc; the default's without
#                         -<mpi>
#   $LIBDIR/cmake/hcube   hcubeConfig.cmake
#   $PREFIX/share/hcube   glue for HPCC and FFTW with their instructions, the
#                         Fortran module's source, examples
#   $PREFIX/share/hcube/modulefiles/hcube   module files, <version>-<mpi>
#   $PREFIX/share/doc/hcube   documentation as in the sources, licences
set -euo pipefail
# Files that root installs are readable by all users, also with a restrictive umask.
umask 022

cd "$(dirname "${BASH_SOURCE[0]}")/.."
action=${1:-install}
mpi=${MPI:-openmpi}
prefix=${PREFIX:-/usr/local}
libdir=${LIBDIR:-$prefix/lib}
release=target/$mpi/release
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
# The folders to write to, and their final paths without DESTDIR.
root=${DESTDIR:-}
bin=$root$prefix/bin
include=$root$prefix/include
share=$root$prefix/share
libraries=$root$libdir
own=$libraries/hcube/$mpi
modules=$share/hcube/modulefiles/hcube
# Programs and packages with a name for each MPI library, and one for the default.
programs=(hcube bspcc bspcxx bsprun hcube-caf)
packages=(hcube hcube-pblas hcube-bsp hcube-caf)
linked=(libhcube libhcube_bsp libhcube_caf)
preloaded=(libhcube_preload libhcube_pblas)
# For the standard ABI there are the library and the preload library.
if [ "$mpi" = abi ]; then
    programs=() packages=(hcube) linked=(libhcube) preloaded=(libhcube_preload)
fi

fail() {
    echo "install: $*" >&2
    exit 1
}

case $prefix$libdir in
*[[:space:]]*) fail "PREFIX and LIBDIR: expected names without blanks, which pkg-config cannot tell from separators" ;;
esac
case $prefix,$libdir in
/*,/*) ;;
*) fail "PREFIX=$prefix, LIBDIR=$libdir: expected absolute paths" ;;
esac

# put <mode> <file> <target>: strips programs and libraries.
put() {
    install -D -m "$1" "$2" "$3"
    case $2 in
    *.so | */hcube) strip --strip-debug "$3" ;;
    # Also removes the compiler's intermediate code, which only the same compiler version can use.
    *.a) objcopy --strip-debug -R .llvmbc -R .llvmcmd "$3" ;;
    esac
}

# put_library <file>: under its version, with links for the loader and the linker.
put_library() {
    local name
    name=$(basename "$1")
    # Removes earlier versions with this soname; programs may still load those with another soname.
    rm -f "$own/$name.${version%%.*}".*
    put 755 "$1" "$own/$name.$version"
    ln -sf "$name.$version" "$own/$name.${version%%.*}"
    ln -sf "$name.${version%%.*}" "$own/$name"
}

# relative <file> <folder>: the relative path from a file to a folder, so that the tree may be moved.
relative() {
    realpath -ms --relative-to="$(dirname "${1#"$root"}")" "$2"
}

# fill <template> <target>: substitutes the values of this build in a template.
fill() {
    mkdir -p "$(dirname "$2")"
    sed -e "s|@MPI@|$mpi|g" -e "s|@VERSION@|$version|g" -e "s|@PREFIX@|$(relative "$2" "$prefix")|g" \
        -e "s|@LIBRARIES@|$(relative "$2" "$libdir")|g" "$1" >"$2"
    chmod 644 "$2"
}

# The soname of the MPI library, and its version where its compiler wrapper is there: hcube-run selects by them.
describe_mpi() {
    local file=$own/mpi.txt version text
    text='#include <mpi.h>
#if defined OPEN_MPI
hcube OMPI_MAJOR_VERSION OMPI_MINOR_VERSION OMPI_RELEASE_VERSION
#elif defined I_MPI_VERSION
hcube I_MPI_VERSION
#elif defined MPICH_VERSION
hcube MPICH_VERSION
#endif'
    readelf -d "$release/libhcube.so" | sed -n 's/.*(NEEDED).*\[\(libmpi[^]]*\)\].*/soname \1/p' | head -n 1 >"$file"
    version=$(echo "$text" | PATH=$PATH:$PWD/target/mpi/bin "mpicc.$mpi" -E -x c - 2>/dev/null | sed -n 's/^hcube //p' | tr -d '"' | tr ' ' .) || true
    [ -z "$version" ] || echo "version $version" >>"$file"
    # What the tool says of itself, for hcube-run --version.
    [ ! -x "$release/hcube" ] || version=$("$release/hcube" --version 2>/dev/null | head -n 1) || version=
    [ -z "$version" ] || [ ! -x "$release/hcube" ] || echo "build $version" >>"$file"
    chmod 644 "$file"
}

# Headers in the folders below are included; the header of FFTW's solver is installed only with the solver.
headers() {
    (cd include && find . -type f -name '*.h' ! -name hcube_fftw.h | sed 's|^\./||')
}

# Manual pages and completions written by `make build`; uninstall uses the list.
install_manual() {
    local file list
    remove_manual
    list=$(cd "$release/share" && find . -type f | sed 's|^\./||' | sort)
    [ -n "$list" ] || { echo "install: no manual pages and completions in $release/share" >&2; return 0; }
    while read -r file; do install -D -m 644 "$release/share/$file" "$share/$file"; done <<<"$list"
    mkdir -p "$share/hcube"
    echo "$list" >"$share/hcube/manual.list"
    chmod 644 "$share/hcube/manual.list"
}

remove_manual() {
    local file
    [ -f "$share/hcube/manual.list" ] || return 0
    while read -r file; do
        rm -f "$share/$file"
        is_system || (cd "$share" && rmdir -p --ignore-fail-on-non-empty "$(dirname "$file")" 2>/dev/null) || true
    done <"$share/hcube/manual.list"
}

# Whether PREFIX is a system folder, whose empty folders must stay.
is_system() {
    case $root${prefix%/} in
    '' | /usr | /usr/local) ;;
    *) return 1 ;;
    esac
}

# The default is the first installed build that has a program or package: existing links stay.
make_default() {
    local name
    for name in hcube bspcc bspcxx bsprun hcube-caf; do
        [ -e "$bin/$name" ] || [ ! -e "$bin/$name-$1" ] || ln -sf "$name-$1" "$bin/$name"
    done
    for name in hcube hcube-pblas hcube-bsp hcube-caf; do
        [ -e "$libraries/pkgconfig/$name.pc" ] || [ ! -e "$libraries/pkgconfig/$name-$1.pc" ] ||
            ln -sf "$name-$1.pc" "$libraries/pkgconfig/$name.pc"
    done
}

# The module prepends folders in which the names of the default belong to this MPI library.
install_module() {
    local name
    mkdir -p "$own/bin"
    for name in "${programs[@]}"; do
        ln -sf "$(realpath -ms --relative-to="$own/bin" "$bin/$name-$mpi")" "$own/bin/$name"
    done
    for name in "${packages[@]}"; do
        fill "install/$name.pc.in" "$own/pkgconfig/$name.pc"
    done
    rm -f "$modules"/*"-$mpi"
    fill install/modulefile.in "$modules/$version-$mpi"
}

# The scripts that users call, and what these share.
install_scripts() {
    local name
    for name in "${programs[@]}"; do
        # The tool is no script.
        [ -f "install/$name" ] || continue
        fill "install/$name" "$bin/$name-$mpi"
        chmod 755 "$bin/$name-$mpi"
    done
    fill install/hcube-run "$bin/hcube-run"
    chmod 755 "$bin/hcube-run"
    for name in commands.sh launch.sh; do
        put 644 "install/$name" "$share/hcube/$name"
    done
}

# Sources for users: examples, and the Fortran modules, whose compiled form depends on the compiler.
install_examples() {
    local file
    for file in fortran/{hcube,hcube_caf}.f90; do
        put 644 "$file" "$share/hcube/$file"
    done
    # By name: programs built in this folder would contain paths of this machine.
    for file in examples/{README.md,Makefile,CMakeLists.txt} examples/{c/*.c,cpp/*.cpp,fortran/*.f90,python/*.py}; do
        put 644 "$file" "$share/hcube/$file"
    done
}

# Preserves the symbolic links of the sources.
install_documentation() {
    local file
    for file in LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md CONTRIBUTING.md ARCHITECTURE.md doc/*.md doc/plots/*.svg; do
        put 644 "$file" "$share/doc/hcube/$file"
    done
    ln -sfn ../../hcube "$share/doc/hcube/hpcc-glue"
    ln -sfn ../../hcube/examples "$share/doc/hcube/examples"
    ln -sfn ../../../include "$share/doc/hcube/include"
}

install_all() {
    local file name
    for name in "${linked[@]}"; do
        [ -e "$release/$name.a" ] || fail "no $release/$name.a: run make MPI=$mpi first"
    done
    for name in "${linked[@]}" "${preloaded[@]}"; do
        [ -e "$release/$name.so" ] || fail "no $release/$name.so: run make MPI=$mpi first"
    done
    if [ ${#programs[@]} -gt 0 ]; then
        for name in hcube share; do
            [ -e "$release/$name" ] || fail "no $release/$name: run make MPI=$mpi first"
        done
    fi
    for name in "${linked[@]}"; do
        put_library "$release/$name.so"
        put 644 "$release/$name.a" "$own/$name.a"
    done
    for name in "${preloaded[@]}"; do
        put_library "$release/$name.so"
    done
    describe_mpi
    install_scripts
    if [ ${#programs[@]} -gt 0 ]; then
        put 755 "$release/hcube" "$bin/hcube-$mpi"
        install_manual
    fi
    for file in $(headers); do
        put 644 "include/$file" "$include/$file"
    done
    for name in "${packages[@]}"; do
        fill "install/$name.pc.in" "$libraries/pkgconfig/$name-$mpi.pc"
    done
    fill install/hcubeConfig.cmake.in "$libraries/cmake/hcube/hcubeConfig.cmake"
    fill install/hcubeConfigVersion.cmake.in "$libraries/cmake/hcube/hcubeConfigVersion.cmake"
    for file in hpcc-glue/hpcc/*.[ch] hpcc-glue/hpcc/fftw2/*.h hpcc-glue/hpcc/hcube.mk hpcc-glue/hpcc/README.md; do
        put 644 "$file" "$share/hcube/${file#hpcc-glue/}"
    done
    put 644 hpcc-glue/mpi/README.md "$share/hcube/mpi/README.md"
    install_module
    install_examples
    install_documentation
    put 644 hpcc-glue/fftw/README.md "$share/hcube/fftw/README.md"
    if [ -f "$release/libhcube_fftw.so" ]; then
        put 644 include/hcube_fftw.h "$include/hcube_fftw.h"
        for name in libhcube_fftw libhcube_fftwf libhcube_fftwl; do
            put_library "$release/$name.so"
            put 644 "$release/$name.a" "$own/$name.a"
        done
        for file in transpose-hcube.c transpose-hcube-comm.c transpose-hcube.h plugin.c config.h; do
            put 644 "hpcc-glue/fftw/$file" "$share/hcube/fftw/$file"
        done
        put 755 hpcc-glue/fftw/patch-fftw.sh "$share/hcube/fftw/patch-fftw.sh"
        # The licence of these libraries, as FFTW's source brings it.
        for file in target/fftw/source/fftw-*/COPYING; do
            [ ! -f "$file" ] || put 644 "$file" "$share/hcube/fftw/COPYING"
        done
    fi
    make_default "$mpi"
    echo "hcube $version for $mpi is installed in $root$prefix: mpirun -np 2 $prefix/bin/hcube-run --stats ./your-program"
}

# Keeps what builds for other MPI libraries need.
uninstall_all() {
    local file link others=
    rm -rf "$own"
    rm -f "$modules"/*"-$mpi"
    for file in "${programs[@]}"; do
        rm -f "$bin/$file-$mpi"
    done
    for file in "${packages[@]}"; do
        rm -f "$libraries/pkgconfig/$file-$mpi.pc"
    done
    # Links to what is gone.
    for link in "$bin"/{hcube,bspcc,bspcxx,bsprun,hcube-caf} "$libraries"/pkgconfig/{hcube,hcube-pblas,hcube-bsp,hcube-caf}.pc; do
        [ -e "$link" ] || rm -f "$link"
    done
    for file in "$libraries"/hcube/*/; do
        [ -d "$file" ] || continue
        others=1
        make_default "$(basename "$file")"
    done
    [ -z "$others" ] || return 0
    rm -f "$bin/hcube-run" "$include/hcube_fftw.h"
    for file in $(headers); do rm -f "$include/$file"; done
    rm -rf "$include/hcube" "$include/BSPWrapper"
    remove_manual
    rm -rf "$libraries/hcube" "$libraries/cmake/hcube" "$share/hcube" "$share/doc/hcube"
    is_system && return
    # Only folders that are empty now.
    rmdir --ignore-fail-on-non-empty "$libraries/pkgconfig" "$libraries/cmake" "$share/doc" "$share" \
        "$include" "$bin" "$libraries" "$root$prefix" 2>/dev/null || true
}

case $action in
install) install_all ;;
uninstall)
    uninstall_all
    echo "hcube for $mpi is removed from $root$prefix"
    ;;
*) echo "install: $action: expected nothing or uninstall" >&2 && exit 2 ;;
esac
