//! The instruction sets, the choice among them, and the sixteen lanes that all kernels are written over.

/// Functions of [`Simd`] whose arguments and results are lanes.
macro_rules! lanewise {
    ($($name:ident($self:ident, $($x:ident),+) => $body:expr;)+) => {$(
        #[inline(always)]
        fn $name($self, $($x: Self::F),+) -> Self::F {
            $body
        }
    )+};
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use std::cell::Cell;
use std::fmt;

pub(crate) use portable::Portable;

/// An instruction set that the functions of this crate are compiled for, from narrow to wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// The instructions that every CPU of the target has.
    Portable,
    /// AVX2 and FMA (x86-64-v3).
    Avx2,
    /// The same with AVX-VNNI: products of 8-bit integers.
    AvxVnni,
    /// AVX-512 F, BW, DQ and VL (x86-64-v4).
    Avx512,
    /// The same with AVX512-VNNI: products of 8-bit integers.
    Avx512Vnni,
    /// The same with AVX512-BF16: products of bf16.
    Avx512Bf16,
}

impl InstructionSet {
    const ALL: [Self; 6] =
        [Self::Portable, Self::Avx2, Self::AvxVnni, Self::Avx512, Self::Avx512Vnni, Self::Avx512Bf16];

    /// The sets that this CPU has, from narrow to wide.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.into_iter().filter(|&set| Isa::detect(set).is_some())
    }
}

/// `portable`, `avx2`, `avxvnni`, `avx512`, `avx512vnni` or `avx512bf16`, as in the environment variable `METAPHRASE_ISA`.
impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::AvxVnni => "avxvnni",
            Self::Avx512 => "avx512",
            Self::Avx512Vnni => "avx512vnni",
            Self::Avx512Bf16 => "avx512bf16",
        })
    }
}

/// The instruction set that this thread computes with: the widest of this CPU, unless the environment variable
/// `METAPHRASE_ISA` or [`with_instruction_set`] names another. A name that is unknown, or of a set that this CPU lacks, is
/// ignored.
#[must_use]
pub fn instruction_set() -> InstructionSet {
    match current() {
        Isa::Portable(_) => InstructionSet::Portable,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2(_) => InstructionSet::Avx2,
        #[cfg(target_arch = "x86_64")]
        Isa::AvxVnni(_) => InstructionSet::AvxVnni,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512(_) => InstructionSet::Avx512,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Vnni(_) => InstructionSet::Avx512Vnni,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Bf16(_) => InstructionSet::Avx512Bf16,
    }
}

/// Runs `body` with this instruction set on this thread, for tests and measurements. If the CPU lacks the set, `body` runs
/// with the thread's own.
pub fn with_instruction_set<R>(set: InstructionSet, body: impl FnOnce() -> R) -> R {
    /// Restores also when `body` panics, as a test harness may use the thread again.
    struct Restore(Isa);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _restore = Restore(current());
    if let Some(isa) = Isa::detect(set) {
        CURRENT.set(isa);
    }
    body()
}

thread_local! {
    /// Detected when the thread first computes, and a constant from then on but for [`with_instruction_set`]. Threads
    /// share nothing.
    static CURRENT: Cell<Isa> = Cell::new(Isa::wished().unwrap_or_else(Isa::widest));
}

fn current() -> Isa {
    CURRENT.get()
}

/// The right to use an instruction set: each variant holds a token that only a check of the CPU makes.
#[derive(Clone, Copy)]
enum Isa {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2<false>),
    #[cfg(target_arch = "x86_64")]
    AvxVnni(avx2::Avx2<true>),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512<{ avx512::BASE }>),
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(avx512::Avx512<{ avx512::VNNI }>),
    #[cfg(target_arch = "x86_64")]
    Avx512Bf16(avx512::Avx512<{ avx512::BF16 }>),
}

impl Isa {
    fn detect(set: InstructionSet) -> Option<Self> {
        match set {
            InstructionSet::Portable => Some(Self::Portable(Portable)),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => avx2::Avx2::<false>::detect().map(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::AvxVnni => avx2::Avx2::<true>::detect().map(Self::AvxVnni),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => avx512::Avx512::<{ avx512::BASE }>::detect().map(Self::Avx512),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Vnni => avx512::Avx512::<{ avx512::VNNI }>::detect().map(Self::Avx512Vnni),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Bf16 => avx512::Avx512::<{ avx512::BF16 }>::detect().map(Self::Avx512Bf16),
            #[cfg(not(target_arch = "x86_64"))]
            _ => None,
        }
    }

    /// The one that the environment names.
    fn wished() -> Option<Self> {
        let name = std::env::var("METAPHRASE_ISA").ok()?;
        InstructionSet::available().find(|set| set.to_string() == name).and_then(Self::detect)
    }

    fn widest() -> Self {
        InstructionSet::available().next_back().and_then(Self::detect).unwrap_or(Self::Portable(Portable))
    }
}

/// A function over slices, written once for all instruction sets.
pub(crate) trait Kernel {
    type Output;

    /// Must be `#[inline(always)]`, and so must all functions that it calls with `simd`: only then are they compiled for
    /// that set.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Runs `kernel` with the instruction set of this thread. Products of integers and of bf16 have sets of their own; all
/// other kernels are compiled only for the sets without these.
pub(crate) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    match current() {
        Isa::Portable(simd) => kernel.run(simd),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2(simd) => simd.enter(kernel),
        #[cfg(target_arch = "x86_64")]
        Isa::AvxVnni(simd) => simd.base().enter(kernel),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512(simd) => simd.enter(kernel),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Vnni(simd) => simd.base().enter(kernel),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Bf16(simd) => simd.base().enter(kernel),
    }
}

/// Runs `kernel` with AVX512-BF16 if this thread uses it, otherwise as [`dispatch`].
pub(crate) fn dispatch_bf16<K: Kernel>(kernel: K) -> K::Output {
    match current() {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Bf16(simd) => simd.enter(kernel),
        _ => dispatch(kernel),
    }
}

/// Runs `kernel` with the VNNI instructions if this thread uses them, otherwise as [`dispatch`].
pub(crate) fn dispatch_int8<K: Kernel>(kernel: K) -> K::Output {
    match current() {
        #[cfg(target_arch = "x86_64")]
        Isa::AvxVnni(simd) => simd.enter(kernel),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Vnni(simd) => simd.enter(kernel),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Bf16(simd) => simd.with_vnni().enter(kernel),
        _ => dispatch(kernel),
    }
}

/// Whether this thread computes products of bf16 with AVX512-BF16. Without it they are as exact, but slower than products
/// of f32.
#[must_use]
pub fn has_bf16_products() -> bool {
    instruction_set() == InstructionSet::Avx512Bf16
}

/// Runs `body`, compiled for the instruction set of this thread, so that its plain loops over slices use that set. The
/// results are those of a plain call of `body`, to the bit.
///
/// The compiler may decline to inline a long closure; then its loop runs portably. So mark the closure:
///
/// ```
/// let mut values = [1.0, 2.0, 3.0];
/// metaphrase_kernels::vectorised(
///     #[inline(always)]
///     || values.iter_mut().for_each(|v| *v = *v * *v + 1.0),
/// );
/// assert_eq!(values, [2.0, 5.0, 10.0]);
/// ```
#[inline(always)]
pub fn vectorised<R>(body: impl FnOnce() -> R) -> R {
    struct Body<F>(F);
    impl<R, F: FnOnce() -> R> Kernel for Body<F> {
        type Output = R;
        #[inline(always)]
        fn run<S: Simd>(self, _: S) -> R {
            (self.0)()
        }
    }
    dispatch(Body(body))
}

/// Sixteen lanes of f32, whatever the width of the registers. All sets round every operation alike.
pub(crate) trait Simd: Copy {
    /// Sixteen floats.
    type F: Copy;
    /// Sixteen truth values.
    type M: Copy;

    /// The number of panels of a product's tile (1, 2, 4 or 8 of sixteen columns each), by its number of rows, from 1 to at
    /// most 6. A tile is as wide as the registers allow: several chains of multiply-adds at a time hide their latency.
    const TILE_PANELS: &[usize];

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
    /// 2ⁿ for whole n from -126 to 127.
    fn exp2_whole(self, n: Self::F) -> Self::F;

    /// `a < b`; false where either is NaN.
    fn less(self, a: Self::F, b: Self::F) -> Self::M;
    /// Lane by lane `if m { a } else { b }`.
    fn select(self, m: Self::M, a: Self::F, b: Self::F) -> Self::F;
    /// Bit `i` says whether `a ≥ b` in lane `i`.
    fn at_least(self, a: Self::F, b: Self::F) -> u16;

    /// The sum of the lanes: lane i plus lane i+8, of these lane i plus lane i+4, then i+2, then i+1.
    fn sum(self, v: Self::F) -> f32;
    /// Lane `j` is the sum of `v[j]`, with the bits of [`Simd::sum`].
    fn sums(self, v: &[Self::F; 16]) -> Self::F;
    /// The greatest lane, in the same tree.
    fn max_lane(self, v: Self::F) -> f32;
    /// Prefetches the cache line of this address, which need not be valid.
    fn prefetch(self, address: *const f32);

    /// Lane j of vector i and lane i of vector j change places. Bits are kept, whatever they mean.
    fn transpose(self, v: [Self::F; 16]) -> [Self::F; 16];

    // A lane can also be the bits of a pair of bf16 (the upper half of an f32), the first number in its lower half.

    /// Lane i: the pair of `first[i]` and `second[i]`, rounded to the nearest bf16, ties to even. NaN stays NaN.
    fn round_pairs(self, first: Self::F, second: Self::F) -> Self::F;
    /// Lane i: the pair of numbers 2i and 2i + 1 of the 32 in `low` and `high`, rounded likewise.
    fn round_neighbours(self, low: Self::F, high: Self::F) -> Self::F;
    /// Lane by lane `(sum + a₁·b₁) + a₀·b₀` of pairs: the bits of AVX512-BF16, except that its instructions take subnormal
    /// numbers for zero.
    fn dot_pairs(self, a: Self::F, b: Self::F, sum: Self::F) -> Self::F;

    // A lane can also be the bits of four integers of 8 bits, the first in its lowest byte, or of one of 32 bits.

    /// Lane by lane `sum` plus the four products of the bytes of `a`, from 0 to 255, and of `b`, from -128 to 127. A sum
    /// beyond 32 bits wraps.
    fn dot_quads(self, a: Self::F, b: Self::F, sum: Self::F) -> Self::F;
    // A lane can also be the bits of two integers of 16 bits, the first in its lower half.

    /// Lane by lane `sum` plus the two products of the integers of `a` and `b`, from -32,767 to 32,767. A sum beyond 32 bits
    /// wraps.
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// Rounds 32 numbers to pairs in both ways, and multiplies these.
    struct Pairs<'a>(&'a [f32; 16], &'a [f32; 16]);

    impl Kernel for Pairs<'_> {
        type Output = [[f32; 16]; 3];

        fn run<S: Simd>(self, s: S) -> Self::Output {
            let (a, b) = (s.load(self.0), s.load(self.1));
            let (pairs, neighbours) = (s.round_pairs(a, b), s.round_neighbours(a, b));
            let mut out = [[0.0; 16]; 3];
            for (v, out) in [pairs, neighbours, s.dot_pairs(pairs, neighbours, a)].into_iter().zip(&mut out) {
                s.store(v, out);
            }
            out
        }
    }

    #[test]
    fn avx512_computes_pairs_alike_with_and_without_bf16() {
        let (Some(without), Some(with)) =
            (avx512::Avx512::<{ avx512::BASE }>::detect(), avx512::Avx512::<{ avx512::BF16 }>::detect())
        else {
            return;
        };
        for seed in 0..1000_u32 {
            let value = |i: usize| (seed.wrapping_mul(31).wrapping_add(i as u32) as f32).sin() * 1e3;
            let (a, b) = (std::array::from_fn(value), std::array::from_fn(|i| value(i + 16)));
            let bits = |lanes: [[f32; 16]; 3]| lanes.map(|lanes| lanes.map(f32::to_bits));
            assert_eq!(bits(without.enter(Pairs(&a, &b))), bits(with.enter(Pairs(&a, &b))));
            assert_eq!(bits(Pairs(&a, &b).run(Portable)), bits(with.enter(Pairs(&a, &b))));
        }
    }
}
