//! The bytes of a model file: mapped into memory, or read from elsewhere. The only `unsafe` code of this crate.

use crate::ModelError;
use memmap2::Mmap;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Bytes that tensors point into.
#[derive(Debug)]
pub(crate) enum Buffer {
    Mapped(Mmap),
    Bytes(Vec<u8>),
    Static(&'static [u8]),
    Floats(Vec<f32>),
}

impl Buffer {
    /// Maps a file. Pages are read when they are first touched.
    ///
    /// A mapped file must not be changed in place while a model uses it: the numbers would change, and on
    /// truncation the operating system ends the process. [`crate::convert`] therefore replaces files by
    /// renaming, which leaves the mapping of the old file intact.
    pub(crate) fn map(path: &Path) -> Result<Self, ModelError> {
        let file = File::open(path).map_err(|e| ModelError::io(path, "read", e))?;
        if file.metadata().map_err(|e| ModelError::io(path, "read", e))?.is_dir() {
            return Err(ModelError::io(path, "read", std::io::ErrorKind::IsADirectory.into()));
        }
        // SAFETY: the mapping is private and read-only. That nobody else truncates or rewrites the file is
        // the caller's side of the bargain, written in `load`'s documentation; the bytes are never taken
        // for anything but plain numbers, of which every bit pattern is valid.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) }.map_err(|e| ModelError::io(path, "map into memory", e))?;
        Ok(Self::Mapped(map))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Bytes(bytes) => bytes,
            Self::Static(bytes) => bytes,
            Self::Floats(floats) => bytemuck::cast_slice(floats),
        }
    }
}

/// A part of a buffer, which it keeps alive.
#[derive(Debug, Clone)]
pub(crate) struct Slice {
    buffer: Arc<Buffer>,
    range: Range<usize>,
}

impl Slice {
    pub(crate) fn whole(buffer: Buffer) -> Self {
        let range = 0..buffer.bytes().len();
        Self { buffer: Arc::new(buffer), range }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer.bytes()[self.range.clone()]
    }

    /// Says that these bytes are not needed for now: their pages leave memory, and are read from the file again
    /// if they are needed after all. Loading a model that is not used in place takes half the memory so.
    pub(crate) fn release(&self) {
        #[cfg(unix)]
        if let Buffer::Mapped(map) = &*self.buffer {
            use memmap2::UncheckedAdvice::DontNeed;
            // SAFETY: this drops content only where pages were written to; the mapping is of a file and
            // read-only, so what is read later is what was read before.
            #[allow(unsafe_code)]
            let released = unsafe { map.unchecked_advise_range(DontNeed, self.range.start, self.range.len()) };
            // Advice: if it is not taken the pages stay, and nothing is lost.
            let _ = released;
        }
    }

    /// The part of this slice that `range` names, counted from its start.
    pub(crate) fn part(&self, range: Range<usize>) -> Option<Self> {
        self.bytes().get(range.clone())?;
        let start = self.range.start;
        Some(Self { buffer: Arc::clone(&self.buffer), range: start + range.start..start + range.end })
    }
}
