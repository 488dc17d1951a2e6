//! Drawing of one chart.

use super::axis::Ruler;
use super::chart::{Chart, Marker, Point, Series};
use super::colour::{Colour, GRID, PAPER, SOFT, TEXT};
use super::evidence::Evidence;
use super::rows::RowPlan;
use std::fmt::Write;

/// Width of a chart; all lengths are in units of the drawing.
pub const WIDTH: f64 = 420.0;
/// Space for the title of the y axis.
const ABOVE: f64 = 26.0;
/// Space for labels and title of the x axis.
const BELOW: f64 = 42.0;
/// Half of the widest label of the x axis.
const RIGHT: f64 = 26.0;
const PLOT_HEIGHT: f64 = 200.0;
/// Height of a line of the legend.
pub const LEGEND_HEIGHT: f64 = 18.0;
/// Width of a letter in the largest size that the report's style sheet uses, on average.
const PAGE_LETTER: f64 = 7.6;
/// Width of a letter in files, on average.
pub const FILE_LETTER: f64 = 6.6;

/// Text in which nothing is markup.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Elements of a drawing.
#[derive(Debug, Default)]
pub struct Canvas {
    pub text: String,
}

impl Canvas {
    pub fn path(&mut self, class: &str, attributes: &str, data: &str) {
        let _ = write!(self.text, "<path class=\"{class}\" {attributes} d=\"{data}\"/>");
    }

    /// A line of text; `anchor` is the side or the middle that stands at `x`.
    pub fn label(&mut self, class: &str, (x, y): (f64, f64), anchor: &str, words: &str) {
        let colour = if matches!(class, "tick" | "evidence" | "where") { SOFT } else { TEXT };
        let size = match class {
            "title" => " font-size=\"14\" font-weight=\"600\"",
            "caption" => " font-weight=\"600\"",
            _ => "",
        };
        let anchor = if anchor == "start" { String::new() } else { format!(" text-anchor=\"{anchor}\"") };
        let _ = write!(
            self.text,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\" stroke=\"none\"{size}{anchor}>{}</text>",
            escape(words)
        );
    }

    /// Begins a group in the colour of a series.
    fn group(&mut self, kind: &str, series: &Series) {
        let colour = series.look.0;
        let _ = write!(
            self.text,
            "<g class=\"{kind}{} {}\" fill=\"{2}\" stroke=\"{2}\">",
            colour.class(),
            series.evidence.word(),
            colour.light(),
        );
    }

    fn end_group(&mut self) {
        self.text.push_str("</g>");
    }

    fn line(&mut self, evidence: Evidence, data: &str) {
        let dashes = match evidence {
            Evidence::Simulated => "stroke-width=\"2\" stroke-dasharray=\"7 4\"",
            Evidence::Predicted => "stroke-width=\"2.6\" stroke-dasharray=\".1 5\" stroke-linecap=\"round\"",
            Evidence::Measured | Evidence::Published => "stroke-width=\"2\"",
        };
        self.path("line", &format!("fill=\"none\" stroke-linejoin=\"round\" {dashes}"), data);
    }

    fn marker(&mut self, evidence: Evidence, marker: Marker, (x, y): (f64, f64), hint: &str) {
        let fill = if evidence == Evidence::Simulated { format!(" fill=\"{PAPER}\"") } else { String::new() };
        let outline = outline(evidence, marker, x, y);
        let hint = if hint.is_empty() { String::new() } else { format!("<title>{}</title>", escape(hint)) };
        let _ = write!(
            self.text,
            "<path class=\"mark\" stroke-width=\"1.6\"{fill} d=\"{outline}\">{hint}</path>"
        );
    }

    /// A line of the legend: sample, name, and evidence at the right end if there is one.
    pub fn legend(&mut self, series: &Series, joined: bool, (left, y): (f64, f64), right: Option<f64>) {
        self.group("legend ", series);
        if joined {
            self.line(series.evidence, &format!("M{:.1} {:.1}H{:.1}", left + 8.0, y - 4.0, left + 38.0));
        }
        if series.evidence.has_markers() {
            self.marker(series.evidence, series.look.1, (left + 23.0, y - 4.0), "");
        }
        self.label("name", (left + 46.0, y), "start", &series.name);
        if let Some(right) = right {
            self.label("evidence", (right, y), "end", series.evidence.word());
        }
        self.end_group();
    }
}

/// The outline of a marker. Published ones are smaller, so that they are visible inside open ones.
fn outline(evidence: Evidence, marker: Marker, x: f64, y: f64) -> String {
    let scale = if evidence == Evidence::Published { 0.7 } else { 1.0 };
    let corners: &[(f64, f64)] = match marker {
        Marker::Circle => {
            let radius = 4.0 * scale;
            let half = format!("a{radius:.1} {radius:.1} 0 1 1");
            let (left, across) = (x - radius, 2.0 * radius);
            return format!("M{left:.1} {y:.1}{half} {across:.1} 0{half} {:.1} 0z", -across);
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

/// The area of a chart between its axes.
struct Plane<'a> {
    chart: &'a Chart,
    x: Ruler,
    y: Ruler,
    left: f64,
    height: f64,
    rows: RowPlan,
    /// Width of a letter.
    letter: f64,
}

impl<'a> Plane<'a> {
    fn new(chart: &'a Chart, letter: f64) -> Self {
        let points = || chart.series.iter().flat_map(|series| &series.points);
        let both = |chosen: fn(&Point) -> Vec<f64>| points().flat_map(chosen).collect::<Vec<f64>>();
        let (mut x, mut y) = (both(|point| vec![point.x]), both(|point| vec![point.y]));
        y.extend(both(|point| point.range.map_or_else(Vec::new, |(low, high)| vec![low, high])));
        if chart.has_rows() {
            x.extend(chart.reference)
        } else {
            y.extend(chart.reference)
        }
        let y = chart.y.fit(&y);
        let longest = y.ticks.iter().map(|tick| tick.1.chars().count()).max().unwrap_or(0);
        let rows = RowPlan::new(chart);
        let height = if chart.has_rows() { rows.height * y.ticks.len() as f64 } else { PLOT_HEIGHT };
        let left = 16.0 + letter * longest as f64;
        let exact = if chart.has_rows() { None } else { chart.x.exact(&x) };
        let fitting =
            exact.filter(|ruler| fits(&ruler.ticks.iter().collect::<Vec<_>>(), ruler, left, letter));
        let x = fitting.unwrap_or_else(|| thinned(chart.x.fit(&x), left, letter));
        Self { chart, x, y, left, height, rows, letter }
    }

    fn across(&self, value: f64) -> f64 {
        across(&self.x, self.left, value)
    }

    fn down(&self, value: f64) -> f64 {
        ABOVE + self.height * (1.0 - self.y.place(value))
    }

    fn bottom(&self) -> f64 {
        ABOVE + self.height
    }

    fn draw_axes(&self, canvas: &mut Canvas) {
        let (left, right, bottom) = (self.left, WIDTH - RIGHT, self.bottom());
        let grid = format!("stroke=\"{GRID}\" fill=\"none\"");
        for (value, label) in &self.y.ticks {
            let y = self.down(*value);
            canvas.path("grid", &grid, &format!("M{left:.1} {y:.1}H{right:.1}"));
            canvas.label("tick", (left - 6.0, y + 4.0), "end", label);
        }
        for (value, label) in &self.x.ticks {
            let x = self.across(*value);
            canvas.path("grid", &grid, &format!("M{x:.1} {ABOVE}V{:.1}", bottom + 4.0));
            canvas.label("tick", (x, bottom + 17.0), "middle", label);
        }
        let axis = format!("stroke=\"{SOFT}\" fill=\"none\"");
        canvas.path("axis", &axis, &format!("M{left:.1} {ABOVE}V{bottom:.1}H{right:.1}"));
        canvas.label("name", (6.0, 14.0), "start", &self.chart.y.title);
        canvas.label("name", (right, bottom + 35.0), "end", &self.chart.x.title);
        let Some(value) = self.chart.reference else { return };
        let line = if self.chart.has_rows() {
            format!("M{:.1} {ABOVE}V{bottom:.1}", self.across(value))
        } else {
            format!("M{left:.1} {:.1}H{right:.1}", self.down(value))
        };
        canvas.path("reference", &format!("{axis} stroke-width=\"1.5\""), &line);
    }

    fn draw_series(&self, series: &Series, canvas: &mut Canvas) {
        canvas.group("", series);
        if self.chart.has_line(series) {
            let steps = series.points.iter().enumerate().map(|(number, point)| {
                let letter = if number == 0 { 'M' } else { 'L' };
                format!("{letter}{:.1} {:.1}", self.across(point.x), self.down(point.y))
            });
            canvas.line(series.evidence, &steps.collect::<String>());
        }
        for point in series.points.iter().filter(|_| series.evidence.has_markers()) {
            let (x, mut y) = (self.across(point.x), self.down(point.y));
            if let Some(offset) = self.rows.offset(series, point) {
                y += offset;
                self.draw_value(point.x, (x, y), canvas);
            }
            if let Some((low, high)) = point.range {
                let bar = format!("M{x:.1} {:.1}V{:.1}", self.down(low), self.down(high));
                canvas.path("range", "fill=\"none\" stroke-opacity=\".65\"", &bar);
            }
            let values = [self.chart.x.value(point.x), self.chart.y.value(point.y)];
            let values: Vec<String> = values.into_iter().filter(|value| !value.is_empty()).collect();
            let hint = format!("{}, {}: {}", series.name, series.evidence.word(), values.join(", "));
            canvas.marker(series.evidence, series.look.1, (x, y), &hint);
        }
        canvas.end_group();
    }

    /// The value beside a marker, on the side where there is room.
    fn draw_value(&self, value: f64, (x, y): (f64, f64), canvas: &mut Canvas) {
        let text = self.chart.x.rounded(value);
        let is_near_edge = x + 9.0 + self.letter * text.chars().count() as f64 > WIDTH;
        let (x, anchor) = if is_near_edge { (x - 8.0, "end") } else { (x + 8.0, "start") };
        canvas.label("value", (x, y + 4.0), anchor, &text);
    }
}

/// Where a value stands on the horizontal axis.
fn across(ruler: &Ruler, left: f64, value: f64) -> f64 {
    left + (WIDTH - RIGHT - left) * ruler.place(value)
}

/// Whether these labels stand beside each other without touching.
fn fits(ticks: &[&(f64, String)], ruler: &Ruler, left: f64, letter: f64) -> bool {
    let half = |label: &str| 0.5 * letter * label.chars().count() as f64;
    ticks.windows(2).all(|pair| {
        let [before, after] = [pair[0], pair[1]].map(|tick| across(ruler, left, tick.0));
        before + half(&pair[0].1) <= after - half(&pair[1].1)
    })
}

/// With as many ticks, at equal distances, as there is room for their labels.
fn thinned(mut ruler: Ruler, left: f64, letter: f64) -> Ruler {
    let every = |step: usize| ruler.ticks.iter().step_by(step).collect::<Vec<_>>();
    let count = ruler.ticks.len().max(1);
    let step = (1..=count).find(|&step| fits(&every(step), &ruler, left, letter)).unwrap_or(count);
    ruler.ticks = every(step).into_iter().cloned().collect();
    ruler
}

impl Chart {
    /// Whether a line joins the points. Categories on the y axis are separate things.
    pub fn has_line(&self, series: &Series) -> bool {
        series.evidence.has_line() && !self.has_rows()
    }

    /// Series with points; the one in front comes first.
    pub fn shown(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().rev().filter(|series| !series.points.is_empty())
    }

    /// Description for readers who cannot see it.
    pub fn described(&self) -> String {
        let shown = self.series.iter().filter(|series| !series.points.is_empty());
        let names = shown.map(|series| format!("{} ({})", series.name, series.evidence.word()));
        format!("{}. {}", self.title, names.collect::<Vec<_>>().join("; "))
    }
}

/// Draws axes and series with letters of a width; returns the height.
pub fn plane(chart: &Chart, letter: f64, canvas: &mut Canvas) -> f64 {
    let plane = Plane::new(chart, letter);
    plane.draw_axes(canvas);
    for series in chart.series.iter().filter(|series| !series.points.is_empty()) {
        plane.draw_series(series, canvas);
    }
    plane.bottom() + BELOW
}

/// Axes, series and legend, and their height.
fn whole(chart: &Chart) -> (String, f64) {
    let mut canvas = Canvas::default();
    let mut y = plane(chart, PAGE_LETTER, &mut canvas);
    for series in chart.shown() {
        y += LEGEND_HEIGHT;
        canvas.legend(series, chart.has_line(series), (0.0, y - 5.0), Some(WIDTH - 10.0));
    }
    (canvas.text, y + 4.0)
}

pub const FONT: &str =
    "font-family=\"system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif\" font-size=\"11\"";

impl Chart {
    /// An SVG element for a page, which has the title and [the dark colours](super::colour::dark_style).
    pub fn inline(&self) -> String {
        let (inside, height) = whole(self);
        let label = escape(&self.described());
        format!(
            "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" aria-label=\"{label}\" {FONT}>{inside}</svg>"
        )
    }
}

/// A sample of how series of this evidence are drawn, for the key of a page.
pub fn sample(evidence: Evidence) -> String {
    let look = (Colour::Ink, Marker::Circle);
    let series = Series { name: String::new(), evidence, look, points: Vec::new() };
    let mut canvas = Canvas::default();
    canvas.group("", &series);
    if evidence.has_line() {
        canvas.line(evidence, "M2 8H38");
    }
    if evidence.has_markers() {
        canvas.marker(evidence, look.1, (20.0, 8.0), "");
    }
    canvas.end_group();
    format!("<svg class=\"chart sample\" viewBox=\"0 0 40 16\" aria-hidden=\"true\">{}</svg>", canvas.text)
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Colour, Format, Scale};
    use super::*;

    fn chart(evidence: Evidence) -> Chart {
        Chart::new(
            "Rates <of> a & b",
            Axis::new("ranks", Scale::Log2, Format::Plain),
            Axis::new("GUP/s", Scale::Log10, Format::Plain),
            vec![Series::new("hcube", evidence, (Colour::Blue, Marker::Circle), [(1.0, 0.1), (4.0, 0.3)])],
        )
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
    fn text_is_escaped_and_points_have_their_values() {
        let drawn = chart(Evidence::Measured).inline();
        assert!(drawn.contains("Rates &lt;of&gt; a &amp; b") && !drawn.contains("<of>"), "{drawn}");
        assert!(drawn.contains("hcube, measured: 4, 0.3"));
    }

    #[test]
    fn every_measured_place_has_a_tick_and_labels_do_not_touch() {
        let labels = |values: &[f64]| {
            let mut chart = chart(Evidence::Measured);
            chart.series[0].points = values.iter().map(|&x| Point::new(x, 1.0)).collect();
            let plane = Plane::new(&chart, FILE_LETTER);
            plane.x.ticks.into_iter().map(|tick| tick.1).collect::<Vec<_>>()
        };
        assert_eq!(labels(&[2.0, 3.0, 4.0, 8.0]), ["2", "3", "4", "8"]);
        assert_eq!(labels(&[1000.0, 1001.0, 1024.0]), ["512", "1024"]);
    }

    #[test]
    fn rows_are_as_many_as_their_names() {
        let mut rows = chart(Evidence::Measured);
        rows.y = Axis::categories("", ["a", "b", "c"].map(str::to_owned).to_vec());
        rows.reference = Some(1.0);
        assert!(rows.inline().contains("class=\"reference\"") && !rows.is_empty());
        assert_eq!(Plane::new(&rows, FILE_LETTER).height, 3.0 * Plane::new(&rows, FILE_LETTER).rows.height);
    }
}
