//! NumPy's `.npz`: a zip archive of `.npy` arrays (NumPy Enhancement Proposal 1).

use super::zip::Archive;
use crate::ModelError;
use crate::buffer::Slice;
use crate::stored::{Encoding, StoredTensor, elements};
use std::collections::BTreeMap;
use std::path::Path;

const MAGIC: &[u8] = b"\x93NUMPY";

/// More dimensions than any tensor has.
const MAX_DIMENSIONS: usize = 8;

/// Python objects of the training with Nematus.
const NO_ARRAYS: [&str; 1] = ["zipped_params"];

/// All arrays of the archive by name, without `.npy`.
pub(crate) fn read(path: &Path, bytes: &Slice) -> Result<BTreeMap<String, StoredTensor>, ModelError> {
    let archive = Archive::open(path, bytes)?;
    let mut arrays = BTreeMap::new();
    for member in archive.members() {
        let name = member.name.strip_suffix(".npy").unwrap_or(&member.name);
        if NO_ARRAYS.contains(&name) {
            continue;
        }
        let array = array(archive.read(member)?).map_err(|problem| ModelError::tensor(path, name, problem))?;
        if arrays.insert(name.to_owned(), array).is_some() {
            return Err(ModelError::malformed(path, "npz", format!("it has two arrays `{name}`")));
        }
    }
    Ok(arrays)
}

/// One `.npy` file. The error names the fault.
pub(crate) fn array(npy: Slice) -> Result<StoredTensor, String> {
    let (header, start) = split_header(npy.bytes()).ok_or("it is cut or not a .npy array")?;
    let header = Header::parse(header)?;
    let count = elements(&header.shape).ok_or("its shape is too large")?;
    let size = count.checked_mul(header.encoding.width()).ok_or("its shape is too large")?;
    let have = npy.bytes().len() - start;
    if have != size {
        return Err(format!("its shape {:?} takes {size} bytes, there are {have}", header.shape));
    }
    let bytes = npy.part(start..start + size).ok_or("it is cut")?;
    let stored =
        StoredTensor { shape: header.shape, encoding: header.encoding, transposed: false, scales: None, bytes };
    if header.fortran_order { column_major(stored) } else { Ok(stored) }
}

/// Column-major arrays of more than two dimensions do not occur in models.
fn column_major(stored: StoredTensor) -> Result<StoredTensor, String> {
    match stored.shape.len() {
        0 | 1 => Ok(stored),
        2 => Ok(StoredTensor { transposed: true, ..stored }),
        _ => Err("it is stored in Fortran order; save it in C order".into()),
    }
}

/// The header's text, and where the data start.
fn split_header(npy: &[u8]) -> Option<(&str, usize)> {
    let rest = npy.strip_prefix(MAGIC)?;
    let (&[major, _minor], rest) = rest.split_first_chunk()?;
    let (length, start) = match major {
        1 => (usize::from(u16::from_le_bytes(*rest.first_chunk()?)), 10),
        2 | 3 => (usize::try_from(u32::from_le_bytes(*rest.first_chunk()?)).ok()?, 12),
        _ => return None,
    };
    let end = usize::checked_add(start, length)?;
    Some((std::str::from_utf8(npy.get(start..end)?).ok()?, end))
}

/// The content of the header, a Python dictionary.
#[derive(Debug, PartialEq)]
struct Header {
    encoding: Encoding,
    fortran_order: bool,
    shape: Vec<usize>,
}

impl Header {
    fn parse(text: &str) -> Result<Self, String> {
        let value = |key: &str| -> Result<&str, String> {
            let quoted = text.find(&format!("'{key}'")).ok_or_else(|| format!("its header does not give `{key}`"))?;
            let rest = &text[quoted + key.len() + 2..];
            rest.trim_start().strip_prefix(':').map(str::trim_start).ok_or_else(|| "its header is garbled".to_owned())
        };
        let (descr, _) =
            value("descr")?.strip_prefix('\'').and_then(|v| v.split_once('\'')).ok_or("its type is not plain")?;
        let (shape, _) =
            value("shape")?.strip_prefix('(').and_then(|v| v.split_once(')')).ok_or("its shape is garbled")?;
        let shape: Vec<usize> = shape
            .split(',')
            .map(str::trim)
            .filter(|n| !n.is_empty())
            .map(|n| n.parse().map_err(|_| format!("its shape ({shape}) is garbled")))
            .collect::<Result<_, _>>()?;
        if shape.len() > MAX_DIMENSIONS {
            return Err(format!("it has {} dimensions", shape.len()));
        }
        Ok(Self { encoding: encoding(descr)?, fortran_order: value("fortran_order")?.starts_with("True"), shape })
    }
}

fn encoding(descr: &str) -> Result<Encoding, String> {
    let kind = descr.trim_start_matches(['<', '|', '=']);
    match kind {
        "f4" => Ok(Encoding::F32),
        "f2" => Ok(Encoding::F16),
        "f8" => Ok(Encoding::F64),
        "i1" => Ok(Encoding::I8),
        "i2" => Ok(Encoding::I16),
        "i4" => Ok(Encoding::I32),
        "i8" => Ok(Encoding::I64),
        "u1" | "b1" | "?" => Ok(Encoding::U8),
        _ => Err(format!("its type `{descr}` is not one of little-endian f2, f4, f8, i1, i2, i4, i8, u1, b1")),
    }
}

/// A `.npy` file in memory, for tests and tools.
#[cfg(test)]
pub(crate) fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Buffer;

    fn parse(npy: Vec<u8>) -> Result<StoredTensor, String> {
        array(Slice::whole(Buffer::Bytes(npy)))
    }

    #[test]
    fn arrays_of_all_ranks_are_read() {
        let floats = [1.0_f32, 2.0].map(f32::to_le_bytes).concat();
        assert_eq!(parse(npy("<f4", "(2,)", &floats)).unwrap().shape, [2]);
        assert_eq!(parse(npy("<f4", "(1, 2)", &floats)).unwrap().to_f32()[..], [1.0, 2.0]);
        assert!(parse(npy("<f4", "()", &floats[..4])).unwrap().shape.is_empty());
        assert_eq!(parse(npy("<f4", "(1, 0)", &[])).unwrap().to_f32().len(), 0);
    }

    #[test]
    fn fortran_order_is_turned() {
        let mut bytes = npy("|i1", "(2, 3)", &[1, 2, 3, 4, 5, 6]);
        let at = bytes.windows(5).position(|w| w == b"False").unwrap();
        bytes[at..at + 5].copy_from_slice(b"True ");
        assert_eq!(parse(bytes).unwrap().to_f32()[..], [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    }

    #[test]
    fn sizes_are_checked_before_they_are_believed() {
        for shape in
            ["(3,)", "(4294967296, 4294967296)", "(18446744073709551615, 2)", "(-1,)", "(1", "(1,1,1,1,1,1,1,1,1)"]
        {
            assert!(parse(npy("<f4", shape, &[0; 8])).is_err(), "{shape}");
        }
        assert!(parse(npy(">f4", "(2,)", &[0; 8])).unwrap_err().contains(">f4"));
        assert!(parse(npy("<f4", "(2,)", &[0; 8])[..12].to_vec()).is_err());
    }
}
