//! What `hcube doctor` prints, as users start it.

use hcube_testing as common;

use common::{Launch, TOOL};

/// Its lines and its exit status; no line is longer than 100 columns unless it is a name without blanks.
fn doctor(ranks: usize, arguments: &[&str], environment: &[(&str, &str)]) -> (Vec<String>, Option<i32>) {
    let launch = Launch::new(TOOL.as_str(), ranks).arg("doctor").args(arguments.iter().copied());
    let outcome = launch.envs(environment).limit(120).run();
    let lines: Vec<String> = outcome.stdout.lines().map(str::to_owned).collect();
    for line in &lines {
        let is_name = line.split_whitespace().any(|word| word.chars().count() > 80);
        assert!(line.chars().count() <= 100 || is_name, "{line}");
    }
    (lines, outcome.status.code())
}

fn place(lines: &[String], beginning: &str) -> usize {
    let found = lines.iter().position(|line| line.starts_with(beginning));
    found.unwrap_or_else(|| panic!("'{beginning}' expected: {lines:#?}"))
}

#[test]
fn findings_come_first_and_the_verdict_last() {
    let (lines, status) = doctor(2, &[], &[("HCUBE_PTH", "message")]);
    assert_eq!(status, Some(0));
    let (attention, works) = (place(&lines, "Needs attention:"), place(&lines, "Works:"));
    assert!(attention < works && works < place(&lines, "hcube uses here:"), "{lines:#?}");
    let named = lines.iter().position(|line| line.contains("did you mean HCUBE_PATH?"));
    assert!(named.is_some_and(|line| attention < line && line < works), "{lines:#?}");
    let last = lines.last().expect("a verdict");
    assert!(last.starts_with("hcube doctor: ready; "), "{last}");
    assert!(!lines.iter().any(|line| line.contains("node-leaders")), "{lines:#?}");
}

#[test]
fn what_does_not_work_is_the_verdict() {
    let (lines, status) = doctor(2, &[], &[("HCUBE_PATH", "fast")]);
    assert_eq!(status, Some(1));
    assert!(lines.iter().any(|line| line.starts_with("   BAD  environment")), "{lines:#?}");
    let last = lines.last().expect("a verdict");
    assert!(last.starts_with("hcube doctor: not ready: "), "{last}");
}

#[test]
fn tables_are_printed_on_request() {
    let (lines, _) = doctor(1, &["--verbose"], &[]);
    for name in ["  node-leaders", "  three-hop", "  hsumma", "MPI_Alltoallw"] {
        place(&lines, name);
    }
    assert!(lines.last().is_some_and(|line| line.starts_with("hcube doctor: ")), "{lines:#?}");
}
