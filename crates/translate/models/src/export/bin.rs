//! Marian's `.bin`, as `docs/formats/marian-bin.md` describes it. The opposite of [`crate::formats::bin`].

use crate::ModelError;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The version that is not encrypted.
const VERSION: u64 = 1;

/// The tensors begin at multiples of this number of bytes.
const ALIGNMENT: usize = 256;

/// What the numbers of a tensor are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Signed bytes: text.
    I8,
    F32,
    /// Integers of 8 bits with a multiplier after them, as in Firefox' models.
    Quantised8,
}

impl Kind {
    const fn code(self) -> u64 {
        match self {
            Self::I8 => 0x101,
            Self::F32 => 0x404,
            Self::Quantised8 => 0x4101,
        }
    }
}

/// A tensor of the file.
pub(super) struct Tensor {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: Vec<u8>,
}

impl Tensor {
    /// A text, which ends with a zero.
    pub(super) fn text(name: &str, text: String) -> Self {
        let bytes: Vec<u8> = text.into_bytes().into_iter().chain([0]).collect();
        Self { name: name.to_owned(), kind: Kind::I8, shape: vec![bytes.len()], bytes }
    }

    /// Numbers as they are.
    pub(super) fn plain(name: String, shape: [usize; 2], numbers: &[f32]) -> Self {
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        Self { name, kind: Kind::F32, shape: shape.to_vec(), bytes }
    }

    /// Integers whose largest is 127: those of a table of words as they are, those of a map (`inputs × outputs`) in
    /// the order of the transpose.
    pub(super) fn quantised(name: String, [rows, cols]: [usize; 2], numbers: &[f32]) -> Self {
        let largest = numbers.iter().fold(0.0, |largest: f32, number| largest.max(number.abs()));
        let multiplier = if largest > 0.0 { 127.0 / largest } else { 1.0 };
        let integer = |number: f32| (number * multiplier).round().clamp(-127.0, 127.0) as i8 as u8;
        let mut bytes: Vec<u8> = if is_table(&name) {
            numbers.iter().map(|&number| integer(number)).collect()
        } else {
            (0..rows * cols).map(|at| integer(numbers[at % rows * cols + at / rows])).collect()
        };
        bytes.extend(multiplier.to_le_bytes());
        Self { name, kind: Kind::Quantised8, shape: vec![rows, cols], bytes }
    }
}

/// Whether the tensor has the vectors of words.
pub(super) fn is_table(name: &str) -> bool {
    name.contains("Wemb")
}

/// Writes a file of tensors.
pub(super) fn write(path: &Path, tensors: &[Tensor]) -> Result<(), ModelError> {
    let fill = || {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(&front(tensors)?)?;
        for tensor in tensors {
            file.write_all(&tensor.bytes)?;
            file.write_all(&vec![0; padded(tensor) - tensor.bytes.len()])?;
        }
        file.flush()
    };
    fill().map_err(|e| ModelError::io(path, "write", e))
}

fn padded(tensor: &Tensor) -> usize {
    tensor.bytes.len().next_multiple_of(ALIGNMENT)
}

/// The bytes before the numbers: headers, names and shapes.
fn front(tensors: &[Tensor]) -> io::Result<Vec<u8>> {
    let mut front = [VERSION, tensors.len() as u64].map(u64::to_le_bytes).concat();
    for tensor in tensors {
        let sizes = [tensor.name.len() + 1, tensor.shape.len(), padded(tensor)].map(|size| size as u64);
        let [name, dimensions, bytes] = sizes;
        front.extend([name, tensor.kind.code(), dimensions, bytes].map(u64::to_le_bytes).concat());
    }
    for tensor in tensors {
        front.extend_from_slice(tensor.name.as_bytes());
        front.push(0);
    }
    for &size in tensors.iter().flat_map(|tensor| &tensor.shape) {
        let size = i32::try_from(size).map_err(|_| io::Error::other("a tensor is too large for Marian's .bin"))?;
        front.extend(size.to_le_bytes());
    }
    let padding = (front.len() + 8).next_multiple_of(ALIGNMENT) - front.len() - 8;
    front.extend((padding as u64).to_le_bytes());
    front.resize(front.len() + padding, 0);
    Ok(front)
}
