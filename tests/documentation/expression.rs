//! The value of an expression of constants, read from the text of the sources, so that a page can be compared
//! with private constants of any crate without a build of it.
//!
//! Arithmetic is that of Rust: whole numbers stay whole. Beside the constants there are `size_of::<T>()`,
//! `T::BITS`, `T::MAX`, `Duration::from_*` (in seconds), `len(LIST)`, `count(LIST, value)` and
//! `lines("begin")`, the number of such lines.

use std::collections::BTreeMap;

/// A number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    Whole(i128),
    Real(f64),
}

impl Value {
    pub fn real(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Real(number) => number,
        }
    }
}

/// The constants of some sources.
#[derive(Debug, Default)]
pub struct Constants {
    text: String,
    /// What is assigned to a name, several times if it is in several modules.
    assigned: BTreeMap<String, Vec<String>>,
}

/// Constants that refer to one another are not nested deeper.
const MAX_DEPTH: usize = 16;

/// Text without comments, in one line, as it is in a normal build.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
    normal(&lines.collect::<Vec<_>>().join(" "))
}

/// Text without the values of constants in models.
fn normal(text: &str) -> String {
    const IN_MODELS: &str = "if cfg!(hcube_model) {";
    let mut pieces = text.split(IN_MODELS);
    let mut normal = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let chosen = piece.split_once("} else {").and_then(|(_, rest)| rest.split_once('}'));
        let (value, rest) = chosen.unwrap_or(("", piece));
        normal += value.trim();
        normal += rest;
    }
    normal
}

/// A text up to a letter that is not in brackets.
fn until(text: &str, end: char) -> Option<&str> {
    let mut depth = 0;
    for (place, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ if letter == end && depth == 0 => return Some(&text[..place]),
            _ => {}
        }
    }
    None
}

impl Constants {
    /// Those of a source in Rust.
    pub fn of(text: &str) -> Self {
        let mut assigned = BTreeMap::<String, Vec<String>>::new();
        for item in code(text).split("const ").skip(1) {
            let Some((name, rest)) = item.split_once(':') else { continue };
            let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
            let value = rest.split_once(" = ").and_then(|(_, value)| until(value, ';'));
            if let (true, Some(value)) = (is_name, value) {
                let values = assigned.entry(name.to_owned()).or_default();
                if !values.iter().any(|other| other == value.trim()) {
                    values.push(value.trim().to_owned());
                }
            }
        }
        Self { text: text.to_owned(), assigned }
    }

    /// Those of another source as well.
    pub fn and(mut self, other: Self) -> Self {
        self.text += &other.text;
        for (name, values) in other.assigned {
            self.assigned.entry(name).or_default().extend(values);
        }
        self
    }

    fn assigned(&self, name: &str) -> Result<&str, String> {
        match self.assigned.get(name).map(Vec::as_slice) {
            Some([value]) => Ok(value),
            Some(values) => Err(format!("{name} is {}", values.join(" and "))),
            None => Err(format!("no constant {name}")),
        }
    }

    /// The value of an expression.
    pub fn value(&self, expression: &str) -> Result<Value, String> {
        self.nested(expression, 0)
    }

    fn nested(&self, expression: &str, depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err(format!("'{expression}' refers to itself"));
        }
        let mut reader = Reader { constants: self, rest: expression, depth };
        let value = reader.shifted()?;
        match reader.rest.trim() {
            "" => Ok(value),
            rest => Err(format!("'{expression}': '{rest}' is not understood")),
        }
    }

    /// The elements of a list.
    fn list(&self, name: &str, depth: usize) -> Result<Vec<Value>, String> {
        let value = self.assigned(name)?;
        let inner = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
        let inner = inner.ok_or_else(|| format!("{name} is no list: {value}"))?;
        let elements = inner.split(',').map(str::trim).filter(|element| !element.is_empty());
        elements.map(|element| self.nested(element, depth + 1)).collect()
    }
}

struct Reader<'a> {
    constants: &'a Constants,
    rest: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn takes(&mut self, sign: &str) -> bool {
        match self.rest.trim_start().strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.takes(sign) { Ok(()) } else { Err(format!("'{sign}' expected before '{}'", self.rest)) }
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest.trim_start();
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_:".contains(letter);
        let (word, rest) = rest.split_at(rest.find(|letter| !is_part(letter)).unwrap_or(rest.len()));
        self.rest = rest;
        word
    }

    fn shifted(&mut self) -> Result<Value, String> {
        let mut value = self.sum()?;
        loop {
            let left = self.takes("<<");
            if !left && !self.takes(">>") {
                return Ok(value);
            }
            value = match (value, self.sum()?) {
                (Value::Whole(value), Value::Whole(by @ 0..100)) if left => Value::Whole(value << by),
                (Value::Whole(value), Value::Whole(by @ 0..100)) => Value::Whole(value >> by),
                (value, by) => return Err(format!("{value:?} shifted by {by:?}")),
            }
        }
    }

    fn sum(&mut self) -> Result<Value, String> {
        let mut value = self.product()?;
        loop {
            if self.takes("+") {
                value = combined(value, self.product()?, |a, b| Some(a + b), |a, b| a + b)?;
            } else if self.takes("-") {
                value = combined(value, self.product()?, |a, b| Some(a - b), |a, b| a - b)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<Value, String> {
        let mut value = self.cast()?;
        loop {
            if self.takes("*") {
                value = combined(value, self.cast()?, i128::checked_mul, |a, b| a * b)?;
            } else if self.takes("/") {
                value = combined(value, self.cast()?, i128::checked_div, |a, b| a / b)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn cast(&mut self) -> Result<Value, String> {
        let mut value = self.single()?;
        while self.takes("as ") {
            value = match self.word() {
                "f32" | "f64" => Value::Real(value.real()),
                _ => Value::Whole(value.real() as i128),
            };
        }
        Ok(value)
    }

    fn single(&mut self) -> Result<Value, String> {
        if self.takes("(") {
            let value = self.shifted()?;
            return self.expect(")").map(|()| value);
        }
        if self.takes("-") {
            return combined(Value::Whole(0), self.single()?, |a, b| Some(a - b), |a, b| a - b);
        }
        if self.takes("size_of::<") {
            let bits = bits(self.word())?;
            return self.expect(">()").map(|()| Value::Whole(bits / 8));
        }
        match self.rest.trim_start().chars().next() {
            Some(digit) if digit.is_ascii_digit() => self.number(),
            Some(_) => self.name(),
            None => Err("an expression that ends too early".to_owned()),
        }
    }

    fn number(&mut self) -> Result<Value, String> {
        let rest = self.rest.trim_start();
        let mut end = 0;
        for (place, letter) in rest.char_indices() {
            let is_sign = "+-".contains(letter) && rest[..place].ends_with('e') && !rest.starts_with("0x");
            if !(letter.is_ascii_alphanumeric() || "._".contains(letter) || is_sign) {
                break;
            }
            end = place + 1;
        }
        let text = rest[..end].replace('_', "");
        self.rest = &rest[end..];
        let kinds = ["usize", "isize", "u8", "u16", "u32", "u64", "i32", "i64", "f64"];
        let digits = kinds.iter().find_map(|kind| text.strip_suffix(kind)).unwrap_or(&text);
        let whole = match digits.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        let real = || digits.parse().map(Value::Real).map_err(|_| format!("'{text}' is no number"));
        whole.map(Value::Whole).or_else(|_| real())
    }

    fn name(&mut self) -> Result<Value, String> {
        let word = self.word();
        let (of, last) = word.rsplit_once("::").unwrap_or(("", word));
        match last {
            "" => Err(format!("'{}' is not understood", self.rest)),
            "from_secs" | "from_millis" | "from_micros" | "from_nanos" => {
                let unit = match last {
                    "from_secs" => 1.0,
                    "from_millis" => 1e3,
                    "from_micros" => 1e6,
                    _ => 1e9,
                };
                self.expect("(")?;
                let value = self.shifted()?.real() / unit;
                self.expect(")").map(|()| Value::Real(value))
            }
            "len" | "count" => {
                self.expect("(")?;
                let list = self.word();
                let list = self.constants.list(list, self.depth)?;
                let mut number = list.len();
                if last == "count" {
                    self.expect(",")?;
                    let value = self.shifted()?;
                    number = list.iter().filter(|element| **element == value).count();
                }
                self.expect(")").map(|()| Value::Whole(number as i128))
            }
            "lines" => {
                self.expect("(\"")?;
                let (begin, rest) = self.rest.split_once("\")").ok_or("lines(\"begin\") expected")?;
                self.rest = rest;
                let number = self.constants.text.lines().filter(|line| line.starts_with(begin)).count();
                Ok(Value::Whole(number as i128))
            }
            "BITS" if !of.is_empty() => bits(of).map(Value::Whole),
            "MAX" if of.starts_with('i') => Ok(Value::Whole((1 << (bits(of)? - 1)) - 1)),
            "MAX" if of.starts_with('u') => Ok(Value::Whole((1 << bits(of)?) - 1)),
            _ => self.constants.nested(self.constants.assigned(last)?, self.depth + 1),
        }
    }
}

fn combined(
    first: Value,
    second: Value,
    whole: impl Fn(i128, i128) -> Option<i128>,
    real: impl Fn(f64, f64) -> f64,
) -> Result<Value, String> {
    match (first, second) {
        (Value::Whole(first), Value::Whole(second)) => {
            let value = whole(first, second).ok_or_else(|| format!("{first} and {second}: no whole number"));
            value.map(Value::Whole)
        }
        _ => Ok(Value::Real(real(first.real(), second.real()))),
    }
}

fn bits(kind: &str) -> Result<i128, String> {
    match kind {
        "u8" | "i8" => Ok(8),
        "u16" | "i16" => Ok(16),
        "u32" | "i32" | "f32" => Ok(32),
        "u64" | "i64" | "f64" | "usize" | "isize" | "AtomicU64" => Ok(64),
        _ => Err(format!("the size of {kind} is not known")),
    }
}

#[test]
fn constants_are_read() {
    let text = "
        /// const NOT: usize = 1;
        pub const SIZE: usize = 32 << 10; // or 64 << 10
        const SMALL: usize = SIZE / 8 - 1;
        pub(crate) const WORDS: usize = SIZE / size_of::<u64>();
        const LIST: [usize; 4] = [0, 2, 1,
            2];
        const LATE: Duration = Duration::from_millis(1_500);
        const SHARE: f64 = 0.6;
        const LOOP: usize = LOOP + 1;
        mod one { const TWICE: usize = 1; }
        mod two { const TWICE: usize = 2; }
        const fn function(x: usize) -> usize { x }
        const _: () = assert!(SIZE > SMALL);
        ";
    let constants = Constants::of(text);
    for (expression, value) in [
        ("SIZE", Value::Whole(32768)),
        ("2 * SMALL", Value::Whole(8190)),
        ("WORDS", Value::Whole(4096)),
        ("1024 * 1024", Value::Whole(1 << 20)),
        ("1 << 10 + 10", Value::Whole(1 << 20)),
        ("(1 << 16) - 1", Value::Whole(65535)),
        ("7 / 2 * 2", Value::Whole(6)),
        ("1_000usize - 0x10", Value::Whole(984)),
        ("-(2 - 3) - 1", Value::Whole(0)),
        ("u64::BITS as usize + i32::MAX as usize", Value::Whole(64 + (1 << 31) - 1)),
        ("u8::MAX", Value::Whole(255)),
        ("len(LIST) - count(LIST, 2)", Value::Whole(2)),
        ("lines(\"        const \")", Value::Whole(7)),
        ("LATE", Value::Real(1.5)),
        ("SHARE * 5", Value::Real(3.0)),
        ("1e-3", Value::Real(1e-3)),
        ("crate::module::SIZE >> 10", Value::Whole(32)),
    ] {
        assert_eq!(constants.value(expression), Ok(value), "{expression}");
    }
    for (expression, error) in [
        ("NOT", "no constant NOT"),
        ("function", "no constant function"),
        ("LOOP", "refers to itself"),
        ("TWICE", "TWICE is 1 and 2"),
        ("SIZE SIZE", "'SIZE' is not understood"),
        ("len(SIZE)", "SIZE is no list"),
        ("1 / 0", "no whole number"),
        ("1 +", "ends too early"),
        ("size_of::<Entry>()", "the size of Entry is not known"),
    ] {
        let found = constants.value(expression).expect_err(expression);
        assert!(found.contains(error), "{expression}: {found}");
    }
    let both = Constants::of("const A: usize = B * 2;").and(Constants::of("const B: usize = 4;"));
    assert_eq!(both.value("A"), Ok(Value::Whole(8)));
}
