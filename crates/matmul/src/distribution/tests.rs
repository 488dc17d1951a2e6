//! Places of elements, for small matrices one by one and for any size by formula.

use super::*;
use hcube_testing::sizes::{sizes, sizes_within};
use proptest::prelude::*;

fn layout(n: usize, blocks: usize, processes: usize, distribution: Distribution) -> Layout {
    Layout::new(&Problem { n, blocks, distribution }, processes).expect("valid")
}

/// Every element lies in one place of one process, and the places of two elements differ.
#[test]
fn every_element_has_a_place_of_its_own() {
    for distribution in Distribution::ALL.iter().copied() {
        for processes in (1..=16).chain([36, 61, 130]) {
            for (n, blocks) in [(1, 1), (7, 3), (7, 5), (12, 4), (33, 6), (33, 33), (40, 7)] {
                let layout = layout(n, blocks, processes, distribution);
                let mut seen: Vec<Vec<bool>> =
                    (0..processes).map(|process| vec![false; layout.local_elements(process)]).collect();
                for (row, column) in (0..blocks).flat_map(|row| (0..blocks).map(move |column| (row, column)))
                {
                    let block = layout.block(row, column);
                    let pieces = layout.pieces(row, column);
                    let elements: usize = pieces.iter().map(|piece| piece.rows * piece.columns).sum();
                    assert_eq!(elements, block.elements());
                    for piece in pieces {
                        assert!(piece.rows > 0 && piece.columns > 0 && piece.rows <= piece.leading);
                        assert!(piece.row + piece.rows <= block.rows.len());
                        assert!(piece.column + piece.columns <= block.columns.len());
                        for place in (0..piece.columns).flat_map(|column| {
                            let begin = piece.offset + column * piece.leading;
                            begin..begin + piece.rows
                        }) {
                            assert!(!std::mem::replace(&mut seen[piece.process][place], true));
                        }
                    }
                }
                let places = seen.iter().flatten().filter(|&&seen| seen).count();
                assert_eq!(places, n * n, "{n} in {blocks} on {processes}, {distribution:?}");
                if distribution == Distribution::Static {
                    assert_eq!(seen.iter().flatten().count(), n * n);
                }
            }
        }
    }
}

#[test]
fn customized_blocks_are_dealt_out_one_after_the_other() {
    let layout = layout(7, 3, 4, Distribution::Customized);
    assert_eq!((layout.side(), layout.block(2, 1)), (3, Rectangle { rows: 6..7, columns: 3..6 }));
    let piece = Piece { process: 3, offset: 9, leading: 1, row: 0, column: 0, rows: 1, columns: 3 };
    assert_eq!(layout.pieces(2, 1), [piece]);
    assert_eq!([0, 1, 2, 3].map(|process| layout.local_elements(process)), [27, 18, 18, 18]);
}

#[test]
fn blocks_on_a_grid_have_pieces() {
    // Processes have rows 0..4 and 4..7, and columns 0..3, 3..6 and 6..7.
    let layout = layout(7, 2, 6, Distribution::Static);
    assert_eq!([0, 2, 3, 5].map(|process| layout.local_elements(process)), [12, 4, 9, 3]);
    let piece = |process, offset, leading, row, column, rows, columns| Piece {
        process,
        offset,
        leading,
        row,
        column,
        rows,
        columns,
    };
    assert_eq!(layout.pieces(0, 1), [piece(1, 4, 4, 0, 0, 4, 2), piece(2, 0, 4, 0, 2, 4, 1)]);
    assert_eq!(layout.pieces(1, 0), [piece(3, 0, 3, 0, 0, 3, 3), piece(4, 0, 3, 0, 3, 3, 1)]);
    assert!(layout.pieces(0, 1)[0].is_contiguous(4) && !layout.pieces(0, 1)[0].is_contiguous(5));
}

#[test]
fn grids_are_as_square_as_possible() {
    let grids = [1, 2, 4, 6, 7, 12, 16, 18].map(grid);
    assert_eq!(grids, [(1, 1), (1, 2), (2, 2), (2, 3), (1, 7), (3, 4), (4, 4), (3, 6)]);
}

#[test]
fn numbers_of_blocks_follow_from_processes_and_memory() {
    let defaults = [1, 2, 4, 5, 9, 10, 16, 17].map(|processes| default_blocks(100, processes));
    assert_eq!(defaults, [1, 2, 2, 3, 3, 4, 4, 5]);
    assert_eq!((default_blocks(0, 9), default_blocks(2, 9)), (1, 2));
    for bytes in [24, 95, 96, 1000, 24 * 50 * 50, 24 * 50 * 50 - 1, 1 << 40] {
        let blocks = blocks_within(100, 4, bytes).expect("room");
        let memory = |blocks: usize| TEMPORARY_BLOCKS * ELEMENT_BYTES * 100usize.div_ceil(blocks).pow(2);
        assert!(memory(blocks) <= bytes, "{bytes} bytes: {blocks}");
        assert!(blocks == 2 || memory(blocks - 1) > bytes, "{bytes} bytes: {blocks}");
    }
    assert!(blocks_within(100, 4, 23).is_err() && blocks_within(0, 4, 0) == Ok(1));
}

#[test]
fn sizes_out_of_range_are_refused() {
    let problem = |n, blocks| Problem { n, blocks, distribution: Distribution::Static };
    let refused = |n, blocks| Layout::new(&problem(n, blocks), 4).expect_err("refused").to_string();
    assert_eq!(refused(3, 4), "blocks = 4: expected 0 to 3 for n = 3");
    assert_eq!(refused(0, 2), "blocks = 2: expected 0 to 1 for n = 0");
    assert!(refused(MAX_SIZE + 1, 1).starts_with("n = 268435457: expected 0 to "));
    assert_eq!(Layout::new(&problem(100, 0), 10).expect("valid").blocks(), 4);
    assert_eq!(layout(0, 1, 3, Distribution::Customized).local_elements(0), 0);
}

/// Part `number` of `n` in `count` parts: where it begins, and its size.
fn exact_part(n: u128, count: u128, number: u128) -> [u128; 2] {
    let size = n.div_ceil(count);
    let begin = (number * size).min(n);
    [begin, ((number + 1) * size).min(n) - begin]
}

proptest! {
    #[test]
    fn blocks_of_matrices_of_any_size_have_exact_places_or_are_refused(
        [n, blocks] in [sizes(), sizes()], processes in sizes_within(1, i32::MAX as usize),
        [row, column, process] in [sizes(), sizes(), sizes()], fits in any::<bool>(), is_static in any::<bool>(),
    ) {
        let (n, blocks) = if fits { (n % (MAX_SIZE + 1), blocks % (n % (MAX_SIZE + 1)).max(1)) } else { (n, blocks) };
        let distribution = if is_static { Distribution::Static } else { Distribution::Customized };
        // A block of a static distribution may have a piece on each process.
        let processes = if is_static { processes.min(1 << 12) } else { processes };
        let found = Layout::new(&Problem { n, blocks, distribution }, processes);
        prop_assert_eq!(found.is_ok(), n <= MAX_SIZE && blocks <= n.max(1));
        let Ok(layout) = found else { return Ok(()) };
        let (row, column, process) = (row % layout.blocks(), column % layout.blocks(), process % processes);
        let [size, count, all, own] = [n, layout.blocks(), processes, process].map(|number| number as u128);
        let side = size.div_ceil(count);
        let [(first, rows), (before, columns)] = [row, column].map(|number| {
            let [begin, length] = exact_part(size, count, number as u128);
            (begin, length)
        });
        let pieces = layout.pieces(row, column);
        let elements: u128 = pieces.iter().map(|piece| piece.rows as u128 * piece.columns as u128).sum();
        prop_assert_eq!(elements, rows * columns);
        let (width, height) = (layout.grid.1 as u128, layout.grid.0 as u128);
        let of_grid = |process: u128| {
            (exact_part(size, height, process / width), exact_part(size, width, process % width))
        };
        let local = if is_static {
            let ([_, rows], [_, columns]) = of_grid(own);
            rows * columns
        } else {
            (count * count + all - 1 - own) / all * side * side
        };
        prop_assert_eq!(layout.local_elements(process) as u128, local);
        // Bytes fit as well.
        prop_assert!(local * ELEMENT_BYTES as u128 <= isize::MAX as u128);
        for piece in pieces {
            let (offset, of) = (piece.offset as u128, piece.process as u128);
            let expected = if is_static {
                let ([top, rows], [left, _]) = of_grid(of);
                (before + piece.column as u128 - left) * rows + first + piece.row as u128 - top
            } else {
                let number = row as u128 * count + column as u128;
                prop_assert_eq!(of, number % all);
                number / all * side * side
            };
            prop_assert_eq!(offset, expected);
        }
    }
}
