//! The files that a run wrote, known by their checksums.

use metaphrase_base::{Checksums, MappedFile, NewFile};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files of a directory that its file `checksums` lists.
///
/// The list gets a checksum before the file gets its name. So a file that does not match the list is somebody else's,
/// also after a run that was killed.
pub(crate) struct OwnFiles {
    folder: PathBuf,
    checksums: Checksums,
}

impl OwnFiles {
    /// The files of a directory, which need not exist.
    pub(crate) fn read(folder: &Path) -> io::Result<Self> {
        Ok(Self { folder: folder.to_owned(), checksums: Checksums::read(folder)?.unwrap_or_default() })
    }

    /// Whether a file is listed, as it is or as it was.
    pub(crate) fn lists(&self, name: &str) -> bool {
        self.checksums.names().any(|listed| listed == name)
    }

    /// Whether a file is there as it was written.
    pub(crate) fn has(&self, name: &str) -> bool {
        let content = MappedFile::open(&self.folder.join(name));
        content.is_ok_and(|content| self.checksums.check(name, &content).is_ok())
    }

    /// Writes a file, in place of one that is its own.
    pub(crate) fn write(&mut self, name: &str, content: impl AsRef<[u8]>) -> io::Result<()> {
        if self.has(name) {
            fs::remove_file(self.folder.join(name))?;
        }
        self.checksums.set(name, content.as_ref());
        NewFile::write(&self.folder.join(Checksums::FILE), self.checksums.to_string())?;
        NewFile::write(&self.folder.join(name), content)
    }

    /// Removes all files that are as they were written.
    pub(crate) fn remove(&mut self) -> io::Result<()> {
        let own = self.checksums.names().filter(|name| self.has(name));
        own.map(|name| self.folder.join(name)).try_for_each(fs::remove_file)
    }

    /// Whether a directory has the files of its list and those of `more`, and no others.
    pub(crate) fn is_all(folder: &Path, more: &[&str]) -> bool {
        let (Ok(own), Ok(mut entries)) = (Self::read(folder), fs::read_dir(folder)) else { return false };
        entries.all(|entry| {
            let name = entry.map(|entry| entry.file_name()).unwrap_or_default();
            let name = name.to_string_lossy();
            name == Checksums::FILE || more.contains(&&*name) || own.has(&name)
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    #[test]
    fn files_of_others_are_recognised() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut own = OwnFiles::read(folder.path()).unwrap();
        own.write("a", "one").unwrap();
        own.write("a", "two").unwrap();
        own.write("b", "three").unwrap();
        fs::write(path("mine"), "mine").unwrap();
        let mut again = OwnFiles::read(folder.path()).unwrap();
        assert!(again.has("a") && again.has("b") && !again.has("mine") && !again.lists("mine"));
        assert!(OwnFiles::is_all(folder.path(), &["mine"]) && !OwnFiles::is_all(folder.path(), &[]));
        fs::write(path("b"), "changed").unwrap();
        assert!(!again.has("b") && again.lists("b") && !OwnFiles::is_all(folder.path(), &["mine"]));
        again.remove().unwrap();
        assert!(!path("a").exists() && path("b").exists() && path("mine").exists());
    }
}
