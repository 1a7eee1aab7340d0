//! Trained SentencePiece models have the requested size and special pieces, do not depend on threads,
//! and are read by this crate and by the C++ library alike.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use metaphrase_base::WordId;
use metaphrase_text::sentencepiece::SentencePieceModel;
use metaphrase_text::sentencepiece::train::{
    Normalization, Progress, Sample, SpecialIds, TrainError, TrainOptions, TrainedModel, UnigramOptions, train_bpe,
    train_unigram,
};
use metaphrase_text::vocab::{Vocabulary, VocabularyFormat};
use std::path::Path;

type Train = fn(&[String], &TrainOptions) -> Result<TrainedModel, TrainError>;

/// Both kinds of models.
const KINDS: [(&str, Train); 2] = [
    ("unigram", |lines, options| train_unigram(lines, options, |_| ())),
    ("bpe", |lines, options| train_bpe(lines, options, |_| ())),
];

fn read(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/text").join(name);
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

/// 120 sentences.
fn sample() -> Vec<String> {
    [read("sample.de"), read("sample.en")].concat()
}

fn options(vocab_size: usize) -> TrainOptions {
    TrainOptions { vocab_size, ..TrainOptions::default() }
}

fn model(trained: &TrainedModel) -> SentencePieceModel {
    SentencePieceModel::from_bytes(&trained.model).unwrap()
}

/// Trains with as many pieces as the text has if it has fewer than the options ask for.
fn train_or_fewer(train: Train, lines: &[String], options: &TrainOptions) -> TrainedModel {
    match train(lines, options) {
        Err(TrainError::TooLarge { possible, .. }) => {
            train(lines, &TrainOptions { vocab_size: possible, ..options.clone() }).unwrap()
        }
        other => other.unwrap(),
    }
}

fn all_pieces(model: &SentencePieceModel) -> Vec<&str> {
    (0..model.len()).map(|id| model.piece(WordId::new(id))).collect()
}

/// The pieces are those that the package sentencepiece 0.2.3 finds with the same trained models
/// (`testdata/text/make_training.py`).
#[test]
fn the_cpp_library_reads_trained_models() {
    let lines = sample();
    let with_bytes = TrainOptions {
        byte_fallback: true,
        user_defined_symbols: ["Tom", "@@", "TeX", "<mask>"].map(str::to_owned).to_vec(),
        ..options(600)
    };
    let identity = TrainOptions { normalization: Normalization::Identity, ..options(280) };
    let [(_, unigram), (_, bpe)] = KINDS;
    for (name, train, options) in [
        ("unigram", unigram, options(300)),
        ("bpe", bpe, options(300)),
        ("unigram-bytes", unigram, with_bytes.clone()),
        ("bpe-bytes", bpe, with_bytes),
        ("unigram-identity", unigram, identity),
    ] {
        if name.starts_with("unigram") && !cfg!(all(target_os = "linux", target_env = "gnu")) {
            // Pieces of such a small text are often worth the same: the last bit of `exp` and `ln` decides.
            continue;
        }
        let model = model(&train(&lines, &options).unwrap());
        let golden = read(&format!("sentencepiece/trained-{name}.json")).concat();
        let golden: Vec<(String, Vec<String>)> = serde_json::from_str(&golden).unwrap();
        assert!(golden.len() > 150);
        for (line, pieces) in golden {
            assert_eq!(model.encode_pieces(&line), pieces, "{name}: {line:?}");
        }
    }
}

#[test]
fn models_have_the_requested_size_and_marians_ids() {
    let lines = sample();
    for (kind, train) in KINDS {
        for size in [80, 200, 333] {
            let trained = train(&lines, &options(size)).unwrap();
            let model = model(&trained);
            assert_eq!(model.len(), size, "{kind}");
            assert_eq!((model.eos(), model.unk()), (Some(WordId(0)), Some(WordId(1))), "{kind}");
            assert_eq!((model.bos(), model.pad()), (None, None), "{kind}");
            assert_eq!(trained.report.lines, 120);
            // Nothing of the text is unknown but the rarest characters.
            let mut ids = Vec::new();
            let unknown = lines.iter().filter(|line| {
                model.encode(line, &mut ids);
                model.decode(&ids) != **line
            });
            assert!(unknown.count() <= 3, "{kind} {size}");
            // It is a vocabulary as it stands.
            assert_eq!(Vocabulary::from_bytes(VocabularyFormat::SentencePiece, &trained.model).unwrap().len(), size);
        }
    }
}

/// Each of six stems is there with each of five endings once: too rarely for whole words.
#[test]
fn a_toy_text_has_the_pieces_that_one_expects() {
    let (stems, endings) = (["haus", "baum", "hund", "topf", "mond", "wind"], ["los", "chen", "ung", "art", "heit"]);
    let line = |stem: &&str| endings.map(|ending| format!("{stem}{ending}")).join(" ");
    let lines: Vec<String> = stems.iter().map(line).collect();
    // 2 special pieces, 20 characters, 6 stems with their blank, 5 endings.
    let trained = train_unigram(&lines, &options(33), |_| ()).unwrap();
    assert_eq!(trained.report.characters, 20);
    let model = model(&trained);
    for (stem, ending) in stems.iter().flat_map(|stem| endings.map(|ending| (stem, ending))) {
        assert_eq!(model.encode_pieces(&format!("{stem}{ending}")), [&format!("▁{stem}"), ending]);
    }
    // The probability of an ending is exp(ψ(6) - ψ(60)), of a stem exp(ψ(5) - ψ(60)), were each word cut like this.
    let score = |piece: &str| model.score(model.id(piece).unwrap()).unwrap();
    assert!((score("▁haus") - score("los") - (1.506_118 - 1.706_118)).abs() < 0.02);
}

#[test]
fn pieces_do_not_depend_on_threads_or_the_order_of_lines() {
    let lines = sample();
    let reversed: Vec<String> = lines.iter().rev().cloned().collect();
    for (kind, train) in KINDS {
        let with = |threads| TrainOptions { threads, ..options(250) };
        let one = train(&lines, &with(1)).unwrap();
        for threads in [2, 5, 64] {
            assert!(train(&lines, &with(threads)).unwrap().model == one.model, "{kind}, {threads} threads");
        }
        assert!(train(&reversed, &with(2)).unwrap().model == one.model, "{kind}");
    }
}

#[test]
fn special_pieces_are_where_they_should_be() {
    let lines = sample();
    for (kind, train) in KINDS {
        let options = TrainOptions {
            special_ids: SpecialIds { unk: 0, bos: Some(1), eos: Some(2), pad: Some(7) },
            control_symbols: vec!["<2de>".into(), "<2en>".into()],
            user_defined_symbols: vec!["Tom".into(), "@@".into()],
            byte_fallback: true,
            ..options(600)
        };
        let trained = train(&lines, &options).unwrap();
        let model = model(&trained);
        assert_eq!(model.len(), 600);
        let pieces = all_pieces(&model);
        let expected = ["<unk>", "<s>", "</s>", "<2de>", "<2en>", "Tom", "@@", "<pad>", "<0x00>", "<0x01>"];
        assert_eq!(pieces[..10], expected, "{kind}");
        assert_eq!(model.pad(), Some(WordId(7)));
        // Symbols stay whole and are not learnt from; unknown characters are bytes.
        assert!(!pieces.iter().any(|piece| piece.len() > 3 && piece.contains("Tom")), "{kind}");
        assert_eq!(model.encode_pieces("☃Tom@@"), ["▁", "<0xE2>", "<0x98>", "<0x83>", "Tom", "@@"], "{kind}");
        let mut ids = Vec::new();
        model.encode("☃ ok", &mut ids);
        assert_eq!(model.decode(&ids), "☃ ok");
    }
}

#[test]
fn options_shape_the_pieces() {
    let lines: Vec<String> = (0..200).map(|i| format!("Raum{} Ｔüren ２{} tuer's", i % 7, 1990 + i % 3)).collect();
    for (kind, train) in KINDS {
        let pieces = |options: &TrainOptions| {
            let trained = train_or_fewer(train, &lines, options);
            all_pieces(&model(&trained)).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let default = pieces(&options(60));
        // NFKC has made the wide characters narrow.
        assert!(!default.iter().any(|piece| piece.contains(['Ｔ', '２'])), "{kind}");
        assert!(default.iter().any(|piece| piece.ends_with("Türen")), "{kind} {default:?}");
        assert!(!default.iter().any(|piece| piece.contains("m1")), "{kind}");
        let identity = TrainOptions { normalization: Normalization::Identity, ..options(60) };
        assert!(pieces(&identity).iter().any(|piece| piece.contains('Ｔ')), "{kind}");
        let digits = pieces(&TrainOptions { split_digits: true, ..options(60) });
        let is_digit = |c: char| c.is_ascii_digit();
        assert!(digits.iter().all(|piece| piece.len() == 1 || !piece.contains(is_digit)), "{kind} {digits:?}");
        let short = pieces(&TrainOptions { max_piece_length: 2, ..options(60) });
        assert!(short[2..].iter().all(|piece| piece.chars().count() <= 2), "{kind}");
    }
}

#[test]
fn a_sample_of_the_lines_is_enough_for_a_model() {
    let lines = sample();
    let with = |lines, seed| TrainOptions { sample: Some(Sample { lines, seed }), ..options(100) };
    let model = |options: &TrainOptions| train_unigram(&lines, options, |_| ()).unwrap();
    let half = model(&with(60, 1));
    assert_eq!(half.report.lines, 120);
    assert!(half.report.words < model(&options(100)).report.words);
    assert!(half.model == model(&with(60, 1)).model && half.model != model(&with(60, 2)).model);
    assert_eq!(model(&with(1000, 1)).report.words, model(&options(100)).report.words);
}

/// The largest size that an error names is possible, one more is not.
#[test]
fn errors_name_the_possible_sizes() {
    let lines = sample();
    for (kind, train) in KINDS {
        let Err(TrainError::TooLarge { wanted: 100_000, possible }) = train(&lines, &options(100_000)) else {
            panic!("{kind}: 100,000 pieces");
        };
        assert_eq!(model(&train(&lines, &options(possible)).unwrap()).len(), possible, "{kind}");
        let error = train(&lines, &options(possible + 1)).unwrap_err().to_string();
        let expected = format!(
            "vocab_size = {} is more than this text supports, expected at most {possible}; ask for fewer pieces or \
             give more text",
            possible + 1
        );
        assert_eq!(error, expected, "{kind}");

        let Err(TrainError::TooSmall { needed, special: 2, characters, .. }) = train(&lines, &options(20)) else {
            panic!("{kind}: 20 pieces");
        };
        assert_eq!(needed, 2 + characters);
        assert_eq!(model(&train(&lines, &options(needed)).unwrap()).len(), needed, "{kind}");
        assert!(train(&lines, &options(needed - 1)).is_err());
    }
}

#[test]
fn what_can_not_be_trained_is_refused() {
    let error = |options: &TrainOptions, lines: &[&str]| train_bpe(lines, options, |_| ()).unwrap_err().to_string();
    let text = ["some text"];
    let good = options(30);
    let cases = [
        (good.clone(), "no text to train on: of 0 lines all are blank or longer than max_line_length = 4192 bytes"),
        (options(0), "vocab_size = 0, expected 1 to 4194303"),
        (TrainOptions { character_coverage: 0.5, ..good.clone() }, "character_coverage = 0.5, expected 0.98 to 1"),
        (TrainOptions { character_coverage: f64::NAN, ..good.clone() }, "character_coverage = NaN, expected 0.98 to 1"),
        (TrainOptions { max_piece_length: 0, ..good.clone() }, "max_piece_length = 0, expected 1 to 512"),
        (TrainOptions { threads: 0, ..good.clone() }, "threads = 0, expected 1 or more"),
        (
            TrainOptions {
                unigram: UnigramOptions { shrinking_factor: 1.0, ..UnigramOptions::default() },
                ..good.clone()
            },
            "unigram.shrinking_factor = 1, expected 0.5 to 0.95",
        ),
        (
            TrainOptions { special_ids: SpecialIds { pad: Some(1), ..SpecialIds::default() }, ..good.clone() },
            "the id 1 of `<pad>` is that of another special piece, expected different ids",
        ),
        (
            TrainOptions { special_ids: SpecialIds { pad: Some(30), ..SpecialIds::default() }, ..good.clone() },
            "the id 30 of `<pad>` is beyond vocab_size",
        ),
        (
            TrainOptions { control_symbols: vec!["</s>".into()], ..good.clone() },
            "the symbol `</s>` is already a special piece",
        ),
        (
            TrainOptions { user_defined_symbols: vec!["a b".into()], ..good.clone() },
            "the symbol `a b` has a blank, line feed or zero byte; write U+2581 for a blank",
        ),
    ];
    for (options, expected) in cases {
        let lines: &[&str] = if expected.starts_with("no text") { &[] } else { &text };
        assert_eq!(error(&options, lines), expected);
    }
    for blank in ["", "  ", "\u{7}"] {
        assert!(error(&good, &[blank]).starts_with("no text to train on: of 1 lines"), "{blank:?}");
    }
    let bytes = TrainOptions { byte_fallback: true, ..good };
    let expected = "vocab_size = 30 is too small: 258 special pieces and 7 characters need 265; \
                    ask for more pieces or lower character_coverage";
    assert_eq!(error(&bytes, &text), expected);
}

/// Text that no one would train on does no harm, and what comes out can be read.
#[test]
fn odd_text_is_no_trouble() {
    let marks = format!("▁▁ \u{301}\u{301}x \u{1F469}\u{200D}\u{1F467} {}", "\u{FDFA}".repeat(5));
    let lines = ["a\0b \0", "\u{FEFF}x\r", &marks, &"ab".repeat(2000), &"漢字かな".repeat(300), "<0x41> </s> <unk>"];
    let lines: Vec<String> = lines.map(str::to_owned).to_vec();
    for (kind, train) in KINDS {
        for normalization in [Normalization::NmtNfkc, Normalization::Identity] {
            let options = TrainOptions { normalization, character_coverage: 1.0, ..options(70) };
            let model = model(&train_or_fewer(train, &lines, &options));
            assert!(lines.iter().all(|line| !model.encode_pieces(line).is_empty()), "{kind}");
        }
    }
}

#[test]
fn progress_is_reported() {
    let lines = sample();
    let mut steps = Vec::new();
    let trained = train_unigram(&lines, &options(150), |step| steps.push(step)).unwrap();
    assert!(matches!(steps[0], Progress::Counted { lines: 120, .. }));
    assert!(matches!(steps[1], Progress::Seeded { .. }));
    let likelihoods: Vec<f64> = steps[2..]
        .iter()
        .map(|step| match step {
            Progress::Estimated { log_likelihood, .. } => *log_likelihood,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(likelihoods.len(), 2 * trained.report.rounds);
    // Within a round the second estimate explains the text better than the first.
    assert!(likelihoods.chunks(2).all(|round| round[0] < round[1]), "{likelihoods:?}");
}
