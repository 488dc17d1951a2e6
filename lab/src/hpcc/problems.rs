//! What is wrong with a run.

use super::outcome::Outcome;
use super::plan::Run;
use super::variant::Variant;

/// Failures of a run; each makes the command fail.
pub fn problems(run: &Run, outcome: &Outcome) -> Vec<String> {
    let ours = run.variant == Variant::Hcube;
    let name = run.name();
    if outcome.timed_out && ours {
        return vec![format!("{name}: reached the time limit")];
    }
    let mut problems = Vec::new();
    for (stream, section) in [("polynomial", outcome.polynomial), ("LCG", outcome.lcg)] {
        match section {
            // The standard algorithm may well be too slow; what it has finished must be right.
            None if outcome.timed_out => {}
            None => problems.push(format!(
                "{name}: no result for the {stream} stream; the end of its output:\n{}",
                outcome.tail
            )),
            Some(section) if !section.passed => {
                problems.push(format!("{name}: verification failed, {} errors ({stream})", section.errors));
            }
            Some(section) if ours && section.errors > 0 => {
                problems.push(format!("{name}: {} errors ({stream}), expected 0", section.errors));
            }
            Some(_) => {}
        }
    }
    if run.whole && !outcome.success {
        problems.push(format!("{name}: HPCC did not succeed (no Success=1)"));
    }
    let active = |kernel: &str| outcome.active.iter().any(|one| one == kernel);
    if ours {
        let missing = expected(run).filter(|kernel| !active(kernel));
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
fn expected(run: &Run) -> impl Iterator<Item = &'static str> {
    let selected = std::env::var_os("HCUBE_HPCC").is_some();
    // A process grid of one column has no broadcast.
    let columns = super::input::process_grid(run.ranks).1;
    [
        ("RandomAccess update", true),
        ("FFT", run.whole),
        ("STREAM", run.whole),
        ("PTRANS", run.whole),
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
        assert!(problems(&run(Variant::Stock), &good).is_empty());
        assert!(problems(&run(Variant::Hcube), &good)[0].contains("not active"));
        good.active = vec!["RandomAccess update".to_owned()];
        assert!(problems(&run(Variant::Hcube), &good).is_empty());
        assert_eq!(problems(&Run { whole: true, ..run(Variant::Hcube) }, &good).len(), 4);
        assert!(problems(&run(Variant::Sandia), &good)[0].contains("not its own"));
        assert!(problems(&run(Variant::Sandia), &outcome(0.1, 9)).is_empty());
        let wrong = Outcome { active: good.active.clone(), ..outcome(0.1, 1) };
        assert_eq!(problems(&run(Variant::Hcube), &wrong).len(), 2);
        let late = Outcome { timed_out: true, ..Outcome::default() };
        assert_eq!(
            (problems(&run(Variant::Stock), &late).len(), problems(&run(Variant::Hcube), &late).len()),
            (0, 1)
        );
    }
}
