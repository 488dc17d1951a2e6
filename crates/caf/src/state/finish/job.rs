//! Images that ship functions to each other in a block, as a state machine on the counters of this module:
//! its model explores all states, its tests take random steps.
//!
//! Each step is one of an image: it takes a function that is in transit to it; it runs one that it has taken,
//! which ships at most two; it contributes to the reduction that comes next, when all that it has shipped has
//! been taken and all that it has taken has run; or it takes the sum of one to which all have contributed.

use super::{Counts, Label};

/// A function that has been shipped and not executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Shipped {
    label: Label,
    from: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Image {
    counts: Counts,
    /// Functions in transit to it, in any order, and those that it has taken.
    coming: Vec<Shipped>,
    taken: Vec<Shipped>,
    /// Functions that it has shipped and that are in transit.
    unheard: usize,
    reductions: usize,
    has_ended: bool,
}

/// The images of a block.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Job {
    images: Vec<Image>,
    /// How many have contributed to each reduction, and the sum.
    given: Vec<(usize, i64)>,
    /// Functions that functions may still ship.
    left: usize,
}

/// A step of an image.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Take(usize),
    /// Runs one that was taken, which ships others to these images.
    Run(usize, Vec<usize>),
    Reduce,
}

fn insert(all: &mut Vec<Shipped>, shipped: Shipped) {
    // The order makes no difference: equal states are found equal.
    all.insert(all.partition_point(|other| *other < shipped), shipped);
}

/// The numbers of functions that differ.
fn different(all: &[Shipped]) -> impl Iterator<Item = usize> {
    (0..all.len()).filter(|&number| number == 0 || all[number] != all[number - 1])
}

impl Job {
    /// `left`: functions that functions ship, at most.
    pub fn new(images: usize, left: usize) -> Self {
        Self { images: vec![Image::default(); images], given: Vec::new(), left }
    }

    pub fn images(&self) -> usize {
        self.images.len()
    }

    /// The program of an image ships a function.
    pub fn ship(&mut self, from: usize, to: usize) {
        self.ship_because(from, to, None);
    }

    fn ship_because(&mut self, from: usize, to: usize, cause: Option<Label>) {
        let counts = &mut self.images[from].counts;
        let label = counts.label_for(cause.unwrap_or(counts.label));
        counts.add(label, 1);
        self.images[from].unheard += 1;
        insert(&mut self.images[to].coming, Shipped { label, from });
    }

    fn can_reduce(&self, at: usize) -> bool {
        let image = &self.images[at];
        if image.counts.has_given {
            return self.given[image.reductions].0 == self.images();
        }
        !image.has_ended && image.unheard == 0 && image.taken.is_empty()
    }

    /// The steps that an image can make.
    pub fn steps(&self, at: usize) -> Vec<Step> {
        let image = &self.images[at];
        let mut all: Vec<Step> = different(&image.coming).map(Step::Take).collect();
        for number in different(&image.taken) {
            let mut targets = vec![Vec::new()];
            let every = 0..self.images();
            if self.left > 0 {
                targets.extend(every.clone().map(|to| vec![to]));
            }
            if self.left > 1 {
                targets.extend(every.clone().flat_map(|one| (one..every.end).map(move |two| vec![one, two])));
            }
            all.extend(targets.into_iter().map(|to| Step::Run(number, to)));
        }
        if self.can_reduce(at) {
            all.push(Step::Reduce);
        }
        all
    }

    /// A step of an image.
    pub fn perform(&mut self, at: usize, step: Step) {
        match step {
            Step::Take(number) => {
                let shipped = self.images[at].coming.remove(number);
                self.images[shipped.from].unheard -= 1;
                insert(&mut self.images[at].taken, shipped);
            }
            Step::Run(number, targets) => {
                let Shipped { label, .. } = self.images[at].taken.remove(number);
                let label = self.images[at].counts.label_for(label);
                self.left -= targets.len();
                targets.into_iter().for_each(|to| self.ship_because(at, to, Some(label)));
                self.images[at].counts.add(label, -1);
            }
            Step::Reduce => self.reduce(at),
        }
        assert!(!self.has_ended_early(), "a block ends early: {self:?}");
    }

    fn reduce(&mut self, at: usize) {
        let image = &mut self.images[at];
        self.given.resize(self.given.len().max(image.reductions + 1), (0, 0));
        let (count, sum) = &mut self.given[image.reductions];
        if image.counts.has_given {
            image.has_ended = *sum == 0;
            image.counts.end_reduction();
            image.reductions += 1;
        } else {
            *count += 1;
            *sum += image.counts.give();
        }
    }

    fn has_ended_early(&self) -> bool {
        let is_open = |image: &Image| !image.coming.is_empty() || !image.taken.is_empty();
        self.images.iter().any(|image| image.has_ended) && self.images.iter().any(is_open)
    }

    /// Whether all images have ended their block.
    pub fn has_ended(&self) -> bool {
        self.images.iter().all(|image| image.has_ended)
    }
}
