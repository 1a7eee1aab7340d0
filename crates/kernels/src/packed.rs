//! Weights of linear maps, in the order in which products read them.

use crate::aligned::Lanes;

/// How the weights of a linear map lie in memory, row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `inputs × outputs`: a row for each input.
    InputsByOutputs,
    /// `outputs × inputs`: a row for each output.
    OutputsByInputs,
}

/// The weights of a linear map from `inputs` to `outputs` values, packed for [`crate::product`]: in panels of sixteen
/// outputs, each panel a cache line per input. The last panel is filled up with zeros. The order suits all instruction
/// sets.
#[derive(Clone, Default)]
pub struct PackedMatrix {
    /// `panels × inputs`.
    lines: Vec<Lanes>,
    inputs: usize,
    outputs: usize,
}

impl PackedMatrix {
    /// Packs `weights`.
    ///
    /// # Panics
    /// If there are not `inputs · outputs` weights.
    #[must_use]
    pub fn pack(weights: &[f32], inputs: usize, outputs: usize, layout: Layout) -> Self {
        let mut packed = Self::default();
        packed.repack(weights, inputs, outputs, layout);
        packed
    }

    /// Packs other weights into the same storage.
    ///
    /// # Panics
    /// If there are not `inputs · outputs` weights.
    pub fn repack(&mut self, weights: &[f32], inputs: usize, outputs: usize, layout: Layout) {
        assert_eq!(Some(weights.len()), inputs.checked_mul(outputs), "weights of a {inputs} × {outputs} map");
        if (self.inputs, self.outputs) != (inputs, outputs) {
            self.reset(inputs, outputs); // otherwise what fills up the last panel is zero already
        }
        match layout {
            Layout::InputsByOutputs => {
                for (input, row) in weights.chunks_exact(outputs.max(1)).enumerate() {
                    for (panel, part) in row.chunks(16).enumerate() {
                        self.lines[panel * inputs + input].0[..part.len()].copy_from_slice(part);
                    }
                }
            }
            Layout::OutputsByInputs => {
                for (output, row) in weights.chunks_exact(inputs.max(1)).enumerate() {
                    for (line, &weight) in self.lines[output / 16 * inputs..].iter_mut().zip(row) {
                        line.0[output % 16] = weight;
                    }
                }
            }
        }
    }

    /// Number of values that come in.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of values that go out.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Memory that the weights take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        std::mem::size_of_val(&self.lines[..])
    }

    /// Makes `selected` the map to these outputs only, in this order; no allocation once it has been as large before.
    /// Copies `inputs · columns.len()` weights, so it pays when the selection serves many products.
    ///
    /// # Panics
    /// If a column is not less than [`outputs`](Self::outputs).
    pub fn select(&self, columns: &[u32], selected: &mut Self) {
        selected.reset(self.inputs, columns.len());
        for (output, &column) in columns.iter().enumerate() {
            let column = column as usize;
            assert!(column < self.outputs, "column {column} of {}", self.outputs);
            let to = &mut selected.lines[output / 16 * self.inputs..][..self.inputs];
            let from = self.panel(column / 16);
            for (to, from) in to.iter_mut().zip(from) {
                to.0[output % 16] = from.0[column % 16];
            }
        }
    }

    /// All zeros, in this shape.
    fn reset(&mut self, inputs: usize, outputs: usize) {
        (self.inputs, self.outputs) = (inputs, outputs);
        self.lines.clear();
        self.lines.resize(inputs * self.panels(), Lanes::ZERO);
    }

    /// Number of panels.
    pub(crate) fn panels(&self) -> usize {
        self.outputs.div_ceil(16)
    }

    /// The weights to outputs `16·i`, `16·i + 1`, …: a line for each input.
    #[inline(always)]
    pub(crate) fn panel(&self, i: usize) -> &[Lanes] {
        &self.lines[i * self.inputs..][..self.inputs]
    }
}

impl std::fmt::Debug for PackedMatrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PackedMatrix({} × {})", self.inputs, self.outputs)
    }
}
