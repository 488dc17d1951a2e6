//! `hcube-lab report` as users start it: the page, missing and broken files, and what a browser makes of it.
//!
//! The figures in lab/tests/fixtures are invented.

use hcube_testing as common;

mod browser;
mod kernels;
mod legends;
mod plots;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The options, the fixture of each, and its place without the option.
const SOURCES: [(&str, &str, &str); 14] = [
    ("--run", "results.json", "target/hpcc/results.json"),
    ("--bench-gups", "gups.json", "target/bench/gups.json"),
    ("--bench-alltoall", "alltoall.json", "target/bench/alltoall.json"),
    ("--bench-gemm", "gemm.json", "target/bench/gemm.json"),
    ("--bench-bsp", "bsp.json", "target/bench/bsp.json"),
    ("--bench-caf", "caf.json", "target/bench/caf.json"),
    ("--bench-programs", "programs.json", "target/bench/programs.json"),
    ("--bench-fftw", "fftw.json", "target/bench/fftw.json"),
    ("--bench-fft", "fft.json", "target/bench/fft.json"),
    ("--bench-stream", "stream.json", "target/bench/stream.json"),
    ("--bench-panels", "panels.json", "target/bench/panels.json"),
    ("--bench-llcs", "llcs.json", "target/bench/llcs.json"),
    ("--simulate", "simulate.json", "target/simulate/simulate.json"),
    ("--calibration", "calibration.json", "calibration.json"),
];

/// All parts, in their order.
const SECTIONS: [&str; 30] = [
    "headlines",
    "hpcc",
    "rates",
    "efficiency",
    "look-ahead",
    "optimisations",
    "dimensions",
    "nodes",
    "programs",
    "alltoall-ranks",
    "alltoall-sizes",
    "memory",
    "alltoall-kinds",
    "gemm",
    "groups",
    "bsp",
    "bsp-machines",
    "llcs",
    "lcs-machines",
    "bsp-programs-machines",
    "coarrays",
    "coarrays-machines",
    "fftw",
    "fft",
    "fft-machines",
    "stream",
    "panels",
    "hpl-machines",
    "machines",
    "environment",
];

fn fixture(name: &str) -> PathBuf {
    common::root().join("lab/tests/fixtures").join(name)
}

/// An empty folder in which nothing lies at its usual place.
fn folder(name: &str) -> PathBuf {
    let folder = common::build().join("clients/report").join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("the target directory is writable");
    folder
}

fn report(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(common::lab());
    command.current_dir(folder).arg("report").args(arguments).output().expect("the tool can be started")
}

/// Options that name all fixtures but these.
fn options_without(left_out: &[&str]) -> Vec<String> {
    let named = SOURCES.iter().filter(|(option, _, _)| !left_out.contains(option));
    named.flat_map(|(option, name, _)| [(*option).to_owned(), fixture(name).display().to_string()]).collect()
}

/// The page of all fixtures but these.
fn page_without(name: &str, left_out: &[&str]) -> String {
    let folder = folder(name);
    let options = options_without(left_out);
    let output = report(&folder, &options.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(output.status.success(), "{output:?}");
    read(&folder.join("target/report/index.html"))
}

/// A page, with characters for their references.
fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("the page").replace("&#39;", "'")
}

/// The part of that name.
fn section<'a>(page: &'a str, name: &str) -> &'a str {
    let begin = page.find(&format!("<section id=\"{name}\">")).unwrap_or_else(|| panic!("no part {name}"));
    let length = page[begin..].find("</section>").expect("parts end");
    &page[begin..begin + length]
}

#[test]
fn all_parts_and_what_each_figure_stands_on() {
    let page = page_without("all", &[]);
    let places: Vec<usize> = SECTIONS
        .iter()
        .map(|name| {
            page.find(&format!("<section id=\"{name}\">")).unwrap_or_else(|| panic!("no part {name}"))
        })
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(!page.contains("Missing:"), "{page}");
    let legends = legends::all(&page);
    assert_eq!(legends.len(), page.matches("<g class=\"legend ").count());
    for &[title, name, word] in &legends {
        assert_eq!(Some(word), legends::expected_word(title, name), "{title}: {name}");
    }
    for (word, least) in [("measured", 20), ("simulated", 20), ("published", 5), ("predicted", 4)] {
        let lines = legends.iter().filter(|legend| legend[2] == word).count();
        assert!(lines >= least, "{lines} lines in legends are {word}");
    }
    let rates = section(&page, "rates");
    // Published figures beside those of the fixtures.
    for (word, cell) in [("published", "17.24"), ("published", "0.797"), ("predicted", "9.262")] {
        assert!(
            rates.contains(&format!("badge {word}")) && rates.contains(&format!("<td>{cell}</td>")),
            "{cell}"
        );
    }
    assert!(rates.contains("HPCC with hcube, measured: 4, 0.4"), "{rates}");
    assert!(section(&page, "memory").contains("hierarchical sets, 64 KiB"));
    assert!(section(&page, "fftw").contains("<td>×2.00</td>"));
    // Products with other numbers of panels are lines of their own.
    let groups = section(&page, "groups");
    assert!(groups.contains("panels: 1<") && groups.contains("panels: 8<"), "{groups}");
    let gemm = section(&page, "gemm");
    assert!(gemm.contains("<td>×1.60</td>") && gemm.contains("1×2 ranks, measured: 2048, 2"), "{gemm}");
    assert!(gemm.contains("NN 1024, NB 32:48:80") && gemm.contains("<td>80%</td>"), "{gemm}");
    let bsp = section(&page, "bsp");
    assert!(bsp.contains("<td>×8.00</td>") && bsp.contains("hcube, 1 message, measured: 8 B, 2.0"), "{bsp}");
    let coarrays = section(&page, "coarrays");
    assert!(
        coarrays.contains("<td>2.50 barriers</td>") && coarrays.contains("<td>×20.00</td>"),
        "{coarrays}"
    );
    kernels::check(&page);
    let programs = section(&page, "programs");
    assert!(programs.contains("<td>×2.00</td>") && programs.contains("Skipped: Program C"), "{programs}");
    assert!(section(&page, "machines").contains("T1 = 56.9 us for 1024 of them"));
    let calibrated = "<h3>Fixture, no machine <span class=\"badge measured\">";
    assert!(section(&page, "machines").contains(calibrated) && page.contains("fitted to 9 measurements"));
    assert!(section(&page, "environment").contains("Open MPI v4.1.4"));
    assert!(section(&page, "headlines").contains("up to ×100"), "{}", section(&page, "headlines"));
}

/// The page of the simulations for which this holds, and of nothing else.
fn page_of_simulations(name: &str, keep: impl Fn(&Value) -> bool) -> String {
    let text = fs::read_to_string(fixture("simulate.json")).expect("a fixture");
    let mut simulated: Value = serde_json::from_str(&text).expect("JSON");
    simulated["random_access"].as_array_mut().expect("a list").retain(keep);
    let folder = folder(name);
    fs::write(folder.join("some.json"), simulated.to_string()).expect("writable");
    let output = report(&folder, &["--simulate", "some.json", "--output", "page.html"]);
    assert!(output.status.success(), "{output:?}");
    read(&folder.join("page.html"))
}

#[test]
fn rounds_as_in_the_paper_stand_beside_it() {
    let page = page_without("variants", &[]);
    let rates = section(&page, "rates");
    // The paper's algorithm on 200 ranks, beside Table 2.
    for cell in ["0.5557", "0.567", "0.98", "0.5807"] {
        assert!(rates.contains(&format!("<td>{cell}</td>")), "{cell}: {rates}");
    }
    assert!(rates.contains("(published algorithm) differ by −4 % to −1 %"), "{rates}");
    assert!(rates.contains("optimised (section 4), published: 8192, 19.98"), "{rates}");
    assert!(rates.contains("only the ports of nodes: Red Storm with 8192 ranks."), "{rates}");
    assert!(!section(&page, "look-ahead").contains("ports of nodes"));
    assert!(section(&page, "look-ahead").contains("Red Storm, published algorithm"));
    let ladder = section(&page, "optimisations");
    assert!(ladder.contains("<td>18.8 %</td>") && ladder.contains("<td>19.6 %</td>"), "{ladder}");
    assert!(section(&page, "headlines").contains("17.73 GUP/s"), "{}", section(&page, "headlines"));
    assert!(section(&page, "alltoall-sizes").contains("<td>26.07 µs</td>"));
}

#[test]
fn some_of_the_simulations_are_enough() {
    let is = |row: &Value, relaxed: bool, optimisations: u64| {
        row["relaxed"] == relaxed && row["optimisations"] == optimisations
    };
    for (name, present, absent, deviation) in [
        ("strict", "Red Storm, hcube, strict", "Red Storm, published algorithm", "(hcube, strict) differ"),
        (
            "papers",
            "Red Storm, published algorithm",
            "Red Storm, hcube, strict",
            "(published algorithm) differ",
        ),
        (
            "relaxed",
            "Red Storm, hcube, published rounds",
            "Red Storm, hcube, strict",
            "(hcube, published rounds) differ",
        ),
    ] {
        let page = page_of_simulations(name, |row| match name {
            "strict" => row["relaxed"].is_null(),
            "papers" => is(row, true, 0),
            _ => is(row, true, 15),
        });
        let rates = section(&page, "rates");
        assert!(
            rates.contains(present) && !rates.contains(absent) && rates.contains(deviation),
            "{name}: {rates}"
        );
        assert!(section(&page, "headlines").contains("on 8192 ranks of a model of Red Storm"), "{name}");
    }
    let none = page_of_simulations("none", |_| false);
    assert!(section(&none, "rates").contains("Missing:"), "{none}");
}

#[test]
fn bad_fits_are_marked() {
    assert!(!page_without("good-fit", &[]).contains("ad fit"));
    let text = fs::read_to_string(fixture("calibration.json")).expect("a fixture");
    let folder = folder("bad-fit");
    let bad = text.replace("\"mean_error_percent\": 4.0", "\"mean_error_percent\": 321.0");
    fs::write(folder.join("calibration.json"), bad).expect("writable");
    let output = report(&folder, &["--output", "page.html"]);
    assert!(output.status.success(), "{output:?}");
    let page = read(&folder.join("page.html"));
    let warned = "the mean error of its fit is 321 %";
    assert!(["rates", "machines"].iter().all(|part| section(&page, part).contains(warned)), "{page}");
    assert!(section(&page, "rates").contains("cost model, bad fit"), "{page}");
}

#[test]
fn many_nodes_are_not_predicted_from_one() {
    let line = "nodes like this machine, hcube";
    let page = page_without("network", &[]);
    assert!(page.contains(line) && !page.contains("its network is not known"), "{page}");
    let text = fs::read_to_string(fixture("calibration.json")).expect("a fixture");
    let folder = folder("no-network");
    let assumed = text.replace("\"cores\"", "\"network_assumed\": true, \"cores\"");
    fs::write(folder.join("calibration.json"), assumed).expect("writable");
    let output = report(&folder, &["--output", "page.html"]);
    assert!(output.status.success(), "{output:?}");
    let page = read(&folder.join("page.html"));
    assert!(!page.contains(line), "{page}");
    assert!(section(&page, "rates").contains("its network is not known"), "{page}");
    assert!(section(&page, "machines").contains("<dt>Between nodes</dt><dd>not measured"), "{page}");
}

#[test]
fn nothing_from_outside() {
    let page = page_without("self-contained", &[]);
    for word in ["http:", "https:", "file:", "src=", "url(", "@import", "<script", "<iframe", "<object"] {
        assert!(!page.contains(word), "{word}");
    }
    let folder = folder("markup");
    let file = folder.join("gups.json");
    let evil = r#"<script>alert(1)</script>\" onload=\""#;
    let text = fs::read_to_string(fixture("gups.json")).expect("a fixture").replace("Open MPI v4.1.4", evil);
    fs::write(&file, text).expect("writable");
    let output = report(&folder, &["--bench-gups", &file.display().to_string(), "--output", "page.html"]);
    assert!(output.status.success(), "{output:?}");
    let marked = read(&folder.join("page.html"));
    assert!(
        !marked.contains("<script") && !marked.contains("\" onload") && marked.contains("&#60;script&#62;")
    );
    for place in page.match_indices("href=\"").map(|(place, word)| &page[place + word.len()..]) {
        assert!(place.starts_with('#') || place.starts_with("data:,\""), "{}", &place[..40]);
    }
}

#[test]
fn missing_parts_are_named_with_their_command() {
    for (option, command, part, word) in [
        ("--run", "make run", "rates", ""),
        ("--bench-gups", "make bench", "optimisations", "measured"),
        ("--bench-alltoall", "make bench", "alltoall-sizes", "measured"),
        ("--bench-gemm", "make bench", "gemm", "measured"),
        ("--bench-bsp", "make bench", "bsp", "measured"),
        ("--bench-caf", "make bench", "coarrays", "measured"),
        ("--bench-programs", "make bench", "programs", "measured"),
        ("--bench-fftw", "make bench", "fftw", "measured"),
        ("--simulate", "make simulate", "look-ahead", "simulated"),
        ("--simulate", "make simulate", "bsp-machines", "simulated"),
        ("--calibration", "mpirun -np 2 hcube probe", "rates", ""),
    ] {
        let page = page_without(&format!("without{option}"), &[option]);
        let part = section(&page, part);
        assert!(part.contains("Missing:") && part.contains(command), "{option}: {part}");
        assert!(section(&page, "environment").contains(command), "{option}");
        // What is not there is not drawn.
        let drawn = "<text class=\"evidence\"";
        let words = part.match_indices(drawn).map(|(place, _)| &part[place..]);
        for legend in words.map(|legend| &legend[..legend.find("</text>").expect("text ends")]) {
            assert!(word.is_empty() || !legend.ends_with(&format!(">{word}")), "{option}: {legend}");
        }
    }
}

#[test]
fn files_without_results_make_a_page_that_says_so() {
    let folder = folder("empty");
    let mut options = Vec::new();
    for (option, content) in [
        ("--run", r#"{"mpi": "x", "runs": []}"#),
        ("--bench-gups", r#"{"mpi": "x", "cores": 2, "sections": {}}"#),
        ("--bench-alltoall", r#"{"runs": []}"#),
        ("--bench-gemm", r#"{"runs": []}"#),
        ("--bench-bsp", r#"{"runs": []}"#),
        ("--bench-caf", r#"{"runs": []}"#),
        ("--bench-programs", r#"{"mpi": "x", "cores": 2, "rows": []}"#),
        ("--bench-fftw", r#"{"runs": []}"#),
        ("--simulate", r#"{"machines": []}"#),
    ] {
        let file = folder.join(format!("empty{option}.json"));
        fs::write(&file, content).expect("writable");
        options.extend([option.to_owned(), file.display().to_string()]);
    }
    let output = report(&folder, &options.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(output.status.success(), "{output:?}");
    let page = read(&folder.join("target/report/index.html"));
    for (command, part) in [("make run", "rates"), ("make bench", "memory"), ("make simulate", "nodes")] {
        assert!(section(&page, part).contains(&format!("Run <code>{command}</code>")), "{part}: {page}");
    }
}

#[test]
fn files_at_their_usual_places_are_found() {
    let folder = folder("usual");
    for (_, name, place) in SOURCES {
        let place = folder.join(place);
        fs::create_dir_all(place.parent().expect("a folder")).expect("writable");
        fs::copy(fixture(name), place).expect("a copy");
    }
    let output = report(&folder, &["--output", "here.html"]);
    assert!(output.status.success() && output.stdout.starts_with(b"here.html"), "{output:?}");
    let page = read(&folder.join("here.html"));
    assert!(!page.contains("Missing:") && page.contains("target/simulate/simulate.json"), "{page}");
}

#[test]
fn without_any_file_there_is_no_page() {
    let folder = folder("nothing");
    let output = report(&folder, &[]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    for (_, _, place) in SOURCES {
        assert!(message.contains(place), "{place}: {message}");
    }
    assert!(message.contains("`make simulate`") && !folder.join("target").exists(), "{message}");
}

#[test]
fn a_file_that_was_asked_for_must_be_there() {
    let folder = folder("asked");
    for (option, _, _) in SOURCES {
        let mut options = options_without(&[option]);
        options.extend([option.to_owned(), "no/such.json".to_owned()]);
        let output = report(&folder, &options.iter().map(String::as_str).collect::<Vec<_>>());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(&format!("{option} no/such.json")), "{message}");
        assert!(!folder.join("target").exists());
    }
    let output =
        report(&folder, &["--run", &fixture("results.json").display().to_string(), "--output", "/proc/no/x"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && message.contains("--output /proc/no/x"), "{message}");
}

#[test]
fn broken_files_leave_the_page_that_was_there() {
    let folder = folder("broken");
    let page = folder.join("page.html");
    fs::write(&page, "as it was").expect("writable");
    let file = folder.join("broken.json");
    for (option, name, _) in SOURCES {
        let good = fs::read_to_string(fixture(name)).expect("a fixture");
        let half = &good.as_bytes()[..good.len() / 2];
        // Every fixture has one of these numbers; none of them can be 0.
        let zero = good.replace("\"ranks\": 4", "\"ranks\": 0").replace("\"ranks\": 64", "\"ranks\": 0");
        let zero = zero.replace("\"cores\": 2,\n  \"network\"", "\"cores\": 0,\n  \"network\"");
        assert_ne!(zero, good);
        for content in [b"".as_slice(), b"{}", b"[1, 2]", b"\xff\xfe\x00", half, zero.as_bytes()] {
            fs::write(&file, content).expect("writable");
            let path = file.display().to_string();
            let output = report(&folder, &[option, &path, "--output", "page.html", "--plots", "plots"]);
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{option} with {content:?}: {message}");
            assert!(message.contains(&format!("{option} {path}: ")), "{message}");
            assert!(message.contains("expected JSON of `"), "{message}");
            assert_eq!(fs::read_to_string(&page).expect("the page"), "as it was");
        }
    }
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2);
}
