//! Programs with coarrays of numbers, logicals and text: random sections move between images, and each image
//! also computes the data of all images with ordinary arrays.
//!
//! In a round, every image executes one statement, with the image that is some places after it, so no element
//! is written twice. Then the same statement is executed on ordinary arrays with one additional dimension,
//! the image, once for each image.

use super::PROCEDURES;
use super::section::{Dimension, Rules, any_shape, of_shape};
use super::types::Type;
use crate::chance::Chance;
use std::fmt::Write;

/// Coarrays and ordinary arrays.
const COARRAYS: usize = 5;
const ARRAYS: usize = 4;
const ROUNDS: usize = 30;

/// An array of the program.
struct Array {
    name: String,
    of: Type,
    dimensions: Vec<Dimension>,
    /// The declared codimensions except the last one, with their lower cobounds; none if it is not a coarray.
    codimensions: Option<Vec<(i64, i64)>>,
    is_allocatable: bool,
}

impl Array {
    fn any(chance: &mut Chance, name: String, is_coarray: bool) -> Self {
        let of = Type::any(chance);
        let rank = *chance.one(&[0, 1, 1, 2, 2, 3, 4, 5, 7]);
        let dimensions = (0..rank).map(|_| Dimension::any(chance, rank)).collect();
        let more = if chance.is(30) { chance.from(1, 2) as usize } else { 0 };
        let codimensions = is_coarray.then(|| {
            let one = |_| (chance.from(-2, 2), chance.from(1, 3));
            (0..=more).map(one).collect()
        });
        Self { name, of, dimensions, codimensions, is_allocatable: chance.is(50) }
    }

    fn bounds(&self) -> String {
        self.dimensions.iter().map(|one| one.bounds()).collect::<Vec<_>>().join(", ")
    }

    fn cobounds(&self) -> String {
        let Some(all) = &self.codimensions else { return String::new() };
        let (last, before) = all.split_last().expect("one at least");
        let mut texts: Vec<String> =
            before.iter().map(|(lower, extent)| format!("{lower}:{}", lower + extent - 1)).collect();
        texts.push(format!("{}:*", last.0));
        format!("[{}]", texts.join(", "))
    }

    /// The image selector for the image with a number.
    fn selector(&self, image: &str) -> String {
        let all = self.codimensions.as_ref().expect("a coarray");
        let mut divisor = 1;
        let last = all.len() - 1;
        let one = |(at, (lower, extent)): (usize, &(i64, i64))| {
            let quotient =
                if divisor == 1 { format!("{image} - 1") } else { format!("({image} - 1)/{divisor}") };
            divisor *= extent;
            match at == last {
                true => format!("{quotient} + {lower}"),
                false => format!("mod({quotient}, {extent}) + {lower}"),
            }
        };
        format!("[{}]", all.iter().enumerate().map(one).collect::<Vec<_>>().join(", ").replace("+ -", "- "))
    }

    fn colons(&self) -> String {
        vec![":"; self.dimensions.len()].join(", ")
    }

    fn declare(&self, text: &mut String) {
        let Self { name, of, dimensions, .. } = self;
        let (of, rank) = (of.declaration(), dimensions.len());
        let shape = |inner: String| if rank == 0 { String::new() } else { format!("({inner})") };
        let cobounds = self.cobounds();
        let line = match (&self.codimensions, self.is_allocatable) {
            (Some(all), true) => {
                let colons = vec![":"; all.len()].join(", ");
                format!("  {of}, allocatable :: {name}{}[{colons}]", shape(self.colons()))
            }
            (None, true) if rank > 0 => format!("  {of}, allocatable :: {name}({})", self.colons()),
            _ => format!("  {of}, save :: {name}{}{cobounds}", shape(self.bounds())),
        };
        let mut model = vec![":"; rank + 1].join(", ");
        model.insert(0, '(');
        writeln!(text, "{line}\n  {of}, allocatable :: m_{name}{model})").expect("text");
    }

    /// Allocates and fills it and its model.
    fn begin(&self, id: usize, text: &mut String) {
        let Self { name, of, dimensions, .. } = self;
        let rank = dimensions.len();
        let bounds = self.bounds();
        if self.is_allocatable && (self.codimensions.is_some() || rank > 0) {
            let shape = if rank == 0 { String::new() } else { format!("({bounds})") };
            writeln!(text, "  allocate ({name}{shape}{})", self.cobounds()).expect("text");
        }
        let separator = if rank == 0 { "" } else { ", " };
        let value = of.value(&format!("(37*i + {})", 11 * id));
        writeln!(text, "  allocate (m_{name}({bounds}{separator}n))").expect("text");
        let declared = of.declaration();
        writeln!(
            text,
            "  m_{name} = reshape([{declared} :: ({value}, i=1, size(m_{name}))], shape(m_{name}))\n  {name} = {}",
            self.model("", "me")
        )
        .expect("text");
    }

    /// The expected data of this image.
    fn check(&self, round: usize, text: &mut String) {
        let (name, differs, model) = (&self.name, self.of.differs(), self.model("", "me"));
        let differs = format!("{name} {differs} {model}");
        let differs = if self.dimensions.is_empty() { differs } else { format!("any({differs})") };
        writeln!(text, "  if ({differs}) call wrong({round}, '{name}')").expect("text");
    }

    /// A section here, without an image.
    fn here(&self, section: &str) -> String {
        if section.is_empty() { self.name.clone() } else { format!("{}({section})", self.name) }
    }

    /// A section on an image.
    fn there(&self, section: &str, image: &str) -> String {
        format!("{}{}", self.here(section), self.selector(image))
    }

    /// A section of the model of an image; all of it without one.
    fn model(&self, section: &str, image: &str) -> String {
        let colons = self.colons();
        let section = if section.is_empty() { &colons } else { section };
        let separator = if section.is_empty() { "" } else { ", " };
        format!("m_{}({section}{separator}{image})", self.name)
    }

    /// A section of this shape.
    fn section(&self, chance: &mut Chance, shape: &[usize], rules: Rules) -> Option<String> {
        of_shape(chance, &self.dimensions, shape, rules)
    }
}

/// A statement, and the same for the models.
struct Statement {
    text: String,
    model: String,
    /// The array that it changes.
    target: usize,
}

/// What sections may consist of: of ordinary arrays, ...
const LOCAL: Rules = Rules { vectors: 25, mixed: true, repeats: true };
/// ... of coarrays, where gfortran 12 crashes over a vector beside a triplet, ...
const SOURCE: Rules = Rules { vectors: 25, mixed: false, repeats: true };
const TARGET: Rules = Rules { vectors: 25, mixed: false, repeats: false };
/// ... and where it compiles vectors wrongly: in expressions with coarrays, and on the left side of a get.
const REGULAR: Rules = Rules { vectors: 0, mixed: true, repeats: true };

/// The arrays of a program: coarrays first.
struct Arrays(Vec<Array>);

impl Arrays {
    fn any(chance: &mut Chance) -> Self {
        let mut all: Vec<Array> =
            (0..COARRAYS).map(|number| Array::any(chance, format!("a{number}"), true)).collect();
        for number in 0..ARRAYS {
            let mut one = Array::any(chance, format!("x{number}"), false);
            // Most have something that a coarray's elements can become.
            one.of = all[number % COARRAYS].of.convertible(chance);
            if chance.is(40) {
                one.dimensions.clone_from(&all[number % COARRAYS].dimensions);
            }
            all.push(one);
        }
        for number in 1..COARRAYS {
            if chance.is(50) {
                all[number].of = all[number - 1].of.convertible(chance);
            }
        }
        Self(all)
    }

    fn coarray(&self, chance: &mut Chance) -> (usize, &Array) {
        let number = chance.below(COARRAYS);
        (number, &self.0[number])
    }

    /// Any statement, if the arrays that were chosen go together.
    fn statement(&self, chance: &mut Chance) -> Option<Statement> {
        match chance.below(10) {
            0..=1 => self.get(chance),
            2..=3 => self.put(chance),
            4..=5 => self.copy(chance),
            6 => self.within(chance),
            7 => self.value(chance),
            _ => self.expression(chance),
        }
    }

    fn get(&self, chance: &mut Chance) -> Option<Statement> {
        let (_, from) = self.coarray(chance);
        let target = COARRAYS + chance.below(ARRAYS);
        let into = &self.0[target];
        from.of.becomes(into.of).then_some(())?;
        let shape = any_shape(chance, &from.dimensions);
        let one = from.section(chance, &shape, SOURCE)?;
        let two = into.section(chance, &shape, REGULAR)?;
        Some(Statement {
            text: format!("{} = {}", into.here(&two), from.there(&one, "from")),
            model: format!("{} = {}", into.model(&two, "k"), from.model(&one, "from")),
            target,
        })
    }

    fn put(&self, chance: &mut Chance) -> Option<Statement> {
        let (target, into) = self.coarray(chance);
        let source = chance.below(self.0.len());
        let from = &self.0[source];
        (from.of.becomes(into.of) && source != target).then_some(())?;
        let shape = any_shape(chance, &into.dimensions);
        let two = into.section(chance, &shape, TARGET)?;
        let one = from.section(chance, &shape, LOCAL)?;
        Some(Statement {
            text: format!("{} = {}", into.there(&two, "to"), from.here(&one)),
            model: format!("{} = {}", into.model(&two, "to"), from.model(&one, "k")),
            target,
        })
    }

    fn copy(&self, chance: &mut Chance) -> Option<Statement> {
        let ((target, into), (source, from)) = (self.coarray(chance), self.coarray(chance));
        (from.of.becomes(into.of) && source != target).then_some(())?;
        let shape = any_shape(chance, &into.dimensions);
        let two = into.section(chance, &shape, TARGET)?;
        let one = from.section(chance, &shape, SOURCE)?;
        Some(Statement {
            text: format!("{} = {}", into.there(&two, "to"), from.there(&one, "from")),
            model: format!("{} = {}", into.model(&two, "to"), from.model(&one, "from")),
            target,
        })
    }

    /// Within one image's coarray, so that source and target overlap.
    fn within(&self, chance: &mut Chance) -> Option<Statement> {
        let (target, array) = self.coarray(chance);
        let shape = any_shape(chance, &array.dimensions);
        let kind = chance.below(4);
        let two = array.section(chance, &shape, if kind == 1 { REGULAR } else { TARGET })?;
        let one = array.section(chance, &shape, if kind == 0 { LOCAL } else { SOURCE })?;
        // Each image its own elements, or the elements of one other image, which does not use them itself.
        let (into, from) = match kind {
            0 => (array.there(&two, "me"), array.here(&one)),
            1 => (array.here(&two), array.there(&one, "me")),
            2 => (array.there(&two, "to"), array.there(&one, "to")),
            _ => (array.there(&two, "me"), array.there(&one, "me")),
        };
        Some(Statement {
            text: format!("{into} = {from}"),
            // All images do the same with their own elements, or with the elements of one other image.
            model: format!("{} = {}", array.model(&two, "k"), array.model(&one, "k")),
            target,
        })
    }

    /// One value for all elements of a section.
    fn value(&self, chance: &mut Chance) -> Option<Statement> {
        let (target, into) = self.coarray(chance);
        let shape = any_shape(chance, &into.dimensions);
        let two = into.section(chance, &shape, TARGET)?;
        // gfortran 12 drops a computed length of text, except for a single character.
        let of = match into.of {
            Type::Text(kind, _) => Type::Text(kind, 1),
            of => of.convertible(chance),
        };
        let number = chance.from(0, 1000);
        let value = |image: &str| of.value(&format!("({number} + 5*{image})"));
        Some(Statement {
            text: format!("{} = {}", into.there(&two, "to"), value("me")),
            model: format!("{} = {}", into.model(&two, "to"), value("k")),
            target,
        })
    }

    /// Elements of two coarrays, or of one and an array of this image.
    fn expression(&self, chance: &mut Chance) -> Option<Statement> {
        let ((target, into), (source, from)) = (self.coarray(chance), self.coarray(chance));
        (into.of.is_number() && from.of.is_number() && source != target).then_some(())?;
        let shape = any_shape(chance, &into.dimensions);
        let two = into.section(chance, &shape, REGULAR)?;
        let one = from.section(chance, &shape, REGULAR)?;
        let factor = chance.from(1, 3);
        let (there, model) = match chance.below(3) {
            // Its own elements before.
            0 => (into.there(&two, "to"), into.model(&two, "to")),
            1 => ("7".to_owned(), "7".to_owned()),
            _ => (from.there(&one, "to"), from.model(&one, "to")),
        };
        // Values stay small enough for all kinds.
        let sum = |one: &str, two: &str| format!("wrap({factor}*real({one}, 8) - real({two}, 8))");
        Some(Statement {
            text: format!("{} = {}", into.there(&two, "to"), sum(&from.there(&one, "from"), &there)),
            model: format!("{} = {}", into.model(&two, "to"), sum(&from.model(&one, "from"), &model)),
            target,
        })
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut chance = Chance::new(seed);
    let arrays = Arrays::any(&mut chance);
    let mut text = String::from("program arrays\n  implicit none\n");
    arrays.0.iter().for_each(|array| array.declare(&mut text));
    text += "  integer :: me, n, i, k, to, from, zero\n\n  me = this_image()\n  n = num_images()\n  zero = n/1000\n";
    for (id, array) in arrays.0.iter().enumerate() {
        array.begin(id, &mut text);
    }
    text += "  sync all\n";
    let mut round = 0;
    while round < ROUNDS {
        let Some(Statement { text: statement, model, target }) = arrays.statement(&mut chance) else {
            continue;
        };
        round += 1;
        let (one, two) = (chance.from(0, 7), chance.from(0, 7));
        writeln!(
            text,
            "\n  call partners(me, {one}, {two})\n  {}\n  sync all\n  do k = 1, n\n    call partners(k, {one}, {two})\n    {}\n  end do",
            fold(&statement),
            fold(&model)
        )
        .expect("text");
        arrays.0[target].check(round, &mut text);
        text += "  sync all\n";
    }
    arrays.0.iter().for_each(|array| array.check(round + 1, &mut text));
    text += "  sync all\n";
    for array in arrays.0.iter().filter(|array| array.is_allocatable && array.codimensions.is_some()) {
        writeln!(text, "  deallocate ({})", array.name).expect("text");
    }
    text + "  if (me == 1) print '(a)', 'passed'\n\ncontains\n" + PROCEDURES
}

/// A statement in lines that are short enough.
pub fn fold(statement: &str) -> String {
    let mut line = 0;
    let mut folded = String::new();
    for word in statement.split_inclusive(", ") {
        if line + word.len() > 100 {
            folded += "&\n      ";
            line = 0;
        }
        folded += word;
        line += word.len();
    }
    folded
}
