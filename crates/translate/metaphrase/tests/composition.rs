//! Strategies, constraints, pruning and ensembles in every combination, with the model that comes with the program:
//! all constraints are met, and a line's translation is the same alone and in any batch.

use metaphrase::{
    Package, Precision, Request, RequiredTerm, Stop, Strategy, Terms, TranslateOptions, Translation, Translator,
    TranslatorBuilder,
};
use std::path::Path;

/// Lines without constraints, with terms, with a phrase and a word to avoid, with alternatives, with a prefix.
fn requests() -> Vec<Request> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/everyday.en");
    let lines = crate::common::lines(&examples);
    let request = |(number, line): (usize, &String)| {
        let terms = match number % 4 {
            0 => Terms::default(),
            1 => Terms::default().require(["Haus"]).require(["sehr gut"]),
            2 => Terms::default().require(["am Ende"]).avoid("ist").avoid("in der"),
            _ => Terms::default().require(["Gebäude", "Bau"]).require(["an"]).require(["an"]),
        };
        let prefix = if number % 8 == 5 { "Ja, das Haus".into() } else { String::new() };
        Request { terms, prefix, ..Request::translate(line) }
    };
    lines.iter().take(10).enumerate().map(request).collect()
}

/// A model in this precision, and its ensemble with the model in f32.
fn translators(builder: &TranslatorBuilder, precision: Precision) -> [Translator; 2] {
    let model = builder.clone().package(Package::bundled().with_precision(precision));
    let ensemble = model.clone().package(Package::bundled().with_precision(Precision::F32)).weights([0.7, 0.3]);
    [model.build().expect("a model"), ensemble.build().expect("an ensemble")]
}

fn check_terms(request: &Request, translation: &Translation) {
    assert!(translation.missing.is_empty(), "{:?} {translation:?}", request.terms);
    for hypothesis in &translation.hypotheses {
        for term in &request.terms.required {
            assert!(term.targets.iter().any(|target| hypothesis.text.contains(target)), "{}", hypothesis.text);
        }
        let words: Vec<&str> = hypothesis.text.split(|c: char| !c.is_alphanumeric()).collect();
        if request.terms.avoided.contains(&"ist".into()) {
            assert!(!hypothesis.pieces.contains(&"▁ist".into()), "{}", hypothesis.text);
        }
        if request.terms.required.contains(&RequiredTerm::new(["an"])) {
            assert!(words.iter().filter(|word| **word == "an").count() >= 2, "{}", hypothesis.text);
        }
        assert!(hypothesis.text.starts_with(&request.prefix));
        assert_eq!(hypothesis.met.len(), request.terms.required.len());
    }
}

#[test]
fn everything_goes_with_everything() {
    let alone = translators(&Translator::builder().threads(1).batch_tokens(1), Precision::F32);
    let together = translators(&Translator::builder().threads(2).batch_tokens(128), Precision::F32);
    let mut options = alone[0].options();
    (options.search.beam_size, options.search.beam_size_constrained, options.search.n_best) = (4, None, 2);
    let prunings: [fn(&mut TranslateOptions); 5] = [
        |_| {},
        |options| (options.search.beam_width, options.search.prune_threshold) = (0.01, Some(10.0)),
        |options| (options.search.stop, options.search.stop_margin) = (Stop::FILL, 3.0),
        |options| options.search.stop = Stop::Fill { ends_beside: true },
        |options| (options.search.stop, options.search.max_target_length) = (Stop::Collect, 9),
    ];
    for strategy in [Strategy::Beam, Strategy::Grid, Strategy::CUBE, Strategy::ACCELERATED_CUBE] {
        for prune in prunings {
            let mut options = TranslateOptions { search: options.search.clone(), ..TranslateOptions::default() };
            options.search.strategy = strategy;
            prune(&mut options);
            for (alone, together) in alone.iter().zip(&together) {
                let expected = alone.run(&options, requests()).expect("translations");
                assert_eq!(together.run(&options, requests()).expect("translations"), expected, "{strategy:?}");
                requests().iter().zip(&expected).for_each(|(request, found)| check_terms(request, found));
            }
        }
    }
}

#[test]
fn strategies_constraints_and_ensembles_go_with_every_precision() {
    let all = [Strategy::Beam, Strategy::Grid, Strategy::CUBE, Strategy::ACCELERATED_CUBE];
    for (precision, strategies) in
        [(Precision::Bf16, &all[..1]), (Precision::Int16, &all[..1]), (Precision::Int8, &all)]
    {
        let alone = translators(&Translator::builder().threads(1).batch_tokens(1), precision);
        let together = translators(&Translator::builder().threads(2).batch_tokens(128), precision);
        let divided = translators(&Translator::builder().threads(2).latency(true), precision);
        let mut options = alone[0].options();
        (options.search.beam_size, options.search.beam_size_constrained, options.search.n_best) = (4, None, 2);
        for &strategy in strategies {
            options.search.strategy = strategy;
            for ((alone, together), divided) in alone.iter().zip(&together).zip(&divided) {
                let expected = alone.run(&options, requests()).expect("translations");
                for (how, translator) in [("in batches", together), ("each line on all threads", divided)] {
                    let found = translator.run(&options, requests()).expect("translations");
                    assert_eq!(found, expected, "{strategy:?}, {precision:?}, {how}");
                }
                requests().iter().zip(&expected).for_each(|(request, found)| check_terms(request, found));
            }
        }
    }
}

#[test]
fn a_builder_and_a_package_have_the_same_precision() {
    let [builder, package, exact] = [
        Translator::builder().model("en-de").precision(Precision::Int8),
        Translator::builder().package(Package::bundled().with_precision(Precision::Int8)),
        Translator::builder().model("en-de").precision(Precision::F32),
    ]
    .map(|builder| builder.build().expect("a model").translate(&["The house is old."]).expect("translations"));
    assert_eq!(builder, package);
    assert_ne!(builder, exact);
}

#[test]
fn an_ensemble_of_a_model_with_itself_translates_as_it_does() {
    let [model, ensemble] = translators(&Translator::builder(), Precision::F32);
    let text = ["The house is old.", "Good morning, how are you?", ""];
    let (one, two) = (model.translate(&text).expect("translations"), ensemble.translate(&text).expect("translations"));
    for (one, two) in one.iter().zip(&two) {
        assert_eq!(one.text(), two.text());
        assert!((one.hypotheses[0].log_prob - two.hypotheses[0].log_prob).abs() < 1e-3);
    }
}
