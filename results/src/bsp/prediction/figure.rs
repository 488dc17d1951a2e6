//! The picture of predictions: times over the size where they were measured, efficiencies over the parameter
//! where they were published or simulated, and predicted times otherwise.

use super::{ByModel, Results, Row};
use crate::measured::distinct;
use crate::plot::{Axis, Chart, Evidence, Format, Look, Point, Scale, Series, Sheet, looks};

/// Colours and markers of the models.
const MODELS: [Look; 3] = [looks::OTHER_OPTIONS, looks::COMPETITOR, looks::MODEL];

fn measured_point(row: &Row) -> Option<Point> {
    let least = row.measured.iter().copied().reduce(f64::min)?;
    let most = row.measured.iter().copied().reduce(f64::max)?;
    Some(Point { x: row.size as f64, y: row.measured_seconds()?, range: Some((least, most)) })
}

/// The time over the size, for one parameter.
fn times(title: String, rows: &[&Row]) -> Chart {
    let mut series: Vec<Series> = (0..3)
        .map(|model| {
            let points = rows.iter().map(|row| (row.size as f64, row.seconds.all()[model]));
            Series::new(ByModel::NAMES[model], Evidence::Predicted, MODELS[model], points)
        })
        .collect();
    let points = rows.iter().filter_map(|row| measured_point(row)).collect();
    let name = "measured".to_owned();
    series.push(Series { name, evidence: Evidence::Measured, look: looks::HCUBE, points });
    Chart::new(
        title,
        Axis::new("size", Scale::Log2, Format::Plain),
        Axis::new("time in s, lower is better", Scale::Log10, Format::Rounded),
        series,
    )
}

/// The efficiency over the parameter, for one size.
fn efficiencies(title: String, parameter: &str, rows: &[&Row]) -> Chart {
    let points = |y: &dyn Fn(&Row) -> Option<f64>| -> Vec<(f64, f64)> {
        rows.iter().filter_map(|row| Some((row.parameter as f64, y(row)?))).collect()
    };
    let mut series: Vec<Series> = (0..3)
        .map(|model| {
            let points = points(&|row| Some(row.efficiency_percent.all()[model]));
            Series::new(ByModel::NAMES[model], Evidence::Predicted, MODELS[model], points)
        })
        .collect();
    let simulated = points(&|row| row.simulated_seconds.map(|seconds| row.efficiency(seconds)));
    series.push(Series::new("simulated", Evidence::Simulated, looks::HCUBE, simulated));
    let published = points(&|row| row.published_percent);
    series.push(Series::new("published", Evidence::Published, looks::PAPER, published));
    series.retain(|one| !one.points.is_empty());
    Chart::new(
        title,
        Axis::new(parameter, Scale::Linear, Format::Plain),
        Axis::new("efficiency in %, higher is better", Scale::Linear, Format::Plain),
        series,
    )
}

impl Results {
    /// The charts, one for each program, number of processes and parameter or size.
    pub fn charts(&self) -> Vec<Chart> {
        let over_sizes = self.rows.iter().any(|row| !row.measured.is_empty());
        if over_sizes {
            let title = |row: &Row| {
                format!("{}, {} processes, {} {}", row.program, row.processes, self.parameter, row.parameter)
            };
            return self.groups().iter().map(|rows| times(title(rows[0]), rows)).collect();
        }
        let key = |row: &Row| (row.program.clone(), row.processes, row.size);
        let charts = distinct(self.rows.iter().map(key)).into_iter().map(|own| {
            let rows: Vec<&Row> = self.rows.iter().filter(|row| key(row) == own).collect();
            efficiencies(format!("{}, {} processes, size {}", own.0, own.1, own.2), &self.parameter, &rows)
        });
        charts.collect()
    }

    /// The picture; nothing without rows.
    pub fn sheet(&self) -> Option<Sheet> {
        Sheet::new("bsp-predict", "BSP programs", &self.machine, self.charts())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{results, row};

    #[test]
    fn measured_times_are_drawn_over_the_size() {
        let mut rows = vec![row(100, 2), row(200, 2)];
        rows.iter_mut().for_each(|row| row.measured = vec![1.0, 1.2]);
        let drawn = results(rows).sheet().expect("rows").svg();
        for words in ["matmul customized, 2 processes, blocks 2", "measured", "g(h,h*)"] {
            assert!(drawn.contains(words), "{words} expected");
        }
    }

    #[test]
    fn published_efficiencies_are_drawn_over_the_parameter() {
        let mut rows = vec![row(2000, 2), row(2000, 3)];
        rows[0].published_percent = Some(70.0);
        let charts = results(rows).charts();
        assert_eq!(charts.len(), 1);
        let names: Vec<&str> = charts[0].series.iter().map(|series| series.name.as_str()).collect();
        assert_eq!(names, ["constant g", "g(h)", "g(h,h*)", "published"]);
        assert!(results(Vec::new()).sheet().is_none());
    }
}
