//! Dropout: numbers are set to zero at random, the others grow so that the mean stays (Srivastava et al. 2014).

use super::{Backward, Op, Tape, Var};
use metaphrase_kernels::{Matrix, vectorised};

/// The source of masks: each is a function of a seed and its number, so that none has to be kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Masks {
    seed: u64,
    next: u64,
}

impl Masks {
    pub(super) const fn new(seed: u64) -> Self {
        Self { seed, next: 0 }
    }

    fn draw(&mut self, probability: f32) -> Mask {
        self.next += 1;
        // splitmix64, so that neighbouring numbers give unlike keys.
        let mut key = self.seed.wrapping_add(self.next.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let key = (key ^ (key >> 31)) as u32;
        let threshold = (f64::from(probability) * 4_294_967_296.0) as u32;
        Mask { key, threshold, scale: 1.0 / (1.0 - probability) }
    }
}

/// Which elements are dropped: decided by a hash of the element's place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mask {
    key: u32,
    threshold: u32,
    scale: f32,
}

impl Mask {
    /// What element `i` is multiplied with.
    #[inline(always)]
    fn factor(self, i: u32) -> f32 {
        let mut x = i.wrapping_mul(0x9e37_79b9) ^ self.key;
        x = (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b);
        x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
        if x ^ (x >> 16) < self.threshold { 0.0 } else { self.scale }
    }

    /// y ← x · mask.
    pub(super) fn apply(self, x: &[f32], y: &mut [f32]) {
        vectorised(|| (0_u32..).zip(x).zip(y).for_each(|((i, &x), y)| *y = x * self.factor(i)));
    }

    /// x ← x · mask, where `x` begins with element `start`.
    pub(super) fn apply_from(self, start: usize, x: &mut [f32]) {
        vectorised(|| (start as u32..).zip(x).for_each(|(i, x)| *x *= self.factor(i)));
    }

    /// x ← x · mask.
    pub(super) fn apply_in_place(self, x: &mut [f32]) {
        vectorised(|| (0_u32..).zip(x).for_each(|(i, x)| *x *= self.factor(i)));
    }
}

/// y = x · mask
pub(super) struct Dropout {
    x: Var,
    mask: Mask,
}

impl Tape<'_> {
    /// `x` with each element dropped with this probability; `x` itself if the tape was made without dropout.
    pub fn dropout(&mut self, x: Var, probability: f32) -> Var {
        let Some(mask) = self.mask(probability) else { return x };
        let (rows, cols) = self.shape(x);
        let mut y = self.take(rows, cols);
        mask.apply(self.value(x).as_slice(), y.as_mut_slice());
        self.push(y, Op::Dropout(Dropout { x, mask }))
    }

    /// `x` with each row dropped with this probability.
    pub fn dropout_rows(&mut self, x: Var, probability: f32) -> Var {
        let (rows, cols) = self.shape(x);
        let Some(mask) = self.mask(probability) else { return x };
        let mut factors = vec![1.0; rows];
        mask.apply_in_place(&mut factors);
        let mut value = self.take(rows, cols);
        factors.iter().enumerate().for_each(|(r, &factor)| value.row_mut(r).fill(factor));
        let value = self.push(value, Op::Constant);
        self.mul(x, value)
    }

    /// A mask of its own, to be multiplied with several values: variational dropout (Gal and Ghahramani 2016). `None`
    /// if nothing is dropped.
    pub fn dropout_mask(&mut self, rows: usize, cols: usize, probability: f32) -> Option<Var> {
        let mask = self.mask(probability)?;
        let mut value = self.take(rows, cols);
        value.as_mut_slice().fill(1.0);
        mask.apply_in_place(value.as_mut_slice());
        Some(self.push(value, Op::Constant))
    }

    /// The next mask, if there is dropout.
    pub(super) fn mask(&mut self, probability: f32) -> Option<Mask> {
        if probability <= 0.0 {
            return None;
        }
        self.masks.as_mut().map(|masks| masks.draw(probability))
    }
}

impl Dropout {
    pub(super) fn backward(&self, grad: &Matrix, to: &mut Backward<'_>) {
        to.add_to(self.x, |sum, fresh, _| {
            if fresh {
                self.mask.apply(grad.as_slice(), sum.as_mut_slice());
            } else {
                let all = (0_u32..).zip(grad.as_slice()).zip(sum.as_mut_slice());
                vectorised(|| all.for_each(|((i, &grad), sum)| *sum += grad * self.mask.factor(i)));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_drops_its_share_and_keeps_the_mean() {
        let mut masks = Masks::new(3);
        let mut first = vec![1.0; 100_000];
        masks.draw(0.3).apply_in_place(&mut first);
        let dropped = first.iter().filter(|v| **v == 0.0).count() as f32 / 100_000.0;
        assert!((dropped - 0.3).abs() < 0.01, "{dropped}");
        let mean = first.iter().sum::<f32>() / 100_000.0;
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        let mut second = vec![1.0; 100_000];
        masks.draw(0.3).apply_in_place(&mut second);
        let equal = first.iter().zip(&second).filter(|(a, b)| a == b).count() as f32 / 100_000.0;
        assert!((equal - 0.58).abs() < 0.01, "masks are independent: 0.3² + 0.7² = 0.58, not {equal}");
    }
}
