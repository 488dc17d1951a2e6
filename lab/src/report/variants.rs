//! Simulated RandomAccess of Plimpton et al. 2006 and of hcube: rounds and optimisations.

use super::section::Section;
use super::shared::{deviation, distinct, machine_title};
use super::sources::Inputs;
use crate::simulate::RandomAccess;
use crate::simulate::row::{Outcome, Site};
use hcube_results::plot::Evidence::Simulated;
use hcube_results::plot::looks;
use hcube_results::plot::{Colour, Look, Marker, Series};
use hcube_results::published::ALL_OPTIMISATIONS;

/// Rounds and optimisations of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// Rounds of Q values; otherwise of Q/2.
    relaxed: bool,
    /// Bits of hcube.h.
    optimisations: u32,
    /// In legends and tables.
    pub name: &'static str,
    /// In plots.
    pub look: Look,
}

/// The algorithm of Plimpton et al. 2006, section 2, with its rounds.
const PAPERS: Variant =
    Variant { relaxed: true, optimisations: 0, name: "published algorithm", look: looks::OTHER_OPTIONS };
/// hcube's defaults.
pub const USUAL: Variant =
    Variant { relaxed: false, optimisations: ALL_OPTIMISATIONS, name: "hcube, strict", look: looks::HCUBE };
/// hcube with the published rounds.
pub const RELAXED: Variant = Variant {
    relaxed: true,
    optimisations: ALL_OPTIMISATIONS,
    name: "hcube, published rounds",
    look: looks::COMPETITOR,
};
/// hcube without optimisations.
const PLAIN: Variant = Variant {
    relaxed: false,
    optimisations: 0,
    name: "hcube, strict, not optimised",
    look: (Colour::Green, Marker::Down),
};

/// In the order of tables.
pub const ALL: [Variant; 4] = [PAPERS, RELAXED, USUAL, PLAIN];

/// Meaning of the names.
const MEANING: &str = "Published rounds take Q values. Strict rounds, hcube's default, take Q/2, so that a rank never has \
                       more than Q open values; they need twice the messages.";

impl Variant {
    /// Whether a case is of this variant.
    pub fn is(&self, case: &RandomAccess) -> bool {
        (case.relaxed, case.optimisations) == (self.relaxed, self.optimisations)
    }
}

/// The first variant with cases, and its cases.
fn first_of<'a>(cases: &[&'a RandomAccess], order: &[Variant]) -> Option<(Variant, Vec<&'a RandomAccess>)> {
    let found = order.iter().map(|variant| {
        let own: Vec<&RandomAccess> = cases.iter().copied().filter(|case| variant.is(case)).collect();
        (*variant, own)
    });
    found.into_iter().find(|(_, own)| !own.is_empty())
}

/// The variant to compare with the publication: the most similar one with cases.
pub fn like_the_paper<'a>(cases: &[&'a RandomAccess]) -> Option<(Variant, Vec<&'a RandomAccess>)> {
    first_of(cases, &[PAPERS, RELAXED, PLAIN, USUAL])
}

/// The variant that is most similar to hcube's defaults and has cases.
pub fn as_users_get<'a>(cases: &[&'a RandomAccess]) -> Option<(Variant, Vec<&'a RandomAccess>)> {
    first_of(cases, &[USUAL, RELAXED, PLAIN, PAPERS])
}

/// The cases of that variant.
pub fn usual<'a>(cases: impl Iterator<Item = &'a RandomAccess>) -> Vec<&'a RandomAccess> {
    as_users_get(&cases.collect::<Vec<_>>()).map(|(_, own)| own).unwrap_or_default()
}

/// A series for each variant with cases; hcube's defaults are drawn last, in front.
pub fn lines(
    cases: &[&RandomAccess],
    place: &str,
    points: impl Fn(&[&RandomAccess]) -> Vec<(f64, f64)>,
) -> Vec<Series> {
    let line = |variant: &Variant| {
        let own: Vec<&RandomAccess> = cases.iter().copied().filter(|case| variant.is(case)).collect();
        (!own.is_empty())
            .then(|| Series::new(format!("{place}{}", variant.name), Simulated, variant.look, points(&own)))
    };
    [PLAIN, RELAXED, PAPERS, USUAL].iter().filter_map(line).collect()
}

/// Adds a sentence on the deviation from published rates.
pub fn say_deviation(
    section: &mut Section,
    cases: &[&RandomAccess],
    published: impl Fn(&RandomAccess) -> Option<f64>,
) {
    let Some((variant, own)) = like_the_paper(cases) else { return };
    let pairs: Vec<(f64, f64)> = own.iter().filter_map(|case| Some((case.gups, published(case)?))).collect();
    if let Some(deviation) = deviation(&pairs) {
        section.say(&format!("Simulated rates ({}) differ by {deviation}.", variant.name));
    }
    section.say(MEANING);
}

/// Adds a sentence on runs (where they are, whether links were shared) without shared links.
pub fn say_links<'a>(
    section: &mut Section,
    inputs: &'a Inputs,
    runs: impl IntoIterator<Item = (&'a Site, &'a Outcome)>,
) {
    let alone = runs
        .into_iter()
        .filter(|run| !run.1.links_shared)
        .map(|(site, _)| (site.machine.as_str(), site.ranks));
    let alone = distinct(alone);
    let places = distinct(alone.iter().map(|(machine, _)| *machine)).into_iter().map(|machine| {
        let own = alone.iter().filter(|run| run.0 == machine).map(|run| run.1.to_string());
        format!("{} with {} ranks", machine_title(inputs, machine), own.collect::<Vec<_>>().join(", "))
    });
    let places: Vec<String> = places.collect();
    if !places.is_empty() {
        section.say(&format!(
            "Simulated without shared links, so that messages share only the ports of nodes: {}.",
            places.join("; ")
        ));
    }
}
