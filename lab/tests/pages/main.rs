//! Pages against what they are about: parts that are written, numbers that constants have, and tables of
//! figures that pictures and the cost model have.

mod plots;

use hcube_testing as common;

use hcube_bsp::options::DEFAULT_SINGLE_COPY_BYTES;
use hcube_core::node::lists::{MAX_ADDRESS_BYTES, MAX_IDLE_TURNS};
use hcube_lab::pages::files::pages;
use hcube_lab::pages::markdown::{cell, cells, row, table};
use hcube_lab::pages::picture::{Point, points, value};
use hcube_lab::pages::write;
use hcube_lab::records::read;
use hcube_results::bsp::comparison::Run;
use hcube_results::machine::bsp::MAX_NOISE_PERCENT;
use hcube_results::numbers::{significant, whole_bytes};
use hcube_results::published::bsp::Program;
use hcube_tool::bsp::predict::parameter_of;
use std::fs;
use std::path::PathBuf;

/// A page without line ends within sentences.
fn prose(name: &str) -> String {
    let text = read(&common::root().join(name)).expect("a page");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn page(name: &str) -> String {
    read(&common::root().join(name)).expect("a page")
}

fn picture(name: &str) -> Vec<Point> {
    points(&common::root(), name).expect("a picture")
}

/// Pages, pictures and kept results.
fn files() -> Vec<PathBuf> {
    let root = common::root();
    let folders = ["doc/plots", "doc/results", "doc/results/simulate"]
        .map(|folder| fs::read_dir(root.join(folder)).expect("a folder"));
    let others = folders.into_iter().flatten().flatten().map(|entry| entry.path());
    let others = others.filter(|path| path.is_file());
    let others = others.chain([root.join("tests/models/record.json")]);
    pages(&root).expect("pages").into_iter().chain(others).collect()
}

/// A copy of them.
fn copied(name: &str) -> PathBuf {
    let folder = common::build().join("clients/pages").join(name);
    drop(fs::remove_dir_all(&folder));
    let root = common::root();
    for file in files() {
        let copy = folder.join(file.strip_prefix(&root).expect("below"));
        fs::create_dir_all(copy.parent().expect("a folder")).expect("writable");
        fs::copy(&file, copy).expect("a copy");
    }
    folder
}

#[test]
fn written_parts_are_up_to_date() {
    let (root, copy) = (common::root(), copied("written"));
    write(&copy).expect("written");
    for file in files() {
        let name = file.strip_prefix(&root).expect("below");
        let (old, new) = (read(&file).expect("a file"), read(&copy.join(name)).expect("a file"));
        assert!(old == new, "{}: out of date: run 'make manual' and commit the result", name.display());
    }
}

#[test]
fn parts_that_nobody_writes_are_refused() {
    let copy = copied("refused");
    let page = copy.join("doc/bsp.md");
    let text = read(&page).expect("a page");
    fs::write(&page, text.replace("written: bsp-largest-put", "written: bsp-largest-get")).expect("written");
    let error = write(&copy).expect_err("refused");
    assert!(
        error.contains("bsp.md") && error.contains("'bsp-largest-get': expected one of what-to-expect"),
        "{error}"
    );
    fs::write(&page, text.replace("<!-- written: bsp-largest-put -->", "")).expect("written");
    let error = write(&copy).expect_err("refused");
    assert_eq!(error, "no page has bsp-largest-put");
}

/// Sentences, with the numbers that constants have.
#[test]
fn numbers_in_sentences_are_those_of_the_sources() {
    let power = |value: usize| {
        assert!(value.is_power_of_two(), "{value}");
        format!("2^{}", value.trailing_zeros())
    };
    let single_copy = whole_bytes(DEFAULT_SINGLE_COPY_BYTES);
    let [matrices, standard, bits] =
        [Program::MatmulCustomized, Program::LlcsStandard, Program::LlcsBitParallel].map(Program::size);
    for (page, sentence) in [
        (
            "doc/bsp.md",
            format!("`bsp_hpput` and `bsp_hpget` of {single_copy} or more (`HCUBE_BSP_SINGLE_COPY`)"),
        ),
        ("doc/bsp.md", format!("From {single_copy} on, hcube also copies once")),
        (
            "doc/bsp.md",
            format!(
                "one stage up to {0} nodes and one more for each further factor of {0}",
                hcube_bsp::forwarding::MAX_PARTS
            ),
        ),
        (
            "doc/bsp.md",
            format!(
                "At most {} registrations at a time, and tags of at most {}.",
                power(hcube_bsp::registry::MAX_REGISTRATIONS),
                whole_bytes(hcube_bsp::messages::MAX_TAG_BYTES)
            ),
        ),
        (
            "doc/bsp.md",
            format!("the values of the first {} supersteps one by one", hcube_bsp::profile::MAX_SUPERSTEPS),
        ),
        ("doc/bsp.md", format!("Memory that {MAX_IDLE_TURNS} supersteps have not used is returned")),
        (
            "doc/bsp.md",
            format!("much larger: up to {} for each process of the node", whole_bytes(MAX_ADDRESS_BYTES)),
        ),
        ("doc/bsp-model.md", format!("warns above {MAX_NOISE_PERCENT} %")),
        (
            "doc/bsp-model.md",
            format!("measured {} times (`--repeat`)", hcube_tool::probe::supersteps::REPEAT),
        ),
        (
            "doc/bsp-model.md",
            format!(
                "For the sizes of the thesis (n = {matrices}, strings of {standard} symbols, or of {bits} for the bit-parallel \
                 algorithm)"
            ),
        ),
        ("doc/bsp-model.md", format!("two random strings of {} symbols", hcube_tool::bsp::program::SYMBOLS)),
        ("doc/llcs.md", format!("| up to {} | AVX2 |", hcube_lcs::kernel::MAX_SYMBOLS_AVX2)),
        ("doc/llcs.md", format!("| up to {} | AVX-512 |", hcube_lcs::kernel::MAX_SYMBOLS_AVX512)),
        (
            "doc/llcs.md",
            format!("Strings have fewer than {} symbols", power(hcube_lcs::distributed::MAX_LENGTH as usize)),
        ),
    ] {
        assert!(prose(page).contains(&sentence), "{page}: expected '{sentence}'");
    }
}

/// The numbers of a text such as `0.28 to 0.32 us`.
fn numbers(text: &str) -> Vec<f64> {
    let parts = text.split(|letter: char| !(letter.is_ascii_digit() || letter == '.'));
    parts.filter(|part| !part.is_empty()).filter_map(|part| part.parse().ok()).collect()
}

/// Whether a number is a value, as it is rounded in the text.
fn is_rounded(text: &str, value: f64) -> bool {
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    text.parse::<f64>()
        .is_ok_and(|number| (number - value).abs() <= 0.5 * 10f64.powi(-(decimals as i32)) + 1e-9)
}

/// Whether a value lies in a range of numbers, as they are rounded in the text.
fn is_within(text: &str, value: f64) -> bool {
    let words: Vec<&str> = text.split(' ').filter(|word| word.parse::<f64>().is_ok()).collect();
    let rounded = words.iter().any(|word| is_rounded(word, value));
    let all = numbers(text);
    rounded || all.len() == 2 && all[0] <= value && value <= all[1]
}

/// Ranges of several runs in doc/bsp.md have the figures of the picture, which is of one of them.
#[test]
fn latencies_are_those_of_the_picture() {
    let (text, all) = (page("doc/bsp.md"), picture("bsp-latency"));
    let latencies = table(&text, &["processes", "no data"]).expect("a table");
    for processes in ["2", "4", "8"] {
        for (column, kind) in [(1, "empty"), (2, "shift"), (3, "all-to-all")] {
            let label = format!("{kind}, {processes}");
            let [hcube, mpi] =
                ["hcube", "MPI"].map(|series| value(&all, "", series, &label).expect("a point"));
            let cell = cell(row(&latencies, &[processes]).expect("a row"), column).expect("a cell");
            let (time, speedup) = cell.split_once(", ").expect("a time and a speed-up");
            assert!(is_within(time, hcube), "{label}: {cell}, the picture has {hcube}");
            assert!(is_within(speedup, mpi / hcube), "{label}: {cell}, the picture has {}", mpi / hcube);
        }
    }
}

#[test]
fn puts_are_those_of_the_picture() {
    let (text, all) = (page("doc/bsp.md"), picture("bsp-put"));
    let messages = table(&text, &["bytes x messages", "put"]).expect("a table");
    for (case, series, label, unit) in [
        ("8 x 1", "1 message", "8 B", 1.0),
        ("8 x 4096", "up to 4096 messages", "8 B", 1e3),
        ("64 x 4096", "up to 4096 messages", "64 B", 1e3),
        ("64 KiB x 16", "up to 4096 messages", "64 KiB", 1.0),
        ("1 MiB x 4", "up to 4096 messages", "1 MiB", 1.0),
    ] {
        let [hcube, mpi] = ["hcube", "MPI"]
            .map(|name| value(&all, "", &format!("{name}, {series}"), label).expect("a point"));
        let cell = cell(row(&messages, &[case]).expect("a row"), 1).expect("a cell");
        let (time, speedup) = cell.split_once(", ").expect("a time and a speed-up");
        assert!(is_within(time, unit * hcube), "{case}: {cell}, the picture has {hcube} us");
        assert!(is_rounded(speedup, mpi / hcube), "{case}: {cell}, the picture has {}", mpi / hcube);
    }
}

#[test]
fn rates_of_subsequences_are_those_of_the_picture() {
    let (text, all) = (page("doc/llcs.md"), picture("llcs"));
    let rates = table(&text, &["symbols", "length", "hcube"]).expect("a table");
    assert_eq!(rates.len(), 12);
    for row in &rates {
        let chart = format!("LLCS, 1 process, {} symbols", row[0]);
        let [hcube, other] =
            ["hcube", "rapidfuzz"].map(|series| value(&all, &chart, series, row[1]).expect("a point"));
        assert_eq!([row[2], row[3]], [significant(hcube), significant(other)], "{row:?}");
        assert!(is_rounded(row[4], hcube / other), "{row:?}: {}", hcube / other);
    }
    // The standard algorithm beside the plain loop.
    let speedups = ["4", "32", "256"].map(|symbols| {
        let chart = format!("LLCS, 1 process, {symbols} symbols");
        let of = |series| value(&all, &chart, series, "10^4").expect("a point");
        format!("{:.1}", of("hcube, kernel standard") / of("plain loop"))
    });
    let [first, second, third] = &speedups;
    let sentence = format!(
        "The standard algorithm has speed-ups of {first}, {second} and {third} over a plain loop at 10^4 symbols"
    );
    assert!(prose("doc/llcs.md").contains(&sentence), "expected '{sentence}'");
}

#[test]
fn speedups_of_subsequences_are_those_of_the_picture() {
    let (text, all) = (page("doc/llcs.md"), picture("llcs-ranks"));
    let speedups = table(&text, &["length", "blocks"]).expect("a table");
    assert_eq!(speedups.len(), 6);
    for row in &speedups {
        let label = if row[0] == "100000" { "10^5" } else { row[0] };
        let chart = "LLCS, 2 ranks, 4 symbols, without barriers";
        let efficiency = value(&all, chart, "selected grid", label).expect("a point");
        assert!(is_rounded(row[2], 2.0 * efficiency), "{row:?}: {}", 2.0 * efficiency);
    }
}

/// A cell of a table of simulated programs: `simulated, predicted, published`.
struct Simulated {
    machine: String,
    processes: usize,
    figures: [f64; 3],
}

/// The cells of a table of doc/simulation.md, which are those of the picture, the cost model and the thesis.
fn simulated(headings: [&str; 2], program: Program, chart: &str, first: usize) -> Vec<Simulated> {
    let (text, all) = (page("doc/simulation.md"), picture("bsp-programs-simulated"));
    let compared = hcube_tool::bsp::published::runs(Program::size).expect("predicted");
    let heading = text.lines().find(|line| cells(line).starts_with(&headings)).expect("a table");
    let rows = table(&text, &headings).expect("a table");
    assert_eq!(rows.len(), 8);
    let mut found = Vec::new();
    for row in rows {
        let (machine, processes) = row[0].split_once(", ").expect("a machine and processes");
        for (cell, parameter) in row.iter().zip(cells(heading)).skip(1).filter(|(cell, _)| !cell.is_empty()) {
            let parameter = numbers(parameter).first().map_or(first, |number| *number as usize);
            let figures: Vec<&str> = cell.split(", ").collect();
            let own = |run: &&Run| {
                let published = &run.published;
                published.program == program
                    && (published.machine, published.library) == (machine, "oxtool")
                    && published.processes.to_string() == processes
                    && parameter_of(published) == parameter
            };
            let run = compared.iter().find(own).unwrap_or_else(|| panic!("{} {parameter}", row[0]));
            let place = format!("{}, {parameter}: {cell}", row[0]);
            assert!(is_rounded(figures[1], run.corrected.constant), "{place}: {}", run.corrected.constant);
            let published = run.published.efficiency_percent.expect("published");
            assert!(is_rounded(figures[2], published), "{place}: {published}");
            // The picture has one number of processes of each machine.
            let series = format!("{machine}, {processes} processes");
            if let Ok(simulated) = value(&all, chart, &series, &parameter.to_string()) {
                assert!(is_rounded(figures[0], simulated), "{place}: {simulated}");
            }
            let figures = [0, 1, 2].map(|place| figures[place].parse().expect("a number"));
            let processes = processes.parse().expect("a number");
            found.push(Simulated { machine: machine.to_owned(), processes, figures });
        }
    }
    found
}

/// The figures of two machines.
fn of_two_machines(all: &[Simulated]) -> impl Iterator<Item = &Simulated> {
    all.iter().filter(|one| ["aracari", "skua"].contains(&&*one.machine))
}

/// Mean differences of simulated and of predicted figures to published ones, on two machines.
fn mean_differences(all: &[Simulated]) -> [f64; 2] {
    [0, 1].map(|place| {
        let differences: Vec<f64> =
            of_two_machines(all).map(|one| (one.figures[place] - one.figures[2]).abs()).collect();
        differences.iter().sum::<f64>() / differences.len() as f64
    })
}

#[test]
fn simulated_programs_stand_beside_what_is_predicted_and_published() {
    let products = simulated(
        ["machine, processes", "4 blocks per side"],
        Program::MatmulCustomized,
        "Matrix product, size 2000",
        4,
    );
    let subsequences = simulated(
        ["machine, processes", "alpha = 1"],
        Program::LlcsStandard,
        "Longest common subsequence, size 65536",
        1,
    );
    let [simulated, predicted] = mean_differences(&subsequences);
    let better = |processes: std::ops::RangeInclusive<usize>| {
        let own = of_two_machines(&subsequences).filter(move |one| processes.contains(&one.processes));
        own.map(|one| one.figures[0] - one.figures[2])
    };
    let most = better(1..=16).fold(0.0, |most: f64, difference| most.max(difference.abs()));
    let on_many = better(32..=32).fold(0.0, f64::max);
    let mut sentences = vec![format!(
        "on aracari and skua the mean difference to the published efficiencies of the table is {simulated:.1} points (of \
         predictions {predicted:.1}), at most {most:.1} on up to 16 processes. On 32 with alpha of 4 and 5 the simulation is up \
         to {on_many:.1} points better"
    )];
    let [simulated, predicted] = mean_differences(&products);
    sentences.push(format!(
        "on aracari and skua the mean difference to the published efficiencies of the table is {simulated:.0} points (of \
         predictions {predicted:.0})"
    ));
    // All published products on argus, and not only those of the table.
    let runs = hcube_tool::bsp::published::runs(Program::size).expect("predicted");
    let own = runs.iter().filter(|run| {
        let published = &run.published;
        (published.program, published.machine_file().as_str()) == (Program::MatmulCustomized, "argus-oxtool")
    });
    let range = |values: Vec<f64>| {
        values.iter().fold((f64::MAX, 0.0f64), |(least, most), &value| (least.min(value), most.max(value)))
    };
    let (least, most) = range(
        own.clone()
            .filter_map(|run| Some(run.published.efficiency_percent? / run.corrected.constant))
            .collect(),
    );
    let (low, high) = range(own.filter_map(|run| run.published.error_constant_percent).collect());
    sentences.push(format!(
        "the published efficiency of products is {least:.1} to {most:.1} times the predicted one; the thesis itself \
         reports prediction errors of {low:.0} to {high:.0} % for them"
    ));
    let text = prose("doc/simulation.md");
    for sentence in sentences {
        assert!(text.contains(&sentence), "expected '{sentence}'");
    }
}

#[test]
fn simulated_subsequences_are_those_of_the_picture() {
    let (text, all) = (page("doc/simulation.md"), picture("lcs-simulated"));
    let rows = table(&text, &["machine, ranks", "symbols", "alpha, block rows"]).expect("a table");
    assert_eq!(rows.len(), all.len());
    for row in &rows {
        let (machine, ranks) = row[0].rsplit_once(", ").expect("a machine and ranks");
        let machine = if machine == "JuRoPA" { "JuRoPA" } else { "Cluster with 64 ranks per node" };
        let efficiency = value(&all, "", &format!("{ranks} ranks, {machine}"), row[1]).expect("a point");
        assert!(is_rounded(row[5].trim_end_matches(" %"), efficiency), "{row:?}: {efficiency}");
    }
}

/// The times and speed-ups of doc/simulation.md, and the sentence of doc/bsp.md on them.
#[test]
fn simulated_supersteps_are_those_of_the_picture() {
    let (text, all) = (page("doc/simulation.md"), picture("bsp-puts-simulated"));
    let rows = table(&text, &["processes", "JuRoPA: no data"]).expect("a table");
    let mut with_data = Vec::new();
    for row in &rows {
        let processes = row[0].split(' ').next().expect("a number");
        for (column, machine) in [(3, "JuRoPA"), (6, "Juqueen")] {
            let of = |who: &str| value(&all, "", &format!("{who}, {machine}"), processes).expect("a point");
            let (time, speedup) = row[column].split_once(", ").expect("a time and a speed-up");
            assert!(is_rounded(time, of("hcube")), "{row:?}: {}", of("hcube"));
            assert!(is_rounded(speedup, of("MPI library") / of("hcube")), "{row:?}");
            let before = row[column - 1].split_once(", ").expect("a time and a speed-up").1;
            with_data.extend([speedup, before].map(|text| text.parse::<f64>().expect("a number")));
        }
    }
    with_data.sort_by(f64::total_cmp);
    let (least, most) = (with_data[0], with_data[with_data.len() - 1]);
    let sentence = format!("supersteps have a speed-up of {least} to {most} over an exchange");
    assert!(prose("doc/bsp.md").contains(&sentence), "expected '{sentence}'");
}
