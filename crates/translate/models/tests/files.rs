//! Which files make up a model.
#![allow(clippy::unwrap_used)] // a test fails by panicking

use flate2::Compression;
use flate2::write::GzEncoder;
use metaphrase_models::{Format, Model, ModelFiles, Precision, StoredPrecision, Weights, convert, load};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

fn tiny(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/models").join(name)
}

/// A directory with copies of tiny models and files of text.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn model(self, name: &str) -> Self {
        fs::copy(tiny("marian-tiny/model.npz"), self.path().join(name)).unwrap();
        self
    }

    fn text(self, name: &str, text: &str) -> Self {
        fs::write(self.path().join(name), text).unwrap();
        self
    }

    fn find(&self) -> Result<ModelFiles, String> {
        ModelFiles::find(self.path()).map_err(|e| e.to_string())
    }
}

#[test]
fn model_npz_goes_before_others() {
    let folder = Folder::new().model("model.npz").model("model.best.npz").model("model.npz.optimizer.npz");
    assert_eq!(folder.find().unwrap().model, folder.path().join("model.npz"));
}

#[test]
fn the_only_model_is_found_and_several_are_listed() {
    let folder =
        Folder::new().model("model.best.npz").model("model.best.npz.optimizer.npz").text("lex.bin", "a shortlist");
    assert_eq!(folder.find().unwrap().model, folder.path().join("model.best.npz"));
    let folder = folder.model("model.last.npz");
    let message = folder.find().unwrap_err();
    assert!(message.contains("model.best.npz, model.last.npz"), "{message}");
    let one = ModelFiles::find(&folder.path().join("model.last.npz")).unwrap();
    assert_eq!(one.format, Format::MarianNpz);
}

#[test]
fn an_opus_mt_directory_is_followed() {
    let folder = Folder::new()
        .model("opus.npz")
        .model("other.npz")
        .text("opus.vocab.yml", "")
        .text("source.spm", "")
        .text("target.spm", "")
        .text(
            "decoder.yml",
            "models:\n  - /gone/opus.npz\nvocabs:\n  - opus.vocab.yml\n  - opus.vocab.yml\nbeam-size: 6\n\
             normalize: 0.6\nword-penalty: 0\nmax-length-factor: 3\nmini-batch: 1\nrelative-paths: true\n",
        );
    let files = folder.find().unwrap();
    assert_eq!(files.model, folder.path().join("opus.npz"));
    let vocabularies = files.vocabularies().unwrap();
    assert_eq!(vocabularies.target.words, folder.path().join("opus.vocab.yml"));
    assert_eq!(vocabularies.target.segmenter, Some(folder.path().join("target.spm")));
    let (config, _) = files.load().unwrap();
    assert_eq!((config.decoding.beam_size, config.decoding.normalize), (Some(6), Some(0.6)));
    assert_eq!((config.decoding.word_penalty, config.decoding.max_length_factor), (Some(0.0), Some(3.0)));
}

#[test]
fn a_bergamot_directory_is_followed() {
    let folder = Folder::new().model("model.bin").text("vocab.deen.spm", "").text("lex.s2t.bin", "").text(
        "config.intgemm8bitalpha.yml",
        "relative-paths: true\nmodels: [model.bin]\nvocabs: [vocab.deen.spm, vocab.deen.spm]\n\
         shortlist: [lex.s2t.bin, false]\nnormalize: true\ngemm-precision: int8shiftAlphaAll\n",
    );
    let files = folder.find().unwrap();
    let shortlist = files.shortlist.unwrap();
    assert_eq!(shortlist.path, folder.path().join("lex.s2t.bin"));
    assert_eq!((shortlist.first, shortlist.words, shortlist.threshold), (None, None, None));
    assert_eq!((files.decoding.normalize, files.decoding.precision), (Some(1.0), Some(Precision::Int8)));
    let folder = folder.text(
        "config.intgemm8bitalpha.yml",
        "relative-paths: true\nmodels: [model.bin]\nvocabs: [vocab.deen.spm, vocab.deen.spm]\n\
         shortlist: [lex.s2t.bin, 50, 60, 0.25]\ngemm-precision: float32\n",
    );
    let files = folder.find().unwrap();
    let shortlist = files.shortlist.unwrap();
    assert_eq!((shortlist.first, shortlist.words, shortlist.threshold), (Some(50), Some(60), Some(0.25)));
    assert_eq!(files.decoding.precision, Some(Precision::F32));
}

fn packed(content: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(content).unwrap();
    packer.finish().unwrap()
}

/// A `.bin` of Marian's whose table of words has integers of 8 bits, as those of Firefox have.
fn student() -> Vec<u8> {
    let settings = b"type: transformer\ndim-vocabs: [6, 6]\ndim-emb: 4\ntransformer-heads: 1\nenc-depth: 1\n\
        dec-depth: 1\ntied-embeddings-all: true\ntransformer-decoder-autoreg: rnn\ndec-cell: ssru\n\0";
    let table = [&[1; 24][..], &2.0_f32.to_le_bytes()].concat();
    let items: [(&str, u64, Vec<i32>, &[u8]); 2] =
        [("special:model.yml", 0x101, vec![settings.len() as i32], settings), ("Wemb", 0x4101, vec![6, 4], &table)];
    let mut file = [1_u64, items.len() as u64].map(u64::to_le_bytes).concat();
    for (name, kind, shape, data) in &items {
        let header = [name.len() as u64 + 1, *kind, shape.len() as u64, data.len() as u64];
        file.extend(header.map(u64::to_le_bytes).concat());
    }
    items.iter().for_each(|(name, ..)| file.extend([name.as_bytes(), &[0]].concat()));
    items.iter().for_each(|(_, _, shape, _)| file.extend(shape.iter().flat_map(|size| size.to_le_bytes())));
    file.extend(0_u64.to_le_bytes());
    items.iter().for_each(|(.., data)| file.extend_from_slice(data));
    file
}

/// The first bytes of Marian's binary shortlists.
const LISTS: [u8; 16] = [0xF5, 0x17, 0x34, 0x01, 0xD5, 0x48, 0x1A, 0xF1, 0, 0, 0, 0, 0, 0, 0, 0];

/// Mozilla publishes its models packed, and without a file of options.
#[test]
fn a_model_of_firefox_is_read_as_it_is_published() {
    let folder = Folder::new();
    let path = |name: &str| folder.path().join(name);
    let model = student();
    fs::write(path("model.enpt.intgemm.alphas.bin.gz"), packed(&model)).unwrap();
    fs::write(path("vocab.enpt.spm.gz"), packed(b"x")).unwrap();
    fs::write(path("lex.50.50.enpt.s2t.bin.gz"), packed(&LISTS)).unwrap();
    let files = folder.find().unwrap();
    assert_eq!(files.model, path("model.enpt.intgemm.alphas.bin.gz"));
    assert_eq!(files.shortlist.as_ref().unwrap().path, path("lex.50.50.enpt.s2t.bin.gz"));
    assert_eq!(files.vocabularies().unwrap().source.words, path("vocab.enpt.spm.gz"));
    let (config, weights) = files.load().unwrap();
    let decoding = config.decoding;
    assert_eq!(
        (decoding.beam_size, decoding.normalize, decoding.precision),
        (Some(1), Some(1.0), Some(Precision::Int8))
    );
    assert_eq!(weights.tensor("Wemb").unwrap().data[..], [0.5; 24]);

    // The unpacked files count where both are there; two shortlists are none.
    fs::write(path("model.enpt.intgemm.alphas.bin"), &model).unwrap();
    fs::write(path("lex.50.50.enpt.s2t.bin"), LISTS).unwrap();
    let files = folder.find().unwrap();
    assert_eq!(files.model, path("model.enpt.intgemm.alphas.bin"));
    assert_eq!(files.shortlist.unwrap().path, path("lex.50.50.enpt.s2t.bin"));
    fs::write(path("lex.another.bin"), LISTS).unwrap();
    assert_eq!(folder.find().unwrap().shortlist, None);

    let packed = packed(&model);
    let cut = &packed[..packed.len() - 20];
    fs::remove_file(path("model.enpt.intgemm.alphas.bin")).unwrap();
    fs::write(path("model.enpt.intgemm.alphas.bin.gz"), cut).unwrap();
    let problem = folder.find().unwrap().load().unwrap_err().to_string();
    assert!(problem.contains("cannot unpack"), "{problem}");
}

/// A file of options wins over what such models are made for.
#[test]
fn options_of_a_student_are_followed() {
    let folder = Folder::new();
    fs::write(folder.path().join("model.bin"), student()).unwrap();
    let options = |more: &str| {
        let folder = folder.path();
        fs::write(folder.join("decoder.yml"), format!("relative-paths: true\nmodels: [model.bin]\n{more}")).unwrap();
        ModelFiles::find(folder).unwrap().load().unwrap().0.decoding
    };
    let decoding = options("beam-size: 4\n");
    assert_eq!((decoding.beam_size, decoding.normalize, decoding.precision), (Some(4), None, Some(Precision::Int8)));
    assert_eq!(options("gemm-precision: float32\n").precision, Some(Precision::F32));
}

#[test]
fn a_converted_model_keeps_its_shortlist() {
    let folder = Folder::new().model("model.npz").text("lex.s2t", "a b 0.5\n");
    fs::copy(tiny("marian-tiny/vocab.yml"), folder.path().join("vocab.yml")).unwrap();
    let folder = folder.text(
        "decoder.yml",
        "relative-paths: true\nmodels: [model.npz]\nvocabs: [vocab.yml, vocab.yml]\nshortlist: [lex.s2t, 7, 8]\n",
    );
    let to = folder.path().join("own");
    convert(folder.path(), &to, StoredPrecision::F32).unwrap();
    let shortlist = ModelFiles::find(&to).unwrap().shortlist.unwrap();
    assert_eq!((shortlist.first, shortlist.words, shortlist.threshold), (Some(7), Some(8), None));
    assert_eq!(fs::read(&shortlist.path).unwrap(), b"a b 0.5\n");
    fs::write(&shortlist.path, b"changed").unwrap();
    assert!(ModelFiles::find(&to).unwrap_err().to_string().contains("damaged"));
}

#[test]
fn ensembles_and_missing_files_are_refused() {
    let folder = Folder::new().model("a.npz").text("decoder.yml", "relative-paths: true\nmodels: [a.npz, a.npz]");
    assert!(folder.find().unwrap_err().contains("an ensemble of 2 models"));
    let folder = Folder::new().model("a.npz").text("decoder.yml", "relative-paths: true\nmodels: [b.npz]");
    assert!(folder.find().unwrap_err().contains("`b.npz`"));
    let folder = Folder::new().text("decoder.yml", "models: {");
    assert!(folder.find().is_err());
}

#[test]
fn a_directory_without_a_model_is_listed() {
    let folder = Folder::new().text("notes", "").text("model.npz.txt", "");
    let message = folder.find().unwrap_err();
    assert!(message.contains("no model here") && message.contains("model.npz.txt, notes"), "{message}");
    assert!(ModelFiles::find(&folder.path().join("nowhere")).is_err());
    let message = ModelFiles::find(&folder.path().join("notes")).unwrap_err().to_string();
    assert!(message.contains("empty file"), "{message}");
}

#[test]
fn a_pickled_model_that_is_none_is_named() {
    let config = r#"{"model_type": "marian", "vocab_size": 4, "d_model": 2}"#;
    let folder = Folder::new().text("config.json", config).text("pytorch_model.bin", "a pickled model");
    let message = load(folder.path()).unwrap_err().to_string();
    assert!(message.contains("pytorch_model.bin") && message.contains("does not begin"), "{message}");
}

/// A model directory of ours, and the errors when its vocabulary or its weights are read.
fn own(folder: &Folder) -> (PathBuf, impl Fn() -> Result<(), String>) {
    let path = folder.path().join("own");
    convert(&tiny("marian-tiny"), &path, StoredPrecision::F32).unwrap();
    let to = path.clone();
    let read = move || {
        let files = ModelFiles::find(&to).map_err(|e| e.to_string())?;
        files.vocabularies().and_then(|_| files.load()).map(drop).map_err(|e| e.to_string())
    };
    (path, read)
}

#[test]
fn every_changed_bit_of_a_model_directory_is_found() {
    let folder = Folder::new();
    let (path, read) = own(&folder);
    read().unwrap();
    for name in ["model.safetensors", "source.vocab.yml"] {
        let file = path.join(name);
        let sound = fs::read(&file).unwrap();
        for at in (0..sound.len()).step_by(sound.len() / 60).chain([sound.len() - 1]) {
            let mut changed = sound.clone();
            changed[at] ^= 1 << (at % 8);
            fs::write(&file, changed).unwrap();
            let message = read().unwrap_err();
            assert!(message.contains(name) && message.contains(": the file is damaged: its checksum is "), "{message}");
        }
        fs::write(&file, &sound[..sound.len() - 1]).unwrap();
        assert!(read().is_err());
        fs::write(&file, &sound).unwrap();
    }
    fs::write(path.join("checksums"), "").unwrap();
    assert!(read().unwrap_err().contains("the file `checksums` does not list it"));
    fs::remove_file(path.join("checksums")).unwrap();
    read().expect("a directory of an older version has no checksums");
}

#[test]
fn a_model_directory_names_its_own_files_only() {
    let folder = Folder::new().model("model.npz").text("outside.yml", "");
    let (path, read) = own(&folder);
    let config = path.join("config.toml");
    let sound = fs::read_to_string(&config).unwrap();
    let outside = folder.path().join("outside.yml");
    for name in ["/etc/passwd", "../outside.yml", "a/../../outside.yml", outside.to_str().unwrap()] {
        fs::write(&config, sound.replace("source.vocab.yml", name)).unwrap();
        let message = read().unwrap_err();
        assert!(message.contains(&format!("it names `{name}`, which is not in the directory")), "{message}");
        let text = format!("relative-paths: true\nmodels: [model.npz]\nvocabs: [{name}, {name}]\n");
        let options = folder.path().join("own/decoder.yml");
        fs::copy(tiny("marian-tiny/model.npz"), folder.path().join("own/model.npz")).unwrap();
        fs::write(&options, &text).unwrap();
        let message = ModelFiles::find(&options).unwrap_err().to_string();
        assert!(message.contains("which is not in its directory; copy the file there"), "{message}");
    }
    // A link in the directory was made here, as those of download caches.
    #[cfg(unix)]
    {
        fs::write(&config, &sound).unwrap();
        fs::rename(path.join("model.safetensors"), folder.path().join("blob")).unwrap();
        std::os::unix::fs::symlink("../blob", path.join("model.safetensors")).unwrap();
        read().unwrap();
    }
}

#[test]
fn shards_of_a_model_are_in_its_directory() {
    let folder = Folder::new()
        .text("config.json", r#"{"model_type": "marian"}"#)
        .text("model.safetensors.index.json", r#"{"weight_map": {"a": "../../etc/passwd"}}"#);
    let message = load(folder.path()).unwrap_err().to_string();
    assert!(
        message.contains("`../../etc/passwd` is not in the directory") || message.contains("config.json"),
        "{message}"
    );
}

#[test]
fn weights_that_are_not_finite_are_refused_by_name() {
    let (config, weights) = load(&tiny("marian-tiny")).unwrap();
    assert!(Model::new(config.clone(), &weights).is_ok());
    let names: Vec<&str> = weights.names().filter(|name| !name.starts_with("special:")).collect();
    for (number, wrong) in [(0, f32::NAN), (names.len() / 2, f32::INFINITY), (names.len() - 1, f32::NEG_INFINITY)] {
        let tensors = names.iter().map(|name| {
            let tensor = weights.tensor(name).unwrap();
            let mut data = tensor.data.to_vec();
            if *name == names[number] {
                *data.last_mut().unwrap() = wrong;
            }
            (*name, tensor.shape.to_vec(), data)
        });
        let damaged = Weights::from_tensors("m.npz", tensors).unwrap();
        let error = Model::new(config.clone(), &damaged).err().unwrap().to_string();
        let place = weights.tensor(names[number]).unwrap().data.len() - 1;
        let expected = format!("m.npz: tensor `{}`: number {place} is {wrong}, and weights are finite", names[number]);
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn settings_are_refused_by_the_name_of_their_file() {
    let folder = Folder::new();
    fs::copy(tiny("../../models/en-de/model.safetensors"), folder.path().join("model.safetensors")).unwrap();
    let text = fs::read_to_string(tiny("../../models/en-de/config.toml")).unwrap();
    let eos = text.lines().find(|line| line.starts_with("end-of-sentence")).unwrap();
    fs::write(folder.path().join("config.toml"), text.replace(eos, "end-of-sentence = 99999999")).unwrap();
    let error = load(folder.path()).err().unwrap().to_string();
    let file = folder.path().join("config.toml");
    assert!(error.starts_with(&format!("{}: the end of sentence is word 99999999", file.display())), "{error}");
}
