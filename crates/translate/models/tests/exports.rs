//! Models in the formats of other programs: read again, they have the same scores. `docs/results/formats.md` compares
//! the programs themselves.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{fixtures, word_scores};
use metaphrase_base::WordId;
use metaphrase_models::{
    Config, ExportedModel, ForeignFormat, Model, ModelError, ModelWords, Numbering, StoredPrecision, Vocabularies,
    VocabularyFiles, Weights, export, load,
};
use std::fs;
use std::path::Path;

const SOURCE: [WordId; 5] = [WordId(5), WordId(9), WordId(3), WordId(14), WordId(0)];
const TARGET: [WordId; 4] = [WordId(7), WordId(4), WordId(11), WordId(0)];

/// Words of a vocabulary of this size.
fn words(count: usize) -> Vec<String> {
    let named = ["</s>", "<unk>"].map(str::to_owned);
    named.into_iter().chain((2..count).map(|id| format!("\u{2581}\"word\" {id}"))).collect()
}

/// Writes a model with made-up vocabularies at `to`.
fn write(
    (config, weights): &(Config, Weights),
    to: &Path,
    format: ForeignFormat,
    precision: StoredPrecision,
) -> Result<Vec<&'static str>, ModelError> {
    let folder = to.parent().unwrap();
    let side = |name: &str| {
        let (list, pieces) = (folder.join(format!("{name}.vocab.yml")), folder.join(format!("{name}.spm")));
        fs::write(&pieces, "\npieces").unwrap();
        fs::write(&list, "a: 0\n").unwrap();
        VocabularyFiles { words: list, segmenter: Some(pieces), numbering: Numbering::Own }
    };
    let vocabularies = Vocabularies { source: side("source"), target: side("target") };
    let words = ModelWords { source: words(config.source_words), target: words(config.target_words) };
    let model = ExportedModel { config, weights, vocabularies: &vocabularies, words: &words, shortlist: None };
    export(&model, to, format, precision)
}

/// The greatest difference of the scores of words between two models.
fn distance(one: (Config, &Weights), other: (Config, &Weights)) -> f32 {
    let scores = |(config, weights)| word_scores(&Model::new(config, weights).unwrap(), &SOURCE, &TARGET);
    let pairs = scores(one).into_iter().zip(scores(other));
    pairs.map(|(one, other): (f32, f32)| (one - other).abs()).fold(0.0, f32::max)
}

#[test]
fn models_are_the_same_in_other_formats() {
    let mut written = Vec::new();
    let names = [
        "post-relu-tied-all",
        "pre-gelu-tied-src",
        "untied-swish-depths",
        "pre-and-post-norm",
        "ssru-tied-all",
        "aan-gate",
        "no-positions",
        "rms-tied-layers",
        "highway-no-projection",
        "ssru-pre-projection",
    ];
    for name in names {
        let mut model = load(&fixtures("transformer").join(name).with_extension("npz")).unwrap();
        for format in [ForeignFormat::CTranslate2, ForeignFormat::Marian, ForeignFormat::HuggingFace] {
            let folder = tempfile::tempdir().unwrap();
            let to = folder.path().join("out");
            match write(&model, &to, format, StoredPrecision::F32) {
                Ok(left_out) => {
                    assert_eq!(left_out, [""; 0]);
                    let (config, weights) = load(&to).unwrap();
                    let distance = distance((model.0.clone(), &model.1), (config.clone(), &weights));
                    assert!(distance < 2e-4, "{name} as {format:?}: {distance}");
                    if format == ForeignFormat::Marian {
                        model.0.decoding = config.decoding;
                        assert_eq!(config, model.0, "{name}");
                    }
                    written.push((name, format));
                }
                Err(error) => {
                    let message = error.to_string();
                    assert!(message.contains("is not supported") && !message.contains('\n'), "{message}");
                    assert!(!to.exists(), "{name} as {format:?}");
                }
            }
        }
    }
    for format in [ForeignFormat::CTranslate2, ForeignFormat::Marian, ForeignFormat::HuggingFace] {
        assert!(written.contains(&("post-relu-tied-all", format)), "{written:?}");
    }
    assert!(names.iter().all(|name| written.contains(&(name, ForeignFormat::Marian))), "{written:?}");
    assert!(!written.contains(&("ssru-tied-all", ForeignFormat::HuggingFace)), "{written:?}");
}

#[test]
fn other_precisions_are_near() {
    let model = load(&fixtures("transformer").join("post-relu-tied-all.npz")).unwrap();
    for (format, precision, most) in [
        (ForeignFormat::CTranslate2, StoredPrecision::F16, 0.01),
        (ForeignFormat::CTranslate2, StoredPrecision::Bf16, 0.1),
        (ForeignFormat::CTranslate2, StoredPrecision::Int8, 0.3),
        (ForeignFormat::HuggingFace, StoredPrecision::F16, 0.01),
        (ForeignFormat::HuggingFace, StoredPrecision::Bf16, 0.1),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("out");
        write(&model, &to, format, precision).unwrap();
        let (config, weights) = load(&to).unwrap();
        let distance = distance((model.0.clone(), &model.1), (config, &weights));
        assert!(distance < most, "{format:?} {precision:?}: {distance}");
    }
    for format in [ForeignFormat::Marian, ForeignFormat::HuggingFace] {
        let folder = tempfile::tempdir().unwrap();
        let refused = write(&model, &folder.path().join("out"), format, StoredPrecision::Int8).unwrap_err().to_string();
        assert!(refused.contains("is not supported"), "{refused}");
    }
}
