//! Files mapped into memory: the only `unsafe` code outside the kernels.

mod truncated;

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::path::Path;

pub use truncated::report_truncated_files;

/// The bytes of a file. A page is read when it is first touched, and programs share it.
///
/// A mapped file must not be changed in place while it is in use: the numbers would change, and the read of a byte that
/// the file no longer has ends the process, by [`report_truncated_files`] or by the operating system. To replace a
/// file, write a new one and rename it, as [`crate::NewFile`] does: the mapping of the old file then stays intact. All
/// programs of this project do so.
#[derive(Debug)]
pub struct MappedFile(Mmap);

impl MappedFile {
    /// Maps a file.
    ///
    /// # Errors
    /// Errors of the operating system; a directory is refused.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // SAFETY: the mapping is shared with the file and read-only. The caller sees to it that nobody rewrites the
        // file in place, as written above; a file that is truncated ends the process, it gives no false bytes. The
        // bytes are only read as plain numbers, for which every bit pattern is valid.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) }?;
        truncated::remember(&map, path);
        Ok(Self(map))
    }

    /// Reports to the operating system that these bytes, if the file has them, are not needed for now. Their pages
    /// may leave memory; they are read from the file again when they are touched.
    pub fn release(&self, range: Range<usize>) {
        #[cfg(unix)]
        {
            use memmap2::UncheckedAdvice::DontNeed;
            let range = within(range, self.len());
            // SAFETY: the range is part of the mapping. The advice drops content only where pages were written to. The
            // mapping is of a file and read-only, so later reads give the same bytes.
            #[allow(unsafe_code)]
            let released = unsafe { self.0.unchecked_advise_range(DontNeed, range.start, range.len()) };
            let _ = released;
        }
        #[cfg(not(unix))]
        let _ = range;
    }
}

/// The part of `range` that is below `len`.
#[cfg(unix)]
fn within(range: Range<usize>, len: usize) -> Range<usize> {
    let end = range.end.min(len);
    range.start.min(end)..end
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        truncated::forget(&self.0);
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Bytes that were made in memory or that are a file's: a table that has the same bytes in both is used in place.
#[derive(Debug)]
pub enum Bytes {
    /// Made in memory.
    Owned(Vec<u8>),
    /// Made in memory, in large pages.
    Large(crate::LargeBytes),
    /// The bytes of a file.
    Mapped(MappedFile),
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Owned(bytes) => bytes,
            Self::Large(bytes) => bytes,
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
        // A mapping of the same file may follow this one in memory.
        map.release(bytes.len()..2 * bytes.len());
        assert_eq!(within(bytes.len()..2 * bytes.len(), bytes.len()), bytes.len()..bytes.len());
        assert_eq!([within(2..9, 5), within(7..9, 5), within(9..usize::MAX, 5)], [2..5, 5..5, 5..5]);
        assert_eq!(MappedFile::open(path.parent().unwrap()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }
}
