//! Tensors that are written to the file of our own directory, and the integers of 8 bits that are read from it.

use super::directory::StoredPrecision;
use crate::ModelError;
use crate::parts::transformer::is_position_table;
use crate::stored::{Encoding, Scales, StoredTensor, elements};
use crate::weights::is_table;
use ::safetensors::{Dtype, View};
use half::{bf16, f16};
use metaphrase_kernels::{PackedMatrix, WeightOrder};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

/// The end of the name of the tensor that has the factors of a matrix of integers: `1 × columns`, or `rows × 1`.
const SCALES: &str = ".scales";

/// The end of the name of the tensor that has the sums of the outputs of panels.
const SUMS: &str = ".sums";

/// The outputs of a panel, of which the last one is filled up with zeros, and the inputs that lie together in it.
const PANEL: usize = 16;
const QUAD: usize = 4;

/// The length of the header stands before it.
const LENGTH_BYTES: usize = 8;
const CACHE_LINE: usize = 64;

/// A tensor to be written.
pub(crate) enum Output<'a> {
    /// In this type of floats.
    Floats { stored: &'a StoredTensor, dtype: Dtype },
    /// Panels of integers of 8 bits.
    Panels { shape: Vec<usize>, bytes: Vec<u8> },
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
        StoredPrecision::Int8 if is_map(name, &stored.shape) => return Ok(integers(name, stored)),
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
    !is_position_table(name) && matches!(shape, [rows, cols] if *rows > 1 && *cols > 1)
}

/// Integers with the factor of each word of a table, or of each output of a map: as panels, which a loaded model uses
/// where they lie, with the sum of each output.
fn integers<'a>(name: &str, stored: &StoredTensor) -> Vec<(String, Output<'a>)> {
    let by_row = is_table(name);
    let (integers, scales) = stored.to_int8(by_row);
    let [rows, cols] = [stored.shape[0], stored.shape[1]];
    let (inputs, outputs, order) = match by_row {
        true => (cols, rows, WeightOrder::OutputsByInputs),
        false => (rows, cols, WeightOrder::InputsByOutputs),
    };
    let bytes = |numbers: &mut dyn Iterator<Item = [u8; 4]>| numbers.flatten().collect();
    let scales_shape = if by_row { vec![outputs, 1] } else { vec![1, outputs] };
    let factors = bytes(&mut scales.iter().map(|scale| scale.to_le_bytes()));
    let factors = Output::Bytes { shape: scales_shape, dtype: Dtype::F32, bytes: factors };
    let factors = (format!("{name}{SCALES}"), factors);
    if !inputs.is_multiple_of(QUAD) {
        let integers = integers.into_iter().map(|integer| integer as u8).collect();
        let integers = Output::Bytes { shape: stored.shape.clone(), dtype: Dtype::I8, bytes: integers };
        return vec![(name.to_owned(), integers), factors];
    }
    let (panels, sums) = PackedMatrix::pack_int8(&integers, &scales, inputs, order).int8_panels();
    let filled = outputs.next_multiple_of(PANEL);
    let shape = if by_row { vec![filled, inputs] } else { vec![inputs, filled] };
    let sums = bytes(&mut sums.iter().map(|sum| sum.to_le_bytes()));
    let sums = Output::Bytes { shape: vec![outputs], dtype: Dtype::I32, bytes: sums };
    vec![(name.to_owned(), Output::Panels { shape, bytes: panels }), factors, (format!("{name}{SUMS}"), sums)]
}

/// Takes the factors of integers out of the tensors of a file, and gives them to the integers.
pub(crate) fn join_scales(path: &Path, tensors: &mut BTreeMap<String, StoredTensor>) -> Result<(), ModelError> {
    let are_scales = |name: &String| name.ends_with(SCALES);
    let names: Vec<String> = tensors.keys().filter(|name| are_scales(name)).cloned().collect();
    for name in names {
        let (Some(scales), Some(base)) = (tensors.remove(&name), name.strip_suffix(SCALES)) else { continue };
        let sums = tensors.remove(&format!("{base}{SUMS}"));
        let refuse = |problem: String| Err(ModelError::tensor(path, &name, problem));
        let Some(integers) = tensors.get_mut(base).filter(|integers| integers.encoding == Encoding::I8) else {
            return refuse(format!(
                "there are no integers of 8 bits `{base}` for these factors; convert the model again"
            ));
        };
        let filled = |outputs: usize| if sums.is_some() { outputs.next_multiple_of(PANEL) } else { outputs };
        let by_row = match (&integers.shape[..], &scales.shape[..]) {
            ([_, cols], &[1, count]) if *cols == filled(count) => false,
            ([rows, _], &[count, 1]) if *rows == filled(count) => true,
            (shape, found) => {
                return refuse(format!(
                    "its shape is {found:?}, expected a factor for each row or column of {shape:?}"
                ));
            }
        };
        if scales.encoding != Encoding::F32 {
            return refuse(format!("its numbers are {}, expected f32", scales.encoding));
        }
        let numbers: Arc<[f32]> = scales.to_f32().into_owned().into();
        (integers.encoding, integers.scales) = match sums {
            None => (Encoding::Scaled8, Some(Scales { by_row, numbers, sums: [].into() })),
            Some(sums) => {
                let sums = sums_of(path, base, &sums, numbers.len())?;
                let (inputs, outputs) = (usize::from(by_row), usize::from(!by_row));
                if !integers.shape[inputs].is_multiple_of(QUAD) {
                    return refuse(format!("`{base}` has panels of {} inputs", integers.shape[inputs]));
                }
                integers.shape[outputs] = numbers.len();
                (Encoding::Panels8, Some(Scales { by_row, numbers, sums }))
            }
        };
    }
    Ok(())
}

/// The sums of the outputs of a map or the words of a table.
fn sums_of(path: &Path, base: &str, sums: &StoredTensor, outputs: usize) -> Result<Arc<[i32]>, ModelError> {
    if sums.encoding != Encoding::I32 || sums.shape != [outputs] {
        let problem = format!("it is {:?} of {}, expected [{outputs}] of i32", sums.shape, sums.encoding);
        return Err(ModelError::tensor(path, &format!("{base}{SUMS}"), problem));
    }
    let (numbers, _) = sums.bytes.bytes().as_chunks();
    Ok(numbers.iter().map(|&number| i32::from_le_bytes(number)).collect())
}

/// Writes tensors as a file of safetensors. Panels come first and begin on cache lines, the others follow by the size
/// of their numbers.
pub(crate) fn write(path: &Path, mut tensors: Vec<(String, Output<'_>)>, program: &str) -> Result<(), ModelError> {
    #[derive(Serialize)]
    struct Entry<'a> {
        dtype: Dtype,
        shape: &'a [usize],
        data_offsets: [usize; 2],
    }
    let order = |output: &Output<'_>| match output {
        Output::Panels { .. } => 0,
        other => 9 - other.dtype().bitsize() / 8,
    };
    tensors.sort_by(|(one, a), (two, b)| (order(a), one).cmp(&(order(b), two)));
    let metadata = serde_json::json!({"format": program});
    let mut header = serde_json::Map::from_iter([("__metadata__".to_owned(), metadata)]);
    let mut end = 0;
    for (name, output) in &tensors {
        let start = end;
        end += output.data_len();
        let entry = Entry { dtype: output.dtype(), shape: output.shape(), data_offsets: [start, end] };
        let entry = serde_json::to_value(entry).map_err(|e| ModelError::io(path, "write", e.into()))?;
        header.insert(name.clone(), entry);
    }
    let mut header = serde_json::Value::Object(header).to_string();
    let length = (LENGTH_BYTES + header.len()).next_multiple_of(CACHE_LINE) - LENGTH_BYTES;
    header.extend(std::iter::repeat_n(' ', length - header.len()));
    let fill = || {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(&(header.len() as u64).to_le_bytes())?;
        file.write_all(header.as_bytes())?;
        tensors.iter().try_for_each(|(_, output)| file.write_all(&output.data()))?;
        file.flush()
    };
    fill().map_err(|e| ModelError::io(path, "write", e))
}

impl View for Output<'_> {
    fn dtype(&self) -> Dtype {
        match self {
            Self::Floats { dtype, .. } | Self::Bytes { dtype, .. } => *dtype,
            Self::Panels { .. } => Dtype::I8,
        }
    }

    fn shape(&self) -> &[usize] {
        match self {
            Self::Floats { stored, .. } => &stored.shape,
            Self::Panels { shape, .. } | Self::Bytes { shape, .. } => shape,
        }
    }

    fn data(&self) -> Cow<'_, [u8]> {
        let (stored, dtype) = match self {
            Self::Floats { stored, dtype } => (stored, dtype),
            Self::Panels { bytes, .. } | Self::Bytes { bytes, .. } => return Cow::Borrowed(bytes),
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
            Self::Panels { bytes, .. } | Self::Bytes { bytes, .. } => bytes.len(),
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

    /// A map of four inputs and three outputs, and a table of three words.
    #[test]
    fn panels_are_written_and_read() {
        for name in ["W", "Wemb"] {
            let shape = if name == "W" { [4, 3] } else { [3, 4] };
            let numbers: Vec<f32> = (0..12).map(|i| (i as f32 - 6.0) / 2.0).collect();
            let stored = floats(&shape, &numbers);
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("m.safetensors");
            write(&path, outputs(&path, name, &stored, StoredPrecision::Int8).unwrap(), "metaphrase").unwrap();
            let file = std::fs::read(&path).unwrap();
            let read = || {
                let bytes = Slice::whole(Buffer::map(&path).unwrap());
                crate::formats::safetensors::read(&path, &bytes).unwrap()
            };
            let mut tensors = read();
            // One panel of 64 bytes, three factors and three sums.
            assert!((file.len() - 64 - 2 * 12).is_multiple_of(64), "{} bytes", file.len());
            join_scales(&path, &mut tensors).unwrap();
            assert_eq!((tensors[name].encoding, &tensors[name].shape[..]), (Encoding::Panels8, &shape[..]));
            assert_eq!(tensors[name].to_int8(name == "Wemb"), stored.to_int8(name == "Wemb"));
            for (place, number) in tensors[name].to_f32().iter().enumerate() {
                assert!((number - numbers[place]).abs() < 0.02, "{name}: {number} in place of {}", numbers[place]);
            }
            let damaged = |change: &dyn Fn(&mut BTreeMap<String, StoredTensor>)| {
                let mut tensors = read();
                change(&mut tensors);
                join_scales(&path, &mut tensors).unwrap_err().to_string()
            };
            let sums = format!("{name}.sums");
            let short = damaged(&|tensors| tensors.get_mut(&sums).unwrap().shape = vec![2]);
            assert!(short.contains("expected [3] of i32"), "{short}");
            let rows = damaged(&|tensors| tensors.get_mut(name).unwrap().shape = vec![8, 8]);
            assert!(rows.contains("expected a factor for each row or column"), "{rows}");
        }
    }
}
