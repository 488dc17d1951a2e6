//! Random programs of puts, gets, unbuffered operations and messages, compared with a serial model, on
//! threads: on one node, on several, and without shared memory.

use hcube_bsp::{Options, Spmd};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use hcube_core::memory::Region;
use proptest::prelude::*;

/// Bytes of the block that every process registers, in segments of which one operation changes at most one.
const SEGMENTS: usize = 24;
/// The last of them are for unbuffered operations.
const UNBUFFERED: usize = 4;

/// A deterministic generator (xorshift), the same on all processes.
#[derive(Clone)]
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

#[derive(Debug, Clone)]
enum Call {
    /// To a segment of a process; unbuffered or not.
    Put {
        to: usize,
        segment: usize,
        data: Vec<u8>,
        unbuffered: bool,
    },
    /// From a segment of a process to a segment of the own block, or of memory that is not registered.
    Get {
        from: usize,
        segment: usize,
        into: usize,
        private: bool,
        unbuffered: bool,
    },
    Send {
        to: usize,
        tag: Vec<u8>,
        payload: Vec<u8>,
    },
}

/// The operations of every process in a superstep.
type Superstep = Vec<Vec<Call>>;

struct Program {
    processes: usize,
    segment: usize,
    supersteps: Vec<Superstep>,
}

fn bytes(numbers: &mut Numbers, length: usize) -> Vec<u8> {
    (0..length).map(|_| numbers.next(256) as u8).collect()
}

/// Length of data: often none or one byte, sometimes all there is room for.
fn length(numbers: &mut Numbers, limit: usize) -> usize {
    match numbers.next(5) {
        0 => numbers.next(2).min(limit),
        1 => limit,
        _ => numbers.next(limit + 1),
    }
}

impl Program {
    fn random(seed: u64, processes: usize, segment: usize) -> Self {
        let mut numbers = Numbers(seed | 1);
        let supersteps =
            (0..5).map(|step| superstep(&mut numbers, processes, segment, tag_bytes(step))).collect();
        Self { processes, segment, supersteps }
    }
}

/// The size of the tags of messages that are sent in a superstep.
fn tag_bytes(step: usize) -> usize {
    [0, 4, 17, 17, 0][step]
}

fn superstep(numbers: &mut Numbers, processes: usize, segment: usize, tag: usize) -> Superstep {
    let mut calls = vec![Vec::new(); processes];
    // Every segment is written by at most one put, and segments of unbuffered operations are not accessed by
    // other operations.
    for to in 0..processes {
        for number in 0..SEGMENTS {
            let from = numbers.next(processes);
            let unbuffered = number >= SEGMENTS - UNBUFFERED;
            match numbers.next(4) {
                0 | 1 => {
                    let length = length(numbers, segment);
                    let data = bytes(numbers, length);
                    calls[from].push(Call::Put {
                        to,
                        segment: number,
                        data,
                        unbuffered: unbuffered && from != to,
                    });
                }
                // Also into segments that a put changes; the put comes after.
                2 if !unbuffered => {
                    let source = numbers.next(SEGMENTS - UNBUFFERED);
                    let private = numbers.next(2) == 0;
                    calls[to].push(Call::Get {
                        from,
                        segment: source,
                        into: number,
                        private,
                        unbuffered: false,
                    });
                }
                // Part of a segment that no process changes in this superstep.
                2 => calls[from].push(Call::Get {
                    from: to,
                    segment: number,
                    into: number,
                    private: true,
                    unbuffered: true,
                }),
                _ => {}
            }
            for _ in 0..numbers.next(3) {
                let (tag, length) = (bytes(numbers, tag), length(numbers, 3 * segment));
                calls[from].push(Call::Send { to, tag, payload: bytes(numbers, length) });
            }
        }
    }
    calls
}

/// Tag and payload.
type Sent = (Vec<u8>, Vec<u8>);

/// All memory, and the messages for every process, after a superstep.
fn expected(memory: &[Vec<u8>], calls: &Superstep, segment: usize) -> (Vec<Vec<u8>>, Vec<Vec<Sent>>) {
    let (mut after, mut messages) = (memory.to_vec(), vec![Vec::new(); memory.len()]);
    for (process, calls) in calls.iter().enumerate() {
        for call in calls {
            if let Call::Get { from, segment: number, into, private: false, .. } = call {
                after[process][into * segment..][..segment]
                    .copy_from_slice(&memory[*from][number * segment..][..segment]);
            }
        }
    }
    for calls in calls.iter().rev() {
        for call in calls {
            match call {
                Call::Put { to, segment: number, data, .. } => {
                    after[*to][number * segment..][..data.len()].copy_from_slice(data);
                }
                Call::Send { to, tag, payload } => messages[*to].push((tag.clone(), payload.clone())),
                Call::Get { .. } => {}
            }
        }
    }
    (after, messages)
}

/// Memory that others write as well.
struct Memory(Box<[u8]>);

impl Memory {
    fn region(&mut self) -> Region<'static> {
        // SAFETY: the memory lives until all processes have ended the SPMD part, and is accessed only through
        // the region.
        unsafe { Region::new(self.0.as_mut_ptr(), self.0.len()) }
    }
}

fn copy(region: Region<'_>) -> Vec<u8> {
    let mut bytes = vec![0; region.len()];
    region.read(&mut bytes);
    bytes
}

/// The second memory is not registered, and as large as the first.
fn ask(spmd: &mut Spmd<ThreadComm>, [memory, other]: [Region<'static>; 2], segment: usize, call: &Call) {
    let base = memory.address().addr();
    match call {
        Call::Put { to, segment: number, data, unbuffered } => {
            let mut data = data.clone();
            let data_region = Region::of(&mut data);
            if *unbuffered {
                spmd.hpput(*to, data_region, base, number * segment).expect("valid");
            } else {
                spmd.put(*to, data_region, base, number * segment).expect("valid");
            }
            // A buffered put has copied it; an unbuffered put has too, or copies immediately.
            data.fill(0xee);
        }
        Call::Get { from, segment: number, into, private, unbuffered } => {
            let target = if *private { other } else { memory };
            let into = target.part(into * segment..(into + 1) * segment);
            if *unbuffered {
                spmd.hpget(*from, base, number * segment, into).expect("valid");
            } else {
                spmd.get(*from, base, number * segment, into).expect("valid");
            }
        }
        Call::Send { to, tag, payload } => {
            let (mut tag, mut payload) = (tag.clone(), payload.clone());
            assert_eq!(spmd.tag_bytes(), tag.len());
            spmd.send(*to, Region::of(&mut tag), Region::of(&mut payload)).expect("valid");
        }
    }
}

/// Values read into memory that is not registered; the last get into a segment counts, or any of several.
fn check_private(calls: &[Call], before: &[Vec<u8>], private: Region<'_>, segment: usize) {
    for number in 0..SEGMENTS {
        let sources = calls.iter().filter_map(|call| match call {
            Call::Get { from, segment: source, into, private: true, .. } if *into == number => {
                Some(&before[*from][source * segment..][..segment])
            }
            _ => None,
        });
        let sources: Vec<&[u8]> = sources.collect();
        let found = copy(private.part(number * segment..(number + 1) * segment));
        assert!(sources.is_empty() || sources.contains(&&*found), "segment {number} of private memory");
    }
}

fn run(program: &Program, per_node: usize, options: &Options) {
    threads::run(program.processes, per_node, |comm| {
        let comm = comm.split(Some(0), comm.rank() as i32).expect("no error").expect("a part");
        let own = comm.rank();
        let mut spmd = Spmd::begin(comm, options).expect("memory");
        let length = SEGMENTS * program.segment;
        let mut model: Vec<Vec<u8>> = (0..program.processes)
            .map(|process| (0..length).map(|byte| (byte * 3 + process) as u8).collect())
            .collect();
        let mut memory = Memory(model[own].clone().into_boxed_slice());
        let region = memory.region();
        let mut other = Memory(vec![0; length].into_boxed_slice());
        let private = other.region();
        spmd.push_reg(region).expect("room");
        spmd.sync().expect("no error");
        for (step, calls) in program.supersteps.iter().enumerate() {
            spmd.set_tag_bytes(*[4, 17, 17, 0, 0].get(step).expect("five supersteps")).expect("small");
            calls[own].iter().for_each(|call| ask(&mut spmd, [region, private], program.segment, call));
            spmd.sync().expect("no error");
            check_private(&calls[own], &model, private, program.segment);
            let (after, messages) = expected(&model, calls, program.segment);
            model = after;
            // Others may be writing to the rest in the next superstep.
            let last = step + 1 == program.supersteps.len();
            let looked_at = if last { length } else { (SEGMENTS - UNBUFFERED) * program.segment };
            let (found, model) = (copy(region.part(0..looked_at)), &model[own][..looked_at]);
            assert!(found == model, "memory of process {own} after superstep {step}");
            let bytes = messages[own].iter().map(|(_, payload)| payload.len()).sum();
            assert_eq!(spmd.queue_size(), (messages[own].len(), bytes));
            for (tag, payload) in &messages[own] {
                let message = spmd.take_message().expect("one more");
                assert_eq!((copy(message.tag), copy(message.payload)), (tag.clone(), payload.clone()));
                assert!(message.payload.address().addr().is_multiple_of(16));
            }
            assert!(spmd.take_message().is_none());
        }
        spmd.end().expect("no error");
        spmd.comm().barrier().expect("no error");
    });
}

fn options(ranks_per_node: usize) -> Options {
    // Small, so that the programs below use single copy, and messages have many pieces.
    Options { ranks_per_node, single_copy: 512, memory: 0 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 0, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_do_what_the_model_does(seed: u64, processes in 1usize..10, per_node in 1usize..10, long: bool) {
        let program = Program::random(seed, processes, if long { 3000 } else { 24 });
        run(&program, per_node, &options(0));
        run(&program, processes, &options(per_node));
    }
}

/// Enough nodes for three hops, and for several stages of messages.
#[test]
fn programs_on_many_nodes() {
    for (processes, per_node) in [(16, 2), (24, 4), (12, 1), (21, 5), (17, 1)] {
        run(&Program::random(7 + processes as u64, processes, 40), per_node, &options(0));
    }
}
