//! Models in archives: zip files, as the releases of OPUS-MT and the packages of Argos Translate (`.argosmodel`) are,
//! and `.tar.gz`. An archive is unpacked to a temporary folder, which is there while its model is being opened.

use crate::Error;
use crate::bundled::Bundled;
use flate2::read::MultiGzDecoder;
use metaphrase_models::{ModelError, ModelFiles};
use metaphrase_text::vocab::VocabularyError;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use zip::ZipArchive;

/// Weights can not be packed much; an archive that grows more than this is not a model.
const LARGEST_GROWTH: u64 = 50;

/// Any archive may grow to this size: lists of words can be packed well.
const SMALLEST_ROOM: u64 = 1 << 20;

/// More files than any model has.
const MOST_FILES: usize = 10_000;

/// The folders of archives that translation does not need: those of macOS, and in packages of Argos Translate those of
/// the programs that find sentences.
const UNUSED_FOLDERS: [&str; 3] = ["__MACOSX", "stanza", "minisbd"];

/// The number of folders around a model in an archive.
const DEEPEST: usize = 4;

/// The files of a model on disk: those that a user names, or those of the archive or of the bundled model that a user
/// names.
#[derive(Debug, Clone)]
pub(crate) struct OnDisk {
    /// A file or a directory.
    pub(crate) path: PathBuf,
    /// What the user names.
    name: PathBuf,
    /// The folder with the files if they are copies, for as long as this lives.
    copies: Option<Arc<TempDir>>,
}

impl OnDisk {
    /// The files of the model at `path`, which may be an archive.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let Some(archive) = Archive::open(path)? else {
            return Ok(Self { path: path.to_owned(), name: path.to_owned(), copies: None });
        };
        let folder = archive.unpack()?;
        // Languages may be known by the name alone.
        let whole = folder.path().join(archive_stem(path));
        let directory = archive.model(&whole).map_err(|error| error.moved(&whole, path))?;
        Ok(Self { path: directory, name: path.to_owned(), copies: Some(Arc::new(folder)) })
    }

    /// The files of the model at `path`, or of the bundled model of this name.
    pub(crate) fn open_any(path: &Path) -> Result<Self, Error> {
        let Some(bundled) = Bundled::named(path) else { return Self::open(path) };
        let folder = bundled.unpack()?;
        Ok(Self { path: folder.path().to_owned(), name: path.to_owned(), copies: Some(Arc::new(folder)) })
    }

    /// The error with the path that the user knows.
    pub(crate) fn renamed(&self, error: impl Into<Error>) -> Error {
        match error.into() {
            error if self.copies.is_none() => error,
            Error::Model(error) => Error::Model(error.moved(&self.path, &self.name)),
            Error::Vocabulary(VocabularyError::File { path, source }) => {
                VocabularyError::File { path: self.renamed_path(&path), source }.into()
            }
            error => error,
        }
    }

    /// The path that the user knows, of a file of the model.
    pub(crate) fn renamed_path(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.path) {
            Ok(inside) if self.copies.is_some() && !inside.as_os_str().is_empty() => self.name.join(inside),
            Ok(_) if self.copies.is_some() => self.name.clone(),
            _ => path.to_owned(),
        }
    }

    /// The text with the path that the user knows.
    pub(crate) fn renamed_text(&self, text: &str) -> String {
        match &self.copies {
            Some(_) => text.replace(&*self.path.to_string_lossy(), &self.name.to_string_lossy()),
            None => text.to_owned(),
        }
    }
}

/// The ends of the names of archives.
const EXTENSIONS: [(&str, Kind); 5] = [
    (".zip", Kind::Zip),
    (".argosmodel", Kind::Zip),
    (".tar.gz", Kind::TarGz),
    (".tgz", Kind::TarGz),
    (".tar", Kind::Tar),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Zip,
    Tar,
    TarGz,
}

/// Whether this is a file with the name of an archive.
pub(crate) fn has_archive_name(path: &Path) -> bool {
    extension(path).is_some() && path.is_file()
}

fn extension(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    EXTENSIONS.iter().find(|(end, _)| name.len() > end.len() && name.ends_with(end)).map(|(end, _)| *end)
}

/// The name of an archive without its extension.
fn archive_stem(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("model");
    &name[..name.len() - extension(path).map_or(0, str::len)]
}

/// An archive with a model.
#[derive(Debug, Clone, Copy)]
struct Archive<'a> {
    path: &'a Path,
    kind: Kind,
}

impl<'a> Archive<'a> {
    /// The archive at `path`, if the file is one by its name and by its first bytes.
    fn open(path: &'a Path) -> Result<Option<Self>, ModelError> {
        if !has_archive_name(path) {
            return Ok(None);
        }
        let mut start = Vec::new();
        let read = File::open(path).and_then(|file| file.take(512).read_to_end(&mut start));
        read.map_err(|source| ModelError::Io { path: path.to_owned(), action: "read", source })?;
        let kind = match start[..] {
            [b'P', b'K', ..] => Kind::Zip,
            [0x1f, 0x8b, ..] => Kind::TarGz,
            _ if start.get(257..262) == Some(b"ustar") => Kind::Tar,
            _ => return Ok(None),
        };
        Ok(Some(Self { path, kind }))
    }

    /// A new folder that holds a folder with the files.
    fn unpack(self) -> Result<TempDir, ModelError> {
        let read = |source| ModelError::Io { path: self.path.to_owned(), action: "read", source };
        let file = File::open(self.path).map_err(read)?;
        let room = file.metadata().map_err(read)?.len().saturating_mul(LARGEST_GROWTH).max(SMALLEST_ROOM);
        let folder = TempDir::with_prefix("metaphrase-").map_err(|e| self.no_room(&std::env::temp_dir(), &e))?;
        let whole = folder.path().join(archive_stem(self.path));
        fs::create_dir(&whole).map_err(|e| self.no_room(&whole, &e))?;
        let mut files = FileWriter { archive: self, folder: whole, room, files: 0 };
        match self.kind {
            Kind::Zip => files.write_zip(file)?,
            Kind::Tar => files.write_tar(file)?,
            Kind::TarGz => files.write_tar(MultiGzDecoder::new(io::BufReader::new(file)))?,
        }
        Ok(folder)
    }

    /// The directory of the only model in the folder `whole`.
    fn model(self, whole: &Path) -> Result<PathBuf, ModelError> {
        let mut found = Vec::new();
        let problem = find_models(whole, DEEPEST, &mut found);
        match (&found[..], problem) {
            ([directory], _) => Ok(directory.clone()),
            ([], Some(problem)) => Err(problem),
            _ => {
                let name = |path: &PathBuf| path.strip_prefix(whole).unwrap_or(path).display().to_string();
                let names = found.iter().map(name).collect::<Vec<_>>().join(", ");
                Err(self.settings(format!(
                    "it holds several models: {names}; unpack it (`{}`) and name one",
                    self.command()
                )))
            }
        }
    }

    /// What a user can type to unpack it.
    fn command(self) -> String {
        let path = self.path.display();
        match self.kind {
            Kind::Zip => format!("unzip {path} -d DIR"),
            Kind::TarGz => format!("mkdir DIR && tar -xzf {path} -C DIR"),
            Kind::Tar => format!("mkdir DIR && tar -xf {path} -C DIR"),
        }
    }

    fn settings(self, problem: String) -> ModelError {
        ModelError::Settings { path: self.path.to_owned(), problem }
    }

    /// The file is cut or altered, or another kind of file.
    fn broken(self, problem: &dyn std::fmt::Display) -> ModelError {
        let format = if self.kind == Kind::Zip { "zip" } else { "tar" };
        ModelError::Malformed { path: self.path.to_owned(), format, problem: format!("{problem}; download it again") }
    }

    /// The files can not be written.
    fn no_room(self, to: &Path, error: &io::Error) -> ModelError {
        let (to, command) = (to.display(), self.command());
        self.settings(format!(
            "it can not be unpacked to {to} ({error}); unpack it yourself (`{command}`) and name DIR"
        ))
    }
}

/// Finds the directories with models in a folder. Answers why there is none in the folder itself, or in the only
/// folder inside it.
fn find_models(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Option<ModelError> {
    let problem = match ModelFiles::find(folder) {
        Ok(_) => {
            found.push(folder.to_owned());
            return None;
        }
        Err(problem) => problem,
    };
    let Some(depth) = depth.checked_sub(1) else { return Some(problem) };
    let entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    let mut folders: Vec<&PathBuf> = entries.iter().filter(|path| path.is_dir()).collect();
    folders.sort();
    let mut problems: Vec<ModelError> = folders.iter().filter_map(|inner| find_models(inner, depth, found)).collect();
    match (problems.pop(), entries.len()) {
        (Some(inner), 1) => Some(inner),
        _ => Some(problem),
    }
}

/// Writes the files of an archive, and not more than they may have.
struct FileWriter<'a> {
    archive: Archive<'a>,
    folder: PathBuf,
    /// The bytes that the files may still have.
    room: u64,
    /// How many were written.
    files: usize,
}

impl FileWriter<'_> {
    fn write_zip(&mut self, file: File) -> Result<(), ModelError> {
        let archive = self.archive;
        let mut entries = ZipArchive::new(file).map_err(|error| archive.broken(&error))?;
        for i in 0..entries.len() {
            let mut entry = entries.by_index(i).map_err(|error| archive.broken(&error))?;
            if entry.is_file() {
                let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
                self.write(Path::new(&name), &mut entry)?;
            }
        }
        Ok(())
    }

    fn write_tar(&mut self, file: impl Read) -> Result<(), ModelError> {
        let archive = self.archive;
        let broken = |error: io::Error| archive.broken(&error);
        let mut entries = tar::Archive::new(file);
        for entry in entries.entries().map_err(broken)? {
            let mut entry = entry.map_err(broken)?;
            if matches!(entry.header().entry_type(), tar::EntryType::Regular | tar::EntryType::Continuous) {
                let name = entry.path().map_err(broken)?.into_owned();
                self.write(&name, &mut entry)?;
            }
        }
        Ok(())
    }

    /// Writes the file that the archive has as `name`, if a model may need it.
    fn write(&mut self, name: &Path, content: &mut impl Read) -> Result<(), ModelError> {
        let archive = self.archive;
        let Some(inside) = inside(name) else {
            return Err(archive.settings(format!("the file `{}` lies outside of the archive", name.display())));
        };
        if !is_needed(&inside) {
            return Ok(());
        }
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(archive.settings(format!("it holds more than {MOST_FILES} files, which no model does")));
        }
        let to = self.folder.join(inside);
        let created = to.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| File::create(&to));
        let mut file = created.map_err(|error| archive.no_room(&to, &error))?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = match content.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) => return Err(archive.broken(&error)),
            };
            self.room = self.room.checked_sub(read as u64).ok_or_else(|| {
                archive.settings(format!("it grows to more than {LARGEST_GROWTH} times its size, which no model does"))
            })?;
            io::Write::write_all(&mut file, &buffer[..read]).map_err(|error| archive.no_room(&to, &error))?;
        }
    }
}

/// The path inside the archive's folder; `None`: it leads out of the folder.
fn inside(name: &Path) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in name.components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (path.components().count() > 0).then_some(path)
}

fn is_needed(path: &Path) -> bool {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    let unused = |part: &str| part.starts_with('.') || UNUSED_FOLDERS.contains(&part);
    parts.len() <= DEEPEST + 1 && !parts.iter().any(|part| unused(part))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
