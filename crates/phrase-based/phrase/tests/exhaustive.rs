//! With beams that hold everything the search finds what an exhaustive one finds.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "common/tiny.rs"]
mod tiny;

use metaphrase_phrase::{
    Decoder, Duplicates, ForcedTranslation, Lattice, LookAhead, Phrase, PhraseModel, Presort, SearchOptions, Source,
    Target, Translation, UnknownWords, Workspace,
};
use std::ops::Range;
use tiny::Random;

const ALL: SearchOptions = SearchOptions {
    coverages: 10_000,
    hypotheses: 10_000,
    options: None,
    presort: Presort::Full,
    look_ahead: LookAhead::None,
    distortion_limit: None,
    unknown_words: UnknownWords::Copy,
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
            let all = all_translations(&model, &source, distortion_limit);
            let decoder = Decoder::new(&model, SearchOptions { distortion_limit, ..ALL }).unwrap();
            let (found, _) = decoder.n_best(&source, all.len() + 1, Duplicates::Keep, &mut workspace);
            assert_eq!(found.len(), all.len(), "seed {seed}: {source:?}");
            for (found, expected) in found.iter().zip(&all) {
                let score = model.features(&source, &found.phrases).dot(&model.weights);
                assert!((found.score - score).abs() < 1e-4, "seed {seed}: {} is not {score}", found.score);
                assert!((found.score - expected.score).abs() < 1e-4, "seed {seed}: {found:?}, not {expected:?}");
            }
        }
    }
}

/// A table in a file: options are scored when a sentence needs them, and kept for the next sentences.
#[test]
fn options_of_earlier_sentences_change_nothing() {
    let mut shared = Workspace::default();
    for seed in 0..20 {
        let (in_memory, compiled) = (tiny::model(&mut Random(seed)), tiny::compiled_model(&mut Random(seed)));
        assert!(compiled.table().is_mapped() && !in_memory.table().is_mapped());
        let options = [SearchOptions { options: Some(2), presort: Presort::Exact, ..ALL }, ALL];
        let decoders = options.clone().map(|options| Decoder::new(&compiled, options).unwrap());
        let references = options.map(|options| Decoder::new(&in_memory, options).unwrap());
        let mut random = Random(1000 + seed);
        for number in 0..6 {
            let source = tiny::sentence(&mut random, 4);
            // Three sentences of a decoder, then the next decoder.
            let which = number / 3;
            let found = decoders[which].n_best(&source, 20, Duplicates::Keep, &mut shared);
            let expected = references[which].n_best(&source, 20, Duplicates::Keep, &mut Workspace::default());
            assert_eq!(found, expected, "seed {seed}: {source:?}");
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
        let best = &all_translations(&model, &source, None)[0];
        for (look_ahead, presort) in estimates() {
            let options = SearchOptions { look_ahead, presort, keep_recombined: false, ..ALL };
            let decoder = Decoder::new(&model, options).unwrap();
            let (found, _) = decoder.translate(&source, &mut workspace);
            assert!((found.score - best.score).abs() < 1e-4, "seed {seed}: {found:?}, not {best:?}");
        }
    }
}

/// The stack of complete translations is as wide in a search for one as in a search for a list.
#[test]
fn one_translation_is_the_first_of_a_list() {
    let mut workspace = Workspace::default();
    for seed in 400..460 {
        let mut random = Random(seed);
        let model = tiny::model(&mut random);
        let source = tiny::sentence(&mut random, 8);
        for (look_ahead, presort) in estimates() {
            for size in [2, 4, 8] {
                let one = SearchOptions {
                    coverages: size,
                    hypotheses: size,
                    look_ahead,
                    presort,
                    keep_recombined: false,
                    ..ALL
                };
                let list = SearchOptions { keep_recombined: true, ..one.clone() };
                let (one, _) = Decoder::new(&model, one).unwrap().translate(&source, &mut workspace);
                let (list, _) =
                    Decoder::new(&model, list).unwrap().n_best(&source, 1, Duplicates::Keep, &mut workspace);
                assert_eq!(one.score, list[0].score, "seed {seed}, {look_ahead:?}, {presort:?}, {size}: {source:?}");
            }
        }
    }
}

/// All uses of the language model's estimate of a phrase.
fn estimates() -> impl Iterator<Item = (LookAhead, Presort)> {
    let presorts = [Presort::None, Presort::Exact, Presort::Full];
    let look_aheads = [LookAhead::None, LookAhead::FirstWord, LookAhead::PhraseOnly];
    look_aheads.into_iter().flat_map(move |look_ahead| presorts.map(|presort| (look_ahead, presort)))
}

#[test]
fn translations_that_come_with_the_sentence_take_part() {
    let mut workspace = Workspace::default();
    for seed in 300..360 {
        let mut random = Random(seed);
        let model = tiny::model(&mut random);
        let words = tiny::sentence(&mut random, 4);
        let forced: Vec<ForcedTranslation> =
            (0..1 + random.below(2)).map(|_| forced(&mut random, words.len())).collect();
        for exclusive in [true, false] {
            let source = Source { words: &words, forced: &forced, exclusive };
            let all = all_translations(&model, source, None);
            for look_ahead in [LookAhead::None, LookAhead::FirstWord] {
                let decoder = Decoder::new(&model, SearchOptions { look_ahead, ..ALL }).unwrap();
                let (found, _) = decoder.n_best(source, all.len() + 1, Duplicates::Keep, &mut workspace);
                assert_eq!(found.len(), all.len(), "seed {seed}: {source:?}");
                assert!((found[0].score - all[0].score).abs() < 1e-4, "seed {seed}: {:?}, not {:?}", found[0], all[0]);
            }
        }
    }
}

/// One or two known or unknown words for one or two of a sentence.
fn forced(random: &mut Random, len: usize) -> ForcedTranslation<'static> {
    let start = random.below(len);
    let end = len.min(start + 1 + random.below(2));
    let words = (0..1 + random.below(2)).map(|_| ["w", "x", "!"][random.below(3)]).collect();
    ForcedTranslation { span: start..end, words, probability: random.unit() }
}

#[test]
fn words_without_translation_are_dropped_on_request() {
    let model = tiny::model(&mut Random(1));
    let mut workspace = Workspace::default();
    for look_ahead in [LookAhead::None, LookAhead::FirstWord, LookAhead::PhraseOnly] {
        let options = SearchOptions { unknown_words: UnknownWords::Drop, look_ahead, ..ALL };
        let decoder = Decoder::new(&model, options).unwrap();
        let source = ["?", "4?", "?"];
        let (list, _) = decoder.n_best(&source, 9, Duplicates::Keep, &mut workspace);
        // No jump changes the words, so that the order of the source is the best.
        for translation in &list {
            assert_eq!(model.words(&source, &translation.phrases), ["4?"]);
            let score = model.features(&source, &translation.phrases).dot(&model.weights);
            assert!((translation.score - score).abs() < 1e-4);
        }
        assert_eq!(list.len(), 6);
    }
}

/// All translations that the distortion limit allows, the best first.
fn all_translations<'s>(model: &PhraseModel, source: impl Into<Source<'s>>, limit: Option<usize>) -> Vec<Translation> {
    let (source, mut all) = (source.into(), Vec::new());
    extend(model, source, limit, &mut Vec::new(), &mut all);
    all.sort_by(|a, b| b.score.total_cmp(&a.score));
    all
}

fn extend(
    model: &PhraseModel,
    source: Source,
    limit: Option<usize>,
    phrases: &mut Vec<Phrase>,
    all: &mut Vec<Translation>,
) {
    let covered = |position: &usize| phrases.iter().any(|phrase| phrase.source.contains(position));
    let free: Vec<bool> = (0..source.words.len()).map(|position| !covered(&position)).collect();
    let Some(gap) = free.iter().position(|free| *free) else {
        let score = model.features(source, phrases).dot(&model.weights);
        all.push(Translation { score, phrases: phrases.clone() });
        return;
    };
    let end = phrases.last().map_or(0, |phrase| phrase.source.end);
    for start in gap..source.words.len() {
        for stop in start + 1..=source.words.len().min(start + 2) {
            let too_far = |limit| end.abs_diff(start) > limit || (start > gap && stop - gap > limit);
            if limit.is_some_and(too_far) || free[start..stop].contains(&false) {
                continue;
            }
            for target in targets(model, source, start..stop) {
                phrases.push(Phrase { source: start..stop, target });
                extend(model, source, limit, phrases, all);
                phrases.pop();
            }
        }
    }
}

fn targets(model: &PhraseModel, source: Source, span: Range<usize>) -> Vec<Target> {
    let own = (0..).zip(source.forced).filter(|(_, forced)| forced.span == span);
    let mut targets: Vec<Target> = own.map(|(number, _)| Target::Forced(number)).collect();
    let taken = |forced: &ForcedTranslation| forced.span.start < span.end && span.start < forced.span.end;
    if !(source.exclusive && source.forced.iter().any(taken)) {
        targets.extend(model.table().translations(&source.words[span.clone()].join(" ")).map(Target::Pair));
    }
    if targets.is_empty() && span.len() == 1 {
        targets.push(Target::Unknown);
    }
    targets
}

#[test]
fn lattices_hold_all_translations() {
    let mut workspace = Workspace::default();
    for seed in 200..230 {
        let mut random = Random(seed);
        let model = tiny::model(&mut random);
        let source = tiny::sentence(&mut random, 4);
        let all = all_translations(&model, &source, None);
        let (lattice, _) = Decoder::new(&model, ALL).unwrap().lattice(&source, &mut workspace);
        let mut paths = vec![0; lattice.nodes.len()];
        paths[0] = 1;
        for arc in &lattice.arcs {
            paths[arc.to] += paths[arc.from];
            assert!(arc.from < arc.to);
            let (from, to) = (lattice.nodes[arc.from], lattice.nodes[arc.to]);
            assert_eq!(from.covered + arc.phrase.source.len(), to.covered);
            assert!(from.score + arc.score <= to.score + 1e-4 && arc.score + to.rest <= from.rest + 1e-4);
        }
        let complete = (0..lattice.nodes.len()).filter(|&node| lattice.is_complete(node));
        assert_eq!(complete.map(|node| paths[node]).sum::<usize>(), all.len());
        assert!((lattice.nodes[0].rest - all[0].score).abs() < 1e-4);
        assert_words(&model.word_lattice(&source, &lattice), &model, &source, &all);
    }
}

/// The number of paths equals the number of translations, and the best path is the best translation.
fn assert_words(lattice: &Lattice, model: &PhraseModel, source: &[&str], all: &[Translation]) {
    let mut paths = vec![0; lattice.states()];
    paths[0] = 1;
    for arc in lattice.arcs() {
        paths[arc.to.index()] += paths[arc.from.index()];
    }
    assert_eq!(paths[lattice.end().index()], all.len());
    let (words, score) = lattice.best();
    assert_eq!(words, model.words(source, &all[0].phrases));
    assert!((score - all[0].score).abs() < 1e-4);
}
