//! Requests through the workers: fed by one thread, answered in order on the caller's.

use crate::constraints::Segmented;
use crate::neural::{Neural, Shared};
use crate::{Attention, Error, Hypothesis, Request, TranslateOptions, Translation};
use metaphrase_base::pipeline::{Queue, Ticket, Tickets, WorkerPanicked, Workers, batch, ordered};
use metaphrase_base::{StepModel, WordId};
use metaphrase_search::{CheckedOptions, Constraints, Outcome, Searcher, Task};
use metaphrase_text::vocab::Vocabulary;
use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Requests of a caller that are on the way at most, from the feeder to the sink.
const WINDOW: usize = 8192;
/// Requests that are sorted by length together, at most.
const SORTED: usize = WINDOW / 4;

/// Threads that search for the sentences of all callers. A worker takes the sentences that fit into its batch and refills
/// the batch as sentences finish. Results do not depend on which sentences share a batch.
pub(crate) type Pool = Workers<Task<Job>>;

/// A line on its way through the pool.
pub(crate) struct Job {
    ticket: Ticket<Translation>,
    source_pieces: Vec<String>,
    required: Segmented,
    prefix: String,
    /// Messages about the line, one sentence each.
    notes: Vec<String>,
}

impl Neural {
    /// See [`Translator::stream`](crate::Translator::stream).
    pub(crate) fn stream(
        &self,
        options: &TranslateOptions,
        chunks: impl Iterator<Item = Vec<Request>> + Send,
        sink: impl FnMut(Translation) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let Shared { model, target, .. } = &*self.shared;
        let search = options.search(target).check(&**model)?;
        let feed = |mut tickets: Tickets<Translation>| {
            for chunk in chunks {
                for part in chunk.chunks(SORTED) {
                    let mut tasks = Vec::with_capacity(part.len());
                    for request in part {
                        let Some(ticket) = tickets.take() else { return };
                        tasks.extend(self.shared.task(options, &search, request, ticket));
                    }
                    tasks.sort_by_key(|task| Reverse(task.source.len()));
                    tasks.into_iter().for_each(|task| self.pool.push(task));
                }
            }
        };
        answered(feed, sink)
    }
}

/// Lets `feed` ask for translations, and gives the translations to `sink` in the order of their tickets until it breaks.
pub(crate) fn answered(
    feed: impl FnOnce(Tickets<Translation>) + Send,
    mut sink: impl FnMut(Translation) -> ControlFlow<()>,
) -> Result<(), Error> {
    let mut broke = false;
    let answered = ordered(WINDOW, feed, |translation| {
        broke = sink(translation).is_break();
        if broke { Err(WorkerPanicked) } else { Ok(()) }
    });
    if broke { Ok(()) } else { answered.map_err(|WorkerPanicked| Error::WorkerFailed) }
}

impl Shared {
    /// The search of a request. A request without words, as an empty line, is answered at once.
    fn task(
        &self,
        options: &TranslateOptions,
        search: &CheckedOptions,
        request: &Request,
        ticket: Ticket<Translation>,
    ) -> Option<Task<Job>> {
        let mut source = Vec::new();
        self.source.encode(&request.source, &mut source);
        if source.len() <= 1 && request.target.is_none() && request.prefix.is_empty() {
            ticket.finish(Translation::of_nothing(&request.terms));
            return None;
        }
        let mut notes = Vec::new();
        let limit = options.max_source_length.max(1);
        if source.len() > limit + 1 {
            notes.push(cut_off(source.len() - 1, "pieces", limit));
            source.truncate(limit);
            source.push(self.source.eos());
        }
        let mut prefix: Vec<WordId> = Vec::new();
        self.target.encode(request.target.as_deref().unwrap_or(&request.prefix), &mut prefix);
        if request.target.is_none() {
            prefix.pop();
        }
        let source_pieces = pieces(&self.source, &source[..source.len() - 1]);
        let mut required = self.required(search, request, source.len(), prefix.len());
        notes.append(&mut required.notes);
        let constraints = required.constraints.clone();
        // Distinct lines draw from distinct streams of numbers.
        let seed = options.seed.wrapping_add((ticket.number() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let tag = Job { ticket, source_pieces, notes, required, prefix: request.prefix.clone() };
        Some(Task { prefix, seed, constraints, ..Task::new(tag, source, search) })
    }

    /// The terms of a request; its source has `source_len` words and its prefix `prefix_len`.
    fn required(&self, search: &CheckedOptions, request: &Request, source_len: usize, prefix_len: usize) -> Segmented {
        if request.terms.is_empty() || request.target.is_some() {
            return Segmented::default();
        }
        let mut segmented = Segmented::new(&request.terms, &self.target, &self.continues);
        let words = segmented.constraints.as_ref().map_or(0, Constraints::words);
        let limit = search.limit(source_len, prefix_len);
        let sampling = search.sampling.is_some() && segmented.constraints.is_some();
        let note = if sampling {
            "draws can not be told what to contain: constraints are left out; do not sample".into()
        } else if words > 0 && prefix_len + words + 1 > limit {
            let advice = "raise the maximum length factor";
            format!(
                "the constraints are left out: they take {words} pieces, which a translation of at most {limit} pieces does not hold; {advice}"
            )
        } else {
            return segmented;
        };
        segmented.give_up(sampling, note, &self.target, &self.continues);
        segmented
    }

    /// Gives the caller an outcome, as text.
    fn reply(&self, outcome: Outcome<Job>) {
        let Outcome { tag: mut job, source_len, hypotheses, counts } = outcome;
        let required = &job.required;
        let (mut missing, mut present) = (required.impossible.clone(), Vec::new());
        let complete = hypotheses.iter().all(|found| found.complete);
        let mut texts = Vec::with_capacity(hypotheses.len());
        for found in hypotheses {
            let text = self.target.decode(&found.words);
            let met = required.met(&found.words, &text);
            let lacking = required.numbers.iter().filter(|number| !met.iter().any(|met| met.term == **number));
            missing.extend(lacking);
            present.extend(required.present(&text));
            texts.push(Hypothesis {
                text,
                pieces: pieces(&self.target, &found.words),
                score: found.score,
                log_prob: found.log_prob,
                piece_log_probs: found.word_log_probs,
                complete: found.complete,
                met,
                attention: (!found.attention.is_empty()).then_some(Attention { source_len, weights: found.attention }),
                links: Vec::new(),
            });
        }
        for numbers in [&mut missing, &mut present] {
            numbers.sort_unstable();
            numbers.dedup();
        }
        let late = missing.iter().filter(|number| !required.impossible.contains(number));
        job.notes.extend(late.map(|&number| required.lacks(number, complete)));
        job.notes.extend(present.iter().map(|&number| required.contains(number, &job.prefix)));
        let Job { ticket, source_pieces, notes, .. } = job;
        ticket.finish(Translation { hypotheses: texts, missing, present, counts, source_pieces, notes });
    }
}

/// The note on a source of `length` words or pieces, `limit` of which are translated.
pub(crate) fn cut_off(length: usize, unit: &str, limit: usize) -> String {
    format!("the source has {length} {unit} and is cut off after {limit}; split it into sentences")
}

/// Starts threads that search with `model`.
pub(crate) fn pool<M: StepModel + 'static>(
    model: &Arc<M>,
    shared: &Arc<Shared>,
    threads: usize,
    batch_tokens: usize,
) -> Result<Pool, Error> {
    let (model, shared) = (Arc::clone(model), Arc::clone(shared));
    let worker = move |queue: &Queue<Task<Job>>| {
        let mut searcher = Searcher::new(&*model, batch_tokens);
        while let Some(mut batch) = batch(queue) {
            // A caller that left needs no answers.
            let next = || batch.find(|task| task.tag.ticket.is_wanted());
            searcher.run(next, |outcome| shared.reply(outcome));
        }
    };
    Workers::start("translate", threads, worker).map_err(Error::Threads)
}

fn pieces(vocabulary: &Vocabulary, words: &[WordId]) -> Vec<String> {
    words.iter().map(|&word| vocabulary.word(word).to_owned()).collect()
}
