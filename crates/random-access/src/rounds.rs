//! Synchronous rounds: every rank generates the same number of values, which pass through the stages of the
//! plan, by messages, through shared memory, or both.
//!
//! Idea: Figure 2 of Plimpton et al. 2006. A stage divides a list; values for other parts are sent, received
//! values are appended to the list; after the last stage all values in the list belong to the rank itself.
//! Restrictions: none; ranks with fewer values than others take part with empty lists.
//! Cost: see the plan ([`hcube_core::plan`]), per round of Q/2 values (Q relaxed). Extra memory: about Q
//! words per list, two lists per stage, and the mailboxes.
//! Source: Plimpton et al. 2006, §2 and, for overlap, §4 (Mod1, Mod2, Mod3, Mod7).

mod context;
mod message_stage;
mod node_stage;

use super::divide::Divider;
use super::local_table::LocalTable;
use super::options::Options;
use super::source::Source;
use super::state::UpdateState;
use super::statistics::Statistics;
use super::table::{Distribution, Index};
use super::work::GENERATE;
use context::Context;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::plan::Transport;
use hcube_core::progress::wait::Stopwatch;
use message_stage::MessageStage;
use node_stage::NodeStage;

/// One stage with its buffers.
enum Stage<'a, C: Comm + ?Sized> {
    Messages(MessageStage<'a, C>),
    Node(NodeStage<'a>),
}

/// Runs `rounds` rounds, the same number on all ranks.
pub(super) fn run<C: Comm + ?Sized>(
    comm: &C,
    state: &mut UpdateState,
    (options, rounds): (&Options, u64),
    (distribution, index): (Distribution, Index),
    source: &mut Source,
    table: &mut LocalTable,
) -> Result<Statistics> {
    let mut mailboxes = state.mailboxes.iter_mut();
    let mut stages = Vec::new();
    for (number, stage) in state.plan.stages.iter().enumerate() {
        let divider = Divider::new(&stage.parting, stage.parts, distribution, index, state.level);
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
    let (patience, statistics) = (state.patience, Statistics::default());
    let mut context = Context { comm, options, patience, statistics, watch: Stopwatch::default() };
    let (mut list, mut unapplied) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        context.watch = Stopwatch::start(Statistics::sampled(round));
        source.generate(options.round(), &mut list);
        comm.charge(GENERATE.of(list.len()));
        context.statistics.generate += context.watch.lap();
        one_round(&mut context, &mut stages, &mut list, &mut unapplied, table)?;
        if options.look_ahead == 1 && !options.relaxed {
            // Two rounds of one value would be open at the same time: wait until this one is applied.
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

/// Sends the values of `list` to their owners and applies those that arrive for this rank. In relaxed mode,
/// values of the last stage stay in `unapplied` until the first messages of the next round have been started.
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
    // Q' of Plimpton et al. 2006: the number of values that this rank applies in a round.
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
    // The look-ahead relies on it that a round is applied before the next one begins.
    table.flush();
    Ok(())
}
