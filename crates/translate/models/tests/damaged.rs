//! Cut, altered and mismatched files: an error of one sentence, or a model; never a panic.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use metaphrase_models::{Config, Model, ModelError, Precision, StoredPrecision, Weights, from_bytes};
use std::io::Read as _;
use std::path::{Path, PathBuf};

const NAME: &str = "damaged";

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/models").join(name)
}

fn marian(bytes: Vec<u8>) -> Result<(Config, Weights), ModelError> {
    from_bytes::marian(Path::new(NAME), bytes)
}

/// Builds the model if it opens. Whether it could be built; errors must be one sentence that names the file.
fn survives(opened: Result<(Config, Weights), ModelError>) -> bool {
    survives_in(Precision::F32, opened)
}

fn survives_in(precision: Precision, opened: Result<(Config, Weights), ModelError>) -> bool {
    match opened.and_then(|(config, weights)| Model::with_precision(config, &weights, precision)) {
        Ok(_) => true,
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("damaged: ") && message.lines().count() == 1, "{message}");
            false
        }
    }
}

/// A file damaged in one place: cut at all lengths near its start and end and some between, or one bit of every
/// eleventh byte turned.
fn damaged(sound: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let near = |at: &usize| *at < 256 || *at + 256 > sound.len() || at.is_multiple_of(101);
    let cut = (0..sound.len()).filter(near).map(|length| sound[..length].to_vec());
    let flipped = (0..sound.len()).step_by(11).map(|at| {
        let mut bytes = sound.to_vec();
        bytes[at] ^= 1 << (at / 11 % 8);
        bytes
    });
    cut.chain(flipped)
}

/// The tiny Transformer as `.bin`, its feed-forward matrices quantised.
fn tiny_bin() -> Vec<u8> {
    let (_, weights) = metaphrase_models::load(&testdata("marian-tiny")).unwrap();
    let yml = "type: transformer\ndim-vocabs: [12, 12]\ndim-emb: 8\ntransformer-heads: 2\nenc-depth: 1\n\
               dec-depth: 1\ntransformer-dim-ffn: 12\ntied-embeddings-all: true\n\0";
    let mut items = vec![("special:model.yml", 0x101_u64, vec![yml.len()], yml.as_bytes().to_vec())];
    for name in weights.names() {
        let tensor = weights.tensor(name).unwrap();
        let (kind, data) = if name.contains("_ffn_W") {
            let quantised = tensor.data.iter().map(|v| (v * 20.0) as i8 as u8);
            (0x10001, quantised.chain(20_f32.to_le_bytes()).collect())
        } else {
            (0x404, tensor.data.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
        };
        items.push((name, kind, tensor.shape.to_vec(), data));
    }
    let mut file = [1, items.len() as u64].map(u64::to_le_bytes).concat();
    for (name, kind, shape, data) in &items {
        let header = [name.len() as u64 + 1, *kind, shape.len() as u64, data.len() as u64];
        file.extend(header.map(u64::to_le_bytes).concat());
    }
    items.iter().for_each(|(name, ..)| file.extend([name.as_bytes(), &[0]].concat()));
    for (_, _, shape, _) in &items {
        file.extend(shape.iter().flat_map(|&size| (size as i32).to_le_bytes()));
    }
    file.extend(0_u64.to_le_bytes());
    items.iter().for_each(|(.., data)| file.extend(data));
    file
}

#[test]
fn damaged_npz_files() {
    for model in ["marian-tiny", "nematus-tiny"] {
        let sound = std::fs::read(testdata(model).join("model.npz")).unwrap();
        let (_, weights) = marian(sound.clone()).unwrap();
        for bytes in damaged(&sound) {
            let opened = marian(bytes);
            if let Ok((_, same)) = &opened {
                // Dates and names have no checksum, numbers do.
                let known = weights.names().filter(|name| same.contains(name));
                known.for_each(|name| assert_eq!(bits(&weights, name), bits(same, name), "{name}"));
            }
            survives(opened);
        }
    }
}

fn bits(weights: &Weights, name: &str) -> (Vec<usize>, Vec<u32>) {
    let tensor = weights.tensor(name).unwrap();
    (tensor.shape.to_vec(), tensor.data.iter().map(|v| v.to_bits()).collect())
}

#[test]
fn damaged_bin_files() {
    let sound = tiny_bin();
    assert!(survives(marian(sound.clone())));
    damaged(&sound).for_each(|bytes| {
        survives(marian(bytes));
    });
    for length in 0..sound.len() {
        assert!(marian(sound[..length].to_vec()).is_err(), "{length}");
    }
}

#[test]
fn damaged_directories() {
    damaged_directory(StoredPrecision::Bf16, Precision::F32);
    damaged_directory(StoredPrecision::Int8, Precision::Int8);
}

fn damaged_directory(stored: StoredPrecision, precision: Precision) {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("model");
    metaphrase_models::convert(&testdata("marian-tiny"), &to, stored).unwrap();
    let manifest = std::fs::read_to_string(to.join("config.toml")).unwrap();
    let tensors = std::fs::read(to.join("model.safetensors")).unwrap();
    let open = |manifest: &str, tensors: Vec<u8>| from_bytes::directory(Path::new(NAME), manifest, tensors);
    assert!(survives_in(precision, open(&manifest, tensors.clone())));
    damaged(&tensors).for_each(|bytes| {
        survives_in(precision, open(&manifest, bytes));
    });
    damaged(manifest.as_bytes()).filter_map(|bytes| String::from_utf8(bytes).ok()).for_each(|text| {
        survives_in(precision, open(&text, tensors.clone()));
    });
}

#[test]
fn damaged_hugging_face_models() {
    let folder = testdata("hugging-face-untied");
    let config = std::fs::read(folder.join("config.json")).unwrap();
    let tensors = std::fs::read(folder.join("model.safetensors")).unwrap();
    let open = |config: &[u8], tensors: Vec<u8>| from_bytes::hugging_face(Path::new(NAME), config, tensors);
    assert!(survives(open(&config, tensors.clone())));
    damaged(&config).for_each(|config| {
        survives(open(&config, tensors.clone()));
    });
    // The header is where damage is dangerous; it is about a sixth of the file.
    damaged(&tensors[..12_000]).for_each(|mut start| {
        start.extend_from_slice(&tensors[start.len()..]);
        survives(open(&config, start));
    });
}

#[test]
fn settings_that_do_not_fit_the_tensors() {
    let sound = tiny_bin();
    let patch = |from: &str, to: &str| {
        let mut bytes = sound.clone();
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        let (config, weights) = marian(bytes)?;
        Model::new(config, &weights)
    };
    let message = |from: &str, to: &str| patch(from, to).err().unwrap().to_string();
    assert_eq!(message("[12, 12]", "[13, 13]"), "damaged: tensor `Wemb` is 12 × 8, expected 13 × 8");
    assert!(
        message("[12, 12]", "[12, 13]").contains("share a table of embeddings, but the vocabularies have 12 and 13")
    );
    let wider = message("dim-ffn: 12", "dim-ffn: 13");
    assert!(wider.contains("_ffn_b1` is 1 × 12, expected 1 × 13"), "{wider}");
    assert!(message("dec-depth: 1", "dec-depth: 2").contains("there is no tensor `decoder_l2_"));
    assert!(message("heads: 2", "heads: 3").contains("not a multiple of 3 heads"));
    assert!(message("dim-emb: 8", "dim-emb: 0").contains("embedding size is 0"));
}

/// A zip directory of a thousand entries for one and the same deflated megabyte.
#[test]
fn a_small_archive_does_not_fill_the_memory() {
    let mut deflated = Vec::new();
    flate2::read::DeflateEncoder::new(&[0; 1 << 20][..], flate2::Compression::best())
        .read_to_end(&mut deflated)
        .unwrap();
    let sizes = [deflated.len() as u32, 1 << 20].map(u32::to_le_bytes).concat();
    let mut file = [b"PK\x03\x04".as_slice(), &[0; 4], &[8, 0], &[0; 8], &sizes, &[0; 4], &deflated].concat();
    let start = file.len() as u32;
    let mut crc = flate2::Crc::new();
    crc.update(&[0; 1 << 20]);
    let entry = [b"PK\x01\x02".as_slice(), &[0; 6], &[8, 0], &[0; 4], &crc.sum().to_le_bytes(), &sizes].concat();
    for name in 0..1000 {
        file.extend([&entry, &[4, 0][..], &[0; 16], format!("{name:04}").as_bytes()].concat());
    }
    let size = file.len() as u32 - start;
    file.extend([b"PK\x05\x06".as_slice(), &[0; 4], &[0xe8, 3, 0xe8, 3], &size.to_le_bytes()].concat());
    file.extend([start.to_le_bytes().as_slice(), &[0; 2]].concat());
    assert!(file.len() < 60_000);
    let message = marian(file).unwrap_err().to_string();
    assert!(message.contains("its members are larger than itself"), "{message}");
}

/// A member of zeros that deflate packs a thousand times.
#[test]
fn an_archive_that_grows_much_is_refused() {
    let zeros = vec![0; 4 << 20];
    let mut deflated = Vec::new();
    flate2::read::DeflateEncoder::new(&zeros[..], flate2::Compression::best()).read_to_end(&mut deflated).unwrap();
    let mut crc = flate2::Crc::new();
    crc.update(&zeros);
    let sizes = [crc.sum(), deflated.len() as u32, 4 << 20].map(u32::to_le_bytes).concat();
    let about = [&[8, 0][..], &[0; 4], &sizes, &[1, 0, 0, 0]].concat();
    let mut file = [b"PK\x03\x04".as_slice(), &[0; 4], &about, b"a", &deflated].concat();
    let start = (file.len() as u32).to_le_bytes();
    let directory = [b"PK\x01\x02".as_slice(), &[0; 6], &about, &[0; 14], b"a"].concat();
    file.extend([&directory[..], b"PK\x05\x06", &[0; 4], &[1, 0, 1, 0]].concat());
    file.extend([&(directory.len() as u32).to_le_bytes()[..], &start, &[0; 2]].concat());
    let message = marian(file).unwrap_err().to_string();
    assert!(message.contains("more than 100 times its size"), "{message}");
}
