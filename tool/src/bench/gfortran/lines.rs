//! What the programs print: what begins, what has been measured, and what they leave out.

use hcube_results::usage::Usage;

/// A measured operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub operation: String,
    pub bytes: usize,
    pub seconds: f64,
    pub errors: u64,
    pub check: i64,
    /// What a call uses.
    pub usage: Usage,
}

/// The output of a run.
#[derive(Debug, Default, PartialEq)]
pub struct Output {
    pub lines: Vec<Line>,
    /// The operation that has begun and not ended.
    pub unfinished: Option<String>,
    /// Files of the first image that may be a library for coarrays.
    pub libraries: Vec<String>,
    /// Operations that make no sense here, and why.
    pub skipped: Vec<(String, String)>,
    /// Whether all operations have been measured or skipped.
    pub is_finished: bool,
}

fn line(words: &[&str]) -> Option<Line> {
    let [operation, bytes, seconds, errors, check, used @ ..] = words else { return None };
    let used: Vec<f64> = used.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    Some(Line {
        operation: (*operation).to_owned(),
        bytes: bytes.parse().ok()?,
        seconds: seconds.parse().ok().filter(|&seconds: &f64| seconds.is_finite() && seconds > 0.0)?,
        errors: errors.parse().ok()?,
        check: check.parse().ok()?,
        usage: Usage::of_counters(&used)?,
    })
}

/// Reads the output; other lines come from launchers and libraries.
pub fn read(text: &str) -> Output {
    let mut output = Output::default();
    for text in text.lines() {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            ["begin", operation, _] => output.unfinished = Some((*operation).to_owned()),
            ["end", rest @ ..] => {
                if let Some(line) = line(rest) {
                    output.lines.push(line);
                    output.unfinished = None;
                }
            }
            ["finished"] => output.is_finished = true,
            ["library", path @ ..] => output.libraries.push(path.join(" ")),
            ["skip", operation, reason @ ..] => {
                output.skipped.push(((*operation).to_owned(), reason.join(" ")));
            }
            _ => {}
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_end_or_are_named() {
        let text = "library /usr/lib/libcaf.so\nbegin get 8\nend get 8  2.5000000E-07 0 -12 3 1 2 4 5 2\nnoise of a library\nskip jacobi no reason\n\
                    begin put-vector 8000\nProgram received signal\nend of it\n";
        let output = read(text);
        let usage = Usage::of_counters(&[3.0, 1.0, 2.0, 4.0, 5.0, 2.0]).expect("counters");
        let line =
            Line { operation: "get".to_owned(), bytes: 8, seconds: 2.5e-7, errors: 0, check: -12, usage };
        assert_eq!((output.lines, output.unfinished.as_deref()), (vec![line], Some("put-vector")));
        assert_eq!(output.libraries, ["/usr/lib/libcaf.so"]);
        assert_eq!(output.skipped, [("jacobi".to_owned(), "no reason".to_owned())]);
        assert!(!output.is_finished && read("finished\n").is_finished);
    }

    #[test]
    fn half_a_line_is_no_result() {
        for text in [
            "begin get 8\nend get 8 2.5E-07 0",
            "begin get 8\nend get 8 2.5E-07 0 0 1 1 1 1 1",
            "begin get 8\nend get 8 NaN 0 0 1 1 1 1 1 1",
            "begin get 8\nend get 8 0.0 0 0 1 1 1 1 1 1",
        ] {
            let output = read(text);
            assert!(output.lines.is_empty() && output.unfinished.as_deref() == Some("get"), "{output:?}");
        }
    }
}
