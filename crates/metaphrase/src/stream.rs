//! Requests through the pool: fed from one thread, answered in order on another.

use crate::constraints::Segmented;
use crate::neural::{Neural, Shared};
use crate::pool::Pool;
use crate::{Attention, Error, Hypothesis, Met, Request, TranslateOptions, Translation};
use metaphrase_base::{StepModel, WordId};
use metaphrase_search::{CheckedOptions, Constraints, Outcome, Task};
use metaphrase_text::vocab::Vocabulary;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// A line on its way through the pool.
pub(crate) struct Job {
    line: usize,
    source_pieces: Vec<String>,
    notes: Vec<String>,
    required: Required,
    reply: Sender<(usize, Translation)>,
}

/// The required terms of a line.
#[derive(Default)]
struct Required {
    /// Alternatives as they were given.
    terms: Vec<Vec<String>>,
    constraints: Option<Constraints>,
    /// For each term of `constraints` its number among `terms`.
    numbers: Vec<usize>,
    impossible: Vec<usize>,
}

impl Neural {
    /// See [`Translator::stream`](crate::Translator::stream).
    pub(crate) fn stream<I>(
        &self,
        options: &TranslateOptions,
        chunks: I,
        mut sink: impl FnMut(Translation) -> ControlFlow<()>,
    ) -> Result<(), Error>
    where
        I: IntoIterator<Item = Vec<Request>>,
        I::IntoIter: Send,
    {
        let Shared { model, target, .. } = &*self.shared;
        let search = options.search(target).check(&**model)?;
        let chunks = chunks.into_iter();
        let (reply, replies) = channel();
        let stopped = &AtomicBool::new(false);
        thread::scope(|scope| {
            let chunks = chunks.take_while(|_| !stopped.load(Ordering::Relaxed));
            let feeder = scope.spawn(move || self.feed(options, &search, chunks, &reply));
            let finished = in_order(&replies, &mut sink);
            stopped.store(true, Ordering::Relaxed);
            match (feeder.join(), finished) {
                (Ok(Ok(lines)), Ok(sunk)) if sunk == lines => Ok(()),
                (_, Err(Stopped)) => Ok(()),
                _ => Err(Error::WorkerFailed),
            }
        })
    }

    /// Segments requests and queues them; the number of lines queued.
    fn feed(
        &self,
        options: &TranslateOptions,
        search: &CheckedOptions,
        chunks: impl Iterator<Item = Vec<Request>>,
        reply: &Sender<(usize, Translation)>,
    ) -> Result<usize, Error> {
        let mut line = 0;
        for chunk in chunks {
            let mut tasks = Vec::with_capacity(chunk.len());
            for request in &chunk {
                match self.shared.task(options, search, request, line, reply) {
                    Some(task) => tasks.push(task),
                    // Nobody listens any more when the sink broke.
                    None => _ = reply.send((line, Translation::of_nothing(&request.terms))),
                }
                line += 1;
            }
            tasks.sort_by_key(|task| std::cmp::Reverse(task.source.len()));
            for task in tasks {
                self.pool.push(task).map_err(|_| Error::WorkerFailed)?;
            }
        }
        Ok(line)
    }
}

impl Shared {
    /// The search of a request; `None` if there is nothing to search, as in an empty line.
    fn task(
        &self,
        options: &TranslateOptions,
        search: &CheckedOptions,
        request: &Request,
        line: usize,
        reply: &Sender<(usize, Translation)>,
    ) -> Option<Task<Job>> {
        let mut source = Vec::new();
        self.source.encode(&request.source, &mut source);
        if source.len() <= 1 && request.target.is_none() && request.prefix.is_empty() {
            return None;
        }
        let mut notes = Vec::new();
        let limit = options.max_source_length.max(1);
        if source.len() > limit + 1 {
            let message = "the source has {} pieces and is cut off after {limit}; split it into sentences";
            notes.push(message.replace("{}", &(source.len() - 1).to_string()).replace("{limit}", &limit.to_string()));
            source.truncate(limit);
            source.push(self.source.eos());
        }
        let mut prefix: Vec<WordId> = Vec::new();
        self.target.encode(request.target.as_deref().unwrap_or(&request.prefix), &mut prefix);
        if request.target.is_none() {
            prefix.pop();
        }
        let source_pieces = pieces(&self.source, &source[..source.len() - 1]);
        let required = self.required(search, request, (source.len(), prefix.len()), &mut notes);
        let constraints = required.constraints.clone();
        let tag = Job { line, source_pieces, notes, required, reply: reply.clone() };
        // Distinct lines draw from distinct streams of numbers.
        let seed = options.seed.wrapping_add((line as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Some(Task { prefix, seed, constraints, ..Task::new(tag, source, search) })
    }

    /// The terms of a request whose source and prefix have so many words, and notes about them.
    fn required(
        &self,
        search: &CheckedOptions,
        request: &Request,
        (source_len, prefix_len): (usize, usize),
        notes: &mut Vec<String>,
    ) -> Required {
        if request.terms.is_empty() || request.target.is_some() {
            return Required::default();
        }
        let mut segmented = Segmented::new(&request.terms, &self.target, &self.continues);
        let words = segmented.constraints.as_ref().map_or(0, Constraints::words);
        let limit = search.limit(source_len, prefix_len);
        if search.sampling.is_some() && segmented.constraints.is_some() {
            segmented.give_up("draws can not be told what to contain: constraints are left out; do not sample".into());
        } else if prefix_len + words + 1 > limit {
            let advice = "raise the maximum length factor";
            segmented.give_up(format!("the constraints are left out: they take {words} pieces, which a translation of at most {limit} pieces does not hold; {advice}"));
        }
        let Segmented { constraints, numbers, impossible, notes: problems } = segmented;
        notes.extend(problems);
        Required { terms: request.terms.required.clone(), constraints, numbers, impossible }
    }

    /// Sends an outcome as text to the caller that asked for it.
    fn reply(&self, outcome: Outcome<Job>) {
        let Outcome { tag: mut job, source_len, hypotheses, counts } = outcome;
        let required = &job.required;
        let mut missing = required.impossible.clone();
        let mut texts = Vec::with_capacity(hypotheses.len());
        for found in hypotheses {
            let text = self.target.decode(&found.words);
            let met = required.met(&self.target, &found.words, &text);
            let lacking = required.numbers.iter().filter(|number| !met.iter().any(|met| met.term == **number));
            missing.extend(lacking);
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
        missing.sort_unstable();
        missing.dedup();
        let late = missing.iter().filter(|number| !required.impossible.contains(number));
        job.notes.extend(late.map(|&number| {
            let term = required.terms[number].join("' or '");
            format!("the translation lacks the constraint '{term}': its length limit came first")
        }));
        let Job { line, source_pieces, notes, reply, .. } = job;
        let translation = Translation { hypotheses: texts, missing, counts, source_pieces, notes };
        // Nobody listens any more when the sink broke: then the translation is not wanted.
        let _ = reply.send((line, translation));
    }
}

impl Required {
    /// Where the terms are in a translation of these words. A term counts only if the text has it, too.
    fn met(&self, target: &Vocabulary, words: &[WordId], text: &str) -> Vec<Met> {
        let Some(constraints) = &self.constraints else { return Vec::new() };
        let found = constraints.find(words).into_iter().zip(&self.numbers);
        let met = found.filter_map(|(place, &term)| {
            let (first, pieces) = place?;
            let has = text.contains(target.decode(&words[first..first + pieces]).trim());
            has.then_some(Met { term, first, pieces })
        });
        met.collect()
    }
}

/// Threads that search with `model`.
pub(crate) fn pool<M: StepModel + 'static>(
    model: &Arc<M>,
    shared: &Arc<Shared>,
    threads: usize,
    batch_tokens: usize,
) -> Result<Pool<Job>, Error> {
    let worker = Arc::clone(shared);
    let emit = move |outcome| worker.reply(outcome);
    Pool::new(model, threads, batch_tokens, emit).map_err(Error::Threads)
}

fn pieces(vocabulary: &Vocabulary, words: &[WordId]) -> Vec<String> {
    words.iter().map(|&word| vocabulary.word(word).to_owned()).collect()
}

/// The sink wants no more.
struct Stopped;

/// Hands translations on in the order of their lines; how many there were.
fn in_order(
    replies: &Receiver<(usize, Translation)>,
    sink: &mut impl FnMut(Translation) -> ControlFlow<()>,
) -> Result<usize, Stopped> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    for (line, translation) in replies {
        early.insert(line, translation);
        while let Some(translation) = early.remove(&next) {
            next += 1;
            if sink(translation).is_break() {
                return Err(Stopped);
            }
        }
    }
    Ok(next)
}
