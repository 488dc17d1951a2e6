//! Wisdom with and without hcube. FFTW signs it with its list of solvers, so that wisdom of the other kind is
//! never accepted.

use crate::clients::{Line, Linked, Precision, alone, always, counts, is_preloaded, linked_client};
use crate::common::{Launch, build};
use std::path::PathBuf;

const PLANS: i64 = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum With {
    Always,
    Auto,
    Never,
    /// FFTW as it is.
    Nothing,
}

impl With {
    fn launch(self, ranks: usize) -> Launch {
        let hcube = || always("fftw_wisdom", Precision::Double, ranks);
        match self {
            Self::Always => hcube(),
            Self::Auto => hcube().env("HCUBE_FFTW", "auto"),
            Self::Never => hcube().env("HCUBE_FFTW", "never"),
            Self::Nothing => alone(linked_client("fftw_wisdom", Precision::Double, Linked::Plain), ranks),
        }
    }

    fn has_hcube(self) -> bool {
        matches!(self, Self::Always | Self::Auto)
    }
}

fn file(with: With, ranks: usize) -> PathBuf {
    build().join(format!("clients/wisdom-{with:?}-{ranks}"))
}

fn save(with: With, ranks: usize) {
    let line = Line::of(with.launch(ranks).arg("save").arg(file(with, ranks)));
    assert_eq!(line.count("plans"), PLANS);
    if with == With::Always {
        assert_eq!(line.count("hcube"), PLANS, "{line:?}");
    }
    if !with.has_hcube() {
        assert_eq!(line.count("hcube"), 0, "{line:?}");
    }
}

/// Loads wisdom that was saved with another configuration: the same kind is accepted, the other kind is
/// rejected, and planning works.
fn load(saved: With, with: With, ranks: usize) {
    let line = Line::of(with.launch(ranks).arg("load").arg(file(saved, ranks)));
    let same = i64::from(saved.has_hcube() == with.has_hcube());
    let context = format!("saved with {saved:?}, loaded with {with:?}, {ranks} ranks: {line:?}");
    assert_eq!(line.count("imported"), same, "{context}");
    // Plans of FFTW's own that the planner may have found are not what `always` wants.
    if (saved, with) != (With::Auto, With::Always) {
        assert_eq!(line.count("known"), same * PLANS, "{context}");
    }
    if with == With::Always {
        assert_eq!(line.count("hcube"), PLANS, "{context}");
    }
    if !with.has_hcube() {
        assert_eq!(line.count("hcube"), 0, "{context}");
    }
}

#[test]
fn wisdom_is_accepted_only_by_its_own_kind() {
    let kinds = if is_preloaded() {
        &[With::Always, With::Auto, With::Never, With::Nothing][..]
    } else {
        &[With::Always, With::Auto, With::Never]
    };
    for &ranks in counts(&[1, 3], &[2]) {
        for &saved in kinds {
            save(saved, ranks);
            for &with in kinds {
                load(saved, with, ranks);
            }
        }
    }
}
