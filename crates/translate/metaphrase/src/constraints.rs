//! Constraints as text: terms become words of the model, and translations report where the terms stand.

mod free;
mod signs;
mod words;

pub(crate) use signs::after_sign;
pub(crate) use words::changed_prefix;

use crate::Hypothesis;
use crate::forms::with_capital;
use crate::terms::{Met, Terms};
use metaphrase_base::{AvoidedPhrases, ReadText, WordId};
use metaphrase_search::{Constraints, ConstraintsError, WrittenWords};
use metaphrase_text::german::Verb;
use metaphrase_text::vocab::Vocabulary;
use metaphrase_text::{WholeWords, comparable, pieces_in, spans};
use signs::SignsAround;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;
use words::{PhraseProblem, segment};

/// The phrases that translations of a line must not contain.
pub(crate) struct ForbiddenPhrases {
    phrases: WholeWords,
    target: Arc<Vocabulary>,
}

impl std::fmt::Debug for ForbiddenPhrases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.phrases.fmt(f)
    }
}

impl AvoidedPhrases for ForbiddenPhrases {
    fn read(&self, tail: &[u8], word: WordId) -> ReadText {
        let mut more = Vec::new();
        self.target.spell(word, &mut more);
        self.phrases.read(tail, &more)
    }
}

/// Terms as words of a vocabulary.
#[derive(Default)]
pub(crate) struct Segmented {
    /// The terms as they were given.
    given: Terms,
    /// `None` if no term is left and no phrase is to be avoided.
    pub(crate) constraints: Option<Constraints>,
    /// For each term of `constraints` its number among the required terms.
    pub(crate) numbers: Vec<usize>,
    /// Numbers of terms that can not be met.
    pub(crate) impossible: Vec<usize>,
    /// One sentence for each problem.
    pub(crate) notes: Vec<String>,
    /// By required term, all its forms.
    forms: Vec<Vec<String>>,
    /// By required term, the German verb that it is, if it may have other forms.
    verbs: Vec<Option<Verb>>,
    /// Whether the terms are only preferred: then search does not require them, and the text shows which of them it
    /// has.
    is_preferred: bool,
}

impl Segmented {
    /// Segments the terms of a source as the model would inside a sentence. A term that can not be met is left out,
    /// with a note; so is a term with words that the search excludes. `language` is the target language, for the
    /// endings of forms.
    pub(crate) fn new(
        source: &str,
        terms: &Terms,
        target: &Arc<Vocabulary>,
        written: &WrittenWords,
        excluded: &[WordId],
        language: Option<&str>,
    ) -> Self {
        let mut this = Self { given: terms.clone(), ..Self::default() };
        let empty = terms.avoided.iter().filter(|phrase| comparable(phrase).is_empty());
        this.notes.extend(empty.map(|_| "an empty phrase to avoid is left out".into()));
        let avoided = this.avoided(target);
        let mut required = Vec::new();
        for (number, term) in terms.required.iter().enumerate() {
            let targets = &term.targets;
            let mut forms = term.forms(language);
            let mut alternatives = this.alternatives(&forms, target, excluded);
            // Words without a place in the source may stand anywhere, so their capitals would, too.
            if term.source.is_some() && term.copied_from(source).is_none() {
                let is_free = |form: &&String| !terms.avoided.contains(form);
                let capitals: Vec<String> =
                    forms.iter().filter(is_free).filter_map(|form| with_capital(form)).collect();
                let usable = capitals.iter().filter_map(|form| segment(form, target).ok()).map(|(words, _)| words);
                alternatives.extend(usable.filter(|words| !words.iter().any(|word| excluded.contains(word))));
                forms.extend(capitals);
            }
            this.add_forms(forms, term.verb(language));
            let signs = SignsAround::new(source, term.source.as_ref());
            let alternatives = (!alternatives.is_empty()).then(|| signs.with_joined(alternatives, target));
            match alternatives {
                // One term at a time, so that a contradiction names its term.
                Some(term) => match Constraints::new(std::slice::from_ref(&term), avoided.clone(), None) {
                    Ok(_) => {
                        required.push(term);
                        this.numbers.push(number);
                    }
                    Err(error) => {
                        this.impossible.push(number);
                        this.notes.push(contradiction(targets, &error));
                    }
                },
                None => this.impossible.push(number),
            }
        }
        if !required.is_empty() || avoided.is_some() {
            match Constraints::new(&required, avoided, Some(written.clone())) {
                Ok(constraints) => this.constraints = Some(constraints),
                Err(error) => this.notes.push(error.to_string()),
            }
        }
        this
    }

    /// Adds the forms of a term, in the letters that texts have. Those of a verb that search does not require, as it
    /// would be slow, are met all the same.
    fn add_forms(&mut self, forms: Vec<String>, verb: Option<Verb>) {
        let mut forms: Vec<String> = forms.iter().map(|form| form.nfc().collect()).collect();
        let more = verb.as_ref().map(Verb::whole_forms).unwrap_or_default();
        for form in more.into_iter().flat_map(|form| [with_capital(&form), Some(form)]).flatten() {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        self.forms.push(forms);
        self.verbs.push(verb);
    }

    /// The phrases to avoid, as search reads them.
    fn avoided(&self, target: &Arc<Vocabulary>) -> Option<Arc<dyn AvoidedPhrases>> {
        let phrases = WholeWords::new(&self.given.avoided);
        (!self.given.avoided.is_empty())
            .then(|| Arc::new(ForbiddenPhrases { phrases, target: Arc::clone(target) }) as _)
    }

    /// The alternatives of a term that can be used.
    fn alternatives(&mut self, alternatives: &[String], target: &Vocabulary, excluded: &[WordId]) -> Vec<Vec<WordId>> {
        let mut term = Vec::new();
        for alternative in alternatives {
            let written = match segment(alternative, target) {
                Ok((words, _)) if words.iter().any(|word| excluded.contains(word)) => Some(format!(
                    "the constraint '{}' is left out: it has control characters, which no translation contains",
                    alternative.escape_debug()
                )),
                Ok((words, written)) => {
                    if !term.contains(&words) {
                        term.push(words);
                    }
                    written.map(|written| {
                        format!("the model's vocabulary writes the constraint '{alternative}' as '{written}'")
                    })
                }
                Err(PhraseProblem::Empty) => Some("an empty constraint is left out".into()),
                Err(PhraseProblem::Unknown) => Some(format!(
                    "the constraint '{alternative}' is left out: it has characters that the model's vocabulary cannot express"
                )),
                Err(PhraseProblem::Differs(written)) => Some(format!(
                    "the constraint '{alternative}' is left out: the model's vocabulary can only write it as '{written}'"
                )),
            };
            self.notes.extend(written);
        }
        if alternatives.is_empty() {
            self.notes.push("an empty constraint is left out".into());
        }
        term
    }

    /// The places of the terms in a translation of these words. A term counts only if the text has one of its
    /// alternatives as whole words, too.
    pub(crate) fn met(&self, words: &[WordId], text: &str, pieces: &[String]) -> Vec<Met> {
        if self.is_preferred {
            return self.met_in_text(text, pieces);
        }
        let Some(constraints) = &self.constraints else { return Vec::new() };
        let found = constraints.find(words).into_iter().zip(&self.numbers);
        let met = found.filter_map(|(place, &term)| {
            let (first, pieces) = place?;
            let has = !WholeWords::new(&self.forms[term]).numbers_in(text).is_empty();
            has.then_some(Met { term, first, pieces })
        });
        met.collect()
    }

    /// The places of preferred terms in a translation. A written word may have an ending that the term lacks, or be a
    /// compound with the term.
    fn met_in_text(&self, text: &str, pieces: &[String]) -> Vec<Met> {
        let spans = spans(pieces, text);
        let mut taken: Vec<Range<usize>> = Vec::new();
        let mut met = Vec::new();
        for &term in &self.numbers {
            let places = self.forms[term].iter().flat_map(|form| inflected(form, text));
            let is_free =
                |place: &Range<usize>| taken.iter().all(|other| place.end <= other.start || other.end <= place.start);
            let others = self.in_compounds(term, text).chain(self.separate(term, text));
            let Some(place) = places.chain(others).find(is_free) else { continue };
            let pieces = pieces_in(&spans, &place);
            if !pieces.is_empty() {
                met.push(Met { term, first: pieces.start, pieces: pieces.len() });
            }
            taken.push(place);
        }
        met
    }

    /// Whether there are terms that translations must have.
    pub(crate) fn has_terms(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// Makes the terms preferred ones, which a translation may lack.
    pub(crate) fn prefer(&mut self, target: &Arc<Vocabulary>, written: &WrittenWords) {
        self.constraints = only_avoiding(self.avoided(target), written);
        self.is_preferred = true;
    }

    /// Numbers of the avoided phrases that stand in a translation nevertheless.
    pub(crate) fn present(&self, hypotheses: &[Hypothesis]) -> Vec<usize> {
        present(&self.given.avoided, hypotheses)
    }

    /// The note on a translation that lacks a term. `complete`: the translation ended by itself.
    pub(crate) fn lacks(&self, number: usize, complete: bool) -> String {
        let term = self.given.required[number].targets.join("' or '");
        if self.is_preferred {
            return format!("the translation does not use the preferred term '{term}'");
        }
        let reason = if complete { "it is not there as words of its own" } else { "its length limit came first" };
        format!("the translation lacks the constraint '{term}': {reason}")
    }

    /// The note on a translation that contains a phrase to avoid.
    pub(crate) fn contains(&self, number: usize, prefix: &str) -> String {
        let phrase = &self.given.avoided[number];
        let by_prefix = !WholeWords::new([phrase]).numbers_in(prefix).is_empty();
        let reason = if by_prefix { ", which its given prefix has" } else { "" };
        format!("the translation contains '{phrase}'{reason}, although this phrase is to be avoided")
    }

    /// Gives up all required terms, and with `all` the phrases to avoid, too; `note` gives the reason.
    pub(crate) fn give_up(&mut self, all: bool, note: String, target: &Arc<Vocabulary>, written: &WrittenWords) {
        self.constraints = only_avoiding(self.avoided(target).filter(|_| !all), written);
        self.impossible.append(&mut self.numbers);
        self.impossible.sort_unstable();
        self.notes.push(note);
    }
}

/// Constraints without terms.
fn only_avoiding(avoided: Option<Arc<dyn AvoidedPhrases>>, written: &WrittenWords) -> Option<Constraints> {
    // Without terms there is nothing to contradict.
    Constraints::new(&[], Some(avoided?), Some(written.clone())).ok()
}

/// The longest ending that a preferred term may have, in letters.
const LONGEST_ENDING: usize = 3;

/// The places of a term in a text, as whole words with an ending or without.
fn inflected<'t>(term: &'t str, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let found = text.match_indices(term).filter(|(_, found)| !found.is_empty());
    found.filter_map(|(at, found)| {
        let begins = !text[..at].ends_with(char::is_alphanumeric);
        let rest = &text[at + found.len()..];
        let ending = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let is_ending = rest[..ending].chars().count() <= LONGEST_ENDING;
        (begins && is_ending).then_some(at..at + found.len() + ending)
    })
}

/// Numbers of the phrases that stand in any of the translations as whole words, in order.
pub(crate) fn present(phrases: &[String], hypotheses: &[Hypothesis]) -> Vec<usize> {
    let phrases = WholeWords::new(phrases);
    let numbers = hypotheses.iter().flat_map(|found| phrases.numbers_in(&found.text));
    numbers.collect::<BTreeSet<_>>().into_iter().collect()
}

fn contradiction(alternatives: &[String], error: &ConstraintsError) -> String {
    let term = alternatives.join("' or '");
    match error {
        ConstraintsError::Contradiction { .. } => {
            format!("the constraint '{term}' is left out: it contains a phrase that must not appear")
        }
        other => format!("the constraint '{term}' is left out: {other}"),
    }
}
