//! The record of a training: how each stage made its files.

use crate::error::{Error, RECORD};
use crate::files;
use metaphrase_base::{MappedFile, checksum};
use metaphrase_settings::{from_toml, to_toml};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The stages that are done, by name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Record(pub(crate) BTreeMap<String, StageRecord>);

/// A stage that is done: its files, and everything that they depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StageRecord {
    /// The settings by name.
    pub(crate) settings: BTreeMap<String, String>,
    /// The checksums of texts, and of files of earlier stages.
    pub(crate) inputs: BTreeMap<String, String>,
    /// The checksums of the files that the stage wrote.
    #[serde(default)]
    pub(crate) outputs: BTreeMap<String, String>,
}

impl StageRecord {
    /// A stage that has written no file yet.
    pub(crate) fn new<'n>(
        settings: impl IntoIterator<Item = (&'n str, String)>,
        inputs: impl IntoIterator<Item = (&'n str, u64)>,
    ) -> Self {
        Self {
            settings: settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            inputs: inputs.into_iter().map(|(name, sum)| (name.to_owned(), hexadecimal(sum))).collect(),
            outputs: BTreeMap::new(),
        }
    }

    /// The first setting or input that differs in `now`, as a sentence.
    pub(crate) fn difference(&self, now: &Self) -> Option<String> {
        let setting = first_difference(&self.settings, &now.settings)
            .map(|(name, then, now)| format!("{name}: {then} then, {now} now"));
        let input = || first_difference(&self.inputs, &now.inputs);
        setting.or_else(|| input().map(|(name, ..)| format!("{name}: another content now")))
    }
}

/// The first name with different values, and the values.
fn first_difference<'m>(
    then: &'m BTreeMap<String, String>,
    now: &'m BTreeMap<String, String>,
) -> Option<(&'m str, &'m str, &'m str)> {
    let name = now.keys().chain(then.keys()).find(|name| then.get(*name) != now.get(*name))?;
    let value = |values: &'m BTreeMap<String, String>| values.get(name).map_or("none", String::as_str);
    Some((name, value(then), value(now)))
}

impl Record {
    /// The record of a directory; `None` if it has none.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>, Error> {
        let path = folder.join(RECORD);
        let text = match std::fs::read_to_string(&path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|cause| Error::read(&path, cause))?,
        };
        let read = from_toml(&text).map(Some);
        read.map_err(|e| Error::Record { line: e.line(&text), problem: e.to_string(), path })
    }

    /// Writes the record.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), Error> {
        let path = folder.join(RECORD);
        let text = to_toml(self).map_err(|e| Error::write(&path, io::Error::other(e.to_string())))?;
        let about = "# How the files of this directory were made, for a training that goes on: checksums of inputs and files.\n\n";
        files::write_text(&path, &format!("{about}{text}"))
    }

    /// The recorded checksum of a file of this directory.
    pub(crate) fn output(&self, name: &str) -> Option<&str> {
        self.0.values().find_map(|stage| stage.outputs.get(name)).map(String::as_str)
    }
}

/// A checksum as text.
pub(crate) fn hexadecimal(sum: u64) -> String {
    format!("{sum:016x}")
}

/// The checksum of a file.
pub(crate) fn checksum_of(path: &Path) -> Result<u64, Error> {
    let content = MappedFile::open(path).map_err(|cause| Error::read(path, cause))?;
    Ok(checksum([&*content]))
}

/// The checksum of lines, each of which ends with a line feed.
pub(crate) fn checksum_of_lines<L: AsRef<str>>(lines: impl IntoIterator<Item = L>) -> u64 {
    lines.into_iter().fold(0, |sum, line| checksum([&sum.to_le_bytes()[..], line.as_ref().as_bytes()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(length: &str, text: u64) -> StageRecord {
        StageRecord::new([("longest phrase", length.to_owned())], [("text", text)])
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Record::read(folder.path()).unwrap(), None);
        let mut record = Record::default();
        let outputs = [("lm.arpa.gz".to_owned(), hexadecimal(7))].into();
        record.0.insert("extract".into(), StageRecord { outputs, ..stage("7", 1) });
        record.write(folder.path()).unwrap();
        assert_eq!(Record::read(folder.path()).unwrap(), Some(record.clone()));
        assert_eq!((record.output("lm.arpa.gz"), record.output("lm.bin")), (Some("0000000000000007"), None));
        std::fs::write(folder.path().join(RECORD), "[extract]\nsettings = 7\n").unwrap();
        let error = Record::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("stages.toml, line 2: ") && error.ends_with("train in another directory"), "{error}");
    }

    #[test]
    fn the_first_difference_is_told() {
        assert_eq!(stage("7", 1).difference(&stage("7", 1)), None);
        assert_eq!(stage("7", 1).difference(&stage("3", 2)).unwrap(), "longest phrase: 7 then, 3 now");
        assert_eq!(stage("7", 1).difference(&stage("7", 2)).unwrap(), "text: another content now");
        let more = StageRecord::new([("longest phrase", "7".into()), ("order", "5".into())], [("text", 1)]);
        assert_eq!(stage("7", 1).difference(&more).unwrap(), "order: none then, 5 now");
        assert_eq!(more.difference(&stage("7", 1)).unwrap(), "order: 5 then, none now");
    }

    #[test]
    fn lines_are_not_joined() {
        let sum = |lines: &[&str]| checksum_of_lines(lines);
        assert_ne!(sum(&["a b\n", "c\n"]), sum(&["a\n", "b c\n"]));
        assert_ne!(sum(&["a\n"]), sum(&["a\n", "\n"]));
        assert_ne!(sum(&["a\n", "b\n"]), sum(&["b\n", "a\n"]));
    }
}
