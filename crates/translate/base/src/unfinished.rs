//! Files that are written atomically, and the list of unfinished files.
//!
//! The content is written under another name in the same folder, [`PREFIX`]`…`[`SUFFIX`], and renamed when everything
//! is on disk. Three things remove content that is not finished: the value's end, [`remove_unfinished`] when a signal
//! ends the program, and, after the program was killed, the next program that writes into the same folder. The lock
//! that the writer holds distinguishes such a leftover from work of another program.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// How names of unfinished files and folders begin.
const PREFIX: &str = ".metaphrase-";
/// How names of unfinished files and folders end.
const SUFFIX: &str = ".part";

/// The unfinished files and folders of this program. A signal handler has no caller to ask, so the list is the
/// program's.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all unfinished files and folders of this program, which then must end: it can begin no others.
pub fn remove_unfinished() {
    let guard = unfinished();
    for path in guard.iter() {
        // A part that can not be removed is left to the next program.
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    std::mem::forget(guard);
}

/// A name on the list of unfinished files and folders, until it is dropped.
#[derive(Debug)]
pub(crate) struct ListEntry(PathBuf);

impl Drop for ListEntry {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

/// A file that is being written. [`finish`](Self::finish) gives it its name; if the value is dropped before, the file
/// at that name stays as it was.
#[derive(Debug)]
pub struct NewFile {
    content: Content,
    path: PathBuf,
}

/// Where the content of a [`NewFile`] is until it is finished.
#[derive(Debug)]
enum Content {
    /// A file next to its final place. The file is dropped first: that removes it.
    Part(NamedTempFile, ListEntry),
    /// In a device or a named pipe, which is written to and never replaced.
    Stream(File),
}

impl NewFile {
    /// Begins the file that will be at `path`. It has the permissions of any other new file, or those of the file that
    /// it replaces. The target of a link is replaced, not the link. A device or a named pipe is written to.
    ///
    /// # Errors
    /// Errors of the operating system; a directory is refused.
    pub fn create(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
            let content = Content::Stream(File::options().write(true).open(&path)?);
            return Ok(Self { content, path });
        }
        let folder = folder_of(&path);
        remove_leftovers(folder);
        loop {
            let (file, listed) = begin(|builder| {
                permit(builder, 0o666);
                let file = builder.tempfile_in(folder).map_err(system_error)?;
                let name = file.path().to_owned();
                Ok((file, name))
            })?;
            // Before it was locked, another program may have taken the file for a leftover.
            let locked = file.as_file().lock();
            if locked.is_err() || file.path().exists() {
                return Ok(Self { content: Content::Part(file, listed), path });
            }
        }
    }

    /// Where the file will be.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes sure that the content is on disk, so that little can go wrong in [`finish`](Self::finish).
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn sync(&self) -> io::Result<()> {
        match &self.content {
            Content::Part(file, _) => file.as_file().sync_all(),
            Content::Stream(_) => Ok(()),
        }
    }

    /// Gives the file its name, once its content is on disk.
    ///
    /// # Errors
    /// Errors of the operating system; then the file at the name is as it was.
    pub fn finish(self) -> io::Result<()> {
        self.sync()?;
        let Content::Part(file, _listed) = self.content else { return Ok(()) };
        if let Ok(replaced) = fs::metadata(&self.path) {
            file.as_file().set_permissions(replaced.permissions())?;
        }
        file.persist(&self.path)?;
        sync_folder(folder_of(&self.path))
    }

    /// Writes a whole file.
    ///
    /// # Errors
    /// Errors of the operating system; then the file at the name is as it was.
    pub fn write(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
        let mut file = Self::create(path)?;
        file.write_all(content.as_ref())?;
        file.finish()
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.content {
            Content::Part(file, _) => file.as_file_mut().write(bytes),
            Content::Stream(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.content {
            Content::Part(file, _) => file.as_file_mut().flush(),
            Content::Stream(file) => file.flush(),
        }
    }
}

/// Creates a file or folder under a new name, and lists it. No signal comes between the two.
pub(crate) fn begin<T>(
    create: impl FnOnce(&mut tempfile::Builder<'_, '_>) -> io::Result<(T, PathBuf)>,
) -> io::Result<(T, ListEntry)> {
    let mut list = unfinished();
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    let (created, name) = create(&mut builder)?;
    list.insert(name.clone());
    Ok((created, ListEntry(name)))
}

/// The error of the operating system without the name of the part, which `tempfile` adds: the user knows the name of
/// the file.
pub(crate) fn system_error(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path \"") {
        Some((system, _)) => io::Error::new(error.kind(), system),
        None => error,
    }
}

/// The permissions of any other new file or folder, instead of the owner's alone.
pub(crate) fn permit(builder: &mut tempfile::Builder<'_, '_>, mode: u32) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = (builder, mode);
}

/// Removes the unfinished files and folders of programs that were killed: those that nobody locks.
pub(crate) fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let Ok(kind) = entry.file_type() else { continue };
        if !name.starts_with(PREFIX) || !name.ends_with(SUFFIX) || !(kind.is_file() || kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        let lock = File::open(&path).ok().filter(|file| file.try_lock().is_ok());
        if lock.is_some() {
            // A leftover that can not be removed harms nothing.
            let _ = if kind.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}

/// The folder that a path is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes sure that the names in a folder are on disk.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder)?.sync_all() {
        // Some file systems do not synchronise folders.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
pub(crate) mod tests {
    use super::*;
    use crate::NewFolder;

    /// The names in a folder, sorted.
    pub(crate) fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("name");
        drop(NewFile::create(&path).unwrap());
        assert_eq!(names(folder.path()), [""; 0]);
        NewFile::write(&path, "old").unwrap();
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!((names(folder.path()).len(), fs::read(&path).unwrap()), (2, b"old".to_vec()));
        drop(file);
        assert_eq!((names(folder.path()), fs::read(&path).unwrap()), (vec!["name".into()], b"old".to_vec()));
        NewFile::write(&path, "new").unwrap();
        assert_eq!((names(folder.path()), fs::read(&path).unwrap()), (vec!["name".into()], b"new".to_vec()));
    }

    #[test]
    fn errors_do_not_name_the_part() {
        let missing = tempfile::tempdir().unwrap().path().join("none/name");
        for error in [NewFile::create(&missing).unwrap_err(), NewFolder::create(&missing).unwrap_err()] {
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
            assert!(!error.to_string().contains(PREFIX), "{error}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told_without_the_name_of_the_part() {
        let Content::Stream(full) = NewFile::create(Path::new("/dev/full")).unwrap().content else {
            panic!("a device")
        };
        let folder = tempfile::tempdir().unwrap();
        let mut file = NewFile::create(&folder.path().join("name")).unwrap();
        let Content::Part(part, _) = &mut file.content else { panic!("a file") };
        *part.as_file_mut() = full;
        let error = file.write_all(b"x").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(!error.to_string().contains(PREFIX), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_are_written_to_and_links_stay() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        NewFile::write(Path::new("/dev/null"), "x").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert!(NewFile::write(Path::new("/dev/full"), "x").is_err());
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(NewFile::create(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        symlink(&file, &link).unwrap();
        NewFile::write(&link, "new").unwrap();
        assert!(link.is_symlink() && fs::read(&file).unwrap() == b"new");
    }

    #[cfg(unix)]
    #[test]
    fn modes_are_those_of_other_files() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (plain, new, inside) =
            (folder.path().join("plain"), folder.path().join("new"), folder.path().join("folder"));
        fs::write(&plain, "").unwrap();
        NewFile::write(&new, "").unwrap();
        assert_eq!(mode(&new), mode(&plain));
        fs::create_dir(folder.path().join("plain-folder")).unwrap();
        NewFolder::create(&inside).unwrap().finish().unwrap();
        assert_eq!(mode(&inside), mode(&folder.path().join("plain-folder")));
        fs::set_permissions(&new, fs::Permissions::from_mode(0o640)).unwrap();
        NewFile::write(&new, "again").unwrap();
        assert_eq!(mode(&new), 0o640, "a replaced file keeps its permissions");
    }

    #[test]
    fn leftovers_of_killed_programs_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let here = |name: &str| folder.path().join(name);
        let working = NewFile::create(&here("other")).unwrap();
        fs::write(here(".metaphrase-killed.part"), "half").unwrap();
        fs::create_dir(here(".metaphrase-folder.part")).unwrap();
        fs::write(here(".metaphrase-folder.part/half"), "half").unwrap();
        fs::write(here("mine.part"), "mine").unwrap();
        NewFile::write(&here("new"), "").unwrap();
        assert_eq!(names(folder.path()).len(), 3, "{:?}", names(folder.path()));
        assert!(here("mine.part").exists() && here("new").exists());
        working.finish().unwrap();
        assert!(here("other").exists());
    }
}
