//! The source of a figure. Every series carries it, in words and in the way it is drawn.

use serde::{Deserialize, Serialize};

/// Kinds of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Taken with a clock, on the machine that the environment names.
    Measured,
    /// The same code on a model of a machine, in simulated time.
    Simulated,
    /// Printed in a paper.
    Published,
    /// Computed by a formula.
    Predicted,
}

impl Evidence {
    /// All kinds, the strongest first.
    pub const ALL: [Self; 4] = [Self::Measured, Self::Simulated, Self::Published, Self::Predicted];

    /// The word on badges, and the class in style sheets.
    pub fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Simulated => "simulated",
            Self::Published => "published",
            Self::Predicted => "predicted",
        }
    }

    /// What the word means.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Measured => "run and timed on a real machine",
            Self::Simulated => "the same code, run in SimGrid on a model of the named machine",
            Self::Published => "printed in the named publication",
            Self::Predicted => "computed by the cost model",
        }
    }

    /// Whether a line joins the points.
    pub fn has_line(self) -> bool {
        self != Self::Published
    }

    /// Whether points have markers.
    pub fn has_markers(self) -> bool {
        self != Self::Predicted
    }

    /// How it is drawn, in words.
    pub fn drawn(self) -> &'static str {
        match self {
            Self::Measured => {
                "solid line, filled markers, thin vertical bars from the smallest to the largest value"
            }
            Self::Simulated => "dashed line, open markers",
            Self::Published => "filled markers without a line",
            Self::Predicted => "dotted line without markers",
        }
    }
}
