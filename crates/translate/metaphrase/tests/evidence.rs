//! Evidence of other systems for the model that comes with the program: the added scores are those of equation 2,
//! whatever the strategy, the batch and the constraints.

use metaphrase::{
    Evidence, EvidenceOptions, Lattice, Package, Posteriors, Precision, Request, SamplingPool, Stop, Strategy, Terms,
    Theta, TranslateOptions, Translation, Translator, TranslatorBuilder,
};
use std::path::Path;

fn source() -> Vec<String> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/everyday.en");
    let mut lines = crate::common::lines(&examples);
    lines.truncate(6);
    lines
}

fn builder() -> TranslatorBuilder {
    Translator::builder().model("en-de")
}

fn tiny() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/phrase/tiny")
}

/// Texts of another system: made up, so that they differ from the model's.
fn evidence(number: usize) -> Evidence {
    let texts = ["Das Haus ist sehr alt.", "Guten Morgen, das ist ein Haus!", "Ich weiß es nicht."];
    let score = |place: usize| -0.7 * place as f64;
    Evidence::NBest((0..3).map(|place| (texts[(place + number) % 3].to_owned(), score(place))).collect())
}

fn with_evidence() -> Vec<Request> {
    let request = |(number, line): (usize, &String)| match number % 3 {
        0 => Request::translate(line),
        1 => Request::translate(line).evidence(evidence(number)),
        _ => Request::translate(line).require(["Haus"]).avoid("ist").evidence(evidence(number)),
    };
    source().iter().enumerate().map(request).collect()
}

/// The sum of L over the pieces of a translation, as equation 2 has it.
fn sum(posteriors: &Posteriors, words: &[metaphrase::WordId], theta: &Theta) -> f64 {
    let said: Vec<_> = std::iter::once(metaphrase::WordId(u32::MAX)).chain(words.iter().copied()).collect();
    let scores = (2..=said.len()).map(|length| {
        let ends = posteriors.iter().filter(|gram| said[..length].ends_with(gram.words));
        theta.word + ends.map(|gram| theta.factor(gram.order) * f64::from(gram.posterior)).sum::<f64>()
    });
    scores.sum()
}

#[test]
fn log_probabilities_are_those_of_equation_2() {
    let translator = builder().build().expect("a model");
    let mut options = translator.options();
    options.evidence.weight = 200.0;
    let EvidenceOptions { theta, weight, .. } = options.evidence;
    let counter = translator.evidence_counter().expect("a neural model");
    let mut changed = 0;
    for (number, line) in source().iter().enumerate() {
        let given = evidence(number);
        let posteriors = counter.posteriors(&given, &options.evidence).expect("posteriors");
        let found = translator.run(&options, vec![Request::translate(line).evidence(given)]).expect("a translation");
        let found = &found[0].hypotheses[0];
        let score = translator.run(&options, vec![Request::score(line, &found.text)]).expect("a score").remove(0);
        assert_eq!(score.hypotheses[0].pieces, found.pieces);
        let mut words = translator.segment_target(&found.text);
        words.push(*translator.segment("").last().expect("the end of sentence"));
        let expected = f64::from(score.hypotheses[0].log_prob) + weight * sum(&posteriors, &words, &theta);
        assert!(
            (f64::from(found.log_prob) - expected).abs() < 1e-3 + 1e-5 * expected.abs(),
            "{}: {}, {expected}",
            found.text,
            found.log_prob
        );
        changed += usize::from(found.text != translator.translate(&[line]).expect("a translation")[0].text());
    }
    assert!(changed > 1, "evidence changes translations");
}

fn without_counts(translations: Vec<Translation>) -> Vec<Translation> {
    translations.into_iter().map(|found| Translation { counts: metaphrase::Counts::default(), ..found }).collect()
}

#[test]
fn the_same_in_any_batch_with_all_strategies_and_constraints() {
    let model = |builder: TranslatorBuilder| builder.build().expect("a model");
    let ensemble = || builder().model("en-de").weights([0.7, 0.3]);
    let alone = [builder(), ensemble()].map(|builder| model(builder.threads(1).batch_tokens(1)));
    let together = [builder(), ensemble()].map(|builder| model(builder.threads(2).batch_tokens(128)));
    let strategies = [Strategy::Beam, Strategy::Grid, Strategy::CUBE, Strategy::ACCELERATED_CUBE];
    for (own, written_words) in [(None, false), (None, true), (Some(3), false)] {
        for strategy in strategies.into_iter().filter(|&strategy| !written_words || strategy == Strategy::Beam) {
            let mut options = TranslateOptions { search: alone[0].options().search, ..TranslateOptions::default() };
            (options.search.strategy, options.search.beam_size, options.search.n_best) = (strategy, 4, 2);
            options.evidence = EvidenceOptions { own, written_words, ..EvidenceOptions::default() };
            let number = usize::from(own.is_some());
            let expected = alone[number].run(&options, with_evidence()).expect("translations");
            assert_eq!(together[number].run(&options, with_evidence()).expect("translations"), expected);
            for (request, translation) in with_evidence().iter().zip(&expected) {
                assert!(translation.notes.is_empty() && translation.missing.is_empty(), "{translation:?}");
                assert!(request.terms.is_empty() || translation.text().contains("Haus"), "{}", translation.text());
            }
            if own.is_none() {
                let plain: Vec<_> = source().iter().step_by(3).map(Request::translate).collect();
                let plain = alone[number].run(&options, plain).expect("translations");
                let kept: Vec<_> = expected.into_iter().step_by(3).collect();
                assert_eq!(without_counts(kept), without_counts(plain), "lines without evidence stay as they are");
            }
        }
    }
}

/// With a language model and shortlists, in every precision: draws, cubes, ends in addition to the beam, and lattice
/// rescoring.
#[test]
fn evidence_goes_with_language_models_shortlists_precisions_and_sampling() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = builder().build().expect("a model");
    let lm = crate::language_model::language_model(folder.path(), &plain);
    let table = crate::shortlist::table(folder.path(), &plain.translate(&source()).expect("translations"));
    let settings: [fn(&mut TranslateOptions); 4] = [
        |options| options.search.strategy = Strategy::ACCELERATED_CUBE,
        |options| options.search.stop = Stop::Fill { ends_beside: true },
        |options| options.search.sampling = Some(SamplingPool::TopK(5).at(1.0)),
        |options| options.evidence.rescore = true,
    ];
    for precision in [Precision::F32, Precision::Bf16, Precision::Int16, Precision::Int8] {
        let model = |(threads, tokens)| {
            let package = Package::bundled().with_precision(precision);
            let builder = Translator::builder().package(package).language_model(&lm, 0.2);
            let builder = builder.shortlist(&table, crate::shortlist::SIZE).threads(threads).batch_tokens(tokens);
            builder.build().expect("a model")
        };
        let [alone, together] = [(1, 1), (2, 128)].map(model);
        // The precision changes the model, not the setting.
        let all = matches!(precision, Precision::F32 | Precision::Int8);
        for change in &settings[..if all { 4 } else { 1 }] {
            let mut options = TranslateOptions { search: alone.options().search, ..TranslateOptions::default() };
            (options.search.beam_size, options.search.beam_size_constrained, options.search.n_best) = (4, None, 2);
            change(&mut options);
            // Terms that no translation of the evidence has can not be met by rescoring.
            let terms =
                |request: Request| if options.evidence.rescore { request.terms(Terms::default()) } else { request };
            let requests = || with_evidence().into_iter().map(terms).collect::<Vec<_>>();
            let expected = alone.run(&options, requests()).expect("translations");
            assert_eq!(together.run(&options, requests()).expect("translations"), expected, "{precision:?}");
            let without = requests().into_iter().map(|request| Request { evidence: None, ..request }).collect();
            let without = alone.run(&options, without).expect("translations");
            for (number, (informed, plain)) in expected.iter().zip(&without).enumerate() {
                assert!(informed.error.is_none() && !informed.hypotheses.is_empty(), "{informed:?}");
                let same = informed.hypotheses[0].log_prob == plain.hypotheses[0].log_prob;
                assert_eq!(same, number % 3 == 0, "evidence counts where there is some: {precision:?}");
            }
        }
    }
}

#[test]
fn the_best_paths_of_a_lattice_are_an_n_best_list() {
    let translator = builder().build().expect("a model");
    let counter = translator.evidence_counter().expect("a neural model");
    let lattice = "5\t0 1 -1 Das\t0 1 -1.5 Ein\t1 1 -0.5 alte\t0 1 -2 neue\t1 1 0 Haus\t1 1 0";
    let lattice = Evidence::Lattice(Lattice::from_compact(lattice).expect("a lattice"));
    let of = |evidence: &Evidence, best_paths| {
        let options = EvidenceOptions { best_paths, ..EvidenceOptions::default() };
        counter.posteriors(evidence, &options).expect("posteriors")
    };
    let texts = [("Das alte Haus", -1.5), ("Ein alte Haus", -2.0), ("Das neue Haus", -3.0)];
    let list = |count: usize| Evidence::NBest(texts[..count].iter().map(|(text, p)| ((*text).into(), *p)).collect());
    for count in 1..=3 {
        assert_eq!(of(&lattice, Some(count)), of(&list(count), None));
    }
    assert_eq!(of(&lattice, Some(9)).len(), of(&lattice, None).len());
}

#[test]
fn a_search_graph_holds_the_translations_and_changes_nothing() {
    let translator = builder().build().expect("a model");
    let mut options = TranslateOptions { search: translator.options().search, ..TranslateOptions::default() };
    options.search.n_best = 3;
    let plain = translator.run(&options, with_evidence()).expect("translations");
    for units in [metaphrase::GraphUnits::WrittenWords, metaphrase::GraphUnits::Pieces] {
        options.search_graph = Some(units);
        // Punctuation marks are words of their own.
        let spoken = |hypothesis: &metaphrase::Hypothesis| match units {
            metaphrase::GraphUnits::Pieces => hypothesis.pieces.concat(),
            _ => hypothesis.text.replace(' ', ""),
        };
        for (found, plain) in translator.run(&options, with_evidence()).expect("translations").iter().zip(&plain) {
            assert_eq!(found.hypotheses, plain.hypotheses);
            let graph = found.search_graph.as_ref().expect("a graph");
            let lattice = graph.lattice();
            let paths = lattice.n_best(1000);
            for hypothesis in &found.hypotheses {
                let spoken = spoken(hypothesis);
                let path =
                    paths.iter().find(|(path, _)| path.iter().map(|&w| lattice.word(w)).collect::<String>() == spoken);
                let score = path.unwrap_or_else(|| panic!("{spoken} is in the lattice")).1;
                assert!((score - f64::from(hypothesis.log_prob)).abs() < 1e-3, "{score}, {hypothesis:?}");
            }
            let diagram = graph.diagram();
            let best = diagram.arcs().iter().filter(|arc| arc.best && !arc.text.is_empty()).map(|arc| &*arc.text);
            assert_eq!(best.collect::<String>(), spoken(&found.hypotheses[0]));
        }
    }
}

#[test]
fn a_phrase_based_model_gives_evidence() {
    let lines = ["das Haus", "", "Haus das Haus"];
    let plain = Translator::builder().model("de-en").build().expect("a model");
    let informed = [(1, 1), (2, 128)].map(|(threads, tokens)| {
        let builder = Translator::builder().model("de-en").threads(threads).batch_tokens(tokens);
        builder.evidence_model(tiny()).evidence_languages("de", "en").build().expect("two models")
    });
    let found = informed[0].translate(&lines).expect("translations");
    assert_eq!(informed[1].translate(&lines).expect("translations"), found);
    let plain = plain.translate(&lines).expect("translations");
    assert!(found[0].hypotheses[0].log_prob != plain[0].hypotheses[0].log_prob, "the evidence counts");
    assert!(found.iter().all(|found| found.notes.is_empty()));
    // The phrase-based model prefers `the house`.
    assert_eq!(found[0].text().to_lowercase(), "the house");
}

#[test]
fn requests_may_bring_evidence_in_tokens() {
    let options = |translator: &Translator| TranslateOptions {
        evidence: EvidenceOptions { rescore: true, ..EvidenceOptions::default() },
        ..translator.options()
    };
    let of = |translator: Translator, tokens: Evidence| {
        let request = Request::translate("The house is old.").evidence(tokens);
        translator.run(&options(&translator), vec![request]).expect("a translation").remove(0).text().to_owned()
    };
    let tokens = || Evidence::NBest(vec![("Das Haus ist alt .".into(), 0.0)]);
    let with_languages = builder().evidence_languages("en", "de").build().expect("languages alone");
    assert_eq!(of(with_languages, tokens()), "Das Haus ist alt.");
    assert_eq!(of(builder().build().unwrap(), tokens()), "Das Haus ist alt .");
}

#[test]
fn rescoring_finds_the_best_translation_of_the_evidence() {
    let translator = builder().build().expect("a model");
    let mut options = translator.options();
    (options.evidence.rescore, options.search.beam_size) = (true, 12);
    for (number, line) in source().iter().enumerate() {
        let Evidence::NBest(texts) = evidence(number) else { panic!("a list") };
        let requests = texts.iter().map(|(text, _)| Request::score(line, text)).collect();
        let scores = translator.run(&translator.options(), requests).expect("scores");
        let score = |place: usize| scores[place].hypotheses[0].score;
        let best = (0..texts.len()).max_by(|&a, &b| score(a).total_cmp(&score(b))).expect("a text");
        let found = translator.run(&options, vec![Request::translate(line).evidence(evidence(number))]);
        let found = &found.expect("a translation")[0].hypotheses[0];
        assert_eq!((&found.text, found.score.to_bits()), (&texts[best].0, score(best).to_bits()));
    }
}

#[test]
fn evidence_that_can_not_be_used_is_told() {
    let translator = builder().build().expect("a model");
    let nothing = || Lattice::from_compact("2\t0 1 -inf a").expect("a lattice without a path");
    let given = [
        Evidence::Lattice(nothing()),
        Evidence::NBest(vec![]),
        Evidence::NBest(vec![("Haus".into(), 0.0), ("Haus".into(), f64::NAN)]),
        Evidence::Posteriors(Posteriors::default()),
    ];
    let line = "The house is old.";
    let plain = translator.translate(&[line]).expect("a translation").remove(0);
    for (evidence, problem) in given.into_iter().zip([
        "the evidence has no translation with a finite score",
        "the evidence has no translation with a finite score",
        "translation 2 of the evidence has the score NaN; expected a finite number",
        "the evidence has no n-grams",
    ]) {
        let request = Request::translate(line).evidence(evidence);
        let found = translator.run(&translator.options(), vec![request]).expect("a translation").remove(0);
        assert_eq!(found.notes, [format!("translated without evidence: {problem}")]);
        assert_eq!(found.hypotheses, plain.hypotheses);
    }
}

#[test]
fn what_is_refused() {
    let translator = builder().threads(1).build().expect("a model");
    let refused = |change: &dyn Fn(&mut EvidenceOptions)| {
        let mut options = translator.options();
        change(&mut options.evidence);
        translator.run(&options, vec![]).expect_err("a refusal").to_string()
    };
    let weight = refused(&|options| options.weight = -1.0);
    assert_eq!(weight, "evidence_weight is -1; it must be a number from 0 to 1000000");
    let scale = refused(&|options| options.scale = 0.0);
    assert_eq!(scale, "evidence_scale is 0; it must be a number above 0 and at most 1000000");
    let order = refused(&|options| options.order = 5);
    assert!(order.starts_with("evidence_order is 5; it must be ") && order.ends_with("from 1 to 4"), "{order}");
    let prune = refused(&|options| options.prune = f64::NAN);
    assert!(prune.starts_with("evidence_prune is NaN; it must be "), "{prune}");
    let build = |builder: TranslatorBuilder| builder.build().err().expect("a refusal").to_string();
    assert!(build(builder().evidence_model("no-such")).starts_with("cannot read no-such"));
    assert!(build(builder().evidence_model(tiny()).evidence_languages("xx", "en")).contains("no language code `xx`"));
    let both = Translator::builder().phrase_model(tiny()).evidence_model(tiny());
    assert!(build(both).starts_with("evidence of another phrase-based model was given to a phrase-based translator"));
}
