//! Sixteen lanes as one 512-bit register.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Kernel, Simd};

/// The right to use AVX-512 F, BW, DQ and VL, with AVX2 and FMA; from level [`VNNI`] on AVX512-VNNI as well, from level
/// [`BF16`] on AVX512-BF16 too.
#[derive(Clone, Copy)]
pub(crate) struct Avx512<const LEVEL: u8>(());

pub(super) const BASE: u8 = 0;
pub(super) const VNNI: u8 = 1;
pub(super) const BF16: u8 = 2;

/// An intrinsic of these sets.
macro_rules! op {
    ($e:expr) => {
        // SAFETY: there is a token (`self`), so `detect` has found the CPU to have the instruction; a prefetch may be
        // given any address; the pointers given to loads and stores come from references to as many floats as the mask
        // or the type has, or to sixteen bytes.
        unsafe { $e }
    };
}

impl Avx512<BASE> {
    /// The only maker of a token of this level.
    pub(super) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma"))
        .then_some(Self(()))
    }
}

impl Avx512<VNNI> {
    /// The maker of a token of this level.
    pub(super) fn detect() -> Option<Self> {
        (Avx512::<BASE>::detect().is_some() && is_x86_feature_detected!("avx512vnni")).then_some(Self(()))
    }
}

impl Avx512<BF16> {
    /// The only maker of a token of this level.
    pub(super) fn detect() -> Option<Self> {
        (Avx512::<VNNI>::detect().is_some() && is_x86_feature_detected!("avx512bf16")).then_some(Self(()))
    }

    /// The set without BF16.
    pub(super) fn with_vnni(self) -> Avx512<VNNI> {
        Avx512(())
    }
}

impl<const LEVEL: u8> Avx512<LEVEL> {
    /// The set of the lowest level.
    pub(super) fn base(self) -> Avx512<BASE> {
        Avx512(())
    }

    /// A bit for each of the first `n` lanes.
    #[inline(always)]
    fn first(n: usize) -> __mmask16 {
        assert!(n <= 16);
        ((1u32 << n) - 1) as __mmask16
    }

    /// The bits of the nearest bf16, ties to even, in the upper half of each lane. The lower half is unspecified.
    #[inline(always)]
    fn round_bf16(self, x: __m512) -> __m512i {
        op!({
            let v = _mm512_castps_si512(x);
            let odd = _mm512_and_si512(_mm512_srli_epi32::<16>(v), _mm512_set1_epi32(1));
            let rounded = _mm512_add_epi32(v, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
            let quiet = _mm512_or_si512(v, _mm512_set1_epi32(0x0040_0000));
            _mm512_mask_blend_epi32(_mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x), rounded, quiet)
        })
    }
}

/// The same 512 bits, for an instruction on bf16.
#[inline(always)]
fn bf16(v: __m512) -> __m512bh {
    // SAFETY: both are 64 bytes, and every bit pattern is valid.
    unsafe { std::mem::transmute(v) }
}

/// The same 512 bits.
#[inline(always)]
fn bits(v: __m512bh) -> __m512i {
    // SAFETY: as above.
    unsafe { std::mem::transmute(v) }
}

impl<const LEVEL: u8> Simd for Avx512<LEVEL> {
    type F = __m512;
    type M = __mmask16;

    // At most 24 of 32 registers for sums.
    const TILE_PANELS: &[usize] = &[8, 8, 4, 4, 4, 4];
    const ATTENTION_PAIRS: usize = 8;

    #[inline]
    fn enter<K: Kernel>(self, kernel: K) -> K::Output {
        entry!(base, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma");
        entry!(vnni, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,avx512vnni");
        entry!(bf16, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,avx512vnni,avx512bf16");
        match LEVEL {
            BASE => op!(base(self, kernel)),
            VNNI => op!(vnni(self, kernel)),
            _ => op!(bf16(self, kernel)),
        }
    }

    #[inline(always)]
    fn splat(self, x: f32) -> __m512 {
        op!(_mm512_set1_ps(x))
    }
    #[inline(always)]
    fn load(self, from: &[f32; 16]) -> __m512 {
        op!(_mm512_loadu_ps(from.as_ptr()))
    }
    #[inline(always)]
    fn load_partial(self, from: &[f32], fill: f32) -> __m512 {
        op!(_mm512_mask_loadu_ps(_mm512_set1_ps(fill), Self::first(from.len()), from.as_ptr()))
    }
    #[inline(always)]
    fn store(self, v: __m512, to: &mut [f32; 16]) {
        op!(_mm512_storeu_ps(to.as_mut_ptr(), v))
    }
    #[inline(always)]
    fn store_partial(self, v: __m512, to: &mut [f32]) {
        op!(_mm512_mask_storeu_ps(to.as_mut_ptr(), Self::first(to.len()), v))
    }

    lanewise! {
        add(self, a, b) => op!(_mm512_add_ps(a, b));
        sub(self, a, b) => op!(_mm512_sub_ps(a, b));
        mul(self, a, b) => op!(_mm512_mul_ps(a, b));
        div(self, a, b) => op!(_mm512_div_ps(a, b));
        mul_add(self, a, b, c) => op!(_mm512_fmadd_ps(a, b, c));
        max(self, a, b) => op!(_mm512_max_ps(a, b));
        min(self, a, b) => op!(_mm512_min_ps(a, b));
        abs(self, a) => op!(_mm512_abs_ps(a));
        xor(self, a, b) => op!(_mm512_xor_ps(a, b));
        or(self, a, b) => op!(_mm512_or_ps(a, b));
    }
    #[inline(always)]
    fn copy_sign(self, a: __m512, b: __m512) -> __m512 {
        let sign = self.splat(-0.0);
        op!(_mm512_or_ps(_mm512_andnot_ps(sign, a), _mm512_and_ps(sign, b)))
    }
    #[inline(always)]
    fn exp2_whole(self, n: __m512) -> __m512 {
        op!({
            let exponent = _mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127));
            _mm512_castsi512_ps(_mm512_slli_epi32::<23>(exponent))
        })
    }
    #[inline(always)]
    fn add_exponent(self, a: __m512, shifted: __m512) -> __m512 {
        op!({
            let n = _mm512_slli_epi32::<23>(_mm512_castps_si512(shifted));
            _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(a), n))
        })
    }
    #[inline(always)]
    fn scale_exp2(self, a: __m512, n: __m512) -> __m512 {
        op!(_mm512_scalef_ps(a, n))
    }
    #[inline(always)]
    fn scale_exp2_far(self, a: __m512, n: __m512) -> __m512 {
        op!(_mm512_scalef_ps(a, n))
    }

    #[inline(always)]
    fn less(self, a: __m512, b: __m512) -> __mmask16 {
        op!(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b))
    }
    #[inline(always)]
    fn select(self, m: __mmask16, a: __m512, b: __m512) -> __m512 {
        op!(_mm512_mask_blend_ps(m, b, a))
    }
    #[inline(always)]
    fn at_least(self, a: __m512, b: __m512) -> u16 {
        op!(_mm512_cmp_ps_mask::<_CMP_GE_OQ>(a, b))
    }
    #[inline(always)]
    fn any_bit(self, a: __m512) -> u16 {
        op!(_mm512_test_epi32_mask(_mm512_castps_si512(a), _mm512_castps_si512(a)))
    }

    #[inline(always)]
    fn sum(self, v: __m512) -> f32 {
        op!({
            let v = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps::<1>(v));
            let v = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps::<1>(v));
            let v = _mm_add_ps(v, _mm_movehl_ps(v, v));
            _mm_cvtss_f32(_mm_add_ss(v, _mm_movehdup_ps(v)))
        })
    }
    #[inline(always)]
    fn fold<const D: usize>(self, a: __m512, b: __m512) -> __m512 {
        op!({
            let (x, y) = match D {
                8 => (_mm512_shuffle_f32x4::<0x44>(a, b), _mm512_shuffle_f32x4::<0xEE>(a, b)),
                4 => (_mm512_mask_blend_ps(0xF0F0, a, b), self.swap::<4>(_mm512_mask_blend_ps(0xF0F0, b, a))),
                2 => (_mm512_shuffle_ps::<0x44>(a, b), _mm512_shuffle_ps::<0xEE>(a, b)),
                1 => (_mm512_mask_blend_ps(0xAAAA, a, b), self.swap::<1>(_mm512_mask_blend_ps(0xAAAA, b, a))),
                _ => unreachable!("folds by {D}"),
            };
            _mm512_add_ps(x, y)
        })
    }
    #[inline(always)]
    fn swap<const D: usize>(self, v: __m512) -> __m512 {
        op!(match D {
            8 => _mm512_shuffle_f32x4::<0x4E>(v, v),
            4 => _mm512_shuffle_f32x4::<0xB1>(v, v),
            2 => _mm512_permute_ps::<0x4E>(v),
            1 => _mm512_permute_ps::<0xB1>(v),
            _ => unreachable!("swaps by {D}"),
        })
    }
    #[inline(always)]
    fn max_lane(self, v: __m512) -> f32 {
        op!({
            let v = _mm256_max_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps::<1>(v));
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
    fn transpose(self, v: [__m512; 16]) -> [__m512; 16] {
        let mut pairs = v;
        for i in 0..8 {
            pairs[2 * i] = op!(_mm512_unpacklo_ps(v[2 * i], v[2 * i + 1]));
            pairs[2 * i + 1] = op!(_mm512_unpackhi_ps(v[2 * i], v[2 * i + 1]));
        }
        // Part p of `quads[4g + j]`: lane 4p + j of the vectors 4g to 4g + 3.
        let mut quads = v;
        for g in 0..4 {
            for j in 0..2 {
                let (a, b) = (pairs[4 * g + j], pairs[4 * g + 2 + j]);
                quads[4 * g + 2 * j] = op!(_mm512_shuffle_ps::<0x44>(a, b));
                quads[4 * g + 2 * j + 1] = op!(_mm512_shuffle_ps::<0xEE>(a, b));
            }
        }
        let mut out = v;
        for j in 0..4 {
            let even_0 = op!(_mm512_shuffle_f32x4::<0x88>(quads[j], quads[4 + j]));
            let odd_0 = op!(_mm512_shuffle_f32x4::<0xDD>(quads[j], quads[4 + j]));
            let even_1 = op!(_mm512_shuffle_f32x4::<0x88>(quads[8 + j], quads[12 + j]));
            let odd_1 = op!(_mm512_shuffle_f32x4::<0xDD>(quads[8 + j], quads[12 + j]));
            out[j] = op!(_mm512_shuffle_f32x4::<0x88>(even_0, even_1));
            out[4 + j] = op!(_mm512_shuffle_f32x4::<0x88>(odd_0, odd_1));
            out[8 + j] = op!(_mm512_shuffle_f32x4::<0xDD>(even_0, even_1));
            out[12 + j] = op!(_mm512_shuffle_f32x4::<0xDD>(odd_0, odd_1));
        }
        out
    }

    #[inline(always)]
    fn round_pairs(self, first: __m512, second: __m512) -> __m512 {
        op!({
            if LEVEL >= BF16 {
                #[rustfmt::skip]
                let alternate = _mm512_set_epi16(
                    31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8,
                    23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0,
                );
                let all = bits(_mm512_cvtne2ps_pbh(second, first));
                _mm512_castsi512_ps(_mm512_permutexvar_epi16(alternate, all))
            } else {
                let first = _mm512_srli_epi32::<16>(self.round_bf16(first));
                let upper = _mm512_set1_epi32(0xffff_0000_u32 as i32);
                let second = _mm512_and_si512(self.round_bf16(second), upper);
                _mm512_castsi512_ps(_mm512_or_si512(first, second))
            }
        })
    }
    #[inline(always)]
    fn round_neighbours(self, low: __m512, high: __m512) -> __m512 {
        op!({
            if LEVEL >= BF16 {
                _mm512_castsi512_ps(bits(_mm512_cvtne2ps_pbh(high, low)))
            } else {
                let even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
                let odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
                let first = _mm512_permutex2var_ps(low, even, high);
                let second = _mm512_permutex2var_ps(low, odd, high);
                self.round_pairs(first, second)
            }
        })
    }
    #[inline(always)]
    fn numbers(self, pairs: __m512) -> (__m512, __m512) {
        op!({
            let upper = _mm512_castsi512_ps(_mm512_set1_epi32(0xffff_0000_u32 as i32));
            let first = _mm512_slli_epi32::<16>(_mm512_castps_si512(pairs));
            (_mm512_castsi512_ps(first), _mm512_and_ps(pairs, upper))
        })
    }
    #[inline(always)]
    fn dot_pairs(self, a: __m512, b: __m512, sum: __m512) -> __m512 {
        if LEVEL >= BF16 {
            return op!(_mm512_dpbf16_ps(sum, bf16(a), bf16(b)));
        }
        let ((a_0, a_1), (b_0, b_1)) = (self.numbers(a), self.numbers(b));
        self.mul_add(a_0, b_0, self.mul_add(a_1, b_1, sum))
    }

    #[inline(always)]
    fn dot_quads(self, a: __m512, b: __m512, sum: __m512) -> __m512 {
        op!({
            let (a, b, sum) = (_mm512_castps_si512(a), _mm512_castps_si512(b), _mm512_castps_si512(sum));
            _mm512_castsi512_ps(if LEVEL >= VNNI {
                _mm512_dpbusd_epi32(sum, a, b)
            } else {
                // Bytes 0 and 2 of each lane, then 1 and 3, widened to 16 bits: the one instruction for all four would
                // saturate.
                let even_a = _mm512_and_si512(a, _mm512_set1_epi16(0xff));
                let even_b = _mm512_srai_epi16::<8>(_mm512_slli_epi16::<8>(b));
                let (odd_a, odd_b) = (_mm512_srli_epi16::<8>(a), _mm512_srai_epi16::<8>(b));
                let sum = _mm512_add_epi32(sum, _mm512_madd_epi16(even_a, even_b));
                _mm512_add_epi32(sum, _mm512_madd_epi16(odd_a, odd_b))
            })
        })
    }
    #[inline(always)]
    fn dot_naturals(self, a: __m512, b: __m512, sum: __m512) -> __m512 {
        if LEVEL >= VNNI {
            return self.dot_quads(a, b, sum);
        }
        op!({
            let (a, b, sum) = (_mm512_castps_si512(a), _mm512_castps_si512(b), _mm512_castps_si512(sum));
            // Two products are at most 2 · 127 · 128, which 16 bits hold.
            let pairs = _mm512_madd_epi16(_mm512_maddubs_epi16(a, b), _mm512_set1_epi16(1));
            _mm512_castsi512_ps(_mm512_add_epi32(sum, pairs))
        })
    }
    #[inline(always)]
    fn dot_words(self, a: __m512, b: __m512, sum: __m512) -> __m512 {
        op!({
            let (a, b, sum) = (_mm512_castps_si512(a), _mm512_castps_si512(b), _mm512_castps_si512(sum));
            _mm512_castsi512_ps(if LEVEL >= VNNI {
                _mm512_dpwssd_epi32(sum, a, b)
            } else {
                _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))
            })
        })
    }
    #[inline(always)]
    fn round_words(self, v: __m512) -> [i16; 16] {
        let mut words = [0; 16];
        op!(_mm256_storeu_si256(words.as_mut_ptr().cast(), _mm512_cvtepi32_epi16(_mm512_cvtps_epi32(v))));
        words
    }
    #[inline(always)]
    fn to_floats(self, integers: __m512) -> __m512 {
        op!(_mm512_cvtepi32_ps(_mm512_castps_si512(integers)))
    }
    #[inline(always)]
    fn round_bytes(self, v: __m512) -> [u8; 16] {
        let mut bytes = [0; 16];
        op!({
            let shifted = _mm512_add_epi32(_mm512_cvtps_epi32(v), _mm512_set1_epi32(128));
            _mm_storeu_si128(bytes.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(shifted));
        });
        bytes
    }
}
