//! What a chart shows.

use super::axis::{Axis, Scale};
use super::colour::Colour;
use super::evidence::Evidence;
use crate::lists::distinct;
use serde::{Deserialize, Serialize};

/// Shapes of markers, so that series differ without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Marker {
    Circle,
    Square,
    /// A triangle that points up.
    Up,
    /// A triangle that points down.
    Down,
    /// A square on its corner.
    Diamond,
}

/// Colour and marker of a series.
pub type Look = (Colour, Marker);

/// A variant in pictures: its name in results, its name in legends, and its colour and marker.
pub type Variant = (&'static str, &'static str, Look);

/// The position of a value. In JSON: `[x, y]`, or `[x, y, smallest, largest]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "Vec<f64>", try_from = "Vec<f64>")]
pub struct Point {
    /// On the horizontal axis.
    pub x: f64,
    /// On the vertical axis.
    pub y: f64,
    /// Smallest and largest measured value of `y`.
    pub range: Option<(f64, f64)>,
}

impl Point {
    /// A point without a range.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, range: None }
    }

    /// From left to right, as a line joins them.
    pub fn in_order(points: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut points: Vec<Self> = points.into_iter().collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        points
    }
}

impl From<Point> for Vec<f64> {
    fn from(point: Point) -> Self {
        let range = point.range.into_iter().flat_map(|(low, high)| [low, high]);
        [point.x, point.y].into_iter().chain(range).collect()
    }
}

impl TryFrom<Vec<f64>> for Point {
    type Error = String;

    fn try_from(values: Vec<f64>) -> Result<Self, String> {
        match values[..] {
            [x, y] => Ok(Self::new(x, y)),
            [x, y, low, high] => Ok(Self { x, y, range: Some((low, high)) }),
            _ => Err(format!("a point of {} numbers: expected 2 or 4", values.len())),
        }
    }
}

/// Points with one name in the legend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// In the legend.
    pub name: String,
    /// Decides about lines and markers.
    pub evidence: Evidence,
    /// Colour and marker.
    pub look: Look,
    /// In the order of their line.
    pub points: Vec<Point>,
}

impl Series {
    /// Points without ranges.
    pub fn new(
        name: impl Into<String>,
        evidence: Evidence,
        look: Look,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        let points = points.into_iter().map(|(x, y)| Point::new(x, y)).collect();
        Self { name: name.into(), evidence, look, points }
    }

    /// Whether it has this evidence.
    pub fn is(&self, evidence: Evidence) -> bool {
        self.evidence == evidence
    }

    /// What was measured.
    pub fn measured(name: impl Into<String>, look: Look, points: impl IntoIterator<Item = Point>) -> Self {
        let points = points.into_iter().collect();
        Self { name: name.into(), evidence: Evidence::Measured, look, points }
    }

    /// Variants that were measured, the first one in front.
    pub fn of_variants(variants: &[Variant], points: impl Fn(&str) -> Vec<Point>) -> Vec<Self> {
        let one = |&(variant, name, look): &Variant| Self::measured(name, look, points(variant));
        variants.iter().rev().map(one).collect()
    }
}

/// Rows of a chart by their names, the first one at the top.
pub struct Rows(Vec<String>);

impl Rows {
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let mut names = distinct(names);
        names.reverse();
        Self(names)
    }

    /// A value in the row of this name, if there is one.
    pub fn point(&self, value: f64, name: &str) -> Option<Point> {
        let row = self.0.iter().position(|row| row == name)?;
        Some(Point::new(value, row as f64))
    }

    /// A chart with these rows.
    pub fn chart(self, title: impl Into<String>, x: Axis, series: Vec<Series>) -> Chart {
        Chart::new(title, x, Axis::categories("", self.0), series)
    }
}

/// A pair of axes with its series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// In one line.
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    /// From back to front.
    pub series: Vec<Series>,
    /// A value to compare with, on the axis that has no categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<f64>,
    /// The name of its file for `--plots`.
    #[serde(skip)]
    pub file: Option<&'static str>,
}

impl Chart {
    pub fn new(title: impl Into<String>, x: Axis, y: Axis, series: Vec<Series>) -> Self {
        Self { title: title.into(), x, y, series, reference: None, file: None }
    }

    /// With a value to compare with.
    pub fn beside(self, reference: f64) -> Self {
        Self { reference: Some(reference), ..self }
    }

    /// With the name of its file.
    pub fn named(self, file: Option<&'static str>) -> Self {
        Self { file, ..self }
    }

    /// What the point is of, and its value.
    pub fn labelled(&self, point: &Point) -> (String, f64) {
        if self.has_rows() { (self.y.value(point.y), point.x) } else { (self.x.value(point.x), point.y) }
    }

    /// Whether the y axis has categories.
    pub fn has_rows(&self) -> bool {
        matches!(self.y.scale, Scale::Categories(_))
    }

    /// Whether it has no point.
    pub fn is_empty(&self) -> bool {
        self.series.iter().all(|series| series.points.is_empty())
    }
}
