//! Zeros that products of integers leave out.
//!
//! After a ReLU most numbers of a row are zero: 92 to 97 % in the feed-forward blocks of trained models. An instruction multiplies
//! four numbers of 8 bits of a row, a lane, so a product reads only the weights of those lanes that are not zero. Hypotheses of
//! a sentence have most zeros in the same places, so four rows share a list of what is left. Sums of integers do not change.

use crate::isa::{Kernel, Simd, dispatch};
use crate::matrix::Matrix;

/// Rows that share a list.
pub(crate) const GROUP: usize = 4;

/// What each byte of a row has too much, see [`crate::number::Int8`].
const SHIFT: u32 = 0x8080_8080;

/// Rows without negative numbers, and where they are not zero.
#[derive(Clone, Default)]
pub(crate) struct Naturals {
    /// `rows × length` lanes of four bytes from 0 to 127.
    lanes: Matrix,
    /// Lanes that are not zero in any row of a group, group by group.
    places: Vec<u16>,
    /// Where the list of each group begins in `places`, and the last one ends.
    bounds: Vec<usize>,
}

impl Naturals {
    /// Finds what products of these rows of 8 bits need to read; nothing if there are negative numbers, or too few zeros.
    pub(crate) fn find(&mut self, lanes: &Matrix) -> Option<Kept<'_>> {
        let length = lanes.cols();
        // Of most other rows one of the first 64 numbers is negative.
        let first =
            lanes.as_slice().get(..16).filter(|_| length.is_multiple_of(16) && length <= usize::from(u16::MAX))?;
        if first.iter().any(|lane| lane.to_bits() & SHIFT != SHIFT) {
            return None;
        }
        let groups = lanes.rows().div_ceil(GROUP);
        self.lanes.resize(lanes.rows(), length);
        self.places.resize(groups * length + 8, 0);
        self.bounds.clear();
        self.bounds.push(0);
        let natural = dispatch(Find { naturals: self, lanes });
        let few = self.bounds[groups] * 4 <= groups * length * 3;
        (natural && few).then_some(Kept {
            lanes: self.lanes.as_slice(),
            length,
            places: &self.places,
            bounds: &self.bounds,
        })
    }
}

/// The places of the bits of each byte, and more numbers behind them.
static PLACES: [[u16; 8]; 256] = {
    let (mut all, mut byte) = ([[0; 8]; 256], 0);
    while byte < 256 {
        let (mut bit, mut found) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                all[byte][found] = bit as u16;
                found += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    all
};

struct Find<'a> {
    naturals: &'a mut Naturals,
    lanes: &'a Matrix,
}

impl Kernel for Find<'_> {
    /// Whether there are no negative numbers.
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> bool {
        let Self { naturals: Naturals { lanes: out, places, bounds }, lanes } = self;
        let (size, length) = (GROUP * lanes.cols(), lanes.cols() / 16);
        let (mut found, mut all) = (0, s.splat(0.0));
        for (rows, out) in lanes.as_slice().chunks(size).zip(out.as_mut_slice().chunks_mut(size)) {
            let (rows, out) = (rows.as_chunks().0, out.as_chunks_mut().0);
            let any = match rows.len() / length {
                1 => group::<S, 1>(s, rows, out, places, &mut found),
                2 => group::<S, 2>(s, rows, out, places, &mut found),
                3 => group::<S, 3>(s, rows, out, places, &mut found),
                _ => group::<S, GROUP>(s, rows, out, places, &mut found),
            };
            all = s.or(all, any);
            bounds.push(found);
        }
        let mut lanes = [0.0; 16];
        s.store(all, &mut lanes);
        lanes.iter().all(|lane| lane.to_bits() & SHIFT == 0)
    }
}

/// Takes the 128 off `R` rows, and adds the places of lanes that are not zero in any of them. Returns the bits that any lane has.
#[inline(always)]
fn group<S: Simd, const R: usize>(
    s: S,
    rows: &[[f32; 16]],
    out: &mut [[f32; 16]],
    places: &mut [u16],
    found: &mut usize,
) -> S::F {
    let length = rows.len() / R;
    let (rows, out) = (&rows[..R * length], &mut out[..R * length]);
    // Bit 23 is not used by bytes below 128. With it a lane is a normal number or NaN, and the least normal number is that of zeros.
    let (shift, normal) = (s.splat(f32::from_bits(SHIFT)), s.splat(f32::MIN_POSITIVE));
    let mut all = s.splat(0.0);
    for chunk in 0..length {
        let mut any = s.splat(0.0);
        for r in 0..R {
            let bytes = s.xor(s.load(&rows[r * length + chunk]), shift);
            s.store(bytes, &mut out[r * length + chunk]);
            any = s.or(any, bytes);
        }
        all = s.or(all, any);
        let kept = !s.at_least(normal, s.or(any, normal));
        for (half, byte) in kept.to_le_bytes().into_iter().enumerate() {
            let first = (chunk * 16 + half * 8) as u16;
            let places = places[*found..].first_chunk_mut().expect("room for all lanes");
            *places = PLACES[usize::from(byte)].map(|place| first + place);
            *found += byte.count_ones() as usize;
        }
    }
    all
}

/// Some rows of [`Naturals`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kept<'a> {
    lanes: &'a [f32],
    length: usize,
    places: &'a [u16],
    bounds: &'a [usize],
}

impl<'a> Kept<'a> {
    /// The rows from `row` on, the first one of a group.
    pub(crate) fn behind(self, row: usize) -> Self {
        assert_eq!(row % GROUP, 0, "row of a group");
        Self { lanes: &self.lanes[row * self.length..], bounds: &self.bounds[row / GROUP..], ..self }
    }

    /// Some rows of a group, and which of their lanes are not zero.
    #[inline(always)]
    pub(crate) fn rows(self, row: usize, rows: usize) -> (&'a [f32], &'a [u16]) {
        let group = row / GROUP;
        (
            &self.lanes[row * self.length..][..rows * self.length],
            &self.places[self.bounds[group]..self.bounds[group + 1]],
        )
    }
}
