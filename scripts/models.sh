#!/usr/bin/env bash
# Explores the models of all protocols in shared memory: every interleaving of small cases.
#
#   [MPI=openmpi|mpich] scripts/models.sh [--long] [--mutations] [--list] [TEXT...]
#
# The options are those of tests/models (hcube-models); TEXT selects models by protocol or case.
# `make models` and `make test` call it after the set-up. The build has a target of its own in the
# directory of the MPI library, so that the crates that builds need are those of other builds.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH=$PATH:${CARGO_HOME:-${HOME:-/root}/.cargo}/bin
mpi=${MPI:-openmpi}
export MPI="$mpi" MPICC="${MPICC:-mpicc.$mpi}" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target/$mpi}"
host=$(rustc -vV | sed -n 's/^host: //p')
RUSTFLAGS="--cfg hcube_model" cargo build --profile checked --target "$host" -p hcube-models
exec "$CARGO_TARGET_DIR/$host/checked/hcube-models" "$@"
