//! Where the figures are from: machines, versions, files.

use super::evidence::Evidence::{Measured, Simulated};
use super::html::{Table, badge, escape};
use super::inputs::{Inputs, Source};
use super::model;
use hcube_tool::machine::{Link, Machine, Topology};
use hcube_tool::numbers;
use std::fmt::Write;

fn joined(factors: &[usize]) -> String {
    factors.iter().map(ToString::to_string).collect::<Vec<_>>().join(" × ")
}

fn topology(machine: &Machine) -> String {
    match &machine.topology {
        None => "not described".to_owned(),
        Some(tree @ Topology::FatTree { down }) => {
            format!("{} in a fat tree of {}", tree.nodes(), joined(down))
        }
        Some(grid @ Topology::Grid { nodes, wrapped, link_gb_s }) => {
            let kind = match wrapped.iter().filter(|wrapped| **wrapped).count() {
                0 => "mesh".to_owned(),
                all if all == wrapped.len() => "torus".to_owned(),
                some => format!("mesh, torus in {some} of {} dimensions", wrapped.len()),
            };
            let links = link_gb_s.map_or(String::new(), |links| format!(", {links} GB/s between neighbours"));
            format!("{} in a grid of {}, {kind}{links}", grid.nodes(), joined(nodes))
        }
    }
}

fn link(link: &Link) -> String {
    let hop = if link.hop_latency_us > 0.0 {
        format!(" + {} µs per link", link.hop_latency_us)
    } else {
        String::new()
    };
    format!("{} µs{hop}, {} GB/s", link.latency_us, link.bandwidth_gb_s)
}

/// What messages between nodes cost, as far as that is known.
fn network(machine: &Machine) -> String {
    if machine.network_assumed {
        "not measured; taken as inside a node".to_owned()
    } else {
        link(&machine.network)
    }
}

/// The machines that were simulated and the one that was calibrated, with their sources.
pub fn machines(inputs: &Inputs) -> String {
    let simulated = inputs.simulated.iter().flat_map(|simulated| &simulated.machines);
    // Figures that were fitted to measurements; others that a file may have stand on nobody knows what.
    let fitted = inputs.calibration.iter().map(|one| (one, one.fit.as_ref().map(|_| Measured)));
    let all = simulated.map(|machine| (machine, Some(Simulated))).chain(fitted);
    let mut text = String::new();
    for (machine, evidence) in all {
        let costs = &machine.costs;
        let _ = write!(
            text,
            "<div class=\"machine\"><h3>{} {}</h3><dl>\
             <dt>Nodes</dt><dd>{}; {} core(s) each</dd>\
             <dt>Between nodes</dt><dd>{}</dd><dt>Inside a node</dt><dd>{}</dd>\
             <dt>Local work</dt><dd>generate {} ns, update {} ns, divide {} ns a value; copy {} ns a byte</dd>",
            escape(&machine.title),
            evidence.map(badge).unwrap_or_default(),
            escape(&topology(machine)),
            machine.cores,
            network(machine),
            link(&machine.node),
            costs.generate_ns,
            costs.update_ns,
            costs.divide_ns,
            costs.copy_ns
        );
        if let Some(fit) = &machine.fit {
            let _ = write!(
                text,
                "<dt>Figures</dt><dd>fitted to {} measurements</dd>\
                 <dt>Error of the fit</dt><dd>{:.1} % at most, {:.1} % in the mean{}</dd>",
                fit.samples,
                fit.largest_error_percent,
                fit.mean_error_percent,
                model::warning(machine)
                    .map(|warning| format!(
                        ". <strong class=\"alarm\">Bad fit: {}.</strong>",
                        escape(&warning)
                    ))
                    .unwrap_or_default()
            );
        }
        text.push_str("</dl><ul class=\"sources\">");
        for source in &machine.sources {
            let _ = write!(text, "<li>{}</li>", escape(source));
        }
        text.push_str("</ul></div>\n");
    }
    text
}

/// Versions, as far as the files tell, and the files.
pub fn environment(inputs: &Inputs) -> String {
    let mut table = Table::new(
        "What was run, and with what",
        [
            ("part", None),
            ("hcube", Some(Measured)),
            ("MPI library", Some(Measured)),
            ("shape", Some(Measured)),
        ],
    );
    let none = || "–".to_owned();
    if let Some(hpcc) = &inputs.run {
        let words = hpcc.runs.iter().map(|run| run.log2_table).max();
        let shape = words.map_or_else(none, |log2| format!("table of 2^{log2} words"));
        table.row(["HPCC 1.5.0".to_owned(), none(), hpcc.mpi.clone(), shape]);
    }
    if let Some(bench) = &inputs.gups {
        for section in bench.sections.values().take(1) {
            let shape = format!(
                "{} cores, {} node(s), table of 2^{} words ({})",
                bench.cores,
                section.nodes,
                section.log2_table,
                numbers::bytes(8.0 * f64::from(section.log2_table).exp2())
            );
            let mpi =
                format!("{} ({})", section.mpi.split_whitespace().collect::<Vec<_>>().join(" "), bench.mpi);
            table.row(["RandomAccess".to_owned(), section.hcube.clone(), mpi, shape]);
        }
    }
    let runs = inputs.alltoall.iter().flat_map(|results| &results.runs);
    let mut shapes: Vec<(String, String)> = runs
        .filter(|run| run.cores > 0)
        .map(|run| (run.mpi.clone(), format!("{} cores, {} node(s)", run.cores, run.nodes)))
        .collect();
    shapes.dedup();
    for (mpi, shape) in shapes {
        table.row(["all-to-all".to_owned(), none(), mpi, shape]);
    }
    let mut text = if table.is_empty() { String::new() } else { table.html() };
    text.push_str("<p>Made from:</p><ul class=\"files\">");
    for source in Source::ALL {
        let path = inputs.files.iter().find(|(own, _)| *own == source).map(|(_, path)| path.display());
        let _ = match path {
            Some(path) => write!(
                text,
                "<li><code>{}</code>: {}</li>",
                escape(&path.to_string()),
                escape(source.subject())
            ),
            None => write!(
                text,
                "<li class=\"missing\"><b>Missing:</b> {}. <code>{}</code> makes it.</li>",
                escape(source.subject()),
                escape(source.command())
            ),
        };
    }
    for failure in inputs.simulated.iter().flat_map(|simulated| &simulated.failures) {
        // Further lines are what ranks were doing.
        let what = escape(failure.lines().next().unwrap_or_default());
        let _ = write!(text, "<li class=\"missing\"><b>Failed:</b> {what}</li>");
    }
    text.push_str("</ul>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topologies_in_words() {
        let words = |name: &str| topology(&Machine::find(name).expect("comes with hcube"));
        assert_eq!(
            words("red-storm"),
            "10368 in a grid of 27 × 16 × 24, mesh, torus in 1 of 3 dimensions, 3.8 GB/s between neighbours"
        );
        assert_eq!(words("juropa"), "2304 in a fat tree of 24 × 96");
        assert_eq!(words("juqueen"), "28672 in a grid of 16 × 16 × 14 × 4 × 2, torus");
    }
}
