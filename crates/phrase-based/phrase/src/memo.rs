//! A cache of language model scores.

use crate::index::{Index, finish, mix};
use metaphrase_base::WordId;
use metaphrase_ngram::{Lookup, State};
use std::hash::{Hash, Hasher};

/// Slots; together they stay in the second-level cache of most processors.
const SLOTS: usize = 1 << 13;

/// Remembers the score of a word after a state, until another score needs the slot.
///
/// Hypotheses of different coverages often end in the same words, and many options begin with the same word, so that
/// most scores are requested again and again.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// The states of this sentence; the first has the number `first`.
    states: Vec<State>,
    by_state: Index,
    first: u32,
    slots: Vec<Entry>,
}

/// The number of a state; no state has number 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct StateNumber(u32);

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    state: StateNumber,
    word: WordId,
    log10: f32,
    after: NextState,
}

/// The state after the word of an entry.
#[derive(Debug, Clone, Copy)]
enum NextState {
    /// Only the score was requested; the state follows from the n-grams that were found.
    Found(Lookup),
    State(State),
}

impl Default for NextState {
    fn default() -> Self {
        Self::State(State::default())
    }
}

impl Memo {
    /// Begins a sentence. Its states get new numbers, so that nothing of another sentence, or of another model, is
    /// found.
    pub(crate) fn start(&mut self) {
        self.first += self.states.len() as u32;
        self.states.clear();
        self.by_state.clear();
        if self.slots.is_empty() || self.first > u32::MAX / 2 {
            self.first = 1;
            self.slots.clear();
            self.slots.resize(SLOTS, Entry::default());
        }
    }

    /// The number of a state.
    pub(crate) fn number(&mut self, state: &State) -> StateNumber {
        let mut hasher = MixHasher::default();
        state.hash(&mut hasher);
        let hash = hasher.finish32();
        let number = self.by_state.find(hash, |number| self.states[number as usize] == *state).unwrap_or_else(|| {
            let number = self.states.len() as u32;
            self.states.push(*state);
            self.by_state.insert(hash, number);
            number
        });
        StateNumber(self.first + number)
    }

    /// The log10 probability of a word after a state; `look_up` is called if it is not remembered.
    #[inline]
    pub(crate) fn log10(&mut self, state: StateNumber, word: WordId, look_up: impl FnOnce() -> Lookup) -> f32 {
        self.entry(state, word, look_up).log10
    }

    /// The log10 probability of a word after a state, and the state after the word. A word that [`log10`](Self::log10)
    /// has looked up is not looked up again: `after` gives the state.
    #[inline]
    pub(crate) fn score(
        &mut self,
        state: StateNumber,
        word: WordId,
        look_up: impl FnOnce() -> Lookup,
        after: impl FnOnce(&Lookup) -> State,
    ) -> (f32, State) {
        let entry = self.entry(state, word, look_up);
        let next = match &entry.after {
            NextState::Found(found) => after(found),
            NextState::State(state) => *state,
        };
        entry.after = NextState::State(next);
        (entry.log10, next)
    }

    #[inline]
    fn entry(&mut self, state: StateNumber, word: WordId, look_up: impl FnOnce() -> Lookup) -> &mut Entry {
        let entry = &mut self.slots[finish(mix(state.0.into(), word.0.into())) as usize % SLOTS];
        if (entry.state, entry.word) != (state, word) {
            let found = look_up();
            *entry = Entry { state, word, log10: found.log10, after: NextState::Found(found) };
        }
        entry
    }
}

/// Hashes a language model's state with a multiplication per number.
#[derive(Default)]
pub(crate) struct MixHasher(u64);

impl MixHasher {
    /// Upper bits of the hash.
    pub(crate) fn finish32(&self) -> u32 {
        finish(self.0)
    }
}

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = mix(self.0, byte.into());
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.0 = mix(self.0, value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0, value);
    }

    fn write_usize(&mut self, value: usize) {
        self.0 = mix(self.0, value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metaphrase_ngram::{END, arpa};

    const ARPA: &str = "\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\t-0.5\n-0.7\t</s>\n\
        -0.4\thello\t-0.2\n\n\\2-grams:\n-0.1\t<s> hello\n-0.3\thello </s>\n\n\\end\\\n";

    #[test]
    fn a_word_is_looked_up_once_for_its_score_and_its_state() {
        let model = arpa::read_from(ARPA.as_bytes(), "hello.arpa".as_ref()).unwrap();
        let (begin, hello) = (model.begin(), model.vocabulary().id("hello"));
        let context = model.context(&begin);
        let mut memo = Memo::default();
        memo.start();
        let state = memo.number(&begin);
        let expected = model.score(&begin, hello);
        assert_eq!(memo.log10(state, hello, || context.look_up(hello)), expected.0);
        let score = |memo: &mut Memo, after: &dyn Fn(&Lookup) -> State| {
            memo.score(state, hello, || panic!("looked up again"), after)
        };
        assert_eq!(score(&mut memo, &|found| context.after(found)), expected);
        assert_eq!(score(&mut memo, &|_| panic!("the state is remembered")), expected);
        assert_eq!(memo.log10(state, hello, || panic!("looked up again")), expected.0);
        assert_eq!(memo.log10(state, END, || context.look_up(END)), model.score(&begin, END).0);
    }
}
