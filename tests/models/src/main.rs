//! Explores the models of all protocols, and shows that each access of a protocol is needed.
//!
//! ```text
//! hcube-models [--long] [--mutations] [--record] [--list] [TEXT...]
//! ```
//!
//! Needs a build with `RUSTFLAGS=--cfg hcube_model`; `make models` does it. Prints a line for each model:
//! protocol, case, participants, executions and time. With `--mutations` every access that a model has
//! visited is then weakened or left out, and a model must fail; what may survive stands in `kept.txt`, with
//! the reason. `--record` writes all of this to `record.json`, from which the page about protocols is made;
//! every other run compares the number of executions with it. A run of all models shows as well that each
//! source with atomics is visited by one of them, or stands in `unvisited.txt` with the reason. The exit
//! status is 1 where a model fails, a mutation survives or a source is not visited that is not listed, or the
//! record is of another source.

#[cfg(hcube_model)]
mod examples;
#[cfg(hcube_model)]
mod kept;
#[cfg(hcube_model)]
mod mutants;
#[cfg(hcube_model)]
mod record;
#[cfg(hcube_model)]
mod run;
#[cfg(hcube_model)]
mod sources;

#[cfg(hcube_model)]
fn main() -> std::process::ExitCode {
    run::main()
}

#[cfg(not(hcube_model))]
fn main() {
    eprintln!("hcube-models: this build has no models: make models");
    std::process::exit(2);
}
