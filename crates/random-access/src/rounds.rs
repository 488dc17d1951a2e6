//! Synchronous rounds: every rank generates as many values, and they travel through the stages of
//! the plan, by messages, through shared memory, or both.
//!
//! Idea: Figure 2 of the paper. A stage divides the list at hand; what belongs to other parts is
//! sent, what arrives joins the list; after the last stage everything in it is the rank's own.
//! Restrictions: none; ranks that have fewer values than others take part with empty lists.
//! Cost: that of the plan (`hypercube`), per round of Q/2 values (Q relaxed).
//! Source: Plimpton et al. 2006, §2 and, for what overlaps with what, §4 (Mod1, Mod2, Mod3, Mod7).

mod message_stage;
mod node_stage;

use super::divide::Divider;
use super::options::Options;
use super::prepare::Prepared;
use super::statistics::Statistics;
use super::table::{Distribution, Index};
use super::update::{LocalTable, Source};
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::machine::work::Work;
use hcube_core::plan::Transport;
use hcube_core::progress::wait::{Patience, Stopwatch};
use message_stage::MessageStage;
use node_stage::NodeStage;

/// What all stages of a round share.
struct Context<'a, C: ?Sized> {
    comm: &'a C,
    options: &'a Options,
    patience: Patience,
    statistics: Statistics,
    watch: Stopwatch,
}

impl<C: Comm + ?Sized> Context<'_, C> {
    /// Applies values that this rank owns.
    fn update(&mut self, table: &mut LocalTable<'_>, values: &[u64]) {
        table.update(values);
        self.comm.charge(Work::updated(values.len()));
        self.statistics.update += self.watch.lap();
    }

    /// Puts values on the lists of the parts that they belong to.
    fn divide(&mut self, divider: &mut Divider<'_>, values: &[u64]) {
        divider.divide(values);
        self.comm.charge(Work::divided(values.len() * divider.passes()));
        self.statistics.route += self.watch.lap();
    }

    /// Appends values that have arrived to a list.
    fn append(&mut self, list: &mut Vec<u64>, values: &[u64]) {
        list.extend_from_slice(values);
        self.comm.charge(Work::copied(size_of_val(values)));
        self.statistics.route += self.watch.lap();
    }

    /// Counts what a rank holds while routing: Q on average, by chance or skew more.
    fn hold(&mut self, values: usize) {
        self.statistics.excess += values.saturating_sub(self.options.look_ahead) as u64;
        self.statistics.most_held = self.statistics.most_held.max(values as u64);
    }
}

/// One stage with its buffers.
enum Stage<'a, C: Comm + ?Sized> {
    Messages(MessageStage<'a, C>),
    Node(NodeStage<'a>),
}

/// Runs `rounds` rounds, the same number on all ranks.
pub(super) fn run<C: Comm + ?Sized>(
    comm: &C,
    prepared: &mut Prepared,
    (options, rounds): (&Options, u64),
    (distribution, index): (Distribution, Index),
    source: &mut Source,
    table: &mut LocalTable,
) -> Result<Statistics> {
    let mut mailboxes = prepared.mailboxes.iter_mut();
    let mut stages = Vec::new();
    for (number, stage) in prepared.plan.stages.iter().enumerate() {
        let divider = Divider::new(&stage.parting, stage.parts, distribution, index, prepared.level);
        stages.push(match &stage.transport {
            Transport::Messages { sends, receives } => Stage::Messages(MessageStage::new(
                number,
                stage.own,
                divider,
                sends,
                receives,
                options.round(),
            )),
            Transport::Node => {
                let mailbox = mailboxes.next().expect("a mailbox per stage in shared memory");
                Stage::Node(NodeStage { divider, own: stage.own, mailbox })
            }
        });
    }
    let (patience, statistics) = (prepared.patience, Statistics::default());
    let mut context = Context { comm, options, patience, statistics, watch: Stopwatch::default() };
    let (mut list, mut unapplied) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        context.watch = Stopwatch::start(Statistics::sampled(round));
        source.generate(options.round(), &mut list);
        comm.charge(Work::generated(list.len()));
        context.statistics.generate += context.watch.lap();
        one_round(&mut context, &mut stages, &mut list, &mut unapplied, table)?;
        if options.look_ahead == 1 && !options.relaxed {
            // Two rounds of one value would be open at once: wait until this one is applied.
            comm.barrier()?;
            context.statistics.wait += context.watch.lap();
        }
    }
    context.update(table, &unapplied);
    table.flush();
    for stage in &mut stages {
        if let Stage::Messages(stage) = stage {
            stage.finish_sends(&mut context)?;
        }
    }
    let buffers: usize = stages
        .iter()
        .map(|stage| match stage {
            Stage::Messages(stage) => stage.bytes(),
            Stage::Node(stage) => stage.divider.bytes() + stage.mailbox.shape().bytes_per_rank(),
        })
        .sum();
    context.statistics.rounds = rounds;
    context.statistics.memory =
        (buffers + (list.capacity() + unapplied.capacity()) * size_of::<u64>()) as u64;
    Ok(context.statistics)
}

/// Divides `list`, which is empty afterwards, and what the stage before is still receiving: the list
/// first, so that messages have time to arrive (Mod3).
fn divide_all<C: Comm + ?Sized>(
    context: &mut Context<'_, C>,
    divider: &mut Divider<'_>,
    list: &mut Vec<u64>,
    before: Option<&mut MessageStage<'_, C>>,
) -> Result<()> {
    context.divide(divider, list);
    list.clear();
    if let Some(before) = before {
        before.take_received(context, |context, values| context.divide(divider, values))?;
    }
    context.hold(divider.held());
    Ok(())
}

/// Takes the values of `list` to their owners and applies what arrives for this rank. Relaxed, what
/// arrives last stays in `unapplied` until the next round's first messages are under way.
fn one_round<C: Comm + ?Sized>(
    context: &mut Context<'_, C>,
    stages: &mut [Stage<'_, C>],
    list: &mut Vec<u64>,
    unapplied: &mut Vec<u64>,
    table: &mut LocalTable,
) -> Result<()> {
    if context.options.optimisations.receive_ahead {
        for stage in &mut *stages {
            if let Stage::Messages(stage) = stage {
                stage.post_receives(context)?;
            }
        }
    }
    let count = stages.len();
    for number in 0..count {
        let (before, from_here) = stages.split_at_mut(number);
        let waiting = before.last_mut().and_then(|stage| match stage {
            Stage::Messages(stage) => Some(stage),
            Stage::Node(_) => None,
        });
        let last = number + 1 == count;
        match &mut from_here[0] {
            Stage::Messages(stage) => stage.pass_on(context, list, waiting, last.then_some(&mut *table))?,
            Stage::Node(stage) => stage.pass_on(context, list, waiting, last.then_some(&mut *table))?,
        }
        if number == 0 && !unapplied.is_empty() {
            context.update(table, unapplied);
            unapplied.clear();
        }
    }
    // Q' of the paper: what this rank has for itself when the round is over.
    let mut arrived = list.len();
    context.update(table, list);
    if let Some(Stage::Messages(stage)) = stages.last_mut() {
        let relaxed = context.options.relaxed;
        stage.take_received(context, |context, values| {
            arrived += values.len();
            if relaxed {
                context.append(unapplied, values);
            } else {
                context.update(table, values);
            }
        })?;
    }
    context.hold(arrived);
    // Before the next round begins, this one is applied: what the look-ahead relies on.
    table.flush();
    Ok(())
}
