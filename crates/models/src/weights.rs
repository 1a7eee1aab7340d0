//! The numbers of a model: tensors by name, `f32` on demand.

use crate::ModelError;
use crate::buffer::{Buffer, Slice};
use crate::stored::{Encoding, Stored, elements};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// All tensors of a model under their canonical names: Marian's internal ones, whatever the file said.
///
/// Matrices are `inputs × outputs`, vectors `1 × n`, embedding tables `words × dimension`, all row-major.
#[derive(Debug, Clone)]
pub struct Weights {
    path: PathBuf,
    tensors: BTreeMap<String, Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    stored: Stored,
    /// Whether the tensor was ever asked for: what a model does not ask for it does not use.
    used: Arc<AtomicBool>,
}

impl Entry {
    fn new(stored: Stored) -> Self {
        Self { stored, used: Arc::default() }
    }
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
    path: &'a Path,
}

/// What is known of a tensor without reading its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TensorInfo<'a> {
    /// The canonical name.
    pub name: &'a str,
    /// The sizes of its dimensions.
    pub shape: &'a [usize],
    /// How the numbers are stored.
    pub encoding: Encoding,
    /// How many bytes they take in the file.
    pub bytes: usize,
}

impl Weights {
    pub(crate) fn new(path: &Path, tensors: BTreeMap<String, Stored>) -> Self {
        let tensors = tensors.into_iter().map(|(name, stored)| (name, Entry::new(stored))).collect();
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
            stored.insert(name, Stored { shape, encoding: Encoding::F32, transposed: false, bytes });
        }
        Ok(Self::new(&path, stored))
    }

    /// The tensor of this name.
    ///
    /// # Errors
    /// [`ModelError::MissingTensor`] if there is none.
    pub fn tensor(&self, name: &str) -> Result<Tensor<'_>, ModelError> {
        self.find(name).ok_or_else(|| ModelError::MissingTensor { path: self.path.clone(), tensor: name.to_owned() })
    }

    /// The tensor of this name, if there is one.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Tensor<'_>> {
        let (name, Entry { stored, used }) = self.tensors.get_key_value(name)?;
        used.store(true, Relaxed);
        Some(Tensor { name, shape: &stored.shape, data: stored.to_f32(), path: &self.path })
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

    /// Name, shape, encoding and size of all tensors, in alphabetical order of the names.
    pub fn infos(&self) -> impl Iterator<Item = TensorInfo<'_>> {
        self.stored().map(|(name, stored)| TensorInfo {
            name,
            shape: &stored.shape,
            encoding: stored.encoding,
            bytes: stored.bytes.bytes().len(),
        })
    }

    pub(crate) fn stored(&self) -> impl Iterator<Item = (&str, &Stored)> {
        self.tensors.iter().map(|(name, entry)| (name.as_str(), &entry.stored))
    }

    /// The names of the tensors that nobody has asked for, by [`tensor`](Self::tensor) or [`find`](Self::find).
    pub(crate) fn unused(&self) -> impl Iterator<Item = &str> {
        self.tensors.iter().filter(|(_, entry)| !entry.used.load(Relaxed)).map(|(name, _)| name.as_str())
    }

    /// The shape of the tensor of this name, without reading its numbers.
    #[must_use]
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        Some(&self.tensors.get(name)?.stored.shape)
    }

    /// The file that they come from, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Tensor<'_> {
    /// The tensor itself if it has this shape.
    ///
    /// # Errors
    /// [`ModelError::Shape`], which names the file, the tensor and both shapes.
    pub fn expect(self, shape: &[usize]) -> Result<Self, ModelError> {
        if self.shape == shape {
            return Ok(self);
        }
        Err(ModelError::Shape {
            path: self.path.to_owned(),
            tensor: self.name.to_owned(),
            expected: shape.to_vec(),
            got: self.shape.to_vec(),
        })
    }

    /// The number of rows of a matrix: the product of all dimensions but the last; 1 for a vector.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.shape.split_last().map_or(1, |(_, leading)| leading.iter().product())
    }

    /// The number of columns of a matrix: the last dimension; 1 for a scalar.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.shape.last().copied().unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_shape_is_told_in_one_sentence() {
        let weights = Weights::from_tensors("m.npz", [("W", vec![2, 2], vec![0.0; 4])]).unwrap();
        assert_eq!(weights.tensor("W").unwrap().rows(), 2);
        let error = weights.tensor("W").unwrap().expect(&[2, 3]).unwrap_err();
        assert_eq!(error.to_string(), "m.npz: tensor `W` is 2 × 2, expected 2 × 3");
        let error = weights.tensor("b").unwrap_err();
        assert!(error.to_string().starts_with("m.npz: there is no tensor `b`"));
    }

    #[test]
    fn shapes_must_hold_the_numbers() {
        assert!(Weights::from_tensors("m", [("W", vec![2, 2], vec![0.0; 3])]).is_err());
        assert!(Weights::from_tensors("m", [("W", vec![usize::MAX, 2], vec![])]).is_err());
    }
}
