//! The figures of README.md's table of speed-ups, which are those of the page that a row links to.

use hcube_testing as common;
use std::fs;

/// The numbers of a text, as they are written.
fn numbers(text: &str) -> Vec<&str> {
    let parts = text.split(|letter: char| !(letter.is_ascii_digit() || letter == '.'));
    parts.map(|part| part.trim_end_matches('.')).filter(|part| part.parse::<f64>().is_ok()).collect()
}

/// Whether a number is one of others, as it is rounded.
fn is_one_of(number: &str, others: &[&str]) -> bool {
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let value: f64 = number.parse().expect("a number");
    let half = 0.5 * 10f64.powi(-(decimals as i32)) + 1e-9;
    others.iter().any(|other| other.parse::<f64>().is_ok_and(|other| (other - value).abs() <= half))
}

/// The first page that a row links to.
fn page(row: &str) -> Option<&str> {
    let (_, link) = row.split_once("](doc/")?;
    link.split([')', '#']).next()
}

/// Figures of a row that its page does not have.
fn missing<'a>(row: &'a str, page: &str) -> Vec<&'a str> {
    // What stands in code and in names of versions is no figure.
    let plain = row.split('`').step_by(2).flat_map(numbers);
    let all = numbers(page);
    plain.filter(|number| number.len() > 1 && !is_one_of(number, &all)).collect()
}

#[test]
fn figures_of_the_results_are_those_of_the_pages() {
    let root = common::root();
    let text = fs::read_to_string(root.join("README.md")).expect("there");
    let (_, results) = text.split_once("## What to expect").expect("a section");
    let results = results.split("\n## ").next().expect("a section");
    let rows: Vec<&str> = results.lines().filter(|line| line.starts_with("| [")).collect();
    assert!(rows.len() >= 10, "{rows:?}");
    for row in rows {
        let name = page(row).unwrap_or_else(|| panic!("no page in the row '{row}'"));
        let text = fs::read_to_string(root.join("doc").join(name)).expect("a page");
        let missing = missing(row, &text);
        assert!(missing.is_empty(), "README.md: {} in '{row}': not in doc/{name}", missing.join(", "));
    }
}

#[test]
fn other_figures_are_found() {
    let page = "1.414 on 2 ranks, 46 ns, 8.6 to 9.2 ns and 2407";
    for (row, figures) in [
        ("| [A](doc/a.md#b) | 1.41 on 2 ranks | 9.2 ns, 2407 times, `x 77` |", &[][..]),
        ("| [A](doc/a.md) | 1.42, 46.5 | 12 and 240 |", &["1.42", "46.5", "12", "240"]),
    ] {
        assert_eq!(self::page(row), Some("a.md"));
        assert_eq!(missing(row, page), figures);
    }
}
