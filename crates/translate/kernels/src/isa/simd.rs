//! The operations that all kernels are written over.

use super::Kernel;

/// 1.5·2²³: added to a number it pushes the fraction out of the mantissa, and leaves the nearest whole number in its
/// lowest bits.
pub(crate) const SHIFT: f32 = 12_582_912.0;

/// Sixteen lanes of f32 for every width of the registers. All sets round every operation alike.
pub(crate) trait Simd: Copy {
    /// Sixteen floats.
    type F: Copy;
    /// Sixteen truth values.
    type M: Copy;

    /// The number of panels of a product's tile (1, 2, 4 or 8 of sixteen columns each), by its number of rows, from 1
    /// to at most 6. A tile is as wide as the registers allow: several chains of multiply-adds at a time hide their
    /// latency.
    const TILE_PANELS: &[usize];
    /// Pairs of vectors that attention sums up at a time (1, 2, 4 or 8).
    const ATTENTION_PAIRS: usize;

    /// Runs `kernel` in a function of its own, compiled for this set.
    fn enter<K: Kernel>(self, kernel: K) -> K::Output;

    fn splat(self, x: f32) -> Self::F;
    fn load(self, from: &[f32; 16]) -> Self::F;
    /// Loads at most sixteen floats; lanes beyond the end of `from` get `fill`.
    #[inline(always)]
    fn load_partial(self, from: &[f32], fill: f32) -> Self::F {
        let mut v = [fill; 16];
        v[..from.len()].copy_from_slice(from);
        self.load(&v)
    }
    fn store(self, v: Self::F, to: &mut [f32; 16]);
    /// Stores the first `to.len()` lanes, at most sixteen.
    #[inline(always)]
    fn store_partial(self, v: Self::F, to: &mut [f32]) {
        let mut all = [0.0; 16];
        self.store(v, &mut all);
        to.copy_from_slice(&all[..to.len()]);
    }

    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a · b + c`, rounded once.
    fn mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// `if a > b { a } else { b }`: `b` where either is NaN.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    /// `if a < b { a } else { b }`: `b` where either is NaN.
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    fn abs(self, a: Self::F) -> Self::F;
    /// The magnitude of `a` with the sign of `b`.
    fn copy_sign(self, a: Self::F, b: Self::F) -> Self::F;
    /// The bits that one of both has.
    fn xor(self, a: Self::F, b: Self::F) -> Self::F;
    /// The bits that any of both has.
    fn or(self, a: Self::F, b: Self::F) -> Self::F;
    /// Bit `i` is set if lane `i` has any bit.
    fn any_bit(self, a: Self::F) -> u16;
    /// 2ⁿ for whole n from -126 to 127.
    fn exp2_whole(self, n: Self::F) -> Self::F;
    /// `a · 2ⁿ` for whole n from -126 to 127, where the result is 0 or a normal number.
    #[inline(always)]
    fn scale_exp2(self, a: Self::F, n: Self::F) -> Self::F {
        self.mul(a, self.exp2_whole(n))
    }
    /// `a · 2ⁿ`, where the result is a normal number and `shifted` is n + [`SHIFT`]: its lowest bits are added to the
    /// exponent of `a`. NaN stays NaN if both are.
    fn add_exponent(self, a: Self::F, shifted: Self::F) -> Self::F;
    /// `a · 2ⁿ`, rounded once, for whole n from -252 to 254 and 1 ≤ a < 2 or so: in two factors, as 2ⁿ alone leaves the
    /// range where the result is still finite, or subnormal.
    #[inline(always)]
    fn scale_exp2_far(self, a: Self::F, n: Self::F) -> Self::F {
        let half = self.round(self.mul(n, self.splat(0.5)));
        self.mul(self.mul(a, self.exp2_whole(half)), self.exp2_whole(self.sub(n, half)))
    }
    /// Nearest whole number, ties to even, for |x| < 2²².
    #[inline(always)]
    fn round(self, x: Self::F) -> Self::F {
        let shift = self.splat(SHIFT);
        self.sub(self.add(x, shift), shift)
    }

    /// `a < b`; false where either is NaN.
    fn less(self, a: Self::F, b: Self::F) -> Self::M;
    /// Lane by lane `if m { a } else { b }`.
    fn select(self, m: Self::M, a: Self::F, b: Self::F) -> Self::F;
    /// Bit `i` is set if `a ≥ b` in lane `i`.
    fn at_least(self, a: Self::F, b: Self::F) -> u16;

    /// The sum of the lanes: lane i plus lane i+8, of these lane i plus lane i+4, then i+2, then i+1.
    fn sum(self, v: Self::F) -> f32;
    /// Lane i: lane i plus lane i xor `D`, of `a` where bit `D` of i is clear, of `b` where it is set. `D` is 1, 2, 4
    /// or 8. Folds with 8, 4, 2 and 1 in this order have the bits of [`Simd::sum`].
    fn fold<const D: usize>(self, a: Self::F, b: Self::F) -> Self::F;
    /// Lane i: lane i xor `D`, which is 1, 2, 4 or 8.
    fn swap<const D: usize>(self, v: Self::F) -> Self::F;
    /// Lane `j` is the sum of `v[j]`, with the bits of [`Simd::sum`].
    #[inline(always)]
    fn sums(self, v: &[Self::F; 16]) -> Self::F {
        let (mut eight, mut four, mut two) = ([v[0]; 8], [v[0]; 4], [v[0]; 2]);
        for j in 0..8 {
            eight[j] = self.fold::<8>(v[j], v[j + 8]);
        }
        for j in 0..4 {
            four[j] = self.fold::<4>(eight[j], eight[j + 4]);
        }
        for j in 0..2 {
            two[j] = self.fold::<2>(four[j], four[j + 2]);
        }
        self.fold::<1>(two[0], two[1])
    }
    /// The greatest lane, in the same tree.
    fn max_lane(self, v: Self::F) -> f32;
    /// Prefetches the cache line of this address, which need not be valid.
    fn prefetch(self, address: *const f32);

    /// Lane j of vector i and lane i of vector j change places. Bits are kept, including those of NaN.
    fn transpose(self, v: [Self::F; 16]) -> [Self::F; 16];

    // A lane can also be the bits of a pair of bf16 (the upper half of an f32), the first number in its lower half.

    /// Lane i: the pair of `first[i]` and `second[i]`, rounded to the nearest bf16, ties to even. NaN stays NaN.
    fn round_pairs(self, first: Self::F, second: Self::F) -> Self::F;
    /// Lane i: the pair of numbers 2i and 2i + 1 of the 32 in `low` and `high`, rounded likewise.
    fn round_neighbours(self, low: Self::F, high: Self::F) -> Self::F;
    /// The first and the second numbers of pairs.
    fn numbers(self, pairs: Self::F) -> (Self::F, Self::F);
    /// Lane by lane `(sum + a₁·b₁) + a₀·b₀` of pairs: the bits of AVX512-BF16, except that its instructions take
    /// subnormal numbers for zero. The products have 16 bits, and so need no rounding.
    #[inline(always)]
    fn dot_pairs(self, a: Self::F, b: Self::F, sum: Self::F) -> Self::F {
        let ((a_0, a_1), (b_0, b_1)) = (self.numbers(a), self.numbers(b));
        self.mul_add(a_0, b_0, self.mul_add(a_1, b_1, sum))
    }

    // A lane can also be the bits of four integers of 8 bits, the first in its lowest byte, or of one of 32 bits.

    /// Where sums of [`dot_quads`](Self::dot_quads) begin: `start` is -128 times the sum of all bytes of `b` to come.
    #[inline(always)]
    fn quads_start(self, start: Self::F) -> Self::F {
        start
    }
    /// Lane by lane `sum` plus the four products of the bytes of `a`, from 0 to 255, and of `b`, from -128 to 127. A
    /// sum beyond 32 bits wraps. It means the products of `a - 128` once all are added, and a set may take the 128 off
    /// at once.
    fn dot_quads(self, a: Self::F, b: Self::F, sum: Self::F) -> Self::F;
    /// Lane by lane `sum` plus the four products of the bytes of `a`, from 0 to 127, and of `b`, from -128 to 127.
    /// Nothing is taken off.
    #[inline(always)]
    fn dot_naturals(self, a: Self::F, b: Self::F, sum: Self::F) -> Self::F {
        self.dot_quads(a, b, sum)
    }

    // A lane can also be the bits of two integers of 16 bits, the first in its lower half.

    /// Lane by lane `sum` plus the two products of the integers of `a` and `b`, from -32,767 to 32,767. A sum beyond 32
    /// bits wraps.
    #[inline(always)]
    fn dot_words(self, a: Self::F, b: Self::F, sum: Self::F) -> Self::F {
        let [a, b, sum] = [a, b, sum].map(|v| {
            let mut lanes = [0.0; 16];
            self.store(v, &mut lanes);
            lanes.map(f32::to_bits)
        });
        let word = |bits: u32| i32::from(bits as u16 as i16);
        self.load(&std::array::from_fn(|i| {
            let products = word(a[i]) * word(b[i]) + word(a[i] >> 16) * word(b[i] >> 16);
            f32::from_bits((sum[i] as i32).wrapping_add(products) as u32)
        }))
    }
    /// Numbers from -32,767.5 to 32,767.5, rounded, ties to even. Other numbers give any integer.
    #[inline(always)]
    fn round_words(self, v: Self::F) -> [i16; 16] {
        let mut lanes = [0.0; 16];
        self.store(v, &mut lanes);
        lanes.map(|x| x.round_ties_even() as i16)
    }
    /// Integers of 32 bits as floats, ties to even.
    fn to_floats(self, integers: Self::F) -> Self::F;
    /// Numbers from -127.5 to 127.5, rounded, ties to even, plus 128. Other numbers give any byte.
    fn round_bytes(self, v: Self::F) -> [u8; 16];
}
