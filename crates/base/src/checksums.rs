//! The file `checksums` of a directory: the checksums of its other files.

use crate::{MappedFile, checksum};
use std::collections::BTreeMap;
use std::path::Path;
use std::{fmt, io};

/// The checksums of some files of a directory, by name. As text, one line for each: sixteen hexadecimal digits, two spaces,
/// the name.
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
    /// Those of the operating system.
    pub fn of_files<'n>(directory: &Path, names: impl IntoIterator<Item = &'n str>) -> io::Result<Self> {
        let sum = |name: &str| Ok((name.to_owned(), checksum([&*MappedFile::open(&directory.join(name))?])));
        names.into_iter().map(sum).collect::<io::Result<_>>().map(Self)
    }

    /// Reads the file of a directory; `None` if the directory has no such file.
    ///
    /// # Errors
    /// Those of the operating system; [`io::ErrorKind::InvalidData`] for a line that is malformed.
    pub fn read(directory: &Path) -> io::Result<Option<Self>> {
        match std::fs::read_to_string(directory.join(Self::FILE)) {
            Ok(text) => Self::parse(&text).map(Some).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
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

    /// The names of the files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
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
        let checksums = Checksums::of_files(folder.path(), ["b c", "a"]).unwrap();
        assert_eq!(checksums.names().collect::<Vec<_>>(), ["a", "b c"]);
        std::fs::write(folder.path().join(Checksums::FILE), checksums.to_string()).unwrap();
        assert_eq!(Checksums::read(folder.path()).unwrap(), Some(checksums.clone()));
        assert_eq!(checksums.check("a", b"first"), Ok(()));
        let mut more = checksums.clone();
        more.set("e", b"");
        assert_eq!((more.check("e", b""), more.names().count()), (Ok(()), 3));
        assert!(checksums.check("a", b"fIrst").unwrap_err().ends_with("in the file `checksums`"));
        assert_eq!(checksums.check("d", b"").unwrap_err(), "the file `checksums` does not list it");
        let error = Checksums::parse("0123456789abcdef  a\n123  b\n").unwrap_err();
        assert!(error.starts_with("line 2: "), "{error}");
        assert!(Checksums::of_files(folder.path(), ["nowhere"]).is_err());
    }
}
