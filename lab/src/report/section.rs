//! Parts of the page.

use super::table::Table;
use askama::Template;
use hcube_results::plot::{Chart, Sheet};

/// A part: a heading, an explanation, charts and tables.
#[derive(Debug, Template)]
#[template(path = "section.html")]
pub struct Section {
    pub id: &'static str,
    pub title: &'static str,
    says: String,
    charts: Vec<Chart>,
    tables: Vec<Table>,
    /// What is missing, and the command that makes it.
    missing: Vec<(&'static str, &'static str)>,
}

impl Section {
    /// A part without contents.
    pub fn new(id: &'static str, title: &'static str, says: impl Into<String>) -> Self {
        Self { id, title, says: says.into(), charts: Vec::new(), tables: Vec::new(), missing: Vec::new() }
    }

    /// Adds a sentence to the explanation.
    pub fn say(&mut self, sentence: &str) {
        self.says.push(' ');
        self.says.push_str(sentence);
    }

    /// Adds a chart, unless it is empty.
    pub fn chart(&mut self, chart: Chart) {
        if !chart.is_empty() {
            self.charts.push(chart);
        }
    }

    /// Adds a table, unless it is empty.
    pub fn table(&mut self, table: Table) {
        if !table.is_empty() {
            self.tables.push(table);
        }
    }

    /// Adds a note that something is missing, which a command makes, if `lacks`.
    pub fn lacks(&mut self, lacks: bool, what: &'static str, command: &'static str) {
        if lacks {
            self.missing.push((what, command));
        }
    }

    /// Names and pictures of its charts. Charts that name the same file are beside each other there.
    pub fn files(&self) -> Vec<(&'static str, Sheet)> {
        let mut files: Vec<(&'static str, Vec<&Chart>)> = Vec::new();
        for chart in &self.charts {
            let Some(name) = chart.file else { continue };
            match files.iter_mut().find(|(known, _)| *known == name) {
                Some((_, charts)) => charts.push(chart),
                None => files.push((name, vec![chart])),
            }
        }
        let sheet = |(name, charts): (&'static str, Vec<&Chart>)| {
            let panels = charts.into_iter().cloned().collect();
            Some((name, Sheet::new(name, self.title, "", panels)?))
        };
        files.into_iter().filter_map(sheet).collect()
    }

    /// Whether it is one chart with a table that fits beside it.
    fn pair(&self) -> bool {
        self.charts.len() == 1 && matches!(self.tables.as_slice(), [table] if table.is_narrow())
    }
}
