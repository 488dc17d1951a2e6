//! The checks with ranks as threads of this process.

use hcube_core::comm::threads;
use std::sync::mpsc;
use std::time::Duration;

/// Far more than it takes: a rank that waits for ever must end the test.
const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn checks_pass_on_threads() {
    for size in [1, 2, 3, 5, 6, 7, 8, 9] {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let reports = threads::run(size, 2, hcube_core_client::run);
            drop(sender.send(reports));
        });
        let reports = receiver.recv_timeout(LIMIT).unwrap_or_else(|error| panic!("{size} ranks: {error}"));
        for (rank, report) in reports.iter().enumerate() {
            assert_eq!(report.failures, Vec::<String>::new(), "rank {rank} of {size}");
            assert!(report.checks > 250, "{} checks", report.checks);
        }
    }
}
