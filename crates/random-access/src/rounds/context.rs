//! The common data of the stages of a round: communicator, options, statistics, and shared steps.

use crate::divide::Divider;
use crate::local_table::LocalTable;
use crate::options::Options;
use crate::statistics::Statistics;
use crate::work::{DIVIDE, UPDATE};
use hcube_core::comm::Comm;
use hcube_core::machine::work::COPY;
use hcube_core::progress::wait::{Patience, Stopwatch};

/// The shared data of the stages of a round.
pub(super) struct Context<'a, C: ?Sized> {
    pub comm: &'a C,
    pub options: &'a Options,
    pub patience: Patience,
    pub statistics: Statistics,
    pub watch: Stopwatch,
}

impl<C: Comm + ?Sized> Context<'_, C> {
    /// Applies values that this rank owns.
    pub fn update(&mut self, table: &mut LocalTable<'_>, values: &[u64]) {
        table.update(values);
        self.comm.charge(UPDATE.of(values.len()));
        self.statistics.update += self.watch.lap();
    }

    /// Puts values on the lists of the parts that they belong to.
    pub fn divide(&mut self, divider: &mut Divider<'_>, values: &[u64]) {
        divider.divide(values);
        self.comm.charge(DIVIDE.of(values.len() * divider.passes()));
        self.statistics.route += self.watch.lap();
    }

    /// Appends values that have arrived to a list.
    pub fn append(&mut self, list: &mut Vec<u64>, values: &[u64]) {
        list.extend_from_slice(values);
        self.comm.charge(COPY.of(size_of_val(values)));
        self.statistics.route += self.watch.lap();
    }

    /// Counts the values that a rank holds while routing: Q on average, more by chance or skew.
    pub fn hold(&mut self, values: usize) {
        self.statistics.excess += values.saturating_sub(self.options.look_ahead) as u64;
        self.statistics.most_held = self.statistics.most_held.max(values as u64);
    }
}
