//! Figures of doc/simulation.md that are not computed tables (`hcube-lab manual --pages`): published figures
//! are those of the papers, statements about a table follow from it, and pictures show the recorded results.

use hcube_testing as common;

use hcube_lab::simulate::alltoall::{SCALED_BYTES, SCALED_MEMORY};
use hcube_results::machine::Machine;
use hcube_results::published::bsp::{self, Program};
use hcube_results::simulated::{COARRAY_EVENTS, LOOK_AHEAD, RED_STORM};
use std::fs;

fn page() -> String {
    fs::read_to_string(common::root().join("doc/simulation.md")).expect("there")
}

/// The page on one line, for sentences.
fn sentences() -> String {
    page().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The rows of a table without its heading, which begins so.
fn table(heading: &str) -> Vec<Vec<String>> {
    let page = page();
    let mut lines = page.lines().skip_while(|line| !line.starts_with(heading));
    assert!(lines.next().is_some(), "no table '{heading}'");
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    lines.skip(1).take_while(|line| line.starts_with('|')).map(cells).collect()
}

/// The numbers of a cell.
fn numbers(cell: &str) -> Vec<f64> {
    cell.split(", ").filter_map(|number| number.trim_end_matches(" %").parse().ok()).collect()
}

fn holds(sentence: &str) {
    assert!(sentences().contains(sentence), "doc/simulation.md does not say: {sentence}");
}

/// Simulated and predicted efficiencies of a cell.
struct Cell {
    machine: String,
    processes: usize,
    simulated: f64,
    predicted: f64,
}

/// The cells of a table of BSP programs, whose published efficiencies are checked.
fn program(heading: &str, program: Program, parameters: [usize; 5]) -> Vec<Cell> {
    let rows = bsp::rows();
    let mut cells = Vec::new();
    for row in table(heading) {
        let (machine, processes) = row[0].split_once(", ").expect("machine and processes");
        let processes: usize = processes.parse().expect("a number");
        for (parameter, cell) in parameters.into_iter().zip(&row[1..]) {
            let [simulated, predicted, published] = numbers(cell)[..] else {
                assert!(cell.is_empty(), "{row:?}");
                continue;
            };
            let of_thesis = rows.iter().find(|one| {
                (one.program, one.machine, one.library) == (program, machine, "oxtool")
                    && (one.processes, one.parameter) == (processes, parameter)
            });
            let expected = of_thesis.and_then(|one| one.efficiency_percent).expect("published");
            assert!((expected - published).abs() < 0.051, "{row:?}: {expected}, not {published}");
            cells.push(Cell { machine: machine.to_owned(), processes, simulated, predicted });
        }
    }
    cells
}

fn ends(all: impl Iterator<Item = f64>) -> (f64, f64) {
    all.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), one| (least.min(one), most.max(one)))
}

const PRODUCTS: (&str, Program, [usize; 5]) =
    ("| machine, processes | 4 blocks per side", Program::MatmulCustomized, [64, 125, 216, 512, 729]);
const SUBSEQUENCES: (&str, Program, [usize; 5]) =
    ("| machine, processes | alpha = 1", Program::LlcsStandard, [1, 2, 3, 4, 5]);

#[test]
fn bsp_programs_are_compared_as_the_table_says() {
    let products = program(PRODUCTS.0, PRODUCTS.1, PRODUCTS.2);
    let subsequences = program(SUBSEQUENCES.0, SUBSEQUENCES.1, SUBSEQUENCES.2);
    assert_eq!((products.len(), subsequences.len()), (38, 40));
    // Means, and what concerns argus: lab/tests/pages.
    let others: Vec<Cell> = products.into_iter().filter(|cell| cell.machine != "argus").collect();
    let of_aracari = |parameter: &str| {
        let all = table(PRODUCTS.0);
        let row = all.iter().find(|row| row[0] == "aracari, 4").expect("a row");
        numbers(&row[if parameter == "5" { 2 } else { 4 }])
    };
    let (five, eight) = (of_aracari("5"), of_aracari("8"));
    assert!(five[2] > eight[2] && five[0] < eight[0], "no reversed sign: {five:?}, {eight:?}");
    holds(&format!(
        "the published efficiency falls from {} to {} %, the simulated one rises from {} to {} %",
        five[2], eight[2], five[0], eight[0]
    ));
    // The same work: times are as the inverse efficiencies.
    let of_times = |processes: std::ops::RangeInclusive<usize>| {
        let own = others.iter().filter(|cell| processes.contains(&cell.processes));
        let (least, most) = ends(own.map(|cell| 100.0 * (cell.predicted / cell.simulated - 1.0)));
        format!("by {least:.0} to {most:+.0} %")
    };
    holds(&format!("from the equations {}", of_times(4..=4)));
    holds(&format!("from the equations {}", of_times(10..=32)));
}

/// Efficiency is the time of all entries over that of all ranks.
#[test]
fn efficiencies_of_subsequences_follow_from_their_times() {
    let machine = |name: &str| Machine::find(name).expect("a machine of hcube").costs.entry_ns;
    let rows = table("| machine, ranks | symbols | alpha, block rows");
    assert_eq!(rows.len(), 16);
    for row in rows {
        let (name, ranks) = row[0].rsplit_once(", ").expect("a place");
        let entry = machine(if name == "JuRoPA" { "juropa" } else { "fat-nodes" });
        let symbols: f64 = match row[1].as_str() {
            "10^6" => 1e6,
            "10^7" => 1e7,
            number => number.parse().expect("a number"),
        };
        let ranks: f64 = ranks.parse().expect("a number");
        for (time, share) in [(&row[3], &row[5]), (&row[4], &row[6])] {
            let (value, unit) = time.split_once(' ').expect("a unit");
            let seconds = value.parse::<f64>().expect("a number")
                * match unit {
                    "us" => 1e-6,
                    "ms" => 1e-3,
                    _ => 1.0,
                };
            let efficiency = 100.0 * symbols * symbols * 1e-9 * entry / (ranks * seconds);
            let shown = numbers(share)[0];
            assert!((efficiency - shown).abs() < 0.06 + 0.006 * shown, "{row:?}: {efficiency}");
        }
    }
    let rows = table("| symbols | supersteps | alpha = 1");
    let ratio = |barriers: usize| {
        let figures = |row: usize| rows[row][2..].iter().map(|cell| numbers(cell)[0]).collect::<Vec<f64>>();
        let pairs: Vec<_> = figures(barriers).into_iter().zip(figures(barriers + 1)).collect();
        pairs.into_iter().map(|(simulated, predicted)| 100.0 * (predicted / simulated - 1.0).abs())
    };
    let (_, most) = ends(ratio(0).chain(ratio(3)));
    holds(&format!("deviate from equation 5.5 by at most {most:.0} %"));
}

/// The values of a line in a picture, by name.
fn drawn(picture: &str, line: &str) -> Vec<(f64, f64)> {
    let text = fs::read_to_string(common::root().join("doc/plots").join(picture)).expect("a picture");
    let points = text.split("<title>").skip(1).filter_map(|title| {
        let (title, _) = title.split_once("</title>")?;
        let (x, y) = title.strip_prefix(&format!("{line}: "))?.split_once(", ")?;
        Some((x.parse().ok()?, y.parse().ok()?))
    });
    points.collect()
}

#[test]
fn pictures_show_what_is_recorded() {
    let same = |picture: &str, line: &str, recorded: Vec<(f64, f64)>| {
        let found = drawn(picture, line);
        assert!(!found.is_empty(), "{picture}: no line '{line}'");
        for (x, y) in found {
            let expected = recorded.iter().find(|point| (point.0 - x).abs() < 1e-9).map(|point| point.1);
            assert!(
                expected.is_some_and(|expected| (expected / y - 1.0).abs() < 1e-3),
                "{picture}, {line}: {y} at {x}, {expected:?} recorded"
            );
        }
    };
    let rates = |pick: fn(&hcube_results::simulated::Rate) -> Option<f64>| {
        RED_STORM.iter().filter_map(|rate| Some((rate.ranks as f64, pick(rate)?))).collect::<Vec<_>>()
    };
    let picture = "random-access-simulated.svg";
    same(picture, "Red Storm, published algorithm, simulated", rates(|rate| Some(rate.paper)));
    same(picture, "Red Storm, hcube, strict, simulated", rates(|rate| Some(rate.strict)));
    same(picture, "Red Storm, hcube, published rounds, simulated", rates(|rate| rate.relaxed));
    let looks = LOOK_AHEAD.map(|(look_ahead, rate)| (look_ahead as f64, rate));
    same("look-ahead.svg", "published algorithm, simulated", looks.into());
    let events = COARRAY_EVENTS.map(|(images, rate)| (images as f64, rate));
    same("coarrays-updates-simulated.svg", "copies with events, Franklin, simulated", events.into());
}

/// What the page says of messages on hosts is what the files of the machines have.
#[test]
fn costs_of_hosts_are_those_of_their_files() {
    let libraries =
        [("openmpi", "Open MPI 4"), ("openmpi5", "Open MPI 5"), ("mpich", "MPICH 4"), ("mpich5", "MPICH 5")];
    for (mpi, library) in libraries {
        let machine = Machine::find(&format!("hosts-{mpi}")).expect("a machine");
        let messages = machine.messages.expect("costs");
        holds(&format!("{} bytes with {library}", messages.eager_bytes));
        holds(&format!("copy as well, {} ns for a byte", messages.copy_ns));
    }
}

/// Rates that are fitted to a published one do not stand beside it.
#[test]
fn fitted_rates_are_not_compared() {
    let page = page();
    assert!(!page.contains("| TFLOP/s, paper") && !page.contains("in MPI libraries"), "{page}");
    holds("is fitted to the rate that Jin et al. published");
}

/// All exchanges of the table have one condition, and each has the MPI libraries as competitors.
#[test]
fn exchanges_have_one_condition() {
    holds("All schedules have 1 MiB of additional memory on every number of ranks");
    let mib = |bytes: u64| format!("{} MiB", (bytes as f64 / f64::from(1 << 20)).round());
    assert_eq!(mib(SCALED_MEMORY), "1 MiB");
    holds(&format!("an exchange of {} per rank on JuRoPA", mib(SCALED_BYTES)));
    holds(&format!("Blocks and memory are {} times shorter in the simulation", SCALED_BYTES >> 20));
    let rows = table("| machine, ranks | MPICH order");
    assert!(rows.len() >= 9 && rows.iter().all(|row| row.len() == 6), "{rows:?}");
    let figures = rows.iter().flat_map(|row| &row[1..]);
    assert!(figures.clone().all(|cell| numbers(cell).len() == 1), "{rows:?}");
}
