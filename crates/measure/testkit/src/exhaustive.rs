//! The oracle: every word sequence up to a length, in order of its score.

use metaphrase_base::{Parent, Row, SentId, Sentence, Step, StepDemand, StepModel, StepRow, StepScores, WordId};

/// A finished sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedSequence {
    /// Words without the end of sentence.
    pub words: Vec<WordId>,
    /// Sum of log-probabilities, end of sentence included.
    pub log_prob: f32,
    /// The result of `rank`.
    pub score: f32,
}

/// All sequences of at most `limit` words (end of sentence included) that end with the end of sentence, best
/// first by `rank(log_prob, length)`. Steps the model once for each of the V^(limit-1) histories, in
/// breadth-first order, so it also exercises batches of many rows.
pub fn exhaustive<M: StepModel>(
    model: &M,
    source: &[WordId],
    limit: usize,
    rank: impl Fn(f32, usize) -> f32,
) -> Vec<FinishedSequence> {
    let (mut state, mut scores) = (model.new_state(), model.new_scores());
    let slot = SentId(0);
    model.encode(&[Sentence::new(slot, source)], &mut state);
    let facts = model.facts();
    let mut found = Vec::new();
    let mut open: Vec<(Vec<WordId>, f32, StepRow)> = vec![(Vec::new(), 0.0, StepRow { sentence: slot, parent: None })];
    for length in 1..=limit {
        let rows: Vec<StepRow> = open.iter().map(|o| o.2).collect();
        model.step(Step::New, StepDemand::ANYTHING, &rows, &mut state, &mut scores);
        let mut longer = Vec::new();
        for (place, (words, so_far, _)) in open.iter().enumerate() {
            let row = Row::new(place);
            for word in (0..facts.target_words).map(WordId::new) {
                let log_prob = so_far + scores.score(row, word);
                if word == facts.end_of_sentence {
                    found.push(FinishedSequence { words: words.clone(), log_prob, score: rank(log_prob, length) });
                } else {
                    let words: Vec<WordId> = words.iter().copied().chain([word]).collect();
                    longer.push((words, log_prob, StepRow { sentence: slot, parent: Some(Parent { row, word }) }));
                }
            }
        }
        open = longer;
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.words.cmp(&b.words)));
    found
}
