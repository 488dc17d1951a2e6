//! What the end of a superstep promises, in all interleavings.
//!
//! What a process puts is in the memory of the other one after the superstep and not before; a get reads what
//! was there at the end of the superstep before any put. Messages stay what they are until the end of the
//! next superstep, however far their senders are ahead. An unbuffered operation finds what the superstep
//! before has put, and is complete at the end of its own: then the process uses its memory, or frees it.

use crate::direct::Direct;
use crate::mates::{Mates, Place};
use crate::spmd::{Lists, Spmd};
use hcube_core::atomic::model::{Extent, Member, Model, Scene};
use hcube_core::atomic::{read, written};
use hcube_core::comm::Comm;
use hcube_core::memory::{Region, bytes_of_mut};
use hcube_core::node::lists::RecordLists;
use hcube_core::node::single_copy::model::refuse;
use hcube_core::progress::wait::Patience;
use std::ptr::NonNull;

/// Bytes of a word.
const WORD: usize = size_of::<u64>();
/// Bytes between the payload of a record and its beginning, where accesses to it are noted.
const HEAD: usize = 16;

/// Words of a process in memory of the scene.
#[derive(Debug, Clone, Copy)]
struct Words {
    place: NonNull<u64>,
    count: usize,
}

impl Words {
    /// The words of all processes, one for each.
    fn all(scene: &mut Scene, processes: usize) -> Vec<Self> {
        let place = scene.memory(processes * processes * WORD).cast();
        // SAFETY: inside this memory.
        let of = |process| unsafe { place.add(process * processes) };
        (0..processes).map(|process| Self { place: of(process), count: processes }).collect()
    }

    fn region(self) -> Region<'static> {
        // SAFETY: memory of the scene, which is never freed.
        unsafe { Region::new(self.place.as_ptr().cast(), self.count * WORD) }
    }

    fn word(self, number: usize) -> Region<'static> {
        self.region().part(number * WORD..(number + 1) * WORD)
    }

    fn address(self) -> usize {
        self.place.addr().get()
    }

    /// Its process reads a word.
    fn get(self, number: usize) -> u64 {
        let (word, mut value) = (self.word(number), [0]);
        read(word.address());
        word.read(bytes_of_mut(&mut value));
        value[0]
    }

    /// Its process writes a word.
    fn set(self, number: usize, value: u64) {
        let word = self.word(number);
        written(word.address());
        word.write(&value.to_ne_bytes());
    }

    /// Its process writes all words: it uses them otherwise, or has freed them.
    fn free(self) {
        (0..self.count).for_each(|number| self.set(number, u64::MAX));
    }
}

/// A process whose memory, a word for each process, is registered.
struct Process {
    spmd: Spmd<Member>,
    own: usize,
    count: usize,
    memory: Words,
    /// Not registered: where it reads to, a word for each process.
    into: Words,
}

impl Process {
    /// All processes; `direct`: unbuffered operations are direct copies.
    fn all(scene: &mut Scene, count: usize, direct: bool) -> Vec<Self> {
        let [memories, intos] = [(); 2].map(|()| Words::all(scene, count));
        refuse(None);
        let lists = RecordLists::of_model(scene, count, Lists::of(count).count());
        let processes = Member::all(scene, count).into_iter().zip(lists).zip(memories.clone()).zip(intos);
        let process = |(((comm, records), memory), into): (((Member, RecordLists), Words), Words)| {
            let mut mates = Mates::new((0..count).collect(), count);
            for (mate, memory) in memories.iter().enumerate() {
                let place = Place { address: memory.address() as u64, size: (count * WORD) as u64 };
                mates.add(mate, std::iter::once(place));
            }
            let own = comm.rank();
            let mut spmd = Spmd::on(comm, Patience::new(true, false), mates, records);
            spmd.direct = direct.then(|| Direct::of_model(count));
            spmd.registry.push(memory.region()).expect("memory");
            spmd.registry.settle();
            Self { spmd, own, count, memory, into }
        };
        processes.map(process).collect()
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.own;
        (0..self.count).filter(move |&other| other != own)
    }

    /// Puts a value into this process's word of the memory of all others.
    fn put(&mut self, value: u64, buffered: bool) {
        let target = self.memory.address();
        for to in self.others() {
            let mut data = [value];
            let data = Region::of(bytes_of_mut(&mut data));
            let offset = self.own * WORD;
            let put = if buffered { Spmd::put } else { Spmd::hpput };
            put(&mut self.spmd, to, data, target, offset).expect("valid");
        }
    }

    /// Gets the word with this number of all others.
    fn get(&mut self, number: usize, buffered: bool) {
        let (source, into) = (self.memory.address(), self.into);
        for from in self.others() {
            let get = if buffered { Spmd::get } else { Spmd::hpget };
            get(&mut self.spmd, from, source, number * WORD, into.word(from)).expect("valid");
        }
    }

    fn sync(&mut self) {
        self.spmd.sync().expect("no errors");
    }

    /// What the others have put.
    fn check(&self, value: impl Fn(usize) -> u64) {
        self.others().for_each(|from| assert_eq!(self.memory.get(from), value(from), "from {from}"));
    }

    /// What it has got.
    fn check_got(&self, value: impl Fn(usize) -> u64) {
        self.others().for_each(|from| assert_eq!(self.into.get(from), value(from), "from {from}"));
    }
}

/// What a process puts in a superstep; 0 before the first.
fn value(superstep: u64, process: usize) -> u64 {
    if superstep == 0 { 0 } else { 100 * superstep + process as u64 }
}

/// Puts in each of some supersteps.
fn puts(scene: &mut Scene, processes: usize, supersteps: u64) {
    for mut process in Process::all(scene, processes, false) {
        scene.participant(move || {
            for superstep in 1..=supersteps {
                process.put(value(superstep, process.own), true);
                process.check(|from| value(superstep - 1, from));
                process.sync();
                process.check(|from| value(superstep, from));
            }
        });
    }
}

/// Gets of words that puts overwrite in the same superstep, and their process before and after it.
fn gets(scene: &mut Scene, processes: usize, direct: bool, supersteps: u64) {
    for mut process in Process::all(scene, processes, direct) {
        scene.participant(move || {
            let own = process.own;
            for superstep in 1..=supersteps {
                process.others().for_each(|from| process.memory.set(from, 1000 * value(superstep, own)));
                process.get(own, true);
                process.put(value(superstep, own), true);
                process.sync();
                process.check_got(|from| 1000 * value(superstep, from));
                process.check(|from| value(superstep, from));
            }
            process.memory.free();
        });
    }
}

/// Messages, which are read at the end of the superstep that finds them.
fn messages(scene: &mut Scene, processes: usize, supersteps: u64) {
    for mut process in Process::all(scene, processes, false) {
        scene.participant(move || {
            for superstep in 1..=supersteps {
                for to in process.others() {
                    let mut data = [value(superstep, process.own)];
                    let empty = Region::of(&mut []);
                    process.spmd.send(to, empty, Region::of(bytes_of_mut(&mut data))).expect("valid");
                }
                for from in process.others().filter(|_| superstep > 1) {
                    let message = process.spmd.take_message().expect("a message");
                    let mut found = [0];
                    read(message.payload.address().wrapping_sub(HEAD));
                    message.payload.read(bytes_of_mut(&mut found));
                    assert_eq!(found[0], value(superstep - 1, from));
                }
                process.sync();
            }
        });
    }
}

/// Unbuffered operations after puts to the same memory; then its process uses the memory, and in the last
/// superstep frees it.
fn unbuffered(scene: &mut Scene, processes: usize, reads: bool, rounds: u64) {
    for mut process in Process::all(scene, processes, true) {
        scene.participant(move || {
            let own = process.own;
            for round in 1..=rounds {
                process.put(value(round, own), true);
                process.sync();
                if reads {
                    process.get(own, false);
                } else {
                    process.put(value(round, own) + 50, false);
                }
                if round < rounds {
                    process.sync();
                    // What this process has put before.
                    process.check_got(|_| if reads { value(round, own) } else { 0 });
                    process.check(|from| value(round, from) + if reads { 0 } else { 50 });
                } else {
                    process.spmd.end().expect("no errors");
                }
                process.memory.free();
            }
        });
    }
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("bsp::sync", "puts of two processes", |scene| puts(scene, 2, 3)).with(Extent::Preemptions(2)),
    Model::new("bsp::sync", "puts of three processes", |scene| puts(scene, 3, 2))
        .with(Extent::Preemptions(1)),
    Model::new("bsp::sync", "gets and puts of two processes", |scene| gets(scene, 2, false, 2))
        .with(Extent::Preemptions(2)),
    Model::new("bsp::sync", "gets by direct copies of two processes", |scene| gets(scene, 2, true, 2))
        .with(Extent::Preemptions(2)),
    Model::new("bsp::sync", "messages of two processes", |scene| messages(scene, 2, 4))
        .with(Extent::Preemptions(2)),
    Model::new("bsp::sync", "unbuffered puts of two processes", |scene| unbuffered(scene, 2, false, 2))
        .with(Extent::Preemptions(2)),
    Model::new("bsp::sync", "unbuffered gets of two processes", |scene| unbuffered(scene, 2, true, 2))
        .with(Extent::Preemptions(2)),
    Model::new("bsp::sync", "unbuffered puts of three processes", |scene| unbuffered(scene, 3, false, 1))
        .with(Extent::Preemptions(1)),
];
