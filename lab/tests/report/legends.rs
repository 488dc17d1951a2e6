//! The legends of the page's plots, and what the lines of the fixtures stand on.

/// What is between two marks, and what comes after.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<(&'a str, &'a str)> {
    text.split_once(before)?.1.split_once(after)
}

/// All lines of legends: title of the plot, name, and the word for what it stands on.
pub fn all(page: &str) -> Vec<[&str; 3]> {
    let mut found = Vec::new();
    for figure in page.split("<figure>").skip(1) {
        let (title, figure) = between(figure, "<figcaption>", "</figcaption>").expect("a title");
        let figure = figure.split("</figure>").next().unwrap_or(figure);
        for legend in figure.split("<g class=\"legend ").skip(1) {
            let (name, rest) = between(legend, "<text class=\"name\"", "</text>").expect("a name");
            let (word, _) = between(rest, "<text class=\"evidence\"", "</text>").expect("a word");
            let [name, word] = [name, word].map(|text| text.split_once('>').expect("a tag ends").1);
            let class = legend.split('"').next().unwrap_or_default();
            assert!(class.ends_with(word), "{title}, {name}: drawn as {class}, called {word}");
            found.push([title, name, word]);
        }
    }
    found
}

/// What a line must stand on, by which file or table its figures come from.
pub fn expected_word(title: &str, name: &str) -> Option<&'static str> {
    let any = |text: &str, words: &[&str]| words.iter().any(|word| text.contains(word));
    let here = [
        "this machine",
        "This machine",
        "FFTW with hcube",
        "hcube over ScaLAPACK",
        "rate of local products",
        "bsp_",
        "Coarrays: ",
        "Official HPCC",
        "Programs, over",
        "Operations",
        "Fourier transform, ",
        "STREAM",
        "Panels, ",
        "LLCS, ",
        "General exchange",
        "Exchange between neighbours",
        "Nonblocking exchange",
    ];
    let models = ["Red Storm", "JuRoPA", "Franklin", "aracari"];
    match name {
        _ if any(name, &["(Table ", "(section ", "Krusche 2005"]) => Some("published"),
        _ if any(name, &["cost model", "nodes like this machine"]) => Some("predicted"),
        _ if any(name, &here) || any(title, &here) => Some("measured"),
        _ if any(name, &models) || any(title, &models) => Some("simulated"),
        _ => None,
    }
}
