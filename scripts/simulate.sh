#!/usr/bin/env bash
# Builds what simulations need and runs them; `make simulate` calls it after
# `scripts/setup.sh` and the build of the tool.
#
#   scripts/simulate.sh [option...]     options of `hcube-lab simulate`
#
# Builds the library for SimGrid's MPI, the drivers and the platform in
# target/simulate. Results: tables, and target/simulate/simulate.json.
# HCUBE_TOOL names another tool than the one in target/openmpi.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH=$PATH:${CARGO_HOME:-${HOME:-/root}/.cargo}/bin
export PATH
unset LD_LIBRARY_PATH LD_PRELOAD

folder=target/simulate
library=$PWD/target/smpi/release

# Without optimisation at link time, which takes most of a build: computing takes no simulated time.
CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    MPI=smpi MPICC=smpicc cargo build --release --target-dir target/smpi \
    -p hcube -p hcube-preload -p hcube-core-client -p hcube-bsplib
mkdir -p "$folder"
for driver in random_access buckets alltoall gemm bsp caf caf_operations caf_updates fft panels lcs matmul messages transposes; do
    linked=hcube
    [ "$driver" != bsp ] || linked=hcube_bsp
    smpicc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -I include "lab/simgrid/$driver.c" -o "$folder/$driver" \
        -L "$library" "-l$linked" "-Wl,-rpath,$library" -lm -ldl
done
platform=lab/simgrid/platform.cpp
if [ -n "$(find "$platform" lab/simgrid/*.hpp -newer "$folder/platform.so" 2>&1)" ]; then
    g++ -std=c++17 -O2 -Wall -Wextra -fPIC -shared "$platform" -o "$folder/platform.so" -lsimgrid -ldl
fi
[ -z "${HCUBE_BUILD_ONLY:-}" ] || exit 0
exec "${HCUBE_TOOL:-target/openmpi/release/hcube-lab}" simulate --root "$folder" --json="$folder/simulate.json" "$@"
