//! Products with the tile registers of AMX, which some CPUs of Intel have: 16 to 32 rows by 32 outputs at a time, with
//! bf16 or with integers of 8 bits. The panels of weights lie in memory as these registers want them.
//!
//! Integers are exact, so their products have the bits of all other instruction sets, and all products of enough rows
//! take the tiles. A tile adds the first and the second products of all pairs of bf16 on their own, so sums of bf16 end
//! with other bits. Hence only products that ask for tiles
//! ([`ProductStorage::with_tiles`](crate::ProductStorage::with_tiles)) have them.

use crate::aligned::Lanes;
use crate::isa::{InstructionSet, instruction_set};
use crate::team;

/// The right to use the tiles: only a check of the CPU and of the kernel makes one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiles(());

/// Outputs of a block, and its most rows.
pub(crate) const SIDE: usize = 32;

/// Rows of a tile, of which a block has two: the first and the last rows of the block. Of fewer than 32 rows some are
/// in both.
pub(crate) const TILE_ROWS: usize = 16;

/// Lanes in a row of a tile.
const STEP: usize = 16;

/// Sums of the rows of both tiles of a block. Those of integers are the bits of an i32.
#[repr(C, align(64))]
pub(crate) struct Sums(pub(crate) [[f32; SIDE]; SIDE]);

impl Sums {
    pub(crate) const ZERO: Self = Self([[0.0; SIDE]; SIDE]);

    /// The sums of row `row` of a block of `rows` rows.
    pub(crate) fn of(&self, row: usize, rows: usize) -> &[f32; SIDE] {
        &self.0[if row < TILE_ROWS { row } else { row + SIDE - rows }]
    }
}

/// The content of the lanes of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Pairs of bf16.
    Bf16,
    /// Four bytes: unsigned ones in rows, signed ones in weights.
    Int8,
}

/// The lanes after the last whole step, padded with zeros.
#[repr(C, align(64))]
struct Rest {
    rows: [[f32; STEP]; SIDE],
    panels: [[Lanes; STEP]; 2],
}

impl Tiles {
    /// The tiles for a product of integers, unless there are too few rows, this thread computes with another instruction
    /// set than the widest, or its team divides the products.
    pub(crate) fn of_integers(rows: usize, lanes: usize) -> Option<Self> {
        let are_enough = rows >= TILE_ROWS && lanes > 0;
        let is_widest = || instruction_set() == InstructionSet::Avx512Bf16 && !team::in_team();
        if are_enough && is_widest() { Self::detect() } else { None }
    }

    /// Adds the products of 16 to 32 rows of `length` lanes and of one or two panels to `sums`.
    pub(crate) fn multiply(self, kind: Kind, x: &[f32], length: usize, panels: &[Lanes], sums: &mut Sums) {
        let rows = x.len() / length;
        assert!(x.len() == rows * length && (TILE_ROWS..=SIDE).contains(&rows), "lanes of the rows");
        let (first, second) = panels.split_at(length);
        // A single panel is multiplied twice; the second half of the sums is not read.
        let second = if second.is_empty() { first } else { &second[..length] };
        let whole = length / STEP * STEP;
        if whole > 0 {
            registers::multiply(self, kind, (x, rows), length, [first, second], whole / STEP, sums);
        }
        if whole < length {
            let mut rest = Rest { rows: [[0.0; STEP]; SIDE], panels: [[Lanes::ZERO; STEP]; 2] };
            for (to, from) in rest.rows.iter_mut().zip(x.chunks_exact(length)) {
                to[..length - whole].copy_from_slice(&from[whole..]);
            }
            for (to, from) in rest.panels.iter_mut().zip([first, second]) {
                to[..length - whole].copy_from_slice(&from[whole..]);
            }
            let [first, second] = &rest.panels;
            registers::multiply(self, kind, (rest.rows.as_flattened(), rows), STEP, [first, second], 1, sums);
        }
    }
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[allow(unsafe_code)]
mod registers {
    use super::{Kind, Lanes, STEP, Sums, TILE_ROWS, Tiles};
    use std::arch::asm;
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    use std::sync::OnceLock;

    /// The system call that asks for the tiles, what it asks, and the number of their state.
    const ARCH_PRCTL: usize = 158;
    const ARCH_REQ_XCOMP_PERM: usize = 0x1023;
    const XTILEDATA: usize = 18;

    impl Tiles {
        /// The tiles, if the CPU has those of bf16 and of bytes and the kernel grants them to this program.
        pub(crate) fn detect() -> Option<Self> {
            static GRANTED: OnceLock<bool> = OnceLock::new();
            GRANTED.get_or_init(|| has_tiles() && grants()).then_some(Self(()))
        }

        /// Runs `body` with eight tiles of sixteen rows of 64 bytes.
        pub(crate) fn configured(self, body: impl FnOnce()) {
            #[repr(C, align(64))]
            struct Shapes([u8; 64]);
            let mut shapes = Shapes([0; 64]);
            shapes.0[0] = 1; // the palette
            for tile in 0..8 {
                shapes.0[16 + 2 * tile] = 64; // bytes of a row
                shapes.0[48 + tile] = 16; // rows
            }
            // SAFETY: the CPU has tiles, and the kernel has granted them; the 64 bytes are a valid configuration.
            unsafe { asm!("ldtilecfg [{}]", in(reg) shapes.0.as_ptr(), options(nostack, readonly, preserves_flags)) };
            body();
            // SAFETY: as above.
            unsafe { asm!("tilerelease", options(nostack, nomem, preserves_flags)) };
        }
    }

    fn has_tiles() -> bool {
        const BF16_TILE_INT8: u32 = 1 << 22 | 1 << 24 | 1 << 25;
        __cpuid(0).eax >= 7 && __cpuid_count(7, 0).edx & BF16_TILE_INT8 == BF16_TILE_INT8
    }

    fn grants() -> bool {
        let result: isize;
        // SAFETY: the call takes two numbers and changes no memory of this program.
        unsafe {
            asm!("syscall", inlateout("rax") ARCH_PRCTL => result, in("rdi") ARCH_REQ_XCOMP_PERM, in("rsi") XTILEDATA,
                lateout("rcx") _, lateout("r11") _, options(nostack));
        }
        result == 0
    }

    /// The loop of [`multiply`] with this product of tiles.
    macro_rules! tiles {
        ($product:literal, $sums:ident, $x:ident, $lower:ident, $first:ident, $second:ident, $stride:ident, $steps:ident) => {
            asm!(
                "tileloadd tmm0, [{sums} + {row}*2]",
                "tileloadd tmm1, [{sums} + {row}*2 + 64]",
                "tileloadd tmm2, [{sums} + {row}*2 + 2048]",
                "tileloadd tmm3, [{sums} + {row}*2 + 2112]",
                "2:",
                "tileloadd tmm4, [{x} + {stride}*1]",
                "tileloadd tmm6, [{first} + {row}*1]",
                concat!($product, " tmm0, tmm4, tmm6"),
                "tileloadd tmm7, [{second} + {row}*1]",
                concat!($product, " tmm1, tmm4, tmm7"),
                "tileloadd tmm5, [{lower} + {stride}*1]",
                concat!($product, " tmm2, tmm5, tmm6"),
                concat!($product, " tmm3, tmm5, tmm7"),
                "add {x}, 64",
                "add {lower}, 64",
                "add {first}, 1024",
                "add {second}, 1024",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{sums} + {row}*2], tmm0",
                "tilestored [{sums} + {row}*2 + 64], tmm1",
                "tilestored [{sums} + {row}*2 + 2048], tmm2",
                "tilestored [{sums} + {row}*2 + 2112], tmm3",
                sums = in(reg) $sums,
                x = inout(reg) $x => _,
                lower = inout(reg) $lower => _,
                first = inout(reg) $first => _,
                second = inout(reg) $second => _,
                stride = in(reg) $stride,
                row = in(reg) 64_usize,
                steps = inout(reg) $steps => _,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            )
        };
    }

    /// sums ← sums + x·w for 16 to 32 rows, whose lanes lie `stride` apart, and two panels, over `steps` times sixteen
    /// lanes.
    pub(super) fn multiply(
        _: Tiles,
        kind: Kind,
        (x, rows): (&[f32], usize),
        stride: usize,
        [first, second]: [&[Lanes]; 2],
        steps: usize,
        sums: &mut Sums,
    ) {
        assert!(rows >= TILE_ROWS && steps > 0, "rows of two tiles");
        assert!(x.len() >= (rows - 1) * stride + steps * STEP, "lanes of the rows");
        assert!(first.len().min(second.len()) >= steps * STEP, "lines of two panels");
        let lower = x[(rows - TILE_ROWS) * stride..].as_ptr();
        let (x, stride, sums) = (x.as_ptr(), 4 * stride, sums.0.as_mut_ptr().cast::<f32>());
        let (first, second) = (first.as_ptr(), second.as_ptr());
        // SAFETY: the tiles are there. Sixteen rows of 64 bytes, `stride` apart, are read in each step, the first ones
        // of `x` and the last ones, and 1,024 bytes of both panels: the assertions guarantee that all of them exist.
        // `sums` is written in whole.
        unsafe {
            match kind {
                Kind::Bf16 => tiles!("tdpbf16ps", sums, x, lower, first, second, stride, steps),
                Kind::Int8 => tiles!("tdpbusd", sums, x, lower, first, second, stride, steps),
            }
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod registers {
    use super::{Kind, Lanes, Sums, Tiles};

    impl Tiles {
        /// No other CPU has them.
        pub(crate) fn detect() -> Option<Self> {
            None
        }

        pub(crate) fn configured(self, body: impl FnOnce()) {
            body();
        }
    }

    pub(super) fn multiply(_: Tiles, _: Kind, _: (&[f32], usize), _: usize, _: [&[Lanes]; 2], _: usize, _: &mut Sums) {}
}
