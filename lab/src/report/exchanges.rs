//! The all-to-all exchange over ranks, over sizes and over additional memory.

mod out_of_place;
mod sample;

use super::section::Section;
use super::shared::{distinct, ranks_axis};
use super::sources::{BENCH, Inputs, SIMULATE};
use super::table::{Columns, Table, cell, times};
use super::variants;
use hcube_results::alltoall::figure::{ALGORITHMS, time};
use hcube_results::alltoall::{IN_PLACE, OUT_OF_PLACE, RING_OUT_OF_PLACE, Run};
use hcube_results::measured;
use hcube_results::numbers;
use hcube_results::plot::Evidence::{Measured, Simulated};
use hcube_results::plot::looks;
use hcube_results::plot::{Axis, Chart, Colour, Format, Look, Marker, Scale, Series};
use sample::{Sample, at, line, main_size, part, places, samples};

/// Algorithms in the order of tables: measured ones, and simulated ones of MPI libraries.
fn known() -> impl Iterator<Item = (&'static str, &'static str, Look)> {
    let simulated = IN_PLACE.into_iter().chain(OUT_OF_PLACE).zip(LIBRARIES);
    ALGORITHMS.into_iter().chain(simulated.map(|((key, name), look)| (key, name, look))).chain([RING])
}

/// A series for each of these algorithms.
fn by_algorithm(
    samples: &[&Sample],
    algorithms: &[&str],
    x: impl Fn(&Sample) -> usize + Copy,
    y: impl Fn(&Sample, f64) -> f64 + Copy,
) -> Vec<Series> {
    let known = known().filter(|(key, _, _)| algorithms.contains(key));
    let series = |(key, name, look): (&str, &str, Look)| {
        let own: Vec<&Sample> = samples.iter().copied().filter(|sample| sample.algorithm == key).collect();
        line(name.to_owned(), look, &own, x, y)
    };
    // The first is drawn last, in front.
    known.collect::<Vec<_>>().into_iter().rev().filter_map(series).collect()
}

const FIGURE_5: [&str; 12] = [
    "auto",
    "library-in-place",
    "library-out-of-place",
    IN_PLACE[0].0,
    IN_PLACE[1].0,
    IN_PLACE[2].0,
    OUT_OF_PLACE[0].0,
    OUT_OF_PLACE[1].0,
    RING.0,
    "mpich",
    "linear-shift",
    "hierarchical-sets",
];
/// The simulator's own exchange out of place: no MPI library.
const RING: (&str, &str, Look) = (RING_OUT_OF_PLACE, "out of place, a ring", looks::COMPETITOR);
/// MPI libraries in place, then out of place.
const LIBRARIES: [Look; 5] = [
    (Colour::Vermilion, Marker::Square),
    (Colour::Vermilion, Marker::Circle),
    (Colour::Vermilion, Marker::Diamond),
    (Colour::Purple, Marker::Square),
    (Colour::Purple, Marker::Diamond),
];
const SCHEDULES: [&str; 3] = ["mpich", "linear-shift", "hierarchical-sets"];
/// Measured ones: hcube beside the library, and beside its own schedules.
const MEASURED: [(&str, &[&str], &str); 2] = [
    ("", &["auto", "library-in-place", "library-out-of-place"], "alltoall-measured"),
    (", schedules", &["auto", "mpich", "linear-shift", "hierarchical-sets"], "alltoall-schedules"),
];
const SMALL: [&str; 3] = ["auto", "hypercube", "hierarchical-sets"];
const COMPARED: [&str; 4] = ["auto", "library-in-place", "auto-out-of-place", "library-out-of-place"];

fn over_ranks(title: String, series: Vec<Series>, file: Option<&'static str>) -> Chart {
    let y = Axis::new("time, lower is better", Scale::Log10, Format::Seconds);
    Chart::new(title, ranks_axis(), y, series).named(file)
}

fn schedules(samples: &[&Sample]) -> Vec<Series> {
    by_algorithm(samples, &FIGURE_5, |sample| sample.ranks, |_, seconds| seconds)
}

/// Places and additional memory, which a line over ranks has in common.
fn conditions<'a>(samples: &[&'a Sample]) -> Vec<(&'a str, u64)> {
    measured::distinct(samples.iter().map(|sample| (sample.place.as_str(), sample.additional())))
}

/// Adds a sentence on simulations without shared links in these sections.
fn say_links(section: &mut Section, inputs: &Inputs, parts: &[&str]) {
    let exchanges = inputs.simulated.iter().flat_map(|simulated| &simulated.alltoall);
    let own = exchanges.filter(|exchange| parts.contains(&exchange.site.section.as_str()));
    variants::say_links(section, inputs, own.map(|exchange| (&exchange.site, &exchange.outcome)));
}

/// Times over ranks, as in Figure 5 of Hofmann and Rünger.
pub fn ranks(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "alltoall-ranks",
        "All-to-all exchange over ranks",
        "Times of one exchange in place with the schedules of Hofmann and Rünger 2013 (as in their Figure 5). \
         Measured ones stand beside the MPI library's own functions, one of which needs a second buffer (out of place). \
         Simulated ones have the data of their section 4.2 and hcube's default memory, both shorter in the simulation on a \
         machine with less bandwidth, beside the algorithms of MPI libraries; the ring out of place is the simulator's, \
         which takes no time for copies.",
    );
    let all = samples(inputs);
    let measured = part(&all, Measured, "");
    let simulated = part(&all, Simulated, "schedules");
    for (number, place) in places(&measured).into_iter().enumerate() {
        let (bytes, own) = main_size(&at(&measured, |sample| sample.place == place));
        // One number of ranks is only in the table.
        if number > 0 && distinct(own.iter().map(|sample| sample.ranks)).len() < 2 {
            continue;
        }
        for (what, algorithms, file) in MEASURED {
            let title = format!("All-to-all{what}, {place}, {} per rank", numbers::whole_bytes(bytes));
            let series = by_algorithm(&own, algorithms, |sample| sample.ranks, |_, seconds| seconds);
            section.chart(over_ranks(title, series, (number == 0).then_some(file)));
        }
    }
    for (number, (place, memory)) in conditions(&simulated).into_iter().enumerate() {
        let (bytes, own) =
            main_size(&at(&simulated, |one| (one.place.as_str(), one.additional()) == (place, memory)));
        let memory = if memory == 0 { "no".to_owned() } else { numbers::whole_bytes(memory as usize) };
        let bytes = numbers::whole_bytes(bytes);
        let title = format!("All-to-all, {place}, {bytes} per rank, {memory} additional memory");
        let file = (number == 0).then_some("alltoall-simulated");
        section.chart(over_ranks(title, schedules(&own), file));
    }
    let nodes = part(&all, Simulated, "nodes");
    for place in places(&nodes) {
        let (bytes, own) = main_size(&at(&nodes, |sample| sample.place == place));
        let paths = [("message", "only messages", looks::STOCK), ("auto", "node-aware (auto)", looks::HCUBE)];
        let series = paths.into_iter().filter_map(|(path, name, look)| {
            line(
                name.to_owned(),
                look,
                &at(&own, |sample| sample.path == path),
                |one| one.ranks,
                |_, time| time,
            )
        });
        let title = format!("Paths inside nodes, {place}, {} per rank", numbers::whole_bytes(bytes));
        section.chart(over_ranks(title, series.collect(), None));
    }
    section.table(table(&measured, "Times of the exchange on this machine"));
    section.table(table_simulated(&simulated, "Times of the exchange on large machines"));
    say_links(&mut section, inputs, &["schedules", "nodes"]);
    section.lacks(measured.is_empty(), "the exchange over ranks, measured", BENCH);
    section.lacks(simulated.is_empty(), "the exchange on large machines, simulated", SIMULATE);
    section
}

/// The times of all algorithms, and the speed-up over the library in place.
fn table(samples: &[&Sample], caption: &str) -> Table {
    type Place<'a> = (&'a str, usize, usize);
    fn place(one: &Sample) -> Place<'_> {
        (&one.place, one.ranks, one.bytes)
    }
    let evidence = samples.first().map(|sample| sample.evidence);
    let median = |row: &Place<'_>, algorithm: &str| {
        let own = samples.iter().filter(|one| place(one) == *row && one.algorithm == algorithm);
        let times: Vec<f64> = own.map(|sample| sample.seconds).collect();
        (!times.is_empty()).then(|| numbers::median(&times))
    };
    let mut columns: Columns<'_, Place<'_>> = Columns::new();
    columns.add("where", None, |row| row.0.to_owned());
    columns.add("ranks", None, |row| row.1.to_string());
    columns.add("per rank", None, |row| numbers::whole_bytes(row.2));
    for (algorithm, name, _) in ALGORITHMS {
        columns.add(name, evidence, move |row| cell(median(row, algorithm), time));
    }
    columns.add("speed-up, in place", evidence, |row| {
        times(median(row, "library-in-place").zip(median(row, "auto")).map(|(library, ours)| library / ours))
    });
    columns.table(caption, distinct(samples.iter().map(|one| place(one))))
}

/// The simulated times of all algorithms, with the condition.
fn table_simulated(samples: &[&Sample], caption: &str) -> Table {
    type Place<'a> = (&'a str, u64, usize, usize);
    fn place(one: &Sample) -> Place<'_> {
        (&one.place, one.additional(), one.ranks, one.bytes)
    }
    let shown = [SMALL.as_slice(), &FIGURE_5].concat();
    let mut columns: Columns<'_, Place<'_>> = Columns::new();
    columns.add("where", None, |row| row.0.to_owned());
    columns.add("ranks", None, |row| row.2.to_string());
    columns.add("per rank", None, |row| numbers::whole_bytes(row.3));
    columns.add("additional memory", None, |row| numbers::whole_bytes(row.1 as usize));
    for (algorithm, name, _) in known() {
        if shown.contains(&algorithm) && samples.iter().any(|one| one.algorithm == algorithm) {
            columns.add(name, Some(Simulated), move |row| {
                let mut own = samples.iter().filter(|one| place(one) == *row);
                cell(own.find(|one| one.algorithm == algorithm), |one| time(one.seconds))
            });
        }
    }
    let mut rows = Vec::new();
    for condition in conditions(samples) {
        let own = at(samples, |one| (one.place.as_str(), one.additional()) == condition);
        rows.extend(
            distinct(own.iter().map(|one| (one.ranks, one.bytes)))
                .into_iter()
                .map(|(ranks, bytes)| (condition.0, condition.1, ranks, bytes)),
        );
    }
    columns.table(caption, rows)
}

/// Bandwidth over the size.
pub fn sizes(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "alltoall-sizes",
        "All-to-all exchange over sizes",
        "Data of a rank divided by the time of an exchange: higher is faster. Compare circles with squares (in \
         place), and the two triangles (out of place).",
    );
    let all = samples(inputs);
    let rate = |sample: &Sample, seconds: f64| sample.bytes as f64 * 1e-9 / seconds;
    let mut add = |samples: &[&Sample], algorithms: &[&str]| {
        for place in places(samples) {
            let own = at(samples, |sample| sample.place == place);
            let ranks = distinct(own.iter().map(|sample| sample.ranks));
            let ends = distinct(ranks.first().into_iter().chain(ranks.last()).copied());
            for count in ends {
                let own = at(&own, |sample| sample.ranks == count);
                if distinct(own.iter().map(|sample| sample.bytes)).len() < 2 {
                    continue;
                }
                section.chart(Chart::new(
                    format!("All-to-all, {place}, {count} ranks"),
                    Axis::new("data of a rank", Scale::Log2, Format::Bytes),
                    Axis::new("GB/s per rank, higher is better", Scale::Log10, Format::Rounded),
                    by_algorithm(&own, algorithms, |sample| sample.bytes, rate),
                ));
            }
        }
    };
    let measured = part(&all, Measured, "");
    let simulated = part(&all, Simulated, "small");
    add(&measured, &COMPARED);
    add(&simulated, &SMALL);
    section.table(table_simulated(&simulated, "Times of small exchanges on large machines"));
    let equal = part(&all, Simulated, "out-of-place");
    if !equal.is_empty() {
        section.table(out_of_place::table(&equal));
    }
    say_links(&mut section, inputs, &["small", "out-of-place"]);
    section.lacks(measured.is_empty(), "the exchange over sizes, measured", BENCH);
    section.lacks(simulated.is_empty(), "exchanges of small blocks, simulated", SIMULATE);
    section
}

/// Series of the hierarchical sets with different memory, and of the library.
fn by_memory(samples: &[&Sample]) -> Vec<Series> {
    let swept = at(samples, |sample| sample.algorithm == "hierarchical-sets");
    // The size of `all` depends on the data.
    let order = |memory: &(u64, String)| if memory.1 == "all" { u64::MAX } else { memory.0 };
    let amounts = swept.iter().filter_map(|sample| sample.memory.as_ref());
    let amounts = distinct(amounts.map(|memory| (order(memory), memory.1.as_str())));
    let looks =
        [looks::OTHER_OPTIONS, (Colour::Green, Marker::Down), looks::HCUBE, (Colour::Ink, Marker::Circle)];
    let lines = amounts.into_iter().zip(looks).filter_map(|((_, memory), look)| {
        let own = at(&swept, |sample| sample.memory.as_ref().is_some_and(|own| own.1 == memory));
        line(format!("hierarchical sets, {memory}"), look, &own, |one| one.ranks, |_, seconds| seconds)
    });
    let library = ["library-in-place", "library-out-of-place"];
    lines.chain(by_algorithm(samples, &library, |one| one.ranks, |_, seconds| seconds)).collect()
}

/// Whether additional memory varies.
fn varied(samples: &[&Sample]) -> bool {
    let amounts = samples.iter().filter(|sample| sample.algorithm == "hierarchical-sets");
    distinct(amounts.map(|sample| sample.memory.as_ref())).len() > 1
}

/// Additional memory: its effect, as in Figure 6 (left), and the amount used.
pub fn memory(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "memory",
        "Additional memory",
        "With more additional memory more blocks are in flight; the charts show how much is enough, and which schedule \
         is best without it. The last chart shows the memory used in addition to the program's buffers: hcube's line \
         should stay flat. Out of place the program itself holds a second buffer, which is not included.",
    );
    let all = samples(inputs);
    let measured: Vec<&Sample> = all.iter().filter(|sample| sample.evidence == Measured).collect();
    let simulated = part(&all, Simulated, "memory");
    for (samples, evidence) in [(&measured, Measured), (&simulated, Simulated)] {
        for place in places(samples) {
            let own = at(samples, |sample| sample.place == place);
            let swept = at(&own, |sample| {
                varied(&at(&own, |other| (other.ranks, other.bytes) == (sample.ranks, sample.bytes)))
            });
            let (bytes, own) = main_size(&swept);
            let where_ = if evidence == Measured { "this machine" } else { place };
            let title = format!("Additional memory, {where_}, {} per rank", numbers::whole_bytes(bytes));
            section.chart(over_ranks(title, by_memory(&own), None));
        }
    }
    for place in places(&simulated) {
        let own = at(&simulated, |sample| sample.place == place);
        let least = own.iter().filter_map(|sample| sample.memory.clone()).min();
        let (bytes, own) = main_size(&at(&own, |sample| sample.memory == least));
        let series = by_algorithm(&own, &SCHEDULES, |sample| sample.ranks, |_, seconds| seconds);
        let title = format!("Minimum of memory, {place}, {} per rank", numbers::whole_bytes(bytes));
        if series.len() > 1 {
            section.chart(over_ranks(title, series, None));
        }
    }
    say_links(&mut section, inputs, &["memory"]);
    let taken = taken(inputs);
    section.lacks(taken.is_empty(), "memory used, measured", BENCH);
    section.chart(taken);
    section.lacks(simulated.is_empty(), "additional memory on large machines, simulated", SIMULATE);
    section
}

/// Runs with hcube's default memory.
fn usual_runs(inputs: &Inputs) -> Vec<&Run> {
    let runs = || inputs.alltoall.iter().flat_map(|results| &results.runs).filter(|run| run.place.ranks > 1);
    let Some(first) = runs().next() else { return Vec::new() };
    let memory = runs().find(|run| run.algorithm == "auto").and_then(|run| run.memory);
    runs()
        .filter(|run| run.place.mpi == first.place.mpi && (run.memory.is_none() || run.memory == memory))
        .collect()
}

fn taken(inputs: &Inputs) -> Chart {
    let runs = usual_runs(inputs);
    let most = runs.iter().map(|run| run.place.ranks).max().unwrap_or_default();
    // A logarithmic axis has no 0.
    let series =
        ALGORITHMS.iter().rev().filter(|(key, _, _)| COMPARED.contains(key)).map(|&(key, name, look)| {
            let own = runs.iter().filter(|run| run.algorithm == key && run.place.ranks == most);
            let mut points: Vec<(f64, f64)> = own
                .filter_map(|run| Some((run.bytes_per_rank as f64, (run.extra_bytes? as f64).max(1024.0))))
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            points.dedup_by_key(|point| point.0);
            Series::new(name, Measured, look, points)
        });
    Chart::new(
        format!("Additional memory used, this machine, {most} ranks"),
        Axis::new("data of a rank", Scale::Log2, Format::Bytes),
        Axis::new("peak per rank (at least 1 KiB drawn)", Scale::Log2, Format::Bytes),
        series.collect(),
    )
    .named(Some("alltoall-memory"))
}

/// Figures of the exchange for the headlines.
#[derive(Debug, Default)]
pub struct Gains {
    /// Numbers of ranks and the geometric mean over sizes of the speed-up over the library in place.
    pub measured: Vec<(usize, f64)>,
    /// Bytes of the data, of hcube and of the library, at the maximum of the library.
    pub memory: Option<(usize, u64, u64)>,
}

/// The gains of hcube.
pub fn gains(inputs: &Inputs) -> Gains {
    let runs = usual_runs(inputs);
    let ratios = |ranks: usize| -> Vec<f64> {
        let own = runs.iter().filter(|run| run.place.ranks == ranks && run.algorithm == "auto");
        own.filter_map(|run| run.speedup_in_place).collect()
    };
    let counts = distinct(runs.iter().map(|run| run.place.ranks));
    let measured =
        counts.into_iter().filter_map(|ranks| Some((ranks, numbers::geometric_mean(&ratios(ranks))?)));
    let extra = |algorithm: &str, like: &Run| {
        let mut own =
            runs.iter().filter(|run| run.algorithm == algorithm && run.place.ranks == like.place.ranks);
        own.find(|run| run.bytes_per_rank == like.bytes_per_rank)?.extra_bytes
    };
    let library = runs.iter().filter(|run| run.algorithm == "library-in-place" && run.extra_bytes.is_some());
    let worst = library.max_by_key(|run| run.extra_bytes);
    let memory = worst.and_then(|run| Some((run.bytes_per_rank, extra("auto", run)?, run.extra_bytes?)));
    Gains { measured: measured.collect(), memory }
}
