//! Requests to other nodes whose answers have not arrived.

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

/// What an answer is for.
#[derive(Debug)]
enum Entry {
    /// Nothing: the next free entry.
    Free,
    /// Bytes, of which so many are missing.
    Read { bytes: Vec<u8>, missing: usize },
    /// A word.
    Word(Option<u64>),
}

/// Requests without an answer, by their numbers.
#[derive(Debug, Default)]
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

    /// A request for bytes.
    pub fn read(&mut self, length: usize) -> Request {
        self.add(Entry::Read { bytes: vec![0; length], missing: length })
    }

    /// A request for a word.
    pub fn word(&mut self) -> Request {
        self.add(Entry::Word(None))
    }

    fn entry(&mut self, number: u64) -> Option<&mut Entry> {
        let (turn, entry) = self.entries.get_mut(number as u32 as usize)?;
        (*turn == (number >> 32) as u32).then_some(entry)
    }

    /// Bytes that were asked for, from a position on. They are dropped where the request was given up. Whether they are
    /// what was asked for.
    pub fn write(&mut self, number: u64, at: usize, bytes: &[u8]) -> bool {
        match self.entry(number) {
            Some(Entry::Read { bytes: all, missing }) => {
                let into = at.checked_add(bytes.len()).and_then(|end| all.get_mut(at..end));
                let Some(into) = into.filter(|into| into.len() <= *missing) else { return false };
                into.copy_from_slice(bytes);
                *missing -= bytes.len();
                true
            }
            Some(Entry::Word(_)) => false,
            Some(Entry::Free) | None => true,
        }
    }

    /// The word that was asked for. Whether one was.
    pub fn answer(&mut self, number: u64, value: u64) -> bool {
        match self.entry(number) {
            Some(Entry::Word(word)) => {
                *word = Some(value);
                true
            }
            Some(Entry::Read { .. }) => false,
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

    /// The bytes of a request that has finished, which is forgotten then; none for one that was finished at once.
    #[inline]
    pub fn bytes(&mut self, request: Request) -> Option<Vec<u8>> {
        let State::Asked { .. } = request.0 else { return Some(Vec::new()) };
        let bytes = match self.entry(request.number()) {
            Some(Entry::Read { missing, .. }) if *missing > 0 => return None,
            Some(Entry::Read { bytes, .. }) => std::mem::take(bytes),
            _ => Vec::new(),
        };
        self.cancel(request);
        Some(bytes)
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

    #[test]
    fn answers_to_requests_that_were_given_up_are_dropped() {
        let mut requests = Requests::default();
        let read = requests.read(4);
        assert!(requests.write(read.number(), 2, &[1, 2]) && requests.bytes(read).is_none());
        requests.cancel(read);
        requests.cancel(read);
        let word = requests.word();
        assert!(requests.write(read.number(), 0, &[8, 8]) && requests.answer(read.number(), 1));
        assert_eq!(requests.result(word), None);
        assert!(requests.answer(word.number(), 5));
        assert_eq!((requests.result(word), requests.result(word)), (Some(5), Some(0)));
        assert_eq!((requests.bytes(read), requests.bytes(Request::DONE)), (Some(vec![]), Some(vec![])));
    }

    #[test]
    fn answers_that_nobody_has_asked_for_are_noticed() {
        let mut requests = Requests::default();
        let (read, word) = (requests.read(4), requests.word());
        assert!(!requests.write(read.number(), 2, &[0; 3]) && !requests.write(read.number(), 5, &[]));
        assert!(!requests.write(word.number(), 0, &[0]) && !requests.answer(read.number(), 0));
        assert!(!requests.write(read.number(), usize::MAX, &[0]));
        assert!(requests.write(read.number(), 0, &[7; 4]) && !requests.write(read.number(), 0, &[7]));
        assert_eq!(requests.bytes(read), Some(vec![7; 4]));
    }
}
