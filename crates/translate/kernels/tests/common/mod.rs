//! What the tests share: a random source, every instruction set, distances.
#![allow(dead_code, unreachable_pub)] // each test program uses a part

use metaphrase_kernels::{InstructionSet, Matrix, instruction_set, with_instruction_set};

/// Runs `body` once for every instruction set that this CPU has.
pub fn on_each_set(mut body: impl FnMut(InstructionSet)) {
    for set in InstructionSet::available() {
        with_instruction_set(set, || {
            assert_eq!(instruction_set(), set);
            body(set);
        });
    }
}

/// Runs `body` once for every instruction set that this CPU has, and compares the bits of the results.
pub fn same_on_each_set(what: impl std::fmt::Display, mut body: impl FnMut() -> Vec<f32>) {
    let mut first = None;
    on_each_set(|set| {
        let found = bits(&body());
        let first = first.get_or_insert_with(|| found.clone());
        assert!(found == *first, "{what}: {set} has other bits than {}", InstructionSet::Portable);
    });
}

/// A small generator of random numbers (xorshift64*), so that every run is the same.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Uniform below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 32) as usize % n
    }

    /// Uniform between -1 and 1.
    pub fn value(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    }

    pub fn values(&mut self, n: usize) -> Vec<f32> {
        (0..n).map(|_| self.value()).collect()
    }

    pub fn matrix(&mut self, rows: usize, cols: usize) -> Matrix {
        Matrix::from_vec(rows, cols, self.values(rows * cols))
    }
}

/// The bits, to distinguish -0 from 0; all NaN are one, as which operand's NaN a CPU hands on is the compiler's choice.
pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| if v.is_nan() { f32::NAN.to_bits() } else { v.to_bits() }).collect()
}

/// The distance of `found` from the exact value in units of the last place of the float nearest to that (of 2⁻¹⁴⁹
/// where it is subnormal); 0 where both are NaN or the same infinity.
pub fn ulps(found: f32, exact: f64) -> f64 {
    let nearest = exact as f32;
    if found.is_nan() || nearest.is_nan() {
        return if found.is_nan() == nearest.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if found == nearest {
        return if nearest.is_infinite() { 0.0 } else { (f64::from(found) - exact).abs() / unit(nearest) };
    }
    if nearest.is_infinite() || found.is_infinite() {
        return f64::INFINITY;
    }
    (f64::from(found) - exact).abs() / unit(nearest)
}

fn unit(x: f32) -> f64 {
    let exponent = (x.to_bits() >> 23 & 0xFF).max(1) as i32;
    2f64.powi(exponent - 127 - 23)
}
