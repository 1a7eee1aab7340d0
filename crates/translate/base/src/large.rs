//! Large pieces of memory.

use memmap2::MmapMut;
use std::alloc::{Layout, handle_alloc_error};
use std::io;
use std::ops::{Deref, DerefMut};

/// Bytes that are read in random order, in large pages where the system gives them: the processor then finds the place
/// of a byte sooner, and the memory is there after fewer faults. New bytes are 0.
#[derive(Debug, Default)]
pub struct LargeBytes {
    /// All bytes after the first `len` are 0.
    map: Option<MmapMut>,
    len: usize,
}

impl LargeBytes {
    /// Sees to room for this many bytes, so that growing to them moves nothing.
    ///
    /// # Errors
    /// If the system does not give that much memory.
    pub fn reserve(&mut self, len: usize) -> io::Result<()> {
        if len <= self.map.as_ref().map_or(0, |map| map.len()) {
            return Ok(());
        }
        let mut map = MmapMut::map_anon(len)?;
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        map[..self.len].copy_from_slice(self);
        self.map = Some(map);
        Ok(())
    }

    /// Changes the number of bytes. Without memory for them the process ends, as it does when a `Vec` grows.
    pub fn resize(&mut self, len: usize) {
        if len < self.len {
            self[len..].fill(0);
        } else if self.reserve(len).is_err() {
            handle_alloc_error(Layout::array::<u8>(len).unwrap_or(Layout::new::<u8>()));
        }
        self.len = len;
    }
}

impl Deref for LargeBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.map.as_ref().map_or(&[], |map| &map[..self.len])
    }
}

impl DerefMut for LargeBytes {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        self.map.as_mut().map_or(&mut [], |map| &mut map[..self.len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_stay_and_new_ones_are_zero() {
        let mut bytes = LargeBytes::default();
        assert!(bytes.is_empty());
        bytes.resize(3);
        bytes.copy_from_slice(&[1, 2, 3]);
        bytes.reserve(1 << 20).expect("a megabyte");
        bytes.resize(5000);
        assert_eq!((&bytes[..4], bytes.len()), (&[1, 2, 3, 0][..], 5000));
        bytes.resize(2);
        bytes.resize(4);
        assert_eq!(bytes[..], [1, 2, 0, 0]);
        assert!(bytes.reserve(usize::MAX / 2).is_err());
        assert_eq!(bytes[..], [1, 2, 0, 0]);
    }
}
