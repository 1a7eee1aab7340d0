//! Sixteen lanes as two 256-bit registers.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Kernel, Simd};

/// The right to use AVX2 and FMA; if `VNNI`, AVX-VNNI as well.
#[derive(Clone, Copy)]
pub(crate) struct Avx2<const VNNI: bool>(());

/// An intrinsic of these sets.
macro_rules! op {
    ($e:expr) => {
        // SAFETY: there is a token (`self`), so `detect` has found the CPU to have the instruction; a prefetch may be
        // given any address; the pointers given to loads and stores come from references to sixteen floats, of which
        // each half is eight, or to sixteen bytes.
        unsafe { $e }
    };
}

/// The same instruction on both halves.
macro_rules! both {
    ($f:ident, $($v:ident),+) => {
        [op!($f($($v[0]),+)), op!($f($($v[1]),+))]
    };
}

impl Avx2<false> {
    /// The only maker of a token without VNNI.
    pub(super) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
    }
}

impl Avx2<true> {
    /// The only maker of a token with VNNI.
    pub(super) fn detect() -> Option<Self> {
        (Avx2::<false>::detect().is_some() && is_x86_feature_detected!("avxvnni")).then_some(Self(()))
    }

    /// The set without VNNI.
    pub(super) fn base(self) -> Avx2<false> {
        Avx2(())
    }
}

impl<const VNNI: bool> Avx2<VNNI> {
    /// [`Simd::fold`] of one half, within it.
    #[inline(always)]
    fn fold_half<const D: usize>(self, a: __m256, b: __m256) -> __m256 {
        op!({
            let (x, y) = match D {
                4 => (_mm256_permute2f128_ps::<0x20>(a, b), _mm256_permute2f128_ps::<0x31>(a, b)),
                2 => (_mm256_shuffle_ps::<0x44>(a, b), _mm256_shuffle_ps::<0xEE>(a, b)),
                1 => (_mm256_blend_ps::<0xAA>(a, b), self.swap_half::<1>(_mm256_blend_ps::<0xAA>(b, a))),
                _ => unreachable!("folds by {D}"),
            };
            _mm256_add_ps(x, y)
        })
    }

    /// [`Simd::swap`] of one half, within it.
    #[inline(always)]
    fn swap_half<const D: usize>(self, v: __m256) -> __m256 {
        op!(match D {
            4 => _mm256_permute2f128_ps::<0x01>(v, v),
            2 => _mm256_permute_ps::<0x4E>(v),
            1 => _mm256_permute_ps::<0xB1>(v),
            _ => unreachable!("swaps by {D}"),
        })
    }

    /// Eight vectors of eight lanes: lane j of vector i and lane i of vector j change places.
    #[inline(always)]
    fn transpose_eight(self, v: [__m256; 8]) -> [__m256; 8] {
        let mut pairs = v;
        for i in 0..4 {
            pairs[2 * i] = op!(_mm256_unpacklo_ps(v[2 * i], v[2 * i + 1]));
            pairs[2 * i + 1] = op!(_mm256_unpackhi_ps(v[2 * i], v[2 * i + 1]));
        }
        // Half p of `quads[4g + j]`: lane 4p + j of the vectors 4g to 4g + 3.
        let mut quads = v;
        for g in 0..2 {
            for j in 0..2 {
                let (a, b) = (pairs[4 * g + j], pairs[4 * g + 2 + j]);
                quads[4 * g + 2 * j] = op!(_mm256_shuffle_ps::<0x44>(a, b));
                quads[4 * g + 2 * j + 1] = op!(_mm256_shuffle_ps::<0xEE>(a, b));
            }
        }
        let mut out = v;
        for j in 0..4 {
            out[j] = op!(_mm256_permute2f128_ps::<0x20>(quads[j], quads[4 + j]));
            out[4 + j] = op!(_mm256_permute2f128_ps::<0x31>(quads[j], quads[4 + j]));
        }
        out
    }

    /// [`Simd::round_pairs`] of one half.
    #[inline(always)]
    fn round_pairs_half(self, first: __m256, second: __m256) -> __m256 {
        let (first, second) = (self.round_bf16(first), self.round_bf16(second));
        op!(_mm256_castsi256_ps(_mm256_blend_epi16::<0xAA>(_mm256_srli_epi32::<16>(first), second)))
    }

    /// The bits of the nearest bf16, ties to even, in the upper half of each lane. The lower half is unspecified.
    #[inline(always)]
    fn round_bf16(self, x: __m256) -> __m256i {
        op!({
            let v = _mm256_castps_si256(x);
            let odd = _mm256_and_si256(_mm256_srli_epi32::<16>(v), _mm256_set1_epi32(1));
            let rounded = _mm256_add_epi32(v, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
            let quiet = _mm256_or_si256(v, _mm256_set1_epi32(0x0040_0000));
            let nan = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(x, x));
            _mm256_blendv_epi8(rounded, quiet, nan)
        })
    }

    /// [`Simd::numbers`] of one half.
    #[inline(always)]
    fn numbers_half(self, pairs: __m256) -> (__m256, __m256) {
        op!({
            let upper = _mm256_castsi256_ps(_mm256_set1_epi32(0xffff_0000_u32 as i32));
            let first = _mm256_slli_epi32::<16>(_mm256_castps_si256(pairs));
            (_mm256_castsi256_ps(first), _mm256_and_ps(pairs, upper))
        })
    }

    /// [`Simd::dot_quads`] of one half, or [`Simd::dot_naturals`].
    #[inline(always)]
    fn dot_quads_half<const NATURALS: bool>(self, a: __m256, b: __m256, sum: __m256) -> __m256 {
        op!({
            let (a, b, sum) = (_mm256_castps_si256(a), _mm256_castps_si256(b), _mm256_castps_si256(sum));
            _mm256_castsi256_ps(if VNNI {
                _mm256_dpbusd_avx_epi32(sum, a, b)
            } else if NATURALS {
                // Two products are at most 2 · 127 · 128, which 16 bits hold.
                let pairs = _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), _mm256_set1_epi16(1));
                _mm256_add_epi32(sum, pairs)
            } else {
                // Bytes 0 and 2 of each lane, then 1 and 3, widened to 16 bits: the one instruction for all four would
                // saturate.
                let even_a = _mm256_and_si256(a, _mm256_set1_epi16(0xff));
                let even_b = _mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(b));
                let (odd_a, odd_b) = (_mm256_srli_epi16::<8>(a), _mm256_srai_epi16::<8>(b));
                let sum = _mm256_add_epi32(sum, _mm256_madd_epi16(even_a, even_b));
                _mm256_add_epi32(sum, _mm256_madd_epi16(odd_a, odd_b))
            })
        })
    }

    /// [`Simd::dot_words`] of one half.
    #[inline(always)]
    fn dot_words_half(self, a: __m256, b: __m256, sum: __m256) -> __m256 {
        op!({
            let (a, b, sum) = (_mm256_castps_si256(a), _mm256_castps_si256(b), _mm256_castps_si256(sum));
            _mm256_castsi256_ps(if VNNI {
                _mm256_dpwssd_avx_epi32(sum, a, b)
            } else {
                _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
            })
        })
    }

    /// [`Simd::to_floats`] of one half.
    #[inline(always)]
    fn to_floats_half(self, integers: __m256) -> __m256 {
        op!(_mm256_cvtepi32_ps(_mm256_castps_si256(integers)))
    }

    /// [`Simd::exp2_whole`] of one half.
    #[inline(always)]
    fn exp2_half(self, n: __m256) -> __m256 {
        op!({
            let exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
            _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponent))
        })
    }
}

impl<const VNNI: bool> Simd for Avx2<VNNI> {
    type F = [__m256; 2];
    type M = [__m256; 2];

    // At most 12 of 16 registers for sums, two each; 3 × 2 spilt, at half the speed.
    const TILE_PANELS: &[usize] = &[4, 2, 1, 1, 1, 1];
    const ATTENTION_PAIRS: usize = 2;

    #[inline]
    fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        entry!(base, "avx2,fma");
        entry!(vnni, "avx2,fma,avxvnni");
        match VNNI {
            false => op!(base(self, kernel)),
            true => op!(vnni(self, kernel)),
        }
    }

    #[inline(always)]
    fn splat(self, x: f32) -> Self::F {
        [op!(_mm256_set1_ps(x)); 2]
    }
    #[inline(always)]
    fn load(self, from: &[f32; 16]) -> Self::F {
        [op!(_mm256_loadu_ps(from.as_ptr())), op!(_mm256_loadu_ps(from[8..].as_ptr()))]
    }
    #[inline(always)]
    fn store(self, v: Self::F, to: &mut [f32; 16]) {
        op!(_mm256_storeu_ps(to.as_mut_ptr(), v[0]));
        op!(_mm256_storeu_ps(to[8..].as_mut_ptr(), v[1]));
    }

    lanewise! {
        add(self, a, b) => both!(_mm256_add_ps, a, b);
        sub(self, a, b) => both!(_mm256_sub_ps, a, b);
        mul(self, a, b) => both!(_mm256_mul_ps, a, b);
        div(self, a, b) => both!(_mm256_div_ps, a, b);
        mul_add(self, a, b, c) => both!(_mm256_fmadd_ps, a, b, c);
        max(self, a, b) => both!(_mm256_max_ps, a, b);
        min(self, a, b) => both!(_mm256_min_ps, a, b);
    }
    #[inline(always)]
    fn abs(self, a: Self::F) -> Self::F {
        let sign = self.splat(-0.0);
        both!(_mm256_andnot_ps, sign, a)
    }
    #[inline(always)]
    fn xor(self, a: Self::F, b: Self::F) -> Self::F {
        both!(_mm256_xor_ps, a, b)
    }
    #[inline(always)]
    fn or(self, a: Self::F, b: Self::F) -> Self::F {
        both!(_mm256_or_ps, a, b)
    }
    #[inline(always)]
    fn copy_sign(self, a: Self::F, b: Self::F) -> Self::F {
        let sign = self.splat(-0.0);
        let (magnitude, sign) = (both!(_mm256_andnot_ps, sign, a), both!(_mm256_and_ps, sign, b));
        both!(_mm256_or_ps, magnitude, sign)
    }
    #[inline(always)]
    fn exp2_whole(self, n: Self::F) -> Self::F {
        [self.exp2_half(n[0]), self.exp2_half(n[1])]
    }
    #[inline(always)]
    fn add_exponent(self, a: Self::F, shifted: Self::F) -> Self::F {
        let half = |a, shifted| {
            op!({
                let n = _mm256_slli_epi32::<23>(_mm256_castps_si256(shifted));
                _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), n))
            })
        };
        [half(a[0], shifted[0]), half(a[1], shifted[1])]
    }

    #[inline(always)]
    fn less(self, a: Self::F, b: Self::F) -> Self::M {
        [op!(_mm256_cmp_ps::<_CMP_LT_OQ>(a[0], b[0])), op!(_mm256_cmp_ps::<_CMP_LT_OQ>(a[1], b[1]))]
    }
    #[inline(always)]
    fn select(self, m: Self::M, a: Self::F, b: Self::F) -> Self::F {
        both!(_mm256_blendv_ps, b, a, m)
    }
    #[inline(always)]
    fn at_least(self, a: Self::F, b: Self::F) -> u16 {
        let low = op!(_mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(a[0], b[0])));
        let high = op!(_mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(a[1], b[1])));
        (low | (high << 8)) as u16
    }
    #[inline(always)]
    fn any_bit(self, a: Self::F) -> u16 {
        let none = |half: __m256| {
            let none = op!(_mm256_cmpeq_epi32(_mm256_castps_si256(half), _mm256_setzero_si256()));
            op!(_mm256_movemask_ps(_mm256_castsi256_ps(none)))
        };
        !(none(a[0]) | (none(a[1]) << 8)) as u16
    }

    #[inline(always)]
    fn sum(self, v: Self::F) -> f32 {
        op!({
            let v = _mm256_add_ps(v[0], v[1]);
            let v = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps::<1>(v));
            let v = _mm_add_ps(v, _mm_movehl_ps(v, v));
            _mm_cvtss_f32(_mm_add_ss(v, _mm_movehdup_ps(v)))
        })
    }
    #[inline(always)]
    fn fold<const D: usize>(self, a: Self::F, b: Self::F) -> Self::F {
        if D == 8 {
            return [op!(_mm256_add_ps(a[0], a[1])), op!(_mm256_add_ps(b[0], b[1]))];
        }
        [self.fold_half::<D>(a[0], b[0]), self.fold_half::<D>(a[1], b[1])]
    }
    #[inline(always)]
    fn swap<const D: usize>(self, v: Self::F) -> Self::F {
        if D == 8 { [v[1], v[0]] } else { [self.swap_half::<D>(v[0]), self.swap_half::<D>(v[1])] }
    }
    #[inline(always)]
    fn max_lane(self, v: Self::F) -> f32 {
        op!({
            let v = _mm256_max_ps(v[0], v[1]);
            let v = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps::<1>(v));
            let v = _mm_max_ps(v, _mm_movehl_ps(v, v));
            _mm_cvtss_f32(_mm_max_ss(v, _mm_movehdup_ps(v)))
        })
    }
    #[inline(always)]
    fn prefetch(self, address: *const f32) {
        op!(_mm_prefetch::<_MM_HINT_T0>(address.cast()))
    }

    #[inline(always)]
    fn transpose(self, v: [Self::F; 16]) -> [Self::F; 16] {
        let mut out = v;
        for half in 0..2 {
            for other in 0..2 {
                let mut square = [v[0][0]; 8];
                for i in 0..8 {
                    square[i] = v[8 * half + i][other];
                }
                let square = self.transpose_eight(square);
                for i in 0..8 {
                    out[8 * other + i][half] = square[i];
                }
            }
        }
        out
    }

    #[inline(always)]
    fn round_pairs(self, first: Self::F, second: Self::F) -> Self::F {
        [self.round_pairs_half(first[0], second[0]), self.round_pairs_half(first[1], second[1])]
    }
    #[inline(always)]
    fn round_neighbours(self, low: Self::F, high: Self::F) -> Self::F {
        // Even and odd lanes: those of each 128 bits together, then the 64-bit quarters in order.
        let mut pairs = low;
        for (half, v) in [low, high].into_iter().enumerate() {
            let (even, odd) = op!((_mm256_shuffle_ps::<0x88>(v[0], v[1]), _mm256_shuffle_ps::<0xDD>(v[0], v[1])));
            let both = self.round_pairs_half(even, odd);
            pairs[half] = op!(_mm256_castpd_ps(_mm256_permute4x64_pd::<0xD8>(_mm256_castps_pd(both))));
        }
        pairs
    }
    #[inline(always)]
    fn numbers(self, pairs: Self::F) -> (Self::F, Self::F) {
        let (low, high) = (self.numbers_half(pairs[0]), self.numbers_half(pairs[1]));
        ([low.0, high.0], [low.1, high.1])
    }

    #[inline(always)]
    fn dot_quads(self, a: Self::F, b: Self::F, sum: Self::F) -> Self::F {
        [self.dot_quads_half::<false>(a[0], b[0], sum[0]), self.dot_quads_half::<false>(a[1], b[1], sum[1])]
    }
    #[inline(always)]
    fn dot_naturals(self, a: Self::F, b: Self::F, sum: Self::F) -> Self::F {
        [self.dot_quads_half::<true>(a[0], b[0], sum[0]), self.dot_quads_half::<true>(a[1], b[1], sum[1])]
    }
    #[inline(always)]
    fn dot_words(self, a: Self::F, b: Self::F, sum: Self::F) -> Self::F {
        [self.dot_words_half(a[0], b[0], sum[0]), self.dot_words_half(a[1], b[1], sum[1])]
    }
    #[inline(always)]
    fn round_words(self, v: Self::F) -> [i16; 16] {
        let mut words = [0; 16];
        op!({
            let packed = _mm256_packs_epi32(_mm256_cvtps_epi32(v[0]), _mm256_cvtps_epi32(v[1]));
            // 64-bit quarters 0, 2, 1, 3 are in order.
            _mm256_storeu_si256(words.as_mut_ptr().cast(), _mm256_permute4x64_epi64::<0xD8>(packed));
        });
        words
    }
    #[inline(always)]
    fn to_floats(self, integers: Self::F) -> Self::F {
        [self.to_floats_half(integers[0]), self.to_floats_half(integers[1])]
    }
    #[inline(always)]
    fn round_bytes(self, v: Self::F) -> [u8; 16] {
        let mut bytes = [0; 16];
        op!({
            let words = _mm256_packs_epi32(_mm256_cvtps_epi32(v[0]), _mm256_cvtps_epi32(v[1]));
            // 64-bit quarters 0, 2, 1, 3 of the packed words are in order.
            let words = _mm256_permute4x64_epi64::<0xD8>(words);
            let words = _mm256_add_epi16(words, _mm256_set1_epi16(128));
            let packed = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
            _mm_storeu_si128(bytes.as_mut_ptr().cast(), packed);
        });
        bytes
    }
}
