//! Tables as aligned text.

use crate::noise::MARK;
use crate::numbers;
use std::borrow::Borrow;

/// The word for a ratio of two times in all tables: the time of a competitor by hcube's.
pub const SPEED_UP: &str = "speed-up";

/// The heading of the speed-up over one of several competitors, in two lines.
pub fn speed_up_over(name: &str) -> String {
    format!("{SPEED_UP}\nover {name}")
}

/// A column: its heading, which may have several lines, and the cell of a row.
pub type Column<R> = (&'static str, fn(&R) -> String);

/// A table with a heading.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

/// Whether a cell begins with a digit, or says that a number does not exist.
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

    /// The rows of cells, the headings first.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Whether a speed-up is marked as no measured difference.
    pub fn has_marks(&self) -> bool {
        self.rows.iter().skip(1).flatten().any(|cell| is_marked(cell))
    }

    /// The text: columns of numbers to the right, others to the left.
    pub fn render(&self) -> String {
        let widths = self.widths();
        self.heading(&widths) + &self.lines(1, &widths)
    }

    /// Whether each column has a mark, for which all its cells leave room.
    fn marks(&self) -> Vec<bool> {
        let columns = self.rows.first().map_or(0, Vec::len);
        let marked = |number: usize| self.rows.iter().skip(1).any(|row| is_marked(&row[number]));
        (0..columns).map(marked).collect()
    }

    /// Characters of the widest cell of each column.
    fn widths(&self) -> Vec<usize> {
        let width = |cell: &str| cell.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let widest = |(number, marked): (usize, bool)| {
            let heading = self.rows.first().map_or(0, |row| width(&row[number]));
            let cells = self.rows.iter().skip(1).map(|row| width(&padded(&row[number], marked)));
            cells.fold(heading, usize::max)
        };
        self.marks().into_iter().enumerate().map(widest).collect()
    }

    /// Whether each column holds numbers.
    fn right(&self) -> Vec<bool> {
        let columns = self.rows.first().map_or(0, Vec::len);
        (0..columns).map(|number| self.rows.iter().skip(1).all(|row| numeric(&row[number]))).collect()
    }

    /// The headings, the last line of each above its cells.
    fn heading(&self, widths: &[usize]) -> String {
        let Some(headings) = self.rows.first() else { return String::new() };
        let height = headings.iter().map(|heading| heading.lines().count()).max().unwrap_or(0).max(1);
        let line = |number: usize| {
            let of = |heading: &String| -> String {
                let missing = height - heading.lines().count().max(1);
                number.checked_sub(missing).and_then(|at| heading.lines().nth(at)).unwrap_or("").to_owned()
            };
            joined(&headings.iter().map(of).collect::<Vec<_>>(), widths, &self.right())
        };
        (0..height).map(line).collect()
    }

    /// The text of the rows from this one on.
    fn lines(&self, first: usize, widths: &[usize]) -> String {
        let (right, marks) = (self.right(), self.marks());
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&marks).map(|(cell, &marked)| padded(cell, marked));
            joined(&cells.collect::<Vec<_>>(), widths, &right)
        };
        self.rows.iter().skip(first).map(line).collect()
    }
}

fn is_marked(cell: &str) -> bool {
    cell.ends_with(MARK)
}

/// A cell with room for the mark that others of its column have.
fn padded(cell: &str, marked: bool) -> String {
    if marked && !is_marked(cell) { format!("{cell} ") } else { cell.to_owned() }
}

/// A line of cells.
fn joined(cells: &[String], widths: &[usize], right: &[bool]) -> String {
    let aligned = |(cell, (&width, &right)): (&String, (&usize, &bool))| {
        if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
    };
    let cells: Vec<String> = cells.iter().zip(widths.iter().zip(right)).map(aligned).collect();
    cells.join("  ").trim_end().to_owned() + "\n"
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
                text += &table.heading(widths);
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
    fn headings_of_two_lines_stand_above_their_cells() {
        let mut table = Table::new(["operation".to_owned(), speed_up_over("mpi"), "errors".to_owned()]);
        table.row(["put", "1.20~", "0"]);
        table.row(["get", "12.00", "0"]);
        table.row(["send", "-", "0"]);
        let expected = "           speed-up\noperation  over mpi  errors\nput           1.20~       0\n\
                        get          12.00        0\nsend             -        0\n";
        assert_eq!(table.render(), expected);
        assert!(table.has_marks() && !Table::new(["~"]).has_marks());
        assert_eq!(Growing::default().add(&[table]), expected);
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
