//! Storage that begins on a cache line.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// Sixteen floats, one cache line: all instruction sets load this many at a time.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Lanes(pub(crate) [f32; 16]);

impl Lanes {
    pub(crate) const ZERO: Self = Self([0.0; 16]);
}

/// A vector of floats that begins on a cache line, so that no load of sixteen at a multiple of sixteen touches two.
#[derive(Clone, Default)]
pub(crate) struct AlignedVec {
    /// Never shrinks; holds at least `len` floats.
    lanes: Vec<Lanes>,
    len: usize,
}

impl AlignedVec {
    /// Keeps the first `len` values; new values are unspecified, but initialised.
    pub(crate) fn resize(&mut self, len: usize) {
        let needed = len.div_ceil(16);
        if needed > self.lanes.len() {
            self.lanes.resize(needed, Lanes::ZERO);
        }
        self.len = len;
    }
}

impl AlignedVec {
    /// The greatest length that needs no allocation.
    pub(crate) fn capacity(&self) -> usize {
        self.lanes.len() * 16
    }
}

impl From<&[f32]> for AlignedVec {
    fn from(values: &[f32]) -> Self {
        let mut out = Self::default();
        out.resize(values.len());
        out.copy_from_slice(values);
        out
    }
}

#[allow(unsafe_code)]
impl Deref for AlignedVec {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        // SAFETY: `Lanes` is exactly sixteen floats without padding (repr(C), 64 bytes), and `resize` is the only
        // place that sets `len`, to at most sixteen times the number of lanes.
        unsafe { std::slice::from_raw_parts(self.lanes.as_ptr().cast(), self.len) }
    }
}

#[allow(unsafe_code)]
impl DerefMut for AlignedVec {
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as in `deref`; the borrow of `self` is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.lanes.as_mut_ptr().cast(), self.len) }
    }
}

impl fmt::Debug for AlignedVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}
