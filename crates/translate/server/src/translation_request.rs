//! What a client asks for: texts or a file, and how they are translated. The same for all interfaces.

use crate::text::options;
use axum::body::Bytes;
use metaphrase::{FileFormat, Glossary, Split, TextFormat, TextOptions};
use std::sync::Arc;

/// Texts or a file to translate, and how.
pub struct TranslationRequest {
    /// The texts.
    pub texts: Vec<String>,
    /// The code of their language; `None`: it is detected, of each text by itself.
    pub source: Option<String>,
    /// The code of the target language.
    pub target: String,
    /// The format of the texts.
    pub format: TextFormat,
    /// Whether texts are split into sentences, or each paragraph is one.
    pub split: Split,
    /// Elements of HTML and XML whose content stays as it is.
    pub ignored: Vec<String>,
    /// Terms: those of an earlier glossary count where both have some.
    pub glossaries: Vec<Arc<Glossary>>,
    /// Terms that each sentence's translation contains, each in one of its alternatives.
    pub require: Vec<Vec<String>>,
    /// Phrases that no translation contains.
    pub avoid: Vec<String>,
    /// The beginning of each sentence's translation.
    pub prefix: String,
    /// Further translations of each sentence.
    pub alternatives: usize,
    /// Whether these differ in the first word after the prefix.
    pub distinct: bool,
    /// Whether alignments are needed.
    pub attention: bool,
    /// Whether missing numbers are searched for, which some interfaces report.
    pub check_numbers: bool,
    /// Milliseconds until the client does not need the answer any more.
    pub deadline: Option<u64>,
    /// A file in place of texts, with limits of its own.
    pub file: Option<(FileFormat, Bytes)>,
}

impl TranslationRequest {
    /// How its texts are read and written.
    pub(crate) fn text_options(&self, language: &str, target: &str) -> TextOptions {
        let options = options(language, self.format, self.split, &self.ignored);
        TextOptions { target: target.to_owned(), ..options }
    }
}

impl Default for TranslationRequest {
    fn default() -> Self {
        Self {
            texts: Vec::new(),
            source: None,
            target: String::new(),
            format: TextFormat::Text,
            split: Split::Sentences,
            ignored: Vec::new(),
            glossaries: Vec::new(),
            require: Vec::new(),
            avoid: Vec::new(),
            prefix: String::new(),
            alternatives: 0,
            distinct: false,
            attention: false,
            check_numbers: false,
            deadline: None,
            file: None,
        }
    }
}
