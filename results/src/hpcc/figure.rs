//! The picture of the official HPCC: speed-up over stock HPCC, a row for each figure of merit.

use super::merit::{Compared, MERITS, Merit};
use crate::measured::distinct;
use crate::plot::{Axis, Chart, Rows, Scale, Series, Sheet, looks, plain};

/// Speed-up by benchmark, a series for each number of ranks.
pub fn speed_ups(all: &[Compared], file: Option<&'static str>) -> Chart {
    let measured = |key: &str| all.iter().any(|one| one.key == key && one.speed_up().is_some());
    let rows: Vec<&Merit> = MERITS.iter().filter(|merit| measured(merit.key)).collect();
    let name = |merit: &Merit| {
        let kept = if merit.replaced { "" } else { " (not replaced)" };
        format!("{}{kept}", merit.title)
    };
    let names = Rows::new(rows.iter().map(|merit| name(merit)));
    let mut ranks = distinct(all.iter().filter(|one| one.speed_up().is_some()).map(|one| one.ranks));
    ranks.sort_unstable();
    let series = ranks.into_iter().enumerate().map(|(number, ranks)| {
        let own = all.iter().filter(move |one| one.ranks == ranks);
        let points = own.filter_map(|one| names.point(one.speed_up()?, &name(one.merit()?)));
        let ranks = if ranks == 1 { "1 rank".to_owned() } else { format!("{ranks} ranks") };
        Series::measured(ranks, looks::ALL[number % looks::ALL.len()], points)
    });
    let x = Axis::new("speed-up: median over pairs of runs, higher is better", Scale::Log2, plain);
    let series = series.collect();
    names.chart("Official HPCC: hcube over stock", x, series).beside(1.0).named(file)
}

/// The picture; `None` without results of both.
pub fn sheet(all: &[Compared], title: &str) -> Option<Sheet> {
    Sheet::new(title, vec![speed_ups(all, None)])
}

#[cfg(test)]
mod tests {
    use super::super::tests::compared;
    use super::*;

    #[test]
    fn rows_of_what_both_have_measured() {
        let chart = speed_ups(&compared(), None);
        assert_eq!([1.0, 0.0].map(|row| chart.y.value(row)), ["HPL", "StarDGEMM (not replaced)"]);
        let places: Vec<f64> = chart.series[0].points.iter().map(|point| point.y).collect();
        assert_eq!((chart.series.len(), chart.series[0].name.as_str()), (1, "2 ranks"));
        assert_eq!(places, [1.0, 0.0]);
        let drawn = sheet(&compared(), "HPCC 1.5.0").expect("there are results").svg();
        assert!(drawn.contains("hcube over stock") && drawn.contains("HPCC 1.5.0"), "{drawn}");
        assert!(sheet(&compared()[2..], "").is_none());
    }
}
