//! Transposition with ranks as threads, without mpirun: every byte of both parts is compared.

use hcube_alltoall::{ExchangeState, Options, Path, Schedule};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use hcube_core::error::{Error, HCUBE_ERR_ARGUMENT};
use hcube_core::memory::Region;
use hcube_transpose::{Layout, Parts, Shape, check, sliced, transpose};

/// Written where nothing may be written.
const GUARD: u8 = 0xa5;

/// A byte of an element.
fn byte(row: usize, column: usize, number: usize) -> u8 {
    (row * 31 + column * 7 + number + (row * column) / 13) as u8
}

/// The part of a matrix with `own` rows or columns; the value of an element is its position in the matrix.
fn part(
    [own, first, other]: [usize; 3],
    layout: Layout,
    element: usize,
    place: impl Fn(usize, usize) -> (usize, usize),
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(own * other * element + 1);
    let mut push = |here: usize, there: usize| {
        let (row, column) = place(first + here, there);
        bytes.extend((0..element).map(|number| byte(row, column, number)));
    };
    match layout {
        Layout::RowMajor => (0..own).for_each(|here| (0..other).for_each(|there| push(here, there))),
        Layout::ColumnMajor => (0..other).for_each(|there| (0..own).for_each(|here| push(here, there))),
    }
    bytes.push(GUARD);
    bytes
}

/// The parts of a rank before and afterwards.
fn parts(shape: &Shape, rank: usize) -> [Vec<u8>; 2] {
    let before = [shape.rows_of(rank), shape.row_block * rank, shape.columns];
    let after = [shape.columns_of(rank), shape.column_block * rank, shape.rows];
    [
        part(before, shape.before, shape.element_bytes, |row, column| (row, column)),
        part(after, shape.after, shape.element_bytes, |column, row| (row, column)),
    ]
}

fn region(memory: &mut [u8]) -> Region<'_> {
    let length = memory.len() - 1;
    // SAFETY: the memory is borrowed for the life of the region.
    unsafe { Region::new(memory.as_mut_ptr(), length) }
}

/// One transposition; whether both parts are as they should be.
fn works(comm: &ThreadComm, state: &mut ExchangeState, shape: &Shape, in_place: bool) -> bool {
    let [mut before, after] = parts(shape, comm.rank());
    if in_place {
        // One part has the bytes of both; bytes after the smaller one are not compared.
        before.resize(before.len().max(after.len()), GUARD);
        let work = (*shape, Parts::InPlace(region(&mut before)));
        transpose(comm, state, Ok(work)).expect("done");
        let bytes = after.len() - 1;
        return before[..bytes] == after[..bytes] && before.last() == Some(&GUARD);
    }
    let untouched = before.clone();
    let mut output = vec![0xee; after.len()];
    *output.last_mut().expect("a guard") = GUARD;
    let work = (*shape, Parts::Between(region(&mut before), region(&mut output)));
    transpose(comm, state, Ok(work)).expect("done");
    output == after && before == untouched
}

const LAYOUTS: [Layout; 2] = [Layout::RowMajor, Layout::ColumnMajor];

/// Square matrices, wide ones, more ranks than rows, several tiles; elements of one number and of many.
fn shapes(ranks: usize) -> Vec<(Shape, bool)> {
    let mut all = Vec::new();
    for (rows, columns, element_bytes) in [
        (1, 1, 8),
        (2, 3, 4),
        (5, 5, 16),
        (8, 8, 8),
        (17, 17, 24),
        (12, 60, 8),
        (130, 130, 8),
        (150, 66, 4),
        (9, 9, 3000),
        (7, 5, 40_000),
        (200, 200, 16),
    ] {
        let blocks = |all: usize| all.div_ceil(ranks);
        for (row_block, column_block) in [
            (blocks(rows), blocks(columns)),
            (blocks(rows) + 1, blocks(columns) + 1),
            (rows, blocks(columns)),
        ] {
            for before in LAYOUTS {
                for after in LAYOUTS {
                    let shape =
                        Shape { rows, columns, element_bytes, row_block, column_block, before, after };
                    all.extend([(shape, false), (shape, true)]);
                }
            }
        }
    }
    all
}

/// All shapes one after the other on the same communicator.
fn all_shapes(nodes: Vec<u32>, options: Options) {
    let (ranks, described) = (nodes.len(), format!("{nodes:?}, {options:?}"));
    let wrong = threads::run_on_nodes(nodes, |comm| {
        let mut state = ExchangeState::new(comm, &options).expect("created");
        let possible = |(shape, in_place): &(Shape, bool)| check(comm, &state, shape, *in_place).is_ok();
        let all: Vec<_> = shapes(ranks).into_iter().filter(possible).collect();
        let fails = |(shape, in_place): &(Shape, bool)| !works(comm, &mut state, shape, *in_place);
        all.into_iter().filter(fails).collect::<Vec<_>>()
    });
    for (rank, wrong) in wrong.iter().enumerate() {
        assert!(wrong.is_empty(), "rank {rank} of {described}: {} wrong, {:?}", wrong.len(), wrong[0]);
    }
}

#[test]
fn through_shared_memory() {
    for ranks in 1..=9 {
        all_shapes(vec![0; ranks], Options::default());
    }
}

/// Pieces that end anywhere, in elements, too.
#[test]
fn in_very_little_memory() {
    for ranks in [2, 3, 5] {
        for path in [Path::Shared, Path::Message] {
            all_shapes(vec![0; ranks], Options { memory: 0, path, ..Options::default() });
        }
        all_shapes(vec![0; ranks], Options { memory: 100_003, ..Options::default() });
    }
}

#[test]
fn by_messages_in_every_order() {
    for schedule in [
        Schedule::Auto,
        Schedule::Mpich,
        Schedule::LinearShift,
        Schedule::HierarchicalSets,
        Schedule::Library,
        Schedule::Hypercube,
    ] {
        for ranks in [2, 3, 6] {
            all_shapes(vec![0; ranks], Options { schedule, path: Path::Message, ..Options::default() });
        }
    }
}

#[test]
fn between_nodes_of_uneven_sizes() {
    for nodes in [vec![0, 1], vec![0, 0, 1], vec![0, 1, 0, 1, 1], vec![2, 0, 1, 0, 2, 2, 0]] {
        all_shapes(nodes.clone(), Options::default());
        all_shapes(nodes, Options { memory: 0, ..Options::default() });
    }
    all_shapes(vec![0; 6], Options { ranks_per_node: 2, ..Options::default() });
}

/// An error of one rank is returned on all ranks, nothing is written, and the next transposition works.
#[test]
fn one_rank_refuses() {
    let shape = Shape {
        rows: 20,
        columns: 20,
        element_bytes: 8,
        row_block: 7,
        column_block: 7,
        before: Layout::RowMajor,
        after: Layout::RowMajor,
    };
    let oblong = Shape { columns: 9, column_block: 3, element_bytes: 30_000, ..shape };
    for (path, shape) in [(Path::Auto, shape), (Path::Message, shape), (Path::Auto, oblong)] {
        threads::run_on_nodes(vec![0; 3], |comm| {
            let mut state =
                ExchangeState::new(comm, &Options { path, ..Options::default() }).expect("created");
            let [mut before, after] = parts(&shape, comm.rank());
            before.resize(before.len().max(after.len()), GUARD);
            let untouched = before.clone();
            let refusal = Error::argument("shape.rows", 0, "1 or more");
            let work = match comm.rank() {
                1 => Err(refusal.clone()),
                _ => Ok((shape, Parts::InPlace(region(&mut before)))),
            };
            match transpose(comm, &mut state, work) {
                Err(error) if comm.rank() == 1 => assert_eq!(error, refusal),
                Err(Error::Remote { rank: 1, code: HCUBE_ERR_ARGUMENT, .. }) => {}
                other => panic!("{other:?}"),
            }
            assert!(before == untouched, "rank {} has written", comm.rank());
            assert!(works(comm, &mut state, &shape, true));
        });
    }
}

/// Ranks with different ideas of the matrix: refused, where parts have other sizes.
#[test]
fn ranks_that_disagree() {
    threads::run_on_nodes(vec![0; 2], |comm| {
        let mut state = ExchangeState::new(comm, &Options::default()).expect("created");
        let columns = 10 + 2 * comm.rank();
        let shape = Shape {
            rows: 10,
            columns,
            element_bytes: 8,
            row_block: 5,
            column_block: columns / 2,
            before: Layout::RowMajor,
            after: Layout::RowMajor,
        };
        let ([mut before, _], mut output) = (parts(&shape, comm.rank()), vec![GUARD; 10_000]);
        let work = (shape, Parts::Between(region(&mut before), region(&mut output)));
        let outcome = transpose(comm, &mut state, Ok(work));
        assert!(matches!(outcome, Err(Error::Truncate { .. } | Error::Remote { .. })), "{outcome:?}");
        assert!(output.iter().all(|&byte| byte == GUARD));
    });
}

/// Parts of the same sizes, but with another layout on one rank, or with other element lengths in slices.
#[test]
fn shapes_that_differ_in_other_ways() {
    let square = Shape {
        rows: 12,
        columns: 12,
        element_bytes: 8,
        row_block: 4,
        column_block: 4,
        before: Layout::RowMajor,
        after: Layout::RowMajor,
    };
    let long = Shape { columns: 3, column_block: 1, element_bytes: 60_000, ..square };
    for (shape, other) in [
        (square, Shape { before: Layout::ColumnMajor, after: Layout::ColumnMajor, ..square }),
        (long, Shape { element_bytes: 120_000, ..long }),
        (long, Shape { after: Layout::ColumnMajor, ..long }),
    ] {
        threads::run_on_nodes(vec![0; 3], |comm| {
            let mut state = ExchangeState::new(comm, &Options::default()).expect("created");
            for _ in 0..3 {
                let shape = if comm.rank() == 1 { other } else { shape };
                let [mut before, after] = parts(&shape, comm.rank());
                before.resize(before.len().max(after.len()), GUARD);
                let untouched = before.clone();
                let work = (shape, Parts::InPlace(region(&mut before)));
                let outcome = transpose(comm, &mut state, Ok(work));
                assert!(matches!(outcome, Err(Error::Truncate { .. } | Error::Remote { .. })), "{outcome:?}");
                assert!(before == untouched, "rank {} has written", comm.rank());
            }
            assert!(works(comm, &mut state, &shape, true));
        });
    }
}

/// In place, of shapes in which nothing arrives where something leaves: in one slice or in many, or not.
#[test]
fn in_slices_where_elements_are_large_or_parts_small() {
    let shape = |rows, columns, element_bytes| Shape {
        rows,
        columns,
        element_bytes,
        row_block: rows.div_ceil(3),
        column_block: columns.div_ceil(3),
        before: Layout::RowMajor,
        after: Layout::ColumnMajor,
    };
    // One slice is enough, two; many are needed; too short ones would be.
    for (options, possible) in [
        (Options::default(), [true, true, true, false]),
        (Options { memory: 0, ..Options::default() }, [true, true, false, false]),
        (Options { path: Path::Message, ..Options::default() }, [false; 4]),
        (Options { path: Path::SingleCopy, ..Options::default() }, [false; 4]),
        (Options { ranks_per_node: 2, ..Options::default() }, [false; 4]),
    ] {
        let found = threads::run_on_nodes(vec![0; 3], |comm| {
            let state = ExchangeState::new(comm, &options).expect("created");
            [shape(6, 5, 8), shape(4, 3, 4_000), shape(60, 30, 40_000), shape(300, 100, 40_000)]
                .map(|shape| sliced::slice(&shape, &state))
        });
        for found in found {
            assert_eq!(found.map(|slice| slice.is_some()), possible, "{options:?}: {found:?}");
        }
    }
}
