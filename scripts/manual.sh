#!/usr/bin/env bash
# Writes manual pages and completions for shells to target/<mpi>/release/share, from where `make install` takes
# them. Called by `make build`, so that installing runs no program.
#
#   MPI=openmpi|mpich scripts/manual.sh
#
# HCUBE_LAB names another hcube-lab than this build's.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
release=target/${MPI:-openmpi}/release
lab=${HCUBE_LAB:-$release/hcube-lab}

# Beside it first: two commands that run at the same time never see half of it.
new=$release/share.$$
trap 'rm -rf "$new"' EXIT
mkdir -p "$new"
# In a cross build the tool does not run here; only the pages and completions are missing then.
"$lab" manual --to "$new" >/dev/null || {
    find "$new" -mindepth 1 -delete
    echo "manual: $lab does not run on this machine: no manual pages and completions" >&2
}
rm -rf "$release/share"
mv -T "$new" "$release/share" 2>/dev/null || [ -d "$release/share" ]
