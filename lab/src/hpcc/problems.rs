//! What is wrong with a run.

use super::outcome::Outcome;
use super::plan::Run;
use super::variant::Variant;

/// Failures of a run, whose widest process grid has `columns`; each makes the command fail. Of a run that
/// broke off, only the cause: missing results and announcements follow from it.
pub fn problems(run: &Run, outcome: &Outcome, columns: usize) -> Vec<String> {
    let ours = run.variant == Variant::Hcube;
    let name = run.name();
    let mut problems = wrong(run, outcome);
    if outcome.timed_out {
        // The standard algorithm may well be too slow; what it has finished must be right.
        problems.extend(ours.then(|| format!("{name}: reached the time limit; {}", outcome.tail)));
        return problems;
    }
    if let Some(failure) = &outcome.failure {
        problems.push(format!("{name}: the launcher ended with {failure}; {}", outcome.tail));
        return problems;
    }
    for (stream, section) in [("polynomial", outcome.polynomial), ("LCG", outcome.lcg)] {
        if section.is_none() {
            problems.push(format!("{name}: no result for the {stream} stream"));
        }
    }
    if run.whole && !outcome.success {
        problems.push(format!("{name}: HPCC did not succeed (no Success=1)"));
    }
    if !outcome.tail.is_empty() {
        problems.push(format!("{name}: {}", outcome.tail));
    }
    problems.extend(announcements(run, outcome, columns));
    problems
}

/// Results of RandomAccess that are wrong.
fn wrong(run: &Run, outcome: &Outcome) -> Vec<String> {
    let (ours, name) = (run.variant == Variant::Hcube, run.name());
    let sections = [("polynomial", outcome.polynomial), ("LCG", outcome.lcg)];
    let found = sections.into_iter().filter_map(|(stream, section)| {
        let section = section?;
        if !section.passed {
            return Some(format!("{name}: verification failed, {} errors ({stream})", section.errors));
        }
        (ours && section.errors > 0)
            .then(|| format!("{name}: {} errors ({stream}), expected 0", section.errors))
    });
    found.collect()
}

/// Kernels that hcube has not announced, or has announced where it must not.
fn announcements(run: &Run, outcome: &Outcome, columns: usize) -> Vec<String> {
    let name = run.name();
    if run.variant != Variant::Hcube {
        let line = format!("{name}: hcube was active in a variant that is not its own");
        return (!outcome.active.is_empty()).then_some(line).into_iter().collect();
    }
    // What it does not serve it says; the table has these lines as notes.
    let named = |kernel: &str| {
        let fallbacks = outcome.fallbacks.iter().map(|(kernel, _)| kernel);
        outcome.active.iter().chain(fallbacks).any(|one| one == kernel)
    };
    let missing = expected(run, columns).filter(|kernel| !named(kernel));
    missing
        .map(|kernel| format!("{name}: hcube's {kernel} was not active: its announcement is missing"))
        .collect()
}

/// Kernels that hcube must have announced. Selected by hand, or of a run that was stopped, they may be fewer.
fn expected(run: &Run, columns: usize) -> impl Iterator<Item = &'static str> {
    let selected = std::env::var_os("HCUBE_HPCC").is_some();
    [
        ("RandomAccess update", true),
        ("FFT", run.whole),
        ("STREAM", run.whole),
        ("PTRANS", run.whole),
        // A process grid of one column has no broadcast.
        ("HPL broadcast", run.whole && columns > 1),
    ]
    .into_iter()
    .filter(move |(_, expected)| *expected && !selected)
    .map(|(kernel, _)| kernel)
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::{outcome, run};
    use super::*;

    #[test]
    fn problems_of_ours_and_of_others() {
        let mut good = outcome(0.1, 0);
        assert!(problems(&run(Variant::Stock), &good, 2).is_empty());
        assert!(problems(&run(Variant::Hcube), &good, 2)[0].contains("not active"));
        good.active = vec!["RandomAccess update".to_owned()];
        assert!(problems(&run(Variant::Hcube), &good, 2).is_empty());
        assert_eq!(problems(&Run { whole: true, ..run(Variant::Hcube) }, &good, 2).len(), 4);
        assert!(problems(&run(Variant::Sandia), &good, 2)[0].contains("not its own"));
        assert!(problems(&run(Variant::Sandia), &outcome(0.1, 9), 2).is_empty());
        let wrong = Outcome { active: good.active.clone(), ..outcome(0.1, 1) };
        assert_eq!(problems(&run(Variant::Hcube), &wrong, 2).len(), 2);
        let late = Outcome { timed_out: true, ..Outcome::default() };
        assert_eq!(
            (problems(&run(Variant::Stock), &late, 2).len(), problems(&run(Variant::Hcube), &late, 2).len()),
            (0, 1)
        );
    }

    #[test]
    fn whole_runs() {
        let whole = |variant| Run { whole: true, ..run(variant) };
        // Too slow: a failure only of hcube's.
        let late = Outcome { timed_out: true, success: false, tail: "the end".to_owned(), ..outcome(0.1, 0) };
        assert_eq!(problems(&whole(Variant::Stock), &late, 2), [""; 0]);
        let expected = ["hcube on 2 ranks: reached the time limit; the end"];
        assert_eq!(problems(&whole(Variant::Hcube), &late, 2), expected);
        // A kernel that says that it does not serve is no failure, one that says nothing is.
        let fallbacks = vec![("HPL broadcast".to_owned(), "a line".to_owned())];
        let active = ["RandomAccess update", "FFT", "STREAM", "PTRANS"].map(str::to_owned).to_vec();
        let served = Outcome { active, ..outcome(0.1, 0) };
        assert_eq!(problems(&whole(Variant::Hcube), &served, 2).len(), 1);
        assert_eq!(problems(&whole(Variant::Hcube), &Outcome { fallbacks, ..served }, 2), [""; 0]);
        let failed = Outcome {
            success: false,
            failure: Some("exit status: 1".to_owned()),
            tail: "the end of output.txt:\nno memory".to_owned(),
            ..outcome(0.1, 0)
        };
        let expected =
            "stock on 2 ranks: the launcher ended with exit status: 1; the end of output.txt:\nno memory";
        assert_eq!(problems(&whole(Variant::Stock), &failed, 2), [expected]);
        // Neither missing results nor missing announcements: they follow from the failure.
        let broken = Outcome { polynomial: None, lcg: None, ..failed };
        assert_eq!(problems(&whole(Variant::Hcube), &broken, 2).len(), 1);
        // Wrong results are told also of a run that broke off.
        let wrong = Outcome { failure: broken.failure, ..outcome(0.1, 1) };
        assert_eq!(problems(&whole(Variant::Hcube), &wrong, 2).len(), 3);
    }
}
