//! Tables of the page.

use askama::Template;
use hcube_results::plot::Evidence;

/// A cell without a value.
pub const NONE: &str = "–";

/// A cell whose value may be missing.
pub fn cell<T>(value: Option<T>, written: impl Fn(T) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), written)
}

/// A ratio whose value may be missing.
pub fn times(ratio: Option<f64>) -> String {
    cell(ratio, |ratio| format!("×{ratio:.2}"))
}

/// Heading, evidence and cells of a column. Columns that name the subject of a row have no evidence.
pub type Column<'a, T> = (&'a str, Option<Evidence>, &'a dyn Fn(&T) -> String);

/// The cell of a row.
type Text<'a, T> = Box<dyn Fn(&T) -> String + 'a>;

/// A growing list of columns, for tables whose columns depend on the figures; see [`Column`].
pub struct Columns<'a, T>(Vec<(String, Option<Evidence>, Text<'a, T>)>);

impl<'a, T> Columns<'a, T> {
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a column.
    pub fn add(
        &mut self,
        title: impl Into<String>,
        evidence: Option<Evidence>,
        text: impl Fn(&T) -> String + 'a,
    ) {
        self.0.push((title.into(), evidence, Box::new(text)));
    }

    /// The table of rows.
    pub fn table(&self, caption: impl Into<String>, rows: impl IntoIterator<Item = T>) -> Table {
        let columns: Vec<Column<'_, T>> =
            self.0.iter().map(|(title, evidence, text)| (title.as_str(), *evidence, &**text as _)).collect();
        Table::of(caption, rows, &columns)
    }
}

/// A table with the evidence of each column.
#[derive(Debug, Clone, Template)]
#[template(path = "table.html")]
pub struct Table {
    caption: String,
    columns: Vec<(String, Option<Evidence>)>,
    rows: Vec<Vec<String>>,
}

/// Tables with more rows are folded, so that charts stay near each other.
const MAX_OPEN_ROWS: usize = 12;

impl Table {
    /// A table without rows. Columns that name the subject of a row have no evidence.
    pub fn new<T: Into<String>>(
        caption: impl Into<String>,
        columns: impl IntoIterator<Item = (T, Option<Evidence>)>,
    ) -> Self {
        let columns = columns.into_iter().map(|(title, evidence)| (title.into(), evidence)).collect();
        Self { caption: caption.into(), columns, rows: Vec::new() }
    }

    /// A table of rows by columns.
    pub fn of<T>(
        caption: impl Into<String>,
        rows: impl IntoIterator<Item = T>,
        columns: &[Column<'_, T>],
    ) -> Self {
        let mut table = Self::new(caption, columns.iter().map(|&(title, evidence, _)| (title, evidence)));
        for row in rows {
            table.row(columns.iter().map(|(_, _, text)| text(&row)));
        }
        table
    }

    /// Adds a row, with a cell for each column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
        debug_assert_eq!(self.rows.last().map(Vec::len), Some(self.columns.len()));
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether it fits beside a chart.
    pub fn is_narrow(&self) -> bool {
        self.shown().len() <= 4
    }

    fn is_long(&self) -> bool {
        self.rows.len() > MAX_OPEN_ROWS
    }

    /// Columns with a value.
    fn shown(&self) -> Vec<usize> {
        let filled = |column: &usize| self.rows.iter().any(|row| row[*column] != NONE);
        (0..self.columns.len()).filter(filled).collect()
    }

    fn headings(&self) -> Vec<&(String, Option<Evidence>)> {
        self.shown().into_iter().map(|column| &self.columns[column]).collect()
    }

    fn cells<'a>(&self, row: &'a [String]) -> Vec<&'a str> {
        self.shown().into_iter().map(|column| row[column].as_str()).collect()
    }

    /// Whether a cell is aligned left; numbers are aligned right.
    fn is_words(&self, cell: &str) -> bool {
        let starts_number = |first: char| first.is_ascii_digit() || "+-−×".contains(first);
        cell != NONE && !cell.starts_with(starts_number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_badges_and_empty_ones_are_left_out() {
        let mut table = Table::new(
            "a & b",
            [("ranks", None), ("GUP/s", Some(Evidence::Simulated)), ("paper", Some(Evidence::Published))],
        );
        assert!(table.is_empty());
        table.row([
            "4".to_owned(),
            cell(Some(0.5), |rate| rate.to_string()),
            cell(None::<f64>, |_| String::new()),
        ]);
        let html = table.to_string();
        assert!(html.contains("<th scope=\"col\">GUP/s<br><span class=\"badge simulated\">"), "{html}");
        assert!(html.contains("<td>0.5</td>") && !html.contains("paper"), "{html}");
        assert!(html.contains(" open>") && !html.contains("a & b"), "{html}");
        assert!(table.is_words("juropa") && !table.is_words("−3 %"));
    }

    #[test]
    fn long_tables_are_folded() {
        let mut table = Table::new("", [("n", None)]);
        (0..=MAX_OPEN_ROWS).for_each(|number| table.row([number.to_string()]));
        assert!(!table.to_string().contains(" open>"));
    }
}
