//! Registered memory that the library owns, for programs in safe Rust.
//!
//! Idea: a registration outlives every borrow, so safe code cannot register memory that it owns. [`Shared`]
//! takes ownership of the memory and returns it at the end of the superstep that removes the registration,
//! when all processes have finished their operations on it. Memory that is not released is never freed.
//!
//! Restrictions: a process accesses its own memory by copies, since other processes write it during a
//! superstep.
//!
//! Cost: see the operations of BSPlib.

use crate::spmd::Spmd;
use hcube_core::Result;
use hcube_core::comm::Comm;
use hcube_core::memory::Region;
use std::marker::PhantomData;
use std::ops::Range;

mod sealed {
    /// All bit patterns are values, and there is no padding.
    pub trait Sealed: Copy + Default + 'static {}
    impl Sealed for u8 {}
    impl Sealed for u64 {}
    impl Sealed for f64 {}
}

/// A value that may be copied as bytes: `u8`, `u64` or `f64`.
pub trait Plain: sealed::Sealed {}
impl<T: sealed::Sealed> Plain for T {}

fn bytes<T: Plain>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: the memory of the values, which is borrowed exclusively; by `Sealed` there is no padding, and
    // all values are valid.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

/// Registered memory. Offsets, ranges and lengths are in values.
///
/// ```
/// use hcube_bsp::memory::Shared;
/// use hcube_bsp::{Options, Spmd};
/// use hcube_core::Error;
/// use hcube_core::comm::{Comm, threads};
///
/// // Every process puts its number into the memory of the next.
/// let numbers = threads::run(3, 3, |comm| {
///     let comm = comm.split(Some(0), 0)?.expect("all are in it");
///     let mut spmd = Spmd::begin(comm, &Options::default())?;
///     let memory = Shared::register(&mut spmd, vec![0_u64])?;
///     spmd.sync()?;
///     let (own, next) = (spmd.pid() as u64, (spmd.pid() + 1) % spmd.nprocs());
///     memory.put(&mut spmd, next, &mut [own], 0)?;
///     let [numbers] = Shared::release([memory], &mut spmd)?;
///     spmd.end()?;
///     Ok::<u64, Error>(numbers[0])
/// });
/// assert_eq!(numbers, [Ok(2), Ok(0), Ok(1)]);
/// ```
#[derive(Debug)]
pub struct Shared<T> {
    /// A boxed slice that was exchanged for this value: only copies of this region in the SPMD part refer to
    /// it.
    region: Region<'static>,
    values: PhantomData<Box<[T]>>,
}

impl<T: Plain> Shared<T> {
    /// Registers memory from the next superstep on; all processes do, in the same order, with any length.
    /// Memory without values gets one.
    ///
    /// # Errors
    /// See [`Registry::push`](crate::registry::Registry::push).
    pub fn register<C: Comm>(spmd: &mut Spmd<C>, mut values: Vec<T>) -> Result<Self> {
        if values.is_empty() {
            // Memory without bytes has no unique address.
            values.push(T::default());
        }
        let region = Region::of(bytes(Box::leak(values.into_boxed_slice())));
        spmd.push_reg(region)?;
        Ok(Self { region, values: PhantomData })
    }

    /// Collective: ends the superstep, removes the registrations, and returns the memory as it is then.
    ///
    /// # Errors
    /// As [`Spmd::pop_reg`] and [`Spmd::sync`]; the memory is then never freed.
    pub fn release<C: Comm, const N: usize>(memory: [Self; N], spmd: &mut Spmd<C>) -> Result<[Vec<T>; N]> {
        for shared in &memory {
            spmd.pop_reg(shared.address())?;
        }
        spmd.sync()?;
        Ok(memory.map(|Self { region, .. }| {
            let length = region.len() / size_of::<T>();
            let values = std::ptr::slice_from_raw_parts_mut(region.address().cast::<T>(), length);
            // SAFETY: `register` has leaked this boxed slice. It was registered with this SPMD part and no
            // other, else `pop_reg` had failed; the superstep has ended, so that no process accesses the
            // memory any more, and no get into it is pending: `get` and `hpget` accept only memory that is
            // registered with the same SPMD part. The region was never given to anybody else.
            unsafe { Box::from_raw(values) }.into_vec()
        }))
    }

    fn address(&self) -> usize {
        self.region.address().addr()
    }

    /// Where a value begins; beyond all memory where there is no such number.
    fn byte(at: usize) -> usize {
        at.saturating_mul(size_of::<T>())
    }

    fn part(&self, range: Range<usize>) -> Region<'static> {
        self.region.part(Self::byte(range.start)..Self::byte(range.end))
    }

    /// Copies values of this process.
    ///
    /// # Panics
    /// Where there are not as many values from `at` on.
    pub fn read(&self, at: usize, out: &mut [T]) {
        self.part(at..at + out.len()).read(bytes(out));
    }

    /// Overwrites values of this process.
    ///
    /// # Panics
    /// As [`Self::read`].
    pub fn write(&self, at: usize, values: &mut [T]) {
        self.part(at..at + values.len()).write(bytes(values));
    }

    /// As [`Spmd::put`], into this memory of a process.
    ///
    /// # Errors
    /// As [`Spmd::put`].
    pub fn put<C: Comm>(
        &self,
        spmd: &mut Spmd<C>,
        process: usize,
        values: &mut [T],
        at: usize,
    ) -> Result<()> {
        spmd.put(process, Region::of(bytes(values)), self.address(), Self::byte(at))
    }

    /// As [`Spmd::hpput`], into this memory of a process.
    ///
    /// # Errors
    /// As [`Spmd::hpput`].
    pub fn hpput<C: Comm>(
        &self,
        spmd: &mut Spmd<C>,
        process: usize,
        values: &mut [T],
        at: usize,
    ) -> Result<()> {
        spmd.hpput(process, Region::of(bytes(values)), self.address(), Self::byte(at))
    }

    /// As [`Spmd::get`], from this memory of a process, into memory of this one from `at` on.
    ///
    /// # Errors
    /// As [`Spmd::get`], and where `into` is not registered in this superstep.
    ///
    /// # Panics
    /// Where `into` does not have as many values from `at` on.
    pub fn get<C: Comm>(
        &self,
        spmd: &mut Spmd<C>,
        process: usize,
        range: Range<usize>,
        into: &Self,
        at: usize,
    ) -> Result<()> {
        let into = into.destination(spmd, at..at + range.len())?;
        spmd.get(process, self.address(), Self::byte(range.start), into)
    }

    /// As [`Self::get`], by [`Spmd::hpget`].
    ///
    /// # Errors
    /// As [`Self::get`].
    ///
    /// # Panics
    /// As [`Self::get`].
    pub fn hpget<C: Comm>(
        &self,
        spmd: &mut Spmd<C>,
        process: usize,
        range: Range<usize>,
        into: &Self,
        at: usize,
    ) -> Result<()> {
        let into = into.destination(spmd, at..at + range.len())?;
        spmd.hpget(process, self.address(), Self::byte(range.start), into)
    }

    /// Where a get of an SPMD part may write: in memory that only this part releases.
    fn destination<C: Comm>(&self, spmd: &mut Spmd<C>, range: Range<usize>) -> Result<Region<'static>> {
        spmd.registry.find("into", self.address())?;
        Ok(self.part(range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use hcube_core::Error;
    use hcube_core::comm::threads::{self, ThreadComm};

    fn on_threads<R: Send>(per_node: usize, program: impl Fn(&mut Spmd<ThreadComm>) -> R + Sync) -> Vec<R> {
        threads::run(4, per_node, |comm| {
            let comm = comm.split(Some(0), comm.rank() as i32).expect("no error").expect("a part");
            // Small, so that there are direct copies.
            let options = Options { single_copy: 256, ..Options::default() };
            let mut spmd = Spmd::begin(comm, &options).expect("memory");
            let result = program(&mut spmd);
            spmd.end().expect("no error");
            result
        })
    }

    /// Lengths of which some are copied directly.
    #[test]
    fn values_arrive_and_memory_comes_back() {
        for (per_node, length) in [(4, 5), (2, 5), (1, 5), (4, 5000), (2, 5000)] {
            let results = on_threads(per_node, |spmd| {
                let (own, next) = (spmd.pid(), (spmd.pid() + 1) % 4);
                let [source, puts, gets] = [1.0, 0.0, 0.0]
                    .map(|value| Shared::register(spmd, vec![value * own as f64; 2 * length]).expect("room"));
                spmd.sync().expect("no error");
                puts.hpput(spmd, next, &mut vec![10.0 + own as f64; length], 0).expect("valid");
                puts.put(spmd, next, &mut [20.0 + own as f64], length + 1).expect("valid");
                source.hpget(spmd, next, 1..length, &gets, 0).expect("valid");
                source.get(spmd, next, 0..length, &gets, length).expect("valid");
                let [source, puts, gets] = Shared::release([source, puts, gets], spmd).expect("no error");
                assert_eq!((source.len(), puts.len(), source[0]), (2 * length, 2 * length, own as f64));
                let before = (own + 3) % 4;
                assert!(puts[..length].iter().all(|&value| value == 10.0 + before as f64));
                assert_eq!(puts[length..][..3], [0.0, 20.0 + before as f64, 0.0]);
                let expected: Vec<f64> =
                    (0..2 * length).map(|at| if at + 1 == length { 0.0 } else { next as f64 }).collect();
                gets == expected
            });
            assert_eq!(results, [true; 4], "{per_node} per node, {length} values");
        }
    }

    #[test]
    fn a_process_reads_and_writes_its_own() {
        on_threads(4, |spmd| {
            let memory = Shared::register(spmd, Vec::<u8>::new()).expect("room");
            let longer = Shared::register(spmd, vec![1_u8, 2, 3]).expect("room");
            longer.write(1, &mut [7]);
            let mut read = [0; 2];
            longer.read(1, &mut read);
            assert_eq!(read, [7, 3]);
            spmd.sync().expect("no error");
            let [one, three] = Shared::release([memory, longer], spmd).expect("no error");
            assert_eq!((one, three), (vec![0], vec![1, 7, 3]));
        });
    }

    /// Else a get could be pending when the memory is freed.
    #[test]
    fn gets_go_only_into_memory_that_is_registered() {
        on_threads(4, |spmd| {
            let source = Shared::register(spmd, vec![1_u64]).expect("room");
            spmd.sync().expect("no error");
            let into = Shared::register(spmd, vec![0_u64]).expect("room");
            let refused = [source.get(spmd, 0, 0..1, &into, 0), source.hpget(spmd, 0, 0..1, &into, 0)];
            for error in refused {
                assert!(matches!(error, Err(Error::Argument { name: "into", .. })), "{error:?}");
            }
            spmd.sync().expect("no error");
            source.get(spmd, 3, 0..1, &into, 0).expect("valid");
            Shared::release([source, into], spmd).expect("no error")
        });
    }
}
