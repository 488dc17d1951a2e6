//! Exchanges that requests complete: the clients nonblocking and persistent (tests/c), through the C
//! interface and through the preload library. Both take the seed, rounds, requests of a round, and elements
//! of the largest block.

use crate::common;
use crate::common::preload::{Preloaded, Statistics};
use crate::common::{Language, Launch};

/// The path on which hcube makes them.
pub const SINGLE_COPY: (&str, &str) = ("HCUBE_PATH", "single-copy");

/// A client and the functions of MPI that it calls.
pub struct Requests {
    pub client: &'static str,
    pub functions: [&'static str; 3],
}

impl Requests {
    /// Through the C interface.
    pub fn launch(&self, ranks: usize, numbers: [u64; 4]) -> Launch {
        let numbers = numbers.map(|number| number.to_string());
        Launch::client(self.client, ranks).args(numbers).arg("hcube").envs(&[SINGLE_COPY])
    }

    /// Through the preload library, with further arguments; what the client prints, without its line end.
    pub fn preloaded(
        &self,
        ranks: usize,
        numbers: [u64; 4],
        more: &[&str],
        options: &[(&str, &str)],
    ) -> (String, Statistics) {
        let program = common::client(self.client, Language::C11);
        let change = |launch: Launch| {
            let launch = launch.args(numbers.map(|number| number.to_string())).arg("preload");
            launch.args(more.iter().copied()).envs(options).whole_lines()
        };
        let (text, statistics) = Preloaded::new(self.client, &program, ranks).with(change).success();
        (text.trim().to_owned(), statistics)
    }

    /// Calls by function, as hcube has made and forwarded them.
    pub fn calls(&self, ranks: usize, numbers: [u64; 4], options: &[(&str, &str)]) -> [[u64; 2]; 3] {
        let (text, statistics) = self.preloaded(ranks, numbers, &[], options);
        assert_eq!(text, format!("ok {} served=0", numbers[1]));
        let of_path = |function: &str, path: &str| {
            let rows = statistics.rows(function, false);
            rows.iter().filter(|row| row.0 == path).map(|row| row.1).sum()
        };
        self.functions.map(|function| ["single-copy", "library"].map(|path| of_path(function, path)))
    }

    /// That hcube makes all of these calls, half of the requests of each round.
    pub fn are_served(&self, ranks: usize, numbers: [u64; 4]) {
        let calls = self.calls(ranks, numbers, &[SINGLE_COPY]);
        if calls.iter().all(|[served, _]| *served == 0) {
            common::unproved("single-copy", "no exchange took this path");
            return;
        }
        assert!(calls.iter().all(|[served, forwarded]| *served > 5 && *forwarded == 0), "{calls:?}");
        assert_eq!(calls.iter().flatten().sum::<u64>(), numbers[1] * numbers[2] / 2 * ranks as u64);
    }

    /// That the calls of this many requests are forwarded: without options, MPI libraries are as fast.
    pub fn are_forwarded(&self, numbers: [u64; 4]) -> u64 {
        let calls = self.calls(2, numbers, &[]);
        assert!(calls.iter().all(|[served, forwarded]| *served == 0 && *forwarded > 0), "{calls:?}");
        calls.iter().flatten().sum()
    }
}

/// Whether all went well, and hcube has made exchanges.
pub fn passes(launch: Launch, rounds: u64, ranks: usize) {
    let text = launch.run().success();
    let served = text.trim().strip_prefix(&format!("ok {rounds} served="));
    let served: u64 = served.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{text}"));
    if served == 0 && ranks > 1 {
        common::unproved("single-copy", "no exchange took this path");
    }
}
