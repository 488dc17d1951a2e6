//! The table of supersteps: hcube beside functions of MPI.

use super::super::results::links;
use super::Superstep;
use hcube_results::numbers::time;
use hcube_results::table::Table;

/// The rows of a section on a machine; hcube and the competitor share a line.
pub fn render(rows: &[&Superstep]) -> String {
    let mut table =
        Table::new(["ranks", "per node", "puts", "bytes", "hcube", "library", "speed-up", "errors", "links"]);
    for row in rows.iter().filter(|row| row.by == "hcube") {
        let library = rows.iter().find(|other| other.by == "library" && other.load() == row.load());
        let none = || "-".to_owned();
        table.row([
            row.ranks.to_string(),
            row.ranks_per_node.to_string(),
            row.puts.to_string(),
            row.bytes.to_string(),
            time(row.seconds),
            library.map_or_else(none, |library| time(library.seconds)),
            library.map_or_else(none, |library| format!("{:.2}", library.seconds / row.seconds)),
            (row.errors + library.map_or(0, |library| library.errors)).to_string(),
            links(row.links_shared),
        ]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(by: &'static str, puts: usize, seconds: f64) -> Superstep {
        Superstep {
            section: "supersteps",
            machine: "juropa".to_owned(),
            ranks: 64,
            ranks_per_node: 8,
            by,
            puts,
            bytes: 8,
            seconds,
            errors: 0,
            links_shared: true,
            copy_ns: 0.25,
        }
    }

    #[test]
    fn hcube_and_the_library_share_a_line() {
        assert_eq!(row("hcube", 64, 0.0).text(), "by=hcube,puts=64,bytes=8,copy=0.25");
        let rows = [row("hcube", 0, 1e-6), row("library", 0, 3e-6), row("hcube", 1, 2e-6)];
        let text = render(&rows.iter().collect::<Vec<_>>());
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[1].contains(&"3.00") && lines[2].contains(&"-"), "{text}");
    }
}
