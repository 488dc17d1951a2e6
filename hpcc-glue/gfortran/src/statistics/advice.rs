//! Advice: statements that would be faster in another form.
//!
//! A loop over elements of another image costs one access for each, while one statement with a section costs
//! one copy. Accesses of one element count as element-wise if they continue with a constant stride, as in a
//! loop; random accesses do not, since no section could replace them.

use crate::statement::kind::Kind;
use std::collections::HashMap;

/// Accesses at one distance from which on they count.
const LONG: u64 = 8;
/// Coarrays and images that are remembered.
const REMEMBERED: usize = 4096;

/// Accesses of single elements.
#[derive(Debug, Default)]
pub struct Elements {
    /// The last ones, by kind, coarray and image.
    last: HashMap<(Kind, (usize, i32)), Run>,
    /// Accesses in runs of gets.
    pub gets: u64,
    /// Accesses in runs of puts.
    pub puts: u64,
}

/// Accesses at one distance.
#[derive(Debug, Clone, Copy)]
struct Run {
    position: usize,
    distance: usize,
    length: u64,
}

impl Elements {
    /// Counts an access of one element.
    pub fn note(&mut self, kind: Kind, of: (usize, i32), position: usize) {
        if self.last.len() > REMEMBERED {
            self.last.clear();
        }
        let run = self.last.entry((kind, of)).or_insert(Run { position, distance: 0, length: 0 });
        let distance = position.wrapping_sub(run.position);
        let length = if distance != 0 && distance == run.distance { run.length + 1 } else { 1 };
        *run = Run { position, distance, length };
        let more = match length {
            LONG => LONG,
            length if length > LONG => 1,
            _ => 0,
        };
        *(if kind == Kind::Get { &mut self.gets } else { &mut self.puts }) += more;
    }
}

/// The advice for element-wise accesses: `count` of `of` statements of a kind.
pub fn element_wise(kind: Kind, count: u64, of: u64) -> String {
    let instead = if kind == Kind::Get { "x(:) = a(:)[image] gets" } else { "a(:)[image] = x(:) puts" };
    format!(
        "element-wise remote access: {count} of {of} {}s access one element each, with a constant stride; one statement with a \
         section, {instead} all of them together",
        kind.name()
    )
}

/// The advice for accesses that another image has performed.
pub fn requests(kind: Kind, count: u64) -> String {
    format!(
        "requests: {count} {}s were performed by the other image, because only that image can access the memory or change the \
         shape of the component; each completes when that image waits or executes a coarray statement",
        kind.name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_count_and_random_accesses_do_not() {
        let mut elements = Elements::default();
        for at in 0..100 {
            elements.note(Kind::Get, (1, 2), 1000 - 8 * at);
            // Another loop at the same time, and one coarray at random.
            elements.note(Kind::Put, (1, 2), 4 * at);
            elements.note(Kind::Get, (3, 2), at * at % 31);
        }
        assert_eq!((elements.gets, elements.puts), (99, 99));
        // The same element again and again is no loop.
        (0..100).for_each(|_| elements.note(Kind::Get, (9, 1), 5));
        // Nor are few.
        (0..5).for_each(|at| elements.note(Kind::Get, (9, 2), at));
        assert_eq!((elements.gets, elements.puts), (99, 99));
    }
}
