//! For build scripts of packages with libraries or programs that are linked to MPI and depend on this one.

/// Gives what a package links, its kind like `cdylib` or `bins`, the run path that the compiler wrapper gives
/// to programs, so that the loader finds an MPI library which is not in one of its usual folders.
pub fn link(kind: &str) {
    let folders = std::env::var("DEP_HCUBE_MPI_RUN_PATH").unwrap_or_default();
    for folder in folders.split(':').filter(|folder| !folder.is_empty()) {
        println!("cargo::rustc-link-arg-{kind}=-Wl,-rpath,{folder}");
    }
}
