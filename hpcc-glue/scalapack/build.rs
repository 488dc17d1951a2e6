//! Sets the name under which the loader finds the library, and keeps it loaded.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

#[path = "../../crates/core/run_path.rs"]
mod run_path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // MPI keeps addresses of callbacks that free attributes of communicators.
    println!("cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete");
    run_path::link("cdylib");
    let name = format!("libhcube_pblas.so.{}", env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets it"));
    println!("cargo::rustc-link-arg-cdylib=-Wl,-soname,{name}");
    // Programs are linked to this library as well as started with it. Cargo knows no such names, so a link of
    // that name is put beside the library where it will be: target/<profile>, from
    // target/<profile>/build/<package>/out.
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let link = out.ancestors().nth(3).expect("a folder of cargo's").join(name);
    drop(fs::remove_file(&link));
    symlink("libhcube_pblas.so", &link).unwrap_or_else(|error| panic!("{}: {error}", link.display()));
}
