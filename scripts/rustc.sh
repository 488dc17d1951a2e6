#!/bin/sh
# Called by cargo instead of the compiler, whose path comes first: messages of
# a panic in a dependency or in Rust's library name the crate and file, not the
# folder of the machine that has built it. (Cargo's own setting for this is not
# in stable versions.)
compiler=$1
shift
for folder in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do
    set -- "$@" "--remap-path-prefix=$folder=crates"
done
exec "$compiler" "$@" "--remap-path-prefix=$("$compiler" --print sysroot)/lib/rustlib/src/rust=rust"
