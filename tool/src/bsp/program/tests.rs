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
