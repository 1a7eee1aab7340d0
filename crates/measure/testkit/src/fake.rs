//! A step model without weights: a function gives the scores after a history.

use metaphrase_base::{
    Candidate, ModelFacts, Row, SentId, Sentence, Shortlist, Step, StepDemand, StepModel, StepRow, StepScores, WordId,
    WordScores, by_score_desc,
};
use std::ops::Range;

type Script = Box<dyn Fn(&[WordId], &[WordId]) -> Vec<f32> + Send + Sync>;

/// Plays a script: log-probabilities of all words, given the source and the words so far. Word 0 ends a sentence.
pub struct FakeModel {
    target_words: usize,
    script: Script,
    /// The rows of a step that its memory has room for.
    room: usize,
}

/// The sentences and histories of a batch.
#[derive(Default)]
pub struct FakeState {
    sources: Vec<Option<Source>>,
    /// Histories of the rows of the last step, and of the step before.
    histories: Vec<Vec<WordId>>,
    before: Vec<Vec<WordId>>,
    /// Empty for the rows of a sentence that was encoded without.
    attention: Vec<Vec<f32>>,
    /// Whether a step had more rows than there is room for, until all sentences are released.
    is_full: bool,
}

/// A sentence in a slot.
struct Source {
    words: Vec<WordId>,
    attention: bool,
    shortlist: Option<Shortlist>,
}

/// Dense log-probabilities. Questions that the step's demand did not announce are refused.
#[derive(Default)]
pub struct FakeScores {
    rows: Vec<Vec<f32>>,
    /// What may still be asked.
    demand: StepDemand,
}

impl FakeModel {
    /// `script(source, words so far)` gives `target_words` log-probabilities.
    pub fn new(target_words: usize, script: impl Fn(&[WordId], &[WordId]) -> Vec<f32> + Send + Sync + 'static) -> Self {
        Self { target_words, script: Box::new(script), room: usize::MAX }
    }

    /// The same model with room for this number of rows in a step.
    #[must_use]
    pub fn with_room(self, room: usize) -> Self {
        Self { room, ..self }
    }

    /// The log-probabilities that the script gives.
    #[must_use]
    pub fn log_probs(&self, source: &[WordId], words: &[WordId]) -> Vec<f32> {
        (self.script)(source, words)
    }

    /// A model whose distributions are drawn anew for each source and history: no distribution predicts anything about
    /// another. Search gets no harder than this. `sharpness` scales the logits (1: rather flat, 5: peaked).
    #[must_use]
    pub fn random(seed: u64, target_words: usize, sharpness: f32) -> Self {
        Self::new(target_words, move |source, words| {
            let mut hash = seed ^ 0x9e37_79b9_7f4a_7c15;
            let mut mix = |x: u64| {
                hash = (hash ^ x).wrapping_mul(0xff51_afd7_ed55_8ccd);
                hash ^= hash >> 29;
                hash
            };
            source.iter().for_each(|w| _ = mix(u64::from(w.0) + 1));
            mix(u64::MAX);
            words.iter().for_each(|w| _ = mix(u64::from(w.0) + 1));
            let uniform = |bits: u64| (bits >> 40) as f32 / (1u64 << 24) as f32;
            let logits: Vec<f32> = (0..target_words as u64).map(|w| uniform(mix(w)) * sharpness).collect();
            log_softmax(&logits)
        })
    }
}

/// Logits to log-probabilities.
fn log_softmax(logits: &[f32]) -> Vec<f32> {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let normaliser = max + logits.iter().map(|x| (x - max).exp()).sum::<f32>().ln();
    logits.iter().map(|x| x - normaliser).collect()
}

impl StepModel for FakeModel {
    type State = FakeState;
    type Scores = FakeScores;

    fn facts(&self) -> ModelFacts {
        let target_words = self.target_words;
        ModelFacts { target_words, end_of_sentence: WordId(0), log_probs: true, attention: true }
    }

    fn new_state(&self) -> FakeState {
        FakeState::default()
    }

    fn new_scores(&self) -> FakeScores {
        FakeScores::default()
    }

    fn encode(&self, sentences: &[Sentence<'_>], state: &mut FakeState) {
        state.is_full &= state.sources.iter().any(Option::is_some);
        for &Sentence { slot, words, attention, shortlist, .. } in sentences {
            if state.sources.len() <= slot.index() {
                state.sources.resize_with(slot.index() + 1, || None);
            }
            let source = Source { words: words.to_vec(), attention, shortlist: shortlist.cloned() };
            let before = state.sources[slot.index()].replace(source);
            assert!(before.is_none(), "slot {slot} is not free");
        }
    }

    fn release(&self, slot: SentId, state: &mut FakeState) {
        assert!(state.sources[slot.index()].take().is_some(), "slot {slot} is free already");
    }

    fn step(&self, step: Step, demand: StepDemand, rows: &[StepRow], state: &mut FakeState, scores: &mut FakeScores) {
        assert!(step == Step::New || scores.demand.more_rows, "rows were not announced");
        scores.demand = StepDemand { words: demand.words.saturating_add(scores.demand.words), ..demand };
        if step == Step::New {
            scores.demand = demand;
            state.before = std::mem::take(&mut state.histories);
            state.attention.clear();
            scores.rows.clear();
        }
        state.is_full |= scores.rows.len() + rows.len() > self.room;
        for row in rows {
            let source = state.sources[row.sentence.index()].as_ref().expect("an encoded sentence");
            let mut words = Vec::new();
            if let Some(parent) = row.parent {
                words.clone_from(&state.before[parent.row.index()]);
                words.push(parent.word);
            }
            let mut row = (self.script)(&source.words, &words);
            if let Some(shortlist) = &source.shortlist {
                let others =
                    row.iter_mut().enumerate().filter(|(word, _)| shortlist.place(WordId::new(*word)).is_none());
                others.for_each(|(_, log_prob)| *log_prob = f32::NEG_INFINITY);
                row = log_softmax(&row);
            }
            if state.is_full {
                row.fill(f32::NAN);
            }
            scores.rows.push(row);
            let mut weights = Vec::new();
            if source.attention {
                // Looks at the source word in the place of the word that comes next.
                weights.resize(source.words.len(), 0.0);
                weights[words.len() % source.words.len()] = 1.0;
            }
            state.attention.push(weights);
            state.histories.push(words);
        }
    }

    fn attention<'s>(&self, state: &'s FakeState, row: Row) -> &'s [f32] {
        &state.attention[row.index()]
    }

    fn lacks_memory(&self, state: &FakeState) -> bool {
        state.is_full
    }
}

impl StepScores for FakeScores {
    fn top(&mut self, rows: Range<usize>, so_far: &[f32], k: usize, excluded: &[WordId], out: &mut Vec<Candidate>) {
        let StepDemand { best, excluded: most_excluded, .. } = self.demand;
        assert!(best > 0 && excluded.len() <= most_excluded, "{excluded:?} are excluded: {:?}", self.demand);
        out.clear();
        for (row, before) in rows.zip(so_far) {
            for (word, log_prob) in self.rows[row].iter().enumerate() {
                let candidate = Candidate { row: Row::new(row), word: WordId::new(word), score: log_prob + before };
                if candidate.score > f32::NEG_INFINITY && !excluded.contains(&candidate.word) {
                    out.push(candidate);
                }
            }
        }
        out.sort_by(by_score_desc);
        out.truncate(k);
    }

    fn score(&mut self, row: Row, word: WordId) -> f32 {
        self.demand.words = self.demand.words.checked_sub(1).expect("more words than were announced");
        self.rows[row.index()][word.index()]
    }

    fn row(&mut self, row: Row, out: &mut [f32]) {
        assert!(self.demand.whole_rows, "whole rows were not announced");
        out.copy_from_slice(&self.rows[row.index()]);
    }

    fn add(&mut self, row: Row, more: WordScores<'_>) {
        assert!(self.demand.whole_rows, "no addition was announced");
        more.add_to(&mut self.rows[row.index()]);
    }
}
