//! Lines whose free translation lacks terms are searched in several ways, one after the other. The first translation
//! that is about as probable as the free one is taken; without any, the most probable one.

use super::context::Context;
use super::job::{Job, SecondSearch};
use super::plain_words::{plain_words, with_terms};
use super::term_forms::Found;
use super::term_search::{Next, TermLine, TermQuestion, TermSearch, Written};
use crate::Request;
use crate::constraints::Segmented;
use metaphrase_base::WordId;
use metaphrase_search::{Constraints, Outcome};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// A translation is likely if its log-probability is above this many times that of the free one, less the slack: the
/// shorter a line, the less it says that a word is unexpected.
const LIKELY: f32 = 2.0;
const SLACK: f32 = 2.0;

/// Translations that may keep plain words next to their terms have to be better by this factor.
const MAY_KEEP: f32 = 1.5;

/// The searches of a line whose first free translation lacks terms.
pub(crate) struct Attempts {
    /// The log-probability of that translation.
    free: f32,
    /// The attempt that is being searched.
    current: Option<Attempt>,
    left: VecDeque<Attempt>,
    found: Vec<Candidate>,
    /// The words that stand in the place of terms.
    plain: Vec<String>,
}

/// A search of the line.
struct Attempt {
    way: Way,
    constraints: Option<Constraints>,
    /// Whether it avoids the words that stand in the place of terms.
    avoids: bool,
}

/// How a line is searched.
#[derive(Clone, PartialEq, Eq)]
enum Way {
    /// The free translation with hyphens in its compounds: these words.
    Hyphens(Vec<WordId>),
    /// The free translation with the terms in the place of their plain words.
    Replaced(Vec<WordId>),
    /// Without required terms.
    Free,
    /// With the terms that the free translation lacks.
    Missing,
    /// With all terms.
    All,
    /// With all terms, in the letters that the glossary has.
    Small,
}

/// A translation that is not sure to be taken.
struct Candidate {
    found: Found,
    attempt: Attempt,
    text: String,
    has_terms: bool,
    /// Whether they have capitals only where a sentence begins.
    is_fine: bool,
    log_prob: f32,
}

impl Attempts {
    /// The best translation that was found.
    fn take_best(&mut self) -> Option<Candidate> {
        let is_certain = |of: &Candidate| of.attempt.avoids || self.plain.is_empty() || of.attempt.way.is_written();
        let rank = |of: &Candidate| of.log_prob * if is_certain(of) { 1.0 } else { MAY_KEEP };
        let better = |&a: &usize, &b: &usize| {
            let (a, b) = (&self.found[a], &self.found[b]);
            (a.has_terms, a.is_fine).cmp(&(b.has_terms, b.is_fine)).then(rank(a).total_cmp(&rank(b)))
        };
        let best = (0..self.found.len()).max_by(better)?;
        // German writes a compound with a hyphen, not with a blank, which models find likelier.
        let text = with_blanks(&self.found[best].text);
        let is_same = |of: &Candidate| matches!(of.attempt.way, Way::Hyphens(_)) && with_blanks(&of.text) == text;
        let best = self.found.iter().position(is_same).unwrap_or(best);
        Some(self.found.swap_remove(best))
    }
}

fn with_blanks(text: &str) -> String {
    text.replace('-', " ").to_lowercase()
}

impl Way {
    /// Whether the words of the translation are given.
    fn is_written(&self) -> bool {
        matches!(self, Self::Hyphens(_) | Self::Replaced(_))
    }

    /// Whether the search requires all terms.
    fn requires_all(&self) -> bool {
        matches!(self, Self::All | Self::Small)
    }
}

impl Context {
    /// The translation of a free search, if it has the terms; else the next search.
    pub(super) fn after_free_search(
        &self,
        mut outcome: Outcome<Job>,
        written: &Written,
        line: TermLine,
        second: SecondSearch,
    ) -> Next {
        if self.has_terms(&outcome, written, &line.request) {
            outcome.tag.required.prefer(&self.target, &self.written);
            if !second.search.attention {
                outcome.hypotheses[0].attention.clear();
            }
            return self.choose_forms(outcome, written, line, second);
        }
        let attempts = self.attempts(&outcome, written, &line.request, &second);
        self.next_attempt(outcome, attempts, line, second)
    }

    /// What follows a free translation that lacks terms.
    fn attempts(
        &self,
        outcome: &Outcome<Job>,
        written: &Written,
        request: &Request,
        second: &SecondSearch,
    ) -> Attempts {
        let (job, best) = (&outcome.tag, &outcome.hypotheses[0]);
        let missing = job.required.missing_in(&written.text);
        let (mut plain, mut replaced) = (Vec::new(), None);
        if !best.attention.is_empty() {
            (plain, replaced) = self.linked(outcome, written, request, |linked, text, language| {
                let plain = plain_words(linked, text, request, &missing, language);
                (plain, with_terms(linked, text, request, &missing, language))
            });
        }
        let mut left = self.with_hyphens(request, &written.text, job, false);
        let mut add = |way, constraints, avoids| left.push_back(Attempt { way, constraints, avoids });
        let of_missing = |plain: &[String]| {
            let mut request = avoiding(request, plain);
            let mut number = 0..;
            request.terms.required.retain(|_| number.next().is_some_and(|number| missing.contains(&number)));
            let Segmented { constraints, numbers, .. } = self.segmented(&request, second);
            constraints.filter(|_| numbers.len() == missing.len() && numbers.len() < job.required.numbers.len())
        };
        if !plain.is_empty() {
            add(Way::Free, self.avoiding_only(&request.source, plain.clone(), second), true);
        }
        if let Some(words) = replaced.and_then(|text| self.words_of(&text)) {
            add(Way::Replaced(words), None, false);
        }
        let ways = if plain.is_empty() { &[&[][..]][..] } else { &[&plain[..], &[]] };
        for &plain in ways {
            if let Some(constraints) = of_missing(plain) {
                add(Way::Missing, Some(constraints), !plain.is_empty());
            }
            add(Way::All, self.avoiding(request, plain.to_vec(), job, second), !plain.is_empty());
        }
        Attempts { free: best.log_prob, current: None, left, found: Vec::new(), plain }
    }

    /// The ways to write a free translation into German with hyphens in compounds that have terms.
    fn with_hyphens(&self, request: &Request, text: &str, job: &Job, avoids: bool) -> VecDeque<Attempt> {
        if !self.may_have_compounds() {
            return VecDeque::new();
        }
        let texts = job.required.with_hyphens(&request.source, text);
        let words = texts.iter().filter_map(|text| self.words_of(text));
        words.map(|words| Attempt { way: Way::Hyphens(words), constraints: None, avoids }).collect()
    }

    /// A text as words with the end of the sentence; `None` if the vocabulary can not write it.
    pub(super) fn words_of(&self, text: &str) -> Option<Vec<WordId>> {
        let mut words = Vec::new();
        self.target.encode(text, &mut words);
        (self.target.decode(&words) == text).then_some(words)
    }

    /// The search of the next attempt; after the last one, the best translation.
    fn next_attempt(
        &self,
        mut outcome: Outcome<Job>,
        mut attempts: Attempts,
        line: TermLine,
        second: SecondSearch,
    ) -> Next {
        if let Some(attempt) = attempts.left.pop_front() {
            let task = match &attempt.way {
                Way::Hyphens(words) | Way::Replaced(words) => second.of_words(words),
                _ => SecondSearch { constraints: attempt.constraints.clone(), ..second.clone() },
            };
            attempts.current = Some(attempt);
            let question = TermQuestion::Attempt(Box::new(attempts));
            outcome.tag.term_search = Some(Box::new(TermSearch { question, line, second }));
            return ControlFlow::Continue(task.task(outcome.tag, outcome.counts));
        }
        self.take_best(outcome, attempts, line, second)
    }

    /// The best translation of all attempts.
    fn take_best(
        &self,
        outcome: Outcome<Job>,
        mut attempts: Attempts,
        mut line: TermLine,
        second: SecondSearch,
    ) -> Next {
        let Some(Candidate { found, attempt, .. }) = attempts.take_best() else { return ControlFlow::Break(outcome) };
        let mut outcome = found.into_outcome(outcome);
        if !attempt.way.requires_all() {
            outcome.tag.required.prefer(&self.target, &self.written);
        }
        if matches!(attempt.way, Way::Hyphens(_)) {
            return self.agree(outcome, line, second);
        }
        if attempt.avoids {
            line.avoided = attempts.plain;
        }
        let written = self.text_of(&outcome.hypotheses[0].words);
        self.choose_forms(outcome, &written, line, second)
    }

    /// What follows an attempt: its translation if it is likely, else the next one.
    pub(super) fn after_attempt(
        &self,
        mut outcome: Outcome<Job>,
        written: Written,
        mut attempts: Attempts,
        line: TermLine,
        second: SecondSearch,
    ) -> Next {
        let Some(attempt) = attempts.current.take() else { return ControlFlow::Break(outcome) };
        let (required, best) = (&outcome.tag.required, &outcome.hypotheses[0]);
        let (log_prob, requires_all) = (best.log_prob, attempt.way.requires_all());
        let Written { text, pieces } = written;
        let has_terms = if requires_all {
            required.met(&best.words, &text, &pieces).len() == required.numbers.len()
        } else {
            required.is_met_by(&line.request.source, &text, &pieces)
        };
        let is_fine = !requires_all || !required.has_stray_capital(&text);
        let more = match attempt.way {
            Way::Free if !has_terms => self.with_hyphens(&line.request, &text, &outcome.tag, true),
            Way::All if !is_fine => {
                let plain = if attempt.avoids { &attempts.plain[..] } else { &[] };
                self.in_small_letters(&avoiding(&line.request, plain), &attempt, required, &second)
            }
            _ => VecDeque::new(),
        };
        more.into_iter().rev().for_each(|attempt| attempts.left.push_front(attempt));
        if has_terms || requires_all {
            // A text in which a word was replaced has the other words of another one.
            let is_likely = log_prob > LIKELY * attempts.free - SLACK && !matches!(attempt.way, Way::Replaced(_));
            if has_terms && is_fine && is_likely {
                attempts.left.clear();
            }
            let found = Found::take(&mut outcome);
            attempts.found.push(Candidate { found, attempt, text, has_terms, is_fine, log_prob });
        }
        self.next_attempt(outcome, attempts, line, second)
    }

    /// The search of an attempt without the capitals that begin a sentence.
    fn in_small_letters(
        &self,
        request: &Request,
        attempt: &Attempt,
        required: &Segmented,
        second: &SecondSearch,
    ) -> VecDeque<Attempt> {
        let mut request = request.clone();
        let is_small = |target: &String| target.starts_with(char::is_lowercase);
        let terms = request.terms.required.iter_mut().filter(|term| term.targets.iter().any(is_small));
        terms.for_each(|term| term.source = None);
        let segmented = self.segmented(&request, second);
        let constraints = segmented.constraints.filter(|_| segmented.numbers == required.numbers);
        let attempt = |constraints| Attempt { way: Way::Small, constraints: Some(constraints), avoids: attempt.avoids };
        constraints.map(attempt).into_iter().collect()
    }
}

/// A request that avoids these words, too.
fn avoiding(request: &Request, words: &[String]) -> Request {
    let mut request = request.clone();
    request.terms.avoided.extend(words.iter().cloned());
    request
}
