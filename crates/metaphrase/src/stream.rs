//! Requests through the workers: fed by one thread, answered in order on the caller's.

use crate::asked::Asked;
use crate::constraints::{Segmented, changed_prefix};
use crate::lengths::{many_sentences, words};
use crate::neural::{Neural, Shared};
use crate::reply::{Call, Reply};
use crate::search_graph::{GraphUnits, SearchGraph};
use crate::unknown::Replacement;
use crate::{Attention, Counts, Error, Hypothesis, Request, SearchOptions, TranslateOptions, Translation};
use metaphrase_base::pipeline::{Limit, Queue, Tickets, WorkerPanicked, Workers, batch, ordered};
use metaphrase_base::{StepModel, Unit, UnitTimes, WordId};
use metaphrase_models::with_team;
use metaphrase_phrase::Workspace;
use metaphrase_search::{CheckedOptions, Constraints, Informed, Outcome, Searcher, Task};
use metaphrase_text::vocab::Vocabulary;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::available_parallelism;

/// Requests of a caller that are on the way at most, from the feeder to the sink.
const WINDOW: usize = 8192;
/// Bytes that these requests and their answers take at most, about.
const MEMORY: usize = 64 << 20;
/// Requests that are sorted by length together, at most.
const SORTED: usize = WINDOW / 4;

/// Threads that search for the sentences of all callers. A worker takes the sentences that fit into its batch and refills
/// the batch as sentences finish. Results do not depend on which sentences share a batch.
pub(crate) type Pool = Workers<Task<Job>>;

/// A line on its way through the pool.
pub(crate) struct Job {
    reply: Reply,
    source_pieces: Vec<String>,
    required: Segmented,
    /// Number of required terms, those that can not be met included.
    terms: usize,
    prefix: String,
    /// Replaces the unknown words of its translations.
    replacement: Option<Replacement>,
    /// Messages about the line, one sentence each.
    pub(crate) notes: Vec<String>,
    /// The evidence that the line is to be translated with.
    pub(crate) asked: Option<Box<Asked>>,
    /// The words of the search graph, if it is asked for.
    graph: Option<GraphUnits>,
    /// The work of an earlier search of the line.
    pub(crate) before: Counts,
}

impl Neural {
    /// See [`Translator::stream`](crate::Translator::stream).
    pub(crate) fn stream(
        &self,
        options: &TranslateOptions,
        chunks: impl Iterator<Item = Vec<Request>> + Send,
        sink: impl FnMut(Translation) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let (search, first) = self.ready(options)?;
        let feed = |mut tickets: Tickets<Translation>| {
            let _clock = self.shared.unit_times.as_ref().map(UnitTimes::measure);
            for chunk in chunks {
                for part in chunk.chunks(SORTED) {
                    let mut tasks = Vec::with_capacity(part.len());
                    for request in part {
                        let Some(ticket) = tickets.take() else { return };
                        match self.shared.task(options, &search, request, Reply::Ticket(ticket)) {
                            Ok(mut task) => {
                                let weight = weight(request, &task, &search);
                                self.shared.ask(&mut task, options, request, first.as_ref());
                                self.weigh(&mut task.tag.reply, weight, &mut tasks);
                                tasks.push(task);
                            }
                            Err(mut reply) => {
                                self.weigh(&mut reply, request.attached, &mut tasks);
                                reply.finish(Translation::of_nothing(&request.terms));
                            }
                        }
                    }
                    self.push(&mut tasks);
                }
            }
        };
        answered(feed, sink)
    }

    /// See [`Translator::submit`](crate::Translator::submit).
    pub(crate) fn submit(&self, options: &TranslateOptions, request: &Request, call: Call) -> Result<(), Error> {
        let (search, first) = match self.ready(options) {
            Ok(checked) => checked,
            Err(error) => {
                call.forget();
                return Err(error);
            }
        };
        match self.shared.task(options, &search, request, Reply::Call(call)) {
            Ok(mut task) => {
                self.shared.ask(&mut task, options, request, first.as_ref());
                self.pool.push(task);
            }
            Err(reply) => reply.finish(Translation::of_nothing(&request.terms)),
        }
        Ok(())
    }

    /// The options of the search, and those of the first search of lines that are searched twice; the threads have started.
    pub(crate) fn ready(&self, options: &TranslateOptions) -> Result<(CheckedOptions, Option<CheckedOptions>), Error> {
        let Shared { model, target, .. } = &*self.shared;
        let search = options.search(target).check(&**model)?;
        options.evidence.check()?;
        let own = |n_best| {
            let search = options.search(target);
            let beam_size_constrained = search.beam_size_constrained.map(|beam| beam.max(n_best));
            let beam_size = search.beam_size.max(n_best);
            // The best ones, also where the answers are drawn.
            let search = SearchOptions { sampling: None, attention: false, explored: false, ..search };
            SearchOptions { beam_size, beam_size_constrained, n_best, ..search }.check(&**model)
        };
        let checked = (search, options.evidence.own.map(own).transpose()?);
        self.pool.ready()?;
        Ok(checked)
    }

    /// Gives a ticket its weight. If it has to wait for room, the workers get the tasks first: it may wait for these.
    fn weigh(&self, reply: &mut Reply, weight: usize, tasks: &mut Vec<Task<Job>>) {
        if !reply.fits(weight) {
            self.push(tasks);
        }
        reply.weigh(weight);
    }

    /// Gives the workers tasks, the longest first.
    fn push(&self, tasks: &mut Vec<Task<Job>>) {
        tasks.sort_by_key(|task| Reverse(task.source.len()));
        tasks.drain(..).for_each(|task| self.pool.push(task));
    }
}

/// Bytes of a request and of its answers, about and at most.
fn weight(request: &Request, task: &Task<Job>, search: &CheckedOptions) -> usize {
    let (source, prefix) = (task.source.len(), task.prefix.len());
    let terms = request.terms.required.iter().flatten().chain(&request.terms.avoided);
    // Each piece is a string with its score, and has attention to each source piece.
    let piece = 64 + if search.attention { source * size_of::<f32>() } else { 0 };
    let answers = search.limit(source, prefix).saturating_mul(piece).saturating_mul(search.n_best);
    let explored = if search.explored { 2 * 96 * search.beam_size } else { 0 };
    let answers = answers.saturating_add(search.limit(source, prefix).saturating_mul(explored));
    let asked = 1024 + 64 * (source + prefix) + 16 * terms.map(String::len).sum::<usize>();
    let evidence = request.evidence.as_ref().map_or(0, |evidence| evidence.size());
    asked.saturating_add(request.attached).saturating_add(evidence).saturating_add(answers)
}

/// Lets `feed` ask for translations, and gives the translations to `sink` in the order of their tickets until it breaks.
pub(crate) fn answered(
    feed: impl FnOnce(Tickets<Translation>) + Send,
    mut sink: impl FnMut(Translation) -> ControlFlow<()>,
) -> Result<(), Error> {
    let mut broke = false;
    let answered = ordered(Limit { items: WINDOW, weight: MEMORY }, feed, |translation| {
        broke = sink(translation).is_break();
        if broke { Err(WorkerPanicked) } else { Ok(()) }
    });
    if broke { Ok(()) } else { answered.map_err(|WorkerPanicked| Error::WorkerFailed) }
}

impl Shared {
    /// The search of a request. Of a request without words, as an empty line, the reply comes back.
    fn task(
        &self,
        options: &TranslateOptions,
        search: &CheckedOptions,
        request: &Request,
        reply: Reply,
    ) -> Result<Task<Job>, Reply> {
        let _unit = Unit::Text.timed();
        let mut notes = Vec::new();
        let source = words(&self.source, &request.source, "source", options, &mut notes);
        if source.len() <= 1 && request.target.is_none() && request.prefix.is_empty() {
            return Err(reply);
        }
        if !options.pieces && request.target.is_none() && notes.is_empty() {
            notes.extend(many_sentences(&request.source, source.len() - 1));
        }
        let prefix = match &request.target {
            Some(target) => words(&self.target, target, "target", options, &mut notes),
            None => {
                let mut prefix = words(&self.target, &request.prefix, "prefix", options, &mut notes);
                prefix.pop();
                if !options.pieces {
                    notes.extend(changed_prefix(&request.prefix, &prefix, &self.target));
                }
                prefix
            }
        };
        let source_pieces = pieces(&self.source, &source[..source.len() - 1]);
        let mut required = self.required(search, request, source.len(), prefix.len());
        notes.append(&mut required.notes);
        let constraints = required.constraints.clone();
        // Distinct lines draw from distinct streams of numbers.
        let seed = options.seed.wrapping_add((reply.number() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let replacement = options.replace_unknown.as_ref().map(|dictionary| Replacement {
            written_words: match options.pieces {
                true => pieces(&self.source, &source[..source.len() - 1]),
                false => self.source.written_words(&request.source),
            },
            dictionary: dictionary.clone(),
        });
        let tag = Job {
            reply,
            source_pieces,
            required,
            terms: request.terms.required.len(),
            prefix: request.prefix.clone(),
            replacement,
            notes,
            asked: None,
            graph: options.search_graph,
            before: Counts::default(),
        };
        let shortlist = self.shortlists.as_ref().map(|shortlists| shortlists.of(&source));
        Ok(Task { prefix, seed, constraints, shortlist, ..Task::new(tag, source, search) })
    }

    /// The terms of a request; its source has `source_len` words and its prefix `prefix_len`.
    fn required(&self, search: &CheckedOptions, request: &Request, source_len: usize, prefix_len: usize) -> Segmented {
        if request.terms.is_empty() || request.target.is_some() {
            return Segmented::default();
        }
        let mut segmented = Segmented::new(&request.terms, &self.target, &self.continues, &search.excluded);
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
        let _unit = Unit::Text.timed();
        let Outcome { tag: mut job, source_len, mut hypotheses, explored, mut counts } = outcome;
        counts += job.before;
        let required = &job.required;
        hypotheses.retain(|found| found.score.is_finite() && found.log_prob.is_finite());
        if hypotheses.is_empty() {
            job.notes.push(NOT_FINITE.to_owned());
            let failed = Translation::failed(NOT_FINITE, job.terms);
            let (source_pieces, notes) = (job.source_pieces, job.notes);
            return job.reply.finish(Translation { source_pieces, notes, counts, ..failed });
        }
        let graph = |units| SearchGraph::new(&explored, &self.target, &self.continues, units);
        let search_graph = job.graph.map(graph);
        let mut missing = required.impossible.clone();
        let complete = hypotheses.iter().all(|found| found.complete);
        let mut texts = Vec::with_capacity(hypotheses.len());
        for found in hypotheses {
            let text = self.text(found, source_len, &job);
            let lacking = required.numbers.iter().filter(|number| !text.met.iter().any(|met| met.term == **number));
            missing.extend(lacking);
            texts.push(text);
        }
        missing.sort_unstable();
        missing.dedup();
        let present = required.present(&texts);
        let late = missing.iter().filter(|number| !required.impossible.contains(number));
        job.notes.extend(late.map(|&number| required.lacks(number, complete)));
        job.notes.extend(present.iter().map(|&number| required.contains(number, &job.prefix)));
        let Job { reply, source_pieces, notes, .. } = job;
        reply.finish(Translation {
            missing_numbers: Vec::new(),
            hypotheses: texts,
            error: None,
            missing,
            present,
            search_graph,
            counts,
            source_pieces,
            notes,
        });
    }

    /// A hypothesis as text.
    fn text(&self, found: metaphrase_search::Hypothesis, source_len: usize, job: &Job) -> Hypothesis {
        let weights = found.attention;
        let attention = (!weights.is_empty()).then_some(Attention { source_len, weights });
        let text = match &job.replacement {
            Some(replacement) => replacement.text(&found.words, attention.as_ref(), &self.target),
            None => self.target.decode(&found.words),
        };
        Hypothesis {
            met: job.required.met(&found.words, &text),
            text,
            pieces: pieces(&self.target, &found.words),
            score: found.score,
            log_prob: found.log_prob,
            piece_log_probs: found.word_log_probs,
            complete: found.complete,
            attention,
            links: Vec::new(),
        }
    }
}

/// The note on a line whose scores overflow.
pub(crate) const NOT_FINITE: &str = "the line has no translation: no score is a finite number; check the model, the \
     weights of its parts and the excluded words";

/// How a neural translator uses the machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Machine {
    pub(crate) threads: usize,
    /// The batch of each thread, in source pieces.
    pub(crate) batch_tokens: usize,
    /// Whether all threads work on one sentence, in place of a batch for each.
    pub(crate) latency: bool,
}

/// Threads that search with `model`.
pub(crate) fn pool<M: StepModel + 'static>(model: &Arc<M>, shared: &Arc<Shared>, machine: Machine) -> Pool {
    let (model, shared) = (Arc::new(Informed::new(Arc::clone(model))), Arc::clone(shared));
    let Machine { threads, batch_tokens, latency } = machine;
    let (workers, team, batch_tokens) = if latency {
        // Threads of a team wait for each other at every product: more than the machine has CPUs would take turns.
        let cpus = available_parallelism().map_or(threads, usize::from);
        (1, threads.min(cpus), 1)
    } else {
        (threads, 1, batch_tokens)
    };
    let worker = move |queue: &Queue<Task<Job>>| {
        let _clock = shared.unit_times.as_ref().map(UnitTimes::measure);
        // A panic loses the sentences of this thread's batch, whose callers are told. The thread goes on with a new search.
        let search = || catch_unwind(AssertUnwindSafe(|| search(&*model, &shared, queue, batch_tokens)));
        with_team(team, || while search().is_err() {});
    };
    Workers::new("translate", workers, worker)
}

/// Searches for the sentences of the queue until it ends.
fn search<M: StepModel>(model: &M, shared: &Shared, queue: &Queue<Task<Job>>, batch_tokens: usize) {
    let mut searcher = Searcher::new(model, batch_tokens);
    let (again, mut workspace) = (RefCell::new(VecDeque::new()), Workspace::default());
    // A caller that left needs no answers.
    let wanted = |job: &Job| job.reply.is_wanted();
    while let Some(mut batch) = batch(queue) {
        let next = || {
            let second = again.borrow_mut().pop_front();
            second.or_else(|| batch.find(|task| wanted(&task.tag)).map(|task| shared.inform(task, &mut workspace)))
        };
        searcher.run_while(wanted, next, |outcome| match shared.again(outcome) {
            ControlFlow::Continue(task) => again.borrow_mut().push_back(task),
            ControlFlow::Break(outcome) => shared.reply(outcome),
        });
    }
}

fn pieces(vocabulary: &Vocabulary, words: &[WordId]) -> Vec<String> {
    words.iter().map(|&word| vocabulary.word(word).to_owned()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::neural::Beside;
    use crate::translator::Engine;
    use crate::{Cancel, Package, Translator};
    use metaphrase_base::{ModelFacts, Row, SentId, Sentence, Step, StepRow};
    use metaphrase_models::Model;
    use std::sync::OnceLock;
    use std::sync::mpsc::channel;

    /// A model that panics when it reads a word.
    struct Panicking(Arc<Model>, WordId);

    impl StepModel for Panicking {
        type State = <Model as StepModel>::State;
        type Scores = <Model as StepModel>::Scores;

        fn facts(&self) -> ModelFacts {
            self.0.facts()
        }
        fn new_state(&self) -> Self::State {
            self.0.new_state()
        }
        fn new_scores(&self) -> Self::Scores {
            self.0.new_scores()
        }
        fn encode(&self, sentences: &[Sentence<'_>], state: &mut Self::State) {
            assert!(sentences.iter().all(|sentence| !sentence.words.contains(&self.1)), "as the test wants");
            self.0.encode(sentences, state);
        }
        fn release(&self, slot: SentId, state: &mut Self::State) {
            self.0.release(slot, state);
        }
        fn step(&self, step: Step, rows: &[StepRow], state: &mut Self::State, scores: &mut Self::Scores) {
            self.0.step(step, rows, state, scores);
        }
        fn attention<'s>(&self, state: &'s Self::State, row: Row) -> &'s [f32] {
            self.0.attention(state, row)
        }
    }

    #[test]
    fn a_thread_that_panics_answers_its_sentences_and_goes_on() {
        let beside = Beside { language_model: None, shortlist: None, evidence: None, unit_times: None };
        let machine = Machine { threads: 1, batch_tokens: 1, latency: false };
        let mut neural = Neural::new(&[Package::bundled()], None, beside, machine).unwrap();
        let bad = neural.shared.source.pieces("Zebra")[0].clone();
        let bad = neural.shared.source.id(&bad).unwrap();
        let model = Arc::new(Panicking(Arc::clone(&neural.shared.model), bad));
        neural.pool = pool(&model, &neural.shared, machine);
        let translator = Translator { engine: Engine::Neural(neural), glossary: None, splitter: OnceLock::new() };
        let (sender, answers) = channel();
        for (number, line) in ["Good morning!", "Zebra", "Good morning!"].into_iter().enumerate() {
            let sender = sender.clone();
            let answer = move |answer: Result<Translation, Error>| _ = sender.send((number, answer));
            translator.submit(&translator.options(), Request::translate(line), &Cancel::new(), answer).unwrap();
        }
        let answers: Vec<_> = answers.into_iter().take(3).collect();
        for (number, answer) in &answers {
            assert_eq!(answer.is_ok(), *number != 1, "{answer:?}");
            assert!(*number != 1 || matches!(answer, Err(Error::WorkerFailed)));
        }
        assert_eq!(translator.translate(&["Good morning!"]).unwrap()[0].text(), "Guten Morgen!");
        assert!(matches!(translator.translate(&["Zebra"]), Err(Error::WorkerFailed)));
    }
}
