//! What `hcube --version` prints: the version of hcube, its MPI library and the build.

use crate::bench::library::mpi_name;
use crate::session;
use std::sync::LazyLock;

/// Asks the MPI library for its version, which it permits before MPI_Init.
pub fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| line(&session::library()));
    &TEXT
}

fn line(library: &str) -> String {
    format!(
        "{}, built for {library} ({}), {}, {}",
        env!("CARGO_PKG_VERSION"),
        mpi_name(library),
        env!("HCUBE_BUILD_PROFILE"),
        env!("HCUBE_BUILD_COMPILER"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_library_and_build_are_named() {
        let line = line("Open MPI v4.1.4");
        let beginning = format!("{}, built for Open MPI v4.1.4 (openmpi), ", env!("CARGO_PKG_VERSION"));
        assert!(line.starts_with(&beginning) && line.contains(", rustc "), "{line}");
    }
}
