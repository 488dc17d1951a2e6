//! The command line of `hcube`.
//!
//! | subcommand | does | started |
//! |---|---|---|
//! | `doctor` | reports what works on this machine and what hcube will choose | with or without mpirun |
//! | `info` | lists variables with their values, and where libraries are installed | without mpirun |
//! | `bench` | measures a system of hcube against its competitors | under mpirun; without it to draw results |
//! | `probe` | measures this machine for the cost model | under mpirun |
//! | `model` | predicts RandomAccess, the all-to-all exchange and matrix multiplication on other machines | without mpirun |
//! | `bsp` | measures a BSP machine, predicts programs, and checks the predictions | with or without mpirun |
//! | `llcs` | computes the length of a longest common subsequence of two files | with or without mpirun |
//! | `profile` | shows the profile of a BSP program | without mpirun |
//!
//! `hcube-lab` has the commands for those who develop hcube.

use crate::output;
use crate::session::{self, report_failure};
use crate::{bench, bsp, doctor, info, llcs, model, probe, profile, version};
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::ExitCode;

/// hcube accelerates the global communication of MPI programs. This tool checks a machine, and measures and
/// predicts the performance of hcube.
#[derive(Debug, Parser)]
#[command(name = "hcube", version = version::text(), propagate_version = true)]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Doctor(doctor::Arguments),
    Info(info::Arguments),
    Bench(bench::Arguments),
    Probe(probe::Arguments),
    Model(model::Arguments),
    Bsp(bsp::Arguments),
    Llcs(llcs::Arguments),
    Profile(profile::Arguments),
}

impl CommandLine {
    /// Does what the command line says.
    pub fn run(&self) -> ExitCode {
        match &self.command {
            Command::Doctor(arguments) => {
                session::run_with_threads(|session| doctor::run(session, arguments))
            }
            Command::Info(arguments) => info::run(arguments),
            Command::Bench(arguments) => bench::run(arguments),
            Command::Probe(arguments) => session::run(|session| probe::run(session, arguments)),
            Command::Model(arguments) => model::run(arguments),
            Command::Bsp(arguments) => bsp::run(arguments),
            Command::Llcs(arguments) => session::run(|session| llcs::run(session, arguments)),
            Command::Profile(arguments) => profile::run(arguments),
        }
    }
}

/// Former subcommands that are now commands of hcube-lab, with the target of make that runs them.
const DEVELOPMENT_COMMANDS: [(&str, &str); 4] = [
    ("hpcc", "make run"),
    ("simulate", "make simulate"),
    ("report", "make report"),
    ("manual", "make manual"),
];

/// Runs hcube-lab if the first argument is one of its commands.
pub fn development_command(arguments: &[OsString]) -> Option<ExitCode> {
    let command = arguments.get(1)?;
    let &(name, target) = DEVELOPMENT_COMMANDS.iter().find(|(name, _)| command == name)?;
    let lab = std::env::current_exe().ok().map(|own| own.with_file_name("hcube-lab"));
    let failure = match lab.filter(|lab| lab.is_file()) {
        Some(lab) => {
            let error = std::process::Command::new(&lab).args(&arguments[1..]).exec();
            output::failure(&lab)(error)
        }
        None => format!(
            "'{name}' is a command of the source tree, not of the installed hcube: run '{target}' there"
        ),
    };
    Some(report_failure(&failure))
}

/// The options of a command, without its name.
#[cfg(test)]
pub fn parse<'a, A: clap::Args>(words: impl IntoIterator<Item = &'a str>) -> A {
    let command = A::augment_args(clap::Command::new("x").no_binary_name(true));
    let found = command.try_get_matches_from(words).expect("valid");
    A::from_arg_matches(&found).expect("valid")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn bad_values_are_named_with_their_option() {
        for (line, option) in [
            ("bench random-access --table-size 99", "--table-size"),
            ("bench random-access --look-ahead 0", "--look-ahead"),
            ("bench random-access --optimisations 1,4", "--optimisations"),
            ("bench random-access --mode fast", "--mode"),
            ("bench random-access --repeat 0", "--repeat"),
            ("bench alltoall --algorithms fast", "--algorithms"),
            ("bench alltoall --sizes 12", "--sizes"),
            ("bench alltoall --memory 2T", "--memory"),
            ("bench alltoall --path singlecopy", "--path"),
            ("bench alltoall --repeat 0", "--repeat"),
            ("bench alltoall --seed x", "--seed"),
            ("bench alltoall --over time", "--over"),
            ("bench gemm --grid 4", "--grid"),
            ("bench gemm --sizes 10x20", "--sizes"),
            ("bench gemm --k 0", "--k"),
            ("bench gemm --block 1:2", "--block"),
            ("bench gemm --op NX", "--op"),
            ("bench gemm --types x", "--types"),
            ("bench gemm --routines trsm", "--routines"),
            ("bench gemm --variants fast", "--variants"),
            ("bench gemm --panel 0", "--panel"),
            ("bench bsp --operations push", "--operations"),
            ("bench bsp --sizes 12", "--sizes"),
            ("bench bsp --messages 0", "--messages"),
            ("bench bsp --max-bytes 2G", "--max-bytes"),
            ("bench caf --operations push", "--operations"),
            ("bench caf --sizes 12", "--sizes"),
            ("bench caf --ranks-per-node 0", "--ranks-per-node"),
            ("bench gfortran --images 0", "--images"),
            ("bench gfortran --operations push", "--operations"),
            ("bench gfortran --sizes 12", "--sizes"),
            ("bench gfortran --limit 0", "--limit"),
            ("bench fft --lengths 2^41", "--lengths"),
            ("bench fft --algorithms radix", "--algorithms"),
            ("bench fft --ranks-per-node 0", "--ranks-per-node"),
            ("bench stream --kernels dot", "--kernels"),
            ("bench stream --sizes 12", "--sizes"),
            ("bench stream --variants fast", "--variants"),
            ("bench stream --running none", "--running"),
            ("bench panels --sizes 2G", "--sizes"),
            ("bench panels --work 1000001", "--work"),
            ("bench panels --panels 0", "--panels"),
            ("bench panels --variants mpi-scatter", "--variants"),
            ("bench llcs --lengths 1e6", "--lengths"),
            ("bench llcs --symbols 65537", "--symbols"),
            ("bench llcs --alpha 0", "--alpha"),
            ("bench llcs --common 101", "--common"),
            ("bench llcs --variants fast", "--variants"),
            ("bench llcs --max-standard 2^41", "--max-standard"),
            ("probe --table-size 99", "--table-size"),
            ("model --ranks 0", "--ranks"),
            ("model --ranks-per-node 0", "--ranks-per-node"),
            ("model --look-ahead 0", "--look-ahead"),
            ("model --mode fast", "--mode"),
            ("model --bytes 1x", "--bytes"),
            ("model --memory 2T", "--memory"),
            ("llcs a b --at-least -1", "--at-least"),
            ("llcs a b --kernel fast", "--kernel"),
            ("llcs a b --alpha x", "--alpha"),
            ("llcs a b --block-rows 16777217", "--block-rows"),
            ("llcs a b --format zip", "--format"),
            ("bsp probe --max-words 25", "--max-words"),
            ("bsp probe --repeat 0", "--repeat"),
            ("bsp predict llcs --processes 0", "--processes"),
            ("bsp predict matmul --sizes 1k", "--sizes"),
            ("bsp predict matmul --blocks 0", "--blocks"),
            ("bsp predict matmul --distribution blocks", "--distribution"),
            ("bsp predict llcs --costs mine", "--costs"),
            ("bsp predict llcs --operation-ns 0", "--operation-ns"),
            ("bsp run llcs --alpha 0", "--alpha"),
            ("bsp run llcs --kernel fast", "--kernel"),
            ("bsp run matmul --memory 1x", "--memory"),
            ("bsp run matmul --repeat 0", "--repeat"),
            ("model gemm --ranks 0", "--ranks"),
            ("model gemm --grid 4", "--grid"),
            ("model gemm --beta 1e-9 --alpha 0", "--alpha"),
            ("model gemm --block 0", "--block"),
            ("model gemm --broadcast fast", "--broadcast"),
        ] {
            let words: Vec<&str> = ["hcube"].into_iter().chain(line.split(' ')).collect();
            let message = CommandLine::try_parse_from(&words).expect_err("refused").to_string();
            let value = words.last().expect("a value");
            assert!(message.contains(option) && message.contains(value), "{message}");
            let said = ["expected ", "possible values", "unexpected argument", "a value is required"];
            assert!(said.iter().any(|words| message.contains(words)), "{message}");
        }
    }

    #[test]
    fn a_command_has_one_name() {
        for former in ["gups", "alltoall", "fftw", "bench fftw"] {
            let words = ["hcube"].into_iter().chain(former.split(' '));
            let error = CommandLine::try_parse_from(words).expect_err("no command");
            assert_eq!(error.kind(), clap::error::ErrorKind::InvalidSubcommand, "{former}");
        }
    }

    /// Every option that does not take each word says what it expects, in words of its own.
    #[test]
    fn bad_values_are_told_what_is_expected() {
        fn options(command: &clap::Command, words: &[String], found: &mut Vec<Vec<String>>) {
            let names = command.get_arguments().filter_map(clap::Arg::get_long);
            found.extend(names.map(|name| [words, &[format!("--{name}=?")]].concat()));
            for inner in command.get_subcommands() {
                options(inner, &[words, &[inner.get_name().to_owned()]].concat(), found);
            }
        }
        let mut lines = Vec::new();
        options(&CommandLine::command(), &["hcube".to_owned()], &mut lines);
        let mut refused = 0;
        for line in &lines {
            let Err(error) = CommandLine::try_parse_from(line) else { continue };
            if error.kind() == clap::error::ErrorKind::ValueValidation {
                let message = error.to_string();
                assert!(message.contains(": expected "), "{line:?}: {message}");
                refused += 1;
            }
        }
        assert!(refused > 50, "{refused} of {}", lines.len());
    }
}
