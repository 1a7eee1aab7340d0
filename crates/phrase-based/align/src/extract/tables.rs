//! The files that are written.

use super::ExtractError;
use super::count::PairCounts;
use super::lexicon::{Lexicon, Translation, write_translations};
use super::orientation::probabilities;
use super::ranks::{Ranks, SEPARATOR};
use super::score::{Scorer, Scores};
use super::smoothing::Marginal;
use super::sorter::{Merge, Record};
use flate2::Compression;
use flate2::write::GzEncoder;
use metaphrase_base::Words;
use metaphrase_base::{NewFile, SixDigits};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes that are compressed at once.
const BUFFER: usize = 1 << 16;

/// The names of the files that extraction writes into a folder: the phrase table, the reordering table, and the word
/// translations.
pub const TABLES: [&str; 5] = [
    "phrase-table.gz",
    "reordering-table.wbe-msd-bidirectional-fe.gz",
    "lex.s2t.gz",
    "lex.t2s.gz",
    "candidates.s2t.gz",
];

/// A compressed file that gets its name when all are written.
pub(crate) struct Table {
    path: PathBuf,
    /// Buffered before it is compressed: a call of the encoder for each number would take longer than all the rest.
    writer: BufWriter<GzEncoder<NewFile>>,
}

impl Table {
    fn create(folder: &Path, name: &str) -> Result<Self, ExtractError> {
        let path = folder.join(name);
        if path.is_dir() {
            // Reported now: in the end other tables would have their names already.
            return Err(ExtractError::Write { path, error: io::ErrorKind::IsADirectory.into() });
        }
        match NewFile::create(&path) {
            Ok(file) => {
                let writer = BufWriter::with_capacity(BUFFER, GzEncoder::new(file, Compression::default()));
                Ok(Self { path, writer })
            }
            Err(error) => Err(ExtractError::Write { path, error }),
        }
    }

    fn write(&mut self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), ExtractError> {
        content(&mut self.writer).map_err(|error| ExtractError::Write { path: self.path.clone(), error })
    }

    /// All is written and on disk: the file lacks nothing but its name.
    fn complete(self) -> Result<NewFile, ExtractError> {
        let Self { path, writer } = self;
        let complete = || {
            let file = writer.into_inner()?.finish()?;
            file.sync().map(|()| file)
        };
        complete().map_err(|error| ExtractError::Write { path, error })
    }
}

/// Gives tables their names, once all tables are complete, so that a full disk leaves no incomplete set of tables.
pub(crate) fn publish(tables: impl IntoIterator<Item = Table>) -> Result<(), ExtractError> {
    let complete: Vec<NewFile> = tables.into_iter().map(Table::complete).collect::<Result<_, _>>()?;
    complete.into_iter().try_for_each(|file| {
        let path = file.path().to_owned();
        file.finish().map_err(|error| ExtractError::Write { path, error })
    })
}

/// The phrase table and the reordering table.
pub(crate) struct PhraseTables<'a> {
    scorer: &'a Scorer<'a>,
    ranks: &'a [Ranks; 2],
    words: [&'a Words; 2],
    phrases: Table,
    orientations: Table,
    /// Phrase pairs written.
    pub kept: u64,
}

impl<'a> PhraseTables<'a> {
    /// Begins the tables.
    pub fn create(
        scorer: &'a Scorer<'a>,
        ranks: &'a [Ranks; 2],
        words: [&'a Words; 2],
        folder: &Path,
    ) -> Result<Self, ExtractError> {
        let phrases = Table::create(folder, TABLES[0])?;
        let orientations = Table::create(folder, TABLES[1])?;
        Ok(Self { scorer, ranks, words, phrases, orientations, kept: 0 })
    }

    /// Writes all phrase pairs, which come by source phrase. Those of one source phrase are in memory together.
    pub fn write(&mut self, mut pairs: Merge, folder: &Path) -> Result<(), ExtractError> {
        let separator = self.ranks[0].separator();
        let (mut record, mut group) = (Record::default(), Vec::<Record>::new());
        while pairs.next(&mut record).map_err(|error| ExtractError::scratch(folder, error))? {
            let source = phrase(&record.key, separator);
            if group.first().is_some_and(|first| phrase(&first.key, separator) != source) {
                self.write_group(&group)?;
                group.clear();
            }
            group.push(record.clone());
        }
        self.write_group(&group)
    }

    /// Writes the phrase pairs of a source phrase.
    fn write_group(&mut self, group: &[Record]) -> Result<(), ExtractError> {
        let source_marginal = marginal(group);
        for pair in group {
            let source = phrase(&pair.key, self.ranks[0].separator());
            let target = phrase(&pair.key[source.len() + 1..], self.ranks[1].separator());
            let counts = PairCounts::from_values(&pair.values);
            let Some(scores) = self.scorer.score(source, target, &counts, source_marginal) else { continue };
            self.kept += 1;
            let phrases = format!("{} {SEPARATOR} {} {SEPARATOR}", self.text(0, source), self.text(1, target));
            self.phrases.write(|file| write_scores(file, &phrases, &scores, &counts, source_marginal))?;
            self.orientations.write(|file| write_orientations(file, &phrases, &counts))?;
        }
        Ok(())
    }

    fn text(&self, side: usize, phrase: &[u32]) -> String {
        let text = |&rank: &u32| self.ranks[side].word(rank).map(|word| self.words[side].text(word));
        phrase.iter().filter_map(text).collect::<Vec<_>>().join(" ")
    }

    /// Both tables.
    pub fn into_tables(self) -> [Table; 2] {
        [self.phrases, self.orientations]
    }
}

/// The words before the separator.
fn phrase(key: &[u32], separator: u32) -> &[u32] {
    key.split(|&rank| rank == separator).next().unwrap_or(key)
}

/// Occurrences of a source phrase in all its pairs.
fn marginal(group: &[Record]) -> Marginal {
    let count = |pair: &Record| u64::from(PairCounts::from_values(&pair.values).count);
    Marginal { count: group.iter().map(count).sum(), distinct: group.len() as u64 }
}

/// `source ||| target ||| scores ||| links ||| counts of target, source, both ||| |||`
fn write_scores(
    file: &mut dyn Write,
    phrases: &str,
    scores: &Scores,
    pair: &PairCounts,
    source_marginal: Marginal,
) -> io::Result<()> {
    let [backward, lexical_backward, forward, lexical_forward] =
        [scores.backward, scores.lexical_backward, scores.forward, scores.lexical_forward].map(SixDigits);
    let (links, count) = (pair.links, pair.count);
    writeln!(
        file,
        "{phrases} {backward} {lexical_backward} {forward} {lexical_forward} {SEPARATOR} {links} {SEPARATOR} {} {} {count} {SEPARATOR} {SEPARATOR}",
        pair.target.count, source_marginal.count,
    )
}

/// `source ||| target ||| previous: monotone swap discontinuous, next: the same`
fn write_orientations(file: &mut dyn Write, phrases: &str, pair: &PairCounts) -> io::Result<()> {
    write!(file, "{phrases}")?;
    probabilities(pair.orientations).into_iter().try_for_each(|p| write!(file, " {}", SixDigits(p)))?;
    writeln!(file)
}

/// Writes word translation probabilities and candidates.
pub(crate) fn write_lexicon(
    lexicon: &Lexicon,
    candidates: usize,
    [source, target]: [&Words; 2],
    folder: &Path,
) -> Result<[Table; 3], ExtractError> {
    let table = |name, translations: &[Translation], words| {
        let mut table = Table::create(folder, name)?;
        table.write(|mut file| write_translations(&mut file, translations, words))?;
        Ok(table)
    };
    Ok([
        table(TABLES[2], &lexicon.translations(None), [source, target])?,
        table(TABLES[3], &lexicon.inverted().translations(None), [target, source])?,
        table(TABLES[4], &lexicon.translations(Some(candidates)), [source, target])?,
    ])
}
