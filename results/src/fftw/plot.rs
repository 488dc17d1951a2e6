//! The picture of FFTW's problems: speed-ups over FFTW's own plans, and memory, with a row for each problem.

use super::Comparison;
use crate::numbers;
use crate::plot::{Axis, Chart, Evidence, Scale, Series, Sheet, looks, plain};

/// The name of a problem in pictures and tables.
pub fn short(problem: &str) -> String {
    problem.replace('x', "×")
}

/// The first of the list is the top row.
fn rows<'a>(compared: &[Comparison<'a>]) -> Vec<Comparison<'a>> {
    compared.iter().rev().copied().collect()
}

/// Speed-ups on one number of ranks.
pub fn gains(compared: &[Comparison<'_>], ranks: usize, file: Option<&'static str>) -> Chart {
    let rows = rows(compared);
    let of = |transposition: bool, look, name: &str| {
        let own = rows.iter().enumerate().filter(|(_, one)| one.own.is_transposition() == transposition);
        Series::new(name, Evidence::Measured, look, own.map(|(row, one)| (one.gain(), row as f64)))
    };
    Chart::new(
        format!("FFTW with hcube, {ranks} ranks"),
        Axis::new("speed-up over FFTW's own plan, higher is better", Scale::Log10, plain),
        Axis::categories("", rows.iter().map(|one| short(&one.own.problem)).collect()),
        vec![
            of(true, looks::OTHER_OPTIONS, "transposition only"),
            of(false, looks::HCUBE, "whole transform"),
        ],
    )
    .beside(1.0)
    .named(file)
}

/// The smallest size on the axis of memory, which has no 0.
const MIN_BYTES: u64 = 4096;

/// Memory on one number of ranks, in the rows of [`gains`] without their names.
fn memory(compared: &[Comparison<'_>]) -> Chart {
    let rows = rows(compared);
    let of = |bytes: fn(&Comparison<'_>) -> Option<u64>, look, name: &str| {
        let own = rows.iter().enumerate().filter_map(|(row, one)| Some((bytes(one)?, row)));
        let points = own.map(|(bytes, row)| (bytes.max(MIN_BYTES) as f64, row as f64));
        Series::new(name, Evidence::Measured, look, points)
    };
    Chart::new(
        "Peak memory of a rank beside its arrays",
        Axis::new("lower is better", Scale::Log2, |bytes| numbers::whole_bytes(bytes as usize)),
        Axis::categories("", vec![String::new(); rows.len()]),
        vec![
            of(|one| one.own.extra_bytes, looks::STOCK, "memory with FFTW's own plan"),
            of(|one| one.hcube.extra_bytes, looks::COMPETITOR, "memory with hcube"),
        ],
    )
}

/// All problems and numbers of ranks; `None` without any.
pub fn sheet(compared: &[Comparison<'_>]) -> Option<Sheet> {
    let mut ranks: Vec<usize> = compared.iter().map(|one| one.own.ranks).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let of_ranks = |&count: &usize| {
        let own: Vec<_> = compared.iter().filter(|one| one.own.ranks == count).copied().collect();
        [gains(&own, count, None), memory(&own)]
    };
    let panels: Vec<Chart> = ranks.iter().flat_map(of_ranks).collect();
    let title = "FFTW-MPI with hcube's transposes against its own".to_owned();
    (!panels.is_empty()).then_some(Sheet { title, panels })
}

#[cfg(test)]
mod tests {
    use super::super::tests::results;
    use super::*;

    #[test]
    fn problems_speed_ups_and_memory_are_drawn() {
        let results = results();
        let drawn = sheet(&results.comparisons()).expect("there are results").svg();
        for words in ["c2c 128×128×128 in place OUT", "whole transform, measured: 2, c2c", "8 MiB", "1 MiB"]
        {
            assert!(drawn.contains(words), "{words} expected: {drawn}");
        }
        assert!(sheet(&[]).is_none());
    }
}
