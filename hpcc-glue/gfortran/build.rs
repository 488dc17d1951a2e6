//! Compiles the code that needs types that Rust does not have, and names the shared object.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

#[path = "../../crates/core/run_path.rs"]
mod run_path;

/// The C sources.
const SOURCES: [&str; 3] = ["src/number.c", "src/reduce.c", "src/structure.c"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
    }
    cc::Build::new().files(SOURCES).warnings(true).opt_level(3).compile("hcube_caf_number");
    // MPI and the C library keep addresses of functions that they call at the end of the program.
    println!("cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete");
    run_path::link("cdylib");
    let name = format!("libhcube_caf.so.{}", env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets it"));
    println!("cargo::rustc-link-arg-cdylib=-Wl,-soname,{name}");
    // Programs that are linked to this library look for that name. Cargo knows no such names, so a link is
    // put beside the library where it will be: target/<profile>, from target/<profile>/build/<package>/out.
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let link = out.ancestors().nth(3).expect("a folder of cargo's").join(name);
    drop(fs::remove_file(&link));
    symlink("libhcube_caf.so", &link).unwrap_or_else(|error| panic!("{}: {error}", link.display()));
}
