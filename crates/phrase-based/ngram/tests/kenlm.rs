//! The model that lmplz made of the Tatoeba corpus has the scores of KenLM, and those of its definition. The scores of
//! KenLM are recorded in `testdata/ngram` by the script there.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Naive, compare};
use metaphrase_ngram::{END, arpa};
use metaphrase_testkit::{Outcome, shared};

const MODEL: &str = "models/moses-de-en/lm.en.arpa.gz";

fn words_score_as_recorded() -> Outcome {
    let model = arpa::read(&shared(MODEL)?).unwrap();
    let sentences = include_str!("../../../../testdata/ngram/sentences.en");
    let recorded = include_str!("../../../../testdata/ngram/kenlm-scores.tsv");
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
    Ok(())
}

fn words_score_as_defined() -> Outcome {
    let path = shared(MODEL)?;
    let packed = std::fs::read(&path).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::bufread::GzDecoder::new(&packed[..]), &mut text).unwrap();
    let (model, naive) = (arpa::read(&path).unwrap(), Naive::parse(&text));
    assert_eq!(model.counts(), [16760, 156_215, 144_769, 166_046, 150_166]);
    for line in include_str!("../../../../testdata/ngram/sentences.en").lines() {
        compare(&model, &naive, &line.split(' ').collect::<Vec<_>>());
    }
    Ok(())
}

metaphrase_testkit::tests![words_score_as_recorded, words_score_as_defined];
