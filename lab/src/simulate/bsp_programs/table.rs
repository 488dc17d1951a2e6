//! The table of BSP programs: predicted, simulated and published efficiencies.

use super::super::results::links;
use super::BspProgram;
use hcube_results::numbers::{significant, time};
use hcube_results::table::Table;

/// The rows of a section on a machine.
pub fn render(rows: &[&BspProgram]) -> String {
    let mut table = Table::new([
        "program",
        "processes",
        "per node",
        "size",
        "blocks or alpha",
        "f ns",
        "time",
        "predicted",
        "deviation",
        "efficiency",
        "predicted",
        "g(h,h*)",
        "published",
        "figures",
        "errors",
        "links",
    ]);
    let percent = |value: f64| format!("{value:.1}%");
    let none = || "-".to_owned();
    for one in rows {
        let (row, seconds) = (&one.row, one.row.simulated_seconds);
        table.row([
            row.program.clone(),
            row.processes.to_string(),
            one.ranks_per_node.to_string(),
            row.size.to_string(),
            row.parameter.to_string(),
            significant(row.operation_ns),
            seconds.map_or_else(none, time),
            time(row.seconds.constant),
            seconds.map_or_else(none, |seconds| {
                format!("{:+.1}%", 100.0 * (seconds / row.seconds.constant - 1.0))
            }),
            percent(one.simulated_percent),
            percent(row.efficiency_percent.constant),
            percent(row.efficiency_percent.messages),
            row.published_percent.map_or_else(none, percent),
            if one.figures_published { "published" } else { "links" }.to_owned(),
            one.errors().to_string(),
            links(one.links_shared),
        ]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records;
    use hcube_results::bsp::prediction::{ByModel, Row};
    use hcube_tool::bsp::program::Program;

    #[test]
    fn efficiencies_stand_beside_each_other() {
        let mut program = BspProgram {
            section: "bsp-programs",
            machine: "aracari-oxtool".to_owned(),
            ranks_per_node: 1,
            figures_published: true,
            row: Row {
                program: "matmul-customized".to_owned(),
                processes: 16,
                size: 2000,
                parameter: 4,
                operation_ns: 2.5,
                seconds: ByModel::of([2.0, 2.1, 2.5]),
                efficiency_percent: ByModel::of([62.5, 59.5, 50.0]),
                beyond_range: false,
                measured: Vec::new(),
                errors: None,
                simulated_seconds: None,
                published_percent: Some(66.39),
                beside: None,
            },
            simulated_percent: 0.0,
            links_shared: true,
            program: Program::Matmul,
        };
        let text = format!("case\t{}\nranks\t16\nseconds\t2.5\nerrors\t0\n\n", program.text());
        program.fill(&records::parse(&text).expect("records")[0]).expect("figures");
        assert_eq!((program.simulated_percent, program.errors()), (50.0, 0));
        let text = render(&[&program]);
        let line: Vec<&str> = text.lines().nth(1).expect("a row").split_whitespace().collect();
        for figure in ["+25.0%", "50.0%", "62.5%", "66.4%", "published", "2000"] {
            assert!(line.contains(&figure), "{figure} expected: {text}");
        }
    }
}
