//! Generates the C headers, which are committed and therefore only compared, and names the shared object.
//!
//! Structures and functions come from src by cbindgen; constants, and the documentation of options, from the
//! tables in crates/*/src/options.rs. These are compiled into this program, because a dependency on the
//! crates themselves would link MPI to it. The Fortran modules follow from the headers and from templates.
#![allow(dead_code, unused_imports, reason = "of the tables, only some parts are needed here")]

use std::fmt::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::{env, fs};

// The name `hcube_core` in the tables means these two of its modules.
extern crate self as hcube_core;
#[path = "crates/alltoall/src/options.rs"]
mod alltoall;
#[path = "hpcc-glue/bsplib/header.rs"]
mod bsp;
#[path = "crates/caf/src/state/options.rs"]
mod caf;
#[path = "crates/core/src/error.rs"]
mod error;
#[path = "crates/fft/src/options.rs"]
mod fft;
#[path = "crates/gemm/src/options.rs"]
mod gemm;
#[path = "crates/hpl/src/options.rs"]
mod hpl;
#[path = "crates/matmul/src/options.rs"]
mod matmul;
#[path = "crates/core/src/options/mod.rs"]
mod options;
#[path = "crates/random-access/src/options.rs"]
mod random_access;
#[path = "crates/core/run_path.rs"]
mod run_path;

use hcube_interface::Interface;
use hcube_interface::text::{without_macro, without_safety_sections, wrapped};
use options::{Kind, Name, Setting, Spec, Table};

/// Inputs of this program in addition to the sources of the headers.
const TABLES: [&str; 11] = [
    "crates/alltoall/src/options.rs",
    "crates/caf/src/state/options.rs",
    "crates/core/src/error.rs",
    "crates/core/src/options",
    "crates/fft/src/options.rs",
    "crates/gemm/src/options.rs",
    "crates/hpl/src/options.rs",
    "crates/matmul/src/options.rs",
    "crates/random-access/src/options.rs",
    "hpcc-glue/bsplib/header.rs",
    "cbindgen.toml",
];
/// Written from templates, whose names end in `.in`.
const FORTRAN: [&str; 2] = ["fortran/hcube.f90", "fortran/hcube_caf.f90"];

/// A header of `include/hcube`.
struct Header {
    /// Without `.h`.
    name: &'static str,
    about: &'static str,
    /// Its sources: types first.
    sources: &'static [&'static str],
}

impl Header {
    const fn new(name: &'static str, about: &'static str, sources: &'static [&'static str]) -> Self {
        Self { name, about, sources }
    }
}

/// In the order in which hcube.h includes them.
const HEADERS: [Header; 12] = [
    Header::new("library", "errors and version of hcube", &["src/types/library.rs", "src/library.rs"]),
    Header::new(
        "alltoall",
        "all-to-all, also in place",
        &[
            "src/types/alltoall.rs",
            "src/alltoall.rs",
            "src/alltoall_in_place.rs",
            "src/alltoall_neighbours.rs",
            "src/alltoall_nonblocking.rs",
            "src/alltoall_persistent.rs",
        ],
    ),
    Header::new(
        "transpose",
        "transposition of matrices",
        &["src/types/transpose.rs", "src/transpose.rs", "src/transpose_grid.rs"],
    ),
    Header::new("fft", "Fourier transforms of vectors", &["src/types/fft.rs", "src/fft.rs"]),
    Header::new(
        "gemm",
        "products of distributed matrices: SUMMA and HSUMMA",
        &["src/types/gemm.rs", "src/gemm.rs", "src/pblas.rs"],
    ),
    Header::new("matmul", "products of matrices in blocks by BSP", &["src/types/matmul.rs", "src/matmul.rs"]),
    Header::new(
        "random_access",
        "updates of random words of a distributed table (HPCC RandomAccess)",
        &["src/types/random_access.rs", "src/random_access.rs"],
    ),
    Header::new("panel", "broadcasts of panels, for LU", &["src/types/panel.rs", "src/panel.rs"]),
    Header::new("lcs", "lengths of longest common subsequences", &["src/types/lcs.rs", "src/lcs.rs"]),
    Header::new("stream", "the kernels of STREAM", &["src/types/stream.rs", "src/stream.rs"]),
    Header::new(
        "caf",
        "teams, coarrays, events, copies, collectives and shipped functions of Coarray Fortran 2.0",
        &[
            "src/types/caf.rs",
            "src/caf/runtime.rs",
            "src/caf/teams.rs",
            "src/caf/memory.rs",
            "src/caf/sections.rs",
            "src/caf/copointers.rs",
            "src/caf/synchronisation.rs",
            "src/caf/asynchronous.rs",
            "src/caf/collectives.rs",
            "src/caf/reductions.rs",
            "src/caf/functions.rs",
        ],
    ),
    Header::new(
        "fortran",
        "functions that the Fortran modules call; programs in C do not need them",
        &["src/fortran_alltoall.rs", "src/fortran.rs", "src/fortran_caf.rs"],
    ),
];

/// The standard ABI of MPI 5 has no name for Fortran's handles in C.
const FORTRAN_HANDLES: &str = "
#ifdef MPI_ABI_VERSION
/**
 * A Fortran handle: the integer that MPI_Comm_toint, MPI_Type_toint and MPI_Op_toint return.
 */
typedef int MPI_Fint;
#endif
";

const UMBRELLA: &str =
    "/* hcube: drop-in acceleration of communication-intensive inner loops of MPI programs.
 *
 * This header includes all headers in the directory hcube, one for each system; a program may include only
 * the headers that it needs.
 * Generated by 'make header'; do not edit.
 * Valid C11 and C++17. Compile with the compiler wrapper of the MPI library that hcube was built for.
 *
 * Conventions: a function that can fail returns HCUBE_SUCCESS (0) or an error code HCUBE_ERR_*. If its
 * argument error is not NULL, the hcube_error of the caller receives the same code and a message that
 * names the wrong argument and its value. On failure, no other output is written. The functions that
 * replace MPI functions (hcube_alltoall and its variants) have the arguments of MPI and return the error
 * codes of MPI instead.
 *
 * A function marked 'Collective' must be called by all ranks of the communicator. If the arguments of one
 * rank are not valid, all ranks return an error and no rank is left waiting. Exceptions: an invalid
 * communicator is reported only on the rank that passes it, and calls that are forwarded to the MPI library
 * behave as MPI. A function marked 'Local' does not communicate. A function marked 'One-sided' accesses
 * another image, which need not call a matching function.
 *
 * hcube calls MPI only by the names of the profiling interface (PMPI_*). The program calls MPI_Init and
 * MPI_Finalize, with one exception: hcube_caf_init calls MPI_Init if the program has not, and
 * hcube_caf_finalize then calls MPI_Finalize.
 */
";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=HCUBE_UPDATE_HEADER");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    // MPI keeps addresses of functions that free what is attached to communicators.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    run_path::link("cdylib");
    soname(&out);
    for input in HEADERS.iter().flat_map(|header| header.sources).chain(&TABLES).chain(&bsp::SOURCES) {
        println!("cargo::rerun-if-changed={input}");
    }
    let mut umbrella = format!("{UMBRELLA}\n#ifndef HCUBE_H\n#define HCUBE_H\n\n");
    let mut interface = Interface::default();
    for header in &HEADERS {
        let (file, text) = (format!("include/hcube/{}.h", header.name), generate(header, &out));
        compare(&file, &text);
        interface.read(&file, &text).unwrap_or_else(|error| panic!("{error}"));
        writeln!(umbrella, "#include \"hcube/{}.h\"", header.name).expect("memory");
    }
    compare("include/bsp.h", &bsp::generate(&out));
    compare("include/hcube.h", &(umbrella + "\n#endif  /* HCUBE_H */\n"));
    for module in FORTRAN {
        let template = format!("{module}.in");
        println!("cargo::rerun-if-changed={template}");
        let text = fs::read_to_string(&template).unwrap_or_else(|error| panic!("{template}: {error}"));
        let text = hcube_interface::fortran::module(&text, &interface);
        let text = text.unwrap_or_else(|error| panic!("{template}: {error}"));
        compare(module, &format!("! Generated from {template} by 'make header'; do not edit.\n!\n{text}"));
    }
}

/// Gives the library the name with its major version, which programs look for at run time. Cargo cannot set
/// such names, so symbolic links are created beside the library.
fn soname(out: &Path) {
    let name = format!("libhcube.so.{}", env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets it"));
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{name}");
    // target/<profile>/build/<package>/out
    let profile = out.ancestors().nth(3).expect("a folder of cargo's");
    for folder in [profile.to_owned(), profile.join("deps")] {
        let link = folder.join(&name);
        drop(fs::remove_file(&link));
        symlink("libhcube.so", &link).unwrap_or_else(|error| panic!("{}: {error}", link.display()));
    }
}

/// Compares a committed file with what it must be; `HCUBE_UPDATE_HEADER=1` writes it instead.
fn compare(committed: &str, new: &str) {
    println!("cargo::rerun-if-changed={committed}");
    let old = fs::read_to_string(committed).unwrap_or_default();
    if new == old {
        return;
    }
    assert!(
        env::var_os("HCUBE_UPDATE_HEADER").is_some(),
        "{committed} is out of date: run 'make header' and commit it"
    );
    let folder = Path::new(committed).parent().expect("a file lies in a folder");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(committed, new))
        .unwrap_or_else(|error| panic!("{committed}: {error}"));
}

/// Generates a header.
fn generate(header: &Header, out: &Path) -> String {
    let Header { name, about, sources } = header;
    let mut config = cbindgen::Config::from_file("cbindgen.toml").expect("cbindgen.toml is valid");
    let origin = format!("Generated from {} by 'make header'; do not edit.", sources.join(" and "));
    // Long lists of sources are broken, short ones are not.
    let origin = if sources.len() > 3 { wrapped(" * ", &origin) } else { format!(" * {origin}") };
    config.header =
        Some(format!("/* hcube/{name}.h: {about}.\n *\n{origin}\n * The conventions are in hcube.h.\n */"));
    config.include_guard = Some(format!("HCUBE_{}_H", name.to_uppercase()));
    if *name != "library" {
        config.sys_includes.insert(0, "mpi.h".to_owned());
        config.includes = vec!["library.h".to_owned()];
    }
    if *name == "fortran" {
        let others = ["alltoall.h", "transpose.h", "gemm.h", "random_access.h", "caf.h"];
        config.includes.extend(others.map(str::to_owned));
    }
    // Structures of other headers: cbindgen writes `struct` only before those that it knows.
    for structure in HEADERS.iter().filter(|other| other.name != *name).flat_map(structures) {
        config.export.rename.insert(structure.clone(), format!("struct {structure}"));
    }
    config.export.include = structures(header);
    let handles = if *name == "fortran" { FORTRAN_HANDLES } else { "" };
    config.after_includes = Some(constants(name) + handles).filter(|text| !text.is_empty());
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in *sources {
        builder = builder.with_src(written_out(source, out));
    }
    let generated = out.join(format!("{name}.h"));
    builder.generate().expect("cbindgen reads the interface").write_to_file(&generated);
    documented(&without_safety_sections(&fs::read_to_string(&generated).expect("just written")))
}

/// A source for cbindgen, which expands no macros: functions in `exported!` are written out.
fn written_out(source: &str, out: &Path) -> PathBuf {
    let text = fs::read_to_string(source).unwrap_or_else(|error| panic!("{source}: {error}"));
    let path = out.join(source.replace('/', "-"));
    fs::write(&path, without_macro(&text, "exported")).expect("cargo's folder is writable");
    path
}

/// The structures that a header declares.
fn structures(header: &Header) -> Vec<String> {
    let text: String =
        header.sources.iter().map(|source| fs::read_to_string(source).expect("a source file")).collect();
    let name = |line: &str| {
        line.strip_prefix("pub struct hcube_")?.strip_suffix(" {").map(|name| format!("hcube_{name}"))
    };
    text.lines().filter_map(name).collect()
}

/// The constants of C: what they belong to, and their names.
fn tables() -> [(&'static str, &'static [Name]); 15] {
    [
        ("hcube_updates.stream", random_access::StreamKind::NAMES),
        ("hcube_random_access_options.mode", random_access::Mode::NAMES),
        ("hcube_random_access_options.optimisations", random_access::Optimisations::KIND.names()),
        ("hcube_alltoall_options.schedule", alltoall::Schedule::NAMES),
        ("hcube_alltoall_options.path", alltoall::Path::NAMES),
        ("hcube_fft_options.algorithm", fft::Algorithm::NAMES),
        ("hcube_fft_options.radix", fft::Radix::NAMES),
        ("hcube_gemm.element", gemm::Element::NAMES),
        ("hcube_gemm_options.algorithm", gemm::Algorithm::NAMES),
        ("hcube_gemm_options.stationary", gemm::Stationary::NAMES),
        ("hcube_gemm_options.broadcast", gemm::BroadcastChoice::NAMES),
        ("hcube_matmul.distribution", matmul::Distribution::NAMES),
        ("hcube_panels_options.topology", hpl::Topology::NAMES),
        ("hcube_caf_atomic.operation", caf::Action::NAMES),
        ("hcube_caf_image_status.status", caf::Status::NAMES),
    ]
}

/// The constant for all bits of a set, with its value.
fn whole_set(field: &str) -> Option<(&'static str, i64)> {
    let Kind::Set { all, .. } = random_access::Optimisations::KIND else { return None };
    field.ends_with(".optimisations").then(|| (all, random_access::Optimisations::KIND.all()))
}

/// The constants of a header.
fn constants(header: &str) -> String {
    let mut text = String::new();
    let mut define = |doc: &str, name: &str, value: String| {
        write!(text, "\n/**\n{}\n */\n#define {name} {value}\n", wrapped(" * ", doc)).expect("memory");
    };
    if header == "library" {
        let of = |name: &str| env::var(format!("CARGO_PKG_VERSION{name}")).expect("cargo sets it");
        define(
            "Version of this header, as text and as numbers; hcube_version() returns the version of the library.",
            "HCUBE_VERSION",
            format!("\"{}\"", of("")),
        );
        for part in ["MAJOR", "MINOR", "PATCH"] {
            define(
                &format!("Version of this header: the {} number.", part.to_lowercase()),
                &format!("HCUBE_VERSION_{part}"),
                of(&format!("_{part}")),
            );
        }
        for code in error::CODES {
            define(
                &format!("{}.", code.text.to_str().expect("ASCII")),
                code.constant,
                code.number.to_string(),
            );
        }
    }
    let mut owners: Vec<String> =
        HEADERS.iter().filter(|other| other.name == header).flat_map(structures).collect();
    // A function that has the name of the header, or is one of its functions.
    owners.push(format!("hcube_{header}"));
    let is_own = |field: &str| {
        owners.iter().any(|name| field.starts_with(&format!("{name}.")))
            || field.starts_with(&format!("hcube_{header}_"))
    };
    if header == "caf" {
        define("This image, wherever an image of a team is named.", "HCUBE_CAF_THIS_IMAGE", "(-1)".into());
    }
    for (field, names) in tables() {
        if !is_own(field) {
            continue;
        }
        for name in names {
            define(
                &format!("{field}: {}.", options::phrase(&name.meaning())),
                name.constant,
                name.number.to_string(),
            );
        }
        if let Some((name, value)) = whole_set(field) {
            define(&format!("{field}: all of them."), name, value.to_string());
        }
    }
    text.trim_end().to_owned()
}

/// Replaces links to options and tables by their documentation.
fn documented(header: &str) -> String {
    let mut text = String::new();
    for line in header.lines() {
        let prefix = &line[..line.find(|c| c != ' ' && c != '*').unwrap_or(line.len())];
        let parts = line.split_once("[`hcube_").and_then(|(text, rest)| Some((text, rest.split_once("`]")?)));
        match parts.map(|(before, (link, after))| (&before[prefix.len()..], meaning(link), after)) {
            Some((before, meaning, after)) => text += &wrapped(prefix, &format!("{before}{meaning}{after}")),
            None => text += line,
        }
        text += "\n";
    }
    text
}

/// The documentation of `random_access::Options::mode`, or the variables of `random_access::Options`.
fn meaning(link: &str) -> String {
    let (system, field) = link.split_once("::Options").expect("a link to options");
    let field = field.strip_prefix("::");
    match system {
        "random_access" => table::<random_access::Options>(field),
        "alltoall" => table::<alltoall::Options>(field),
        "fft" => table::<fft::Options>(field),
        "gemm" => table::<gemm::Options>(field),
        "caf" => table::<caf::Options>(field),
        _ => panic!("{link}: no such system"),
    }
}

fn table<O: Table>(field: Option<&str>) -> String {
    match field {
        Some(field) => option(O::setting(field)),
        None => {
            let variables: Vec<&str> = O::variables().iter().map(|variable| variable.name).collect();
            let (last, others) = variables.split_last().expect("a table has rows");
            format!("{} and {last}", others.join(", "))
        }
    }
}

/// The documentation of a field.
fn option<O>(row: &Setting<O>) -> String {
    let Spec { variable, part, kind, default, .. } = row.spec;
    let values = match kind {
        Kind::One(names) => format!("{}*", common_start(names)),
        Kind::Set { names, .. } => {
            let names: Vec<&str> = names.iter().map(|name| name.constant).collect();
            format!("the bitwise OR of any of {}", names.join(", "))
        }
        Kind::Count { .. } => kind.values(),
        Kind::Bytes { .. } | Kind::Flag => kind.numbers(),
    };
    format!(
        "{} Values: {values}. Default: {}. Environment variable: {variable}{}.",
        row.spec.meaning(),
        kind.constant(default),
        part.pair().map(|pair| format!("={}", pair.pattern)).unwrap_or_default()
    )
}

/// `HCUBE_MODE_`: how the names of constants begin.
fn common_start(names: &[Name]) -> String {
    let [first, others @ ..] = names else { return String::new() };
    let common = |end: &usize| others.iter().all(|name| name.constant.starts_with(&first.constant[..*end]));
    let length = (0..=first.constant.len()).rev().find(common).unwrap_or_default();
    first.constant[..length].to_owned()
}
