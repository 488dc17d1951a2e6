//! What `hcube model gemm` prints.

use super::multiplication::{Line, Results};
use super::paper::{Figures, Predicted};
use hcube_results::numbers::{significant, time};
use hcube_results::table::{SPEED_UP, Table};
use std::fmt::Write;

/// What stands below every prediction.
const LIMITS: &str = "\
Not modelled: contention in the network, its topology, overlap with computation, overlap of successive panels.
";

/// The prediction of a multiplication.
pub fn multiplication(results: &Results) -> String {
    let Results { m, n, k, rows, columns, block, outer_block, .. } = results;
    let mut text = format!(
        "hcube {} model gemm: {}; all figures are predicted\n",
        env!("CARGO_PKG_VERSION"),
        results.title
    );
    for source in &results.sources {
        let _ = writeln!(text, "  {source}");
    }
    let (alpha, beta) = (time(results.alpha_seconds), results.beta_seconds_per_element);
    let blocks = if block == outer_block {
        format!("b = B = {block}")
    } else {
        format!("b = {block}, B = {outer_block}")
    };
    let _ = writeln!(
        text,
        "\nC ({m} x {n}) = A ({m} x {k}) * B ({k} x {n}) on {rows} x {columns} ranks\n\
         {blocks}; alpha = {alpha} per message, beta = {:.3} ns per element",
        1e9 * beta
    );
    if let Some(condition) = &results.condition {
        let (holds, gains) = if condition.holds { (">", "is faster") } else { ("<=", "is not faster") };
        let _ = writeln!(
            text,
            "alpha/beta = {:.0} {holds} 2nb/p = {:.0}: scatter-allgather {gains} with groups",
            condition.alpha_over_beta, condition.threshold
        );
    }
    text.push('\n');
    text += &lines(&results.lines).render();
    text += "\ncommunication of a multiplication; 1 group is SUMMA; speed-up over SUMMA with the same broadcast.\n\
             counted: from the messages of the schedules, the panels one after the other; messages/rank: sent, mean\n";
    let best = &results.best;
    let system = if best.groups == 1 { "SUMMA".to_owned() } else { format!("{} groups", best.groups) };
    let _ = writeln!(
        text,
        "\nbest by formula: {system} with {}, {}; SUMMA with its best broadcast: {}",
        best.broadcast,
        time(best.seconds),
        time(best.summa_seconds)
    );
    if let Some(seconds) = results.computation_seconds {
        let _ = writeln!(text, "computation: {}", time(seconds));
    }
    if let Some(port) = &results.port {
        let bytes = |bytes: f64| format!("{} GB", significant(1e-9 * bytes));
        let _ = writeln!(
            text,
            "into the busiest node ({} ranks): {} with binomial trees over ranks, {} with a group for each node, {} if \
             the ranks of a node were a tile of the grid",
            results.ranks_per_node,
            bytes(port.flat_bytes),
            bytes(port.node_groups_bytes),
            bytes(port.tiles_bytes)
        );
    }
    text.push('\n');
    text + LIMITS
        + "The error is not known: HSUMMA has gained more in measurements than the model predicts (--paper).\n"
}

fn lines(lines: &[Line]) -> Table {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    Table::of(lines.iter().map(|line| {
        vec![
            ("broadcast", line.broadcast.to_owned()),
            ("groups", line.groups.to_string()),
            ("rows x columns", format!("{} x {}", line.group_rows, line.group_columns)),
            ("by formula", time(line.seconds)),
            (SPEED_UP, format!("{:.2}", line.gain)),
            ("counted", or_none(line.counted_seconds.map(time))),
            (SPEED_UP, or_none(line.counted_gain.map(|gain| format!("{gain:.2}")))),
            ("messages/rank", or_none(line.messages.map(significant))),
        ]
    }))
}

/// The figures of Quintin et al. 2013.
pub fn paper(figures: &Figures) -> String {
    let mut text = format!(
        "hcube {} model gemm: figures of Quintin, Hasanov and Lastovetsky 2013 by their model\n\n",
        env!("CARGO_PKG_VERSION")
    );
    text += &settings(&figures.settings).render();
    text += "\nseconds of communication; SUMMA, and HSUMMA with the best number of groups: with scatter-allgather;\n\
             a binomial tree takes the same time with any number of groups\n\n\
             scatter-allgather by number of groups, in seconds\n\n";
    text += &by_groups(&figures.settings).render();
    let _ = write!(
        text,
        "\nFigure 10: {} of computation at 10^18 operations per second.\n\n\
         What the model does not explain: on BlueGene/P, Quintin et al. measured gains of 2.08 with 2048 ranks and\n\
         5.89 with 16384; the model predicts no gain and {:.2}. They give the reciprocal bandwidths of Graphene\n\
         and BlueGene/P, 1E-9, without a unit: they are per element of 8 bytes here, as in their own check\n\
         alpha/beta = 3000 > 2048 on BlueGene/P; the column 'per byte' has the other reading. The bandwidth of\n\
         the exascale machine is in GB/s, and an element takes 8 bytes. All times are derived from the\n\
         formulas; their figures 5 to 9 are plots of measurements, of which only the two gains are given here.\n{LIMITS}",
        time(figures.exascale_computation_seconds),
        figures.settings.iter().find(|one| one.measured_gain == Some(5.89)).map_or(1.0, |one| one.gain)
    );
    text
}

fn settings(lines: &[Predicted]) -> Table {
    Table::of(lines.iter().map(|line| {
        let summa = line.scatter_allgather_seconds[0];
        vec![
            ("figure", line.figure.to_owned()),
            ("machine", line.machine.to_owned()),
            ("n", line.n.to_string()),
            ("ranks", line.ranks.to_string()),
            ("b = B", line.block.to_string()),
            ("alpha/beta", format!("{:.0}", line.alpha_over_beta)),
            ("2nb/p", format!("{:.0}", line.threshold)),
            ("binomial", significant(line.binomial_seconds)),
            ("SUMMA", significant(summa)),
            ("HSUMMA", significant(summa / line.gain)),
            ("groups", line.best_groups.to_string()),
            (SPEED_UP, format!("{:.2}", line.gain)),
            ("per byte", line.gain_per_byte.map_or_else(|| "-".to_owned(), |gain| format!("{gain:.2}"))),
            (
                "speed-up measured",
                line.measured_gain.map_or_else(|| "-".to_owned(), |gain| format!("{gain:.2}")),
            ),
        ]
    }))
}

/// A column for each setting that Quintin et al. 2013 draw over the number of groups.
fn by_groups(lines: &[Predicted]) -> Table {
    let over_groups = ["5", "6, 7", "8, 9", "10"];
    let drawn: Vec<&Predicted> = lines.iter().filter(|line| over_groups.contains(&line.figure)).collect();
    let headings = drawn.iter().map(|line| format!("{} ({} ranks)", line.machine, line.ranks));
    let blocks = drawn.iter().map(|line| format!(", b = {}", line.block));
    let headings = headings.zip(blocks).map(|(machine, block)| machine + &block);
    let mut table = Table::new(["groups".to_owned()].into_iter().chain(headings));
    let longest = drawn.iter().map(|line| line.scatter_allgather_seconds.len()).max().unwrap_or(0);
    for exponent in 0..longest {
        let seconds = drawn.iter().map(|line| {
            let seconds = line.scatter_allgather_seconds.get(exponent);
            seconds.map_or_else(|| "-".to_owned(), |&seconds| significant(seconds))
        });
        table.row([(1_usize << exponent).to_string()].into_iter().chain(seconds));
    }
    table
}
