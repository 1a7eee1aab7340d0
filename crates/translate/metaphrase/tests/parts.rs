//! Lines that are too long for a model are translated in parts, and nothing else changes.

use metaphrase::{
    Cancel, Case, Evidence, Glossary, Hypothesis, Package, Request, SamplingPool, TranslateOptions, Translation,
    Translator,
};
use std::sync::mpsc::channel;

fn translator() -> Translator {
    Translator::builder().package(Package::bundled()).threads(2).build().unwrap()
}

/// The options of whole lines.
fn whole(translator: &Translator) -> TranslateOptions {
    TranslateOptions { longest_sentence: None, ..translator.options() }
}

fn one(translator: &Translator, options: &TranslateOptions, request: Request) -> Translation {
    translator.run(options, vec![request]).unwrap().remove(0)
}

const SENTENCES: [&str; 4] = [
    "The town council met on Monday to discuss the new bridge.",
    "Dr. Smith asked when the work would begin.",
    "It should be finished within two years!",
    "Some shop owners were worried about the noise.",
];

#[test]
fn a_long_line_is_its_sentences() {
    let translator = translator();
    let options = translator.options();
    assert_eq!(options.longest_sentence, Some(400), "as the bundled model recommends");
    let line = format!("{}  {} {}\u{a0}{}", SENTENCES[0], SENTENCES[1], SENTENCES[2], SENTENCES[3]);
    let found = one(&translator, &options, Request::translate(&line));
    let alone = SENTENCES.map(|sentence| one(&translator, &whole(&translator), Request::translate(sentence)));
    let [a, b, c, d] = [0, 1, 2, 3].map(|part: usize| alone[part].text());
    assert_eq!(found.text(), format!("{a}  {b} {c}\u{a0}{d}"));
    let (best, parts) = (&found.hypotheses[0], alone.each_ref().map(|part| &part.hypotheses[0]));
    assert_eq!(best.pieces, parts.map(|part| part.pieces.clone()).concat());
    assert_eq!(found.source_pieces, alone.each_ref().map(|part| part.source_pieces.clone()).concat());
    let sum = |of: &dyn Fn(&Hypothesis) -> f32| parts.iter().map(|part| of(part)).sum::<f32>();
    assert!((best.log_prob - sum(&|part| part.log_prob)).abs() < 1e-3);
    assert_eq!(best.piece_log_probs.len(), best.pieces.len() + 1, "one for the end of the line");
    assert!((best.log_prob - best.piece_log_probs.iter().sum::<f32>()).abs() < 1e-3);
    let pieces = |part: &Hypothesis| (part.pieces.len() + 1) as f32;
    assert!((best.score - sum(&|part| part.score * pieces(part)) / sum(&pieces)).abs() < 1e-5);
    assert!(best.complete && found.notes.is_empty());
    let steps: usize = alone.iter().map(|part| part.counts.steps).sum();
    assert_eq!(found.counts.steps, steps);
}

#[test]
fn lines_between_long_ones_keep_their_places() {
    let translator = translator();
    let options = translator.options();
    let words = "the house and the garden and ".repeat(30);
    let lines = [SENTENCES[0], &SENTENCES.join(" "), "", &words, SENTENCES[3], &"x".repeat(500)];
    let found = translator.translate(&lines).unwrap();
    let alone = lines.map(|line| one(&translator, &options, Request::translate(line)));
    assert_eq!(found, alone, "the same alone and together");
    assert_eq!(found[0], one(&translator, &whole(&translator), Request::translate(lines[0])));
    assert!(found[1].text().matches('.').count() >= 3 && found[2].text().is_empty(), "{found:?}");
    let (sender, answers) = channel();
    for (number, line) in lines.into_iter().enumerate() {
        let sender = sender.clone();
        let answer = move |answer| _ = sender.send((number, answer));
        translator.submit(&options, Request::translate(line), &Cancel::new(), answer).unwrap();
    }
    drop(sender);
    let mut submitted: Vec<_> = answers.into_iter().collect();
    submitted.sort_by_key(|(number, _)| *number);
    let submitted: Vec<Translation> = submitted.into_iter().map(|(_, answer)| answer.unwrap()).collect();
    assert_eq!(submitted, alone);
    let mut seen = 0;
    let chunks = lines.map(|line| vec![Request::translate(line)]);
    let left = translator.stream(&options, chunks, |translation| {
        assert_eq!(translation, alone[seen]);
        seen += 1;
        if seen == 2 { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
    });
    assert!(left.is_ok() && seen == 2, "a caller may leave");
}

#[test]
fn words_without_end_are_kept() {
    let translator = translator();
    let options = translator.options();
    let key = "iVBORw0KGgo+AAA/".repeat(2000);
    let [council, smith] = [SENTENCES[0], SENTENCES[1]];
    let alone = [council, smith].map(|sentence| one(&translator, &options, Request::translate(sentence)));
    let [a, b] = alone.each_ref().map(Translation::text);
    for (line, expected) in [
        (key.clone(), key.clone()),
        (format!("  {key} \t"), key.clone()),
        (format!("{key} {council}"), format!("{key} {a}")),
        (format!("{council}  {key}"), format!("{a}  {key}")),
        (format!("{council} {key}\u{a0}{smith}"), format!("{a} {key}\u{a0}{b}")),
        (format!("{key} {key} {smith}"), format!("{key} {key} {b}")),
    ] {
        let found = one(&translator, &options, Request::translate(&line));
        assert!(found.text() == expected && found.error.is_none(), "{} {:?}", line.len(), found.error);
        assert_eq!(found.notes, ["a word of 32000 letters is kept as it is: it is too long for a sentence"]);
        assert!(found.counts.steps <= alone.iter().map(|part| part.counts.steps).sum(), "no search for the word");
        let best = &found.hypotheses[0];
        let end = usize::from(!best.pieces.is_empty());
        assert_eq!(best.piece_log_probs.len(), best.pieces.len() + end, "one for the end of the line");
        assert!((best.log_prob - best.piece_log_probs.iter().sum::<f32>()).abs() < 1e-3);
    }
}

#[test]
fn whole_lines_stay_whole() {
    let translator = translator();
    let (options, whole) = (translator.options(), whole(&translator));
    let line = SENTENCES.join(" ");
    let plain = one(&translator, &whole, Request::translate(&line));
    assert_ne!(plain, one(&translator, &options, Request::translate(&line)), "else this tests nothing");
    assert_eq!(
        plain,
        one(&translator, &TranslateOptions { longest_sentence: Some(0), ..whole.clone() }, Request::translate(&line))
    );
    let lattice = Evidence::NBest(vec![("Die neue Brücke.".into(), 0.0)]);
    let requests = [
        Request::translate(&line).require(["Brücke"]),
        Request::translate(&line).avoid("Montag"),
        Request::translate(&line).prefix("Am Montag"),
        Request::score(&line, "Der Rat traf sich."),
        Request::translate(&line).evidence(lattice),
    ];
    for request in requests {
        assert_eq!(one(&translator, &options, request.clone()), one(&translator, &whole, request));
    }
    let kinds: [&dyn Fn(&mut TranslateOptions); 4] = [
        &|options| options.search.n_best = 2,
        &|options| options.search.attention = true,
        &|options| options.search.max_target_length = 12,
        &|options| options.search.sampling = Some(SamplingPool::Full.at(1.0)),
    ];
    for change in kinds {
        let [divided, whole] = [&options, &whole].map(|options| {
            let mut options = options.clone();
            change(&mut options);
            one(&translator, &options, Request::translate(&line))
        });
        assert_eq!(divided, whole);
    }
}

#[test]
fn terms_of_a_glossary_are_met_in_parts() {
    let terms = "council\tGemeinderat\nnoise\tKrach\n";
    let glossary = Glossary::parse(terms, Case::Ignore).unwrap();
    let found =
        one(&translator().with_glossary(glossary), &translator().options(), Request::translate(SENTENCES.join(" ")));
    let best = &found.hypotheses[0];
    assert!(found.missing.is_empty() && best.text.contains("Gemeinderat") && best.text.contains("Krach"), "{found:?}");
    for (met, term) in best.met.iter().zip(["Gemeinderat", "Krach"]) {
        let pieces = best.pieces[met.first..met.first + met.pieces].concat();
        assert_eq!(pieces.replace('▁', ""), term);
    }
    assert_eq!(best.met.iter().map(|met| met.term).collect::<Vec<_>>(), [0, 1]);
    // A term that stands over the end of a sentence is not lost: its line stays whole.
    let over = Glossary::parse("begin. It\tAnfang. Es\n", Case::Ignore).unwrap();
    let translator = translator().with_glossary(over);
    let found = one(&translator, &translator.options(), Request::translate(SENTENCES.join(" ")));
    assert!(found.hypotheses[0].met.len() == 1 && found.text().contains("Anfang. Es"), "{found:?}");
}
