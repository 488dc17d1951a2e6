//! The table of longest common subsequences: the prediction beside each simulated efficiency.

use super::super::results::links;
use super::Subsequence;
use hcube_results::numbers::{significant, time};
use hcube_results::table::Table;

/// The rows of a section on a machine.
pub fn render(rows: &[&Subsequence]) -> String {
    let mut table = Table::new([
        "ranks",
        "per node",
        "length",
        "grid",
        "alpha",
        "block rows",
        "time",
        "predicted",
        "deviation",
        "efficiency",
        "predicted",
        "LLCS",
        "errors",
        "links",
    ]);
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    for row in rows {
        table.row([
            row.ranks.to_string(),
            row.ranks_per_node.to_string(),
            significant(row.length as f64),
            row.variant.name().to_owned(),
            row.alpha.to_string(),
            row.block_rows.to_string(),
            time(row.seconds),
            time(row.predicted_seconds),
            format!("{:+.1}%", 100.0 * (row.seconds / row.predicted_seconds - 1.0)),
            percent(row.efficiency),
            percent(row.predicted_efficiency),
            row.subsequence.to_string(),
            row.errors.to_string(),
            links(row.links_shared),
        ]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::super::Variant;
    use super::*;
    use crate::records;

    fn row(variant: Variant) -> Subsequence {
        Subsequence {
            section: "lcs",
            machine: "juropa".to_owned(),
            ranks: 64,
            ranks_per_node: 8,
            length: 65536,
            scale: 1,
            symbols: 4,
            variant,
            alpha: 2,
            block_rows: 128,
            predicted_seconds: 0.5,
            seconds: 0.0,
            predicted_efficiency: 0.75,
            efficiency: 0.0,
            subsequence: 0,
            errors: 0,
            links_shared: true,
            serial_seconds: 24.0,
        }
    }

    #[test]
    fn the_driver_reads_the_grid() {
        let text = "length=65536,rows=65536,symbols=4,alpha=2,block_rows=128,barriers=";
        assert_eq!(row(Variant::Square).text(), format!("{text}0"));
        let long = Subsequence { scale: 8, ..row(Variant::Thesis) };
        assert_eq!(long.text(), format!("{text}1").replace("rows=65536", "rows=8192"));
    }

    #[test]
    fn simulated_figures_have_the_predicted_ones_beside_them() {
        let mut row = row(Variant::Square);
        let text =
            format!("case\t{}\nranks\t64\nseconds\t0.625\nsubsequence\t42000\nerrors\t0\n\n", row.text());
        row.fill(&records::parse(&text).expect("records")[0]).expect("figures");
        assert_eq!((row.efficiency, row.subsequence), (0.6, 42000));
        let text = render(&[&row]);
        let line: Vec<&str> = text.lines().nth(1).expect("a row").split_whitespace().collect();
        for figure in ["+25.0%", "60.0%", "75.0%", "42000", "square"] {
            assert!(line.contains(&figure), "{figure} expected: {text}");
        }
    }
}
