//! Sections: random subscripts that select a given number of elements.

use crate::chance::Chance;

/// A dimension of an array.
#[derive(Debug, Clone, Copy)]
pub struct Dimension {
    pub lower: i64,
    pub extent: usize,
}

impl Dimension {
    pub fn any(chance: &mut Chance, rank: usize) -> Self {
        let most = match rank {
            1 => 40,
            2 => 9,
            3 => 5,
            4 => 4,
            _ => 3,
        };
        let extent = if chance.is(3) { 0 } else { chance.from(1, most) as usize };
        Self { lower: chance.from(-5, 5), extent }
    }

    pub fn upper(self) -> i64 {
        self.lower + self.extent as i64 - 1
    }

    pub fn bounds(self) -> String {
        format!("{}:{}", self.lower, self.upper())
    }
}

/// The parts of a section.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Vectors of subscripts in this many of a hundred dimensions.
    pub vectors: i64,
    /// Vectors beside triplets.
    pub mixed: bool,
    /// An element more than once.
    pub repeats: bool,
}

/// An integer as the program writes it: a literal, or an expression that the compiler cannot evaluate.
fn number(chance: &mut Chance, value: i64) -> String {
    match chance.below(3) {
        0 => format!("{value} + zero"),
        _ => value.to_string(),
    }
}

/// One subscript of a dimension: `None` for an element, or the elements that it chooses.
pub fn subscript(chance: &mut Chance, of: Dimension, count: Option<usize>, rules: Rules) -> String {
    let Some(count) = count else {
        let index = chance.from(of.lower, of.upper());
        return number(chance, index);
    };
    if rules.vectors < 100 && count == of.extent && chance.is(40) {
        return ":".into();
    }
    if count == 0 {
        let first = of.lower + chance.below(of.extent.max(1)) as i64;
        return format!("{}:{}", number(chance, first), number(chance, first - 1));
    }
    if chance.is(rules.vectors) {
        return vector(chance, of, count, rules);
    }
    range(chance, of, count)
}

fn vector(chance: &mut Chance, of: Dimension, count: usize, rules: Rules) -> String {
    let mut all: Vec<usize> = if rules.repeats {
        (0..count).map(|_| chance.below(of.extent)).collect()
    } else {
        chance.choose(count, of.extent)
    };
    chance.shuffle(&mut all);
    let kind = *chance.one(&["", "_1", "_2", "_8"]);
    let texts: Vec<String> = all.iter().map(|&at| literal(of.lower + at as i64, kind)).collect();
    format!("[{}]", texts.join(", "))
}

fn literal(value: i64, kind: &str) -> String {
    format!("{value}{kind}")
}

fn range(chance: &mut Chance, of: Dimension, count: usize) -> String {
    let gaps = count.max(2) as i64 - 1;
    let most = ((of.extent as i64 - 1) / gaps).clamp(1, 3);
    let step = chance.from(1, most);
    let reach = step * (count as i64 - 1);
    let first = of.lower + chance.from(0, of.extent as i64 - 1 - reach);
    let is_down = chance.is(30);
    let (begin, end, step) =
        if is_down { (first + reach, first, -step) } else { (first, first + reach, step) };
    // Elements that the step does not reach.
    let slack = if is_down { end - of.lower } else { of.upper() - end }.min(step.abs() - 1);
    let end = end + step.signum() * chance.from(0, slack);
    let begin_text =
        if !is_down && begin == of.lower && chance.is(50) { String::new() } else { number(chance, begin) };
    let end_text =
        if !is_down && end == of.upper() && chance.is(50) { String::new() } else { number(chance, end) };
    let step_text = match step {
        1 if chance.is(80) => String::new(),
        _ => format!(":{}", number(chance, step)),
    };
    format!("{begin_text}:{end_text}{step_text}")
}

/// A section of an array with this shape, if it has one: a subscript per dimension.
pub fn of_shape(chance: &mut Chance, array: &[Dimension], shape: &[usize], rules: Rules) -> Option<String> {
    if shape.len() > array.len() {
        return None;
    }
    let rules = match rules.mixed {
        true => rules,
        false => Rules { vectors: if chance.is(rules.vectors) { 100 } else { 0 }, ..rules },
    };
    let rules = if shape.contains(&0) && !rules.mixed { Rules { vectors: 0, ..rules } } else { rules };
    // Any choice of dimensions, a few times.
    for _ in 0..12 {
        let chosen = chance.choose(shape.len(), array.len());
        let mut counts = vec![None; array.len()];
        chosen.iter().zip(shape).for_each(|(&at, &count)| counts[at] = Some(count));
        let fits = counts.iter().zip(array).all(|(count, of)| match count {
            Some(count) => *count <= of.extent,
            None => of.extent > 0,
        });
        if fits {
            let texts: Vec<String> =
                counts.iter().zip(array).map(|(count, of)| subscript(chance, *of, *count, rules)).collect();
            return Some(texts.join(", "));
        }
    }
    None
}

/// A shape that sections of this array can have.
pub fn any_shape(chance: &mut Chance, array: &[Dimension]) -> Vec<usize> {
    let must: Vec<bool> = array.iter().map(|of| of.extent == 0 || chance.is(70)).collect();
    let mut shape = Vec::new();
    for (of, _) in array.iter().zip(must).filter(|(_, must)| *must) {
        let count = if chance.is(40) { of.extent } else { chance.from(0, of.extent as i64) as usize };
        shape.push(if count == 0 && of.extent > 0 && chance.is(80) { 1 } else { count });
    }
    shape
}
