//! What must hold of a language model that opens.

use crate::models::check_message;
use crate::text::LINES;
use metaphrase_base::{ScoreBuffer, Scorer as _, SentId, Sentence, WordId};
use metaphrase_ngram::{AllWords, END, LmError, Model, arpa};

/// What opens must answer, and be written and read again with the same answers.
pub fn use_language_model(opened: Result<Model, LmError>) {
    let model = match opened {
        Ok(model) => model,
        Err(error) => return check_message(&error),
    };
    let mut words: Vec<WordId> = (0..model.vocabulary().len().min(200)).map(WordId::new).collect();
    words.extend(LINES.iter().flat_map(|line| line.split(' ')).map(|word| model.vocabulary().id(word)));
    words.extend([WordId(u32::MAX), END]);
    let mut state = model.begin();
    for &word in &words {
        let (score, next) = model.score(&state, word);
        let same = model.context(&state).score(word);
        assert!(same == score || same.is_nan() && score.is_nan(), "{same} for {score}");
        state = next;
    }
    let mut text = Vec::new();
    assert!(arpa::write(&model, &mut text).is_ok(), "memory can be written");
    let all = AllWords::new(model, words.clone());
    let start = all.start(&Sentence::new(SentId(0), &[]));
    let _ = all.scores(start, 0.5, &mut ScoreBuffer::default());
}
