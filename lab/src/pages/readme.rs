//! The table of README.md: for each system one workload that gains and one that does not, with the figures of
//! the system's page.

use super::markdown::{cell, row, table};
use super::picture::{points, value};
use super::{hosts, measured};
use crate::records::read;
use std::path::Path;

/// A row: the workload, what it is compared with, its speed-up, and what does not gain.
type Row = [String; 4];

const HEADINGS: [&str; 4] = ["workload", "compared with", "speed-up", "**no gain or slower**"];

/// Finds the figures of a row below a directory.
type Figures = fn(&Path) -> Result<Row, String>;

/// The rows, by system.
const ROWS: [Figures; 11] =
    [hpcc, in_place, programs, fftw, gemm, bsp, coarrays, gfortran, subsequences, on_hosts, between_nodes];

/// The table.
pub fn what_to_expect(root: &Path) -> Result<String, String> {
    let mut lines = vec![line(&HEADINGS), "|---|---|---|---|".to_owned()];
    for row in ROWS {
        lines.push(line(&row(root)?));
    }
    Ok(lines.join("\n") + "\n")
}

fn line<S: AsRef<str>>(cells: &[S; 4]) -> String {
    format!("| {} |", cells.each_ref().map(AsRef::as_ref).join(" | "))
}

/// A cell of a table of a page.
fn figure(
    root: &Path,
    page: &str,
    headings: &[&str],
    first: &[&str],
    column: usize,
) -> Result<String, String> {
    let text = read(&root.join("doc").join(page))?;
    let found = table(&text, headings).and_then(|table| Ok(cell(row(&table, first)?, column)?.to_owned()));
    found.map_err(|error| format!("doc/{page}: {error}"))
}

/// The speed-up behind a time in a cell of doc/bsp.md.
fn behind_time(cell: &str) -> Result<&str, String> {
    let (_, speed_up) =
        cell.split_once(", ").ok_or_else(|| format!("'{cell}': expected a time and a speed-up"))?;
    Ok(speed_up)
}

/// The first of the speed-ups in a cell of doc/pdgemm.md, which is over ScaLAPACK with wide panels.
fn over_wide_panels(cell: &str) -> &str {
    cell.split(", ").next().unwrap_or(cell)
}

fn hpcc(root: &Path) -> Result<Row, String> {
    let (name, speed_up) = measured::largest_official_gain(root)?;
    Ok([
        format!("[HPCC](doc/hpcc.md), {name}"),
        "HPCC as shipped".to_owned(),
        format!("{speed_up:.1}"),
        measured::official_without_gain(root)?,
    ])
}

fn in_place(root: &Path) -> Result<Row, String> {
    let headings = ["ranks", "counts", "in place over library in place"];
    Ok([
        "[`MPI_Alltoallv` in place](doc/alltoall.md), 64 KiB to 32 MiB per rank".to_owned(),
        "Open MPI's function".to_owned(),
        figure(root, "alltoall.md", &headings, &["2", "random"], 2)?,
        "blocks of up to 256 bytes out of place: slightly slower".to_owned(),
    ])
}

fn programs(root: &Path) -> Result<Row, String> {
    let page = "alltoall.md";
    let of = |program| figure(root, page, &["program", "input", "2 ranks"], &[program], 2);
    Ok([
        "[LAMMPS](doc/alltoall.md), PPPM with collective exchanges".to_owned(),
        "the same program without hcube".to_owned(),
        of("LAMMPS (Debian's 20220106)")?,
        format!("Quantum ESPRESSO: {}", of("Quantum ESPRESSO 6.7, `pw.x`")?),
    ])
}

fn fftw(root: &Path) -> Result<Row, String> {
    Ok([
        "[FFTW](doc/fftw.md), 4096 x 4096 doubles transposed in place".to_owned(),
        "FFTW's own plan".to_owned(),
        format!("{:.1}", measured::transposition_gain(root, "4096x4096 in place")?),
        "shapes that hcube leaves to FFTW".to_owned(),
    ])
}

fn gemm(root: &Path) -> Result<Row, String> {
    let page = "pdgemm.md";
    let mean = figure(root, page, &["grid", "N = 512"], &["1 x 2"], 5)?;
    let small = figure(root, page, &["problem", "1 x 2"], &["N = 64"], 1)?;
    Ok([
        "[`PDGEMM`](doc/pdgemm.md), N = 512 to 4096".to_owned(),
        "ScaLAPACK with wide panels".to_owned(),
        over_wide_panels(&mean).to_owned(),
        format!("N = 64: {}", over_wide_panels(&small)),
    ])
}

fn bsp(root: &Path) -> Result<Row, String> {
    let put = |size| figure(root, "bsp.md", &["bytes x messages", "put"], &[size], 1);
    Ok([
        "[BSPlib](doc/bsp.md), 4096 puts of 8 bytes in a superstep".to_owned(),
        "`MPI_Put`".to_owned(),
        behind_time(&put("8 x 4096")?)?.to_owned(),
        format!("buffered puts of 64 KiB: {}", behind_time(&put("64 KiB x 16")?)?),
    ])
}

fn coarrays(root: &Path) -> Result<Row, String> {
    let page = "coarrays.md";
    Ok([
        "[Coarrays](doc/coarrays.md#performance), put of 8 bytes".to_owned(),
        "`MPI_Put`".to_owned(),
        figure(root, page, &["operation", "time"], &["put of 8 bytes"], 2)?,
        format!(
            "broadcast of 8 bytes: {}",
            figure(root, page, &["images", "2", "4"], &["broadcast of 8 bytes, over `MPI_Bcast`"], 1)?
        ),
    ])
}

fn gfortran(root: &Path) -> Result<Row, String> {
    let of = |operation| figure(root, "coarrays.md", &["operation", "hcube, us"], &[operation], 2);
    Ok([
        "[Fortran coarrays](doc/coarrays.md#fortran-programs-with-coarrays), get of 8 bytes".to_owned(),
        "OpenCoarrays".to_owned(),
        of("get of 8 bytes")?,
        format!("`co_sum` of one double: {}", of("`co_sum` of 1 double")?),
    ])
}

fn subsequences(root: &Path) -> Result<Row, String> {
    let rates = points(root, "llcs")?;
    let rate = |series| value(&rates, "LLCS, 1 process, 4 symbols", series, "10^5");
    Ok([
        "[Common subsequences](doc/llcs.md), 10^5 of 4 symbols, one core".to_owned(),
        "the crate `rapidfuzz`".to_owned(),
        format!("{:.1}", rate("hcube")? / rate("rapidfuzz")?),
        "strings of 100 symbols: hardly faster".to_owned(),
    ])
}

fn on_hosts(root: &Path) -> Result<Row, String> {
    let of = |mpi, case, subject| hosts::speed_up(root, "4 x 4", mpi, case, subject);
    Ok([
        "[several hosts on one machine](doc/hosts.md): `MPI_Alltoall` of 8 bytes, 4 x 4 ranks".to_owned(),
        "Open MPI's function".to_owned(),
        format!(
            "in place {}, out of place {}",
            of("Open MPI 4", "alltoall-in-place", "8 B")?,
            of("Open MPI 4", "alltoall", "8 B")?
        ),
        format!(
            "coarrays, broadcast of 8 bytes, MPICH 4: {}",
            of("MPICH 4", "caf", "broadcast 8 B, 16 ranks")?
        ),
    ])
}

fn between_nodes(root: &Path) -> Result<Row, String> {
    let row = &["8 or 16 ranks per node"];
    let of = |column| figure(root, "simulation.md", &["block", "8 bytes", "32 bytes"], row, column);
    Ok([
        "[simulated](doc/simulation.md#all-to-all-exchange): `MPI_Alltoall` of 8 bytes on several nodes"
            .to_owned(),
        "the faster of MPICH's and Open MPI's algorithms".to_owned(),
        of(1)?,
        format!("512 bytes: {}", of(5)?),
    ])
}
