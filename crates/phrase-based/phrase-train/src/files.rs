//! Files of a model directory: whole or absent.

use crate::error::Error;
use flate2::Compression;
use flate2::write::GzEncoder;
use metaphrase_align::Alignment;
use metaphrase_base::{Gunzip, NewFile, read_line};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

/// The links of all sentence pairs.
pub(crate) const LINKS: &str = "alignment.gz";
/// The tables, as [`metaphrase_align::extract`] calls them.
pub(crate) const PHRASE_TABLE: &str = "phrase-table.gz";
/// See [`PHRASE_TABLE`].
pub(crate) const REORDERING_TABLE: &str = "reordering-table.wbe-msd-bidirectional-fe.gz";
/// The language model.
pub(crate) const LANGUAGE_MODEL: &str = "lm.arpa.gz";
/// Phrase and reordering table, compiled.
pub(crate) const COMPILED_TABLES: &str = "tables.bin";
/// The language model, compiled.
pub(crate) const COMPILED_LANGUAGE_MODEL: &str = "lm.bin";
/// The model with the weights that tuning begins with.
pub(crate) const UNTUNED: &str = "moses.untuned.ini";
/// The model.
pub(crate) const TUNED: &str = "moses.ini";
/// The same model with the tables as text, if [`TUNED`] names compiled tables: for Moses.
pub(crate) const OF_TEXT: &str = "moses.text.ini";

/// The other files of [`metaphrase_align::extract`].
const LEXICONS: [&str; 3] = ["lex.s2t.gz", "lex.t2s.gz", "candidates.s2t.gz"];

/// The names of all files that a training writes, but for its record.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let tables = [LINKS, PHRASE_TABLE, REORDERING_TABLE, LANGUAGE_MODEL, COMPILED_TABLES, COMPILED_LANGUAGE_MODEL];
    [UNTUNED, TUNED, OF_TEXT].into_iter().chain(tables).chain(LEXICONS)
}

/// Bytes that are compressed at once.
const BUFFER: usize = 1 << 16;

/// Writes a file next to its final place, then moves it there; compressed if its name ends with `.gz`.
pub(crate) fn write<T>(path: &Path, content: impl FnOnce(&mut dyn Write) -> Result<T, Error>) -> Result<T, Error> {
    let failed = |cause| Error::write(path, cause);
    let file = NewFile::create(path).map_err(failed)?;
    let gz = path.extension().is_some_and(|extension| extension == "gz");
    let (result, file) = if gz {
        let mut writer = BufWriter::with_capacity(BUFFER, GzEncoder::new(file, Compression::default()));
        let result = content(&mut writer)?;
        let encoder = writer.into_inner().map_err(|error| failed(error.into_error()))?;
        (result, encoder.finish().map_err(failed)?)
    } else {
        let mut writer = BufWriter::with_capacity(BUFFER, file);
        let result = content(&mut writer)?;
        (result, writer.into_inner().map_err(|error| failed(error.into_error()))?)
    };
    file.finish().map_err(failed)?;
    Ok(result)
}

/// The same for content that can fail only where the file does.
pub(crate) fn write_with(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    write(path, |file| content(file).map_err(|cause| Error::write(path, cause)))
}

/// Writes a short text.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Error> {
    write_with(path, |file| file.write_all(text.as_bytes()))
}

/// Writes links, a line for each sentence pair.
pub(crate) fn write_links(path: &Path, links: &[Alignment]) -> Result<(), Error> {
    write_with(path, |file| links.iter().try_for_each(|line| writeln!(file, "{line}")))
}

/// Reads them.
pub(crate) fn read_links(path: &Path) -> Result<Vec<Alignment>, Error> {
    let file = File::open(path).map_err(|cause| Error::read(path, cause))?;
    let (mut links, mut line) = (Vec::new(), Vec::new());
    let mut file = BufReader::new(Gunzip::new(file));
    while read_line(&mut file, &mut line).map_err(|cause| Error::read(path, cause))?.is_some() {
        let parsed = String::from_utf8_lossy(&line).parse();
        let number = links.len() + 1;
        links.push(parsed.map_err(|cause| Error::Links { path: path.to_owned(), line: number, cause })?);
        line.clear();
    }
    Ok(links)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LINKS);
        let links: Vec<Alignment> = ["0-0 1-1", "", "0-2"].iter().map(|line| line.parse().unwrap()).collect();
        write_links(&path, &links).unwrap();
        assert_eq!(read_links(&path).unwrap(), links);
        std::fs::write(&path, "no gzip").unwrap();
        assert!(read_links(&path).unwrap_err().to_string().starts_with("cannot read "));
    }

    #[test]
    fn what_fails_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let failed = write(&path, |file| {
            file.write_all(b"half").map_err(|cause| Error::write(&path, cause))?;
            Err::<(), _>(Error::NoDev)
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
