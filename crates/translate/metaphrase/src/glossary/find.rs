//! Where the terms of a glossary stand in a source sentence, in their forms.

use super::Glossary;
use crate::forms::{bases, other_adjectives, past_of, without_region};
use metaphrase_text::german::Verb;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// Terms that are German verbs, in a German text in their forms.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct GermanVerbs {
    /// By form in one piece, the infinitives.
    infinitives: HashMap<String, Vec<String>>,
    /// The verbs whose particle may stand apart, and the numbers of the terms.
    separable: Vec<(Verb, usize)>,
    /// By form of the verb without its particle, its places in `separable`.
    separate: HashMap<String, Vec<usize>>,
}

impl GermanVerbs {
    /// Adds the term with this number, if it is a verb.
    pub(super) fn add(&mut self, infinitive: &str, number: usize) {
        let Some(verb) = Verb::read(infinitive.strip_prefix("sich ").unwrap_or(infinitive)) else { return };
        for form in verb.whole_forms().into_iter().filter(|form| form != infinitive) {
            self.infinitives.entry(form).or_default().push(infinitive.to_owned());
        }
        let separate = verb.separate_forms();
        if !separate.is_empty() {
            for form in separate {
                self.separate.entry(form).or_default().push(self.separable.len());
            }
            self.separable.push((verb, number));
        }
    }
}

impl Glossary {
    /// As [`find_places`](Self::find_places), where words of the source may be forms of a term's words in a language.
    pub(super) fn find_forms(&self, source: &str, language: Option<&str>) -> Vec<FoundTerm<'_>> {
        let is_german = without_region(language) == Some("de");
        let words: Vec<SourceWord> = self
            .words_and_places(source)
            .into_iter()
            .map(|(word, place)| {
                let is_noun = source[place.clone()].starts_with(char::is_uppercase);
                let (past_of, adjectives) = (past_of(&word, language), other_adjectives(&word, language));
                let mut bases = bases(&word, is_noun, language);
                if is_german && (!is_noun || place.start == 0) {
                    bases.extend(self.verbs.infinitives.get(&word).into_iter().flatten().cloned());
                }
                SourceWord { bases, past_of, adjectives, word, place }
            })
            .collect();
        let (mut found, mut place) = (Vec::new(), 0);
        while place < words.len() {
            match self.longest(&words[place..]) {
                Some((length, ..)) if is_part_of_word(&words, place..place + length) => place += length,
                Some((length, number, is_base)) => {
                    let last = &words[place + length - 1].place;
                    let targets = &self.targets[number][..];
                    found.push(FoundTerm { place: words[place].place.start..last.end, targets, is_base });
                    place += length;
                }
                None => place += 1,
            }
        }
        if is_german {
            self.add_separate_verbs(source, &words, &mut found);
        }
        found
    }

    /// Adds the German verbs whose particle stands apart, each at the place of its verb: `lädt` in "Sie lädt Musik
    /// herunter" for `herunterladen`, where `laden` is no term then.
    fn add_separate_verbs<'g>(&'g self, source: &str, words: &[SourceWord], found: &mut Vec<FoundTerm<'g>>) {
        let verbs = words.iter().filter_map(|word| self.verbs.separate.get(&word.word.to_lowercase())).flatten();
        for &verb in verbs.collect::<BTreeSet<_>>() {
            let (verb, number) = &self.verbs.separable[verb];
            let Some(place) = verb.separate(source) else { continue };
            found.retain(|other| other.place != place);
            if found.iter().all(|other| other.place.end <= place.start || place.end <= other.place.start) {
                found.push(FoundTerm { place, targets: &self.targets[*number], is_base: false });
            }
        }
        found.sort_by_key(|term| term.place.start);
    }

    /// The longest term that these words begin with: its number of words, its number, and whether the words are its
    /// own. Of equal ones that with its own words counts.
    fn longest(&self, words: &[SourceWord]) -> Option<(usize, usize, bool)> {
        let first = words.first()?;
        let starts = std::iter::once(&first.word).chain(&first.bases).chain(&first.past_of).chain(&first.adjectives);
        let terms = starts.filter_map(|start| self.entries.get(start)).flatten();
        let is_verb = |number: usize| matches!(&self.targets[number][..], [target] if Verb::read(target).is_some());
        let fits = |term: &[String], number: usize| {
            let may_be = |(at, (word, found)): (usize, (&String, &SourceWord))| {
                found.may_be(word)
                    || (found.past_of.contains(word) && is_verb(number))
                    || (found.adjectives.contains(word) && at + 1 < term.len())
            };
            term.len() <= words.len() && term.iter().zip(words).enumerate().all(may_be)
        };
        let exact = |term: &[String]| term.iter().zip(words).filter(|(word, found)| found.word == **word).count();
        let best = terms.filter(|(term, number)| fits(term, *number)).max_by_key(|(term, _)| (term.len(), exact(term)));
        best.map(|(term, number)| (term.len(), *number, exact(term) == term.len()))
    }
}

/// A term of a glossary in a source sentence.
pub(super) struct FoundTerm<'g> {
    pub(super) place: Range<usize>,
    pub(super) targets: &'g [String],
    /// Whether it stands there as in the glossary, but for capitals.
    pub(super) is_base: bool,
}

/// A word of a source sentence.
struct SourceWord {
    word: String,
    /// The words that it may be a form of.
    bases: Vec<String>,
    /// The verbs whose past it may be.
    past_of: Vec<String>,
    /// The forms of the adjective that it may be, before a noun.
    adjectives: Vec<String>,
    /// Its bytes.
    place: Range<usize>,
}

impl SourceWord {
    /// Whether it is this word of a term, or may be a form of it.
    fn may_be(&self, word: &str) -> bool {
        self.word == *word || self.bases.iter().any(|base| base == word)
    }
}

/// Words after a hyphen that make another word of the one before it: an add-on is nothing to add, a log-in no log.
const PARTICLES: &[&str] = &[
    "away", "back", "by", "down", "in", "ins", "off", "offs", "on", "ons", "out", "outs", "over", "through", "to",
    "up", "ups",
];

/// Whether these words stand in one that has another meaning than they: in `add-on`, in `e-mail`. In other words with
/// hyphens (`door-handle`, `Bronze-Medaille`) they are a term.
fn is_part_of_word(words: &[SourceWord], term: Range<usize>) -> bool {
    let touch = |place: usize| words[place].place.end == words[place + 1].place.start;
    let is_hyphen = |word: &SourceWord| matches!(&*word.word, "-" | "\u{2010}" | "\u{2011}");
    let before = term.start.checked_sub(2).is_some_and(|letter| {
        is_hyphen(&words[letter + 1])
            && touch(letter)
            && touch(letter + 1)
            && words[letter].word.eq_ignore_ascii_case("e")
    });
    let after = words.get(term.end + 1).is_some_and(|particle| {
        is_hyphen(&words[term.end])
            && touch(term.end - 1)
            && touch(term.end)
            && PARTICLES.contains(&&*particle.word.to_lowercase())
    });
    before || after
}
