//! Generates `include/bsp.h`: a part of the build program of the root package.

use super::{without_safety_sections, written_out};
use std::fs;
use std::path::Path;

/// What `include/bsp.h` is generated from.
pub const SOURCES: [&str; 3] = [
    "hpcc-glue/bsplib/src/classic.rs",
    "hpcc-glue/bsplib/src/extras.rs",
    "hpcc-glue/bsplib/src/multicore.rs",
];

const ABOUT: &str = "/* bsp.h: BSPlib, bulk-synchronous parallel programs (Hill et al. 1998).
 *
 * Generated from hpcc-glue/bsplib/src by 'make header'; do not edit.
 * Valid C99 and C++17. Compile and link with bspcc or bspcxx, start with bsprun.
 *
 * All processes run the SPMD part of the program, from bsp_begin to bsp_end. It is a sequence of supersteps, each of
 * which bsp_sync ends: communication that a process requests in a superstep is performed at the end of the superstep.
 * An error ends the job within a second; a line on standard error names process, function, argument and value. An
 * operation of 0 bytes has no effect, and its arguments are not checked.
 *
 * Dialects: the functions bsp_* are the classic dialect, BSPlib (1998), with int for processes and sizes. With BSP_MCBSP
 * defined before the header is included, or with mcbsp.h, these names are macros for the functions mcbsp_*, which have
 * the types of MulticoreBSP for C: unsigned int for processes and size_t for sizes; -1 in the comments is then
 * (size_t) -1. With MCBSP_COMPATIBILITY_MODE defined as well, the names are the classic dialect, as in MulticoreBSP
 * for C.
 */";

/// The type names of programs, also under the names of MulticoreBSP for C, and declarations that Rust cannot
/// express. Programs for Oxford's toolset rely on its header for `stdio.h`.
const BEFORE: &str = r#"#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#ifdef MCBSP_COMPATIBILITY_MODE
#undef BSP_MCBSP
#endif

#ifdef BSP_MCBSP
typedef unsigned int bsp_pid_t;
typedef unsigned int bsp_nprocs_t;
typedef size_t bsp_size_t;
#else
typedef int bsp_pid_t;
typedef int bsp_nprocs_t;
typedef int bsp_size_t;
#endif

/**
 * The same types, under the names of MulticoreBSP for C.
 */
#define MCBSP_PROCESSOR_INDEX_DATATYPE bsp_pid_t
#define MCBSP_NUMMSG_TYPE bsp_nprocs_t
#define MCBSP_BYTESIZE_TYPE bsp_size_t

#if defined(__GNUC__)
#define BSP_FORMAT(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define BSP_FORMAT(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Prints a message in the format of printf, and ends all processes of the job.
 */
void bsp_abort(const char *format, ...) BSP_FORMAT(1, 2);

/**
 * As bsp_abort, with a va_list, as vprintf takes it.
 */
void bsp_abort_va(const char *format, va_list arguments);

/**
 * As bsp_abort_va, under the name of MulticoreBSP for C.
 */
void bsp_vabort(const char *format, va_list arguments);

#ifdef __cplusplus
}
#endif"#;

/// Generates `include/bsp.h`.
pub fn generate(out: &Path) -> String {
    let mut config = cbindgen::Config::from_file("cbindgen.toml").expect("cbindgen.toml is valid");
    config.header = Some(ABOUT.to_owned());
    config.include_guard = Some("HCUBE_BSP_H".to_owned());
    config.sys_includes = Vec::new();
    config.after_includes = Some(BEFORE.to_owned());
    let mut names: Vec<String> = Vec::new();
    let mut builder = cbindgen::Builder::new();
    for source in SOURCES {
        let text = fs::read_to_string(source).expect("a source file");
        names.extend(text.match_indices("fn mcbsp_").map(|(at, _)| {
            let name = &text[at + "fn mcbsp_".len()..];
            name[..name.find('(').expect("arguments")].to_owned()
        }));
        builder = builder.with_src(written_out(source, out));
    }
    let dialect: String = names.iter().map(|name| format!("#define bsp_{name} mcbsp_{name}\n")).collect();
    config.trailer = Some(format!("#ifdef BSP_MCBSP\n{dialect}#endif  /* BSP_MCBSP */"));
    let generated = out.join("bsp.h");
    builder.with_config(config).generate().expect("cbindgen reads the interface").write_to_file(&generated);
    let text = fs::read_to_string(&generated).expect("just written");
    without_safety_sections(&text).replace("uintptr_t", "size_t").replace("#include <stdint.h>\n", "")
}
