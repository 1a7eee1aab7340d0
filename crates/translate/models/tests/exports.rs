//! Models in the formats of other programs: read again, they have the same scores. `docs/results/formats.md` compares
//! the programs themselves.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{fixtures, word_scores};
use metaphrase_base::WordId;
use metaphrase_models::{
    Config, ExportedModel, ForeignFormat, Model, ModelError, ModelFiles, ModelWords, Precision, ShortlistFile,
    StoredPrecision, Vocabularies, VocabularyFiles, Weights, export, load,
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
        VocabularyFiles { segmenter: Some(pieces), ..VocabularyFiles::from(list) }
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

/// The files that a model is written to for Firefox, whose vocabulary is a SentencePiece model.
fn for_firefox(
    model: &(Config, Weights),
    folder: &Path,
    precision: StoredPrecision,
    shortlist: Option<&ShortlistFile>,
) -> Result<(Vec<&'static str>, Vec<String>), ModelError> {
    let pieces = folder.join("pieces.spm");
    fs::write(&pieces, "\npieces").unwrap();
    let side = || VocabularyFiles::from(pieces.clone());
    let vocabularies = Vocabularies { source: side(), target: side() };
    let words = ModelWords { source: Vec::new(), target: Vec::new() };
    let (config, weights) = model;
    let to = folder.join("out");
    let model = ExportedModel { config, weights, vocabularies: &vocabularies, words: &words, shortlist };
    let left_out = export(&model, &to, ForeignFormat::Firefox, precision)?;
    let mut names: Vec<_> =
        fs::read_dir(&to).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    Ok((left_out, names))
}

#[test]
fn a_student_of_firefox_is_written_and_read() {
    let mut model = load(&fixtures("transformer").join("ssru-tied-all.npz")).unwrap();
    model.0.languages = Some(["en".into(), "pt".into()]);
    let folder = tempfile::tempdir().unwrap();
    let lists = folder.path().join("lists");
    fs::write(&lists, [&0xF11A_48D5_0134_17F5_u64.to_le_bytes()[..], &[0; 40]].concat()).unwrap();
    let shortlist = ShortlistFile { path: lists.clone(), first: Some(5), words: Some(6), threshold: None };
    let (left_out, names) = for_firefox(&model, folder.path(), StoredPrecision::Int8, Some(&shortlist)).unwrap();
    assert_eq!(left_out, [""; 0]);
    assert_eq!(names, ["config.intgemm8bit.yml", "lex.enpt.s2t.bin", "model.enpt.intgemm8.bin", "vocab.enpt.spm"]);
    let to = folder.path().join("out");
    let files = ModelFiles::find(&to).unwrap();
    let found = files.shortlist.clone().unwrap();
    assert_eq!((found.path, found.first, found.words), (to.join("lex.enpt.s2t.bin"), Some(5), Some(6)));
    assert_eq!(files.vocabularies().unwrap().source.words, to.join("vocab.enpt.spm"));
    let (config, weights) = files.load().unwrap();
    assert_eq!((config.decoding.beam_size, config.decoding.precision), (Some(1), Some(Precision::Int8)));
    let near = distance((model.0.clone(), &model.1), (config.clone(), &weights));
    assert!(near > 0.0 && near < 0.3, "{near}");

    // Integers that are written again are the same.
    let again = tempfile::tempdir().unwrap();
    for_firefox(&(config.clone(), weights), again.path(), StoredPrecision::Int8, None).unwrap();
    let bytes = |folder: &Path, name: &str| fs::read(folder.join("out").join(name)).unwrap();
    let [first, second] = [bytes(folder.path(), "model.enpt.intgemm8.bin"), bytes(again.path(), "model.intgemm8.bin")];
    let differing = first.iter().zip(&second).filter(|(one, other)| one != other).count();
    // Multipliers may differ in their last place.
    assert!(first.len() == second.len() && differing <= 40, "{differing} of {} bytes", first.len());
}

#[test]
fn a_model_is_written_for_firefox_in_f32_or_refused() {
    let model = load(&fixtures("transformer").join("ssru-tied-all.npz")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("lists");
    fs::write(&text, "a b 0.5\n").unwrap();
    let shortlist = ShortlistFile { path: text, first: None, words: None, threshold: None };
    let (left_out, names) = for_firefox(&model, folder.path(), StoredPrecision::F32, Some(&shortlist)).unwrap();
    assert_eq!(
        (&left_out[..], &names[..]),
        (&["the shortlist"][..], &["config.yml", "model.bin", "vocab.spm"].map(str::to_owned)[..])
    );
    let (config, weights) = load(&folder.path().join("out")).unwrap();
    assert_eq!(distance((model.0.clone(), &model.1), (config, &weights)), 0.0);
    for precision in [StoredPrecision::F16, StoredPrecision::Bf16] {
        let folder = tempfile::tempdir().unwrap();
        let refused = for_firefox(&model, folder.path(), precision, None).unwrap_err().to_string();
        assert!(refused.contains("is not supported") && !folder.path().join("out").exists(), "{refused}");
    }
    let folder = tempfile::tempdir().unwrap();
    let refused = write(&model, &folder.path().join("out"), ForeignFormat::Firefox, StoredPrecision::F32);
    assert!(refused.unwrap_err().to_string().contains("vocabulary other than a SentencePiece model"));
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
