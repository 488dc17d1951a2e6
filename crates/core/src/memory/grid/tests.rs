//! Grids compared with the definition of their order.

use super::*;
use hcube_testing::sizes::{sizes, sizes_within};
use proptest::prelude::*;

/// Where the packed bytes of each element lie in memory, by the definition: tile by tile.
fn places(grid: &Grid) -> Vec<usize> {
    let side = tile_side(grid.element_bytes);
    let [first, second] = grid.axes;
    let mut places = Vec::new();
    for (row_of_tiles, row) in (0..first.count).step_by(side).enumerate() {
        for (column_of_tiles, column) in (0..second.count).step_by(side).enumerate() {
            let (rows, columns) = (row..first.count.min(row + side), column..second.count.min(column + side));
            let mut points: Vec<_> =
                rows.flat_map(|row| columns.clone().map(move |column| (row, column))).collect();
            let odd = (row_of_tiles + column_of_tiles) % 2 == 1;
            if grid.order == Order::First || grid.order == Order::Alternating && odd {
                points.sort_unstable_by_key(|&(row, column)| (column, row));
            }
            places.extend(points.iter().map(|(row, column)| first.stride * row + second.stride * column));
        }
    }
    places
}

fn grids() -> Vec<Grid> {
    let mut all = Vec::new();
    for element_bytes in [1, 4, 8, 12, 16, 32, 40, 2000, 40_000] {
        for counts in [[1, 1], [3, 5], [8, 8], [64, 65], [70, 9], [130, 17]] {
            if counts[0] * counts[1] * element_bytes > 700_000 {
                continue;
            }
            for strides in [
                [counts[1] * element_bytes, element_bytes],
                [element_bytes, counts[0] * element_bytes],
                [(counts[1] + 3) * element_bytes + 5, element_bytes],
                [element_bytes, (counts[0] + 2) * element_bytes],
                [2 * element_bytes, 2 * element_bytes * counts[0]],
            ] {
                let axis = |number: usize| Axis { count: counts[number], stride: strides[number] };
                for order in [Order::First, Order::Second, Order::Alternating] {
                    all.push(Grid { element_bytes, axes: [axis(0), axis(1)], order });
                }
            }
        }
    }
    all
}

/// Whole and in parts that start and end anywhere, also within elements; the bytes between rows are
/// unchanged.
#[test]
fn bytes_come_in_the_order_of_the_definition_and_go_back() {
    for grid in grids() {
        let (places, element) = (places(&grid), grid.element_bytes);
        let end = grid.end().expect("small");
        let mut memory: Vec<u8> = (0..end).map(|index| (index * 7 + index / 251) as u8).collect();
        let defined: Vec<u8> =
            places.iter().flat_map(|&place| memory[place..place + element].to_vec()).collect();
        let mut unpacked = vec![0xee; end];
        for &place in &places {
            unpacked[place..place + element].copy_from_slice(&memory[place..place + element]);
        }
        let bytes = grid.bytes().expect("small");
        assert_eq!(bytes, defined.len());
        for step in [bytes, bytes / 2 + 1, 777.max(bytes / 20)] {
            let (mut packed, mut target) = (vec![0; bytes], vec![0xee; end]);
            for start in (0..bytes).step_by(step) {
                let (part, to) = (step.min(bytes - start), packed[start..].as_mut_ptr());
                // SAFETY: the vectors have these bytes.
                unsafe {
                    grid.copy::<true>(memory.as_mut_ptr(), start, to, part);
                    grid.copy::<false>(target.as_mut_ptr(), start, to, part);
                }
            }
            assert!(packed == defined, "{grid:?} packed in parts of {step}");
            assert!(target == unpacked, "{grid:?} unpacked in parts of {step}");
        }
    }
}

/// The order on which both sides rely: three by three elements, two by two elements to a tile.
#[test]
fn the_order_of_three_by_three_large_elements() {
    let element_bytes = TILE / 4;
    let axes = [3, 1].map(|stride| Axis { count: 3, stride: stride * element_bytes });
    for (order, expected) in
        [(Order::Second, [0, 1, 3, 4, 2, 5, 6, 7, 8]), (Order::First, [0, 3, 1, 4, 2, 5, 6, 7, 8])]
    {
        let grid = Grid { element_bytes, axes, order };
        assert_eq!(places(&grid), expected.map(|place| place * element_bytes));
    }
    // A tile's side of 2 and elements of a fourth: the second tile has a single column of two.
    let axes = [4, 1].map(|stride| Axis { count: 4, stride: stride * element_bytes });
    let grid = Grid { element_bytes, axes, order: Order::Alternating };
    let expected = [0, 1, 4, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 11, 14, 15];
    assert_eq!(places(&grid), expected.map(|place| place * element_bytes));
}

#[test]
fn tiles_are_whole_blocks_or_single_elements() {
    let sides = [1, 4, 8, 16, 24, 1000, 2048, TILE, usize::MAX].map(tile_side);
    assert_eq!(sides, [180, 88, 64, 44, 36, 4, 4, 1, 1]);
}

#[test]
fn more_than_an_address_counts_is_none() {
    let axes = [Axis { count: 1 << 40, stride: 8 }, Axis { count: 1 << 40, stride: 8 }];
    let grid = Grid { element_bytes: 8, axes, order: Order::First };
    assert_eq!((grid.bytes(), grid.end()), (None, Some((1 << 44) - 8)));
    let axes = [Axis { count: 3, stride: usize::MAX }, Axis { count: 1, stride: 8 }];
    assert_eq!(Grid { axes, ..grid }.end(), None);
    let axes = [Axis { count: 0, stride: usize::MAX }, Axis { count: 1 << 50, stride: 1 << 50 }];
    assert_eq!((Grid { axes, ..grid }.end(), Grid { axes, ..grid }.bytes()), (Some(0), Some(0)));
}

proptest! {
    #[test]
    fn a_grid_of_any_size_has_exactly_its_bytes_or_none(
        counts in [sizes(), sizes()], strides in [sizes(), sizes()], element_bytes in sizes_within(1, usize::MAX),
    ) {
        let axes = [0, 1].map(|number| Axis { count: counts[number], stride: strides[number] });
        let grid = Grid { element_bytes, axes, order: Order::Alternating };
        let [first, second] = counts.map(|count| count as u128);
        let bytes = (first * second).checked_mul(element_bytes as u128);
        let fits = |&bytes: &u128| isize::try_from(bytes).is_ok();
        // A product of three of 64 bits that leaves 128 bits does not fit either. Where nothing is left of
        // it, the first two may not fit.
        let expected = bytes.filter(|bytes| fits(bytes) && usize::try_from(first * second).is_ok());
        prop_assert_eq!(grid.bytes().map(|bytes| bytes as u128), expected);
        let reach = |axis: &Axis| axis.stride as u128 * (axis.count as u128 - 1);
        let end = match counts.contains(&0) {
            true => Some(0),
            false => reach(&axes[0])
                .checked_add(reach(&axes[1]))
                .and_then(|reach| reach.checked_add(element_bytes as u128))
                .and_then(|end| usize::try_from(end).ok()),
        };
        prop_assert_eq!(grid.end(), end);
    }
}
