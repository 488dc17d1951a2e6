//! What is wrong with a run.

use super::outcome::Outcome;
use super::plan::Run;
use super::variant::Variant;

/// Failures of a run, whose widest process grid has `columns`; each makes the command fail.
pub fn problems(run: &Run, outcome: &Outcome, columns: usize) -> Vec<String> {
    let ours = run.variant == Variant::Hcube;
    let name = run.name();
    if outcome.timed_out && ours {
        return vec![format!("{name}: reached the time limit; {}", outcome.tail)];
    }
    let mut problems = Vec::new();
    for (stream, section) in [("polynomial", outcome.polynomial), ("LCG", outcome.lcg)] {
        match section {
            // The standard algorithm may well be too slow; what it has finished must be right.
            None if outcome.timed_out => {}
            None => problems.push(format!("{name}: no result for the {stream} stream")),
            Some(section) if !section.passed => {
                problems.push(format!("{name}: verification failed, {} errors ({stream})", section.errors));
            }
            Some(section) if ours && section.errors > 0 => {
                problems.push(format!("{name}: {} errors ({stream}), expected 0", section.errors));
            }
            Some(_) => {}
        }
    }
    // A run of stock HPCC that was too slow has no summary.
    if run.whole && !outcome.success && !outcome.timed_out {
        problems.push(format!("{name}: HPCC did not succeed (no Success=1)"));
    }
    if let Some(failure) = &outcome.failure {
        problems.push(format!("{name}: the launcher ended with {failure}"));
    }
    if !outcome.timed_out && !outcome.tail.is_empty() {
        problems.push(format!("{name}: {}", outcome.tail));
    }
    if ours {
        // What it does not serve it says; the table has these lines as notes.
        let named = |kernel: &str| {
            let fallbacks = outcome.fallbacks.iter().map(|(kernel, _)| kernel);
            outcome.active.iter().chain(fallbacks).any(|one| one == kernel)
        };
        let missing = expected(run, columns).filter(|kernel| !named(kernel));
        problems.extend(
            missing.map(|kernel| {
                format!("{name}: hcube's {kernel} was not active: its announcement is missing")
            }),
        );
    } else if !outcome.active.is_empty() {
        problems.push(format!("{name}: hcube was active in a variant that is not its own"));
    }
    problems
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
        let expected = [
            "stock on 2 ranks: HPCC did not succeed (no Success=1)",
            "stock on 2 ranks: the launcher ended with exit status: 1",
            "stock on 2 ranks: the end of output.txt:\nno memory",
        ];
        assert_eq!(problems(&whole(Variant::Stock), &failed, 2), expected);
    }
}
