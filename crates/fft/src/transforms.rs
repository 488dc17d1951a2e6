//! The data of a transform that both paths need on a rank: sizes, and the tables of columns and rows.

use crate::kernel::transform::Transform;
use crate::phases::Phases;
use crate::shape::Shape;
use hcube_core::machine::instructions::Level;

/// The transforms of columns and of rows, with the factors between them.
#[derive(Debug)]
pub struct Transforms {
    /// The vector as a matrix.
    pub shape: Shape,
    /// Whether they are backward.
    pub backward: bool,
    /// The instructions.
    pub level: Level,
    /// Of a column.
    pub columns: Transform,
    /// Of a row.
    pub rows: Transform,
    /// The factors of this rank's blocks of columns.
    pub phases: Phases,
}

impl Transforms {
    /// Computes the tables, of some hundred bytes per row and column: the memory for the vector is allocated
    /// before, so that a vector that is too long is an error there. `blocks` are the first columns of this
    /// rank's blocks.
    pub fn new(shape: Shape, backward: bool, blocks: impl Iterator<Item = usize>) -> Self {
        let of = |points: usize| Transform::new(points).expect("a shape has the factors 2, 3 and 5");
        let (columns, rows) = (of(shape.rows), of(shape.columns));
        let phases = Phases::new(&columns, shape.length(), blocks);
        Self { shape, backward, level: Level::detect(), columns, rows, phases }
    }
}
