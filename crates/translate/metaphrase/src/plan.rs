//! From a request to what engines get: the only place that applies glossaries and divides long lines.

use crate::check::NumberCheck;
use crate::engine::{Engine, EngineFacts, Plan, Session};
use crate::parts::{Divider, Gaps, PartCollector};
use crate::reply::{AnswerFn, Cancel, Reply};
use crate::{Error, Glossary, Request, RequiredTerm, TranslateOptions, Translation, required_terms};
use metaphrase_document::Splitter;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// An engine that is ready for requests with one set of options, and how their lines are planned.
pub(crate) struct Planner<'t> {
    session: Box<dyn Session + 't>,
    /// Where their terms overlap, the first counts.
    glossaries: Vec<&'t Glossary>,
    divider: Option<Divider<'t>>,
    check: Option<NumberCheck>,
}

/// A request as an engine gets it.
pub(crate) struct PlannedLine {
    /// The line, or its parts in their order, each with the byte of the line at which it begins.
    parts: Vec<(usize, Plan)>,
    /// The text between the parts.
    gaps: Gaps,
    /// The whole source, if its numbers are to be checked.
    source: Option<String>,
}

impl<'t> Planner<'t> {
    /// Checks the options; the engine is ready then.
    pub(crate) fn new(
        engine: &'t dyn Engine,
        facts: &'t EngineFacts,
        glossary: Option<&'t Glossary>,
        splitter: &'t OnceLock<Splitter>,
        options: &'t TranslateOptions,
    ) -> Result<Self, Error> {
        let languages = facts.languages.as_ref();
        let check = NumberCheck::new(options, languages);
        // An engine that calls translators does not have them do once more what is done here.
        let of_engine = TranslateOptions { check_numbers: false, glossaries: Vec::new(), ..options.clone() };
        let session = engine.session(&of_engine)?;
        let glossaries: Vec<&Glossary> = options.glossaries.iter().map(Arc::as_ref).chain(glossary).collect();
        let splitter = || {
            let language = languages.map_or("en", |[source, _]| source);
            splitter.get_or_init(|| Splitter::new(language))
        };
        let divider = if facts.takes_whole_lines { None } else { Divider::new(options, splitter, glossaries.clone()) };
        Ok(Self { session, glossaries, divider, check })
    }

    /// The plan of a request. `number`: the next line's; each part counts.
    pub(crate) fn plan(&self, request: Request, number: &mut usize) -> PlannedLine {
        let source = self.check.as_ref().map(|_| request.source.clone());
        let (parts, gaps) = match &self.divider {
            Some(divider) => divider.divide(request),
            None => (vec![(0, request)], Gaps::new()),
        };
        let plan = |(start, mut request): (usize, Request)| {
            // A translation that is given has the terms that it has.
            if request.target.is_none() {
                let own = std::mem::take(&mut request.terms.required);
                request.terms.required = required_terms(own, &self.glossaries, &request.source);
            }
            *number += 1;
            (start, Plan { request, number: *number - 1 })
        };
        PlannedLine { parts: parts.into_iter().map(plan).collect(), gaps, source }
    }

    /// The bytes that a line and its translation take, about.
    pub(crate) fn weight(&self, line: &PlannedLine) -> usize {
        line.parts.iter().map(|(_, plan)| self.session.weight(plan)).fold(0, usize::saturating_add)
    }

    /// Gives the engine lines with what is called with their translations, the longest first: long lines make a batch together.
    pub(crate) fn submit(&self, lines: impl IntoIterator<Item = (PlannedLine, AnswerFn)>, cancel: &Cancel) {
        let mut plans = Vec::new();
        for (line, answer) in lines {
            let answer = self.checked(line.source, answer);
            let answers: Vec<AnswerFn> = if line.gaps.is_empty() {
                vec![answer]
            } else {
                PartCollector::answers(line.parts.len(), line.gaps, answer).collect()
            };
            for ((start, plan), answer) in line.parts.into_iter().zip(answers) {
                let answer = with_terms(&plan.request.terms.required, start, answer);
                plans.push((plan, Reply::new(cancel.clone(), answer)));
            }
        }
        plans.sort_by_key(|(plan, _)| Reverse(plan.request.source.len()));
        for (plan, reply) in plans {
            self.session.submit(plan, reply);
        }
    }

    /// What is called with a translation, after the translation's numbers were compared with those of `source`.
    fn checked(&self, source: Option<String>, answer: AnswerFn) -> AnswerFn {
        match (&self.check, source) {
            (Some(check), Some(source)) => {
                let check = check.clone();
                Box::new(move |found| answer(found.map(|translation| check.checked(&source, translation))))
            }
            _ => answer,
        }
    }
}

/// What is called with a translation, after the translation got its terms. Their places are those in the line, in which the part begins
/// at byte `start`.
fn with_terms(terms: &[RequiredTerm], start: usize, answer: AnswerFn) -> AnswerFn {
    if terms.is_empty() {
        return answer;
    }
    let in_line = |place: &Range<usize>| place.start + start..place.end + start;
    let of_line = |term: &RequiredTerm| RequiredTerm { source: term.source.as_ref().map(in_line), ..term.clone() };
    let terms: Vec<RequiredTerm> = terms.iter().map(of_line).collect();
    Box::new(move |found| {
        answer(found.map(|translation| {
            // A later leg of a way by a third language may have terms of its own, which come after these.
            let more = translation.terms.iter().skip(terms.len()).cloned();
            Translation { terms: terms.into_iter().chain(more).collect(), ..translation }
        }));
    })
}
