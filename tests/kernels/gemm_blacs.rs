//! libhcube_pblas.so in programs with BLACS: products through `p?gemm_`, options of the environment,
//! statistics; and the functions `hcube_p?gemm_`. tests/c/gemm_blacs.c contains BLACS and BLAS, so ScaLAPACK
//! is not needed.

use crate::common;
use crate::common::preload::{library, pblas_library};
use crate::common::{Launch, by_mpi, folder};
use serde_json::Value;
use std::fs;

fn counts() -> &'static [usize] {
    by_mpi(&[1, 2, 3, 4, 6][..], &[1, 2])
}

/// The program, with products by `way` and an invalid last call.
fn program(way: &str, fault: &str, ranks: usize) -> Launch {
    let program = common::client("gemm_blacs", common::Language::C11);
    Launch::new("env", ranks).arg(program_variables(way)).arg(program).args([way, fault])
}

/// The library is preloaded where it serves.
fn program_variables(way: &str) -> String {
    match way {
        "pblas" => format!("LD_PRELOAD={}", pblas_library().display()),
        _ => "HCUBE_GEMM=auto".to_owned(),
    }
}

/// Products that the program makes on all grids of these ranks.
fn products(ranks: usize) -> usize {
    27 * (1..=ranks).filter(|rows| ranks.is_multiple_of(*rows)).count()
}

#[test]
fn products_are_right_on_all_grids() {
    for &ranks in counts() {
        for way in ["hcube", "pblas"] {
            for per_node in ["0", "1"] {
                let launch = program(way, "none", ranks).env("HCUBE_RANKS_PER_NODE", per_node);
                let text = launch.run().success();
                assert!(text.contains(&format!("ok {}\n", products(ranks))), "{ranks} ranks, {way}: {text}");
            }
        }
    }
}

#[test]
fn errors_have_the_numbers_of_pblas_where_no_scalapack_reports_them() {
    for (way, fault, expected) in [
        ("hcube", "block", "hcube: hcube_pdgemm_: DESCA(MB_) = 0: expected 1 or more (error -1007 of PBLAS)"),
        ("pblas", "block", "hcube: pdgemm_: DESCA(MB_) = 0: expected 1 or more (error -1007 of PBLAS)"),
        (
            "hcube",
            "context",
            "hcube: hcube_pdgemm_: DESCA(CTXT_): expected a context whose grid has this process",
        ),
        ("pblas", "context", "hcube: pdgemm_: DESCA(CTXT_): expected a context whose grid has this process"),
    ] {
        let outcome = program(way, fault, 2).run();
        assert!(!outcome.status.success(), "{way}, {fault}");
        assert!(outcome.stderr.contains(expected), "{way}, {fault}: {}", outcome.stderr);
    }
}

#[test]
fn variables_that_are_not_valid_end_the_job_with_one_message() {
    for (name, value, expected) in [
        ("HCUBE_GEMM", "fast", "HCUBE_GEMM = 'fast': expected auto, summa, hsumma, library"),
        ("HCUBE_GEMM_GROUPS", "2", "HCUBE_GEMM_GROUPS = '2': expected RxC, each 0 or more"),
    ] {
        let outcome = program("pblas", "none", 2).env(name, value).run();
        assert!(!outcome.status.success(), "{name}");
        assert_eq!(outcome.stderr.matches(expected).count(), 1, "{}", outcome.stderr);
    }
}

#[test]
fn statistics_count_every_call() {
    let file = folder("gemm-blacs").join("statistics.json");
    let json = format!("json:{}", file.display());
    for &ranks in counts() {
        let outcome = program("pblas", "none", ranks).env("HCUBE_STATS", &json).run();
        let (errors, _) = (outcome.stderr.clone(), outcome.success());
        assert!(errors.contains("routine") && errors.contains("GFLOP/s per rank"), "{errors}");
        let text = fs::read_to_string(&file).expect("written");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["ranks"], ranks, "{text}");
        let rows = value["rows"].as_array().expect("a list");
        let sum = |key: &str| rows.iter().map(|row| row[key].as_u64().expect("a number")).sum::<u64>();
        assert_eq!(sum("calls"), (products(ranks) * ranks) as u64, "{text}");
        assert!(sum("flops") > 0 && rows.iter().all(|row| row["reason"] == ""), "{text}");
    }
}

/// Both libraries print their tables, in any order, and write separate files.
#[test]
fn both_preloaded_libraries_have_statistics() {
    let file = folder("gemm-blacs").join("both.json");
    let json = format!("json:{}", file.display());
    let program = common::client("gemm_blacs", common::Language::C11);
    let libraries = [pblas_library(), library()].map(|path| path.display().to_string());
    for order in [[0, 1], [1, 0]] {
        let preload = format!("LD_PRELOAD={}:{}", libraries[order[0]], libraries[order[1]]);
        let launch = Launch::new("env", 2).arg(preload).arg(&program).args(["pblas", "none"]);
        let outcome = launch.env("HCUBE_STATS", &json).run();
        let (errors, _) = (outcome.stderr.clone(), outcome.success());
        assert!(errors.contains("no all-to-all calls seen") && errors.contains("pdgemm"), "{errors}");
        assert!(file.exists() && file.with_extension("json.pblas").exists());
    }
}
