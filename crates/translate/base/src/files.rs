//! Files that a directory names, and checksums of files.

use std::fs::{File, metadata};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf, absolute};

/// The file that a file in `folder` names, if by its name it lies in the folder or below it: so files from elsewhere
/// can not make a program read any file of the machine. Links in the folder are followed: the one who made the folder
/// here made them too, and caches consist of them.
#[must_use]
pub fn inside(folder: &Path, name: &Path) -> Option<PathBuf> {
    let below = |folder: PathBuf| name.strip_prefix(folder).ok().map(Path::to_owned);
    let relative = match name.is_absolute() {
        false => name.to_owned(),
        true => absolute(folder).ok().and_then(below).or_else(|| folder.canonicalize().ok().and_then(below))?,
    };
    let plain = relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    plain.then(|| folder.join(relative))
}

/// The first bytes of a file, `length` at most, to recognise its form before it is opened again.
///
/// # Errors
/// Errors of the operating system; a pipe or a device is refused, as its bytes come only once.
pub fn start_of(path: &Path, length: u64) -> io::Result<Vec<u8>> {
    let about = metadata(path)?;
    if !about.is_file() && !about.is_dir() {
        let problem = "it is a pipe or a device, which can not be read twice; save it as a file first";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
    }
    let mut start = Vec::new();
    File::open(path)?.take(length).read_to_end(&mut start)?;
    Ok(start)
}

/// A checksum of bytes, read eight at a time; zeros fill up the last eight. A change of any eight bytes changes the
/// checksum. The bytes come in parts, and the length of every part but the last is a multiple of eight. The checksum
/// detects damage, not malice.
#[must_use]
pub fn checksum<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    parts.into_iter().fold(0, add)
}

fn add(state: u64, bytes: &[u8]) -> u64 {
    let (chunks, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let step = |state: u64, chunk: &[u8; 8]| {
        let mixed = (state ^ u64::from_le_bytes(*chunk)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 32)
    };
    let state = chunks.iter().fold(state, step);
    if rest.is_empty() { state } else { step(state, &last) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_can_be_read_once_has_no_start() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(start_of(&here.join("Cargo.toml"), 9).unwrap(), b"[package]");
        assert_eq!(start_of(Path::new("/dev/zero"), 9).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        assert_eq!(start_of(here, 9).unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }

    #[test]
    fn parts_have_the_checksum_of_the_whole() {
        let bytes: Vec<u8> = (0..45).collect();
        let whole = checksum([&bytes[..]]);
        assert_eq!(checksum([&bytes[..16], &bytes[16..24], &bytes[24..]]), whole);
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 4;
            assert_ne!(checksum([&changed[..]]), whole);
        }
    }

    #[test]
    fn names_lead_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, inside) = (folder.path(), |name: &str| inside(folder.path(), Path::new(name)));
        assert_eq!(inside("a/./b.spm"), Some(folder.join("a/./b.spm")));
        assert_eq!(inside(folder.join("a").to_str().unwrap()), Some(folder.join("a")));
        for name in ["/etc/passwd", "../a", "a/../../b", "..", folder.join("../a").to_str().unwrap()] {
            assert_eq!(inside(name), None, "{name}");
        }
        assert_eq!(super::inside(Path::new("model"), &absolute("model/a").unwrap()), Some("model/a".into()));
    }
}
