//! What doc/hosts.md says of benchmarks on several hosts, from `doc/results/hosts.json`.

use super::measured::results;
use hcube_results::hosts::{Line, Results, figure};
use hcube_results::measured::distinct;
use hcube_results::numbers::time;
use hcube_results::plot::Sheet;
use std::path::Path;

/// A table for each number of hosts and ranks: speed-ups with all MPI libraries.
pub fn speed_ups(root: &Path) -> Result<String, String> {
    let results: Results = results(root, "hosts")?;
    let shapes = distinct(results.lines.iter().map(|line| line.place.shape()));
    let libraries = distinct(results.lines.iter().map(|line| line.place.library()));
    let tables = shapes.iter().map(|shape| {
        let own: Vec<&Line> = results.lines.iter().filter(|line| line.place.shape() == *shape).collect();
        format!("**{shape} ranks**\n\n{}", of_shape(&own, &libraries))
    });
    Ok(tables.collect::<Vec<_>>().join("\n"))
}

/// A row for each case and size, a column for each library.
fn of_shape(lines: &[&Line], libraries: &[&str]) -> String {
    let mut text = format!("| case | size | {} |\n|---|---|", libraries.join(" | "));
    text += &"---|".repeat(libraries.len());
    for (case, subject) in distinct(lines.iter().map(|line| (&line.case, &line.subject))) {
        let of = |library: &&str| {
            let is = |line: &&&Line| {
                (&line.case, &line.subject, line.place.library()) == (case, subject, *library)
            };
            lines.iter().find(is).map_or(String::new(), |line| line.shown())
        };
        let cells: Vec<String> = libraries.iter().map(of).collect();
        text += &format!("\n| `{case}` | {subject} | {} |", cells.join(" | "));
    }
    text + "\n"
}

/// The lines in which hcube is slower by more than the times vary, the slowest first, with what both do.
pub fn slower(root: &Path) -> Result<String, String> {
    let results: Results = results(root, "hosts")?;
    let mut text = String::from(
        "| speed-up | case | size | MPI library, hosts x ranks | time | packets | KiB | switches | kernel, us |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let is_slower = |line: &&Line| line.speed_up() < 1.0 && !line.is_hidden();
    for line in results.slowest_first().into_iter().filter(is_slower) {
        let times = [&line.hcube, &line.competitor].map(|one| time(one.median_us * 1e-6));
        let cells = [
            line.shown(),
            format!("`{}`", line.case),
            line.subject.clone(),
            format!("{}, {}", line.place.library(), line.place.shape()),
            times.join(" : "),
            line.both(|used| used.sent_packets),
            line.both(|used| used.sent_bytes.map(|bytes| bytes / 1024.0)),
            line.both(|used| Some(used.switches)),
            line.both(|used| Some(used.kernel_us)),
        ];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    Ok(text)
}

/// In how many lines hcube is faster, slower and neither.
pub fn counts(root: &Path) -> Result<String, String> {
    let results: Results = results(root, "hosts")?;
    let [slower, faster] = results.counts();
    let all = results.lines.len();
    Ok(format!("{faster} of {all}, slower in {slower}"))
}

/// The picture.
pub fn picture(root: &Path) -> Result<Sheet, String> {
    let results: Results = results(root, "hosts")?;
    figure::sheet(&results).ok_or_else(|| "no line in doc/results/hosts.json".to_owned())
}

/// The speed-up of a case, as the pages show it.
pub fn speed_up(
    root: &Path,
    shape: &str,
    library: &str,
    case: &str,
    subject: &str,
) -> Result<String, String> {
    let results: Results = results(root, "hosts")?;
    let is = |line: &&Line| {
        (line.place.shape().as_str(), line.place.library()) == (shape, library)
            && (line.case.as_str(), line.subject.as_str()) == (case, subject)
    };
    let found = results.lines.iter().find(is).map(Line::shown);
    found.ok_or_else(|| format!("doc/results/hosts.json: no {case} of {subject} on {shape}, {library}"))
}
