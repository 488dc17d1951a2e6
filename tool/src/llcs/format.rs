//! What the symbols of a file are.

use clap::ValueEnum;
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    /// FASTA if the names of both files end in .fa, .fas, .fasta, .fna, .ffn, .faa or .frn, in any case, also
    /// with .gz behind it; else bytes
    Auto,
    /// Each byte
    Bytes,
    /// Each residue of the sequences of all records, one after the other; case and blanks do not count
    Fasta,
    /// Each line
    Lines,
}

/// A format that was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Bytes,
    Fasta,
    Lines,
}

/// Endings of the names of FASTA files.
const FASTA_ENDINGS: [&str; 7] = ["fa", "fas", "fasta", "fna", "ffn", "faa", "frn"];

/// Endings of the names of compressed files.
const GZIP_ENDINGS: [&str; 3] = ["gz", "bgz", "bgzf"];

fn is_fasta(file: &Path) -> bool {
    let ends_in = |file: &Path, endings: &[&str]| {
        let ending = file.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        ending.is_some_and(|ending| endings.contains(&ending.as_str()))
    };
    let stem = file.file_stem().map(Path::new).filter(|_| ends_in(file, &GZIP_ENDINGS));
    ends_in(stem.unwrap_or(file), &FASTA_ENDINGS)
}

impl Format {
    /// The format of both files.
    pub fn of(choice: Choice, files: [&Path; 2]) -> Result<Self, String> {
        match (choice, files.map(is_fasta)) {
            (Choice::Bytes, _) | (Choice::Auto, [false, false]) => Ok(Self::Bytes),
            (Choice::Fasta, _) | (Choice::Auto, [true, true]) => Ok(Self::Fasta),
            (Choice::Lines, _) => Ok(Self::Lines),
            (Choice::Auto, _) => Err(format!(
                "--format is missing: only one of {} and {} has the name of a FASTA file; expected 'fasta', 'bytes' or \
                 'lines'",
                files[0].display(),
                files[1].display()
            )),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Fasta => "fasta",
            Self::Lines => "lines",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_select_the_format() {
        let auto = |files: [&str; 2]| Format::of(Choice::Auto, files.map(Path::new));
        assert_eq!(auto(["a.fa", "x/b.FASTA"]), Ok(Format::Fasta));
        for ending in ["fa", "fas", "fasta", "fna", "ffn", "faa", "frn", "FAS", "Fna"] {
            let name = format!("x.{ending}");
            assert_eq!(auto([&name, "y.fa"]), Ok(Format::Fasta), "{name}");
        }
        assert_eq!(auto(["a.fa.gz", "x/b.FNA.GZ"]), Ok(Format::Fasta));
        assert_eq!(auto(["a.txt.gz", "gz"]), Ok(Format::Bytes));
        assert_eq!(auto(["a", "-"]), Ok(Format::Bytes));
        let error = auto(["a.fa", "b.txt"]).expect_err("different");
        assert!(error.contains("--format") && error.contains("b.txt"), "{error}");
        let files = [Path::new("a.fa"), Path::new("b.txt")];
        assert_eq!(Format::of(Choice::Lines, files), Ok(Format::Lines));
    }
}
