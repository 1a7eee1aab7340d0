//! Algorithm 1 of Iglesias et al. 2018 over a batch that sentences enter and leave.

use crate::sentence::{Selection, SentenceSearch, Setting, step_rows};
use crate::{Options, OptionsError, Outcome, Task};
use metaphrase_base::{SentId, StepModel, StepRow};
use std::collections::VecDeque;

/// Searches sentence after sentence with one model: the batch, and all memory that a search needs. Kept from
/// call to call, so that nothing is allocated per step once it is warm. One for each thread.
pub struct Searcher<'m, M: StepModel> {
    model: &'m M,
    options: Options,
    state: M::State,
    scores: M::Scores,
    /// Sentences by slot; free slots keep their memory.
    sentences: Vec<SentenceSearch>,
    free: Vec<SentId>,
    /// Encoded, not yet in the batch.
    waiting: VecDeque<SentId>,
    /// In the batch, in the order of their rows.
    active: Vec<SentId>,
    rows: Vec<StepRow>,
    selection: Selection,
}

impl<'m, M: StepModel> Searcher<'m, M> {
    /// A searcher without sentences.
    ///
    /// # Errors
    /// [`OptionsError`] for options that can not work, at all or with this model.
    pub fn new(model: &'m M, options: Options) -> Result<Self, OptionsError> {
        options.check()?;
        if options.excluded.contains(&model.end_of_sentence()) {
            return Err(OptionsError::EndExcluded);
        }
        if options.attention && !model.has_attention() {
            return Err(OptionsError::NoAttention);
        }
        let mut state = model.new_state();
        model.keep_attention(options.attention, &mut state);
        Ok(Self {
            model,
            options,
            state,
            scores: model.new_scores(),
            sentences: Vec::new(),
            free: Vec::new(),
            waiting: VecDeque::new(),
            active: Vec::new(),
            rows: Vec::new(),
            selection: Selection::default(),
        })
    }

    /// Searches all tasks that `next` gives until it gives none, and hands each outcome to `emit` when its
    /// sentence ends: not in the order of the tasks. Tasks of similar length in a row make good batches.
    pub fn run(&mut self, mut next: impl FnMut() -> Option<Task>, mut emit: impl FnMut(Outcome)) {
        loop {
            self.admit(&mut next);
            if self.active.is_empty() {
                return;
            }
            self.step();
            self.select(&mut emit);
        }
    }

    /// Lines 2 to 5: fills the batch up with waiting sentences, encoding a batch of them at a time.
    fn admit(&mut self, next: &mut impl FnMut() -> Option<Task>) {
        let source_len = |sentences: &[SentenceSearch], slot: SentId| sentences[slot.index()].source_len();
        let mut tokens: usize = self.active.iter().map(|&slot| source_len(&self.sentences, slot)).sum();
        if self.waiting.is_empty() && tokens < self.options.batch_tokens {
            self.encode(next);
        }
        while let Some(&slot) = self.waiting.front() {
            tokens += source_len(&self.sentences, slot);
            if tokens > self.options.batch_tokens && !self.active.is_empty() {
                return;
            }
            self.waiting.pop_front();
            self.active.push(slot);
        }
    }

    /// Encodes the next sentences, together up to the size of a batch.
    fn encode(&mut self, next: &mut impl FnMut() -> Option<Task>) {
        let mut tasks = Vec::new();
        let mut tokens = 0;
        while tokens < self.options.batch_tokens
            && let Some(task) = next()
        {
            tokens += task.source.len();
            tasks.push(task);
        }
        if tasks.is_empty() {
            return;
        }
        let slots: Vec<SentId> = tasks.iter().map(|task| self.start(task)).collect();
        let sources: Vec<_> = tasks.iter().map(|task| &task.source[..]).collect();
        self.model.encode(&slots, &sources, &mut self.state);
        self.waiting.extend(slots);
    }

    fn start(&mut self, task: &Task) -> SentId {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.sentences.push(SentenceSearch::default());
            SentId::new(self.sentences.len() - 1)
        });
        self.sentences[slot.index()].start(task, &self.options);
        slot
    }

    /// Line 8: one step of the model for all open hypotheses of all sentences.
    fn step(&mut self) {
        self.rows.clear();
        for &slot in &self.active {
            step_rows(slot, &self.sentences[slot.index()], &mut self.rows);
        }
        self.model.step(&self.rows, &mut self.state, &mut self.scores);
    }

    /// Lines 11 to 17 for each sentence; those that are done leave the batch.
    fn select(&mut self, emit: &mut impl FnMut(Outcome)) {
        let Self { model, options, state, scores, sentences, free, active, selection, .. } = self;
        let setting = Setting { options, end: model.end_of_sentence(), target_words: model.target_words() };
        let mut first_row = 0;
        active.retain(|&slot| {
            let sentence = &mut sentences[slot.index()];
            let rows = sentence.rows().len();
            let done = sentence.advance(&setting, first_row, scores, |row| model.attention(state, row), selection);
            first_row += rows;
            if done {
                emit(sentence.outcome(&setting));
                model.release(slot, state);
                free.push(slot);
            }
            !done
        });
    }
}
