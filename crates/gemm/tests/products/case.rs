//! A product with all properties that a descriptor can have, its data, and the serial result.

use hcube_core::memory::Region;
use hcube_gemm::axis::{Axis, Section};
use hcube_gemm::element::{Element, Scalar};
use hcube_gemm::product::{Dimension, Grid, Matrix, Operation, Product};
use proptest::prelude::*;

/// How one matrix is distributed, and where the sub-matrix starts.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    pub first_block: [usize; 2],
    pub block: [usize; 2],
    /// Any number: taken modulo the processes. None: replicated.
    pub source: [Option<usize>; 2],
    pub start: [usize; 2],
    /// Rows beyond those needed in every local column.
    pub gap: usize,
}

/// A product.
#[derive(Debug, Clone)]
pub struct Case {
    pub grid: [usize; 2],
    pub operations: [Operation; 2],
    pub sizes: [usize; 3],
    pub scalars: [f64; 2],
    pub layouts: [Layout; 3],
    /// Complex elements instead of real ones.
    pub complex: bool,
}

pub fn layouts() -> impl Strategy<Value = Layout> {
    let source = || prop_oneof![9 => (0usize..6).prop_map(Some), 1 => Just(None)];
    ([1usize..9, 1usize..9], [1usize..9, 1usize..9], [source(), source()], [0usize..9, 0usize..9], 0usize..4)
        .prop_map(|(first_block, block, source, start, gap)| Layout {
            first_block,
            block,
            source,
            start,
            gap,
        })
}

pub fn operations() -> impl Strategy<Value = Operation> {
    prop_oneof![Just(Operation::Plain), Just(Operation::Transpose), Just(Operation::Adjoint)]
}

pub fn cases() -> impl Strategy<Value = Case> {
    let scalars = || prop_oneof![4 => Just(1.0), 1 => Just(0.0), 2 => Just(-2.0), 1 => Just(0.5)];
    let alike = any::<bool>();
    (
        [1usize..5, 1usize..6],
        [operations(), operations()],
        [0usize..30, 0usize..30, 0usize..60],
        [scalars(), scalars()],
        [layouts(), layouts(), layouts()],
        alike,
        any::<bool>(),
    )
        .prop_map(|(grid, operations, sizes, scalars, layouts, alike, complex)| {
            // Many programs distribute all matrices alike.
            let layouts = if alike { [layouts[0]; 3] } else { layouts };
            Case { grid, operations, sizes, scalars, layouts, complex }
        })
}

/// Element (row, column) of a whole matrix: a small integer, real and imaginary part.
pub fn value(matrix: usize, row: usize, column: usize) -> [f64; 2] {
    let mixed = (row * 7919 + column * 104_729 + matrix * 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    [((mixed >> 40) % 17) as f64 - 8.0, ((mixed >> 50) % 7) as f64 - 3.0]
}

/// The value of elements outside of the sub-matrix.
pub const OUTSIDE: f64 = 4242.0;

/// A rank's part of a matrix.
pub struct Part {
    pub sections: [Section; 2],
    pub leading: usize,
    pub numbers: Vec<f64>,
}

impl Case {
    fn element(&self) -> Element {
        if self.complex { Element::DoubleComplex } else { Element::Double }
    }

    /// Real numbers of an element.
    pub fn reals(&self) -> usize {
        if self.complex { 2 } else { 1 }
    }

    /// Rows and columns of a sub-matrix.
    fn shape(&self, matrix: usize) -> [usize; 2] {
        let [m, n, k] = self.sizes;
        let [mut rows, mut columns] = [[m, k], [k, n], [m, n]][matrix];
        if matrix < 2 && self.operations[matrix] != Operation::Plain {
            std::mem::swap(&mut rows, &mut columns);
        }
        [rows, columns]
    }

    /// The part of a rank, filled with values.
    pub fn part(&self, matrix: usize, grid: Grid) -> Part {
        let (layout, shape) = (self.layouts[matrix], self.shape(matrix));
        let sections = [Dimension::Rows, Dimension::Columns].map(|dimension| {
            let (number, processes) = (dimension as usize, grid.processes(dimension));
            let axis = Axis {
                first_block: layout.first_block[number],
                block: layout.block[number],
                source: layout.source[number].map(|source| source % processes),
                processes,
            };
            Section { axis, start: layout.start[number], length: shape[number] }
        });
        let local = |dimension: usize, process: usize| {
            let Section { axis, start, length } = sections[dimension];
            axis.local(process, start + length)
        };
        let (height, width) = (local(0, grid.row), local(1, grid.column));
        // As PBLAS permits, if there is no column.
        let leading = if width == 0 { 1 } else { height + layout.gap + 1 };
        let mut numbers = vec![OUTSIDE; leading * width * self.reals()];
        for (row, column, place) in self.elements(&sections, leading, grid) {
            let value = value(matrix, row, column);
            numbers[place..place + self.reals()].copy_from_slice(&value[..self.reals()]);
        }
        Part { sections, leading, numbers }
    }

    /// Row, column and place of every element of a sub-matrix that a rank has.
    pub fn elements(
        &self,
        sections: &[Section; 2],
        leading: usize,
        grid: Grid,
    ) -> Vec<(usize, usize, usize)> {
        let owned = |dimension: usize, process: usize| {
            let Section { axis, start, length } = sections[dimension];
            (0..length)
                .filter(move |number| axis.is_replicated() || axis.place(start + number).process == process)
                .map(move |number| (number, axis.local(process, start + number)))
                .collect::<Vec<_>>()
        };
        let rows = owned(0, grid.row);
        let columns = owned(1, grid.column);
        let place = |&(row, local_row): &(usize, usize), &(column, local): &(usize, usize)| {
            (row, column, (local * leading + local_row) * self.reals())
        };
        columns.iter().flat_map(|column| rows.iter().map(move |row| place(row, column))).collect()
    }

    /// The serial result at a place of sub(C).
    pub fn expected(&self, row: usize, column: usize) -> [f64; 2] {
        let [alpha, beta] = self.scalars;
        let of = |matrix: usize, row: usize, column: usize| {
            let [re, im] = match self.operations[matrix] {
                Operation::Plain => value(matrix, row, column),
                _ => value(matrix, column, row),
            };
            match (self.complex, self.operations[matrix]) {
                (false, _) => [re, 0.0],
                (true, Operation::Adjoint) => [re, -im],
                _ => [re, im],
            }
        };
        let mut sum = [0.0; 2];
        for inner in 0..self.sizes[2] {
            let ([a, b], [c, d]) = (of(0, row, inner), of(1, inner, column));
            sum = [sum[0] + a * c - b * d, sum[1] + a * d + b * c];
        }
        let old = value(2, row, column);
        [0, 1].map(|part| alpha * sum[part] + if beta == 0.0 { 0.0 } else { beta * old[part] })
    }

    /// The product with these parts.
    pub fn product<'a>(&self, grid: Grid, parts: &'a mut [Part; 3]) -> Product<'a> {
        let [m, n, k] = self.sizes;
        let [a, b, c] = parts.each_mut().map(|part| {
            let end = Matrix::end(part.sections[0], part.sections[1], part.leading, grid);
            let end = end.expect("small") * self.element().bytes();
            // SAFETY: the numbers are borrowed for the life of the product, and no reference to them is used
            // meanwhile.
            let memory = unsafe { Region::new(part.numbers.as_mut_ptr().cast(), end) };
            Matrix { rows: part.sections[0], columns: part.sections[1], memory, leading: part.leading }
        });
        let [alpha, beta] = self.scalars.map(|value| Scalar::real(self.element(), value));
        Product { element: self.element(), grid, operations: self.operations, m, n, k, alpha, a, b, beta, c }
    }
}
