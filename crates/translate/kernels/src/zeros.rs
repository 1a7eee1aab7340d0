//! Zeros that products leave out.
//!
//! After a ReLU most numbers of a row are zero: 92 to 97 % in the feed-forward blocks of trained models. A product
//! reads only the weights of those lanes that are not zero; a lane is a number of f32, a pair of bf16, or four numbers
//! of 8 bits. Hypotheses of a sentence have most zeros in the same places, so four rows share a list of the other
//! places.
//!
//! The bits stay: zero times a finite weight is zero, which changes no sum but -0; a sum that begins at zero is -0 only
//! if all its products are too small for a float. Integers are exact.

use crate::isa::{Kernel, Simd, dispatch};
use crate::matrix::Matrix;
use std::ops::Range;

/// Rows that share a list.
pub(crate) const GROUP: usize = 4;

/// The offset of each byte in rows of 8 bits, see [`crate::number::Int8`].
const SHIFT: u32 = 0x8080_8080;

/// Where rows are not zero: work space of products.
#[derive(Clone, Default)]
pub(crate) struct Zeros {
    /// Lanes that are not zero in any row of a group, group by group.
    places: Vec<u16>,
    /// Where the list of each group begins in `places`, and the last one ends.
    bounds: Vec<usize>,
    /// Rows of 8 bits without the 128: lanes of four bytes from 0 to 127.
    naturals: Matrix,
}

impl Zeros {
    /// Finds what products of these rows need to read; nothing if there are too few zeros, or negative numbers of 8
    /// bits. These are `shifted` by 128.
    pub(crate) fn find<'a>(&'a mut self, lanes: &'a [f32], rows: usize, shifted: bool) -> Option<NonZeroRows<'a>> {
        let length = lanes.len().checked_div(rows)?;
        if length == 0 || !length.is_multiple_of(16) || length > usize::from(u16::MAX) {
            return None;
        }
        // Most other rows have no zero at all among the first lanes.
        let zero = if shifted { SHIFT } else { 0 };
        if lanes[..16].iter().filter(|lane| lane.to_bits() == zero).count() < 4 {
            return None;
        }
        let groups = rows.div_ceil(GROUP);
        self.places.resize(groups * length + 8, 0);
        self.bounds.clear();
        self.bounds.push(0);
        self.naturals.resize(if shifted { rows } else { 0 }, length);
        let natural = match shifted {
            true => dispatch(Find::<true> { zeros: self, lanes, length }),
            false => dispatch(Find::<false> { zeros: self, lanes, length }),
        };
        let few = self.bounds[groups] * 4 <= groups * length * 3;
        let lanes = if shifted { self.naturals.as_slice() } else { lanes };
        (natural && few).then_some(NonZeroRows { lanes, length, places: &self.places, bounds: &self.bounds })
    }
}

/// The places of the bits of each byte, followed by padding.
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

struct Find<'a, const SHIFTED: bool> {
    zeros: &'a mut Zeros,
    lanes: &'a [f32],
    length: usize,
}

impl<const SHIFTED: bool> Kernel for Find<'_, SHIFTED> {
    /// Whether there are no negative numbers of 8 bits.
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) -> bool {
        let (size, mut found, mut all) = (GROUP * self.length, 0, s.splat(0.0));
        for start in (0..self.lanes.len()).step_by(size) {
            let lanes = start..self.lanes.len().min(start + size);
            let any = match lanes.len() / self.length {
                1 => self.group::<S, 1>(s, lanes, &mut found),
                2 => self.group::<S, 2>(s, lanes, &mut found),
                3 => self.group::<S, 3>(s, lanes, &mut found),
                _ => self.group::<S, GROUP>(s, lanes, &mut found),
            };
            all = s.or(all, any);
            self.zeros.bounds.push(found);
        }
        let mut lanes = [0.0; 16];
        s.store(all, &mut lanes);
        !SHIFTED || lanes.iter().all(|lane| lane.to_bits() & SHIFT == 0)
    }
}

impl<const SHIFTED: bool> Find<'_, SHIFTED> {
    /// Adds the places of lanes that are not zero in any of `R` rows, and takes the 128 off. Returns the bits that any
    /// lane has.
    #[inline(always)]
    fn group<S: Simd, const R: usize>(&mut self, s: S, lanes: Range<usize>, found: &mut usize) -> S::F {
        let length = self.length / 16;
        let rows = &self.lanes[lanes.clone()].as_chunks().0[..R * length];
        let naturals = if SHIFTED { self.zeros.naturals.as_mut_slice()[lanes].as_chunks_mut().0 } else { &mut [] };
        let (shift, mut all) = (s.splat(f32::from_bits(SHIFT)), s.splat(0.0));
        for chunk in 0..length {
            let mut any = s.splat(0.0);
            for at in (chunk..R * length).step_by(length) {
                let mut lanes = s.load(&rows[at]);
                if SHIFTED {
                    lanes = s.xor(lanes, shift);
                    s.store(lanes, &mut naturals[at]);
                }
                any = s.or(any, lanes);
            }
            all = s.or(all, any);
            for (half, byte) in s.any_bit(any).to_le_bytes().into_iter().enumerate() {
                let first = (chunk * 16 + half * 8) as u16;
                let places = self.zeros.places[*found..].first_chunk_mut().expect("room for all lanes");
                *places = PLACES[usize::from(byte)].map(|place| first + place);
                *found += byte.count_ones() as usize;
            }
        }
        all
    }
}

/// Rows, and which of their lanes are not zero.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NonZeroRows<'a> {
    lanes: &'a [f32],
    length: usize,
    places: &'a [u16],
    bounds: &'a [usize],
}

impl<'a> NonZeroRows<'a> {
    /// The rows from `row` on, the first one of a group.
    pub(crate) fn starting_at(self, row: usize) -> Self {
        assert_eq!(row % GROUP, 0, "row of a group");
        Self { lanes: &self.lanes[row * self.length..], bounds: &self.bounds[row / GROUP..], ..self }
    }

    /// Some rows of a group, and which of their lanes are not zero.
    #[inline(always)]
    pub(crate) fn rows(self, row: usize, rows: usize) -> (&'a [f32], &'a [u16]) {
        let bounds = &self.bounds[row / GROUP..];
        (&self.lanes[row * self.length..][..rows * self.length], &self.places[bounds[0]..bounds[1]])
    }
}
