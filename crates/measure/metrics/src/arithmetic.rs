//! The arithmetic of the reference implementation.

/// The floating-point numbers with which the reference implementation computes.
///
/// sacreBLEU scores a corpus with Python's numbers (f64) but its bootstrap samples with NumPy's f32. To agree with it
/// to the last digit, a formula is computed in f64 and each operation's result rounded to the requested precision. For
/// `+ - * /` that *is* the f32 operation: f64 has more than twice the bits of f32, so rounding twice does no harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
}

impl Arithmetic {
    /// `x`, rounded to these numbers.
    pub fn round(self, x: f64) -> f64 {
        match self {
            Self::Single => f64::from(x as f32),
            Self::Double => x,
        }
    }
}
