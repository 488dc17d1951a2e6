//! The passes with every level of instructions of this processor: each gives the results of the portable
//! level.

use hcube_core::machine::instructions::Level;
use hcube_core::memory::Region;
use hcube_fft::kernel::LANES;
use hcube_fft::kernel::passes::{
    self, BLOCK_ROW, Columns, Direct, Matrix, Rows, Workspace, block_length, groups,
};
use hcube_fft::kernel::transform::Transform;
use hcube_fft::kernel::view::View;
use hcube_fft::phases::Phases;

/// The transform of a matrix of one rank; `shift` bytes before the first number of the result.
fn transform(level: Level, [height, width]: [usize; 2], shift: usize, backward: bool) -> Vec<u8> {
    let count = height * width;
    let mut input: Vec<u8> =
        (0..2 * count).flat_map(|number| (number as f64 * 0.37).sin().to_ne_bytes()).collect();
    let mut output = vec![0; 16 * count + 64];
    let blocks = width.div_ceil(LANES);
    let mut memory = vec![0; blocks * block_length(height) * 8];
    let [columns, rows] = [height, width].map(|points| Transform::new(points).expect("2, 3, 5"));
    let phases = Phases::new(&columns, count, (0..width).step_by(LANES));
    let mut workspace = Workspace::new([height, width]);
    let memory = View::of(Region::of(&mut memory));
    for blocks in groups(&(0..blocks), height) {
        let direct = Direct {
            rows: 0..height,
            data: View::of(Region::of(&mut input)),
            length: width,
            large_pages: backward,
        };
        let matrix = &Matrix::new(vec![direct], height);
        let number = blocks.start;
        let pass = Columns { transform: &columns, blocks, matrix, memory, phases: &phases, number, backward };
        passes::columns(level, &pass, &mut workspace);
    }
    let start = output.as_ptr().align_offset(64) + shift;
    for blocks in groups(&(0..height.div_ceil(LANES)), width) {
        let data = View::of(Region::of(&mut output[start..start + 16 * count]));
        let matrix =
            &Matrix::new(vec![Direct { rows: 0..width, data, length: height, large_pages: backward }], width);
        let target = memory.part(0..0);
        let pass = Rows { transform: &rows, blocks, memory, height, matrix, target, backward };
        passes::rows(level, &pass, &mut workspace);
    }
    output[start..start + 16 * count].to_vec()
}

#[test]
fn all_levels_agree() {
    assert_eq!(BLOCK_ROW, 2 * LANES);
    let levels = Level::available();
    for shape in [[1, 1], [2, 9], [3, 5], [8, 8], [15, 16], [30, 100], [64, 72], [128, 81]] {
        for (shift, backward) in [(0, false), (16, true), (8, false)] {
            let portable = transform(levels[0], shape, shift, backward);
            for &level in &levels {
                let found = transform(level, shape, shift, backward);
                for (one, other) in found.chunks_exact(8).zip(portable.chunks_exact(8)) {
                    let [one, other] =
                        [one, other].map(|bytes| f64::from_ne_bytes(bytes.try_into().expect("8 bytes")));
                    // Products and sums may be fused.
                    let name = level.name();
                    assert!((one - other).abs() < 1e-11, "{shape:?}, {shift}, {name}: {one} {other}");
                }
            }
        }
    }
}
