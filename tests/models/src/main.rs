//! Explores the models of all protocols, and shows that each access of a protocol is needed.
//!
//! ```text
//! hcube-models [--long] [--mutations] [--list] [TEXT...]
//! ```
//!
//! Needs a build with `RUSTFLAGS=--cfg hcube_model`; `make models` does it. Prints a line for each model:
//! protocol, case, participants, executions and time. With `--mutations` every access that a model has
//! visited is then weakened or left out, and a model must fail; what may survive stands in `kept.txt`, with
//! the reason. The exit status is 1 where a model fails, or a mutation survives that is not listed.

#[cfg(hcube_model)]
mod kept;
#[cfg(hcube_model)]
mod mutants;
#[cfg(hcube_model)]
mod run;

#[cfg(hcube_model)]
fn main() -> std::process::ExitCode {
    run::main()
}

#[cfg(not(hcube_model))]
fn main() {
    eprintln!("hcube-models: this build has no models: make models");
    std::process::exit(2);
}
