//! All environment variables of hcube: options of the systems, from their tables, and the others.
//! `hcube doctor`, the manual pages and doc/options.md say what stands here; a test (lab/tests/manual.rs)
//! compares it with what the sources read.

use hcube_core::machine::work;
use hcube_core::options::{Table, Variable};

/// Variables that belong together.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// What they are for.
    pub title: &'static str,
    /// Who reads them.
    pub about: &'static str,
    /// The C structure whose fields have the same meaning.
    pub structure: Option<&'static str>,
    /// The command of the tool whose options have the same meaning.
    pub command: Option<&'static str>,
    /// Of a run; otherwise of building and testing.
    pub of_a_run: bool,
    /// The options of a system.
    options: fn() -> Vec<Variable>,
    others: &'static [Variable],
}

impl Group {
    pub fn variables(&self) -> impl Iterator<Item = Variable> + use<> {
        (self.options)().into_iter().chain(self.others.iter().cloned())
    }
}

pub const RANDOM_ACCESS: Group = Group {
    title: "RandomAccess and HPCC",
    about: "Read by the functions `hcube_random_access_*`, and therefore by HPCC with hcube and by `hcube bench \
            random-access`. The values must be the same on all ranks.",
    structure: Some("hcube_random_access_options"),
    of_a_run: true,
    command: Some("hcube bench random-access"),
    options: hcube_random_access::Options::variables,
    others: &[
        Variable::new(
            "HCUBE_HPCC",
            "list of ra, fft, hpl, stream, ptrans; none",
            "ra,fft,hpl,stream,ptrans",
            "kernels of HPCC that hcube serves; HPCC's own code runs for the others",
        ),
        Variable::new(
            "HCUBE_VERBOSE",
            "0 or 1",
            "0",
            "HPCC: rank 0 reports once for each kernel that hcube serves it, and how it works here",
        ),
    ],
};

/// The all-to-all exchange and the systems that use it.
pub const ALLTOALL: Group = Group {
    title: "All-to-all exchange and transposition",
    about: "Read by the preload library, the functions `hcube_alltoall*` and `hcube_transpose*`, FFTW with \
            hcube, and `hcube bench alltoall`. The values must be the same on all ranks.",
    structure: Some("hcube_alltoall_options"),
    of_a_run: true,
    command: Some("hcube bench alltoall"),
    options: hcube_alltoall::Options::variables,
    others: &[],
};

/// Fourier transforms.
pub const FFT: Group = Group {
    title: "Fourier transforms",
    about: "Read by the functions `hcube_fft_*`, and therefore by HPCC with hcube, in addition to the variables of the all-to-all \
            exchange. The values must be the same on all ranks.",
    structure: Some("hcube_fft_options"),
    of_a_run: true,
    command: None,
    options: hcube_fft::Options::variables,
    others: &[],
};

/// Values of HCUBE_STATS, which several libraries read; fftw concerns only the solver for FFTW.
const STATS_VALUES: &str = "0, 1, fftw or json:FILE";

/// Matrix products.
pub const GEMM: Group = Group {
    title: "Matrix multiplication",
    about: "Read by `libhcube_pblas.so` and the functions `hcube_gemm*` and `hcube_p?gemm_`. The values must be the same on \
            all ranks.",
    structure: Some("hcube_gemm_options"),
    of_a_run: true,
    command: None,
    options: hcube_gemm::options::Options::variables,
    others: &[],
};

/// BSP programs.
pub const BSP: Group = Group {
    title: "BSP programs",
    about: "Read by `libhcube_bsp.so`. The values must be the same in all processes.",
    structure: None,
    of_a_run: true,
    command: None,
    options: hcube_bsp::Options::variables,
    others: &[Variable::new(
        "HCUBE_BSP_PROFILE",
        "a file",
        "",
        "the cost of each superstep is written to this file at bsp_end; `hcube profile` shows it",
    )],
};

/// Longest common subsequences.
pub const LCS: Group = Group {
    title: "Longest common subsequences",
    about: "Read by `hcube_llcs` and `hcube llcs`. The values must be the same on all ranks.",
    structure: None,
    of_a_run: true,
    command: Some("hcube llcs"),
    options: hcube_lcs::options::Options::variables,
    others: &[],
};

/// Coarray programs.
pub const CAF: Group = Group {
    title: "Coarray programs",
    about: "Read by `hcube_caf_init`. The values must be the same on all images.",
    structure: None,
    of_a_run: true,
    command: None,
    options: hcube_caf::Options::variables,
    others: &[],
};

/// Variables of a run that no system's table has.
const UNTABLED: Group = Group {
    title: "",
    about: "",
    structure: None,
    of_a_run: true,
    command: None,
    options: Vec::new,
    others: &[],
};

/// Read only by libhcube_pblas.so.
pub const SCALAPACK: Group = Group {
    title: "ScaLAPACK",
    about: "Read by `libhcube_pblas.so`, in addition to the variables of matrix multiplication.",
    others: &[Variable::new(
        "HCUBE_STATS",
        STATS_VALUES,
        "0",
        "statistics of all ranks, printed by rank 0 in MPI_Finalize; json:FILE also writes them to FILE, or to FILE.pblas \
         beside the preload library",
    )],
    ..UNTABLED
};

/// Read only by libhcube_preload.so.
pub const PRELOAD: Group = Group {
    title: "Preload library",
    about: "Read by `libhcube_preload.so`, in addition to the variables of the all-to-all exchange.",
    others: &[Variable::new(
        "HCUBE_STATS",
        STATS_VALUES,
        "0",
        "statistics of all ranks, printed by rank 0 in MPI_Finalize; json:FILE also writes them to FILE; with fftw, only the \
         solver for FFTW prints a line",
    )],
    ..UNTABLED
};

/// Read only by libhcube_caf.so.
pub const GFORTRAN: Group = Group {
    title: "Coarrays of gfortran",
    about: "Read by `libhcube_caf.so`, in addition to the variables of coarray programs.",
    others: &[Variable::new(
        "HCUBE_STATS",
        STATS_VALUES,
        "0",
        "statistics of the coarray statements of all images, printed at the end; json:FILE also writes them to FILE, or to \
         FILE.caf beside other libraries with statistics",
    )],
    ..UNTABLED
};

/// Read only by the solver for FFTW.
pub const FFTW: Group = Group {
    title: "FFTW",
    about: "Read by `libhcube_fftw.so`, `libhcube_fftwf.so` and `libhcube_fftwl.so`, in addition to the variables of the all-to-all exchange.",
    others: &[
        Variable::new(
            "HCUBE_FFTW",
            "auto, always, never",
            "auto",
            "which transpositions hcube performs: those in which it is faster (auto), all that it can (always), none (never)",
        ),
        Variable::new("HCUBE_VERBOSE", "0 or 1", "0", "report why FFTW performs a transposition itself"),
        Variable::new(
            "HCUBE_STATS",
            STATS_VALUES,
            "0",
            "rank 0 prints at the end whether the solver was registered and used, and why not; fftw prints nothing else and \
             is set by hcube-run --fftw",
        ),
    ],
    ..UNTABLED
};

/// What a simulation passes to its ranks.
pub const SIMULATION: Group = Group {
    title: "Simulation",
    about: "Set by `hcube-lab simulate` for the ranks that it starts.",
    others: &[
        Variable::new(
            work::VARIABLE,
            "generate=A,update=B,divide=C,copy=D in nanoseconds",
            "",
            "simulated time of local work",
        ),
        Variable::new("HCUBE_PLATFORM", "a file", "", "the simulated machine"),
    ],
    ..UNTABLED
};

/// What is read while something is built.
pub const BUILD: Group = Group {
    title: "Building",
    about: "Read by `make`, its scripts, the tests, `hcube-caf`, and by `hcube.mk` in the makefiles of HPCC.",
    of_a_run: false,
    others: &[
        Variable::new(
            "HCUBE_HPCC_TARBALL",
            "a file",
            "",
            "source of HPCC, for a machine without access to the Internet",
        ),
        Variable::new(
            "HCUBE_FFTW_TARBALL",
            "a file",
            "",
            "source of FFTW, for a machine without access to the Internet",
        ),
        Variable::new(
            "HCUBE_OPENCOARRAYS_TARBALL",
            "a file",
            "",
            "source of OpenCoarrays, for a machine without access to the Internet: its tests are run",
        ),
        Variable::new(
            "HCUBE_GCC_PACKAGE",
            "a file",
            "",
            "package gcc-12-source of Debian, whose tests of coarrays `scripts/check-deep.sh coarrays` runs",
        ),
        Variable::new(
            "HCUBE_FAULT_STEPS",
            "a number",
            "6",
            "steps of each source after which `scripts/check-deep.sh faults` lets a rank fail, spread evenly; 0 for all",
        ),
        Variable::new(
            "HCUBE_FAULT_SECONDS",
            "seconds",
            "30",
            "how long `scripts/check-deep.sh faults` stops the first and the last rank of each system once; other stops take 2 s",
        ),
        Variable::new(
            "HCUBE_SUITES",
            "a directory",
            "",
            "clones of correctness suites, named corrbench, mbi and bugbench, which `scripts/check-deep.sh suites` runs",
        ),
        Variable::new(
            "HCUBE_DIR",
            "a directory",
            "",
            "hcube.mk: source tree of hcube, or its installation prefix",
        ),
        Variable::new("HCUBE_MPI", "openmpi, mpich", "openmpi", "hcube.mk: the MPI library"),
        Variable::new(
            "HCUBE_LIBDIR",
            "a directory",
            "",
            "hcube.mk: directory of libhcube, if it does not follow from HCUBE_DIR",
        ),
        Variable::new(
            "HCUBE_INCLUDEDIR",
            "a directory",
            "",
            "hcube.mk: directory of hcube.h, if it does not follow from HCUBE_DIR",
        ),
        Variable::new(
            "HCUBE_UPDATE_HEADER",
            "1",
            "",
            "write the headers and the Fortran modules instead of comparing them: make header",
        ),
        Variable::new("HCUBE_FC", "a command", "", "hcube-caf: the compiler, gfortran 12 to 14; before FC"),
        Variable::new("HCUBE_BUILD_ONLY", "1", "", "scripts/simulate.sh: build, but do not run"),
        Variable::new(
            "HCUBE_TOOL",
            "a file",
            "",
            "scripts/simulate.sh: the tool to use instead of the one that was built",
        ),
        Variable::new(
            "HCUBE_LAB",
            "a file",
            "",
            "scripts/manual.sh: hcube-lab, if it belongs to another build",
        ),
        Variable::new(
            "HCUBE_TEST_SKIP",
            "names, separated by commas",
            "",
            "tests that may be skipped where CI=true; CONTRIBUTING.md lists the names",
        ),
    ],
    ..UNTABLED
};

pub const GROUPS: [Group; 13] = [
    RANDOM_ACCESS,
    ALLTOALL,
    FFT,
    GEMM,
    BSP,
    LCS,
    CAF,
    GFORTRAN,
    PRELOAD,
    SCALAPACK,
    FFTW,
    SIMULATION,
    BUILD,
];

/// The meaning of a variable in each group that has it; empty for a name that hcube does not know.
pub fn meanings(name: &str) -> Vec<String> {
    let mut meanings: Vec<String> = Vec::new();
    for variable in GROUPS.iter().flat_map(Group::variables).filter(|variable| variable.name == name) {
        let meaning = variable.meaning.into_owned();
        if !meanings.contains(&meaning) {
            meanings.push(meaning);
        }
    }
    meanings
}

/// The names of variables of a run, each once.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for variable in GROUPS.iter().filter(|group| group.of_a_run).flat_map(Group::variables) {
        if !names.contains(&variable.name) {
            names.push(variable.name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::options::known;

    #[test]
    fn variables_of_several_uses_have_several_meanings_and_one_name() {
        assert_eq!(meanings("HCUBE_RANKS_PER_NODE").len(), 1);
        assert_eq!(meanings("HCUBE_VERBOSE").len(), 2);
        assert!(meanings("HCUBE_MODEL").is_empty());
        let names = names();
        assert_eq!(names.iter().filter(|&&name| name == "HCUBE_VERBOSE").count(), 1);
        assert!(!names.contains(&"HCUBE_DIR") && names.contains(&"HCUBE_STATS"));
    }

    #[test]
    fn libraries_know_all_names() {
        let sorted = |mut names: Vec<&'static str>| {
            names.sort_unstable();
            names.dedup();
            names
        };
        let all = GROUPS.iter().flat_map(Group::variables).map(|variable| variable.name).collect();
        assert_eq!(sorted(all), sorted([&known::OF_A_RUN[..], &known::OF_A_BUILD].concat()));
        assert!(names().iter().all(|name| known::OF_A_RUN.contains(name)));
    }

    #[test]
    fn meanings_fit_into_sentences() {
        for variable in GROUPS.iter().flat_map(Group::variables) {
            assert!(variable.name.starts_with("HCUBE_") && !variable.values.is_empty(), "{variable:?}");
            assert!(!variable.meaning.ends_with('.') && !variable.meaning.is_empty(), "{variable:?}");
        }
    }
}
