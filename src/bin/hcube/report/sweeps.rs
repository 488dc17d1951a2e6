//! RandomAccess with one choice varied: look-ahead, optimisations, dimensions, nodes.

use super::evidence::Evidence::{Measured, Predicted, Published, Simulated};
use super::html::{NONE, Table, cell};
use super::inputs::{Case, Inputs, Line, Source};
use super::model;
use super::published::{PLIMPTON, SWEEP_RANKS, TABLE_3, TABLE_4};
use super::rates::{self, RED_STORM, gups, gups_axis, paper_machine, series, spread_point};
use super::section::{Section, looks};
use super::svg::{Axis, Chart, Point, Scale, Series, plain};

/// Lines of sections of `hcube gups` whose names begin so, with their numbers of ranks.
fn measured<'a>(inputs: &'a Inputs, section: &'a str) -> impl Iterator<Item = (usize, &'a Line)> {
    let sections = inputs.gups.iter().flat_map(|bench| &bench.sections);
    sections
        .filter(move |(name, _)| name.starts_with(section))
        .flat_map(|(_, section)| section.lines.iter().map(|line| (section.ranks, line)))
}

fn simulated<'a>(inputs: &'a Inputs, section: &'a str) -> impl Iterator<Item = &'a Case> + Clone {
    let cases = inputs.simulated.iter().flat_map(|simulated| &simulated.random_access);
    cases.filter(move |case| case.section == section)
}

/// A machine as legends name it.
pub fn machine_title<'a>(inputs: &'a Inputs, name: &'a str) -> &'a str {
    let machines = inputs.simulated.iter().flat_map(|simulated| &simulated.machines);
    let title = machines.filter(|machine| machine.name == name).map(|machine| machine.title.as_str()).next();
    title.map_or(name, |title| title.split([',', '(']).next().unwrap_or(title).trim())
}

/// All values of a key, each once, in ascending order.
pub fn distinct<T: Ord>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort();
    values.dedup();
    values
}

/// Rates over the look-ahead.
pub fn look_ahead(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "look-ahead",
        "Look-ahead",
        "Rates rise with the values Q that a rank may hold back; the benchmark allows 1024. Small Q are bound by \
         the latency of messages, which shared memory inside a node mostly avoids.",
    );
    let ours = || {
        simulated(inputs, "look-ahead").filter(|case| case.machine == RED_STORM && case.ranks == SWEEP_RANKS)
    };
    let pairs: Vec<(f64, f64)> = ours()
        .filter_map(|case| Some((case.gups, TABLE_4.iter().find(|(q, _)| *q == case.look_ahead)?.1)))
        .collect();
    if let Some(deviation) = rates::deviation(&pairs) {
        section.say(&format!("Simulated rates differ by {deviation}."));
    }
    let chart = |title: &str, series: Vec<Series>, file| Chart {
        title: title.to_owned(),
        x: Axis::new("look-ahead Q", Scale::Log2, plain),
        y: gups_axis(),
        series,
        reference: None,
        file,
    };
    let mut all: Vec<Series> = Vec::new();
    if let Some(machine) = paper_machine() {
        let points = TABLE_4.map(|(q, _)| (q as f64, model::rate(&machine, SWEEP_RANKS, q)));
        all.push(series(model::NAME, Predicted, looks::MODEL, points));
    }
    all.push(series(
        "hcube",
        Simulated,
        looks::HCUBE,
        ours().map(|case| (case.look_ahead as f64, case.gups)),
    ));
    let table_4 = TABLE_4.map(|(q, rate)| (q as f64, rate));
    all.push(series("hypercube (Table 4)", Published, looks::PAPER, table_4));
    let ranks = measured(inputs, "look-ahead").map(|(ranks, _)| ranks).next().unwrap_or_default();
    let here = [("message", "messages alone", looks::OTHER_WAY), ("auto", "shared memory", looks::HCUBE)];
    let here = here.map(|(mode, name, look)| {
        let lines = measured(inputs, "look-ahead").filter(|(_, line)| line.mode == mode);
        let mut points: Vec<Point> =
            lines.map(|(_, line)| spread_point(line.look_ahead as f64, line)).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Series { name: format!("hcube, {name}"), evidence: Measured, look, points }
    });
    section.chart(chart(&format!("Look-ahead on this machine, {ranks} ranks"), here.to_vec(), None));
    section.chart(chart("Look-ahead on Red Storm, 32 ranks", all, Some("look-ahead")));
    section.table(look_ahead_table(inputs, &ours().collect::<Vec<_>>()));
    section.lacks(
        measured(inputs, "look-ahead").next().is_none(),
        "the sweep of Q, measured",
        Source::BenchGups,
    );
    section.lacks(ours().next().is_none(), "the sweep of Q on Red Storm, simulated", Source::Simulate);
    section
}

fn look_ahead_table(inputs: &Inputs, ours: &[&Case]) -> Table {
    let mut table = Table::new(
        format!("GUP/s over Q, and Table 4 of {PLIMPTON}"),
        [
            ("Q", None),
            ("Red Storm, hcube", Some(Simulated)),
            ("Red Storm, Table 4", Some(Published)),
            ("hcube / published", Some(Simulated)),
            ("Red Storm, model", Some(Predicted)),
            ("here, messages alone", Some(Measured)),
            ("here, shared memory", Some(Measured)),
        ],
    );
    let machine = paper_machine();
    for (q, published) in TABLE_4 {
        let case = ours.iter().find(|case| case.look_ahead == q);
        let here = |mode: &str| {
            let mut lines = measured(inputs, "look-ahead");
            lines.find(|(_, line)| line.look_ahead == q && line.mode == mode).map(|(_, line)| line.gups)
        };
        table.row([
            q.to_string(),
            cell(case, |case| gups(case.gups)),
            gups(published),
            cell(case, |case| format!("{:.2}", case.gups / published)),
            cell(machine.as_ref(), |machine| gups(model::rate(machine, SWEEP_RANKS, q))),
            cell(here("message"), gups),
            cell(here("auto"), gups),
        ]);
    }
    table
}

/// The steps of Table 3 as bits of optimisations, as their list, and in words.
const LADDER: [(u32, &str, &str); 5] = [
    (0, "none", "original"),
    (1, "1", "Mod1"),
    (3, "1,2", "+ Mod2"),
    (7, "1,2,3", "+ Mod3"),
    (15, "1,2,3,7", "+ Mod7"),
];

/// Percent of time that each step saves against the first; none without the first.
fn saved(seconds: [Option<f64>; 5]) -> Vec<(f64, f64)> {
    let Some(original) = seconds[0] else { return Vec::new() };
    let share =
        |(step, seconds): (usize, Option<f64>)| Some((step as f64, 100.0 * (1.0 - seconds? / original)));
    seconds.into_iter().enumerate().filter_map(share).collect()
}

/// The optimisations of the paper's section 4, each with those before it.
pub fn ladder(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "optimisations",
        "Optimisation ladder",
        "What each optimisation of the paper's section 4 saves, on top of those before it: receives posted ahead \
         (Mod1), late updates (Mod2), late waits (Mod3), sends that do not block (Mod7). Mod4 to Mod6 changed \
         the MPI library.",
    );
    let simulated_ranks = simulated(inputs, "optimisations").map(|case| case.ranks).max();
    let ours = LADDER.map(|(bits, _, _)| {
        let mut cases = simulated(inputs, "optimisations");
        cases
            .find(|case| Some(case.ranks) == simulated_ranks && case.optimisations == bits)
            .map(|case| 1.0 / case.gups)
    });
    let ranks_here = measured(inputs, "optimisations").map(|(ranks, _)| ranks).max();
    let here = LADDER.map(|(_, list, _)| {
        let mut lines = measured(inputs, "optimisations");
        lines.find(|(_, line)| line.optimisations == list).map(|(_, line)| 1.0 / line.gups)
    });
    let paper = TABLE_3.map(Some);
    let named = |place: &str, ranks: Option<usize>| format!("{place}, {} ranks", ranks.unwrap_or_default());
    section.chart(Chart {
        title: "Time saved against the original algorithm".to_owned(),
        x: Axis::categories(
            "with these and those on the left",
            LADDER.map(|step| step.2.to_owned()).to_vec(),
        ),
        y: Axis::new("% of time saved, higher is better", Scale::Linear, |share| {
            format!("{} %", plain((10.0 * share).round() / 10.0)).replace('-', "−")
        }),
        series: vec![
            series(named("this machine, hcube", ranks_here), Measured, looks::OTHER_WAY, saved(here)),
            series(
                format!("Red Storm, {SWEEP_RANKS} ranks (Table 3)"),
                Published,
                looks::PAPER,
                saved(paper),
            ),
            series(named("Red Storm, hcube", simulated_ranks), Simulated, looks::HCUBE, saved(ours)),
        ],
        reference: Some(0.0),
        file: None,
    });
    let mut table = Table::new(
        format!("Time saved, and Table 3 of {PLIMPTON}"),
        [
            ("optimisations", None),
            ("Red Storm, hcube", Some(Simulated)),
            ("Red Storm, Table 3", Some(Published)),
            ("this machine", Some(Measured)),
        ],
    );
    for (step, (_, list, _)) in LADDER.iter().enumerate() {
        let of = |seconds: [Option<f64>; 5]| {
            let saved = saved(seconds).into_iter().find(|(x, _)| *x == step as f64);
            cell(saved, |(_, share)| format!("{share:.1} %").replace('-', "−"))
        };
        let list = if *list == "none" { "none (original)".to_owned() } else { format!("Mod {list}") };
        table.row([list, of(ours), of(paper), of(here)]);
    }
    section.table(table);
    section.lacks(ranks_here.is_none(), "the optimisations, measured", Source::BenchGups);
    section.lacks(simulated_ranks.is_none(), "the optimisations on Red Storm, simulated", Source::Simulate);
    section
}

/// 0 is written as the dimensionality that it stands for.
fn dimension_name(dimensions: usize) -> String {
    if dimensions == 0 { "log2 P".to_owned() } else { dimensions.to_string() }
}

/// Rates over the dimensions in which values are routed.
pub fn dimensions(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "dimensions",
        "Dimensionality",
        "Values can be routed in d dimensions: few make many small messages, log2 P (the hypercube) makes the \
         fewest. Which is best depends on latency against bandwidth.",
    );
    let cases: Vec<&Case> = simulated(inputs, "dimensions").collect();
    let here: Vec<(usize, &Line)> = measured(inputs, "dimensions").collect();
    let both = cases.iter().map(|case| case.dimensions).chain(here.iter().map(|(_, line)| line.dimensions));
    // The hypercube, 0, comes last.
    let mut order = distinct(both);
    order.sort_by_key(|&dimensions| if dimensions == 0 { usize::MAX } else { dimensions });
    let place =
        |dimensions: usize| order.iter().position(|&one| one == dimensions).unwrap_or_default() as f64;
    let names: Vec<String> = order.iter().map(|&dimensions| dimension_name(dimensions)).collect();
    let chart = |title: String, series: Vec<Series>| Chart {
        title,
        x: Axis::categories("dimensions d", names.clone()),
        y: gups_axis(),
        series,
        reference: None,
        file: None,
    };
    let of_ranks = |(&ranks, look): (&usize, _)| {
        let lines = here.iter().filter(|(own, _)| *own == ranks);
        let points = lines.map(|(_, line)| spread_point(place(line.dimensions), line)).collect();
        Series { name: format!("hcube, {ranks} ranks"), evidence: Measured, look, points }
    };
    let ranks = distinct(here.iter().map(|(ranks, _)| *ranks));
    section.chart(chart("This machine".to_owned(), ranks.iter().zip(looks::ALL).map(of_ranks).collect()));
    for machine in distinct(cases.iter().map(|case| case.machine.as_str())) {
        let own: Vec<&&Case> = cases.iter().filter(|case| case.machine == machine).collect();
        let of_ranks = |(&ranks, look): (&usize, _)| {
            let own = own.iter().filter(|case| case.ranks == ranks);
            let mut points: Vec<(f64, f64)> = own.map(|case| (place(case.dimensions), case.gups)).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            series(format!("hcube, {ranks} ranks"), Simulated, look, points)
        };
        let ranks = distinct(own.iter().map(|case| case.ranks));
        let all = ranks.iter().zip(looks::ALL).map(of_ranks).collect();
        section.chart(chart(machine_title(inputs, machine).to_owned(), all));
    }
    section.lacks(here.is_empty(), "dimensions, measured", Source::BenchGups);
    section.lacks(cases.is_empty(), "dimensions, simulated", Source::Simulate);
    section
}

/// Places beside each other for which labels have room.
const MOST_SHAPES: usize = 6;

/// Ways through nodes.
pub fn nodes(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "nodes",
        "Node-aware routing",
        "Ranks of a node exchange through shared memory and only what leaves the node is a message (node); with \
         three hops a value crosses the network once, in larger messages. Compare with messages alone.",
    );
    let cases: Vec<&Case> = simulated(inputs, "nodes").collect();
    for machine in distinct(cases.iter().map(|case| case.machine.as_str())) {
        let own: Vec<&Case> = cases.iter().copied().filter(|case| case.machine == machine).collect();
        section.chart(node_chart(inputs, machine, &own));
    }
    let mut table = Table::new(
        "GUP/s of ways through nodes",
        [
            ("machine", None),
            ("ranks", None),
            ("per node", None),
            ("messages alone", Some(Simulated)),
            ("node", Some(Simulated)),
            ("three hops", Some(Simulated)),
            ("as chosen (auto)", Some(Simulated)),
            ("auto / messages", Some(Simulated)),
        ],
    );
    for (machine, ranks, per_node) in
        distinct(cases.iter().map(|case| (case.machine.as_str(), case.ranks, case.ranks_per_node)))
    {
        let rate = |mode: &str| node_rate(&cases, machine, (ranks, per_node), mode);
        let ratio = rate("auto").zip(rate("message")).map(|(auto, message)| auto / message);
        table.row([
            machine_title(inputs, machine).to_owned(),
            ranks.to_string(),
            per_node.to_string(),
            cell(rate("message"), gups),
            cell(rate("node"), gups),
            cell(rate("three-hop"), gups),
            cell(rate("auto"), gups),
            ratio.map_or(NONE.to_owned(), |ratio| format!("{ratio:.2}")),
        ]);
    }
    section.table(table);
    section.lacks(cases.is_empty(), "ways through nodes, simulated", Source::Simulate);
    section
}

fn node_rate(cases: &[&Case], machine: &str, shape: (usize, usize), mode: &str) -> Option<f64> {
    let same = |case: &&&Case| {
        case.machine == machine && (case.ranks, case.ranks_per_node) == shape && case.mode == mode
    };
    cases.iter().find(same).map(|case| case.gups)
}

/// The best gain of what hcube chooses over messages alone, and where it is.
pub fn best_of_nodes(inputs: &Inputs) -> Option<(f64, &Case)> {
    let cases: Vec<&Case> = simulated(inputs, "nodes").collect();
    let gains = cases.iter().filter(|case| case.mode == "auto").filter_map(|&case| {
        let shape = (case.ranks, case.ranks_per_node);
        Some((case.gups / node_rate(&cases, &case.machine, shape, "message")?, case))
    });
    gains.max_by(|a, b| a.0.total_cmp(&b.0))
}

fn node_chart(inputs: &Inputs, machine: &str, own: &[&Case]) -> Chart {
    let mut shapes = distinct(own.iter().map(|case| (case.ranks, case.ranks_per_node)));
    // The largest say most: nodes of several sizes on as many ranks, or else numbers of ranks.
    let most = shapes.last().map_or(0, |shape| shape.0);
    if shapes.iter().filter(|shape| shape.0 == most).count() > 1 {
        shapes.retain(|shape| shape.0 == most);
    }
    shapes.drain(..shapes.len().saturating_sub(MOST_SHAPES));
    let line = |(mode, name, look)| {
        let points = shapes
            .iter()
            .enumerate()
            .filter_map(|(place, &shape)| Some((place as f64, node_rate(own, machine, shape, mode)?)));
        series(name, Simulated, look, points)
    };
    let all = [
        ("message", "messages alone", looks::STOCK),
        ("node", "node", looks::OTHER_WAY),
        ("three-hop", "three hops", looks::COMPETITOR),
        ("auto", "as hcube chooses (auto)", looks::HCUBE),
    ];
    Chart {
        title: machine_title(inputs, machine).to_owned(),
        x: Axis::categories(
            "ranks / ranks per node",
            shapes.iter().map(|(ranks, per_node)| format!("{ranks}/{per_node}")).collect(),
        ),
        y: gups_axis(),
        series: all.map(line).to_vec(),
        reference: None,
        file: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savings_are_against_the_first_step() {
        let steps = saved([Some(2.0), Some(1.5), None, Some(2.5), None]);
        assert_eq!(steps, [(0.0, 0.0), (1.0, 25.0), (3.0, -25.0)]);
        assert!(saved([None, Some(1.0), None, None, None]).is_empty());
    }
}
