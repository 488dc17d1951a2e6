//! An installed tree: `hcube-run --fftw` and a program that does not use hcube's functions.

use crate::clients::{Line, Linked, Precision, alone, linked_client, only_preloaded, plugin, precisions};
use crate::common::installed::installed;
use crate::common::preload::c_client;
use crate::common::{Language, Mpi};

#[test]
fn hcube_run_brings_hcube_to_fftw() {
    if !only_preloaded("Debian has no FFTW for MPICH that hcube could be brought to") {
        return;
    }
    plugin(Precision::Double);
    let run = installed("fftw").join("bin/hcube-run");
    for &precision in precisions() {
        let program = linked_client("fftw_transpose", precision, Linked::Plain);
        let launch =
            alone(&run, 2).arg("--fftw").arg(program).args(["shapes", "3", "20"]).env("HCUBE_FFTW", "always");
        let outcome = launch.env("LD_LIBRARY_PATH", "").run();
        let told: Vec<&str> = outcome.stderr.lines().filter(|line| line.starts_with("hcube: FFTW")).collect();
        assert!(
            told.len() == 1 && told[0].contains(" precision: solver registered and used: "),
            "{precision:?}: {told:?}"
        );
        Line::in_text(&outcome.success()).all_planned(&format!("{precision:?}"));
    }
    // The reasons why it is not used.
    let program = linked_client("fftw_transpose", Precision::Double, Linked::Plain);
    let start = |options: &[&str]| {
        alone(&run, 2).args(options.iter().copied()).arg(&program).args(["shapes", "3", "20"])
    };
    let outcome = start(&["--fftw"]).env("LD_LIBRARY_PATH", "").env("HCUBE_FFTW", "never").run();
    assert_eq!(outcome.stderr.matches("hcube: FFTW, double precision: ").count(), 1, "{outcome:?}");
    assert!(outcome.stderr.contains("solver not registered: HCUBE_FFTW switches hcube off"), "{outcome:?}");
    let without = alone(&run, 2).arg("--fftw").arg(c_client(Language::C11, Mpi::selected())).arg("silent");
    let outcome = without.env("LD_LIBRARY_PATH", "").run();
    assert_eq!(outcome.stderr.matches("hcube: FFTW: solver not registered: ").count(), 1, "{outcome:?}");
    // Statistics of MPI's exchanges are not the last word.
    let outcome = start(&["--fftw", "--stats"]).env("LD_LIBRARY_PATH", "").env("HCUBE_FFTW", "always").run();
    let last = outcome.stderr.lines().rfind(|line| line.starts_with("hcube"));
    assert!(last.is_some_and(|line| line.contains("solver registered and used")), "{outcome:?}");
}
