//! Vocabularies: a line to the ids that a model reads, and the ids that it writes to a line.
//!
//! | file | words | as |
//! |---|---|---|
//! | `.yml`, `.yaml`, `.json` | `word: id`, split at blanks | Marian, Nematus |
//! | `.spm`, `.model` | pieces of a SentencePiece model | Marian |
//! | anything else | one word per line, split at blanks | Marian |
//! | any of the lists with the codes of `subword-nmt` | BPE units of the tokens of Moses | OPUS-MT of 2019 |
//! | any of the lists next to `source.spm` or `target.spm` | pieces of the model with the ids of the list | OPUS-MT, MarianMT of Hugging Face |
//! | `tokenizer.json` | pieces of its Unigram or BPE model | NLLB-200, mBART-50, T5 |
//! | a SentencePiece model by fairseq's numbers | pieces after `<s>`, `<pad>`, `</s>`, `<unk>` | mBART-50 |
//! | `["word", …]` in JSON | a word is its place in the list | CTranslate2 |
//!
//! [`train_words`] makes a list from text, [`sentencepiece::train`](crate::sentencepiece::train) a model of pieces.
//!
//! A line is encoded with the end of sentence (`</s>`) and decoded without it.

mod error;
mod formats;
mod marian_mt;
mod moses_bpe;
mod open;
mod train;
mod words;

pub use error::VocabularyError;
pub use moses_bpe::{MosesStepOptions, MosesSteps};
pub use open::VocabularyFormat;
pub use train::{TrainedWords, train_words};

use crate::moses::is_cjk;
use crate::sentencepiece::{Scratch, SentencePieceModel};
use marian_mt::MarianMt;
use metaphrase_base::WordId;
use moses_bpe::MosesBpe;
use unicode_normalization::char::is_combining_mark;
use words::WordList;

const EOS: &str = "</s>";
const UNK: &str = "<unk>";
/// The mark of a new word at the start of a piece.
const SPACE_MARK: char = '\u{2581}';

/// The words of one side of a model. It never changes; any number of threads can use it.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    form: Form,
    eos: WordId,
    unk: Option<WordId>,
}

#[derive(Debug, Clone)]
enum Form {
    Words(WordList),
    Pieces(Box<SentencePieceModel>),
    MarianMt(Box<MarianMt>),
    MosesBpe(Box<MosesBpe>),
}

impl Vocabulary {
    /// Forgets words with ids from `words` on, so that they become unknown: a model may have learnt the first words
    /// of a longer list only. A SentencePiece model stays as it is.
    pub fn truncate(&mut self, words: usize) {
        let list = match &mut self.form {
            Form::Words(list) => Some(list),
            Form::MosesBpe(model) => Some(model.words_mut()),
            Form::Pieces(_) | Form::MarianMt(_) => None,
        };
        if let Some(list) = list {
            let specials = self.unk.map_or(self.eos, |unk| unk.max(self.eos));
            list.truncate(words.max(specials.index() + 1));
        }
    }

    /// Number of words: one more than the largest id. Ids may have gaps.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a vocabulary has at least the end of sentence")]
    pub fn len(&self) -> usize {
        match &self.form {
            Form::Words(words) => words.len(),
            Form::Pieces(pieces) => pieces.len(),
            Form::MarianMt(model) => model.words().len(),
            Form::MosesBpe(model) => model.words().len(),
        }
    }

    /// The word that ends a sentence.
    #[must_use]
    pub fn eos(&self) -> WordId {
        self.eos
    }

    /// The word that stands for unknown ones. A SentencePiece model with byte fallback may lack it.
    #[must_use]
    pub fn unk(&self) -> Option<WordId> {
        self.unk
    }

    /// Whether `id` stands for unknown words.
    #[must_use]
    pub fn is_unknown(&self, id: WordId) -> bool {
        self.unk == Some(id)
    }

    /// The text of a word, as it stands in the vocabulary; empty for a gap.
    #[must_use]
    pub fn word(&self, id: WordId) -> &str {
        match &self.form {
            Form::Words(words) => words.word(id),
            Form::Pieces(pieces) => pieces.piece(id),
            Form::MarianMt(model) => model.words().word(id),
            Form::MosesBpe(model) => model.words().word(id),
        }
    }

    /// The id of a word, if the vocabulary has it.
    #[must_use]
    pub fn id(&self, word: &str) -> Option<WordId> {
        match &self.form {
            Form::Words(words) => words.id(word),
            Form::Pieces(pieces) => pieces.id(word),
            Form::MarianMt(model) => model.words().id(word),
            Form::MosesBpe(model) => model.words().id(word),
        }
    }

    /// Words that a search should not produce, in addition to the one for unknown words: the byte pieces of the 32
    /// control characters (as in Marian, where `--allow-special` lifts this) and, for MarianMT, `<pad>` and the like.
    #[must_use]
    pub fn special_words(&self) -> Vec<WordId> {
        let control = (0..32).filter_map(|byte| self.id(&format!("<0x{byte:02X}>")));
        let no_text = match &self.form {
            Form::MarianMt(model) => model.no_text(),
            _ => &[],
        };
        control.filter(|&id| !self.is_unknown(id)).chain(no_text.iter().copied()).collect()
    }

    /// The words that stand for single bytes, with their bytes: the pieces of byte fallback.
    pub fn bytes(&self) -> impl Iterator<Item = (WordId, u8)> {
        let (pieces, listed) = match &self.form {
            Form::Pieces(pieces) => (Some(pieces), None),
            Form::MarianMt(model) => (None, Some(model)),
            Form::Words(_) | Form::MosesBpe(_) => (None, None),
        };
        let listed = listed.into_iter().flat_map(|model| model.bytes());
        pieces.into_iter().flat_map(|pieces| pieces.bytes()).chain(listed)
    }

    /// Whether there are characters that it can not express: it has pieces, none of which stand for bytes. To a list of
    /// words the unknown word is a word like others.
    #[must_use]
    pub fn lacks_characters(&self) -> bool {
        match &self.form {
            Form::Words(_) | Form::MosesBpe(_) => false,
            Form::Pieces(_) | Form::MarianMt(_) => self.bytes().next().is_none(),
        }
    }

    /// Whether `id` goes on with the written word before it: a piece that begins with a letter, digit or combining mark
    /// and without the mark of a new word, or a byte. Scripts without spaces have no such words.
    #[must_use]
    pub fn continues(&self, id: WordId) -> bool {
        if matches!(self.form, Form::Words(_) | Form::MosesBpe(_)) || id == self.eos || self.is_unknown(id) {
            return false;
        }
        let piece = self.word(id);
        let byte = self.is_byte(id);
        let joins = |first: char| (first.is_alphanumeric() && !is_cjk(first)) || is_combining_mark(first);
        byte || piece.chars().next().is_some_and(joins)
    }

    /// Whether a word is the piece of a byte, by which a vocabulary writes the characters that it lacks.
    #[must_use]
    pub fn is_byte(&self, id: WordId) -> bool {
        let piece = self.word(id);
        self.has_pieces() && piece.len() == 6 && piece.starts_with("<0x") && piece.ends_with('>')
    }

    /// Whether words are pieces of written words, so that a character may be missing.
    #[must_use]
    pub fn has_pieces(&self) -> bool {
        matches!(self.form, Form::Pieces(_) | Form::MarianMt(_))
    }

    /// Whether the text of a word ends with a letter or a digit, so that a word that [continues](Self::continues) it
    /// belongs to the same written word. The piece of a byte may be a part of a letter.
    pub fn is_open(&self, id: WordId) -> bool {
        if matches!(self.form, Form::Words(_) | Form::MosesBpe(_)) || id == self.eos || self.is_unknown(id) {
            return false;
        }
        let piece = self.word(id);
        let byte = self.is_byte(id);
        let is_letter = |last: char| (last.is_alphanumeric() && !is_cjk(last)) || is_combining_mark(last);
        byte || piece.chars().next_back().is_some_and(is_letter)
    }

    /// Appends the bytes that a word adds to a text: a blank for each mark of a new word, one byte for the piece of a
    /// byte, nothing for a control symbol. What [`decode`](Self::decode) does at the start of a text and with bytes
    /// that make no character is left out.
    pub fn spell(&self, id: WordId, out: &mut Vec<u8>) {
        if id == self.eos {
            return;
        }
        match &self.form {
            Form::Words(words) => {
                out.push(b' ');
                out.extend_from_slice(words.word(id).as_bytes());
            }
            Form::Pieces(pieces) => pieces.spell(id, out),
            Form::MarianMt(model) => model.spell(id, out),
            Form::MosesBpe(model) => model.spell(id, out),
        }
    }

    /// The number of bytes at the start of `line` that are segmented: all of them, unless normalisation makes more than
    /// 1 MiB of them. The caller of a longer line has to report that the rest is left out.
    #[must_use]
    pub fn reads(&self, line: &str) -> usize {
        match &self.form {
            Form::Words(_) | Form::MosesBpe(_) => line.len(),
            Form::Pieces(pieces) => pieces.reads(line),
            Form::MarianMt(model) => model.reads(line),
        }
    }

    /// Replaces `out` by the ids of `line`, as far as it [`reads`](Self::reads) the line, the end of sentence included.
    pub fn encode(&self, line: &str, out: &mut Vec<WordId>) {
        self.encode_with(&mut Scratch::default(), line, out);
    }

    /// The ids of words of the vocabulary with spaces between them, and the end of sentence, written over `out`. Other
    /// words are the unknown word; a vocabulary without one leaves them out.
    pub fn look_up(&self, words: &str, out: &mut Vec<WordId>) {
        let words = words.split(' ').filter(|word| !word.is_empty());
        out.clear();
        out.extend(words.filter_map(|word| self.id(word).or(self.unk)).chain([self.eos]));
    }

    /// [`encode`](Self::encode) with work space that is kept between lines.
    pub fn encode_with(&self, scratch: &mut Scratch, line: &str, out: &mut Vec<WordId>) {
        out.clear();
        match &self.form {
            Form::Words(words) => {
                // Unknown words have an id in every word list.
                let unk = self.unk.unwrap_or(self.eos);
                out.extend(split_words(line).map(|word| words.id(word).unwrap_or(unk)));
            }
            Form::Pieces(pieces) => pieces.encode_with(scratch, line, out),
            Form::MarianMt(model) => model.encode(line, out),
            Form::MosesBpe(model) => model.encode(line, out),
        }
        out.push(self.eos);
    }

    /// The words or pieces of `line` as text, without the end of sentence; unknown ones keep theirs.
    /// There are as many as ids.
    #[must_use]
    pub fn pieces(&self, line: &str) -> Vec<String> {
        match &self.form {
            Form::Words(_) => split_words(line).map(str::to_owned).collect(),
            Form::Pieces(pieces) => pieces.encode_pieces(line),
            Form::MarianMt(model) => model.pieces(line),
            Form::MosesBpe(model) => model.pieces(line),
        }
    }

    /// By word of `line`, the end of sentence excluded: the written word that it belongs to, without the punctuation
    /// around it.
    #[must_use]
    pub fn written_words(&self, line: &str) -> Vec<String> {
        if let Form::MosesBpe(model) = &self.form {
            return model.written_words(line);
        }
        let pieces = self.pieces(line);
        if matches!(self.form, Form::Words(_)) {
            return pieces;
        }
        let mut words = Vec::with_capacity(pieces.len());
        for pieces in pieces.chunk_by(|_, next| !next.starts_with(SPACE_MARK)) {
            let written = pieces.concat().replace(SPACE_MARK, "");
            let plain = written.trim_matches(|c: char| !c.is_alphanumeric());
            let word = if plain.is_empty() { &written } else { plain };
            words.extend(pieces.iter().map(|_| word.to_owned()));
        }
        words
    }

    /// The text of `ids` with `words[i]` in place of the i-th unknown word; `None` leaves it out.
    #[must_use]
    pub fn decode_replacing(&self, ids: &[WordId], words: &[Option<String>]) -> String {
        let (mut text, mut words) = (String::new(), words.iter());
        for part in ids.split_inclusive(|&id| self.is_unknown(id)) {
            let (known, replaced) = match part {
                [known @ .., last] if self.is_unknown(*last) => (known, words.next().and_then(Option::as_deref)),
                known => (known, None),
            };
            let mut spelled = Vec::new();
            known.first().iter().for_each(|&&first| self.spell(first, &mut spelled));
            if !text.is_empty() && spelled.starts_with(b" ") {
                text.push(' ');
            }
            let decoded = self.decode(known);
            text.push_str(decoded.strip_prefix(' ').unwrap_or(&decoded));
            if let Some(word) = replaced {
                if !text.is_empty() && !text.ends_with(' ') {
                    text.push(' ');
                }
                text.push_str(word);
            }
        }
        text
    }

    /// The text of `ids`, without ends of sentence.
    #[must_use]
    pub fn decode(&self, ids: &[WordId]) -> String {
        let mut ids: Vec<WordId> = ids.to_vec();
        ids.retain(|&id| id != self.eos);
        match &self.form {
            Form::Words(words) => {
                let words: Vec<&str> = ids.iter().map(|&id| words.word(id)).collect();
                words.join(" ")
            }
            Form::Pieces(pieces) => pieces.decode(&ids),
            Form::MarianMt(model) => model.decode(&ids),
            Form::MosesBpe(model) => model.decode(&ids),
        }
    }
}

/// Marian splits at blanks alone: a tab or no-break space is part of a word.
fn split_words(line: &str) -> impl Iterator<Item = &str> {
    line.split(' ').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_words_are_replaced_in_the_text() {
        let list = Vocabulary::from_bytes(VocabularyFormat::List, b"</s>\n<unk>\na\nb\n").expect("a vocabulary");
        assert_eq!(list.written_words("a zz b"), ["a", "zz", "b"]);
        let ids = [1, 2, 1, 1, 3, 0].map(WordId);
        let words = [Some("x".into()), Some("y z".into()), None];
        assert_eq!(list.decode_replacing(&ids, &words), "x a y z b");
        assert_eq!(list.decode_replacing(&ids[1..2], &words), "a");
        assert_eq!(list.decode_replacing(&[], &[]), "");
    }

    /// Found by fuzzing: the end of sentence of a list that was cut before it.
    #[test]
    fn a_cut_list_keeps_its_end_of_sentence() {
        let list = b"\"</s>\": 9\nw: 0\nv: 20\n";
        let mut vocabulary = Vocabulary::from_bytes(VocabularyFormat::Mapping, list).expect("a vocabulary");
        vocabulary.truncate(6);
        assert_eq!((vocabulary.len(), vocabulary.eos()), (10, WordId(9)));
        assert_eq!(vocabulary.id("v"), None);
    }
}
