//! The page in a real browser: headless Chromium. Screenshots and the printed page are left in the target
//! directory for people to look at.

use super::{SECTIONS, common, folder, page_without};
use common::Launch;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Where there is no browser, why nothing was tested.
fn browser_is_missing() -> bool {
    let missing = Command::new("chromium").arg("--version").output().is_err();
    if missing {
        common::skip("browser", "there is no chromium on this machine; scripts/setup.sh test installs it");
    }
    missing
}

/// What Chromium prints for a page.
fn browse(folder: &Path, options: &[&str], page: &Path) -> String {
    let command = Command::new("chromium");
    let usual = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"];
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let url = format!("file://{}", page.display());
    let launch = Launch::new("chromium", 1).args(usual).arg(profile).args(options).arg(url);
    let outcome = launch.supervise(command);
    assert!(outcome.status.success(), "{outcome:?}");
    outcome.stdout
}

/// The page in a frame of that width, looked at by the script of probe.html.
fn look(folder: &Path, page: &str, width: usize, options: &[&str]) -> Value {
    let inside = page.replace('&', "&amp;").replace('"', "&quot;");
    let probe = include_str!("probe.html").replace("@WIDTH@", &width.to_string()).replace("@PAGE@", &inside);
    let path = folder.join(format!("probe-{width}.html"));
    fs::write(&path, probe).expect("writable");
    let options: Vec<&str> = ["--dump-dom", "--virtual-time-budget=10000", "--window-size=1400,1000"]
        .into_iter()
        .chain(options.iter().copied())
        .collect();
    let dumped = browse(folder, &options, &path);
    let found = dumped.split_once("<pre id=\"found\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (found, _) = found.unwrap_or_else(|| panic!("the probe has found nothing: {dumped}"));
    let found = found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&found).unwrap_or_else(|error| panic!("{error}: {found}"))
}

fn check(found: &Value, width: usize, ground: &str) {
    assert_eq!(found["sections"], Value::from(SECTIONS.to_vec()), "at {width}");
    assert!(found["pageWidth"].as_u64().is_some_and(|wide| wide <= width as u64), "{found}");
    for problem in ["tooWide", "cut", "faint", "fetched"] {
        assert_eq!(found[problem], Value::from(Vec::<String>::new()), "{problem} at {width}");
    }
    assert!(found["smallest"].as_f64().is_some_and(|pixels| pixels >= 9.5), "{found}");
    assert_eq!(found["ground"].as_str(), Some(ground), "at {width}");
}

#[test]
fn every_width_and_both_schemes() {
    if browser_is_missing() {
        return;
    }
    let page = page_without("browser", &[]);
    let folder = folder("browser-looks");
    for width in [360, 768, 1200] {
        check(&look(&folder, &page, width, &[]), width, "rgb(255, 255, 255)");
        let dark = look(&folder, &page, width, &["--blink-settings=preferredColorScheme=0"]);
        check(&dark, width, "rgb(20, 23, 26)");
    }
}

#[test]
fn little_is_shown_as_well_as_much() {
    if browser_is_missing() {
        return;
    }
    let without = [
        "--bench-gups",
        "--bench-alltoall",
        "--bench-programs",
        "--bench-fftw",
        "--simulate",
        "--calibration",
    ];
    let page = page_without("browser-little", &without);
    let found = look(&folder("browser-little-looks"), &page, 360, &[]);
    let sections: Vec<&str> = SECTIONS.into_iter().filter(|name| *name != "machines").collect();
    assert_eq!(found["sections"], Value::from(sections));
    assert_eq!(
        (&found["tooWide"], &found["pageWidth"]),
        (&Value::from(Vec::<String>::new()), &Value::from(360))
    );
}

#[test]
fn on_paper_and_as_pictures() {
    if browser_is_missing() {
        return;
    }
    let folder = folder("browser-paper");
    let page = folder.join("page.html");
    fs::write(&page, page_without("browser-print", &[])).expect("writable");
    let printed = folder.join("page.pdf");
    browse(&folder, &["--no-pdf-header-footer", &format!("--print-to-pdf={}", printed.display())], &page);
    let text = common::output(Command::new("pdftotext").arg("-layout").arg(&printed).arg("-"));
    let pages = text.matches('\u{c}').count();
    assert!((4..=32).contains(&pages), "{pages} pages");
    for heading in ["Headline figures", "RandomAccess: GUP/s over ranks", "Node-aware routing", "Environment"]
    {
        assert!(text.contains(heading), "{heading}: {text}");
    }
    // A row of a table that is folded up on the screen.
    assert!(text.contains("10240") && text.contains("19.72"), "{text}");
    for (name, size, scheme) in
        [("wide", "1200,3000", 1), ("narrow", "500,3000", 1), ("dark", "1200,3000", 0)]
    {
        let picture = folder.join(format!("{name}.png"));
        let options = [
            format!("--screenshot={}", picture.display()),
            format!("--window-size={size}"),
            format!("--blink-settings=preferredColorScheme={scheme}"),
        ];
        browse(&folder, &options.each_ref().map(String::as_str), &page);
        let bytes = fs::read(&picture).expect("a picture");
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 50_000, "{name}: {} bytes", bytes.len());
    }
}
