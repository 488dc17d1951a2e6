//! Builds what the feature `mpi` needs; nothing without it.

#[cfg(feature = "mpi")]
#[path = "build/mpi.rs"]
mod mpi;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "mpi")]
    if let Err(missing) = mpi::build() {
        println!("cargo::error={missing}");
    }
}
