//! Execution of shipped functions.
//!
//! Shipped functions are executed inside waits, and may call the runtime themselves. The state is therefore
//! not locked while a function runs.

use crate::engine::image::Image;
use crate::engine::runtime::{Function, Runtime};
use crate::state::pending::Operation;
use crate::state::place::Place;
use crate::state::shipped::Sort;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use std::rc::Rc;

/// An event that is notified when earlier puts of this image are visible to the image that waits for it.
struct Notify(Place);

impl<C: Comm> Operation<Image<C>> for Notify {
    fn advance(&mut self, image: &mut Image<C>) -> Result<bool> {
        Ok(image.has_notified(self.0))
    }
}

impl<C: Comm> Runtime<C> {
    /// Runs functions that have arrived.
    pub(super) fn run(&self) -> Result<()> {
        let (batch, before) = self.with(|image| Ok((image.shipped.begin(), image.finishes.running())))?;
        // Those of one sort are counted together.
        let mut last: Option<(Sort, Function<C>)> = None;
        let mut counted = 0;
        while let Some(call) = batch.next() {
            if last.as_ref().is_none_or(|&(sort, _)| sort != call.sort) {
                let image = &mut *self.image.borrow_mut();
                image.count_run(std::mem::take(&mut counted));
                last = self.registered(call.sort);
                if last.is_some() {
                    image.finishes.enter(call.sort.scope(), call.sort.label());
                } else {
                    image.shipped.keep(&call);
                }
            }
            let Some((_, function)) = &last else { continue };
            function(self, call.from, call.arguments);
            counted += 1;
            if let Some(event) = call.event() {
                self.image.borrow_mut().notify_when_made(event);
            }
        }
        let image = &mut *self.image.borrow_mut();
        image.count_run(counted);
        image.finishes.resume(before);
        image.shipped.end();
        Ok(())
    }

    /// The function of a sort.
    fn registered(&self, sort: Sort) -> Option<(Sort, Function<C>)> {
        let functions = self.functions.borrow();
        functions.get(sort.function()).map(|function| (sort, Rc::clone(function)))
    }
}

impl<C: Comm> Image<C> {
    /// Counts functions that have run in the block and with the label of those that run.
    fn count_run(&mut self, functions: u64) {
        self.finishes.have_run(functions as i64);
        self.statistics.executed += functions;
    }

    /// Notifies an event, if earlier puts of this image are visible to the image that waits for it. Returns
    /// whether it was notified.
    fn has_notified(&mut self, Place { image, offset }: Place) -> bool {
        let is_made = self.memory.is_made(Some(image));
        if is_made {
            self.memory.notify(image, offset, 1);
        }
        is_made
    }

    /// Notifies an event as soon as earlier puts of this image are visible to the image that waits for it.
    fn notify_when_made(&mut self, event: Place) {
        if !self.has_notified(event) {
            self.pending.add(self.finishes.scope(), Notify(event));
        }
    }
}
