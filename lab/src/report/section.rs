//! Parts of the page.

use super::html::{Table, escape};
use super::inputs::Source;
use super::svg::{Chart, Colour, Look, Marker};
use std::fmt::Write;

/// What is the same thing looks the same in all plots.
pub mod looks {
    use super::{Colour, Look, Marker};

    /// hcube as it chooses by itself.
    pub const HCUBE: Look = (Colour::Blue, Marker::Circle);
    /// hcube in another way.
    pub const OTHER_WAY: Look = (Colour::Ochre, Marker::Diamond);
    /// What hcube takes the place of.
    pub const STOCK: Look = (Colour::Vermilion, Marker::Square);
    /// Another competitor.
    pub const COMPETITOR: Look = (Colour::Purple, Marker::Up);
    /// A paper's figures.
    pub const PAPER: Look = (Colour::Ink, Marker::Diamond);
    /// Formulas.
    pub const MODEL: Look = (Colour::Green, Marker::Circle);
    /// For series of which none is special.
    pub const ALL: [Look; 6] =
        [HCUBE, OTHER_WAY, COMPETITOR, (Colour::Green, Marker::Down), STOCK, (Colour::Ink, Marker::Circle)];
}

/// A part: a heading, what to see, plots and tables.
#[derive(Debug)]
pub struct Section {
    id: &'static str,
    title: &'static str,
    says: String,
    charts: Vec<Chart>,
    tables: Vec<Table>,
    missing: Vec<(&'static str, Source)>,
}

impl Section {
    /// A part without contents.
    pub fn new(id: &'static str, title: &'static str, says: impl Into<String>) -> Self {
        Self { id, title, says: says.into(), charts: Vec::new(), tables: Vec::new(), missing: Vec::new() }
    }

    /// With one sentence more.
    pub fn say(&mut self, sentence: &str) {
        self.says.push(' ');
        self.says.push_str(sentence);
    }

    /// Adds a plot, if it shows something.
    pub fn chart(&mut self, chart: Chart) {
        if !chart.is_empty() {
            self.charts.push(chart);
        }
    }

    /// Adds a table, if it has rows.
    pub fn table(&mut self, table: Table) {
        if !table.is_empty() {
            self.tables.push(table);
        }
    }

    /// Says that something is not there, if so.
    pub fn lacks(&mut self, lacks: bool, what: &'static str, source: Source) {
        if lacks {
            self.missing.push((what, source));
        }
    }

    /// Its plots.
    pub fn charts(&self) -> &[Chart] {
        &self.charts
    }

    /// Where it is on the page.
    pub fn link(&self) -> String {
        format!("<a href=\"#{}\">{}</a>", self.id, escape(self.title))
    }

    /// Whether there is one plot and a table that has room beside it.
    fn pair(&self) -> bool {
        self.charts.len() == 1 && matches!(self.tables.as_slice(), [table] if table.is_narrow())
    }

    /// The part as HTML.
    pub fn html(&self) -> String {
        let mut text = format!(
            "<section id=\"{}\">\n<div class=\"lead\">\n<h2>{}</h2>\n<p class=\"says\">{}</p>\n",
            self.id,
            escape(self.title),
            escape(&self.says)
        );
        if self.pair() {
            text.push_str("<div class=\"beside\">\n");
        }
        if !self.charts.is_empty() {
            text.push_str("<div class=\"charts\">\n");
            for chart in &self.charts {
                let _ = writeln!(
                    text,
                    "<figure><figcaption>{}</figcaption>{}</figure>",
                    escape(&chart.title),
                    chart.inline()
                );
            }
            text.push_str("</div>\n");
        }
        let tables: String = self.tables.iter().map(Table::html).collect();
        // On paper a heading stays with its plots; long tables may go on on another page.
        text.push_str(&if self.pair() {
            format!("{tables}</div>\n</div>\n")
        } else {
            format!("</div>\n{tables}")
        });
        for (what, source) in &self.missing {
            let _ = writeln!(
                text,
                "<p class=\"missing\"><b>Missing:</b> {}. <code>{}</code> makes it.</p>",
                escape(what),
                escape(source.command())
            );
        }
        text.push_str("</section>\n");
        text
    }
}
