//! Pivots and row swaps in process columns, against serial code.

use hcube_core::comm::{Comm, threads};
use hcube_core::error::Error;
use hcube_core::memory::{Region, bytes_of_mut};
use hcube_hpl::Column;
use hcube_hpl::options::Options;
use hcube_hpl::pivot::winner;
use hcube_hpl::swap::{Matrix, Rows, Swap};
use proptest::prelude::*;
use std::time::Duration;

/// Some ranks are sometimes slow.
fn delay(rank: usize, step: usize) {
    let number = (rank * 7919 + step * 104_729) % 17;
    if number < 3 {
        std::thread::sleep(Duration::from_micros(50 * number as u64));
    }
}

/// A small number that is different for most seeds.
fn noise(seed: u64) -> u64 {
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

#[test]
fn the_largest_of_the_lowest_owner_wins() {
    let nan = f64::NAN;
    for (pivots, expected) in [
        (&[(1.0, 0.0)][..], 0),
        (&[(1.0, 0.0), (-2.0, 1.0), (2.0, 2.0)], 1),
        (&[(0.0, 0.0), (0.0, 1.0)], 0),
        (&[(0.0, 3.0), (0.0, 1.0), (0.0, 3.0)], 1),
        (&[(nan, 0.0), (5.0, 1.0)], 0),
        (&[(1.0, 0.0), (nan, 1.0), (3.0, 2.0)], 2),
    ] {
        assert_eq!(winner(pivots.iter().copied()), expected, "{pivots:?}");
    }
}

/// What a rank finds in a column of a panel: sometimes the same as others, zero, or nothing.
fn found(rank: usize, ranks: usize, step: usize, width: usize) -> Vec<f64> {
    let seed = noise((step * ranks + rank) as u64);
    let kind = noise(step as u64) % 4;
    let row = |of: u64| (0..width).map(move |column| (of * 1000 + column as u64) as f64);
    let head = match kind {
        0 => [0.0, 0.0, (rank * 10) as f64, rank as f64],
        1 => [if seed.is_multiple_of(2) { 7.0 } else { -7.0 }, 1.0, (rank * 10 + 1) as f64, rank as f64],
        2 if seed.is_multiple_of(3) => [0.0, 0.0, 0.0, ranks as f64],
        _ => [seed as f64 - 8e6, 2.0, (rank * 10 + 2) as f64, rank as f64],
    };
    head.into_iter().chain(row(seed)).chain(row(seed + 1)).collect()
}

#[test]
fn all_ranks_find_the_pivot_of_each_column() {
    for ranks in 1..=8 {
        for width in [0, 1, 5, 16] {
            threads::run(ranks, ranks, |comm| {
                let mut column = Column::new(comm, 16, 1, Ok(Options::default())).expect("memory");
                for step in 0..60 {
                    let (own, current) = (comm.rank(), step % ranks);
                    let all: Vec<Vec<f64>> = (0..ranks).map(|rank| found(rank, ranks, step, width)).collect();
                    let best = winner(all.iter().map(|pivot| (pivot[0], pivot[3])));
                    let mut work = bits(&all[own]);
                    delay(own, step);
                    column
                        .pivot(comm, Region::of(bytes_of_mut(&mut work)), width, current)
                        .expect("right arguments");
                    let (head, swapped) = work.split_at(4 + width);
                    assert_eq!(head, bits(&all[best][..4 + width]), "step {step} of {ranks} ranks");
                    if best == own {
                        assert_eq!(swapped, bits(&all[current][4 + width..]), "step {step} of {ranks} ranks");
                    }
                }
            });
        }
    }
}

/// A panel's swap: global rows, the first of the top rows, and the row that each top row is exchanged with in turn.
#[derive(Debug, Clone)]
struct Problem {
    ranks: usize,
    block: usize,
    rows: usize,
    first: usize,
    pivots: Vec<usize>,
    columns: usize,
    transposed: bool,
    /// Rows of padding between columns of the matrix.
    padding: usize,
}

impl Problem {
    /// Rows that move, as HPL lists them: top rows first, others only where they change.
    fn pairs(&self) -> Vec<i32> {
        let mut content: Vec<usize> = (0..self.rows).collect();
        for (row, &pivot) in self.pivots.iter().enumerate() {
            content.swap(self.first + row, pivot);
        }
        let top = self.first..self.first + self.pivots.len();
        let moved = |row: usize| top.contains(&row) || content[row] != row;
        (self.first..self.rows)
            .filter(|&row| moved(row))
            .flat_map(|row| [content[row] as i32, row as i32])
            .collect()
    }

    fn number(&self, row: usize, column: usize) -> f64 {
        (row * self.columns + column + 1) as f64
    }

    /// Global rows of a rank from the first top row on.
    fn own_rows(&self, rank: usize) -> Vec<usize> {
        (self.first..self.rows).filter(|row| row / self.block % self.ranks == rank).collect()
    }

    fn stride(&self, rank: usize) -> usize {
        self.own_rows(rank).len() + self.padding
    }

    /// The matrix of a rank, and the top rows: nothing yet.
    fn memory(&self, rank: usize) -> (Vec<u64>, Vec<u64>) {
        let stride = self.stride(rank);
        let mut matrix = vec![0; stride * self.columns];
        for (index, &row) in self.own_rows(rank).iter().enumerate() {
            for column in 0..self.columns {
                matrix[column * stride + index] = self.number(row, column).to_bits();
            }
        }
        (matrix, vec![0; self.pivots.len() * self.columns])
    }

    fn rows<'a>(&self, pairs: &'a [i32], rank: usize) -> Rows<'a> {
        Rows {
            pairs,
            first: self.first,
            width: self.pivots.len(),
            block: self.block,
            local: self.own_rows(rank).len(),
            columns: self.columns,
            transposed: self.transposed,
        }
    }

    /// Compares the results of a rank with those of serial exchanges.
    fn check(&self, rank: usize, matrix: &[u64], top: &[u64]) {
        let mut content: Vec<usize> = (0..self.rows).collect();
        for (row, &pivot) in self.pivots.iter().enumerate() {
            content.swap(self.first + row, pivot);
        }
        let (width, stride) = (self.pivots.len(), self.stride(rank));
        for column in 0..self.columns {
            for row in 0..width {
                let place = if self.transposed { row * self.columns + column } else { column * width + row };
                let expected = self.number(content[self.first + row], column);
                assert_eq!(
                    f64::from_bits(top[place]),
                    expected,
                    "top row {row}, column {column}, rank {rank}"
                );
            }
            for (index, &row) in self.own_rows(rank).iter().enumerate() {
                let is_top = row < self.first + width;
                let expected = self.number(if is_top { row } else { content[row] }, column);
                let number = f64::from_bits(matrix[column * stride + index]);
                assert_eq!(number, expected, "row {row}, column {column}, rank {rank}");
            }
        }
    }
}

prop_compose! {
    fn problems(max_ranks: usize)
        (ranks in 1..=max_ranks, block in 1usize..9, turns in 0usize..4, start in 0usize..40)
        (
            width in 0..=block,
            rows in block..block * (ranks * turns + 3),
            columns in 0usize..20,
            seeds in proptest::collection::vec(any::<prop::sample::Index>(), block),
            (ranks, block, start, transposed, padding) in
                (Just(ranks), Just(block), Just(start), any::<bool>(), 0usize..3),
        ) -> Problem {
            let first = start * block;
            let rows = first + rows;
            // Row i is exchanged with one that is not above it.
            let pivots = (0..width).map(|row| first + row + seeds[row].index(rows - first - row)).collect();
            Problem { ranks, block, rows, first, pivots, columns, transposed, padding }
        }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn a_swap_is_a_series_of_exchanges(problem in problems(130)) {
        let pairs = problem.pairs();
        let swaps: Vec<Swap> = (0..problem.ranks)
            .map(|rank| Swap::new(&problem.rows(&pairs, rank), rank, problem.ranks).expect("a swap"))
            .collect();
        let mut memory = vec![u64::MAX; swaps[0].memory_size()];
        let mut parts: Vec<_> = (0..problem.ranks).map(|rank| problem.memory(rank)).collect();
        for (rank, (matrix, _)) in parts.iter_mut().enumerate() {
            let matrix = Matrix { memory: Region::of(bytes_of_mut(matrix)), stride: problem.stride(rank) };
            swaps[rank].give(&matrix, Region::of(bytes_of_mut(&mut memory))).expect("a matrix");
        }
        for (rank, (numbers, top)) in parts.iter_mut().enumerate() {
            let matrix = Matrix { memory: Region::of(bytes_of_mut(numbers)), stride: problem.stride(rank) };
            let top_rows = Region::of(bytes_of_mut(top));
            swaps[rank].take(Region::of(bytes_of_mut(&mut memory)), &matrix, top_rows).expect("a matrix");
            problem.check(rank, numbers, top);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn ranks_swap_through_memory(problems in proptest::collection::vec(problems(1), 1..6), ranks in 1usize..7) {
        let problems: Vec<Problem> =
            problems.into_iter().map(|problem| Problem { ranks, ..problem }).collect();
        threads::run(ranks, ranks, |comm| {
            let mut column = Column::new(comm, 8, 20, Ok(Options::default())).expect("memory");
            for (step, problem) in problems.iter().enumerate() {
                let (pairs, own) = (problem.pairs(), comm.rank());
                let (mut numbers, mut top) = problem.memory(own);
                let matrix =
                    Matrix { memory: Region::of(bytes_of_mut(&mut numbers)), stride: problem.stride(own) };
                column.begin_swap(&problem.rows(&pairs, own), &matrix).expect("right arguments");
                delay(own, step);
                column.end_swap(comm, &matrix, Region::of(bytes_of_mut(&mut top))).expect("it was begun");
                problem.check(own, &numbers, &top);
            }
        });
    }
}

fn text(error: Error) -> String {
    error.to_string()
}

#[test]
fn wrong_arguments_are_refused_with_their_values() {
    threads::run(1, 1, |comm| {
        let mut column = Column::new(comm, 2, 3, Ok(Options::default())).expect("memory");
        let (mut numbers, mut top) = (vec![0u64; 6], vec![0u64; 6]);
        let work = Region::of(bytes_of_mut(&mut top));
        assert_eq!(column.pivot(comm, work, 3, 0).map_err(text), Err("width = 3: expected at most 2".into()));
        assert_eq!(
            column.pivot(comm, work, 1, 1).map_err(text),
            Err("current = 1: expected a rank below 1".into())
        );
        assert_eq!(column.pivot(comm, work, 2, 0).map_err(text), Err("48 bytes: expected 64".into()));
        let matrix = Matrix { memory: Region::of(bytes_of_mut(&mut numbers)), stride: 2 };
        let rows = Rows {
            pairs: &[4, 4, 5, 5],
            first: 4,
            width: 2,
            block: 2,
            local: 2,
            columns: 3,
            transposed: false,
        };
        let mut begin = |rows: Rows<'_>| column.begin_swap(&rows, &matrix).map_err(text);
        for (wrong, expected) in [
            (Rows { width: 3, ..rows }, "width = 3: expected at most 2"),
            (Rows { columns: 4, ..rows }, "columns = 4: expected at most 3"),
            (Rows { block: 0, ..rows }, "block = 0: expected 1 or more"),
            (Rows { pairs: &[4, 4, 5], ..rows }, "pairs = 3: expected an even number of rows"),
            (Rows { pairs: &[4, 4, 3, 5], ..rows }, "pairs = 3: expected 4 or more"),
            (Rows { pairs: &[4, 4, -1, 5], ..rows }, "pairs = -1: expected 4 or more"),
            (Rows { pairs: &[4, 4, 6, 5], ..rows }, "pairs = 6: expected one of 2 local rows"),
            (Rows { pairs: &[4, 4], ..rows }, "pairs = 1: expected a source of each top row"),
            (Rows { pairs: &[4, 4, 5, 5, 4, 4, 5, 5, 4, 4], ..rows }, "pairs = 5: expected at most 4"),
            (Rows { local: 3, ..rows }, "48 bytes of a matrix of 3 rows, 3 columns, stride 2"),
        ] {
            assert_eq!(begin(wrong), Err(expected.into()));
        }
        assert_eq!(begin(rows), Ok(()));
        assert_eq!(begin(rows), Err("a swap was begun and not ended".into()));
        assert!(!column.is_idle());
        let mut end = |matrix: &Matrix<'_>| column.end_swap(comm, matrix, work).map_err(text);
        assert_eq!(end(&matrix), Ok(()));
        assert_eq!(end(&matrix), Err("no swap was begun".into()));
    });
}

#[test]
fn ranks_that_differ_or_share_no_memory_are_refused_on_all_ranks() {
    let new = |ranks: usize, per_node: usize, difference: usize, options: Options| {
        threads::run(ranks, per_node, |comm| {
            Column::new(comm, 8 + difference * comm.rank(), 9, Ok(options)).is_err()
        })
    };
    let all = Options::default();
    assert_eq!(new(3, 3, 0, all), [false; 3]);
    assert_eq!(new(3, 3, 1, all), [true; 3]);
    assert_eq!(new(4, 2, 0, all), [true; 4]);
    assert_eq!(new(4, 4, 0, Options { ranks_per_node: 2 }), [true; 4]);
    assert_eq!(new(4, 4, 0, Options { ranks_per_node: 4 }), [false; 4]);
    let large = |width, columns| {
        threads::run(2, 2, |comm| Column::new(comm, width, columns, Ok(Options::default())).is_err())
    };
    assert_eq!((large(usize::MAX, 1), large(1, usize::MAX)), (vec![true; 2], vec![true; 2]));
    let failed = threads::run(2, 2, |comm| {
        let options = match comm.rank() {
            0 => Ok(Options::default()),
            _ => Err(Error::argument("HCUBE_RANKS_PER_NODE", "x", "a number")),
        };
        Column::new(comm, 1, 1, options).is_err()
    });
    assert_eq!(failed, [true; 2]);
}
