//! Scores are those of KenLM, recorded in `testdata/ngram` by the script there.

use metaphrase_ngram::{END, Model, arpa};
use std::path::Path;

/// The model that lmplz made of the Tatoeba corpus, where it is at hand.
fn model() -> Option<Model> {
    let shared = std::env::var_os("METAPHRASE_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), Into::into);
    let path = shared.join("models/moses-de-en/lm.en.arpa.gz");
    path.exists().then(|| arpa::read(&path).expect("a sound model"))
}

#[test]
fn words_score_as_recorded() {
    let Some(model) = model() else { return };
    let sentences = include_str!("../../../testdata/ngram/sentences.en");
    let recorded = include_str!("../../../testdata/ngram/kenlm-scores.tsv");
    assert_eq!(sentences.lines().count(), recorded.lines().count());
    for (sentence, recorded) in sentences.lines().zip(recorded.lines()) {
        let words = sentence.split_ascii_whitespace().map(|word| model.vocabulary().id(word)).chain([END]);
        let mut state = model.begin();
        for (word, recorded) in words.zip(recorded.split('\t')) {
            let scored = model.scored(&state, word);
            let (log10, order) = recorded.split_once(' ').unwrap();
            assert!((scored.log10 - log10.parse::<f32>().unwrap()).abs() < 2e-6, "{sentence}: {scored:?}, {recorded}");
            assert_eq!(scored.order, order.parse::<usize>().unwrap(), "{sentence}: {scored:?}, {recorded}");
            state = scored.state;
        }
    }
}
