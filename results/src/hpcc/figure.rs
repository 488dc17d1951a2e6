//! The picture of the official HPCC: speed-up over stock HPCC, a row for each figure of merit.

use super::merit::{Compared, MERITS};
use crate::plot::{Axis, Chart, Evidence, Point, Scale, Series, Sheet, looks, plain};

/// Speed-up by benchmark, a series for each number of ranks.
pub fn speed_ups(all: &[Compared], file: Option<&'static str>) -> Chart {
    let measured = |key: &str| all.iter().any(|one| one.key == key && one.speed_up().is_some());
    let rows: Vec<&super::merit::Merit> = MERITS.iter().filter(|merit| measured(merit.key)).collect();
    let mut names: Vec<String> =
        rows.iter()
            .map(|merit| {
                if merit.replaced {
                    merit.title.to_owned()
                } else {
                    format!("{} (not replaced)", merit.title)
                }
            })
            .collect();
    // The first of the list is the top row.
    names.reverse();
    let mut ranks: Vec<usize> =
        all.iter().filter(|one| one.speed_up().is_some()).map(|one| one.ranks).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let place = |key: &str| rows.iter().rev().position(|merit| merit.key == key);
    let points = |ranks: usize| {
        let own = all.iter().filter(move |one| one.ranks == ranks);
        own.filter_map(|one| Some(Point::new(one.speed_up()?, place(&one.key)? as f64))).collect()
    };
    let series = |(number, &ranks): (usize, &usize)| Series {
        name: if ranks == 1 { "1 rank".to_owned() } else { format!("{ranks} ranks") },
        evidence: Evidence::Measured,
        look: looks::ALL[number % looks::ALL.len()],
        points: points(ranks),
    };
    Chart {
        title: "Official HPCC: hcube over stock".to_owned(),
        x: Axis::new("speed-up: median over pairs of runs, higher is better", Scale::Log2, plain),
        y: Axis::categories("", names),
        series: ranks.iter().enumerate().map(series).collect(),
        reference: Some(1.0),
        file,
    }
}

/// The picture; `None` without results of both.
pub fn sheet(all: &[Compared], title: &str) -> Option<Sheet> {
    let chart = speed_ups(all, None);
    (!chart.is_empty()).then(|| Sheet { title: title.to_owned(), panels: vec![chart] })
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
