//! Pictures in `doc/plots` and the records in `doc/results` from which they are drawn: each record is a
//! description of a picture with its points, or the results of a benchmark.

use super::{hosts, measured};
use crate::records::{read, read_json};
use hcube_results::plot::{Chart, Evidence, Series, Sheet};
use std::fs;
use std::path::{Path, PathBuf};

/// Pictures of results that pages show in tables as well; all others are drawn from their records.
type Drawn = (&'static str, fn(&Path) -> Result<Sheet, String>);
const DRAWN: [Drawn; 3] = [
    ("hpcc", measured::official_picture),
    ("fftw", measured::transposition_picture),
    ("hosts", hosts::picture),
];

/// The file of a picture or of its record.
fn file(root: &Path, folder: &str, name: &str, extension: &str) -> PathBuf {
    root.join("doc").join(folder).join(name).with_extension(extension)
}

/// The names of the files in a folder of `doc`.
fn names(root: &Path, folder: &str) -> Result<Vec<String>, String> {
    let folder = root.join("doc").join(folder);
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let stem = |path: PathBuf| Some(path.file_stem()?.to_string_lossy().into_owned());
    let files = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file());
    let mut names: Vec<String> = files.filter_map(stem).collect();
    names.sort();
    Ok(names)
}

/// A picture, from its record.
///
/// # Errors
/// Where it has no valid record.
pub fn sheet(root: &Path, name: &str) -> Result<Sheet, String> {
    match DRAWN.iter().find(|drawn| drawn.0 == name) {
        Some((_, draw)) => draw(root),
        None => Ok(Sheet { name: name.to_owned(), ..read_json(&file(root, "results", name, "json"))? }),
    }
}

/// Draws all pictures.
///
/// # Errors
/// Where a record is not valid, or a picture has none.
pub fn draw(root: &Path) -> Result<(), String> {
    let records = names(root, "results")?;
    for name in names(root, "plots")? {
        if !records.contains(&name) {
            return Err(format!("doc/plots/{name}.svg: no record doc/results/{name}.json"));
        }
    }
    for name in records {
        let path = file(root, "plots", &name, "svg");
        let text = sheet(root, &name)?.svg();
        // A picture keeps its time while it is the same.
        if read(&path).ok().as_ref() != Some(&text) {
            fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// A point of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The caption of its chart; empty in a picture of one chart.
    pub chart: String,
    pub series: String,
    /// What the value is of, as the axis has it.
    pub label: String,
    pub value: f64,
    /// The value with its unit, as the axis has it.
    pub text: String,
}

/// The points of a picture, except predicted ones.
///
/// # Errors
/// Where there is no such picture.
pub fn points(root: &Path, name: &str) -> Result<Vec<Point>, String> {
    let sheet = sheet(root, name)?;
    let is_single = sheet.panels.len() == 1;
    let of_series = |panel: &Chart, series: &Series| {
        let point = |point| {
            let (label, value) = panel.labelled(point);
            let axis = if panel.has_rows() { &panel.x } else { &panel.y };
            let chart = if is_single { String::new() } else { panel.title.clone() };
            Point { chart, series: series.name.clone(), label, value, text: axis.value(value) }
        };
        series.points.iter().map(point).collect::<Vec<_>>()
    };
    let of_panel = |panel: &Chart| {
        let shown = panel.series.iter().filter(|series| !series.is(Evidence::Predicted));
        shown.flat_map(|series| of_series(panel, series)).collect::<Vec<_>>()
    };
    Ok(sheet.panels.iter().flat_map(of_panel).collect())
}

/// The point of a series in a chart for a label.
///
/// # Errors
/// Where the picture has no such point.
pub fn point<'a>(points: &'a [Point], chart: &str, series: &str, label: &str) -> Result<&'a Point, String> {
    let same = |point: &&Point| (&*point.chart, &*point.series, &*point.label) == (chart, series, label);
    points.iter().find(same).ok_or_else(|| format!("no point {label} of '{series}' in the chart '{chart}'"))
}

/// Its value.
///
/// # Errors
/// Where the picture has no such point.
pub fn value(points: &[Point], chart: &str, series: &str, label: &str) -> Result<f64, String> {
    point(points, chart, series, label).map(|point| point.value)
}
