//! Directories as Firefox' models have them: Marian's `.bin`, SentencePiece models, a shortlist, options.

use super::bin::{self, Tensor};
use super::{ExportedModel, marian, pieces};
use crate::formats::directory::StoredPrecision;
use crate::{Config, ModelError};
use std::fmt::Write;
use std::path::Path;

/// Writes the files of a directory.
pub(super) fn write(model: &ExportedModel<'_>, folder: &Path, precision: StoredPrecision) -> Result<(), ModelError> {
    let network = marian::network(model, "Firefox")?;
    let integers = match precision {
        StoredPrecision::F32 => false,
        StoredPrecision::Int8 => true,
        StoredPrecision::F16 | StoredPrecision::Bf16 => {
            let what = "a precision other than int8 or f32 in a model for Firefox";
            return Err(ModelError::unsupported(model.path(), what, "choose one of these"));
        }
    };
    let mut tensors = vec![Tensor::text("special:model.yml", marian::settings(model.config, network)?)];
    for (name, shape) in model.weights.expected(model.config) {
        let numbers = model.weights.numbers(&name, shape)?;
        let make = if integers && is_matrix(&name, shape) { Tensor::quantised } else { Tensor::plain };
        tensors.push(make(name, shape, &numbers));
    }
    let pair = pair(model.config);
    let weights = format!("model{pair}{}.bin", if integers { ".intgemm8" } else { "" });
    bin::write(&folder.join(&weights), &tensors)?;
    let words = vocabularies(model, folder, &pair)?;
    let lists = lists(model, folder, &pair)?;
    let options = options(model.config, &weights, &words, lists.as_deref(), integers);
    let path = folder.join(if integers { "config.intgemm8bit.yml" } else { "config.yml" });
    std::fs::write(&path, options).map_err(|e| ModelError::io(&path, "write", e))
}

/// Whether Firefox has integers in this tensor: tables of words and the matrices of maps. Its models have no output
/// layer of its own (`_Wt`).
fn is_matrix(name: &str, [rows, cols]: [usize; 2]) -> bool {
    let is_map = name.rsplit_once("_W").is_some_and(|(_, end)| end.len() <= 1 && end != "t");
    rows > 1 && cols > 1 && (bin::is_table(name) || is_map)
}

/// What the names of the files have between points: the languages, `.enpt`, where they are known.
fn pair(config: &Config) -> String {
    let known = config.languages.as_ref().filter(|pair| {
        let is_code = |code: &String| code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_lowercase());
        pair.iter().all(is_code)
    });
    known.map_or(String::new(), |[source, target]| format!(".{source}{target}"))
}

/// Writes the SentencePiece models, and answers their names.
fn vocabularies(model: &ExportedModel<'_>, folder: &Path, pair: &str) -> Result<[String; 2], ModelError> {
    let sides = [&model.vocabularies.source, &model.vocabularies.target];
    if sides.iter().any(|files| files.segmenter.is_some() || pieces(files).is_none()) {
        let what = "a vocabulary other than a SentencePiece model in a model for Firefox";
        return Err(ModelError::unsupported(model.path(), what, "write it for Marian"));
    }
    let names = if sides[0] == sides[1] { ["vocab"; 2] } else { ["srcvocab", "trgvocab"] };
    let names = names.map(|name| format!("{name}{pair}.spm"));
    model.copy_pieces(folder, [&names[0], &names[1]])?;
    Ok(names)
}

/// Copies the shortlist, if it is one of Marian's binary files, and answers its lines in the options.
fn lists(model: &ExportedModel<'_>, folder: &Path, pair: &str) -> Result<Option<String>, ModelError> {
    let Some(shortlist) = model.shortlist.filter(|shortlist| shortlist.is_binary()) else { return Ok(None) };
    let content = metaphrase_base::read_unpacked(&shortlist.path);
    let content = content.map_err(|e| ModelError::io(&shortlist.path, "read", e))?;
    let name = format!("lex{pair}.s2t.bin");
    let path = folder.join(&name);
    std::fs::write(&path, content).map_err(|e| ModelError::io(&path, "write", e))?;
    let sizes = match (shortlist.first, shortlist.words) {
        (Some(first), Some(words)) => format!("  - {first}\n  - {words}\n"),
        _ => "  - false\n".to_owned(),
    };
    Ok(Some(format!("shortlist:\n  - {name}\n{sizes}")))
}

/// The options of search, and which files belong together. Firefox searches with a beam of 1.
fn options(config: &Config, weights: &str, words: &[String; 2], lists: Option<&str>, integers: bool) -> String {
    let mut text = marian::decoder_yml(config, weights, words);
    // Writing to a string can not fail.
    if config.decoding.beam_size.is_none() {
        _ = writeln!(text, "beam-size: 1");
    }
    text.push_str(lists.unwrap_or_default());
    _ = writeln!(text, "gemm-precision: {}", if integers { "int8shift" } else { "float32" });
    text
}
