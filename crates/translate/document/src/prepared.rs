//! A text divided into sentences, and its translation.

use crate::answer::Answer;
use crate::block::{Block, Sentences};
use crate::keep::{CopySpan, Keep};
use crate::split::Splitter;
use crate::write::{Escape, write};
use crate::{Error, FileOptions, markup, plain};
use std::borrow::Cow;
use std::ops::Range;

/// The form of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Each line is a sentence.
    Lines,
    /// Paragraphs of sentences.
    #[default]
    Text,
    /// A web page, or a part of one.
    Html,
    /// An XML document, or a part of one.
    Xml,
}

/// The boundaries of sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Split {
    /// Punctuation, and in plain text the end of a line.
    #[default]
    Sentences,
    /// Punctuation and empty lines: the lines of a paragraph were wrapped.
    Wrapped,
    /// The end of a line alone, in markup the end of a paragraph.
    Lines,
}

/// How a text is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The form of the text.
    pub format: Format,
    /// The boundaries of sentences; `Lines` have sentences of their own.
    pub split: Split,
    /// The code of the text's language, as `de`; its abbreviations do not end sentences. Empty: English.
    pub language: String,
    /// The things that are copied unchanged.
    pub keep: Keep,
    /// Names of elements of markup whose content stays as it is, besides those of HTML such as `code`.
    pub copied: Vec<String>,
    /// Longer sentences are cut: characters, those of scripts without spaces count as three. `Lines` are not cut.
    pub longest: usize,
    /// What of a file is translated.
    pub files: FileOptions,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: Format::default(),
            split: Split::default(),
            language: String::new(),
            keep: Keep::default(),
            copied: Vec::new(),
            longest: 600,
            files: FileOptions::default(),
        }
    }
}

/// A text whose sentences are found.
#[derive(Debug)]
pub struct SegmentedText {
    input: String,
    blocks: Vec<Block>,
    escape: Escape,
    /// The sentences with words: numbers of the paragraph and of the sentence in it.
    translatable: Vec<(usize, usize)>,
    attributes: Option<Box<Attributes>>,
}

/// The values of attributes of a page. Their sentences follow all others, and the page is read again when they are
/// translated: tags are written with the new values wherever they go.
#[derive(Debug)]
struct Attributes {
    values: SegmentedText,
    options: Options,
}

/// A sentence to translate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source<'a> {
    /// Its text, on one line and without markup.
    pub text: Cow<'a, str>,
    /// The things of the text to copy, in order.
    pub kept: &'a [CopySpan],
    /// Its bytes in the input.
    pub range: Range<usize>,
    /// Whether alignments determine places: the sentence has things to copy, or its paragraph has markup.
    pub aligned: bool,
}

/// A translated text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TranslatedText {
    /// The text.
    pub text: String,
    /// By sentence: its bytes in the text.
    pub sentences: Vec<Range<usize>>,
    /// By sentence: how many things to copy its translation lacked; they were put where their neighbours' translations
    /// stand.
    pub inserted: Vec<usize>,
}

impl SegmentedText {
    /// Finds the sentences of a text.
    ///
    /// # Errors
    /// For XML whose tags do not belong together. Any HTML and any plain text can be read.
    pub fn new(input: impl Into<String>, options: &Options) -> Result<Self, Error> {
        let input = input.into();
        let splitter = Splitter::new(&options.language);
        let mut prepared = Self::without_attributes(input, &splitter, options)?;
        if options.format == Format::Html {
            let how = Sentences { flat: Some(true), ..how(&splitter, options) };
            let blocks = markup::attributes(&prepared.input, &options.copied, &how);
            if !blocks.is_empty() {
                let values = Self::from_blocks(prepared.input.clone(), blocks, Escape::Attribute);
                prepared.attributes = Some(Box::new(Attributes { values, options: options.clone() }));
            }
        }
        Ok(prepared)
    }

    fn without_attributes(input: String, splitter: &Splitter, options: &Options) -> Result<Self, Error> {
        let markup = matches!(options.format, Format::Html | Format::Xml);
        let flat = if markup { Some(true) } else { (options.split == Split::Wrapped).then_some(false) };
        let how = Sentences { flat, ..how(splitter, options) };
        let (blocks, escape) = match options.format {
            Format::Lines | Format::Text => (plain::paragraphs(&input, options.keep.placeholders, &how), Escape::None),
            Format::Html => (markup::html(&input, &options.copied, &how), Escape::Markup),
            Format::Xml => (markup::xml(&input, &options.copied, &how)?, Escape::Markup),
        };
        Ok(Self::from_blocks(input, blocks, escape))
    }

    pub(crate) fn from_blocks(input: String, mut blocks: Vec<Block>, escape: Escape) -> Self {
        // Only a broken file has paragraphs that overlap; the first of them is translated.
        let mut last = 0;
        blocks.retain(|block| {
            let apart = block.range.start >= last && block.range.end >= block.range.start;
            last = if apart { block.range.end } else { last };
            apart
        });
        let mut translatable = Vec::new();
        for (number, block) in blocks.iter().enumerate() {
            let words = block.sentences.iter().enumerate().filter(|(_, sentence)| sentence.has_words);
            translatable.extend(words.map(|(sentence, _)| (number, sentence)));
        }
        Self { input, blocks, escape, translatable, attributes: None }
    }

    /// The text as it was given.
    #[must_use]
    pub fn input(&self) -> &str {
        &self.input
    }

    /// Number of sentences to translate.
    #[must_use]
    pub fn len(&self) -> usize {
        self.translatable.len() + self.attributes.as_ref().map_or(0, |attributes| attributes.values.len())
    }

    /// Whether there is nothing to translate.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sentences to translate, in order; those of attributes come last.
    pub fn sentences(&self) -> impl Iterator<Item = Source<'_>> {
        (0..self.len()).filter_map(|number| self.source(number))
    }

    /// The sentence of a number, from 0.
    #[must_use]
    pub fn source(&self, number: usize) -> Option<Source<'_>> {
        let (text, place) = self.place(number)?;
        Some(text.source_of(place))
    }

    /// Where the sentence of a number stands: in the text, or in the values of its attributes.
    fn place(&self, number: usize) -> Option<(&Self, (usize, usize))> {
        match self.translatable.get(number) {
            Some(&place) => Some((self, place)),
            None => self.attributes.as_ref()?.values.place(number - self.translatable.len()),
        }
    }

    fn source_of(&self, (block, sentence): (usize, usize)) -> Source<'_> {
        let block = &self.blocks[block];
        let sentence = &block.sentences[sentence];
        Source {
            text: on_one_line(&block.text[sentence.range.clone()]),
            kept: &sentence.kept,
            range: block.origin(&sentence.range),
            aligned: !block.elements.is_empty() || !sentence.kept.is_empty(),
        }
    }

    /// The translation of one sentence, with its things to copy and without markup.
    #[must_use]
    pub fn sentence(&self, number: usize, answer: &Answer) -> String {
        let Some((text, (block, sentence))) = self.place(number) else { return String::new() };
        let block = &text.blocks[block];
        let sentence = &block.sentences[sentence];
        crate::answer::restore(sentence, &block.text[sentence.range.clone()], answer).text
    }

    /// The translated text. `answers`: by sentence; a sentence without an answer stays as it is.
    #[must_use]
    pub fn finish(&self, answers: &[Option<Answer>]) -> TranslatedText {
        let Some(attributes) = &self.attributes else { return self.finish_own(answers) };
        let (own, others) = answers.split_at(answers.len().min(self.translatable.len()));
        let values = attributes.values.finish(others);
        let splitter = Splitter::new(&attributes.options.language);
        let again = Self::without_attributes(values.text.clone(), &splitter, &attributes.options);
        let mut finished = match again {
            Ok(again) if again.len() == self.translatable.len() => again.finish_own(own),
            _ => self.finish_own(own),
        };
        for value in values.sentences {
            let at = finished.text.find(&values.text[value.clone()]).map(|at| at..at + value.len());
            finished.sentences.push(at.unwrap_or_default());
        }
        finished.inserted.extend(values.inserted);
        finished
    }

    fn finish_own(&self, answers: &[Option<Answer>]) -> TranslatedText {
        let mut finished = TranslatedText::default();
        let mut answers =
            self.translatable.iter().zip(answers.iter().map(Option::as_ref).chain(std::iter::repeat(None))).peekable();
        let mut last = 0;
        for (number, block) in self.blocks.iter().enumerate() {
            finished.text.push_str(&self.input[last..block.range.start]);
            let mut given = vec![None; block.sentences.len()];
            while let Some((place, answer)) = answers.next_if(|(place, _)| place.0 == number) {
                given[place.1] = answer;
            }
            last = block.range.end;
            if given.iter().all(Option::is_none) {
                // Not a byte changes.
                finished.copy(block, &self.input);
                continue;
            }
            let written = write(block, &given, self.escape, &mut finished.text);
            for (sentence, (range, inserted)) in
                block.sentences.iter().zip(written.sentences.into_iter().zip(written.inserted))
            {
                if sentence.has_words {
                    finished.sentences.push(range);
                    finished.inserted.push(inserted);
                }
            }
        }
        finished.text.push_str(&self.input[last..]);
        finished
    }
}

/// The way to find sentences that the options choose.
pub(crate) fn how<'a>(splitter: &'a Splitter, options: &Options) -> Sentences<'a> {
    let lines = options.format == Format::Lines || options.split == Split::Lines;
    Sentences {
        splitter: (!lines).then_some(splitter),
        longest: (options.format != Format::Lines).then_some(options.longest),
        keep: options.keep,
        flat: None,
    }
}

impl TranslatedText {
    /// A paragraph without answers.
    fn copy(&mut self, block: &Block, input: &str) {
        let start = self.text.len();
        for sentence in block.sentences.iter().filter(|sentence| sentence.has_words) {
            let range = block.origin(&sentence.range);
            // A paragraph may be written elsewhere than it is read.
            let inside = range.start >= block.range.start && range.end <= block.range.end;
            let at = |byte: usize| if inside { start + byte - block.range.start } else { start };
            self.sentences.push(at(range.start)..at(range.end));
            self.inserted.push(0);
        }
        self.text.push_str(&input[block.range.clone()]);
    }
}

/// The text with a blank for each character that ends a line and for each tab, so that no byte moves.
fn on_one_line(text: &str) -> Cow<'_, str> {
    let breaks = ['\n', '\r', '\t', '\u{b}', '\u{c}'];
    if text.contains(breaks) { text.replace(breaks, " ").into() } else { text.into() }
}
