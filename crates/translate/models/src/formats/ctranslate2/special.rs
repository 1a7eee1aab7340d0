//! The words of a model, and those among them that begin and end sentences.

use super::SETTINGS;
use super::variables::Variables;
use crate::ModelError;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The keys of `config.json` that translation depends on.
#[derive(Deserialize)]
#[serde(default)]
struct Json {
    unk_token: String,
    bos_token: String,
    eos_token: String,
    decoder_start_token: Option<String>,
    add_source_bos: bool,
    add_source_eos: bool,
    layer_norm_epsilon: Option<f32>,
    multi_query_attention: bool,
    quantization_type: Option<serde_json::Value>,
}

impl Default for Json {
    fn default() -> Self {
        Self {
            unk_token: "<unk>".into(),
            bos_token: "<s>".into(),
            eos_token: "</s>".into(),
            decoder_start_token: Some("<s>".into()),
            add_source_bos: false,
            add_source_eos: false,
            layer_norm_epsilon: None,
            multi_query_attention: false,
            quantization_type: None,
        }
    }
}

/// The special words of a model, as its settings name them.
pub(super) struct Special {
    unknown: String,
    begin: String,
    end: String,
    /// The word that the decoder starts with. `None`: each request names it.
    start: Option<String>,
    begins_source: bool,
    ends_source: bool,
    pub(super) layer_norm_epsilon: Option<f32>,
}

/// The same by number.
pub(super) struct Ids {
    /// `None`: the decoder starts from zeros.
    pub(super) start: Option<u32>,
    pub(super) end: u32,
    pub(super) source_start: Option<u32>,
    pub(super) never: Vec<u32>,
}

impl Special {
    /// From `config.json`, the file `path` with the content `json`, or from the variables of older models.
    pub(super) fn read(path: &Path, variables: &mut Variables, json: Option<&[u8]>) -> Result<Self, ModelError> {
        if variables.version < 6 {
            return Self::from_variables(variables);
        }
        let Some(json) = json else {
            let problem = format!("the settings of the CTranslate2 model, `{SETTINGS}`, are not there; copy them, too");
            return Err(ModelError::settings(path, problem));
        };
        let json: Json =
            serde_json::from_slice(json).map_err(|e| ModelError::settings(path, format!("can not be read: {e}")))?;
        let quantised = json.quantization_type.is_some_and(|kind| !kind.is_null() && kind != 0);
        let refused = [
            (json.multi_query_attention, "multi_query_attention", "each head must have its own keys and values"),
            (quantised, "quantization_type", "weights can be of f32, f16, bf16, int16 or int8"),
        ];
        ModelError::refuse(path, &refused)?;
        Ok(Self {
            unknown: json.unk_token,
            begin: json.bos_token,
            end: json.eos_token,
            start: json.decoder_start_token,
            begins_source: json.add_source_bos,
            ends_source: json.add_source_eos,
            layer_norm_epsilon: json.layer_norm_epsilon,
        })
    }

    fn from_variables(variables: &mut Variables) -> Result<Self, ModelError> {
        let mut word = |name: &str, usual: &str| variables.text(name).unwrap_or_else(|| usual.to_owned());
        let (unknown, begin) = (word("unk_token", "<unk>"), word("bos_token", "<s>"));
        let end = word("eos_token", "</s>");
        let mut flag = |name: &str, usual: f32| Ok(variables.number(name)?.unwrap_or(usual) != 0.0);
        let (begins_source, ends_source) = (flag("with_source_bos", 0.0)?, flag("with_source_eos", 0.0)?);
        let start = if flag("with_target_bos", 1.0)? { begin.clone() } else { end.clone() };
        let start = if flag("user_decoder_start_tokens", 0.0)? { None } else { Some(start) };
        Ok(Self { unknown, begin, end, start, begins_source, ends_source, layer_norm_epsilon: None })
    }

    /// Whether the encoder reads sentences without their end. Models of Hugging Face, whose decoders do not start with
    /// the word that begins sentences, have their end among the words that a request brings.
    pub(super) fn source_without_end(&self) -> bool {
        !self.ends_source && self.start.as_ref() == Some(&self.begin) && self.begin != self.end
    }

    /// Whether the decoder starts with the end of sentence, as in models that came from fairseq, where the word of a
    /// language comes next if there are several.
    pub(super) fn starts_with_end(&self) -> bool {
        self.start.as_ref() == Some(&self.end)
    }

    /// The special words among the words of the model; `path` is the file that names them. A decoder that starts from
    /// zeros needs no word for it.
    pub(super) fn ids(&self, path: &Path, words: &Words, starts_from_zeros: bool) -> Result<Ids, ModelError> {
        let find = |words: &[String], word: &str| words.iter().position(|known| known == word).map(|id| id as u32);
        let need = |words: &[String], word: &str| {
            let problem = || format!("it names the word `{word}`, which the model's list of words does not have");
            find(words, word).ok_or_else(|| ModelError::settings(path, problem()))
        };
        for (word, expected) in [(&self.unknown, "<unk>"), (&self.end, "</s>")] {
            if word != expected {
                let what = format!("the special word `{word}`");
                return Err(ModelError::unsupported(path, what, format!("it must be `{expected}`")));
            }
        }
        let start = match &self.start {
            _ if starts_from_zeros => None,
            Some(start) => Some(need(&words.target, start)?),
            None => {
                let what = "a CTranslate2 model without a decoder_start_token, as fairseq's multilingual ones are,";
                return Err(ModelError::unsupported(path, what, "the decoder must start with the same word each time"));
            }
        };
        Ok(Ids {
            start,
            end: need(&words.target, &self.end)?,
            source_start: self.begins_source.then(|| need(&words.source, &self.begin)).transpose()?,
            never: find(&words.target, &self.unknown).into_iter().collect(),
        })
    }
}

/// The words of both languages, by id.
pub(crate) struct Words {
    pub(crate) source: Arc<[String]>,
    pub(crate) target: Arc<[String]>,
}

/// The files with the words of both languages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WordLists {
    pub(crate) source: PathBuf,
    pub(crate) target: PathBuf,
}

impl WordLists {
    /// The lists in a directory.
    pub(crate) fn find(directory: &Path) -> Result<Self, ModelError> {
        let named = |stem: &str| {
            ["json", "txt"]
                .map(|ending| directory.join(format!("{stem}.{ending}")))
                .into_iter()
                .find(|path| path.is_file())
        };
        if named("source_1_vocabulary").is_some() {
            let advice = "models whose source is words alone are read";
            return Err(ModelError::unsupported(directory, "a CTranslate2 model with source features", advice));
        }
        if let Some(shared) = named("shared_vocabulary") {
            return Ok(Self { source: shared.clone(), target: shared });
        }
        match (named("source_vocabulary"), named("target_vocabulary")) {
            (Some(source), Some(target)) => Ok(Self { source, target }),
            _ => {
                let problem = "the words of the CTranslate2 model are not there: neither `shared_vocabulary.json` nor \
                               `source_vocabulary.json` and `target_vocabulary.json` (or `.txt`); copy them, too";
                Err(ModelError::settings(directory, problem))
            }
        }
    }

    /// The contents.
    pub(crate) fn read(&self) -> Result<Words, ModelError> {
        let list = |path: &Path| {
            let bytes = std::fs::read(path).map_err(|e| ModelError::io(path, "read", e))?;
            Ok::<_, ModelError>(Arc::from(parse_list(path, &bytes)?))
        };
        let source = list(&self.source)?;
        let target = if self.target == self.source { Arc::clone(&source) } else { list(&self.target)? };
        Ok(Words { source, target })
    }
}

/// A list of words in JSON, or one word in a line.
pub(super) fn parse_list(path: &Path, bytes: &[u8]) -> Result<Vec<String>, ModelError> {
    let refuse = |problem: String| ModelError::settings(path, format!("the list of words can not be read: {problem}"));
    if path.extension().is_some_and(|extension| extension == "txt") {
        let text = std::str::from_utf8(bytes).map_err(|e| refuse(e.to_string()))?;
        let lines: Vec<&str> = text.split_terminator('\n').collect();
        // Words may end with a carriage return, unless all lines do.
        let windows = lines.iter().all(|line| line.ends_with('\r'));
        return Ok(lines.iter().map(|line| if windows { &line[..line.len() - 1] } else { line }.to_owned()).collect());
    }
    serde_json::from_slice(bytes).map_err(|e| refuse(e.to_string()))
}
