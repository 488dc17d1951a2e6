//! Faults at every step of the protocols, in a build with `--cfg hcube_fault`
//! (`crates/core/src/atomic/fault.rs`): section `faults` of scripts/check-deep.sh.
//!
//! A run of each system counts the steps of each rank in each source. Then a rank is killed, stopped,
//! deprived of further memory or interrupted by signals after some or all of them, and the job must keep its
//! promises (`verdict.rs`). Prints for each system how many runs have ended in which way.
//!
//! `HCUBE_FAULT_STEPS`: how many steps of each source are tried, spread evenly; 0 for all; 6 by default.
//! `HCUBE_FAULT_SECONDS`: how long the first and the last rank are stopped once each; 30 by default. At other
//! steps a rank is stopped for 2 s.
#![cfg(hcube_fault)]

use hcube_testing as common;

mod steps;
mod systems;
mod verdict;

use std::collections::BTreeMap;
use std::io::Write;
use steps::Steps;
use systems::{SYSTEMS, System};
use verdict::{Fault, verdict};

/// A number of the environment of this test.
fn number(name: &str, default: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}: expected a number")))
}

/// Past the test harness, which captures the output of a test.
fn report(line: &str) {
    let _ = std::io::stderr().write_all(format!("faults: {line}\n").as_bytes());
}

/// All faults of a system.
fn check(name: &str) {
    let system = SYSTEMS.iter().find(|system| system.name == name).expect("a system");
    if !(system.is_possible)() {
        return;
    }
    let (tried, seconds) = (number("HCUBE_FAULT_STEPS", 6), number("HCUBE_FAULT_SECONDS", 30));
    let all = Steps::counted(system);
    report(&format!("{name}: {all}"));
    let (mut ends, mut broken) = (BTreeMap::new(), Vec::new());
    for fault in Fault::ALL {
        for step in fault.tried(&all, tried) {
            match verdict(system, fault, &step, seconds) {
                Ok(end) => *ends.entry((fault, end)).or_insert(0) += 1,
                Err(text) => {
                    report(&format!("{name}: BROKEN: {fault} after {step}"));
                    broken.push(format!("{fault} after {step}: {text}"));
                }
            }
        }
    }
    for ((fault, end), runs) in &ends {
        report(&format!("{name}: {fault}: {runs} runs {end}"));
    }
    assert!(broken.is_empty(), "{} promises of {name} are broken:\n{}", broken.len(), broken.join("\n"));
}

/// A test for each system, so that one can be selected and several run at the same time.
macro_rules! systems {
    ($($test:ident $name:literal)*) => {
        $(
            #[test]
            fn $test() {
                check($name);
            }
        )*

        #[test]
        fn every_system_has_a_test() {
            let names: Vec<&str> = SYSTEMS.iter().map(|System { name, .. }| *name).collect();
            assert_eq!(names, [$($name),*]);
        }
    };
}

systems! {
    alltoall_by_slots "all-to-all by slots"
    alltoall_by_single_copy "all-to-all by single copy"
    alltoall_without_files "all-to-all without files"
    alltoall_in_one_buffer "all-to-all in one buffer"
    alltoall_nonblocking "nonblocking all-to-all"
    random_access "RandomAccess"
    random_access_on_coarrays "RandomAccess on coarrays"
    transposition "transposition on a grid"
    transposition_of_fftw "transposition of FFTW"
    fourier_transform "Fourier transform"
    product "product of matrices"
    product_of_scalapack "product of ScaLAPACK"
    panels "panels of LU"
    bsp "BSPlib"
    coarrays "coarrays"
    coarrays_of_gfortran "coarrays of gfortran"
    failed_images "failed images"
}
