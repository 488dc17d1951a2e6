//! RandomAccess on nodes with many ranks: modes of transport.

use super::section::Section;
use super::shared::{distinct, gups, gups_axis, machine_title};
use super::sources::{Inputs, SIMULATE};
use super::sweeps::simulated;
use super::table::{Table, cell};
use super::variants;
use crate::simulate::RandomAccess;
use hcube_results::plot::Evidence::Simulated;
use hcube_results::plot::looks;
use hcube_results::plot::{Axis, Chart, Series};

/// The cases of this part with hcube's defaults.
fn usual(inputs: &Inputs) -> Vec<&RandomAccess> {
    variants::usual(simulated(inputs, "nodes"))
}

/// Labels of the x axis that fit.
const MAX_SHAPES: usize = 6;

/// Modes on nodes.
pub fn nodes(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "nodes",
        "Node-aware routing",
        "Ranks of a node exchange through shared memory, and only values that leave the node are sent as messages \
         (node); with three hops a value crosses the network once, in larger messages. Compare with only messages.",
    );
    let cases = usual(inputs);
    variants::say_links(&mut section, inputs, cases.iter().map(|case| (&case.site, &case.outcome)));
    for machine in distinct(cases.iter().map(|case| case.site.machine.as_str())) {
        let own: Vec<&RandomAccess> =
            cases.iter().copied().filter(|case| case.site.machine == machine).collect();
        section.chart(node_chart(inputs, machine, &own));
    }
    type Place<'a> = (&'a str, usize, usize);
    let places: Vec<Place<'_>> = distinct(
        cases.iter().map(|case| (case.site.machine.as_str(), case.site.ranks, case.site.ranks_per_node)),
    );
    let rate = |&(machine, ranks, per_node): &Place<'_>, mode: &str| {
        node_rate(&cases, machine, (ranks, per_node), mode)
    };
    section.table(Table::of(
        "GUP/s by mode",
        places,
        &[
            ("machine", None, &|(machine, _, _)| machine_title(inputs, machine).to_owned()),
            ("ranks", None, &|(_, ranks, _)| ranks.to_string()),
            ("per node", None, &|(_, _, per_node)| per_node.to_string()),
            ("only messages", Some(Simulated), &|place| cell(rate(place, "message"), gups)),
            ("node", Some(Simulated), &|place| cell(rate(place, "node"), gups)),
            ("three hops", Some(Simulated), &|place| cell(rate(place, "three-hop"), gups)),
            ("default (auto)", Some(Simulated), &|place| cell(rate(place, "auto"), gups)),
            ("auto / messages", Some(Simulated), &|place| {
                let ratio =
                    rate(place, "auto").zip(rate(place, "message")).map(|(auto, message)| auto / message);
                cell(ratio, |ratio| format!("{ratio:.2}"))
            }),
        ],
    ));
    section.lacks(cases.is_empty(), "modes on nodes, simulated", SIMULATE);
    section
}

fn node_rate(cases: &[&RandomAccess], machine: &str, shape: (usize, usize), mode: &str) -> Option<f64> {
    let same = |case: &&&RandomAccess| {
        case.site.machine == machine
            && (case.site.ranks, case.site.ranks_per_node) == shape
            && case.mode == mode
    };
    cases.iter().find(same).map(|case| case.gups)
}

/// The largest speed-up of hcube's default over only messages, and its case.
pub fn best(inputs: &Inputs) -> Option<(f64, &RandomAccess)> {
    let cases = usual(inputs);
    let gains = cases.iter().filter(|case| case.mode == "auto").filter_map(|&case| {
        let shape = (case.site.ranks, case.site.ranks_per_node);
        Some((case.gups / node_rate(&cases, &case.site.machine, shape, "message")?, case))
    });
    gains.max_by(|a, b| a.0.total_cmp(&b.0))
}

fn node_chart(inputs: &Inputs, machine: &str, own: &[&RandomAccess]) -> Chart {
    let mut shapes = distinct(own.iter().map(|case| (case.site.ranks, case.site.ranks_per_node)));
    // The most ranks with nodes of several sizes, or else all numbers of ranks.
    let most = shapes.last().map_or(0, |shape| shape.0);
    if shapes.iter().filter(|shape| shape.0 == most).count() > 1 {
        shapes.retain(|shape| shape.0 == most);
    }
    shapes.drain(..shapes.len().saturating_sub(MAX_SHAPES));
    let line = |(mode, name, look)| {
        let points = shapes
            .iter()
            .enumerate()
            .filter_map(|(place, &shape)| Some((place as f64, node_rate(own, machine, shape, mode)?)));
        Series::new(name, Simulated, look, points)
    };
    let all = [
        ("message", "only messages", looks::STOCK),
        ("node", "node", looks::OTHER_OPTIONS),
        ("three-hop", "three hops", looks::COMPETITOR),
        ("auto", "hcube's default (auto)", looks::HCUBE),
    ];
    Chart::new(
        machine_title(inputs, machine).to_owned(),
        Axis::categories(
            "ranks / ranks per node",
            shapes.iter().map(|(ranks, per_node)| format!("{ranks}/{per_node}")).collect(),
        ),
        gups_axis(),
        all.map(line).to_vec(),
    )
}
