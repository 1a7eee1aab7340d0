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

/// A function of its own that runs a kernel, compiled for CPUs with these features.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! entry {
    ($name:ident, $features:literal) => {
        #[target_feature(enable = $features)]
        #[inline(never)]
        fn $name<S: Simd, K: Kernel>(simd: S, kernel: K) -> K::Output {
            kernel.run(simd)
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
mod simd;

use crate::tiles::Tiles;
use std::cell::Cell;
use std::fmt;

pub(crate) use portable::Portable;
pub(crate) use simd::{SHIFT, Simd};

/// An instruction set that the functions of this crate are compiled for, from narrow to wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// Portable code for the target's baseline instruction set.
    Portable,
    /// NEON, which every 64-bit Arm CPU has.
    Neon,
    /// The same with dot products of 8-bit integers (Armv8.2-A DotProd).
    NeonDot,
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
    /// AVX-512 with VNNI, and AMX's tiles for products of 8-bit integers that have several rows.
    Avx512Amx,
}

impl InstructionSet {
    const ALL: [Self; 9] = [
        Self::Portable,
        Self::Neon,
        Self::NeonDot,
        Self::Avx2,
        Self::AvxVnni,
        Self::Avx512,
        Self::Avx512Vnni,
        Self::Avx512Bf16,
        Self::Avx512Amx,
    ];

    /// The sets that this CPU has, from narrow to wide.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.into_iter().filter(|&set| Isa::detect(set).is_some())
    }
}

/// `portable`, `neon`, `neondot`, `avx2`, `avxvnni`, `avx512`, `avx512vnni`, `avx512bf16` or `avx512amx`, as in the
/// environment variable `METAPHRASE_ISA`.
impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Portable => "portable",
            Self::Neon => "neon",
            Self::NeonDot => "neondot",
            Self::Avx2 => "avx2",
            Self::AvxVnni => "avxvnni",
            Self::Avx512 => "avx512",
            Self::Avx512Vnni => "avx512vnni",
            Self::Avx512Bf16 => "avx512bf16",
            Self::Avx512Amx => "avx512amx",
        })
    }
}

/// The instruction set that this thread computes with: the fastest of this CPU, unless the environment variable
/// `METAPHRASE_ISA` or [`with_instruction_set`] names another. A name that is unknown, or of a set that this CPU lacks,
/// is ignored.
#[must_use]
pub fn instruction_set() -> InstructionSet {
    match current() {
        Isa::Portable(_) => InstructionSet::Portable,
        #[cfg(target_arch = "aarch64")]
        Isa::Neon(_) => InstructionSet::Neon,
        #[cfg(target_arch = "aarch64")]
        Isa::NeonDot(_) => InstructionSet::NeonDot,
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
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Amx(..) => InstructionSet::Avx512Amx,
    }
}

/// Runs `body` with this instruction set on this thread, for tests and measurements. If the CPU lacks the set, `body`
/// runs with the thread's own.
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
    static CURRENT: Cell<Isa> = Cell::new(Isa::wished().unwrap_or_else(Isa::fastest));
}

fn current() -> Isa {
    CURRENT.get()
}

/// The right to use an instruction set: each variant holds a token that only a check of the CPU makes.
#[derive(Clone, Copy)]
enum Isa {
    Portable(Portable),
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon<false>),
    #[cfg(target_arch = "aarch64")]
    NeonDot(neon::Neon<true>),
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
    #[cfg(target_arch = "x86_64")]
    Avx512Amx(avx512::Avx512<{ avx512::VNNI }>, Tiles),
}

impl Isa {
    fn detect(set: InstructionSet) -> Option<Self> {
        match set {
            InstructionSet::Portable => Some(Self::Portable(Portable)),
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon => Some(Self::Neon(neon::Neon::new())),
            #[cfg(target_arch = "aarch64")]
            InstructionSet::NeonDot => neon::Neon::<true>::detect().map(Self::NeonDot),
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
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Amx => {
                let vnni = avx512::Avx512::<{ avx512::VNNI }>::detect()?;
                Tiles::detect().map(|tiles| Self::Avx512Amx(vnni, tiles))
            }
            _ => None, // of another kind of CPU
        }
    }

    /// The one that the environment names.
    fn wished() -> Option<Self> {
        let name = std::env::var("METAPHRASE_ISA").ok()?;
        InstructionSet::available().find(|set| set.to_string() == name).and_then(Self::detect)
    }

    /// The widest set, but AVX512-BF16 only where its products are faster than those without it.
    fn fastest() -> Self {
        let fast = |set: &InstructionSet| *set != InstructionSet::Avx512Bf16 || has_fast_bf16();
        InstructionSet::available().rfind(fast).and_then(Self::detect).unwrap_or(Self::Portable(Portable))
    }
}

/// A function over slices, written once for all instruction sets.
pub(crate) trait Kernel {
    type Output;

    /// Must be `#[inline(always)]`, and so must all functions that it calls with `simd`: only then are they compiled
    /// for that set.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// Runs `kernel` with the instruction set of this thread. Products of integers and of bf16 have sets of their own; all
/// other kernels are compiled only for the sets without these.
pub(crate) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    match current() {
        Isa::Portable(simd) => simd.enter(kernel),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon(simd) => simd.enter(kernel),
        #[cfg(target_arch = "aarch64")]
        Isa::NeonDot(simd) => simd.base().enter(kernel),
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
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Amx(simd, _) => simd.base().enter(kernel),
    }
}

/// The tiles of AMX, if this thread uses them.
pub(crate) fn tiles() -> Option<Tiles> {
    match current() {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Amx(_, tiles) => Some(tiles),
        _ => None,
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

/// Runs `kernel` with the instructions for products of bytes if this thread uses them, otherwise as [`dispatch`].
pub(crate) fn dispatch_int8<K: Kernel>(kernel: K) -> K::Output {
    match current() {
        #[cfg(target_arch = "aarch64")]
        Isa::NeonDot(simd) => simd.enter(kernel),
        #[cfg(target_arch = "x86_64")]
        Isa::AvxVnni(simd) => simd.enter(kernel),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Vnni(simd) => simd.enter(kernel),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Bf16(simd) => simd.with_vnni().enter(kernel),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Amx(simd, _) => simd.enter(kernel),
        _ => dispatch(kernel),
    }
}

/// Whether AVX512-BF16 makes products of bf16 faster on this CPU. Intel's cores begin such an instruction in every
/// second cycle: 89 · 10⁹ operations a second in a thread of Emerald Rapids, where conversions to f32 and its
/// multiply-adds make 150 (`metaphrase bench`). AMD's begin two in each cycle.
fn has_fast_bf16() -> bool {
    #[cfg(target_arch = "x86_64")]
    return {
        let vendor = std::arch::x86_64::__cpuid(0);
        [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).concat() != *b"GenuineIntel"
    };
    #[cfg(not(target_arch = "x86_64"))]
    true
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
