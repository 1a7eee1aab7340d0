//! The bytes of a model file: mapped into memory, or read from elsewhere.

use crate::ModelError;
use metaphrase_base::{MappedFile, read_unpacked};
use metaphrase_kernels::SharedBytes;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Bytes that tensors point into.
#[derive(Debug)]
pub(crate) enum Buffer {
    Mapped(MappedFile),
    Bytes(Vec<u8>),
    Static(&'static [u8]),
    Floats(Vec<f32>),
}

impl Buffer {
    /// Maps a file. Pages are read when they are first touched.
    pub(crate) fn map(path: &Path) -> Result<Self, ModelError> {
        Ok(Self::Mapped(MappedFile::open(path).map_err(|e| ModelError::io(path, "read", e))?))
    }

    /// Maps a file, or unpacks it into memory if gzip packed it.
    pub(crate) fn open(path: &Path) -> Result<Self, ModelError> {
        match path.extension() {
            Some(extension) if extension == "gz" => {
                Ok(Self::Bytes(read_unpacked(path).map_err(|e| ModelError::io(path, "unpack", e))?))
            }
            _ => Self::map(path),
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.as_ref()
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
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

    /// These bytes with their owner, for weights that are used where they lie.
    pub(crate) fn shared(&self) -> SharedBytes {
        SharedBytes { owner: Arc::clone(&self.buffer) as _, range: self.range.clone() }
    }

    /// Says that these bytes are not needed for now: their pages leave memory, and are read from the file again
    /// if they are needed after all. Loading a model that is not used in place takes half the memory so.
    pub(crate) fn release(&self) {
        self.release_part(0..self.range.len());
    }

    /// [`release`](Self::release) of some of these bytes.
    pub(crate) fn release_part(&self, range: Range<usize>) {
        if let Buffer::Mapped(map) = &*self.buffer {
            map.release(self.range.start + range.start..self.range.end.min(self.range.start + range.end));
        }
    }

    /// The part of this slice that `range` names, counted from its start.
    pub(crate) fn part(&self, range: Range<usize>) -> Option<Self> {
        self.bytes().get(range.clone())?;
        let start = self.range.start;
        Some(Self { buffer: Arc::clone(&self.buffer), range: start + range.start..start + range.end })
    }
}
