//! Dropout (Srivastava et al. 2014).

use super::{Backward, Op, Tape, Var};
use metaphrase_device::{Device, Mask};

/// The source of masks: a mask is a function of a seed and the mask's number, so no mask has to be kept.
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

/// y = x · mask, or skip + x · mask
pub(super) struct Dropout {
    x: Var,
    mask: Mask,
    skip: Option<Var>,
}

impl<D: Device> Tape<'_, D> {
    /// `x` with each element dropped with this probability; `x` itself if the tape was made without dropout.
    pub fn dropout(&mut self, x: Var, probability: f32) -> Var {
        let Some(mask) = self.mask(probability) else { return x };
        let (rows, cols) = self.shape(x);
        let mut y = self.device.take(rows, cols);
        self.device.drop(mask, &self.values[x.index()], &mut y);
        self.push(y, Op::Dropout(Dropout { x, mask, skip: None }))
    }

    /// `skip` + `x`, where each element of `x` is dropped with this probability.
    pub fn add_dropped(&mut self, x: Var, skip: Var, probability: f32) -> Var {
        let Some(mask) = self.mask(probability) else { return self.add(x, skip) };
        let (rows, cols) = self.shape(x);
        let mut y = self.device.take(rows, cols);
        self.device.sum_with_dropped(mask, &self.values[x.index()], &self.values[skip.index()], &mut y);
        self.push(y, Op::Dropout(Dropout { x, mask, skip: Some(skip) }))
    }

    /// `x` with each row dropped with this probability.
    pub fn dropout_rows(&mut self, x: Var, probability: f32) -> Var {
        let Some(mask) = self.mask(probability) else { return x };
        let (rows, cols) = self.shape(x);
        let mut factors = self.device.take(rows, cols);
        self.device.row_mask(mask, &mut factors);
        let factors = self.push(factors, Op::Constant);
        self.mul(x, factors)
    }

    /// A mask of its own, to be multiplied with several values: variational dropout (Gal and Ghahramani 2016). `None`
    /// if nothing is dropped.
    pub fn dropout_mask(&mut self, rows: usize, cols: usize, probability: f32) -> Option<Var> {
        let mask = self.mask(probability)?;
        let mut factors = self.device.take(rows, cols);
        self.device.mask(mask, &mut factors);
        Some(self.push(factors, Op::Constant))
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
    pub(super) fn backward<D: Device>(&self, grad: D::Matrix, to: &mut Backward<'_, D>) {
        to.add_to(self.x, |sum, fresh, to| {
            if fresh {
                to.device.drop(self.mask, &grad, sum);
            } else {
                to.device.add_dropped(self.mask, &grad, sum);
            }
        });
        match self.skip {
            Some(skip) => to.add_owned(skip, grad),
            None => to.device.give(grad),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metaphrase_device::{Dropout, Host};
    use metaphrase_kernels::Matrix;

    fn factors(masks: &mut Masks) -> Vec<f32> {
        let mut factors = Matrix::zeros(1, 100_000);
        Host::default().mask(masks.draw(0.3), &mut factors);
        factors.as_slice().to_vec()
    }

    #[test]
    fn a_mask_drops_its_share_and_keeps_the_mean() {
        let mut masks = Masks::new(3);
        let first = factors(&mut masks);
        let dropped = first.iter().filter(|v| **v == 0.0).count() as f32 / 100_000.0;
        assert!((dropped - 0.3).abs() < 0.01, "{dropped}");
        let mean = first.iter().sum::<f32>() / 100_000.0;
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        let second = factors(&mut masks);
        let equal = first.iter().zip(&second).filter(|(a, b)| a == b).count() as f32 / 100_000.0;
        assert!((equal - 0.58).abs() < 0.01, "masks are independent: 0.3² + 0.7² = 0.58, not {equal}");
    }
}
