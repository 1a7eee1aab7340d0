//! The files that are written.

use super::ExtractError;
use super::count::PairCounts;
use super::lexicon::{Lexicon, Translation, write_translations};
use super::number::General;
use super::orientation::probabilities;
use super::ranks::{Ranks, SEPARATOR};
use super::score::{Scorer, Scores};
use super::smoothing::Marginal;
use super::sorter::{Merge, Record};
use crate::corpus::Words;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Bytes that are compressed at once.
const BUFFER: usize = 1 << 16;

/// A compressed file that gets its name when all are written.
pub(crate) struct Table {
    path: PathBuf,
    /// Buffered before it is compressed: a call of the encoder for each number would take longer than all the rest.
    writer: BufWriter<GzEncoder<NamedTempFile>>,
}

impl Table {
    fn create(folder: &Path, name: &str) -> Result<Self, ExtractError> {
        let path = folder.join(name);
        let mut builder = tempfile::Builder::new();
        builder.prefix(".metaphrase-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        match builder.tempfile_in(folder) {
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

    /// All is written: the file gets its name.
    pub fn publish(self) -> Result<(), ExtractError> {
        let Self { path, writer } = self;
        let finish = || {
            writer.into_inner()?.finish()?.persist(&path)?;
            Ok(())
        };
        finish().map_err(|error| ExtractError::Write { path: path.clone(), error })
    }
}

/// Writes the phrase table and the reordering table; also gives the number of phrase pairs in them.
pub(crate) fn write(
    mut pairs: Merge,
    scorer: &Scorer<'_>,
    ranks: &[Ranks; 2],
    (source_words, target_words): (&Words, &Words),
    folder: &Path,
) -> Result<([Table; 2], u64), ExtractError> {
    let mut tables = [
        Table::create(folder, "phrase-table.gz")?,
        Table::create(folder, "reordering-table.wbe-msd-bidirectional-fe.gz")?,
    ];
    let separators = [ranks[0].separator(), ranks[1].separator()];
    let text = |side: usize, phrase: &[u32]| -> String {
        let words = [source_words, target_words][side];
        let text = |&rank: &u32| ranks[side].word(rank).map(|word| words.text(word));
        phrase.iter().filter_map(text).collect::<Vec<_>>().join(" ")
    };
    let (mut record, mut group, mut kept) = (Record::default(), Vec::new(), 0);
    loop {
        let more = pairs.next(&mut record).map_err(|error| ExtractError::scratch(folder, error))?;
        let source = phrase(&record.key, separators[0]);
        let ends = group.first().is_some_and(|first: &Record| !more || phrase(&first.key, separators[0]) != source);
        if ends {
            let of_source = marginal(&group);
            for pair in group.drain(..) {
                let source = phrase(&pair.key, separators[0]);
                let target = phrase(&pair.key[source.len() + 1..], separators[1]);
                let counts = PairCounts::from_values(&pair.values);
                let Some(scores) = scorer.score(source, target, &counts, of_source) else { continue };
                kept += 1;
                let phrases = format!("{} {SEPARATOR} {} {SEPARATOR}", text(0, source), text(1, target));
                tables[0].write(|file| write_scores(file, &phrases, &scores, &counts, of_source))?;
                tables[1].write(|file| write_orientations(file, &phrases, &counts))?;
            }
        }
        if !more {
            return Ok((tables, kept));
        }
        group.push(record.clone());
    }
}

/// What stands before the separator.
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
    of_source: Marginal,
) -> io::Result<()> {
    let [backward, lexical_backward, forward, lexical_forward] =
        [scores.backward, scores.lexical_backward, scores.forward, scores.lexical_forward].map(General);
    let (links, count) = (pair.links, pair.count);
    writeln!(
        file,
        "{phrases} {backward} {lexical_backward} {forward} {lexical_forward} {SEPARATOR} {links} {SEPARATOR} {} {} {count} {SEPARATOR} {SEPARATOR}",
        pair.target.count, of_source.count,
    )
}

/// `source ||| target ||| previous: monotone swap discontinuous, next: the same`
fn write_orientations(file: &mut dyn Write, phrases: &str, pair: &PairCounts) -> io::Result<()> {
    write!(file, "{phrases}")?;
    probabilities(pair.orientations).into_iter().try_for_each(|p| write!(file, " {}", General(p)))?;
    writeln!(file)
}

/// Writes word translation probabilities and candidates.
pub(crate) fn write_lexicon(
    lexicon: &Lexicon,
    candidates: usize,
    (source, target): (&Words, &Words),
    folder: &Path,
) -> Result<[Table; 3], ExtractError> {
    let table = |name, translations: &[Translation], words| {
        let mut table = Table::create(folder, name)?;
        table.write(|mut file| write_translations(&mut file, translations, words))?;
        Ok(table)
    };
    Ok([
        table("lex.s2t.gz", &lexicon.translations(None), (source, target))?,
        table("lex.t2s.gz", &lexicon.inverted().translations(None), (target, source))?,
        table("candidates.s2t.gz", &lexicon.translations(Some(candidates)), (source, target))?,
    ])
}
