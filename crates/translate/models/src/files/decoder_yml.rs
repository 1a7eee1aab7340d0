//! `decoder.yml`: Marian's options for a decoder, as OPUS-MT, Bergamot and Marian itself put them next to a model.

use super::vocabularies::with_segmenters;
use super::{ModelFiles, ShortlistFile, file_names, has_extension};
use crate::config::DecoderDefaults;
use crate::formats::Format;
use crate::{ModelError, Precision};
use metaphrase_base::inside;
use metaphrase_settings::from_yaml;
use serde::Deserialize;
use std::path::{Path, PathBuf, absolute};

/// The keys that matter; the others speak of devices and batches.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct Options {
    relative_paths: bool,
    models: Vec<PathBuf>,
    vocabs: Vec<PathBuf>,
    beam_size: Option<usize>,
    /// `true` alone stands for 1.
    normalize: Option<Flag>,
    word_penalty: Option<f32>,
    max_length_factor: Option<f32>,
    /// A file; then a switch if it is binary, else the number of words in every list, that of each source word, and a
    /// threshold.
    shortlist: Vec<Flag>,
    /// The numbers of products: `float32`, `int16`, or one of the names that begin with `int8`.
    gemm_precision: Option<String>,
}

/// A value, or whether the default is on.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Flag {
    Switch(bool),
    Number(f32),
    Text(String),
}

/// The file to use among those of a directory: `decoder.yml`, that of `model.npz`, or the only one of its kind.
pub(super) fn choose(names: &[String]) -> Option<&str> {
    let preferred = ["decoder.yml", "model.npz.decoder.yml", "model.bin.decoder.yml"];
    if let Some(name) = preferred.into_iter().find_map(|wanted| names.iter().find(|name| *name == wanted)) {
        return Some(name);
    }
    let bergamot = |name: &str| name.starts_with("config.") && has_extension(name, &["yml"]);
    let mut others = names.iter().filter(|name| name.ends_with(".decoder.yml") || bergamot(name));
    others.next().filter(|_| others.next().is_none()).map(String::as_str)
}

/// Follows the options in `path`.
pub(super) fn read(path: &Path, directory: &Path) -> Result<ModelFiles, ModelError> {
    let text = std::fs::read_to_string(path).map_err(|e| ModelError::io(path, "read", e))?;
    let options: Options =
        from_yaml(&text).map_err(|e| ModelError::settings(path, format!("line {}: {e}", e.line(&text))))?;
    let locate = |file: &Path| locate(path, directory, options.relative_paths, file);
    let model = match &options.models[..] {
        [model] => locate(model)?,
        [] => return Err(ModelError::settings(path, "it names no model under `models:`")),
        several => {
            let what = format!("a decoder.yml with an ensemble of {} models", several.len());
            return Err(ModelError::unsupported(path, what, "name each model on the command line instead"));
        }
    };
    let named = match &options.vocabs[..] {
        [] => None,
        [source, target] => Some(with_segmenters(directory, &file_names(directory)?, locate(source)?, locate(target)?)),
        several => {
            let what = format!("a decoder.yml with {} vocabularies", several.len());
            return Err(ModelError::unsupported(path, what, "one source and one target are expected"));
        }
    };
    let shortlist = match &options.shortlist[..] {
        [Flag::Text(file), rest @ ..] => Some(shortlist(locate(Path::new(file))?, rest)),
        _ => None,
    };
    Ok(ModelFiles {
        format: Format::from_file(&model)?,
        model,
        directory: directory.to_owned(),
        shortlist,
        decoding: options.decoding(path)?,
        languages: None,
        target_prefix: None,
        named,
        has_options: true,
    })
}

impl Options {
    /// Bergamot's names of eight-bit arithmetic differ in how activations are rounded, which depends on the processor
    /// there; here all rows are rounded by their own maximum.
    fn precision(&self) -> Option<Precision> {
        match self.gemm_precision.as_deref()? {
            "float32" => Some(Precision::F32),
            "int16" => Some(Precision::Int16),
            name if name.starts_with("int8") => Some(Precision::Int8),
            _ => None,
        }
    }

    fn decoding(&self, path: &Path) -> Result<DecoderDefaults, ModelError> {
        let normalize = match &self.normalize {
            None => None,
            Some(Flag::Switch(on)) => Some(f32::from(u8::from(*on))),
            Some(Flag::Number(power)) => Some(*power),
            Some(Flag::Text(text)) => {
                return Err(ModelError::settings(path, format!("normalize is `{text}`, expected a number")));
            }
        };
        Ok(DecoderDefaults {
            beam_size: self.beam_size,
            normalize,
            word_penalty: self.word_penalty,
            max_length_factor: self.max_length_factor,
            precision: self.precision(),
            ..DecoderDefaults::default()
        })
    }
}

/// The shortlist in a file, with what follows the file in the options.
fn shortlist(path: PathBuf, rest: &[Flag]) -> ShortlistFile {
    let number = |at: usize| match rest.get(at) {
        Some(Flag::Number(number)) if *number >= 0.0 => Some(*number),
        _ => None,
    };
    let count = |at: usize| number(at).map(|number| number as usize);
    ShortlistFile { path, first: count(0), words: count(1), threshold: number(2) }
}

/// Where a named file is: as it is named, if that is in the directory of the options, or, since models get moved,
/// next to the options. A file elsewhere is for the user to name.
fn locate(options: &Path, directory: &Path, relative: bool, file: &Path) -> Result<PathBuf, ModelError> {
    let named = if relative { Some(file.to_owned()) } else { absolute(file).ok() };
    let named = named.and_then(|file| inside(directory, &file));
    let sibling = file.file_name().map(|name| directory.join(name));
    let found = [named, sibling].into_iter().flatten().find(|path| path.is_file());
    found.ok_or_else(|| {
        let problem = format!(
            "it names `{}`, which is not in its directory; copy the file there, or give the model's file \
             and its vocabularies one by one",
            file.display()
        );
        ModelError::settings(options, problem)
    })
}
