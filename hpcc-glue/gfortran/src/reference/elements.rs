//! Elements of another image during a transfer.

use crate::section::Section;

/// Elements of another image.
#[derive(Debug)]
pub struct Elements {
    /// Bytes of each.
    pub element: usize,
    /// Their number per dimension.
    pub counts: Vec<usize>,
    /// They, packed.
    pub bytes: Vec<u8>,
}

impl Elements {
    /// The section of them.
    pub fn section(&mut self) -> Section {
        Section::array(self.bytes.as_mut_ptr(), self.element, &self.counts)
    }
}
