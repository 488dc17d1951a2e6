#!/usr/bin/env bash
# Writes manual pages and completions for shells to target/<mpi>/release/share, from where `make install` takes
# them. Called by `make build`, so that installing runs no program.
#
#   MPI=openmpi|mpich scripts/manual.sh
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
release=target/${MPI:-openmpi}/release

rm -rf "$release/share"
mkdir -p "$release/share"
# In a cross build the tool does not run here; only the pages and completions are missing then.
"$release/hcube-lab" manual --to "$release/share" >/dev/null || {
    rm -rf "$release/share"
    mkdir "$release/share"
    echo "manual: $release/hcube-lab does not run on this machine: no manual pages and completions" >&2
}
