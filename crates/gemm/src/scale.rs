//! `sub(C) := beta sub(C)`, the whole product if alpha or k is 0. Local; each element is read and written
//! once, or only written if beta is 0.

use crate::product::Product;

/// Scales this rank's part of sub(C) by beta.
pub fn scale(product: &Product<'_>) {
    if product.beta.is_one() {
        return;
    }
    let ((height, width), c, size) = (product.own_size(), &product.c, product.element.bytes());
    let (row, column) = (c.rows.first_local(product.grid.row), c.columns.first_local(product.grid.column));
    let mut elements = vec![0; height * size];
    for number in 0..if height == 0 { 0 } else { width } {
        let start = ((column + number) * c.leading + row) * size;
        let part = c.memory.part(start..start + height * size);
        if !product.beta.is_zero() {
            part.read(&mut elements);
            product.beta.scale(&mut elements);
        }
        part.write(&elements);
    }
}
