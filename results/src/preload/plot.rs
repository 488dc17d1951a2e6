//! The picture of real programs: speed-ups with the preload library, with a row for each program.

use super::Row;
use crate::measured::distinct;
use crate::plot::{Axis, Chart, Format, Rows, Scale, Series, Sheet, looks};

/// The benchmark whose cases are programs.
pub const PROGRAMS: &str = "programs";

/// Speed-ups of all programs; an empty chart without programs.
pub fn programs(rows: &[Row]) -> Chart {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.benchmark == PROGRAMS).collect();
    let names = Rows::new(rows.iter().map(|row| row.case.clone()));
    let series = distinct(rows.iter().map(|row| row.ranks)).into_iter().enumerate();
    let series = series.map(|(number, ranks)| {
        let own = rows.iter().filter(|row| row.ranks == ranks);
        let points = own.filter_map(|row| names.point(row.speed_up()?, &row.case));
        Series::measured(format!("{ranks} ranks"), looks::ALL[number % looks::ALL.len()], points)
    });
    let x = Axis::new("speed-up over the MPI library, higher is better", Scale::Log10, Format::Plain);
    // The first in the legend is the last of the list.
    let series = series.rev().collect();
    let chart = names.chart("Programs, over the run without hcube", x, series);
    chart.beside(1.0).named(Some("programs"))
}

/// The picture of results with an MPI library; `None` without programs.
pub fn sheet(rows: &[Row], mpi: &str) -> Option<Sheet> {
    Sheet::new("programs", "Programs with hcube", mpi, vec![programs(rows)])
}

#[cfg(test)]
mod tests {
    use super::super::tests::row;
    use super::*;

    #[test]
    fn programs_have_rows_and_ranks_have_series() {
        let mut rows = vec![row("LAMMPS", 2, 4.0, 2.0, None), row("mpi4py-fft", 2, 3.0, 2.0, None)];
        rows.extend([row("LAMMPS", 4, 3.0, 2.0, None), row("mpi4py-fft", 4, 2.5, 2.0, None)]);
        let drawn = sheet(&rows, "Some MPI").expect("programs").svg();
        assert!(drawn.contains("2 ranks, measured: 2, LAMMPS"), "{drawn}");
        assert!(drawn.contains("4 ranks, measured: 1.25, mpi4py-fft"), "{drawn}");
        rows.iter_mut().for_each(|row| row.benchmark = "churn".to_owned());
        assert!(programs(&rows).is_empty());
    }
}
