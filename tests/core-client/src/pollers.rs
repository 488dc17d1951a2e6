//! Pollers: rank 0 answers requests from within its own waits.
//!
//! In each check every other rank first sends a request to rank 0 and waits for the reply, and only then does
//! what rank 0 waits for. Rank 0 replies in a poller, so a wait that does not drive it never ends.

use crate::harness::{Report, patience};
use hcube_core::comm::owned::Owned;
use hcube_core::comm::pipelined_broadcast::{Plan, Tree, broadcast_by};
use hcube_core::comm::{Comm, Piece, requests};
use hcube_core::error::Result;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

/// Tags on the communicator of the server; the last on the one under test.
const ASK: i32 = 1;
const ANSWER: i32 = 2;
const GO: i32 = 3;
/// The last request of a rank; it is not answered.
const STOP: u8 = 255;
/// Longer than the eager limit of any MPI library.
const LONG_WORDS: usize = 200_000;

/// The conversation of rank 0 with another rank.
struct Client<C: Comm> {
    /// A request or its answer; none after the last.
    transfer: Option<Owned<C>>,
    asked: bool,
}

/// Answers every request with its contents; on a separate communicator.
struct Server<C: Comm> {
    comm: C,
    clients: Vec<Client<C>>,
    answers: usize,
}

impl<C: Comm> Server<C> {
    fn new(comm: C) -> Self {
        let request = |rank| Owned::receive(&comm, vec![0], rank, ASK).expect("a receive");
        let client = |rank| Client { transfer: Some(request(rank)), asked: false };
        Self { clients: (1..comm.size()).map(client).collect(), comm, answers: 0 }
    }

    /// Replies to pending requests.
    fn poll(&mut self) -> Result<()> {
        for (number, client) in self.clients.iter_mut().enumerate() {
            let Some(transfer) = &mut client.transfer else { continue };
            if !transfer.has_finished(&self.comm)? {
                continue;
            }
            let (rank, transfer) = (number + 1, client.transfer.take());
            let byte = transfer.map(Owned::into_buffer).expect("one that has finished");
            client.asked = !client.asked;
            client.transfer = match (client.asked, &byte[..]) {
                (true, [STOP]) => None,
                (true, _) => {
                    self.answers += 1;
                    Some(Owned::send(&self.comm, byte, rank, ANSWER)?)
                }
                (false, _) => Some(Owned::receive(&self.comm, byte, rank, ASK)?),
            };
        }
        Ok(())
    }
}

/// A rank's side of the conversations.
enum Role<C: Comm> {
    /// Rank 0.
    Server(Arc<Mutex<Server<C>>>),
    /// Any other, with the server's communicator.
    Client(C),
}

fn lock<C: Comm>(server: &Mutex<Server<C>>) -> MutexGuard<'_, Server<C>> {
    server.lock().expect("no poller panics")
}

impl<C: Comm> Role<C> {
    /// Collective.
    fn new(comm: &C) -> Self {
        let comm = comm.split(Some(0), 0).expect("a split").expect("a group");
        match comm.rank() {
            0 => Self::Server(Arc::new(Mutex::new(Server::new(comm)))),
            _ => Self::Client(comm),
        }
    }

    /// The server, as its poller keeps it.
    fn server(&self) -> Weak<Mutex<Server<C>>> {
        match self {
            Self::Server(server) => Arc::downgrade(server),
            Self::Client(_) => Weak::new(),
        }
    }

    /// On ranks other than 0: asks rank 0 and waits for the answer. Whether it was right.
    fn ask(&self, value: u8) -> bool {
        let Self::Client(comm) = self else { return true };
        let (sent, mut answer) = ([value], [!value]);
        requests::scope(comm, patience(comm), |requests| {
            requests.receive(0, &mut answer, 0, ANSWER)?;
            requests.send(1, &sent, 0, ASK)
        })
        .expect("an answer");
        answer == sent
    }

    /// Collective: ends all conversations. `comm` is one whose waits drive the poller.
    fn stop(&self, comm: &C) {
        match self {
            Self::Client(comm) => {
                let sent = [STOP];
                requests::scope(comm, patience(comm), |requests| requests.send(0, &sent, 0, ASK))
                    .expect("the last request");
            }
            Self::Server(server) => {
                let mut wait = patience(comm).wait();
                while lock(server).clients.iter().any(|client| client.transfer.is_some()) {
                    wait.pause(comm);
                }
            }
        }
    }
}

/// A name and what rank 0 waits in.
type Step<C> = (&'static str, fn(&C));

pub fn check<C: Comm + Send + 'static>(comm: &C, report: &mut Report) {
    report.check(comm.pollers().is_empty(), || "a poller before the first".into());
    let role = Role::new(comm);
    let registration = comm.pollers().register({
        let server = role.server();
        move || server.upgrade().map_or(Ok(()), |server| lock(&server).poll())
    });
    // On a communicator that is split from the one that the poller was registered on.
    let part = comm.split(Some(0), 0).expect("a split").expect("a group");
    let steps: [Step<C>; 12] = [
        ("finish_receive", receive),
        ("finish_sends", |comm| send(comm, 1)),
        ("finish_sends of pieces", |comm| send(comm, 4)),
        ("wait_any", wait_any),
        ("pause", pause),
        ("barrier", |comm| comm.barrier().expect("a barrier")),
        ("all_reduce", |comm| comm.all_reduce_sum(&mut [1u64]).expect("a sum")),
        ("reduce", |comm| {
            comm.reduce(&mut [1u64], hcube_core::comm::reduction::Operation::Sum, 0).expect("a sum")
        }),
        ("all_gather", |comm| drop(comm.all_gather(&[1]).expect("gathered"))),
        ("all_to_all", |comm| drop(comm.all_to_all(&vec![vec![1]; comm.size()]).expect("exchanged"))),
        ("split", |comm| drop(comm.split(Some(0), 0).expect("a split"))),
        ("pipelined broadcast", broadcast),
    ];
    for (number, (name, step)) in steps.into_iter().enumerate() {
        for (on, comm) in [comm, &part].into_iter().enumerate() {
            report.check(role.ask(2 * number as u8 + on as u8), || format!("answer before {name}"));
            step(comm);
        }
    }
    role.stop(comm);
    if let Role::Server(server) = &role {
        report.equal("answers", lock(server).answers, 2 * steps.len() * (comm.size() - 1));
    }
    drop(registration);
    report.check(comm.pollers().is_empty(), || "a poller after the last".into());
    comm.barrier().expect("a barrier without pollers");
}

/// Rank 0 waits for a message of every other.
fn receive<C: Comm>(comm: &C) {
    if comm.rank() == 0 {
        for from in 1..comm.size() {
            let receive = comm.start_receive(vec![0; 2], from, GO).expect("a receive");
            assert_eq!(comm.finish_receive(receive).expect("received"), (vec![from as u64, 0], 1));
        }
    } else {
        let piece = Piece { range: 0..1, to: 0, tag: GO };
        let sends = comm.start_sends(vec![comm.rank() as u64], &[piece]).expect("a send");
        comm.finish_sends(sends).expect("sent");
    }
}

/// Rank 0 waits until the last rank receives long messages.
fn send<C: Comm>(comm: &C, pieces: usize) {
    let last = comm.size() - 1;
    if last == 0 {
        return;
    }
    if comm.rank() == 0 {
        let words = vec![7; pieces * LONG_WORDS];
        let piece =
            |number| Piece { range: number * LONG_WORDS..(number + 1) * LONG_WORDS, to: last, tag: GO };
        let sends = comm.start_sends(words, &(0..pieces).map(piece).collect::<Vec<_>>()).expect("sends");
        comm.finish_sends(sends).expect("sent");
    } else if comm.rank() == last {
        for _ in 0..pieces {
            let receive = comm.start_receive(vec![0; LONG_WORDS], 0, GO).expect("a receive");
            comm.finish_receive(receive).expect("received");
        }
    }
}

/// Rank 0 receives a byte of every other rank.
fn wait_any<C: Comm>(comm: &C) {
    let (sent, mut received) = ([1], vec![[0u8]; comm.size()]);
    requests::scope(comm, patience(comm), |requests| {
        if comm.rank() > 0 {
            return requests.send(0, &sent, 0, GO);
        }
        for (from, byte) in received.iter_mut().enumerate().skip(1) {
            requests.receive(from, byte, from, GO)?;
        }
        while requests.wait_any()?.is_some() {}
        Ok(())
    })
    .expect("a byte of every rank");
}

/// Rank 0 waits by polling, as for a flag in shared memory.
fn pause<C: Comm>(comm: &C) {
    let last = comm.size() - 1;
    let transfer = match comm.rank() {
        0 if last > 0 => Owned::receive(comm, vec![0], last, GO),
        rank if rank == last && last > 0 => Owned::send(comm, vec![0], 0, GO),
        _ => return,
    };
    let (mut transfer, mut wait) = (transfer.expect("a transfer"), patience(comm).wait());
    while !transfer.has_finished(comm).expect("a transfer") {
        wait.pause(comm);
    }
}

/// From the last rank, along all others.
fn broadcast<C: Comm>(comm: &C) {
    let plan = Plan { tree: Tree::Chain, segment: 100 };
    let mut bytes = [comm.rank() as u8; 1000];
    broadcast_by(comm, &mut bytes, comm.size() - 1, patience(comm), plan).expect("a broadcast");
    assert_eq!(bytes, [(comm.size() - 1) as u8; 1000]);
}
