//! What the parts of the manual hand over.

/// The tool's names besides `hcube`.
pub const TWINS: [&str; 2] = ["hcube-openmpi", "hcube-mpich"];

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
