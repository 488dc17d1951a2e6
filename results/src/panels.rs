//! Results of `hcube bench panels`.

pub mod figure;

use crate::measured::{Place, Timing};
use crate::numbers::{percent, significant};
use crate::runs::{self, Row, SpeedUp};
use crate::table::{Column, SPEED_UP, cell};
use serde::{Deserialize, Serialize};

/// What is measured: panels that stay in the memory of a node, MPI's broadcasts, and the pipelined one of
/// hcube.
pub const HCUBE: &str = "hcube";
pub const BCAST: &str = "mpi-bcast";
pub const IBCAST: &str = "mpi-ibcast";
pub const PIPELINED: &str = "pipelined";

pub type Results = runs::Results<Run>;

/// What is done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    #[serde(flatten)]
    pub place: Place,
    /// Of a panel.
    pub bytes: usize,
    /// Microseconds of computation per panel and rank.
    pub work_us: u32,
}

/// A variant at a size.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub subject: Subject,
    /// [`HCUBE`], [`BCAST`], [`IBCAST`] or [`PIPELINED`].
    pub variant: String,
    /// Of a panel, with the computation.
    #[serde(flatten)]
    pub timing: Timing,
    /// Panels that were timed together.
    #[serde(default)]
    pub panels: u32,
    /// Panels with wrong contents, of all ranks; nothing where not verified.
    pub errors: Option<u64>,
    /// This median by the median of hcube, for the others.
    pub hcube_speedup: Option<f64>,
}

impl Row for Run {
    type Subject = Subject;
    const COLUMNS: &'static [Column<Self>] = &[
        ("ranks", |run| run.subject.place.ranks()),
        ("bytes", |run| run.subject.bytes.to_string()),
        ("work us", |run| run.subject.work_us.to_string()),
        ("variant", |run| run.variant.clone()),
        ("us", |run| significant(run.timing.median_us)),
        ("spread", |run| percent(run.timing.spread)),
        ("errors", |run| cell(run.errors)),
    ];
    const SPEED_UPS: &'static [SpeedUp<Self>] =
        &[SpeedUp { heading: SPEED_UP, value: |run| run.hcube_speedup, over: &[HCUBE] }];

    fn measured(&self) -> (&Subject, &str, f64) {
        (&self.subject, &self.variant, self.timing.median_us)
    }

    fn timing(&self) -> Timing {
        self.timing.clone()
    }

    fn subject_name(&self) -> String {
        let Subject { place, bytes, work_us } = &self.subject;
        format!("{bytes} B, {work_us} us of work, {} ranks", place.ranks())
    }

    fn errors(&self) -> Option<u64> {
        self.errors
    }

    fn compare(runs: &mut [Self]) {
        runs::compare_with_hcube(runs, |run| &mut run.hcube_speedup);
    }

    fn legend(_: &[Self]) -> String {
        "\nus: of a panel on the slowest rank: its root writes it, all ranks read it, and compute for the time in 'work us'\n\
         speed-up: of hcube over this broadcast\n"
            .to_owned()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::measured::tests::place;
    use crate::runs::tests::{assert_json, assert_lines};

    /// All variants, with these times.
    pub fn runs(ranks: usize, bytes: usize, work_us: u32, microseconds: [f64; 4]) -> Vec<Run> {
        let subject = Subject { place: place(ranks), bytes, work_us };
        let run = |(variant, us): (&str, f64)| {
            let timing = Timing::new(&[1e-6 * us, 0.9e-6 * us, 1.1e-6 * us]);
            Run { subject: subject.clone(), variant: variant.to_owned(), timing, ..Run::default() }
        };
        [HCUBE, BCAST, IBCAST, PIPELINED].into_iter().zip(microseconds).map(run).collect()
    }

    #[test]
    fn json_has_the_declared_form() {
        let results = Results::new(runs(2, 65536, 0, [10.0, 20.0, 30.0, 15.0]), Vec::new());
        let expected = [
            ("/1/variant", BCAST.into()),
            ("/1/ranks", 2.into()),
            ("/1/bytes", 65536.into()),
            ("/1/work_us", 0.into()),
            ("/1/hcube_speedup", 2.0.into()),
            ("/0/hcube_speedup", ().into()),
        ];
        assert_json(&results, &expected);
    }

    #[test]
    fn tables_have_times_and_ratios() {
        let mut all = runs(4, 65536, 100, [10.0, 20.0, 30.0, 15.0]);
        all[0].errors = Some(0);
        all.extend(runs(2, 65536, 100, [20.0, 10.0, 30.0, 15.0]));
        let expected = [
            "4 65536 100 hcube 10.00 20% - 0",
            "4 65536 100 mpi-ibcast 30.00 20% 3.00 -",
            "2 65536 100 mpi-bcast 10.00 20% 0.50 -",
        ];
        assert_lines(all, &expected);
    }
}
