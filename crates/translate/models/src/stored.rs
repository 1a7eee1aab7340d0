//! One tensor as a file holds it: a shape, a type of number, bytes; and how it becomes `f32`.

use crate::buffer::{Buffer, Slice};
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use metaphrase_kernels::{PackedMatrix, WeightOrder, int8_of_panels, quantise_int8};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The type of the numbers in a file, all little-endian.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Encoding {
    /// 32-bit floats.
    F32,
    /// IEEE half precision.
    F16,
    /// The upper half of a 32-bit float.
    Bf16,
    /// 64-bit floats.
    F64,
    /// Signed bytes.
    I8,
    /// Unsigned bytes, Booleans too.
    U8,
    /// Signed 16-bit integers.
    I16,
    /// Signed 32-bit integers.
    I32,
    /// Signed 64-bit integers.
    I64,
    /// Signed bytes `q` that stand for `q / multiplier`: Marian's intgemm8.
    Quantised8 {
        /// The factor of the weights before rounding.
        multiplier: f32,
    },
    /// Signed bytes with a factor for each column or each row of the matrix, which is another tensor: our own
    /// directory's.
    Scaled8,
    /// The same in the order in which products read them: the panels of [`PackedMatrix::int8_panels`].
    Panels8,
    /// Signed 16-bit integers `q` that stand for `q / multiplier`: Marian's intgemm16.
    Quantised16 {
        /// The factor of the weights before rounding.
        multiplier: f32,
    },
}

impl Encoding {
    /// Bytes per number.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Quantised8 { .. } | Self::Scaled8 | Self::Panels8 => 1,
            Self::F16 | Self::Bf16 | Self::I16 | Self::Quantised16 { .. } => 2,
            Self::F32 | Self::I32 => 4,
            Self::F64 | Self::I64 => 8,
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F64 => "f64",
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Quantised8 { .. } | Self::Scaled8 | Self::Panels8 => "int8",
            Self::Quantised16 { .. } => "int16",
        })
    }
}

/// A tensor in its file.
#[derive(Debug, Clone)]
pub(crate) struct StoredTensor {
    /// The shape that the tensor has for its users, row-major.
    pub(crate) shape: Vec<usize>,
    pub(crate) encoding: Encoding,
    /// Whether the bytes hold the transpose of `shape` (two dimensions).
    pub(crate) transposed: bool,
    /// The factors of [`Encoding::Scaled8`] and [`Encoding::Panels8`].
    pub(crate) scales: Option<Scales>,
    /// Exactly `elements(shape) * encoding.width()` bytes; those of panels have zeros in addition.
    pub(crate) bytes: Slice,
}

/// The factors of a matrix of integers.
#[derive(Debug, Clone)]
pub(crate) struct Scales {
    /// Whether each row of the matrix has one, otherwise each column.
    pub(crate) by_row: bool,
    pub(crate) numbers: Arc<[f32]>,
    /// The sums of the integers of each of them, of [`Encoding::Panels8`].
    pub(crate) sums: Arc<[i32]>,
}

/// The number of elements of a shape; `None` if it does not fit.
pub(crate) fn elements(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |product, &n| product.checked_mul(n))
}

impl StoredTensor {
    /// The transpose of this matrix, of the same bytes.
    pub(crate) fn turned(mut self) -> Self {
        self.shape.reverse();
        self.transposed = !self.transposed;
        if let Some(scales) = &mut self.scales {
            scales.by_row = !scales.by_row;
        }
        self
    }

    /// The first number in the file's order that is infinite or not a number, if there is one: its place and itself.
    pub(crate) fn not_finite(&self) -> Option<(usize, f32)> {
        let bytes = Some(self.bytes.bytes()).filter(|bytes| !bytes.is_empty())?;
        let found = match self.encoding {
            Encoding::F32 => first_not_finite(bytes, |b| u32::from_le_bytes(b) & 0x7f80_0000 == 0x7f80_0000),
            Encoding::F16 => first_not_finite(bytes, |b| u16::from_le_bytes(b) & 0x7c00 == 0x7c00),
            Encoding::Bf16 => first_not_finite(bytes, |b| u16::from_le_bytes(b) & 0x7f80 == 0x7f80),
            Encoding::F64 => first_not_finite(bytes, |b| !(f64::from_le_bytes(b) as f32).is_finite()),
            Encoding::I8 | Encoding::U8 | Encoding::I16 | Encoding::I32 | Encoding::I64 => None,
            Encoding::Scaled8 | Encoding::Panels8 => {
                let scales = self.scales.iter().flat_map(|scales| scales.numbers.iter().enumerate());
                return scales.into_iter().find(|(_, scale)| !scale.is_finite()).map(|(place, &scale)| (place, scale));
            }
            Encoding::Quantised8 { multiplier } | Encoding::Quantised16 { multiplier } => {
                (!(32768.0 / multiplier).is_finite() || multiplier.is_infinite()).then_some(0)
            }
        }?;
        let width = self.encoding.width();
        Some((found, decode(self.encoding, &bytes[found * width..(found + 1) * width])[0]))
    }

    /// The numbers in the order of `shape`: borrowed where they are aligned `f32` already.
    pub(crate) fn to_f32(&self) -> Cow<'_, [f32]> {
        if let Some(unpacked) = self.unpacked() {
            return Cow::Owned(unpacked.to_f32().into_owned());
        }
        let values = self.decoded();
        let mut values = match self.shape[..] {
            [rows, cols] if self.transposed && !values.is_empty() => Cow::Owned(transpose(&values, cols, rows)),
            _ => values,
        };
        if let (Some(scales), &[_, cols]) = (&self.scales, &self.shape[..]) {
            for (row, values) in values.to_mut().chunks_exact_mut(cols.max(1)).enumerate() {
                match scales.by_row {
                    true => values.iter_mut().for_each(|value| *value *= scales.numbers[row]),
                    false => values.iter_mut().zip(&*scales.numbers).for_each(|(value, scale)| *value *= scale),
                }
            }
        }
        values
    }

    /// The numbers in the order of the file: in place if they are aligned `f32`, otherwise part by part, so that a
    /// large tensor is not in memory twice.
    fn decoded(&self) -> Cow<'_, [f32]> {
        const PART: usize = 1 << 20;
        let bytes = self.bytes.bytes();
        if let (Encoding::F32, Some(floats)) = (self.encoding, aligned(bytes)) {
            return Cow::Borrowed(floats);
        }
        let mut values = Vec::with_capacity(bytes.len() / self.encoding.width());
        for (i, part) in bytes.chunks(PART).enumerate() {
            values.extend_from_slice(&decode(self.encoding, part));
            self.bytes.release_part(i * PART..(i + 1) * PART);
        }
        Cow::Owned(values)
    }

    /// The numbers of this matrix as integers of 8 bits in the order of `shape`, and the factor of each row or of each
    /// column: those of the file if it has them, otherwise rounded.
    pub(crate) fn to_int8(&self, by_row: bool) -> (Vec<i8>, Vec<f32>) {
        if let Some(unpacked) = self.unpacked() {
            return unpacked.to_int8(by_row);
        }
        let (rows, cols) = (self.shape[0], self.shape[1]);
        if let Some(scales) = self.int8_scales(by_row) {
            let integers = bytemuck::cast_slice(self.bytes.bytes());
            let integers = if self.transposed { transpose(integers, cols, rows) } else { integers.to_vec() };
            return (integers, scales.into_owned());
        }
        match by_row {
            true => quantise_int8(&self.to_f32(), cols, rows, WeightOrder::OutputsByInputs),
            false => quantise_int8(&self.to_f32(), rows, cols, WeightOrder::InputsByOutputs),
        }
    }

    /// The integers of panels in the order of their outputs; `None` for other tensors.
    fn unpacked(&self) -> Option<Self> {
        let (Encoding::Panels8, Some(scales), &[rows, cols]) = (self.encoding, &self.scales, &self.shape[..]) else {
            return None;
        };
        let (inputs, outputs) = if scales.by_row { (cols, rows) } else { (rows, cols) };
        let integers = int8_of_panels(self.bytes.bytes(), inputs, outputs);
        let bytes = Slice::whole(Buffer::Bytes(integers.into_iter().map(|integer| integer as u8).collect()));
        Some(Self { encoding: Encoding::Scaled8, transposed: !scales.by_row, bytes, ..self.clone() })
    }

    /// The factors of a matrix of integers of 8 bits, if each row, or each column, has one.
    fn int8_scales(&self, by_row: bool) -> Option<Cow<'_, [f32]>> {
        match (self.encoding, &self.scales) {
            (Encoding::Quantised8 { multiplier }, _) => {
                Some(Cow::Owned(vec![1.0 / multiplier; self.shape[usize::from(!by_row)]]))
            }
            (Encoding::Scaled8, Some(scales)) if scales.by_row == by_row => Some(Cow::Borrowed(&scales.numbers)),
            _ => None,
        }
    }

    /// The matrix of a map or a table of words, packed as the integers of 8 bits that it is in the file. `None` if it
    /// is not one of integers, or if its factors do not belong to the outputs of the map.
    pub(crate) fn pack_int8(&self, order: WeightOrder) -> Option<PackedMatrix> {
        let [rows, cols] = self.shape[..] else { return None };
        let by_row = order == WeightOrder::OutputsByInputs;
        let inputs = if by_row { cols } else { rows };
        if let (Encoding::Panels8, Some(scales)) = (self.encoding, &self.scales) {
            let panels = || PackedMatrix::from_int8_panels(self.bytes.shared(), &scales.numbers, &scales.sums, inputs);
            return (scales.by_row == by_row).then(panels);
        }
        let scales = self.int8_scales(by_row)?;
        // The transpose of a matrix lies in the other order.
        let order = if by_row == self.transposed { WeightOrder::InputsByOutputs } else { WeightOrder::OutputsByInputs };
        let packed = PackedMatrix::pack_int8(bytemuck::cast_slice(self.bytes.bytes()), &scales, inputs, order);
        self.bytes.release();
        Some(packed)
    }
}

/// Numbers of any encoding as `f32`. `f64` and wide integers are rounded.
pub(crate) fn decode(encoding: Encoding, bytes: &[u8]) -> Cow<'_, [f32]> {
    match encoding {
        Encoding::F32 => match aligned(bytes) {
            Some(floats) => Cow::Borrowed(floats),
            None => widen(bytes, f32::from_le_bytes),
        },
        Encoding::F16 => match aligned::<f16>(bytes) {
            // The slice at once takes a quarter of the time: 7 ms less at the start of the bundled model.
            Some(halves) => Cow::Owned(halves.to_f32_vec()),
            None => widen(bytes, |b| f16::from_le_bytes(b).to_f32()),
        },
        Encoding::Bf16 => match aligned::<bf16>(bytes) {
            Some(halves) => Cow::Owned(halves.to_f32_vec()),
            None => widen(bytes, |b| bf16::from_le_bytes(b).to_f32()),
        },
        Encoding::F64 => widen(bytes, |b| f64::from_le_bytes(b) as f32),
        Encoding::I8 | Encoding::Scaled8 | Encoding::Panels8 => widen(bytes, |b| f32::from(i8::from_le_bytes(b))),
        Encoding::U8 => widen(bytes, |b| f32::from(u8::from_le_bytes(b))),
        Encoding::I16 => widen(bytes, |b| f32::from(i16::from_le_bytes(b))),
        Encoding::I32 => widen(bytes, |b| i32::from_le_bytes(b) as f32),
        Encoding::I64 => widen(bytes, |b| i64::from_le_bytes(b) as f32),
        Encoding::Quantised8 { multiplier } => widen(bytes, |b| f32::from(i8::from_le_bytes(b)) / multiplier),
        Encoding::Quantised16 { multiplier } => widen(bytes, |b| f32::from(i16::from_le_bytes(b)) / multiplier),
    }
}

/// The place of the first number of which `wrong` holds. Numbers are looked at a thousand at a time: the loop without
/// an exit is several times faster.
fn first_not_finite<const N: usize>(bytes: &[u8], wrong: impl Fn([u8; N]) -> bool) -> Option<usize> {
    const AT_ONCE: usize = 1024;
    let (numbers, _) = bytes.as_chunks::<N>();
    let any = |part: &[[u8; N]]| part.iter().fold(false, |any, &number| any | wrong(number));
    let part = numbers.chunks(AT_ONCE).position(any)? * AT_ONCE;
    Some(part + numbers[part..].iter().position(|&number| wrong(number))?)
}

/// The bytes as numbers in place, if they are aligned for that and in this machine's order.
fn aligned<T: bytemuck::Pod>(bytes: &[u8]) -> Option<&[T]> {
    if cfg!(target_endian = "little") { bytemuck::try_cast_slice(bytes).ok() } else { None }
}

fn widen<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f32) -> Cow<'static, [f32]> {
    let (numbers, _) = bytes.as_chunks::<N>();
    Cow::Owned(numbers.iter().map(|&b| number(b)).collect())
}

/// `rows × cols`, row-major, to `cols × rows`.
pub(crate) fn transpose<T: Copy>(values: &[T], rows: usize, cols: usize) -> Vec<T> {
    let mut turned = Vec::with_capacity(values.len());
    for col in 0..cols {
        turned.extend((0..rows).map(|row| values[row * cols + col]));
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(encoding: Encoding, bytes: &[u8]) -> StoredTensor {
        let bytes = Slice::whole(Buffer::Bytes(bytes.to_vec()));
        StoredTensor {
            shape: vec![bytes.bytes().len() / encoding.width()],
            encoding,
            transposed: false,
            scales: None,
            bytes,
        }
    }

    #[test]
    fn all_encodings_become_f32() {
        let halves = [f16::from_f32(1.5).to_le_bytes(), f16::from_f32(-0.25).to_le_bytes()].concat();
        assert_eq!(stored(Encoding::F16, &halves).to_f32()[..], [1.5, -0.25]);
        assert_eq!(stored(Encoding::Bf16, &[0x80, 0x3f]).to_f32()[..], [1.0]);
        assert_eq!(stored(Encoding::F64, &2.5_f64.to_le_bytes()).to_f32()[..], [2.5]);
        assert_eq!(stored(Encoding::I8, &[0xff, 3]).to_f32()[..], [-1.0, 3.0]);
        assert_eq!(stored(Encoding::U8, &[0xff]).to_f32()[..], [255.0]);
        assert_eq!(stored(Encoding::I16, &[0xfe, 0xff]).to_f32()[..], [-2.0]);
        assert_eq!(stored(Encoding::I32, &7_i32.to_le_bytes()).to_f32()[..], [7.0]);
        assert_eq!(stored(Encoding::I64, &(-7_i64).to_le_bytes()).to_f32()[..], [-7.0]);
        assert_eq!(stored(Encoding::Quantised8 { multiplier: 4.0 }, &[2, 0xfc]).to_f32()[..], [0.5, -1.0]);
    }

    #[test]
    fn numbers_that_are_not_finite_are_found() {
        let floats = |wrong: f32, place: usize| {
            let mut numbers = vec![1.5_f32; 3000];
            numbers[place] = wrong;
            numbers
        };
        for (wrong, place) in [(f32::NAN, 0), (f32::INFINITY, 1023), (f32::NEG_INFINITY, 2999)] {
            let numbers = floats(wrong, place);
            let bytes = |encode: &dyn Fn(f32) -> Vec<u8>| numbers.iter().flat_map(|&n| encode(n)).collect::<Vec<_>>();
            for (encoding, bytes) in [
                (Encoding::F32, bytes(&|n| n.to_le_bytes().to_vec())),
                (Encoding::F16, bytes(&|n| f16::from_f32(n).to_le_bytes().to_vec())),
                (Encoding::Bf16, bytes(&|n| bf16::from_f32(n).to_le_bytes().to_vec())),
                (Encoding::F64, bytes(&|n| f64::from(n).to_le_bytes().to_vec())),
            ] {
                let (found, number) = stored(encoding, &bytes).not_finite().expect("a number that is not finite");
                assert_eq!((found, number.to_string()), (place, wrong.to_string()), "{encoding}");
            }
        }
        assert_eq!(stored(Encoding::F32, &f32::MAX.to_le_bytes()).not_finite(), None);
        assert_eq!(stored(Encoding::F64, &1e300_f64.to_le_bytes()).not_finite(), Some((0, f32::INFINITY)));
        assert_eq!(stored(Encoding::I8, &[0x7f, 0xff]).not_finite(), None);
        for (multiplier, is_finite) in [(4.0, true), (0.0, false), (f32::NAN, false), (f32::INFINITY, false)] {
            let found = stored(Encoding::Quantised8 { multiplier }, &[2]).not_finite();
            assert_eq!(found.is_none(), is_finite, "{multiplier}");
        }
    }

    #[test]
    fn unaligned_floats_are_copied() {
        let mut bytes = vec![0];
        bytes.extend(3.0_f32.to_le_bytes());
        bytes.extend(4.0_f32.to_le_bytes());
        let whole = Slice::whole(Buffer::Bytes(bytes));
        for start in 0..1 {
            let part = whole.part(start + 1..start + 9).expect("nine bytes");
            let tensor =
                StoredTensor { shape: vec![2], encoding: Encoding::F32, transposed: false, scales: None, bytes: part };
            assert_eq!(tensor.to_f32()[..], [3.0, 4.0]);
        }
    }

    #[test]
    fn transposed_bytes_are_turned() {
        let mut tensor = stored(Encoding::I8, &[1, 2, 3, 4, 5, 6]);
        tensor.shape = vec![2, 3];
        tensor.transposed = true; // the bytes are 3 × 2
        assert_eq!(tensor.to_f32()[..], [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    }
}
