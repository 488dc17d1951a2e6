//! The calls of a BSP program in one process, compared with a model: a valid call has the result of the model
//! at the end of the superstep; an invalid call returns an error and changes nothing.

use arbitrary::{Arbitrary, Unstructured};
use hcube_bsp::{Options, Spmd};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use hcube_core::memory::Region;

/// Bytes of the memory that programs register parts of.
const ROOM: usize = 64;
/// Calls of a program.
const MAX_CALLS: usize = 200;

#[derive(Debug, Clone, Arbitrary)]
enum Call {
    /// An address inside the memory, or NULL.
    Push {
        at: Option<u8>,
        size: u8,
    },
    Pop {
        at: Option<u8>,
    },
    Put {
        pid: u8,
        to: u8,
        offset: u16,
        data: Vec<u8>,
        unbuffered: bool,
    },
    Get {
        pid: u8,
        from: u8,
        offset: u16,
        bytes: u8,
        into: u8,
    },
    Send {
        pid: u8,
        payload: Vec<u8>,
    },
    TagSize {
        bytes: u8,
    },
    Move,
    Sync,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Registration {
    /// NULL is not a registration.
    at: Option<usize>,
    size: usize,
    popped: bool,
}

/// The semantics of the functions, for one process.
struct Model {
    memory: [u8; ROOM],
    registrations: Vec<Registration>,
    effective: usize,
    puts: Vec<(usize, Vec<u8>)>,
    gets: Vec<(usize, usize, usize)>,
    /// Tag sizes: of messages that are sent, and announced.
    tags: [usize; 2],
    sent: Vec<Vec<u8>>,
    queue: std::collections::VecDeque<Vec<u8>>,
}

impl Model {
    fn find(&self, at: usize) -> Option<Registration> {
        self.registrations[..self.effective].iter().rev().find(|one| one.at == Some(at)).copied()
    }

    /// Where an operation accesses memory, if it is valid.
    fn place(&self, pid: u8, at: usize, offset: usize, bytes: usize) -> Option<usize> {
        let registration = self.find(at).filter(|_| pid == 0)?;
        (offset + bytes <= registration.size).then_some(at + offset)
    }

    /// The registration that a call removes.
    fn pop(&mut self, at: Option<usize>) -> bool {
        let found = self.registrations.iter_mut().rev().find(|one| one.at == at && !one.popped);
        found.is_some_and(|one| {
            one.popped = true;
            true
        })
    }

    fn sync(&mut self) {
        let before = self.memory;
        for (from, into, bytes) in self.gets.drain(..) {
            self.memory[into..into + bytes].copy_from_slice(&before[from..from + bytes]);
        }
        for (to, data) in self.puts.drain(..) {
            self.memory[to..to + data.len()].copy_from_slice(&data);
        }
        // Numbers do not matter to the model.
        self.registrations.retain(|one| !one.popped);
        self.effective = self.registrations.len();
        self.tags[0] = self.tags[1];
        self.queue = self.sent.drain(..).collect();
    }
}

fn run(calls: &[Call], comm: ThreadComm) {
    let options = Options { single_copy: 0, ..Options::default() };
    let mut spmd = Spmd::begin(comm, &options).expect("memory");
    let memory: &'static mut [u8] = Box::leak(Box::new([0u8; ROOM]));
    let base = memory.as_ptr().addr();
    let all = Region::of(memory);
    let mut model = Model {
        memory: [0; ROOM],
        registrations: Vec::new(),
        effective: 0,
        puts: Vec::new(),
        gets: Vec::new(),
        tags: [0; 2],
        sent: Vec::new(),
        queue: std::collections::VecDeque::new(),
    };
    for call in calls.iter().take(MAX_CALLS) {
        step(call, &mut spmd, &mut model, all, base);
    }
    spmd.end().expect("one process agrees with itself");
}

fn step(call: &Call, spmd: &mut Spmd<ThreadComm>, model: &mut Model, all: Region<'static>, base: usize) {
    let inside = |at: u8| usize::from(at) % ROOM;
    match call {
        Call::Push { at, size } => {
            let at = at.map(inside);
            let size = usize::from(*size) % (ROOM + 1 - at.unwrap_or(0));
            // SAFETY: a part of memory that is never freed, or no memory.
            let region = at.map_or_else(
                || unsafe { Region::new(std::ptr::null_mut(), size) },
                |at| all.part(at..at + size),
            );
            let valid = at.is_some() || size == 0;
            assert_eq!(spmd.push_reg(region).is_ok(), valid, "{call:?}");
            if valid {
                model.registrations.push(Registration { at, size, popped: false });
            }
        }
        // Whether NULL is registered is seen at the end of the superstep, where an error ends the program.
        Call::Pop { at: None } => {
            if model.pop(None) {
                spmd.pop_reg(0).expect("decided later");
            }
        }
        Call::Pop { at: Some(at) } => {
            let at = inside(*at);
            assert_eq!(spmd.pop_reg(base + at).is_ok(), model.pop(Some(at)), "{call:?}");
        }
        Call::Put { pid, to, offset, data, unbuffered } => {
            let (to, offset, data) = (inside(*to), usize::from(*offset), &data[..data.len().min(ROOM)]);
            let mut copy = data.to_vec();
            let region = Region::of(&mut copy);
            let function = if *unbuffered { Spmd::hpput } else { Spmd::put };
            let done = function(spmd, usize::from(*pid), region, base + to, offset);
            let place = model.place(*pid, to, offset, data.len());
            assert_eq!(done.is_ok(), place.is_some() || data.is_empty(), "{call:?}: {done:?}");
            model.puts.extend(place.filter(|_| !data.is_empty()).map(|place| (place, data.to_vec())));
        }
        Call::Get { pid, from, offset, bytes, into } => {
            let (from, offset, into) = (inside(*from), usize::from(*offset), inside(*into));
            let bytes = usize::from(*bytes) % (ROOM + 1 - into);
            let done = spmd.get(usize::from(*pid), base + from, offset, all.part(into..into + bytes));
            let place = model.place(*pid, from, offset, bytes);
            assert_eq!(done.is_ok(), place.is_some() || bytes == 0, "{call:?}: {done:?}");
            model.gets.extend(place.filter(|_| bytes > 0).map(|place| (place, into, bytes)));
        }
        Call::Send { pid, payload } => {
            let (mut tag, mut copy) = (vec![7; spmd.tag_bytes()], payload.clone());
            assert_eq!(tag.len(), model.tags[0]);
            let sent = spmd.send(usize::from(*pid), Region::of(&mut tag), Region::of(&mut copy));
            assert_eq!(sent.is_ok(), *pid == 0);
            if *pid == 0 {
                model.sent.push(payload.clone());
            }
        }
        Call::TagSize { bytes } => {
            let before = std::mem::replace(&mut model.tags[1], usize::from(*bytes));
            assert_eq!(spmd.set_tag_bytes(usize::from(*bytes)), Ok(before));
        }
        Call::Move => {
            let message = spmd.take_message().map(|message| {
                let mut bytes = vec![0; message.payload.len()];
                message.payload.read(&mut bytes);
                bytes
            });
            assert_eq!(message, model.queue.pop_front());
        }
        Call::Sync => {
            spmd.sync().expect("one process agrees with itself");
            model.sync();
            let mut found = [0; ROOM];
            all.read(&mut found);
            assert_eq!(found, model.memory);
            assert_eq!(spmd.queue_size().0, model.queue.len());
        }
    }
}

/// The calls of a program.
pub fn bsp(data: &[u8]) {
    let Ok(calls) = Vec::<Call>::arbitrary(&mut Unstructured::new(data)) else { return };
    threads::run(1, 1, |comm| {
        run(&calls, comm.split(Some(0), 0).expect("no error").expect("a part"));
    });
}
