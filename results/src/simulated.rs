//! Recorded results of `make simulate` (with FULL=1 for 10240 ranks), which pages show beside published
//! figures.
//!
//! SimGrid 3.32 gives the same figures on every machine: a change of hcube or of a machine's model changes
//! them, and then the records of a new run take their place. Tests compare the pages and their pictures with
//! them.

/// RandomAccess in GUP/s on a number of ranks of Red Storm, section `ranks`.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    pub ranks: usize,
    /// The algorithm of Plimpton et al. 2006: no optimisation, rounds of Q values.
    pub paper: f64,
    /// hcube with defaults: strict look-ahead, two rounds of Q/2 values.
    pub strict: f64,
    /// hcube with the rounds of Plimpton et al. 2006, up to 8192 ranks.
    pub relaxed: Option<f64>,
}

const fn rate(ranks: usize, paper: f64, strict: f64, relaxed: Option<f64>) -> Rate {
    Rate { ranks, paper, strict, relaxed }
}

/// Beside Table 2 of Plimpton et al. 2006.
pub const RED_STORM: [Rate; 11] = [
    rate(1, 0.018, 0.018, Some(0.018)),
    rate(4, 0.03287, 0.03715, Some(0.03975)),
    rate(16, 0.08406, 0.09684, Some(0.108)),
    rate(64, 0.2484, 0.2863, Some(0.3304)),
    rate(200, 0.5827, 0.7173, Some(0.8304)),
    rate(256, 0.7787, 0.9003, Some(1.063)),
    rate(300, 0.797, 0.978, Some(1.137)),
    rate(1024, 2.599, 2.96, Some(3.577)),
    rate(4096, 8.8, 10.15, Some(12.33)),
    rate(8192, 16.35, 18.38, Some(22.72)),
    rate(10_240, 18.83, 22.26, None),
];

/// The algorithm of Plimpton et al. 2006 on 32 ranks by the look-ahead, section `look-ahead`: beside Table 4.
pub const LOOK_AHEAD: [(u64, f64); 10] = [
    (1, 0.000_882),
    (4, 0.003_447),
    (16, 0.012_91),
    (64, 0.0414),
    (256, 0.095_17),
    (1024, 0.1425),
    (2048, 0.1561),
    (4096, 0.1641),
    (8192, 0.1693),
    (32_768, 0.1731),
];

/// Percent of time saved on 32 ranks against no optimisation by Mod1, and by Mod2, Mod3 and Mod7 in addition,
/// section `optimisations`: beside Table 3.
pub const SAVED_PERCENT: [f64; 4] = [0.0, 0.0, 2.0, 24.0];

/// RandomAccess on coarrays in GUP/s on images of Franklin: copies with events, section `coarray-updates`.
pub const COARRAY_EVENTS: [(usize, f64); 7] =
    [(1, 0.018_03), (4, 0.042_66), (16, 0.085_42), (64, 0.248), (256, 0.776), (1024, 2.211), (4096, 7.323)];

/// A pair of neighbours in two series over the same places, of which one rises and the other falls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reversed {
    /// Of the pair.
    pub from: f64,
    pub to: f64,
    /// Changes in per cent.
    pub published: f64,
    pub simulated: f64,
}

/// Where the simulated change from one place to the next has not the sign of the published one. Points are
/// places with the published and the simulated figure.
pub fn reversed(points: &[(f64, f64, f64)]) -> Vec<Reversed> {
    let change = |before: f64, after: f64| 100.0 * (after / before - 1.0);
    let steps = points.windows(2).map(|pair| {
        let [before, after] = [pair[0], pair[1]];
        Reversed {
            from: before.0,
            to: after.0,
            published: change(before.1, after.1),
            simulated: change(before.2, after.2),
        }
    });
    steps.filter(|step| step.published * step.simulated < 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::{TABLE_2, TABLE_4};

    #[test]
    fn records_have_the_places_of_the_tables() {
        assert!(RED_STORM.iter().map(|rate| rate.ranks).eq(TABLE_2.iter().map(|rate| rate.ranks)));
        assert!(LOOK_AHEAD.iter().map(|point| point.0).eq(TABLE_4.iter().map(|point| point.0)));
    }

    #[test]
    fn signs_that_differ_are_found() {
        let points = [(1.0, 1.0, 1.0), (2.0, 2.0, 3.0), (4.0, 1.0, 4.5), (8.0, 0.5, 4.0)];
        let expected = Reversed { from: 2.0, to: 4.0, published: -50.0, simulated: 50.0 };
        assert_eq!(reversed(&points), [expected]);
    }
}
