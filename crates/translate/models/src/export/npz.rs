//! NumPy's `.npz`: a zip archive, not packed, of `.npy` arrays. The opposite of [`crate::formats::npz`].

use crate::ModelError;
use flate2::Crc;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// An array: its name, the type of its numbers as NumPy writes it, its shape, and its bytes.
pub(super) struct Array {
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: Vec<u8>,
}

/// The version of zip that is needed: 2.0.
const VERSION: u16 = 20;
/// The first of January 1980, the start of zip's time.
const DATE: u16 = 1 << 5 | 1;

/// Writes an archive of arrays.
pub(super) fn write(path: &Path, arrays: impl Iterator<Item = Array>) -> Result<(), ModelError> {
    let fill = || {
        let mut file = BufWriter::new(File::create(path)?);
        let (mut directory, mut at, mut count) = (Vec::new(), 0, 0_u16);
        for array in arrays {
            let (name, head) = (format!("{}.npy", array.name), header(&array));
            let mut crc = Crc::new();
            crc.update(&head);
            crc.update(&array.bytes);
            let size = number(head.len() + array.bytes.len())?;
            // Version, no flags, not packed, time, date, checksum, both sizes, the length of the name, nothing else.
            let mut about = Vec::new();
            [VERSION, 0, 0, 0, DATE].iter().for_each(|number| about.extend(number.to_le_bytes()));
            [crc.sum(), size, size].iter().for_each(|number| about.extend(number.to_le_bytes()));
            [name.len() as u16, 0].iter().for_each(|number| about.extend(number.to_le_bytes()));
            let parts: [&[u8]; 5] = [b"PK\x03\x04", &about, name.as_bytes(), &head, &array.bytes];
            parts.iter().try_for_each(|part| file.write_all(part))?;
            directory.extend_from_slice(b"PK\x01\x02");
            directory.extend(VERSION.to_le_bytes());
            directory.extend_from_slice(&about);
            // No comment, one disk, no attributes.
            directory.extend_from_slice(&[0; 10]);
            directory.extend(number(at)?.to_le_bytes());
            directory.extend_from_slice(name.as_bytes());
            at += parts.iter().map(|part| part.len()).sum::<usize>();
            count = count.checked_add(1).ok_or_else(too_large)?;
        }
        file.write_all(&directory)?;
        file.write_all(b"PK\x05\x06\0\0\0\0")?;
        [count, count].iter().try_for_each(|number| file.write_all(&number.to_le_bytes()))?;
        [number(directory.len())?, number(at)?].iter().try_for_each(|number| file.write_all(&number.to_le_bytes()))?;
        file.write_all(&[0; 2])?;
        file.flush()
    };
    fill().map_err(|e| ModelError::io(path, "write", e))
}

fn number(size: usize) -> io::Result<u32> {
    u32::try_from(size).map_err(|_| too_large())
}

fn too_large() -> io::Error {
    io::Error::other("the model is larger than 4 GiB, which Marian's .npz can not be")
}

/// The start of a `.npy` file, in whose form readers look for its parts.
fn header(array: &Array) -> Vec<u8> {
    let sizes: Vec<String> = array.shape.iter().map(usize::to_string).collect();
    let comma = if sizes.len() == 1 { "," } else { "" };
    let shape = format!("({}{comma})", sizes.join(", "));
    let mut text = format!("{{'descr': '{}', 'fortran_order': False, 'shape': {shape}, }}", array.kind);
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    text.extend(std::iter::repeat_n(' ', length - text.len() - 1));
    text.push('\n');
    [b"\x93NUMPY\x01\x00", &(length as u16).to_le_bytes()[..], text.as_bytes()].concat()
}
