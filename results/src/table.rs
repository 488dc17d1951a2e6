//! Tables as aligned text.

use crate::numbers;
use std::borrow::Borrow;

/// A column: its heading, and the cell of a row.
pub type Column<R> = (&'static str, fn(&R) -> String);

/// A table with a heading.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

/// Whether a cell looks like a number, or says that there is none.
fn numeric(cell: &str) -> bool {
    cell == "-" || cell.starts_with(|first: char| first.is_ascii_digit())
}

impl Table {
    /// A table with these headings.
    pub fn new<T: Into<String>>(headings: impl IntoIterator<Item = T>) -> Self {
        Self { rows: vec![headings.into_iter().map(Into::into).collect()] }
    }

    /// From rows of headings and cells; all rows have the same headings.
    pub fn of<T: Into<String>>(rows: impl IntoIterator<Item = Vec<(T, String)>>) -> Self {
        let mut table = Self::default();
        for row in rows {
            let (headings, cells): (Vec<T>, Vec<String>) = row.into_iter().unzip();
            if table.rows.is_empty() {
                table.row(headings);
            }
            table.row(cells);
        }
        table
    }

    /// A table with these columns, whose headings stand there also without rows.
    pub fn with<R>(columns: &[Column<R>], rows: impl IntoIterator<Item = impl Borrow<R>>) -> Self {
        let mut table = Self::new(columns.iter().map(|column| column.0));
        rows.into_iter().for_each(|row| table.row(columns.iter().map(|column| (column.1)(row.borrow()))));
        table
    }

    /// A table with these columns; without rows it has no headings either.
    pub fn filled<R>(columns: &[Column<R>], rows: &[impl Borrow<R>]) -> Self {
        if rows.is_empty() {
            Self::default()
        } else {
            Self::with(columns, rows.iter().map(Borrow::<R>::borrow))
        }
    }

    /// Without the columns in which no row tells something.
    pub fn without_empty_columns(mut self) -> Self {
        let columns = self.rows.first().map_or(0, Vec::len);
        let tells = |column: usize| {
            self.rows.iter().skip(1).any(|row: &Vec<String>| !matches!(row[column].as_str(), "" | "-"))
        };
        let shown: Vec<bool> = (0..columns).map(tells).collect();
        for row in &mut self.rows {
            let mut shown = shown.iter();
            row.retain(|_| shown.next() == Some(&true));
        }
        self
    }

    /// Adds a row, with a cell for each heading.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
        debug_assert_eq!(self.rows.last().map(Vec::len), self.rows.first().map(Vec::len));
    }

    /// The text: columns of numbers to the right, others to the left.
    pub fn render(&self) -> String {
        self.lines(0, &self.widths())
    }

    /// Characters of the widest cell of each column.
    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.first().map_or(0, Vec::len);
        let widest = |number: usize| self.rows.iter().map(|row| row[number].chars().count()).max();
        (0..columns).map(|number| widest(number).unwrap_or(0)).collect()
    }

    /// The text of the rows from this one on.
    fn lines(&self, first: usize, widths: &[usize]) -> String {
        let is_numeric = |number: usize| self.rows.iter().skip(1).all(|row| numeric(&row[number]));
        let right: Vec<bool> = (0..widths.len()).map(is_numeric).collect();
        let mut text = String::new();
        for row in self.rows.iter().skip(first) {
            let cells: Vec<String> = row
                .iter()
                .zip(widths.iter().zip(&right))
                .map(
                    |(cell, (&width, &right))| {
                        if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
                    },
                )
                .collect();
            text.push_str(cells.join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}

/// A cell; a dash where there is nothing to tell.
pub fn cell(text: Option<impl ToString>) -> String {
    text.map_or_else(|| "-".to_owned(), |text| text.to_string())
}

/// A ratio in a cell.
pub fn ratio(value: Option<f64>) -> String {
    cell(value.map(|value| format!("{value:.2}")))
}

/// A number of bytes in a cell.
pub fn bytes(count: Option<u64>) -> String {
    cell(count.map(|count| numbers::bytes(count as f64)))
}

/// The tables of results that have any, with the lines below them, as one text.
pub fn text(tables: &[Table], below: &str) -> String {
    let rendered: Vec<String> =
        tables.iter().filter(|table| !table.rows.is_empty()).map(Table::render).collect();
    rendered.join("\n") + below
}

/// Tables that are printed while they grow: each row once, as soon as it is there.
#[derive(Debug, Default)]
pub struct Growing {
    /// The heading that stands above the last row.
    heading: Vec<String>,
    /// Of each table: rows that were printed, the heading included, and widths of its columns.
    printed: Vec<(usize, Vec<usize>)>,
}

impl Growing {
    /// The rows of the tables that were not printed yet, below their heading where another one was printed
    /// last. A column becomes wider where a new cell needs it.
    pub fn add(&mut self, tables: &[Table]) -> String {
        self.printed.resize(self.printed.len().max(tables.len()), (1, Vec::new()));
        let mut text = String::new();
        for (table, (rows, widths)) in tables.iter().zip(&mut self.printed) {
            if table.rows.len() <= *rows {
                continue;
            }
            let needed = table.widths();
            let same = widths.len() == needed.len();
            *widths = needed
                .iter()
                .enumerate()
                .map(|(at, &one)| if same { one.max(widths[at]) } else { one })
                .collect();
            if table.rows[0] != self.heading {
                text += if self.heading.is_empty() { "" } else { "\n" };
                // As wide and as far to the right as the cells below it.
                text += table.lines(0, widths).lines().next().unwrap_or_default();
                text.push('\n');
                self.heading.clone_from(&table.rows[0]);
            }
            text += &table.lines(*rows, widths);
            *rows = table.rows.len();
        }
        text
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Whether a text has a line of these words.
    pub fn has_line(text: &str, words: &str) -> bool {
        text.lines().any(|line| line.split_whitespace().eq(words.split_whitespace()))
    }

    #[test]
    fn numbers_to_the_right_and_words_to_the_left() {
        let mut table = Table::new(["stream", "Q", "GUP/s"]);
        table.row(["polynomial", "1024", "0.15"]);
        table.row(["lcg", "16", "-"]);
        assert_eq!(
            table.render(),
            "stream         Q  GUP/s\npolynomial  1024   0.15\nlcg           16      -\n"
        );
    }

    #[test]
    fn rows_of_growing_tables_are_printed_once() {
        let mut growing = Growing::default();
        let mut table = Table::new(["N", "us"]);
        assert_eq!(growing.add(&[]), "");
        table.row(["8", "1.5"]);
        let other = Table::new(["ranks"]);
        assert_eq!(growing.add(&[table, other]), "N   us\n8  1.5\n");
        let mut table = Table::new(["N", "us"]);
        table.row(["8", "1.5"]);
        table.row(["64", "10.5"]);
        let mut other = Table::new(["ranks"]);
        other.row(["2"]);
        assert_eq!(growing.add(&[table, other]), "64  10.5\n\nranks\n    2\n");
        // A column that was not there before.
        let mut table = Table::new(["N", "us", "x"]);
        for cells in [["8", "1.5", "-"], ["64", "10.5", "-"], ["128", "9", "2.00"]] {
            table.row(cells);
        }
        assert_eq!(growing.add(&[table]), "\n  N    us     x\n128     9  2.00\n");
    }

    #[test]
    fn tables_stand_apart() {
        let tables = [Table::new(["a"]), Table::default(), Table::new(["b"])];
        assert_eq!(text(&tables, "\nbelow\n"), "a\n\nb\n\nbelow\n");
    }

    #[test]
    fn a_table_without_rows_is_its_heading() {
        assert_eq!(Table::new(["ranks", "GUP/s"]).render(), "ranks  GUP/s\n");
    }
}
