//! Several charts in one file, with one legend.

use super::chart::{Chart, Series};
use super::draw::{Canvas, LEGEND_HEIGHT, WIDTH, document, plane};

/// Charts beside and below each other. Series of the same name look the same.
#[derive(Debug)]
pub struct Sheet {
    /// Above all charts.
    pub title: String,
    /// Row by row.
    pub panels: Vec<Chart>,
}

/// Charts beside each other.
const COLUMNS: usize = 2;
/// Height of the title of a chart.
const CAPTION: f64 = 18.0;
/// Space between rows.
const GAP: f64 = 12.0;

impl Sheet {
    /// Of the panels that have points; nothing without any.
    pub fn new(title: impl Into<String>, mut panels: Vec<Chart>) -> Option<Self> {
        panels.retain(|panel| !panel.is_empty());
        (!panels.is_empty()).then(|| Self { title: title.into(), panels })
    }

    pub fn svg(&self) -> String {
        let panels: Vec<&Chart> = self.panels.iter().filter(|panel| !panel.is_empty()).collect();
        let columns = panels.len().clamp(1, COLUMNS);
        let (mut text, mut y) = (String::new(), 0.0);
        for row in panels.chunks(columns) {
            let mut height: f64 = 0.0;
            for (column, panel) in row.iter().enumerate() {
                let mut canvas = Canvas::default();
                canvas.label("caption", (6.0, -6.0), "start", &panel.title);
                height = height.max(plane(panel, &mut canvas));
                let x = WIDTH * column as f64;
                text += &format!("<g transform=\"translate({x} {})\">{}</g>\n", y + CAPTION, canvas.text);
            }
            y += CAPTION + height + GAP;
        }
        let (legend, height) = self.legend(columns, y);
        let size = (WIDTH * columns as f64, y + height);
        let described: Vec<String> = self.panels.iter().map(Chart::described).collect();
        let described = format!("{}. {}", self.title, described.join(". "));
        document(size, &self.title, &described, &(text + &legend))
    }

    /// Every name once, in columns; and the height.
    fn legend(&self, columns: usize, top: f64) -> (String, f64) {
        let mut named = Vec::new();
        for panel in &self.panels {
            for series in panel.shown() {
                if !named.iter().any(|(_, known): &(bool, &Series)| known.name == series.name) {
                    named.push((panel.has_line(series), series));
                }
            }
        }
        let rows = named.len().div_ceil(columns);
        let mut canvas = Canvas::default();
        for (number, (joined, series)) in named.into_iter().enumerate() {
            let (column, row) = (number / rows.max(1), number % rows.max(1));
            let (x, y) = (WIDTH * column as f64, top + LEGEND_HEIGHT * (row + 1) as f64 - 5.0);
            canvas.legend(series, joined, (x, y), x + WIDTH - 26.0);
        }
        (canvas.text, LEGEND_HEIGHT * rows as f64 + 4.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Evidence, Scale, Series, looks, plain};
    use super::*;

    #[test]
    fn panels_share_a_legend() {
        let chart = |title: &str, names: &[&str]| {
            Chart::new(
                title.to_owned(),
                Axis::new("ranks", Scale::Log2, plain),
                Axis::new("time", Scale::Log10, plain),
                names
                    .iter()
                    .enumerate()
                    .map(|(number, name)| {
                        Series::new(
                            *name,
                            Evidence::Measured,
                            looks::numbered(number),
                            [(1.0, 0.1), (4.0, 0.3)],
                        )
                    })
                    .collect(),
            )
        };
        let panels = vec![chart("64 KiB", &["a", "b"]), chart("4 MiB", &["a", "c"]), chart("32 MiB", &[])];
        let svg = Sheet { title: "Some MPI".to_owned(), panels }.svg();
        assert_eq!(svg.matches("class=\"legend ").count(), 3, "{svg}");
        assert!(!svg.contains("32 MiB</text>"), "{svg}");
        for words in ["Some MPI", "64 KiB", "4 MiB"] {
            assert!(svg.contains(&format!(">{words}</text>")), "{words}: {svg}");
        }
    }

    #[test]
    fn numbered_looks_differ() {
        let looks: Vec<_> = (0..looks::DISTINCT).map(looks::numbered).collect();
        assert!(looks.iter().enumerate().all(|(number, look)| !looks[..number].contains(look)));
    }
}
