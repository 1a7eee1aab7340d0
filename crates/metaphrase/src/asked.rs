//! Evidence on its way into the search of a line: workers turn it into scores just before the search begins.

use crate::evidence::{Evidence, EvidenceOptions};
use crate::neural::Shared;
use crate::stream::Job;
use crate::{Request, TranslateOptions};
use metaphrase_base::{SentenceScorer, WordId};
use metaphrase_evidence::EvidenceError;
use metaphrase_phrase::Workspace;
use metaphrase_search::{CheckedOptions, Constraints, Outcome, Task};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Evidence that a line is to be translated with.
pub(crate) struct Asked {
    origin: Origin,
    options: EvidenceOptions,
}

/// Where evidence comes from.
enum Origin {
    /// The request brought it.
    Request(Arc<Evidence>),
    /// The phrase-based model translates this source, so many words of it.
    Model { source: String, limit: usize },
    /// A first search finds it.
    Own(Again),
}

/// The second search of a line.
struct Again {
    source: Vec<WordId>,
    prefix: Vec<WordId>,
    constraints: Option<Constraints>,
    search: CheckedOptions,
    seed: u64,
}

impl Shared {
    /// Adds to a task the evidence that its line is to be translated with. `first`: the options of a first search.
    pub(crate) fn ask(
        &self,
        task: &mut Task<Job>,
        options: &TranslateOptions,
        request: &Request,
        first: Option<&CheckedOptions>,
    ) {
        if request.target.is_some() {
            return;
        }
        let origin = match (&request.evidence, first) {
            (Some(evidence), _) => Origin::Request(Arc::clone(evidence)),
            (None, Some(first)) => {
                let (source, prefix) = (task.source.clone(), task.prefix.clone());
                let search = std::mem::replace(&mut task.options, first.clone());
                Origin::Own(Again { source, prefix, constraints: task.constraints.clone(), search, seed: task.seed })
            }
            (None, None) if self.evidence.is_some() => {
                let source = match options.pieces {
                    true => self.source.decode(&task.source[..task.source.len() - 1]),
                    false => request.source.clone(),
                };
                Origin::Model { source, limit: options.max_source_length.max(1) }
            }
            (None, None) => return,
        };
        task.tag.asked = Some(Box::new(Asked { origin, options: options.evidence.clone() }));
    }

    /// Finds the evidence of a line and turns it into scores. If there is none, a note says why.
    pub(crate) fn inform(&self, mut task: Task<Job>, workspace: &mut Workspace) -> Task<Job> {
        let Some(asked) = task.tag.asked.take() else { return task };
        let Asked { origin, options } = &*asked;
        let found = match origin {
            Origin::Own(_) => {
                task.tag.asked = Some(asked);
                return task;
            }
            Origin::Request(evidence) => self.counter.scorer(evidence, options),
            Origin::Model { source, limit } => {
                let Some(model) = &self.evidence else { return task };
                let lattice = model.lattice(source, *limit, workspace);
                self.counter.scorer(&Evidence::Lattice(lattice), options)
            }
        };
        add_scores(&mut task, found);
        task
    }

    /// The second search of a line whose first search found `outcome`; without one the outcome comes back.
    pub(crate) fn again(&self, mut outcome: Outcome<Job>) -> ControlFlow<Outcome<Job>, Task<Job>> {
        let Some(asked) = outcome.tag.asked.take() else { return ControlFlow::Break(outcome) };
        let Asked { origin: Origin::Own(again), options } = *asked else { return ControlFlow::Break(outcome) };
        let Outcome { tag: mut job, hypotheses, counts, .. } = outcome;
        job.before += counts;
        let list: Vec<_> = hypotheses.iter().map(|found| (&found.words[..], f64::from(found.log_prob))).collect();
        let found = self.counter.scorer_of_pieces(&list, &options);
        let Again { source, prefix, constraints, search, seed } = again;
        let shortlist = self.shortlists.as_ref().map(|shortlists| shortlists.of(&source));
        let mut task = Task { prefix, constraints, seed, shortlist, ..Task::new(job, source, &search) };
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
