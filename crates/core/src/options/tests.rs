use super::{Kind, Number, Pair, RANKS_PER_NODE, Spec, Table, parse_bytes, phrase, put};
use hcube_testing::sizes::sizes;
use proptest::prelude::*;

crate::named_values! {
    /// For the tests.
    pub enum Colour {
        /// Like grass.
        Green = 0, "green", "HCUBE_GREEN";
        /// Like blood,
        /// and more.
        ///
        /// Not in the manual.
        Red = 3, "red", "HCUBE_RED";
    }
}

crate::named_set! {
    /// For the tests.
    pub struct Parts as "HCUBE_PARTS" {
        /// One.
        pub one = 1, "1", "HCUBE_ONE";
        /// Four.
        pub four = 4, "7", "HCUBE_FOUR";
    }
}

crate::options_table! {
    /// For the tests.
    pub struct Options {
        /// Number of things.
        pub count: usize = Spec::count("HCUBE_COUNT", 2, 9, "things").default(5),
        /// Colour
        /// of things.
        ///
        /// Not in the manual.
        pub colour: Colour = Spec::new("HCUBE_COLOUR", Kind::One(Colour::NAMES), Colour::Red as i64).flag("--colour"),
        /// Parts of things.
        pub parts: Parts = Spec::new("HCUBE_PARTS", Parts::KIND, Parts::KIND.all()),
        /// Room.
        pub room: usize = Spec::new("HCUBE_ROOM", Kind::Bytes { max: 1 << 30 }, 3 << 20),
        /// Whether they shine.
        pub shine: bool = Spec::new("HCUBE_SHINE", Kind::Flag, 1),
        /// See the constant.
        pub ranks_per_node: usize = RANKS_PER_NODE,
        /// Number of rows.
        pub rows: usize = Spec::any_count("HCUBE_SHAPE", "rows").first_of(&SHAPE),
        /// Number of columns.
        pub columns: usize = Spec::any_count("HCUBE_SHAPE", "columns").second_of(&SHAPE),
        /// Where it begins.
        pub begin: usize = Spec::count("HCUBE_RANGE", 0, 9, "places").default(1).first_of(&RANGE),
        /// Where it ends.
        pub end: usize = Spec::count("HCUBE_RANGE", 0, 9, "places").default(7).second_of(&RANGE),
    }
}

/// Both values are needed.
const SHAPE: Pair = Pair {
    pattern: "RxC",
    separator: 'x',
    second_is_optional: false,
    ascending: false,
    doc: "The shape of things.",
};
/// The first value is enough.
const RANGE: Pair = Pair {
    pattern: "b[:e]",
    separator: ':',
    second_is_optional: true,
    ascending: true,
    doc: "From where to where.",
};

const DEFAULT: Options = Options {
    count: 5,
    colour: Colour::Red,
    parts: Parts::ALL,
    room: 3 << 20,
    shine: true,
    ranks_per_node: 0,
    rows: 0,
    columns: 0,
    begin: 1,
    end: 7,
};

fn from(variables: &[(&str, &str)]) -> crate::Result<Options> {
    Options::from_variables(|name| {
        variables.iter().find(|known| known.0 == name).map(|known| known.1.to_owned())
    })
}

#[test]
fn variables_change_the_defaults() {
    assert_eq!(Options::default(), DEFAULT);
    assert_eq!(Options::from_environment(), Ok(DEFAULT));
    assert_eq!(from(&[("HCUBE_COUNT", "")]), Ok(DEFAULT));
    let set = [("HCUBE_COUNT", "9"), ("HCUBE_COLOUR", "green"), ("HCUBE_PARTS", "7"), ("HCUBE_ROOM", "64k")];
    let parts = Parts { one: false, four: true };
    let expected = Options { count: 9, colour: Colour::Green, parts, room: 65536, ..DEFAULT };
    assert_eq!(from(&set), Ok(expected));
    assert_eq!(from(&[("HCUBE_SHINE", "0")]), Ok(Options { shine: false, ..DEFAULT }));
}

#[test]
fn a_variable_may_hold_two_options() {
    assert_eq!(from(&[("HCUBE_SHAPE", "4x2")]), Ok(Options { rows: 4, columns: 2, ..DEFAULT }));
    assert_eq!(from(&[("HCUBE_RANGE", "2:3")]), Ok(Options { begin: 2, end: 3, ..DEFAULT }));
    assert_eq!(from(&[("HCUBE_RANGE", "5:0")]), Ok(Options { begin: 5, end: 0, ..DEFAULT }));
    assert_eq!(from(&[("HCUBE_RANGE", "5")]), Ok(Options { begin: 5, ..DEFAULT }));
    const ORDERED: &str = "b[:e], each 0 to 9, the second not less than the first unless it is 0";
    for (name, value, expected) in [
        ("HCUBE_SHAPE", "4", "RxC, each 0 or more"),
        ("HCUBE_SHAPE", "4x", "RxC, each 0 or more"),
        ("HCUBE_SHAPE", "x4", "RxC, each 0 or more"),
        ("HCUBE_SHAPE", "4x2x1", "RxC, each 0 or more"),
        ("HCUBE_SHAPE", "4X2", "RxC, each 0 or more"),
        ("HCUBE_RANGE", "3:", ORDERED),
        ("HCUBE_RANGE", "3:10", ORDERED),
        ("HCUBE_RANGE", ":", ORDERED),
        ("HCUBE_RANGE", "3:2", ORDERED),
    ] {
        let error = from(&[(name, value)]).expect_err("refused").to_string();
        assert_eq!(error, format!("{name} = '{value}': expected {expected}"));
    }
    let said = Options::variables();
    let pairs: Vec<_> = said[6..]
        .iter()
        .map(|one| (one.name, &*one.values, &*one.default, &*one.meaning, &*one.fields))
        .collect();
    assert_eq!(
        pairs,
        [
            ("HCUBE_SHAPE", "RxC, each 0 or more", "0x0", "the shape of things", &["rows", "columns"][..]),
            ("HCUBE_RANGE", ORDERED, "1", "from where to where", &["begin", "end"][..]),
        ]
    );
}

#[test]
fn what_is_not_accepted_is_named_with_what_is() {
    for (name, value, expected) in [
        ("HCUBE_COUNT", "1", "2 to 9"),
        ("HCUBE_COUNT", "10", "2 to 9"),
        ("HCUBE_COUNT", "-3", "2 to 9"),
        ("HCUBE_COUNT", "2.5", "2 to 9"),
        ("HCUBE_COLOUR", "Green", "green, red"),
        ("HCUBE_PARTS", "1,4", "all, none, or a list of 1,7"),
        ("HCUBE_ROOM", "2G", "bytes up to 1G; k, M, G and T stand for powers of 1024"),
        ("HCUBE_ROOM", "99999999999T", "bytes up to 1G; k, M, G and T stand for powers of 1024"),
        ("HCUBE_SHINE", "yes", "0 or 1"),
        ("HCUBE_RANKS_PER_NODE", "1.5", "0 or more"),
        ("HCUBE_RANKS_PER_NODE", "18446744073709551615", "0 or more"),
    ] {
        let error = from(&[(name, value)]).expect_err("refused").to_string();
        assert_eq!(error, format!("{name} = '{value}': expected {expected}"));
    }
}

#[test]
fn numbers_of_c_are_checked() {
    let mut options = DEFAULT;
    for (field, number, expected) in [
        ("count", 1, "2 to 9 things"),
        ("colour", 1, "HCUBE_GREEN (0) or HCUBE_RED (3)"),
        ("parts", 2, "HCUBE_PARTS (5), or any of HCUBE_ONE (1) and HCUBE_FOUR (4)"),
        ("room", -1, "0 to 1073741824 bytes"),
        ("shine", 2, "0 or 1"),
        ("ranks_per_node", -1, "0 or more ranks"),
    ] {
        let error = put(&mut options, field, number).expect_err("refused").to_string();
        assert_eq!(error, format!("options.{field} = {number}: expected {expected}"));
    }
    assert_eq!(options, DEFAULT);
    for (field, number) in [("count", 9), ("colour", 0), ("parts", 4), ("room", 0), ("shine", 0)] {
        assert_eq!(put(&mut options, field, number), Ok(()));
        assert_eq!((Options::setting(field).get)(&options), number);
    }
    assert_eq!(options.check(), Ok(()));
    let error = Options { room: 1 << 31, ..DEFAULT }.check().expect_err("refused").to_string();
    assert_eq!(error, "options.room = 2147483648: expected 0 to 1073741824 bytes");
    assert_eq!(DEFAULT.agreement()[1], ("options.colour", 3));
}

#[test]
fn the_table_says_what_users_write() {
    let said = Options::variables();
    let texts: Vec<_> = said[..6].iter().map(|one| (one.name, &*one.values, &*one.default)).collect();
    assert_eq!(
        texts,
        [
            ("HCUBE_COUNT", "2 to 9", "5"),
            ("HCUBE_COLOUR", "green, red", "red"),
            ("HCUBE_PARTS", "all, none, or a list of 1,7", "all"),
            ("HCUBE_ROOM", "bytes up to 1G; k, M, G and T stand for powers of 1024", "3M"),
            ("HCUBE_SHINE", "0 or 1", "1"),
            ("HCUBE_RANKS_PER_NODE", "0 or more", "0"),
        ]
    );
    assert_eq!(
        (&*said[1].meaning, said[1].flag, &*said[1].fields),
        ("colour of things", Some("--colour"), &["colour"][..])
    );
    assert!(said[5].meaning.starts_with("maximum number of ranks"), "{}", said[5].meaning);
    assert_eq!(Colour::NAMES[1].meaning(), "Like blood, and more.");
    // The text that is shown can be read again.
    for row in Options::TABLE {
        assert_eq!(row.spec.kind.parse(&row.spec.kind.show(row.spec.default)), Some(row.spec.default));
    }
}

#[test]
fn names_and_numbers_belong_together() {
    assert_eq!(Colour::from_name("red"), Some(Colour::Red));
    assert_eq!((Colour::from_number(3), Colour::from_number(1)), (Some(Colour::Red), None));
    for (list, bits) in [("none", 0), ("1", 1), ("7", 4), ("1,7", 5)] {
        let parts = Parts::from_list(list).expect("valid");
        assert_eq!((parts.number(), parts.to_list()), (bits, list.to_owned()));
    }
    assert_eq!([Parts::from_list("all"), Parts::from_list("")], [Some(Parts::ALL), Some(Parts::NONE)]);
    assert_eq!((Parts::from_list("4"), Parts::from_number(8)), (None, None));
}

#[test]
fn bytes_have_units() {
    for (text, bytes) in
        [("0", 0), ("65537", 65537), ("64k", 65536), ("1M", 1 << 20), ("2G", 2 << 30), ("1T", 1 << 40)]
    {
        assert_eq!(parse_bytes(text), Some(bytes));
        assert_eq!(Kind::Bytes { max: i64::MAX }.show(bytes as i64), text);
    }
    assert!(["", "k", "1kk", "0x10", "1.5M", "1Q"].iter().all(|text| parse_bytes(text).is_none()));
}

#[test]
fn sentences_become_parts_of_others() {
    for (sentence, part) in [
        ("Whether it shines.", "whether it shines"),
        ("Mod1: first.", "Mod1: first"),
        ("MPI does it", "MPI does it"),
        ("2 MiB pages.", "2 MiB pages"),
    ] {
        assert_eq!(phrase(sentence), part);
    }
}

proptest! {
    #[test]
    fn numbers_of_any_size_and_unit_are_exact_or_refused(number in sizes(), unit in 0..5_usize) {
        let text = format!("{number}{}", ["", "k", "M", "g", "T"][unit]);
        let bytes = (number as u128) << (10 * unit);
        prop_assert_eq!(parse_bytes(&text).map(|bytes| bytes as u128), usize::try_from(bytes).ok().map(|_| bytes));
    }
}
