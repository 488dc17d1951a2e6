//! Predictions before a computation begins.

use super::arguments::{Arguments, Variant};
use crate::machine::{self, named, parameters};
use crate::probe::links;
use crate::session::Session;
use hcube_core::comm::{Comm, agree};
use hcube_core::machine::{Parameters, Placement};
use hcube_core::{Error, Result};
use hcube_lcs::cost::{self, Machine, Problem};
use hcube_lcs::distributed::Options;
use hcube_lcs::grid::Grid;
use hcube_lcs::packed::Packing;
use hcube_results::llcs::Prediction;

/// The machine and the rate for which is predicted.
pub struct Model {
    /// In headings and results.
    pub name: String,
    parameters: Parameters,
    placement: Placement,
}

/// Where messages are from, the same on all ranks.
const NAMED: u64 = 1;

impl Model {
    /// Collective: the machine of the options, or messages that are measured now. Only rank 0 has the figures
    /// of a file.
    pub fn new(session: &Session, arguments: &Arguments, node_sizes: &[usize]) -> Result<Self> {
        let comm = &session.comm;
        let placement =
            Placement { ranks: comm.size(), ranks_per_node: node_sizes.first().copied().unwrap_or(1).max(1) };
        let is_named = named(arguments.machine.as_deref()).is_some();
        // The working directory of rank 0 decides.
        let named = comm.all_gather(&[u64::from(is_named)])?[0] == NAMED;
        let (name, parameters) = if named {
            let found = if session.speaks() {
                let found = machine::find(arguments.machine.as_deref()).map_err(Error::Unsupported);
                found.map(|machine| (machine.title.clone(), parameters(&machine)))
            } else {
                Ok((String::new(), hcube_core::machine::EXAMPLE))
            };
            agree(comm, found)?
        } else if placement.ranks > 1 {
            ("messages measured in this run".to_owned(), links::figures(comm)?)
        } else {
            (String::new(), hcube_core::machine::EXAMPLE)
        };
        Ok(Self { name, parameters, placement })
    }

    /// The grid of a variant, and what it takes.
    pub fn predict(
        &self,
        length: usize,
        symbols: usize,
        (variant, alpha): (Variant, usize),
        entry: f64,
    ) -> (Grid, Prediction) {
        let ranks = self.placement.ranks;
        let problem = Problem { columns: length, rows: length, bits: 1 + Packing::new(symbols).bits() };
        let grid = if variant == Variant::Grid {
            // As hcube selects it for programs, which have no figures of the machine.
            cost::choose(&problem, ranks, &Options::default().machine)
        } else {
            Grid { ranks, alpha, block_rows: alpha * ranks }
        };
        let machine = Machine::new(&self.parameters, &self.placement, entry);
        let [seconds, alone] = if variant == Variant::Barriers {
            // The equations count entries only, also on one process.
            let slowed = machine.with_barriers(ranks);
            let entries = length as f64 * length as f64;
            [cost::thesis_seconds(length, problem.bits, ranks, alpha, &slowed), entries * entry]
        } else {
            let one = Grid { ranks: 1, alpha: 1, block_rows: 1 };
            [grid, one].map(|grid| cost::seconds(&problem, &grid, &machine))
        };
        let efficiency = alone / (ranks as f64 * seconds);
        (grid, Prediction { machine: self.name.clone(), entry_ns: 1e9 * entry, seconds, efficiency })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_are_those_of_the_cost_model() {
        let placement = Placement { ranks: 4, ranks_per_node: 4 };
        let model = Model { name: "example".to_owned(), parameters: hcube_core::machine::EXAMPLE, placement };
        let predict = |variant, alpha| model.predict(100_000, 4, (variant, alpha), 1e-11);
        let (grid, square) = predict(Variant::Alpha, 2);
        assert_eq!((grid.block_columns(), grid.block_rows), (8, 8));
        assert_eq!((square.machine.as_str(), square.entry_ns), ("example", 1e-2));
        let [selected, barriers] = [predict(Variant::Grid, 0).1, predict(Variant::Barriers, 2).1];
        assert!(selected.seconds < square.seconds && selected.efficiency > square.efficiency);
        assert!(barriers.efficiency < 1.0 && selected.efficiency < 1.0, "{barriers:?} {selected:?}");
        // Equation 5.2: (p alpha (alpha + 1) - alpha) / (alpha p)^2 of the work, and messages.
        assert!((0.3437..0.35).contains(&(barriers.seconds / 0.1)), "{barriers:?}");
    }
}
