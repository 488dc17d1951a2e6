//! The picture of benchmarks on several hosts: speed-ups, with a row for each case and a chart for each MPI
//! library.

use super::{Line, Results};
use crate::measured::distinct;
use crate::plot::{Axis, Chart, Format, Rows, Scale, Series, Sheet, looks};

/// Speed-ups with an MPI library. Points of a row are sizes.
pub fn speed_ups(lines: &[Line], library: &str) -> Chart {
    let own: Vec<&Line> = lines.iter().filter(|line| line.place.library() == library).collect();
    let rows = Rows::new(distinct(own.iter().map(|line| line.case.clone())));
    let shapes = distinct(own.iter().map(|line| line.place.shape()));
    let series = shapes.into_iter().enumerate().map(|(number, shape)| {
        let points = own.iter().filter(|line| line.place.shape() == shape);
        let points = points.filter_map(|line| rows.point(line.speed_up(), &line.case));
        let name = format!("{shape} ranks");
        Series::measured(name, looks::ALL[number % looks::ALL.len()], points.collect::<Vec<_>>())
    });
    let x = Axis::new("speed-up, higher is better", Scale::Log10, Format::Plain);
    // The first in the legend is the last of the list.
    let series = series.collect::<Vec<_>>().into_iter().rev().collect();
    rows.chart(library, x, series).beside(1.0)
}

/// The picture; nothing without results.
pub fn sheet(results: &Results) -> Option<Sheet> {
    let libraries = distinct(results.lines.iter().map(|line| line.place.library()));
    let panels = libraries.into_iter().map(|library| speed_ups(&results.lines, library)).collect();
    let machine = match &results.taken.machine {
        unknown if unknown.is_empty() => format!("hosts share {} cores", results.cores),
        machine => machine.clone(),
    };
    let [slower, faster] = results.counts();
    let title = format!(
        "On several hosts, hcube is faster in {faster} and slower in {slower} of {} measurements",
        results.lines.len()
    );
    let sheet = Sheet::new("hosts", "Speed-ups over competitors", machine, panels)?;
    Some(Sheet { title: Some(title), date: results.taken.date.clone(), ..sheet })
}

#[cfg(test)]
mod tests {
    use super::super::tests::results;
    use super::*;

    #[test]
    fn libraries_have_charts_and_cases_have_rows() {
        let mut results = results();
        let drawn = sheet(&results).expect("a picture").svg();
        assert!(drawn.contains("faster in 1 and slower in 1 of 3 measurements"), "{drawn}");
        assert!(drawn.contains("2 x 2 ranks") && drawn.contains("panels"), "{drawn}");
        results.lines.clear();
        assert!(sheet(&results).is_none());
    }
}
