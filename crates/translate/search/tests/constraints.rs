//! Lexical constraints: always met, and the best translation that meets them where the beam holds everything.

use crate::common::{Sentence, one, search, sentence, words};
use metaphrase_base::WordId;
use metaphrase_search::{
    ByteWords, Constraints, ConstraintsError, Options, SamplingPool, Stop, Strategy, WrittenWords,
};
use metaphrase_testkit::{AvoidedWords, FakeModel, exhaustive};

const END: WordId = WordId(0);

/// Terms of one phrase each.
fn phrases(terms: &[&[u32]]) -> Constraints {
    let terms: Vec<_> = terms.iter().map(|phrase| vec![words(phrase)]).collect();
    Constraints::new(&terms, None, None).expect("usable constraints")
}

fn with(constraints: &Constraints) -> Sentence {
    Sentence { constraints: Some(constraints.clone()), ..sentence(&[1]) }
}

/// Whether all phrases can be put into `text` side by side: tries every way.
fn fit(text: &[WordId], phrases: &[Vec<WordId>]) -> bool {
    fn place(used: &mut Vec<bool>, text: &[WordId], phrases: &[Vec<WordId>]) -> bool {
        let Some((phrase, others)) = phrases.split_first() else { return true };
        (0..=text.len().saturating_sub(phrase.len())).any(|first| {
            let range = first..first + phrase.len();
            if text.get(range.clone()) != Some(phrase) || used[range.clone()].contains(&true) {
                return false;
            }
            used[range.clone()].fill(true);
            let fits = place(used, text, others);
            used[range].fill(false);
            fits
        })
    }
    place(&mut vec![false; text.len()], text, phrases)
}

#[test]
fn phrases_are_found_from_left_to_right_the_longest_first() {
    type Terms = &'static [&'static [u32]];
    type Expected = &'static [Option<(usize, usize)>];
    let cases: [(Terms, &[u32], Expected); 10] = [
        (&[&[1]], &[2, 1, 3], &[Some((1, 1))]),
        (&[&[1, 2]], &[1, 3, 1, 2], &[Some((2, 2))]),
        // A phrase whose beginning repeats inside it.
        (&[&[1, 1, 2]], &[1, 1, 1, 2], &[Some((1, 3))]),
        (&[&[1, 2, 1, 3]], &[1, 2, 1, 2, 1, 3], &[Some((2, 4))]),
        // The same word twice needs two places.
        (&[&[1], &[1]], &[1, 2], &[Some((0, 1)), None]),
        (&[&[1], &[1]], &[1, 1], &[Some((0, 1)), Some((1, 1))]),
        // A word that begins a longer phrase: by itself, or as its beginning.
        (&[&[1], &[1, 2]], &[1, 2, 1], &[Some((2, 1)), Some((0, 2))]),
        (&[&[1], &[1, 2]], &[1, 3, 1, 2], &[Some((0, 1)), Some((2, 2))]),
        (&[&[1], &[1, 2]], &[1, 2], &[None, Some((0, 2))]),
        // A phrase that is broken off late, after a whole term: the words after the term are read again.
        (&[&[1], &[1, 2, 3], &[2, 4]], &[1, 2, 4, 1, 2, 3], &[Some((0, 1)), Some((3, 3)), Some((1, 2))]),
    ];
    for (terms, text, expected) in cases {
        assert_eq!(phrases(terms).find(&words(text)), expected, "{terms:?} in {text:?}");
    }
}

#[test]
fn a_phrase_is_not_met_inside_a_longer_written_word() {
    // Word 4 is a piece that continues the word before it.
    let continues = vec![false, false, false, false, true];
    let constraints = Constraints::new(&[vec![words(&[1])]], None, Some(WrittenWords::new(continues, []))).unwrap();
    assert_eq!(constraints.find(&words(&[1, 4, 2])), [None]);
    assert_eq!(constraints.find(&words(&[1, 4, 1])), [Some((2, 1))]);
    // Word 1 and then 4 is by far the best.
    let script = |_: &[WordId], so_far: &[WordId]| match so_far.last() {
        Some(WordId(1)) => vec![-6.0, -7.0, -7.0, -8.0, -0.1],
        _ => vec![-1.5, -0.5, -3.0, -4.0, -9.0],
    };
    let model = FakeModel::new(5, script);
    for beam_size in [1, 2, 6] {
        let options = Options { beam_size, ..Options::default() };
        let found = one(&model, &options, &with(&constraints));
        assert_ne!(constraints.find(&found.hypotheses[0].words), [None], "{:?}", found.hypotheses[0].words);
    }
}

/// 4 words, at most 6 of them; the beam holds everything.
#[test]
fn a_beam_that_holds_everything_finds_the_best_that_meets_all() {
    let free = Constraints::new(&[], AvoidedWords::new(&[words(&[1, 2]), words(&[3, 3])]), None).unwrap();
    let alternatives = Constraints::new(
        &[vec![words(&[1, 2]), words(&[3])], vec![words(&[2])]],
        AvoidedWords::new(&[words(&[2, 2])]),
        None,
    )
    .unwrap();
    let several = [
        phrases(&[&[1]]),
        phrases(&[&[1, 2], &[3]]),
        phrases(&[&[2], &[2, 3]]),
        phrases(&[&[1, 1, 2]]),
        free,
        alternatives,
    ];
    for (number, constraints) in several.iter().enumerate() {
        for seed in 0..8 {
            let model = FakeModel::random(seed, 4, 3.0);
            for strategy in [Strategy::Beam, Strategy::Grid, Strategy::States] {
                let options = Options {
                    strategy,
                    beam_size: 2000,
                    n_best: 10,
                    max_length_factor: 6.0,
                    normalize_constrained: Some(1.0),
                    stop: Stop::FILL,
                    prune_threshold: Some(f32::INFINITY),
                    ..Options::default()
                };
                let mut oracle = exhaustive(&model, &words(&[1]), 6, |log_prob, length| log_prob / length as f32);
                oracle.retain(|f| {
                    constraints.find(&f.words).iter().all(Option::is_some) && !constraints.violated_by(&f.words)
                });
                let found = one(&model, &options, &with(constraints));
                let texts: Vec<_> = found.hypotheses.iter().map(|h| (&h.words, h.score)).collect();
                let expected: Vec<_> = oracle.iter().take(10).map(|f| (&f.words, f.score)).collect();
                assert_eq!(texts, expected, "constraints {number}, seed {seed}, {strategy:?}");
            }
        }
    }
}

#[test]
fn all_constraints_are_met_by_beams_of_any_size() {
    let sets: [&[&[u32]]; 6] = [
        &[&[5]],
        &[&[5], &[6], &[7]],
        &[&[5, 6, 7, 8]],
        &[&[5, 5, 6], &[5, 6]],
        &[&[5], &[5], &[5, 6], &[7, 5]],
        &[&[1], &[2], &[3], &[4], &[5], &[6], &[7], &[8, 8]],
    ];
    for set in sets {
        let given: Vec<Vec<WordId>> = set.iter().map(|phrase| words(phrase)).collect();
        let mut strategies = vec![Strategy::Beam, Strategy::Grid, Strategy::CUBE, Strategy::ACCELERATED_CUBE];
        if set.len() < 5 {
            strategies.push(Strategy::States);
        }
        for strategy in strategies {
            for stop in [Stop::Shrink, Stop::Wait, Stop::FILL] {
                for beam_size in [1, 2, 5, 10] {
                    for seed in 0..10 {
                        let model = FakeModel::random(seed, 9, 6.0);
                        // Just enough room for the largest set, so that the limit presses.
                        let options =
                            Options { strategy, stop, beam_size, max_length_factor: 10.0, ..Options::default() };
                        let prefix = if seed % 2 == 0 { Vec::new() } else { words(&[3]) };
                        let found = one(&model, &options, &Sentence { prefix, ..with(&phrases(set)) });
                        let best = &found.hypotheses[0];
                        assert!(
                            fit(&best.words, &given),
                            "{strategy:?} {stop:?} {beam_size}: {:?} {set:?}",
                            best.words
                        );
                        assert!(best.complete || stop != Stop::FILL, "the end of sentence fits, too");
                    }
                }
            }
        }
    }
}

#[test]
fn words_of_the_prefix_meet_constraints() {
    let model = FakeModel::new(4, |_, _| vec![-0.1, -3.0, -3.0, -3.0]);
    let given = Sentence { prefix: words(&[2, 3]), ..with(&phrases(&[&[3]])) };
    let found = one(&model, &Options::default(), &given);
    assert_eq!(found.hypotheses[0].words, words(&[2, 3]));
    // A phrase that the prefix has begun is continued.
    let given = Sentence { prefix: words(&[2, 3]), ..with(&phrases(&[&[3, 1]])) };
    assert_eq!(one(&model, &Options::default(), &given).hypotheses[0].words, words(&[2, 3, 1]));
}

#[test]
fn avoided_phrases_never_appear() {
    let avoided = [words(&[1, 1]), words(&[2, 1, 3]), words(&[3])];
    let constraints = Constraints::new(&[], AvoidedWords::new(&avoided), None).unwrap();
    for seed in 0..20 {
        let model = FakeModel::random(seed, 5, 6.0);
        for strategy in [Strategy::Beam, Strategy::CUBE, Strategy::ACCELERATED_CUBE] {
            let options = Options { n_best: 4, max_length_factor: 9.0, strategy, ..Options::default() };
            for hypothesis in one(&model, &options, &with(&constraints)).hypotheses {
                let contains = |phrase: &Vec<WordId>| hypothesis.words.windows(phrase.len()).any(|part| part == phrase);
                assert!(!avoided.iter().any(contains), "{:?}", hypothesis.words);
            }
        }
    }
}

#[test]
fn a_limit_that_is_too_short_gives_what_comes_nearest() {
    let model = FakeModel::random(1, 9, 2.0);
    let options = Options { max_length_factor: 2.0, ..Options::default() };
    let constraints = phrases(&[&[4], &[5], &[6]]);
    let best = one(&model, &options, &with(&constraints)).hypotheses.remove(0);
    assert!(!best.complete);
    assert_eq!(constraints.find(&best.words).iter().flatten().count(), 2, "{:?}", best.words);
}

#[test]
fn what_no_translation_can_meet_is_refused() {
    let new = |terms: &[Vec<Vec<WordId>>], avoided: &[Vec<WordId>]| {
        Constraints::new(terms, AvoidedWords::new(avoided), None).map(|_| ())
    };
    assert_eq!(new(&[vec![words(&[])]], &[]), Err(ConstraintsError::EmptyTerm { term: 0 }));
    assert_eq!(new(&[vec![words(&[1])], vec![]], &[]), Err(ConstraintsError::EmptyTerm { term: 1 }));
    let term = vec![words(&[1, 2, 3]), words(&[4, 2])];
    assert_eq!(new(std::slice::from_ref(&term), &[words(&[2])]), Err(ConstraintsError::Contradiction { term: 0 }));
    // One alternative is left.
    assert_eq!(new(&[term], &[words(&[2, 3])]), Ok(()));
}

/// Sentences with and without constraints, of several kinds, in one batch.
#[test]
fn constraints_do_not_depend_on_the_batch() {
    let model = FakeModel::random(11, 9, 4.0);
    let sentence = |id: u32| Sentence {
        id: id as usize,
        source: (0..1 + id * 7 % 13).map(|j| WordId(id * 31 + j)).chain([END]).collect(),
        prefix: words(if id.is_multiple_of(5) { &[2, 3] } else { &[] }),
        seed: 1,
        scorer: None,
        constraints: match id % 4 {
            0 => None,
            1 => Some(phrases(&[&[1 + id % 8, 3], &[7]])),
            2 => Some(phrases(&[&[1], &[2], &[3], &[4], &[5]])),
            _ => {
                Some(Constraints::new(&[vec![words(&[6])]], AvoidedWords::new(&[words(&[1 + id % 5])]), None).unwrap())
            }
        },
    };
    let many: Vec<Sentence> = (0..60).map(sentence).collect();
    for strategy in [Strategy::Beam, Strategy::Grid, Strategy::CUBE, Strategy::ACCELERATED_CUBE] {
        for beam_width in [0.0, 0.01] {
            let options = Options { strategy, beam_size: 4, n_best: 2, beam_width, ..Options::default() };
            let alone: Vec<_> = many.iter().map(|s| one(&model, &options, s)).collect();
            for batch in [1, 7, 64, 10_000] {
                assert_eq!(search(&model, &options, batch, &many), alone, "{strategy:?} {batch}");
            }
        }
    }
}

#[test]
fn sentences_without_constraints_are_as_ever_beside_others() {
    let model = FakeModel::random(4, 9, 4.0);
    let free = sentence(&[1, 5, 7]);
    let alone = one(&model, &Options::default(), &free);
    let nothing = Sentence { constraints: Some(phrases(&[])), ..free.clone() };
    assert_eq!(one(&model, &Options::default(), &nothing), alone);
    let guided = Sentence { id: 1, ..with(&phrases(&[&[5], &[8]])) };
    assert_eq!(search(&model, &Options::default(), 100, &[free, guided])[0], alone);
}

#[test]
fn draws_have_no_banks() {
    let sampling = Some(SamplingPool::Full.at(1.0));
    let options = Options { sampling, strategy: Strategy::Grid, ..Options::default() };
    assert!(options.check(&FakeModel::random(1, 4, 1.0)).is_err());
}

/// A term whose last word the model always continues: only the limit can end it.
#[test]
fn a_term_that_wants_to_be_part_of_a_word_is_met_at_the_limit_at_the_latest() {
    let continues = vec![false, false, false, true];
    let constraints = Constraints::new(&[vec![words(&[1])]], None, Some(WrittenWords::new(continues, [])))
        .expect("usable constraints");
    let script = |_: &[WordId], so_far: &[WordId]| match so_far.last() {
        Some(WordId(1)) => vec![-50.0, -60.0, -60.0, -0.01],
        _ => vec![-4.0, -3.0, -0.1, -9.0],
    };
    let model = FakeModel::new(4, script);
    for stop in [Stop::Shrink, Stop::FILL] {
        for beam_size in [1, 2, 4] {
            for factor in [2.0, 3.0, 5.0] {
                let options = Options { stop, beam_size, max_length_factor: factor, ..Options::default() };
                let best = one(&model, &options, &with(&constraints)).hypotheses.remove(0);
                assert_ne!(constraints.find(&best.words), [None], "{beam_size} {factor}: {:?}", best.words);
            }
        }
    }
}

/// Words 1 to 4 make a sentence; word 5 is the term, which fits only after word 2.
#[test]
fn greedy_search_puts_a_term_where_it_fits() {
    let script = |_: &[WordId], so_far: &[WordId]| {
        let free: Vec<u32> = so_far.iter().map(|word| word.0).filter(|&word| word != 5).collect();
        let next = (free.len() + 1) % 5;
        let mut log_probs = vec![-9.0f32; 6];
        log_probs[next] = -0.2;
        log_probs[5] = if so_far.last() == Some(&WordId(2)) { -1.7 } else { -6.0 };
        log_probs
    };
    let model = FakeModel::new(6, script);
    for beam_size in [1, 2] {
        let options = Options { beam_size, max_length_factor: 20.0, ..Options::default() };
        let found = one(&model, &options, &with(&phrases(&[&[5]])));
        assert_eq!(found.hypotheses[0].words, words(&[1, 2, 5, 3, 4]), "beam {beam_size}");
        // A translation that has the term by itself is that of free search, and needs no second search.
        let free = one(&model, &options, &sentence(&[1]));
        let met = one(&model, &options, &with(&phrases(&[&[3]])));
        assert_eq!(met.hypotheses[0].words, free.hypotheses[0].words);
        assert!(beam_size > 1 || met.counts == free.counts);
    }
}

/// After the term the model repeats words 1 and 2 without end.
#[test]
fn nothing_is_said_three_times_in_a_row() {
    let script = |_: &[WordId], so_far: &[WordId]| match so_far.last() {
        Some(WordId(3 | 2)) => vec![-3.0, -0.1, -4.0, -9.0],
        Some(WordId(1)) => vec![-3.0, -4.0, -0.1, -9.0],
        _ => vec![-9.0, -9.0, -9.0, -0.1],
    };
    let model = FakeModel::new(4, script);
    for beam_size in [1, 2] {
        let options = Options { beam_size, max_length_factor: 20.0, ..Options::default() };
        let found = one(&model, &options, &with(&phrases(&[&[3]])));
        let best = &found.hypotheses[0];
        assert!(best.complete && best.words.len() < 8, "{:?}", best.words);
        // A source that repeats itself may be translated so.
        let many = Sentence { source: words(&[1, 2, 1, 2, 1, 2]), ..with(&phrases(&[&[3]])) };
        assert!(one(&model, &options, &many).hypotheses[0].words.len() >= best.words.len());
    }
}

#[test]
fn sentences_with_terms_have_a_beam_and_a_ranking_of_their_own() {
    let model = FakeModel::random(3, 9, 3.0);
    let wide = Options { beam_size: 8, ..Options::default() };
    let beam_of_terms = Options { beam_size: 2, beam_size_constrained: Some(8), ..Options::default() };
    let (given, free) = (with(&phrases(&[&[5]])), sentence(&[1]));
    assert_eq!(one(&model, &beam_of_terms, &given), one(&model, &wide, &given));
    assert_eq!(one(&model, &beam_of_terms, &free), one(&model, &Options { beam_size: 2, ..Options::default() }, &free));
    assert!(Options { n_best: 3, beam_size_constrained: Some(2), ..wide.clone() }.check(&model).is_err());
    // It grows to a place for each bank: here for terms of 0 to 3 words.
    let many = with(&phrases(&[&[5, 6, 7]]));
    let grown = Options { beam_size_constrained: Some(1), ..wide.clone() };
    assert_eq!(one(&model, &grown, &many), one(&model, &Options { beam_size: 4, ..wide.clone() }, &many));
    // One written word: 1 / (1 + 1²); three: 1 / (1 + 3²).
    for (terms, alpha) in [(&[&[5][..]][..], 0.5), (&[&[5, 6], &[7]], 0.1)] {
        let best = one(&model, &wide, &with(&phrases(terms))).hypotheses.remove(0);
        let length = best.word_log_probs.len() as f32;
        assert!((best.score - best.log_prob / length.powf(alpha)).abs() < 1e-5, "{terms:?}");
    }
}

/// Words 1 and 2 are the bytes of ä, which the model repeats again and again. Each ä takes two of the words that are
/// left.
#[test]
fn no_character_takes_the_room_of_a_term() {
    for (beam_size, limit) in (1..=4).flat_map(|beam| (3..=12).map(move |limit| (beam, limit))) {
        // The term becomes probable only when it is too late for it, so the search waits for it as long as it can.
        let model = FakeModel::new(5, move |_, history| {
            let begins = if history.len() + 1 == limit { -1.0 } else { -5.0 };
            vec![-9.0, -0.1, -0.1, begins, -9.0]
        });
        let options = Options {
            beam_size,
            max_length_factor: limit as f32,
            bytes: ByteWords::new([(WordId(1), 0xC3), (WordId(2), 0xA4)]),
            ..Options::default()
        };
        let found = one(&model, &options, &with(&phrases(&[&[3, 4]])));
        let translation = &found.hypotheses[0].words;
        let has_term = translation.windows(2).any(|pair| pair == words(&[3, 4]));
        assert!(has_term, "beam {beam_size}, limit {limit}: {translation:?}");
    }
}

/// With one word there are two sets of met words, as there are two banks. With more, sets of equal size differ: a beam
/// of one in each set finds `1 2` and `2 1`, and keeps the better one, where a beam of one in each bank has forgotten
/// it.
#[test]
fn each_set_of_met_words_has_a_beam_of_its_own() {
    for seed in 0..20 {
        let model = FakeModel::random(seed, 6, 5.0);
        let found = |strategy, terms: &[&[u32]]| {
            let options = Options { strategy, beam_size: 2, stop: Stop::FILL, ..Options::default() };
            one(&model, &options, &with(&phrases(terms))).hypotheses
        };
        assert_eq!(found(Strategy::Grid, &[&[3]]), found(Strategy::States, &[&[3]]));
    }
    // `1` is likely at the start and leads to a bad end; `2` is the other way round.
    let model = FakeModel::new(3, |_, words| match words {
        [] => vec![f32::NEG_INFINITY, -0.5, -1.0],
        [WordId(1)] => vec![f32::NEG_INFINITY, f32::NEG_INFINITY, -9.0],
        [WordId(2)] => vec![f32::NEG_INFINITY, -0.1, f32::NEG_INFINITY],
        _ => vec![0.0, f32::NEG_INFINITY, f32::NEG_INFINITY],
    });
    for (strategy, expected) in [(Strategy::Grid, [1, 2]), (Strategy::States, [2, 1])] {
        let options = Options { strategy, beam_size: 1, stop: Stop::FILL, ..Options::default() };
        let found = one(&model, &options, &with(&phrases(&[&[1], &[2]])));
        assert_eq!(found.hypotheses[0].words, words(&expected), "{strategy:?}");
    }
}
