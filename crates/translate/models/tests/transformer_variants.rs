//! Tiny Transformers with every option there is, against Marian 1.12.42: `testdata/models/transformer`, made and
//! renewed by `renew.py` there.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{fixtures, marian_options, read_n_best, search, word_scores};
use metaphrase_base::WordId;
use metaphrase_models::Model;

const VARIANTS: [&str; 12] = [
    "aan-gate",
    "aan-plain",
    "aan-pre-no-gate",
    "highway-no-projection",
    "no-positions",
    "post-relu-tied-all",
    "pre-and-post-norm",
    "pre-gelu-tied-src",
    "rms-tied-layers",
    "ssru-pre-projection",
    "ssru-tied-all",
    "untied-swish-depths",
];

/// Marian prints five decimals and rounds in another order.
const TOLERANCE: f32 = 5e-5;

fn model(name: &str) -> Model {
    Model::load(&fixtures("transformer").join(format!("{name}.npz"))).unwrap()
}

fn read(name: &str) -> String {
    std::fs::read_to_string(fixtures("transformer").join(name)).unwrap()
}

/// In these vocabularies `</s>` is 0, `<unk>` 1 and `w{n}` n + 2.
fn sentence(line: &str) -> Vec<WordId> {
    let words = line.split_whitespace().map(|w| WordId(w[1..].parse::<u32>().unwrap() + 2));
    words.chain([WordId(0)]).collect()
}

fn text(words: &[WordId]) -> String {
    words.iter().map(|w| format!("w{}", w.0 - 2)).collect::<Vec<_>>().join(" ")
}

#[test]
fn words_have_marians_scores() {
    let (sources, targets) = (read("source.txt"), read("target.txt"));
    for name in VARIANTS {
        let (model, expected) = (model(name), read(&format!("{name}.scores")));
        for ((source, target), expected) in sources.lines().zip(targets.lines()).zip(expected.lines()) {
            let (_, expected) = expected.split_once("WordScores= ").unwrap();
            let expected: Vec<f32> = expected.split(' ').map(|s| s.parse().unwrap()).collect();
            let scores = word_scores(&model, &sentence(source), &sentence(target));
            assert_eq!(scores.len(), expected.len());
            for (score, expected) in scores.iter().zip(expected) {
                assert!((score - expected).abs() < TOLERANCE, "{name}, `{source}`: {score}, not {expected}");
            }
        }
    }
}

#[test]
fn n_best_lists_and_alignments_are_marians() {
    let sources: Vec<_> = read("source.txt").lines().map(sentence).collect();
    for name in VARIANTS {
        let model = model(name);
        let options = marian_options(&model, 4, 0.0);
        let options = metaphrase_search::Options { attention: true, max_length_factor: 2.0, ..options };
        let outcomes = search(&model, &options, 20, &sources);
        let found = outcomes.iter().flat_map(|o| o.hypotheses.iter().map(move |h| (o.tag, o.source_len, h)));
        let expected = read_n_best(&read(&format!("{name}.nbest")));
        assert_eq!(found.clone().count(), expected.len(), "{name}");
        for ((sentence, source_len, hypothesis), expected) in found.zip(expected) {
            assert_eq!((sentence, text(&hypothesis.words)), (expected.sentence, expected.text), "{name}");
            let (log_prob, other) = (hypothesis.log_prob, expected.log_prob);
            assert!((log_prob - other).abs() < 1e-4, "{name}, sentence {sentence}: {log_prob}, not {other}");
            let rows = hypothesis.attention.chunks_exact(source_len);
            assert_eq!(rows.len(), expected.alignment.len());
            let mut weights = rows.flatten().zip(expected.alignment.iter().flatten());
            assert!(weights.all(|(w, e)| (w - e).abs() < TOLERANCE), "{name}, sentence {sentence}");
        }
    }
}
