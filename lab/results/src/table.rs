//! Tables as aligned text.

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
    pub fn of(rows: impl IntoIterator<Item = Vec<(&'static str, String)>>) -> Self {
        let mut table = Self::default();
        for row in rows {
            if table.rows.is_empty() {
                table.row(row.iter().map(|cell| cell.0));
            }
            table.row(row.into_iter().map(|cell| cell.1));
        }
        table
    }

    /// Adds a row, with a cell for each heading.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
        debug_assert_eq!(self.rows.last().map(Vec::len), self.rows.first().map(Vec::len));
    }

    /// The text: columns of numbers to the right, others to the left.
    pub fn render(&self) -> String {
        let columns = self.rows.first().map_or(0, Vec::len);
        let column = |number: usize| self.rows.iter().map(move |row| row[number].as_str());
        let width: Vec<usize> = (0..columns)
            .map(|number| column(number).map(|cell| cell.chars().count()).max().unwrap_or(0))
            .collect();
        let right: Vec<bool> = (0..columns).map(|number| column(number).skip(1).all(numeric)).collect();
        let mut text = String::new();
        for row in &self.rows {
            let cells: Vec<String> = row
                .iter()
                .zip(width.iter().zip(&right))
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_table_without_rows_is_its_heading() {
        assert_eq!(Table::new(["ranks", "GUP/s"]).render(), "ranks  GUP/s\n");
    }
}
