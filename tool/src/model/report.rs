//! What `hcube model` prints.

use super::predict::{Exchanged, Results, Updates};
use super::published::Compared;
use hcube_results::machine::Machine;
use hcube_results::numbers::{self, percent, significant};
use hcube_results::table::Table;
use std::fmt::Write;

/// What stands below every prediction of the exchange.
const CONTENTION: &str = "\
not modelled: messages under way at the same time that slow each other down. More memory is never slower here; Hofmann
and Ruenger 2013 have measured the opposite beyond 32 processes of JuRoPA (section 4.3)
";

/// Tables and the lines around them; what is published in full where it is `compared`.
pub fn text(results: &Results, compared: bool) -> String {
    let Results { machine, round, .. } = results;
    let mut text =
        format!("hcube {} model: {}; all figures are predicted\n", env!("CARGO_PKG_VERSION"), machine.title);
    for source in &machine.sources {
        let _ = writeln!(text, "  {source}");
    }
    let rule = if results.relaxed { "RELAXED, outside the benchmark's rules" } else { "strict" };
    if !results.random_access.is_empty() {
        let _ = write!(
            text,
            "\nRandomAccess, rounds of {round} value(s) per rank ({rule}); times are of a round\n\n"
        );
        text += &updates(&results.random_access).render();
        text += "\nauto: the mode that auto chooses; efficiency: share of the time in which values are generated and applied (local)\n";
    }
    if let Some(first) = results.alltoall.first() {
        let (bytes, memory) =
            (numbers::whole_bytes(first.bytes_per_rank), numbers::whole_bytes(first.memory));
        let _ =
            write!(text, "\nexchange in place, {bytes} per rank, {memory} of extra memory; times in us\n\n");
        text += &exchanges(&results.alltoall).render();
        text += "\nmpich, linear-shift, hierarchical-sets, hypercube: only messages; nodes: hierarchical sets between nodes\n";
        text += CONTENTION;
    }
    if compared {
        text += "\nPlimpton et al. 2006, rounds of Q values, against the model with the same rounds\n\n";
        text += &published(&results.published).render();
    }
    let _ = writeln!(text, "\n{}", trust(results));
    for warning in &results.warnings {
        let _ = writeln!(text, "WARNING: {warning}");
    }
    text
}

fn updates(lines: &[Updates]) -> Table {
    let part = |seconds: f64| if seconds > 0.0 { numbers::time(seconds) } else { "-".to_owned() };
    Table::of(lines.iter().map(|line| {
        vec![
            ("ranks", line.ranks.to_string()),
            ("nodes", line.nodes.to_string()),
            ("mode", line.mode.to_owned()),
            ("auto", if line.automatic { "yes" } else { "-" }.to_owned()),
            ("GUP/s", significant(line.gups)),
            ("efficiency", percent(line.efficiency)),
            ("round", part(line.round_seconds)),
            ("local", part(line.local_seconds)),
            ("divide", part(line.divide_seconds)),
            ("copy", part(line.copy_seconds)),
            ("latency", part(line.latency_seconds)),
            ("transfer", part(line.transfer_seconds)),
            ("messages/rank", significant(line.messages)),
            ("bytes/rank", numbers::bytes(line.message_bytes)),
        ]
    }))
}

fn exchanges(lines: &[Exchanged]) -> Table {
    let names =
        lines.first().map(|line| line.algorithms.iter().map(|timed| timed.algorithm)).into_iter().flatten();
    let mut table = Table::new(["ranks", "nodes"].into_iter().chain(names).chain(["auto"]));
    for line in lines {
        let times = line
            .algorithms
            .iter()
            .map(|timed| timed.seconds.map_or_else(|| "-".to_owned(), |seconds| significant(1e6 * seconds)));
        let automatic = line.automatic.unwrap_or(if line.ranks == 1 { "nothing to do" } else { "library" });
        let places = [line.ranks.to_string(), line.nodes.to_string()];
        table.row(places.into_iter().chain(times).chain([automatic.to_owned()]));
    }
    table
}

fn published(lines: &[Compared]) -> Table {
    let ratio = |deviation: f64| format!("{:.3}", 1.0 + deviation);
    Table::of(lines.iter().map(|line| {
        vec![
            ("source", line.source.to_owned()),
            ("ranks", line.ranks.to_string()),
            ("Q", line.look_ahead.to_string()),
            ("GUP/s predicted", significant(line.gups)),
            ("GUP/s published model", line.published_model_gups.map_or_else(|| "-".to_owned(), significant)),
            ("GUP/s paper, measured", significant(line.published_gups)),
            ("predicted/model", line.off_model().map_or_else(|| "-".to_owned(), ratio)),
            ("predicted/measured", ratio(line.off_measured())),
        ]
    }))
}

/// The line that says how far the prediction can be trusted.
fn trust(results: &Results) -> String {
    let Machine { fit, name, network_assumed, .. } = &results.machine;
    if let Some(fit) = fit {
        let place = if *network_assumed { ", all on one node" } else { "" };
        let exchange = if results.alltoall.is_empty() { "" } else { "; no exchange in place was among them" };
        return format!("{}{place}{exchange}", fit.line());
    }
    if results.published.is_empty() {
        return format!(
            "error: not known; the figures of {name} are published or estimated, and nothing was fitted"
        );
    }
    let model = results.published.iter().filter_map(Compared::off_model);
    let of = |source: &str| {
        let lines = results.published.iter().filter(|line| line.source == source);
        let errors: Vec<f64> = lines.map(|line| 100.0 * line.off_measured().abs()).collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        format!("{source}: largest {:.1} %, mean {mean:.1} %", errors.iter().copied().fold(0.0, f64::max))
    };
    format!(
        "error against the model of Plimpton et al. 2006: largest {:.1} %; against their measurements, {}; {}",
        100.0 * model.map(f64::abs).fold(0.0, f64::max),
        of("Table 2"),
        of("Table 4")
    )
}
