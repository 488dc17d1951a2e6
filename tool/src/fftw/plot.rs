//! Draws times relative to FFTW's own, and memory, as bars: a row for each problem and number of ranks.

use super::results::Comparison;
use crate::numbers;
use crate::session::Failure;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Of Okabe and Ito's colours, which people who see few colours can tell apart.
const WHOLE: RGBColor = RGBColor(0, 114, 178);
const TRANSPOSES: RGBColor = RGBColor(230, 159, 0);
const OWN: RGBColor = RGBColor(150, 150, 150);

/// Widths of the names, of each panel, and of the room between them and at the right.
const NAMES: i32 = 330;
const PANEL: i32 = 420;
const GAP: i32 = 60;
/// Height of what is above and below the rows, of a row, and of a bar.
const ABOVE: i32 = 96;
const BELOW: i32 = 40;
const ROW: i32 = 38;
const BAR: i32 = 14;

/// The smallest memory on the axis: less is none.
const LEAST_BYTES: f64 = 4096.0;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Failure>;

fn failed(error: impl std::fmt::Display) -> Failure {
    format!("--plot: {error}")
}

/// A panel: where it begins, what its axis goes to, and whether that counts in factors.
struct Axis {
    left: i32,
    range: (f64, f64),
    logarithmic: bool,
}

impl Axis {
    /// The place of a value.
    fn place(&self, value: f64) -> i32 {
        let scale = |value: f64| if self.logarithmic { value.log2() } else { value };
        let (low, high) = (scale(self.range.0), scale(self.range.1));
        let share = (scale(value.clamp(self.range.0, self.range.1)) - low) / (high - low);
        self.left + (share * f64::from(PANEL)).round() as i32
    }

    /// A bar from the beginning to a value, with a label behind it.
    fn bar(&self, area: &Area<'_>, top: i32, value: f64, colour: RGBColor, label: &str) -> Drawn {
        let corners = [(self.left, top), (self.place(value).max(self.left + 1), top + BAR)];
        area.draw(&Rectangle::new(corners, colour.filled())).map_err(failed)?;
        // Where a line would cross the label, it is interrupted.
        let (left, right) = (corners[1].0 + 3, corners[1].0 + 7 + 8 * label.len() as i32);
        let behind = Rectangle::new([(left, top), (right, top + BAR)], WHITE.filled());
        area.draw(&behind).map_err(failed)?;
        text(area, label, (left + 2, top + BAR / 2), 13, HPos::Left)
    }

    /// Lines across all rows with labels below.
    fn grid(&self, area: &Area<'_>, bottom: i32, ticks: &[(f64, String)]) -> Drawn {
        for (value, label) in ticks {
            let x = self.place(*value);
            let line = PathElement::new([(x, ABOVE - 8), (x, bottom)], BLACK.mix(0.15));
            area.draw(&line).map_err(failed)?;
            text(area, label, (x, bottom + 14), 13, HPos::Center)?;
        }
        Ok(())
    }
}

fn text(area: &Area<'_>, words: &str, place: (i32, i32), size: i32, from: HPos) -> Drawn {
    let style = TextStyle::from(("sans-serif", size).into_font()).pos(Pos::new(from, VPos::Center));
    area.draw_text(words, &style, place).map_err(failed)
}

/// A square of a colour with its meaning.
fn legend(area: &Area<'_>, (x, y): (i32, i32), colour: RGBColor, meaning: &str) -> Drawn {
    let square = Rectangle::new([(x, y - 6), (x + 12, y + 6)], colour.filled());
    area.draw(&square).map_err(failed)?;
    text(area, meaning, (x + 18, y), 14, HPos::Left)
}

/// Relative times: at least to FFTW's own, with room for labels.
fn times(compared: &[Comparison<'_>]) -> Axis {
    let all = compared.iter().flat_map(|one| [Some(one.relative()), one.relative_transposition()]);
    let largest = all.flatten().fold(1.0, f64::max);
    Axis { left: NAMES, range: (0.0, 1.15 * largest), logarithmic: false }
}

fn memory(compared: &[Comparison<'_>]) -> Axis {
    let all = compared.iter().flat_map(|one| [one.own.extra_bytes, one.hcube.extra_bytes]);
    let largest = all.flatten().max().unwrap_or(0) as f64;
    let range = (LEAST_BYTES, (largest * 8.0).max(LEAST_BYTES * 16.0));
    Axis { left: NAMES + PANEL + GAP, range, logarithmic: true }
}

fn draw_row(area: &Area<'_>, one: &Comparison<'_>, (times, memory): (&Axis, &Axis), top: i32) -> Drawn {
    let name = format!("{}, {} ranks", one.own.problem, one.own.ranks);
    text(area, &name, (NAMES - 10, top + ROW / 2 - 3), 14, HPos::Right)?;
    let (first, second) = (top + 3, top + 4 + BAR);
    let label = |value: f64| format!("{value:.2}");
    let relative = one.relative();
    if one.own.is_transposition() {
        times.bar(area, top + (ROW - BAR) / 2 - 3, relative, TRANSPOSES, &label(relative))?;
    } else if let Some(transposition) = one.relative_transposition() {
        times.bar(area, first, relative, WHOLE, &label(relative))?;
        times.bar(area, second, transposition, TRANSPOSES, &label(transposition))?;
    } else {
        times.bar(area, top + (ROW - BAR) / 2 - 3, relative, WHOLE, &label(relative))?;
    }
    for (run, colour, y) in [(one.own, OWN, first), (one.hcube, WHOLE, second)] {
        if let Some(bytes) = run.extra_bytes {
            memory.bar(area, y, bytes as f64, colour, &numbers::bytes(bytes as f64))?;
        }
    }
    Ok(())
}

/// The rows: transpositions, then transforms, then FFTW's own benchmark; numbers of ranks of a problem beside
/// each other. Transpositions that are a transform's are in its row.
fn rows<'a>(compared: &[Comparison<'a>]) -> Vec<Comparison<'a>> {
    let first = |problem: &str| compared.iter().position(|one| one.own.problem == problem);
    let group = |one: &Comparison<'_>| match one.own.is_transposition() {
        true => 0,
        false if one.own.problem.starts_with("mpi-bench") => 2,
        false => 1,
    };
    let of_a_transform = |row: &Comparison<'_>| {
        compared.iter().any(|one| one.transposition.is_some_and(|pair| std::ptr::eq(pair.0, row.own)))
    };
    let mut rows: Vec<Comparison<'a>> = compared.iter().filter(|row| !of_a_transform(row)).copied().collect();
    rows.sort_by_key(|row| (group(row), first(&row.own.problem), row.own.ranks));
    rows
}

/// The file's text.
pub fn svg(all: &[Comparison<'_>]) -> Result<String, Failure> {
    if all.is_empty() {
        return Err("--plot: no problem was measured by FFTW's own plan and by hcube".to_owned());
    }
    let compared = rows(all);
    let (times, memory) = (times(&compared), memory(&compared));
    let bottom = ABOVE + ROW * compared.len() as i32;
    let (width, height) = (memory.left + PANEL + GAP, bottom + BELOW);
    let mut drawn = String::new();
    {
        let area = SVGBackend::with_string(&mut drawn, (width as u32, height as u32)).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        text(&area, "FFTW-MPI with hcube's transposes against its own", (16, 20), 20, HPos::Left)?;
        text(&area, "time, relative to FFTW's own plan", (times.left, 50), 16, HPos::Left)?;
        legend(&area, (times.left, 72), WHOLE, "whole transform")?;
        legend(&area, (times.left + 150, 72), TRANSPOSES, "transposition alone")?;
        text(&area, "peak memory of a rank beside its arrays", (memory.left, 50), 16, HPos::Left)?;
        legend(&area, (memory.left, 72), OWN, "FFTW's own plan")?;
        legend(&area, (memory.left + 150, 72), WHOLE, "hcube")?;
        let steps = 0..=(times.range.1 / 0.25).floor() as i32;
        let ticks = steps.map(|step| f64::from(step) * 0.25).map(|share| (share, format!("{share}")));
        times.grid(&area, bottom, &ticks.collect::<Vec<_>>())?;
        let powers = (0..).map(|step| LEAST_BYTES * 16f64.powi(step));
        let ticks = powers.take_while(|&bytes| bytes <= memory.range.1);
        let ticks = ticks.map(|bytes| (bytes, numbers::whole_bytes(bytes as usize)));
        memory.grid(&area, bottom, &ticks.collect::<Vec<_>>())?;
        let x = times.place(1.0);
        let one = PathElement::new([(x, ABOVE - 8), (x, bottom)], BLACK.stroke_width(2));
        area.draw(&one).map_err(failed)?;
        for (number, comparison) in compared.iter().enumerate() {
            draw_row(&area, comparison, (&times, &memory), ABOVE + ROW * number as i32)?;
        }
        area.present().map_err(failed)?;
    }
    Ok(drawn)
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::results;
    use super::*;

    #[test]
    fn problems_ratios_and_memory_are_drawn() {
        let results = results();
        let drawn = svg(&results.comparisons()).expect("drawn");
        assert!(drawn.starts_with("<svg") && drawn.trim_end().ends_with("</svg>"), "{drawn}");
        for words in ["c2c 128x128x128 in place OUT, 2 ranks", "0.50", "0.25", "8.0 MiB", "1.0 MiB"] {
            assert!(drawn.contains(words), "{words} expected: {drawn}");
        }
        assert!(svg(&[]).expect_err("nothing to draw").contains("--plot"));
    }

    #[test]
    fn places_keep_their_order() {
        let axis = Axis { left: 10, range: (LEAST_BYTES, LEAST_BYTES * 256.0), logarithmic: true };
        assert_eq!(axis.place(0.0), 10);
        assert_eq!(axis.place(LEAST_BYTES * 16.0), 10 + PANEL / 2);
        assert_eq!(axis.place(f64::MAX), 10 + PANEL);
    }
}
