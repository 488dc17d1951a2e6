//! Whether a speed-up is more than what the machine itself has moved.

use super::merit::{Compared, MIN_PAIRS};

/// What the pairs of a figure say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// hcube does not replace it: part of the control.
    NotReplaced,
    /// No speed-up is stated.
    TooFewPairs,
    /// The median is no further from 1 than a figure of the control in one of its pairs.
    WithinControl,
    /// Some pairs are above 1 and some below.
    WithinSpread,
    Faster,
    Slower,
}

impl Finding {
    /// What a figure says beside the control among `all`.
    pub fn of(one: &Compared, all: &[Compared]) -> Self {
        if !one.is_replaced() {
            return Self::NotReplaced;
        }
        let Some(speed_up) = one.speed_up() else { return Self::TooFewPairs };
        let pairs = one.pairs();
        if distance(speed_up) <= movement(all, one.ranks).unwrap_or(1.0) {
            Self::WithinControl
        } else if pairs.iter().any(|&pair| (pair > 1.0) != (speed_up > 1.0)) {
            Self::WithinSpread
        } else if speed_up > 1.0 {
            Self::Faster
        } else {
            Self::Slower
        }
    }

    /// In tables.
    pub fn text(self) -> &'static str {
        match self {
            Self::NotReplaced => "not replaced",
            Self::TooFewPairs => "too few pairs",
            Self::WithinControl => "within control",
            Self::WithinSpread => "within spread",
            Self::Faster => "faster",
            Self::Slower => "slower",
        }
    }
}

/// How far a ratio is from 1, in either direction.
fn distance(ratio: f64) -> f64 {
    ratio.max(ratio.recip())
}

/// The largest distance from 1 of a pair of the control on a number of ranks; `None` without a control.
pub fn movement(all: &[Compared], ranks: usize) -> Option<f64> {
    let control = all.iter().filter(|one| one.ranks == ranks && !one.is_replaced());
    control.flat_map(Compared::pairs).map(distance).reduce(f64::max)
}

/// A sentence for each number of ranks: what the control consists of and how far it has moved.
pub fn sentences(all: &[Compared]) -> Vec<String> {
    let mut ranks: Vec<usize> = all.iter().map(|one| one.ranks).collect();
    ranks.dedup();
    let sentence = |ranks: usize| {
        let own = || all.iter().filter(move |one| one.ranks == ranks);
        let kept = own().filter(|one| !one.is_replaced() && !one.pairs().is_empty());
        let names: Vec<&str> = kept.filter_map(|one| Some(one.merit()?.title)).collect();
        let few = own().all(|one| one.pairs().len() < MIN_PAIRS);
        let unit = if ranks == 1 { "rank" } else { "ranks" };
        let begin = format!(
            "Control on {ranks} {unit}, not replaced by hcube: {}; within a pair of runs it has moved by up to a factor of {:.2}.",
            names.join(", "),
            movement(all, ranks)?
        );
        let end = if few {
            format!(" No speed-up is stated from fewer than {MIN_PAIRS} pairs.")
        } else {
            " A smaller speed-up is no gain.".to_owned()
        };
        Some(begin + &end)
    };
    ranks.into_iter().filter_map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::compared;
    use super::*;

    fn figure(key: &str, pairs: &[f64]) -> Compared {
        Compared { key: key.to_owned(), ranks: 2, stock: vec![1.0; pairs.len()], hcube: pairs.to_vec() }
    }

    #[test]
    fn a_gain_must_exceed_the_control_and_its_own_spread() {
        let control = figure("StarDGEMM_Gflops", &[0.8, 1.0, 1.1]);
        let of = |pairs: &[f64]| {
            let one = figure("PTRANS_GBs", pairs);
            Finding::of(&one, &[control.clone(), one.clone()])
        };
        assert_eq!(of(&[1.2, 1.24, 1.9]), Finding::WithinControl);
        assert_eq!(of(&[0.81, 0.82, 0.7]), Finding::WithinControl);
        assert_eq!(of(&[1.3, 1.4, 0.9]), Finding::WithinSpread);
        assert_eq!((of(&[1.3, 1.4, 1.5]), of(&[0.6, 0.5, 0.7])), (Finding::Faster, Finding::Slower));
        assert_eq!((of(&[9.0, 9.0]), of(&[])), (Finding::TooFewPairs, Finding::TooFewPairs));
        assert_eq!(Finding::of(&control, std::slice::from_ref(&control)), Finding::NotReplaced);
        // The control of other numbers of ranks says nothing.
        let one = Compared { ranks: 1, ..figure("PTRANS_GBs", &[1.1; 3]) };
        assert_eq!(Finding::of(&one, &[control, one.clone()]), Finding::Faster);
    }

    #[test]
    fn the_control_is_named() {
        let [sentence] = &sentences(&compared())[..] else { panic!("one number of ranks") };
        assert!(sentence.contains("2 ranks") && sentence.contains("StarDGEMM; "), "{sentence}");
        assert!(sentence.contains("factor of 1.10.") && sentence.ends_with("no gain."), "{sentence}");
        let few = sentences(&[figure("StarDGEMM_Gflops", &[1.0])]);
        assert!(few[0].ends_with("fewer than 3 pairs."), "{few:?}");
        assert!(sentences(&compared()[..1]).is_empty());
    }
}
