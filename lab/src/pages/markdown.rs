//! Tables in Markdown, as they stand in pages.

/// The cells of a line of a table.
pub fn cells(line: &str) -> Vec<&str> {
    line.trim().trim_matches('|').split('|').map(str::trim).collect()
}

/// The rows of the table whose headings begin with these.
///
/// # Errors
/// Where a page has no such table.
pub fn table<'a>(page: &'a str, headings: &[&str]) -> Result<Vec<Vec<&'a str>>, String> {
    let mut lines = page.lines().skip_while(|line| !cells(line).starts_with(headings));
    lines.next().ok_or_else(|| format!("no table of {}", headings.join(", ")))?;
    Ok(lines.skip(1).take_while(|line| line.starts_with('|')).map(cells).collect())
}

/// The row of a table that begins with these cells.
///
/// # Errors
/// Where it has none.
pub fn row<'t, 'a>(table: &'t [Vec<&'a str>], first: &[&str]) -> Result<&'t [&'a str], String> {
    let found = table.iter().find(|row| row.starts_with(first)).map(Vec::as_slice);
    found.ok_or_else(|| format!("no row of {}", first.join(", ")))
}

/// The cell in a column, which is counted from 0.
///
/// # Errors
/// Where the row is shorter.
pub fn cell<'a>(row: &[&'a str], column: usize) -> Result<&'a str, String> {
    row.get(column).copied().ok_or_else(|| format!("no column {column} in {}", row.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_found_by_their_headings() {
        let page =
            "x\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n| a | c |\n|---|---|\n| 3 | 4, 5 |\n| 6 | |\n\ny | z\n";
        let table = table(page, &["a", "c"]).expect("there");
        assert_eq!(table, [["3", "4, 5"], ["6", ""]]);
        assert_eq!(row(&table, &["6"]).and_then(|row| cell(row, 1)), Ok(""));
        assert!(row(&table, &["7"]).is_err() && super::table(page, &["d"]).is_err());
    }
}
