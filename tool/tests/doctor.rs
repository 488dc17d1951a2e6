//! What `hcube doctor`, `hcube info` and `hcube --version` print, as users start them.

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
    for name in ["  node-leaders", "  three-hop", "  hsumma", "  MPI_Alltoallw "] {
        place(&lines, name);
    }
    assert!(lines.last().is_some_and(|line| line.starts_with("hcube doctor: ")), "{lines:#?}");
}

/// A command without mpirun.
fn alone(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let mut tool = std::process::Command::new(TOOL.as_str());
    let output = tool.args(arguments).envs(environment.iter().copied()).output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_version_names_the_mpi_library_and_the_build() {
    let text = alone(&["--version"], &[]);
    let beginning = format!("hcube {}, built for ", env!("CARGO_PKG_VERSION"));
    assert!(text.starts_with(&beginning) && text.contains(", rustc ") && text.lines().count() == 1, "{text}");
    let library = if common::Mpi::selected() == common::Mpi::Open { "Open MPI v" } else { "(mpich)" };
    assert!(text.contains(library), "{text}");
}

#[test]
fn variables_have_their_origin() {
    let text = alone(&["info"], &[("HCUBE_PATH", "message"), ("HCUBE_PTH", "message")]);
    let line = text.lines().find(|line| line.contains("HCUBE_PATH=")).expect("the variable");
    assert!(
        line.trim_start().starts_with("HCUBE_PATH=message ") && line.ends_with("environment; default: auto")
    );
    assert!(text.contains("HCUBE_ALLTOALL=auto") && text.contains("did you mean HCUBE_PATH?"), "{text}");
    assert!(text.contains("libhcube.so"), "{text}");
}
