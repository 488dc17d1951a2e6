//! Results of `hcube bench gfortran`.

pub mod figure;

use crate::measured::{Place, Timing, distinct};
use crate::noise;
use crate::numbers::{percent, significant};
use crate::runs::{self, Row};
use crate::table::{Column, SPEED_UP, Table, cell, speed_up_over};
use serde::{Deserialize, Serialize};

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

pub type Results = runs::Results<Run>;

/// What is done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Ranks are images; the number of nodes is not known.
    #[serde(flatten)]
    pub place: Place,
    /// One of the names above; of MPI, the name of the counterpart.
    pub operation: String,
    /// Bytes that an image moves in a call, or that all have together (programs); 0 if none are moved.
    pub bytes: usize,
}

/// An operation by a library. Each time is the median of a run of the program, on the slowest image.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub subject: Subject,
    /// [`HCUBE`], [`OPENCOARRAYS`] or [`MPI`].
    pub variant: String,
    #[serde(flatten)]
    pub timing: Timing,
    /// Elements of all images that were wrong, and results that differ from the results of another variant.
    pub errors: u64,
    /// A sum over the results; 0 where others do not compute the same.
    #[serde(default)]
    pub check: i64,
    /// The time of the other by the time of this one, for hcube.
    pub over_opencoarrays: Option<f64>,
    /// The time of MPI by the time of this one, for programs with coarrays.
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
    /// From the seconds of a call in each run of the program; [`Results::new`] adds what depends on other
    /// variants.
    pub fn new(subject: Subject, variant: &str, seconds: &[f64]) -> Self {
        let timing = Timing::new(seconds);
        Self { subject, variant: variant.to_owned(), timing, ..Self::default() }
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

/// Time and spread of a run, if there is one.
fn times(run: Option<&Run>) -> [String; 2] {
    let timing = run.map(|run| &run.timing);
    [cell(timing.map(|one| significant(one.median_us))), cell(timing.map(|one| percent(one.spread)))]
}

/// A row of the table, with columns for hcube and for these others.
fn cells(runs: &[Run], subject: &Subject, others: &[&str]) -> Vec<(String, String)> {
    let of = |variant: &str| runs.iter().find(|run| run.variant == variant && run.subject == *subject);
    let hcube = of(HCUBE);
    let [time, spread] = times(hcube);
    let named = hcube.or_else(|| of(OPENCOARRAYS)).into_iter();
    let named = named.flat_map(|run| Run::COLUMNS.iter().map(|(name, cell)| ((*name).to_owned(), cell(run))));
    let mut cells: Vec<(String, String)> = named.collect();
    cells.extend([("hcube us".to_owned(), time), ("spread".to_owned(), spread)]);
    let mut errors = hcube.map_or(0, |run| run.errors);
    for &other in others {
        let coarrays = hcube.or_else(|| of(OPENCOARRAYS));
        let run = coarrays.and_then(|run| compared(runs, run, other));
        errors += run.map_or(0, |run| run.errors);
        let over = |run: &Run| if other == MPI { run.over_mpi } else { run.over_opencoarrays };
        let [time, spread] = times(run);
        cells.push((format!("{other} us"), time));
        cells.push(("spread".to_owned(), spread));
        let heading = if others.len() > 1 { speed_up_over(other) } else { SPEED_UP.to_owned() };
        let spreads = hcube.into_iter().chain(run).map(|run| run.timing.spread);
        cells.push((heading, noise::speed_up(hcube.and_then(over), spreads)));
    }
    cells.push(("errors".to_owned(), errors.to_string()));
    cells
}

impl Row for Run {
    type Subject = Subject;
    const COLUMNS: &'static [Column<Self>] = &[
        ("images", |run| run.subject.place.ranks()),
        ("operation", |run| run.subject.operation.clone()),
        ("bytes", |run| run.subject.bytes.to_string()),
    ];

    fn measured(&self) -> (&Subject, &str, f64) {
        (&self.subject, &self.variant, self.timing.median_us)
    }

    fn timing(&self) -> Timing {
        self.timing.clone()
    }

    fn subject_name(&self) -> String {
        format!("{}, {} images", self.subject.name(), self.subject.place.ranks())
    }

    fn errors(&self) -> Option<u64> {
        Some(self.errors)
    }

    fn tables(runs: &[Self]) -> Vec<Table> {
        let has = |variant: &&str| runs.iter().any(|run| run.variant == *variant);
        let others: Vec<&str> = [OPENCOARRAYS, MPI].into_iter().filter(has).collect();
        vec![Table::of(subjects(runs).into_iter().map(|subject| cells(runs, subject, &others)))]
    }

    fn compare(runs: &mut [Self]) {
        let all = runs.to_vec();
        for run in runs.iter_mut().filter(|run| run.variant != MPI) {
            let other = compared(&all, run, OPENCOARRAYS).filter(|_| run.variant == HCUBE);
            let mpi = compared(&all, run, MPI);
            let own = run.timing.median_us;
            let over =
                |other: Option<&Self>| other.filter(|_| own > 0.0).map(|other| other.timing.median_us / own);
            (run.over_opencoarrays, run.over_mpi) = (over(other), over(mpi));
            let differs = |other: &&Self| other.check != 0 && run.check != 0 && other.check != run.check;
            run.errors += other.into_iter().chain(mpi).filter(differs).count() as u64;
        }
    }

    fn legend(runs: &[Self]) -> String {
        let crowded = if runs.iter().any(|run| !run.subject.place.has_cores()) {
            "more images than cores: most of a time is waiting for a core: the libraries are not compared\n"
        } else {
            ""
        };
        "\nus: of a call, on the slowest image; bytes: moved by an image in a call, or of a face or a whole matrix; \
         speed-up: of hcube\n"
            .to_owned()
            + crowded
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::measured::tests::place;
    use crate::runs::Report;
    use crate::runs::tests::{assert_json, assert_lines};
    use crate::table::tests::has_line;

    /// An operation by hcube, OpenCoarrays and MPI in these microseconds; 0 where one was not measured.
    pub fn runs(images: usize, operation: &str, bytes: usize, times: [f64; 3]) -> Vec<Run> {
        let run = |(variant, us): (&str, f64)| {
            let name = if variant == MPI { counterpart(operation).expect("a program") } else { operation };
            let subject = Subject { place: place(images), operation: name.to_owned(), bytes };
            Run::new(subject, variant, &[1e-6 * us, 0.9e-6 * us, 1.1e-6 * us])
        };
        [HCUBE, OPENCOARRAYS, MPI].into_iter().zip(times).filter(|(_, us)| *us > 0.0).map(run).collect()
    }

    #[test]
    fn json_has_the_declared_form() {
        let results = Results::new(runs(2, "jacobi", 4096, [2.0, 8.0, 1.0]), Vec::new());
        let expected = [
            ("/0/variant", HCUBE.into()),
            ("/0/ranks", 2.into()),
            ("/0/operation", "jacobi".into()),
            ("/0/bytes", 4096.into()),
            ("/0/over_opencoarrays", 4.0.into()),
            ("/0/over_mpi", 0.5.into()),
        ];
        assert_json(&results, &expected);
    }

    #[test]
    fn tables_have_times_and_ratios() {
        let mut all = runs(4, "put", 512, [0.25, 5.0, 0.0]);
        all.extend(runs(2, "halo-faces", 32768, [20.0, 4000.0, 15.0]));
        all.extend(runs(2, "get", 4096, [0.5, 1.0, 0.0]));
        all.extend(runs(2, "get", 8, [0.25, 0.0, 0.0]));
        let expected = [
            "2 get 8 0.2500 20% - - - - - - 0",
            "2 get 4096 0.5000 20% 1.000 20% 2.00 - - - 0",
            "2 halo-faces 32768 20.00 20% 4000 20% 200.00 15.00 20% 0.75 0",
        ];
        assert_lines(all.clone(), &expected);
        let text = Results::new(all, Vec::new()).text();
        let order: Vec<&str> = text.lines().skip(2).take(4).map(|line| &line[..6]).collect();
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
        assert!(has_line(&results.text(), "2 transpose-get 4096 2.000 20% 8.000 20% 4.00 1.000 20% 0.50 1"));
    }
}
