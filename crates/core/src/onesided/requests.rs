//! Pending requests to other nodes.
//!
//! A long get requests a few pieces, and a further one whenever its caller has copied one to its destination.
//! Neither side therefore keeps more than those pieces.

use crate::active::Payload;
use crate::memory::Region;

/// Bytes of a reply before the requested ones: their position.
const HEAD: usize = size_of::<u64>();

/// An access that was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "it has to be asked about"]
pub struct Request(State);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It has finished, with this value.
    Done(u64),
    /// Number in the table and the use of that number.
    Asked { index: u32, turn: u32 },
}

impl Request {
    /// A get that has finished.
    pub const DONE: Self = Self(State::Done(0));

    /// An atomic operation that has finished.
    pub(super) const fn value(value: u64) -> Self {
        Self(State::Done(value))
    }

    /// By which the answer names it.
    pub(super) fn number(self) -> u64 {
        match self.0 {
            State::Done(_) => u64::MAX,
            State::Asked { index, turn } => u64::from(index) | u64::from(turn) << 32,
        }
    }
}

/// A question that the owner of memory answers with bytes: its kind, and its words.
pub type Question = (u8, Vec<u64>);
/// Requests that are sent later.
pub type Questions = Box<dyn Iterator<Item = Question>>;

/// A get.
struct Read {
    /// The rank that receives the request.
    from: usize,
    /// All bytes, and those that have not arrived.
    length: usize,
    missing: usize,
    /// Answers that have not been copied.
    answers: Vec<Payload>,
    questions: Option<Questions>,
}

/// The request of a reply.
enum Entry {
    /// Nothing: the next free entry.
    Free,
    /// Bytes.
    Read(Read),
    /// A word.
    Word(Option<u64>),
}

/// Requests without an answer, by their numbers.
#[derive(Default)]
pub struct Requests {
    entries: Vec<(u32, Entry)>,
    free: Vec<u32>,
}

impl Requests {
    fn add(&mut self, entry: Entry) -> Request {
        let index = self.free.pop().unwrap_or_else(|| {
            self.entries.push((0, Entry::Free));
            self.entries.len() as u32 - 1
        });
        let (turn, place) = &mut self.entries[index as usize];
        *turn = turn.wrapping_add(1);
        *place = entry;
        Request(State::Asked { index, turn: *turn })
    }

    /// A request to a rank for bytes, with the parts that are requested later.
    pub fn read(&mut self, from: usize, length: usize, questions: Option<Questions>) -> Request {
        let answers = Vec::new();
        self.add(Entry::Read(Read { from, length, missing: length, answers, questions }))
    }

    /// A request for a word.
    pub fn word(&mut self) -> Request {
        self.add(Entry::Word(None))
    }

    fn entry(&mut self, number: u64) -> Option<&mut Entry> {
        let (turn, entry) = self.entries.get_mut(number as u32 as usize)?;
        (*turn == (number >> 32) as u32).then_some(entry)
    }

    /// A position, and the requested bytes from there on. They are dropped if the request was abandoned.
    /// Returns whether they were requested.
    pub fn write(&mut self, number: u64, answer: Payload) -> bool {
        match self.entry(number) {
            Some(Entry::Read(read)) => {
                let [at] = answer.words();
                let Some(length) = answer.len().checked_sub(HEAD) else { return false };
                let end = (at as usize).checked_add(length);
                if length > read.missing || end.is_none_or(|end| end > read.length) {
                    return false;
                }
                read.missing -= length;
                read.answers.push(answer);
                true
            }
            Some(Entry::Word(_)) => false,
            Some(Entry::Free) | None => true,
        }
    }

    /// The requested word. Returns whether one was requested.
    pub fn answer(&mut self, number: u64, value: u64) -> bool {
        match self.entry(number) {
            Some(Entry::Word(word)) => {
                *word = Some(value);
                true
            }
            Some(Entry::Read(_)) => false,
            Some(Entry::Free) | None => true,
        }
    }

    /// The word of a request that has finished, which is forgotten then.
    #[inline]
    pub fn result(&mut self, request: Request) -> Option<u64> {
        if let State::Done(value) = request.0 {
            return Some(value);
        }
        let value = match self.entry(request.number()) {
            Some(Entry::Word(word)) => (*word)?,
            _ => 0,
        };
        self.cancel(request);
        Some(value)
    }

    /// Copies the bytes that have arrived for a request, and has `ask` send further questions to the rank.
    /// Whether all have arrived: the request is forgotten then.
    ///
    /// # Panics
    /// If the region does not have the length of the request.
    pub fn copy_to(
        &mut self,
        request: Request,
        into: Region<'_>,
        mut ask: impl FnMut(usize, Question),
    ) -> bool {
        let Some(Entry::Read(read)) = self.entry(request.number()) else { return true };
        assert_eq!(into.len(), read.length, "bytes of a get");
        for answer in read.answers.drain(..) {
            let [at] = answer.words();
            let bytes = &answer[HEAD..];
            into.part(at as usize..at as usize + bytes.len()).write(bytes);
            if let Some(question) = read.questions.as_mut().and_then(Iterator::next) {
                ask(read.from, question);
            }
        }
        let has_finished = read.missing == 0;
        if has_finished {
            self.cancel(request);
        }
        has_finished
    }

    /// Forgets a request.
    pub fn cancel(&mut self, request: Request) {
        if let State::Asked { index, .. } = request.0
            && let Some(entry) = self.entry(request.number())
            && !matches!(entry, Entry::Free)
        {
            *entry = Entry::Free;
            self.free.push(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer: a position and bytes.
    fn answer(at: u64, bytes: &[u8]) -> Payload {
        Payload::copied(&[&at.to_ne_bytes(), bytes].concat())
    }

    fn ask_nothing(_: usize, _: Question) {
        panic!("a question that nobody has");
    }

    #[test]
    fn answers_to_requests_that_were_given_up_are_dropped() {
        let mut requests = Requests::default();
        let mut memory = [0; 4];
        let into = Region::of(&mut memory);
        let read = requests.read(3, 4, None);
        assert!(requests.write(read.number(), answer(2, &[1, 2])));
        assert!(!requests.copy_to(read, into, ask_nothing));
        requests.cancel(read);
        requests.cancel(read);
        let word = requests.word();
        assert!(requests.write(read.number(), answer(0, &[8, 8])) && requests.answer(read.number(), 1));
        assert_eq!(requests.result(word), None);
        assert!(requests.answer(word.number(), 5));
        assert_eq!((requests.result(word), requests.result(word)), (Some(5), Some(0)));
        assert!([read, Request::DONE].map(|done| requests.copy_to(done, into, ask_nothing)) == [true; 2]);
        assert_eq!(memory, [0, 0, 1, 2]);
    }

    #[test]
    fn answers_that_nobody_has_asked_for_are_noticed() {
        let mut requests = Requests::default();
        let (read, word) = (requests.read(3, 4, None), requests.word());
        assert!(!requests.write(read.number(), answer(2, &[0; 3])));
        assert!(!requests.write(read.number(), answer(5, &[])));
        assert!(!requests.write(read.number(), Payload::copied(&[0; 7])));
        assert!(!requests.write(word.number(), answer(0, &[0])) && !requests.answer(read.number(), 0));
        assert!(!requests.write(read.number(), answer(u64::MAX, &[0])));
        assert!(requests.write(read.number(), answer(0, &[7; 4])));
        assert!(!requests.write(read.number(), answer(0, &[7])));
        let mut memory = [0; 4];
        assert!(requests.copy_to(read, Region::of(&mut memory), ask_nothing) && memory == [7; 4]);
    }

    #[test]
    fn a_further_piece_is_asked_for_when_one_was_copied() {
        let mut requests = Requests::default();
        let read = requests.read(3, 4, Some(Box::new([(9, vec![2]), (9, vec![3])].into_iter())));
        let mut memory = [0; 4];
        let mut asked = Vec::new();
        for at in 0..4 {
            assert!(asked.len() < 3);
            assert!(requests.write(read.number(), answer(at, &[at as u8 + 1])));
            let ask = |from, question| asked.push((from, question));
            assert_eq!(requests.copy_to(read, Region::of(&mut memory), ask), at == 3);
            assert_eq!(asked.len(), 2.min(at as usize + 1), "questions after {at}");
        }
        assert_eq!((memory, &asked[1]), ([1, 2, 3, 4], &(3, (9, vec![3]))));
    }
}
