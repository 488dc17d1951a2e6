//! The arguments of a run that the modes `events` and `spawn` share.

use hcube_caf::Runtime;
use hcube_core::comm::Comm;
use hcube_core::machine::instructions::Level;
use hcube_core::plan::Stage;
use hcube_random_access::divide::Divider;
use hcube_random_access::table::Index;
use hcube_random_access::{Distribution, Options};

/// A run, seen from an image.
pub(super) struct Exchange<'a, C: Comm> {
    pub comm: &'a C,
    pub runtime: &'a Runtime<C>,
    pub options: &'a Options,
    pub distribution: Distribution,
    pub index: Index,
    pub level: Level,
    /// Whether images share cores.
    pub crowded: bool,
}

impl<C: Comm> Exchange<'_, C> {
    /// Divides lists by the rule of a stage.
    pub fn divider<'s>(&self, stage: &'s Stage) -> Divider<'s> {
        Divider::new(&stage.parting, stage.parts, self.distribution, self.index, self.level)
    }
}
