//! Generates the C header (cbindgen), which is committed and therefore only compared, and names the
//! shared object.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The sources that define the C interface, in the order in which the header shows them.
const INTERFACE: [&str; 8] = [
    "src/types.rs",
    "src/library.rs",
    "src/alltoall.rs",
    "src/transpose.rs",
    "src/random_access.rs",
    "src/fortran_alltoall.rs",
    "src/fortran.rs",
    "crates/core/src/error.rs",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    // MPI keeps addresses of functions that free what hangs on communicators.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    soname(&out);
    header(&out);
}

/// Gives the library the name that programs look for at run time: that of its major version. Cargo knows
/// no such names, so links of that name are put beside the library where it will be.
fn soname(out: &Path) {
    let name = format!("libhcube.so.{}", env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets it"));
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{name}");
    // target/<profile>/build/<package>/out
    let profile = out.ancestors().nth(3).expect("a folder of cargo's");
    for folder in [profile.to_owned(), profile.join("deps")] {
        let link = folder.join(&name);
        drop(fs::remove_file(&link));
        symlink("libhcube.so", &link).unwrap_or_else(|error| panic!("{}: {error}", link.display()));
    }
}

/// Generates the C header and compares it with the committed one; `HCUBE_UPDATE_HEADER=1` replaces
/// the committed one instead.
fn header(out: &Path) {
    println!("cargo::rerun-if-env-changed=HCUBE_UPDATE_HEADER");
    println!("cargo::rerun-if-changed=cbindgen.toml");
    println!("cargo::rerun-if-changed=include/hcube.h");
    let mut config = cbindgen::Config::from_file("cbindgen.toml").expect("cbindgen.toml is valid");
    config.after_includes = Some(version());
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in INTERFACE {
        println!("cargo::rerun-if-changed={source}");
        builder = builder.with_src(source);
    }
    let generated = out.join("hcube.h");
    builder.generate().expect("cbindgen reads the interface").write_to_file(&generated);
    let new = without_safety_sections(&fs::read_to_string(&generated).expect("just written"));
    let committed = Path::new("include/hcube.h");
    let old = fs::read_to_string(committed).unwrap_or_default();
    if new == old {
        return;
    }
    if env::var_os("HCUBE_UPDATE_HEADER").is_some() {
        fs::write(committed, new).expect("include/hcube.h is writable");
    } else {
        panic!("include/hcube.h is out of date: run 'make header' and commit the result");
    }
}

/// The version for the preprocessor, from the same place as that of `hcube_version()`.
fn version() -> String {
    let of = |name: &str| env::var(format!("CARGO_PKG_VERSION{name}")).expect("cargo sets it");
    let text = "\n/**\n * The version of this header, as text and as numbers; that of the library is hcube_version().\n */";
    format!(
        "{text}\n#define HCUBE_VERSION \"{}\"\n#define HCUBE_VERSION_MAJOR {}\n#define HCUBE_VERSION_MINOR {}\n\
         #define HCUBE_VERSION_PATCH {}",
        of(""),
        of("_MAJOR"),
        of("_MINOR"),
        of("_PATCH")
    )
}

/// Leaves out the sections that Rust asks of unsafe functions: to C they say what goes without
/// saying.
fn without_safety_sections(header: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut skipping = false;
    for line in header.lines() {
        if line.trim() == "* # Safety" {
            skipping = true;
            if lines.last().is_some_and(|last| last.trim() == "*") {
                lines.pop();
            }
        }
        skipping &= line.trim() != "*/";
        if !skipping {
            lines.push(line);
        }
    }
    lines.join("\n") + "\n"
}
