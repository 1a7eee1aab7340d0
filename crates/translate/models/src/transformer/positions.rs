//! How a word knows its place.

use crate::config::Positions as Kind;
use crate::weights::CheckedTensor;
use metaphrase_kernels::{Matrix, add_assign};

/// Positions that are computed at load; those after are computed when they come.
const TABLE_ROWS: usize = 256;

/// Vectors of positions, counted from 0.
#[derive(Debug)]
pub(super) enum Positions {
    /// sin(t · ω_k) for k < d/2, then cos(t · ω_k).
    Sinusoidal { kind: Sinusoid, table: Matrix },
    /// A trained table, `positions × d`; its last row serves all later positions.
    Trained(Matrix),
    /// Nothing is added.
    None,
}

/// The frequencies ω_k.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sinusoid {
    /// 10000^(-k / (d/2 - 1)), in f32 as Marian's `SinusoidalPositionEmbeddings`.
    Marian,
    /// The same frequencies at a later position.
    Shifted(usize),
    /// 10000^(-2k / d), in f64 as Hugging Face's tables.
    HuggingFace,
}

/// The vectors of the first `count` positions, `count × dim`, or nothing where they are trained or there are none.
#[must_use]
pub fn position_vectors(kind: Kind, dim: usize, count: usize) -> Option<Matrix> {
    let sinusoid = Sinusoid::from_kind(kind)?;
    let mut vectors = Matrix::zeros(count, dim);
    (0..count).for_each(|t| sinusoid.add(t, vectors.row_mut(t)));
    Some(vectors)
}

impl Positions {
    /// Positions of vectors of `dim` numbers; only trained ones have a table.
    pub(super) fn new(kind: Kind, dim: usize, trained: Option<CheckedTensor<'_>>) -> Self {
        if let Some(table) = trained {
            return Self::Trained(Matrix::from_vec(table.rows(), dim, table.into_numbers()));
        }
        let Some(kind) = Sinusoid::from_kind(kind) else { return Self::None };
        let mut table = Matrix::zeros(TABLE_ROWS, dim);
        (0..TABLE_ROWS).for_each(|t| kind.add(t, table.row_mut(t)));
        Self::Sinusoidal { kind, table }
    }

    /// Adds the vector of position `position` to `x`.
    pub(super) fn add(&self, position: usize, x: &mut [f32]) {
        match self {
            Self::None => {}
            Self::Trained(table) => add_assign(x, table.row(position.min(table.rows() - 1))),
            Self::Sinusoidal { table, .. } if position < table.rows() => add_assign(x, table.row(position)),
            Self::Sinusoidal { kind, .. } => kind.add(position, x),
        }
    }
}

impl Sinusoid {
    fn from_kind(kind: Kind) -> Option<Self> {
        match kind {
            Kind::SinusoidalMarian => Some(Self::Marian),
            Kind::SinusoidalShifted { offset } => Some(Self::Shifted(offset)),
            Kind::SinusoidalHuggingFace => Some(Self::HuggingFace),
            // Tables, and what attention adds.
            _ => None,
        }
    }

    fn add(self, position: usize, x: &mut [f32]) {
        let dim = x.len();
        let half = dim / 2;
        let position = if let Self::Shifted(offset) = self { position + offset } else { position };
        for (i, x) in x.iter_mut().enumerate() {
            let k = i % half.max(1);
            *x += match self {
                Self::Marian | Self::Shifted(_) => {
                    let increment = 10000_f32.ln() / (dim as f32 / 2.0 - 1.0);
                    let angle = position as f32 * (k as f32 * -increment).exp();
                    if i < half { angle.sin() } else { angle.cos() }
                }
                Self::HuggingFace => {
                    let angle = position as f64 / 10000_f64.powf(2.0 * k as f64 / dim as f64);
                    (if i < half { angle.sin() } else { angle.cos() }) as f32
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Weights;

    fn position(positions: &Positions, t: usize) -> [f32; 4] {
        let mut x = [0.0; 4];
        positions.add(t, &mut x);
        x
    }

    fn assert_near(a: [f32; 4], b: [f32; 4]) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4), "{a:?} {b:?}");
    }

    #[test]
    fn the_last_frequency_tells_the_conventions_apart() {
        // d = 4: two frequencies, 1 and 10000^(-1/1) (Marian) or 10000^(-2/4) (Hugging Face).
        let marian = Positions::new(Kind::SinusoidalMarian, 4, None);
        let angle = 3.0 / 10000.0_f32;
        assert_near(position(&marian, 3), [3_f32.sin(), angle.sin(), 3_f32.cos(), angle.cos()]);
        let other = Positions::new(Kind::SinusoidalHuggingFace, 4, None);
        let angle = 3.0 / 100.0_f32;
        assert_near(position(&other, 3), [3_f32.sin(), angle.sin(), 3_f32.cos(), angle.cos()]);
    }

    #[test]
    fn shifted_positions_are_those_after() {
        let shifted = Positions::new(Kind::SinusoidalShifted { offset: 2 }, 4, None);
        let marian = Positions::new(Kind::SinusoidalMarian, 4, None);
        assert_eq!(position(&shifted, 3), position(&marian, 5));
        assert_eq!(position(&shifted, TABLE_ROWS), position(&marian, TABLE_ROWS + 2));
    }

    #[test]
    fn positions_behind_the_table_are_computed() {
        let positions = Positions::new(Kind::SinusoidalMarian, 4, None);
        let t = TABLE_ROWS as f32;
        assert_near(position(&positions, TABLE_ROWS), [t.sin(), (t / 1e4).sin(), t.cos(), (t / 1e4).cos()]);
    }

    #[test]
    fn trained_positions_end_with_the_last_row() {
        let table = (0..12).map(|i| i as f32).collect();
        let weights = Weights::from_tensors("m", [("Wpos", vec![3, 4], table)]).unwrap();
        let positions = Positions::new(Kind::Trained, 4, Some(weights.checked("Wpos", [3, 4]).unwrap()));
        assert_eq!(position(&positions, 1), [4.0, 5.0, 6.0, 7.0]);
        assert_eq!(position(&positions, 7), [8.0, 9.0, 10.0, 11.0]);
        assert!(weights.checked("Wpos", [3, 5]).is_err());
    }
}
