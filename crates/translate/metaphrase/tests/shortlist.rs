//! Shortlists for the model that comes with the program: a line is translated with the words of its own list, whatever
//! the strategy, the batch, the ensemble and the terms.

use metaphrase::{
    Error, Request, SamplingPool, ShortlistOptions, Strategy, Terms, TranslateOptions, Translation, Translator,
    TranslatorBuilder,
};
use metaphrase_base::WordId;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn source() -> Vec<String> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/everyday.en");
    let mut lines = crate::common::lines(&examples);
    lines.truncate(6);
    lines
}

fn builder() -> TranslatorBuilder {
    Translator::builder().model("en-de")
}

/// A table of the words that the program translated itself; every pair of words of a line is in it.
pub fn table(folder: &Path, translations: &[Translation]) -> PathBuf {
    let mut pairs = BTreeSet::new();
    for translation in translations {
        for source in &translation.source_pieces {
            pairs.extend(translation.hypotheses[0].pieces.iter().map(|target| format!("{target} {source} 0.5\n")));
        }
    }
    let path = folder.join("lex.s2t");
    std::fs::write(&path, pairs.into_iter().collect::<String>()).unwrap();
    path
}

pub const SIZE: ShortlistOptions = ShortlistOptions { first: Some(20), words: None, threshold: None };

fn requests() -> Vec<Request> {
    let request = |(number, line): (usize, &String)| {
        let required = |term: &str| Terms::default().require([term]).avoid("ist");
        let terms = if number % 2 == 1 { required("Taxizentrale") } else { Terms::default() };
        let prefix = if number % 4 == 2 { "Quarzuhren, ".into() } else { String::new() };
        Request { terms, prefix, ..Request::translate(line) }
    };
    source().iter().enumerate().map(request).collect()
}

/// The words that may be in the translation of a request.
fn allowed(translator: &Translator, request: &Request, table: &Path) -> Vec<WordId> {
    let [source, target] = translator.vocabularies().unwrap();
    let lists = metaphrase_shortlist::Shortlists::open(table, SIZE, [&source, &target]).unwrap();
    let mut words = lists.for_sentence(&translator.segment(&request.source)).words().to_vec();
    for text in request.terms.required.iter().flat_map(|term| &term.targets).chain([&request.prefix]) {
        words.extend(translator.segment_target(text));
    }
    words
}

#[test]
fn a_line_has_its_own_list_with_every_strategy_and_in_any_batch() {
    let folder = tempfile::tempdir().unwrap();
    let plain = builder().build().unwrap();
    let table = table(folder.path(), &plain.translate(&source()).unwrap());
    let target = plain.vocabularies().unwrap()[1].clone();
    let with = |(threads, tokens)| builder().shortlist(&table, SIZE).threads(threads).batch_tokens(tokens);
    let ensemble = |builder: TranslatorBuilder| builder.model("en-de").weights([0.7, 0.3]).build().unwrap();
    let [alone, together] = [(1, 1), (2, 128)].map(with);
    let pairs =
        [(alone.clone().build().unwrap(), together.clone().build().unwrap()), (ensemble(alone), ensemble(together))];
    let strategies = [Strategy::Beam, Strategy::Grid, Strategy::CUBE, Strategy::ACCELERATED_CUBE];
    for ((alone, together), strategies) in pairs.iter().zip([&strategies[..], &strategies[..1]]) {
        for &strategy in strategies {
            for sampling in [None, Some(SamplingPool::TopK(5).at(1.0))] {
                if sampling.is_some() && strategy != Strategy::Beam {
                    continue;
                }
                let mut options = TranslateOptions { search: alone.options().search, ..TranslateOptions::default() };
                (options.search.strategy, options.search.beam_size, options.search.n_best) = (strategy, 4, 2);
                (options.search.beam_size_constrained, options.search.sampling) = (None, sampling);
                let found = alone.run(&options, requests()).unwrap();
                assert_eq!(together.run(&options, requests()).unwrap(), found, "{strategy:?}");
                for (request, translation) in requests().iter().zip(&found) {
                    let allowed = allowed(alone, request, &table);
                    for hypothesis in &translation.hypotheses {
                        let ids = hypothesis.pieces.iter().map(|piece| target.id(piece).unwrap());
                        assert!(ids.into_iter().all(|id| allowed.contains(&id)), "{}", hypothesis.text);
                        assert!(hypothesis.text.starts_with(request.prefix.trim()), "{}", hypothesis.text);
                        assert!(hypothesis.log_prob.is_finite());
                    }
                    assert!(sampling.is_some() || translation.missing.is_empty(), "{}", translation.text());
                }
            }
        }
    }
}

/// Where the list has the words of the best translation, this translation is still the best.
#[test]
fn what_is_listed_is_found_and_scored() {
    let folder = tempfile::tempdir().unwrap();
    let plain = builder().build().unwrap();
    let free = plain.translate(&source()).unwrap();
    let table = table(folder.path(), &free);
    let short = builder().shortlist(&table, SIZE).build().unwrap();
    let found = short.translate(&source()).unwrap();
    let same = free.iter().zip(&found).filter(|(free, found)| free.text() == found.text()).count();
    assert!(same >= 5, "{same} of 6");
    for (line, (free, found)) in source().iter().zip(free.iter().zip(&found)) {
        if free.text() == found.text() {
            assert!(found.hypotheses[0].log_prob >= free.hypotheses[0].log_prob, "normalised over fewer words");
        }
        let given = short.run(&short.options(), vec![Request::score(line, found.text())]).unwrap();
        let [given, found] = [&given[0].hypotheses[0], &found.hypotheses[0]];
        assert!(given.pieces != found.pieces || (given.log_prob - found.log_prob).abs() < 1e-3);
        // Words of a given translation are listed.
        let odd = short.run(&short.options(), vec![Request::score(line, "Quarzuhren im Taxizentralenhof")]).unwrap();
        assert!(odd[0].hypotheses[0].log_prob.is_finite());
    }
}

#[test]
fn a_shortlist_belongs_to_a_neural_model_and_its_words() {
    let nowhere = builder().shortlist("nowhere", ShortlistOptions::default()).build().err().unwrap();
    assert!(nowhere.to_string().starts_with("shortlist nowhere: cannot read: "), "{nowhere}");
    let phrase = Translator::builder().phrase_model("nowhere").shortlist("lists", ShortlistOptions::default()).build();
    assert!(matches!(phrase.err().unwrap(), Error::PhraseBased { what: "a shortlist" }));
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("lists"), folder.path().join("lex.s2t"));
    std::fs::write(&other, "haus house 0.5\nzzz zzzzz 0.5\n").unwrap();
    let refused = builder().shortlist(&other, ShortlistOptions::default()).build().err().unwrap();
    assert!(refused.to_string().contains("was made for other vocabularies"), "{refused}");
    let translator = builder().build().unwrap();
    let table = table(folder.path(), &translator.translate(&source()).unwrap());
    let [source_words, target_words] = translator.vocabularies().unwrap();
    let words = [&*source_words, &*target_words];
    metaphrase_shortlist::Shortlists::open(&table, SIZE, words).unwrap().write(&path, words).unwrap();
    let [ours, text] = [&path, &table].map(|path| builder().shortlist(path, SIZE).build().unwrap());
    assert_eq!(ours.translate(&source()).unwrap(), text.translate(&source()).unwrap());
}
