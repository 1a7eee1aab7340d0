//! Articles that agree with terms. A model that writes a term in the place of its word often keeps the article of the
//! word: "der Abkommen", as in "der Vertrag". So a German article and the adjectives after it are changed where they
//! do not agree with the gender of the term; of the cases that they may be in, the model chooses. In English it is "a"
//! and "an".

use super::context::Context;
use super::job::{Job, SecondSearch};
use super::term_forms::{Found, is_whole};
use super::term_search::{Next, TermLine, TermQuestion, TermSearch};
use crate::RequiredTerm;
use crate::compounds::compounds_with;
use crate::forms::without_region;
use metaphrase_base::WordId;
use metaphrase_search::Outcome;
use metaphrase_text::english::with_other_article;
use metaphrase_text::german::{Agreement, Verb, agreement, is_dative_plural};
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};

/// A translation with another article is taken unless it is less probable by more than this, a natural logarithm: then
/// its words mean something else than an article and a noun.
const MOST_LOST: f32 = 7.0;

/// How much the probability of a verb in one piece in the middle of its clause counts less: "Wir einrichten die
/// Software am Montag."
const MISPLACED: f32 = 6.0;

/// The most terms of a line whose articles are changed; each costs one to four greedy searches of the line.
const MOST_TERMS: usize = 16;

/// A verb has more forms than an article, so that it counts as this many terms.
const COST_OF_VERB: usize = 4;

/// What of a translation is still to be read. It is read from right to left, so that a change does not move the rest.
#[derive(Clone, Copy)]
struct Unread {
    /// Where it ends, in bytes of the text.
    end: usize,
    /// The most terms in it that are compared.
    terms: usize,
}

/// The comparison of the articles before a term.
pub(crate) struct AgreementSearch {
    /// The translation before the change.
    found: Found,
    unread: Unread,
    /// The translations that have no probability yet, as words.
    left: VecDeque<Vec<WordId>>,
    /// The most probable one, and its log-probability less the handicap.
    best: Option<Found>,
    best_log_prob: f32,
    /// The words of the translations that differ from the one that was found, if all are compared without the term in
    /// the source: with it, the model is sure of what it wrote.
    plain: Vec<Vec<WordId>>,
    /// How much less probable than the one that was found a translation may be.
    most_lost: f32,
    /// How much the probability of the one that was found counts less, where the others are compared with it.
    handicap: f32,
}

impl Context {
    /// The translation, with articles that agree with the terms.
    pub(super) fn agree(&self, outcome: Outcome<Job>, line: TermLine, second: SecondSearch) -> Next {
        self.agree_before(outcome, line, second, Unread { end: usize::MAX, terms: MOST_TERMS })
    }

    /// The translation, with articles that agree with the terms in its unread text.
    fn agree_before(&self, mut outcome: Outcome<Job>, line: TermLine, second: SecondSearch, unread: Unread) -> Next {
        let language = without_region(self.target_language()).filter(|_| self.inline_terms.is_some());
        let (Some(best), Some(language @ ("de" | "en"))) = (outcome.hypotheses.first(), language) else {
            return self.keep_parts(outcome, line, second);
        };
        let text = self.text_of(&best.words).text;
        // The gender of a name that stays is that of the thing, not of its letters.
        let is_word = |term: &RequiredTerm| term.copied_from(&line.request.source).is_none();
        let terms = line.request.terms.required.iter().zip(&line.are_one);
        let (mut forms, mut are_one) = (Vec::new(), Vec::new());
        for (term, is_one) in terms.filter(|(term, _)| is_word(term)) {
            forms.extend(term.forms(self.target_language()));
            are_one.resize(forms.len(), *is_one);
        }
        for (place, form) in places_of(&forms, &text).into_iter().rev() {
            if place.end > unread.end || unread.terms == 0 {
                continue;
            }
            let verb = verb_at(&text, &place, &line.verbs);
            let cost = if verb.is_some() { COST_OF_VERB } else { 1 };
            let unread = Unread { end: place.start, terms: unread.terms.saturating_sub(cost) };
            let conjugated = verb.map(|verb| verb.other_forms_in(&text, place.clone())).unwrap_or_default();
            let is_misplaced = verb.is_some_and(|verb| verb.is_misplaced(&text, &place));
            let agreement = match language {
                _ if !conjugated.is_empty() => Agreement::Fine,
                "de" if let Some(text) = in_other_case(&text, &place, &line.plurals) => Agreement::Wrong(vec![text]),
                "de" => {
                    // How many things a term stands for says nothing about a compound with it.
                    let is_one = are_one[form] && text[place.clone()] == forms[form];
                    agreement(&text, place, is_one)
                }
                _ => {
                    with_other_article(&text, place.start).map_or(Agreement::Fine, |text| Agreement::Wrong(vec![text]))
                }
            };
            let (others, is_doubtful) = match agreement {
                Agreement::Fine if conjugated.is_empty() => continue,
                Agreement::Fine => (conjugated, true),
                Agreement::Wrong(texts) => (texts, false),
                Agreement::Doubtful(other) => (vec![other], true),
            };
            let texts: Vec<String> = Some(text.clone()).filter(|_| is_doubtful).into_iter().chain(others).collect();
            let left: VecDeque<Vec<WordId>> = texts.iter().filter_map(|text| self.words_of(text)).collect();
            if left.len() == texts.len() {
                let found = Found::take(&mut outcome);
                let plain = if is_doubtful { left.iter().skip(1).cloned().collect() } else { Vec::new() };
                let (most_lost, handicap) = match verb {
                    Some(_) => (f32::INFINITY, if is_misplaced { MISPLACED } else { 0.0 }),
                    None => (MOST_LOST, 0.0),
                };
                let search =
                    AgreementSearch { found, unread, left, best: None, best_log_prob: 0.0, plain, most_lost, handicap };
                return self.next_agreement(outcome, search, line, second);
            }
        }
        self.keep_parts(outcome, line, second)
    }

    /// The probability of a translation with another article is known.
    pub(super) fn after_agreement(
        &self,
        mut outcome: Outcome<Job>,
        mut search: AgreementSearch,
        line: TermLine,
        second: SecondSearch,
    ) -> Next {
        let found = Found::take(&mut outcome);
        let handicap = std::mem::take(&mut search.handicap);
        match &search.best {
            None => search.best_log_prob = found.log_prob() - handicap,
            Some(_) if search.best_log_prob < found.log_prob() => search.best_log_prob = found.log_prob(),
            Some(_) => return self.next_agreement(outcome, search, line, second),
        }
        search.best = Some(found);
        self.next_agreement(outcome, search, line, second)
    }

    /// The next translation; after the last one, the terms before this one.
    fn next_agreement(
        &self,
        mut outcome: Outcome<Job>,
        mut search: AgreementSearch,
        line: TermLine,
        second: SecondSearch,
    ) -> Next {
        if search.left.is_empty() && !search.plain.is_empty() {
            let best = search.best.take().and_then(|best| best.hypotheses.into_iter().next());
            let is_best = |other: &Vec<WordId>| best.as_ref().is_some_and(|best| other.starts_with(&best.words));
            search.left.extend(std::mem::take(&mut search.plain).into_iter().find(is_best));
        }
        if let Some(words) = search.left.pop_front() {
            let mut task = second.of_words(&words);
            if !search.plain.is_empty() {
                (task.source, _) = self.plain_source(&line, &outcome.tag);
            }
            let question = TermQuestion::Agreement(Box::new(search));
            outcome.tag.term_search = Some(Box::new(TermSearch { question, line, second }));
            return ControlFlow::Continue(task.task(outcome.tag, outcome.counts));
        }
        let AgreementSearch { found, unread, best, most_lost, .. } = search;
        let better = best.filter(|best| best.log_prob() > found.log_prob() - most_lost);
        if better.is_some() {
            outcome.tag.required.prefer(&self.target, &self.written);
        }
        let outcome = better.unwrap_or(found).into_outcome(outcome);
        self.agree_before(outcome, line, second, unread)
    }
}

/// The verb of a term that stands in a place of a text in one piece.
fn verb_at<'v>(text: &str, place: &Range<usize>, verbs: &'v [Verb]) -> Option<&'v Verb> {
    let written = text[place.clone()].to_lowercase();
    verbs.iter().find(|verb| verb.whole_forms().contains(&written))
}

/// A text with a plural in the case that the words before it say: `in den Räumen`, not `in den Räume`; `None` if it has
/// that case. `plurals`: the nominative and the dative of terms.
fn in_other_case(text: &str, place: &Range<usize>, plurals: &[[String; 2]]) -> Option<String> {
    let [nominative, dative] = plurals.iter().find(|plural| plural.iter().any(|form| *form == text[place.clone()]))?;
    let right = if is_dative_plural(&text[..place.start])? { dative } else { nominative };
    (*right != text[place.clone()]).then(|| format!("{}{right}{}", &text[..place.start], &text[place.end..]))
}

/// The places of forms in a text, as whole words from left to right, and the numbers of the forms. Where a form is part
/// of a compound, with a hyphen or without one, this is the place of the compound, since its last part has the gender.
fn places_of(forms: &[String], text: &str) -> Vec<(Range<usize>, usize)> {
    let mut places = Vec::new();
    for (number, form) in forms.iter().enumerate().filter(|(_, form)| !form.is_empty()) {
        let written = text.match_indices(form.as_str()).map(|(at, _)| at..at + form.len());
        let whole =
            written.filter(|place| is_whole(text, place)).map(|place| place.start..end_of_parts(text, place.end));
        places.extend(whole.chain(compounds_with(text, form)).map(|place| (place, number)));
    }
    places.sort_by_key(|(place, _)| (place.start, Reverse(place.end)));
    places.dedup_by(|next, known| next.0.start < known.0.end);
    places
}

/// Where a word with hyphens ends, one part of which ends here.
fn end_of_parts(text: &str, end: usize) -> usize {
    let is_part = |part: &str| part.starts_with(char::is_uppercase);
    let part = text[end..].strip_prefix('-').filter(|part| is_part(part));
    part.map_or(end, |part| {
        let length = part.find(|c: char| !c.is_alphabetic()).unwrap_or(part.len());
        end_of_parts(text, end + 1 + length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_have_the_case_of_the_words_before_them() {
        let plurals = [["Räume", "Räumen"].map(str::to_owned)];
        let changed = |text: &str| in_other_case(text, &(text.find('R').unwrap()..text.len()), &plurals);
        assert_eq!(changed("in den Räume").as_deref(), Some("in den Räumen"));
        assert_eq!(changed("diese Räumen").as_deref(), Some("diese Räume"));
        for fine in ["in den Räumen", "diese Räume", "wo Räume", "in Räume", "den Raum"] {
            assert_eq!(changed(fine), None, "{fine}");
        }
    }

    #[test]
    fn places_are_whole_words() {
        let forms = ["Haus", "Hauses", "Haus am See"].map(str::to_owned);
        let text = "Haus-Tür-Schlüssel, Haus- und Hof, Haustür, Hausnummer, des Hauses, Haus am See, Hausse";
        let found: Vec<&str> = places_of(&forms, text).into_iter().map(|(place, _)| &text[place]).collect();
        assert_eq!(found, ["Haus-Tür-Schlüssel", "Haus", "Hausnummer", "Hauses", "Haus am See"]);
    }
}
