//! Pieces of HTML: text that is safe to write, badges, tables.

use super::evidence::Evidence;
use std::fmt::Write;

/// Text in which nothing is markup.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The word of evidence, so that it is seen.
pub fn badge(evidence: Evidence) -> String {
    format!("<span class=\"badge {0}\">{0}</span>", evidence.word())
}

/// The sign for a cell with nothing to say.
pub const NONE: &str = "–";

/// A cell of what may be missing.
pub fn cell<T>(value: Option<T>, written: impl Fn(T) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), written)
}

/// A table in which every column says what it stands on.
#[derive(Debug, Clone)]
pub struct Table {
    caption: String,
    columns: Vec<(String, Option<Evidence>)>,
    rows: Vec<Vec<String>>,
}

/// More rows than these are folded up, so that plots stay near each other.
const SHOWN_ROWS: usize = 12;

impl Table {
    /// A table. Columns that name what their row is about stand on nothing.
    pub fn new<T: Into<String>>(
        caption: impl Into<String>,
        columns: impl IntoIterator<Item = (T, Option<Evidence>)>,
    ) -> Self {
        let columns = columns.into_iter().map(|(title, evidence)| (title.into(), evidence)).collect();
        Self { caption: caption.into(), columns, rows: Vec::new() }
    }

    /// Adds a row, with a cell for each column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
        debug_assert_eq!(self.rows.last().map(Vec::len), Some(self.columns.len()));
    }

    /// Whether it has rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether it has room beside a plot.
    pub fn is_narrow(&self) -> bool {
        self.shown().len() <= 4
    }

    /// Columns in which something stands.
    fn shown(&self) -> Vec<usize> {
        let filled = |column: &usize| self.rows.iter().any(|row| row[*column] != NONE);
        (0..self.columns.len()).filter(filled).collect()
    }

    /// The table as HTML, without columns that are empty.
    pub fn html(&self) -> String {
        let shown = self.shown();
        let open = if self.rows.len() <= SHOWN_ROWS { " open" } else { "" };
        let mut text = format!(
            "<details class=\"table\"{open}><summary>{} <span class=\"count\">{} row{}</span></summary>\
             <div class=\"scroll\" tabindex=\"0\"><table><thead><tr>",
            escape(&self.caption),
            self.rows.len(),
            if self.rows.len() == 1 { "" } else { "s" },
        );
        for &column in &shown {
            let (title, evidence) = &self.columns[column];
            let below = evidence.map(|evidence| format!("<br>{}", badge(evidence))).unwrap_or_default();
            let _ = write!(text, "<th scope=\"col\">{}{below}</th>", escape(title));
        }
        text.push_str("</tr></thead><tbody>\n");
        for row in &self.rows {
            text.push_str("<tr>");
            for &column in &shown {
                let _ = write!(text, "<td{}>{}</td>", class(&row[column]), escape(&row[column]));
            }
            text.push_str("</tr>\n");
        }
        text.push_str("</tbody></table></div></details>\n");
        text
    }
}

/// Words stand on the left, numbers on the right.
fn class(cell: &str) -> &'static str {
    let number =
        cell == NONE || cell.starts_with(|first: char| first.is_ascii_digit() || "+-−×".contains(first));
    if number { "" } else { " class=\"words\"" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_say_what_they_stand_on_and_empty_ones_are_left_out() {
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
        let html = table.html();
        assert!(html.contains("<th scope=\"col\">GUP/s<br><span class=\"badge simulated\">"), "{html}");
        assert!(
            html.contains("a &amp; b") && html.contains("<td>0.5</td>") && !html.contains("paper"),
            "{html}"
        );
        assert!(html.contains(" open>") && class("juropa").contains("words") && class("−3 %").is_empty());
    }

    #[test]
    fn long_tables_are_folded() {
        let mut table = Table::new("", [("n", None)]);
        (0..=SHOWN_ROWS).for_each(|number| table.row([number.to_string()]));
        assert!(!table.html().contains(" open>"));
    }
}
