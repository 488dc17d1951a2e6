//! RandomAccess with one option varied: look-ahead, optimisations, dimensions.

use super::checks::Line;
use super::model;
use super::section::Section;
use super::shared::{distinct, gups, gups_axis, machine_title, paper_machine, spread_point};
use super::sources::{BENCH, Inputs, SIMULATE};
use super::table::{Columns, Table, cell};
use super::variants;
use crate::simulate::RandomAccess;
use hcube_results::machine::Machine;
use hcube_results::plot::Evidence::{self, Measured, Predicted, Published, Simulated};
use hcube_results::plot::looks;
use hcube_results::plot::{Axis, Chart, Format, Look, Point, Scale, Series};
use hcube_results::published::{MACHINE, OPTIMISATIONS, PLIMPTON, SWEEP_RANKS, TABLE_4, optimised_seconds};
use hcube_tool::bench::random_access::LADDER;
use hcube_tool::model::paper_options;

/// Lines of the sections whose names begin with `section`, with their numbers of ranks.
fn measured<'a>(inputs: &'a Inputs, section: &'a str) -> impl Iterator<Item = (usize, &'a Line)> {
    let sections = inputs.gups.iter().flat_map(|bench| &bench.sections);
    sections
        .filter(move |(name, _)| name.starts_with(section))
        .flat_map(|(_, section)| section.lines.iter().map(|line| (section.ranks, line)))
}

/// The simulated cases of a section.
pub fn simulated<'a>(inputs: &'a Inputs, section: &'a str) -> impl Iterator<Item = &'a RandomAccess> + Clone {
    let cases = inputs.simulated.iter().flat_map(|simulated| &simulated.random_access);
    cases.filter(move |case| case.site.section == section)
}

/// Rates over the look-ahead.
pub fn look_ahead(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "look-ahead",
        "Look-ahead",
        "Rates rise with Q, the number of values that a rank may have generated and not yet applied; the benchmark \
         allows 1024. Small Q are bound by the latency of messages, which shared memory inside a node mostly avoids.",
    );
    let ours = simulated(inputs, "look-ahead");
    let ours: Vec<&RandomAccess> =
        ours.filter(|case| case.site.machine == MACHINE && case.site.ranks == SWEEP_RANKS).collect();
    let published = |case: &RandomAccess| Some(TABLE_4.iter().find(|(q, _)| *q == case.look_ahead)?.1);
    variants::say_deviation(&mut section, &ours, published);
    variants::say_links(&mut section, inputs, ours.iter().map(|case| (&case.site, &case.outcome)));
    let chart = |title: &str, series: Vec<Series>, file| {
        Chart::new(
            title.to_owned(),
            Axis::new("look-ahead Q", Scale::Log2, Format::Plain),
            gups_axis(),
            series,
        )
        .named(file)
    };
    let mut all: Vec<Series> = Vec::new();
    if let Some(machine) = paper_machine() {
        let points = TABLE_4.map(|(q, _)| (q as f64, paper_rate(&machine, q)));
        all.push(Series::new(model::NAME, Predicted, looks::MODEL, points));
    }
    all.extend(variants::lines(&ours, "", |own| {
        own.iter().map(|case| (case.look_ahead as f64, case.gups)).collect()
    }));
    let table_4 = TABLE_4.map(|(q, rate)| (q as f64, rate));
    all.push(Series::new("hypercube (Table 4)", Published, looks::PAPER, table_4));
    let ranks = measured(inputs, "look-ahead").map(|(ranks, _)| ranks).next().unwrap_or_default();
    let here = [("message", "only messages", looks::OTHER_OPTIONS), ("auto", "shared memory", looks::HCUBE)];
    let here = here.map(|(mode, name, look)| {
        let lines = measured(inputs, "look-ahead").filter(|(_, line)| line.mode == mode);
        let mut points: Vec<Point> =
            lines.map(|(_, line)| spread_point(line.look_ahead as f64, line)).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Series { name: format!("hcube, {name}"), evidence: Measured, look, points }
    });
    section.chart(chart(&format!("Look-ahead on this machine, {ranks} ranks"), here.to_vec(), None));
    section.chart(chart("Look-ahead on Red Storm, 32 ranks", all, Some("look-ahead")));
    section.table(look_ahead_table(inputs, &ours));
    section.lacks(measured(inputs, "look-ahead").next().is_none(), "the sweep of Q, measured", BENCH);
    section.lacks(ours.is_empty(), "the sweep of Q on Red Storm, simulated", SIMULATE);
    section
}

/// The predicted rate of the published rounds of `look_ahead` values.
fn paper_rate(machine: &Machine, look_ahead: u64) -> f64 {
    model::rate(machine, SWEEP_RANKS, &paper_options(look_ahead as usize))
}

fn look_ahead_table(inputs: &Inputs, ours: &[&RandomAccess]) -> Table {
    let alike = variants::like_the_paper(ours);
    let compared = alike.as_ref().map_or("hcube", |(variant, _)| variant.name);
    let machine = paper_machine();
    let mut columns: Columns<'_, (u64, f64)> = Columns::new();
    columns.add("Q", None, |(q, _)| q.to_string());
    for variant in variants::ALL {
        columns.add(format!("Red Storm, {}", variant.name), Some(Simulated), move |&(q, _)| {
            let case = ours.iter().find(|case| case.look_ahead == q && variant.is(case));
            cell(case, |case| gups(case.gups))
        });
    }
    columns.add("Red Storm, Table 4", Some(Published), |&(_, published)| gups(published));
    columns.add(format!("{compared} / published"), Some(Simulated), |&(q, published)| {
        let case = alike.as_ref().and_then(|(_, cases)| cases.iter().find(|case| case.look_ahead == q));
        cell(case, |case| format!("{:.2}", case.gups / published))
    });
    columns.add(format!("Red Storm, {}", model::NAME), Some(Predicted), |&(q, _)| {
        cell(machine.as_ref(), |machine| gups(paper_rate(machine, q)))
    });
    for (mode, name) in [("message", "here, only messages"), ("auto", "here, shared memory")] {
        columns.add(name, Some(Measured), move |&(q, _)| {
            let mut lines = measured(inputs, "look-ahead");
            let line = lines.find(|(_, line)| line.look_ahead == q && line.mode == mode);
            cell(line, |(_, line)| gups(line.gups))
        });
    }
    columns.table(format!("GUP/s over Q, and Table 4 of {PLIMPTON}"), TABLE_4)
}

/// The steps of Table 3 in words.
const STEPS: [&str; 5] = ["original", "Mod1", "+ Mod2", "+ Mod3", "+ Mod7"];

/// Percent of time that each step saves against the first; empty without the first.
fn saved(seconds: [Option<f64>; 5]) -> Vec<(f64, f64)> {
    let Some(original) = seconds[0] else { return Vec::new() };
    let share =
        |(step, seconds): (usize, Option<f64>)| Some((step as f64, 100.0 * (1.0 - seconds? / original)));
    seconds.into_iter().enumerate().filter_map(share).collect()
}

/// The optimisations of Plimpton et al. 2006, section 4, cumulative.
pub fn ladder(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "optimisations",
        "Optimisation ladder",
        "Savings of each optimisation of Plimpton et al. 2006, section 4, in addition to the previous ones: receives posted in \
         advance (Mod1), late updates (Mod2), late waits (Mod3), nonblocking sends (Mod7). Mod4 to Mod6 changed \
         the MPI library.",
    );
    let cases: Vec<&RandomAccess> =
        simulated(inputs, "optimisations").filter(|case| case.site.machine == MACHINE).collect();
    variants::say_links(&mut section, inputs, cases.iter().map(|case| (&case.site, &case.outcome)));
    let all = [
        Steps::measured(inputs),
        Steps::published(),
        Steps::simulated(&cases, false),
        Steps::simulated(&cases, true),
    ];
    section.chart(
        Chart::new(
            "Time saved against the original algorithm",
            Axis::categories("with these and those on the left", STEPS.map(str::to_owned).to_vec()),
            Axis::new("% of time saved, higher is better", Scale::Linear, Format::Percent),
            all.each_ref().map(Steps::series).to_vec(),
        )
        .beside(0.0),
    );
    let mut columns: Columns<'_, usize> = Columns::new();
    columns.add("optimisations", None, |&step| match LADDER[step] {
        "none" => "none (original)".to_owned(),
        list => format!("Mod {list}"),
    });
    for steps in &all {
        columns.add(steps.name.clone(), Some(steps.evidence), |&step| steps.cell(step));
    }
    section.table(columns.table(format!("Time saved, and Table 3 of {PLIMPTON}"), 0..LADDER.len()));
    section.lacks(all[0].saved.is_empty(), "the optimisations, measured", BENCH);
    section.lacks(cases.is_empty(), "the optimisations on Red Storm, simulated", SIMULATE);
    section
}

/// Savings of the steps on one machine.
struct Steps {
    name: String,
    evidence: Evidence,
    look: Look,
    /// Steps and percent.
    saved: Vec<(f64, f64)>,
}

impl Steps {
    fn measured(inputs: &Inputs) -> Self {
        let lines = || measured(inputs, "optimisations");
        let ranks = lines().map(|(ranks, _)| ranks).max().unwrap_or_default();
        let seconds = LADDER.map(|list| {
            let mut own = lines().filter(|(own, _)| *own == ranks);
            own.find(|(_, line)| line.optimisations == list).map(|(_, line)| 1.0 / line.gups)
        });
        let name = format!("this machine, hcube, {ranks} ranks");
        Self { name, evidence: Measured, look: looks::STOCK, saved: saved(seconds) }
    }

    fn published() -> Self {
        let name = format!("Red Storm, {SWEEP_RANKS} ranks (Table 3)");
        let saved = saved(optimised_seconds(SWEEP_RANKS).unwrap_or_default());
        Self { name, evidence: Published, look: looks::PAPER, saved }
    }

    /// Savings on the most ranks, with hcube's default rounds or with the published ones.
    fn simulated(cases: &[&RandomAccess], relaxed: bool) -> Self {
        let own = || cases.iter().filter(|case| case.relaxed == relaxed);
        let ranks = own().map(|case| case.site.ranks).max().unwrap_or_default();
        let seconds = OPTIMISATIONS.map(|bits| {
            let mut own = own().filter(|case| case.site.ranks == ranks);
            own.find(|case| case.optimisations == bits).map(|case| 1.0 / case.gups)
        });
        let variant = if relaxed { variants::RELAXED } else { variants::USUAL };
        let name = format!("Red Storm, {}, {ranks} ranks", variant.name);
        Self { name, evidence: Simulated, look: variant.look, saved: saved(seconds) }
    }

    fn series(&self) -> Series {
        Series::new(self.name.clone(), self.evidence, self.look, self.saved.clone())
    }

    fn cell(&self, step: usize) -> String {
        let saved = self.saved.iter().find(|(x, _)| *x == step as f64);
        cell(saved, |(_, share)| format!("{share:.1} %").replace('-', "−"))
    }
}

/// The name of a dimensionality; 0 is the hypercube.
fn dimension_name(dimensions: usize) -> String {
    if dimensions == 0 { "log2 P".to_owned() } else { dimensions.to_string() }
}

/// Rates over dimensions.
pub fn dimensions(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "dimensions",
        "Dimensionality",
        "Values can be routed in d dimensions: few dimensions need many small messages, log2 P dimensions (the \
         hypercube) need the fewest. Latency and bandwidth decide which is best.",
    );
    let cases = variants::usual(simulated(inputs, "dimensions"));
    variants::say_links(&mut section, inputs, cases.iter().map(|case| (&case.site, &case.outcome)));
    let here: Vec<(usize, &Line)> = measured(inputs, "dimensions").collect();
    let both =
        cases.iter().map(|case| case.dimensions as usize).chain(here.iter().map(|(_, line)| line.dimensions));
    // The hypercube, 0, comes last.
    let mut order = distinct(both);
    order.sort_by_key(|&dimensions| if dimensions == 0 { usize::MAX } else { dimensions });
    let place =
        |dimensions: usize| order.iter().position(|&one| one == dimensions).unwrap_or_default() as f64;
    let names: Vec<String> = order.iter().map(|&dimensions| dimension_name(dimensions)).collect();
    let chart = |title: String, series: Vec<Series>| {
        Chart::new(title, Axis::categories("dimensions d", names.clone()), gups_axis(), series)
    };
    let of_ranks = |(&ranks, look): (&usize, _)| {
        let lines = here.iter().filter(|(own, _)| *own == ranks);
        let points = lines.map(|(_, line)| spread_point(place(line.dimensions), line)).collect();
        Series { name: format!("hcube, {ranks} ranks"), evidence: Measured, look, points }
    };
    let ranks = distinct(here.iter().map(|(ranks, _)| *ranks));
    section.chart(chart("This machine".to_owned(), ranks.iter().zip(looks::ALL).map(of_ranks).collect()));
    for machine in distinct(cases.iter().map(|case| case.site.machine.as_str())) {
        let own: Vec<&&RandomAccess> = cases.iter().filter(|case| case.site.machine == machine).collect();
        let of_ranks = |(&ranks, look): (&usize, _)| {
            let own = own.iter().filter(|case| case.site.ranks == ranks);
            let mut points: Vec<(f64, f64)> =
                own.map(|case| (place(case.dimensions as usize), case.gups)).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Series::new(format!("hcube, {ranks} ranks"), Simulated, look, points)
        };
        let ranks = distinct(own.iter().map(|case| case.site.ranks));
        let all = ranks.iter().zip(looks::ALL).map(of_ranks).collect();
        section.chart(chart(machine_title(inputs, machine).to_owned(), all));
    }
    section.lacks(here.is_empty(), "dimensions, measured", BENCH);
    section.lacks(cases.is_empty(), "dimensions, simulated", SIMULATE);
    section
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
