//! Trials: if the model predicts about the same time for several routes, the first products of a shape are
//! timed with them.
//!
//! Idea: a model with two parameters cannot distinguish routes that differ by some percent, but timing can.
//! The first products with the same demand use the candidates in turn; then all ranks select the candidate
//! whose slowest rank was fastest. The candidates differ only in their messages, so every product gives the
//! same bits.
//!
//! Cost: one reduction per shape. Source: Quintin, Hasanov and Lastovetsky, ICPP 2013, section VI, who
//! propose to sample groups in the first iterations.

use crate::route::{Demand, Route};
use hcube_core::comm::Comm;
use hcube_core::error::Result;

/// Products that each candidate gets.
const TURNS: usize = 2;
/// Shapes that are remembered; the oldest is forgotten.
const MAX_SHAPES: usize = 16;

/// The trials of one shape.
#[derive(Debug)]
struct Trial {
    demand: Demand,
    candidates: Vec<Route>,
    /// Shortest time of each candidate on this rank.
    seconds: Vec<f64>,
    runs: usize,
    chosen: Option<usize>,
}

/// The trials of a communicator; the same on all ranks except the times.
#[derive(Debug, Default)]
pub struct Trials(Vec<Trial>);

impl Trials {
    /// Collective: the route of the next product of a shape, from candidates of which the first is the
    /// fastest by the model.
    ///
    /// # Errors
    /// Of MPI.
    pub fn next<C: Comm>(&mut self, comm: &C, demand: &Demand, candidates: Vec<Route>) -> Result<Route> {
        if candidates.len() == 1 {
            return Ok(candidates[0]);
        }
        let known = self.0.iter().position(|trial| trial.demand == *demand && trial.candidates == candidates);
        let number = known.unwrap_or_else(|| {
            if self.0.len() == MAX_SHAPES {
                self.0.remove(0);
            }
            let seconds = vec![f64::INFINITY; candidates.len()];
            self.0.push(Trial { demand: *demand, candidates, seconds, runs: 0, chosen: None });
            self.0.len() - 1
        });
        let trial = &mut self.0[number];
        let count = trial.candidates.len();
        if let Some(chosen) = trial.chosen {
            return Ok(trial.candidates[chosen]);
        }
        if trial.runs < TURNS * count {
            return Ok(trial.candidates[trial.runs % count]);
        }
        comm.all_reduce_max(&mut trial.seconds)?;
        let fastest = (0..count).min_by(|&one, &other| trial.seconds[one].total_cmp(&trial.seconds[other]));
        let chosen = *trial.chosen.insert(fastest.unwrap_or(0));
        Ok(trial.candidates[chosen])
    }

    /// Notes how long the product took for which [`Self::next`] has given a route.
    pub fn note(&mut self, demand: &Demand, route: &Route, seconds: f64) {
        let of_demand = |trial: &&mut Trial| trial.demand == *demand && trial.chosen.is_none();
        let Some(trial) = self.0.iter_mut().find(of_demand) else { return };
        let count = trial.candidates.len();
        if trial.runs < TURNS * count && trial.candidates[trial.runs % count] == *route {
            let shortest = &mut trial.seconds[trial.runs % count];
            *shortest = shortest.min(seconds);
            trial.runs += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Broadcast;
    use hcube_core::comm::threads;

    #[test]
    fn the_route_whose_slowest_rank_is_fastest_is_kept() {
        let chosen = threads::run(3, 1, |comm| {
            let route = |broadcast| Route { broadcast, groups: [1, 1], levels: 1, inner_block: None };
            let candidates: Vec<Route> = Broadcast::ALL.map(route).to_vec();
            let demand = Demand { domains: [1, 3], column_bytes: [80, 40], columns: 7 };
            let mut trials = Trials::default();
            let mut taken = Vec::new();
            for _ in 0..9 {
                let next = trials.next(comm, &demand, candidates.clone()).expect("no error");
                let number = candidates.iter().position(|candidate| *candidate == next).expect("a candidate");
                taken.push(number);
                // The second is fast only on rank 0, the third everywhere.
                let seconds = [3.0, if comm.rank() == 0 { 0.1 } else { 4.0 }, 2.0][number];
                trials.note(&demand, &next, seconds);
            }
            taken
        });
        assert_eq!(chosen, vec![vec![0, 1, 2, 0, 1, 2, 2, 2, 2]; 3]);
    }
}
