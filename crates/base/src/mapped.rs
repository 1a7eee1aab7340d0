//! Files mapped into memory: the only `unsafe` code outside the kernels.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::path::Path;

/// The bytes of a file, whose pages are read when they are first touched and shared between programs.
///
/// A mapped file must not be changed in place while it is in use: the numbers would change, and on truncation the
/// operating system ends the process. Who replaces a file should therefore rename a new one to its name, which leaves the
/// mapping of the old one intact, as all programs of this project do.
#[derive(Debug)]
pub struct MappedFile(Mmap);

impl MappedFile {
    /// Maps a file.
    ///
    /// # Errors
    /// Those of the operating system; a directory is refused.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // SAFETY: the mapping is private and read-only. That nobody else truncates or rewrites the file is the caller's
        // side of the bargain, written above; the bytes are never taken for anything but plain numbers, of which every
        // bit pattern is valid.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) }?;
        Ok(Self(map))
    }

    /// Says that these bytes are not needed for now: their pages leave memory, and are read from the file again if they
    /// are needed after all. Advice: if it is not taken the pages stay, and nothing is lost.
    pub fn release(&self, range: Range<usize>) {
        #[cfg(unix)]
        {
            use memmap2::UncheckedAdvice::DontNeed;
            // SAFETY: this drops content only where pages were written to; the mapping is of a file and read-only, so
            // what is read later is what was read before.
            #[allow(unsafe_code)]
            let released = unsafe { self.0.unchecked_advise_range(DontNeed, range.start, range.len()) };
            let _ = released;
        }
        #[cfg(not(unix))]
        let _ = range;
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Bytes that were made in memory, or those of a file: a table that is the same bytes in both can be used in place.
#[derive(Debug)]
pub enum Bytes {
    /// Made in memory.
    Owned(Vec<u8>),
    /// Those of a file.
    Mapped(MappedFile),
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Owned(bytes) => bytes,
            Self::Mapped(file) => file,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_file() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let map = MappedFile::open(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(*map, *bytes);
        map.release(0..bytes.len());
        assert_eq!(*map, *bytes, "they come back");
        assert_eq!(MappedFile::open(path.parent().unwrap()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }
}
