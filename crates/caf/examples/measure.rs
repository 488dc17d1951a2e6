//! Throw-away figures.
use hcube_caf::Runtime;
use hcube_caf::coarray::Use;
use hcube_caf::options::Options;
use hcube_core::memory::{Region, bytes_of};
use hcube_core::mpi::lifetime;
use hcube_core::onesided::Atomic;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

fn main() {
    lifetime::initialise().unwrap();
    {
        let image =
            Runtime::new(lifetime::world_comm().unwrap(), Options::from_environment().unwrap()).unwrap();
        let (world, own) = (image.world(), image.own());
        let images = image.with_team(world, |team| team.size());
        let show = |what: &str, n: usize, begin: Instant| {
            let t = begin.elapsed().as_secs_f64() / n as f64 * 1e6;
            if own == 0 {
                println!("{what}: {t:.4} us");
            }
        };
        let data = image.allocate(world, 1 << 20, Use::Data).unwrap();
        let next = (own + 1) % images;
        let mut local = vec![1u8; 1 << 20];
        for bytes in [8, 256, 4096, 1 << 20] {
            let n = if bytes > 10000 { 500 } else { 200_000 };
            for _ in 0..2 {
                image.barrier(world).unwrap();
                let begin = Instant::now();
                if own == 0 {
                    for _ in 0..n {
                        image.put(data, next, 0, Region::of(&mut local[..bytes])).unwrap();
                    }
                }
                show(&format!("put {bytes}"), n, begin);
                image.barrier(world).unwrap();
                let begin = Instant::now();
                if own == 0 {
                    for _ in 0..n {
                        image.get(data, next, 0, Region::of(&mut local[..bytes])).unwrap();
                    }
                }
                show(&format!("get {bytes}"), n, begin);
                image.barrier(world).unwrap();
            }
        }
        let n = 200_000;
        let begin = Instant::now();
        if own == 0 {
            for _ in 0..n {
                image.atomic(data, next, 0, Atomic::Add, 1).unwrap();
            }
        }
        show("fetch_add", n, begin);
        image.barrier(world).unwrap();
        let n = if std::env::var_os("SPAWN").is_some() { 20 } else { 20_000 };
        for _ in 0..3 {
            let begin = Instant::now();
            for _ in 0..n {
                image.barrier(world).unwrap();
            }
            show("barrier", n, begin);
        }
        let n = if std::env::var_os("SPAWN").is_some() { 20 } else { 5000 };
        for _ in 0..2 {
            let begin = Instant::now();
            for _ in 0..n {
                image.begin_finish(world).unwrap();
                image.end_finish().unwrap();
            }
            show("empty finish", n, begin);
        }
        let table: Rc<Vec<Cell<u64>>> = Rc::new(
            (0..1 << std::env::var("BITS").map_or(20, |b| b.parse::<u32>().unwrap()))
                .map(|_| Cell::new(0))
                .collect(),
        );
        let t = Rc::clone(&table);
        let function = image.register(Rc::new(move |_, _, arguments| {
            let word = |at: usize| u64::from_ne_bytes(arguments[at..at + 8].try_into().unwrap());
            let cell = &t[word(0) as usize & (t.len() - 1)];
            cell.set(cell.get() ^ word(8));
        }));
        image.barrier(world).unwrap();
        let n = if std::env::var_os("SPAWN").is_some() { 5_000_000 } else { 1_000_000 };
        for _ in 0..3 {
            let begin = Instant::now();
            image.begin_finish(world).unwrap();
            let mut x = 88172645463325252 + own as u64 * 7919;
            for _ in 0..n {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                image
                    .spawn(
                        world,
                        (x >> 40) as usize % images,
                        function,
                        bytes_of(&[x & ((1 << 20) - 1), x]),
                        None,
                    )
                    .unwrap();
            }
            image.end_finish().unwrap();
            let s = begin.elapsed().as_secs_f64();
            if own == 0 {
                println!("spawn xor: {:.2} M/s in all", n as f64 * images as f64 / s * 1e-6);
            }
        }
        image.finalise().unwrap();
    }
    lifetime::finalise().unwrap();
}
