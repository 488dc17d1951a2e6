//! Block-cyclic transposition with ranks as threads, without mpirun: every number of C and of the padding
//! after its columns is compared with a serial transposition of integers.

use hcube_alltoall::{Options, Path};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use hcube_core::error::{Error, HCUBE_ERR_ARGUMENT, HCUBE_ERR_BUFFER};
use hcube_core::memory::Region;
use hcube_transpose::grid::{Memory, Operands, Plan, Shape};
use std::sync::Arc;

/// Written to memory that must not be written.
const GUARD: f64 = -1.0;

/// Numbers of A and of C before, from their places in the whole matrices; sums and products are exact.
fn number(seed: usize, row: usize, column: usize) -> f64 {
    ((row * 1009 + column * 31 + row * column % 13 + seed) % 65_521) as f64
}

/// The places in a matrix of what a row or column of the grid has of it.
fn places(all: usize, block: usize, place: usize, places: usize) -> Vec<usize> {
    (0..all).filter(|element| element / block % places == place).collect()
}

/// A part by columns, with gaps.
fn part(rows: &[usize], columns: &[usize], stride: usize, value: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let mut part = vec![GUARD; stride * columns.len() + 1];
    for (at, &column) in columns.iter().enumerate() {
        for (number, &row) in rows.iter().enumerate() {
            part[at * stride + number] = value(row, column);
        }
    }
    part
}

fn region(numbers: &mut [f64]) -> Region<'_> {
    // SAFETY: the memory is borrowed for the life of the region.
    unsafe { Region::new(numbers.as_mut_ptr().cast(), size_of_val(numbers)) }
}

/// This rank's part of the memory.
fn own(memory: &Memory) -> Region<'_> {
    memory.part(memory.own_number())
}

/// Where the parts of A are.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    Anywhere,
    Shared,
}

/// One shape with three factors; `gap` numbers follow each column.
fn check(comm: &ThreadComm, shape: Shape, place: Place, gap: usize, options: &Options) {
    let [row, column] = shape.place(comm.rank());
    let [grid_rows, grid_columns] = [shape.grid_rows, shape.grid_columns];
    let rows = places(shape.rows, shape.row_block, row, grid_rows);
    let columns = places(shape.columns, shape.column_block, column, grid_columns);
    let c_rows = places(shape.columns, shape.column_block, row, grid_rows);
    let c_columns = places(shape.rows, shape.row_block, column, grid_columns);
    let bytes = 8 * (shape.rows + gap + 1) * (shape.columns + 1) + 8 * gap;
    let memory = (place == Place::Shared)
        .then(|| Arc::new(Memory::new(comm, Ok(bytes), &Options::default()).expect("memory")));
    let mut plan = Plan::new(comm, Ok((shape, memory.clone())), options).expect("a plan");
    assert_eq!(plan.parts(), [[rows.len(), columns.len()], [c_rows.len(), c_columns.len()]]);
    let shares = comm.size() == 1 || place == Place::Shared && options == &Options::default();
    assert_eq!(plan.shares_memory(), shares);
    for (round, beta) in [1.0, 0.0, 2.0].into_iter().enumerate() {
        let strides = [(rows.len() + gap).max(1), (c_rows.len() + gap).max(1)];
        let mut a = part(&rows, &columns, strides[0], |i, j| number(round, i, j));
        let mut c = part(&c_rows, &c_columns, strides[1], |i, j| number(7, i, j));
        let right =
            part(&c_rows, &c_columns, strides[1], |i, j| number(round, j, i) + beta * number(7, i, j));
        let from = match &memory {
            // Somewhere in the part of this rank.
            Some(memory) => {
                let own = own(memory).part(8 * gap..8 * gap + 8 * a.len());
                region(&mut a).copy_to(own);
                own
            }
            None => region(&mut a),
        };
        let operands = Operands { a: from, a_stride: strides[0], c: region(&mut c), c_stride: strides[1] };
        plan.execute(comm, Ok(operands), beta).expect("done");
        assert_eq!(c, right, "{shape:?}, rank {}, {beta}", comm.rank());
    }
}

/// Square, wide and high matrices, ragged last blocks, blocks larger than the matrix, ranks without blocks.
fn shapes([grid_rows, grid_columns]: [usize; 2]) -> Vec<Shape> {
    [
        ([40, 40], [8, 8]),
        ([37, 53], [5, 7]),
        ([64, 16], [16, 4]),
        ([3, 90], [4, 32]),
        ([1, 1], [1, 1]),
        ([20, 9], [50, 1]),
    ]
    .into_iter()
    .map(|([rows, columns], [row_block, column_block])| Shape {
        rows,
        columns,
        row_block,
        column_block,
        grid_rows,
        grid_columns,
    })
    .collect()
}

#[test]
fn all_grids_of_up_to_eight_ranks() {
    for grid_rows in 1..=8 {
        for grid_columns in 1..=8 / grid_rows {
            threads::run(grid_rows * grid_columns, 8, |comm| {
                for (number, shape) in shapes([grid_rows, grid_columns]).into_iter().enumerate() {
                    check(comm, shape, Place::Shared, number % 3, &Options::default());
                    check(comm, shape, Place::Anywhere, (number + 1) % 3, &Options::default());
                }
            });
        }
    }
}

#[test]
fn ranks_on_several_nodes_exchange_messages() {
    for (grid, per_node) in [([1, 2], 1), ([2, 2], 1), ([2, 2], 2), ([3, 1], 2), ([2, 3], 4), ([2, 4], 3)] {
        threads::run(grid[0] * grid[1], 8, |comm| {
            for place in [Place::Shared, Place::Anywhere] {
                let options = Options { ranks_per_node: per_node, ..Options::default() };
                let messages = Options { path: Path::Message, ..Options::default() };
                for shape in shapes(grid) {
                    check(comm, shape, place, 1, &options);
                    check(comm, shape, place, 0, &messages);
                }
            }
        });
    }
}

/// A program may free what it has created in another thread.
#[test]
fn plans_and_memory_may_end_in_any_thread() {
    fn check<T: Send>() {}
    check::<Plan>();
    check::<Arc<Memory>>();
}

#[test]
fn plans_keep_their_memory_on_every_path() {
    for path in [Path::Auto, Path::Message] {
        for ranks in [1, 2] {
            threads::run(ranks, 2, |comm| {
                let options = Options { path, ..Options::default() };
                let memory = Arc::new(Memory::new(comm, Ok(1 << 16), &options).expect("memory"));
                let shape = shapes([ranks, 1])[0];
                let plan = Plan::new(comm, Ok((shape, Some(Arc::clone(&memory)))), &options);
                let kept = Arc::downgrade(&memory);
                drop(memory);
                assert!(plan.is_ok() && kept.upgrade().is_some(), "{path:?}, {ranks}");
                drop(plan);
                assert!(kept.upgrade().is_none());
            });
        }
    }
}

#[test]
fn memory_of_several_nodes_serves_none() {
    threads::run(5, 2, |comm| {
        let memory = Arc::new(Memory::new(comm, Ok(1 << 16), &Options::default()).expect("memory"));
        let shape = shapes([5, 1])[0];
        let plan = Plan::new(comm, Ok((shape, Some(memory))), &Options::default()).expect("a plan");
        assert!(!plan.shares_memory());
    });
}

fn text(result: Result<(), Error>) -> (i32, String) {
    let error = result.expect_err("refused");
    (error.code(), error.to_string())
}

#[test]
fn bad_arguments_are_refused_on_all_ranks() {
    threads::run(4, 4, |comm| {
        let good = shapes([2, 2])[0];
        let options = Options::default();
        let new = |shape| text(Plan::new(comm, Ok((shape, None)), &options).map(drop));
        assert!(new(Shape { grid_rows: 3, ..good }).1.contains("shape.grid = 3 x 2"));
        let other = Shape { row_block: 8 + comm.rank(), ..good };
        assert!(new(other).1.contains("shape.row_block differs"));
        let wanted = Err(Error::argument("plan", "NULL", "a valid pointer"));
        assert!(text(Plan::new(comm, wanted, &options).map(drop)).1.contains("plan = NULL"));
        assert!(text(Memory::new(comm, Ok(usize::MAX), &options).map(drop)).1.contains("on each of 4 ranks"));

        let memory = Arc::new(Memory::new(comm, Ok(1 << 15), &options).expect("memory"));
        for memory in [Some(memory), None] {
            let mut plan = Plan::new(comm, Ok((good, memory.clone())), &options).expect("a plan");
            let (mut elsewhere, mut c) = (vec![0.0; 600], vec![GUARD; 600]);
            let own = memory.as_ref().map_or(region(&mut elsewhere), |memory| own(memory));
            let refused = comm.rank() == 2;
            let operands =
                Operands { a: own, a_stride: if refused { 3 } else { 24 }, c: region(&mut c), c_stride: 24 };
            let (code, message) = text(plan.execute(comm, Ok(operands), 1.0));
            assert_eq!(code, HCUBE_ERR_ARGUMENT, "{message}");
            assert!(message.contains(if refused { "lda = 3" } else { "rank 2" }), "{message}");
            let short = if refused { own.part(0..8) } else { own };
            let operands = Operands { a: short, a_stride: 24, ..operands };
            assert_eq!(text(plan.execute(comm, Ok(operands), 1.0)).0, HCUBE_ERR_BUFFER);
            if memory.is_some() {
                let mut elsewhere = vec![0.0; 600];
                let operands = Operands { a: if refused { region(&mut elsewhere) } else { own }, ..operands };
                let (code, message) = text(plan.execute(comm, Ok(operands), 1.0));
                assert_eq!(code, HCUBE_ERR_BUFFER, "{message}");
                assert!(message.contains("rank 2") != refused, "{message}");
            }
            assert_eq!(c, vec![GUARD; 600], "nothing is written");
        }
        // And it still works.
        check(comm, good, Place::Shared, 1, &options);
    });
}
