//! `hcube-lab lines`: lines of C and Fortran programs by what they do, beside Table III of Jin et al. 2011.

pub mod c;
pub mod count;
pub mod fortran;
pub mod table;

use clap::builder::NonEmptyStringValueParser;
use count::Lines;
use hcube_core::error::reason;
use hcube_tool::session;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Counts lines of coarray programs: computation, communication, declarations, comments
///
/// A line is communication if its statement calls a function of hcube_caf or MPI, except MPI_Wtime; a
/// declaration if it declares something or begins or ends a part of the program; a comment if there is
/// nothing else on it; else computation.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Programs in C (.c) and Fortran (.f90) [default: examples/c/caf_*.c and examples/fortran/caf_*.f90]
    #[arg(value_name = "FILES", value_parser = NonEmptyStringValueParser::new())]
    files: Vec<String>,
}

/// Counts and prints the table.
pub fn run(arguments: &Arguments) -> ExitCode {
    session::without_mpi(|| {
        let files = if arguments.files.is_empty() {
            examples(Path::new("examples"))?
        } else {
            arguments.files.clone()
        };
        let rows = files.iter().map(|file| Ok((file.clone(), count_file(Path::new(file))?)));
        print!("{}", table::table(&rows.collect::<Result<Vec<_>, String>>()?));
        Ok(())
    })
}

/// The coarray programs in a folder of examples.
pub fn examples(folder: &Path) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for (language, end) in [("c", ".c"), ("fortran", ".f90")] {
        let folder = folder.join(language);
        let entries = fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))?;
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let programs = names.filter(|name| name.starts_with("caf_") && name.ends_with(end));
        found.extend(programs.map(|name| folder.join(name).to_string_lossy().into_owned()));
    }
    Ok(found)
}

/// The lines of a program in the language that the end of its name says.
pub fn count_file(file: &Path) -> Result<Lines, String> {
    let count = match file.extension().and_then(|end| end.to_str()) {
        Some("c") => c::count,
        Some("f90") => fortran::count,
        _ => return Err(format!("FILES {}: expected names that end in .c or .f90", file.display())),
    };
    fs::read_to_string(file).map(|text| count(&text)).map_err(|error| unreadable(file, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> String {
    format!("FILES {}: {}", path.display(), reason(error))
}
