//! Finish blocks: at the end of a block all functions that were shipped in it have returned, including
//! functions that these have shipped.
//!
//! Idea: every image counts, for each block, the functions that it has shipped and executed. At the end of
//! the block it waits until its messages have been received; then the members sum the number of functions
//! that are shipped and not executed, and the block has ended if the sum is 0. Functions that an image ships
//! or executes after it has contributed to a reduction, or that descend from a function shipped by an image
//! after it has contributed, are counted in the next reduction: so every function is counted as shipped and
//! as executed in the same reduction.
//!
//! Restrictions: begin and end of a block are collective over the team and nested. A function is shipped to
//! members of the team of the block, through this team or a team that was split from it.
//! Cost: at most L + 1 reductions, where L is the length of the longest chain of functions that ship each
//! other: each reduction covers at least one further link of all chains. Source: Yang, Murthy, Mellor-Crummey
//! 2013, "Managing asynchronous operations in Coarray Fortran 2.0".

#[cfg(hcube_model)]
pub mod model;

use crate::engine::image::Image;
use crate::engine::runtime::Runtime;
use crate::operations::reduction::Combination;
use crate::state::finish::Scope;
use crate::state::handles::Handle;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};

impl<C: Comm> Image<C> {
    /// Whether nothing of a block is pending here, as far as this image knows.
    fn is_quiet(&self, scope: Scope) -> bool {
        self.pending.are_over(scope) && self.memory.is_delivered() && !self.shipped.is_ready()
    }
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: begins a block. Does not wait.
    ///
    /// # Errors
    /// For a team that was freed, and in a shipped function.
    pub fn begin_finish(&self, team: Handle) -> Result<()> {
        self.with(|image| {
            image.shipped.refuse_inside("collective functions")?;
            let members = image.teams.get_mut(team)?;
            let scope = Scope::new(members.identity(), members.next_operation());
            image.finishes.begin(team, scope);
            Ok(())
        })
    }

    /// Collective over the team of the innermost block: returns when all functions that members have shipped
    /// in it have ended, with those that these have shipped. The number of reductions.
    ///
    /// # Errors
    /// Outside of a block, in a shipped function; on all members, if one of them has not registered a
    /// function that was shipped to it: the block stays open, and may be ended when it has; if an image has
    /// failed or stopped.
    pub fn end_finish(&self) -> Result<usize> {
        let (team, scope) = self.with(|image| {
            image.shipped.refuse_inside("collective functions")?;
            image.finishes.innermost().ok_or_else(|| {
                Error::Usage("no finish block has begun: expected hcube_caf_finish_begin before".into())
            })
        })?;
        let rounds = self.terminate(team, scope)?;
        self.with(|image| {
            image.finishes.end();
            image.pending.check().map(|()| rounds)
        })
    }

    /// Reductions until all functions of a block have ended: their number.
    pub(crate) fn terminate(&self, team: Handle, scope: Scope) -> Result<usize> {
        for rounds in 1.. {
            self.wait(|image| Ok(image.is_quiet(scope).then_some(())))?;
            let open = self.with(|image| {
                image.statistics.finish_rounds += 1;
                Ok(image.finishes.give(scope))
            })?;
            let unregistered = self.image.borrow().shipped.unregistered(scope);
            let words = [open, i64::from(unregistered.is_some())];
            let [all, missing] = self.combine(team, words, Combination::Sum)?;
            self.change(|image| image.finishes.end_reduction(scope))?;
            if missing != 0 {
                return Err(self.not_registered(team, unregistered)?);
            }
            if all == 0 {
                return Ok(rounds);
            }
        }
        unreachable!("chains of functions end")
    }

    /// Collective over the team, where a member was shipped a function that it has not registered: the error,
    /// which names one such image and function on all members. `own`: what was shipped to this one, and by
    /// whom.
    fn not_registered(&self, team: Handle, own: Option<(usize, usize)>) -> Result<Error> {
        let word = own.map_or(-1, |(function, _)| (self.own() as i64) << 32 | function as i64);
        let [most] = self.combine(team, [word], Combination::Max)?;
        let text = match own {
            Some((function, from)) => {
                format!("image {from} has shipped function {function}, which is not registered here")
            }
            None => format!(
                "function {} was shipped to image {}, where it is not registered",
                most & i64::from(u32::MAX),
                most >> 32
            ),
        };
        Ok(Error::Usage(text + ": expected the same functions in the same order on all images"))
    }
}
