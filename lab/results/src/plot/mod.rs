//! All pictures of the project: charts as SVG, for the benchmarks, the report and the pages under `doc/`.
//!
//! Colours, dashes and text sizes are presentation attributes, which every renderer knows (librsvg, cairosvg, Inkscape,
//! LaTeX). Classes serve [`dark_style`], which browsers apply in dark mode, and the style sheet of the report.

mod axis;
mod colour;
mod draw;
mod evidence;
mod sheet;

pub use axis::{Axis, Scale, plain};
pub use colour::{Colour, dark_style};
pub use draw::sample;
pub use evidence::Evidence;
pub use sheet::Sheet;

/// Shapes of markers, so that series differ without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// A circle.
    Circle,
    /// A square.
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

/// What is the same thing looks the same in all pictures.
pub mod looks {
    use super::Colour::{Blue, Green, Ink, Ochre, Purple, Vermilion};
    use super::{Look, Marker};

    /// hcube with its defaults.
    pub const HCUBE: Look = (Blue, Marker::Circle);
    /// hcube with other options.
    pub const OTHER_OPTIONS: Look = (Ochre, Marker::Diamond);
    /// What hcube replaces.
    pub const STOCK: Look = (Vermilion, Marker::Square);
    /// A second competitor.
    pub const COMPETITOR: Look = (Purple, Marker::Up);
    /// Figures of a paper.
    pub const PAPER: Look = (Ink, Marker::Diamond);
    /// Formulas.
    pub const MODEL: Look = (Green, Marker::Circle);
    /// For series without a look of their own.
    pub const ALL: [Look; 6] =
        [HCUBE, OTHER_OPTIONS, COMPETITOR, (Green, Marker::Down), STOCK, (Ink, Marker::Circle)];

    const COLOURS: [super::Colour; 6] = [Blue, Vermilion, Green, Purple, Ochre, Ink];
    const MARKERS: [Marker; 5] = [Marker::Circle, Marker::Square, Marker::Up, Marker::Diamond, Marker::Down];

    /// The first looks by number that differ.
    pub const DISTINCT: usize = COLOURS.len() * MARKERS.len();

    /// The look of a series by its number; the first [`DISTINCT`] differ.
    pub fn numbered(number: usize) -> Look {
        (COLOURS[number % COLOURS.len()], MARKERS[number % MARKERS.len()])
    }
}

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
    /// Horizontal.
    pub x: Axis,
    /// Vertical.
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

    /// An SVG element for a page, without the title.
    pub fn inline(&self) -> String {
        draw::inline(self)
    }

    /// An SVG file.
    pub fn svg(&self) -> String {
        draw::file(self)
    }
}

/// Text in which nothing is markup.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
