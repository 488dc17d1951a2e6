//! The names of all environment variables of hcube, and those that somebody has misspelt.
//!
//! The systems declare their variables in tables of their own, and a library of hcube contains only some of
//! the systems. A misspelt variable of any system is named by all libraries, so the names are listed here; a
//! test of the tool compares the list with the tables.

/// Variables that libraries and commands read in a run.
pub const OF_A_RUN: [&str; 33] = [
    "HCUBE_ALLTOALL",
    "HCUBE_BSP_PROFILE",
    "HCUBE_BSP_SINGLE_COPY",
    "HCUBE_CAF_LOOK",
    "HCUBE_CAF_PROGRESS",
    "HCUBE_DIMENSIONS",
    "HCUBE_FFT",
    "HCUBE_FFTW",
    "HCUBE_FFT_RADIX",
    "HCUBE_GEMM",
    "HCUBE_GEMM_BLOCK",
    "HCUBE_GEMM_BROADCAST",
    "HCUBE_GEMM_GROUPS",
    "HCUBE_GEMM_LEVELS",
    "HCUBE_GEMM_MEMORY",
    "HCUBE_GEMM_STATIONARY",
    "HCUBE_HPCC",
    "HCUBE_HUGE_PAGES",
    "HCUBE_LLCS_ALPHA",
    "HCUBE_LLCS_BARRIERS",
    "HCUBE_LLCS_BLOCK_ROWS",
    "HCUBE_LLCS_KERNEL",
    "HCUBE_LOOK_AHEAD",
    "HCUBE_MEMORY",
    "HCUBE_MODE",
    "HCUBE_OPTIMISATIONS",
    "HCUBE_PATH",
    "HCUBE_PLATFORM",
    "HCUBE_RANKS_PER_NODE",
    "HCUBE_RELAXED",
    "HCUBE_SIMULATED_COSTS",
    "HCUBE_STATS",
    "HCUBE_VERBOSE",
];

/// Variables that are read only while something is built or tested. Nobody who misspells one of a run is told
/// of these.
pub const OF_A_BUILD: [&str; 17] = [
    "HCUBE_BUILD_ONLY",
    "HCUBE_DIR",
    "HCUBE_FAULT_SECONDS",
    "HCUBE_FAULT_STEPS",
    "HCUBE_FC",
    "HCUBE_FFTW_TARBALL",
    "HCUBE_GCC_PACKAGE",
    "HCUBE_HPCC_TARBALL",
    "HCUBE_INCLUDEDIR",
    "HCUBE_LAB",
    "HCUBE_LIBDIR",
    "HCUBE_MPI",
    "HCUBE_OPENCOARRAYS_TARBALL",
    "HCUBE_SUITES",
    "HCUBE_TEST_SKIP",
    "HCUBE_TOOL",
    "HCUBE_UPDATE_HEADER",
];

/// Beginnings of the names that tests and scripts of hcube set.
const OF_TESTS: [&str; 4] = ["HCUBE_TEST_", "HCUBE_FAULT", "HCUBE_FUZZ_", "HCUBE_UPDATE_"];

/// The beginning of the names of all variables of hcube.
pub const PREFIX: &str = "HCUBE_";

/// Whether hcube or its tests have a variable of this name.
pub fn is_known(name: &str) -> bool {
    let of_tests = OF_TESTS.iter().any(|beginning| name.starts_with(beginning));
    of_tests || OF_A_RUN.contains(&name) || OF_A_BUILD.contains(&name)
}

/// The letters that distinguish a name: without the common prefix and underscores.
fn letters(name: &str) -> Vec<u8> {
    name.bytes().skip(PREFIX.len()).filter(|&letter| letter != b'_').collect()
}

/// Letters that were left out, added or replaced, and neighbours that were exchanged.
fn distance(one: &[u8], other: &[u8]) -> usize {
    let (rows, columns) = (one.len() + 1, other.len() + 1);
    let mut table = vec![0; rows * columns];
    for row in 0..rows {
        for column in 0..columns {
            let at = |up: usize, left: usize| table[(row - up) * columns + column - left];
            let value = match (row, column) {
                (0, _) => column,
                (_, 0) => row,
                _ => {
                    let differs = usize::from(one[row - 1] != other[column - 1]);
                    let exchanged = row > 1
                        && column > 1
                        && one[row - 1] == other[column - 2]
                        && one[row - 2] == other[column - 1];
                    let least = (at(1, 1) + differs).min(at(1, 0) + 1).min(at(0, 1) + 1);
                    if exchanged { least.min(at(2, 2) + 1) } else { least }
                }
            };
            table[row * columns + column] = value;
        }
    }
    table[rows * columns - 1]
}

/// The variable of a run that an unknown name most likely means: one letter in four may be wrong, or the end
/// may be missing. Nothing for a known name, and for one that resembles none: it belongs to somebody else.
pub fn nearest(name: &str) -> Option<&'static str> {
    if is_known(name) || !name.starts_with(PREFIX) {
        return None;
    }
    let own = letters(name);
    let candidates = OF_A_RUN.iter().filter_map(|&known| {
        let other = letters(known);
        let wrong = distance(&own, &other);
        let is_near = wrong <= (own.len() / 4).max(1) && own.len() > 1;
        let is_beginning = own.len() > 2 && other.starts_with(&own);
        (is_near || is_beginning).then_some((wrong, known))
    });
    candidates.min_by_key(|&(wrong, _)| wrong).map(|(_, known)| known)
}

/// What is said of a misspelt variable.
pub fn did_you_mean(name: &str, nearest: &str) -> String {
    format!("{name} is not a variable of hcube; did you mean {nearest}?")
}

/// A sentence for each misspelt variable of this process, in alphabetical order.
pub fn misspelt() -> Vec<String> {
    if super::is_privileged() {
        return Vec::new();
    }
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let mut found: Vec<String> =
        names.filter_map(|name| nearest(&name).map(|known| did_you_mean(&name, known))).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_have_a_nearest_one() {
        for (name, expected) in [
            ("HCUBE_PTH", "HCUBE_PATH"),
            ("HCUBE_PAHT", "HCUBE_PATH"),
            ("HCUBE_STAT", "HCUBE_STATS"),
            ("HCUBE_ALL_TO_ALL", "HCUBE_ALLTOALL"),
            ("HCUBE_MEM", "HCUBE_MEMORY"),
            ("HCUBE_RANK_PER_NODE", "HCUBE_RANKS_PER_NODE"),
            ("HCUBE_RANKS", "HCUBE_RANKS_PER_NODE"),
            ("HCUBE_GEM", "HCUBE_GEMM"),
            ("HCUBE_OPTIMIZATIONS", "HCUBE_OPTIMISATIONS"),
            ("HCUBE_LOOKAHED", "HCUBE_LOOK_AHEAD"),
        ] {
            assert_eq!(nearest(name), Some(expected), "{name}");
        }
        assert_eq!(
            did_you_mean("HCUBE_PTH", "HCUBE_PATH"),
            "HCUBE_PTH is not a variable of hcube; did you mean HCUBE_PATH?"
        );
    }

    #[test]
    fn names_of_others_and_of_tests_are_left_alone() {
        for name in OF_A_RUN.into_iter().chain(OF_A_BUILD) {
            assert_eq!(nearest(name), None, "{name}");
        }
        // What sites set for an installation, what tests set, and what is not hcube's.
        for name in [
            "HCUBE_ROOT",
            "HCUBE_HOME",
            "HCUBE_PREFIX",
            "HCUBE_VERSION",
            "HCUBE_LIB",
            "HCUBE_TEST_HANG",
            "HCUBE_FUZZ_TARGET",
            "HCUBE_UPDATE_ABI",
            "HCUBE_",
            "HCUBE_X",
            "PATH",
        ] {
            assert_eq!(nearest(name), None, "{name}");
        }
    }

    #[test]
    fn exchanged_letters_count_once() {
        let apart = |one: &str, other: &str| distance(one.as_bytes(), other.as_bytes());
        assert_eq!([apart("PATH", "PAHT"), apart("", "AB"), apart("MODE", "MEMORY")], [1, 2, 4]);
    }
}
