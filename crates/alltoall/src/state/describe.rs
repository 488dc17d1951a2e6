//! What exchanges on a communicator do, in words.

use super::{BASE_MEMORY_BYTES, ExchangeState};
use crate::options::{Path, Schedule};
use crate::select::{self, Situation};

impl ExchangeState {
    /// One line about what an exchange does here.
    pub fn describe(&self) -> String {
        let Situation { ranks, shared, single_copy, led, leads_in_place, schedule, path } = self.situation;
        let order = match schedule {
            Schedule::Auto => Schedule::HierarchicalSets.name(),
            _ => schedule.name(),
        };
        let inside = match (single_copy, path) {
            (_, Path::SingleCopy) if single_copy => "single copy",
            (true, Path::Auto) => "shared memory, for large blocks single copy where that proves faster",
            _ => "shared memory",
        };
        let path = match (&self.node, schedule) {
            _ if ranks == 1 => "nothing to exchange".to_owned(),
            (_, Schedule::Library) => "the library's own function".to_owned(),
            (Some(_), _) if shared => inside.to_owned(),
            (Some(_), _) => format!("inside nodes {inside}; between them messages ({order})"),
            (None, _) => format!("messages ({order})"),
        };
        let led = match (led, schedule) {
            (0, _) => String::new(),
            (_, Schedule::NodeLeaders) => format!("; blocks of at most {led} bytes by node leaders"),
            _ => {
                let kind = if leads_in_place { "" } else { " out of place" };
                format!("; blocks of at most {led} bytes{kind} by node leaders where that proves faster")
            }
        };
        let outside = match select::forwarded_before_votes(&self.situation, false, false) {
            Some(reason) if ranks > 1 => {
                let other = if led.is_empty() { "" } else { "other blocks " };
                format!("; {other}out of place the library's own function ({reason})")
            }
            _ => String::new(),
        };
        format!(
            "{path}{led}{outside}; up to {} KiB of memory",
            (self.options.memory + BASE_MEMORY_BYTES) >> 10
        )
    }
}
