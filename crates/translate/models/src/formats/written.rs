//! Tensors that are written to the file of our own directory, and the integers of 8 bits that are read from it.

use super::directory::StoredPrecision;
use crate::ModelError;
use crate::stored::{Encoding, Scales, StoredTensor, elements};
use ::safetensors::{Dtype, View};
use half::{bf16, f16};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// The end of the name of the tensor that has the factors of a matrix of integers: `1 × columns`, or `rows × 1`.
const SCALES: &str = ".scales";

/// A tensor to be written.
pub(crate) enum Output<'a> {
    /// In this type of floats.
    Floats { stored: &'a StoredTensor, dtype: Dtype },
    /// Bytes as they stand in the file.
    Bytes { shape: Vec<usize>, dtype: Dtype, bytes: Vec<u8> },
}

/// The tensors that the file gets for the tensor `name`.
pub(crate) fn outputs<'a>(
    path: &Path,
    name: &str,
    stored: &'a StoredTensor,
    precision: StoredPrecision,
) -> Result<Vec<(String, Output<'a>)>, ModelError> {
    let matrix = matches!(stored.shape[..], [rows, _] if rows > 1);
    let dtype = match precision {
        StoredPrecision::Int8 if is_map(name, &stored.shape) => return Ok(integers(name, stored).into()),
        StoredPrecision::F16 if matrix => Dtype::F16,
        StoredPrecision::Bf16 if matrix => Dtype::BF16,
        _ => Dtype::F32,
    };
    let largest = f32::from(f16::MAX);
    if dtype == Dtype::F16 && stored.to_f32().iter().any(|v| v.is_finite() && v.abs() > largest) {
        let problem = "has numbers beyond ±65504, which f16 can not hold; convert to f32 or bf16";
        return Err(ModelError::tensor(path, name, problem));
    }
    Ok(vec![(name.to_owned(), Output::Floats { stored, dtype })])
}

/// Whether these are weights of products or of word vectors: positions are added as they are, and a map to one number
/// is a vector.
fn is_map(name: &str, shape: &[usize]) -> bool {
    let position = name.ends_with("Wpos") || name.contains("_relative_");
    !position && matches!(shape, [rows, cols] if *rows > 1 && *cols > 1)
}

/// Whether a tensor of this name is a table of words, `words × inputs`; other matrices are `inputs × outputs`.
pub(crate) fn is_table(name: &str) -> bool {
    name.contains("Wemb") || name.ends_with("_Wt")
}

fn integers<'a>(name: &str, stored: &StoredTensor) -> [(String, Output<'a>); 2] {
    // A factor for each word, or for each output.
    let by_row = is_table(name);
    let (integers, scales) = stored.to_int8(by_row);
    let bytes = |scale: &f32| scale.to_le_bytes();
    let scales_shape = if by_row { vec![scales.len(), 1] } else { vec![1, scales.len()] };
    let scales = scales.iter().flat_map(bytes).collect();
    let integers = integers.into_iter().map(|integer| integer as u8).collect();
    [
        (name.to_owned(), Output::Bytes { shape: stored.shape.clone(), dtype: Dtype::I8, bytes: integers }),
        (format!("{name}{SCALES}"), Output::Bytes { shape: scales_shape, dtype: Dtype::F32, bytes: scales }),
    ]
}

/// Takes the factors of integers out of the tensors of a file, and gives them to the integers.
pub(crate) fn join_scales(path: &Path, tensors: &mut BTreeMap<String, StoredTensor>) -> Result<(), ModelError> {
    let are_scales = |name: &String| name.ends_with(SCALES);
    let names: Vec<String> = tensors.keys().filter(|name| are_scales(name)).cloned().collect();
    for name in names {
        let (Some(scales), Some(base)) = (tensors.remove(&name), name.strip_suffix(SCALES)) else { continue };
        let refuse = |problem: String| Err(ModelError::tensor(path, &name, problem));
        let Some(integers) = tensors.get_mut(base).filter(|integers| integers.encoding == Encoding::I8) else {
            return refuse(format!(
                "there are no integers of 8 bits `{base}` for these factors; convert the model again"
            ));
        };
        let by_row = match (&integers.shape[..], &scales.shape[..]) {
            ([_, cols], [1, count]) if count == cols => false,
            ([rows, _], [count, 1]) if count == rows => true,
            (shape, found) => {
                return refuse(format!(
                    "its shape is {found:?}, expected a factor for each row or column of {shape:?}"
                ));
            }
        };
        if scales.encoding != Encoding::F32 {
            return refuse(format!("its numbers are {}, expected f32", scales.encoding));
        }
        integers.scales = Some(Scales { by_row, numbers: scales.to_f32().into_owned().into() });
        integers.encoding = Encoding::Scaled8;
    }
    Ok(())
}

impl View for Output<'_> {
    fn dtype(&self) -> Dtype {
        match self {
            Self::Floats { dtype, .. } | Self::Bytes { dtype, .. } => *dtype,
        }
    }

    fn shape(&self) -> &[usize] {
        match self {
            Self::Floats { stored, .. } => &stored.shape,
            Self::Bytes { shape, .. } => shape,
        }
    }

    fn data(&self) -> Cow<'_, [u8]> {
        let (stored, dtype) = match self {
            Self::Floats { stored, dtype } => (stored, dtype),
            Self::Bytes { bytes, .. } => return Cow::Borrowed(bytes),
        };
        let values = stored.to_f32();
        let bytes = match dtype {
            Dtype::F16 => values.iter().flat_map(|&v| f16::from_f32(v).to_le_bytes()).collect(),
            Dtype::BF16 => values.iter().flat_map(|&v| bf16::from_f32(v).to_le_bytes()).collect(),
            _ => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        };
        Cow::Owned(bytes)
    }

    fn data_len(&self) -> usize {
        match self {
            Self::Bytes { bytes, .. } => bytes.len(),
            Self::Floats { stored, dtype } => {
                let width = if *dtype == Dtype::F32 { 4 } else { 2 };
                // The shape belongs to a tensor in memory, so its size fits.
                elements(&stored.shape).map_or(0, |count| count * width)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::{Buffer, Slice};

    fn tensor(shape: &[usize], encoding: Encoding, bytes: Vec<u8>) -> StoredTensor {
        let bytes = Slice::whole(Buffer::Bytes(bytes));
        StoredTensor { shape: shape.to_vec(), encoding, transposed: false, scales: None, bytes }
    }

    fn floats(shape: &[usize], numbers: &[f32]) -> StoredTensor {
        tensor(shape, Encoding::F32, numbers.iter().flat_map(|n| n.to_le_bytes()).collect())
    }

    fn join(scales: StoredTensor, base: &str) -> Result<BTreeMap<String, StoredTensor>, String> {
        let integers = tensor(&[2, 3], Encoding::I8, vec![1, 2, 3, 0xff, 0xfe, 0xfd]);
        let mut tensors = BTreeMap::from([(base.to_owned(), integers), ("W.scales".to_owned(), scales)]);
        join_scales(Path::new("m"), &mut tensors).map_err(|e| e.to_string())?;
        Ok(tensors)
    }

    #[test]
    fn integers_get_the_factors_of_columns_or_rows() {
        let columns = join(floats(&[1, 3], &[0.5, 1.0, 2.0]), "W").unwrap();
        assert_eq!(columns["W"].to_f32()[..], [0.5, 2.0, 6.0, -0.5, -2.0, -6.0]);
        assert_eq!(columns["W"].clone().turned().to_f32()[..], [0.5, -0.5, 2.0, -2.0, 6.0, -6.0]);
        let rows = join(floats(&[2, 1], &[0.5, 2.0]), "W").unwrap();
        assert_eq!(rows["W"].to_f32()[..], [0.5, 1.0, 1.5, -2.0, -4.0, -6.0]);
        assert_eq!(rows.len(), 1);
        assert_eq!(rows["W"].not_finite(), None);
        let infinite = join(floats(&[2, 1], &[0.5, f32::INFINITY]), "W").unwrap();
        assert_eq!(infinite["W"].not_finite(), Some((1, f32::INFINITY)));
    }

    #[test]
    fn factors_that_do_not_fit_are_refused() {
        for (scales, base, problem) in [
            (
                floats(&[1, 2], &[0.5, 1.0]),
                "W",
                "its shape is [1, 2], expected a factor for each row or column of [2, 3]",
            ),
            (floats(&[1, 3], &[0.5; 3]), "V", "there are no integers of 8 bits `W`"),
            (tensor(&[1, 3], Encoding::I8, vec![1; 3]), "W", "its numbers are i8, expected f32"),
        ] {
            let message = join(scales, base).unwrap_err();
            assert!(message.starts_with("m: tensor `W.scales`") && message.contains(problem), "{message}");
        }
    }
}
