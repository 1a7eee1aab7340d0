//! Sound containers around tensors of any kind.

use crate::arrays::{Array, Kind};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// An archive with these members.
#[must_use]
pub fn zip(members: &[(String, Vec<u8>)], deflated: bool) -> Vec<u8> {
    let method = if deflated { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    let options = SimpleFileOptions::default().compression_method(method);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        // Two members of one name are refused by the writer; such an archive has the first only.
        if writer.start_file(name.as_str(), options).is_ok() {
            writer.write_all(bytes).expect("memory");
        }
    }
    writer.finish().expect("memory").into_inner()
}

/// A tar file with these members, whose names have at most 99 bytes.
#[must_use]
pub fn tar(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut file = Vec::new();
    for (name, bytes) in members {
        let mut header = [0; 512];
        let name = &name.as_bytes()[..name.len().min(99)];
        header[..name.len()].copy_from_slice(name);
        header[100..107].copy_from_slice(b"0000644");
        header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
        header[148..156].fill(b' ');
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        file.extend(header);
        file.extend(bytes);
        file.resize(file.len().next_multiple_of(512), 0);
    }
    file.resize(file.len() + 1024, 0);
    file
}

/// The bytes in a gzip file.
#[must_use]
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// The members of a sound archive.
#[must_use]
pub fn unzip(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("a sound archive");
    let count = archive.len();
    let member = |index| {
        let mut file = archive.by_index(index).expect("a member");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("sound content");
        (file.name().expect("a name").into_owned(), bytes)
    };
    (0..count).map(member).collect()
}

/// A `.npy` file.
#[must_use]
pub fn npy(array: &Array) -> Vec<u8> {
    let descr = match array.kind {
        Kind::F32 => "<f4",
        Kind::F16 => "<f2",
        Kind::F64 => "<f8",
        Kind::I8 | Kind::Quantised8 => "|i1",
        Kind::U8 => "|u1",
        Kind::I32 => "<i4",
        Kind::I64 => "<i8",
        Kind::Quantised16 => "<i2",
        Kind::Unknown => "<c8",
    };
    let shape: String = array.shape.iter().map(|size| format!("{size},")).collect();
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), &array.bytes].concat()
}

/// A model in an `.npz` file.
#[must_use]
pub fn npz(arrays: &[Array], deflated: bool) -> Vec<u8> {
    let members: Vec<_> = arrays.iter().map(|array| (format!("{}.npy", array.name), npy(array))).collect();
    zip(&members, deflated)
}

/// The arrays of a sound `.npz` file of floats, with bytes as settings; others are left out.
#[must_use]
pub fn read_npz(bytes: &[u8]) -> Vec<Array> {
    let array = |(name, npy): (String, Vec<u8>)| {
        let start = 10 + usize::from(u16::from_le_bytes([npy[8], npy[9]]));
        let header = String::from_utf8_lossy(&npy[10..start]).into_owned();
        let kind = [("<f4", Kind::F32), ("|i1", Kind::I8)].into_iter().find(|(descr, _)| header.contains(descr))?.1;
        let shape = header.split_once('(').and_then(|(_, rest)| rest.split_once(')')).expect("a shape").0;
        let shape = shape.split(',').filter_map(|size| size.trim().parse().ok()).collect();
        let name = name.trim_end_matches(".npy").to_owned();
        Some(Array { name, kind, shape, bytes: npy[start..].to_vec() })
    };
    unzip(bytes).into_iter().filter_map(array).collect()
}

/// A model in Marian's `.bin`.
#[must_use]
pub fn bin(arrays: &[Array]) -> Vec<u8> {
    let data = |array: &Array| {
        let mut bytes = array.bytes.clone();
        if matches!(array.kind, Kind::Quantised8 | Kind::Quantised16) {
            bytes.extend(8_f32.to_le_bytes());
        }
        bytes
    };
    let mut file = [1, arrays.len() as u64].map(u64::to_le_bytes).concat();
    for array in arrays {
        let code: u64 = match array.kind {
            Kind::F32 => 0x404,
            Kind::F16 => 0x402,
            Kind::F64 => 0x408,
            Kind::I8 => 0x101,
            Kind::U8 => 0x201,
            Kind::I32 => 0x104,
            Kind::I64 => 0x108,
            Kind::Quantised8 => 0x4101,
            Kind::Quantised16 => 0x4102,
            Kind::Unknown => 0x999,
        };
        let header = [array.name.len() as u64 + 1, code, array.shape.len() as u64, data(array).len() as u64];
        file.extend(header.map(u64::to_le_bytes).concat());
    }
    arrays.iter().for_each(|array| file.extend([array.name.as_bytes(), &[0]].concat()));
    arrays.iter().flat_map(|array| &array.shape).for_each(|&size| file.extend((size as i32).to_le_bytes()));
    file.extend(0_u64.to_le_bytes());
    arrays.iter().for_each(|array| file.extend(data(array)));
    file
}

/// A `.safetensors` file.
#[must_use]
pub fn safetensors(arrays: &[Array]) -> Vec<u8> {
    let mut header = serde_json::Map::new();
    let mut data = Vec::new();
    for array in arrays {
        let dtype = match array.kind {
            Kind::F32 => "F32",
            Kind::F16 => "F16",
            Kind::F64 => "F64",
            Kind::I8 | Kind::Quantised8 => "I8",
            Kind::U8 => "BOOL",
            Kind::I32 => "I32",
            Kind::I64 => "I64",
            Kind::Quantised16 => "BF16",
            Kind::Unknown => "F8_E4M3",
        };
        let offsets = [data.len(), data.len() + array.bytes.len()];
        data.extend_from_slice(&array.bytes);
        let entry = serde_json::json!({ "dtype": dtype, "shape": array.shape, "data_offsets": offsets });
        header.insert(array.name.clone(), entry);
    }
    let mut header = serde_json::Value::Object(header).to_string().into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    [&(header.len() as u64).to_le_bytes()[..], &header, &data].concat()
}

/// The tensors of a sound `.safetensors` file of `f32`.
#[must_use]
pub fn read_safetensors(bytes: &[u8]) -> Vec<Array> {
    let (length, rest) = bytes.split_first_chunk().expect("a length");
    let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let header: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(header).expect("a header");
    let numbers = |value: &serde_json::Value| -> Vec<i64> {
        value.as_array().expect("numbers").iter().filter_map(serde_json::Value::as_i64).collect()
    };
    let tensors = header.into_iter().filter(|(name, _)| name != "__metadata__");
    tensors
        .map(|(name, entry)| {
            let offsets = numbers(&entry["data_offsets"]);
            let bytes = data[offsets[0] as usize..offsets[1] as usize].to_vec();
            Array { name, kind: Kind::F32, shape: numbers(&entry["shape"]), bytes }
        })
        .collect()
}
