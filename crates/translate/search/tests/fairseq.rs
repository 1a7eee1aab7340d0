//! Constrained search against fairseq's (0.12.2, Post and Vilar's algorithm with the tries of Hu et al. 2019), on toy
//! models: `testdata/search/fairseq-constraints.json`, made by `fairseq.py` in the same folder.

use crate::common::{Sentence, one, sentence, words};
use metaphrase_base::WordId;
use metaphrase_search::{Constraints, Options, RestCosts, Stop};
use metaphrase_testkit::FakeModel;
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    /// Most words, end of sentence included.
    limit: u32,
    /// Log-probabilities by the word before and the word; 0 is the begin and the end.
    models: Vec<Vec<Vec<f32>>>,
    found: Vec<Found>,
}

/// The result of fairseq with a beam.
#[derive(Deserialize)]
struct Found {
    model: usize,
    terms: Vec<Vec<u32>>,
    beam: usize,
    words: Vec<u32>,
    score: f32,
}

/// Sum of log-probabilities, end of sentence included.
fn log_prob(table: &[Vec<f32>], words: impl Iterator<Item = usize>) -> f32 {
    let (sum, last) = words.fold((0.0, 0), |(sum, before), word| (sum + table[before][word], word));
    sum + table[last][0]
}

#[test]
fn what_fairseq_finds_is_found_or_surpassed() {
    let file: File =
        serde_json::from_str(include_str!("../../../../testdata/search/fairseq-constraints.json")).expect("JSON");
    for rest_costs in [RestCosts::Never, RestCosts::Narrow, RestCosts::Always] {
        compare(&file, rest_costs);
    }
}

/// With rest costs beams are ranked by an estimate, and divided into banks of terms, not of words as fairseq's are.
fn compare(file: &File, rest_costs: RestCosts) {
    let (mut better, mut same, mut worse) = (0, 0, 0);
    for found in &file.found {
        let table = &file.models[found.model];
        assert!((log_prob(table, found.words.iter().map(|&word| word as usize)) - found.score).abs() < 1e-2);
        let script = {
            let table = table.clone();
            move |_: &[WordId], so_far: &[WordId]| table[so_far.last().map_or(0, |word| word.index())].clone()
        };
        let model = FakeModel::new(table.len(), script);
        let terms: Vec<_> = found.terms.iter().map(|phrase| vec![words(phrase)]).collect();
        let constraints = Constraints::new(&terms, None, None).expect("usable constraints");
        let options = Options {
            beam_size: found.beam,
            max_length_factor: file.limit as f32,
            stop: Stop::FILL,
            normalize: 0.0,
            prune_threshold: Some(f32::INFINITY),
            rest_costs,
            ..Options::default()
        };
        let given = Sentence { constraints: Some(constraints.clone()), ..sentence(&[1]) };
        let best = one(&model, &options, &given).hypotheses.remove(0);
        assert!(constraints.find(&best.words).iter().all(Option::is_some), "{:?} {:?}", found.terms, best.words);
        match best.log_prob - found.score {
            more if more > 2e-3 => better += 1,
            less if less < -2e-3 => worse += 1,
            _ => same += 1,
        }
    }
    // Both searches drop hypotheses, but different ones.
    let found = format!("{rest_costs:?}: better {better}, same {same}, worse {worse}");
    let is_paper_search = rest_costs == RestCosts::Never;
    assert!(worse * if is_paper_search { 25 } else { 12 } <= file.found.len(), "{found}");
    assert!(better > 100 && (same > 10 || !is_paper_search), "{found}");
}
