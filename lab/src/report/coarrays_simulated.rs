//! Teams of coarray programs and RandomAccess on coarrays, on simulated machines.

use super::inputs::{CoarrayTeam, CoarrayUpdates, Inputs, Source};
use super::section::Section;
use super::shared::{distinct, gups, gups_axis, machine_title};
use super::table::{Table, cell};
use hcube_results::numbers::time;
use hcube_results::plot::Evidence::{Published, Simulated};
use hcube_results::plot::{Axis, Chart, Scale, Series, looks, plain};
use hcube_results::published::{COARRAY_MACHINE, COARRAYS};

fn teams(inputs: &Inputs) -> Vec<&CoarrayTeam> {
    inputs.simulated.iter().flat_map(|simulated| &simulated.teams).collect()
}

fn updates(inputs: &Inputs) -> Vec<&CoarrayUpdates> {
    inputs.simulated.iter().flat_map(|simulated| &simulated.coarray_updates).collect()
}

/// What the two programs do.
fn program(by: &str) -> &str {
    if by == "events" { "copies with events" } else { "shipped functions" }
}

/// What a team consists of.
fn kind(team: &str) -> &str {
    match team {
        "world" => "all images",
        "all" => "all images, in another order",
        "row" => "row",
        _ => "column",
    }
}

/// Teams: storage, formation, barriers, lookups; and rates of RandomAccess beside the published one.
pub fn coarrays(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "coarrays-machines",
        "Coarrays on large machines",
        "Teams of coarray programs, and RandomAccess by two programs: values are routed along a hypercube by asynchronous \
         copies with events, as in Figure 6 of Jin et al. 2011, or a function is shipped to the owner of each word in a \
         finish block. Either way 1024 values of an image are not applied at most. Shared memory inside a node takes no \
         time in simulations except for copies and for pauses of waiting images.",
    );
    let (teams, updates) = (teams(inputs), updates(inputs));
    section.chart(rates(inputs, &updates));
    section.table(rate_table(inputs, &updates));
    section.chart(times(inputs, &teams));
    section.table(team_table(inputs, &teams));
    section.lacks(
        teams.is_empty() && updates.is_empty(),
        "coarrays on large machines, simulated",
        Source::Simulate,
    );
    section
}

fn rates(inputs: &Inputs, all: &[&CoarrayUpdates]) -> Chart {
    let settings = distinct(all.iter().map(|row| (row.machine.as_str(), row.by.as_str())));
    let mut series: Vec<Series> = settings
        .iter()
        .enumerate()
        .map(|(number, &(machine, by))| {
            let own = all.iter().filter(|row| (row.machine.as_str(), row.by.as_str()) == (machine, by));
            let mut points: Vec<_> = own.map(|row| (row.ranks as f64, row.gups)).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let name = format!("{}, {}", program(by), machine_title(inputs, machine));
            Series::new(name, Simulated, looks::numbered(number), points)
        })
        .collect();
    if all.iter().any(|row| row.machine == COARRAY_MACHINE) {
        let (images, rate) = COARRAYS;
        let name = "Coarray Fortran 2.0 on Franklin (section IV)";
        series.push(Series::new(name, Published, looks::PAPER, [(images as f64, rate)]));
    }
    Chart {
        title: "RandomAccess on coarrays".to_owned(),
        x: Axis::new("images", Scale::Log2, plain),
        y: gups_axis(),
        series,
        reference: None,
        file: Some("coarrays-updates-simulated"),
    }
}

fn rate_table(inputs: &Inputs, all: &[&CoarrayUpdates]) -> Table {
    let mut table = Table::new(
        "RandomAccess on coarrays, GUP/s",
        [
            ("machine", None),
            ("images", None),
            ("per node", None),
            ("copies with events", Some(Simulated)),
            ("shipped functions", Some(Simulated)),
            ("Jin et al. 2011", Some(Published)),
        ],
    );
    for (machine, ranks, per_node) in
        distinct(all.iter().map(|row| (row.machine.as_str(), row.ranks, row.ranks_per_node)))
    {
        let here = |row: &&&CoarrayUpdates| {
            (row.machine.as_str(), row.ranks, row.ranks_per_node) == (machine, ranks, per_node)
        };
        let of = |by: &str| cell(all.iter().filter(here).find(|row| row.by == by), |row| gups(row.gups));
        let published = Some(COARRAYS).filter(|&(images, _)| (machine, ranks) == (COARRAY_MACHINE, images));
        table.row([
            machine_title(inputs, machine).to_owned(),
            ranks.to_string(),
            per_node.to_string(),
            of("events"),
            of("spawn"),
            cell(published, |(_, rate)| gups(rate)),
        ]);
    }
    table
}

fn times(inputs: &Inputs, all: &[&CoarrayTeam]) -> Chart {
    let machines = distinct(all.iter().map(|row| row.machine.as_str()));
    let kinds = [
        ("barrier, all images", "world", (|row| row.barrier_seconds) as fn(&CoarrayTeam) -> f64),
        ("team_split, all images in another order", "all", |row| row.split_seconds),
        ("team_split into rows", "row", |row| row.split_seconds),
        ("first access to a member", "all", |row| row.lookup_seconds),
    ];
    let mut series = Vec::new();
    for machine in machines {
        for (name, team, seconds) in kinds {
            let own = all.iter().filter(|row| row.machine == machine && row.team == team);
            let mut points: Vec<_> = own.map(|row| (row.ranks as f64, 1e6 * seconds(row))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let name = format!("{name}, {}", machine_title(inputs, machine));
            series.push(Series::new(name, Simulated, looks::numbered(series.len()), points));
        }
    }
    Chart {
        title: "Teams by the number of images".to_owned(),
        x: Axis::new("images", Scale::Log2, plain),
        y: Axis::new("µs, lower is better", Scale::Log10, plain),
        series,
        reference: None,
        file: Some("coarrays-teams-simulated"),
    }
}

fn team_table(inputs: &Inputs, all: &[&CoarrayTeam]) -> Table {
    let mut table = Table::new(
        "Teams: storage of an image, formation, barrier, and lookups",
        [
            ("machine", None),
            ("images", None),
            ("team", None),
            ("members", None),
            ("words", Some(Simulated)),
            ("team_split", Some(Simulated)),
            ("barrier", Some(Simulated)),
            ("first access", Some(Simulated)),
            ("again", Some(Simulated)),
            ("remote reads", Some(Simulated)),
            ("log2", None),
        ],
    );
    for row in all {
        table.row([
            machine_title(inputs, &row.machine).to_owned(),
            row.ranks.to_string(),
            kind(&row.team).to_owned(),
            row.members.to_string(),
            row.words.to_string(),
            cell(Some(row.split_seconds).filter(|&seconds| seconds > 0.0), time),
            time(row.barrier_seconds),
            time(row.lookup_seconds),
            time(row.access_seconds),
            row.reads.to_string(),
            row.members.next_power_of_two().ilog2().to_string(),
        ]);
    }
    table
}
