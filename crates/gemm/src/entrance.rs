//! Products on a communicator in programs that call hcube: the arguments of all ranks are compared before
//! anything is written.
//!
//! Cost: one reduction per call; the set-up at the first call, and when grid or options change.

use crate::local::{LocalGemm, Multiply};
use crate::options::Options;
use crate::product::Product;
use crate::state::State;
use hcube_core::comm::{Comm, agree, agree_on, bounds, check_bounds};
use hcube_core::error::Result;

/// The selection by a program.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// The options, the same on all ranks.
    pub options: Options,
    /// The local product; `None` for the program's BLAS.
    pub multiply: Option<Multiply>,
}

/// A product that this rank can compute.
#[derive(Debug)]
pub struct Work<'a> {
    /// The product.
    pub product: Product<'a>,
    /// Local products.
    pub local: LocalGemm,
    /// The options.
    pub options: Options,
}

/// The state of a communicator.
#[derive(Debug)]
pub struct Products {
    choice: Option<Choice>,
    ready: Option<(Options, State)>,
    last_path: &'static str,
}

impl Default for Products {
    fn default() -> Self {
        Self { choice: None, ready: None, last_path: "none" }
    }
}

impl Products {
    /// Local: what a call uses: what it passes, or what was set for the communicator, or the options of the
    /// environment at its first call.
    ///
    /// # Errors
    /// Where the value of a variable is not valid.
    pub fn choice(&mut self, passed: Option<Choice>) -> Result<Choice> {
        match passed.or(self.choice) {
            Some(choice) => Ok(choice),
            None => {
                let options = Options::from_environment()?;
                Ok(*self.choice.insert(Choice { options, multiply: None }))
            }
        }
    }

    /// Collective: what all further calls use that pass nothing.
    ///
    /// # Errors
    /// On all ranks, if the choice of one rank is invalid or differs from the others.
    pub fn set_choice<C: Comm>(&mut self, comm: &C, choice: Result<Choice>) -> Result<()> {
        let choice = agree(comm, choice)?;
        agree_on(comm, &choice.options.agreement())?;
        *self = Self { choice: Some(choice), ..Self::default() };
        Ok(())
    }

    /// The path of the last product.
    pub fn last_path(&self) -> &'static str {
        self.last_path
    }

    /// Collective: computes a product. `values` are the arguments that must be the same on all ranks, by
    /// name; the names are the same on all ranks, also if there is no work.
    ///
    /// # Errors
    /// On all ranks, with nothing written: the error of a rank that has no work, arguments that differ,
    /// memory, MPI.
    pub fn multiply<C: Comm>(
        &mut self,
        comm: &C,
        work: Result<Work<'_>>,
        values: &[(&'static str, i64)],
    ) -> Result<()> {
        let result = self.attempt(comm, work, values);
        self.last_path = result.as_ref().map_or("refused", |&path| path);
        result.map(drop)
    }

    fn attempt<C: Comm>(
        &mut self,
        comm: &C,
        work: Result<Work<'_>>,
        values: &[(&'static str, i64)],
    ) -> Result<&'static str> {
        let options = work.as_ref().map_or_else(|_| Options::default(), |work| work.options);
        let values = [values, &options.agreement()].concat();
        let mut words = bounds(&values);
        words.push(i64::from(work.is_err()));
        comm.all_reduce_max(&mut words)?;
        let work = if words.pop() == Some(0) { work? } else { agree(comm, work)? };
        check_bounds(&words, &values)?;
        let grid = work.product.grid;
        let state = match &mut self.ready {
            Some((known, state)) if *known == options && state.grid() == grid => state,
            ready => {
                // The memory of the previous one is not needed any more.
                *ready = None;
                &mut ready.insert((options, State::new(comm, grid, &options)?)).1
            }
        };
        state.multiply(comm, &work.product, &work.local).map(|report| report.path.name())
    }
}
