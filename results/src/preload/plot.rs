//! The picture of real programs: speed-ups with the preload library, with a row for each program.

use super::Row;
use crate::plot::{Axis, Chart, Evidence, Scale, Series, looks, plain};

/// The benchmark whose cases are programs.
pub const PROGRAMS: &str = "programs";

/// Each value once, in the order of the rows.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for value in values {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

/// Speed-ups of all programs; an empty chart without programs.
pub fn programs(rows: &[Row]) -> Chart {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.benchmark == PROGRAMS).collect();
    // The first of the list is the top row.
    let mut names = distinct(rows.iter().map(|row| row.case.as_str()));
    names.reverse();
    let series = distinct(rows.iter().map(|row| row.ranks)).into_iter().enumerate();
    let series = series.map(|(number, ranks)| {
        let own = rows.iter().filter(|row| row.ranks == ranks);
        let place = |row: &&&Row| names.iter().position(|name| *name == row.case);
        let points = own.filter_map(|row| Some((row.speed_up()?, place(&row)? as f64)));
        Series::new(
            format!("{ranks} ranks"),
            Evidence::Measured,
            looks::ALL[number % looks::ALL.len()],
            points,
        )
    });
    Chart {
        title: "Programs with hcube, this machine".to_owned(),
        x: Axis::new("speed-up over the MPI library, higher is better", Scale::Log10, plain),
        // The first in the legend is the last of the list.
        series: series.rev().collect(),
        y: Axis::categories("", names.into_iter().map(str::to_owned).collect()),
        reference: Some(1.0),
        file: Some("programs"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::row;
    use super::*;

    #[test]
    fn programs_have_rows_and_ranks_have_series() {
        let mut rows = vec![row("LAMMPS", 2, 4.0, 2.0, None), row("mpi4py-fft", 2, 3.0, 2.0, None)];
        rows.extend([row("LAMMPS", 4, 3.0, 2.0, None), row("mpi4py-fft", 4, 2.5, 2.0, None)]);
        let drawn = programs(&rows).svg();
        assert!(drawn.contains("2 ranks, measured: 2, LAMMPS"), "{drawn}");
        assert!(drawn.contains("4 ranks, measured: 1.25, mpi4py-fft"), "{drawn}");
        rows.iter_mut().for_each(|row| row.benchmark = "churn".to_owned());
        assert!(programs(&rows).is_empty());
    }
}
