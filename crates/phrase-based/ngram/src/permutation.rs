//! A shuffling of the numbers of `b` bits that can be undone.

/// Maps the numbers below 2^b one-to-one onto themselves so that keys with structure spread evenly: two rounds of
/// shift and multiplication by odd numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Permutation {
    mask: u64,
    shift: u32,
    factors: [u64; 2],
}

impl Permutation {
    /// One of many for numbers of `bits` bits (1 to 63).
    pub(crate) fn new(bits: u32, seed: u64) -> Self {
        let mask = (1 << bits) - 1;
        Self {
            mask,
            shift: bits.div_ceil(2),
            factors: [splitmix(seed.wrapping_mul(2)) | 1, splitmix(seed.wrapping_mul(2) | 1) | 1],
        }
    }

    #[inline]
    pub(crate) fn apply(&self, key: u64) -> u64 {
        let mix = |x: u64, factor: u64| (x ^ (x >> self.shift)).wrapping_mul(factor) & self.mask;
        mix(mix(key, self.factors[0]), self.factors[1])
    }

    /// The key that [`apply`](Self::apply) took here. A shift by at least half the bits is its own inverse.
    pub(crate) fn undo(&self, image: u64) -> u64 {
        let unmix = |x: u64, factor: u64| {
            let x = x.wrapping_mul(inverse(factor)) & self.mask;
            x ^ (x >> self.shift)
        };
        unmix(unmix(image, self.factors[1]), self.factors[0])
    }
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration: each round doubles the right bits, 3 at first.
fn inverse(odd: u64) -> u64 {
    (0..5).fold(odd, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))))
}

/// Well-mixed bits from a counter (Steele et al. 2014, SplitMix64).
pub(crate) fn splitmix(counter: u64) -> u64 {
    let mut x = counter.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_to_one_and_undone() {
        for bits in [1, 2, 3, 8, 11] {
            let permutation = Permutation::new(bits, 7);
            let mut images: Vec<u64> = (0..1 << bits).map(|key| permutation.apply(key)).collect();
            (0..1 << bits).for_each(|key| assert_eq!(permutation.undo(images[key as usize]), key));
            images.sort_unstable();
            assert_eq!(images, (0..1 << bits).collect::<Vec<_>>());
        }
        let wide = Permutation::new(63, 1);
        (0..1000).map(splitmix).for_each(|key| assert_eq!(wide.undo(wide.apply(key >> 1)), key >> 1));
    }
}
