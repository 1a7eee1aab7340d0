//! Whatever a line is, it has a translation.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "common/tiny.rs"]
mod tiny;

use metaphrase_phrase::{Decoder, Duplicates, Phrase, SearchOptions, Workspace};
use tiny::Random;

#[test]
fn each_source_word_is_translated_once() {
    let mut workspace = Workspace::default();
    for seed in 0..40 {
        let mut random = Random(seed);
        let model = tiny::model(&mut random);
        for distortion_limit in [None, Some(0), Some(1), Some(6), Some(100)] {
            let options = SearchOptions { coverages: 3, hypotheses: 2, distortion_limit, ..SearchOptions::default() };
            let decoder = Decoder::new(&model, options).unwrap();
            for longest in [1, 3, 90] {
                let source = tiny::sentence(&mut random, longest);
                let (translation, counters) = decoder.translate(&source, &mut workspace);
                assert_covers(&translation.phrases, source.len());
                assert_eq!(counters.source_words, source.len() as u64);
            }
        }
    }
}

fn assert_covers(phrases: &[Phrase], words: usize) {
    let mut covered: Vec<usize> = phrases.iter().flat_map(|phrase| phrase.source.clone()).collect();
    covered.sort_unstable();
    assert!(covered.iter().copied().eq(0..words), "{phrases:?}");
}

#[test]
fn an_empty_line_has_an_empty_translation() {
    let model = tiny::model(&mut Random(1));
    let mut workspace = Workspace::default();
    for keep_recombined in [false, true] {
        let decoder = Decoder::new(&model, SearchOptions { keep_recombined, ..SearchOptions::default() }).unwrap();
        decoder.translate(&["a", "?", "b"], &mut workspace);
        assert_eq!(decoder.translate(&[], &mut workspace).0.phrases, []);
        let (list, _) = decoder.n_best(&[], 5, Duplicates::Drop, &mut workspace);
        assert_eq!((list.len(), list[0].phrases.len()), (1, 0));
    }
}

#[test]
fn a_very_long_sentence_takes_its_time_and_no_more() {
    let mut random = Random(3);
    let model = tiny::model(&mut random);
    let source: Vec<&str> = (0..10_000).map(|_| tiny::sentence(&mut random, 1)[0]).collect();
    let options = SearchOptions { coverages: 4, hypotheses: 4, keep_recombined: true, ..SearchOptions::default() };
    let decoder = Decoder::new(&model, options).unwrap();
    let (list, _) = decoder.n_best(&source, 3, Duplicates::Keep, &mut Workspace::default());
    assert_eq!(list.len(), 3);
    list.iter().for_each(|translation| assert_covers(&translation.phrases, source.len()));
    assert!(list[0].score >= list[1].score && list[1].score >= list[2].score);
}

#[test]
fn impossible_options_are_refused() {
    let mut model = tiny::model(&mut Random(1));
    let none = SearchOptions { hypotheses: 0, ..SearchOptions::default() };
    assert!(Decoder::new(&model, none).unwrap_err().to_string().contains("at least 1"));
    model.weights.language_model = -0.5;
    assert!(Decoder::new(&model, SearchOptions::default()).unwrap_err().to_string().contains("not negative"));
}
