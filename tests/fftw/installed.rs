//! An installed tree: `hcube-run --fftw` and a program that does not use hcube's functions.

use crate::clients::{Line, Linked, Precision, alone, linked_client, only_preloaded, plugin, precisions};
use crate::common::installed::installed;

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
        Line::of(launch.env("LD_LIBRARY_PATH", "")).all_planned(&format!("{precision:?}"));
    }
}
