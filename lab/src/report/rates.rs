//! RandomAccess over numbers of ranks: rates and parallel efficiency.

use super::checks::Line;
use super::model;
use super::section::Section;
use super::shared::{distinct, gups, gups_axis, paper_machine, ranks_axis, spread_point};
use super::sources::{BENCH, Inputs, PROBE, RUN, SIMULATE};
use super::table::{Columns, Table, cell};
use super::variants;
use crate::hpcc::Entry;
use crate::simulate::RandomAccess;
use hcube_random_access::Options;
use hcube_random_access::options::DEFAULT_LOOK_AHEAD;
use hcube_results::hpcc::MIN_PAIRS;
use hcube_results::machine::Machine;
use hcube_results::plot::Evidence::{Measured, Predicted, Published, Simulated};
use hcube_results::plot::looks;
use hcube_results::plot::{Axis, Chart, Colour, Format, Look, Marker, Scale, Series};
use hcube_results::published::{self, MACHINE, OPTIMISED, TABLE_2, over_ranks};
use hcube_tool::model::paper_options;

/// Measured lines of one mode with the defaults, by number of ranks.
fn measured<'a>(inputs: &'a Inputs, mode: &'a str) -> Vec<(usize, &'a Line)> {
    let sections = inputs.gups.iter().flat_map(|bench| &bench.sections);
    let mut lines: Vec<(usize, &Line)> = sections
        .filter(|(name, _)| name.starts_with("ranks-"))
        .flat_map(|(_, section)| section.lines.iter().map(|line| (section.ranks, line)))
        .filter(|(_, line)| line.mode == mode)
        .collect();
    lines.sort_by_key(|(ranks, _)| *ranks);
    lines
}

/// Simulations over ranks on the machine of Plimpton et al. 2006.
pub fn simulated(inputs: &Inputs) -> Vec<&RandomAccess> {
    let cases = inputs.simulated.iter().flat_map(|simulated| &simulated.random_access);
    let mut cases: Vec<&RandomAccess> =
        cases.filter(|case| case.site.section == "ranks" && case.site.machine == MACHINE).collect();
    cases.sort_by_key(|case| case.site.ranks);
    cases
}

/// Powers of two.
fn powers(most: usize) -> impl Iterator<Item = usize> {
    (0..).map(|power| 1 << power).take_while(move |&ranks| ranks <= most)
}

/// The series of the model.
fn predicted(name: &str, machine: &Machine, options: &Options, most: usize) -> Series {
    let points = powers(most).map(|ranks| (ranks as f64, model::rate(machine, ranks, options)));
    Series::new(model::name(name, machine), Predicted, looks::MODEL, points)
}

/// The predicted rate of the published rounds.
fn paper_rate(machine: &Machine, ranks: usize) -> f64 {
    model::rate(machine, ranks, &paper_options(DEFAULT_LOOK_AHEAD))
}

fn here(inputs: &Inputs) -> Chart {
    let mut all = Vec::new();
    for (variant, name, look) in [
        ("stock", "HPCC as shipped", looks::STOCK),
        ("sandia", "HPCC with Sandia's update", looks::COMPETITOR),
        ("hcube", "HPCC with hcube", looks::HCUBE),
    ] {
        let runs = inputs.run.iter().flat_map(|hpcc| &hpcc.runs).filter(|run| run.variant == variant);
        all.push(Series::new(name, Measured, look, runs.map(|run| (run.ranks as f64, run.gups))));
    }
    let lines = measured(inputs, "auto").into_iter();
    let points = lines.map(|(ranks, line)| spread_point(ranks as f64, line)).collect();
    let name = "hcube, without HPCC".to_owned();
    all.push(Series { name, evidence: Measured, look: looks::OTHER_OPTIONS, points });
    if let Some(machine) = &inputs.calibration {
        // The model does not cover oversubscribed cores.
        all.push(predicted(model::NAME, machine, &Options::default(), machine.cores));
    }
    Chart::new("RandomAccess on this machine", ranks_axis(), gups_axis(), all)
        .named(Some("random-access-measured"))
}

fn red_storm(inputs: &Inputs) -> Chart {
    let cases = simulated(inputs);
    let most = cases.iter().map(|case| case.site.ranks).chain([10240]).max().unwrap_or_default();
    let mut all = Vec::new();
    if let Some(machine) = paper_machine() {
        let options = paper_options(DEFAULT_LOOK_AHEAD);
        all.push(predicted(&format!("Red Storm, {}", model::NAME), &machine, &options, most));
    }
    let calibrated = inputs.calibration.as_ref();
    if let Some(machine) = calibrated.filter(|machine| model::one_node_only(machine).is_none()) {
        let mut line = predicted("nodes like this machine, hcube", machine, &Options::default(), most);
        line.look = looks::HCUBE;
        all.push(line);
    }
    let stock = TABLE_2.iter().filter_map(|rate| Some((rate.ranks as f64, rate.stock?)));
    all.push(Series::new("Red Storm, HPCC as shipped (Table 2)", Published, looks::STOCK, stock));
    all.extend(variants::lines(&cases, "Red Storm, ", |own| {
        own.iter().map(|case| (case.site.ranks as f64, case.gups)).collect()
    }));
    let hypercube = TABLE_2.iter().map(|rate| (rate.ranks as f64, rate.hypercube));
    all.push(Series::new("Red Storm, hypercube (Table 2)", Published, looks::PAPER, hypercube));
    let (ranks, rate) = OPTIMISED;
    let look = (Colour::Purple, Marker::Diamond);
    all.push(Series::new("Red Storm, optimised (section 4)", Published, look, [(ranks as f64, rate)]));
    Chart::new("RandomAccess on Red Storm (Cray XT3)", ranks_axis(), gups_axis(), all)
        .named(Some("random-access-simulated"))
}

fn table_here(inputs: &Inputs) -> Table {
    let runs = || inputs.run.iter().flat_map(|hpcc| &hpcc.runs);
    let ours = runs().filter(|run| run.variant == "hcube");
    let rows = ours.flat_map(|ours| [(ours, false), (ours, true)]);
    let other = |&(ours, _): &(&Entry, bool), variant: &str| {
        runs().find(|run| run.variant == variant && run.ranks == ours.ranks)
    };
    let rate = |row: &(&Entry, bool), variant: &str| cell(other(row, variant), |run| gups(run.rate(row.1)));
    let errors =
        |row: &(&Entry, bool), variant: &str| cell(other(row, variant), |run| run.errors(row.1).to_string());
    let speed_up = |row: &(&Entry, bool), variant: &str| {
        let enough = |run: &&Entry| run.repeats.min(row.0.repeats) >= MIN_PAIRS;
        let ratio = |run: &Entry| format!("{:.2}", row.0.rate(row.1) / run.rate(row.1));
        cell(other(row, variant).filter(enough), ratio)
    };
    Table::of(
        "GUP/s of the official HPCC on this machine",
        rows,
        &[
            ("ranks", None, &|row| row.0.ranks.to_string()),
            ("stream", None, &|row| if row.1 { "lcg" } else { "polynomial" }.to_owned()),
            ("HPCC as shipped", Some(Measured), &|row| rate(row, "stock")),
            ("Sandia's update", Some(Measured), &|row| rate(row, "sandia")),
            ("hcube", Some(Measured), &|row| gups(row.0.rate(row.1))),
            ("speed-up over shipped", Some(Measured), &|row| speed_up(row, "stock")),
            ("speed-up over Sandia", Some(Measured), &|row| speed_up(row, "sandia")),
            ("errors shipped", Some(Measured), &|row| errors(row, "stock")),
            ("errors Sandia", Some(Measured), &|row| errors(row, "sandia")),
            ("errors hcube", Some(Measured), &|row| row.0.errors(row.1).to_string()),
        ],
    )
}

fn table_red_storm(inputs: &Inputs) -> Table {
    let cases = simulated(inputs);
    let alike = variants::like_the_paper(&cases);
    let compared = alike.as_ref().map_or("hcube", |(variant, _)| variant.name);
    let machine = paper_machine();
    let at = |ranks: usize| cases.iter().copied().filter(move |case| case.site.ranks == ranks);
    let like_paper = |ranks: usize| alike.as_ref()?.1.iter().find(|case| case.site.ranks == ranks).copied();
    let mut columns: Columns<'_, usize> = Columns::new();
    columns.add("ranks", None, |ranks| ranks.to_string());
    for variant in variants::ALL {
        columns.add(variant.name, Some(Simulated), move |&ranks| {
            cell(at(ranks).find(|case| variant.is(case)), |case| gups(case.gups))
        });
    }
    columns.add("hypercube (Table 2)", Some(Published), |&ranks| {
        cell(over_ranks(ranks), |paper| gups(paper.hypercube))
    });
    columns.add(format!("{compared} / published"), Some(Simulated), |&ranks| {
        let both = like_paper(ranks).zip(over_ranks(ranks));
        cell(both, |(case, paper)| format!("{:.2}", case.gups / paper.hypercube))
    });
    columns.add("Plimpton et al., model", Some(Published), |&ranks| {
        cell(over_ranks(ranks).and_then(|paper| paper.model), gups)
    });
    columns.add("cost model", Some(Predicted), |&ranks| {
        cell(machine.as_ref(), |machine| gups(paper_rate(machine, ranks)))
    });
    columns.add("HPCC as shipped", Some(Published), |&ranks| {
        cell(over_ranks(ranks).and_then(|paper| paper.stock), gups)
    });
    columns.add(format!("{compared}, messages per rank"), Some(Simulated), |&ranks| {
        cell(like_paper(ranks), |case| format!("{:.0}", case.messages as f64 / case.site.ranks as f64))
    });
    columns.add("errors", Some(Simulated), |&ranks| {
        cell(at(ranks).map(|case| case.outcome.errors).reduce(|a, b| a + b), |errors| errors.to_string())
    });
    let ranks = cases.iter().map(|case| case.site.ranks).chain(TABLE_2.map(|rate| rate.ranks));
    columns.table(format!("GUP/s on Red Storm, and Table 2 of {}", published::PLIMPTON), distinct(ranks))
}

/// Rates over ranks.
pub fn rates(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "rates",
        "RandomAccess: GUP/s over ranks",
        "On this machine, compare hcube with HPCC's own update at the same number of ranks; on Red Storm, \
         compare the simulated points with the published ones.",
    );
    let cases = simulated(inputs);
    variants::say_deviation(&mut section, &cases, |case| Some(over_ranks(case.site.ranks)?.hypercube));
    variants::say_links(&mut section, inputs, cases.iter().map(|case| (&case.site, &case.outcome)));
    if let Some(warning) = inputs.calibration.as_ref().and_then(model::warning) {
        section.say(&format!("Bad fit: {warning}."));
    }
    if let Some(reason) = inputs.calibration.as_ref().and_then(model::one_node_only) {
        section.say(reason);
    }
    section.chart(here(inputs));
    section.chart(red_storm(inputs));
    section.table(table_here(inputs));
    section.table(table_red_storm(inputs));
    section.lacks(
        inputs.run.as_ref().is_none_or(|hpcc| hpcc.runs.is_empty()),
        "HPCC as shipped, with Sandia's update and with hcube, measured",
        RUN,
    );
    section.lacks(measured(inputs, "auto").is_empty(), "hcube without HPCC over ranks, measured", BENCH);
    section.lacks(cases.is_empty(), "rates on Red Storm, simulated", SIMULATE);
    section.lacks(inputs.calibration.is_none(), "the model of this machine, predicted", PROBE);
    section
}

fn percent_axis(title: &str) -> Axis {
    Axis::new(title, Scale::Linear, Format::Percent)
}

/// Rates in percent of P times the rate of one rank.
fn efficiencies(points: &[(usize, f64)]) -> Vec<(f64, f64)> {
    let Some((_, alone)) = points.iter().find(|(ranks, _)| *ranks == 1) else { return Vec::new() };
    points.iter().map(|&(ranks, rate)| (ranks as f64, 100.0 * rate / (ranks as f64 * alone))).collect()
}

/// Parallel efficiency.
pub fn efficiency(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "efficiency",
        "Parallel efficiency",
        "On Red Storm the rate in percent of P times the rate of one rank; on this machine in percent of the rate of \
         all cores on private tables without communication.",
    );
    let bound = |mode: &str, name: &str, look: Look| {
        let lines = measured(inputs, mode).into_iter();
        let points = lines.filter_map(|(ranks, line)| Some((ranks as f64, 100.0 * line.of_local_bound?)));
        Series::new(name, Measured, look, points)
    };
    section.chart(Chart::new(
        "Share of the local bound on this machine",
        ranks_axis(),
        percent_axis("of the local bound, higher is better"),
        vec![
            bound("message", "hcube, only messages", looks::OTHER_OPTIONS),
            bound("auto", "hcube", looks::HCUBE),
        ],
    ));
    let cases = simulated(inputs);
    let paper: Vec<(usize, f64)> = TABLE_2.iter().map(|rate| (rate.ranks, rate.hypercube)).collect();
    let model = paper_machine().map(|machine| {
        let points: Vec<_> = powers(8192).map(|ranks| (ranks, paper_rate(&machine, ranks))).collect();
        Series::new(model::NAME, Predicted, looks::MODEL, efficiencies(&points))
    });
    let mut all: Vec<Series> = model.into_iter().collect();
    all.extend(variants::lines(&cases, "", |own| {
        efficiencies(&own.iter().map(|case| (case.site.ranks, case.gups)).collect::<Vec<_>>())
    }));
    all.push(Series::new("hypercube (Table 2)", Published, looks::PAPER, efficiencies(&paper)));
    section.chart(
        Chart::new(
            "Parallel efficiency on Red Storm",
            ranks_axis(),
            percent_axis("parallel efficiency, higher is better"),
            all,
        )
        .named(Some("efficiency")),
    );
    section.lacks(measured(inputs, "auto").is_empty(), "the share of the local bound, measured", BENCH);
    section.lacks(cases.is_empty(), "efficiency on Red Storm, simulated", SIMULATE);
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn efficiency_is_of_one_rank() {
        assert_eq!(efficiencies(&[(1, 0.5), (4, 1.0)]), [(1.0, 100.0), (4.0, 50.0)]);
        assert!(efficiencies(&[(2, 0.5)]).is_empty());
    }
}
