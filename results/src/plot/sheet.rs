//! A picture: its message, where and when it was measured, and its charts with one legend.

use super::chart::{Chart, Series};
use super::colour::{PAPER, dark_style};
use super::draw::{Canvas, FILE_LETTER, FONT, LEGEND_HEIGHT, WIDTH, escape, plane};
use super::evidence::Evidence;
use super::message;
use crate::taken::Taken;
use serde::{Deserialize, Serialize};

/// Charts beside and below each other. Series of the same name have the same colour and marker. In JSON it is
/// the record from which a picture is drawn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    /// The name of the picture, by which its message is known.
    #[serde(skip)]
    pub name: String,
    /// The message, where it does not follow from the points.
    #[serde(skip)]
    pub title: Option<String>,
    /// What is drawn.
    pub subject: String,
    /// Machine and libraries, as far as they are known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub machine: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub date: String,
    /// What a reader of the record has to know.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Row by row.
    pub panels: Vec<Chart>,
}

/// Charts beside each other.
const COLUMNS: usize = 2;
/// Height of the title of a chart.
const CAPTION: f64 = 18.0;
/// Space between rows.
const GAP: f64 = 12.0;
/// Space above the first line of the heading, and height of a line of the title and of the line below it.
const ABOVE: f64 = 8.0;
const TITLE_LINE: f64 = 17.0;
const WHERE_LINE: f64 = 14.0;
/// Width of a letter of the title and of the line below it, on average.
const TITLE_LETTER: f64 = 8.4;
const WHERE_LETTER: f64 = 6.4;
/// Pixels of a unit in files.
const ZOOM: f64 = 1.6;

impl Sheet {
    /// Of the panels that have points; nothing without any.
    pub fn new(
        name: impl Into<String>,
        subject: impl Into<String>,
        machine: impl Into<String>,
        mut panels: Vec<Chart>,
    ) -> Option<Self> {
        panels.retain(|panel| !panel.is_empty());
        let (name, subject, machine) = (name.into(), subject.into(), machine.into());
        (!panels.is_empty()).then(|| Self { name, subject, machine, panels, ..Self::default() })
    }

    /// With what is known of the measurement.
    pub fn taken(self, taken: &Taken) -> Self {
        let Taken { machine, date } = taken.clone();
        Self { machine, date, ..self }
    }

    /// The title: what the picture says, or else its subject.
    pub fn message(&self) -> String {
        let message = self.title.clone().or_else(|| message::of(&self.name, &self.panels));
        message.unwrap_or_else(|| self.subject.clone())
    }

    /// The evidence of all series, if it is the same.
    fn evidence(&self) -> Option<Evidence> {
        let mut all = self.panels.iter().flat_map(Chart::shown).map(|series| series.evidence);
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }

    /// Whether charts have titles of their own; a single one has its title in the line below the message.
    fn has_captions(&self) -> bool {
        self.panels.len() > 1
    }

    /// Whether all series were measured.
    pub fn is_measured(&self) -> bool {
        self.evidence() == Some(Evidence::Measured)
    }

    /// The line below the title: what was drawn, by which evidence, where and when.
    fn place(&self) -> String {
        let subject = if self.message() == self.subject { "" } else { &self.subject };
        let chart = if self.has_captions() { "" } else { self.panels.first().map_or("", |one| &one.title) };
        let evidence = self.evidence().map_or("", Evidence::word);
        let parts = [subject, chart, evidence, &self.machine, &self.date];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    pub fn svg(&self) -> String {
        let panels: Vec<&Chart> = self.panels.iter().filter(|panel| !panel.is_empty()).collect();
        let columns = panels.len().clamp(1, COLUMNS);
        let caption = if self.has_captions() { CAPTION } else { 0.0 };
        let (mut text, mut y, mut last) = (String::new(), 0.0, 0.0);
        for row in panels.chunks(columns) {
            let mut height: f64 = 0.0;
            for (column, panel) in row.iter().enumerate() {
                let mut canvas = Canvas::default();
                if self.has_captions() {
                    canvas.label("caption", (6.0, -6.0), "start", &panel.title);
                }
                height = height.max(plane(panel, FILE_LETTER, &mut canvas));
                let x = WIDTH * column as f64;
                text += &format!("<g transform=\"translate({x} {})\">{}</g>\n", y + caption, canvas.text);
            }
            last = y + caption;
            y += caption + height + GAP;
        }
        // A free place beside the last chart has the legend.
        let is_beside = columns > 1 && panels.len() % columns == 1;
        let (legend, height) =
            if is_beside { self.legend(1, (WIDTH, last)) } else { self.legend(columns, (0.0, y)) };
        let height = if is_beside { y.max(last + height) } else { y + height };
        self.document((WIDTH * columns as f64, height), &(text + &legend))
    }

    /// Every name once, in columns; and the height.
    fn legend(&self, columns: usize, (left, top): (f64, f64)) -> (String, f64) {
        let mut named = Vec::new();
        for panel in &self.panels {
            for series in panel.shown() {
                if !named.iter().any(|(_, known): &(bool, &Series)| known.name == series.name) {
                    named.push((panel.has_line(series), series));
                }
            }
        }
        let is_mixed = self.evidence().is_none();
        let rows = named.len().div_ceil(columns);
        let mut canvas = Canvas::default();
        for (number, (joined, series)) in named.into_iter().enumerate() {
            let (column, row) = (number / rows.max(1), number % rows.max(1));
            let (x, y) = (left + WIDTH * column as f64, top + LEGEND_HEIGHT * (row + 1) as f64 - 5.0);
            canvas.legend(series, joined, (x, y), is_mixed.then_some(x + WIDTH - 8.0));
        }
        (canvas.text, LEGEND_HEIGHT * rows as f64 + 4.0)
    }

    /// The file: the heading above a drawing.
    fn document(&self, (width, height): (f64, f64), inside: &str) -> String {
        let (title, place) = (self.message(), self.place());
        let (mut heading, mut above) = (Canvas::default(), ABOVE);
        for line in lines(&title, width, TITLE_LETTER) {
            above += TITLE_LINE;
            heading.label("title", (10.0, above - 3.0), "start", line.as_str());
        }
        for line in lines(&place, width, WHERE_LETTER) {
            above += WHERE_LINE;
            heading.label("where", (10.0, above - 1.0), "start", line.as_str());
        }
        above += ABOVE;
        let height = height + above + 8.0;
        let described = self.panels.iter().map(Chart::described).collect::<Vec<_>>().join(". ");
        let label = [title, place, described].map(|part| escape(&part)).join(". ");
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{:.0}\" height=\"{:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{label}\" {FONT}>\n<style>{}</style>\n\
             <rect class=\"ground\" fill=\"{PAPER}\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n{}\n\
             <g transform=\"translate(0 {above})\">{inside}</g>\n</svg>\n",
            ZOOM * width,
            ZOOM * height,
            dark_style(),
            heading.text,
        )
    }
}

/// The words of a text in lines that fit.
fn lines(text: &str, width: f64, letter: f64) -> Vec<String> {
    let fits = |line: &str| letter * line.chars().count() as f64 <= width - 20.0;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if fits(&format!("{line} {word}")) => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Format, Scale, looks};
    use super::*;

    fn chart(title: &str, evidence: Evidence, names: &[&str]) -> Chart {
        let series = names.iter().enumerate().map(|(number, name)| {
            Series::new(*name, evidence, looks::numbered(number), [(1.0, 0.1), (4.0, 0.3)])
        });
        Chart::new(
            title,
            Axis::new("ranks", Scale::Log2, Format::Plain),
            Axis::new("time", Scale::Log10, Format::Plain),
            series.collect(),
        )
    }

    fn sheet(panels: Vec<Chart>) -> Sheet {
        let machine = "2 cores <of> some server, Some MPI";
        Sheet { date: "2026".to_owned(), ..Sheet::new("programs", "Rates", machine, panels).expect("points") }
    }

    #[test]
    fn panels_share_a_legend_and_empty_ones_are_left_out() {
        let of = |title: &str, names: &[&str]| chart(title, Evidence::Measured, names);
        let svg = sheet(vec![of("64 KiB", &["a", "b"]), of("4 MiB", &["a", "c"]), of("32 MiB", &[])]).svg();
        assert_eq!(svg.matches("class=\"legend ").count(), 3, "{svg}");
        assert!(!svg.contains("32 MiB</text>"), "{svg}");
        for words in ["64 KiB", "4 MiB"] {
            assert!(svg.contains(&format!(">{words}</text>")), "{words}: {svg}");
        }
        assert!(svg.contains("class=\"ground\" fill=\"#ffffff\"") && !svg.contains("var("), "{svg}");
    }

    #[test]
    fn message_machine_and_date_stand_above() {
        let measured = chart("x", Evidence::Measured, &["a"]);
        let svg = sheet(vec![measured.clone()]).svg();
        for words in [
            ">Unmodified programs with the preload library:</text>",
            ">speed-up of 0.10 to 0.30</text>",
            ">Rates, x, measured, 2 cores &lt;of&gt; some server, Some MPI, 2026</text>",
        ] {
            assert!(svg.contains(words), "{words}: {svg}");
        }
        // The evidence stands in the legend where it differs.
        assert!(!svg.contains("class=\"evidence\""), "{svg}");
        let svg = sheet(vec![measured, chart("x", Evidence::Simulated, &["b"])]).svg();
        assert_eq!(svg.matches("class=\"evidence\"").count(), 2, "{svg}");
        assert!(svg.contains(">Rates, 2 cores "), "{svg}");
    }

    #[test]
    fn records_can_be_read_again() {
        let mut first = chart("x", Evidence::Published, &["a"]);
        first.series[0].points[0].range = Some((0.05, 0.2));
        first.y = Axis::categories("", vec!["row".to_owned()]);
        let old = Sheet { name: String::new(), ..sheet(vec![first]) };
        let text = serde_json::to_string(&old).expect("valid");
        assert!(text.contains("[1.0,0.1,0.05,0.2]"), "{text}");
        assert_eq!(serde_json::from_str::<Sheet>(&text).expect("valid"), old);
    }

    #[test]
    fn long_titles_have_several_lines() {
        let title = "All-to-all, this machine, Open MPI v4.1.4, 32 MiB per rank";
        assert_eq!(
            lines(title, 420.0, 9.2),
            ["All-to-all, this machine, Open MPI v4.1.4,", "32 MiB per rank"]
        );
        assert_eq!(lines(title, 840.0, 9.2).len(), 1);
    }

    #[test]
    fn numbered_looks_differ() {
        let looks: Vec<_> = (0..looks::DISTINCT).map(looks::numbered).collect();
        assert!(looks.iter().enumerate().all(|(number, look)| !looks[..number].contains(look)));
    }
}
