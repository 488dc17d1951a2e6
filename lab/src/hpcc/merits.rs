//! Figures of merit of the runs: stock HPCC against HPCC with hcube.

use super::outcome::Outcome;
use super::plan::Run;
use super::variant::Variant;
use hcube_results::hpcc::{Compared, MERITS};

/// All figures that a whole run has measured, by numbers of ranks in ascending order.
pub fn compared(outcomes: &[(Run, Outcome)]) -> Vec<Compared> {
    let mut ranks: Vec<usize> = outcomes.iter().map(|(run, _)| run.ranks).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let all = ranks.into_iter().flat_map(|ranks| MERITS.iter().map(move |merit| (ranks, merit)));
    let one = all.map(|(ranks, merit)| {
        let values = |variant| {
            let own = outcomes.iter().filter(|(run, _)| run.variant == variant && run.ranks == ranks);
            own.filter_map(|(_, outcome)| merit.value(*outcome.summary.get(merit.key)?)).collect()
        };
        Compared {
            key: merit.key.to_owned(),
            ranks,
            stock: values(Variant::Stock),
            hcube: values(Variant::Hcube),
        }
    });
    one.filter(|compared| !(compared.stock.is_empty() && compared.hcube.is_empty())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_whole_runs_by_ranks() {
        let outcome = |value: f64| Outcome {
            summary: [("MPIFFT_Gflops".to_owned(), value), ("Unknown".to_owned(), 1.0)].into(),
            ..Outcome::default()
        };
        let run = |variant, ranks| Run { variant, ranks, repeat: 0, whole: true };
        let outcomes = [
            (run(Variant::Stock, 4), outcome(1.0)),
            (run(Variant::Hcube, 4), outcome(2.0)),
            (run(Variant::Hcube, 2), outcome(-1.0)),
            (run(Variant::Hcube, 4), outcome(3.0)),
            (run(Variant::Sandia, 4), outcome(9.0)),
            (run(Variant::Stock, 4), Outcome::default()),
        ];
        let [one] = &compared(&outcomes)[..] else { panic!("one figure on 4 ranks") };
        assert_eq!((one.key.as_str(), one.ranks), ("MPIFFT_Gflops", 4));
        assert_eq!((&one.stock[..], &one.hcube[..]), (&[1.0][..], &[2.0, 3.0][..]));
    }
}
