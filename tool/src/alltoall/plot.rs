//! Draws a figure as SVG.

use super::arguments::Over;
use super::figure::{Figure, Panel};
use crate::numbers;
use crate::session::Failure;
use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

/// Okabe and Ito's colours, which people who see few colours can tell apart, but for the yellow that
/// is hard to see on white; and a brown and a grey.
const COLOURS: [RGBColor; 9] = [
    RGBColor(0, 114, 178),
    RGBColor(86, 180, 233),
    RGBColor(0, 158, 115),
    RGBColor(230, 159, 0),
    RGBColor(204, 121, 167),
    RGBColor(140, 81, 10),
    RGBColor(213, 94, 0),
    RGBColor(0, 0, 0),
    RGBColor(130, 130, 130),
];

/// Lengths of a dash and of the gap behind it in pixels; the first is drawn as a plain line.
const DASHES: [(i32, i32); 4] = [(1, 0), (9, 4), (3, 3), (16, 5)];

/// Width and height of a panel.
const PANEL: (u32, u32) = (500, 400);
/// Height of what is above them.
const TITLE: u32 = 44;
/// Panels beside each other.
const COLUMNS: usize = 2;
/// Pixels of a letter of the legend, on average, and of the legend without its letters.
const LETTER: u32 = 8;
const LEGEND: u32 = 80;
/// Height of a line of it.
const ROW: i32 = 26;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Failure>;

fn failed(error: impl std::fmt::Display) -> Failure {
    format!("--plot: {error}")
}

/// The file's text.
pub fn svg(figure: &Figure) -> Result<String, Failure> {
    let columns = figure.panels.len().clamp(1, COLUMNS);
    let rows = figure.panels.len().div_ceil(columns);
    let letters = figure.names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as u32;
    let (width, height) = (PANEL.0 * columns as u32, TITLE + PANEL.1 * rows as u32);
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (width + LEGEND + LETTER * letters, height))
            .into_drawing_area();
        root.fill(&WHITE).map_err(failed)?;
        let title = ("sans-serif", 20).into_font().into_text_style(&root);
        root.draw_text(&figure.title, &title, (16, 14)).map_err(failed)?;
        let (_, below) = root.split_vertically(TITLE);
        let (left, right) = below.split_horizontally(width);
        for (panel, area) in figure.panels.iter().zip(left.split_evenly((rows, columns))) {
            draw_panel(figure, panel, &area)?;
        }
        draw_legend(figure, &right)?;
        root.present().map_err(failed)?;
    }
    Ok(text)
}

/// Smallest and largest, with room around them on a logarithmic axis.
fn range(values: impl Iterator<Item = f64>, room: f64) -> std::ops::Range<f64> {
    let (low, high) =
        values.fold((f64::INFINITY, 0f64), |(low, high), value| (low.min(value), high.max(value)));
    let low = if low > 0.0 && low.is_finite() { low } else { 1.0 };
    low / room..high.max(low) * room
}

/// Times that get a label: 1, 2 and 5 times powers of ten, or the powers alone where they are many.
fn time_ticks(range: &std::ops::Range<f64>) -> Vec<f64> {
    let steps: &[f64] = if (range.end / range.start).log10() > 3.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let powers = range.start.log10().floor() as i32..=range.end.log10().ceil() as i32;
    let all = powers.flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
    all.filter(|tick| range.contains(tick)).collect()
}

/// A time on an axis.
fn time_label(seconds: f64) -> String {
    let (value, unit) = match seconds {
        short if short < 0.999e-3 => (1e6 * short, "us"),
        short if short < 0.999 => (1e3 * short, "ms"),
        long => (long, "s"),
    };
    format!("{} {unit}", (1e3 * value).round() / 1e3)
}

/// One pair of axes with its lines.
fn draw_panel(figure: &Figure, panel: &Panel, area: &Area) -> Drawn {
    let points = || panel.lines.iter().flatten();
    let mut places: Vec<f64> = points().map(|point| point.0).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let (along, up) = (range(places.iter().copied(), 1.12), range(points().map(|point| point.1), 1.3));
    let ticks = time_ticks(&up);
    let mut chart = ChartBuilder::on(area)
        .margin(14)
        .caption(&panel.title, ("sans-serif", 17))
        .x_label_area_size(44)
        .y_label_area_size(70)
        .build_cartesian_2d(along.log_scale().with_key_points(places), up.log_scale().with_key_points(ticks))
        .map_err(failed)?;
    let (label, along): (fn(&f64) -> String, &str) = match figure.over {
        Over::Ranks => (|ranks| format!("{ranks:.0}"), "ranks"),
        Over::Sizes => (|bytes| numbers::whole_bytes(*bytes as usize), "data per rank"),
    };
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.15))
        .x_label_formatter(&label)
        .y_label_formatter(&|seconds| time_label(*seconds))
        .x_desc(along)
        .y_desc("time of one exchange")
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 15))
        .draw()
        .map_err(failed)?;
    for (number, line) in panel.lines.iter().enumerate() {
        let (style, (dash, gap)) = (line_style(number), DASHES[number % DASHES.len()]);
        if gap == 0 {
            chart.draw_series(LineSeries::new(line.iter().copied(), style)).map_err(failed)?;
        } else {
            let dashed = DashedLineSeries::new(line.iter().copied(), dash, gap, style);
            chart.draw_series(dashed).map_err(failed)?;
        }
        let markers = line.iter().map(|&point| EmptyElement::at(point) + marker(number, (0, 0)));
        chart.draw_series(markers).map_err(failed)?;
    }
    Ok(())
}

fn line_style(number: usize) -> ShapeStyle {
    COLOURS[number % COLOURS.len()].stroke_width(2)
}

/// The corners of a line's marker around a place.
fn marker(number: usize, (x, y): (i32, i32)) -> Polygon<(i32, i32)> {
    let corners: &[(i32, i32)] = match number % 5 {
        0 => &[(-2, -5), (2, -5), (5, -2), (5, 2), (2, 5), (-2, 5), (-5, 2), (-5, -2)],
        1 => &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
        2 => &[(0, -6), (6, 5), (-6, 5)],
        3 => &[(0, -6), (6, 0), (0, 6), (-6, 0)],
        _ => &[(0, 6), (6, -5), (-6, -5)],
    };
    let around: Vec<(i32, i32)> = corners.iter().map(|corner| (x + corner.0, y + corner.1)).collect();
    Polygon::new(around, COLOURS[number % COLOURS.len()].filled())
}

/// Names with a piece of their lines, beside the panels.
fn draw_legend(figure: &Figure, area: &Area) -> Drawn {
    let text = ("sans-serif", 15).into_font().into_text_style(area);
    for (number, name) in figure.names.iter().enumerate() {
        let y = 60 + ROW * number as i32;
        let (ends, (dash, gap)) = ([(4, y), (52, y)], DASHES[number % DASHES.len()]);
        if gap == 0 {
            area.draw(&PathElement::new(ends, line_style(number))).map_err(failed)?;
        } else {
            let line = DashedPathElement::new(ends, dash, gap, line_style(number));
            area.draw(&line).map_err(failed)?;
        }
        area.draw(&marker(number, (28, y))).map_err(failed)?;
        area.draw_text(name, &text, (62, y - 7)).map_err(failed)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_and_panels_are_drawn() {
        let names: Vec<String> = (0..10).map(|number| format!("algorithm-{number}")).collect();
        let lines = (0..10).map(|number| vec![(1.0, 1e-4), (8.0, 1e-3 * f64::from(number + 1))]).collect();
        let panels: Vec<Panel> = ["64 KiB per rank", "4 MiB per rank", "nothing"]
            .map(|title| Panel { title: title.into(), lines: Vec::new() })
            .into();
        let mut figure = Figure { title: "Some MPI".into(), over: Over::Ranks, names, panels };
        figure.panels[0].lines = lines;
        let text = svg(&figure).expect("drawn");
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"), "{text}");
        let panels = figure.panels.iter().map(|panel| &panel.title);
        assert!(figure.names.iter().chain(panels).all(|name| text.contains(name)), "{text}");
    }

    #[test]
    fn lines_differ() {
        let look = |number: usize| (number % COLOURS.len(), number % DASHES.len(), number % 5);
        let looks: Vec<_> = (0..36).map(look).collect();
        assert!(looks.iter().enumerate().all(|(number, look)| !looks[..number].contains(look)));
    }

    #[test]
    fn times_have_round_labels() {
        let ticks = time_ticks(&(90e-6..6e-3));
        let labels: Vec<String> = ticks.into_iter().map(time_label).collect();
        assert_eq!(labels, ["100 us", "200 us", "500 us", "1 ms", "2 ms", "5 ms"]);
        assert_eq!(time_ticks(&(1e-6..0.5)).len(), 6);
    }
}
