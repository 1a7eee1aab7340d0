//! The numbers of a model: tensors by name, `f32` on demand.

use crate::buffer::{Buffer, Slice};
use crate::parts::{Init, Network, Supply};
use crate::stored::{Encoding, StoredTensor, elements};
use crate::{Config, ModelError};
use metaphrase_kernels::{MAX_INT8_INPUTS, PackedMatrix, Precision, WeightOrder};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};

/// All tensors of a model under their canonical names: Marian's internal ones, in any file format.
///
/// Matrices are `inputs × outputs`, vectors `1 × n`, embedding tables `words × dimension`, all row-major.
#[derive(Debug, Clone)]
pub struct Weights {
    path: PathBuf,
    tensors: BTreeMap<String, StoredTensor>,
}

/// A tensor as `f32`, row-major.
#[derive(Debug, Clone)]
pub struct Tensor<'a> {
    /// The canonical name.
    pub name: &'a str,
    /// The sizes of its dimensions.
    pub shape: &'a [usize],
    /// The numbers: borrowed from the mapped file where that is possible.
    pub data: Cow<'a, [f32]>,
}

/// A tensor that a network calls for, of the shape that the network calls for. Its numbers are read when they are
/// requested, so that only one tensor of a large file at a time is in memory twice.
#[derive(Debug, Clone)]
pub(crate) struct CheckedTensor<'a> {
    name: &'a str,
    /// A tensor of two dimensions.
    stored: Cow<'a, StoredTensor>,
    /// The precision of its numbers as weights of a map.
    precision: Precision,
}

impl Weights {
    pub(crate) fn new(path: &Path, tensors: BTreeMap<String, StoredTensor>) -> Self {
        Self { path: path.to_owned(), tensors }
    }

    /// Weights from numbers at hand, as training and tests have them. `path` stands in for the file's name
    /// in messages.
    ///
    /// # Errors
    /// If a shape does not hold as many elements as there are numbers.
    pub fn from_tensors<N: Into<String>>(
        path: impl Into<PathBuf>,
        tensors: impl IntoIterator<Item = (N, Vec<usize>, Vec<f32>)>,
    ) -> Result<Self, ModelError> {
        let path = path.into();
        let mut stored = BTreeMap::new();
        for (name, shape, data) in tensors {
            let name = name.into();
            if elements(&shape) != Some(data.len()) {
                let problem = format!("{} numbers for a tensor of shape {shape:?}", data.len());
                return Err(ModelError::tensor(&path, &name, problem));
            }
            let bytes = Slice::whole(Buffer::Floats(data));
            stored
                .insert(name, StoredTensor { shape, encoding: Encoding::F32, transposed: false, scales: None, bytes });
        }
        Ok(Self::new(&path, stored))
    }

    /// The tensor of this name.
    ///
    /// # Errors
    /// [`ModelError::MissingTensor`] if there is none.
    pub fn tensor(&self, name: &str) -> Result<Tensor<'_>, ModelError> {
        self.find(name).ok_or_else(|| self.missing(name))
    }

    /// The tensor of this name, if there is one.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Tensor<'_>> {
        let (name, stored) = self.tensors.get_key_value(name)?;
        Some(Tensor { name, shape: &stored.shape, data: stored.to_f32() })
    }

    /// Whether there is a tensor of this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// The names of all tensors, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    /// Whether there are matrices of integers of 8 bits.
    pub(crate) fn has_integers(&self) -> bool {
        self.tensors.values().any(|stored| matches!(stored.encoding, Encoding::Quantised8 { .. }))
    }

    pub(crate) fn stored(&self) -> impl Iterator<Item = (&str, &StoredTensor)> {
        self.tensors.iter().map(|(name, stored)| (name.as_str(), stored))
    }

    /// The tensor that a network calls `name`, which must have `shape`.
    ///
    /// In older files the matrix of the output layer, `…_Wt`, is called `…_W` and lies the other way round.
    ///
    /// # Errors
    /// If there is no such tensor, or if it has another shape: then with the file, the tensor and both shapes.
    pub(crate) fn checked(&self, name: &str, shape: [usize; 2]) -> Result<CheckedTensor<'_>, ModelError> {
        let turned = name.strip_suffix("_Wt").map(|stem| format!("{stem}_W")).filter(|name| self.contains(name));
        let [rows, cols] = shape;
        let (name, expected) = turned.as_deref().map_or((name, shape), |name| (name, [cols, rows]));
        let (name, stored) = self.tensors.get_key_value(name).ok_or_else(|| self.missing(name))?;
        if stored.shape != expected {
            let (path, tensor, got) = (self.path.clone(), name.clone(), stored.shape.clone());
            return Err(ModelError::Shape { path, tensor, expected: expected.to_vec(), got });
        }
        let stored = if turned.is_some() { Cow::Owned(stored.clone().turned()) } else { Cow::Borrowed(stored) };
        Ok(CheckedTensor { name, stored, precision: Precision::F32 })
    }

    /// The numbers, row-major, of the tensor that a network calls `name`, which must have `shape`: those that a device
    /// needs, with the checks that this CPU's networks make.
    ///
    /// # Errors
    /// If there is no such tensor, if it has another shape, or if a number is not finite.
    pub fn numbers(&self, name: &str, shape: [usize; 2]) -> Result<Vec<f32>, ModelError> {
        let mut supply = FromFile { weights: self, precision: Precision::F32 };
        supply.tensor(name, shape, Init::Constant(0.0)).map(CheckedTensor::into_numbers)
    }

    /// The number of numbers that the network of these settings was trained to have.
    pub(crate) fn parameters(&self, config: &Config) -> usize {
        self.expected(config).values().map(|[rows, cols]| rows * cols).sum()
    }

    /// Names and shapes of the tensors that the network of these settings calls for.
    pub(crate) fn expected(&self, config: &Config) -> BTreeMap<String, [usize; 2]> {
        let mut expected = ExpectedShapes { weights: self, shapes: BTreeMap::new() };
        let Ok(_) = Network::build(config, &mut expected);
        expected.shapes
    }

    /// The number of rows of the tensor of this name: at least 1, `default` if there is no such tensor.
    fn rows(&self, name: &str, default: usize) -> usize {
        self.shape(name).and_then(|shape| shape.first()).map_or(default, |&rows| rows.max(1))
    }

    fn missing(&self, name: &str) -> ModelError {
        ModelError::MissingTensor { path: self.path.clone(), tensor: name.to_owned() }
    }

    /// The shape of the tensor of this name, without reading its numbers.
    #[must_use]
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        Some(&self.tensors.get(name)?.shape)
    }

    /// The file that they come from, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Supplies the tensors of a file.
pub(crate) struct FromFile<'a> {
    pub(crate) weights: &'a Weights,
    /// The precision of maps.
    pub(crate) precision: Precision,
}

impl<'a> Supply for FromFile<'a> {
    type Tensor = CheckedTensor<'a>;
    type Error = ModelError;

    fn tensor(&mut self, name: &str, shape: [usize; 2], _init: Init) -> Result<CheckedTensor<'a>, ModelError> {
        let tensor = self.weights.checked(name, shape)?;
        let not_finite = tensor.stored.not_finite();
        // All tensors are looked at before the first one is packed. Panels are used where they lie.
        if tensor.stored.encoding != Encoding::Panels8 {
            tensor.stored.bytes.release();
        }
        match not_finite {
            Some((place, number)) => {
                let problem = format!("number {place} is {number}, and weights are finite: get the file again");
                Err(ModelError::tensor(self.weights.path(), tensor.name, problem))
            }
            None if self.precision == Precision::Int8 && inputs(tensor.name, shape) > MAX_INT8_INPUTS => {
                let inputs = inputs(tensor.name, shape);
                let problem = format!(
                    "it is a map of {inputs} inputs, and maps in int8 have at most {MAX_INT8_INPUTS}; use another precision"
                );
                Err(ModelError::tensor(self.weights.path(), tensor.name, problem))
            }
            None => Ok(CheckedTensor { precision: self.precision, ..tensor }),
        }
    }

    fn rows(&self, name: &str, default: usize) -> usize {
        self.weights.rows(name, default)
    }
}

/// The number of inputs of the map of these weights: tables of words are maps to words.
fn inputs(name: &str, [rows, cols]: [usize; 2]) -> usize {
    if is_table(name) { cols } else { rows }
}

/// Notes the names and shapes that a network calls for.
struct ExpectedShapes<'a> {
    /// Where the number of rows stands that the settings leave open.
    weights: &'a Weights,
    shapes: BTreeMap<String, [usize; 2]>,
}

impl Supply for ExpectedShapes<'_> {
    type Tensor = ();
    type Error = Infallible;

    fn tensor(&mut self, name: &str, shape: [usize; 2], _init: Init) -> Result<(), Infallible> {
        self.shapes.insert(name.to_owned(), shape);
        Ok(())
    }

    fn rows(&self, name: &str, default: usize) -> usize {
        self.weights.rows(name, default)
    }
}

impl CheckedTensor<'_> {
    /// The tensor's own name.
    pub(crate) const fn name(&self) -> &str {
        self.name
    }

    /// The tensor as its file has it.
    pub(crate) fn stored(&self) -> &StoredTensor {
        &self.stored
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.stored.shape[0]
    }

    /// The number of columns.
    pub(crate) fn cols(&self) -> usize {
        self.stored.shape[1]
    }

    /// The numbers, row-major.
    pub(crate) fn numbers(&self) -> Cow<'_, [f32]> {
        self.stored.to_f32()
    }

    /// The numbers, row-major.
    pub(crate) fn into_numbers(self) -> Vec<f32> {
        self.numbers().into_owned()
    }

    /// The precision of its numbers as weights of a map.
    pub(crate) const fn precision(&self) -> Precision {
        self.precision
    }

    /// The matrix of a map, `inputs × outputs`, packed for the CPU at hand.
    pub(crate) fn pack(self) -> PackedMatrix {
        self.pack_as(self.rows(), self.cols(), WeightOrder::InputsByOutputs)
    }

    /// The table of an output layer or of embeddings, `words × inputs`, packed as the map from `inputs` to words.
    pub(crate) fn pack_table(&self) -> PackedMatrix {
        self.pack_as(self.cols(), self.rows(), WeightOrder::OutputsByInputs)
    }

    fn pack_as(&self, inputs: usize, outputs: usize, order: WeightOrder) -> PackedMatrix {
        if self.precision == Precision::Int8
            && let Some(packed) = self.stored.pack_int8(order)
        {
            return packed;
        }
        let packed = PackedMatrix::pack(self.precision, &self.numbers(), inputs, outputs, order);
        self.stored.bytes.release();
        packed
    }
}

/// Whether a tensor of this name is a table of words, `words × inputs`; other matrices are `inputs × outputs`.
pub(crate) fn is_table(name: &str) -> bool {
    name.contains("Wemb") || name.ends_with("_Wt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_shape_is_told_in_one_sentence() {
        let weights = Weights::from_tensors("m.npz", [("W", vec![2, 2], vec![0.0; 4])]).unwrap();
        assert_eq!(weights.tensor("W").unwrap().shape, [2, 2]);
        let error = weights.checked("W", [2, 3]).unwrap_err();
        assert_eq!(error.to_string(), "m.npz: tensor `W` is 2 × 2, expected 2 × 3");
        let error = weights.tensor("b").unwrap_err();
        assert!(error.to_string().starts_with("m.npz: there is no tensor `b`"));
    }

    #[test]
    fn an_output_layer_is_found_both_ways_round() {
        let numbers = || vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let old = Weights::from_tensors("m", [("o_W", vec![2, 3], numbers())]).unwrap();
        assert_eq!(old.checked("o_Wt", [3, 2]).unwrap().into_numbers(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        let error = old.checked("o_Wt", [2, 3]).unwrap_err();
        assert_eq!(error.to_string(), "m: tensor `o_W` is 2 × 3, expected 3 × 2");
        let new = Weights::from_tensors("m", [("o_Wt", vec![3, 2], numbers())]).unwrap();
        assert_eq!(new.checked("o_Wt", [3, 2]).unwrap().into_numbers(), numbers());
    }

    #[test]
    fn maps_in_int8_have_a_greatest_size() {
        let weights = Weights::from_tensors("m", [("W", vec![65_537, 1], vec![0.0; 65_537])]).unwrap();
        let supply = |precision| FromFile { weights: &weights, precision }.tensor("W", [65_537, 1], Init::Glorot);
        assert!(supply(Precision::F32).is_ok());
        let error = supply(Precision::Int8).unwrap_err().to_string();
        assert_eq!(
            error,
            "m: tensor `W`: it is a map of 65537 inputs, and maps in int8 have at most 65536; use another precision"
        );
    }

    #[test]
    fn shapes_must_hold_the_numbers() {
        assert!(Weights::from_tensors("m", [("W", vec![2, 2], vec![0.0; 3])]).is_err());
        assert!(Weights::from_tensors("m", [("W", vec![usize::MAX, 2], vec![])]).is_err());
    }
}
