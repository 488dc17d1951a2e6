//! Tables of pages that follow from recorded, published and predicted figures.
//!
//! In a page such a table stands between two comments, `<!-- table NAME -->` and `<!-- end of table -->`. `hcube-lab manual
//! --page` writes what is between them anew, and a test compares the page with what it would write.

mod gemm;
mod random_access;

/// The comments around a table, without its name.
const BEGIN: &str = "<!-- table ";
const END: &str = "<!-- end of table -->";

/// All tables by name.
type Table = (&'static str, fn() -> String);

const TABLES: [Table; 7] = [
    ("red-storm", random_access::red_storm),
    ("red-storm-signs", random_access::signs),
    ("look-ahead", random_access::look_ahead),
    ("optimisations", random_access::optimisations),
    ("model-errors", random_access::model_errors),
    ("coarray-events", random_access::coarray_events),
    ("hsumma", gemm::hsumma),
];

/// A page with all its tables written anew.
///
/// # Errors
/// If a table is not known or has no end.
pub fn filled(page: &str) -> Result<String, String> {
    let mut parts = page.split(BEGIN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n").ok_or("a table without a name")?;
        let (_, table) = TABLES.iter().find(|table| table.0 == name).ok_or_else(|| {
            format!("table {name} is not known: expected one of {}", TABLES.map(|table| table.0).join(", "))
        })?;
        let (_, rest) = rest.split_once(END).ok_or_else(|| format!("table {name} has no {END}"))?;
        text += &format!("{BEGIN}{name} -->\n{}{END}{rest}", table());
    }
    Ok(text)
}

/// A row of a table in Markdown.
fn row(cells: impl IntoIterator<Item = String>) -> String {
    cells.into_iter().map(|cell| format!("| {cell} ")).collect::<String>() + "|\n"
}

/// Heading and rows, all of the same length.
fn table(heading: Vec<String>, rows: Vec<Vec<String>>) -> String {
    let line = "|---".repeat(heading.len()) + "|\n";
    row(heading) + &line + &rows.into_iter().map(row).collect::<String>()
}

/// A row from its name and figures.
fn named(name: &str, figures: impl IntoIterator<Item = String>) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(figures).collect()
}

/// Three digits, and two decimals from 1 on, as papers print rates.
fn printed(value: f64) -> String {
    let decimals = if value >= 1.0 { 2 } else { (2 - value.log10().floor() as i32).clamp(0, 9) as usize };
    format!("{value:.decimals$}")
}

/// A change or deviation in whole per cent, with its sign.
fn percent(value: f64) -> String {
    let whole = value.round();
    if whole == 0.0 { "0 %".to_owned() } else { format!("{whole:+.0} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_replaced_and_the_rest_is_kept() {
        let page = "# A\n<!-- table hsumma -->\nold\n<!-- end of table -->\nB\n<!-- table optimisations -->\n<!-- end of table -->\n";
        let text = filled(page).expect("known tables");
        assert!(
            text.starts_with("# A\n<!-- table hsumma -->\n| ranks ") && text.contains("-->\nB\n<!--"),
            "{text}"
        );
        assert!(!text.contains("old") && text.ends_with("<!-- end of table -->\n"), "{text}");
        assert_eq!(filled(&text), Ok(text.clone()));
        assert!(
            filled("<!-- table x -->\n<!-- end of table -->").is_err_and(|error| error.contains("red-storm"))
        );
        assert!(filled("<!-- table hsumma -->\n").is_err_and(|error| error.contains("no <!-- end")));
    }

    #[test]
    fn numbers_are_those_of_papers() {
        assert_eq!(
            [0.018, 0.000_627, 0.858, 17.24, 9.25].map(printed),
            ["0.0180", "0.000627", "0.858", "17.24", "9.25"]
        );
        assert_eq!([-12.81, 0.2, 7.8].map(percent), ["-13 %", "0 %", "+8 %"]);
    }
}
