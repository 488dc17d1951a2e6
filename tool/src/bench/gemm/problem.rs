//! What is computed: sizes, and how matrices lie on a grid.

use crate::bench::lengths::name;
use crate::session::Failure;
use clap::ValueEnum;
use hcube_gemm::axis::Axis;
use hcube_gemm::element::Element;
use hcube_gemm::product::Operation;
use hcube_results::{gemm, measured};
use std::ffi::c_int;

/// Entries of a descriptor.
const ENTRIES: usize = 9;

/// The routine that is called, without the letters of p?.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Routine {
    /// product of matrices
    Gemm,
    /// LU factorisation by ScaLAPACK, with the products of each variant
    Getrf,
}

/// One problem; a group of lines of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    pub routine: Routine,
    pub element: Element,
    pub operations: [Operation; 2],
    /// M, N, K.
    pub size: [usize; 3],
    /// Of A, B, C.
    pub blocks: [usize; 3],
    /// How far the sub-matrices lie from the first row and column.
    pub offset: usize,
    /// C := C - A B.
    pub update: bool,
}

/// A process's place in the grid, and the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Process rows and columns.
    pub sides: [usize; 2],
    /// Row and column of this process.
    pub own: [usize; 2],
}

/// A distributed matrix, and the sub-matrix of it that takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Rows and columns of the whole matrix.
    pub size: [usize; 2],
    pub block: usize,
    /// First row and column of the sub-matrix, from 1.
    pub first: [c_int; 2],
    /// Rows and columns of this process.
    pub local: [usize; 2],
    place: Place,
}

impl Layout {
    fn new(size: [usize; 2], block: usize, first: [usize; 2], place: Place) -> Self {
        let axis = |processes| Axis { first_block: block, block, source: Some(0), processes };
        let local = [0, 1].map(|side| axis(place.sides[side]).local(place.own[side], size[side]));
        Self { size, block, first: first.map(|first| first as c_int + 1), local, place }
    }

    /// Elements between columns.
    pub fn leading(&self) -> usize {
        self.local[0].max(1)
    }

    /// Elements of this process.
    pub fn elements(&self) -> usize {
        self.leading() * self.local[1]
    }

    /// The descriptor of this process.
    pub fn descriptor(&self, context: c_int) -> [c_int; ENTRIES] {
        let [rows, columns, block, leading] =
            [self.size[0], self.size[1], self.block, self.leading()].map(|number| number as c_int);
        [1, context, rows, columns, block, block, 0, 0, leading]
    }

    /// The row or column of the matrix that a local one is.
    pub fn global(&self, side: usize, local: usize) -> usize {
        let (block, processes, own) = (self.block, self.place.sides[side], self.place.own[side]);
        (local / block * processes + own) * block + local % block
    }
}

impl Problem {
    /// Whether the routine accepts it.
    pub fn check(&self) -> Result<(), Failure> {
        let [m, n, k] = self.size;
        let [a, b, c] = self.blocks;
        if self.routine == Routine::Gemm {
            return Ok(());
        }
        if m != n || n != k {
            return Err(format!(
                "--sizes = {m}x{n}x{k}: expected N, the order of the matrix that getrf factorises"
            ));
        }
        if a != b || b != c {
            return Err(format!(
                "--block = {a}:{b}:{c}: expected NB, the blocks of the matrix that getrf factorises"
            ));
        }
        Ok(())
    }

    /// The name of the routine.
    pub fn routine_name(&self) -> String {
        format!("p{}{}", self.element.letter(), name(self.routine))
    }

    /// A, B and C; all the same for a factorisation.
    pub fn layouts(&self, place: Place) -> [Layout; 3] {
        let ([m, n, k], offset) = (self.size, self.offset);
        // Different distances, so that blocks of the operands do not begin at the same index.
        let firsts = [[offset, 2 * offset], [3 * offset, offset], [2 * offset, offset]];
        let sizes = [[m, k], [k, n], [m, n]];
        [0, 1, 2].map(|number| {
            let transposed = number < 2 && self.operations[number] != Operation::Plain;
            let [rows, columns] = sizes[number];
            let size = if transposed { [columns, rows] } else { [rows, columns] };
            let size = size.map(|length| length + 4 * offset);
            Layout::new(size, self.blocks[number], firsts[number], place)
        })
    }

    /// Floating-point operations.
    pub fn flops(&self) -> f64 {
        let [m, n, k] = self.size.map(|size| size as f64);
        let pairs = match self.routine {
            Routine::Gemm => m * n * k,
            Routine::Getrf => n * n * n / 3.0,
        };
        pairs * self.element.flops() as f64
    }

    /// What results say of it.
    pub fn described(&self, place: measured::Place, grid: [usize; 2]) -> gemm::Problem {
        let [m, n, k] = self.size;
        let operations = match self.routine {
            Routine::Gemm => self.operations.iter().map(|operation| char::from(operation.letter())).collect(),
            Routine::Getrf => String::new(),
        };
        let Self { blocks, offset, update, .. } = *self;
        let routine = self.routine_name();
        gemm::Problem { place, grid, routine, operations, m, n, k, blocks, offset, update }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_belongs_to_one_process() {
        for (size, block, processes) in [(0, 3, 2), (1, 64, 3), (100, 7, 3), (128, 64, 2), (65, 64, 4)] {
            let layout = |own| {
                let place = Place { sides: [processes, 1], own: [own, 0] };
                Layout::new([size, 1], block, [0, 0], place)
            };
            let all = (0..processes).map(layout);
            let mut found: Vec<usize> =
                all.flat_map(|one| (0..one.local[0]).map(move |local| one.global(0, local))).collect();
            found.sort_unstable();
            assert_eq!(found, (0..size).collect::<Vec<_>>(), "{size} in blocks of {block}");
        }
    }

    #[test]
    fn operands_lie_as_their_operations_say() {
        let problem = Problem {
            routine: Routine::Gemm,
            element: Element::Double,
            operations: [Operation::Transpose, Operation::Plain],
            size: [10, 20, 30],
            blocks: [2, 3, 4],
            offset: 5,
            update: false,
        };
        let place = Place { sides: [1, 2], own: [0, 1] };
        let [a, b, c] = problem.layouts(place);
        assert_eq!((a.size, b.size, c.size), ([50, 30], [50, 40], [30, 40]));
        assert_eq!((a.first, b.first, c.first), ([6, 11], [16, 6], [11, 6]));
        assert_eq!(c.descriptor(7), [1, 7, 30, 40, 4, 4, 0, 0, 30]);
        assert_eq!((c.local, c.elements(), problem.flops()), ([30, 20], 600, 12000.0));
        let described = problem.described(measured::Place::default(), place.sides);
        assert_eq!((described.work_name().as_str(), described.grid), ("pdgemm TN offset 5", [1, 2]));
    }
}
