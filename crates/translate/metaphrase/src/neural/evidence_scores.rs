//! Evidence of a line becomes scores for its search. Workers do this just before the search begins.

use super::context::Context;
use super::job::{EvidenceJob, EvidenceSource, Job, SecondSearch};
use crate::evidence::Evidence;
use crate::languages::LanguageMarks;
use crate::{Request, TranslateOptions};
use metaphrase_base::SentenceScorer;
use metaphrase_evidence::EvidenceError;
use metaphrase_phrase::Workspace;
use metaphrase_search::{CheckedOptions, Outcome, Task};
use std::ops::ControlFlow;
use std::sync::Arc;

impl Context {
    /// Adds the evidence of its line to a task. `first`: the options of a first search.
    pub(crate) fn add_evidence(
        &self,
        task: &mut Task<Job>,
        options: &TranslateOptions,
        request: &Request,
        first: Option<&CheckedOptions>,
    ) {
        if request.target.is_some() {
            return;
        }
        let source = match (&request.evidence, first) {
            (Some(evidence), _) => EvidenceSource::Request(Arc::clone(evidence)),
            (None, Some(first)) => EvidenceSource::FirstSearch(SecondSearch::after(task, first.clone())),
            (None, None) if self.evidence.is_some() => {
                let text = if options.pieces {
                    let LanguageMarks { before, last, .. } = task.tag.languages;
                    let (start, after) = (usize::from(before.is_some()), usize::from(last.is_some()));
                    self.source.decode(&task.source[start..task.source.len() - 1 - after])
                } else {
                    request.source.clone()
                };
                EvidenceSource::PhraseModel { text, limit: options.max_source_length.max(1) }
            }
            (None, None) => return,
        };
        task.tag.evidence = Some(Box::new(EvidenceJob { source, options: options.evidence.clone() }));
    }

    /// Finds the evidence of a line and turns it into scores. If there is none, a note gives the reason.
    pub(crate) fn inform(&self, mut task: Task<Job>, workspace: &mut Workspace) -> Task<Job> {
        let Some(evidence) = task.tag.evidence.take() else { return task };
        let EvidenceJob { source, options } = &*evidence;
        let found = match source {
            EvidenceSource::FirstSearch(_) => {
                task.tag.evidence = Some(evidence);
                return task;
            }
            EvidenceSource::Request(evidence) => self.counter.scorer(evidence, options),
            EvidenceSource::PhraseModel { text, limit } => {
                let Some(model) = &self.evidence else { return task };
                let lattice = model.lattice(text, *limit, workspace);
                self.counter.scorer(&Evidence::Lattice(lattice), options)
            }
        };
        add_scores(&mut task, found);
        task
    }

    /// The second search of a line whose first search found `outcome`. If the line is searched once, its outcome comes
    /// back.
    pub(crate) fn second_search(&self, mut outcome: Outcome<Job>) -> ControlFlow<Outcome<Job>, Task<Job>> {
        if let Some(search) = outcome.tag.term_search.take() {
            return self.second_term_search(outcome, *search);
        }
        let Some(evidence) = outcome.tag.evidence.take() else { return ControlFlow::Break(outcome) };
        let EvidenceJob { source: EvidenceSource::FirstSearch(second), options } = *evidence else {
            return ControlFlow::Break(outcome);
        };
        let Outcome { tag: job, hypotheses, counts, .. } = outcome;
        let list: Vec<_> = hypotheses.iter().map(|found| (&found.words[..], f64::from(found.log_prob))).collect();
        let found = self.counter.scorer_of_pieces(&list, &options);
        let mut task = second.task(job, counts);
        add_scores(&mut task, found);
        ControlFlow::Continue(task)
    }
}

fn add_scores(task: &mut Task<Job>, found: Result<Option<Arc<dyn SentenceScorer>>, EvidenceError>) {
    match found {
        Ok(None) => task.tag.notes.push("translated without evidence: the evidence has no n-grams".into()),
        Ok(scorer) => task.scorer = scorer,
        Err(error) => task.tag.notes.push(format!("translated without evidence: {error}")),
    }
}
