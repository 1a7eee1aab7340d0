//! Dropout: numbers are set to zero at random, the others grow so that the mean stays (Srivastava et al. 2014).

use crate::storage::{Host, Storage};
use metaphrase_kernels::{Matrix, vectorised};

/// The elements that are dropped. A hash of an element's place decides, so that no mask has to be kept and all devices
/// drop the same elements.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)] // kernels read it as it is
pub struct Mask {
    /// The key of the hash: another key is another mask.
    pub key: u32,
    /// Elements with a smaller hash are dropped: the probability times 2³².
    pub threshold: u32,
    /// The factor of the other elements.
    pub scale: f32,
}

impl Mask {
    /// The factor of element `i`.
    #[inline(always)]
    fn factor(self, i: u32) -> f32 {
        let mut x = i.wrapping_mul(0x9e37_79b9) ^ self.key;
        x = (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b);
        x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
        if x ^ (x >> 16) < self.threshold { 0.0 } else { self.scale }
    }

    /// y ← x · mask.
    pub(crate) fn apply(self, x: &[f32], y: &mut [f32]) {
        vectorised(|| (0_u32..).zip(x).zip(y).for_each(|((i, &x), y)| *y = x * self.factor(i)));
    }

    /// x ← x · mask, where `x` begins with element `start`.
    pub(crate) fn apply_from(self, start: usize, x: &mut [f32]) {
        vectorised(|| (start as u32..).zip(x).for_each(|(i, x)| *x *= self.factor(i)));
    }
}

/// Multiplication with masks; elements are counted row by row.
pub trait Dropout: Storage {
    /// y ← x · mask.
    fn drop(&mut self, mask: Mask, x: &Self::Matrix, y: &mut Self::Matrix);
    /// y ← a + x · mask.
    fn sum_with_dropped(&mut self, mask: Mask, x: &Self::Matrix, a: &Self::Matrix, y: &mut Self::Matrix);
    /// sum ← sum + x · mask.
    fn add_dropped(&mut self, mask: Mask, x: &Self::Matrix, sum: &mut Self::Matrix);
    /// y ← the factors of elements.
    fn mask(&mut self, mask: Mask, y: &mut Self::Matrix);
    /// Row r of y ← the factor of element r.
    fn row_mask(&mut self, mask: Mask, y: &mut Self::Matrix);
}

impl Dropout for Host {
    fn drop(&mut self, mask: Mask, x: &Matrix, y: &mut Matrix) {
        mask.apply(x.as_slice(), y.as_mut_slice());
    }

    fn sum_with_dropped(&mut self, mask: Mask, x: &Matrix, a: &Matrix, y: &mut Matrix) {
        y.as_mut_slice().copy_from_slice(a.as_slice());
        self.add_dropped(mask, x, y);
    }

    fn add_dropped(&mut self, mask: Mask, x: &Matrix, sum: &mut Matrix) {
        let all = (0_u32..).zip(x.as_slice()).zip(sum.as_mut_slice());
        vectorised(|| all.for_each(|((i, &x), sum)| *sum += x * mask.factor(i)));
    }

    fn mask(&mut self, mask: Mask, y: &mut Matrix) {
        vectorised(|| (0_u32..).zip(y.as_mut_slice()).for_each(|(i, y)| *y = mask.factor(i)));
    }

    fn row_mask(&mut self, mask: Mask, y: &mut Matrix) {
        (0..y.rows()).for_each(|r| y.row_mut(r).fill(mask.factor(r as u32)));
    }
}
