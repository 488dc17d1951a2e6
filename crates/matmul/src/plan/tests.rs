//! Schedules of all small sizes, and supersteps of any number.

use super::*;
use crate::distribution::MAX_SIZE;
use hcube_testing::sizes::{sizes, sizes_within};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Numbers of blocks for which all numbers of processes are tested.
const BLOCKS: [usize; 10] = [1, 2, 3, 4, 5, 6, 7, 9, 11, 12];

fn all(check: impl Fn(usize, usize, Plan)) {
    for processes in 1..=130 {
        for blocks in BLOCKS {
            check(blocks, processes, Plan::new(blocks, processes));
            check(blocks, processes, Plan::by_rows(blocks, processes));
        }
    }
}

#[test]
fn every_product_is_computed_once() {
    all(|blocks, processes, plan| {
        let mut seen = vec![0; blocks * blocks * blocks];
        for (superstep, process) in
            (0..plan.products()).flat_map(|step| (0..processes).map(move |process| (step, process)))
        {
            if let Some(product) = plan.product(process, superstep) {
                assert!(product.row.max(product.inner).max(product.column) < blocks);
                seen[(product.row * blocks + product.inner) * blocks + product.column] += 1;
            }
        }
        assert!(seen.iter().all(|&times| times == 1), "{blocks} x {blocks} on {processes}");
    });
}

/// A process that begins a block ends it before it begins another one, unless it computes rows together,
/// and no step of the sums loses a partial sum.
#[test]
fn every_block_ends_as_one_sum_on_its_owner() {
    all(|blocks, processes, plan| {
        let mut owners = vec![0; blocks * blocks];
        // The number of products in the partial sum of each process, if its block is divided.
        let mut parts = vec![0; processes];
        for (process, part) in parts.iter_mut().enumerate() {
            // Blocks that have begun, with the products in their sums.
            let mut open: BTreeMap<(usize, usize), usize> = BTreeMap::new();
            for product in (0..plan.products()).filter_map(|superstep| plan.product(process, superstep)) {
                let block = (product.row, product.column);
                let before = open.remove(&block);
                assert_eq!(product.begins, before.is_none(), "{blocks} on {processes}: {product:?}");
                let together = open.keys().all(|&(row, _)| plan.by_rows && row == product.row);
                assert!(together, "{blocks} on {processes}: {product:?} while {open:?}");
                let terms = before.unwrap_or(0) + 1;
                if !product.ends {
                    open.insert(block, terms);
                }
                let number = block.0 * blocks + block.1;
                assert_eq!(product.is_owner, number % processes == process);
                if product.ends && product.is_divided {
                    assert_eq!(plan.divided_block(process), Some(block));
                    *part = terms;
                } else if product.ends {
                    assert_eq!(terms, blocks);
                }
                owners[number] += usize::from(product.ends && product.is_owner);
            }
            assert!(open.is_empty());
        }
        assert!(owners.iter().all(|&times| times == 1), "{blocks} on {processes}: {owners:?}");
        for step in 0..plan.sums() {
            let before = parts.clone();
            for process in 0..processes {
                if let Some(other) = plan.sum(process, step) {
                    assert_eq!(plan.divided_block(other), plan.divided_block(process));
                    // Values that are read do not change in the same step.
                    assert!(plan.sum(other, step).is_none() && before[other] > 0);
                    parts[process] += before[other];
                    parts[other] = 0;
                }
            }
        }
        for (process, &part) in parts.iter().enumerate() {
            let ends = process < plan.remaining() && plan.members(process) > 1;
            assert_eq!(part, if ends { blocks } else { 0 }, "{blocks} on {processes}");
        }
    });
}

/// By rows, a process needs a block of A once for all its columns of the row.
#[test]
fn rows_need_a_block_of_a_once() {
    all(|blocks, processes, plan| {
        if !plan.by_rows {
            return;
        }
        for process in 0..processes {
            let mut seen: Vec<(usize, usize)> = Vec::new();
            for product in
                (0..plan.rounds() * blocks).filter_map(|superstep| plan.product(process, superstep))
            {
                let block = (product.row, product.inner);
                if seen.last() != Some(&block) {
                    assert!(!seen.contains(&block), "{blocks} on {processes}: {block:?} again");
                    seen.push(block);
                }
            }
        }
    });
}

/// In a round no block is read by more processes than lie on a diagonal of the cube.
#[test]
fn blocks_are_read_by_few_processes_at_a_time() {
    for blocks in BLOCKS {
        let plan = Plan::new(blocks, blocks * blocks);
        for superstep in 0..plan.products() {
            let mut readers = [vec![0; blocks * blocks], vec![0; blocks * blocks]];
            for process in 0..blocks * blocks {
                let product = plan.product(process, superstep).expect("a round");
                readers[0][product.row * blocks + product.inner] += 1;
                readers[1][product.inner * blocks + product.column] += 1;
            }
            assert!(readers.iter().flatten().all(|&times| times == 1), "{blocks}: {readers:?}");
        }
    }
}

#[test]
fn numbers_of_supersteps_are_those_of_the_module_comment() {
    all(|blocks, processes, plan| {
        assert_eq!(plan.rounds(), blocks * blocks / processes);
        let remaining = plan.remaining();
        let expected = processes.checked_div(remaining).map(|least| {
            let most = processes.div_ceil(remaining).min(blocks);
            let sums = (0..).find(|sums| 1 << sums >= most).expect("few");
            (blocks.div_ceil(least.min(blocks)), sums)
        });
        let (steps, sums) = expected.unwrap_or_default();
        assert_eq!((plan.products(), plan.sums()), (plan.rounds() * blocks + steps, sums));
        // Nobody has more work than in the thesis' schedule.
        assert!(plan.products() <= (blocks * blocks).div_ceil(processes) * blocks);
    });
    let plan = Plan::new(3, 4);
    assert_eq!((plan.rounds(), plan.remaining(), plan.products(), plan.sums()), (2, 1, 7, 2));
    assert_eq!([0, 1, 2, 3].map(|process| plan.sum(process, 0)), [Some(1), None, None, None]);
}

/// The product of a superstep of the rounds, in 128 bits.
fn product_of_rounds(plan: &Plan, process: usize, superstep: usize) -> [u128; 3] {
    let [blocks, processes, rounds, process, superstep] =
        [plan.blocks, plan.processes, plan.rounds, process, superstep].map(|number| number as u128);
    if !plan.by_rows {
        let number = superstep / blocks * processes + process;
        let (row, column) = (number / blocks, number % blocks);
        return [row, (superstep % blocks + row + column) % blocks, column];
    }
    // Columns number, number + p, number + 2 p ... of a row are computed in turn, for each inner number.
    let row = (superstep / blocks * processes + process) / blocks;
    let first = (row * blocks).saturating_sub(process).div_ceil(processes).min(rounds);
    let end = ((row + 1) * blocks).saturating_sub(process).div_ceil(processes).min(rounds);
    let step = superstep - first * blocks;
    let column = ((first + step % (end - first)) * processes + process) % blocks;
    [row, (step / (end - first) + row + (first * processes + process) % blocks) % blocks, column]
}

proptest! {
    #[test]
    fn supersteps_of_any_number_have_exact_products(
        blocks in sizes_within(1, MAX_SIZE), processes in sizes_within(1, i32::MAX as usize),
        [process, superstep] in [sizes(), sizes()], by_rows in any::<bool>(), is_last in any::<bool>(),
    ) {
        let plan = if by_rows { Plan::by_rows(blocks, processes) } else { Plan::new(blocks, processes) };
        let square = blocks as u128 * blocks as u128;
        let (rounds, rest) = (square / processes as u128, square % processes as u128);
        prop_assert_eq!((plan.rounds() as u128, plan.remaining() as u128), (rounds, rest));
        let steps = rounds * blocks as u128;
        let exact = steps + if rest == 0 { 0 } else {
            (blocks as u128).div_ceil((processes as u128 - (rest - 1)).div_ceil(rest).min(blocks as u128))
        };
        prop_assert_eq!(plan.products() as u128, exact.min(usize::MAX as u128));
        // The last superstep of the rounds, or the first one after them, or any.
        let superstep = if is_last { plan.steps_of_rounds() - superstep % 2 * usize::from(rounds > 0) } else { superstep };
        // Below the largest number of supersteps.
        let superstep = superstep.min(usize::MAX - 1);
        let process = process % processes;
        let Some(product) = plan.product(process, superstep) else {
            prop_assert!(superstep as u128 >= steps);
            return Ok(());
        };
        let found = [product.row, product.inner, product.column].map(|number| number as u128);
        prop_assert!(found.iter().all(|&number| number < blocks as u128));
        if (superstep as u128) < steps {
            prop_assert_eq!(found, product_of_rounds(&plan, process, superstep));
        } else {
            prop_assert!((superstep as u128) < exact);
            let column = process as u128 % rest;
            prop_assert_eq!(found[0] * blocks as u128 + found[2], square - rest + column);
        }
    }
}
