//! Forms that all commands have in common, as users see them: lists, comma-separated values, help, noise.

use hcube_testing as common;

use common::TOOL;
use std::fs;
use std::process::{Command, Output};

fn fixture(name: &str) -> String {
    common::root().join("lab/tests/fixtures").join(name).display().to_string()
}

fn run(words: &[&str]) -> Output {
    Command::new(TOOL.as_str()).args(words).env("COLUMNS", "80").output().expect("the tool starts")
}

fn text(words: &[&str]) -> String {
    let output = run(words);
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a command says that it refuses.
fn refusal(words: &[&str]) -> String {
    let output = run(words);
    assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{words:?}: {output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn lists_have_ranges() {
    let model = |ranks: &str| text(&["model", "--machine", "juropa", "--ranks", ranks]);
    let table = model("1,2,4,8");
    assert_eq!((model("1:8:2x"), model("1 2 4 8"), model("1,2:8:2x")), (table.clone(), table.clone(), table));
    let message = refusal(&["model", "--machine", "juropa", "--ranks", "1,8:1:2x"]);
    let words = ["--ranks", "'8:1:2x'", "512:4096:2x"];
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
}

#[test]
fn results_are_written_as_comma_separated_values() {
    let from = fixture("fft.json");
    let printed = text(&["bench", "fft", "--from", &from, "--csv"]);
    let mut lines = printed.lines();
    let head: Vec<&str> = lines.next().expect("a first line").split(',').collect();
    for column in ["hcube", "ranks", "length", "algorithm", "median_us", "spread", "over_fftw"] {
        assert!(head.contains(&column), "{column}: {printed}");
    }
    assert!(
        lines.clone().count() > 1 && lines.all(|line| line.split(',').count() == head.len()),
        "{printed}"
    );
    let folder = common::folder("forms");
    let [file, notes] = ["results.csv", "notes"].map(|name| folder.join(name));
    fs::write(&notes, "somebody's data\n").expect("a file");
    let option = |file: &std::path::Path| format!("--csv={}", file.display());
    for _ in 0..2 {
        // Its own file is replaced, and the tables are printed beside it.
        assert!(text(&["bench", "fft", "--from", &from, &option(&file)]).contains("GFLOP/s"));
        assert_eq!(fs::read_to_string(&file).expect("a file"), printed);
    }
    let message = refusal(&["bench", "fft", "--from", &from, &option(&notes)]);
    assert!(message.contains("--csv = ") && message.contains("it holds something else"), "{message}");
    assert_eq!(fs::read_to_string(&notes).expect("a file"), "somebody's data\n");
    let message = refusal(&["bench", "fft", "--from", &from, "--csv", "--json"]);
    assert!(message.contains("--json = -: expected"), "{message}");
}

#[test]
fn help_has_two_forms() {
    let short = text(&["bench", "gemm", "--help"]);
    assert!(short.lines().count() <= 60 && short.contains("Examples:\n  mpirun -np 4"), "{short}");
    assert!(short.contains("--help=all") && !short.contains("--no-progress"), "{short}");
    let all = text(&["bench", "gemm", "--help=all"]);
    assert!(all.contains("--no-progress") && all.contains("OPENBLAS_NUM_THREADS"), "{all}");
    assert!([&short, &all].iter().all(|text| text.lines().all(|line| line.chars().count() <= 80)), "{all}");
    assert_eq!((text(&["bench", "gemm", "-h"]), text(&["help", "bench", "gemm"])), (short.clone(), short));
}

#[test]
fn noise_is_told() {
    let folder = common::folder("noise");
    let file = folder.join("noisy.json");
    let run = |variant: &str, us: [u32; 3]| {
        let spread = f64::from(us[2] - us[0]) / f64::from(us[1]);
        format!(
            "{{\"mpi\": \"Some MPI\", \"ranks\": 2, \"bytes\": 8, \"work_us\": 0, \"variant\": \"{variant}\", \
             \"median_us\": {}, \"spread\": {spread}, \"measured_us\": {us:?}, \"errors\": 0, \
             \"hcube_speedup\": {}}}",
            us[1],
            if variant == "hcube" { "null" } else { "1.2" }
        )
    };
    let runs = [run("hcube", [9, 10, 11]), run("mpi-bcast", [5, 12, 17])].join(", ");
    fs::write(&file, format!("{{\"runs\": [{runs}]}}")).expect("a file");
    let printed = text(&["bench", "panels", "--from", &file.display().to_string()]);
    for words in [
        " 1.20~ ",
        "\n~ spread larger than the gain: not a measured difference\n",
        "\nNOISE: 1 of 2 times have a spread above 50%: 8 B, 0 us of work, 2 ranks, mpi-bcast (100%).\n",
    ] {
        assert!(printed.contains(words), "{words}: {printed}");
    }
    assert!(printed.ends_with("or with a larger --repeat.\n"), "{printed}");
}
