//! The words that may not follow a hypothesis, and the reasons: each question for continuations names those that hold
//! for it.

use crate::characters::{ByteWords, Character};
use crate::constraints::{Automaton, StateId};
use metaphrase_base::WordId;

/// A reason for which a word may not follow a hypothesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ban {
    /// No hypothesis of the step is followed by the word.
    Excluded,
    /// The word repeats a sequence that may stand once.
    Repeat,
    /// The word makes a group of words stand three times in a row.
    Loop,
    /// The word breaks a character off, or begins one that does not fit any more.
    BrokenCharacter,
    /// The word completes a phrase that is to be avoided.
    Avoided,
    /// The word continues the written word before it.
    Continuation,
    /// The sentence ends before all constraints are met (Post and Vilar 2018, §3.3).
    UnreadyEnd,
    /// The sentence ends before it has its least length.
    EarlyEnd,
}

use Ban::{Avoided, BrokenCharacter, Continuation, EarlyEnd, Excluded, Loop, Repeat, UnreadyEnd};

/// The bans of a sentence without constraints.
pub(crate) const UNCONSTRAINED: &[Ban] = &[Excluded, Repeat, BrokenCharacter, EarlyEnd];

/// The bans of a sentence with constraints.
pub(crate) const CONSTRAINED: &[Ban] = &[Excluded, Repeat, Loop, BrokenCharacter, Avoided, UnreadyEnd, EarlyEnd];

/// The bans of the words of terms, which may repeat a sequence.
pub(crate) const TERMS: &[Ban] = &[Excluded, BrokenCharacter, Avoided];

/// As [`TERMS`], while a term can wait for a better place than a loop.
pub(crate) const PATIENT_TERMS: &[Ban] = &[Excluded, Loop, BrokenCharacter, Avoided];

/// The bans of the words that begin a written word after a term.
pub(crate) const NEW_WORDS: &[Ban] = &[Excluded, Repeat, BrokenCharacter, Continuation, Avoided, UnreadyEnd, EarlyEnd];

/// The bans of the end of sentence.
pub(crate) const ENDS: &[Ban] = &[BrokenCharacter, UnreadyEnd, EarlyEnd];

/// Words that would repeat other words of their hypotheses, as pairs of a place in the beam and a word. Reuses its
/// memory.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    /// Words that would make a group of words stand three times in a row.
    pub(crate) loops: Vec<(usize, WordId)>,
    /// Words that would make a sequence stand twice that may stand once; in order.
    pub(crate) twice: Vec<(usize, WordId)>,
    pub(crate) words: Vec<WordId>,
}

/// The facts that decide about bans, without the constraints.
#[derive(Clone, Copy)]
pub(crate) struct BanFacts<'a> {
    pub(crate) excluded: &'a [WordId],
    pub(crate) repeats: &'a Repeats,
    /// By place: the unfinished character of the hypothesis. Empty where characters may be broken.
    pub(crate) characters: &'a [Character],
    /// The words that stand for bytes.
    pub(crate) bytes: &'a ByteWords,
    /// The number of words that may follow after the next one.
    pub(crate) room: usize,
    /// The word that ends a sentence.
    pub(crate) end: WordId,
    /// Whether the sentence is still shorter than its least length.
    pub(crate) is_short: bool,
}

impl BanFacts<'_> {
    /// The unfinished character of the hypothesis at `place`.
    pub(crate) fn character(&self, place: usize) -> Character {
        self.characters.get(place).copied().unwrap_or(Character::WHOLE)
    }

    /// Whether the hypothesis at `place` ends inside a character. Then at most 64 of thousands of words may follow, so
    /// search does not look for these among the best.
    pub(crate) fn is_inside_character(&self, place: usize) -> bool {
        self.character(place) != Character::WHOLE
    }

    /// All words that [`UNCONSTRAINED`] bans after the hypothesis at `place`, of `target_words` words.
    pub(crate) fn unconstrained_words(&self, place: usize, target_words: usize) -> impl Iterator<Item = WordId> {
        let repeats = self.repeats.twice.iter().filter(move |(of, _)| *of == place).map(|&(_, word)| word);
        let broken = self.bytes.breaking(self.character(place), target_words, self.room);
        let end = self.is_short.then_some(self.end);
        self.excluded.iter().copied().chain(repeats).chain(broken).chain(end)
    }
}

/// The constraints that the hypotheses have met.
pub(crate) struct Progress<'a> {
    pub(crate) automaton: &'a mut Automaton,
    /// The states of the open hypotheses, by place.
    pub(crate) states: &'a [StateId],
}

impl Progress<'_> {
    /// Whether the hypothesis at `place` may end.
    pub(crate) fn may_end(&self, place: usize) -> bool {
        self.automaton.may_end(self.states[place])
    }

    /// The bans of a question.
    pub(crate) fn bans<'b>(&'b mut self, list: &'b [Ban], facts: BanFacts<'b>) -> Bans<'b> {
        let progress = Progress { automaton: self.automaton, states: self.states };
        Bans { list, facts, progress: Some(progress) }
    }
}

/// The bans that hold for a question.
pub(crate) struct Bans<'a> {
    pub(crate) list: &'a [Ban],
    pub(crate) facts: BanFacts<'a>,
    /// `None` where there are no constraints.
    pub(crate) progress: Option<Progress<'a>>,
}

impl Bans<'_> {
    /// The number of words that are likely to be banned after the hypothesis at `place`: search requests this
    /// number of extra candidates.
    pub(crate) fn likely(&self, place: usize) -> usize {
        let count = |words: &[(usize, WordId)]| words.iter().filter(|(of, _)| *of == place).count();
        let likely = |ban: &Ban| match ban {
            Repeat => count(&self.facts.repeats.twice),
            Loop => count(&self.facts.repeats.loops),
            UnreadyEnd => usize::from(!self.facts.excluded.contains(&self.facts.end) && !self.may_end(place)),
            EarlyEnd => usize::from(self.facts.is_short),
            Excluded | BrokenCharacter | Avoided | Continuation => 0,
        };
        self.list.iter().map(likely).sum()
    }

    /// Whether `word` may not follow the hypothesis at `place`.
    pub(crate) fn ban(&mut self, place: usize, word: WordId) -> bool {
        self.list.iter().any(|ban| match ban {
            Excluded => self.facts.excluded.contains(&word),
            Repeat => self.facts.repeats.twice.binary_search(&(place, word)).is_ok(),
            Loop => self.facts.repeats.loops.contains(&(place, word)),
            BrokenCharacter => {
                let BanFacts { characters, bytes, room, .. } = self.facts;
                characters.get(place).is_some_and(|&character| bytes.breaks(character, word, room))
            }
            Avoided => match &mut self.progress {
                Some(Progress { automaton, states }) => word != self.facts.end && automaton.bans(states[place], word),
                None => false,
            },
            Continuation => self.progress.as_ref().is_some_and(|progress| progress.automaton.continues(word)),
            UnreadyEnd => word == self.facts.end && !self.may_end(place),
            EarlyEnd => word == self.facts.end && self.facts.is_short,
        })
    }

    fn may_end(&self, place: usize) -> bool {
        self.progress.as_ref().is_none_or(|progress| progress.may_end(place))
    }
}
