//! What the parts of the manual hand over.

/// The other names of a command: most are installed under a name for each MPI library, too, and bspcxx is
/// bspcc for C++.
pub fn twins(command: &str) -> Vec<String> {
    let names: &[&str] = match command {
        "bspcc" => &["bspcc", "bspcxx"],
        "hcube-run" => &[],
        _ => &[command],
    };
    let all = names.iter().flat_map(|name| ["", "-openmpi", "-mpich"].map(|mpi| format!("{name}{mpi}")));
    all.filter(|name| name != command).collect()
}

/// A file that is to be written.
pub struct File {
    /// Below the folder.
    pub name: String,
    pub text: String,
}

impl File {
    pub fn new(name: impl Into<String>, text: String) -> Self {
        Self { name: name.into(), text }
    }
}
