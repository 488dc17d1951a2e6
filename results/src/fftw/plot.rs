//! The picture of FFTW's problems: speed-ups over FFTW's own plans, and memory, with a row for each problem.

use super::Comparison;
use crate::plot::{Axis, Chart, Evidence, Format, Scale, Series, Sheet, looks};
use crate::taken::Taken;

/// The name of a problem in tables.
pub fn short(problem: &str) -> String {
    problem.replace('x', "×")
}

/// The name of a problem in pictures: `real 128³`.
fn readable(problem: &str) -> String {
    let mut words: Vec<String> = problem.replace(" in place", "").split(' ').map(str::to_owned).collect();
    for word in &mut words {
        *word = match word.as_str() {
            "c2c" => "complex".to_owned(),
            "r2c" => "real".to_owned(),
            "OUT" => "transposed".to_owned(),
            size => extents(size),
        };
    }
    words.join(" ")
}

/// Extents of an array, as a power where all are the same.
fn extents(text: &str) -> String {
    let parts: Vec<&str> = text.split('x').collect();
    match parts[..] {
        [a, b, c] if a == b && b == c => format!("{a}³"),
        [a, b] if a == b => format!("{a}²"),
        _ => text.replace('x', "×"),
    }
}

/// Rows of a picture, at most.
const MAX_ROWS: usize = 12;

/// What is drawn: without the smallest of too many problems. The first of the list is the top row.
fn rows<'a>(compared: &[Comparison<'a>]) -> Vec<Comparison<'a>> {
    let bytes = |one: &Comparison<'_>| one.own.data_bytes.unwrap_or(u64::MAX);
    let mut sizes: Vec<u64> = compared.iter().map(bytes).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let least = sizes.get(MAX_ROWS - 1).copied().unwrap_or(0);
    let mut rows: Vec<_> =
        compared.iter().filter(|one| bytes(one) >= least).take(MAX_ROWS).copied().collect();
    rows.reverse();
    rows
}

fn names(rows: &[Comparison<'_>]) -> Vec<String> {
    rows.iter().map(|one| readable(&one.own.problem)).collect()
}

/// Speed-ups on one number of ranks.
pub fn gains(compared: &[Comparison<'_>], ranks: usize, file: Option<&'static str>) -> Chart {
    let rows = rows(compared);
    let of = |transposition: bool, look, name: &str| {
        let own = rows.iter().enumerate().filter(|(_, one)| one.own.is_transposition() == transposition);
        Series::new(name, Evidence::Measured, look, own.map(|(row, one)| (one.gain(), row as f64)))
    };
    Chart::new(
        format!("FFTW with hcube, speed-up on {ranks} ranks"),
        Axis::new("speed-up over FFTW's own plan, higher is better", Scale::Log10, Format::Plain),
        Axis::categories("", names(&rows)),
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

/// Memory on one number of ranks, in the rows of [`gains`].
fn memory(compared: &[Comparison<'_>]) -> Chart {
    let mut rows = rows(compared);
    rows.retain(|one| one.own.extra_bytes.is_some() || one.hcube.extra_bytes.is_some());
    let of = |bytes: fn(&Comparison<'_>) -> Option<u64>, look, name: &str| {
        let own = rows.iter().enumerate().filter_map(|(row, one)| Some((bytes(one)?, row)));
        let points = own.map(|(bytes, row)| (bytes.max(MIN_BYTES) as f64, row as f64));
        Series::new(name, Evidence::Measured, look, points)
    };
    Chart::new(
        "Peak memory of a rank beside its arrays",
        Axis::new("lower is better", Scale::Log2, Format::Bytes),
        Axis::categories("", names(&rows)),
        vec![
            of(|one| one.own.extra_bytes, looks::STOCK, "memory with FFTW's own plan"),
            of(|one| one.hcube.extra_bytes, looks::COMPETITOR, "memory with hcube"),
        ],
    )
}

/// All problems and numbers of ranks; `None` without any.
pub fn sheet(compared: &[Comparison<'_>], taken: &Taken) -> Option<Sheet> {
    let mut ranks: Vec<usize> = compared.iter().map(|one| one.own.ranks).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let of_ranks = |&count: &usize| {
        let own: Vec<_> = compared.iter().filter(|one| one.own.ranks == count).copied().collect();
        [gains(&own, count, None), memory(&own)]
    };
    let panels: Vec<Chart> = ranks.iter().flat_map(of_ranks).collect();
    Some(Sheet::new("fftw", "FFTW's MPI transforms", "", panels)?.taken(taken))
}

#[cfg(test)]
mod tests {
    use super::super::tests::results;
    use super::*;

    #[test]
    fn problems_speed_ups_and_memory_are_drawn() {
        let results = results();
        let drawn = sheet(&results.comparisons(), &Taken::default()).expect("there are results").svg();
        for words in ["complex 128³ transposed", "whole transform, measured: 2, complex", "8 MiB", "1 MiB"] {
            assert!(drawn.contains(words), "{words} expected: {drawn}");
        }
        assert!(sheet(&[], &Taken::default()).is_none());
        assert_eq!(readable("mpi-bench r2c 8x8x8 in place OUT"), "mpi-bench real 8³ transposed");
        assert_eq!(readable("64x4096 in place"), "64×4096");
        assert_eq!(readable("64x64"), "64²");
    }

    #[test]
    fn there_are_at_most_twelve_rows() {
        let results = results();
        let first = results.comparisons()[0];
        let many: Vec<Comparison<'_>> = vec![first; 20];
        assert_eq!(gains(&many, 2, None).y.fit(&[]).ticks.len(), MAX_ROWS);
    }
}
