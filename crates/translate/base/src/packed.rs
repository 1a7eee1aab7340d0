//! Files that may be packed with gzip.

use crate::Gunzip;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The first bytes of a file that gzip packed.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Models become two thirds of their size, and text a fifth. A file that unpacks to more than this many times its size
/// was made to fill the memory.
const MOST_TIMES: u64 = 100;

/// The content of a file, unpacked if gzip packed the file.
///
/// # Errors
/// Errors of the operating system; a packed file that is damaged, or unpacks to more than a hundred times its size.
pub fn read_unpacked(path: &Path) -> io::Result<Vec<u8>> {
    let packed = std::fs::read(path)?;
    if !packed.starts_with(&GZIP) {
        return Ok(packed);
    }
    let most = packed.len() as u64 * MOST_TIMES + 1024;
    let mut content = Vec::new();
    Gunzip::new(&packed[..]).take(most + 1).read_to_end(&mut content)?;
    if content.len() as u64 > most {
        let problem = format!("it unpacks to more than {MOST_TIMES} times its size, which no model or text does");
        return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
    }
    Ok(content)
}

/// The first bytes of the content of a file, `length` at most: unpacked if gzip packed the file.
///
/// # Errors
/// Errors of the operating system, and a packed file whose start is damaged.
pub fn unpacked_start(path: &Path, length: u64) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    File::open(path)?.take(GZIP.len() as u64).read_to_end(&mut start)?;
    let file = File::open(path)?;
    let is_packed = start == GZIP;
    start.clear();
    if is_packed {
        Gunzip::new(file).take(length).read_to_end(&mut start)?;
    } else {
        file.take(length).read_to_end(&mut start)?;
    }
    Ok(start)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn packed(content: &[u8]) -> Vec<u8> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(content).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn packed_and_plain_files_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let content: Vec<u8> = (0..5000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let whole = packed(&content);
        for bytes in [&content, &whole] {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(read_unpacked(&path).unwrap(), content);
            assert_eq!(unpacked_start(&path, 7).unwrap(), content[..7]);
        }
        for length in [2, 10, 11, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(read_unpacked(&path).is_err(), "{length}");
        }
    }

    #[test]
    fn a_file_made_to_fill_the_memory_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("zeros.gz");
        std::fs::write(&path, packed(&vec![0; 10 << 20])).unwrap();
        assert!(read_unpacked(&path).unwrap_err().to_string().contains("more than 100 times its size"));
    }
}
