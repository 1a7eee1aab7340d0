//! The file `checksums` of a directory: the checksums of its other files.

use crate::{MappedFile, checksum};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// The checksums of some files of a directory, by name. As text, one line for each: sixteen hexadecimal digits, two
/// spaces, the name.
///
/// ```
/// use metaphrase_base::Checksums;
///
/// let checksums = Checksums::parse("f20b84e0f20b84e0  empty\n0000000000000000  none\n")?;
/// assert!(checksums.check("none", b"").is_ok());
/// assert!(checksums.check("empty", b"").is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checksums(BTreeMap<String, u64>);

impl Checksums {
    /// The name of the file.
    pub const FILE: &str = "checksums";

    /// The checksums of these files of a directory, as they are now.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn from_files<'n>(directory: &Path, names: impl IntoIterator<Item = &'n str>) -> io::Result<Self> {
        let sum = |name: &str| Ok((name.to_owned(), checksum([&*MappedFile::open(&directory.join(name))?])));
        names.into_iter().map(sum).collect::<io::Result<_>>().map(Self)
    }

    /// Reads the file of a directory; `None` if the directory has no such file.
    ///
    /// # Errors
    /// Errors of the operating system; [`io::ErrorKind::InvalidData`] for a line that is malformed.
    pub fn read(directory: &Path) -> io::Result<Option<Self>> {
        Self::read_from(&directory.join(Self::FILE))
    }

    /// Reads a list of checksums with a name of its own; `None` if there is no such file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_from(list: &Path) -> io::Result<Option<Self>> {
        match std::fs::read_to_string(list) {
            Ok(text) => Self::parse(&text).map(Some).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e)),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads the text of the file.
    ///
    /// # Errors
    /// A sentence about the first line that is malformed.
    pub fn parse(text: &str) -> Result<Self, String> {
        let entry = |(at, line): (usize, &str)| {
            let parts = line.split_once("  ").filter(|(sum, name)| sum.len() == 16 && !name.is_empty());
            let sum = parts.and_then(|(sum, name)| Some((name.to_owned(), u64::from_str_radix(sum, 16).ok()?)));
            sum.ok_or_else(|| format!("line {}: expected sixteen hexadecimal digits, two spaces and a name", at + 1))
        };
        text.lines().enumerate().map(entry).collect::<Result<_, _>>().map(Self)
    }

    /// Lists a file with the checksum of this content.
    pub fn set(&mut self, name: &str, content: &[u8]) {
        self.0.insert(name.to_owned(), checksum([content]));
    }

    /// The checksum of a file, if the list has its name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.get(name).copied()
    }

    /// Compares the content of a file with its checksum.
    ///
    /// # Errors
    /// A sentence, if the checksum is another one or is missing.
    pub fn check(&self, name: &str, content: &[u8]) -> Result<(), String> {
        let expected = self.0.get(name).ok_or_else(|| format!("the file `{}` does not list it", Self::FILE))?;
        let found = checksum([content]);
        if found == *expected {
            return Ok(());
        }
        Err(format!("its checksum is {found:016x}, but {expected:016x} in the file `{}`", Self::FILE))
    }

    /// The first of these files of a directory that the list does not have, or that is not as it was when the list was
    /// written. A name that the directory does not have is passed over.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn first_unlisted<N: AsRef<OsStr>>(
        &self,
        directory: &Path,
        names: impl IntoIterator<Item = N>,
    ) -> io::Result<Option<UnlistedFile>> {
        for name in names {
            let path = directory.join(name.as_ref());
            let Ok(about) = std::fs::symlink_metadata(&path) else { continue };
            let Some(sum) = name.as_ref().to_str().and_then(|name| self.0.get(name)).filter(|_| about.is_file()) else {
                return Ok(Some(UnlistedFile { path, is_changed: false }));
            };
            if checksum([&*MappedFile::open(&path)?]) != *sum {
                return Ok(Some(UnlistedFile { path, is_changed: true }));
            }
        }
        Ok(None)
    }

    /// The names of the files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// A file of a directory that is not on the directory's list of [`Checksums`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnlistedFile {
    /// The file.
    pub path: PathBuf,
    /// Whether the list has its name, with another checksum.
    pub is_changed: bool,
}

impl fmt::Display for Checksums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, sum)| writeln!(f, "{sum:016x}  {name}"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_changed() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "first").unwrap();
        std::fs::write(folder.path().join("b c"), "").unwrap();
        assert_eq!(Checksums::read(folder.path()).unwrap(), None);
        let checksums = Checksums::from_files(folder.path(), ["b c", "a"]).unwrap();
        assert_eq!(checksums.names().collect::<Vec<_>>(), ["a", "b c"]);
        std::fs::write(folder.path().join(Checksums::FILE), checksums.to_string()).unwrap();
        assert_eq!(Checksums::read(folder.path()).unwrap(), Some(checksums.clone()));
        assert_eq!(checksums.check("a", b"first"), Ok(()));
        let first = || checksums.first_unlisted(folder.path(), ["a", "b c", "c", "none"]).unwrap();
        assert_eq!(first(), None);
        std::fs::write(folder.path().join("c"), "").unwrap();
        assert_eq!(first(), Some(UnlistedFile { path: folder.path().join("c"), is_changed: false }));
        std::fs::write(folder.path().join("a"), "fIrst").unwrap();
        assert_eq!(first(), Some(UnlistedFile { path: folder.path().join("a"), is_changed: true }));
        std::fs::remove_file(folder.path().join("a")).unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        assert_eq!(first(), Some(UnlistedFile { path: folder.path().join("a"), is_changed: false }));
        let mut more = checksums.clone();
        more.set("e", b"");
        assert_eq!((more.check("e", b""), more.names().count()), (Ok(()), 3));
        assert_eq!((more.get("e"), more.get("d")), (Some(checksum([])), None));
        assert!(checksums.check("a", b"fIrst").unwrap_err().ends_with("in the file `checksums`"));
        assert_eq!(checksums.check("d", b"").unwrap_err(), "the file `checksums` does not list it");
        let error = Checksums::parse("0123456789abcdef  a\n123  b\n").unwrap_err();
        assert!(error.starts_with("line 2: "), "{error}");
        assert!(Checksums::from_files(folder.path(), ["nowhere"]).is_err());
    }
}
