//! `hcube bench SYSTEM --from FILE`: results of earlier runs are printed, joined and drawn.

use hcube_testing as common;

use common::runs;
use serde_json::Value;
use std::fs;
use std::process::Command;

/// A system, how lines of its text begin, and what its picture has.
const SYSTEMS: [(&str, &[&str], &[&str]); 8] = [
    ("fft", &["2 2^20 in six-step 15.00 6.991 10% 1.60"], &["Fourier transform, 2 ranks"]),
    ("stream", &["2 triad 33554432 hcube 23.00 10% 1.53"], &["STREAM, 4 ranks, vectors of 32 MiB"]),
    ("panels", &["4 4194304 0 mpi-bcast 2400 10% 2.00 0"], &["Panels, 4 ranks"]),
    ("bsp", &["2 put mpi 4.00 4.00 1 x 8 B"], &["hcube, up to 16 messages, measured: 8 B"]),
    ("caf", &["2 finish 0 1.250 20% 2.50 barriers - - - - - - -"], &["Coarrays: put, 2 ranks"]),
    ("gemm", &["pdgemm NN 2x2 64 1.25 1.60 0.64"], &["1×2 ranks, measured: 2048, 2"]),
    ("gfortran", &["2 halo-faces", "4 halo-faces"], &["Programs with coarrays against MPI"]),
    (
        "llcs",
        &["1 10000 4 0% hcube 0.6667 150.0 10% 5.00 - 6500 0"],
        &["hcube, measured: 10^4, 150", "selected grid, 4 symbols", "rapidfuzz"],
    ),
];

/// Whether a run that was written has the values that were read, of what the file had.
fn is_same(written: &Value, read: &Value) -> bool {
    let same = |(key, value): (&String, &Value)| match (value, &read[key]) {
        (Value::Number(value), Value::Number(read)) => value.as_f64() == read.as_f64(),
        (Value::Array(_), _) | (_, Value::Null) => true,
        (value, read) => value == read || value.is_object(),
    };
    written.as_object().expect("a run").iter().all(same)
}

#[test]
fn results_are_joined_and_drawn() {
    let tool = common::tool();
    for (system, lines, words) in SYSTEMS {
        let fixture = common::root().join(format!("lab/tests/fixtures/{system}.json"));
        let [plot, joined] =
            ["svg", "json"].map(|kind| common::folder("tool").join(format!("{system}-joined.{kind}")));
        let mut command = Command::new(&tool);
        command.args(["bench", system, "--from"]).arg(&fixture);
        let text = common::output(command.arg("--plot").arg(&plot).arg(common::json_to(&joined)));
        for expected in lines {
            let words: Vec<&str> = expected.split(' ').collect();
            let begins = |line: &str| line.split_whitespace().take(words.len()).eq(words.iter().copied());
            assert_eq!(text.lines().filter(|line| begins(line)).count(), 1, "{expected}: {text}");
        }
        let drawn = fs::read_to_string(&plot).expect("a plot");
        assert!(drawn.starts_with("<svg"), "{drawn}");
        words.iter().for_each(|words| assert!(drawn.contains(words), "{system}, {words}: {drawn}"));
        let [before, after] = [runs(&fixture), runs(&joined)];
        assert_eq!(before.len(), after.len(), "{system}");
        assert!(after.iter().zip(&before).all(|(run, other)| is_same(run, other)), "{system}");
    }
}
