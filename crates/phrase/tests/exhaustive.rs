//! With beams that hold everything the search finds what an exhaustive one finds.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "common/tiny.rs"]
mod tiny;

use metaphrase_phrase::{Decoder, LookAhead, SearchOptions, Workspace};
use tiny::Random;

const ALL: SearchOptions = SearchOptions {
    coverages: 10_000,
    hypotheses: 10_000,
    options: None,
    presort: true,
    look_ahead: LookAhead::None,
    distortion_limit: None,
    keep_recombined: true,
};

#[test]
fn the_best_translations_are_found() {
    let mut workspace = Workspace::default();
    for seed in 0..60 {
        let mut random = Random(seed);
        let model = tiny::model(&mut random);
        let source = tiny::sentence(&mut random, 4);
        for distortion_limit in [None, Some(0), Some(1), Some(2)] {
            let all = tiny::all_translations(&model, &source, distortion_limit);
            let decoder = Decoder::new(&model, SearchOptions { distortion_limit, ..ALL }).unwrap();
            let (found, _) = decoder.n_best(&source, all.len() + 1, false, &mut workspace);
            assert_eq!(found.len(), all.len(), "seed {seed}: {source:?}");
            for (found, expected) in found.iter().zip(&all) {
                let score = model.features(&source, &found.phrases).dot(&model.weights);
                assert!((found.score - score).abs() < 1e-4, "seed {seed}: {} is not {score}", found.score);
                assert!((found.score - expected.score).abs() < 1e-4, "seed {seed}: {found:?}, not {expected:?}");
            }
        }
    }
}

#[test]
fn the_best_translation_is_found_without_lists() {
    let mut workspace = Workspace::default();
    for seed in 100..160 {
        let mut random = Random(seed);
        let model = tiny::model(&mut random);
        let source = tiny::sentence(&mut random, 4);
        let best = &tiny::all_translations(&model, &source, None)[0];
        for look_ahead in [LookAhead::None, LookAhead::FirstWord] {
            for presort in [true, false] {
                let options = SearchOptions { look_ahead, presort, keep_recombined: false, ..ALL };
                let decoder = Decoder::new(&model, options).unwrap();
                let (found, _) = decoder.translate(&source, &mut workspace);
                assert!((found.score - best.score).abs() < 1e-4, "seed {seed}: {found:?}, not {best:?}");
            }
        }
    }
}
