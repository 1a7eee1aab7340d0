//! A text divided into sentences, and its translation.

mod inside;
mod notes;

use crate::answer::Answer;
use crate::block::{Block, LineEnds, Notation, Sentence, Sentences};
use crate::escape::Escape;
use crate::files::messages::Messages;
use crate::files::{icu, markdown, page, values};
use crate::keep::CopySpan;
use crate::languages::{Languages, Marking};
use crate::markup::Syntax;
use crate::options::{Format, Options, Split};
use crate::patterns::Style;
use crate::split::Splitter;
use crate::write::write;
use crate::{Error, markup, plain};
use inside::Values;
pub(crate) use inside::{Around, Read};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// A text whose sentences are found.
#[derive(Debug)]
pub struct SegmentedText {
    input: String,
    blocks: Vec<Block>,
    escape: Escape,
    /// The sentences with words: numbers of the paragraph and of the sentence in it.
    translatable: Vec<(usize, usize)>,
    values: Option<Box<Values>>,
    /// A message about the text.
    note: Option<String>,
    /// The languages of texts that stay, and the numbers of these texts.
    foreign: Vec<(&'static str, usize)>,
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
        let find = |syntax| Languages::find(&input, Marking::Markup(syntax), &Arc::default(), options);
        let languages = match options.format {
            Format::Html => find(Syntax::Html),
            Format::Xml => find(Syntax::Xml),
            Format::Lines | Format::Text => Languages::default(),
        };
        let prepared = Self::without_attributes(input, &splitter, options, &languages)?;
        if options.format == Format::Text && options.keep.placeholders && icu::may_have_arguments(&prepared.input) {
            return Messages::text(prepared.input).read(options);
        }
        let how = Sentences { line_ends: LineEnds::Blanks, escape: Escape::Attribute, ..how(&splitter, options) };
        let regions = languages.regions(&prepared.input);
        let mut values = match options.format {
            Format::Html => {
                let mut values = markup::attributes(&prepared.input, &options.copied, &how);
                values.extend(values::blocks(&prepared.input, &values::PAGE, Syntax::Html, options, &how));
                values.extend(page::branches(&prepared.input, options, &how));
                values.sort_by_key(|block| block.range.start);
                values
            }
            Format::Xml => values::blocks(&prepared.input, &values::XML, Syntax::Xml, options, &how),
            Format::Lines | Format::Text => Vec::new(),
        };
        values.retain(|value| regions.at(value.range.start).is_none());
        let around = Around { read: Self::without_attributes, languages: languages.clone() };
        Ok(prepared.with_values(values, Escape::Attribute, options, around).with_foreign(languages))
    }

    fn without_attributes(
        input: String,
        splitter: &Splitter,
        options: &Options,
        languages: &Languages,
    ) -> Result<Self, Error> {
        let markup = matches!(options.format, Format::Html | Format::Xml);
        let line_ends = match options.split {
            _ if markup => LineEnds::Blanks,
            Split::Wrapped => LineEnds::Paragraphs,
            _ => LineEnds::Sentences,
        };
        let (notation, escape) =
            if markup { (Notation::Prose, Escape::Markup) } else { (Notation::Source, Escape::None) };
        let how = Sentences { line_ends, notation, escape, ..how(splitter, options) };
        let regions = languages.regions(&input);
        let mut blocks = match options.format {
            Format::Lines | Format::Text => plain::paragraphs(&input, options.keep.placeholders, &how),
            Format::Html => markup::html(&input, &page::insets(&input, options, &how), &options.copied, &regions, &how),
            Format::Xml => markup::xml(&input, &options.copied, &regions, &how)?,
        };
        blocks.retain(|block| regions.at(block.range.start).is_none());
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
        Self { input, blocks, escape, translatable, values: None, note: None, foreign: Vec::new() }
    }

    /// The text as it was given.
    #[must_use]
    pub fn input(&self) -> &str {
        &self.input
    }

    /// Number of sentences to translate.
    #[must_use]
    pub fn len(&self) -> usize {
        self.translatable.len() + self.values.as_ref().map_or(0, |values| values.text.len())
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
        let (text, (block, sentence)) = self.place(number)?;
        Some(text.source_of(block, sentence))
    }

    /// Where the sentence of a number stands: in the text, or in the values of its attributes.
    fn place(&self, number: usize) -> Option<(&Self, (usize, usize))> {
        match self.translatable.get(number) {
            Some(&place) => Some((self, place)),
            None => self.values.as_ref()?.text.place(number - self.translatable.len()),
        }
    }

    fn source_of(&self, block: usize, sentence: usize) -> Source<'_> {
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
        let Some(inside) = &self.values else { return self.finish_own(answers) };
        let (own, others) = answers.split_at(answers.len().min(self.translatable.len()));
        let (values, places) = inside.text.write(others, &inside.text.blocks);
        let mut finished = match inside.again(&values.text, &places) {
            Ok(again) if again.translatable.len() == self.translatable.len() => again.finish_own(own),
            _ => self.finish_own(own),
        };
        let mut from = 0;
        for value in values.sentences {
            let at = finished.text[from..].find(&values.text[value.clone()]).map(|at| from + at);
            from = at.map_or(from, |at| at + value.len());
            finished.sentences.push(at.map(|at| at..at + value.len()).unwrap_or_default());
        }
        finished.inserted.extend(values.inserted);
        finished
    }

    fn finish_own(&self, answers: &[Option<Answer>]) -> TranslatedText {
        let (finished, places) = self.write(answers, &self.blocks);
        if !matches!(self.escape, Escape::Markdown(_)) {
            return finished;
        }
        // Where a translation made signs, or lost some, it is written with more care.
        let changed = markdown::changed(&self.input, &self.blocks, &finished.text, &places);
        if !changed.contains(&true) {
            return finished;
        }
        let careful = |(block, changed)| if changed { markdown::strict(block) } else { block.clone() };
        let blocks: Vec<Block> = self.blocks.iter().zip(changed).map(careful).collect();
        self.write(answers, &blocks).0
    }

    /// The text with other paragraphs, and where these stand in it.
    fn write(&self, answers: &[Option<Answer>], blocks: &[Block]) -> (TranslatedText, Vec<Range<usize>>) {
        let (mut finished, mut places) = (TranslatedText::default(), Vec::with_capacity(blocks.len()));
        let mut answers =
            self.translatable.iter().zip(answers.iter().map(Option::as_ref).chain(std::iter::repeat(None))).peekable();
        let mut last = 0;
        for (number, block) in blocks.iter().enumerate() {
            finished.text.push_str(&self.input[last..block.range.start]);
            let start = finished.text.len();
            let mut given = vec![None; block.sentences.len()];
            while let Some((place, answer)) = answers.next_if(|(place, _)| place.0 == number) {
                given[place.1] = answer;
            }
            last = block.range.end;
            if given.iter().all(Option::is_none) || block.is_translation(&given) {
                // Not a byte changes.
                finished.copy(block, &self.input);
                places.push(start..finished.text.len());
                continue;
            }
            let written = write(block, &given, block.escape.unwrap_or(self.escape), &mut finished.text);
            if let Some(layout) = &block.layout {
                let laid_out = layout.apply(&finished.text[start..]);
                finished.text.truncate(start);
                finished.text.push_str(&laid_out);
            }
            places.push(start..finished.text.len());
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
        (finished, places)
    }
}

/// The way to find sentences that the options choose.
pub(crate) fn how<'a>(splitter: &'a Splitter, options: &Options) -> Sentences<'a> {
    let lines = options.format == Format::Lines || options.split == Split::Lines;
    Sentences {
        splitter: (!lines).then_some(splitter),
        longest: (options.format != Format::Lines).then_some(options.longest),
        keep: options.keep,
        line_ends: LineEnds::Sentences,
        notation: Notation::Prose,
        style: Style::Any,
        escape: Escape::None,
    }
}

impl Block {
    /// Whether a paragraph that is written in its own place says the same in both languages.
    fn is_translation(&self, answers: &[Option<&Answer>]) -> bool {
        let same = |(answer, sentence): (&Option<&Answer>, &Sentence)| {
            answer.is_none_or(|answer| answer.text == on_one_line(&self.text[sentence.range.clone()]))
        };
        self.untranslated.is_none() && answers.iter().zip(&self.sentences).all(same)
    }
}

impl TranslatedText {
    /// A paragraph without answers, or whose answers are its own sentences.
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
        self.text.push_str(block.untranslated.as_deref().unwrap_or(&input[block.range.clone()]));
    }
}

/// The text with a blank for each character that ends a line and for each tab, so that no byte moves.
fn on_one_line(text: &str) -> Cow<'_, str> {
    let breaks = ['\n', '\r', '\t', '\u{b}', '\u{c}'];
    if text.contains(breaks) { text.replace(breaks, " ").into() } else { text.into() }
}
