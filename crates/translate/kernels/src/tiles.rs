//! Products with the tile registers of AMX, which some CPUs of Intel have: up to 32 rows by 32 outputs at a time, with
//! bf16 or with integers of 8 bits. The panels of weights lie in memory as these registers want them.
//!
//! Integers are exact, so their products have the bits of all other instruction sets, and those of enough rows take the
//! tiles where the thread uses [`Avx512Amx`](crate::InstructionSet::Avx512Amx). A tile adds the first and the second
//! products of all pairs of bf16 on their own, so sums of bf16 end with other bits. Hence only products that ask for
//! tiles ([`ProductStorage::with_tiles`](crate::ProductStorage::with_tiles)) have them.

use crate::aligned::Lanes;

/// The right to use the tiles: only a check of the CPU and of the kernel makes one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiles(());

/// Outputs of a block, and its most rows.
pub(crate) const SIDE: usize = 32;

/// Rows of a tile. A block of more rows has two tiles, its first and its last rows; of fewer than 32 rows some are in
/// both.
pub(crate) const TILE_ROWS: usize = 16;

/// Tiles for blocks of a number of rows, from 1 to 32, while they are configured.
pub(crate) struct Blocks {
    rows: usize,
}

/// Lanes in a row of a tile.
const STEP: usize = 16;

/// Sums of the rows of both tiles of a block. Those of integers are the bits of an i32.
#[repr(C, align(64))]
pub(crate) struct Sums(pub(crate) [[f32; SIDE]; SIDE]);

impl Sums {
    pub(crate) const ZERO: Self = Self([[0.0; SIDE]; SIDE]);

    /// Makes the sums of each row of a block of `rows` rows these.
    pub(crate) fn fill(&mut self, rows: usize, row: &[f32; SIDE]) {
        let (upper, lower) = self.0.split_at_mut(TILE_ROWS);
        upper[..rows.min(TILE_ROWS)].fill(*row);
        if rows > TILE_ROWS {
            lower.fill(*row);
        }
    }

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

/// Rows whose lanes begin `stride` lanes apart.
struct StridedRows<'a> {
    lanes: &'a [f32],
    stride: usize,
}

/// The lanes after the last whole step, padded with zeros.
#[repr(C, align(64))]
struct Rest {
    rows: [[f32; STEP]; SIDE],
    panels: [[Lanes; STEP]; 2],
}

impl Blocks {
    /// Makes `sums` the products of the rows of a block, of `length` lanes, and of one or two panels, plus `start`.
    pub(crate) fn multiply(
        &self,
        kind: Kind,
        x: &[f32],
        length: usize,
        panels: &[Lanes],
        start: &Sums,
        sums: &mut Sums,
    ) {
        let rows = StridedRows { lanes: x, stride: length };
        assert_eq!(rows.lanes.len(), self.rows * rows.stride, "lanes of the rows");
        let (first, second) = panels.split_at(length);
        // A single panel is multiplied twice; the second half of the sums is not read.
        let second = if second.is_empty() { first } else { &second[..length] };
        let whole = length / STEP * STEP;
        let start = if whole > 0 {
            registers::multiply(self, kind, rows, [first, second], whole / STEP, Some(start), sums);
            None
        } else {
            Some(start)
        };
        if whole < length {
            let mut rest = Rest { rows: [[0.0; STEP]; SIDE], panels: [[Lanes::ZERO; STEP]; 2] };
            for (to, from) in rest.rows.iter_mut().zip(x.chunks_exact(length)) {
                to[..length - whole].copy_from_slice(&from[whole..]);
            }
            for (to, from) in rest.panels.iter_mut().zip([first, second]) {
                to[..length - whole].copy_from_slice(&from[whole..]);
            }
            let [first, second] = &rest.panels;
            let rows = StridedRows { lanes: rest.rows.as_flattened(), stride: STEP };
            registers::multiply(self, kind, rows, [first, second], 1, start, sums);
        }
    }
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[allow(unsafe_code)]
mod registers {
    use super::{Blocks, Kind, Lanes, SIDE, STEP, StridedRows, Sums, TILE_ROWS, Tiles};
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

        /// Runs `body` with eight tiles of 64 bytes a row: sixteen rows of weights, and rows of numbers and sums as a
        /// block of `rows` rows needs them.
        pub(crate) fn configured(self, rows: usize, body: impl FnOnce(&Blocks)) {
            assert!((1..=SIDE).contains(&rows), "rows of a block");
            #[repr(C, align(64))]
            struct Shapes([u8; 64]);
            let mut shapes = Shapes([0; 64]);
            shapes.0[0] = 1; // the palette
            for tile in 0..8 {
                shapes.0[16 + 2 * tile] = 64; // bytes of a row
                let is_of_weights = matches!(tile, 6 | 7);
                shapes.0[48 + tile] = if is_of_weights { 16 } else { rows.min(TILE_ROWS) as u8 };
            }
            // SAFETY: the CPU has tiles, and the kernel has granted them; the 64 bytes are a valid configuration.
            unsafe { asm!("ldtilecfg [{}]", in(reg) shapes.0.as_ptr(), options(nostack, readonly, preserves_flags)) };
            body(&Blocks { rows });
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

    /// The loop of [`multiply`] for at most sixteen rows, with this product of tiles.
    macro_rules! upper_tile {
        (
            $product:literal, $start:ident, $sums:ident, $x:ident, $first:ident, $second:ident, $stride:ident,
            $steps:ident
        ) => {
            asm!(
                "tileloadd tmm0, [{start} + {row}*2]",
                "tileloadd tmm1, [{start} + {row}*2 + 64]",
                "2:",
                "tileloadd tmm4, [{x} + {stride}*1]",
                "tileloadd tmm6, [{first} + {row}*1]",
                concat!($product, " tmm0, tmm4, tmm6"),
                "tileloadd tmm7, [{second} + {row}*1]",
                concat!($product, " tmm1, tmm4, tmm7"),
                "add {x}, 64",
                "add {first}, 1024",
                "add {second}, 1024",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{sums} + {row}*2], tmm0",
                "tilestored [{sums} + {row}*2 + 64], tmm1",
                start = in(reg) $start,
                sums = in(reg) $sums,
                x = inout(reg) $x => _,
                first = inout(reg) $first => _,
                second = inout(reg) $second => _,
                stride = in(reg) $stride,
                row = in(reg) 64_usize,
                steps = inout(reg) $steps => _,
                out("tmm0") _, out("tmm1") _, out("tmm4") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            )
        };
    }

    /// The loop of [`multiply`] for more than sixteen rows, with this product of tiles.
    macro_rules! tiles {
        (
            $product:literal, $start:ident, $sums:ident, $x:ident, $lower:ident, $first:ident, $second:ident,
            $stride:ident, $steps:ident
        ) => {
            asm!(
                "tileloadd tmm0, [{start} + {row}*2]",
                "tileloadd tmm1, [{start} + {row}*2 + 64]",
                "tileloadd tmm2, [{start} + {row}*2 + 2048]",
                "tileloadd tmm3, [{start} + {row}*2 + 2112]",
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
                start = in(reg) $start,
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

    /// sums ← start + x·w for the rows of a block and two panels, over `steps` times sixteen lanes. Without a start it
    /// is the sums of before.
    pub(super) fn multiply(
        &Blocks { rows }: &Blocks,
        kind: Kind,
        StridedRows { lanes: x, stride }: StridedRows<'_>,
        [first, second]: [&[Lanes]; 2],
        steps: usize,
        start: Option<&Sums>,
        sums: &mut Sums,
    ) {
        assert!(steps > 0 && x.len() >= (rows - 1) * stride + steps * STEP, "lanes of the rows");
        assert!(first.len().min(second.len()) >= steps * STEP, "lines of two panels");
        let lower = x[rows.saturating_sub(TILE_ROWS) * stride..].as_ptr();
        let start = start.unwrap_or(sums).0.as_ptr().cast::<f32>();
        let (x, stride, sums) = (x.as_ptr(), 4 * stride, sums.0.as_mut_ptr().cast::<f32>());
        let (first, second) = (first.as_ptr(), second.as_ptr());
        // SAFETY: the tiles are there and configured for these rows. At most sixteen rows of 64 bytes, `stride` apart,
        // are read in each step, the first ones of `x` and, if there are more than sixteen, the last ones, and 1,024
        // bytes of both panels: the assertions guarantee that all of them exist. Only rows of `sums` are written.
        unsafe {
            match kind {
                Kind::Bf16 if rows <= TILE_ROWS => {
                    upper_tile!("tdpbf16ps", start, sums, x, first, second, stride, steps)
                }
                Kind::Int8 if rows <= TILE_ROWS => upper_tile!("tdpbusd", start, sums, x, first, second, stride, steps),
                Kind::Bf16 => tiles!("tdpbf16ps", start, sums, x, lower, first, second, stride, steps),
                Kind::Int8 => tiles!("tdpbusd", start, sums, x, lower, first, second, stride, steps),
            }
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod registers {
    use super::{Blocks, Kind, Lanes, StridedRows, Sums, Tiles};

    impl Tiles {
        /// No other CPU has them.
        pub(crate) fn detect() -> Option<Self> {
            None
        }

        pub(crate) fn configured(self, rows: usize, body: impl FnOnce(&Blocks)) {
            body(&Blocks { rows });
        }
    }

    pub(super) fn multiply(
        _: &Blocks,
        _: Kind,
        _: StridedRows<'_>,
        _: [&[Lanes]; 2],
        _: usize,
        _: Option<&Sums>,
        _: &mut Sums,
    ) {
    }
}
