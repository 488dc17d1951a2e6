//! The state of systems on a communicator (`gate`): nested calls of two systems, by all ranks. Only with MPI,
//! whose communicators have attributes.

use crate::harness::Report;
use hcube_core::Error;
use hcube_core::comm::{Comm, agree_on};
use hcube_core::mpi::gate;
use hcube_core::mpi::handle::Handle;

/// Two systems.
#[derive(Debug, Default)]
struct Outer {
    calls: u64,
}
#[derive(Debug, Default)]
struct Inner {
    sum: u64,
}

/// The state stays on the communicator, so this may be called once for each.
pub fn check(comm: Handle, ranks: usize, report: &mut Report) {
    report.equal("state before the first call", gate::look(comm, |outer: &Outer| outer.calls), Ok(None));
    one_calls_another(comm, ranks as u64, report);
    one_does_not_call_itself(comm, report);
    a_call_that_fails_keeps_the_state(comm, report);
}

/// The inner call is collective and uses the same private communicator.
fn one_calls_another(comm: Handle, ranks: u64, report: &mut Report) {
    let inner = || {
        gate::enter(comm, |private, kept: &mut Option<Inner>| {
            let kept = kept.get_or_insert_default();
            let mut sum = [private.rank() as u64 + 1];
            private.all_reduce_sum(&mut sum)?;
            kept.sum += sum[0];
            Ok(kept.sum)
        })
    };
    for call in 1..=3 {
        let result = gate::enter(comm, |private, kept: &mut Option<Outer>| {
            let kept = kept.get_or_insert_default();
            kept.calls += 1;
            let nested = inner()?;
            agree_on(private, &[("nested", nested as i64)])?;
            Ok((kept.calls, nested))
        });
        report.equal("calls and nested sums", result, Ok((call, call * ranks * (ranks + 1) / 2)));
    }
    report.equal("calls kept", gate::look(comm, |outer: &Outer| outer.calls), Ok(Some(3)));
}

fn one_does_not_call_itself(comm: Handle, report: &mut Report) {
    let result =
        gate::enter(comm, |_, _: &mut Option<Outer>| gate::enter(comm, |_, _: &mut Option<Outer>| Ok(())));
    let refused = matches!(&result, Err(Error::Communicator(text)) if text.contains("in use"));
    report.check(refused, || format!("a system inside itself: {result:?}"));
    report.equal("a call after it", gate::enter(comm, |_, _: &mut Option<Outer>| Ok(())), Ok(()));
}

/// The call is local and fails on one rank only.
fn a_call_that_fails_keeps_the_state(comm: Handle, report: &mut Report) {
    let mut own = 0;
    let result = gate::enter(comm, |private, kept: &mut Option<Outer>| {
        kept.get_or_insert_default().calls += 1;
        own = private.rank();
        if own == 0 { Err(Error::Internal("on purpose".into())) } else { Ok(()) }
    });
    report.equal("a call that fails on rank 0", result.is_err(), own == 0);
    report.equal("calls kept", gate::look(comm, |outer: &Outer| outer.calls), Ok(Some(4)));
    let sum = gate::enter(comm, |private, _: &mut Option<Outer>| {
        let mut ranks = [1];
        private.all_reduce_sum(&mut ranks)?;
        Ok(ranks[0] == private.size() as u64)
    });
    report.equal("a sum after it", sum, Ok(true));
}
