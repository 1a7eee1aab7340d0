//! A cache of language model scores.

use crate::index::{Index, finish, mix};
use metaphrase_base::WordId;
use metaphrase_ngram::State;
use std::hash::{Hash, Hasher};

/// Slots; together they stay in the second-level cache of most processors.
const SLOTS: usize = 1 << 13;

/// Remembers the score of a word after a state, until another score needs the slot.
///
/// Hypotheses of different coverages often end in the same words, and many options begin with the same word, so that most
/// scores are asked for again and again.
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
    /// None: only the score was asked for.
    after: Option<State>,
}

impl Memo {
    /// Begins a sentence. Its states get new numbers, so that nothing of another sentence, or of another model, is found.
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

    /// The score of a word after a state alone.
    #[inline]
    pub(crate) fn look_ahead(&mut self, state: StateNumber, word: WordId, compute: impl FnOnce() -> f32) -> f32 {
        let entry = &mut self.slots[finish(mix(state.0.into(), word.0.into())) as usize % SLOTS];
        if (entry.state, entry.word) != (state, word) {
            *entry = Entry { state, word, log10: compute(), after: None };
        }
        entry.log10
    }

    /// The score of a word after a state, and the state after that; computed if they are not remembered.
    #[inline]
    pub(crate) fn score(
        &mut self,
        state: StateNumber,
        word: WordId,
        compute: impl FnOnce() -> (f32, State),
    ) -> (f32, State) {
        let entry = &mut self.slots[finish(mix(state.0.into(), word.0.into())) as usize % SLOTS];
        match entry.after {
            Some(after) if (entry.state, entry.word) == (state, word) => (entry.log10, after),
            _ => {
                let (log10, after) = compute();
                *entry = Entry { state, word, log10, after: Some(after) };
                (log10, after)
            }
        }
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
