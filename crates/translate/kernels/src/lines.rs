//! Storage of panels: made in memory, or bytes of somebody else, such as those of a file, that are in the order of
//! panels already.

use crate::aligned::Lanes;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// The cache lines of panels.
#[derive(Clone)]
pub(crate) enum Lines {
    Owned(Vec<Lanes>),
    Shared(SharedBytes),
}

/// Some bytes of an owner whom many share.
#[derive(Clone)]
pub struct SharedBytes {
    /// The owner of the bytes.
    pub owner: Arc<dyn AsRef<[u8]> + Send + Sync>,
    /// Their place among the bytes of the owner.
    pub range: Range<usize>,
}

impl SharedBytes {
    /// The bytes.
    ///
    /// # Panics
    /// If the owner does not have them.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &(*self.owner).as_ref()[self.range.clone()]
    }
}

impl Default for Lines {
    fn default() -> Self {
        Self::Owned(Vec::new())
    }
}

impl From<Vec<Lanes>> for Lines {
    fn from(lines: Vec<Lanes>) -> Self {
        Self::Owned(lines)
    }
}

impl Lines {
    /// Lines of lanes that are little-endian: in place where they begin on a cache line, and in this machine's order.
    pub(crate) fn from_le_bytes(shared: SharedBytes) -> Self {
        let bytes = shared.bytes();
        if cfg!(target_endian = "little") && size_of_val(as_lines(bytes)) == bytes.len() {
            return Self::Shared(shared);
        }
        let (lanes, _) = bytes.as_chunks();
        let lane = |&lane: &[u8; 4]| f32::from_bits(u32::from_le_bytes(lane));
        let line = |line: &[[u8; 4]]| Lanes(std::array::from_fn(|i| lane(&line[i])));
        Self::Owned(lanes.chunks_exact(16).map(line).collect())
    }

    /// The bytes of all lanes, little-endian.
    pub(crate) fn to_le_bytes(&self) -> Vec<u8> {
        self.iter().flat_map(|line| line.0).flat_map(|lane| lane.to_bits().to_le_bytes()).collect()
    }

    /// The lines as a vector; those of another owner are left.
    pub(crate) fn owned(&mut self) -> &mut Vec<Lanes> {
        if let Self::Shared(_) = self {
            *self = Self::default();
        }
        match self {
            Self::Owned(lines) => lines,
            Self::Shared(_) => unreachable!("lines have just become a vector"),
        }
    }
}

impl Deref for Lines {
    type Target = [Lanes];

    #[inline]
    fn deref(&self) -> &[Lanes] {
        match self {
            Self::Owned(lines) => lines,
            Self::Shared(shared) => as_lines(shared.bytes()),
        }
    }
}

/// The lines among these bytes: all of them, if they begin on a cache line.
#[allow(unsafe_code)]
#[inline]
fn as_lines(bytes: &[u8]) -> &[Lanes] {
    // SAFETY: `Lanes` is sixteen floats without padding (repr(C), 64 bytes), and every bit pattern is a float.
    unsafe { bytes.align_to().1 }
}
