//! Plots as SVG, for a page and as files of their own.
//!
//! plotters, with which the other subcommands draw, writes colours into every element and knows no
//! classes, so that its plots cannot follow a dark page, and its text cannot grow on a narrow screen.
//! Here elements have classes, the style sheet `chart.css` gives them colour, dash and size of text, and
//! every marker says on hovering what it shows.

mod axis;

pub use axis::{Axis, Scale, plain};

use super::evidence::Evidence;
use super::html::escape;
use axis::Ruler;
use std::fmt::Write;

/// Colours of `chart.css`: what belongs together has the same one in all plots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// hcube.
    Blue,
    /// What it is compared with.
    Vermilion,
    /// A second one of these.
    Purple,
    /// Formulas.
    Green,
    /// More of hcube's ways.
    Ochre,
    /// Papers.
    Ink,
}

/// Shapes of markers, so that colour is not the only difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// A circle.
    Circle,
    /// A square.
    Square,
    /// A triangle on its base.
    Up,
    /// A triangle on its point.
    Down,
    /// A square on its point.
    Diamond,
}

/// How a series looks, beside what its evidence says.
pub type Look = (Colour, Marker);

/// Where a point lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Along.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Least and largest of what was measured.
    pub range: Option<(f64, f64)>,
}

impl Point {
    /// A point without a range.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, range: None }
    }
}

/// Points that belong together.
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

/// A pair of axes and what lies between them.
#[derive(Debug, Clone)]
pub struct Chart {
    /// In one line.
    pub title: String,
    /// Below.
    pub x: Axis,
    /// On the left.
    pub y: Axis,
    /// From back to front.
    pub series: Vec<Series>,
    /// A value to compare with, on the axis that has no categories.
    pub reference: Option<f64>,
    /// The name of its file for `--plots`.
    pub file: Option<&'static str>,
}

const WIDTH: f64 = 420.0;
/// Space for the title of the y axis.
const ABOVE: f64 = 26.0;
/// Space for labels and title of the x axis.
const BELOW: f64 = 42.0;
/// Half of the widest label reaches into it.
const RIGHT: f64 = 26.0;
const PLOT_HEIGHT: f64 = 200.0;
/// Of a category on the y axis.
const ROW_HEIGHT: f64 = 22.0;
/// Of a line of the legend.
const LEGEND_HEIGHT: f64 = 18.0;
/// A letter of the largest text that the style sheet chooses, about.
const LETTER: f64 = 7.6;

/// The plane of a chart in the units of its drawing.
struct Plane {
    x: Ruler,
    y: Ruler,
    left: f64,
    height: f64,
}

impl Plane {
    fn new(chart: &Chart) -> Self {
        let points = || chart.series.iter().flat_map(|series| &series.points);
        let both = |chosen: fn(&Point) -> Vec<f64>| points().flat_map(chosen).collect::<Vec<f64>>();
        let (mut x, mut y) = (both(|point| vec![point.x]), both(|point| vec![point.y]));
        y.extend(both(|point| point.range.map_or_else(Vec::new, |(low, high)| vec![low, high])));
        let rows = matches!(chart.y.scale, Scale::Categories(_));
        if rows {
            x.extend(chart.reference)
        } else {
            y.extend(chart.reference)
        }
        let (x, y) = (chart.x.fit(&x), chart.y.fit(&y));
        let longest = y.ticks.iter().map(|tick| tick.1.chars().count()).max().unwrap_or(0);
        let height = if rows { ROW_HEIGHT * y.ticks.len() as f64 } else { PLOT_HEIGHT };
        Self { x, y, left: 16.0 + LETTER * longest as f64, height }
    }

    fn across(&self, value: f64) -> f64 {
        self.left + (WIDTH - RIGHT - self.left) * self.x.place(value)
    }

    fn down(&self, value: f64) -> f64 {
        ABOVE + self.height * (1.0 - self.y.place(value))
    }

    fn bottom(&self) -> f64 {
        ABOVE + self.height
    }
}

impl Chart {
    /// Whether there is something to see.
    pub fn is_empty(&self) -> bool {
        self.series.iter().all(|series| series.points.is_empty())
    }

    /// For a page: colours and sizes come from its style sheet, the title is above.
    pub fn inline(&self) -> String {
        let (inside, height) = self.draw();
        format!(
            "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" aria-label=\"{}\">{inside}</svg>",
            escape(&self.described())
        )
    }

    /// As a file: on a light ground, with all that it needs.
    pub fn file(&self) -> String {
        const TITLE: f64 = 30.0;
        let (inside, height) = self.draw();
        let whole = height + TITLE + 8.0;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{:.0}\" height=\"{:.0}\" \
             viewBox=\"0 0 {WIDTH} {whole:.0}\" role=\"img\" aria-label=\"{}\">\n<style>{}</style>\n\
             <rect class=\"ground\" width=\"{WIDTH}\" height=\"{whole:.0}\"/>\n\
             <text class=\"title\" x=\"10\" y=\"21\">{}</text>\n<g transform=\"translate(0 {TITLE})\">{inside}</g>\n\
             </svg>\n",
            1.6 * WIDTH,
            1.6 * whole,
            escape(&self.described()),
            include_str!("../chart.css"),
            escape(&self.title),
        )
    }

    /// For those who cannot see it.
    fn described(&self) -> String {
        let names = self.series.iter().map(|series| format!("{} ({})", series.name, series.evidence.word()));
        format!("{}. {}", self.title, names.collect::<Vec<_>>().join("; "))
    }

    /// What is inside, and its height.
    fn draw(&self) -> (String, f64) {
        let plane = Plane::new(self);
        let mut text = String::new();
        self.draw_axes(&plane, &mut text);
        for series in self.series.iter().filter(|series| !series.points.is_empty()) {
            self.draw_series(series, &plane, &mut text);
        }
        let mut y = plane.bottom() + BELOW;
        // What is in front is named first.
        for series in self.series.iter().rev().filter(|series| !series.points.is_empty()) {
            y += LEGEND_HEIGHT;
            self.draw_legend(series, y - 5.0, &mut text);
        }
        (text, y + 4.0)
    }

    fn draw_axes(&self, plane: &Plane, text: &mut String) {
        let (left, right, bottom) = (plane.left, WIDTH - RIGHT, plane.bottom());
        for (value, label) in &plane.y.ticks {
            let y = plane.down(*value);
            let _ = write!(
                text,
                "<path class=\"grid\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 6.0,
                y + 4.0,
                escape(label)
            );
        }
        for (value, label) in &plane.x.ticks {
            let x = plane.across(*value);
            let _ = write!(
                text,
                "<path class=\"grid\" d=\"M{x:.1} {ABOVE}V{:.1}\"/>\
                 <text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 4.0,
                bottom + 17.0,
                escape(label)
            );
        }
        let _ = write!(
            text,
            "<path class=\"axis\" d=\"M{left:.1} {ABOVE}V{bottom:.1}H{right:.1}\"/>\
             <text class=\"name\" x=\"6\" y=\"14\">{}</text>\
             <text class=\"name\" x=\"{right:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            escape(&self.y.title),
            bottom + 35.0,
            escape(&self.x.title)
        );
        let Some(value) = self.reference else { return };
        let line = if matches!(self.y.scale, Scale::Categories(_)) {
            format!("M{:.1} {ABOVE}V{bottom:.1}", plane.across(value))
        } else {
            format!("M{left:.1} {:.1}H{right:.1}", plane.down(value))
        };
        let _ = write!(text, "<path class=\"reference\" d=\"{line}\"/>");
    }

    fn draw_series(&self, series: &Series, plane: &Plane, text: &mut String) {
        let _ = write!(text, "<g class=\"{}\">", classes(series));
        if self.has_line(series) {
            let steps = series.points.iter().enumerate().map(|(number, point)| {
                let letter = if number == 0 { 'M' } else { 'L' };
                format!("{letter}{:.1} {:.1}", plane.across(point.x), plane.down(point.y))
            });
            let _ = write!(text, "<path class=\"line\" d=\"{}\"/>", steps.collect::<String>());
        }
        for point in series.points.iter().filter(|_| series.evidence.has_markers()) {
            let (x, y) = (plane.across(point.x), plane.down(point.y));
            if let Some((low, high)) = point.range {
                let (low, high) = (plane.down(low), plane.down(high));
                let _ = write!(text, "<path class=\"range\" d=\"M{x:.1} {low:.1}V{high:.1}\"/>");
            }
            let _ = write!(
                text,
                "<path class=\"mark\" d=\"{}\"><title>{}, {}: {}, {}</title></path>",
                outline(series, x, y),
                escape(&series.name),
                series.evidence.word(),
                escape(&self.x.value(point.x)),
                escape(&self.y.value(point.y))
            );
        }
        text.push_str("</g>");
    }

    /// The line and the marker, the name, and on the right what it stands on.
    fn draw_legend(&self, series: &Series, y: f64, text: &mut String) {
        let _ = write!(text, "<g class=\"legend {}\">", classes(series));
        if self.has_line(series) {
            let _ = write!(text, "<path class=\"line\" d=\"M8 {:.1}H38\"/>", y - 4.0);
        }
        if series.evidence.has_markers() {
            let _ = write!(text, "<path class=\"mark\" d=\"{}\"/>", outline(series, 23.0, y - 4.0));
        }
        let _ = write!(
            text,
            "<text x=\"46\" y=\"{y:.1}\">{}</text><text class=\"evidence\" x=\"{:.1}\" y=\"{y:.1}\" \
             text-anchor=\"end\">{}</text></g>",
            escape(&series.name),
            WIDTH - 10.0,
            series.evidence.word()
        );
    }

    /// Places on the left that have names are things of their own, which no line joins.
    fn has_line(&self, series: &Series) -> bool {
        series.evidence.has_line() && !matches!(self.y.scale, Scale::Categories(_))
    }
}

fn classes(series: &Series) -> String {
    let colour = match series.look.0 {
        Colour::Blue => "blue",
        Colour::Vermilion => "vermilion",
        Colour::Purple => "purple",
        Colour::Green => "green",
        Colour::Ochre => "ochre",
        Colour::Ink => "ink",
    };
    format!("{colour} {}", series.evidence.word())
}

/// The outline of a marker around a place. Published ones are smaller, so that they are seen inside the open
/// ones of what was simulated.
fn outline(series: &Series, x: f64, y: f64) -> String {
    let scale = if series.evidence == Evidence::Published { 0.7 } else { 1.0 };
    let corners: &[(f64, f64)] = match series.look.1 {
        Marker::Circle => {
            let radius = 4.0 * scale;
            let half = format!("a{radius:.1} {radius:.1} 0 1 1");
            return format!(
                "M{:.1} {y:.1}{half} {:.1} 0{half} {:.1} 0z",
                x - radius,
                2.0 * radius,
                -2.0 * radius
            );
        }
        Marker::Square => &[(-3.5, -3.5), (3.5, -3.5), (3.5, 3.5), (-3.5, 3.5)],
        Marker::Up => &[(-4.5, 3.5), (4.5, 3.5), (0.0, -4.5)],
        Marker::Down => &[(-4.5, -3.5), (4.5, -3.5), (0.0, 4.5)],
        Marker::Diamond => &[(-5.0, 0.0), (0.0, -5.0), (5.0, 0.0), (0.0, 5.0)],
    };
    let places =
        corners.iter().map(|(right, down)| format!("{:.1} {:.1}", x + scale * right, y + scale * down));
    format!("M{}z", places.collect::<Vec<_>>().join("L"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(evidence: Evidence) -> Chart {
        let points = [(1.0, 0.1), (4.0, 0.3)].map(|(x, y)| Point::new(x, y)).to_vec();
        let look = (Colour::Blue, Marker::Circle);
        Chart {
            title: "Rates <of> a & b".to_owned(),
            x: Axis::new("ranks", Scale::Log2, plain),
            y: Axis::new("GUP/s", Scale::Log10, plain),
            series: vec![Series { name: "hcube".to_owned(), evidence, look, points }],
            reference: None,
            file: None,
        }
    }

    #[test]
    fn evidence_decides_about_lines_and_markers() {
        for evidence in Evidence::ALL {
            let drawn = chart(evidence).inline();
            // One in the plane and one in the legend.
            let lines = if evidence.has_line() { 2 } else { 0 };
            let markers = if evidence.has_markers() { 3 } else { 0 };
            assert_eq!(drawn.matches("class=\"line\"").count(), lines, "{drawn}");
            assert_eq!(drawn.matches("class=\"mark\"").count(), markers, "{drawn}");
            assert!(drawn.contains(&format!(">{}</text>", evidence.word())), "{drawn}");
        }
    }

    #[test]
    fn text_is_escaped_and_files_bring_their_style() {
        let file = chart(Evidence::Measured).file();
        assert!(file.contains("Rates &lt;of&gt; a &amp; b") && !file.contains("<of>"), "{file}");
        assert!(file.contains("<style>") && file.contains("class=\"ground\""), "{file}");
        assert!(chart(Evidence::Measured).inline().contains("hcube, measured: 4, 0.3"));
    }

    #[test]
    fn rows_are_as_many_as_their_names() {
        let mut rows = chart(Evidence::Measured);
        rows.y = Axis::categories("", ["a", "b", "c"].map(str::to_owned).to_vec());
        rows.reference = Some(1.0);
        assert!(rows.inline().contains("class=\"reference\"") && !rows.is_empty());
        assert_eq!(Plane::new(&rows).height, 3.0 * ROW_HEIGHT);
    }
}
