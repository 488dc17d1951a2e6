//! The table of what the papers measured and what the simulation shows: one row for each published effect. A
//! verdict follows from the two figures; the reason beside it is the only thing that is written by hand.

mod figures;
mod recorded;
mod rows;
mod verdict;

use super::paragraph::wrapped;
use super::table::table;
use recorded::Recorded;
use rows::ROWS;
use std::path::Path;
use verdict::{Published, Reason, Sign, Verdict};

/// A row with its figures.
struct Compared<'a> {
    sign: &'a Sign,
    published: Published,
    simulated: Option<f64>,
}

impl<'a> Compared<'a> {
    fn new(sign: &'a Sign, recorded: &Recorded) -> Result<Self, String> {
        let simulated = sign.simulated.map(|figure| figure(recorded)).transpose();
        let simulated = simulated.map_err(|error| format!("{}, {}: {error}", sign.source, sign.effect))?;
        Ok(Self { sign, published: (sign.published)(), simulated })
    }

    fn verdict(&self) -> Verdict {
        Verdict::of(self.sign.kind, self.published, self.simulated)
    }

    fn cells(&self) -> Vec<String> {
        let Self { sign, published, simulated } = self;
        let published = match published {
            Published::Figure(figure) => sign.kind.text(*figure),
            Published::Above(words)
            | Published::FarAbove(words)
            | Published::Below(words)
            | Published::NotAbove(words) => (*words).to_owned(),
        };
        let verdict = self.verdict().name();
        let verdict = match sign.reason {
            Reason::None => verdict.to_owned(),
            Reason::Known(reason) => format!("{verdict}: {reason}"),
            Reason::Unexplained("") => format!("{verdict}, unexplained"),
            Reason::Unexplained(reason) => format!("{verdict}, unexplained: {reason}"),
        };
        let simulated = simulated.map(|figure| sign.kind.text(figure)).unwrap_or_default();
        vec![sign.source.to_owned(), sign.effect.to_owned(), published, simulated, verdict]
    }
}

/// The table of all published effects.
///
/// # Errors
/// Where a figure is missing in the kept results.
pub fn signs(root: &Path) -> Result<String, String> {
    let recorded = Recorded::of(root)?;
    let rows = ROWS.iter().map(|sign| Ok(Compared::new(sign, &recorded)?.cells()));
    let heading = ["source", "effect", "published", "simulated", "verdict"];
    Ok(table(heading.map(str::to_owned).into(), rows.collect::<Result<_, String>>()?))
}

/// How many of them have which verdict, as a sentence.
///
/// # Errors
/// As [`signs`].
pub fn summary(root: &Path) -> Result<String, String> {
    let recorded = Recorded::of(root)?;
    let all: Vec<Verdict> = ROWS
        .iter()
        .map(|sign| Ok(Compared::new(sign, &recorded)?.verdict()))
        .collect::<Result<_, String>>()?;
    let count = |verdict: Verdict| all.iter().filter(|one| **one == verdict).count();
    let unexplained = ROWS.iter().filter(|sign| matches!(sign.reason, Reason::Unexplained(_))).count();
    Ok(wrapped(&format!(
        "Of {} published effects, {} are reproduced, {} have the same sign and another size, {} have no effect, {} are \
         reversed, {} rates deviate, and {} are not simulated; {unexplained} are unexplained.",
        all.len(),
        count(Verdict::Reproduced),
        count(Verdict::OtherSize),
        count(Verdict::Absent),
        count(Verdict::Reversed),
        count(Verdict::Deviates),
        count(Verdict::NotSimulated)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only what is not reproduced has a reason, and a rate has a published figure.
    #[test]
    fn every_row_has_its_reason() {
        let recorded = Recorded::of(&hcube_testing::root()).expect("kept results");
        let all = ROWS.iter().map(|sign| Compared::new(sign, &recorded).expect("figures"));
        let all: Vec<_> = all.collect();
        let wrong = all
            .iter()
            .filter(|row| (row.sign.reason == Reason::None) != (row.verdict() == Verdict::Reproduced));
        assert_eq!(wrong.map(Compared::cells).collect::<Vec<_>>(), [[""; 0]; 0]);
        for compared in &all {
            let sign = compared.sign;
            let is_figure = matches!(compared.published, Published::Figure(_));
            assert!(is_figure || !matches!(sign.kind, verdict::Kind::Rate(_)), "{}", sign.effect);
        }
    }

    #[test]
    fn rows_name_their_source() {
        const PAPERS: [&str; 5] = ["Plimpton", "Hofmann", "Quintin", "Jin", "Krusche"];
        for paper in PAPERS {
            assert!(ROWS.iter().any(|sign| sign.source.starts_with(paper)), "{paper}");
        }
        assert!(ROWS.iter().all(|sign| PAPERS.iter().any(|paper| sign.source.starts_with(paper))));
        for (at, sign) in ROWS.iter().enumerate() {
            let same = |other: &&Sign| (other.source, other.effect) == (sign.source, sign.effect);
            assert_eq!(ROWS[..at].iter().find(same).map(|other| other.effect), None, "twice");
        }
    }
}
