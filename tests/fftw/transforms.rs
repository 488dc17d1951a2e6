//! Whole Fourier transforms compared with FFTW's serial transforms (tests/c/fftw_dft.c), and a Fortran
//! program.

use crate::clients::{
    Line, Precision, always, counts, fortran_client, only_preloaded, precisions, ranks, with_hcube,
};
use crate::transposes::VARIANTS;

#[test]
fn all_kinds_in_all_precisions() {
    for &precision in precisions() {
        for ranks in ranks() {
            let line = Line::of(always("fftw_dft", precision, ranks).arg(ranks.to_string()));
            line.all_planned(&format!("{precision:?}, {ranks} ranks"));
        }
    }
}

#[test]
fn all_paths_of_the_exchange() {
    for (number, variables) in VARIANTS.into_iter().enumerate() {
        let ranks = counts(&[4, 3, 2], &[2])[number % counts(&[4, 3, 2], &[2]).len()];
        let launch = always("fftw_dft", Precision::Double, ranks).envs(variables);
        let line = Line::of(launch.arg((10 + number).to_string()));
        line.all_planned(&format!("{variables:?}, {ranks} ranks"));
    }
}

#[test]
fn fortran() {
    if !only_preloaded("the patched FFTW is built without its interface to Fortran") {
        return;
    }
    let program = fortran_client();
    for ranks in ranks() {
        let launch = with_hcube(&program, Precision::Double, ranks).env("HCUBE_FFTW", "always");
        let text = launch.run().success();
        // A serial transform has no transposition, and 24 x 12 does not divide evenly by five.
        let transform = if [1, 5].contains(&ranks) { "" } else { " transform=T" };
        let expected = format!("ok fftw Fortran transpose=T{transform}");
        assert!(text.trim().starts_with(&expected), "{expected} expected on {ranks} ranks: {text}");
    }
}
