//! The C interface as built: exported symbols, header, and every function with invalid arguments.

use hcube_testing as common;

use common::{Language, Launch, Mpi, by_mpi, output};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The names in a list under tests/.
fn names(list: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(common::root().join("tests").join(list)).expect("a list of symbols");
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

fn listed() -> BTreeSet<String> {
    names("symbols.txt")
}

fn exported(library: &Path) -> BTreeSet<String> {
    let text = output(Command::new("nm").args(["-D", "--defined-only"]).arg(library));
    text.lines().filter_map(|line| line.split(' ').nth(2)).map(str::to_owned).collect()
}

#[test]
fn library_exports_only_the_listed_symbols() {
    assert_eq!(exported(&common::library()), listed(), "exported symbols and tests/symbols.txt differ");
}

#[test]
fn preload_library_exports_only_the_listed_symbols() {
    let mut listed = names("symbols_preload.txt");
    if Mpi::selected() == Mpi::Open {
        listed.retain(|name| !name.ends_with("_c"));
    }
    // Open MPI has persistent exchanges from version 5 on.
    if Mpi::selected().name() == "openmpi" {
        let persistent = ["_init", "_Start", "_Startall", "_Request_free"];
        listed.retain(|name| !persistent.iter().any(|end| name.ends_with(end)));
    }
    let exported = exported(&common::preload::library());
    assert_eq!(exported, listed, "exported symbols and tests/symbols_preload.txt differ");
}

#[test]
fn pblas_library_exports_only_the_listed_symbols() {
    let exported = exported(&common::preload::pblas_library());
    assert_eq!(exported, names("symbols_pblas.txt"), "exported symbols and tests/symbols_pblas.txt differ");
}

#[test]
fn bsp_library_exports_only_the_listed_symbols() {
    let exported = exported(&common::preload::bsp_library());
    assert_eq!(exported, names("symbols_bsp.txt"), "exported symbols and tests/symbols_bsp.txt differ");
}

#[test]
fn caf_library_exports_only_the_listed_symbols() {
    let exported = exported(&common::gfortran::library());
    assert_eq!(exported, names("symbols_caf.txt"), "exported symbols and tests/symbols_caf.txt differ");
}

/// The preprocessed bsp.h, for a dialect.
fn bsp_header(definitions: &[&str]) -> String {
    let source = common::folder("interface").join("declared.c");
    fs::write(&source, "#include <bsp.h>\n").expect("writable");
    let mut compiler = Language::C11.compiler(Mpi::selected());
    output(compiler.args(["-E", "-P"]).args(definitions).arg(source))
}

/// Not declared are names for programs that were compiled with the headers of LPF and of MulticoreBSP for C.
#[test]
fn bsp_header_declares_the_listed_symbols() {
    let foreign = |name: &String| {
        name.starts_with("bsplibstd_") || name.starts_with("mcbsp_") && name.ends_with("abort")
    };
    let listed = names("symbols_bsp.txt").into_iter().filter(|name| !foreign(name));
    let header = bsp_header(&[]);
    let words = header.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let declared: BTreeSet<String> = words
        .filter(|word| word.starts_with("bsp_") || word.starts_with("mcbsp_"))
        .filter(|word| !word.ends_with("_t"))
        .map(str::to_owned)
        .collect();
    assert_eq!(declared, listed.collect(), "include/bsp.h and tests/symbols_bsp.txt differ");
}

/// A program that calls every function of bsp.h, with the types that a dialect promises.
const BSP_CALLS: &str = "#include <stddef.h>
PART
#if defined __cplusplus
extern \"C\" {
#endif
void (*const init)(void (*)(void), int, char **) = bsp_init;
void (*const data)(void (*)(void *), int, char **, void *) = bsp_init_with_user_data;
PROCESSES (*const nprocs)(void) = bsp_nprocs;
PROCESSES (*const pid)(void) = bsp_pid;
double (*const seconds)(void) = bsp_time;
void (*const push)(const void *, SIZE) = bsp_push_reg;
void (*const put)(PROCESSES, const void *, PLACE, SIZE, SIZE) = bsp_put;
void (*const get)(PROCESSES, const void *, SIZE, void *, SIZE) = bsp_hpget;
void (*const direct)(PROCESSES, const void *, SIZE, void *, SIZE) = bsp_direct_get;
void (*const tagsize)(SIZE *) = bsp_set_tagsize;
void (*const send)(PROCESSES, const void *, const void *, SIZE) = bsp_hpsend;
void (*const qsize)(PROCESSES *, SIZE *) = bsp_qsize;
SIZE (*const move)(void **, void **) = bsp_hpmove;
void (*const fail)(const char *, ...) = bsp_abort;
#if defined __cplusplus
}
#endif
int main(void) { return sizeof(bsp_size_t) == sizeof(SIZE) && sizeof(bsp_pid_t) == sizeof(PROCESSES) ? 0 : 1; }
";

/// The header in a block that gives its functions the names of C.
const IN_EXTERN_C: &str = "#if defined __cplusplus
extern \"C\" {
#endif
#define MCBSP_COMPATIBILITY_MODE
#include <mcbsp.h>
#if defined __cplusplus
}
#endif
";

#[test]
fn bsp_headers_are_valid_c_and_cxx_in_both_dialects() {
    let folder = common::folder("interface");
    let classic = ["int", "int", "void *"];
    let multicore = ["unsigned", "size_t", "const void *"];
    for (part, [processes, size, place]) in [
        ("#include <bsp.h>\n#include <bsp.h>\n", classic),
        ("#define BSP_MCBSP\n#include <bsp.h>\n#include <bsp.h>\n", multicore),
        ("#include <mcbsp.h>\n#include <mcbsp.h>\n#include <bsp.h>\n", multicore),
        // As programs for MulticoreBSP for C select the classic dialect.
        ("#define MCBSP_COMPATIBILITY_MODE\n#include <mcbsp.h>\n#include <bsp.h>\n", classic),
        ("#define MCBSP_COMPATIBILITY_MODE\n#include <bsp.h>\n#include <mcbsp.h>\n", classic),
        ("#define MCBSP_COMPATIBILITY_MODE\n#define BSP_MCBSP\n#include <bsp.h>\n", classic),
        (IN_EXTERN_C, classic),
    ] {
        let text = BSP_CALLS.replace("PART", part);
        let text = text.replace("PROCESSES", processes).replace("SIZE", size).replace("PLACE", place);
        for (language, extension, standards) in
            [(Language::C11, "c", &["c99", "c11"][..]), (Language::Cxx17, "cpp", &["c++11", "c++17"])]
        {
            let source = folder.join(format!("bsp.{extension}"));
            fs::write(&source, &text).expect("writable");
            for standard in standards {
                let mut compiler = language.compiler(Mpi::selected());
                output(compiler.arg(format!("-std={standard}")).arg("-fsyntax-only").arg(&source));
            }
        }
    }
    // The dialect cannot change within a file, and the header says so.
    let source = folder.join("late.c");
    fs::write(&source, "#include <bsp.h>\n#include <mcbsp.h>\n").expect("writable");
    let mut compiler = Language::C11.compiler(Mpi::selected());
    let refused = compiler.arg("-fsyntax-only").arg(&source).output().expect("the compiler starts");
    let errors = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && errors.contains("include only mcbsp.h"), "{errors}");
}

#[test]
fn header_declares_only_the_listed_symbols() {
    let header = common::headers::whole(&common::root().join("include/hcube.h"));
    let code = header.lines().filter(|line| !line.trim_start().starts_with(['*', '/']));
    let declared: BTreeSet<String> = code
        .filter_map(|line| line.split_once('('))
        .filter_map(|(before, _)| before.rsplit([' ', '*']).next())
        .filter(|name| name.starts_with("hcube_"))
        .map(str::to_owned)
        .collect();
    assert_eq!(declared, listed(), "include/hcube.h and tests/symbols.txt differ");
}

/// Every exported function is called with every kind of bad argument (tests/c/boundary.c), before `MPI_Init`,
/// while MPI is active and after `MPI_Finalize`: it returns the right code or error class, writes nothing,
/// and the program goes on. Exchanges between neighbours, which need a topology:
/// tests/alltoall/neighbours.rs; nonblocking ones, which need a set-up: nonblocking.rs and persistent.rs in
/// that folder.
#[test]
fn exported_functions_refuse_bad_arguments() {
    let cannot_fail = ["hcube_version", "hcube_error_string"];
    for ranks in 1..=by_mpi(3, 2) {
        // A named schedule: hcube by itself might leave a call to the MPI library, which has its own checks.
        let text = Launch::client("boundary", ranks).env("HCUBE_ALLTOALL", "linear-shift").run().success();
        let mut called = BTreeSet::new();
        for line in text.lines().filter_map(|line| line.strip_prefix("called ")) {
            let (name, refusals) = line.split_once(' ').expect("a name and a number");
            assert_eq!(refusals == "0", cannot_fail.contains(&name), "{ranks} ranks: {line}");
            called.insert(name.to_owned());
        }
        let elsewhere = |name: &String| {
            name.contains("_caf_")
                || name.starts_with("hcube_neighbor_")
                || name.starts_with("hcube_ialltoall")
                || is_persistent(name)
                || of_kernels(name)
        };
        let expected = listed().into_iter().filter(|name| !elsewhere(name)).collect();
        assert_eq!(called, expected, "functions in tests/c/boundary.c and tests/symbols.txt differ");
    }
}

/// Whether a function is one of persistent exchanges.
fn is_persistent(name: &str) -> bool {
    name.starts_with("hcube_alltoall") && name.ends_with("_init")
        || ["hcube_start", "hcube_startall", "hcube_request_free"].contains(&name)
}

/// Whether a function belongs to the kernels that HPCC's glue calls, besides RandomAccess, to LLCS or to the
/// matrix product of BSP.
fn of_kernels(name: &str) -> bool {
    let name = name.replacen("_fortran", "", 1);
    ["hcube_fft_", "hcube_grid_transpose_", "hcube_llcs", "hcube_matmul", "hcube_panels_", "hcube_stream_"]
        .iter()
        .any(|begin| name.starts_with(begin))
}

/// The same for transforms, panels, grids and STREAM (tests/c/kernel_errors.c).
#[test]
fn functions_of_kernels_refuse_bad_arguments() {
    for ranks in 1..=by_mpi(3, 2) {
        let text = Launch::client("kernel_errors", ranks).run().success();
        let called = text.lines().filter_map(|line| line.strip_prefix("called "));
        let called: BTreeSet<String> =
            called.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
        let expected = listed().into_iter().filter(|name| of_kernels(name)).collect();
        assert_eq!(called, expected, "functions in tests/c/kernel_errors.c and tests/symbols.txt differ");
    }
}

/// The same for coarrays, whose functions have no communicator: before `hcube_caf_init`, between and after it
/// (tests/c/caf_errors.c).
#[test]
fn functions_of_coarrays_refuse_bad_arguments() {
    for images in 1..=by_mpi(3, 2) {
        let text = Launch::client("caf_errors", images).run().success();
        let called = text.lines().filter_map(|line| line.strip_prefix("called "));
        let called: BTreeSet<String> =
            called.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
        let expected = listed().into_iter().filter(|name| name.contains("_caf_")).collect();
        assert_eq!(called, expected, "functions in tests/c/caf_errors.c and tests/symbols.txt differ");
    }
}

/// All collective functions of coarrays but `hcube_caf_init` are among those that tests/c/caf_inside.h calls
/// in a shipped function.
#[test]
fn shipped_functions_call_every_collective_function() {
    let read = |path: &str| fs::read_to_string(common::root().join(path)).expect(path);
    let (header, inside) = (read("include/hcube/caf.h"), read("tests/c/caf_inside.h"));
    let collective = header
        .split("/**")
        .filter(|text| text.trim_start_matches([' ', '*', '\n']).starts_with("Collective"));
    let names = collective.map(|text| {
        let declaration = text.split_once("*/").expect("a comment ends").1;
        let name = declaration.split('(').next().expect("a function");
        name.split_whitespace().last().expect("a name").trim_start_matches('*').to_owned()
    });
    let names: BTreeSet<String> = names.filter(|name| name != "hcube_caf_init").collect();
    assert!(names.len() > 20, "{names:?}");
    let missing: Vec<_> = names.iter().filter(|name| !inside.contains(&format!("INSIDE({name},"))).collect();
    assert!(missing.is_empty(), "tests/c/caf_inside.h does not call {missing:?}");
}

#[test]
fn headers_are_valid_c_and_cxx_alone_and_twice() {
    let mpi = Mpi::selected();
    let folder = common::folder("");
    let include = common::root().join("include");
    let headers = common::headers::files();
    assert!(headers.len() > 5, "{headers:?}");
    for (language, extension) in [(Language::C11, "c"), (Language::Cxx17, "cpp")] {
        for header in &headers {
            let name = header.strip_prefix(&include).expect("below include").display();
            let source = folder.join(format!("header.{extension}"));
            let text =
                format!("#include <{name}>\n#include <{name}>\nint main(void) {{ return HCUBE_SUCCESS; }}\n");
            fs::write(&source, text).expect("writable");
            output(language.compiler(mpi).arg("-fsyntax-only").arg(source));
        }
    }
}

#[test]
fn clients_are_valid_in_both_languages() {
    let clients =
        fs::read_dir(common::root().join("tests/c")).expect("tests/c").flatten().map(|entry| entry.path());
    let mut count = 0;
    for source in clients.filter(|path| path.extension().is_some_and(|extension| extension == "c")) {
        for (language, name) in [(Language::C11, "c"), (Language::Cxx17, "c++")] {
            output(language.compiler(Mpi::selected()).args(["-fsyntax-only", "-x", name]).arg(&source));
        }
        count += 1;
    }
    assert!(count >= 7, "only {count} clients found");
}
