//! The content of a `tokenizer.json`. Each of its many thousand pieces and pairs is read once, as what it is.

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// The parts of the file that decide about pieces.
#[derive(Deserialize)]
pub(super) struct File<'a> {
    #[serde(default)]
    pub(super) added_tokens: Vec<AddedToken>,
    #[serde(default)]
    pub(super) normalizer: Value,
    #[serde(default)]
    pub(super) pre_tokenizer: Value,
    #[serde(borrow)]
    pub(super) model: Model<'a>,
}

/// A word that the tokeniser has in addition to those of its model, or with a meaning of its own.
#[derive(Deserialize)]
pub(super) struct AddedToken {
    pub(super) id: u32,
    pub(super) content: String,
    #[serde(default)]
    pub(super) special: bool,
}

#[derive(Deserialize)]
pub(super) struct Model<'a> {
    /// Absent in old files.
    #[serde(default, rename = "type")]
    pub(super) kind: Option<String>,
    #[serde(borrow)]
    pub(super) vocab: Vocab<'a>,
    #[serde(default)]
    pub(super) unk_id: Option<u32>,
    #[serde(default)]
    pub(super) unk_token: Option<String>,
    #[serde(default)]
    pub(super) byte_fallback: bool,
    #[serde(default, borrow)]
    pub(super) merges: Vec<Merge<'a>>,
    #[serde(default)]
    pub(super) fuse_unk: bool,
    #[serde(default)]
    pub(super) continuing_subword_prefix: Option<String>,
    #[serde(default)]
    pub(super) end_of_word_suffix: Option<String>,
    #[serde(default)]
    pub(super) ignore_merges: bool,
}

/// Text of the file, borrowed from it where it has no escapes.
#[derive(Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// Pieces with their scores by id, or with their ids.
pub(super) enum Vocab<'a> {
    Scores(Vec<(Text<'a>, f64)>),
    Ids(Vec<(Text<'a>, u32)>),
}

/// Two pieces that become one: in one string in older files.
pub(super) enum Merge<'a> {
    Joined(Cow<'a, str>),
    Apart([Cow<'a, str>; 2]),
}

/// Reads [`Vocab`].
struct VocabVisitor;

impl<'de> Visitor<'de> for VocabVisitor {
    type Value = Vocab<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("pieces with their scores or with their ids")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut pieces: A) -> Result<Vocab<'de>, A::Error> {
        let mut scores = Vec::new();
        while let Some(piece) = pieces.next_element()? {
            scores.push(piece);
        }
        Ok(Vocab::Scores(scores))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pieces: A) -> Result<Vocab<'de>, A::Error> {
        let mut ids = Vec::new();
        while let Some(piece) = pieces.next_entry()? {
            ids.push(piece);
        }
        Ok(Vocab::Ids(ids))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Vocab<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VocabVisitor)
    }
}

/// Reads [`Merge`].
struct MergeVisitor;

impl<'de> Visitor<'de> for MergeVisitor {
    type Value = Merge<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pair of pieces")
    }

    fn visit_borrowed_str<E: Error>(self, pair: &'de str) -> Result<Merge<'de>, E> {
        Ok(Merge::Joined(Cow::Borrowed(pair)))
    }

    fn visit_str<E: Error>(self, pair: &str) -> Result<Merge<'de>, E> {
        Ok(Merge::Joined(Cow::Owned(pair.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut pair: A) -> Result<Merge<'de>, A::Error> {
        let mut next = |place| {
            let text: Option<Text<'de>> = pair.next_element()?;
            text.map(|text| text.0).ok_or_else(|| Error::invalid_length(place, &self))
        };
        let found = Merge::Apart([next(0)?, next(1)?]);
        match pair.next_element::<IgnoredAny>()? {
            None => Ok(found),
            Some(_) => Err(Error::invalid_length(3, &self)),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Merge<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MergeVisitor)
    }
}
