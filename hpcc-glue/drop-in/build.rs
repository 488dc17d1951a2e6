//! Compiles the C code that needs mpi.h.

use std::env;

fn main() {
    println!("cargo::rerun-if-env-changed=MPICC");
    println!("cargo::rerun-if-changed=src/world.c");
    let wrapper = env::var("MPICC").unwrap_or_else(|_| "mpicc".to_owned());
    cc::Build::new().compiler(&wrapper).file("src/world.c").warnings(true).compile("hcube_drop_in_world");
}
