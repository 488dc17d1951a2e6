//! Matrix products on several hosts.

use super::Placement;
use crate::common::Launch;
use crate::common::hosts::{Hosts, new_hosts};
use crate::common::scalapack::{self, WithHcube};
use std::collections::BTreeSet;

/// Random products on hosts with different numbers of ranks, by all broadcasts.
#[test]
fn matrix_products() {
    type Variables = &'static [(&'static str, &'static str)];
    let Some(hosts) = new_hosts(4) else { return };
    let runs: [(Placement, Variables, &str); 5] = [
        (&[3, 1], &[("HCUBE_GEMM", "summa"), ("HCUBE_GEMM_BROADCAST", "binomial")], "summa"),
        (&[2, 1, 1], &[("HCUBE_GEMM", "summa"), ("HCUBE_GEMM_BROADCAST", "ring")], "summa"),
        (&[1, 3, 2], &[("HCUBE_GEMM", "summa"), ("HCUBE_GEMM_BROADCAST", "scatter-allgather")], "summa"),
        (&[2, 1, 1, 2], &[("HCUBE_GEMM_GROUPS", "1x2"), ("HCUBE_GEMM_BLOCK", "3:7")], "hsumma"),
        (&[1, 1, 1, 1], &[("HCUBE_GEMM_GROUPS", "1x2"), ("HCUBE_GEMM_LEVELS", "3")], "hsumma"),
    ];
    for (placement, variables, path) in runs {
        let text = Launch::client("gemm", placement.iter().sum())
            .on(&hosts, placement)
            .limit(180)
            .envs(variables)
            .run()
            .success();
        let last = text.lines().find_map(|line| line.strip_prefix("ok ")).expect("a last line");
        assert!(last.ends_with(&format!(" {path}")), "{placement:?}, {variables:?}: {text}");
    }
}

/// A product of which every process row and column has the same share.
#[derive(Debug)]
struct Shares {
    placement: Placement,
    grid: (usize, usize),
    size: [usize; 3],
}

const SHARES: [Shares; 3] = [
    Shares { placement: &[3, 1], grid: (2, 2), size: [384, 384, 480] },
    Shares { placement: &[1, 3, 2], grid: (2, 3), size: [384, 576, 480] },
    Shares { placement: &[2, 1, 1, 2], grid: (3, 2), size: [384, 256, 640] },
];

impl Shares {
    /// Bytes between hosts: each column of a panel enters each further host of its line once, for every
    /// broadcast.
    fn bytes(&self) -> usize {
        let host: Vec<usize> =
            (0..).zip(self.placement).flat_map(|(host, &ranks)| vec![host; ranks]).collect();
        let ((rows, columns), [m, n, k]) = (self.grid, self.size);
        let further = |line: &mut dyn Iterator<Item = usize>| {
            line.map(|rank| host[rank]).collect::<BTreeSet<_>>().len() - 1
        };
        let on_rows: usize = (0..rows).map(|row| further(&mut (row * columns..(row + 1) * columns))).sum();
        let on_columns: usize =
            (0..columns).map(|column| further(&mut (column..rows * columns).step_by(columns))).sum();
        8 * k * (m / rows * on_rows + n / columns * on_columns)
    }

    fn launch(&self, launch: Launch, hosts: &Hosts, broadcast: &str) -> Launch {
        let ((rows, columns), [m, n, k]) = (self.grid, self.size);
        let launch = launch.args([rows, columns, m, n, k, 32].map(|number| number.to_string()));
        launch.env("HCUBE_GEMM", "summa").env("HCUBE_GEMM_BROADCAST", broadcast).on(hosts, self.placement)
    }

    /// What the interfaces have counted is what panels have, and some headers.
    fn check(&self, text: &str) {
        let line = text.lines().find_map(|line| line.strip_prefix("ok received=")).expect("a last line");
        let received: usize = line.split(' ').next().expect("a word").parse().expect("a number");
        let expected = self.bytes();
        assert!(
            (expected..expected + expected / 5 + 100_000).contains(&received),
            "{self:?}: {received} bytes instead of {expected}"
        );
    }
}

/// The bytes that are sent between hosts are as in the schedules.
#[test]
fn bytes_of_matrix_products() {
    let Some(hosts) = new_hosts(4) else { return };
    for shares in SHARES {
        for broadcast in ["binomial", "ring", "scatter-allgather"] {
            let ranks = shares.placement.iter().sum();
            let launch = shares.launch(Launch::client("gemm_hosts", ranks), &hosts, broadcast);
            let text = launch.run().success();
            assert!(text.trim_end().ends_with(" summa"), "{text}");
            shares.check(&text);
        }
    }
}

/// The same for a program that calls PDGEMM, whose statistics say how many bytes panels have.
#[test]
fn preloaded_matrix_products() {
    let Some(hosts) = new_hosts(4) else { return };
    let Some(program) = scalapack::client("gemm_hosts", "-pblas", &["-DPBLAS"]) else { return };
    for (number, shares) in SHARES.iter().enumerate() {
        let ranks = shares.placement.iter().sum();
        let run = WithHcube::preloaded(&format!("hosts-{number}"), &program, ranks);
        let (text, statistics) = run.with(|launch| shares.launch(launch, &hosts, "ring")).success();
        shares.check(&text);
        // Two products.
        assert_eq!(statistics.bytes(), 2 * shares.bytes() as u64, "{shares:?}: {statistics:?}");
        assert_eq!(statistics.by_path("summa"), 2 * ranks as u64, "{statistics:?}");
    }
    // Random products, which ScaLAPACK computes as well.
    let Some(program) = scalapack::client("pblas", "", &[]) else { return };
    let run = WithHcube::preloaded("hosts-random", program, 6);
    let arguments = ["77", "40", "2x3r", "3x2c", "2x3p", "2x2r+1x2c"];
    let (_, statistics) =
        run.with(|launch| launch.args(arguments).on(&hosts, &[3, 1, 2]).limit(180)).success();
    assert!(statistics.bytes() > 0 && statistics.all_left() == 0, "{statistics:?}");
}
