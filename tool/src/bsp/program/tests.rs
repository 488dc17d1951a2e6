//! Cases, costs and differences to what was published.

use super::*;
use clap::Parser;

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    arguments: ProgramArguments,
}

fn arguments(line: &str) -> ProgramArguments {
    Line::try_parse_from(["x"].into_iter().chain(line.split(' '))).expect("valid").arguments
}

#[test]
fn parameters_fit_the_processes() {
    let blocks = |line: &str, processes| -> Vec<usize> {
        arguments(line).cases(processes).expect("valid").iter().map(|case| case.parameter).collect()
    };
    assert_eq!(blocks("matmul", 16), [4, 5, 6, 7, 8, 9]);
    assert_eq!(blocks("matmul", 1024), [32]);
    assert_eq!(blocks("matmul --sizes 3 --blocks 2,3", 2), [2, 3]);
    assert_eq!(blocks("llcs --alpha 2,5 --sizes 10,20", 2), [2, 5, 2, 5]);
    let error = arguments("matmul --sizes 3 --blocks 4").cases(2).expect_err("refused");
    assert!(error.contains("--blocks 4") && error.contains("3 rows"), "{error}");
    for (line, option) in [
        ("matmul --alpha 2", "--alpha"),
        ("matmul --kernel standard", "--kernel"),
        ("llcs --blocks 2", "--blocks"),
        ("llcs --distribution static", "--distribution"),
    ] {
        let error = arguments(line).cases(2).expect_err("refused");
        assert!(error.starts_with(option), "{error}");
    }
    let case = Case { processes: 2, size: 5130, parameter: 513 };
    let error = arguments("matmul").cost(&case, Costs::Schedule).expect_err("refused");
    assert!(error.contains("--blocks 513: expected at most 512 on 2 processes"), "{error}");
    assert!(arguments("matmul").cost(&case, Costs::Corrected).is_ok());
}

/// Mean of the differences to published efficiencies, in points.
fn difference(line: &str, machines: &[(&str, &[usize])], costs: Costs, model: Model) -> f64 {
    let arguments = arguments(line);
    let mut differences = Vec::new();
    for &(name, processes) in machines {
        let file = Machine::find(name).expect("it comes with hcube");
        for &processes in processes {
            for row in super::super::predict::rows(&arguments, &file, processes, costs).expect("figures") {
                let Some(published) = row.published_percent else { continue };
                let all = row.efficiency_percent.all();
                let place = Model::ALL.iter().position(|one| *one == model).expect("one of them");
                differences.push((all[place] - published).abs());
            }
        }
    }
    assert!(!differences.is_empty(), "nothing was published for {line}");
    differences.iter().sum::<f64>() / differences.len() as f64
}

const OXTOOL: [(&str, &[usize]); 3] =
    [("skua-oxtool", &[4, 8, 16, 32]), ("argus-oxtool", &[4, 10]), ("aracari-oxtool", &[4, 8, 16, 32])];

#[test]
fn published_efficiencies_are_met() {
    let standard = difference("llcs", &OXTOOL, Costs::Corrected, Model::Constant);
    assert!((1.0..1.5).contains(&standard), "{standard}");
    let printed = difference("llcs", &OXTOOL, Costs::Printed, Model::Constant);
    assert!(printed > 2.0 * standard, "{printed}");
    for (processes, corrected, printed) in [(4, 2.4, 8.3), (16, 2.8, 11.2)] {
        let of = |costs| {
            difference(
                "matmul --blocks 2,4,5,6,7,8,9",
                &[("aracari-oxtool", &[processes])],
                costs,
                Model::Constant,
            )
        };
        assert!((of(Costs::Corrected) - corrected).abs() < 0.1, "{processes}: {}", of(Costs::Corrected));
        assert!((of(Costs::Printed) - printed).abs() < 0.1, "{processes}: {}", of(Costs::Printed));
    }
}
