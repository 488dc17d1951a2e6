//! What `hcube doctor` prints: what needs attention, what works, what hcube uses here, and the verdict in the
//! last line. The tables follow only on request.

use super::finding::{Finding, Results, State};
use super::tested;
use super::wrap::wrapped;
use hcube_alltoall::select::ALGORITHMS;
use hcube_gemm::describe::PATHS;
use hcube_random_access::state::ROUTES;

/// The last line: whether programs can use hcube here, and how many findings need attention.
fn verdict(findings: &[Finding]) -> String {
    let count = |state| findings.iter().filter(|finding| finding.state == state).count();
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    match (count(State::Wrong), count(State::Slow)) {
        (0, 0) => "hcube doctor: ready\n".to_owned(),
        (0, slow) => {
            let verb = if slow == 1 { "needs" } else { "need" };
            format!("hcube doctor: ready; {slow} finding{} {verb} attention\n", plural(slow))
        }
        (wrong, slow) => {
            let verb = if wrong == 1 { "does" } else { "do" };
            let more = if slow == 0 { String::new() } else { format!("; {slow} reduced in performance") };
            format!("hcube doctor: not ready: {wrong} finding{} {verb} not work{more}\n", plural(wrong))
        }
    }
}

/// Findings of some states below a heading; an empty text without such findings.
fn section(heading: &str, findings: &[Finding], states: &[State], width: usize) -> String {
    let mut text = String::new();
    for state in states {
        for finding in findings.iter().filter(|finding| finding.state == *state) {
            let beginning = format!("  {:>4}  {:width$}  ", state.mark(), finding.topic);
            text += &wrapped(&beginning, &finding.text);
            if let Some(advice) = &finding.advice {
                text += &wrapped(&format!("        {:width$}  -> ", ""), advice);
            }
        }
    }
    if text.is_empty() { text } else { format!("\n{heading}\n{text}") }
}

/// Rows of a name, and of cells with a heading each.
fn table(heading: &str, columns: [&str; 3], rows: &[[&str; 4]]) -> String {
    let mut text = format!("\n{}", wrapped("", heading));
    let width = columns.iter().map(|column| column.len()).max().unwrap_or(0);
    for [name, cells @ ..] in rows {
        text += &format!("  {name}\n");
        for (column, cell) in columns.iter().zip(cells) {
            text += &wrapped(&format!("    {column:width$}  "), cell);
        }
    }
    text
}

fn tables() -> String {
    let columns = ["needs", "cost", "used"];
    [
        table(
            "RandomAccess: routes of values, for P ranks on M nodes of k (HCUBE_MODE selects another); cost per rank and \
             round:",
            columns,
            &ROUTES,
        ),
        table(
            "All-to-all exchanges, for P ranks (HCUBE_ALLTOALL and HCUBE_PATH select another); cost per rank:",
            columns,
            &ALGORITHMS,
        ),
        table(
            "Matrix products, m x n with inner size k on R x C ranks, panels of w (HCUBE_GEMM selects another); cost per \
             rank:",
            columns,
            &PATHS,
        ),
        format!(
            "\n{}{}",
            wrapped("", "All-to-all exchanges of unmodified programs that the tests of hcube have checked:"),
            tested::text()
        ),
    ]
    .concat()
}

/// Everything.
pub fn text(results: &Results, verbose: bool) -> String {
    let findings = &results.findings;
    let width = findings.iter().map(|finding| finding.topic.len()).max().unwrap_or(0);
    let mut text = format!("hcube {} doctor\n", results.hcube);
    let attention = section("Needs attention:", findings, &[State::Wrong, State::Slow], width);
    text += &attention;
    if !attention.is_empty() {
        text += &wrapped(
            "  ",
            "The page doc/troubleshooting.md (installed in share/doc/hcube) has a section for each of these names.",
        );
    }
    text += &section("Works:", findings, &[State::Good], width);
    text += &section("For information:", findings, &[State::Fact], width);
    let choices = [
        ("RandomAccess", &results.choice),
        ("all-to-all", &results.alltoall_choice),
        ("matrix products", &results.gemm_choice),
        ("BSP programs", &results.bsp_choice),
        ("coarrays", &results.caf_choice),
    ];
    let width = choices.iter().map(|(system, _)| system.len()).max().unwrap_or(0);
    text += "\nhcube uses here:\n";
    for (system, choice) in choices {
        let lines = choice.iter().flat_map(|choice| choice.lines());
        for (number, line) in lines.enumerate() {
            text += &wrapped(&format!("  {:width$}  ", if number == 0 { system } else { "" }), line);
        }
    }
    text += &if verbose {
        tables()
    } else {
        "\n--verbose prints the tables of routes, algorithms and paths.\n".to_owned()
    };
    text + "\n" + &verdict(findings)
}

#[cfg(test)]
mod tests {
    use super::super::finding::Topic;
    use super::super::wrap::COLUMNS;
    use super::*;

    fn results(findings: Vec<Finding>) -> Results {
        let some = |text: &str| Some(text.to_owned());
        Results {
            hcube: "1.2.3",
            findings,
            choice: some("1 rank"),
            alltoall_choice: some("alone"),
            gemm_choice: some("local"),
            bsp_choice: some("one\nPredictions of BSP programs: none"),
            caf_choice: some("two"),
        }
    }

    #[test]
    fn findings_that_need_attention_come_first_and_the_verdict_last() {
        let findings = vec![
            Finding::new(Topic::Mpi, State::Fact, "some"),
            Finding::new(Topic::Cores, State::Good, "2"),
            Finding::new(Topic::HugePages, State::Slow, "no").advise("allow them"),
        ];
        let expected = "\
hcube 1.2.3 doctor

Needs attention:
  slow  huge pages  no
                    -> allow them
  The page doc/troubleshooting.md (installed in share/doc/hcube) has a section for each of these
  names.

Works:
    ok  cores       2

For information:
    --  MPI         some

hcube uses here:
  RandomAccess     1 rank
  all-to-all       alone
  matrix products  local
  BSP programs     one
                   Predictions of BSP programs: none
  coarrays         two

--verbose prints the tables of routes, algorithms and paths.

hcube doctor: ready; 1 finding needs attention
";
        assert_eq!(text(&results(findings), false), expected);
    }

    #[test]
    fn the_verdict_counts_findings() {
        let of = |states: &[State]| {
            let findings = states.iter().map(|&state| Finding::new(Topic::Mpi, state, "x"));
            verdict(&findings.collect::<Vec<_>>())
        };
        use State::{Fact, Good, Slow, Wrong};
        assert_eq!(of(&[Good, Fact]), "hcube doctor: ready\n");
        assert_eq!(of(&[Slow, Good, Slow]), "hcube doctor: ready; 2 findings need attention\n");
        assert_eq!(of(&[Wrong, Good]), "hcube doctor: not ready: 1 finding does not work\n");
        assert_eq!(
            of(&[Wrong, Slow, Wrong]),
            "hcube doctor: not ready: 2 findings do not work; 1 reduced in performance\n"
        );
    }

    #[test]
    fn tables_are_printed_on_request_and_fit() {
        let long = "a sentence that is much too long for one line of a terminal ".repeat(4);
        let findings = vec![Finding::new(Topic::SharedMemory, State::Wrong, &*long).advise(&*long)];
        let (short, all) = (text(&results(findings.clone()), false), text(&results(findings), true));
        for [name, needs, ..] in ROUTES.iter().chain(&ALGORITHMS).chain(&PATHS) {
            let row = wrapped(&format!("    {:5}  ", "needs"), needs);
            assert!(all.contains(&format!("\n  {name}\n{row}")), "{name}: {all}");
            assert!(!short.contains(&row), "{name}: {short}");
        }
        for line in all.lines() {
            assert!(line.chars().count() <= COLUMNS, "{line}");
        }
    }
}
