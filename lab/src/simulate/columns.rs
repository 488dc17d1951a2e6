//! Columns of rows: of the tables that `hcube-lab simulate` prints, and of those on the page of the report.

use super::row::{Row, Site};
use hcube_results::machine::Machine;
use hcube_results::plot::Evidence;
use hcube_results::table::Table;

/// A cell without a value.
pub const NONE: &str = "-";

/// A row, with the others of its table.
#[derive(Debug)]
pub struct Line<'a, T> {
    pub row: &'a T,
    pub all: &'a [&'a T],
}

type Cell<T> = fn(&Line<'_, T>) -> String;

/// A column of both tables, or of one of them.
#[derive(Debug)]
pub struct Column<T> {
    printed: Option<&'static str>,
    /// Columns that name the subject of a row have no evidence.
    shown: Option<(&'static str, Option<Evidence>)>,
    /// The page writes `%` with a blank before it, and [`NONE`] as a dash.
    cell: Cell<T>,
}

/// A column of the printed table.
pub const fn printed<T>(heading: &'static str, cell: Cell<T>) -> Column<T> {
    Column { printed: Some(heading), shown: None, cell }
}

/// A column of the page.
pub const fn shown<T>(heading: &'static str, evidence: Option<Evidence>, cell: Cell<T>) -> Column<T> {
    Column { printed: None, shown: Some((heading, evidence)), cell }
}

/// A column of both, with a heading for each.
pub const fn both<T>(headings: [&'static str; 2], evidence: Option<Evidence>, cell: Cell<T>) -> Column<T> {
    Column { printed: Some(headings[0]), shown: Some((headings[1], evidence)), cell }
}

impl<T> Column<T> {
    /// Heading and evidence on the page, where it is there.
    pub fn on_page(&self) -> Option<(&'static str, Option<Evidence>)> {
        self.shown
    }

    /// The text of a line.
    pub fn cell(&self, line: &Line<'_, T>) -> String {
        (self.cell)(line)
    }
}

/// How rows of a kind are written.
#[derive(Debug)]
pub struct Layout<T: 'static> {
    /// Of the printed table.
    pub title: &'static str,
    pub columns: &'static [Column<T>],
    /// Whether a row has a line of its own.
    pub has_line: fn(&Line<'_, T>) -> bool,
}

impl<T: Row> Layout<T> {
    /// The lines of rows.
    pub fn lines<'a>(&self, rows: &'a [&'a T]) -> Vec<Line<'a, T>> {
        let lines = rows.iter().map(|&row| Line { row, all: rows });
        lines.filter(|line| (self.has_line)(line)).collect()
    }

    /// The table of rows, without a title; the last column says what messages shared between nodes.
    pub fn render(&self, rows: &[&T]) -> String {
        let columns: Vec<_> =
            self.columns.iter().filter_map(|column| Some((column.printed?, column))).collect();
        let mut table = Table::new(columns.iter().map(|(heading, _)| *heading).chain(["links"]));
        for line in self.lines(rows) {
            let links = if line.row.place().1.links_shared { "shared" } else { "ports only" };
            table.row(columns.iter().map(|(_, column)| column.cell(&line)).chain([links.to_owned()]));
        }
        table.render()
    }

    /// The table of the rows of a section on a machine; empty without any.
    pub fn text(&self, rows: &[T], section: &str, machine: &Machine) -> String {
        let is_own = |site: &Site| site.section == section && site.machine == machine.name;
        let own: Vec<&T> = rows.iter().filter(|row| is_own(row.place().0)).collect();
        if own.is_empty() {
            return String::new();
        }
        let title = &machine.title;
        format!("\n{}, {section}: simulated on a model of {title}\n\n{}", self.title, self.render(&own))
    }
}

/// A value that may be missing.
pub fn maybe<V>(value: Option<V>, written: impl Fn(V) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), written)
}

/// Per cent.
pub fn percent(value: f64) -> String {
    format!("{value:.1}%")
}

/// How much more a value is than another one.
pub fn deviation(value: f64, other: f64) -> String {
    format!("{:+.1}%", 100.0 * (value / other - 1.0))
}
