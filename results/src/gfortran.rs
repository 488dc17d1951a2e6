//! Results of `hcube bench gfortran`: JSON, table, picture.

pub mod figure;

use crate::measured::{Place, Timing, distinct};
use crate::numbers::{percent, significant};
use crate::table::{self, Table};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The libraries that are measured.
pub const HCUBE: &str = "hcube";
pub const OPENCOARRAYS: &str = "opencoarrays";
pub const MPI: &str = "mpi";

/// Transfers that are measured over sizes.
pub const SWEPT: [&str; 2] = ["get", "put"];
/// Statements, in the order of the table.
pub const STATEMENTS: [&str; 21] = [
    "get-scalar",
    "put-scalar",
    "get",
    "put",
    "get-row",
    "put-row",
    "get-face",
    "put-face",
    "get-vector",
    "put-vector",
    "get-component",
    "put-component",
    "sync-all",
    "sync-images",
    "event-round-trip",
    "co_sum",
    "co_broadcast",
    "lock",
    "critical",
    "atomic-add",
    "allocate",
];
/// Programs, and what the same program without coarrays is called.
pub const PROGRAMS: [(&str, &str); 6] = [
    ("halo-faces", "halo"),
    ("halo-get-elements", "halo"),
    ("halo-put-elements", "halo"),
    ("jacobi", "jacobi"),
    ("transpose-get", "transpose"),
    ("transpose-put", "transpose"),
];

/// The names of all operations, in the order of the table.
pub fn operations() -> impl Iterator<Item = &'static str> {
    STATEMENTS.into_iter().chain(PROGRAMS.map(|(name, _)| name))
}

/// What MPI does instead of a program with coarrays.
pub fn counterpart(operation: &str) -> Option<&'static str> {
    PROGRAMS.iter().find(|(name, _)| *name == operation).map(|&(_, without)| without)
}

/// The results as they are written in JSON; those of several runs can be joined.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Results {
    /// Each operation by each library.
    pub runs: Vec<Run>,
    /// What was left out, and why.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Ranks are images; the number of nodes is not known.
    #[serde(flatten)]
    pub place: Place,
    /// One of the names above; of MPI, that of the counterpart.
    pub operation: String,
    /// Bytes that an image moves in a call, or that all have together (programs); 0 if none are moved.
    pub bytes: usize,
}

/// An operation by a library. Each time is the median of a run of the program, on the slowest image.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub subject: Subject,
    /// [`HCUBE`], [`OPENCOARRAYS`] or [`MPI`].
    pub variant: String,
    #[serde(flatten)]
    pub timing: Timing,
    /// Elements of all images that were wrong, and results that differ from those of another variant.
    pub errors: u64,
    /// A sum over the results; 0 where others do not compute the same.
    #[serde(default)]
    pub check: i64,
    /// The time of the other by that of this one, for hcube.
    #[serde(default)]
    pub over_opencoarrays: Option<f64>,
    /// The time of MPI by that of this one, for programs with coarrays.
    #[serde(default)]
    pub over_mpi: Option<f64>,
}

impl Subject {
    /// Without the images.
    pub fn name(&self) -> String {
        let sized = SWEPT.contains(&self.operation.as_str()) || self.operation == "co_sum";
        if sized {
            format!("{} {}", self.operation, crate::numbers::whole_bytes(self.bytes))
        } else {
            self.operation.clone()
        }
    }
}

impl Run {
    /// From the seconds of a call in each run of the program; [`Results::new`] adds what depends on other variants.
    pub fn new(subject: Subject, variant: &str, seconds: &[f64]) -> Self {
        Self {
            subject,
            variant: variant.to_owned(),
            timing: Timing::new(seconds),
            errors: 0,
            check: 0,
            over_opencoarrays: None,
            over_mpi: None,
        }
    }

    /// Whether another run is of the same operation by MPI.
    fn is_by_mpi(&self, other: &Run) -> bool {
        other.variant == MPI
            && other.subject.place == self.subject.place
            && counterpart(&self.subject.operation) == Some(&other.subject.operation)
    }
}

/// The run of a variant that a run of coarrays is compared with.
pub fn compared<'a>(runs: &'a [Run], with: &Run, variant: &str) -> Option<&'a Run> {
    runs.iter().find(|run| {
        if variant == MPI {
            with.is_by_mpi(run)
        } else {
            run.variant == variant && run.subject == with.subject
        }
    })
}

/// The subjects of coarrays in the order of the table.
pub fn subjects(runs: &[Run]) -> Vec<&Subject> {
    let mut all = distinct(runs.iter().filter(|run| run.variant != MPI).map(|run| &run.subject));
    let row = |subject: &Subject| operations().position(|name| name == subject.operation);
    all.sort_by_key(|subject| {
        let place = &subject.place;
        (place.mpi.clone(), place.ranks, place.ranks_per_node, row(subject), subject.bytes)
    });
    all
}

impl Results {
    /// From the runs of all variants.
    pub fn new(mut runs: Vec<Run>, notes: Vec<String>) -> Self {
        let all = runs.clone();
        for run in runs.iter_mut().filter(|run| run.variant != MPI) {
            let other = compared(&all, run, OPENCOARRAYS).filter(|_| run.variant == HCUBE);
            let mpi = compared(&all, run, MPI);
            let over = |other: Option<&Run>| {
                other
                    .filter(|_| run.timing.median_us > 0.0)
                    .map(|one| one.timing.median_us / run.timing.median_us)
            };
            (run.over_opencoarrays, run.over_mpi) = (over(other), over(mpi));
            let differs = |other: &&Run| other.check != 0 && run.check != 0 && other.check != run.check;
            run.errors += other.into_iter().chain(mpi).filter(differs).count() as u64;
        }
        Self { runs, notes }
    }

    fn table(&self) -> Table {
        let has = |variant: &str| self.runs.iter().any(|run| run.variant == variant);
        let others: Vec<&str> = [OPENCOARRAYS, MPI].into_iter().filter(|variant| has(variant)).collect();
        let mut headings: Vec<String> =
            ["images", "operation", "bytes", "hcube us", "spread"].map(String::from).to_vec();
        for other in &others {
            headings.extend([format!("{other} us"), "spread".to_owned(), format!("x {other}")]);
        }
        headings.push("errors".to_owned());
        let mut table = Table::new(headings);
        let none = || "-".to_owned();
        let ratio = |value: Option<f64>| value.map_or_else(none, significant);
        let times = |run: Option<&Run>| match run {
            Some(run) => [significant(run.timing.median_us), percent(run.timing.spread)],
            None => [none(), none()],
        };
        for subject in subjects(&self.runs) {
            let of = |variant: &str| {
                self.runs.iter().find(|run| run.variant == variant && run.subject == *subject)
            };
            let hcube = of(HCUBE);
            let mut cells = vec![subject.place.ranks(), subject.operation.clone(), subject.bytes.to_string()];
            cells.extend(times(hcube));
            let mut errors = hcube.map_or(0, |run| run.errors);
            for &other in &others {
                let coarrays = hcube.or_else(|| of(OPENCOARRAYS));
                let run = coarrays.and_then(|run| compared(&self.runs, run, other));
                errors += run.map_or(0, |run| run.errors);
                cells.extend(times(run));
                let over = |run: &Run| if other == MPI { run.over_mpi } else { run.over_opencoarrays };
                cells.push(ratio(hcube.and_then(over)));
            }
            cells.push(errors.to_string());
            table.row(cells);
        }
        table
    }

    /// The table.
    pub fn tables(&self) -> Vec<Table> {
        vec![self.table()]
    }

    /// The lines below it.
    pub fn below(&self) -> String {
        let mut text = String::new();
        text.push_str(
            "\nus: of a call, on the slowest image; bytes: that an image moves in a call, or those of a face or a whole matrix; \
             x: speed-up of hcube\n",
        );
        if self.runs.iter().any(|run| !run.subject.place.has_cores()) {
            text.push_str(
                "more images than cores: times are mostly those of waiting for a core, and no comparison of the libraries\n",
            );
        }
        for note in &self.notes {
            let _ = writeln!(text, "{note}");
        }
        text
    }

    /// The tables and the lines below them.
    pub fn text(&self) -> String {
        table::text(&self.tables(), &self.below())
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::measured::tests::place;

    /// An operation by hcube, OpenCoarrays and MPI in these microseconds; 0 where one was not measured.
    pub fn runs(images: usize, operation: &str, bytes: usize, times: [f64; 3]) -> Vec<Run> {
        let run = |(variant, us): (&str, f64)| {
            let name = if variant == MPI { counterpart(operation).expect("a program") } else { operation };
            let subject = Subject { place: place(images), operation: name.to_owned(), bytes };
            Run::new(subject, variant, &[1e-6 * us, 0.9e-6 * us, 1.1e-6 * us])
        };
        [HCUBE, OPENCOARRAYS, MPI].into_iter().zip(times).filter(|(_, us)| *us > 0.0).map(run).collect()
    }

    fn has_line(text: &str, words: &str) -> bool {
        text.lines().any(|line| line.split_whitespace().eq(words.split_whitespace()))
    }

    #[test]
    fn json_has_the_declared_form() {
        let results = Results::new(runs(2, "jacobi", 4096, [2.0, 8.0, 1.0]), Vec::new());
        let value = serde_json::to_value(&results).expect("valid");
        let first = &value["runs"][0];
        assert_eq!((first["variant"].as_str(), first["ranks"].as_u64()), (Some(HCUBE), Some(2)));
        assert_eq!((first["operation"].as_str(), first["bytes"].as_u64()), (Some("jacobi"), Some(4096)));
        assert_eq!((first["over_opencoarrays"].as_f64(), first["over_mpi"].as_f64()), (Some(4.0), Some(0.5)));
        let back: Results = serde_json::from_value(value).expect("what was written can be read");
        assert_eq!(back.runs, results.runs);
    }

    #[test]
    fn tables_have_times_and_ratios() {
        let mut all = runs(4, "put", 512, [0.25, 5.0, 0.0]);
        all.extend(runs(2, "halo-faces", 32768, [20.0, 4000.0, 15.0]));
        all.extend(runs(2, "get", 4096, [0.5, 1.0, 0.0]));
        all.extend(runs(2, "get", 8, [0.25, 0.0, 0.0]));
        let text = Results::new(all, vec!["a note".to_owned()]).text();
        assert!(has_line(&text, "2 get 8 0.2500 20% - - - - - - 0"), "{text}");
        assert!(has_line(&text, "2 get 4096 0.5000 20% 1.000 20% 2.000 - - - 0"), "{text}");
        assert!(has_line(&text, "2 halo-faces 32768 20.00 20% 4000 20% 200.0 15.00 20% 0.7500 0"), "{text}");
        assert!(text.ends_with("a note\n"), "{text}");
        let order: Vec<&str> = text.lines().skip(1).take(4).map(|line| &line[..6]).collect();
        assert!(order[3].trim_start().starts_with('4'), "{text}");
        let alone = Results::new(runs(2, "put", 8, [1.0, 0.0, 0.0]), Vec::new()).text();
        assert!(!alone.contains(OPENCOARRAYS) && has_line(&alone, "2 put 8 1.000 20% 0"), "{alone}");
    }

    #[test]
    fn results_that_differ_are_errors() {
        let mut all = runs(2, "transpose-get", 4096, [2.0, 8.0, 1.0]);
        all[0].check = 5;
        all[2].check = 5;
        assert_eq!(Results::new(all.clone(), Vec::new()).runs[0].errors, 0);
        all[2].check = 6;
        let results = Results::new(all, Vec::new());
        assert_eq!(results.runs.iter().map(|run| run.errors).collect::<Vec<_>>(), [1, 0, 0]);
        assert!(has_line(
            &results.text(),
            "2 transpose-get 4096 2.000 20% 8.000 20% 4.000 1.000 20% 0.5000 1"
        ));
    }
}
