//! Marian's `.bin`: headers, names, shapes, then the numbers, made to be mapped into memory.
//! Byte by byte in `docs/formats/marian-bin.md`.

use crate::ModelError;
use crate::buffer::Slice;
use crate::stored::{Encoding, StoredTensor, elements};
use std::collections::BTreeMap;
use std::path::Path;

/// The version that is not encrypted.
const VERSION: u64 = 1;
const VERSION_ENCRYPTED: u64 = 2;

/// More dimensions than any tensor has.
const MAX_DIMENSIONS: u64 = 8;

/// The header of one tensor, which stands before all data.
struct Header {
    name_bytes: usize,
    kind: u64,
    dimensions: usize,
    data_bytes: usize,
}

/// Whether the file may be one of Marian's: it starts with a known version.
pub(crate) fn is_bin(start: &[u8]) -> bool {
    start.first_chunk().is_some_and(|&v| [VERSION, VERSION_ENCRYPTED].contains(&u64::from_le_bytes(v)))
}

/// All tensors of the file by name.
pub(crate) fn read(path: &Path, bytes: &Slice) -> Result<BTreeMap<String, StoredTensor>, ModelError> {
    let damaged = |problem: String| ModelError::malformed(path, "Marian .bin", problem);
    let mut file = Reader { bytes: bytes.bytes(), at: 0 };
    match file.u64() {
        Ok(VERSION) => {}
        Ok(VERSION_ENCRYPTED) => {
            let advice = "decrypt it with the marian-conv that has the key";
            return Err(ModelError::unsupported(path, "an encrypted .bin model", advice));
        }
        Ok(version) => return Err(damaged(format!("it starts with version {version}, expected 1"))),
        Err(problem) => return Err(damaged(problem)),
    }
    let (headers, names, shapes) = file.front_matter().map_err(damaged)?;
    let mut tensors = BTreeMap::new();
    for ((header, name), shape) in headers.iter().zip(names).zip(shapes) {
        let start = file.at;
        file.take(header.data_bytes).map_err(|problem| damaged(format!("{problem}, in tensor `{name}`")))?;
        let data = bytes.part(start..file.at).ok_or_else(|| damaged("it is cut".into()))?;
        let tensor = tensor(&name, header.kind, shape, data).map_err(|e| ModelError::tensor(path, &name, e))?;
        if let Some(tensor) = tensor
            && tensors.insert(name.clone(), tensor).is_some()
        {
            return Err(damaged(format!("it has two tensors `{name}`")));
        }
    }
    Ok(tensors)
}

/// A tensor from its data, which padding may follow. `None` for a type that no model's tensor has.
fn tensor(name: &str, kind: u64, shape: Vec<usize>, data: Slice) -> Result<Option<StoredTensor>, String> {
    let width = match kind {
        0x10001 | 0x4101 => 1,
        0x10002 | 0x4102 => 2,
        _ => 0,
    };
    let count = elements(&shape).ok_or("its shape is too large")?;
    let size_of = |width: usize, extra| count.checked_mul(width).and_then(|size: usize| size.checked_add(extra));
    if width > 0 {
        let [_, _] = shape[..] else { return Err(format!("it is quantised, but not a matrix: {shape:?}")) };
        let end = size_of(width, 4).ok_or("its shape is too large")?;
        let multiplier = data.bytes().get(end - 4..end).and_then(|bytes| bytes.first_chunk());
        let multiplier = f32::from_le_bytes(*multiplier.ok_or_else(|| too_short(&shape, end, &data))?);
        if !(multiplier.is_finite() && multiplier > 0.0) {
            return Err(format!("its quantisation multiplier is {multiplier}"));
        }
        let encoding =
            if width == 1 { Encoding::Quantised8 { multiplier } } else { Encoding::Quantised16 { multiplier } };
        let bytes = data.part(0..end - 4).ok_or("it is cut")?;
        // Products take the transposed matrix; embeddings, which the browser's branch of Marian quantises
        // too, are looked up row by row and stay as they are.
        return Ok(Some(StoredTensor { shape, encoding, transposed: !name.contains("Wemb"), scales: None, bytes }));
    }
    let Some(encoding) = encoding(kind)? else { return Ok(None) };
    let size = size_of(encoding.width(), 0).ok_or("its shape is too large")?;
    let bytes = data.part(0..size).ok_or_else(|| too_short(&shape, size, &data))?;
    Ok(Some(StoredTensor { shape, encoding, transposed: false, scales: None, bytes }))
}

fn too_short(shape: &[usize], size: usize, data: &Slice) -> String {
    format!("its shape {shape:?} takes {size} bytes, there are {}", data.bytes().len())
}

/// The type of plain numbers: 0x100 signed, 0x200 unsigned, 0x400 floating point, plus the bytes of a number.
/// The unsigned types wider than a byte occur in optimiser states only, and are left out.
fn encoding(kind: u64) -> Result<Option<Encoding>, String> {
    match kind {
        0x101 => Ok(Some(Encoding::I8)),
        0x102 => Ok(Some(Encoding::I16)),
        0x104 => Ok(Some(Encoding::I32)),
        0x108 => Ok(Some(Encoding::I64)),
        0x201 => Ok(Some(Encoding::U8)),
        0x202 | 0x204 | 0x208 => Ok(None),
        0x402 => Ok(Some(Encoding::F16)),
        0x404 => Ok(Some(Encoding::F32)),
        0x408 => Ok(Some(Encoding::F64)),
        _ if kind & 0x800 != 0 => {
            Err("it is packed by FBGEMM for one kind of processor; use the model's .npz or a float32 or intgemm .bin"
                .into())
        }
        _ if kind & 0x10000 != 0 => {
            Err("it is packed by intgemm for one kind of processor; convert it to the type intgemm8 or intgemm16"
                .into())
        }
        _ => Err(format!("its type {kind:#x} is unknown")),
    }
}

type FrontMatter = (Vec<Header>, Vec<String>, Vec<Vec<usize>>);

/// A place in the file.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, size: usize) -> Result<&'a [u8], String> {
        let taken = self.bytes[self.at..].get(..size).ok_or_else(|| {
            format!("it is cut: {size} bytes are expected from byte {}, and it has {}", self.at, self.bytes.len())
        })?;
        self.at += size;
        Ok(taken)
    }

    fn u64(&mut self) -> Result<u64, String> {
        let bytes = self.take(8)?;
        Ok(u64::from_le_bytes(bytes.try_into().map_err(|_| "eight bytes")?))
    }

    /// A number of things of which each takes some of the bytes that are left.
    fn count(&mut self) -> Result<usize, String> {
        let count = self.u64()?;
        match usize::try_from(count) {
            Ok(count) if count <= self.bytes.len() - self.at => Ok(count),
            _ => Err(format!("the size {count} before byte {} is larger than the file", self.at)),
        }
    }

    /// Everything before the data: headers, names and shapes.
    fn front_matter(&mut self) -> Result<FrontMatter, String> {
        let count = self.count()?;
        let headers: Vec<Header> = (0..count).map(|_| self.header()).collect::<Result<_, _>>()?;
        let names = headers.iter().map(|header| self.name(header)).collect::<Result<_, _>>()?;
        let shapes = headers.iter().map(|header| self.shape(header)).collect::<Result<_, _>>()?;
        let padding = self.count()?;
        self.take(padding)?;
        Ok((headers, names, shapes))
    }

    fn header(&mut self) -> Result<Header, String> {
        let name_bytes = self.count()?;
        let kind = self.u64()?;
        let dimensions = self.u64()?;
        if dimensions > MAX_DIMENSIONS {
            return Err(format!("a tensor of {dimensions} dimensions is announced before byte {}", self.at));
        }
        let data_bytes = self.count()?;
        Ok(Header { name_bytes, kind, dimensions: dimensions as usize, data_bytes })
    }

    fn name(&mut self, header: &Header) -> Result<String, String> {
        let bytes = self.take(header.name_bytes)?;
        let name = bytes.strip_suffix(&[0]).ok_or_else(|| format!("a name before byte {} has no end", self.at))?;
        String::from_utf8(name.to_vec()).map_err(|_| format!("a name before byte {} is not text", self.at))
    }

    fn shape(&mut self, header: &Header) -> Result<Vec<usize>, String> {
        let bytes = self.take(4 * header.dimensions)?;
        let (sizes, _) = bytes.as_chunks();
        let size = |&size| usize::try_from(i32::from_le_bytes(size));
        sizes.iter().map(size).collect::<Result<_, _>>().map_err(|_| format!("negative size before byte {}", self.at))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::buffer::Buffer;

    /// A file as Marian writes it: name, type, shape and data of each tensor.
    pub(crate) fn bin(items: &[(&str, u64, &[i32], &[u8])]) -> Vec<u8> {
        let mut file = [1_u64, items.len() as u64].map(u64::to_le_bytes).concat();
        let padded = |data: &[u8]| data.len().next_multiple_of(256);
        for (name, kind, shape, data) in items {
            let header = [name.len() as u64 + 1, *kind, shape.len() as u64, padded(data) as u64];
            file.extend(header.map(u64::to_le_bytes).concat());
        }
        for (name, ..) in items {
            file.extend(name.as_bytes());
            file.push(0);
        }
        for (_, _, shape, _) in items {
            file.extend(shape.iter().flat_map(|size| size.to_le_bytes()));
        }
        let padding = (file.len() + 8).next_multiple_of(256) - file.len() - 8;
        file.extend((padding as u64).to_le_bytes());
        file.resize(file.len() + padding, 0);
        for (.., data) in items {
            file.extend_from_slice(data);
            file.resize(file.len().next_multiple_of(256), 0);
        }
        file
    }

    fn parse(file: &[u8]) -> Result<BTreeMap<String, StoredTensor>, ModelError> {
        read(Path::new("m.bin"), &Slice::whole(Buffer::Bytes(file.to_vec())))
    }

    fn one(kind: u64, shape: &[i32], data: &[u8]) -> Result<Vec<f32>, ModelError> {
        Ok(parse(&bin(&[("l_W", kind, shape, data)]))?["l_W"].to_f32().into_owned())
    }

    #[test]
    fn floats_are_read() {
        assert_eq!(one(0x404, &[1, 2], &[1.0_f32, -2.0].map(f32::to_le_bytes).concat()).unwrap(), [1.0, -2.0]);
        assert_eq!(one(0x402, &[1, 1], &[0x00, 0x3c]).unwrap(), [1.0]);
    }

    #[test]
    fn quantised_matrices_are_turned_and_scaled_under_both_type_codes() {
        let int8 = [&[2, 4, 6, 0xfe, 0xfc, 0xfa][..], &2.0_f32.to_le_bytes()].concat();
        for code in [0x10001, 0x4101] {
            assert_eq!(one(code, &[2, 3], &int8).unwrap(), [1.0, 3.0, -2.0, 2.0, -1.0, -3.0]);
        }
        let int16 = [&[2, 0, 0xfc, 0xff][..], &4.0_f32.to_le_bytes()].concat();
        for code in [0x10002, 0x4102] {
            assert_eq!(one(code, &[1, 2], &int16).unwrap(), [0.5, -1.0]);
        }
    }

    #[test]
    fn quantised_embeddings_are_not_turned() {
        let data = [&[1, 2, 3, 4, 5, 6][..], &1.0_f32.to_le_bytes()].concat();
        let tensors = parse(&bin(&[("Wemb", 0x4101, &[2, 3], &data)])).unwrap();
        assert_eq!(tensors["Wemb"].to_f32()[..], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn what_can_not_be_read_is_refused() {
        for (kind, shape, data) in [
            (0x802, &[1, 1][..], &[0; 4][..]), // packed16
            (0x1801, &[1, 1], &[0; 4]),        // packed8avx2
            (0x11001, &[1, 1], &[0; 8]),       // intgemm8avx2
            (0x999, &[1, 1], &[0; 4]),
            (0x404, &[-1, 1], &[0; 4]),
            (0x404, &[i32::MAX, i32::MAX], &[0; 4]),
            (0x404, &[100, 1], &[0; 4]),
            (0x10001, &[4], &[1; 8]),
            (0x10001, &[2, 2], &[0; 8]), // multiplier 0
        ] {
            let message = one(kind, shape, data).unwrap_err().to_string();
            assert!(message.starts_with("m.bin: ") && message.lines().count() == 1, "{message}");
        }
        let mut encrypted = bin(&[]);
        encrypted[0] = 2;
        assert!(matches!(parse(&encrypted), Err(ModelError::Unsupported { .. })));
    }

    #[test]
    fn a_cut_file_is_refused_wherever_it_is_cut() {
        let file = bin(&[("a", 0x404, &[1, 2], &[0; 8]), ("b", 0x404, &[2, 2], &[0; 16])]);
        for length in 0..file.len() {
            assert!(parse(&file[..length]).is_err(), "{length}");
        }
        assert_eq!(parse(&file).unwrap().len(), 2);
    }
}
