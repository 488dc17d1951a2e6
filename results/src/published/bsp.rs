//! Figures of Krusche 2005, appendices D to G: efficiencies of bulk-synchronous programs, and errors of their
//! predictions.
//!
//! They are as printed. Some efficiencies do not fit their neighbours: PUB on skua in Table F.1 (109.06 for 4
//! processes and alpha = 1, 96.33 for 32 and alpha = 4), Oxtool on aracari in Table G.3 (47.85 for 32
//! processes and alpha = 5).

use std::sync::LazyLock;

/// The thesis, in headings.
pub const KRUSCHE: &str = "Krusche 2005";

/// The tables, a line for each number of processes and parameter.
const TABLES: &str = include_str!("krusche.txt");

/// The libraries, in the order of columns.
pub const LIBRARIES: [&str; 3] = ["oxtool", "pub", "mpi"];

/// The machines, in the order of tables.
pub const MACHINES: [&str; 3] = ["skua", "argus", "aracari"];

/// What was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// Matrix product, blocks stored as they are used (D).
    MatmulCustomized,
    /// Matrix product, blocks of a square grid of processes (E).
    MatmulStatic,
    /// Longest common subsequence, one entry at a time (F).
    LlcsStandard,
    /// Longest common subsequence, an entry in each bit of a word (G).
    LlcsBitParallel,
}

impl Program {
    /// All, in the order of appendices.
    pub const ALL: [Self; 4] =
        [Self::MatmulCustomized, Self::MatmulStatic, Self::LlcsStandard, Self::LlcsBitParallel];

    /// In tables and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::MatmulCustomized => "matmul-customized",
            Self::MatmulStatic => "matmul-static",
            Self::LlcsStandard => "llcs-standard",
            Self::LlcsBitParallel => "llcs-bit-parallel",
        }
    }

    /// Rows of the matrices or symbols of the strings to which the published efficiencies refer: the largest
    /// that were computed for all parameters, since the thesis lists the largest efficiency.
    ///
    /// - D and E: matrices of 100 to 2000 rows (§4.3). With the smallest q for a number of processes they
    ///   had up to 10000, and the tables do not say whether their efficiencies are among these:
    ///   [`Row::may_be_larger`].
    /// - F: strings of 8192 to 65536 symbols (§5.3).
    /// - G: the text of §5.4 has no lengths. With 2^19 symbols the predictions meet the tables of argus and
    ///   aracari, with half or twice as many they do not; a test of the tool compares them.
    pub fn size(self) -> usize {
        match self {
            Self::MatmulCustomized | Self::MatmulStatic => 2000,
            Self::LlcsStandard => 1 << 16,
            Self::LlcsBitParallel => 1 << 19,
        }
    }

    /// The second model whose errors the tables have.
    pub fn model(self) -> &'static str {
        match self {
            Self::MatmulCustomized | Self::MatmulStatic => "g(h,h*)",
            Self::LlcsStandard | Self::LlcsBitParallel => "g(h)",
        }
    }

    fn of_appendix(letter: &str) -> Option<Self> {
        ["D", "E", "F", "G"].iter().position(|known| *known == letter).map(|at| Self::ALL[at])
    }
}

/// Runs of a program with one library on a number of processes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    pub program: Program,
    /// One of [`MACHINES`].
    pub machine: &'static str,
    /// One of [`LIBRARIES`]; `mpi` is MPI-2 on skua and MPI-1 on the others.
    pub library: &'static str,
    pub processes: usize,
    /// Blocks of the cube (q) of matrix products, the size of the grid (alpha) of subsequences.
    pub parameter: usize,
    /// The largest efficiency. The rates to which it refers are in Tables 4.2 and 5.3, as printed.
    pub efficiency_percent: Option<f64>,
    /// The mean relative error of predictions with a constant gap.
    pub error_constant_percent: Option<f64>,
    /// The same with g(h, h*) for matrix products, and with g(h) for subsequences.
    pub error_model_percent: Option<f64>,
}

impl Row {
    /// The name of the file of this machine and library, as [`crate::machine::Machine::find`] takes it.
    pub fn machine_file(&self) -> String {
        format!("{}-{}", self.machine, self.library)
    }

    /// Whether its efficiency may be of matrices with more rows than [`Program::size`]: the smallest q of
    /// `all` for this number of processes.
    pub fn may_be_larger(&self, all: &[Self]) -> bool {
        let same = |row: &&Self| {
            (row.program, row.machine, row.processes) == (self.program, self.machine, self.processes)
        };
        let is_matrix = matches!(self.program, Program::MatmulCustomized | Program::MatmulStatic);
        is_matrix && all.iter().filter(same).all(|row| row.parameter >= self.parameter)
    }
}

/// All rows, in the order of tables, lines and columns.
///
/// # Panics
/// Never: a test reads the embedded tables.
pub fn rows() -> Vec<Row> {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
        let lines = TABLES.lines().filter(|line| !line.starts_with('#'));
        lines.flat_map(|line| parse(line).unwrap_or_else(|| panic!("krusche.txt: {line}"))).collect()
    });
    ROWS.clone()
}

/// The rows of a line, one for each library.
fn parse(line: &str) -> Option<[Row; 3]> {
    let cells: Vec<&str> = line.split_whitespace().collect();
    let (&[table, processes, parameter], figures) = cells.split_first_chunk::<3>()?;
    let (appendix, number) = table.split_once('.')?;
    let program = Program::of_appendix(appendix)?;
    let machine = MACHINES.get(number.parse::<usize>().ok()?.checked_sub(1)?)?;
    let (processes, parameter) = (processes.parse().ok()?, parameter.parse().ok()?);
    let figure = |cell: &str| if cell == "-" { Some(None) } else { cell.parse().ok().map(Some) };
    let figures: Vec<Option<f64>> = figures.iter().map(|cell| figure(cell)).collect::<Option<_>>()?;
    let figures: &[Option<f64>; 9] = figures.as_slice().try_into().ok()?;
    Some([0, 1, 2].map(|at| Row {
        program,
        machine,
        library: LIBRARIES[at],
        processes,
        parameter,
        efficiency_percent: figures[3 * at],
        error_constant_percent: figures[3 * at + 1],
        error_model_percent: figures[3 * at + 2],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;

    /// Lines of each table, counted in print.
    #[test]
    fn tables_are_complete() {
        let rows = rows();
        for (program, expected) in
            Program::ALL.into_iter().zip([[24, 13, 24], [24, 13, 24], [20, 10, 20], [20, 10, 20]])
        {
            for (machine, lines) in MACHINES.into_iter().zip(expected) {
                for library in LIBRARIES {
                    let same =
                        |row: &&Row| (row.program, row.machine, row.library) == (program, machine, library);
                    assert_eq!(rows.iter().filter(same).count(), lines, "{program:?} {machine} {library}");
                }
            }
        }
        assert_eq!(rows.len(), 666);
        let absent: Vec<_> = rows
            .iter()
            .filter(|row| row.efficiency_percent.is_none())
            .map(|row| (row.program.name(), row.machine_file(), row.processes, row.parameter))
            .collect();
        let expected = [
            ("matmul-customized", "argus-mpi", 4, 8),
            ("matmul-static", "argus-pub", 4, 8),
            ("matmul-static", "argus-mpi", 4, 8),
            ("llcs-standard", "skua-pub", 4, 4),
            ("llcs-standard", "argus-mpi", 4, 3),
            ("llcs-standard", "argus-mpi", 10, 3),
            ("llcs-bit-parallel", "argus-mpi", 10, 3),
        ];
        let expected: Vec<_> = expected
            .map(|(program, file, processes, parameter)| (program, file.to_owned(), processes, parameter))
            .into();
        assert_eq!(absent, expected);
    }

    #[test]
    fn figures_are_those_of_the_print() {
        let rows = rows();
        for (program, file, [processes, parameter], figures) in [
            (Program::MatmulCustomized, "skua-oxtool", [4, 8], [78.91, 17.4, 17.2]),
            (Program::MatmulCustomized, "argus-pub", [10, 729], [1.75, 25.0, 28.2]),
            (Program::MatmulCustomized, "aracari-mpi", [32, 343], [34.88, 18.0, 15.9]),
            (Program::MatmulStatic, "skua-mpi", [16, 64], [78.54, 18.7, 37.1]),
            (Program::MatmulStatic, "argus-oxtool", [4, 8], [36.10, 86.4, 89.2]),
            (Program::MatmulStatic, "aracari-pub", [32, 729], [3.53, 89.4, 85.2]),
            (Program::LlcsStandard, "skua-pub", [4, 1], [109.06, 29.0, 29.1]),
            (Program::LlcsStandard, "skua-pub", [32, 4], [96.33, 20.5, 16.4]),
            (Program::LlcsStandard, "argus-mpi", [10, 5], [43.31, 1.4, 5.4]),
            (Program::LlcsBitParallel, "skua-oxtool", [32, 5], [11.41, 86.5, 86.5]),
            (Program::LlcsBitParallel, "aracari-oxtool", [32, 5], [47.85, 3.9, 4.8]),
        ] {
            let same = |row: &&Row| {
                (row.program, row.processes, row.parameter) == (program, processes, parameter)
                    && row.machine_file() == file
            };
            let row = rows.iter().find(same).expect("in the tables");
            let found = [row.efficiency_percent, row.error_constant_percent, row.error_model_percent];
            assert_eq!(found, figures.map(Some), "{program:?} {file} {processes} {parameter}");
        }
    }

    #[test]
    fn machines_come_with_hcube() {
        let known = |row: &Row| Machine::names().any(|name| name == row.machine_file());
        assert!(rows().iter().all(known));
    }

    #[test]
    fn other_lines_are_no_rows() {
        let line = "D.1 4 8 1.0 2.0 3.0 - - - 4.0 5.0 6.0";
        assert!(parse(line).is_some_and(|rows| rows[1].efficiency_percent.is_none()));
        for (old, new) in [("D.1", "H.1"), ("D.1", "D.0"), ("D.1", "D.4"), ("2.0", "two"), (" 6.0", "")] {
            assert_eq!(parse(&line.replace(old, new)), None, "{new}");
        }
    }
}
