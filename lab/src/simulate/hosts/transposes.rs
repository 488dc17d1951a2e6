//! Transpositions of square matrices, which FFTW's plans with hcube's solver consist of.
//!
//! Only hcube's: FFTW's planner measures which of its own plans the competitor is.

use super::run::{Hosts, Run, of_hcube};

/// The driver.
const DRIVER: &str = "transposes";
/// Rows and columns, as `hcube-lab hosts bench` measures them.
const ROWS: [u64; 3] = [128, 512, 1024];
/// Transpositions before the timed ones, and these.
const TRANSPOSITIONS: &str = "before=20,repeat=5";

/// All transpositions.
pub fn runs(hosts: &Hosts<'_>) -> Vec<Run> {
    let run = |rows: u64, is_in_place: bool| {
        let place = if is_in_place { "in place" } else { "out of place" };
        let subject = format!("{rows}x{rows} {place}");
        let text = format!("rows={rows},in-place={},{TRANSPOSITIONS}", u8::from(is_in_place));
        // Both matrices, and copies of messages.
        let bytes_per_rank = 3 * 8 * rows * rows / hosts.ranks as u64;
        Run { driver: DRIVER, bytes_per_rank, ..of_hcube(subject, text) }
    };
    [true, false].into_iter().flat_map(|is_in_place| ROWS.map(|rows| run(rows, is_in_place))).collect()
}
