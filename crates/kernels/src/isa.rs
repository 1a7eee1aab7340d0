//! The instruction sets, the choice among them, and the lanes that all code here is written over.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use std::cell::Cell;
use std::fmt;
use std::sync::OnceLock;

pub(crate) use portable::Portable;

/// An instruction set that the functions of this crate are compiled for, from narrow to wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// What every CPU of the target has.
    Portable,
    /// AVX2 and FMA (x86-64-v3).
    Avx2,
    /// AVX-512 F, BW, DQ and VL (x86-64-v4).
    Avx512,
}

impl InstructionSet {
    /// Those that this CPU has, from narrow to wide.
    pub fn available() -> impl Iterator<Item = Self> {
        [Self::Portable, Self::Avx2, Self::Avx512].into_iter().filter(|&set| Isa::detect(set).is_some())
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Portable, Self::Avx2, Self::Avx512].into_iter().find(|set| set.to_string() == name)
    }
}

/// `portable`, `avx2` or `avx512`, as in the environment variable `METAPHRASE_ISA`.
impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        })
    }
}

/// The instruction set that this thread computes with: the widest of this CPU, or the one that the environment variable
/// `METAPHRASE_ISA` names (a name that is unknown or that this CPU lacks is ignored), or that of
/// [`with_instruction_set`].
#[must_use]
pub fn instruction_set() -> InstructionSet {
    match current() {
        Isa::Portable(_) => InstructionSet::Portable,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2(_) => InstructionSet::Avx2,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512(_) => InstructionSet::Avx512,
    }
}

/// Runs `body` with this instruction set on this thread, for tests and measurements; with the thread's own if the CPU
/// lacks it.
pub fn with_instruction_set<R>(set: InstructionSet, body: impl FnOnce() -> R) -> R {
    /// Restores also when `body` panics, as a test harness may use the thread again.
    struct Restore(Isa);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(Some(self.0));
        }
    }
    let _restore = Restore(current());
    if let Some(isa) = Isa::detect(set) {
        CURRENT.set(Some(isa));
    }
    body()
}

thread_local! {
    static CURRENT: Cell<Option<Isa>> = const { Cell::new(None) };
}

fn current() -> Isa {
    CURRENT.get().unwrap_or_else(|| {
        let isa = *DEFAULT.get_or_init(|| {
            let wished = std::env::var("METAPHRASE_ISA").ok().and_then(|name| InstructionSet::from_name(&name));
            wished.and_then(Isa::detect).unwrap_or_else(Isa::widest)
        });
        CURRENT.set(Some(isa));
        isa
    })
}

static DEFAULT: OnceLock<Isa> = OnceLock::new();

/// The right to use an instruction set: each variant holds a token that only a check of the CPU makes.
#[derive(Clone, Copy)]
enum Isa {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
}

impl Isa {
    fn detect(set: InstructionSet) -> Option<Self> {
        match set {
            InstructionSet::Portable => Some(Self::Portable(Portable)),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => avx2::Avx2::detect().map(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => avx512::Avx512::detect().map(Self::Avx512),
            #[cfg(not(target_arch = "x86_64"))]
            _ => None,
        }
    }

    fn widest() -> Self {
        let narrower = || Self::detect(InstructionSet::Avx2).unwrap_or(Self::Portable(Portable));
        Self::detect(InstructionSet::Avx512).unwrap_or_else(narrower)
    }
}

/// A function over slices, written once for all instruction sets.
pub(crate) trait Kernel {
    type Output;

    /// Must be `#[inline(always)]`, as must all that it calls with `simd`: only then is it compiled for that set.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Runs `kernel` with the instruction set of this thread.
pub(crate) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    match current() {
        Isa::Portable(simd) => kernel.run(simd),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2(simd) => simd.enter(kernel),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512(simd) => simd.enter(kernel),
    }
}

/// Sixteen lanes of f32, whatever the width of the registers. All sets round every operation alike, except that
/// [`Portable`] has no fused multiply-add.
pub(crate) trait Simd: Copy {
    /// Sixteen floats.
    type F: Copy;
    /// Sixteen truth values.
    type M: Copy;

    /// The panels (of sixteen columns: 1, 2, 4 or 8) that a tile of a product has, by its number of rows, 1 to at most 6.
    /// As wide as the registers allow, as several chains of multiply-adds must be under way to hide their latency.
    const TILE_PANELS: &[usize];

    fn splat(self, x: f32) -> Self::F;
    fn load(self, from: &[f32; 16]) -> Self::F;
    /// Loads at most sixteen; lanes that `from` does not reach get `fill`.
    fn load_partial(self, from: &[f32], fill: f32) -> Self::F;
    fn store(self, v: Self::F, to: &mut [f32; 16]);
    /// Stores the first lanes, as many as `to` (at most sixteen) has.
    fn store_partial(self, v: Self::F, to: &mut [f32]);

    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a · b + c`, rounded once (portable: twice).
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
    /// Asks for the cache line of this address, which need not be a valid one.
    fn prefetch(self, address: *const f32);
}
