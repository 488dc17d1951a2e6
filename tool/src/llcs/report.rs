//! What `hcube llcs` prints.

use hcube_lcs::plan::Plan;
use hcube_lcs::{Kernel, Outcome, similarity};
use hcube_results::numbers;
use serde::Serialize;

/// A file, as all ranks together have read it.
#[derive(Debug, Clone, Serialize)]
pub struct File {
    pub path: String,
    pub symbols: u64,
    /// Of FASTA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
}

/// What is known before the computation.
#[derive(Debug, Clone, Serialize)]
pub struct Heading {
    pub version: &'static str,
    pub mpi: String,
    pub ranks: usize,
    pub format: &'static str,
    pub files: [File; 2],
    /// Different symbols that both files have.
    pub common_symbols: u64,
    /// Of the matrix.
    pub columns: usize,
    pub rows: usize,
    pub kernel: &'static str,
    pub instructions: &'static str,
    pub block_columns: usize,
    pub block_rows: usize,
    pub predicted_seconds: f64,
}

impl Heading {
    pub fn new(
        mpi: String,
        format: &'static str,
        files: [File; 2],
        common_symbols: u64,
        plan: &Plan,
    ) -> Self {
        let name = Kernel::ALL.iter().find(|(kernel, _)| *kernel == plan.kernel).map_or("", |(_, name)| name);
        Self {
            version: env!("CARGO_PKG_VERSION"),
            mpi,
            ranks: plan.grid.ranks,
            format,
            files,
            common_symbols,
            columns: plan.problem.columns,
            rows: plan.problem.rows,
            kernel: name,
            instructions: plan.level.name(),
            block_columns: plan.grid.block_columns(),
            block_rows: plan.grid.block_rows,
            predicted_seconds: plan.seconds,
        }
    }

    pub fn text(&self) -> String {
        let Self { columns, rows, block_columns, block_rows, .. } = self;
        let mut text = format!("hcube {} llcs: {} rank(s), {}\n", self.version, self.ranks, self.mpi);
        for File { path, symbols, records } in &self.files {
            let records = records.map_or(String::new(), |records| format!(" in {records} record(s)"));
            text += &format!("{path}: {symbols} {}{records}\n", self.unit());
        }
        text += &format!(
            "{} common symbols, matrix of {columns} x {rows} in {block_columns} x {block_rows} block(s), kernel {} ({}), \
             predicted: {}\n",
            self.common_symbols,
            self.kernel,
            self.instructions,
            numbers::time(self.predicted_seconds)
        );
        text
    }

    /// The rate at which a share of the matrix was computed.
    pub fn rate(&self, share: f64, seconds: f64) -> String {
        let cells = share * self.columns as f64 * self.rows as f64;
        format!("{} GCUPS", numbers::significant(1e-9 * cells / seconds))
    }

    /// Files without symbols, which have nothing in common with others.
    pub fn empty_files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|file| file.symbols == 0).map(|file| file.path.as_str())
    }

    fn unit(&self) -> &'static str {
        match self.format {
            "fasta" => "residues",
            other => other,
        }
    }
}

/// The result.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    #[serde(flatten)]
    pub heading: Heading,
    pub at_least: usize,
    /// Absent where it is below `at_least` or was not computed.
    pub length: Option<usize>,
    pub similarity: Option<f64>,
    pub interrupted: bool,
    pub seconds: f64,
}

impl Report {
    pub fn new(heading: Heading, at_least: usize, outcome: Outcome, seconds: f64) -> Self {
        let length = match outcome {
            Outcome::Length(length) => Some(length),
            Outcome::Below | Outcome::Interrupted => None,
        };
        let [a, b] = [0, 1].map(|file| heading.files[file].symbols as usize);
        Self {
            at_least,
            length,
            similarity: length.map(|length| similarity(length, a, b)),
            interrupted: outcome == Outcome::Interrupted,
            seconds,
            heading,
        }
    }

    pub fn text(&self) -> String {
        let seconds = numbers::time(self.seconds);
        let (Some(length), Some(similarity)) = (self.length, self.similarity) else {
            let end = if self.interrupted {
                "interrupted".to_owned()
            } else {
                format!("length of a longest common subsequence: below {}", self.at_least)
            };
            return format!("{end}\n{seconds}\n");
        };
        format!(
            "length of a longest common subsequence: {length}\nnormalised similarity: {similarity:.6}\n{seconds}, {}\n",
            self.heading.rate(1.0, self.seconds)
        )
    }
}
