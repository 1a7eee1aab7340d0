//! With wide beams and without look-ahead the search finds translations that score at least as high as those of Moses.
//! All sentences: `cargo run --release -p experiments -- wuebker-scores`.
#![allow(clippy::unwrap_used, reason = "a test")]

mod common;

use metaphrase_phrase::{Decoder, LookAhead, PhraseModel, Presort, SearchOptions, Workspace};
use metaphrase_testkit::Outcome;

fn scores_are_at_least_those_of_moses() -> Outcome {
    check("moses.ini", "moses.s1000.nbest.gz")?;
    check("moses.distance.ini", "moses.distance.s1000.nbest.gz")
}

metaphrase_testkit::tests![scores_are_at_least_those_of_moses];

/// The number of recorded sentences that are searched.
const SENTENCES: usize = 100;

fn check(ini: &str, nbest: &str) -> Outcome {
    let folder = common::moses_model()?;
    let model = PhraseModel::read_moses(&folder.join(ini)).unwrap();
    let options = SearchOptions {
        coverages: 32,
        hypotheses: 32,
        options: Some(20),
        presort: Presort::Exact,
        look_ahead: LookAhead::None,
        distortion_limit: model.distortion_limit,
        ..SearchOptions::default()
    };
    let decoder = Decoder::new(&model, options).unwrap();
    let sources = common::lines(&folder.join("source.de"));
    let list = common::lines(&folder.join(nbest));
    let mut best = vec![f32::NEG_INFINITY; sources.len()];
    for line in &list {
        let fields: Vec<&str> = line.split("|||").map(str::trim).collect();
        let score = &mut best[fields[0].parse::<usize>().unwrap()];
        *score = score.max(fields[3].parse().unwrap());
    }
    let mut workspace = Workspace::default();
    let mut reached = 0;
    for (source, moses) in sources.iter().zip(&best).take(SENTENCES) {
        let source: Vec<&str> = source.split_ascii_whitespace().collect();
        let (translation, _) = decoder.translate(&source, &mut workspace);
        let score = model.features(&source, &translation.phrases).dot(&model.weights);
        assert!((score - translation.score).abs() < 1e-3, "{score}, but the search has {}", translation.score);
        reached += usize::from(score > moses - 1e-3);
    }
    assert!(reached * 100 >= SENTENCES * 99, "{ini}: {reached} of {SENTENCES}");
    Ok(())
}
