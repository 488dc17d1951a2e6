//! Sets of requests.

use crate::harness::{Report, patience};
use hcube_core::comm::{Comm, requests};
use hcube_core::memory::Region;

/// Zero, one and odd counts; the last is long enough for a rendezvous in every MPI library.
const LENGTHS: [usize; 5] = [0, 1, 7, 1001, 100_003];

fn byte(from: usize, to: usize, position: usize) -> u8 {
    (from * 31 + to * 7 + position * 3 + position / 251) as u8
}

fn message(from: usize, to: usize, length: usize) -> Vec<u8> {
    (0..length).map(|position| byte(from, to, position)).collect()
}

pub fn check<C: Comm>(comm: &C, report: &mut Report) {
    for length in LENGTHS {
        // Messages from all ranks to all ranks cost the square of their number.
        if comm.size() <= 8 || length <= 1001 {
            all_to_all(comm, report, length);
        }
    }
    the_first_to_finish(comm, report);
    regions(comm, report);
    requests::scope(comm, patience(comm), |requests| {
        report.equal("an empty set", (requests.is_empty(), requests.wait_any()?.is_none()), (true, true));
        requests.wait_all()
    })
    .expect("nothing to wait for");
}

/// Every rank sends to all, itself as well.
fn all_to_all<C: Comm>(comm: &C, report: &mut Report, length: usize) {
    let (own, size) = (comm.rank(), comm.size());
    let sent: Vec<Vec<u8>> = (0..size).map(|to| message(own, to, length)).collect();
    let mut received: Vec<Vec<u8>> = vec![vec![0xee; length]; size];
    let mut finished = vec![0; 2 * size];
    requests::scope(comm, patience(comm), |requests| {
        for (from, buffer) in received.iter_mut().enumerate() {
            requests.receive(from, buffer, from, 5)?;
        }
        for (to, bytes) in sent.iter().enumerate() {
            requests.send(size + to, bytes, to, 5)?;
        }
        report.equal("under way", requests.len(), 2 * size);
        while let Some(request) = requests.wait_any()? {
            finished[request.label] += 1;
            if let Some(bytes) = request.received {
                let from = request.label;
                report.check(bytes == message(from, own, length), || {
                    format!("{length} bytes from {from} at their end")
                });
            }
        }
        Ok(())
    })
    .expect("an exchange");
    report.equal("each finished once", finished, vec![1; 2 * size]);
    for (from, bytes) in received.iter().enumerate() {
        let right = *bytes == message(from, own, length);
        report.check(right, || format!("{length} bytes from {from} after the scope"));
    }
}

/// Rank 0 waits for two messages; the first to be started arrives last, and only after an answer.
fn the_first_to_finish<C: Comm>(comm: &C, report: &mut Report) {
    let [late_tag, early_tag, answer_tag] = [6, 7, 8];
    let last = comm.size() - 1;
    if last == 0 {
        return;
    }
    let (mut late, mut early, mut answer, full) = ([0], [0], [0], [9]);
    requests::scope(comm, patience(comm), |requests| {
        if comm.rank() == 0 {
            requests.receive(0, &mut late, last, late_tag)?;
            requests.receive(1, &mut early, last, early_tag)?;
            report.equal("first", requests.wait_any()?.map(|finished| finished.label), Some(1));
            requests.send(2, &full, last, answer_tag)?;
        } else if comm.rank() == last {
            requests.send(0, &full, 0, early_tag)?;
            requests.receive(1, &mut answer, 0, answer_tag)?;
            requests.wait_all()?;
            requests.send(2, &full, 0, late_tag)?;
        }
        Ok(())
    })
    .expect("three messages");
    if comm.rank() == 0 {
        report.equal("both", (late, early), ([9], [9]));
    }
}

/// A ring through memory of the caller.
fn regions<C: Comm>(comm: &C, report: &mut Report) {
    let (own, size) = (comm.rank(), comm.size());
    let (next, before) = ((own + 1) % size, (own + size - 1) % size);
    let mut memory = [own as u8, 0, 0, 0];
    // SAFETY: the array lives until the end of this function and is used only through the region until the
    // scope has ended.
    let region = unsafe { Region::new(memory.as_mut_ptr(), memory.len()) };
    requests::scope(comm, patience(comm), |requests| {
        requests.receive_region(0, region.part(3..4), before, 9)?;
        requests.send_region(1, region.part(0..1), next, 9)?;
        requests.wait_all()
    })
    .expect("a ring");
    report.equal("ring", memory, [own as u8, 0, 0, before as u8]);
}
