//! Weights of linear maps, in the order in which products read them.

use crate::aligned::Lanes;
use crate::lanes::Rows;
use crate::number::{F32, Float};

/// The order of the weights of a linear map in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightOrder {
    /// `inputs × outputs`: a row for each input.
    InputsByOutputs,
    /// `outputs × inputs`: a row for each output.
    OutputsByInputs,
}

/// The weights of a linear map in panels of sixteen outputs. A panel has a cache line per lane of inputs, in their order.
/// Zeros fill up the last panel and, where inputs form pairs, the last line. All instruction sets read the same order.
#[derive(Clone, Default)]
pub(crate) struct Panels {
    /// `panels × length`.
    lines: Vec<Lanes>,
    length: usize,
    outputs: usize,
    /// One for each panel of integers, none of floats.
    ends: Box<[Ends]>,
}

/// Where the sums of sixteen outputs begin (i32), and the factors that end them.
#[derive(Clone, Copy)]
pub(crate) struct Ends {
    pub(crate) start: Lanes,
    pub(crate) scale: Lanes,
}

impl Panels {
    /// Panels of integers: `length · ends.len()` lines.
    pub(crate) fn of_integers(lines: Vec<Lanes>, length: usize, outputs: usize, ends: Vec<Ends>) -> Self {
        assert!(ends.len() == outputs.div_ceil(16) && lines.len() == length * ends.len(), "lines of panels");
        Self { lines, length, outputs, ends: ends.into() }
    }

    /// Packs weights into the present storage.
    pub(crate) fn fill<N: Float>(&mut self, weights: &[f32], inputs: usize, outputs: usize, order: WeightOrder) {
        assert_eq!(Some(weights.len()), inputs.checked_mul(outputs), "weights of a {inputs} × {outputs} map");
        (self.length, self.outputs) = (inputs.div_ceil(N::PER_LANE), outputs);
        self.lines.resize(self.length * self.count(), Lanes::ZERO); // all will be written
        match order {
            WeightOrder::InputsByOutputs => Rows::<N>::new(weights, inputs, outputs).write_panels(&mut self.lines),
            WeightOrder::OutputsByInputs => {
                Rows::<N>::new(weights, outputs, inputs).write_transposed_panels(&mut self.lines)
            }
        }
    }

    /// Number of panels.
    pub(crate) fn count(&self) -> usize {
        self.outputs.div_ceil(16)
    }

    /// Lines of a panel: the inputs in lanes.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Number of outputs.
    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Memory that the weights take.
    pub(crate) fn bytes(&self) -> usize {
        std::mem::size_of_val(&self.lines[..]) + std::mem::size_of_val(&self.ends[..])
    }

    /// Beginning and end of the sums of panel `i`, which is one of integers.
    #[inline(always)]
    pub(crate) fn end(&self, i: usize) -> &Ends {
        &self.ends[i]
    }

    /// The weights to outputs `16·i`, `16·i + 1`, …: a line for each lane of inputs.
    #[inline(always)]
    pub(crate) fn panel(&self, i: usize) -> &[Lanes] {
        &self.lines[i * self.length..][..self.length]
    }
}

/// The weights of a linear map from `inputs` to `outputs` values, packed for [`crate::product`].
#[derive(Clone, Default)]
pub struct PackedMatrix(Panels);

impl PackedMatrix {
    /// Packs `weights`.
    ///
    /// # Panics
    /// If there are not `inputs · outputs` weights.
    #[must_use]
    pub fn pack(weights: &[f32], inputs: usize, outputs: usize, order: WeightOrder) -> Self {
        let mut packed = Self::default();
        packed.repack(weights, inputs, outputs, order);
        packed
    }

    /// Packs other weights into the present storage: no allocation once the storage has been as large before.
    ///
    /// # Panics
    /// If there are not `inputs · outputs` weights.
    pub fn repack(&mut self, weights: &[f32], inputs: usize, outputs: usize, order: WeightOrder) {
        self.0.fill::<F32>(weights, inputs, outputs, order);
    }

    /// Number of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.0.length()
    }

    /// Number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.0.outputs()
    }

    /// Memory that the weights take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Makes `selected` the map to these outputs only, in this order; no allocation once `selected` has been as large
    /// before. Copies `inputs · columns.len()` weights, so a selection pays when it serves many products.
    ///
    /// # Panics
    /// If a column is not less than [`outputs`](Self::outputs).
    pub fn select(&self, columns: &[u32], selected: &mut Self) {
        let (inputs, panels) = (self.inputs(), &mut selected.0);
        (panels.length, panels.outputs) = (inputs, columns.len());
        panels.lines.clear();
        panels.lines.resize(inputs * panels.count(), Lanes::ZERO);
        for (output, &column) in columns.iter().enumerate() {
            let column = column as usize;
            assert!(column < self.outputs(), "column {column} of {}", self.outputs());
            let to = &mut panels.lines[output / 16 * inputs..][..inputs];
            let from = self.0.panel(column / 16);
            for (to, from) in to.iter_mut().zip(from) {
                to.0[output % 16] = from.0[column % 16];
            }
        }
    }

    pub(crate) fn panels(&self) -> &Panels {
        &self.0
    }
}

impl std::fmt::Debug for PackedMatrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PackedMatrix({} × {})", self.inputs(), self.outputs())
    }
}
