//! Shared memory that is longer than the file size limit. The limit applies to a process, so this test is a
//! separate program.

use hcube_core::comm::{Comm, threads};
use hcube_core::error::HCUBE_ERR_MEMORY;
use hcube_core::node::board::{Board, WORDS};
use hcube_core::node::heap::Heap;
use hcube_core::progress::wait::Patience;

/// As `ulimit -f`, and the kernel's signal ends the program where a file becomes longer.
fn limit_files(bytes: u64) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a structure to be filled, and one that was filled.
    unsafe {
        assert_eq!(libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit), 0);
        limit.rlim_cur = bytes;
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
    }
}

/// One test, since the limit applies to the process, which prints the results of its tests, perhaps to a
/// file.
#[test]
fn shared_memory_above_the_largest_file() {
    heaps_above_the_largest_file_are_refused_on_all_ranks();
    notices_above_the_largest_file();
}

fn heaps_above_the_largest_file_are_refused_on_all_ranks() {
    let part = 16 << 20;
    for (limit, is_shared) in [(0, false), (3 * part - 1, false), (3 * part, true)] {
        limit_files(limit as u64);
        let results = threads::run(3, 3, |comm| match Heap::share(comm, &[0, 1, 2], part) {
            Ok(_) => true,
            Err(error) => {
                assert_eq!(error.code(), HCUBE_ERR_MEMORY, "{error}");
                false
            }
        });
        assert_eq!(results, [is_shared; 3], "files of at most {limit} bytes");
    }
}

fn notices_above_the_largest_file() {
    const CAPACITY: usize = 1 << 20;
    for limit in [0, 2 << 20, 1 << 30] {
        limit_files(limit);
        let right = threads::run(3, 3, |comm| {
            let mut board = Board::create(comm, &[0, 1, 2], CAPACITY).expect("shared memory");
            let own = board.own() as u8;
            board.post([u64::from(own); WORDS], CAPACITY, |draft| {
                draft.payload.fill(own);
                draft.bounds[1..].fill(CAPACITY as u32);
            });
            (0..comm.size()).all(|rank| {
                board.wait_for(rank, Patience::new(true, false), comm);
                let bytes = if own == 0 { CAPACITY } else { 0 };
                board.bytes(rank).len() == bytes && board.bytes(rank).iter().all(|&byte| byte == rank as u8)
            })
        });
        assert_eq!(right, [true; 3], "files of at most {limit} bytes");
    }
}
