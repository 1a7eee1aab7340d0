//! Values that several threads write.

use std::marker::PhantomData;

/// The values of a product, which several threads write: each one in the columns of its own panels.
#[derive(Clone, Copy)]
pub(crate) struct Values<'a> {
    start: *mut f32,
    count: usize,
    values: PhantomData<&'a mut [f32]>,
}

// SAFETY: values are reached by `part` alone, whose callers guarantee that no two threads reach the same one.
#[allow(unsafe_code)]
unsafe impl Sync for Values<'_> {}

impl<'a> Values<'a> {
    pub(crate) fn new(values: &'a mut [f32]) -> Self {
        Self { start: values.as_mut_ptr(), count: values.len(), values: PhantomData }
    }

    /// The address of a value, to fetch its cache line.
    #[inline(always)]
    pub(crate) fn place(self, place: usize) -> *const f32 {
        self.start.wrapping_add(place)
    }

    /// Some values.
    ///
    /// # Safety
    /// No other slice with one of these values is in use, on any thread.
    #[allow(unsafe_code)]
    #[inline(always)]
    pub(crate) unsafe fn part(self, place: usize, width: usize) -> &'a mut [f32] {
        assert!(place <= self.count && width <= self.count - place, "{width} values from {place} of {}", self.count);
        // SAFETY: the assertion keeps the values inside the slice that `new` borrowed exclusively for `'a`. That no
        // other part overlaps them is the caller's obligation above.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(place), width) }
    }
}
