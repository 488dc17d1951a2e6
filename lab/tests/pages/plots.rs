//! Tables and sentences of pages against the pictures beside them: both are of one run.

use hcube_testing as common;

use super::{copied, files, is_rounded, is_within, numbers, page, picture};
use hcube_lab::pages::markdown::{cells, row, table};
use hcube_lab::pages::picture::{sheet, value};
use hcube_lab::pages::write;
use hcube_lab::records::read;
use std::fs;

/// The names of all records of pictures.
fn names() -> Vec<String> {
    let results = common::root().join("doc/results");
    let records = files().into_iter().filter(|file| file.parent() == Some(&results));
    records.map(|file| file.file_stem().expect("a name").to_string_lossy().into_owned()).collect()
}

#[test]
fn every_picture_says_its_message_place_and_date() {
    let root = common::root();
    for name in names() {
        let sheet = sheet(&root, &name).expect("a record");
        assert_ne!(sheet.message(), sheet.subject, "{name}: no message");
        assert!(!sheet.machine.is_empty(), "{name}: no machine");
        assert!(sheet.panels.iter().all(|panel| !panel.is_empty()), "{name}: an empty panel");
        let drawn = read(&root.join(format!("doc/plots/{name}.svg"))).expect("a picture");
        assert!(drawn.contains("class=\"where\""), "{name}");
        // No legend in which all lines have the same word.
        assert!(!sheet.is_measured() || !drawn.contains("class=\"evidence\""), "{name}");
    }
}

#[test]
fn pictures_are_drawn_from_their_records() {
    let copy = copied("records");
    let (record, picture) = (copy.join("doc/results/stream.json"), copy.join("doc/plots/stream.svg"));
    let text = read(&record).expect("a record");
    fs::write(&record, text.replace("29.083167", "31.5")).expect("writable");
    write(&copy).expect("written");
    let drawn = read(&picture).expect("a picture");
    assert!(drawn.contains("measured: 31.5, copy, 1 rank") && !drawn.contains("29.083167"), "{drawn}");
    fs::remove_file(&record).expect("there");
    let error = write(&copy).expect_err("no record");
    assert_eq!(error, "doc/plots/stream.svg: no record doc/results/stream.json");
}

#[test]
fn programs_are_those_of_the_picture() {
    let (text, all) = (page("doc/alltoall.md"), picture("programs"));
    let rows = table(&text, &["program", "input", "2 ranks", "4 ranks"]).expect("a table");
    assert_eq!(all.len(), 2 * rows.len());
    for row in &rows {
        for (column, series) in [(2, "2 ranks"), (3, "4 ranks")] {
            let own = |name: &&str| row[0].starts_with(*name);
            let name = ["LAMMPS", "Quantum ESPRESSO", "mpi4py-fft"].into_iter().find(own).expect("a program");
            let speedup = value(&all, "", series, name).expect("a point");
            assert!(is_rounded(row[column], speedup), "{row:?}: {speedup}");
        }
    }
}

/// A cell has the speed-ups over ScaLAPACK as installed and with wider panels; each is in a chart of its own.
#[test]
fn speedups_of_products_are_those_of_the_picture() {
    let (text, all) = (page("doc/pdgemm.md"), picture("gemm"));
    let rows = table(&text, &["grid", "N = 512", "N = 1024"]).expect("a table");
    let mut compared = 0;
    for point in all.iter().filter(|point| point.chart.contains("over ScaLAPACK")) {
        let grid = point.series.trim_end_matches(" ranks").replace('×', " x ");
        let row = row(&rows, &[&grid]).unwrap_or_else(|_| panic!("doc/pdgemm.md: no grid {grid}"));
        let column = ["512", "1024", "2048", "4096"].iter().position(|size| *size == point.label);
        let cell = row[1 + column.expect("a size")];
        assert!(cell.split(", ").any(|speedup| is_rounded(speedup, point.value)), "{row:?}: {point:?}");
        compared += 1;
    }
    assert!(compared >= 32, "{compared}");
    // Means over all sizes, and shares of the bound at the larger ones.
    for row in rows {
        let series = format!("{} ranks", row[0].replace(" x ", "×"));
        for chart in ["hcube over ScaLAPACK: ", "hcube over ScaLAPACK with wider panels: "] {
            let own = all.iter().filter(|point| point.chart.starts_with(chart) && point.series == series);
            let values: Vec<f64> = own.map(|point| point.value).collect();
            if let [_, _, _, _] = &values[..] {
                let mean = values.iter().product::<f64>().powf(0.25);
                assert!(row[5].split(", ").any(|text| is_rounded(text, mean)), "{row:?}: {chart}{mean}");
            }
        }
        let of = |size: &str| {
            let mut shares = all.iter().filter(|point| point.chart.contains("rate of local products"));
            shares
                .find(|point| point.series == series && point.label == size)
                .map(|point| 100.0 * point.value)
        };
        for (text, size) in row[6].split(", ").zip(["2048", "4096"]) {
            let share = of(size);
            let fits = share.is_none_or(|share| is_rounded(text.trim_end_matches(" %"), share));
            assert!(fits, "{row:?}: {share:?}");
        }
    }
}

#[test]
fn transforms_are_those_of_the_picture() {
    let all = picture("fft");
    let speedup = |ranks: &str, length: &str| {
        let of = |series: &str| {
            value(&all, &format!("Fourier transform, {ranks} ranks"), series, length).expect("a point")
        };
        of("hcube, six steps") / of("FFTW, measure").max(of("FFTW, estimate"))
    };
    let text = page("doc/fft.md");
    let rows = table(&text, &["numbers", "2 ranks", "4 ranks"]).expect("a table");
    for length in ["2^20", "2^22"] {
        let figures = row(&rows, &[length]).expect("a row");
        for (column, ranks) in [(1, "2"), (2, "4")] {
            let speedup = speedup(ranks, length);
            assert!(is_rounded(figures[column], speedup), "{figures:?}: the picture has {speedup}");
        }
    }
}

/// Ranges of several runs have the figures of the picture, which is of one of them.
#[test]
fn shipped_functions_are_those_of_the_picture() {
    let (text, all) = (page("doc/coarrays.md"), picture("coarrays-spawn"));
    let rows = table(&text, &["images", "2", "4", "8"]).expect("a table");
    let of = |series: &str, images: &str| value(&all, "", series, images).expect("a point");
    for (column, images) in [(1, "2"), (2, "4"), (3, "8")] {
        let hcube = of("hcube", images);
        for (name, figure) in [
            ("shipped functions, exclusive-or on a random word, all images", hcube),
            ("... over `MPI_Accumulate`", hcube / of("MPI", images)),
            ("... over OpenSHMEM's atomic exclusive-or", hcube / of("OpenSHMEM", images)),
        ] {
            let cell = row(&rows, &[name]).expect("a row")[column].trim_end_matches(" M/s");
            assert!(is_within(cell, figure), "{name}, {images} images: {cell}, the picture has {figure}");
        }
    }
}

/// The operations that both the tables and the picture have, on 2 images.
#[test]
fn statements_of_fortran_are_those_of_the_picture() {
    let (text, all) = (page("doc/coarrays.md"), picture("gfortran"));
    for (name, label) in [
        ("get of a row of 1024 x 1024 doubles", "get-row"),
        ("put of a row", "put-row"),
        ("get of a face of 64 x 64 x 64 doubles", "get-face"),
        ("put of a face", "put-face"),
        ("get of an allocatable component, 4096 doubles", "get-component"),
        ("put of it", "put-component"),
        ("`sync all`", "sync-all"),
        ("`sync images` with both neighbours", "sync-images"),
        ("event to a neighbour and back", "event-round-trip"),
        ("`co_sum` of 1 double", "co_sum 8 B"),
        ("`co_sum` of 1000", "co_sum 7.8 KiB"),
        ("`co_sum` of 131072", "co_sum 1 MiB"),
        ("`co_broadcast` of 64 KiB", "co_broadcast"),
        ("lock and unlock, all images the same one", "lock"),
        ("`atomic_add`, all images to the same variable", "atomic-add"),
        ("`allocate` and `deallocate`", "allocate"),
    ] {
        let figures: Vec<&str> = text.lines().map(cells).filter(|row| row[0] == name).flatten().collect();
        let speedup = value(&all, "Operations, over OpenCoarrays", "2 images", label).expect("a point");
        let fits = figures.iter().any(|figure| is_rounded(figure, speedup));
        assert!(fits, "{name}: {figures:?}, the picture has {speedup}");
    }
    let programs = table(&text, &["program", "2 images"]).expect("a table");
    let figures: Vec<f64> = programs.iter().flat_map(|row| numbers(&row[1..].join(" "))).collect();
    for point in all.iter().filter(|point| point.chart == "Programs with coarrays against MPI") {
        let is_named = point.label != "halo-put-elements";
        let fits = figures.iter().any(|number| (number - point.value).abs() <= 0.005);
        assert!(fits || !is_named, "{figures:?}: the picture has {point:?}");
    }
}
