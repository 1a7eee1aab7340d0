//! Sixteen lanes as four 128-bit registers, on 64-bit Arm.
#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::{Kernel, Simd};

/// NEON, which every CPU of the target has; if `DOT`, the right to use its dot products of bytes as well.
#[derive(Clone, Copy)]
pub(crate) struct Neon<const DOT: bool>(());

/// An intrinsic of these sets.
macro_rules! op {
    ($e:expr) => {
        // SAFETY: every CPU of the target has NEON; a token with `DOT` proves that `detect` has found the dot products;
        // the pointers given to loads and stores come from references to sixteen floats, of which each quarter is four,
        // or to sixteen bytes.
        unsafe { $e }
    };
}

/// An expression for each of the four registers.
macro_rules! each {
    (|$i:ident| $e:expr) => {
        [
            {
                const $i: usize = 0;
                $e
            },
            {
                const $i: usize = 1;
                $e
            },
            {
                const $i: usize = 2;
                $e
            },
            {
                const $i: usize = 3;
                $e
            },
        ]
    };
}

/// An intrinsic for each of the four registers.
macro_rules! ops {
    (|$i:ident| $e:expr) => {
        each!(|$i| op!($e))
    };
}

impl Neon<false> {
    /// The set that is always there.
    pub(super) fn new() -> Self {
        Self(())
    }
}

impl Neon<true> {
    /// The only maker of a token with dot products.
    pub(super) fn detect() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("dotprod").then_some(Self(()))
    }

    /// The set without dot products.
    pub(super) fn base(self) -> Neon<false> {
        Neon(())
    }
}

impl<const DOT: bool> Neon<DOT> {
    /// Lane by lane `if m { a } else { b }` of one register.
    #[inline(always)]
    fn choose(self, m: uint32x4_t, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        op!(vbslq_f32(m, a, b))
    }

    /// The bits of the nearest bf16, ties to even, in the upper half of each lane. The lower half is unspecified.
    #[inline(always)]
    fn round_bf16(self, x: float32x4_t) -> uint32x4_t {
        op!({
            let v = vreinterpretq_u32_f32(x);
            let odd = vandq_u32(vshrq_n_u32::<16>(v), vdupq_n_u32(1));
            let rounded = vaddq_u32(v, vaddq_u32(odd, vdupq_n_u32(0x7fff)));
            let quiet = vorrq_u32(v, vdupq_n_u32(0x0040_0000));
            vbslq_u32(vceqq_f32(x, x), rounded, quiet)
        })
    }

    /// [`Simd::round_pairs`] of one register.
    #[inline(always)]
    fn round_pairs_quarter(self, first: float32x4_t, second: float32x4_t) -> float32x4_t {
        op!({
            let first = vshrq_n_u32::<16>(self.round_bf16(first));
            let second = vandq_u32(self.round_bf16(second), vdupq_n_u32(0xffff_0000));
            vreinterpretq_f32_u32(vorrq_u32(first, second))
        })
    }

    /// [`Simd::dot_quads`] of one register, of bytes that lose their 128.
    #[inline(always)]
    fn dot_quads_quarter(self, a: float32x4_t, b: float32x4_t, sum: float32x4_t) -> float32x4_t {
        let a = op!(vreinterpretq_f32_s8(veorq_s8(vreinterpretq_s8_f32(a), vdupq_n_s8(-128))));
        self.dot_bytes_quarter(a, b, sum)
    }

    /// `sum` plus products of bytes with signs, of one register.
    #[inline(always)]
    fn dot_bytes_quarter(self, a: float32x4_t, b: float32x4_t, sum: float32x4_t) -> float32x4_t {
        op!({
            let (a, b) = (vreinterpretq_s8_f32(a), vreinterpretq_s8_f32(b));
            let mut sum = vreinterpretq_s32_f32(sum);
            if DOT {
                // The directive names to the assembler the instructions that this token proves.
                std::arch::asm!(
                    ".arch_extension dotprod",
                    "sdot {sum:v}.4s, {a:v}.16b, {b:v}.16b",
                    sum = inout(vreg) sum, a = in(vreg) a, b = in(vreg) b,
                    options(pure, nomem, nostack, preserves_flags),
                );
            } else {
                // Pairs of products of 16 bits are added in 32 bits.
                let low = vpaddlq_s16(vmull_s8(vget_low_s8(a), vget_low_s8(b)));
                let high = vpaddlq_s16(vmull_high_s8(a, b));
                sum = vaddq_s32(sum, vpaddq_s32(low, high));
            }
            vreinterpretq_f32_s32(sum)
        })
    }
}

impl<const DOT: bool> Simd for Neon<DOT> {
    type F = [float32x4_t; 4];
    type M = [uint32x4_t; 4];

    // At most 24 of 32 registers for sums, four each.
    const TILE_PANELS: &[usize] = &[4, 2, 2, 1, 1, 1];
    const ATTENTION_PAIRS: usize = 2;

    #[inline]
    fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        #[inline(never)]
        fn base<S: Simd, K: Kernel>(simd: S, kernel: K) -> K::Output {
            kernel.run(simd)
        }
        entry!(dot, "neon,dotprod");
        match DOT {
            false => base(self, kernel),
            true => op!(dot(self, kernel)),
        }
    }

    #[inline(always)]
    fn splat(self, x: f32) -> Self::F {
        [op!(vdupq_n_f32(x)); 4]
    }
    #[inline(always)]
    fn load(self, from: &[f32; 16]) -> Self::F {
        ops!(|I| vld1q_f32(from[4 * I..].as_ptr()))
    }
    #[inline(always)]
    fn store(self, v: Self::F, to: &mut [f32; 16]) {
        for (v, to) in v.into_iter().zip(to.as_chunks_mut::<4>().0) {
            op!(vst1q_f32(to.as_mut_ptr(), v));
        }
    }

    lanewise! {
        add(self, a, b) => ops!(|I| vaddq_f32(a[I], b[I]));
        sub(self, a, b) => ops!(|I| vsubq_f32(a[I], b[I]));
        mul(self, a, b) => ops!(|I| vmulq_f32(a[I], b[I]));
        div(self, a, b) => ops!(|I| vdivq_f32(a[I], b[I]));
        mul_add(self, a, b, c) => ops!(|I| vfmaq_f32(c[I], a[I], b[I]));
        max(self, a, b) => each!(|I| self.choose(op!(vcgtq_f32(a[I], b[I])), a[I], b[I]));
        min(self, a, b) => each!(|I| self.choose(op!(vcltq_f32(a[I], b[I])), a[I], b[I]));
        abs(self, a) => ops!(|I| vabsq_f32(a[I]));
        xor(self, a, b) => ops!(|I| {
            vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(a[I]), vreinterpretq_u32_f32(b[I])))
        });
        or(self, a, b) => ops!(|I| {
            vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(a[I]), vreinterpretq_u32_f32(b[I])))
        });
        copy_sign(self, a, b) => each!(|I| self.choose(op!(vdupq_n_u32(0x8000_0000)), b[I], a[I]));
        exp2_whole(self, n) => ops!(|I| {
            let exponent = vaddq_s32(vcvtnq_s32_f32(n[I]), vdupq_n_s32(127));
            vreinterpretq_f32_s32(vshlq_n_s32::<23>(exponent))
        });
        add_exponent(self, a, shifted) => ops!(|I| {
            let n = vshlq_n_s32::<23>(vreinterpretq_s32_f32(shifted[I]));
            vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(a[I]), n))
        });
        round(self, x) => ops!(|I| vrndnq_f32(x[I]));
        to_floats(self, integers) => ops!(|I| vcvtq_f32_s32(vreinterpretq_s32_f32(integers[I])));
        dot_quads(self, a, b, sum) => each!(|I| self.dot_quads_quarter(a[I], b[I], sum[I]));
        dot_naturals(self, a, b, sum) => each!(|I| self.dot_bytes_quarter(a[I], b[I], sum[I]));
        round_pairs(self, first, second) => each!(|I| self.round_pairs_quarter(first[I], second[I]));
    }

    #[inline(always)]
    fn less(self, a: Self::F, b: Self::F) -> Self::M {
        ops!(|I| vcltq_f32(a[I], b[I]))
    }
    #[inline(always)]
    fn select(self, m: Self::M, a: Self::F, b: Self::F) -> Self::F {
        each!(|I| self.choose(m[I], a[I], b[I]))
    }
    #[inline(always)]
    fn at_least(self, a: Self::F, b: Self::F) -> u16 {
        op!({
            let bit = vld1q_u32([1_u32, 2, 4, 8].as_ptr());
            let of = |i: usize| vaddvq_u32(vandq_u32(vcgeq_f32(a[i], b[i]), bit)) << (4 * i);
            (of(0) | of(1) | of(2) | of(3)) as u16
        })
    }
    #[inline(always)]
    fn any_bit(self, a: Self::F) -> u16 {
        op!({
            let bit = vld1q_u32([1_u32, 2, 4, 8].as_ptr());
            let bits = |i: usize| vreinterpretq_u32_f32(a[i]);
            let of = |i: usize| vaddvq_u32(vandq_u32(vtstq_u32(bits(i), bits(i)), bit)) << (4 * i);
            (of(0) | of(1) | of(2) | of(3)) as u16
        })
    }

    #[inline(always)]
    fn sum(self, v: Self::F) -> f32 {
        op!({
            let v = vaddq_f32(vaddq_f32(v[0], v[2]), vaddq_f32(v[1], v[3]));
            let v = vadd_f32(vget_low_f32(v), vget_high_f32(v));
            vget_lane_f32::<0>(v) + vget_lane_f32::<1>(v)
        })
    }
    #[inline(always)]
    fn fold<const D: usize>(self, a: Self::F, b: Self::F) -> Self::F {
        op!({
            let within = |a: float32x4_t, b: float32x4_t| match D {
                2 => {
                    let (a, b) = (vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b));
                    let (low, high) = (vzip1q_f64(a, b), vzip2q_f64(a, b));
                    vaddq_f32(vreinterpretq_f32_f64(low), vreinterpretq_f32_f64(high))
                }
                1 => vaddq_f32(vtrn1q_f32(a, b), vtrn2q_f32(a, b)),
                _ => unreachable!("folds by {D}"),
            };
            match D {
                8 => [vaddq_f32(a[0], a[2]), vaddq_f32(a[1], a[3]), vaddq_f32(b[0], b[2]), vaddq_f32(b[1], b[3])],
                4 => [vaddq_f32(a[0], a[1]), vaddq_f32(b[0], b[1]), vaddq_f32(a[2], a[3]), vaddq_f32(b[2], b[3])],
                _ => [within(a[0], b[0]), within(a[1], b[1]), within(a[2], b[2]), within(a[3], b[3])],
            }
        })
    }
    #[inline(always)]
    fn swap<const D: usize>(self, v: Self::F) -> Self::F {
        match D {
            8 => [v[2], v[3], v[0], v[1]],
            4 => [v[1], v[0], v[3], v[2]],
            2 => ops!(|I| vextq_f32::<2>(v[I], v[I])),
            1 => ops!(|I| vrev64q_f32(v[I])),
            _ => unreachable!("swaps by {D}"),
        }
    }
    #[inline(always)]
    fn max_lane(self, v: Self::F) -> f32 {
        let greater = |a: f32, b: f32| if a > b { a } else { b };
        let mut lanes = [0.0; 16];
        self.store(v, &mut lanes);
        for half in [8, 4, 2, 1] {
            for i in 0..half {
                lanes[i] = greater(lanes[i], lanes[i + half]);
            }
        }
        lanes[0]
    }
    #[inline(always)]
    fn prefetch(self, address: *const f32) {
        // SAFETY: a prefetch may be given any address, and changes nothing.
        unsafe {
            std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(readonly, nostack, preserves_flags));
        }
    }

    #[inline(always)]
    fn transpose(self, v: [Self::F; 16]) -> [Self::F; 16] {
        let mut out = v;
        for row in 0..4 {
            for col in 0..4 {
                op!({
                    let of = |i: usize| v[4 * row + i][col];
                    let double = |v| vreinterpretq_f64_f32(v);
                    let (even_01, odd_01) = (double(vtrn1q_f32(of(0), of(1))), double(vtrn2q_f32(of(0), of(1))));
                    let (even_23, odd_23) = (double(vtrn1q_f32(of(2), of(3))), double(vtrn2q_f32(of(2), of(3))));
                    let float = |v| vreinterpretq_f32_f64(v);
                    out[4 * col][row] = float(vtrn1q_f64(even_01, even_23));
                    out[4 * col + 1][row] = float(vtrn1q_f64(odd_01, odd_23));
                    out[4 * col + 2][row] = float(vtrn2q_f64(even_01, even_23));
                    out[4 * col + 3][row] = float(vtrn2q_f64(odd_01, odd_23));
                });
            }
        }
        out
    }

    #[inline(always)]
    fn round_neighbours(self, low: Self::F, high: Self::F) -> Self::F {
        let pairs = |a, b| op!(self.round_pairs_quarter(vuzp1q_f32(a, b), vuzp2q_f32(a, b)));
        [pairs(low[0], low[1]), pairs(low[2], low[3]), pairs(high[0], high[1]), pairs(high[2], high[3])]
    }
    #[inline(always)]
    fn numbers(self, pairs: Self::F) -> (Self::F, Self::F) {
        let bits = ops!(|I| vreinterpretq_u32_f32(pairs[I]));
        let first = ops!(|I| vreinterpretq_f32_u32(vshlq_n_u32::<16>(bits[I])));
        (first, ops!(|I| vreinterpretq_f32_u32(vandq_u32(bits[I], vdupq_n_u32(0xffff_0000)))))
    }

    // The instructions multiply signed bytes alone: rows lose their 128, and so sums need no start.
    #[inline(always)]
    fn quads_start(self, _start: Self::F) -> Self::F {
        self.splat(0.0)
    }
    #[inline(always)]
    fn round_bytes(self, v: Self::F) -> [u8; 16] {
        let mut bytes = [0; 16];
        op!({
            let word = |i: usize| vaddq_s32(vcvtnq_s32_f32(v[i]), vdupq_n_s32(128));
            let low = vuzp1q_s16(vreinterpretq_s16_s32(word(0)), vreinterpretq_s16_s32(word(1)));
            let high = vuzp1q_s16(vreinterpretq_s16_s32(word(2)), vreinterpretq_s16_s32(word(3)));
            let packed = vuzp1q_u8(vreinterpretq_u8_s16(low), vreinterpretq_u8_s16(high));
            vst1q_u8(bytes.as_mut_ptr(), packed);
        });
        bytes
    }
}
