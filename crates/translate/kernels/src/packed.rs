//! Weights of linear maps, packed for products.

use crate::lanes::{Rows, pack};
use crate::lines::SharedBytes;
use crate::number::{Bf16, F32, Precision};
use crate::panels::{Panels, WeightOrder};
use crate::{int8, int16};

/// The weights of a linear map from `inputs` to `outputs` values in any [`Precision`], packed for [`crate::product`].
#[derive(Clone, Default)]
pub struct PackedMatrix {
    panels: Panels,
    inputs: usize,
    precision: Precision,
}

impl PackedMatrix {
    /// A map without inputs and outputs, to be [repacked](Self::repack).
    #[must_use]
    pub fn empty(precision: Precision) -> Self {
        Self { precision, ..Self::default() }
    }

    /// Packs `weights`, rounded to this precision.
    ///
    /// # Panics
    /// If there are not `inputs · outputs` weights, or more inputs than products of integers have.
    #[must_use]
    pub fn pack(precision: Precision, weights: &[f32], inputs: usize, outputs: usize, order: WeightOrder) -> Self {
        let mut packed = Self::empty(precision);
        packed.repack(weights, inputs, outputs, order);
        packed
    }

    /// Packs integers of 8 bits; `scales[j]` is the factor of the weights to output j.
    ///
    /// # Panics
    /// If there are not `inputs · scales.len()` weights, or more than 65,536 inputs.
    #[must_use]
    pub fn pack_int8(weights: &[i8], scales: &[f32], inputs: usize, order: WeightOrder) -> Self {
        Self { panels: int8::pack(weights, scales, inputs, order), inputs, precision: Precision::Int8 }
    }

    /// Integers of 8 bits that are packed already, as [`int8_panels`](Self::int8_panels) gives them: used where they
    /// are, if they begin on a cache line. `scales[j]` is the factor of the weights to output j, and `sums[j]` is the
    /// sum of these weights.
    ///
    /// # Panics
    /// If there is not a sum for each factor, if there are not as many bytes as such panels have, or more than 65,536
    /// inputs.
    #[must_use]
    pub fn from_int8_panels(panels: SharedBytes, scales: &[f32], sums: &[i32], inputs: usize) -> Self {
        Self { panels: int8::in_place(panels, scales, sums, inputs), inputs, precision: Precision::Int8 }
    }

    /// The bytes of the panels of a map of integers of 8 bits, which are the same on all machines, and the sums of the
    /// weights to its outputs.
    ///
    /// # Panics
    /// If the map is one of other numbers.
    #[must_use]
    pub fn int8_panels(&self) -> (Vec<u8>, Vec<i32>) {
        assert_eq!(self.precision, Precision::Int8, "the precision of the map");
        (self.panels.lines().to_le_bytes(), int8::sums(&self.panels))
    }

    /// Packs other weights in the same precision, floats into the present storage: no allocation once the storage has
    /// been as large before.
    ///
    /// # Panics
    /// As [`pack`](Self::pack).
    pub fn repack(&mut self, weights: &[f32], inputs: usize, outputs: usize, order: WeightOrder) {
        self.inputs = inputs;
        match self.precision {
            Precision::F32 => pack::<F32>(&mut self.panels, weights, inputs, outputs, order),
            Precision::Bf16 => pack::<Bf16>(&mut self.panels, weights, inputs, outputs, order),
            Precision::Int16 => self.panels = int16::quantise(weights, inputs, outputs, order),
            Precision::Int8 => self.panels = int8::quantise(weights, inputs, outputs, order),
        }
    }

    /// Number of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.panels.outputs()
    }

    /// The numbers that the weights are.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Memory that the weights take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.panels.bytes()
    }

    /// The weights as products read them, output by output: of f32 the weights themselves. For
    /// [`select_from`](Self::select_from).
    #[must_use]
    pub fn by_output(&self) -> Vec<f32> {
        let panels = &self.panels;
        let lane = |output: usize| panels.panel(output / 16).iter().map(move |line| line.0[output % 16]);
        (0..panels.outputs()).flat_map(lane).collect()
    }

    /// Makes `selected` the map to these outputs only, in this order, from the weights [`by_output`](Self::by_output):
    /// several times as fast as [`gather`](Self::gather), as a column of the packed weights has a number in each of its
    /// cache lines. `gathered` is work space. No allocation once `selected` has been as large before (integers allocate
    /// where the number of panels changes).
    ///
    /// # Panics
    /// If a column is not less than [`outputs`](Self::outputs), or if `weights` are not those of the map by their
    /// number.
    pub fn select_from(&self, weights: &[f32], columns: &[u32], selected: &mut Self, gathered: &mut Vec<f32>) {
        (selected.inputs, selected.precision) = (self.inputs, self.precision);
        let length = self.panels.length();
        assert_eq!(weights.len(), self.outputs() * length, "lanes of all outputs");
        gathered.clear();
        for &column in columns {
            gathered.extend_from_slice(&weights[column as usize * length..][..length]);
        }
        let lines = selected.panels.resize(length, columns.len()); // all will be written
        Rows::<F32>::new(gathered, columns.len(), length).write_transposed_panels(lines);
        selected.panels.copy_ends(&self.panels, columns);
    }

    /// The map whose output j is output `outputs[j].1` of map `outputs[j].0`, or always zero. One product serves maps
    /// of the same rows; each output has the bits that it has in its own map.
    ///
    /// # Panics
    /// If there are no maps, if their inputs or precisions differ, or if an output does not exist.
    #[must_use]
    pub fn gather(maps: &[&Self], outputs: &[Option<(usize, usize)>]) -> Self {
        let first = maps[0];
        let alike = |map: &&Self| (map.inputs, map.precision) == (first.inputs, first.precision);
        assert!(maps.iter().all(alike), "maps of different inputs or precisions");
        let panels = Panels::zeros(first.panels.length(), outputs.len(), first.precision.is_integer());
        let mut gathered = Self { panels, ..*first };
        for (output, of) in outputs.iter().enumerate() {
            if let &Some((map, column)) = of {
                gathered.panels.copy_output(output, &maps[map].panels, column);
            }
        }
        gathered
    }

    /// The weights to one output, as floats.
    ///
    /// # Panics
    /// If there is no such output, or if `out` has not as many numbers as the map has inputs.
    pub fn read_column(&self, output: usize, out: &mut [f32]) {
        assert!(output < self.outputs(), "column {output} of {}", self.outputs());
        assert_eq!(out.len(), self.inputs, "numbers of a column");
        let (panel, lane) = (output / 16, output % 16);
        let lanes = self.panels.panel(panel).iter().map(|line| line.0[lane]);
        match self.precision {
            Precision::F32 => out.iter_mut().zip(lanes).for_each(|(out, value)| *out = value),
            Precision::Bf16 => {
                for (out, lane) in out.chunks_mut(2).zip(lanes) {
                    let pair = [lane.to_bits() << 16, lane.to_bits() & 0xffff_0000];
                    out.iter_mut().zip(pair).for_each(|(out, bits)| *out = f32::from_bits(bits));
                }
            }
            Precision::Int16 => {
                let scale = self.panels.end(panel).scale.0[lane];
                for (out, lane) in out.chunks_mut(2).zip(lanes) {
                    let pair = [lane.to_bits() as u16, (lane.to_bits() >> 16) as u16];
                    out.iter_mut().zip(pair).for_each(|(out, word)| *out = f32::from(word as i16) * scale);
                }
            }
            Precision::Int8 => {
                let scale = self.panels.end(panel).scale.0[lane];
                let number = |lane: f32| lane.to_bits().to_le_bytes().map(|byte| f32::from(byte as i8) * scale);
                let (fours, rest) = out.as_chunks_mut();
                fours.iter_mut().zip(lanes.clone()).for_each(|(out, lane)| *out = number(lane));
                if let Some(last) = lanes.clone().next_back().filter(|_| !rest.is_empty()) {
                    rest.copy_from_slice(&number(last)[..rest.len()]);
                }
            }
        }
    }

    pub(crate) fn panels(&self) -> &Panels {
        &self.panels
    }
}

impl std::fmt::Debug for PackedMatrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PackedMatrix({} × {}, {:?})", self.inputs, self.outputs(), self.precision)
    }
}
