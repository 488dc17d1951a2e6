//! Cases of `hcube-lab hosts bench` that run programs of their own, and not one job of `hcube bench`: for
//! example a program with hcube and one without, in turn, each several times as a job of its own
//! ([`turns`]).

mod barriers;
mod compiled;
mod gfortran;
mod random_access;
mod transposes;
mod turns;

use super::cases::Measured;
use super::site::Site;

/// A case of programs.
pub struct Case {
    /// The name in `--cases` and in tables.
    pub name: &'static str,
    /// Lines; only a note where something is missing on this machine.
    ///
    /// # Errors
    /// If a program fails.
    pub measure: fn(&Site) -> Result<Measured, String>,
}

/// All of them.
pub const CASES: [Case; 3] = [
    Case { name: "random-access", measure: random_access::measure },
    Case { name: "transposes", measure: transposes::measure },
    Case { name: "gfortran", measure: gfortran::measure },
];
