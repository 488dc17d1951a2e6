//! Figures of merit of the runs: stock HPCC against HPCC with hcube.

use super::outcome::Outcome;
use super::plan::Run;
use super::variant::Variant;
use hcube_results::hpcc::hpl::{Broadcast, Grid};
use hcube_results::hpcc::{Compared, MERITS};

/// All figures that a whole run has measured, by numbers of ranks in ascending order.
pub fn compared(outcomes: &[(Run, Outcome)]) -> Vec<Compared> {
    let mut ranks: Vec<usize> = outcomes.iter().map(|(run, _)| run.ranks).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let all = ranks.into_iter().flat_map(|ranks| MERITS.iter().map(move |merit| (ranks, merit)));
    let one = all.map(|(ranks, merit)| {
        let value = |variant, repeat| {
            let own = |run: &Run| (run.variant, run.ranks, run.repeat) == (variant, ranks, repeat);
            let (_, outcome) = outcomes.iter().find(|(run, _)| own(run))?;
            merit.value(*outcome.summary.get(merit.key)?)
        };
        let repeats = outcomes.iter().map(|(run, _)| run.repeat + 1).max().unwrap_or(0);
        let both = (0..repeats).map(|repeat| (value(Variant::Stock, repeat), value(Variant::Hcube, repeat)));
        let pairs: Vec<(f64, f64)> = both.clone().filter_map(|(stock, hcube)| stock.zip(hcube)).collect();
        // Without a pair, what there is.
        let (stock, hcube) = match pairs.is_empty() {
            true => {
                (both.clone().filter_map(|both| both.0).collect(), both.filter_map(|both| both.1).collect())
            }
            false => pairs.into_iter().unzip(),
        };
        Compared { key: merit.key.to_owned(), ranks, stock, hcube }
    });
    one.filter(|compared| !(compared.stock.is_empty() && compared.hcube.is_empty())).collect()
}

/// HPL by process grids, in the order of the solutions: each broadcast of stock HPCC, and all solutions with
/// hcube.
pub fn grids(outcomes: &[(Run, Outcome)]) -> Vec<Grid> {
    let mut grids: Vec<Grid> = Vec::new();
    for (run, outcome) in outcomes {
        for one in &outcome.solutions {
            let key = (one.rows, one.columns, one.n, one.block, one.depth);
            let (rows, columns, n, block, depth) = key;
            let alike = |grid: &Grid| (grid.rows, grid.columns, grid.n, grid.block, grid.depth) == key;
            let place = grids.iter().position(alike).unwrap_or_else(|| {
                grids.push(Grid { rows, columns, n, block, depth, stock: Vec::new(), hcube: Vec::new() });
                grids.len() - 1
            });
            let grid = &mut grids[place];
            match run.variant {
                Variant::Hcube => grid.hcube.push(one.gflops),
                Variant::Stock => match grid.stock.iter_mut().find(|stock| stock.number == one.broadcast) {
                    Some(stock) => stock.gflops.push(one.gflops),
                    None => grid.stock.push(Broadcast { number: one.broadcast, gflops: vec![one.gflops] }),
                },
                Variant::Sandia => {}
            }
        }
    }
    grids
}

#[cfg(test)]
mod tests {
    use super::super::hpl;
    use super::*;

    #[test]
    fn values_of_whole_runs_by_ranks() {
        let outcome = |value: f64| Outcome {
            summary: [("MPIFFT_Gflops".to_owned(), value), ("Unknown".to_owned(), 1.0)].into(),
            ..Outcome::default()
        };
        let run = |variant, ranks, repeat| Run { variant, ranks, repeat, whole: true };
        let outcomes = [
            (run(Variant::Hcube, 4, 0), outcome(2.0)),
            (run(Variant::Stock, 4, 0), outcome(1.0)),
            (run(Variant::Hcube, 2, 0), outcome(-1.0)),
            (run(Variant::Stock, 4, 1), Outcome::default()),
            (run(Variant::Hcube, 4, 1), outcome(3.0)),
            (run(Variant::Sandia, 4, 2), outcome(9.0)),
            (run(Variant::Stock, 4, 2), outcome(5.0)),
            (run(Variant::Hcube, 4, 2), outcome(6.0)),
            (run(Variant::Hcube, 8, 0), outcome(7.0)),
        ];
        let [on_4, on_8] = &compared(&outcomes)[..] else { panic!("figures on 4 and on 8 ranks") };
        assert_eq!((on_4.key.as_str(), on_4.ranks, on_8.ranks), ("MPIFFT_Gflops", 4, 8));
        // A run whose partner has no result is in no pair.
        assert_eq!((&on_4.stock[..], &on_4.hcube[..]), (&[1.0, 5.0][..], &[2.0, 6.0][..]));
        assert_eq!((&on_8.stock[..], &on_8.hcube[..]), (&[][..], &[7.0][..]));
    }

    #[test]
    fn solutions_by_grids_and_broadcasts() {
        let text = |gflops: [f64; 3]| {
            let line = |(grid, variant, gflops): (&str, &str, f64)| {
                format!("{variant} 600 80 {grid} 1.0 {gflops}\nresidual PASSED\n")
            };
            let kinds = [("1 4", "WR11C2R4"), ("1 4", "WR12C2R4"), ("2 2", "WR11C2R4")];
            let lines =
                kinds.iter().zip(gflops).map(|(&(grid, variant), gflops)| line((grid, variant, gflops)));
            lines.collect::<String>()
        };
        let one = |variant, gflops| {
            let outcome = Outcome { solutions: hpl::solutions(&text(gflops)), ..Outcome::default() };
            (Run { variant, ranks: 4, repeat: 0, whole: true }, outcome)
        };
        let outcomes = [
            one(Variant::Stock, [1.0, 2.0, 3.0]),
            one(Variant::Hcube, [4.0, 5.0, 6.0]),
            one(Variant::Stock, [7.0, 8.0, 9.0]),
            one(Variant::Sandia, [0.0; 3]),
        ];
        let [row, square] = &grids(&outcomes)[..] else { panic!("two grids") };
        let stock = |number, gflops: &[f64]| Broadcast { number, gflops: gflops.to_vec() };
        assert_eq!(row.stock, [stock(1, &[1.0, 7.0]), stock(2, &[2.0, 8.0])]);
        assert_eq!((&row.hcube[..], &square.hcube[..]), (&[4.0, 5.0][..], &[6.0][..]));
        assert_eq!((square.rows, square.columns, &square.stock[..]), (2, 2, &[stock(1, &[3.0, 9.0])][..]));
    }
}
