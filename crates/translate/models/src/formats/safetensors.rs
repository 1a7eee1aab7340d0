//! Tensors in the safetensors format, read where they lie.

use crate::ModelError;
use crate::buffer::Slice;
use crate::stored::{Encoding, StoredTensor};
use safetensors::{Dtype, SafeTensors};
use std::collections::BTreeMap;
use std::path::Path;

/// The length of the header stands before it.
const LENGTH_BYTES: usize = 8;

/// All tensors of the file by name.
pub(crate) fn read(path: &Path, bytes: &Slice) -> Result<BTreeMap<String, StoredTensor>, ModelError> {
    let damaged = |problem: String| ModelError::malformed(path, "safetensors", problem);
    let (header, metadata) = SafeTensors::read_metadata(bytes.bytes()).map_err(|e| damaged(e.to_string()))?;
    let data = LENGTH_BYTES + header;
    let mut tensors = BTreeMap::new();
    for (name, info) in metadata.tensors() {
        let encoding = encoding(info.dtype).ok_or_else(|| {
            ModelError::tensor(path, &name, format!("numbers of type {:?} can not be read", info.dtype))
        })?;
        let (start, end) = info.data_offsets;
        let bytes = bytes.part(data + start..data + end).ok_or_else(|| damaged(format!("`{name}` is cut")))?;
        let stored = StoredTensor { shape: info.shape.clone(), encoding, transposed: false, scales: None, bytes };
        tensors.insert(name, stored);
    }
    Ok(tensors)
}

fn encoding(dtype: Dtype) -> Option<Encoding> {
    match dtype {
        Dtype::F32 => Some(Encoding::F32),
        Dtype::F16 => Some(Encoding::F16),
        Dtype::BF16 => Some(Encoding::Bf16),
        Dtype::F64 => Some(Encoding::F64),
        Dtype::I8 => Some(Encoding::I8),
        Dtype::U8 | Dtype::BOOL => Some(Encoding::U8),
        Dtype::I16 => Some(Encoding::I16),
        Dtype::I32 => Some(Encoding::I32),
        Dtype::I64 => Some(Encoding::I64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Buffer;
    use safetensors::tensor::TensorView;

    fn file() -> Vec<u8> {
        let (floats, halves) = ([1.0_f32, -2.0].map(f32::to_le_bytes).concat(), [0x80, 0x3f, 0, 0x40]);
        let views = [
            ("W", TensorView::new(Dtype::F32, vec![1, 2], &floats).unwrap()),
            ("h", TensorView::new(Dtype::BF16, vec![2], &halves).unwrap()),
        ];
        safetensors::serialize(views, None).unwrap()
    }

    fn parse(file: Vec<u8>) -> Result<BTreeMap<String, StoredTensor>, ModelError> {
        read(Path::new("m.safetensors"), &Slice::whole(Buffer::Bytes(file)))
    }

    #[test]
    fn tensors_are_read() {
        let tensors = parse(file()).unwrap();
        assert_eq!(tensors["W"].to_f32()[..], [1.0, -2.0]);
        assert_eq!(tensors["h"].to_f32()[..], [1.0, 2.0]);
        assert_eq!(tensors["W"].shape, [1, 2]);
    }

    #[test]
    fn cut_files_are_refused() {
        let file = file();
        for length in 0..file.len() {
            assert!(parse(file[..length].to_vec()).is_err(), "{length}");
        }
    }
}
