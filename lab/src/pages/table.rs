//! Tables that are written into pages, and numbers as papers print them.

/// A row of a table in Markdown.
fn row(cells: impl IntoIterator<Item = String>) -> String {
    cells.into_iter().map(|cell| format!("| {cell} ")).collect::<String>() + "|\n"
}

/// Heading and rows, all of the same length.
pub fn table(heading: Vec<String>, rows: Vec<Vec<String>>) -> String {
    let line = "|---".repeat(heading.len()) + "|\n";
    row(heading) + &line + &rows.into_iter().map(row).collect::<String>()
}

/// A row from its name and figures.
pub fn named(name: &str, figures: impl IntoIterator<Item = String>) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(figures).collect()
}

/// Three digits, and two decimals from 1 on, as papers print rates.
pub fn printed(value: f64) -> String {
    let decimals = if value >= 1.0 { 2 } else { (2 - value.log10().floor() as i32).clamp(0, 9) as usize };
    format!("{value:.decimals$}")
}

/// A change or deviation in whole per cent, with its sign.
pub fn percent(value: f64) -> String {
    let whole = value.round();
    if whole == 0.0 { "0 %".to_owned() } else { format!("{whole:+.0} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_papers() {
        assert_eq!(
            [0.018, 0.000_627, 0.858, 17.24, 9.25].map(printed),
            ["0.0180", "0.000627", "0.858", "17.24", "9.25"]
        );
        assert_eq!([-12.81, 0.2, 7.8].map(percent), ["-13 %", "0 %", "+8 %"]);
    }
}
