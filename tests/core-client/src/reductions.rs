//! Typed reductions.

use crate::harness::Report;
use hcube_core::comm::Comm;
use hcube_core::comm::reduction::{Element, Operation};
use std::fmt::Debug;

const OPERATIONS: [Operation; 3] = [Operation::Sum, Operation::Min, Operation::Max];

pub fn check<C: Comm>(comm: &C, report: &mut Report) {
    // Small integers, so that floating-point sums are exact in any order.
    each(comm, report, |number| number as f64 - 0.5);
    each(comm, report, |number| number as f32 - 0.5);
    each(comm, report, |number| number - (1 << 40));
    each(comm, report, |number| (number as u64) << 59);
    // Both signs of the same words.
    let mut values = [if comm.rank() == 0 { u64::MAX } else { 0 }];
    comm.all_reduce(&mut values, Operation::Min).expect("a minimum");
    report.equal("unsigned minimum", values[0], if comm.size() == 1 { u64::MAX } else { 0 });
    let mut values = [u64::MAX];
    comm.all_reduce_sum(&mut values).expect("a sum");
    report.equal("sum modulo 2^64", values[0], (comm.size() as u64).wrapping_neg());
    let mut values = [if comm.rank() == 0 { i64::MIN } else { i64::MAX }];
    comm.all_reduce(&mut values, Operation::Min).expect("a minimum");
    report.equal("signed minimum", values[0], i64::MIN);
    let mut values = [if comm.rank() == 0 { u64::MAX } else { 0 }];
    comm.all_reduce_max(&mut values).expect("a maximum");
    report.equal("unsigned maximum", values[0], u64::MAX);
}

/// All operations on values of a type; `value` converts a small number to it.
fn each<C: Comm, T: Element + PartialEq + Debug>(comm: &C, report: &mut Report, value: impl Fn(i64) -> T) {
    let (own, size) = (comm.rank(), comm.size());
    // Which rank has the smallest and the largest differs from element to element.
    let of = |rank: usize, index: usize| value(((rank * 5 + index * 3) % 17) as i64);
    for length in [0, 1, 7, 1001] {
        let mine: Vec<T> = (0..length).map(|index| of(own, index)).collect();
        for operation in OPERATIONS {
            let combine = |index: usize| {
                let all = (0..size).map(|rank| of(rank, index));
                all.reduce(|a, b| a.combine(b, operation)).expect("a rank")
            };
            let expected: Vec<T> = (0..length).map(combine).collect();
            let mut values = mine.clone();
            comm.all_reduce(&mut values, operation).expect("a reduction");
            report.check(values == expected, || format!("{operation:?} of {length} {:?}", T::TYPE));
            for root in [0, size - 1] {
                let mut values = mine.clone();
                comm.reduce(&mut values, operation, root).expect("a reduction");
                let right = values == *if own == root { &expected } else { &mine };
                report.check(right, || format!("{operation:?} of {length} {:?} to {root}", T::TYPE));
            }
        }
    }
}
