//! Every picture shows its colours in a renderer that is no browser: those of `doc/plots` and those drawn
//! now.

use hcube_testing as common;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Colours of a picture and their share of its area, from the most frequent.
fn colours(picture: &Path, folder: &Path) -> Vec<([u8; 3], f64)> {
    let name = picture.file_stem().expect("a name");
    let rendered = folder.join(name).with_extension("png");
    common::output(Command::new("rsvg-convert").arg(picture).arg("-o").arg(&rendered));
    let mut decoder = png::Decoder::new(BufReader::new(File::open(&rendered).expect("a picture")));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().expect("PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a picture fits into memory")];
    let info = reader.next_frame(&mut pixels).expect("PNG");
    let samples = info.color_type.samples();
    assert!(samples >= 3, "{}: {:?}", picture.display(), info.color_type);
    let mut counts: HashMap<[u8; 3], usize> = HashMap::new();
    let mut pixels = pixels[..info.buffer_size()].chunks_exact(samples).peekable();
    while let Some(pixel) = pixels.next() {
        // Neighbours mostly have the same colour; one lookup per pixel takes seconds without optimisation.
        let mut run = 1;
        while pixels.next_if_eq(&pixel).is_some() {
            run += 1;
        }
        // The last row or column may be half transparent.
        if samples == 3 || pixel[3] == 255 {
            *counts.entry([pixel[0], pixel[1], pixel[2]]).or_default() += run;
        }
    }
    let all = (info.width * info.height) as usize;
    let opaque: usize = counts.values().sum();
    assert!(opaque * 100 > all * 99, "{}: no ground", picture.display());
    let mut colours: Vec<_> =
        counts.into_iter().map(|(colour, count)| (colour, count as f64 / all as f64)).collect();
    colours.sort_by(|a, b| b.1.total_cmp(&a.1));
    colours
}

/// Whether a colour is neither white, grey nor black.
fn is_coloured([red, green, blue]: [u8; 3]) -> bool {
    let (low, high) = (red.min(green).min(blue), red.max(green).max(blue));
    high - low > 60
}

/// White ground, hardly any black, and the colours that its legend names.
fn check(picture: &Path, folder: &Path) {
    let colours = colours(picture, folder);
    let name = picture.display();
    assert_eq!(colours[0].0, [255; 3], "{name}: the ground is not white");
    assert!(colours[0].1 > 0.5, "{name}: {:.0} % of it are white", 100.0 * colours[0].1);
    let dark = colours.iter().filter(|(colour, _)| colour.iter().all(|&part| part < 40));
    let dark: f64 = dark.map(|(_, share)| share).sum();
    assert!(dark < 0.02, "{name}: {:.0} % of it are black", 100.0 * dark);
    let text = fs::read_to_string(picture).expect("SVG");
    assert!(!text.contains("var("), "{name}: colours by custom properties");
    let mut expected: Vec<&str> = text.split("<g class=\"legend ").skip(1).collect();
    expected =
        expected.iter().filter_map(|legend| legend.split(' ').next()).filter(|&one| one != "ink").collect();
    expected.sort_unstable();
    expected.dedup();
    assert!(!expected.is_empty(), "{name}: no legend");
    // Pure colours, not those of the edges, which are mixed with the ground.
    let found = colours.iter().filter(|&&(colour, share)| is_coloured(colour) && share > 2e-4).count();
    assert!(found >= expected.len(), "{name}: {found} colours, expected {expected:?}");
    let distinct = colours.iter().filter(|(_, share)| *share > 2e-4).count();
    assert!(distinct >= 5, "{name}: only {distinct} colours");
}

fn pictures(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let mut all: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "svg")).collect();
    all.sort();
    all
}

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = common::build().join("clients/pictures").join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("the target directory is writable");
    folder
}

#[test]
fn pictures_of_the_pages() {
    let folder = folder("doc");
    let pictures = pictures(&common::root().join("doc/plots"));
    assert!(pictures.len() >= 7, "{pictures:?}");
    pictures.iter().for_each(|picture| check(picture, &folder));
}

#[test]
fn pictures_of_the_report_and_of_the_benchmarks() {
    let folder = folder("drawn");
    let fixture = |name: &str| common::root().join("lab/tests/fixtures").join(name);
    let mut report = Command::new(common::lab());
    report.current_dir(&folder).args(["report", "--output", "page.html", "--plots", "."]);
    for (option, name) in [
        ("--run", "results.json"),
        ("--bench-gups", "gups.json"),
        ("--bench-alltoall", "alltoall.json"),
        ("--bench-gemm", "gemm.json"),
        ("--bench-bsp", "bsp.json"),
        ("--bench-caf", "caf.json"),
        ("--bench-programs", "programs.json"),
        ("--bench-fftw", "fftw.json"),
        ("--bench-fft", "fft.json"),
        ("--bench-stream", "stream.json"),
        ("--bench-panels", "panels.json"),
        ("--bench-llcs", "llcs.json"),
        ("--simulate", "simulate.json"),
        ("--calibration", "calibration.json"),
    ] {
        report.arg(option).arg(fixture(name));
    }
    common::output(&mut report);
    for (options, name, plot) in [
        (&["bench", "alltoall", "--over", "ranks"][..], "alltoall.json", "bench-ranks.svg"),
        (&["bench", "alltoall", "--over", "sizes"], "alltoall.json", "bench-sizes.svg"),
        (&["bench", "alltoall", "--over", "ranks", "--sizes", "4M"], "alltoall.json", "bench-memory.svg"),
        (&["bench", "fft"], "fftw.json", "bench-fftw.svg"),
        (&["bench", "gemm"], "gemm.json", "bench-gemm.svg"),
        (&["bench", "bsp"], "bsp.json", "bench-bsp.svg"),
        (&["bench", "caf"], "caf.json", "bench-caf.svg"),
        (&["bench", "gfortran"], "gfortran.json", "bench-gfortran.svg"),
        (&["bench", "fft"], "fft.json", "bench-fft.svg"),
        (&["bench", "stream"], "stream.json", "bench-stream.svg"),
        (&["bench", "panels"], "panels.json", "bench-panels.svg"),
        (&["bench", "llcs"], "llcs.json", "bench-llcs.svg"),
    ] {
        let mut tool = Command::new(common::tool());
        common::output(
            tool.args(options).arg("--from").arg(fixture(name)).arg("--plot").arg(folder.join(plot)),
        );
    }
    let pictures = pictures(&folder);
    assert_eq!(pictures.len(), 57, "{pictures:?}");
    pictures.iter().for_each(|picture| check(picture, &folder));
}
