//! Algorithm 1 of Iglesias et al. 2018 over a batch that sentences enter and leave.

use crate::sentence::{Selection, SentenceSearch, StepContext};
use crate::{Outcome, Task};
use metaphrase_base::{ModelFacts, SentId, Sentence, Step, StepDemand, StepModel, StepRow, Unit, WordId};
use std::collections::VecDeque;

/// Searches sentence after sentence with one model: the batch, and all memory that a search needs. Kept from
/// call to call, so that nothing is allocated per step once it is warm. One for each thread.
pub struct Searcher<'m, M: StepModel, T> {
    model: &'m M,
    facts: ModelFacts,
    /// Sentences share a step up to this sum of source lengths.
    batch_tokens: usize,
    state: M::State,
    scores: M::Scores,
    /// By slot: its sentence; free slots keep their memory.
    sentences: Vec<SentenceSearch>,
    /// By slot: its task; `None` where the slot is free.
    tasks: Vec<Option<Task<T>>>,
    free: Vec<SentId>,
    /// Searches that come before new ones: further ones of sentences, and those of a batch that was divided.
    further: VecDeque<Task<T>>,
    /// Sentences that are encoded and not yet in the batch.
    waiting: VecDeque<SentId>,
    /// Sentences in the batch, in the order of their rows.
    active: Vec<SentId>,
    rows: Vec<StepRow>,
    selection: Selection,
}

impl<'m, M: StepModel, T> Searcher<'m, M, T> {
    /// A searcher without sentences. Sentences share a step up to a sum of `batch_tokens` source words; one
    /// sentence always fits, so with 1 each is searched alone.
    #[must_use]
    pub fn new(model: &'m M, batch_tokens: usize) -> Self {
        Self {
            model,
            facts: model.facts(),
            batch_tokens,
            state: model.new_state(),
            scores: model.new_scores(),
            sentences: Vec::new(),
            tasks: Vec::new(),
            free: Vec::new(),
            further: VecDeque::new(),
            waiting: VecDeque::new(),
            active: Vec::new(),
            rows: Vec::new(),
            selection: Selection::default(),
        }
    }

    /// Searches all tasks that `next` gives until it gives none, and hands each outcome to `emit` when its
    /// sentence ends: not in the order of the tasks. Tasks of similar length in a row make good batches.
    pub fn run(&mut self, next: impl FnMut() -> Option<Task<T>>, mut emit: impl FnMut(Outcome<T>)) {
        let last = |outcome| {
            emit(outcome);
            None
        };
        self.run_while(|_| true, next, last);
    }

    /// As [`run`](Self::run), for tasks whose callers may leave: before each step, a sentence whose tag is not `wanted`
    /// any more leaves the batch, and its tag is dropped. Other sentences are not affected. `emit` may answer an
    /// outcome with a further search; if that has the same source, the source is not encoded again.
    pub fn run_while(
        &mut self,
        wanted: impl Fn(&T) -> bool,
        mut next: impl FnMut() -> Option<Task<T>>,
        mut emit: impl FnMut(Outcome<T>) -> Option<Task<T>>,
    ) {
        let _unit = Unit::Search.timed();
        loop {
            self.abandon(&wanted);
            self.admit(&mut next);
            if self.active.is_empty() {
                return;
            }
            self.step();
            self.select();
            if !self.divide() {
                self.advance(&mut emit);
            }
        }
    }

    /// Drops the sentences that nobody waits for.
    fn abandon(&mut self, wanted: impl Fn(&T) -> bool) {
        let Self { model, state, tasks, free, active, waiting, .. } = self;
        let mut keep = |slot: &SentId| {
            let task = &mut tasks[slot.index()];
            let keep = task.as_ref().is_none_or(|task| wanted(&task.tag));
            if !keep {
                *task = None;
                model.release(*slot, state);
                free.push(*slot);
            }
            keep
        };
        active.retain(&mut keep);
        waiting.retain(&mut keep);
    }

    /// Lines 2 to 5: fills the batch up with waiting sentences, encoding a batch of them at a time.
    fn admit(&mut self, next: &mut impl FnMut() -> Option<Task<T>>) {
        let source_len = |sentences: &[SentenceSearch], slot: SentId| sentences[slot.index()].source_len();
        let mut tokens: usize = self.active.iter().map(|&slot| source_len(&self.sentences, slot)).sum();
        if self.waiting.is_empty() && tokens < self.batch_tokens {
            self.encode(next);
        }
        while let Some(&slot) = self.waiting.front() {
            tokens += source_len(&self.sentences, slot);
            if tokens > self.batch_tokens && !self.active.is_empty() {
                return;
            }
            self.waiting.pop_front();
            self.active.push(slot);
        }
    }

    /// Encodes the next sentences, together up to the size of a batch.
    fn encode(&mut self, next: &mut impl FnMut() -> Option<Task<T>>) {
        let mut tasks = Vec::new();
        let mut tokens = 0;
        while tokens < self.batch_tokens
            && let Some(mut task) = self.further.pop_front().or_else(&mut *next)
        {
            task.complete_shortlist(self.facts.end_of_sentence);
            tokens += task.source.len();
            tasks.push(task);
        }
        if tasks.is_empty() {
            return;
        }
        let end = self.facts.end_of_sentence;
        let sentence = |task| Sentence {
            slot: self.start(task),
            words: &task.source,
            given_target: has_given_target(task, end),
            attention: task.options.attention,
            shortlist: task.shortlist.as_ref(),
            scorer: task.scorer.as_ref(),
        };
        let sentences: Vec<_> = tasks.iter().map(sentence).collect();
        self.model.encode(&sentences, &mut self.state);
        self.waiting.extend(sentences.iter().map(|sentence| sentence.slot));
        for (slot, task) in self.waiting.iter().zip(tasks) {
            self.tasks[slot.index()] = Some(task);
        }
    }

    fn start(&mut self, task: &Task<T>) -> SentId {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.sentences.push(SentenceSearch::default());
            self.tasks.push(None);
            SentId::new(self.sentences.len() - 1)
        });
        self.sentences[slot.index()].start(task);
        slot
    }

    /// Line 8: one step of the model for all open hypotheses of all sentences.
    fn step(&mut self) {
        self.rows.clear();
        let mut demand = StepDemand::default();
        for &slot in &self.active {
            let sentence = &self.sentences[slot.index()];
            self.rows.extend(sentence.rows().map(|parent| StepRow { sentence: slot, parent }));
            demand = demand.and(sentence.demand());
        }
        self.model.step(Step::New, demand, &self.rows, &mut self.state, &mut self.scores);
    }

    /// Lines 11 to 14 for each sentence: its best candidates.
    fn select(&mut self) {
        let facts = self.facts;
        let mut first_row = 0;
        for &slot in &self.active {
            let sentence = &mut self.sentences[slot.index()];
            let rows = sentence.rows().len();
            let (scores, buffers) = (&mut self.scores, &mut self.selection);
            sentence.select(StepContext { facts, first_row, scores, buffers });
            first_row += rows;
        }
        self.rescore(first_row);
    }

    /// If the sentences have no room together on the device of the model, all begin anew, half as many at a time from
    /// now on. A sentence has the same outcome in any batch, so none is different for it.
    fn divide(&mut self) -> bool {
        let Self { model, state, sentences, tasks, free, further, active, waiting, batch_tokens, .. } = self;
        if active.len() + waiting.len() < 2 || !model.lacks_memory(state) {
            return false;
        }
        let mut tokens = 0;
        for slot in waiting.drain(..).rev().chain(active.drain(..).rev()) {
            tokens += sentences[slot.index()].source_len();
            tasks[slot.index()].take().into_iter().for_each(|task| further.push_front(task));
            model.release(slot, state);
            free.push(slot);
        }
        *batch_tokens = (tokens.min(*batch_tokens) / 2).max(1);
        true
    }

    /// Lines 15 to 17 for each sentence; sentences that are done leave the batch.
    fn advance(&mut self, emit: &mut impl FnMut(Outcome<T>) -> Option<Task<T>>) {
        let facts = self.facts;
        let Self { model, state, sentences, tasks, free, further, active, selection, .. } = self;
        // What a sentence alone has found is a part of its search.
        let lacks_memory = model.lacks_memory(state);
        active.retain(|&slot| {
            let sentence = &mut sentences[slot.index()];
            let done = sentence.advance(facts, |row| model.attention(state, row), selection);
            if !done {
                return true;
            }
            let source_len = sentence.source_len();
            let hypotheses = if lacks_memory { Vec::new() } else { sentence.hypotheses(facts.end_of_sentence) };
            let (explored, counts) = (sentence.explored(facts.end_of_sentence), sentence.counts());
            let (tag, task) = tasks[slot.index()].take().expect("a task for each active slot").into_parts();
            match emit(Outcome { tag, source_len, hypotheses, explored, counts }) {
                Some(next) if is_encoded_alike(&task, &next, facts.end_of_sentence) => {
                    sentence.start(&next);
                    tasks[slot.index()] = Some(next);
                    return true;
                }
                next => further.extend(next),
            }
            model.release(slot, state);
            free.push(slot);
            false
        });
    }

    /// The second step of cube pruning, for chosen hypotheses that have no row yet.
    fn rescore(&mut self, mut first_row: usize) {
        self.rows.clear();
        let mut demand = StepDemand::default();
        for &slot in &self.active {
            let sentence = &self.sentences[slot.index()];
            self.rows.extend(sentence.rows_to_rescore().map(|parent| StepRow { sentence: slot, parent }));
            demand = demand.and(sentence.second_demand());
        }
        if self.rows.is_empty() {
            return;
        }
        self.model.step(Step::Same, demand, &self.rows, &mut self.state, &mut self.scores);
        for &slot in &self.active {
            let sentence = &mut self.sentences[slot.index()];
            sentence.rescore(first_row, &mut self.scores);
            first_row += sentence.rows_to_rescore().len();
        }
    }
}

/// Whether the model, which has encoded one task, would encode the other in the same way.
fn is_encoded_alike<T, U>(task: &Task<T>, other: &Task<U>, end_of_sentence: WordId) -> bool {
    task.source == other.source
        && has_given_target(task, end_of_sentence) == has_given_target(other, end_of_sentence)
        && task.options.attention == other.options.attention
        && has_plain_words(task)
        && has_plain_words(other)
}

fn has_given_target<T>(task: &Task<T>, end_of_sentence: WordId) -> bool {
    task.prefix.last() == Some(&end_of_sentence)
}

/// Whether the words that may translate it, and their scores, are the model's own.
fn has_plain_words<T>(task: &Task<T>) -> bool {
    task.shortlist.is_none() && task.scorer.is_none()
}
