//! Vocabularies of OPUS-MT's releases of 2019: Moses' scripts divide a line into tokens, BPE divides tokens into the
//! words of a list, and the scripts join the tokens of a translation again.

use super::marian_mt::split_language;
use super::words::WordList;
use crate::bpe::Bpe;
use crate::moses::{
    MosesDetokenizer, MosesTokenizer, NormalizerOptions, PunctuationNormalizer, TokenizerOptions, Truecaser,
    detruecase_line,
};
use metaphrase_base::WordId;
use regex::Regex;

/// The end of a word of the list that the next word continues.
const CONTINUED: &str = "@@";

/// How the text of one language becomes tokens and is made of them: the steps of a `preprocess.sh`, in their order.
#[derive(Debug, Clone)]
pub struct MosesSteps {
    language: String,
    normalizer: Option<PunctuationNormalizer>,
    /// Whether control and format characters become spaces.
    control: Option<Regex>,
    tokenizer: MosesTokenizer,
    truecaser: Option<Truecaser>,
}

/// Which steps there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MosesStepOptions {
    /// `normalize-punctuation.perl`.
    pub normalize: bool,
    /// `replace-unicode-punctuation.perl`, which comes first.
    pub replace_unicode_punctuation: bool,
    /// `remove-non-printing-char.perl`.
    pub remove_control_characters: bool,
    /// `tokenizer.perl -a`: hyphens within words are tokens.
    pub aggressive_dashes: bool,
}

impl Default for MosesStepOptions {
    /// The steps of OPUS-MT's own script.
    fn default() -> Self {
        Self {
            normalize: true,
            replace_unicode_punctuation: true,
            remove_control_characters: true,
            aggressive_dashes: true,
        }
    }
}

impl MosesSteps {
    /// The steps for a language (`en`, `de`, …); a truecaser is the last one.
    ///
    /// # Panics
    /// Never: the pattern of control characters is constant.
    #[must_use]
    pub fn new(language: &str, options: MosesStepOptions, truecaser: Option<Truecaser>) -> Self {
        let MosesStepOptions { replace_unicode_punctuation, aggressive_dashes, .. } = options;
        let normalizer = NormalizerOptions { replace_unicode_punctuation, perl_parity: true, ..Default::default() };
        let tokenizer = TokenizerOptions { aggressive_dashes, ..TokenizerOptions::default() };
        let control = options.remove_control_characters;
        Self {
            language: language.to_owned(),
            normalizer: options.normalize.then(|| PunctuationNormalizer::with_options(language, normalizer)),
            control: control.then(|| Regex::new(r"\p{C}").expect("the pattern is compiled by the tests")),
            tokenizer: MosesTokenizer::with_options(language, tokenizer),
            truecaser,
        }
    }

    /// The tokens of a line, with a space between two of them.
    #[must_use]
    pub fn tokens(&self, line: &str) -> String {
        let mut line = match &self.control {
            Some(control) => control.replace_all(line, " ").into_owned(),
            None => line.to_owned(),
        };
        if let Some(normalizer) = &self.normalizer {
            line = normalizer.normalize(&line);
        }
        let tokens = self.tokenizer.tokenize_line(&line);
        match &self.truecaser {
            Some(truecaser) => truecaser.truecase_line(&tokens),
            None => tokens,
        }
    }

    /// The line that tokens make.
    fn join(&self, tokens: &str) -> String {
        let detokenizer = MosesDetokenizer::new(&self.language);
        match &self.truecaser {
            Some(_) => detokenizer.detokenize_line(&detruecase_line(tokens)),
            None => detokenizer.detokenize_line(tokens),
        }
    }
}

/// A list of words, and how a text is divided into them.
#[derive(Debug, Clone)]
pub(super) struct MosesBpe {
    words: WordList,
    steps: MosesSteps,
    bpe: Bpe,
    eos: WordId,
    unk: WordId,
}

impl MosesBpe {
    pub(super) fn new(words: WordList, steps: MosesSteps, bpe: Bpe, eos: WordId, unk: WordId) -> Self {
        Self { words, steps, bpe, eos, unk }
    }

    pub(super) fn words(&self) -> &WordList {
        &self.words
    }

    pub(super) fn words_mut(&mut self) -> &mut WordList {
        &mut self.words
    }

    /// The units of `line`; a target language at its start (`>>fra<<`) is one of them.
    pub(super) fn pieces(&self, line: &str) -> Vec<String> {
        let (language, text) = split_language(line);
        let units = self.bpe.segment_line(&self.steps.tokens(text));
        let units = units.split(' ').filter(|unit| !unit.is_empty()).map(str::to_owned);
        language.map(str::to_owned).into_iter().chain(units).collect()
    }

    pub(super) fn encode(&self, line: &str, out: &mut Vec<WordId>) {
        out.extend(self.pieces(line).iter().map(|piece| self.words.id(piece).unwrap_or(self.unk)));
    }

    pub(super) fn decode(&self, ids: &[WordId]) -> String {
        let units = ids.iter().copied().filter(|id| *id != self.eos && *id != self.unk).map(|id| self.words.word(id));
        let line = units.collect::<Vec<_>>().join(" ");
        self.steps.join(&self.bpe.join_line(&line))
    }

    /// By unit: the token that it belongs to, as it is written.
    pub(super) fn written_words(&self, line: &str) -> Vec<String> {
        let pieces = self.pieces(line);
        let mut words = Vec::with_capacity(pieces.len());
        for units in pieces.chunk_by(|unit, _| unit.ends_with(CONTINUED)) {
            let token: String = units.iter().map(|unit| unit.strip_suffix(CONTINUED).unwrap_or(unit)).collect();
            let written = crate::moses::unescape(&token).into_owned();
            words.extend(units.iter().map(|_| written.clone()));
        }
        words
    }

    /// As [`Vocabulary::spell`](super::Vocabulary::spell); here the blank stands after a word that is whole.
    pub(super) fn spell(&self, id: WordId, out: &mut Vec<u8>) {
        let word = self.words.word(id);
        match word.strip_suffix(CONTINUED) {
            Some(part) => out.extend_from_slice(part.as_bytes()),
            None => {
                out.extend_from_slice(crate::moses::unescape(word).as_bytes());
                out.push(b' ');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(truecaser: Option<&str>) -> MosesBpe {
        let list = "</s> <unk> >>deu<< It isn &apos;t well @-@ kno@@ wn , really . it \" ü@@ ber";
        let words = list.split(' ').zip(0..).map(|(word, id)| (word.to_owned(), id)).collect();
        let words = WordList::new(words).expect("a list");
        let codes = b"#version: 0.2\nw e\nl l</w>\nwe ll</w>\nk n\nkn o\nw n</w>\nI t</w>\ni t</w>\ni s\nis n</w>\n\
            &apos ;\n' t</w>\nr e\nre a\nrea ll\nl y</w>\nb e\nbe r</w>\n@ -\n@- @</w>\n";
        let truecaser = truecaser.map(|model| Truecaser::from_bytes(model.as_bytes(), "model").expect("a model"));
        let steps = MosesSteps::new("en", MosesStepOptions::default(), truecaser);
        MosesBpe::new(words, steps, Bpe::from_bytes(codes, "codes").expect("codes"), WordId(0), WordId(1))
    }

    #[test]
    fn a_line_passes_the_scripts_and_comes_back() {
        let vocabulary = vocabulary(None);
        let pieces = vocabulary.pieces(">>deu<< It isn’t well-known\u{200b}。");
        assert_eq!(pieces[..3], [">>deu<<", "It", "isn"]);
        assert_eq!(pieces[pieces.len() - 4..], ["@-@", "kno@@", "wn", "."]);
        let ids = [3, 4, 5, 6, 7, 8, 9, 12].map(WordId);
        assert_eq!(vocabulary.decode(&ids), "It isn't well-known.");
        assert_eq!(vocabulary.decode(&[WordId(15), WordId(16), WordId(0)]), "über");
        assert_eq!(vocabulary.written_words("well known"), ["well", "known", "known"]);
    }

    #[test]
    fn a_truecaser_changes_the_first_word() {
        let vocabulary = vocabulary(Some("it (90/100) It (10)\n"));
        assert_eq!(vocabulary.pieces("It"), ["it"]);
        assert_eq!(vocabulary.decode(&[WordId(13), WordId(12)]), "It.");
    }
}
