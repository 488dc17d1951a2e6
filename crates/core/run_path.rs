//! For build scripts of packages that depend on this package and have libraries or programs linked to MPI.

/// Adds to the linked artefacts of a package, their kind like `cdylib` or `bins`, the run path that the
/// compiler wrapper adds to programs, so that the loader finds an MPI library outside of its default folders.
pub fn link(kind: &str) {
    let folders = std::env::var("DEP_HCUBE_MPI_RUN_PATH").unwrap_or_default();
    for folder in folders.split(':').filter(|folder| !folder.is_empty()) {
        println!("cargo::rustc-link-arg-{kind}=-Wl,-rpath,{folder}");
    }
}
