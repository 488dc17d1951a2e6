//! Supersteps of BSP programs on simulated machines.

use super::section::Section;
use super::shared::machine_title;
use super::simulated::{lines, rows, table};
use super::sources::{Inputs, SIMULATE};
use crate::simulate::bsp::{LAYOUT, Superstep};
use hcube_results::measured::distinct;
use hcube_results::plot::{Axis, Chart, Format, Scale};

/// hcube's, and by functions of MPI.
fn name_of(by: &str) -> &str {
    if by == "hcube" { "hcube" } else { "MPI library" }
}

/// Times over the number of processes, without data and with the most puts.
pub fn supersteps(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "bsp-machines",
        "Supersteps on large machines",
        "Time of a superstep by the number of processes, on models of machines: without data, and with 8-byte puts of \
         each process to random processes. The MPI library is SimGrid's: MPI_Barrier without data, otherwise \
         MPI_Alltoall of the numbers of bytes and a message to each process for which there is data. Shared memory \
         inside a node takes no time in simulations except for copies and for pauses of waiting processes.",
    );
    let all = rows(inputs, |all| &all.bsp);
    section.chart(chart(inputs, &all, 0, "bsp-empty-simulated"));
    if let Some(most) = all.iter().map(|row| row.puts).max().filter(|&puts| puts > 0) {
        section.chart(chart(inputs, &all, most, "bsp-puts-simulated"));
    }
    section.table(table(inputs, "Supersteps by the number of processes", &LAYOUT, &all, 0));
    section.lacks(all.is_empty(), "supersteps on large machines, simulated", SIMULATE);
    section
}

fn chart(inputs: &Inputs, all: &[&Superstep], puts: usize, file: &'static str) -> Chart {
    let shown: Vec<&Superstep> = all.iter().copied().filter(|row| row.puts == puts).collect();
    let setting = |row: &Superstep| (row.site.machine.clone(), row.by.clone());
    let series = lines(
        &shown,
        &distinct(shown.iter().map(|row| setting(row))),
        setting,
        |(machine, by)| format!("{}, {}", name_of(by), machine_title(inputs, machine)),
        |row| (row.site.ranks as f64, 1e6 * row.seconds),
    );
    let title = match puts {
        0 => "Superstep without data".to_owned(),
        puts => format!("Superstep with {puts} puts of each process"),
    };
    Chart::new(
        title,
        Axis::new("processes", Scale::Log2, Format::Plain),
        Axis::new("µs, lower is better", Scale::Log10, Format::Plain),
        series,
    )
    .named(Some(file))
}
