//! Word for word the output of Marian 1.12.42 for the shared models.

mod common;

use common::lines;
use metaphrase::{
    AlignmentKind, Hypothesis, Package, Request, TranslateOptions, Translation, Translator, UnknownCharacters,
};
use metaphrase_testkit::{Outcome, shared};
use std::path::Path;

/// A line of Marian's n-best list: `number ||| text ||| [alignment ||| ]F0= log-probability ||| score`.
struct Recorded<'a> {
    line: usize,
    text: &'a str,
    alignment: Option<&'a str>,
    log_prob: f32,
    score: f32,
}

fn recorded(line: &str) -> Recorded<'_> {
    let fields: Vec<&str> = line.split(" ||| ").collect();
    let number = |field: &str| field.trim_start_matches("F0=").trim().parse::<f32>().expect("a number");
    let [line, text, .., log_prob, score] = fields[..] else { panic!("not an n-best line: {line}") };
    Recorded {
        line: line.parse().expect("a line number"),
        text,
        alignment: (fields.len() == 5).then(|| fields[2]),
        log_prob: number(log_prob),
        score: number(score),
    }
}

fn translate(translator: &Translator, folder: &Path, beam: usize, normalize: f32, n_best: usize) -> Vec<Translation> {
    // Marian may break characters off that it writes byte by byte. It bans control characters, but none of these models
    // would write any.
    let mut options = TranslateOptions { allow_special: true, ..TranslateOptions::default() };
    // Marian leaves characters that the vocabulary lacks to the model.
    options.unknown = UnknownCharacters::Model;
    options.search.beam_size = beam;
    options.search.n_best = n_best;
    options.search.normalize = normalize;
    options.search.attention = translator.has_alignment();
    let requests = lines(&folder.join("source.en")).into_iter().map(Request::translate).collect();
    translator.run(&options, requests).expect("translations")
}

fn close(ours: f32, recorded: f32, tolerance: f32) -> bool {
    (ours - recorded).abs() <= tolerance + recorded.abs() * 1e-5
}

/// The list has the recorded entries in the recorded order; entries closer than 1e-4 may change places.
fn check_list(ours: &[Hypothesis], recorded: &[Recorded<'_>], context: &str) {
    assert_eq!(ours.len(), recorded.len(), "{context}: length of the list");
    for (rank, (hypothesis, expected)) in ours.iter().zip(recorded).enumerate() {
        let context = format!("{context}, rank {rank}");
        assert!(close(hypothesis.score, expected.score, 1e-3), "{context}: {} {}", hypothesis.score, expected.score);
        let Some(same) = recorded.iter().find(|r| {
            r.text == hypothesis.text
                && close(r.log_prob, hypothesis.log_prob, 1e-3)
                && close(r.score, expected.score, 1e-4)
        }) else {
            let last = recorded.last().expect("an entry");
            assert!(
                close(last.score, expected.score, 1e-4),
                "{context}: {:?} for {:?}",
                hypothesis.text,
                expected.text
            );
            continue;
        };
        if let Some(alignment) = same.alignment {
            let attention = hypothesis.attention.as_ref().expect("attention");
            let pairs = attention.pairs(AlignmentKind::Hard).into_iter().map(|(s, t)| format!("{s}-{t}"));
            assert_eq!(pairs.collect::<Vec<_>>().join(" "), alignment, "{context}");
        }
    }
}

fn check_nbest(translator: &Translator, folder: &Path, file: &str, beam: usize, normalize: f32) {
    let translations = translate(translator, folder, beam, normalize, beam);
    let expected = lines(&folder.join(file));
    let expected: Vec<Recorded<'_>> = expected.iter().map(|line| recorded(line)).collect();
    for (number, translation) in translations.iter().enumerate() {
        let of_line: Vec<Recorded<'_>> =
            expected.iter().filter(|r| r.line == number).map(|r| Recorded { ..*r }).collect();
        let context = format!("{file}, line {number}");
        assert_eq!(translation.text(), of_line[0].text, "{context}: best");
        check_list(&translation.hypotheses, &of_line, &context);
    }
}

fn check_model(name: &str) -> Outcome {
    let folder = shared(&format!("models/{name}"))?;
    let translator = Translator::builder().model(&folder).threads(2).build().expect("a model");
    check_all(&translator, &folder);
    Ok(())
}

fn check_all(translator: &Translator, folder: &Path) {
    check_nbest(translator, folder, "nbest.b6n1.txt", 6, 1.0);
    check_nbest(translator, folder, "nbest.b4n0.txt", 4, 0.0);

    let greedy = translate(translator, folder, 1, 0.0, 1);
    let texts: Vec<&str> = greedy.iter().map(Translation::text).collect();
    assert_eq!(texts, lines(&folder.join("greedy.txt")), "greedy");

    let pairs = lines(&folder.join("source.en")).into_iter().zip(lines(&folder.join("target.de")));
    let requests = pairs.map(|(source, target)| Request::score(source, target)).collect();
    let scored = translator.run(&TranslateOptions::default(), requests).expect("scores");
    for (number, (ours, expected)) in scored.iter().zip(lines(&folder.join("scores.txt"))).enumerate() {
        let expected: f32 = expected.parse().expect("a score");
        let ours = ours.hypotheses[0].log_prob;
        assert!(close(ours, expected, 1e-3), "score of line {number}: {ours}, recorded {expected}");
    }
}

fn amun() -> Outcome {
    check_model("amun")
}

fn nematus_with_layer_normalisation() -> Outcome {
    check_model("nematus-ln")
}

fn deep_lstm() -> Outcome {
    check_model("s2s-deep-lstm")
}

fn transformer_post_norm() -> Outcome {
    check_model("transformer-post")
}

fn transformer_pre_norm() -> Outcome {
    check_model("transformer-pre")
}

fn transformer_with_ssru_decoder() -> Outcome {
    check_model("transformer-ssru")
}

fn transformer_in_earnest() -> Outcome {
    check_model("en-de-tatoeba")
}

/// Marian's binary format holds the same model.
fn binary_model_file() -> Outcome {
    let folder = shared("models/transformer-ssru")?;
    let vocabulary = folder.join("vocab.spm");
    let package = Package::files(folder.join("model.float32.bin"), &[&vocabulary]).expect("a package");
    let translator = Translator::builder().package(package).build().expect("a model");
    check_all(&translator, &folder);
    Ok(())
}

metaphrase_testkit::tests![
    amun,
    nematus_with_layer_normalisation,
    deep_lstm,
    transformer_post_norm,
    transformer_pre_norm,
    transformer_with_ssru_decoder,
    transformer_in_earnest,
    binary_model_file,
];
