//! The frame that the benchmarks of all systems fill.
//!
//! A system says what its cases are (variants and competitors, at each size), how one of them is prepared,
//! called and verified, and what a row of its results is; see [`System`]. The frame does the rest: it opens
//! all cases of a size, verifies them, finds how many calls are timed together, measures the cases
//! alternately in an order that rotates, shows progress with the remaining time, and checks which
//! implementation has worked in each of them ([`proof`](super::proof)). [`job`](super::job) prints and writes
//! what it has found.

use super::proof::{Claim, Counts, Moved};
use super::timing;
use super::usage::{Meter, Reading};
use crate::progress::Progress;
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_results::measured::Timing;

/// Whether a case can be measured here; else a note why it is left out.
pub type Opened<W> = std::result::Result<W, String>;

/// A case under way.
pub struct Line<C, W> {
    pub case: C,
    /// What the case needs while it is measured.
    pub work: W,
    /// What has to work, the same on all ranks.
    pub claim: Claim,
    /// Calls that are timed together.
    pub batch: u32,
    /// What verification has found on all ranks; nothing where not verified.
    pub errors: Option<u64>,
}

/// A line of a system.
pub type LineOf<S> = Line<<S as System>::Case, <S as System>::Work>;

/// A system with its competitors. All methods but [`System::name`] are collective, and what they return is
/// the same on all ranks where it decides what happens next.
pub trait System {
    /// The name in `hcube bench`.
    const NAME: &'static str;
    /// What is measured: a variant or a competitor at one size. A line of the table.
    type Case: Clone;
    /// What a case needs while it is measured.
    type Work;
    /// All measurements of a case.
    type Row: Clone;

    /// The cases of each size.
    fn sizes(&self) -> Vec<Vec<Self::Case>>;
    /// A case in messages and in progress.
    fn name(&self, case: &Self::Case) -> String;
    /// What stands above the table, behind the name and before the number of measurements.
    fn about(&self) -> String;
    /// The lines above the table.
    fn heading(&self, repeat: u32) -> String {
        let (version, about) = (env!("CARGO_PKG_VERSION"), self.about());
        format!("hcube {version} {}: {about}medians of {repeat} alternating measurements\n\n", Self::NAME)
    }
    /// How long a case takes, compared with others of this system: the remaining time follows.
    fn weight(&self, _case: &Self::Case) -> f64 {
        1.0
    }
    /// Prepares a case.
    fn open(&mut self, case: &Self::Case) -> Result<Opened<Self::Work>>;
    /// The implementation that a case claims to measure.
    ///
    /// # Errors
    /// Where it is not what it should be; ranks may differ.
    fn claim(&self, case: &Self::Case, work: &Self::Work) -> Result<Claim>;
    /// Local: how often each implementation of this system has worked so far, as its own counters say.
    fn counts(&self, work: &Self::Work) -> Counts;
    /// One call with known data: what is wrong then on all ranks, or nothing where no data shows it.
    fn verify(&mut self, _line: &mut LineOf<Self>) -> Result<Option<u64>> {
        Ok(None)
    }
    /// Verifies all cases of a size where that was asked for, and finds how many calls are timed together.
    fn warm_up(&mut self, comm: &impl Comm, verify: bool, lines: &mut [LineOf<Self>]) -> Result<()> {
        for line in lines {
            if verify {
                line.errors = self.verify(line)?;
            }
            line.batch = timing::settled(|calls| self.timed(comm, line, calls))?;
        }
        Ok(())
    }
    /// Local: what has to be done before a batch of calls.
    fn restore(&mut self, _line: &mut LineOf<Self>) {}
    /// A batch of calls.
    fn call(&mut self, line: &mut LineOf<Self>, calls: u32) -> Result<()>;
    /// Seconds of a call on the slowest rank, from a batch.
    fn timed(&mut self, comm: &impl Comm, line: &mut LineOf<Self>, calls: u32) -> Result<f64> {
        self.restore(line);
        let (seconds, ()) = timing::timed(comm, || self.call(line, calls))?;
        Ok(seconds / f64::from(calls))
    }
    /// Collective: a measurement without calls, where one is more than [`timing::timed`] of nothing. Returns
    /// whether it is.
    ///
    /// # Errors
    /// Errors of MPI.
    fn measure_nothing(&mut self, _comm: &impl Comm, _line: &mut LineOf<Self>) -> Result<bool> {
        Ok(false)
    }
    /// Measures a case once.
    fn measure(
        &mut self,
        comm: &impl Comm,
        line: &mut LineOf<Self>,
        _progress: &mut Progress,
    ) -> Result<f64> {
        self.timed(comm, line, line.batch)
    }
    /// The row of a case, from the times of a call in each measurement.
    fn row(&mut self, line: &mut LineOf<Self>, timing: Timing) -> Result<Self::Row>;
}

/// Finds how many calls are timed together, the same number for all cases of a size, from the fastest of some
/// calls of each case that take about this many seconds at most.
pub fn settle_together<S: System>(
    system: &mut S,
    comm: &impl Comm,
    lines: &mut [LineOf<S>],
    seconds: f64,
) -> Result<()> {
    let mut fastest = Vec::new();
    for line in &mut *lines {
        fastest.push(timing::fastest(seconds, || system.timed(comm, line, 1))?);
    }
    let batch = timing::batch(&fastest);
    lines.iter_mut().for_each(|line| line.batch = batch);
    Ok(())
}

/// The turn and the number of each measurement of some cases: all cases alternately, in an order that
/// rotates, so that no case always runs after the same other case.
pub fn alternating(cases: usize, repeat: u32) -> impl Iterator<Item = (usize, usize)> {
    let of_turn = move |turn| (0..cases).map(move |number| (turn, (number + turn) % cases));
    (0..repeat as usize).flat_map(of_turn)
}

/// What was measured.
pub struct Measured<R> {
    pub rows: Vec<R>,
    /// Why cases have no row.
    pub left_out: Vec<String>,
    /// Why lines are no results: another implementation has worked than they claim.
    pub refuted: Vec<String>,
}

/// What was found in the measurements of a case so far.
#[derive(Default)]
struct Found {
    /// Of a call, in each measurement.
    seconds: Vec<f64>,
    used: Reading,
    moved: Moved,
}

impl Found {
    /// Adds a measurement, with what there was before and after it.
    fn add(&mut self, seconds: f64, used: (Reading, Reading), counts: (&Counts, &Counts)) {
        self.seconds.push(seconds);
        self.used.add(used.0, used.1);
        self.moved.add(counts.0, counts.1);
    }
}

/// Collective: all measurements of all cases, a number of times and verified or not. `show` gets the rows so
/// far, whenever the rows of a size are added.
pub fn measure<S: System>(
    comm: &impl Comm,
    system: &mut S,
    (repeat, verify): (u32, bool),
    progress: &mut Progress,
    mut show: impl FnMut(&S, &[S::Row], &Progress),
) -> Result<Measured<S::Row>> {
    let sizes = system.sizes();
    let mut done = Measured { rows: Vec::new(), left_out: Vec::new(), refuted: Vec::new() };
    let weights = sizes.iter().flatten().map(|case| system.weight(case));
    progress.begin_weighted(weights.sum::<f64>() * f64::from(repeat));
    let meter = Meter::new(comm)?;
    for cases in sizes {
        let mut lines: Vec<LineOf<S>> = Vec::new();
        for case in cases {
            progress.prepare(|| system.name(&case));
            match system.open(&case)? {
                Ok(work) => {
                    let claim = agree(comm, system.claim(&case, &work))?;
                    lines.push(Line { case, work, claim, batch: 1, errors: None });
                }
                Err(reason) => {
                    progress.skip(system.weight(&case) * f64::from(repeat));
                    if !done.left_out.contains(&reason) {
                        done.left_out.push(reason);
                    }
                }
            }
        }
        system.warm_up(comm, verify, &mut lines)?;
        let mut empty = Vec::new();
        for line in &mut lines {
            let is_more = system.measure_nothing(comm, line)?;
            let nothing = || system.measure_nothing(comm, line).map(drop);
            empty.push(if is_more { meter.of_nothing(comm, nothing)? } else { meter.empty() });
        }
        let mut found: Vec<Found> = lines.iter().map(|_| Found::default()).collect();
        for (turn, number) in alternating(lines.len(), repeat) {
            let line = &mut lines[number];
            let name = || format!("{}, {} of {repeat}", system.name(&line.case), turn + 1);
            progress.step_weighted(system.weight(&line.case), name);
            let (before, used) = (system.counts(&line.work), meter.read());
            let seconds = system.measure(comm, line, progress)?;
            found[number].add(seconds, (used, meter.read()), (&before, &system.counts(&line.work)));
        }
        // Lines stay open until the last row: what one keeps would else be reused by the next.
        for (line, (found, empty)) in lines.iter_mut().zip(found.into_iter().zip(empty)) {
            let usage = meter.usage(comm, found.used, (repeat, line.batch), empty)?;
            let row = system.row(line, Timing { usage: Some(usage), ..Timing::new(&found.seconds) })?;
            match found.moved.refutes(comm, &line.claim)? {
                None => done.rows.push(row),
                Some(reason) => {
                    let reason = format!("{} left out: NOT MEASURED: {reason}", system.name(&line.case));
                    done.left_out.push(reason.clone());
                    done.refuted.push(reason);
                }
            }
        }
        show(system, &done.rows, progress);
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two sizes and three competitors; one competitor cannot exchange the larger size.
    #[derive(Default)]
    struct Toy {
        order: Vec<(usize, &'static str)>,
        open: usize,
        /// How often each competitor has worked.
        worked: [u64; 3],
        /// The competitor that calls the first one instead of working.
        deceives: Option<&'static str>,
    }

    const NAMES: [&str; 3] = ["a", "b", "c"];

    impl System for Toy {
        const NAME: &'static str = "toy";
        type Case = (usize, &'static str);
        type Work = ();
        type Row = (String, usize, Option<u64>);

        fn sizes(&self) -> Vec<Vec<Self::Case>> {
            [8, 64].map(|size| NAMES.map(|name| (size, name)).to_vec()).to_vec()
        }
        fn name(&self, case: &Self::Case) -> String {
            format!("{} of {} B", case.1, case.0)
        }
        fn about(&self) -> String {
            "a toy\n".to_owned()
        }
        fn open(&mut self, &case: &Self::Case) -> Result<Opened<()>> {
            self.open += 1;
            Ok(if case == (64, "b") { Err("b left out: too large".to_owned()) } else { Ok(()) })
        }
        fn claim(&self, case: &Self::Case, (): &()) -> Result<Claim> {
            Ok(Claim::counted(case.1))
        }
        fn counts(&self, (): &()) -> Counts {
            NAMES.into_iter().zip(self.worked).collect()
        }
        fn verify(&mut self, line: &mut LineOf<Self>) -> Result<Option<u64>> {
            Ok((line.case.0 == 8).then_some(0))
        }
        fn warm_up(&mut self, _: &impl Comm, verify: bool, lines: &mut [LineOf<Self>]) -> Result<()> {
            for line in lines {
                line.errors = if verify { self.verify(line)? } else { None };
            }
            Ok(())
        }
        fn call(&mut self, line: &mut LineOf<Self>, calls: u32) -> Result<()> {
            let case = line.case;
            assert_eq!(
                (self.open, calls),
                (if case.0 == 8 { 3 } else { 6 }, 1),
                "all cases of a size are open"
            );
            self.order.push(case);
            let number = NAMES.iter().position(|name| *name == case.1).expect("one of them");
            self.worked[if self.deceives == Some(case.1) { 0 } else { number }] += 1;
            Ok(())
        }
        fn row(&mut self, line: &mut LineOf<Self>, timing: Timing) -> Result<Self::Row> {
            Ok((self.name(&line.case), timing.measured_us.len(), line.errors))
        }
    }

    type ToyRow = <Toy as System>::Row;

    /// Measures everything twice: what was found, the toy afterwards, and how many rows there were after each
    /// size.
    fn measured(deceives: Option<&'static str>) -> (Measured<ToyRow>, Toy, Vec<usize>) {
        let of_ranks = hcube_core::comm::threads::run(1, 1, |comm| {
            let (mut toy, mut shown) = (Toy { deceives, ..Toy::default() }, Vec::new());
            let show = |_: &Toy, rows: &[_], _: &Progress| shown.push(rows.len());
            let found = measure(comm, &mut toy, (2, true), &mut Progress::new("toy", false), show);
            (found.expect("measured"), toy, shown)
        });
        of_ranks.into_iter().next().expect("one rank")
    }

    #[test]
    fn cases_of_a_size_are_measured_alternately_in_an_order_that_rotates() {
        let (Measured { rows, left_out, refuted }, toy, shown) = measured(None);
        let order: Vec<_> = toy.order.iter().map(|&(size, name)| format!("{size}{name}")).collect();
        assert_eq!(order, ["8a", "8b", "8c", "8b", "8c", "8a", "64a", "64c", "64c", "64a"]);
        assert_eq!((left_out.as_slice(), refuted.len()), (&["b left out: too large".to_owned()][..], 0));
        assert_eq!(rows.len(), 5);
        // The rows of a size are there when it was measured.
        assert_eq!(shown, [3, 5]);
        assert!(rows.iter().all(|row| row.1 == 2), "{rows:?}");
        assert_eq!(toy.heading(2).lines().nth(1), Some("medians of 2 alternating measurements"));
    }

    #[test]
    fn a_line_in_which_another_implementation_has_worked_is_no_result() {
        let (Measured { rows, left_out, refuted }, ..) = measured(Some("c"));
        let names: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
        assert_eq!(names, ["a of 8 B", "b of 8 B", "a of 64 B"]);
        assert_eq!(refuted.len(), 2);
        assert!(refuted[0].starts_with("c of 8 B left out: NOT MEASURED: "), "{refuted:?}");
        assert!(refuted[0].contains("'a', has moved by 2"), "{refuted:?}");
        assert!(refuted.iter().all(|reason| left_out.contains(reason)), "{left_out:?}");
    }
}
