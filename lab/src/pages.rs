//! Parts of the pages that are written from the sources, from results and from other pages, so that no number
//! stands in two places that could differ: `<!-- written: NAME -->` to `<!-- end -->`, on lines of their own
//! or within a line; and all pictures.
//!
//! `hcube-lab manual --pages DIRECTORY` writes them; a test writes them again and compares.

mod alltoall;
mod bsp;
pub mod files;
mod gemm;
mod hosts;
mod hosts_simulated;
pub mod markdown;
mod measured;
mod node_leaders;
pub mod paragraph;
pub mod picture;
mod protocols;
mod random_access;
mod readme;
mod signs;
mod table;

use crate::records::read;
use files::pages;
use hcube_tool::output;
use std::fs;
use std::path::Path;

/// A part of a page.
struct Part {
    name: &'static str,
    /// The text, from the sources in a directory.
    text: fn(&Path) -> Result<String, String>,
}

const PARTS: [Part; 30] = [
    Part { name: "what-to-expect", text: readme::what_to_expect },
    Part { name: "bsp-published", text: bsp::published },
    Part { name: "bsp-predict", text: bsp::prediction },
    Part { name: "bsp-largest-put", text: bsp::largest_put },
    Part { name: "hpcc", text: measured::official },
    Part { name: "alltoall-memory", text: alltoall::memory },
    Part { name: "signs", text: signs::signs },
    Part { name: "signs-summary", text: signs::summary },
    Part { name: "red-storm", text: |_| Ok(random_access::red_storm()) },
    Part { name: "red-storm-signs", text: |_| Ok(random_access::signs()) },
    Part { name: "look-ahead", text: |_| Ok(random_access::look_ahead()) },
    Part { name: "optimisations", text: |_| Ok(random_access::optimisations()) },
    Part { name: "model-errors", text: |_| Ok(random_access::model_errors()) },
    Part { name: "coarray-events", text: |_| Ok(random_access::coarray_events()) },
    Part { name: "hsumma", text: |_| Ok(gemm::hsumma()) },
    Part { name: "fftw", text: measured::transposition },
    Part { name: "hosts", text: hosts::speed_ups },
    Part { name: "hosts-slower", text: hosts::slower },
    Part { name: "hosts-counts", text: hosts::counts },
    Part { name: "hosts-simulated", text: hosts_simulated::table },
    Part { name: "hosts-simulated-cases", text: hosts_simulated::cases },
    Part { name: "hosts-simulated-summary", text: hosts_simulated::summary },
    Part { name: "hosts-simulated-signs", text: hosts_simulated::wrong_signs },
    Part { name: "hosts-simulated-coverage", text: hosts_simulated::coverage },
    Part { name: "alltoallv", text: node_leaders::alltoallv },
    Part { name: "alltoallv-estimates", text: node_leaders::estimates },
    Part { name: "alltoallv-radix", text: node_leaders::radix },
    Part { name: "placements", text: node_leaders::placements },
    Part { name: "models", text: protocols::models },
    Part { name: "models-summary", text: protocols::summary },
];

const BEGIN: &str = "<!-- written: ";
const END: &str = "<!-- end -->";

/// Draws all pictures in `doc/plots` of a directory from the results in `doc/results`, and writes all parts
/// into its pages.
///
/// # Errors
/// Where a picture has no results, a page names a part that does not exist, no page has one that exists, or a
/// figure is missing.
pub fn write(root: &Path) -> Result<(), String> {
    picture::draw(root)?;
    let mut missing: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
    // Pages first, then README.md, which has figures of theirs.
    for page in pages(root)?.into_iter().rev() {
        let old = read(&page)?;
        let text = |name: &str| {
            missing.retain(|other| *other != name);
            let part = PARTS.iter().find(|part| part.name == name).ok_or_else(|| {
                let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
                format!("'{name}': expected one of {}", names.join(", "))
            })?;
            (part.text)(root)
        };
        let new = replaced(&old, text).map_err(|error| format!("{}: {error}", page.display()))?;
        if new != old {
            fs::write(&page, new).map_err(output::failure(&page))?;
        }
    }
    match &missing[..] {
        [] => Ok(()),
        names => Err(format!("no page has {}", names.join(", "))),
    }
}

/// A page with its parts written again.
fn replaced(page: &str, mut text: impl FnMut(&str) -> Result<String, String>) -> Result<String, String> {
    let mut pieces = page.split(BEGIN);
    let mut new = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once(" -->").ok_or_else(|| format!("'{BEGIN}' without '-->'"))?;
        let (old, after) = rest.split_once(END).ok_or_else(|| format!("'{name}' without '{END}'"))?;
        let text = text(name)?;
        let line = if old.starts_with('\n') { "\n" } else { "" };
        new += &format!("{BEGIN}{name} -->{line}{}{line}{END}{after}", text.trim_end());
    }
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_on_lines_or_within_them() {
        let page = "a\n<!-- written: x -->\nold\nlines\n<!-- end -->\nb <!-- written: y -->3<!-- end --> c\n";
        let text = |name: &str| Ok(format!("new {name}\n"));
        let new = "a\n<!-- written: x -->\nnew x\n<!-- end -->\nb <!-- written: y -->new y<!-- end --> c\n";
        assert_eq!(replaced(page, text).as_deref(), Ok(new));
        assert_eq!(replaced(new, text).as_deref(), Ok(new));
        for (page, error) in
            [("<!-- written: x\n", "without '-->'"), ("<!-- written: x --> 3", "'x' without '<!-- end -->'")]
        {
            assert!(replaced(page, text).expect_err("refused").contains(error), "{page}");
        }
    }
}
