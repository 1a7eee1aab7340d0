//! The directory of a training: files that its stages wrote, and no others.

use crate::error::Error;
use crate::files;
use crate::record::{Record, StageRecord, checksum_of, hexadecimal};
use metaphrase_base::NewFolder;
use std::fs;
use std::path::{Path, PathBuf};

/// The directory of a training.
///
/// Each file either matches its record, or is somebody else's: a stage writes into a directory of its own, then the
/// record gets the checksums of its files, and then the files get their names. A training that is killed between the
/// last two has a record of files that are missing, and makes them again.
#[derive(Debug)]
pub(crate) struct ModelFolder {
    path: PathBuf,
    record: Record,
}

/// Whether the files of a stage are those that it would write now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StageStatus {
    /// They are.
    Done,
    /// The stage was never done.
    New,
    /// They are not, for this reason.
    Outdated(String),
}

impl ModelFolder {
    /// The directory of a new training, or of one that goes on. It need not exist yet.
    pub(crate) fn open(path: &Path, resume: bool) -> Result<Self, Error> {
        let folder = |record| Self { path: path.to_owned(), record };
        match Record::read(path)? {
            None => {
                first_file(path)?.map_or_else(|| Ok(folder(Record::default())), |path| Err(Error::Foreign { path }))
            }
            Some(_) if !resume => Err(Error::Exists { path: path.to_owned() }),
            Some(record) => {
                let folder = folder(record);
                files::names().try_for_each(|name| folder.check(name))?;
                Ok(folder)
            }
        }
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether a stage has been done.
    pub(crate) fn has_stages(&self) -> bool {
        !self.record.0.is_empty()
    }

    /// The files of a training, with their checksums, as inputs of a later stage.
    pub(crate) fn inputs<'n>(&self, names: &[&'n str]) -> Result<Vec<(&'n str, u64)>, Error> {
        names.iter().map(|name| Ok((*name, checksum_of(&self.file(name))?))).collect()
    }

    /// Compares a stage with its record.
    pub(crate) fn standing(&self, stage: &str, now: &StageRecord) -> StageStatus {
        let Some(then) = self.record.0.get(stage) else { return StageStatus::New };
        let missing = || then.outputs.keys().find(|name| !self.file(name).exists());
        let reason = then.difference(now).or_else(|| missing().map(|name| format!("{name} is missing")));
        reason.map_or(StageStatus::Done, StageStatus::Outdated)
    }

    /// Does a stage: `content` writes its files into the directory that it gets. They replace those of the stage's
    /// record.
    pub(crate) fn make<T>(
        &mut self,
        stage: &str,
        mut now: StageRecord,
        content: impl FnOnce(&Path) -> Result<T, Error>,
    ) -> Result<T, Error> {
        // Never finished, and so removed on success and on failure.
        let part = NewFolder::create(&self.file(stage)).map_err(|cause| Error::write(&self.path, cause))?;
        let result = content(part.part()).map_err(|error| error.moved_to(part.part(), &self.path))?;
        let names = names_in(part.part())?;
        for name in &names {
            now.outputs.insert(name.clone(), hexadecimal(checksum_of(&part.part().join(name))?));
        }
        self.remove_outputs(stage)?;
        names.iter().try_for_each(|name| self.check(name))?;
        self.record.0.insert(stage.to_owned(), now);
        self.record.write(&self.path)?;
        for name in &names {
            let path = self.file(name);
            fs::rename(part.part().join(name), &path).map_err(|cause| Error::write(&path, cause))?;
        }
        Ok(result)
    }

    /// Removes the files that a stage wrote before, if they are still as it wrote them.
    fn remove_outputs(&mut self, stage: &str) -> Result<(), Error> {
        let Some(then) = self.record.0.get(stage) else { return Ok(()) };
        then.outputs.keys().try_for_each(|name| self.check(name))?;
        for path in then.outputs.keys().map(|name| self.file(name)).filter(|path| path.exists()) {
            fs::remove_file(&path).map_err(|cause| Error::write(&path, cause))?;
        }
        Ok(())
    }

    /// A file that exists must match its record.
    fn check(&self, name: &str) -> Result<(), Error> {
        let path = self.file(name);
        if path.symlink_metadata().is_err() {
            return Ok(());
        }
        let Some(expected) = self.record.output(name) else { return Err(Error::Foreign { path }) };
        let found = hexadecimal(checksum_of(&path)?);
        if found == expected {
            return Ok(());
        }
        Err(Error::Changed { path, found, expected: expected.to_owned() })
    }
}

/// The first file or directory in a directory, by name, that nobody hides.
fn first_file(folder: &Path) -> Result<Option<PathBuf>, Error> {
    if !folder.exists() {
        return Ok(None);
    }
    let names = names_in(folder)?;
    Ok(names.into_iter().find(|name| !name.starts_with('.')).map(|name| folder.join(name)))
}

/// The names in a directory, in order.
fn names_in(folder: &Path) -> Result<Vec<String>, Error> {
    let read = || -> std::io::Result<Vec<String>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    };
    let mut names = read().map_err(|cause| Error::read(folder, cause))?;
    names.sort();
    Ok(names)
}
