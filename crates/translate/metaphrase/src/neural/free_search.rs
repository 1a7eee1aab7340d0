//! Free searches of a line with terms: without them, and with those in the source that its translation lacks. What
//! stands around a term is best where nobody asked for the term.

use super::context::Context;
use super::job::{Job, SecondSearch};
use super::term_search::{Next, TermLine, TermQuestion, TermSearch, Written};
use crate::Request;
use crate::forms::with_capital;
use metaphrase_base::WordId;
use metaphrase_search::Outcome;
use metaphrase_text::comparable;
use std::ops::{ControlFlow, Range};

/// The search of a line that has its terms in the source, or requires them.
pub(crate) struct SearchWithTerms {
    pub(super) columns: Option<Vec<usize>>,
    /// Its question; `None` if it is the last search.
    pub(super) next: Option<NextQuestion>,
}

impl SearchWithTerms {
    /// Whether it is a free search.
    fn is_free(&self) -> bool {
        matches!(self.next, Some(NextQuestion { question: TermQuestion::Free, .. }))
    }

    /// The task of the search. `search`: its options.
    fn task(self, outcome: Outcome<Job>, line: TermLine, search: SecondSearch) -> Next {
        let (mut job, Self { columns, next }) = (outcome.tag, self);
        job.columns = columns;
        job.term_search = next.map(|NextQuestion { question, second }| Box::new(TermSearch { question, line, second }));
        ControlFlow::Continue(search.task(job, outcome.counts))
    }
}

/// The question of a search, and the search after it.
pub(super) struct NextQuestion {
    pub(super) question: TermQuestion,
    pub(super) second: SecondSearch,
}

/// The search of a line that has some of its terms in this source, and the one after it.
pub(crate) struct SearchWithSomeTerms {
    source: Vec<WordId>,
    with_all: SearchWithTerms,
}

impl Context {
    /// The words of the translation of a line that is a term and signs: a button, a label, a cell of a table. What a
    /// model adds to so short a line is a plain word next to the term. `None` for other lines.
    pub(super) fn translation_of_term(&self, request: &Request) -> Option<Vec<WordId>> {
        let [term] = &request.terms.required[..] else { return None };
        let place = term.source.clone().filter(|_| term.copied_from(&request.source).is_none())?;
        let (before, after) = (request.source.get(..place.start)?, request.source.get(place.end..)?);
        // Quotation marks of the source language are for the model.
        let is_sign = |c: char| c == '…' || c.is_ascii_punctuation() || c.is_whitespace();
        if ![before, after].concat().chars().all(is_sign) {
            return None;
        }
        let written = &request.source[place];
        let form = term.first_form(written, self.target_language())?;
        let capital = with_capital(&form).filter(|_| written.starts_with(char::is_uppercase));
        let text = [before, &capital.unwrap_or(form), after].concat();
        let mut words = Vec::new();
        self.target.encode(&text, &mut words);
        (comparable(&self.target.decode(&words)) == comparable(&text)).then_some(words)
    }

    /// The translation that a line has without its terms, if it has them all the same; else the search with terms. So
    /// a line that has its terms by itself stays as it is.
    pub(super) fn after_plain_search(
        &self,
        mut outcome: Outcome<Job>,
        written: &Written,
        search: SearchWithTerms,
        line: TermLine,
        mut second: SecondSearch,
    ) -> Next {
        let SearchWithTerms { columns, next } = search;
        if self.has_terms(&outcome, written, &line.request) {
            outcome.tag.required.prefer(&self.target, &self.written);
            let last = next.map_or(second.search, |next| next.second.search);
            if !last.attention {
                outcome.hypotheses[0].attention.clear();
            }
            (second.source, _) = self.plain_source(&line, &outcome.tag);
            return self.keep_parts(outcome, line, SecondSearch { search: last, constraints: None, ..second });
        }
        let with_all = SearchWithTerms { columns, next };
        let lacking = self.lacking(&outcome, written, &line.request);
        if with_all.is_free()
            && let Some(source) = self.source_with(&lacking, &line, &mut outcome.tag)
        {
            let task = SecondSearch { source: source.clone(), ..second.clone() };
            let question = TermQuestion::Lacking(Box::new(SearchWithSomeTerms { source, with_all }));
            outcome.tag.term_search = Some(Box::new(TermSearch { question, line, second }));
            return ControlFlow::Continue(task.task(outcome.tag, outcome.counts));
        }
        with_all.task(outcome, line, second)
    }

    /// The source of a line with those of its terms in it that have these numbers and are no verbs; `None` if these are
    /// all terms or none. A model that reads an infinitive writes it, also where another form is right.
    fn source_with(&self, numbers: &[usize], line: &TermLine, job: &mut Job) -> Option<Vec<WordId>> {
        let mut request = line.request.clone();
        let all = request.terms.required.len();
        let mut number = 0..;
        request.terms.required.retain(|term| {
            number.next().is_some_and(|number| numbers.contains(&number)) && term.verb(self.target_language()).is_none()
        });
        if request.terms.required.len() == all {
            return None;
        }
        let annotated = self.annotate(&request, &line.words, &job.source_pieces)?;
        let (source, columns) = annotated.read_between(job.languages.before, job.languages.last);
        job.columns = columns;
        Some(source)
    }

    /// The translation of a search with some terms in the source, if it has them all; else the search with all.
    pub(super) fn after_lacking_search(
        &self,
        outcome: Outcome<Job>,
        written: &Written,
        search: SearchWithSomeTerms,
        line: TermLine,
        second: SecondSearch,
    ) -> Next {
        let SearchWithSomeTerms { source, with_all } = search;
        match with_all.next {
            Some(next) if self.has_terms(&outcome, written, &line.request) => {
                self.after_free_search(outcome, written, line, SecondSearch { source, ..next.second })
            }
            next => SearchWithTerms { next, ..with_all }.task(outcome, line, second),
        }
    }

    /// Whether a free translation has the terms, in the required forms or in others.
    pub(super) fn has_terms(&self, outcome: &Outcome<Job>, written: &Written, request: &Request) -> bool {
        let (required, Written { text, pieces }) = (&outcome.tag.required, written);
        required.is_met_by(&request.source, text, pieces)
            || required.has_copies(&request.source, text)
                && required.has_all(text, pieces)
                && self.lacking(outcome, written, request).is_empty()
    }

    /// The numbers of the terms that a free translation lacks. A German one may have them with other endings or as
    /// parts of compounds, where these attend to the words of the term; a compound stands for other words, too:
    /// "Abonnements" is no compound with the term "Abo".
    pub(super) fn lacking(&self, outcome: &Outcome<Job>, written: &Written, request: &Request) -> Vec<usize> {
        let required = &outcome.tag.required;
        let mut lacking = required.missing_in(&written.text);
        if lacking.is_empty() || !self.may_have_compounds() || outcome.hypotheses[0].attention.is_empty() {
            return lacking;
        }
        self.linked(outcome, written, request, |linked, text, _| {
            lacking.retain(|&number| {
                let Some(source) = &request.terms.required[number].source else { return true };
                let mut words = required.with_endings(number, text);
                let mut parts = required.in_compounds(number, text);
                let stands_for = |place: &Range<usize>| linked.attends_most(place, source);
                !words.any(|word| stands_for(&word))
                    && !parts.any(|part| stands_for(&part) && linked.attends_elsewhere(&part, source))
            });
        });
        lacking
    }

    /// Whether translations are in German, and terms stand in the source.
    pub(super) fn may_have_compounds(&self) -> bool {
        self.inline_terms.is_some() && self.target_language() == Some("de")
    }
}
