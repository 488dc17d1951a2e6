# The tarballs of programs that are built or tested with hcube. Part of scripts/setup.sh, which defines the variables
# root, scratch, sources and apt_options, and the function say, and uses those that are set here.
# shellcheck shell=bash disable=SC2034,SC2154

# Sets the variables of the source of a program: its name and version, the tarball, its name in Debian's archive, a file
# in it, Debian's source package, and the variable that names a copy. A source with a release is
# optional: it is downloaded from that release of Debian where the machine's own one does not have it.
describe_source() {
    release=
    case $1 in
    hpcc)
        title="HPCC 1.5.0" package=hpcc given=${HCUBE_HPCC_TARBALL:-} variable=HCUBE_HPCC_TARBALL
        tarball=$root/target/hpcc/source/hpcc_1.5.0.orig.tar.gz member=hpcc-1.5.0/RandomAccess/RandomAccess.h
        ;;
    fftw)
        title="FFTW 3.3.10" package=fftw3 given=${HCUBE_FFTW_TARBALL:-} variable=HCUBE_FFTW_TARBALL
        tarball=$root/target/fftw/source/fftw3_3.3.10.orig.tar.gz member=fftw-3.3.10/mpi/mpi-transpose.h
        ;;
    opencoarrays)
        title="OpenCoarrays 2.10.1 or 2.10.2" package=open-coarrays release=trixie
        given=${HCUBE_OPENCOARRAYS_TARBALL:-} variable=HCUBE_OPENCOARRAYS_TARBALL
        tarball=$root/target/opencoarrays/source/opencoarrays.tar
        member='*/src/tests/unit/simple/increment_neighbor.f90' archived='open-coarrays_2.10.[12]*.orig.tar.*'
        return
        ;;
    esac
    archived=${tarball##*/}
}

# holds <file> <member>: whether the file is a tarball with this member.
holds() {
    tar -tf "$1" --wildcards "$2" >/dev/null 2>&1
}

# Prints the programs whose source is missing: the required ones, or with `optional` the others.
missing_sources() {
    local program
    for program in "${sources[@]}"; do
        describe_source "$program"
        [ -f "$tarball" ] || [ "$1" != "${release:+optional}" ] || echo "$program"
    done
}

# source_entries <kind> <release>: prints the machine's Debian sources, which are of the kind `sources` (stanzas) or
# `list` (lines), with source packages instead of binary ones, and of the release if there is one. Only archives
# of Debian proper count (a path named debian, component main): others do not have what is looked for, and
# security archives do not either.
source_entries() {
    if [ "$1" = sources ]; then
        awk -v "release=$2" 'BEGIN { RS = ""; ORS = "\n\n" }
             /(^|\n)Types:[^\n]*deb/ && /(^|\n)Components:[^\n]*main/ && !/(^|\n)Enabled:[ \t]*(no|false|0|off)/ &&
             /(^|\n)URIs:[^\n]*\/debian([\/. \n]|$)/ {
                 sub(/Types:[^\n]*/, "Types: deb-src")
                 if (release) sub(/Suites:[^\n]*/, "Suites: " release)
                 print
             }'
    else
        awk -v "release=$2" '/^[ \t]*deb[ \t]/ && /[\/]debian([\/. ]|$)/ && / main( |$)/ && !/debian-security/ {
                 sub(/deb/, "deb-src")
                 for (at = 2; release && at < NF; at++) if ($at ~ /[\/]debian[\/.]?/) { $(at + 1) = release; break }
                 print
             }'
    fi
}

# download_tarballs <release> <program...>: downloads tarballs with the machine's package tools, which check
# them against the signed index of the machine's own release of Debian, or of the given one. All of it happens
# in a scratch folder with a copy of the list of sources: /etc/apt and the package index stay as they are, and no
# root is needed.
download_tarballs() {
    local work=$scratch/apt-$1 release_asked=$1 file kind options program packages=()
    shift
    command -v apt-get >/dev/null 2>&1 || return 1
    for program in "$@"; do
        describe_source "$program"
        packages+=("$package")
    done
    mkdir -p "$work/parts" "$work/lists/partial" "$work/cache/archives/partial" "$work/download"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ -f "$file" ] || continue
        kind=${file##*.}
        source_entries "$kind" "$release_asked" <"$file" >"$work/parts/$(basename "$file")"
    done
    # Root's apt downloads as the user _apt, who needs access to these folders.
    if [ "$(id -u)" = 0 ] && id _apt >/dev/null 2>&1; then
        chmod 755 "$scratch"
        chown -R _apt "$work/lists" "$work/cache" "$work/download"
    fi
    options=("${apt_options[@]}" -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/parts"
        -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache")
    # Translations and lists of graphical programs are of no use here.
    if ! {
        apt-get "${options[@]}" -o Acquire::Languages=none update &&
            cd "$work/download" &&
            apt-get "${options[@]}" source --download-only --tar-only "${packages[@]}"
    } >"$work/log" 2>&1 </dev/null; then
        cd "$root" || return
        tail -n 15 "$work/log" >&2
        return 1
    fi
    cd "$root" || return
    for program in "$@"; do
        describe_source "$program"
        for file in "$work/download/"$archived; do
            ! holds "$file" "$member" || place_tarball "$file"
        done
    done
}

# download_optional <program...>: downloads optional sources, each by itself so that none prevents another one.
download_optional() {
    local apt_options=(-q -o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20) program
    for program in "$@"; do
        describe_source "$program"
        say "downloading the source of $title"
        # That the machine's own release has no source is no reason for messages.
        download_tarballs "" "$program" 2>/dev/null || true
        [ -f "$tarball" ] || download_tarballs "$release" "$program" || true
        [ -f "$tarball" ] || say "no source of $title: its tests are skipped; $variable=<file> names a copy"
    done
}

# Puts a tarball in its place, whole or not at all.
place_tarball() {
    mkdir -p "${tarball%/*}"
    cp "$1" "$tarball.new"
    chmod 644 "$tarball.new"
    mv "$tarball.new" "$tarball"
}
