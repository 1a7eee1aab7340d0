//! The constraints that a hypothesis has met, as the number of a state.
//!
//! A state is made once, when a hypothesis first comes to it. So a hypothesis carries four bytes, and a step asks for a
//! few transitions, most of which are known.

use super::phrases::Phrases;
use super::rest_costs::RestCosts;
use super::{Constraints, TermSet};
use foldhash::HashMap;
use metaphrase_base::{PhraseStatus, ReadText, WordId};

/// A state of an [`Automaton`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct StateId(u32);

impl StateId {
    /// Before the first word.
    pub(crate) const START: Self = Self(0);
}

/// The content of a state.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    /// Terms that are met for good.
    met: TermSet,
    /// The node of the trie for the words after them, which may become a phrase.
    node: u32,
    /// The end of the text that counts for the avoided phrases.
    tail: Vec<u8>,
    /// Whether an avoided phrase stands at the end, unless the next word continues its last written word.
    open: bool,
    /// Whether a letter or a digit stands before the words of the node: then no phrase begins there with a word that
    /// continues another one. Always false if no phrase begins so.
    inside: bool,
}

#[derive(Debug)]
struct State {
    key: Key,
    /// The least number of words that still meets all terms.
    needed: usize,
    /// The number of terms that are met.
    met_terms: usize,
    /// Whether all terms are met, whatever follows.
    done: bool,
    /// The words that are needed, where terms take their shortest alternatives.
    rest: Vec<WordId>,
    /// The number of the set of these words.
    bank: usize,
    /// The last words of these terms.
    ends: Vec<WordId>,
    /// The last word of a term that is met if the next word continues no written word.
    whole: Option<WordId>,
    /// Words that come nearer to meeting all terms.
    next: Vec<WordId>,
}

/// The states of one sentence's hypotheses.
#[derive(Debug)]
pub(crate) struct Automaton {
    constraints: Constraints,
    states: Vec<State>,
    numbers: HashMap<Key, StateId>,
    /// The numbers of the sets of needed words.
    banks: HashMap<Vec<WordId>, usize>,
    transitions: HashMap<(StateId, Symbol), StateId>,
    /// Whether a word may not follow a state, for the avoided phrases.
    bans: HashMap<(StateId, WordId), bool>,
    /// The rest costs of words that make progress.
    pub(crate) rest_costs: RestCosts,
}

/// Without avoided phrases, words outside all phrases are alike, except that some continue the word before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Symbol {
    Word(WordId),
    Other { continues: bool, is_open: bool },
}

impl Automaton {
    pub(crate) fn new(constraints: Constraints) -> Self {
        let met = TermSet::new(constraints.terms());
        let mut automaton = Self {
            constraints,
            states: vec![],
            numbers: HashMap::default(),
            banks: HashMap::default(),
            transitions: HashMap::default(),
            bans: HashMap::default(),
            rest_costs: RestCosts::default(),
        };
        automaton.state(Key { met, node: Phrases::ROOT, tail: Vec::new(), open: false, inside: false });
        automaton
    }

    /// Whether the sentence may end here: all terms are met, and no avoided phrase stands at the end.
    pub(crate) fn may_end(&self, state: StateId) -> bool {
        let state = &self.states[state.0 as usize];
        state.needed == 0 && !state.key.open
    }

    /// The least number of words that are still needed.
    pub(crate) fn needed(&self, state: StateId) -> usize {
        self.states[state.0 as usize].needed
    }

    /// The number of the set of words that are still needed: states with the same set have the same number.
    pub(crate) fn bank(&self, state: StateId) -> usize {
        self.states[state.0 as usize].bank
    }

    /// The number of terms.
    pub(crate) fn terms(&self) -> usize {
        self.constraints.terms()
    }

    /// The number of terms that are met.
    pub(crate) fn met_terms(&self, state: StateId) -> usize {
        self.states[state.0 as usize].met_terms
    }

    /// Whether all terms are met, whatever follows: the last word of a term may yet become part of a longer one.
    pub(crate) fn is_done(&self, state: StateId) -> bool {
        self.states[state.0 as usize].done
    }

    /// The last word of a term that is met if the next word continues no written word.
    pub(crate) fn whole(&self, state: StateId) -> Option<WordId> {
        self.states[state.0 as usize].whole
    }

    /// Whether there are phrases to avoid.
    pub(crate) fn avoids(&self) -> bool {
        self.constraints.0.avoided.is_some()
    }

    /// Whether `word` continues the written word before it.
    pub(crate) fn continues(&self, word: WordId) -> bool {
        self.constraints.0.written.continues(word)
    }

    /// The rest cost of the words that are still needed, at most 0.
    pub(crate) fn rest(&self, state: StateId) -> f32 {
        let State { rest, ends, .. } = &self.states[state.0 as usize];
        self.rest_costs.sum(rest, ends)
    }

    /// The least number of words that are still needed after `word`.
    pub(crate) fn needed_after(&mut self, state: StateId, word: WordId) -> usize {
        let after = self.after(state, word);
        self.needed(after)
    }

    /// Words that make progress: the next ones of a phrase that is begun, otherwise the first ones of unmet terms.
    pub(crate) fn next(&self, state: StateId) -> &[WordId] {
        &self.states[state.0 as usize].next
    }

    /// Whether `word` would complete an avoided phrase. A word that may stand inside a longer written word, as `Haus`
    /// in `Haustür`, may follow only where it makes progress in a term that continues this written word.
    pub(crate) fn bans(&mut self, state: StateId, word: WordId) -> bool {
        let Some(avoided) = &self.constraints.0.avoided else { return false };
        if let Some(&known) = self.bans.get(&(state, word)) {
            return known;
        }
        let banned = match avoided.read(&self.states[state.0 as usize].key.tail, word).status {
            PhraseStatus::Nothing => false,
            PhraseStatus::Open => !self.goes_on(state, word),
            PhraseStatus::Phrase => true,
        };
        self.bans.insert((state, word), banned);
        banned
    }

    /// Whether `word` is the next one of a term whose following word continues the written word.
    fn goes_on(&self, state: StateId, word: WordId) -> bool {
        let Key { met, node, .. } = &self.states[state.0 as usize].key;
        let phrases = &self.constraints.0.phrases;
        let next = [*node, Phrases::ROOT].into_iter().filter_map(|node| phrases.child(node, word, met));
        next.into_iter()
            .any(|node| phrases.children(node, met).any(|(after, _)| self.constraints.0.written.continues(after)))
    }

    /// The state after `word`.
    pub(crate) fn after(&mut self, state: StateId, word: WordId) -> StateId {
        let symbol = self.symbol(word);
        if let Some(&known) = self.transitions.get(&(state, symbol)) {
            return known;
        }
        let Key { met, node, tail, inside, .. } = &self.states[state.0 as usize].key;
        let given = &self.constraints.0;
        let mut met = met.clone();
        let mut words = given.phrases.path(*node);
        words.push(word);
        let text = given.avoided.as_ref().map(|avoided| avoided.read(tail, word));
        let ReadText { tail, status } = text.unwrap_or_default();
        let begin = given.read(&words, *inside, &mut met, false, |_, _, _| {});
        let inside = given.is_inside(&words[..begin], *inside);
        let step = |node, &word| given.phrases.child(node, word, &met);
        let node = words[begin..].iter().try_fold(Phrases::ROOT, step).unwrap_or(Phrases::ROOT);
        let to = self.state(Key { met, node, tail, open: status == PhraseStatus::Open, inside });
        self.transitions.insert((state, symbol), to);
        to
    }

    /// The state after a word of a given prefix. An avoided phrase at its end can not be helped: the words after it are
    /// free.
    pub(crate) fn after_given(&mut self, state: StateId, word: WordId) -> StateId {
        let to = self.after(state, word);
        let key = &self.states[to.0 as usize].key;
        if key.open { self.state(Key { tail: Vec::new(), open: false, ..key.clone() }) } else { to }
    }

    fn symbol(&self, word: WordId) -> Symbol {
        let given = &self.constraints.0;
        if given.phrases.knows(word) || given.avoided.is_some() {
            Symbol::Word(word)
        } else {
            Symbol::Other {
                continues: given.written.continues(word),
                is_open: given.begins_inside && given.written.is_open(word),
            }
        }
    }

    /// The number of a state. A new state is made.
    fn state(&mut self, key: Key) -> StateId {
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let given = &self.constraints.0;
        let Key { met, node, inside, .. } = &key;
        // If the sentence ended here: the terms that the words of the open phrase meet by themselves.
        let mut settled = met.clone();
        let path = given.phrases.path(*node);
        given.read(&path, *inside, &mut settled, true, |_, _, _| {});
        let unmet = |met: &TermSet| -> usize {
            given
                .shortest
                .iter()
                .enumerate()
                .filter(|(term, _)| !met.contains(*term))
                .map(|(_, words)| words.len())
                .sum()
        };
        let all = unmet(met);
        let going_on = if *node == Phrases::ROOT { Vec::new() } else { given.phrases.remaining(*node, met) };
        let going_on =
            going_on.iter().map(|&(term, left)| (all - given.shortest[term].len() + left as usize, term, left));
        let going_on = going_on.min().filter(|(needed, ..)| *needed < unmet(&settled));
        let needed = going_on.map_or(unmet(&settled), |(needed, ..)| needed);
        let open = if going_on.is_some() { met } else { &settled };
        let needed_words = |(term, words): (usize, &Vec<WordId>)| match going_on {
            Some((_, begun, left)) if begun == term => words[words.len().saturating_sub(left as usize)..].to_vec(),
            _ => words.clone(),
        };
        let unmet = || given.shortest.iter().enumerate().filter(|(term, _)| !open.contains(*term));
        let rest: Vec<WordId> = unmet().flat_map(needed_words).collect();
        let new_bank = self.banks.len();
        let bank = *self.banks.entry(rest.clone()).or_insert(new_bank);
        let ends = unmet().filter_map(|(_, words)| words.last().copied()).collect();
        let whole = given.phrases.ends(*node, met).and_then(|_| given.phrases.path(*node).pop());

        let mut next: Vec<WordId> = given.phrases.children(*node, met).map(|child| child.0).collect();
        // No phrase is open, or the open phrase is whole: another term may follow.
        if *node == Phrases::ROOT || given.phrases.ends(*node, met).is_some() {
            let inside = given.is_inside(&path, *inside);
            let first = given.phrases.children(Phrases::ROOT, &settled).map(|child| child.0);
            next.extend(first.filter(|&word| !given.is_barred(word, inside)));
        }
        next.sort_unstable();
        next.dedup();

        let met_terms = open.len();
        let number = StateId(WordId::new(self.states.len()).0);
        self.states.push(State { key: key.clone(), needed, met_terms, done: all == 0, rest, bank, ends, whole, next });
        self.numbers.insert(key, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WrittenWords;
    use metaphrase_testkit::AvoidedWords;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Word by word the automaton finds the same as reading the whole text; random terms over few words, so that they
    /// share beginnings, repeat and contain each other.
    #[test]
    fn word_by_word_and_as_a_whole_are_the_same() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for _ in 0..2000 {
            let mut phrase = |longest: usize| -> Vec<WordId> {
                (0..rng.random_range(1..=longest)).map(|_| WordId(rng.random_range(1..4))).collect()
            };
            let terms: Vec<Vec<Vec<WordId>>> = (0..3).map(|term| (0..=term % 2).map(|_| phrase(3)).collect()).collect();
            let avoided = [phrase(4)];
            let text: Vec<WordId> = (0..4).flat_map(|_| phrase(4)).collect();
            let [continues, open] = [4, 2].map(|share| (0..5).map(|_| rng.random_range(0..share) == 0).collect());
            let [continues, open]: [Vec<bool>; 2] = [continues, open];
            let written = WrittenWords::new(continues, open);
            let Ok(constraints) = Constraints::new(&terms, AvoidedWords::new(&avoided), Some(written)) else {
                continue;
            };
            let mut automaton = Automaton::new(constraints.clone());
            let mut state = StateId::START;
            for read in 1..=text.len() {
                let word = text[read - 1];
                let forbidden = automaton.bans(state, word);
                let ends = avoided.iter().any(|phrase| text[..read].ends_with(phrase));
                assert_eq!(forbidden, ends, "{avoided:?} {:?}", &text[..read]);
                state = automaton.after(state, word);
                let missing = constraints.find(&text[..read]).iter().any(Option::is_none);
                assert_eq!(automaton.needed(state) > 0, missing, "{terms:?} {:?}", &text[..read]);
                assert!(!missing || !automaton.is_done(state));
            }
        }
    }

    /// Following `next` meets all terms in `needed` words, if words do not go on with each other.
    #[test]
    fn as_many_words_are_needed_as_are_told() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for _ in 0..500 {
            let mut phrase =
                || -> Vec<WordId> { (0..rng.random_range(1..=3)).map(|_| WordId(rng.random_range(1..6))).collect() };
            let terms: Vec<Vec<Vec<WordId>>> = (0..3).map(|_| vec![phrase()]).collect();
            let Ok(constraints) = Constraints::new(&terms, None, None) else { continue };
            let mut automaton = Automaton::new(constraints);
            let mut state = StateId::START;
            while automaton.needed(state) > 0 {
                let needed = automaton.needed(state);
                let next = automaton.next(state).to_vec();
                let after = next.into_iter().map(|word| automaton.after(state, word));
                let states: Vec<StateId> = after.collect();
                let best = states.into_iter().min_by_key(|state| automaton.needed(*state));
                state = best.expect("a word that makes progress");
                assert_eq!(automaton.needed(state), needed - 1, "{terms:?}");
            }
        }
    }
}
