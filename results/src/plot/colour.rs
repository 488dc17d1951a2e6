//! Colours of light and dark mode.

use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Colours of series; people who see few colours can tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Colour {
    Blue,
    Vermilion,
    Purple,
    Green,
    Ochre,
    Ink,
}

/// A class, its colour in light mode, and its colour in dark mode.
struct Shade {
    class: &'static str,
    light: &'static str,
    dark: &'static str,
}

const fn shade(class: &'static str, light: &'static str, dark: &'static str) -> Shade {
    Shade { class, light, dark }
}

/// In the order of [`Colour`].
const SERIES: [Shade; 6] = [
    shade("blue", "#0066b3", "#5db2ff"),
    shade("vermilion", "#c4450c", "#ff9466"),
    shade("purple", "#97408a", "#dc92d2"),
    shade("green", "#00755a", "#45c9a2"),
    shade("ochre", "#8a6500", "#dcb74a"),
    shade("ink", "#33383e", "#dfe3e7"),
];

/// Colours of everything else, in light mode.
pub const PAPER: &str = "#ffffff";
pub const TEXT: &str = "#33383e";
pub const SOFT: &str = "#59626c";
pub const GRID: &str = "#e3e7eb";

/// Their rules in dark mode; a colour, the property, and the selectors.
const DARK: [(&str, &str, &str); 5] = [
    (".chart .ground, .chart .simulated .mark", "fill", "#14171a"),
    (".chart text", "fill", "#dfe3e7"),
    (".chart .tick, .chart .evidence, .chart .where", "fill", "#a3acb5"),
    (".chart .grid", "stroke", "#2b3137"),
    (".chart .axis, .chart .reference", "stroke", "#a3acb5"),
];

impl Colour {
    /// The class in style sheets.
    pub fn class(self) -> &'static str {
        SERIES[self as usize].class
    }

    pub fn light(self) -> &'static str {
        SERIES[self as usize].light
    }
}

/// The rules that browsers apply in dark mode.
pub fn dark_style() -> String {
    let mut text = "@media (prefers-color-scheme: dark) {\n".to_owned();
    for shade in &SERIES {
        let _ = writeln!(text, "  .chart .{0} {{ fill: {1}; stroke: {1} }}", shade.class, shade.dark);
    }
    for (selectors, property, colour) in DARK {
        let _ = writeln!(text, "  {} {{ {property}: {colour} }}", selectors);
    }
    text + "}\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_are_in_the_order_of_colours() {
        assert_eq!(
            (Colour::Blue.class(), Colour::Green.class(), Colour::Ink.class()),
            ("blue", "green", "ink")
        );
        assert_eq!(SERIES.len(), Colour::Ink as usize + 1);
    }
}
