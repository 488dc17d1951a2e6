//! Lines of the cost model: T_P = T_1 + T_C log2 P of Plimpton et al. 2006, section 3.

use crate::machine::{Link, Machine};

/// In legends.
pub const NAME: &str = "model (Plimpton et al. 2006)";

/// Seconds of a stage for a rank that holds so many values and sends half of them.
fn stage(link: &Link, values: f64, divide_ns: f64) -> f64 {
    let half = values * 8.0 / 2.0;
    1e-6 * link.latency_us + 1e-9 * (half / link.bandwidth_gb_s + divide_ns * values)
}

/// GUP/s of so many ranks, as many on each node as it has cores. Stages inside nodes cost what messages
/// there do.
pub fn rate(machine: &Machine, ranks: usize, look_ahead: usize) -> f64 {
    let (values, costs) = (look_ahead as f64, &machine.costs);
    let alone = 1e-9 * values * (costs.generate_ns + costs.update_ns);
    let inside = (ranks.min(machine.cores) as f64).log2();
    let between = (ranks as f64).log2() - inside;
    let seconds = alone
        + inside * stage(&machine.node, values, costs.divide_ns)
        + between * stage(&machine.network, values, costs.divide_ns);
    1e-9 * ranks as f64 * values / seconds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::published::TABLE_2;

    #[test]
    fn the_papers_model_row() {
        let machine = Machine::find("red-storm").expect("comes with hcube");
        for column in TABLE_2 {
            let Some(published) = column.model else { continue };
            let rate = rate(&machine, column.ranks, 1024);
            assert!((rate / published - 1.0).abs() < 0.02, "{column:?}: {rate}");
        }
    }
}
