//! The picture of the official HPCC: speed-up over stock HPCC, a row for each figure of merit.

use super::control::Finding;
use super::merit::{Compared, MERITS, Merit};
use crate::lists::distinct;
use crate::plot::{Axis, Chart, Format, Rows, Scale, Series, Sheet, looks};
use crate::taken::Taken;

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
    let x = Axis::new("speed-up over stock HPCC, higher is better", Scale::Log2, Format::Plain);
    let series = series.collect();
    names.chart("Official HPCC: hcube over stock", x, series).beside(1.0).named(file)
}

/// How many benchmarks are faster on the most ranks.
fn message(all: &[Compared]) -> Option<String> {
    let stated = all.iter().filter(|one| one.merit().is_some() && one.speed_up().is_some());
    let ranks = stated.clone().map(|one| one.ranks).max()?;
    let own: Vec<&Compared> = stated.filter(|one| one.ranks == ranks).collect();
    let faster = own.iter().filter(|one| Finding::of(one, all) == Finding::Faster).count();
    let unit = if ranks == 1 { "rank" } else { "ranks" };
    Some(format!("hcube speeds up {faster} of {} HPCC tests on {ranks} {unit}", own.len()))
}

/// The picture; `None` without results of both.
pub fn sheet(all: &[Compared], subject: &str, taken: &Taken) -> Option<Sheet> {
    let chart = Chart { title: String::new(), ..speed_ups(all, None) };
    let sheet = Sheet::new("hpcc", subject, "", vec![chart])?;
    Some(Sheet { title: message(all), ..sheet.taken(taken) })
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
        let taken = Taken { machine: "Some MPI".to_owned(), date: "May 2026".to_owned() };
        let drawn = sheet(&compared(), "HPCC 1.5.0", &taken).expect("there are results").svg();
        for words in [
            ">hcube speeds up 1 of 2 HPCC tests on 2 ranks</text>",
            ">HPCC 1.5.0, measured, Some MPI, May 2026</text>",
        ] {
            assert!(drawn.contains(words), "{words} expected: {drawn}");
        }
        // Each point has its value.
        assert_eq!(drawn.matches("class=\"value\"").count(), 2, "{drawn}");
        assert!(sheet(&compared()[2..], "", &taken).is_none());
    }
}
