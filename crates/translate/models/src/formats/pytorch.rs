//! Tensors as PyTorch saves them (`pytorch_model.bin`): a zip archive, or in older files one part after another, of a
//! pickle that describes the tensors and of their numbers. Nothing in the file runs ([`pickle`](super::pickle)).

use super::pickle::{Described, Machine};
use super::zip::Archive;
use crate::ModelError;
use crate::buffer::Slice;
use crate::stored::{Encoding, StoredTensor, elements};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::rc::Rc;

/// The pickle of the number that older files begin with.
const OLD: &[u8] = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.";
/// The version of the older form.
const OLD_VERSION: i64 = 1001;

const FORMAT: &str = "file of PyTorch";

/// The numbers of each storage.
type Storages = HashMap<Rc<str>, Slice>;

/// All tensors of the file by name.
pub(crate) fn read(path: &Path, bytes: &Slice) -> Result<BTreeMap<String, StoredTensor>, ModelError> {
    let start = bytes.bytes();
    let damaged = |problem: String| ModelError::malformed(path, FORMAT, problem);
    let (described, storages) = if start.starts_with(b"PK") {
        read_archive(path, bytes)?
    } else if start.starts_with(OLD) {
        read_old(bytes).map_err(damaged)?
    } else {
        return Err(damaged("it does not begin as PyTorch's files do".into()));
    };
    if described.is_empty() {
        return Err(damaged("it has no tensors by their names".into()));
    }
    let tensor = |(name, described): (String, Described)| {
        let stored = stored(&described, &storages).map_err(|problem| ModelError::tensor(path, &name, problem))?;
        Ok((name, stored))
    };
    described.into_iter().map(tensor).collect()
}

/// An archive has the pickle `data.pkl` and a file `data/KEY` for each storage, in a folder of any name.
fn read_archive(path: &Path, bytes: &Slice) -> Result<(BTreeMap<String, Described>, Storages), ModelError> {
    let damaged = |problem: String| ModelError::malformed(path, FORMAT, problem);
    let archive = Archive::open(path, bytes)?;
    let (mut pickle, mut storages) = (None, Storages::new());
    for member in archive.members() {
        let name = member.name.split_once('/').map_or(&*member.name, |(_, name)| name);
        if name == "data.pkl" {
            pickle = Some(archive.read(member)?);
        } else if let Some(key) = name.strip_prefix("data/") {
            storages.insert(key.into(), archive.read(member)?);
        } else if name == "byteorder" && archive.read(member)?.bytes() != b"little" {
            return Err(ModelError::unsupported(path, "a file of a big-endian computer", "save it on another one"));
        }
    }
    let pickle = pickle.ok_or_else(|| damaged("it has no `data.pkl`".into()))?;
    let unpickled = Machine::new(pickle.bytes()).run().map_err(damaged)?;
    Ok((unpickled.tensors, storages))
}

/// An older file has five pickles: a number, the version, the computer, the tensors and the keys of their storages. The
/// storages follow in that order, each after the number of its numbers.
fn read_old(bytes: &Slice) -> Result<(BTreeMap<String, Described>, Storages), String> {
    let mut machine = Machine::new(bytes.bytes());
    machine.run()?;
    if machine.run()?.number != Some(OLD_VERSION) {
        return Err("its version is unknown".into());
    }
    machine.run()?;
    let described = machine.run()?.tensors;
    let keys = machine.run()?.texts;
    let kinds: HashMap<_, _> = described.values().map(|one| (&one.storage.key, one.storage.encoding)).collect();
    let mut at = machine.at;
    let mut storages = Storages::new();
    for key in keys {
        let cut = || "it is cut".to_owned();
        let count = bytes.part(at..at.saturating_add(8)).ok_or_else(cut)?;
        let count = u64::from_le_bytes(count.bytes().try_into().map_err(|_| cut())?);
        let width = kinds.get(&key).copied().map_or(4, Encoding::width);
        let length = usize::try_from(count).ok().and_then(|count| count.checked_mul(width)).ok_or_else(cut)?;
        let (start, end) = (at + 8, (at + 8).checked_add(length).ok_or_else(cut)?);
        storages.insert(key, bytes.part(start..end).ok_or_else(cut)?);
        at = end;
    }
    Ok((described, storages))
}

/// The tensor that is described. The error names the fault.
fn stored(described: &Described, storages: &Storages) -> Result<StoredTensor, String> {
    let Described { storage, offset, shape, strides } = described;
    let bytes = storages.get(&storage.key).ok_or_else(|| format!("its numbers `{}` are missing", storage.key))?;
    let count = elements(shape).ok_or("its shape is too large")?;
    let encoding = storage.encoding;
    let transposed = match (&shape[..], &strides[..]) {
        (shape, strides) if is_row_major(shape, strides) => false,
        (&[rows, _], &[1, apart]) if rows == apart => true,
        _ => return Err("its numbers do not lie next to each other; save the model again".into()),
    };
    let place = |number: usize| number.checked_mul(encoding.width());
    let (start, end) = place(*offset).zip(offset.checked_add(count).and_then(place)).ok_or("it is too large")?;
    let part = bytes.part(start..end).ok_or_else(|| {
        format!("its shape {shape:?} takes more than the {} bytes that are there", bytes.bytes().len())
    })?;
    Ok(StoredTensor { shape: shape.clone(), encoding, transposed, scales: None, bytes: part })
}

fn is_row_major(shape: &[usize], strides: &[usize]) -> bool {
    let mut apart = 1_usize;
    shape.len() == strides.len()
        && shape.iter().zip(strides).rev().all(|(&size, &stride)| {
            let fits = size <= 1 || stride == apart;
            apart = apart.saturating_mul(size);
            fits
        })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::buffer::Buffer;

    fn text(text: &str) -> Vec<u8> {
        [&b"X"[..], &(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
    }

    /// What makes a tensor of the storage `0` of six numbers.
    fn tensor(shape: &[u8], strides: &[u8]) -> Vec<u8> {
        [
            &b"ctorch._utils\n_rebuild_tensor_v2\n(("[..],
            &text("storage"),
            b"ctorch\nFloatStorage\n",
            &text("0"),
            &text("cpu"),
            b"K\x06tQK\x00",
            shape,
            strides,
            b"\x89ccollections\nOrderedDict\n)RtR",
        ]
        .concat()
    }

    /// A pickle of `{"w": tensor, "t": its transposed form}`.
    fn pickle() -> Vec<u8> {
        [
            b"\x80\x02ccollections\nOrderedDict\n)Rq\x00(".to_vec(),
            text("w"),
            tensor(b"K\x02K\x03\x86", b"K\x03K\x01\x86"),
            text("t"),
            tensor(b"K\x03K\x02\x86", b"K\x01K\x03\x86"),
            b"u}(".to_vec(),
            text("_metadata"),
            b"h\x00ub.".to_vec(),
        ]
        .concat()
    }

    fn numbers() -> Vec<u8> {
        (1..=6_u8).flat_map(|number| f32::from(number).to_le_bytes()).collect()
    }

    /// The older form.
    fn old() -> Vec<u8> {
        let keys = b"\x80\x02]q\x00X\x01\x00\x00\x000a.";
        let parts: [&[u8]; 7] =
            [OLD, b"\x80\x02M\xe9\x03.", b"\x80\x02}q\x00.", &pickle(), keys, &6_u64.to_le_bytes(), &numbers()];
        parts.concat()
    }

    /// A zip archive of stored members.
    fn archive(pickle: &[u8]) -> Vec<u8> {
        let numbers = numbers();
        let (mut file, mut directory) = (Vec::new(), Vec::new());
        let members: [(&str, &[u8]); 3] =
            [("archive/data.pkl", pickle), ("archive/data/0", &numbers), ("archive/byteorder", b"little")];
        for (name, content) in members {
            let mut crc = flate2::Crc::new();
            crc.update(content);
            let size = content.len() as u32;
            let sizes = [crc.sum(), size, size].map(u32::to_le_bytes).concat();
            let lengths = [(name.len() as u16).to_le_bytes(), [0, 0]].concat();
            let entry = [&b"\x0a\0\0\0\0\0\0\0\0\0"[..], &sizes, &lengths].concat();
            let offset = (file.len() as u32).to_le_bytes();
            file.extend([&b"PK\x03\x04"[..], &entry, name.as_bytes(), content].concat());
            directory.extend([&b"PK\x01\x02\x0a\0"[..], &entry, &[0; 10], &offset, name.as_bytes()].concat());
        }
        let place = [directory.len() as u32, file.len() as u32].map(u32::to_le_bytes).concat();
        let end = [&b"PK\x05\x06\0\0\0\0\x03\0\x03\0"[..], &place, &[0, 0]].concat();
        [file, directory, end].concat()
    }

    fn parse(file: &[u8]) -> Result<BTreeMap<String, StoredTensor>, ModelError> {
        read(Path::new("pytorch_model.bin"), &Slice::whole(Buffer::Bytes(file.to_vec())))
    }

    #[test]
    fn both_forms_are_read() {
        for file in [archive(&pickle()), old()] {
            let tensors = parse(&file).unwrap();
            assert_eq!(tensors.len(), 2);
            assert_eq!(
                (&tensors["w"].shape[..], &tensors["w"].to_f32()[..]),
                (&[2, 3][..], &[1., 2., 3., 4., 5., 6.][..])
            );
            assert_eq!(
                (&tensors["t"].shape[..], &tensors["t"].to_f32()[..]),
                (&[3, 2][..], &[1., 4., 2., 5., 3., 6.][..])
            );
        }
    }

    #[test]
    fn programs_are_refused_by_their_names() {
        for (pickle, part) in [
            (&b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R."[..], "`os.system`"),
            (b"\x80\x04\x8c\x08builtins\x8c\x04eval\x93.", "`builtins.eval`"),
            (b"\x80\x02ctorch.nn\nLinear\n)\x81.", "`torch.nn.Linear`"),
            (b"\x80\x02ccollections\nOrderedDict\n)\x81.", "0x81"),
            (b"\x80\x02K\x01.", "no tensors"),
        ] {
            let refused = parse(&archive(pickle)).unwrap_err().to_string();
            assert!(refused.contains(part) && refused.lines().count() == 1, "{refused}");
        }
    }

    #[test]
    fn cut_and_changed_files_are_refused() {
        let file = old();
        for length in 0..file.len() {
            assert!(parse(&file[..length]).is_err(), "{length}");
        }
        let pickle = pickle();
        for length in 0..pickle.len() {
            assert!(parse(&archive(&pickle[..length])).is_err(), "{length}");
        }
        // A changed byte gives an error or other tensors, and no panic.
        for at in 0..file.len() {
            for change in [1, 0x80, 0xff] {
                let mut changed = file.clone();
                changed[at] ^= change;
                let _ = parse(&changed);
            }
        }
    }

    /// Copies of the name would take 100 GB, and copies of the shape 80 GB.
    #[test]
    fn long_names_and_shapes_are_not_multiplied() {
        let name = text(&"w".repeat(1_000_000));
        let weight = tensor(b"K\x02K\x03\x86", b"K\x03K\x01\x86");
        let dictionaries = b"}h\x01h\x02s".repeat(100_000);
        let file = [&b"\x80\x02"[..], &name, b"q\x01", &weight, b"q\x02", &dictionaries, b"."].concat();
        let tensors = parse(&archive(&file)).unwrap();
        assert_eq!(tensors.keys().map(String::len).collect::<Vec<_>>(), [1_000_000]);
        let shape = [&b"("[..], &b"K\x01".repeat(500_000), b"tq\x01"].concat();
        let weights = tensor(b"h\x01", b"h\x01").repeat(10_000);
        let file = [&b"\x80\x02"[..], &shape, &weights, b"."].concat();
        assert!(parse(&archive(&file)).unwrap_err().to_string().contains("more than 16 dimensions"));
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = [&b"\x80\x02)"[..], &[0x85; 100_000], b"."].concat();
        assert!(parse(&archive(&deep)).unwrap_err().to_string().contains("garbled"));
        let marks = [&b"\x80\x02"[..], &[b'('; 100_000], b"."].concat();
        assert!(parse(&archive(&marks)).is_err());
    }
}
