//! Vocabularies of MarianMT models as Hugging Face keeps them: a SentencePiece model cuts a line into pieces, a list
//! gives them ids. The result is that of `MarianTokenizer` in the `transformers` library, except that special
//! words in the text (`</s>`) are text.

use super::VocabularyError;
use super::words::WordList;
use crate::sentencepiece::SentencePieceModel;
use metaphrase_base::WordId;
use std::collections::BTreeMap;

/// A list of words and the pieces of one side.
#[derive(Debug, Clone)]
pub(super) struct MarianMt {
    words: WordList,
    model: SentencePieceModel,
    eos: WordId,
    unk: WordId,
    /// Words that never stand in a text, in order.
    no_text: Vec<WordId>,
}

/// Words with a meaning for the model only.
const NO_TEXT: [&str; 4] = ["<pad>", "<blank>", "<s>", "<mask>"];

impl MarianMt {
    pub(super) fn new(words: WordList, model: SentencePieceModel, eos: WordId, unk: WordId) -> Self {
        let no_text = NO_TEXT.into_iter().filter_map(|word| words.id(word)).filter(|&id| id != eos && id != unk);
        let mut no_text: Vec<WordId> = no_text.collect();
        no_text.sort_unstable();
        Self { no_text, words, model, eos, unk }
    }

    /// Adds words that name languages.
    pub(super) fn add_languages(&mut self, words: &BTreeMap<String, u32>) -> Result<(), VocabularyError> {
        self.words.add(words.iter().map(|(word, &id)| (word.clone(), id)))?;
        self.no_text.extend(words.values().map(|&id| WordId(id)));
        self.no_text.sort_unstable();
        self.no_text.dedup();
        Ok(())
    }

    pub(super) fn words(&self) -> &WordList {
        &self.words
    }

    /// The words that are pieces of bytes, with their bytes.
    pub(super) fn bytes(&self) -> impl Iterator<Item = (WordId, u8)> {
        self.model.bytes().filter_map(|(piece, byte)| Some((self.words.id(self.model.piece(piece))?, byte)))
    }

    /// Words that never stand in a text: padding, the start of a sentence.
    pub(super) fn no_text(&self) -> &[WordId] {
        &self.no_text
    }

    /// The pieces of `line`; a target language at its start (`>>fra<<`) is one piece.
    pub(super) fn pieces(&self, line: &str) -> Vec<String> {
        let (language, text) = split_language(line);
        let mut pieces = self.model.encode_pieces(text);
        if let Some(language) = language {
            pieces.insert(0, language.to_owned());
        }
        pieces
    }

    /// The number of bytes of `line` that are segmented.
    pub(super) fn reads(&self, line: &str) -> usize {
        let (language, text) = split_language(line);
        language.map_or(0, str::len) + self.model.reads(text)
    }

    pub(super) fn encode(&self, line: &str, out: &mut Vec<WordId>) {
        out.extend(self.pieces(line).iter().map(|piece| self.words.id(piece).unwrap_or(self.unk)));
    }

    /// Special words are left out; words that the model does not have are taken as they are.
    pub(super) fn decode(&self, ids: &[WordId]) -> String {
        let text = ids.iter().copied().filter(|id| self.is_text(*id)).map(|id| self.words.word(id));
        self.model.decode_pieces(text).replace('\u{2581}', " ").trim().to_owned()
    }

    /// As [`Vocabulary::spell`](super::Vocabulary::spell).
    pub(super) fn spell(&self, id: WordId, out: &mut Vec<u8>) {
        let word = self.words.word(id);
        match self.model.id(word) {
            _ if !self.is_text(id) => {}
            Some(piece) => self.model.spell(piece, out),
            None => out.extend_from_slice(word.replace('\u{2581}', " ").as_bytes()),
        }
    }

    /// Whether a word shows in a text.
    fn is_text(&self, id: WordId) -> bool {
        id != self.eos && id != self.unk && self.no_text.binary_search(&id).is_err()
    }
}

/// The language at the start of a line, with its arrows, and the rest of the line.
pub(super) fn split_language(line: &str) -> (Option<&str>, &str) {
    let end = line.strip_prefix(">>").and_then(|rest| rest.find("<<")).map(|at| at + 4);
    match end.filter(|&end| end > 4 && !line[..end].contains(char::is_whitespace)) {
        Some(end) => (Some(&line[..end]), &line[end..]),
        None => (None, line),
    }
}
