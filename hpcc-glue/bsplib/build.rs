//! Compiles the functions with variable arguments, and names the shared object.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

#[path = "../../crates/core/run_path.rs"]
mod run_path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/abort.c");
    println!("cargo::rerun-if-env-changed=MPICC");
    let wrapper = env::var("MPICC").unwrap_or_else(|_| "mpicc".to_owned());
    cc::Build::new().compiler(wrapper).file("src/abort.c").warnings(true).compile("hcube_bsp_abort");
    // MPI and the C library keep addresses of functions that they call at the end of the program.
    println!("cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete");
    run_path::link("cdylib");
    let name = format!("libhcube_bsp.so.{}", env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets it"));
    println!("cargo::rustc-link-arg-cdylib=-Wl,-soname,{name}");
    // Programs that are linked to this library search for this name. Cargo cannot set such names, so a
    // symbolic link is created beside the library: target/<profile>, from
    // target/<profile>/build/<package>/out.
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let link = out.ancestors().nth(3).expect("a folder of cargo's").join(name);
    drop(fs::remove_file(&link));
    symlink("libhcube_bsp.so", &link).unwrap_or_else(|error| panic!("{}: {error}", link.display()));
}
