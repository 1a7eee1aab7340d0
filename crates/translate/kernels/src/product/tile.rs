//! The tiles of a product: R rows × P panels of sixteen outputs, with all accumulators in registers.

use std::marker::PhantomData;
use std::ops::Range;

use crate::aligned::Lanes;
use crate::elementwise::{ClippedRelu, Relu, Unary};
use crate::epilogue::Activation;
use crate::isa::{Kernel, Simd};
use crate::log_sum::BLOCK;
use crate::number::Number;
use crate::panels::Panels;
use crate::values::Values;
use crate::zeros::{GROUP, NonZeroRows};

/// Some panels of a product.
pub(super) struct Product<'a, N> {
    /// `rows × w.length()`.
    pub(super) x: &'a [f32],
    /// Factors of the rows of integers, none of floats.
    pub(super) scales: &'a [f32],
    /// The lanes that are read in place of `x` if only some are not zero.
    pub(super) kept: NonZeroRows<'a>,
    pub(super) rows: usize,
    pub(super) w: &'a Panels,
    /// The panels that are computed; others may be computed on other threads.
    pub(super) panels: Range<usize>,
    pub(super) bias: Option<&'a [f32]>,
    /// `rows × w.outputs()`, as `out`.
    pub(super) add: Option<&'a [f32]>,
    /// Only the ReLUs, which take an instruction or two.
    pub(super) activation: Activation,
    pub(super) out: Values<'a>,
    /// Columns of a row of `out`; the first one is that of panel `origin`.
    pub(super) stride: usize,
    pub(super) origin: usize,
    /// Whether the product is added to the values of `out`.
    pub(super) accumulate: bool,
    pub(super) number: PhantomData<N>,
}

impl<'a, N> Product<'a, N> {
    /// All panels of x·w, into `out` of `rows × w.outputs()`.
    pub(super) fn new(x: &'a [f32], scales: &'a [f32], rows: usize, w: &'a Panels, out: Values<'a>) -> Self {
        Self {
            x,
            scales,
            kept: NonZeroRows::default(),
            rows,
            w,
            panels: 0..w.count(),
            bias: None,
            add: None,
            activation: Activation::None,
            out,
            stride: w.outputs(),
            origin: 0,
            accumulate: false,
            number: PhantomData,
        }
    }
}

impl<N: Number> Kernel for Product<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let rows = self.rows;
        assert_eq!(self.x.len(), rows * self.w.length(), "lanes of x");
        if rows == 0 {
            return;
        }
        let tiles = rows.div_ceil(Self::tallest::<S>());
        let height = if N::SPARSE { rows.min(Self::tallest::<S>()) } else { rows.div_ceil(tiles) };
        let widest = S::TILE_PANELS[height - 1];
        let whole = self.panels.end.min(self.w.outputs() / 16);
        let mut panel = self.panels.start;
        while panel < whole {
            let width = widest.min(whole - panel);
            panel += match if N::SPARSE && width < widest { 1 } else { width } {
                8.. => self.column::<S, 8>(s, panel, tiles),
                4.. => self.column::<S, 4>(s, panel, tiles),
                2.. => self.column::<S, 2>(s, panel, tiles),
                _ => self.column::<S, 1>(s, panel, tiles),
            };
        }
        if panel < self.panels.end {
            self.column::<S, 1>(s, panel, tiles);
        }
    }
}

/// A tile of a product. It is a function of its own: a function of all tiles takes twice the time to compile.
struct Tile<'t, 'a, N, const R: usize, const P: usize> {
    product: &'t mut Product<'a, N>,
    row: usize,
    first: usize,
}

impl<N: Number, const R: usize, const P: usize> Kernel for Tile<'_, '_, N, R, P> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.product.tile::<S, R, P>(s, self.row, self.first);
    }
}

impl<N: Number> Product<'_, N> {
    /// The most rows of a tile. All rows of a tile share one list of non-zero lanes.
    #[inline(always)]
    fn tallest<S: Simd>() -> usize {
        if N::SPARSE { S::TILE_PANELS.len().min(GROUP) } else { S::TILE_PANELS.len() }
    }

    /// Whether a tile of `panels` panels is compiled. Sparse tiles are as wide as the registers allow or have one
    /// panel, which is half of the code.
    #[inline(always)]
    fn has_width<S: Simd>(rows: usize, panels: usize) -> bool {
        let widest = |rows: usize| S::TILE_PANELS[rows - 1];
        !N::SPARSE || panels == 1 || panels == widest(rows) || panels == widest(Self::tallest::<S>())
    }

    /// Where a tile begins. They are of almost equal height: of seven rows, four and three run faster than six and one.
    /// A tile of rows with lists lies in one group.
    #[inline(always)]
    fn row_of_tile<S: Simd>(rows: usize, tiles: usize, tile: usize) -> usize {
        if N::SPARSE { rows.min(tile * Self::tallest::<S>()) } else { rows * tile / tiles }
    }

    /// All rows of the `P` panels from `first`; returns `P`.
    #[inline(always)]
    fn column<S: Simd, const P: usize>(&mut self, s: S, first: usize, tiles: usize) -> usize {
        for tile in 0..tiles {
            let row = Self::row_of_tile::<S>(self.rows, tiles, tile);
            match Self::row_of_tile::<S>(self.rows, tiles, tile + 1) - row {
                1 => s.enter(Tile::<N, 1, P> { product: self, row, first }),
                2 => s.enter(Tile::<N, 2, P> { product: self, row, first }),
                3 => s.enter(Tile::<N, 3, P> { product: self, row, first }),
                4 => s.enter(Tile::<N, 4, P> { product: self, row, first }),
                5 => s.enter(Tile::<N, 5, P> { product: self, row, first }),
                6 => s.enter(Tile::<N, 6, P> { product: self, row, first }),
                rows => unreachable!("a tile of {rows} rows"),
            }
        }
        P
    }

    /// Where the first value of a row's panel is in `out`.
    #[inline(always)]
    fn place(&self, row: usize, panel: usize) -> usize {
        row * self.stride + (panel - self.origin) * 16
    }

    /// Computes and stores the tile of `R` rows from `row` on and `P` panels from `first` on.
    #[inline(always)]
    fn tile<S: Simd, const R: usize, const P: usize>(&mut self, s: S, row: usize, first: usize) {
        if R > Self::tallest::<S>() || P > S::TILE_PANELS[R - 1] || !Self::has_width::<S>(R, P) {
            unreachable!("{R} × {P} is no tile of this instruction set"); // and no code is made for it
        }
        let (length, outputs) = (self.w.length(), self.w.outputs());
        let x = &self.x[row * length..][..R * length];
        let panels = self.w.panels(first..first + P);
        // What will be stored is fetched while the sums are computed: 98 to 103 GFLOP/s for 64 rows, 256 × 8000. A
        // block of columns is in the cache already.
        if self.stride > BLOCK {
            let mut line = self.out.place(self.place(row, first));
            for _ in 0..R {
                for p in 0..P {
                    s.prefetch(line.wrapping_add(p * 16));
                }
                line = line.wrapping_add(self.stride);
            }
        }
        let mut starts = [s.splat(0.0); P];
        for (p, start) in starts.iter_mut().enumerate() {
            *start = N::start(s, self.w, first + p);
        }
        let sums = if N::SPARSE {
            let (x, places) = self.kept.rows(row, R);
            multiply_kept::<S, N, R, P>(s, x, places, panels)
        } else {
            multiply::<S, N, R, P>(s, x, panels, starts)
        };
        if first * 16 + 16 <= outputs {
            self.finish::<S, R, P, true>(s, row, first, sums);
        } else {
            self.finish::<S, R, P, false>(s, row, first, sums);
        }
    }

    /// Makes the integers of a tile floats.
    #[inline(always)]
    fn scale<S: Simd, const R: usize, const P: usize>(
        &self,
        s: S,
        row: usize,
        first: usize,
        sums: &mut [[S::F; P]; R],
    ) {
        let mut columns = [s.splat(0.0); P];
        for (column, end) in columns.iter_mut().zip(self.w.ends(first..first + P)) {
            *column = s.load(&end.scale.0);
        }
        for (sums, &scale) in sums.iter_mut().zip(&self.scales[row..][..R]) {
            let scale = s.splat(scale);
            for (sum, column) in sums.iter_mut().zip(columns) {
                *sum = s.mul(s.to_floats(*sum), s.mul(scale, column));
            }
        }
    }

    /// Finishes the sums of a tile (factors, bias, addition, activation) and stores them. Each operation is done with
    /// all sums of the tile before the next one, in loops of known lengths: so the sums stay in registers, and what is
    /// to be done is asked once for a tile. `WHOLE`: the panels have sixteen outputs; only a single panel may have
    /// fewer.
    #[allow(unsafe_code)]
    #[inline(always)]
    fn finish<S: Simd, const R: usize, const P: usize, const WHOLE: bool>(
        &mut self,
        s: S,
        row: usize,
        first: usize,
        mut sums: [[S::F; P]; R],
    ) {
        if !WHOLE && P > 1 {
            unreachable!("{P} panels, and not whole"); // and no code is made for it
        }
        let outputs = self.w.outputs();
        let width = if WHOLE { P * 16 } else { outputs - first * 16 };
        if N::INTEGER {
            self.scale(s, row, first, &mut sums);
        }
        if let Some(bias) = self.bias {
            let bias = load::<S, P, WHOLE>(s, &bias[first * 16..][..width]);
            for sums in &mut sums {
                add_to(s, sums, bias);
            }
        }
        if let Some(add) = self.add {
            for (r, sums) in sums.iter_mut().enumerate() {
                add_to(s, sums, load::<S, P, WHOLE>(s, &add[(row + r) * outputs + first * 16..][..width]));
            }
        }
        let place = self.place(row, first);
        // SAFETY: these are places of the rows of panels `first` to `first + P` of `self.panels`. No other running
        // product owns these panels, and the previous slice from this closure is dead.
        let out = |r: usize| unsafe { self.out.part(place + r * self.stride, width) };
        if self.accumulate {
            for (r, sums) in sums.iter_mut().enumerate() {
                add_to(s, sums, load::<S, P, WHOLE>(s, out(r)));
            }
        }
        match self.activation {
            Activation::Relu => apply(s, Relu, &mut sums),
            Activation::ClippedRelu => apply(s, ClippedRelu, &mut sums),
            _ => {}
        }
        for (r, sums) in sums.into_iter().enumerate() {
            let out = out(r);
            for (p, sum) in sums.into_iter().enumerate() {
                match WHOLE {
                    true => s.store(sum, &mut out.as_chunks_mut().0[p]),
                    false => s.store_partial(sum, out),
                }
            }
        }
    }
}

/// Numbers of `P` panels.
#[inline(always)]
fn load<S: Simd, const P: usize, const WHOLE: bool>(s: S, values: &[f32]) -> [S::F; P] {
    let mut loaded = [s.splat(0.0); P];
    for (p, loaded) in loaded.iter_mut().enumerate() {
        *loaded = match WHOLE {
            true => s.load(&values.as_chunks().0[p]),
            false => s.load_partial(values, 0.0),
        };
    }
    loaded
}

/// Adds numbers to the sums of a row.
#[inline(always)]
fn add_to<S: Simd, const P: usize>(s: S, sums: &mut [S::F; P], addend: [S::F; P]) {
    for (sum, more) in sums.iter_mut().zip(addend) {
        *sum = s.add(*sum, more);
    }
}

/// Applies a function to all sums of a tile.
#[inline(always)]
pub(super) fn apply<S: Simd, const P: usize, const R: usize>(s: S, function: impl Unary, sums: &mut [[S::F; P]; R]) {
    for sums in sums {
        for sum in sums {
            *sum = function.apply(s, *sum);
        }
    }
}

/// The number of lines by which prefetching leads; the next panel follows a panel's end.
const AHEAD: usize = 32;

/// The sums of one tile: `R` rows and `P` panels of equal length, one after the other. (An array of slices would
/// be filled by instructions that take longer than the sums of some inputs.)
#[allow(unsafe_code)]
#[inline(always)]
fn multiply<S: Simd, N: Number, const R: usize, const P: usize>(
    s: S,
    x: &[f32],
    panels: &[Lanes],
    starts: [S::F; P],
) -> [[S::F; P]; R] {
    let length = panels.len() / P;
    assert!(x.len() == R * length && panels.len() == P * length);
    // SAFETY: both are called with r < R or p < P, and with k < length.
    let value = |r: usize, k: usize| s.splat(unsafe { *x.get_unchecked(r * length + k) });
    let weights = |p: usize, k: usize| s.load(unsafe { &panels.get_unchecked(p * length + k).0 });

    let mut sums = [starts; R];
    for k in 0..length {
        let mut all = [s.splat(0.0); P];
        for (p, weight) in all.iter_mut().enumerate() {
            *weight = weights(p, k);
        }
        if P == 1 {
            // A single stream from memory is too slow: a quarter off the time of AVX2 with 4 to 6 rows of 512 × 32,000.
            // Wider tiles have enough streams, and no instructions to spare.
            s.prefetch(panels.as_ptr().wrapping_add(k + AHEAD).cast());
        }
        for (r, sums) in sums.iter_mut().enumerate() {
            let value = value(r, k);
            for (sum, weight) in sums.iter_mut().zip(all) {
                *sum = N::mul_add(s, value, weight, *sum);
            }
        }
    }
    sums
}

/// [`multiply`] of rows without the lanes that are zero.
#[allow(unsafe_code)]
#[inline(always)]
fn multiply_kept<S: Simd, N: Number, const R: usize, const P: usize>(
    s: S,
    x: &[f32],
    places: &[u16],
    panels: &[Lanes],
) -> [[S::F; P]; R] {
    let length = panels.len() / P;
    assert!(x.len() == R * length && panels.len() == P * length);
    let mut sums = [[s.splat(0.0); P]; R];
    for &place in places {
        let k = usize::from(place);
        debug_assert!(k < length);
        let mut all = [s.splat(0.0); P];
        for (p, weight) in all.iter_mut().enumerate() {
            // SAFETY: p < P, and a list of these rows has places of lanes, which are `length` in a row.
            *weight = s.load(unsafe { &panels.get_unchecked(p * length + k).0 });
        }
        for (r, sums) in sums.iter_mut().enumerate() {
            // SAFETY: r < R and k < length.
            let value = s.splat(unsafe { *x.get_unchecked(r * length + k) });
            for (sum, weight) in sums.iter_mut().zip(all) {
                *sum = N::mul_add(s, value, weight, *sum);
            }
        }
    }
    sums
}
