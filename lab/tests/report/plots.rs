//! The pictures of the report as files of their own.

use super::{folder, options_without, report};
use hcube_testing as common;
use std::fs;

#[test]
fn plots_as_files_of_their_own() {
    let folder = folder("plots");
    let mut options = options_without(&[]);
    options.extend(["--plots", "plots"].map(str::to_owned));
    let output = report(&folder, &options.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(output.status.success(), "{output:?}");
    for (name, words) in [
        ("random-access-measured", "HPCC with hcube"),
        ("random-access-simulated", "hypercube (Table 2)"),
        ("efficiency", "parallel efficiency"),
        ("look-ahead", "look-ahead Q"),
        ("alltoall-measured", "over the MPI library"),
        ("alltoall-schedules", "MPICH order"),
        ("alltoall-simulated", "8 MiB per rank, no additional memory."),
        ("alltoall-memory", "peak per rank"),
        ("programs", "4 ranks"),
        ("gemm", "hcube over ScaLAPACK"),
        ("gemm-others", "pdgetrf 1000"),
        ("bsp-latency", "all-to-all, 4"),
        ("bsp-send", "bsponmpi, up to 16 messages"),
        ("coarrays-times", "fetch-add, 4"),
        ("coarrays-spawn", "OpenSHMEM"),
        ("coarrays-get", "OpenSHMEM"),
        ("bsp-puts-simulated", "Superstep with 64 puts"),
        ("coarrays-updates-simulated", "shipped functions"),
        ("coarrays-teams-simulated", "team_split into rows"),
        ("fftw", "FFTW with hcube's solver: speed-up of"),
        ("fft-simulated", "binary exchange"),
        ("hpl-simulated", "modified-long"),
        ("lcs-simulated", "64 ranks, JuRoPA, cost model"),
        ("bsp-programs-simulated", "aracari, 16 processes, Krusche 2005"),
    ] {
        let drawn = fs::read_to_string(folder.join(format!("plots/{name}.svg"))).expect(name);
        assert!(drawn.starts_with("<svg xmlns=") && drawn.ends_with("</svg>\n"), "{name}: {drawn}");
        assert!(
            drawn.contains(words) && drawn.contains("class=\"ground\" fill=\"#ffffff\""),
            "{name}: {drawn}"
        );
        // What all lines stand on, or each of them in the legend.
        let evidence =
            ["measured, ", "simulated, ", "measured</text>", "simulated</text>", "class=\"evidence\""];
        assert!(evidence.iter().any(|words| drawn.contains(words)), "{name}: {drawn}");
        // Simulated exchanges are those of no MPI library, and rates of HPL stand beside none to which they
        // are fitted.
        assert!(name != "alltoall-simulated" || !drawn.contains("MPI library"), "{drawn}");
        assert!(name != "hpl-simulated" || !drawn.contains("Coarray Fortran 2.0"), "{drawn}");
    }
}

#[test]
fn records_of_plots_are_written_again() {
    let folder = folder("records");
    let records = folder.join("records");
    fs::create_dir_all(&records).expect("writable");
    let kept = common::root().join("doc/results/programs.json");
    fs::copy(kept, records.join("programs.json")).expect("a copy");
    fs::write(records.join("gemm.json"), "{\"runs\": []}").expect("writable");
    let mut options = options_without(&[]);
    options.extend(["--records", "records", "--machine", "2 cores", "--date", "May 2026"].map(str::to_owned));
    let output = report(&folder, &options.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(output.status.success(), "{output:?}");
    let written = fs::read_to_string(records.join("programs.json")).expect("a record");
    for words in
        ["\"subject\": \"Programs\"", "\"machine\": \"2 cores\"", "\"date\": \"May 2026\"", "4 ranks"]
    {
        assert!(written.contains(words), "{words} expected: {written}");
    }
    // Results of another kind stay, and no further file comes.
    assert_eq!(fs::read_to_string(records.join("gemm.json")).expect("a file"), "{\"runs\": []}");
    assert_eq!(fs::read_dir(&records).expect("a folder").count(), 2);
}
