//! The inner loops: tiles of rows × panels, all their sums in registers.

use super::Pairs;
use crate::matrix::Matrix;

/// Whether this CPU has AVX512-BF16, and this thread may use AVX-512.
pub(super) fn available() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        crate::instruction_set() == crate::InstructionSet::Avx512 && std::arch::is_x86_feature_detected!("avx512bf16")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// out ← out + left·panels, where `left` is `rows × pairs` and `panels` holds `pairs` lines per sixteen outputs.
pub(super) fn product_add(left: &[u32], panels: &[Pairs], pairs: usize, out: &mut Matrix) {
    assert_eq!(left.len(), out.rows() * pairs, "pairs on the left");
    assert_eq!(panels.len(), out.cols().div_ceil(16) * pairs, "lines of the panels");
    #[cfg(target_arch = "x86_64")]
    if available() {
        // SAFETY: the CPU has the features, as `available` has just said.
        #[allow(unsafe_code)]
        return unsafe { avx512::product_add(left, panels, pairs, out) };
    }
    portable(left, panels, pairs, out);
}

/// The plain twin: the same products; sums differ in their last bits.
fn portable(left: &[u32], panels: &[Pairs], pairs: usize, out: &mut Matrix) {
    let halves = |pair: u32| [pair << 16, pair & 0xffff_0000].map(f32::from_bits);
    for r in 0..out.rows() {
        let left = &left[r * pairs..][..pairs];
        for (out, panel) in out.row_mut(r).chunks_mut(16).zip(panels.chunks_exact(pairs)) {
            for (&x, line) in left.iter().zip(panel) {
                let [x0, x1] = halves(x);
                for (out, &w) in out.iter_mut().zip(&line.0) {
                    let [w0, w1] = halves(w);
                    *out += x0 * w0 + x1 * w1;
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx512 {
    use super::{Matrix, Pairs};
    use core::arch::x86_64::{
        __m512, __m512bh, __m512i, _mm512_dpbf16_ps, _mm512_load_si512, _mm512_mask_storeu_ps, _mm512_maskz_loadu_ps,
        _mm512_set1_epi32, _mm512_setzero_ps,
    };

    /// Pairs that are multiplied before the next panels: four panels of so many lines stay in the second-level cache.
    const BLOCK: usize = 1024;

    /// Rows of a tile: 6 × 4 sums, 4 lines and a pair fit into 32 registers.
    const ROWS: usize = 6;

    /// # Safety
    /// The CPU has AVX-512 F and BF16; `left` is `out.rows() × pairs`, `panels` holds `pairs` lines for each sixteen
    /// columns of `out`.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")]
    pub(super) unsafe fn product_add(left: &[u32], panels: &[Pairs], pairs: usize, out: &mut Matrix) {
        let count = out.cols().div_ceil(16);
        for start in (0..pairs).step_by(BLOCK) {
            let block = BLOCK.min(pairs - start);
            let mut panel = 0;
            while panel < count {
                let lines = panels[panel * pairs + start..].as_ptr();
                // SAFETY: the panels from here on have at least as many columns as the number says.
                panel += unsafe {
                    match count - panel {
                        4.. => rows::<4>(left, lines, (pairs, start, block), panel, out),
                        2.. => rows::<2>(left, lines, (pairs, start, block), panel, out),
                        _ => rows::<1>(left, lines, (pairs, start, block), panel, out),
                    }
                };
            }
        }
    }

    /// All rows of `P` panels; returns `P`.
    ///
    /// # Safety
    /// As [`product_add`]; `lines` points at line `start` of panel `panel`, and there are `P` panels from there.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")]
    unsafe fn rows<const P: usize>(
        left: &[u32],
        lines: *const Pairs,
        (pairs, start, block): (usize, usize, usize),
        panel: usize,
        out: &mut Matrix,
    ) -> usize {
        let count = out.rows();
        // Tiles of almost equal height.
        let tiles = count.div_ceil(ROWS);
        for t in 0..tiles {
            let row = count * t / tiles;
            let x = left[row * pairs + start..].as_ptr();
            // SAFETY: rows `row` to `row` plus the tile's height exist.
            unsafe {
                match count * (t + 1) / tiles - row {
                    6 => tile::<6, P>(x, lines, (pairs, block), (row, panel), out),
                    5 => tile::<5, P>(x, lines, (pairs, block), (row, panel), out),
                    4 => tile::<4, P>(x, lines, (pairs, block), (row, panel), out),
                    3 => tile::<3, P>(x, lines, (pairs, block), (row, panel), out),
                    2 => tile::<2, P>(x, lines, (pairs, block), (row, panel), out),
                    _ => tile::<1, P>(x, lines, (pairs, block), (row, panel), out),
                }
            }
        }
        P
    }

    /// # Safety
    /// As [`rows`]; `x` points at pair `start` of row `row`, and there are `R` rows from there.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")]
    unsafe fn tile<const R: usize, const P: usize>(
        x: *const u32,
        lines: *const Pairs,
        (pairs, block): (usize, usize),
        (row, panel): (usize, usize),
        out: &mut Matrix,
    ) {
        let mut sums = [[_mm512_setzero_ps(); P]; R];
        for k in 0..block {
            let mut weights = [_mm512_set1_epi32(0); P];
            for (p, weights) in weights.iter_mut().enumerate() {
                // SAFETY: panel p is `pairs` lines further, and k < block ≤ its lines from here.
                *weights = unsafe { _mm512_load_si512(lines.add(p * pairs + k).cast::<__m512i>()) };
            }
            for (r, sums) in sums.iter_mut().enumerate() {
                // SAFETY: row r is `pairs` pairs further, and k < block ≤ its pairs from here.
                let pair = as_bf16(_mm512_set1_epi32(unsafe { *x.add(r * pairs + k) } as i32));
                for (sum, &weights) in sums.iter_mut().zip(&weights) {
                    *sum = _mm512_dpbf16_ps(*sum, pair, as_bf16(weights));
                }
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            let out = out.row_mut(row + r);
            for (p, &sum) in sums.iter().enumerate() {
                add(sum, &mut out[(panel + p) * 16..]);
            }
        }
    }

    /// The same bits, as the instruction wants them.
    fn as_bf16(bits: __m512i) -> __m512bh {
        // SAFETY: both are 64 bytes without invalid values.
        unsafe { core::mem::transmute(bits) }
    }

    /// Adds to the first sixteen numbers, or to as many as there are.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")]
    fn add(sum: __m512, out: &mut [f32]) {
        let mask = if out.len() >= 16 { 0xffff } else { (1_u16 << out.len()) - 1 };
        // SAFETY: the mask leaves out what lies behind the slice.
        unsafe {
            let old = _mm512_maskz_loadu_ps(mask, out.as_ptr());
            _mm512_mask_storeu_ps(out.as_mut_ptr(), mask, core::arch::x86_64::_mm512_add_ps(old, sum));
        }
    }
}
