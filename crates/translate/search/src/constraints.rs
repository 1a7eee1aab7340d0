//! Lexical constraints of a sentence: words and phrases that must, or must not, appear (Post and Vilar 2018).

mod automaton;
mod banks;
mod phrases;
mod rest_costs;

pub(crate) use automaton::{Automaton, StateId};
pub(crate) use banks::Banks;
pub(crate) use rest_costs::RestCosts;

use metaphrase_base::{AvoidedPhrases, WordId};
use phrases::Phrases;
use std::sync::Arc;

/// How the words of a vocabulary, which may be pieces, stand in written words. Cheap to clone.
///
/// A phrase is met only where the word after it begins anew: `Haus` is not met by `Haustür`. A phrase that begins
/// with a word that continues another one, as after a quotation mark, is met only where no letter stands before it.
#[derive(Debug, Clone, Default)]
pub struct WrittenWords {
    continues: Arc<[bool]>,
    open: Arc<[bool]>,
}

impl WrittenWords {
    /// By word: `continues`, whether it continues the word before it, as a piece inside a written word does; `open`,
    /// whether it ends with a letter or a digit, so that a word that continues it belongs to the same written word.
    #[must_use]
    pub fn new(continues: impl Into<Arc<[bool]>>, open: impl Into<Arc<[bool]>>) -> Self {
        Self { continues: continues.into(), open: open.into() }
    }

    /// By word: whether it continues the word before it.
    #[must_use]
    pub fn continuing(&self) -> &[bool] {
        &self.continues
    }

    fn continues(&self, word: WordId) -> bool {
        self.continues.get(word.index()).copied().unwrap_or(false)
    }

    fn is_open(&self, word: WordId) -> bool {
        self.open.get(word.index()).copied().unwrap_or(false)
    }
}

/// Phrases that translations of a sentence must, or must not, contain. Cheap to clone.
///
/// A *term* is met by any one of its alternatives; an alternative is a phrase of one or more words. No word of a
/// translation counts for two terms, so a term that is given twice must appear twice. A translation is read from left
/// to right: at each word the longest phrase of an unmet term that begins there is taken.
#[derive(Debug, Clone)]
pub struct Constraints(Arc<ConstraintSet>);

/// The phrases of [`Constraints`].
#[derive(Debug)]
struct ConstraintSet {
    /// Alternatives of the terms.
    phrases: Phrases,
    /// The phrases that must not appear.
    avoided: Option<Arc<dyn AvoidedPhrases>>,
    written: WrittenWords,
    /// Whether a phrase begins with a word that continues another one.
    begins_inside: bool,
    /// By term: its shortest alternative; one that begins with a word that continues another one only if it has no
    /// other.
    shortest: Vec<Vec<WordId>>,
}

/// Constraints that no translation can meet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConstraintsError {
    /// A phrase without words, or a term without phrases.
    #[error("term {term} has an alternative without words; every phrase needs at least one word")]
    EmptyTerm {
        /// Its number, from 0.
        term: usize,
    },
    /// A term whose every alternative contains an avoided phrase.
    #[error("term {term} can not appear: each of its alternatives contains an avoided phrase")]
    Contradiction {
        /// Its number, from 0.
        term: usize,
    },
}

impl Constraints {
    /// `terms` must appear, each as one of its alternatives; `avoided` phrases must not. Where words are pieces,
    /// `written` determines which of them belong to one written word.
    ///
    /// # Errors
    /// [`ConstraintsError`] if no translation could meet the constraints.
    pub fn new(
        terms: &[Vec<Vec<WordId>>],
        avoided: Option<Arc<dyn AvoidedPhrases>>,
        written: Option<WrittenWords>,
    ) -> Result<Self, ConstraintsError> {
        let contains_avoided = |phrase: &[WordId]| avoided.as_ref().is_some_and(|avoided| avoided.in_words(phrase));
        let written = written.unwrap_or_default();
        let (mut phrases, mut shortest, mut begins_inside) = (Phrases::default(), Vec::new(), false);
        for (term, alternatives) in terms.iter().enumerate() {
            if alternatives.is_empty() || alternatives.iter().any(Vec::is_empty) {
                return Err(ConstraintsError::EmptyTerm { term });
            }
            let possible = alternatives.iter().filter(|phrase| !contains_avoided(phrase));
            let mut least: Option<(bool, &Vec<WordId>)> = None;
            for phrase in possible {
                phrases.add(phrase, term);
                let is_inside = written.continues(phrase[0]);
                begins_inside |= is_inside;
                let is_least = |least: &(bool, &Vec<WordId>)| (least.0, least.1.len()) <= (is_inside, phrase.len());
                least = least.filter(is_least).or(Some((is_inside, phrase)));
            }
            let least = least.map(|least| least.1);
            shortest.push(least.ok_or(ConstraintsError::Contradiction { term })?.clone());
        }
        Ok(Self(Arc::new(ConstraintSet { phrases, avoided, written, begins_inside, shortest })))
    }

    /// C: the number of words that a translation needs at least to meet all terms (the paper's number of constraints,
    /// counted in words of the vocabulary).
    #[must_use]
    pub fn words(&self) -> usize {
        self.0.shortest.iter().map(Vec::len).sum()
    }

    /// The number of written words among them: words of the vocabulary that continue none.
    #[must_use]
    pub fn written_words(&self) -> usize {
        self.0
            .shortest
            .iter()
            .map(|term| term.iter().filter(|&&word| !self.0.written.continues(word)).count().max(1))
            .sum()
    }

    /// The number of sets of words that a hypothesis may have met: those of whole terms, and the first words of another
    /// one.
    pub(crate) fn states(&self) -> usize {
        let others = 1_usize.checked_shl(self.terms().saturating_sub(1) as u32).unwrap_or(usize::MAX);
        let inside: usize = self.0.shortest.iter().map(|term| term.len() - 1).sum();
        others.saturating_mul(inside + if self.terms() == 0 { 1 } else { 2 })
    }

    /// The words of all alternatives of all terms.
    pub(crate) fn all_words(&self) -> &[WordId] {
        self.0.phrases.words()
    }

    /// The number of terms.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.0.shortest.len()
    }

    /// The words of a translation that meet each term: `(first word, number of words)`, or `None` for a missing term.
    #[must_use]
    pub fn find(&self, words: &[WordId]) -> Vec<Option<(usize, usize)>> {
        let mut met = vec![None; self.terms()];
        let mut set = TermSet::new(self.terms());
        self.0.read(words, false, &mut set, true, |term, first, count| met[term] = Some((first, count)));
        met
    }

    /// Whether a translation contains an avoided phrase.
    #[must_use]
    pub fn violated_by(&self, words: &[WordId]) -> bool {
        self.0.avoided.as_ref().is_some_and(|avoided| avoided.in_words(words))
    }
}

impl ConstraintSet {
    /// Whether a letter or a digit stands before the next word, if some phrase makes that count. `before`: whether one
    /// stands before `words`.
    fn is_inside(&self, words: &[WordId], before: bool) -> bool {
        self.begins_inside && words.last().map_or(before, |&last| self.written.is_open(last))
    }

    /// Whether a phrase can not begin with this word: it would begin inside a written word.
    fn is_barred(&self, word: WordId, inside: bool) -> bool {
        inside && self.written.continues(word)
    }

    /// Reads `words` from left to right; `inside`: whether a letter or a digit stands before them. The terms in `met`
    /// are met before; terms that the words meet are added to it, and `credit` is called with the term, its first
    /// word and its number of words. `ended`: no word follows.
    ///
    /// Returns the place from which the words may still become a phrase: the end, if there is no such place.
    fn read(
        &self,
        words: &[WordId],
        inside: bool,
        met: &mut TermSet,
        ended: bool,
        mut credit: impl FnMut(usize, usize, usize),
    ) -> usize {
        let mut begin = 0;
        while begin < words.len() {
            if self.is_barred(words[begin], self.is_inside(&words[..begin], inside)) {
                begin += 1;
                continue;
            }
            let (mut node, mut end, mut longest) = (Phrases::ROOT, begin, None);
            while let Some(next) = words.get(end).and_then(|&word| self.phrases.child(node, word, met)) {
                (node, end) = (next, end + 1);
                if let Some(term) = self.phrases.ends(node, met)
                    && words.get(end).is_none_or(|&next| !self.written.continues(next))
                {
                    longest = Some((term, end));
                }
            }
            if end == words.len() && !ended {
                return begin;
            }
            match longest {
                Some((term, end)) => {
                    credit(term, begin, end - begin);
                    met.insert(term);
                    begin = end;
                }
                // The words after the first one may begin a phrase of their own: the unwinding of §3.1.
                None => begin += 1,
            }
        }
        words.len()
    }
}

/// A set of terms.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct TermSet(Box<[u64]>);

impl TermSet {
    fn new(terms: usize) -> Self {
        Self(vec![0; terms.div_ceil(64)].into())
    }

    fn insert(&mut self, term: usize) {
        self.0[term / 64] |= 1 << (term % 64);
    }

    /// The number of terms in the set.
    fn len(&self) -> usize {
        self.0.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    fn contains(&self, term: usize) -> bool {
        self.0[term / 64] & (1 << (term % 64)) != 0
    }
}
