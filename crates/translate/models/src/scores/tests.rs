//! Scores of a small output layer, asked in all ways.

use super::*;
use crate::Weights;
use crate::parts::WordTables;
use core::cell::Cell;
use metaphrase_base::{SentId, Sentence};

/// Scores of two rows over 50 words; the last word's logits are -infinity.
fn scores() -> Scores {
    scores_with(None)
}

fn scores_with(shortlist: Option<&Shortlist>) -> Scores {
    let weight = |i: usize| ((i * 37 % 101) as f32 - 50.0) / 30.0;
    let mut bias = vec![0.0; 50];
    bias[49] = f32::NEG_INFINITY;
    let table = ("Wemb", vec![50, 2], (0..100).map(weight).collect());
    let weights = Weights::from_tensors("m", [table, ("out_b", vec![1, 50], bias)]).unwrap();
    let table = || weights.checked("Wemb", [50, 2]).unwrap();
    let output_bias = Some(weights.checked("out_b", [1, 50]).unwrap());
    let words = WordTables { source: table(), target: table(), output: table(), output_bias };
    let output = Arc::new(Output::with_embeddings(words).2);
    let mut lists = Lists::default();
    lists.admit(&[Sentence { shortlist, ..Sentence::new(SentId(0), &[]) }]);
    let row = StepRow { sentence: SentId(0), parent: None };
    let mut scores = Scores::new();
    let inputs = Matrix::from_vec(2, 2, vec![1.5, -0.5, 0.3, 2.0]);
    let decoded = DecodedRows { step: Step::New, rows: &[row, row], outputs: &inputs };
    scores.compute(&output, &mut lists, &decoded, StepDemand::ANYTHING);
    scores
}

#[test]
fn probabilities_sum_to_one() {
    let mut row = [0.0; 50];
    scores().row(Row(1), &mut row);
    assert!((row.iter().map(|s| s.exp()).sum::<f32>() - 1.0).abs() < 1e-5);
}

#[test]
fn all_questions_have_the_same_answer_to_the_bit() {
    let mut scores = scores();
    let mut best = Vec::new();
    let mut row = [0.0; 50];
    scores.top(1..2, &[0.0], 50, &[WordId(7)], &mut best);
    assert_eq!(best.len(), 48, "neither the excluded nor the impossible word");
    scores.row(Row(1), &mut row);
    for candidate in best {
        assert_eq!(candidate.score, scores.score(Row(1), candidate.word));
        assert_eq!(candidate.score, row[candidate.word.index()]);
    }
}

/// The log-probabilities of a list are those of all words, normalised over the list.
#[test]
fn a_shortlist_answers_for_its_words_alone() {
    let mut all = [0.0; 50];
    let mut listed = [0.0; 50];
    let mut best = Vec::new();
    let shortlist = Shortlist::new([3, 4, 17, 20, 41, 49].map(WordId).into());
    let mut scores = scores_with(Some(&shortlist));
    self::scores().row(Row(1), &mut all);
    scores.row(Row(1), &mut listed);
    let mass: f32 = shortlist.words().iter().map(|word| all[word.index()].exp()).sum();
    for word in (0..50).map(WordId) {
        let expected = shortlist.place(word).map_or(f32::NEG_INFINITY, |_| all[word.index()] - mass.ln());
        let found = listed[word.index()];
        assert!(found == expected || (found - expected).abs() < 1e-5, "{word}: {found} {expected}");
        assert_eq!(scores.score(Row(1), word), found);
    }
    scores.top(0..2, &[0.0, 1.0], 20, &[WordId(4), WordId(5)], &mut best);
    assert_eq!(best.len(), 8, "of two rows four words: neither the excluded nor the impossible one");
    assert!(best.iter().all(|c| c.score == scores.score(c.row, c.word) + [0.0, 1.0][c.row.index()]));
}

/// To the bit, so that a shortlist changes nothing but the words that it lacks.
#[test]
fn a_list_of_all_words_changes_nothing() {
    let all = Shortlist::new((0..50).map(WordId).collect());
    let mut listed = scores_with(Some(&all));
    let mut plain = scores();
    let more = [(2, 0.5), (7, -1.0), (30, 2.0)].map(|(word, score)| WordScore { word: WordId(word), score });
    let dense: Vec<f32> = (0..50).map(|i| (i % 7) as f32 / 3.0).collect();
    for step in 0..3 {
        for scores in [&mut listed, &mut plain] {
            match step {
                0 => {}
                1 => scores.add(Row(0), WordScores::Sparse { base: -0.25, listed: &more }),
                _ => scores.add(Row(0), WordScores::Dense(&dense)),
            }
        }
        let answers = |scores: &mut Scores| {
            let mut row = vec![0.0; 50];
            let mut best = Vec::new();
            scores.row(Row(0), &mut row);
            scores.top(0..2, &[-1.0, -2.0], 9, &[WordId(7)], &mut best);
            (row, best)
        };
        assert_eq!(answers(&mut listed), answers(&mut plain), "step {step}");
    }
}

#[test]
fn the_best_of_several_rows_come_first() {
    let mut scores = scores();
    let mut best = Vec::new();
    scores.top(0..2, &[-1.0, -2.0], 5, &[], &mut best);
    let mut expected: Vec<_> = (0..2)
        .flat_map(|row| (0..50).map(move |word| (Row(row), WordId(word))))
        .map(|(row, word)| Candidate { row, word, score: scores.score(row, word) + [-1.0, -2.0][row.index()] })
        .collect();
    expected.sort_by(metaphrase_base::by_score_desc);
    assert_eq!(best, expected[..5]);
}

/// Whatever is demanded, asked and was asked at the steps before, the answers are those of new scores of which anything
/// may be asked. At every second step numbers are multiples of a quarter, which makes many equal scores.
#[test]
fn a_demand_changes_no_answer() {
    let state = Cell::new(3_u64);
    let draw = |below: u64| {
        state.set(state.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
        (state.get() >> 33) % below
    };
    let quarters = |n: usize| (0..n).map(|_| draw(9) as f32 / 4.0 - 1.0).collect::<Vec<f32>>();
    let words = 600;
    let rows = 4;
    let weights = [("Wemb", vec![words, 3], quarters(3 * words)), ("out_b", vec![1, words], quarters(words))];
    let inputs = |step: usize| {
        let uneven = |x: &f32| if step.is_multiple_of(2) { x.exp() } else { *x };
        Matrix::from_vec(rows, 3, quarters(3 * rows).iter().map(uneven).collect())
    };
    let steps: Vec<Matrix> = (0..200).map(inputs).collect();
    let weights = Weights::from_tensors("m", weights).unwrap();
    let table = || weights.checked("Wemb", [words, 3]).unwrap();
    let output_bias = Some(weights.checked("out_b", [1, words]).unwrap());
    let tables = WordTables { source: table(), target: table(), output: table(), output_bias };
    let output = Arc::new(Output::with_embeddings(tables).2);
    let mut lists = Lists::default();
    lists.admit(&[Sentence::new(SentId(0), &[])]);
    let row = StepRow { sentence: SentId(0), parent: None };
    for raw in [false, true] {
        let new = || if raw { Scores::raw() } else { Scores::new() };
        let mut old = new();
        let mut summarised = 0;
        let mut to_the_end = 0;
        for (number, inputs) in steps.iter().enumerate() {
            let mut fresh = new();
            let mut other = new();
            let decoded = DecodedRows { step: Step::New, rows: &vec![row; rows], outputs: inputs };
            for scores in [&mut fresh, &mut other] {
                scores.compute(&output, &mut lists, &decoded, StepDemand::ANYTHING);
                assert!(!scores.is_summarised);
            }
            let so_far: Vec<f32> = (0..rows).map(|row| (row * number % 7) as f32 * -0.25).collect();
            // The best words of some steps are excluded.
            let mut excluded = Vec::new();
            other.top(0..rows, &so_far, draw(4) as usize * (number % 3 / 2), &[], &mut excluded);
            let mut excluded: Vec<WordId> = excluded.iter().map(|best| best.word).collect();
            excluded.extend_from_slice(&[WordId(5), WordId(17)][..draw(3) as usize]);
            // What is announced is less than what is asked at some steps, and more at others.
            let demand = StepDemand {
                best: draw(12) as usize,
                rows_alone: draw(3) as usize,
                excluded: draw(60) as usize * (number % 2),
                words: draw(18) as usize,
                whole_rows: draw(8) == 0,
                more_rows: draw(8) == 0,
            };
            old.compute(&output, &mut lists, &decoded, demand);
            assert_eq!(old.is_summarised, !demand.whole_rows && !demand.more_rows && demand.words <= 16);
            let kind = draw(7);
            let ask = |scores: &mut Scores| {
                let mut best = Vec::new();
                let mut all = vec![0.0; words];
                if kind == 0 {
                    scores.row(Row(2), &mut all);
                    all.push(scores.score(Row(1), WordId(9)));
                }
                if kind == 2 {
                    let columns =
                        |row: usize| (0..=number % 20).map(move |n| (Row::new(row), WordId::new(row * 151 + n)));
                    all.extend((0..rows).flat_map(columns).map(|(row, word)| scores.score(row, word)));
                }
                if kind == 1 {
                    let listed = [WordScore { word: WordId(3), score: 1.5 }];
                    scores.add(Row(1), WordScores::Sparse { base: -0.5, listed: &listed });
                    scores.add(Row(3), WordScores::Dense(&vec![0.25; words]));
                }
                let all_rows = |k| (0..rows, k);
                // More of one row and of all rows than a summary holds, too.
                let alone = (number % 8 == 0).then_some((1..2, 500));
                let many = (number % 16 == 0).then_some((0..rows, 300));
                for (of, k) in [all_rows(4), all_rows(1 + number % 9)].into_iter().chain(alone).chain(many) {
                    let mut found = Vec::new();
                    scores.top(of.clone(), &so_far[of], k, &excluded, &mut found);
                    best.extend(found.iter().map(|c| (c.row, c.word, c.score.to_bits())));
                }
                (best, all)
            };
            summarised += usize::from(old.is_summarised);
            let columns = old.summarised.summary().most();
            assert!(columns <= 17, "a list of {columns} columns");
            assert_eq!(ask(&mut old), ask(&mut fresh), "step {number}");
            to_the_end += usize::from(old.is_summarised);
        }
        assert!(
            summarised > 80 && to_the_end > 50 && to_the_end < summarised,
            "{summarised} steps, {to_the_end} to their ends"
        );
    }
}

/// Summaries do not suffice for wide questions about many rows, for many single words, or for whole rows.
#[test]
fn what_costs_more_than_all_logits_is_not_summarised() {
    let few = StepDemand { best: 6, rows_alone: 8, excluded: 2, words: 32, ..StepDemand::default() };
    for (demand, suffices) in [
        (few, true),
        (StepDemand { words: 33, ..few }, false),
        (StepDemand { best: 16, ..few }, false),
        (StepDemand { best: 16, rows_alone: 2, ..few }, true),
        (StepDemand { whole_rows: true, ..few }, false),
        (StepDemand { more_rows: true, ..few }, false),
        (StepDemand::ANYTHING, false),
    ] {
        assert_eq!(summarised::suffice(demand, 8), suffices, "{demand:?}");
    }
}
