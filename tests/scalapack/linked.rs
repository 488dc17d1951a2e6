//! hcube by link order: before ScaLAPACK on the link line, in C and Fortran, also in programs that call only
//! a routine of ScaLAPACK that multiplies.

use crate::common::scalapack::{WithHcube, client, fortran_client, link_options, stock};
use std::path::{Path, PathBuf};

/// A program that calls PDGESV only, or PDGEMM, with these arguments for the linker before ScaLAPACK.
fn linked(variant: &str, calls_product: bool, options: &[String]) -> Option<PathBuf> {
    let mut arguments: Vec<&str> = options.iter().map(String::as_str).collect();
    if calls_product {
        arguments.push("-DPRODUCT");
    }
    client("pblas_linked", variant, &arguments)
}

/// That hcube has made the products of a program.
fn served(name: &str, program: &Path, least: u64) {
    let (text, statistics) = WithHcube::linked(name, program, 2).success();
    assert_eq!(text.trim(), "ok");
    assert!(statistics.served("pdgemm") >= least, "{statistics:?}");
    assert_eq!(statistics.all_left(), 0, "{statistics:?}");
}

#[test]
fn a_program_that_calls_pdgemm() {
    let Some(program) = linked("-product", true, &link_options()) else { return };
    served("linked-product", &program, 2);
}

/// The line of the documentation, also where the compiler drops libraries of which the program names no
/// symbol.
#[test]
fn a_program_that_calls_only_a_factorization() {
    for (variant, default) in [("-factors", None), ("-as-needed", Some("-Wl,--as-needed"))] {
        let options: Vec<String> = default.map(str::to_owned).into_iter().chain(link_options()).collect();
        let Some(program) = linked(variant, false, &options) else { return };
        served(&format!("linked{variant}"), &program, 2);
    }
}

/// Why the line has `--no-as-needed`: the program names neither PDGEMM nor MPI_Finalize, so without it the
/// linker drops the library.
#[test]
fn without_no_as_needed_the_library_may_be_dropped() {
    let options: Vec<String> =
        link_options().into_iter().filter(|option| !option.contains("-state")).collect();
    let options: Vec<String> = std::iter::once("-Wl,--as-needed".to_owned()).chain(options).collect();
    let Some(program) = linked("-dropped", false, &options) else { return };
    let (outcome, statistics) = WithHcube::linked("linked-dropped", program, 2).run();
    assert!(statistics.is_none() && outcome.success().trim() == "ok");
}

#[test]
fn the_same_programs_run_without_hcube() {
    for (variant, calls_product) in [("-plain-product", true), ("-plain", false)] {
        let Some(program) = linked(variant, calls_product, &[]) else { return };
        assert_eq!(stock(program, 2).run().success().trim(), "ok");
    }
}

#[test]
fn a_program_in_fortran() {
    let options = link_options();
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let Some(program) = fortran_client("pblas", &options) else { return };
    let (text, statistics) = WithHcube::linked("linked-fortran", program, 2).success();
    assert_eq!(text.trim(), "ok");
    assert_eq!((statistics.served("pdgemm"), statistics.served("pzgemm")), (2, 2), "{statistics:?}");
}
