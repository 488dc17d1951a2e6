//! What a chart shows.

use super::axis::Axis;
use super::colour::Colour;
use super::evidence::Evidence;

/// Shapes of markers, so that series differ without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// The position of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
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
}

/// Points with one name in the legend.
#[derive(Debug, Clone)]
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
}

/// A pair of axes with its series.
#[derive(Debug, Clone)]
pub struct Chart {
    /// In one line.
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    /// From back to front.
    pub series: Vec<Series>,
    /// A value to compare with, on the axis that has no categories.
    pub reference: Option<f64>,
    /// The name of its file for `--plots`.
    pub file: Option<&'static str>,
}

impl Chart {
    /// Whether it has no point.
    pub fn is_empty(&self) -> bool {
        self.series.iter().all(|series| series.points.is_empty())
    }
}
