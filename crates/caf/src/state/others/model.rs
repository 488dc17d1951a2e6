//! The processes of images of a model, some of which end; `operations/model.rs` begins with what is promised.

use super::Others;
use hcube_core::atomic::model::End;

impl Others {
    /// The images are processes, of which these end.
    pub(crate) fn are_processes(&mut self, ends: Vec<Option<End>>) {
        self.processes = vec![0; ends.len()];
        self.ends = ends;
    }

    /// Whether the process of an image has ended, by its number on the node.
    pub(super) fn has_process_ended(&self, number: usize) -> bool {
        self.ends[number].as_ref().is_some_and(End::has_happened)
    }
}
