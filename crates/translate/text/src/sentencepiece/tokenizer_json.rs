//! `tokenizer.json` of Hugging Face's tokenizers: models of kind Unigram and BPE whose steps before and after are those
//! of SentencePiece, as NLLB-200, M2M-100, mBART-50, T5 and MADLAD-400 have them. They become SentencePiece models.
//!
//! Special words in a text (`</s>`, `deu_Latn`) are text: they can not be written by users. Blanks at the ends of a
//! line are left out. Everything that would change the pieces of a text and is not known is refused by its name.

mod file;

use super::bpe::Merges;
use super::file::{Kind, ModelFile, ModelType, NormalizerSpec, Piece, TrainerSpec};
use super::normalizer::SPACE_MARK;
use super::{SentencePieceError as Error, SentencePieceModel};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use file::{AddedToken, File, Merge, Model, Vocab};
use foldhash::{HashMap, HashMapExt};
use memchr::memmem;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::borrow::Cow;

/// More pieces than any vocabulary has.
const MAX_PIECES: usize = 1 << 22;

/// The text of an id that no piece has.
const GAP: &str = "\0";

/// Whether bytes are those of a `tokenizer.json`, and not of a list of words and ids.
pub(crate) fn is_tokenizer(bytes: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Probe {
        #[serde(rename = "model")]
        _model: HashMap<String, IgnoredAny>,
    }
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return false;
    }
    // Large files are not parsed twice: this text stands in no list of words and numbers.
    let has_kind = |at: usize| {
        let mut symbols = bytes[at..].iter().filter(|byte| !byte.is_ascii_whitespace());
        b"\"model\":{\"type\":".iter().all(|symbol| symbols.next() == Some(symbol))
    };
    memmem::find_iter(bytes, b"\"model\"").any(has_kind) || serde_json::from_slice::<Probe>(bytes).is_ok()
}

impl SentencePieceModel {
    /// Reads the model from the bytes of a `tokenizer.json`.
    ///
    /// # Errors
    /// If it is not one, or has steps that SentencePiece does not have; the message names them.
    pub fn from_tokenizer_json(bytes: &[u8]) -> Result<Self, Error> {
        let unreadable = |e: serde_json::Error| Error::Format(format!("not a tokenizer.json that can be read: {e}"));
        let file: File<'_> = serde_json::from_slice(bytes).map_err(unreadable)?;
        let mut steps = Steps::default();
        steps.read_normalizer(&file.normalizer)?;
        steps.read_pre_tokenizer(&file.pre_tokenizer)?;
        let model_type = file.model.model_type()?;
        let slots = Slots::new(&file)?;
        let merges = match model_type {
            ModelType::Bpe => Some(slots.merges(&file.model.merges)?),
            _ => None,
        };
        let unk_piece = slots.unk.and_then(|unk| slots.texts.get(unk as usize)).map_or("<unk>", |text| text);
        let model = ModelFile {
            pieces: slots.pieces(),
            trainer: TrainerSpec {
                model_type,
                whitespace_as_suffix: false,
                byte_fallback: file.model.byte_fallback && slots.has_all_bytes(),
                unk_surface: " \u{2047} ",
                unk_piece,
                bos_piece: "<s>",
                eos_piece: "</s>",
                pad_piece: "<pad>",
            },
            normalizer: NormalizerSpec {
                charsmap: &steps.charsmap,
                add_dummy_prefix: steps.prefix,
                remove_extra_whitespaces: steps.single_blanks,
                escape_whitespaces: true,
            },
            denormalizer: NormalizerSpec::default(),
        };
        Self::from_file(&model, merges)
    }
}

impl Model<'_> {
    fn model_type(&self) -> Result<ModelType, Error> {
        let kind = match (&self.kind, &self.vocab) {
            (Some(kind), _) => kind,
            (None, Vocab::Scores(_)) => "Unigram",
            (None, Vocab::Ids(_)) => "BPE",
        };
        let affix = |affix: &Option<String>| affix.as_ref().is_some_and(|affix| !affix.is_empty());
        match (kind, &self.vocab) {
            ("Unigram", Vocab::Scores(_)) => Ok(ModelType::Unigram),
            ("BPE", Vocab::Ids(_)) => {
                let refused = [
                    (affix(&self.continuing_subword_prefix), "continuing_subword_prefix"),
                    (affix(&self.end_of_word_suffix), "end_of_word_suffix"),
                    (self.ignore_merges, "ignore_merges"),
                    (!self.fuse_unk && !self.byte_fallback, "fuse_unk = false"),
                ];
                match refused.iter().find(|(found, _)| *found) {
                    Some((_, name)) => Err(refuse("model", name)),
                    None => Ok(ModelType::Bpe),
                }
            }
            _ => Err(refuse("model", kind)),
        }
    }
}

/// The pieces by id.
struct Slots<'a> {
    texts: Vec<Cow<'a, str>>,
    scores: Vec<f32>,
    kinds: Vec<Kind>,
    ids: HashMap<&'a str, u32>,
    unk: Option<u32>,
}

impl<'a> Slots<'a> {
    fn new(file: &'a File<'_>) -> Result<Self, Error> {
        let words = match &file.model.vocab {
            Vocab::Scores(pieces) => pieces.len(),
            Vocab::Ids(ids) => ids.len(),
        };
        let ids = HashMap::with_capacity(words + file.added_tokens.len());
        let mut slots = Slots { texts: Vec::new(), scores: Vec::new(), kinds: Vec::new(), ids, unk: None };
        match &file.model.vocab {
            Vocab::Scores(pieces) => {
                for (id, (text, score)) in (0..).zip(pieces) {
                    slots.set(id, &text.0, *score as f32, Kind::Normal)?;
                }
                slots.unk = file.model.unk_id;
            }
            Vocab::Ids(ids) => {
                for (text, id) in ids {
                    slots.set(*id, &text.0, 0.0, Kind::Normal)?;
                }
                slots.unk = file.model.unk_token.as_ref().and_then(|unk| slots.ids.get(&**unk)).copied();
            }
        }
        for AddedToken { id, content, special } in &file.added_tokens {
            let kind = if *special { Kind::Control } else { Kind::UserDefined };
            let score = slots.scores.get(*id as usize).copied().unwrap_or(0.0);
            slots.set(*id, content, score, kind)?;
        }
        if let Some(kind) = slots.unk.and_then(|unk| slots.kinds.get_mut(unk as usize)) {
            *kind = Kind::Unknown;
        }
        if file.model.byte_fallback && slots.has_all_bytes() {
            for byte in 0..=u8::MAX {
                if let Some(&id) = slots.ids.get(&*byte_piece(byte)) {
                    slots.kinds[id as usize] = Kind::Byte;
                }
            }
        }
        Ok(slots)
    }

    fn set(&mut self, id: u32, text: &'a str, score: f32, kind: Kind) -> Result<(), Error> {
        let place = id as usize;
        if place >= MAX_PIECES {
            return Err(Error::TooLarge("a tokenizer.json with an id of 4,194,304 or more"));
        }
        if place >= self.texts.len() {
            self.texts.resize(place + 1, Cow::Borrowed(GAP));
            self.scores.resize(place + 1, 0.0);
            self.kinds.resize(place + 1, Kind::Unused);
        }
        if text.is_empty() || text.contains('\0') {
            return Ok(());
        }
        // A text that stands twice is the piece of its last id alone.
        let first = self.ids.insert(text, id).map(|first| first as usize);
        if let Some(first) = first.filter(|&first| first != place && self.texts[first] == text) {
            self.texts[first] = Cow::Borrowed(GAP);
            (self.scores[first], self.kinds[first]) = (0.0, Kind::Unused);
        }
        (self.texts[place], self.scores[place], self.kinds[place]) = (Cow::Borrowed(text), score, kind);
        Ok(())
    }

    fn has_all_bytes(&self) -> bool {
        (0..=u8::MAX).all(|byte| self.ids.contains_key(&*byte_piece(byte)))
    }

    fn pieces(&self) -> Vec<Piece<'_>> {
        let facts = self.scores.iter().zip(&self.kinds);
        self.texts.iter().zip(facts).map(|(text, (&score, &kind))| Piece { text, score, kind }).collect()
    }

    /// The pairs of pieces that become one, by their order.
    fn merges(&self, merges: &[Merge<'_>]) -> Result<Merges, Error> {
        let mut found = Merges::with_room(merges.len());
        let mut joined = String::new();
        for (rank, merge) in (0..).zip(merges) {
            let (left, right) = match merge {
                Merge::Joined(pair) => pair.split_once(' ').ok_or_else(|| no_merge(pair))?,
                Merge::Apart([left, right]) => (&**left, &**right),
            };
            let id = |text: &str| self.ids.get(text).copied().ok_or_else(|| no_merge(text));
            joined.clear();
            joined.extend([left, right]);
            id(&joined)?;
            found.add(id(left)?, id(right)?, rank);
        }
        Ok(found)
    }
}

fn no_merge(text: &str) -> Error {
    let text: String = text.chars().take(40).collect();
    Error::Format(format!("the merges of the tokenizer.json have `{text}`, which is not in its vocabulary"))
}

fn byte_piece(byte: u8) -> String {
    format!("<0x{byte:02X}>")
}

/// What happens to a text before it is divided.
#[derive(Default)]
struct Steps {
    charsmap: Vec<u8>,
    /// A blank is put before the text.
    prefix: bool,
    /// Several blanks become one, and those at the ends none.
    single_blanks: bool,
}

impl Steps {
    fn read_normalizer(&mut self, step: &Value) -> Result<(), Error> {
        match kind(step) {
            None => Ok(()),
            Some("Sequence") => each(step, "normalizers", |step| self.read_normalizer(step)),
            Some("Precompiled") if self.charsmap.is_empty() => {
                let table = step.get("precompiled_charsmap").and_then(Value::as_str).unwrap_or_default();
                let broken = |_| Error::CharsMap("it is not base64");
                self.charsmap = BASE64_STANDARD.decode(table).map_err(broken)?;
                Ok(())
            }
            Some("Replace") => {
                let pattern = step.get("pattern").unwrap_or(&Value::Null);
                let text = |key| pattern.get(key).and_then(Value::as_str);
                let content = step.get("content").and_then(Value::as_str).unwrap_or_default();
                match (text("Regex").or(text("String")), content) {
                    (Some(" {2,}"), " " | SPACE_MARK) => self.single_blanks = true,
                    (Some(" "), SPACE_MARK) => {}
                    (pattern, _) => return Err(refuse("normalizer Replace of", pattern.unwrap_or("?"))),
                }
                Ok(())
            }
            Some("Strip") => Ok(()),
            Some("Prepend") if step.get("prepend").and_then(Value::as_str) == Some(SPACE_MARK) => {
                self.prefix = true;
                Ok(())
            }
            Some(other) => Err(refuse("normalizer", other)),
        }
    }

    fn read_pre_tokenizer(&mut self, step: &Value) -> Result<(), Error> {
        match kind(step) {
            None => Ok(()),
            Some("Sequence") => each(step, "pretokenizers", |step| self.read_pre_tokenizer(step)),
            Some("WhitespaceSplit") => {
                self.single_blanks = true;
                Ok(())
            }
            Some("Metaspace") => {
                let text = |key| step.get(key).and_then(Value::as_str);
                let old = step.get("add_prefix_space").and_then(Value::as_bool).unwrap_or(true);
                if text("replacement").is_some_and(|mark| mark != SPACE_MARK) {
                    return Err(refuse("pre-tokenizer Metaspace with another mark than", SPACE_MARK));
                }
                self.prefix |= text("prepend_scheme").map_or(old, |scheme| scheme != "never");
                Ok(())
            }
            Some(other) => Err(refuse("pre-tokenizer", other)),
        }
    }
}

fn kind(step: &Value) -> Option<&str> {
    step.get("type").and_then(Value::as_str)
}

fn each(step: &Value, key: &str, read: impl FnMut(&Value) -> Result<(), Error>) -> Result<(), Error> {
    step.get(key).and_then(Value::as_array).into_iter().flatten().try_for_each(read)
}

fn refuse(what: &str, name: &str) -> Error {
    let name: String = name.chars().take(40).collect();
    Error::Format(format!(
        "the tokenizer.json has the {what} `{name}`, which is not supported: Unigram and BPE models with the steps of \
         SentencePiece can be read"
    ))
}
