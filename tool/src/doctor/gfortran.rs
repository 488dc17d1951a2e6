//! What Fortran programs with coarrays have here: the library for this MPI library, a compiler whose
//! interface it has, and OpenCoarrays, whose place it can take.

use super::finding::{Finding, State, Topic};
use super::own::Wanted;
use crate::bench::library::{file_of, load, mpi_name};
use hcube_core::mpi::handle;
use hcube_core::node::loader::Library;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::Command;

const TOPIC: Topic = Topic::Gfortran;

/// Major versions of gfortran whose interface libhcube_caf has.
const VERSIONS: RangeInclusive<u32> = 12..=14;

const LIBRARY: Wanted = Wanted {
    topic: TOPIC,
    name: "libhcube_caf.so",
    functions: &[c"_gfortran_caf_get", c"_gfortran_caf_send_by_ref", c"_gfortran_caf_co_sum"],
    what: "functions for coarrays of gfortran",
    advice: "only Fortran programs with coarrays need it; 'hcube-caf --show a.f90' prints the directory in which they search \
             it",
};

/// What was found on this rank.
pub fn all() -> Vec<Finding> {
    vec![LIBRARY.find(), compiler(), open_coarrays()]
}

/// The compiler that the user names for hcube-caf, or gfortran.
fn compiler() -> Finding {
    let named = std::env::var("HCUBE_FC").unwrap_or_default();
    let name = named.split_whitespace().next().unwrap_or("gfortran");
    let output = Command::new(name).arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    judge_compiler(name, text.ok().as_deref())
}

/// From what a compiler says of its version; nothing if it does not start.
fn judge_compiler(name: &str, said: Option<&str>) -> Finding {
    let expected = format!("gfortran {} to {}", VERSIONS.start(), VERSIONS.end());
    let advice = format!("hcube-caf needs {expected}: install one, or name it by HCUBE_FC");
    let Some(version) = said.and_then(version) else {
        let text = match said {
            Some(_) => format!("{name} is not gfortran"),
            None => format!("{name} was not found in the search path"),
        };
        return Finding::new(TOPIC, State::Fact, text).advise(advice);
    };
    let text = match name {
        "gfortran" => format!("gfortran {version}"),
        _ => format!("{name} is gfortran {version}"),
    };
    let major = version.split('.').next().and_then(|major| major.parse().ok());
    if major.is_some_and(|major| VERSIONS.contains(&major)) {
        return Finding::new(TOPIC, State::Good, format!("{text}, whose interface libhcube_caf.so has"));
    }
    Finding::new(TOPIC, State::Fact, text).advise(advice)
}

/// The version in the first line of what gfortran says; other words and numbers stand before it and behind
/// it.
fn version(said: &str) -> Option<&str> {
    let words = said.lines().next()?.strip_prefix("GNU Fortran ")?;
    let words = words.split_once(") ").map_or(words, |(_, words)| words);
    words.split_whitespace().next().filter(|word| word.starts_with(|first: char| first.is_ascii_digit()))
}

/// Names of the library of OpenCoarrays: in Debian, and as it installs itself.
fn open_coarrays_files(mpi: &str) -> Vec<PathBuf> {
    [
        format!("libcaf_{mpi}.so.3"),
        format!("libcaf_{mpi}.so"),
        "libcaf_mpi.so.3".into(),
        "libcaf_mpi.so".into(),
    ]
    .map(PathBuf::from)
    .to_vec()
}

fn open_coarrays() -> Finding {
    let mpi = mpi_name(&handle::library_version());
    // Loaded for this process only: nothing is called.
    let library = load(&open_coarrays_files(mpi), Library::open).ok();
    judge_open_coarrays(library.and_then(|library| library.symbol(c"_gfortran_caf_init")).map(file_of), mpi)
}

fn judge_open_coarrays(file: Option<String>, mpi: &str) -> Finding {
    let text = match file {
        Some(file) => format!("OpenCoarrays: {file}; hcube-run --caf serves programs that are linked to it"),
        None => format!("OpenCoarrays for {mpi} was not found by the loader; hcube does not need it"),
    };
    Finding::new(TOPIC, State::Fact, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_gfortran() {
        for (said, expected) in [
            ("GNU Fortran (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright", Some("12.2.0")),
            ("GNU Fortran (GCC) 13.2.1 20230728 (Red Hat 13.2.1-1)\n", Some("13.2.1")),
            ("GNU Fortran 14.1.0\n", Some("14.1.0")),
            ("gcc (Debian 12.2.0-14) 12.2.0\n", None),
            ("ifx (IFX) 2024.0.0", None),
            ("", None),
        ] {
            assert_eq!(version(said), expected, "{said}");
        }
    }

    #[test]
    fn compilers_of_another_interface_are_told() {
        let judged =
            |version: &str| judge_compiler("fc", Some(&format!("GNU Fortran (Some 9.9) {version}\n")));
        for version in ["12.1.0", "13.2.0", "14.0.1"] {
            assert_eq!(judged(version).state, State::Good, "{version}");
        }
        for version in ["11.4.0", "15.1.0", "5.1.0"] {
            let finding = judged(version);
            assert_eq!((finding.state, &*finding.text), (State::Fact, &*format!("fc is gfortran {version}")));
            assert!(finding.advice.is_some_and(|advice| advice.contains("gfortran 12 to 14")));
        }
        assert!(
            judge_compiler("gfortran", Some("GNU Fortran 12.2.0\n"))
                .text
                .starts_with("gfortran 12.2.0, whose ")
        );
        assert_eq!(judge_compiler("fc", None).text, "fc was not found in the search path");
        assert_eq!(judge_compiler("gcc", Some("gcc (Some 9.9) 12.2.0\n")).text, "gcc is not gfortran");
    }

    #[test]
    fn opencoarrays_is_no_requirement() {
        assert!(
            judge_open_coarrays(Some("a.so".to_owned()), "mpich").text.starts_with("OpenCoarrays: a.so; ")
        );
        let none = judge_open_coarrays(None, "mpich");
        assert!(none.state == State::Fact && none.text.contains("OpenCoarrays for mpich was not found"));
    }
}
