//! Teams of coarray programs and RandomAccess on coarrays, on simulated machines.

use super::section::Section;
use super::shared::{distinct, gups, gups_axis, machine_title};
use super::simulated::{lines, points, rows, table};
use super::sources::{Inputs, SIMULATE};
use super::table::{Table, cell};
use crate::simulate::caf::{TEAMS, Team, Updates};
use hcube_results::plot::Evidence::{Published, Simulated};
use hcube_results::plot::{Axis, Chart, Format, Scale, Series, looks};
use hcube_results::published::{COARRAY_MACHINE, COARRAYS};

/// What the two programs do.
fn program(by: &str) -> &str {
    if by == "events" { "copies with events" } else { "shipped functions" }
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
    let (teams, updates) = (rows(inputs, |all| &all.teams), rows(inputs, |all| &all.coarray_updates));
    section.chart(rates(inputs, &updates));
    section.table(rate_table(inputs, &updates));
    section.chart(times(inputs, &teams));
    let caption = "Teams: storage of an image, formation, barrier, and lookups";
    section.table(table(inputs, caption, &TEAMS, &teams, 0));
    let is_missing = teams.is_empty() && updates.is_empty();
    section.lacks(is_missing, "coarrays on large machines, simulated", SIMULATE);
    section
}

fn rates(inputs: &Inputs, all: &[&Updates]) -> Chart {
    let setting = |row: &Updates| (row.site.machine.clone(), row.by.clone());
    let mut series = lines(
        all,
        &distinct(all.iter().map(|row| setting(row))),
        setting,
        |(machine, by)| format!("{}, {}", program(by), machine_title(inputs, machine)),
        |row| (row.site.ranks as f64, row.gups),
    );
    if all.iter().any(|row| row.site.machine == COARRAY_MACHINE) {
        let (images, rate) = COARRAYS;
        let name = "Coarray Fortran 2.0 on Franklin (section IV)";
        series.push(Series::new(name, Published, looks::PAPER, [(images as f64, rate)]));
    }
    Chart::new(
        "RandomAccess on coarrays",
        Axis::new("images", Scale::Log2, Format::Plain),
        gups_axis(),
        series,
    )
    .named(Some("coarrays-updates-simulated"))
}

fn rate_table(inputs: &Inputs, all: &[&Updates]) -> Table {
    type Place<'a> = (&'a str, usize, usize);
    fn place(row: &Updates) -> Place<'_> {
        (&row.site.machine, row.site.ranks, row.site.ranks_per_node)
    }
    let of = |known: &Place<'_>, by: &str| {
        cell(all.iter().find(|row| place(row) == *known && row.by == by), |row| gups(row.gups))
    };
    Table::of(
        "RandomAccess on coarrays, GUP/s",
        distinct(all.iter().map(|row| place(row))),
        &[
            ("machine", None, &|row| machine_title(inputs, row.0).to_owned()),
            ("images", None, &|row| row.1.to_string()),
            ("per node", None, &|row| row.2.to_string()),
            ("copies with events", Some(Simulated), &|row| of(row, "events")),
            ("shipped functions", Some(Simulated), &|row| of(row, "spawn")),
            ("Jin et al. 2011", Some(Published), &|row| {
                let published =
                    Some(COARRAYS).filter(|&(images, _)| (row.0, row.1) == (COARRAY_MACHINE, images));
                cell(published, |(_, rate)| gups(rate))
            }),
        ],
    )
}

fn times(inputs: &Inputs, all: &[&Team]) -> Chart {
    let machines = distinct(all.iter().map(|row| row.site.machine.as_str()));
    let kinds = [
        ("barrier, all images", "world", (|row| row.barrier_seconds) as fn(&Team) -> f64),
        ("team_split, all images in another order", "all", |row| row.split_seconds),
        ("team_split into rows", "row", |row| row.split_seconds),
        ("first access to a member", "all", |row| row.lookup_seconds),
    ];
    let mut series = Vec::new();
    for machine in machines {
        for (name, team, seconds) in kinds {
            let own = all.iter().copied().filter(|row| row.site.machine == machine && row.team == team);
            let points = points(own, |row| (row.site.ranks as f64, 1e6 * seconds(row)));
            let name = format!("{name}, {}", machine_title(inputs, machine));
            series.push(Series::new(name, Simulated, looks::numbered(series.len()), points));
        }
    }
    Chart::new(
        "Teams by the number of images",
        Axis::new("images", Scale::Log2, Format::Plain),
        Axis::new("µs, lower is better", Scale::Log10, Format::Plain),
        series,
    )
    .named(Some("coarrays-teams-simulated"))
}
