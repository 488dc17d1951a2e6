//! All environment variables of hcube in one table: what `hcube doctor`, the manual pages and doc/options.md
//! say of them. A test (tests/manual.rs) compares it with what the sources read.

use hcube_core::machine::work;
use hcube_core::options::Variable;

/// Variables that belong together.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// What they are for.
    pub title: &'static str,
    /// Who reads them.
    pub about: &'static str,
    /// The C structure whose fields stand for the same.
    pub structure: Option<&'static str>,
    /// Of a run; otherwise of building and testing.
    pub of_a_run: bool,
    tables: &'static [&'static [Variable]],
}

impl Group {
    /// Its variables.
    pub fn variables(&self) -> impl Iterator<Item = &'static Variable> {
        self.tables.iter().copied().flatten()
    }
}

/// RandomAccess and HPCC.
pub const RANDOM_ACCESS: Group = Group {
    title: "RandomAccess and HPCC",
    about: "Read by the functions `hcube_random_access_*`, and so by HPCC with hcube and by `hcube gups`. All ranks need \
            the same values.",
    structure: Some("hcube_random_access_options"),
    of_a_run: true,
    tables: &[
        &hcube_random_access::options::ENVIRONMENT,
        &[Variable::new(
            "HCUBE_VERBOSE",
            "0 or 1",
            "0",
            "HPCC: rank 0 says once that the update is active, and how it works here",
        )],
    ],
};

/// The exchange and what stands on it.
pub const ALLTOALL: Group = Group {
    title: "All-to-all exchange and transposition",
    about: "Read by the preload library, the functions `hcube_alltoall*` and `hcube_transpose*`, FFTW with \
            hcube, and `hcube alltoall`. All ranks need the same values.",
    structure: Some("hcube_alltoall_options"),
    of_a_run: true,
    tables: &[&hcube_alltoall::options::ENVIRONMENT],
};

/// What libhcube_preload.so reads besides.
pub const PRELOAD: Group = Group {
    title: "Preload library",
    about: "Read by `libhcube_preload.so`, besides those of the all-to-all exchange.",
    structure: None,
    of_a_run: true,
    tables: &[&[Variable::new(
        "HCUBE_STATS",
        "0, 1 or json:FILE",
        "0",
        "statistics of all ranks, printed by rank 0 at MPI_Finalize; json:FILE writes them to a file, too",
    )]],
};

/// What the solver for FFTW reads besides.
pub const FFTW: Group = Group {
    title: "FFTW",
    about: "Read by `libhcube_fftw.so` and its like, besides those of the all-to-all exchange.",
    structure: None,
    of_a_run: true,
    tables: &[&[
        Variable::new(
            "HCUBE_FFTW",
            "auto, always, never",
            "auto",
            "which transpositions hcube makes: those where it is faster (auto), all that it can (always), none (never)",
        ),
        Variable::new("HCUBE_VERBOSE", "0 or 1", "0", "say why hcube leaves a transposition to FFTW"),
    ]],
};

/// What a simulation hands to its ranks.
pub const SIMULATION: Group = Group {
    title: "Simulation",
    about: "Set by `hcube simulate` for the ranks that it starts.",
    structure: None,
    of_a_run: true,
    tables: &[&[
        Variable::new(
            work::VARIABLE,
            "generate=A,update=B,divide=C,copy=D in nanoseconds",
            "",
            "what local work costs in simulated time",
        ),
        Variable::new("HCUBE_PLATFORM", "a file", "", "the simulated machine"),
    ]],
};

/// What is read while something is built.
pub const BUILD: Group = Group {
    title: "Building",
    about: "Read by `make`, its scripts, the tests, and by `hcube.mk` in the makefiles of HPCC.",
    structure: None,
    of_a_run: false,
    tables: &[&[
        Variable::new(
            "HCUBE_HPCC_TARBALL",
            "a file",
            "",
            "HPCC's source, for a machine that cannot fetch it",
        ),
        Variable::new(
            "HCUBE_FFTW_TARBALL",
            "a file",
            "",
            "FFTW's source, for a machine that cannot fetch it",
        ),
        Variable::new("HCUBE_DIR", "a folder", "", "hcube.mk: hcube's source tree, or where it is installed"),
        Variable::new("HCUBE_MPI", "openmpi, mpich", "openmpi", "hcube.mk: the MPI library"),
        Variable::new(
            "HCUBE_LIBDIR",
            "a folder",
            "",
            "hcube.mk: where libhcube lies, if HCUBE_DIR does not tell",
        ),
        Variable::new(
            "HCUBE_INCLUDEDIR",
            "a folder",
            "",
            "hcube.mk: where hcube.h lies, if HCUBE_DIR does not tell",
        ),
        Variable::new(
            "HCUBE_UPDATE_HEADER",
            "1",
            "",
            "write include/hcube.h instead of comparing it: make header",
        ),
        Variable::new("HCUBE_BUILD_ONLY", "1", "", "scripts/simulate.sh: build and run nothing"),
        Variable::new(
            "HCUBE_TOOL",
            "a file",
            "",
            "scripts/simulate.sh: another hcube than the one that was built",
        ),
        Variable::new(
            "HCUBE_TEST_HOSTS",
            "required",
            "",
            "tests on several hosts fail where there can be none: make test-multihost",
        ),
    ]],
};

/// All of them.
pub const GROUPS: [Group; 6] = [RANDOM_ACCESS, ALLTOALL, PRELOAD, FFTW, SIMULATION, BUILD];

/// The meaning of a variable in each group that has it; empty for a name that hcube does not know.
pub fn meanings(name: &str) -> Vec<&'static str> {
    let mut meanings: Vec<&str> = Vec::new();
    for variable in GROUPS.iter().flat_map(Group::variables).filter(|variable| variable.name == name) {
        if !meanings.contains(&variable.meaning) {
            meanings.push(variable.meaning);
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
    fn meanings_fit_into_sentences() {
        for variable in GROUPS.iter().flat_map(Group::variables) {
            assert!(variable.name.starts_with("HCUBE_") && !variable.values.is_empty(), "{variable:?}");
            assert!(!variable.meaning.ends_with('.') && !variable.meaning.is_empty(), "{variable:?}");
        }
    }
}
