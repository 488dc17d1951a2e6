//! Figures of a picture in `doc/plots`: each point has its values in a title, so that a picture is the record
//! of a measurement.

use crate::records::read;
use std::path::Path;

/// A point of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The caption of its chart; empty in a picture of one chart.
    pub chart: String,
    /// Without the kind of evidence.
    pub series: String,
    /// What the value is of, as the axis has it.
    pub label: String,
    pub value: f64,
}

/// The points of `doc/plots/NAME.svg` below a directory.
///
/// # Errors
/// Where there is no such picture.
pub fn points(root: &Path, name: &str) -> Result<Vec<Point>, String> {
    let path = root.join("doc/plots").join(name).with_extension("svg");
    Ok(parse(&read(&path)?))
}

/// A point whose value has a unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// Without the kind of evidence.
    pub series: String,
    pub label: String,
    pub value: String,
}

/// The points of a picture whose values have units, as they are written.
///
/// # Errors
/// Where there is no such picture.
pub fn texts(root: &Path, name: &str) -> Result<Vec<Text>, String> {
    let picture = read(&root.join("doc/plots").join(name).with_extension("svg"))?;
    let titles = picture.split("<title>").skip(1).filter_map(|rest| rest.split('<').next());
    let text = |title: &str| {
        let (series, label, value) = parts(title)?;
        Some(Text { series: series.to_owned(), label: label.to_owned(), value: value.to_owned() })
    };
    Ok(titles.filter_map(text).collect())
}

/// The parts of a title `SERIES, EVIDENCE: FIRST, SECOND`, without the evidence.
fn parts(title: &str) -> Option<(&str, &str, &str)> {
    let (series, point) = title.split_once(": ")?;
    let (first, second) = point.split_once(", ")?;
    Some((series.rsplit_once(", ").map_or(series, |(name, _)| name), first, second))
}

fn parse(picture: &str) -> Vec<Point> {
    let mut points = Vec::new();
    let mut chart = String::new();
    for element in picture.split('<') {
        let text = element.split_once('>').map_or("", |(_, text)| text);
        if element.starts_with("text class=\"caption\"") {
            text.clone_into(&mut chart);
        } else if let Some((series, first, second)) = parts(text).filter(|_| element.starts_with("title>")) {
            // Bars have the value first.
            let value = |text: &str| text.parse::<f64>().ok();
            let point = value(second).map(|value| (first, value)).or_else(|| Some((second, value(first)?)));
            let (chart, series) = (chart.clone(), series.to_owned());
            points.extend(point.map(|(label, value)| Point {
                chart,
                series,
                label: label.to_owned(),
                value,
            }));
        }
    }
    points
}

/// The value of a series in a chart for a label.
///
/// # Errors
/// Where the picture has no such point.
pub fn value(points: &[Point], chart: &str, series: &str, label: &str) -> Result<f64, String> {
    let same = |point: &&Point| (&*point.chart, &*point.series, &*point.label) == (chart, series, label);
    let found = points.iter().find(same).map(|point| point.value);
    found.ok_or_else(|| format!("no point {label} of '{series}' in the chart '{chart}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_have_their_values_in_titles() {
        let picture = "<svg><text class=\"caption\" x=\"6.0\">one</text><path><title>MPI, 1 message, measured: 8 B, 1.5</title>\
                       </path><text class=\"caption\">two</text><title>hcube, measured: 0.25, empty, 2</title></svg>";
        let all = parse(picture);
        assert_eq!(value(&all, "one", "MPI, 1 message", "8 B"), Ok(1.5));
        assert_eq!(value(&all, "two", "hcube", "empty, 2"), Ok(0.25));
        assert!(all.len() == 2 && value(&all, "one", "hcube", "empty, 2").is_err(), "{all:?}");
    }
}
