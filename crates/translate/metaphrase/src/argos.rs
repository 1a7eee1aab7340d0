//! Packages of Argos Translate, `.argosmodel`: zip archives with one folder, which holds a model of CTranslate2.

use crate::Error;
use metaphrase_models::ModelError;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use tempfile::TempDir;
use zip::ZipArchive;
use zip::result::ZipError;

const FORMAT: &str = "package of Argos Translate";

/// Weights can not be packed much; an archive that grows more than this is not a model.
const LARGEST_GROWTH: u64 = 50;

/// A package on disk, for as long as this lives.
#[derive(Debug)]
pub(crate) struct Unpacked {
    folder: TempDir,
    /// The package's own folder.
    inside: PathBuf,
}

impl Unpacked {
    /// The package at `path`, if it is the file of one.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, Error> {
        let is_package = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("argosmodel"));
        if is_package && path.is_file() { Ok(Some(Self::unpack(path)?)) } else { Ok(None) }
    }

    /// The directory of the package.
    pub(crate) fn directory(&self) -> PathBuf {
        self.folder.path().join(&self.inside)
    }

    fn unpack(path: &Path) -> Result<Self, Error> {
        let read = |source| ModelError::Io { path: path.to_owned(), action: "read", source };
        let file = File::open(path).map_err(read)?;
        let mut room = file.metadata().map_err(read)?.len().saturating_mul(LARGEST_GROWTH);
        let mut archive = ZipArchive::new(file).map_err(|error| broken(path, &error))?;
        let folder = TempDir::with_prefix("metaphrase-").map_err(|e| written(&std::env::temp_dir(), e))?;
        let mut inside = None;
        for i in 0..archive.len() {
            let mut entry = archive.by_index(i).map_err(|error| broken(path, &error))?;
            let Some(name) = entry.enclosed_name() else {
                let name = String::from_utf8_lossy(entry.name_raw());
                return Err(malformed(path, format!("the file `{name}` lies outside of the package")).into());
            };
            let Some(package) = needed(&name).filter(|_| entry.is_file()) else { continue };
            if inside.get_or_insert_with(|| package.to_owned()) != package {
                return Err(malformed(path, "it holds more than one package".to_owned()).into());
            }
            let to = folder.path().join(&name);
            to.parent().map_or(Ok(()), fs::create_dir_all).map_err(|e| written(&to, e))?;
            let mut file = File::create(&to).map_err(|e| written(&to, e))?;
            let size = io::copy(&mut (&mut entry).take(room.saturating_add(1)), &mut file).map_err(read)?;
            let Some(left) = room.checked_sub(size) else {
                let problem = format!("it grows to more than {LARGEST_GROWTH} times its size");
                return Err(malformed(path, problem).into());
            };
            room = left;
        }
        match inside {
            Some(inside) => Ok(Self { folder, inside }),
            None => Err(malformed(path, "it has no `metadata.json` and no `model`".to_owned()).into()),
        }
    }
}

/// The folder of the package of a file that translation needs: its description, its model, and what divides text.
fn needed(name: &Path) -> Option<&Path> {
    let parts: Vec<&str> = name.components().filter_map(|part| as_text(part)).collect();
    let at = match parts[..] {
        [.., "metadata.json" | "sentencepiece.model" | "bpe.model"] => 1,
        [.., "model", _] => 2,
        _ => return None,
    };
    (parts.len() <= at + 1).then(|| name.ancestors().nth(at)).flatten()
}

fn as_text(part: Component<'_>) -> Option<&str> {
    if let Component::Normal(text) = part { text.to_str() } else { None }
}

fn malformed(path: &Path, problem: String) -> ModelError {
    ModelError::Malformed { path: path.to_owned(), format: FORMAT, problem }
}

fn broken(path: &Path, error: &ZipError) -> ModelError {
    malformed(path, format!("it is no sound zip archive: {error}"))
}

fn written(path: &Path, source: io::Error) -> ModelError {
    ModelError::Io { path: path.to_owned(), action: "write", source }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    /// Names and contents.
    type Files<'a> = &'a [(&'a str, &'a [u8])];

    /// A package of these files.
    fn package(folder: &TempDir, files: Files<'_>) -> PathBuf {
        let path = folder.path().join("translate-en_de-1_0.argosmodel");
        let mut archive = ZipWriter::new(File::create(&path).unwrap());
        for (name, bytes) in files {
            archive.start_file(*name, SimpleFileOptions::default()).unwrap();
            archive.write_all(bytes).unwrap();
        }
        archive.finish().unwrap();
        path
    }

    #[test]
    fn what_translation_needs_is_unpacked() {
        let folder = tempfile::tempdir().unwrap();
        let files: [(&str, &[u8]); 5] = [
            ("en_de/metadata.json", b"{}"),
            ("en_de/model/model.bin", b"x"),
            ("en_de/sentencepiece.model", b"y"),
            ("en_de/stanza/en/tokenize/ewt.pt", b"z"),
            ("en_de/README.md", b"z"),
        ];
        let package = package(&folder, &files);
        let unpacked = Unpacked::open(&package).unwrap().unwrap();
        let directory = unpacked.directory();
        assert_eq!(fs::read(directory.join("model/model.bin")).unwrap(), b"x");
        assert!(directory.join("sentencepiece.model").is_file() && !directory.join("stanza").exists());
        assert!(Unpacked::open(&directory).unwrap().is_none(), "a directory");
        drop(unpacked);
        assert!(!directory.exists());
    }

    #[test]
    fn broken_packages_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let zeros = vec![0; 4 << 20];
        let cases: [(Files<'_>, &str); 4] = [
            (&[("en_de/README.md", b"x")], "it has no `metadata.json`"),
            (&[("../metadata.json", b"x")], "outside of the package"),
            (&[("a/metadata.json", b"x"), ("b/metadata.json", b"x")], "more than one package"),
            (&[("a/model/model.bin", &zeros)], "more than 50 times its size"),
        ];
        for (files, problem) in cases {
            let path = package(&folder, files);
            let message = Unpacked::open(&path).unwrap_err().to_string();
            assert!(message.contains(problem) && message.contains("translate-en_de-1_0.argosmodel"), "{message}");
        }
        let path = folder.path().join("cut.argosmodel");
        fs::write(&path, b"PK\x03\x04 and so on").unwrap();
        assert!(Unpacked::open(&path).unwrap_err().to_string().contains("no sound zip archive"));
    }
}
