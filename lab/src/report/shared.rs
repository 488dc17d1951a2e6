//! What several sections of the report write in the same way: rates, axes, names of machines.

use super::checks::Line;
use super::sources::Inputs;
use hcube_results::machine::Machine;
use hcube_results::plot::{Axis, Format, Point, Scale};
use hcube_results::published::MACHINE;

/// A rate on axes and in tables.
pub fn gups(rate: f64) -> String {
    Format::Rounded.text(rate)
}

/// The axis of numbers of ranks.
pub fn ranks_axis() -> Axis {
    Axis::new("ranks", Scale::Log2, Format::Plain)
}

/// The axis of rates.
pub fn gups_axis() -> Axis {
    Axis::new("GUP/s, higher is better", Scale::Log10, Format::Rounded)
}

/// A median with the range of its measurements.
pub fn spread_point(x: f64, line: &Line) -> Point {
    let least = line.gups_measured.iter().copied().fold(line.gups, f64::min);
    let most = line.gups_measured.iter().copied().fold(line.gups, f64::max);
    Point { x, y: line.gups, range: Some((least, most)) }
}

/// The machine of Plimpton et al. 2006 for the model.
pub fn paper_machine() -> Option<Machine> {
    Machine::find(MACHINE).ok()
}

/// The deviation of simulated from published rates, in words.
pub fn deviation(pairs: &[(f64, f64)]) -> Option<String> {
    // The sum turns a negative zero into zero.
    let shares = pairs.iter().map(|(ours, theirs)| (100.0 * (ours / theirs - 1.0)).round() + 0.0);
    let least = shares.clone().reduce(f64::min)?;
    let most = shares.reduce(f64::max)?;
    Some(format!("{least:+.0} % to {most:+.0} % of the published ones").replace('-', "−"))
}

/// The name of a machine in legends.
pub fn machine_title<'a>(inputs: &'a Inputs, name: &'a str) -> &'a str {
    let machines = inputs.simulated.iter().flat_map(|simulated| &simulated.machines);
    let title = machines.filter(|machine| machine.name == name).map(|machine| machine.title.as_str()).next();
    title.map_or(name, |title| title.split([',', '(']).next().unwrap_or(title).trim())
}

/// All values of a key, each once, in ascending order.
pub fn distinct<T: Ord>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort();
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_and_rates_in_words() {
        let words = deviation(&[(0.9, 1.0), (2.2, 2.0)]).expect("of two pairs");
        assert_eq!(words, "−10 % to +10 % of the published ones");
        assert_eq!(deviation(&[]), None);
        assert_eq!([0.001, 0.27345678, 17.24, 2021.0].map(gups), ["0.001", "0.2735", "17.24", "2021"]);
    }
}
