//! The table of `hcube-lab lines`, in Markdown.

use super::count::Lines;
use hcube_results::published::COARRAY_LINES;
use std::path::Path;

/// The kernel of HPCC that a program has in its name.
const KERNELS: [(&str, &str); 4] =
    [("caf_stream", "STREAM"), ("caf_random_access", "RandomAccess"), ("caf_fft", "FFT"), ("caf_hpl", "HPL")];

/// A row for each program: in the order of the names, programs of one name next to each other.
pub fn table(programs: &[(String, Lines)]) -> String {
    let mut sorted: Vec<_> = programs.iter().map(|(file, lines)| (Path::new(file), *lines)).collect();
    sorted.sort_by_key(|(file, _)| (file.file_stem(), file.extension()));
    let mut text =
        "| program | language | computation | communication | declarations | total | comments, empty | \
                    paper |\n|---|---|---|---|---|---|---|---|\n"
            .to_owned();
    for (file, lines) in sorted {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let language = if file.extension().is_some_and(|end| end == "c") { "C" } else { "Fortran" };
        let Lines { computation, communication, declarations, comments } = lines;
        text += &format!(
            "| `{name}` | {language} | {computation} | {communication} | {declarations} | {} | {comments} | {} |\n",
            lines.code(),
            paper(&name)
        );
    }
    text
}

/// The numbers of the paper for the kernel of a program.
fn paper(name: &str) -> String {
    let kernel = KERNELS.iter().find(|(begin, _)| name.starts_with(begin));
    let published = kernel.and_then(|(_, kernel)| COARRAY_LINES.iter().find(|lines| lines.kernel == *kernel));
    published.map_or_else(
        || "–".to_owned(),
        |lines| {
            format!(
                "{}: {} + {} + {} = {}",
                lines.kernel,
                lines.computation,
                lines.communication,
                lines.declarations,
                lines.total()
            )
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_have_the_papers_numbers() {
        let lines = Lines { computation: 1, communication: 2, declarations: 3, comments: 4 };
        let programs = ["f/caf_hpl.f90", "c/caf_teams.c", "c/caf_hpl.c"].map(|file| (file.to_owned(), lines));
        let text = table(&programs);
        let rows: Vec<_> = text.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| `caf_hpl` | C | 1 | 2 | 3 | 6 | 4 | HPL: 532 + 50 + 109 = 691 |",
                "| `caf_hpl` | Fortran | 1 | 2 | 3 | 6 | 4 | HPL: 532 + 50 + 109 = 691 |",
                "| `caf_teams` | C | 1 | 2 | 3 | 6 | 4 | – |",
            ]
        );
    }
}
