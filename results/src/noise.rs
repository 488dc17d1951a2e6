//! Noise: which speed-ups are smaller than the spread of the times that they compare, and which spreads are
//! too large to quote a time.

use crate::numbers::percent;

/// Spread above which a time is not quoted.
const MAX_SPREAD: f64 = 0.5;
/// Follows a speed-up that is not a measured difference.
pub const MARK: char = '~';
/// What the mark means.
pub const LEGEND: &str = "~ spread larger than the gain: not a measured difference\n";
/// Names in the sentence.
const NAMED: usize = 3;

/// A time that was measured: what it is of, and its spread.
pub type Spread = (String, f64);

/// Whether the spread of what is compared exceeds the distance of a speed-up from 1.
fn hides(speed_up: f64, spread: f64) -> bool {
    speed_up > 0.0 && speed_up.max(speed_up.recip()) - 1.0 < spread
}

/// A speed-up in a cell, with [`MARK`] where one of the spreads of what it compares exceeds it.
pub fn speed_up(value: Option<f64>, spreads: impl IntoIterator<Item = f64>) -> String {
    let Some(value) = value else { return "-".to_owned() };
    let hidden = spreads.into_iter().any(|spread| hides(value, spread));
    let mut cell = format!("{value:.2}");
    if hidden {
        cell.push(MARK);
    }
    cell
}

/// The sentence that ends a run in which some spreads are above 50%: which and how many, and what to do.
pub fn sentence(spreads: &[Spread]) -> String {
    let mut wide: Vec<&Spread> = spreads.iter().filter(|(_, spread)| *spread > MAX_SPREAD).collect();
    if wide.is_empty() {
        return String::new();
    }
    wide.sort_by(|a, b| b.1.total_cmp(&a.1));
    let names = wide.iter().take(NAMED).map(|(name, spread)| format!("{name} ({})", percent(*spread)));
    let mut names: Vec<String> = names.collect();
    if wide.len() > NAMED {
        names.push(format!("and {} more", wide.len() - NAMED));
    }
    format!(
        "NOISE: {} of {} times have a spread above {}: {}.\nDo not quote them: measure again on an idle machine, with \
         fewer ranks than cores, or with a larger --repeat.\n",
        wide.len(),
        spreads.len(),
        percent(MAX_SPREAD),
        names.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_up_within_the_spread_is_marked() {
        assert_eq!(speed_up(Some(1.2), [0.1, 0.3]), "1.20~");
        assert_eq!(speed_up(Some(1.2), [0.1, 0.15]), "1.20");
        // A loss of as much.
        assert_eq!((speed_up(Some(0.8), [0.3]), speed_up(Some(0.5), [0.3])), ("0.80~".into(), "0.50".into()));
        assert_eq!(speed_up(Some(705.32), [127.12]), "705.32");
        assert_eq!(speed_up(Some(105.32), [127.12]), "105.32~");
        // A single measurement has no spread.
        assert_eq!((speed_up(Some(1.0), [0.0]), speed_up(None, [9.0])), ("1.00".into(), "-".into()));
    }

    #[test]
    fn a_noisy_run_says_so() {
        let spreads = |all: &[f64]| -> Vec<Spread> {
            all.iter().enumerate().map(|(at, spread)| (format!("row {at}"), *spread)).collect()
        };
        assert_eq!(sentence(&spreads(&[0.0, 0.5])), "");
        let text = sentence(&spreads(&[0.2, 0.6, 127.12]));
        assert_eq!(
            text,
            "NOISE: 2 of 3 times have a spread above 50%: row 2 (12712%); row 1 (60%).\nDo not quote them: measure again \
             on an idle machine, with fewer ranks than cores, or with a larger --repeat.\n"
        );
        let text = sentence(&spreads(&[0.6, 0.7, 0.8, 0.9, 1.0]));
        assert!(text.contains("5 of 5") && text.contains("row 2 (80%); and 2 more."), "{text}");
    }
}
