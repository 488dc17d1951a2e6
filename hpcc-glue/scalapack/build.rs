//! The name under which the loader finds the library, and that it stays loaded.

use std::env;

fn main() {
    // MPI keeps addresses of callbacks that free attributes of communicators.
    println!("cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete");
    let major = env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets it");
    println!("cargo::rustc-link-arg-cdylib=-Wl,-soname,libhcube_pblas.so.{major}");
}
