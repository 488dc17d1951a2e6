//! The estimates of `scripts/bench-steps.sh`, with a clock and a calibration of the test.

use hcube_testing as common;

use std::process::Command;

/// The lines of a run of three steps, noted with 60, 60 and 120 seconds, of which the first two take these
/// milliseconds, on a machine whose calibration has this result.
fn lines(calibration: u32, taken: [u32; 2]) -> Vec<String> {
    let time = common::folder("tool").join(format!("bench-steps-{calibration}-{}", taken[0]));
    std::fs::write(&time, "0").expect("a file");
    let [first, second] = taken;
    let script = format!(
        r#"set -eu; cores=1; . scripts/bench-steps.sh
           clock() {{ cat "$TIME"; }}
           calibrate() {{ echo {calibration}; }}
           passes() {{ echo $(($(cat "$TIME") + $1)) >"$TIME"; }}
           step 60 one passes {first}
           step 60 two passes {second}
           step 120 three true
           run_steps"#
    );
    let mut command = Command::new("bash");
    let output = common::output(command.args(["-c", &script]).current_dir(common::root()).env("TIME", &time));
    output.lines().map(str::to_owned).collect()
}

#[test]
fn the_first_estimate_is_that_of_the_calibration() {
    let lines = lines(2500, [150_000, 150_000]);
    assert!(lines[0].starts_with("=== 3 steps, about 10 min 00 s on this machine"), "{lines:?}");
    assert!(lines[0].contains("250 %"), "{lines:?}");
    assert_eq!(lines[1], "=== 1/3, 0 min 00 s, about 10 min 00 s left: one");
    // The steps take as long as expected.
    assert_eq!(lines[2], "=== 2/3, 2 min 30 s, about 7 min 30 s left: two");
    assert_eq!(lines[3], "=== 3/3, 5 min 00 s, about 5 min 00 s left: three");
    assert_eq!(lines[4], "=== finished after 5 min 00 s");
}

#[test]
fn later_estimates_follow_the_steps() {
    // Each takes three times as long as noted: 360 seconds are left, not 120.
    let left = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "about").expect("an estimate");
        let number = |place: usize| words[place].parse::<u32>().expect("a number");
        60 * number(at + 1) + number(at + 3)
    };
    let lines = lines(1000, [180_000, 180_000]);
    assert_eq!(left(&lines[0]), 240, "{lines:?}");
    assert!((450..540).contains(&left(&lines[2])), "{lines:?}");
    assert!((330..=360).contains(&left(&lines[3])), "{lines:?}");
}
