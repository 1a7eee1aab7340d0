use super::*;
use std::io::Write;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Names and contents.
type Files<'a> = &'a [(&'a str, &'a [u8])];

fn zip_of(folder: &TempDir, name: &str, files: Files<'_>) -> PathBuf {
    let path = folder.path().join(name);
    let mut archive = ZipWriter::new(File::create(&path).unwrap());
    for (name, bytes) in files {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap();
    path
}

fn tar_of(folder: &TempDir, name: &str, files: Files<'_>) -> PathBuf {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        // As hostile archives do: `set_path` would refuse the name.
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        archive.append(&header, *bytes).unwrap();
    }
    let bytes = archive.into_inner().unwrap();
    let path = folder.path().join(name);
    let mut file = File::create(&path).unwrap();
    if name.ends_with("gz") {
        let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::default());
        packed.write_all(&bytes).unwrap();
        packed.finish().unwrap();
    } else {
        file.write_all(&bytes).unwrap();
    }
    path
}

const PACKAGE: Files<'static> = &[
    ("en_de/metadata.json", b"{}"),
    ("en_de/model/model.bin", b"x"),
    ("en_de/sentencepiece.model", b"y"),
    ("en_de/stanza/en/tokenize/ewt.pt", b"z"),
    ("__MACOSX/en_de/._metadata.json", b"z"),
    ("en_de/README.md", b"z"),
];

#[test]
fn the_model_in_an_archive_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for path in [
        zip_of(&folder, "translate-en_de-1_0.argosmodel", PACKAGE),
        zip_of(&folder, "en_de.ZIP", PACKAGE),
        tar_of(&folder, "en_de.tar.gz", PACKAGE),
        tar_of(&folder, "en_de.tgz", PACKAGE),
        tar_of(&folder, "en_de.tar", PACKAGE),
        // The bytes count, not the name.
        tar_of(&folder, "en_de.zip", PACKAGE),
    ] {
        let place = OnDisk::open(&path).unwrap();
        let directory = place.path.clone();
        assert!(directory.ends_with("en_de"), "{}", directory.display());
        assert_eq!(fs::read(directory.join("model/model.bin")).unwrap(), b"x");
        assert!(directory.join("sentencepiece.model").is_file() && !directory.join("stanza").exists());
        drop(place);
        assert!(!directory.exists());
    }
    let plain = OnDisk::open(folder.path()).unwrap();
    assert!(plain.path == folder.path() && plain.copies.is_none());
}

#[test]
fn a_model_without_a_folder_has_the_name_of_its_archive() {
    let folder = tempfile::tempdir().unwrap();
    let files: Files<'_> = &[("./config.json", b"{}"), ("./model.safetensors", b"x"), ("./README.md", b"")];
    for path in [tar_of(&folder, "opus-mt-en-de.tar.gz", files), zip_of(&folder, "opus-mt-en-de.zip", files)] {
        assert!(OnDisk::open(&path).unwrap().path.ends_with("opus-mt-en-de"));
    }
    let path = tar_of(&folder, "en-fr.tgz", &[("a/b/en-fr/config.json", b"{}"), ("a/b/en-fr/pytorch_model.bin", b"x")]);
    assert!(OnDisk::open(&path).unwrap().path.ends_with("a/b/en-fr"));
}

#[test]
fn archives_without_one_sound_model_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let zeros = vec![0; 4 << 20];
    let two: Files<'_> = &[("a/config.json", b"{}"), ("b/config.json", b"{}")];
    for (path, problem) in [
        (zip_of(&folder, "none.zip", &[("en_de/README.md", b"x")]), "there is no model here"),
        (zip_of(&folder, "onnx.zip", &[("en_de/encoder.onnx", b"x")]), "onnx.zip/en_de: an ONNX model"),
        (zip_of(&folder, "out.zip", &[("../metadata.json", b"x")]), "`../metadata.json` lies outside"),
        (tar_of(&folder, "out.tar", &[("../metadata.json", b"x")]), "`../metadata.json` lies outside"),
        (tar_of(&folder, "root.tar.gz", &[("/tmp/metadata.json", b"x")]), "lies outside"),
        (zip_of(&folder, "two.zip", two), "several models: a, b; unpack it (`unzip "),
        (tar_of(&folder, "two.tgz", two), "several models: a, b; unpack it (`mkdir DIR && tar -xzf "),
        (zip_of(&folder, "bomb.zip", &[("a/model.bin", &zeros)]), "more than 50 times its size"),
        (tar_of(&folder, "bomb.tar.gz", &[("a/model.bin", &zeros)]), "more than 50 times its size"),
        (zip_of(&folder, "empty.zip", &[]), "there is no model here"),
    ] {
        let message = OnDisk::open(&path).unwrap_err().to_string();
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(message.contains(problem) && message.contains(name), "{message}");
        assert!(!message.contains("metaphrase-"), "a path that the user does not know: {message}");
    }
}

#[test]
fn cut_archives_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for path in
        [zip_of(&folder, "a.zip", PACKAGE), tar_of(&folder, "a.tar.gz", PACKAGE), tar_of(&folder, "a.tar", PACKAGE)]
    {
        let whole = fs::read(&path).unwrap();
        for part in [3, 5, 100, 700, whole.len() / 2, whole.len() - 1] {
            fs::write(&path, &whole[..part.min(whole.len() - 1)]).unwrap();
            // A tar whose last zeros alone are missing is whole.
            if let Err(error) = OnDisk::open(&path) {
                let message = error.to_string();
                assert!(message.contains("damaged") || message.contains("no model here"), "{message}");
            }
        }
    }
    let path = folder.path().join("cut.argosmodel");
    fs::write(&path, b"PK\x03\x04 and so on").unwrap();
    let message = OnDisk::open(&path).unwrap_err().to_string();
    assert!(message.contains("damaged or not a zip file") && message.contains("download it again"), "{message}");
}
