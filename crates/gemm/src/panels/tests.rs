//! Panels of matrices of any size compared with 128 bits.

use super::*;
use crate::axis::{Axis, Section};
use crate::element::{Element, Scalar};
use crate::product::{Matrix, Operation, Product};
use hcube_core::memory::Region;
use hcube_testing::sizes::{sizes, sizes_within};
use proptest::prelude::*;

/// A factor whose outer indices are distributed so in the matrix that stays.
fn factor(target: Section) -> Factor<'static> {
    let one = Section { axis: Axis::replicated(1), start: 0, length: 1 };
    let matrix = Matrix { rows: one, columns: one, memory: Region::of(&mut []), leading: 1 };
    let product = Product {
        element: Element::Double,
        grid: Grid::of_rank(1, 1, 0),
        operations: [Operation::Plain; 2],
        m: 1,
        n: 1,
        k: 1,
        alpha: Scalar::real(Element::Double, 1.0),
        a: matrix,
        b: matrix,
        beta: Scalar::real(Element::Double, 0.0),
        c: matrix,
    };
    let mut factor = Factor::new(&product, 0, true, (one, Dimension::Rows), None);
    factor.target = target;
    factor
}

/// Elements from one column to the next, for doubles.
fn leading(height: usize) -> u128 {
    let lines = (height.max(1) as u128).next_multiple_of(8);
    if (lines * 8).is_multiple_of(4096) { lines + 8 } else { lines }
}

/// Bytes of an area of columns of doubles.
fn area_bytes(height: usize, width: usize) -> u128 {
    leading(height) * width as u128 * 8
}

proptest! {
    #[test]
    fn columns_of_any_size_are_padded(height in sizes()) {
        prop_assert_eq!(padded(height, 8) as u128, leading(height).min(usize::MAX as u128));
    }

    /// Sizes whose panels 128 bits count.
    #[test]
    fn panels_of_any_size_have_exact_bytes_or_no_memory_has_them(
        [length, block] in [sizes_within(1, 1 << 60), sizes_within(1, 1 << 60)], inner in sizes_within(1, 1 << 50),
        lines in [1..4_usize, 1..4_usize], by_outer in [any::<bool>(), any::<bool>()],
        partial in prop_oneof![Just(0), sizes_within(1, 1 << 60)], memory in sizes(),
        width in proptest::option::of(sizes()), max_width in proptest::option::of(sizes_within(1, usize::MAX)),
    ) {
        let all = lines.map(|lines| (0..lines).collect::<Vec<usize>>());
        let factors = lines.map(|processes| {
            let axis = Axis { first_block: block, block, source: Some(0), processes };
            factor(Section { axis, start: 0, length })
        });
        let moving = Moving { factors: [Some(&factors[0]), Some(&factors[1])], by_outer, inner, partial, size: 8 };
        let ranks = lines[0] * lines[1];
        let limits = Limits { memory, width, max_width, shapes: vec![[lines[0], lines[1], ranks]] };
        let panels = Panels::new(&moving, &limits, [&all[0], &all[1]], ranks);

        prop_assert!((1..=inner.min(max_width.unwrap_or(inner))).contains(&panels.width));
        prop_assert_eq!(panels.count as u128, (inner as u128).div_ceil(panels.width as u128));
        for panel in [0, panels.count - 1] {
            let begin = panel as u128 * panels.width as u128;
            let end = (begin + panels.width as u128).min(inner as u128);
            let found = panels.inner(panel, inner);
            prop_assert_eq!((found.start as u128, found.end as u128), (begin, end));
        }

        let of_panel = |side: usize, height: usize, width: usize| {
            if by_outer[side] { area_bytes(height, width) } else { area_bytes(width, height) }
        };
        let of_partial = |width: usize| if partial == 0 { 0 } else { area_bytes(partial, width).next_multiple_of(128) };
        let of_domain = |width: usize| {
            let of_side = |side: usize| {
                let height = factors[side].target.max_count();
                of_panel(side, height, width).next_multiple_of(128) * lines[side] as u128
            };
            of_side(0) + of_side(1) + of_partial(width) * ranks as u128
        };
        let bytes = of_domain(panels.width);
        prop_assert_eq!(panels.shape_bytes[0] as u128, bytes.min(usize::MAX as u128));
        let bound = (memory as u128 * ranks as u128).min(usize::MAX as u128) / DEPTH as u128;
        prop_assert!(panels.width == 1 || bytes <= bound.min(1 << 30), "{} of {}", bytes, bound);

        if bytes <= usize::MAX as u128 {
            let mut end = 0;
            for side in [0, 1] {
                for area in &panels.areas[side] {
                    prop_assert_eq!(area.height, factors[side].target.count(area.line));
                    prop_assert_eq!(area.offset as u128, end);
                    prop_assert_eq!(area.bytes as u128, of_panel(side, area.height, panels.width));
                    end = (end + area.bytes as u128).next_multiple_of(128);
                }
            }
            prop_assert_eq!((panels.partials.0 as u128, panels.partials.1.bytes as u128), (end, of_partial(panels.width)));
            prop_assert_eq!(panels.bytes as u128, end + of_partial(panels.width) * ranks as u128);
            prop_assert!(panels.bytes as u128 <= bytes);
        }
    }
}
