//! Copy bandwidth at every distance from source to destination, modulo 64 bytes, from a cache: memcpy, and
//! hcube's copy, which avoids the distances at which memcpy is slow on some processors (`memory::copy`).
//!
//! `cargo bench -p hcube-core --bench copy` takes about 10 s and prints GB/s. On processors other than AMD's,
//! both columns are memcpy.

use hcube_core::memory::Region;
use std::hint::black_box;
use std::time::Instant;

const PAGE_BYTES: usize = 4 << 10;
const SIZES: [usize; 5] = [1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20];
const DISTANCES: std::ops::Range<usize> = 0..64;
/// Bytes of a measurement.
const TIMED_BYTES: usize = 8 << 20;
/// Measurements, of which the fastest counts: others include the time of other processes.
const REPEATS: usize = 5;

fn main() {
    // `cargo test` starts benchmarks as well, without this argument.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let largest = SIZES[SIZES.len() - 1];
    let [mut from, mut to] = [0, 1].map(|_| vec![1u8; largest + 2 * PAGE_BYTES]);
    let [source, target] = [&from, &to].map(|bytes| bytes.as_ptr().align_offset(PAGE_BYTES));
    let from = &mut from[source..];

    println!("GB/s by distance (destination - source) modulo 4096, fastest of {REPEATS}: memcpy, hcube");
    print!("{:>8}", "distance");
    SIZES.iter().for_each(|size| print!("{:>16}", format!("{} KiB", size >> 10)));
    println!();
    for distance in DISTANCES {
        print!("{distance:>8}");
        for size in SIZES {
            let from = &mut from[..size];
            let to = &mut to[target + distance..][..size];
            let memcpy = speed(size, || black_box(&mut *to).copy_from_slice(black_box(from)));
            let hcube = speed(size, || Region::of(black_box(to)).write(black_box(from)));
            print!("{memcpy:>8.1}{hcube:>8.1}");
        }
        println!();
    }
}

/// GB/s of a copy.
fn speed(bytes: usize, mut copy: impl FnMut()) -> f64 {
    let count = TIMED_BYTES.div_ceil(bytes);
    let mut time = || {
        let begin = Instant::now();
        (0..count).for_each(|_| copy());
        begin.elapsed().as_secs_f64()
    };
    let shortest = (0..REPEATS).map(|_| time()).fold(f64::INFINITY, f64::min);
    1e-9 * (count * bytes) as f64 / shortest
}
