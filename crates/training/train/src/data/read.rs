//! Parallel text files to a [`Corpus`].

use super::alignment;
use super::lines::{LineBlock, LineReader};
use super::lists::Links;
use super::{Corpus, DataError, Report, Sentences, TermsFault};
use metaphrase_base::{WordId, in_parallel_while};
use metaphrase_text::sentencepiece::Scratch;
use metaphrase_text::vocab::Vocabulary;
use metaphrase_text::{MarkedText, TermMarks, pieces_of_words, spans};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Lines that a thread segments at a time.
const LINES_PER_THREAD: usize = 4096;
/// Bytes of lines that are read at a time, but for the last lines.
const BYTES_AT_A_TIME: usize = 16 << 20;

/// Text files that belong together line by line. A name that ends in `.gz` is a compressed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CorpusFiles {
    /// Source sentences, one per line.
    pub source: PathBuf,
    /// Target sentences.
    pub target: PathBuf,
    /// For guided alignment, links such as `0-0 1-2`: positions of source and target words as the vocabularies segment
    /// the sentences, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alignment: Option<PathBuf>,
    /// Whether the source sentences are written as words of the vocabulary with spaces between them, as
    /// `metaphrase tokenize --vocabulary` writes them. So a source can have words that no text becomes, such as
    /// `<0x01>`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub source_words: bool,
    /// How often an epoch sees each pair, more than once to give a small corpus more weight.
    #[serde(default = "once")]
    pub repeat: NonZeroU32,
}

impl CorpusFiles {
    /// The languages by which the files are called, such as `["en", "de"]` for `train.en.gz` and `train.de.gz`.
    pub(crate) fn languages(&self) -> Option<[String; 2]> {
        let language = |path: &Path| {
            let name = path.file_name()?.to_str()?;
            let (_, code) = name.strip_suffix(".gz").unwrap_or(name).rsplit_once('.')?;
            let is_code = code.len() == 2 && code.bytes().all(|b| b.is_ascii_lowercase());
            is_code.then(|| code.to_owned())
        };
        let pair = [language(&self.source)?, language(&self.target)?];
        (pair[0] != pair[1]).then_some(pair)
    }

    /// Two files without alignments, seen once per epoch.
    pub fn new(source: impl Into<PathBuf>, target: impl Into<PathBuf>) -> Self {
        Self { source: source.into(), target: target.into(), alignment: None, source_words: false, repeat: once() }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

fn once() -> NonZeroU32 {
    NonZeroU32::MIN
}

/// The vocabularies that segment the text.
#[derive(Debug, Clone, Copy)]
pub struct TextVocabularies<'a> {
    /// The source language's.
    pub source: &'a Vocabulary,
    /// The target language's.
    pub target: &'a Vocabulary,
    /// The source words that mark terms, if the text has some: see [`MarkedText`].
    pub term_marks: Option<TermMarks>,
}

impl<'a> TextVocabularies<'a> {
    /// For text without terms.
    #[must_use]
    pub fn new(source: &'a Vocabulary, target: &'a Vocabulary) -> Self {
        Self { source, target, term_marks: None }
    }
}

/// The source word before a text that a model wrote.
const BY_MODEL: &str = "<0x04>";

/// Which pairs are too long to be trained on. The end of sentence counts as a word, as with Marian's `--max-length`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Limits {
    /// Most words of a source sentence.
    pub max_source_words: usize,
    /// Most words of a target sentence.
    pub max_target_words: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_source_words: 100, max_target_words: 100 }
    }
}

impl Corpus {
    /// Reads and segments files, one after the other. Pairs with an empty side, with a side longer than `limits`, and
    /// with a line that is not UTF-8 are left out; the report has their number. The result does not depend on
    /// `threads`.
    ///
    /// # Errors
    /// If a file can not be read to its end, if files that belong together have not as many lines, if an alignment
    /// does not fit its sentences, if terms are not marked as they should be, or if no pair is left.
    pub fn read(
        files: &[CorpusFiles],
        vocabularies: TextVocabularies<'_>,
        limits: Limits,
        threads: usize,
    ) -> Result<(Self, Report), DataError> {
        let TextVocabularies { source, target, term_marks } = vocabularies;
        let segmenter = Segmenter { source, target, term_marks, limits };
        let with_links = files.iter().any(|files| files.alignment.is_some());
        let mut corpus = Self::empty(with_links);
        let mut report = Report::default();
        for files in files {
            read_files(files, &segmenter, threads.max(1), |part| {
                corpus.source.append(&part.source);
                corpus.target.append(&part.target);
                if let Some(links) = &mut corpus.links {
                    links.append(&part.links);
                }
                report.add(part.report);
            })?;
            corpus.end_file(files.repeat.get())?;
        }
        if corpus.is_empty() {
            return Err(DataError::NothingLeft(report));
        }
        corpus.source.shrink_to_fit();
        corpus.target.shrink_to_fit();
        Ok((corpus, report))
    }
}

/// Gives the pairs of some files to `take`, in order. While threads segment some lines, the next ones are read.
fn read_files(
    files: &CorpusFiles,
    segmenter: &Segmenter<'_>,
    threads: usize,
    mut take: impl FnMut(Part),
) -> Result<(), DataError> {
    let mut reader = PairReader::open(files)?;
    let mut lines = reader.read(threads * LINES_PER_THREAD)?;
    while lines.len() > 0 {
        let ranges = (0..lines.len()).step_by(LINES_PER_THREAD);
        let ranges = ranges.map(|start| start..(start + LINES_PER_THREAD).min(lines.len()));
        let segment = |range| segmenter.segment(files, &lines, range);
        let (parts, next) = in_parallel_while(threads, ranges, segment, || reader.read(threads * LINES_PER_THREAD));
        for part in parts {
            take(part?);
        }
        lines = next?;
    }
    Ok(())
}

/// Files that are read side by side.
struct PairReader {
    source: LineReader,
    target: LineReader,
    alignment: Option<LineReader>,
}

impl PairReader {
    fn open(files: &CorpusFiles) -> Result<Self, DataError> {
        Ok(Self {
            source: LineReader::open(&files.source)?,
            target: LineReader::open(&files.target)?,
            alignment: files.alignment.as_deref().map(LineReader::open).transpose()?,
        })
    }

    /// The next lines, at most `count`, and fewer of long ones.
    fn read(&mut self, count: usize) -> Result<PairLines, DataError> {
        let mut lines =
            PairLines { alignment: self.alignment.as_ref().map(|_| LineBlock::default()), ..PairLines::default() };
        while lines.len() < count && lines.bytes() < BYTES_AT_A_TIME {
            let more = self.source.read(&mut lines.source)?;
            if self.target.read(&mut lines.target)? != more {
                return Err(line_counts(&mut self.source, &mut self.target));
            }
            if let (Some(reader), Some(block)) = (&mut self.alignment, &mut lines.alignment)
                && reader.read(block)? != more
            {
                return Err(line_counts(&mut self.source, reader));
            }
            if !more {
                break;
            }
        }
        Ok(lines)
    }
}

/// Checks that files that belong together can be read to their ends and have as many lines.
///
/// # Errors
/// If they can not, or have not.
pub(crate) fn check_line_counts(files: &CorpusFiles) -> Result<(), DataError> {
    let mut reader = PairReader::open(files)?;
    while reader.read(LINES_PER_THREAD)?.len() > 0 {}
    Ok(())
}

/// The error of two files that have not as many lines. Reads both to their ends, to count.
fn line_counts(a: &mut LineReader, b: &mut LineReader) -> DataError {
    for reader in [&mut *a, &mut *b] {
        loop {
            match reader.read(&mut LineBlock::default()) {
                Ok(false) => break,
                Ok(true) => {}
                Err(error) => return error,
            }
        }
    }
    DataError::LineCounts {
        path: a.path().to_owned(),
        lines: a.lines(),
        other: b.path().to_owned(),
        other_lines: b.lines(),
    }
}

/// Some lines of each file, as many of each.
#[derive(Default)]
struct PairLines {
    source: LineBlock,
    target: LineBlock,
    alignment: Option<LineBlock>,
}

impl PairLines {
    fn len(&self) -> usize {
        self.source.len()
    }

    fn bytes(&self) -> usize {
        self.source.bytes() + self.target.bytes() + self.alignment.as_ref().map_or(0, LineBlock::bytes)
    }
}

/// Some pairs, segmented.
#[derive(Default)]
struct Part {
    source: Sentences,
    target: Sentences,
    links: Links,
    report: Report,
}

/// Segments lines; shared by threads.
struct Segmenter<'a> {
    source: &'a Vocabulary,
    target: &'a Vocabulary,
    term_marks: Option<TermMarks>,
    limits: Limits,
}

impl Segmenter<'_> {
    fn segment(&self, files: &CorpusFiles, lines: &PairLines, range: Range<usize>) -> Result<Part, DataError> {
        let mut part = Part::default();
        let mut scratch = Scratch::default();
        let (mut source, mut target) = (Vec::new(), Vec::new());
        for i in range {
            part.report.pairs += 1;
            let Some([source_line, target_line]) = texts(files, lines, i, &mut part.report) else {
                continue;
            };
            match files.source_words {
                true => self.source.look_up(source_line, &mut source),
                false if MarkedText::has_marks(source_line) => {
                    source = self.marked_source(files, source_line).map_err(|fault| DataError::Terms {
                        path: files.source.clone(),
                        line: lines.source.number(i),
                        fault,
                    })?;
                }
                false => self.source.encode_with(&mut scratch, source_line, &mut source),
            }
            self.target.encode_with(&mut scratch, target_line, &mut target);
            if self.is_kept(&source, &target, &mut part.report) {
                part.source.push(&source);
                part.target.push(&target);
                part.links.push(&links(files, lines, i, source.len(), target.len())?);
            }
        }
        Ok(part)
    }

    /// The words of a source with marks.
    fn marked_source(&self, files: &CorpusFiles, line: &str) -> Result<Vec<WordId>, TermsFault> {
        if files.alignment.is_some() {
            return Err(TermsFault::Alignment);
        }
        let marked = MarkedText::parse(line)?;
        let mut words = Vec::new();
        self.source.encode(&marked.text, &mut words);
        if !marked.terms.is_empty() {
            let marks = self.term_marks.ok_or(TermsFault::NoMarks)?;
            let pieces: Vec<String> =
                words[..words.len() - 1].iter().map(|&word| self.source.word(word).to_owned()).collect();
            let spans = spans(&pieces, &marked.text);
            let mut terms: Vec<(Range<usize>, Vec<WordId>)> = Vec::new();
            for (place, translation) in &marked.terms {
                let place = pieces_of_words(&spans, place);
                let is_free = terms.last().is_none_or(|(before, _)| before.end <= place.start);
                if !place.is_empty() && is_free {
                    let mut translated = Vec::new();
                    self.source.encode(translation, &mut translated);
                    translated.pop();
                    terms.push((place, translated));
                }
            }
            words = marks.insert(&words, &terms).words;
        }
        if marked.by_model {
            words.insert(0, self.source.id(BY_MODEL).ok_or(TermsFault::NoTag)?);
        }
        Ok(words)
    }

    /// Whether a pair is to be trained on; counts it.
    fn is_kept(&self, source: &[WordId], target: &[WordId], report: &mut Report) -> bool {
        let Limits { max_source_words, max_target_words } = self.limits;
        if source.len() < 2 || target.len() < 2 {
            report.empty += 1; // nothing but the end of sentence
            return false;
        }
        if source.len() > max_source_words || target.len() > max_target_words {
            report.too_long += 1;
            return false;
        }
        let unknown = |words: &[WordId], vocabulary: &Vocabulary| {
            words.iter().filter(|&&word| vocabulary.is_unknown(word)).count()
        };
        report.kept += 1;
        report.source_words += source.len();
        report.target_words += target.len();
        report.unknown_source_words += unknown(source, self.source);
        report.unknown_target_words += unknown(target, self.target);
        true
    }
}

/// Both sides of pair `i`; `None`, and counted, if a side can not be segmented.
fn texts<'a>(files: &CorpusFiles, lines: &'a PairLines, i: usize, report: &mut Report) -> Option<[&'a str; 2]> {
    let sides = [(&files.source, &lines.source), (&files.target, &lines.target)];
    if sides.iter().any(|(_, lines)| lines.is_cut(i)) {
        report.too_long += 1;
        return None;
    }
    let mut texts = [""; 2];
    for ((path, lines), text) in sides.into_iter().zip(&mut texts) {
        let Ok(valid) = std::str::from_utf8(lines.line(i)) else {
            report.invalid += 1;
            report.first_invalid.get_or_insert_with(|| (path.clone(), lines.number(i)));
            return None;
        };
        *text = valid;
    }
    Some(texts)
}

/// The links of pair `i`, whose sides have these numbers of words; empty without a file of alignments.
fn links(
    files: &CorpusFiles,
    lines: &PairLines,
    i: usize,
    source_words: usize,
    target_words: usize,
) -> Result<Vec<(u32, u32)>, DataError> {
    let (Some(path), Some(lines)) = (&files.alignment, &lines.alignment) else {
        return Ok(Vec::new());
    };
    alignment::parse(lines.line(i), source_words, target_words).map_err(|fault| DataError::Alignment {
        path: path.clone(),
        line: lines.number(i),
        fault,
    })
}

#[cfg(test)]
mod tests {
    use super::CorpusFiles;

    #[test]
    fn file_names_determine_languages() {
        let languages = |source: &str, target: &str| CorpusFiles::new(source, target).languages();
        assert_eq!(languages("a/train.en.gz", "train.de"), Some(["en".into(), "de".into()]));
        for (source, target) in
            [("train.src", "train.trg"), ("a.en", "b.en"), ("en", "de"), ("a.x", "a.y"), ("a.en", "b")]
        {
            assert_eq!(languages(source, target), None, "{source} {target}");
        }
    }
}
