//! A published effect, and the verdict that follows from the published and the simulated figure.

use super::recorded::Recorded;
use crate::pages::table::{percent, printed};

/// Ratios that differ from 1 by less than this are no effect: rates of runs that are the same within the
/// figures of the papers.
const NO_EFFECT: f64 = 0.015;
/// The factor within which an effect, as the logarithm of a ratio, has the published size.
const SAME_SIZE: f64 = 2.0;
/// The share of a published rate by which a simulated one may differ.
const SAME_RATE: f64 = 0.15;

/// A speed-up that a paper calls huge is this at least.
const FAR: f64 = 1.5;

/// What a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A ratio whose change is shown: -14 %.
    Change,
    /// A ratio: 2.08.
    Ratio,
    /// A rate or an efficiency, in a unit.
    Rate(&'static str),
}

impl Kind {
    pub fn text(self, figure: f64) -> String {
        match self {
            Self::Change => percent(100.0 * (figure - 1.0)),
            Self::Ratio => format!("{figure:.2}"),
            Self::Rate(unit) => format!("{} {unit}", printed(figure)),
        }
    }
}

/// What a paper says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Published {
    Figure(f64),
    /// A ratio above 1, in words.
    Above(&'static str),
    /// A ratio of [`FAR`] or more, in words.
    FarAbove(&'static str),
    /// A ratio below 1, in words.
    Below(&'static str),
    /// A ratio below 1 or no effect, in words.
    NotAbove(&'static str),
}

/// Why a simulated figure is not the published one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It is.
    None,
    Known(&'static str),
    /// What is not known; with what may be the cause, where something is.
    Unexplained(&'static str),
}

/// Finds a figure among the recorded ones.
pub type Simulated = fn(&Recorded) -> Result<f64, String>;

/// A published effect.
#[derive(Debug)]
pub struct Sign {
    pub source: &'static str,
    pub effect: &'static str,
    pub kind: Kind,
    pub published: fn() -> Published,
    /// `None` where it was not simulated.
    pub simulated: Option<Simulated>,
    pub reason: Reason,
}

/// How a simulated figure stands to the published one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Reproduced,
    /// The sign of the effect, but less than half or more than twice its size.
    OtherSize,
    Absent,
    Reversed,
    /// A rate that is another one.
    Deviates,
    NotSimulated,
}

impl Verdict {
    pub fn of(kind: Kind, published: Published, simulated: Option<f64>) -> Self {
        let Some(simulated) = simulated else { return Self::NotSimulated };
        let own = simulated.ln();
        let (sign, size) = match (kind, published) {
            (Kind::Rate(_), Published::Figure(rate)) => {
                return if (simulated / rate - 1.0).abs() <= SAME_RATE {
                    Self::Reproduced
                } else {
                    Self::Deviates
                };
            }
            (_, Published::Figure(ratio)) => (ratio.ln().signum(), Some(ratio.ln().abs())),
            (_, Published::Above(_)) => (1.0, None),
            (_, Published::FarAbove(_)) if (1.0..FAR).contains(&simulated) => return Self::OtherSize,
            (_, Published::FarAbove(_)) => (1.0, None),
            (_, Published::Below(_)) => (-1.0, None),
            (_, Published::NotAbove(_)) if simulated < 1.0 + NO_EFFECT => return Self::Reproduced,
            (_, Published::NotAbove(_)) => return Self::Reversed,
        };
        match size {
            _ if (simulated - 1.0).abs() < NO_EFFECT => Self::Absent,
            _ if own.signum() != sign => Self::Reversed,
            Some(size) if own.abs() > SAME_SIZE * size || size > SAME_SIZE * own.abs() => Self::OtherSize,
            _ => Self::Reproduced,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::OtherSize => "same sign, other size",
            Self::Absent => "no effect",
            Self::Reversed => "reversed",
            Self::Deviates => "deviates",
            Self::NotSimulated => "not simulated",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_from_both_figures() {
        use Published::{Above, Below, FarAbove, Figure, NotAbove};
        let rate = Kind::Rate("GUP/s");
        for (kind, published, simulated, expected) in [
            (Kind::Change, Figure(0.86), Some(1.02), Verdict::Reversed),
            (Kind::Change, Figure(0.86), Some(0.90), Verdict::Reproduced),
            (Kind::Change, Figure(0.86), Some(0.96), Verdict::OtherSize),
            (Kind::Change, Figure(0.92), Some(0.99), Verdict::Absent),
            (Kind::Ratio, Figure(2.0), Some(5.0), Verdict::OtherSize),
            (Kind::Ratio, Figure(2.0), Some(1.9), Verdict::Reproduced),
            (Kind::Ratio, Figure(2.0), Some(0.5), Verdict::Reversed),
            (Kind::Ratio, Above("faster"), Some(9.0), Verdict::Reproduced),
            (Kind::Ratio, Above("faster"), Some(0.9), Verdict::Reversed),
            (Kind::Ratio, FarAbove("huge"), Some(1.1), Verdict::OtherSize),
            (Kind::Ratio, FarAbove("huge"), Some(1.6), Verdict::Reproduced),
            (Kind::Ratio, FarAbove("huge"), Some(0.9), Verdict::Reversed),
            (Kind::Ratio, Below("slower"), Some(0.9), Verdict::Reproduced),
            (Kind::Ratio, Below("slower"), Some(1.0), Verdict::Absent),
            (Kind::Ratio, NotAbove("no increase"), Some(1.01), Verdict::Reproduced),
            (Kind::Ratio, NotAbove("no increase"), Some(0.8), Verdict::Reproduced),
            (Kind::Ratio, NotAbove("no increase"), Some(1.1), Verdict::Reversed),
            (rate, Figure(20.0), Some(18.0), Verdict::Reproduced),
            (rate, Figure(20.0), Some(16.0), Verdict::Deviates),
            (rate, Figure(20.0), Some(24.0), Verdict::Deviates),
            (rate, Figure(20.0), None, Verdict::NotSimulated),
        ] {
            assert_eq!(
                Verdict::of(kind, published, simulated),
                expected,
                "{kind:?} {published:?} {simulated:?}"
            );
        }
    }
}
