//! Models and files of other programs, which are not read: each is named, with what to do instead.

use super::{has_extension, listed};
use crate::ModelError;
use crate::config::hugging_face::Family;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A sentence about models that were made from others.
const ORIGINAL: &str = "use the model that it was converted from: one of Marian, OPUS-MT or Hugging Face";
const MARIAN: &str = "models of Marian, OPUS-MT, Firefox, Nematus, CTranslate2 and Hugging Face (MarianMT, M2M-100, NLLB-200, mBART-50, T5, MADLAD-400) are read";

/// Bytes at the start of a file that show its kind.
const START: usize = 512;

/// Refuses a file that is no model, if its first bytes or its name say what it is.
pub(crate) fn check_file(path: &Path) -> Result<(), ModelError> {
    let mut start = Vec::with_capacity(START);
    let read = File::open(path).and_then(|file| file.take(START as u64).read_to_end(&mut start));
    read.map_err(|e| ModelError::io(path, "read", e))?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
    match kind_of_file(&name, &start) {
        Some((what, advice)) => Err(ModelError::unsupported(path, what, advice)),
        None => Ok(()),
    }
}

/// Directories without a model of ours, by the end of a file's name.
const BY_EXTENSION: [(&str, &str, &str); 6] = [
    (".gguf", "a GGUF model", ORIGINAL),
    (".tflite", "a model of TensorFlow Lite", MARIAN),
    (".mlmodel", "a model of Core ML", MARIAN),
    (".nemo", "a model of NeMo", MARIAN),
    ("openvino_model.xml", "a model of OpenVINO", ORIGINAL),
    (".keras", "a model of Keras", MARIAN),
];

/// What a file is, and what to do with it.
fn kind_of_file(name: &str, start: &[u8]) -> Option<(&'static str, &'static str)> {
    let is_tar = start.get(257..262) == Some(b"ustar");
    let has_name_of_archive = name.ends_with(".tar.gz") || has_extension(name, &["zip", "argosmodel", "tgz", "tar"]);
    Some(match start {
        [] => ("an empty file", "copy or download the model again"),
        _ if start.starts_with(b"version https://git-lfs") => (
            "a pointer of Git LFS in place of the file",
            "run `git lfs pull` in the repository, or download the file itself",
        ),
        [0x1f, 0x8b, ..] if name.ends_with(".bin.gz") || name.ends_with(".npz.gz") => return None,
        [0x1f, 0x8b, ..] => ("a file packed with gzip", "unpack it (`gzip -d`), and its vocabulary, too"),
        _ if is_tar => ("an archive without the name of one", "name it `.tar`, or unpack it (`tar -xf FILE -C DIR`)"),
        [0xfd, b'7', b'z', b'X', b'Z', ..] | [b'B', b'Z', b'h', ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            ("a packed file", "unpack it (`mkdir DIR && tar -xf FILE -C DIR`) and name the directory")
        }
        [b'7', b'z', 0xbc, 0xaf, ..] => ("an archive", "unpack it (`7z x FILE -oDIR`) and name the directory"),
        [b'<', ..] if is_page(start) => ("a web page in place of the file", "download the file itself"),
        _ if !start.starts_with(b"PK") && has_name_of_archive => {
            ("a file with the name of an archive, which it is not", "download it again")
        }
        _ if has_extension(name, &["onnx", "ort"]) => ("an ONNX model", ORIGINAL),
        _ if has_extension(name, &["pt", "pth", "ckpt"]) => {
            ("a checkpoint of PyTorch, such as fairseq's or OpenNMT-py's", MARIAN)
        }
        _ if has_extension(name, &["spm", "model"]) && start.starts_with(b"\n") => {
            ("a vocabulary of SentencePiece", "name the model, or the directory with both")
        }
        _ if start.starts_with(b"mmap lm http://kheafield.com/code") => {
            ("a language model of KenLM", "name the translation model; a language model is added to it")
        }
        [0xba, 0x16, 0x4f, 0x2f, ..] => ("a fastText model, which tells languages apart", "name the translation model"),
        _ if has_extension(name, &["tflite", "mlmodel", "nemo", "keras", "h5", "msgpack"]) => {
            ("a model of another program", MARIAN)
        }
        [b'G', b'G', b'U', b'F', ..] => ("a GGUF model", ORIGINAL),
        [0x89, b'H', b'D', b'F', ..] => ("a model of Keras or TensorFlow", MARIAN),
        _ => return None,
    })
}

fn is_page(start: &[u8]) -> bool {
    let start = String::from_utf8_lossy(start).to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

/// Refuses a directory with the model of another program. `names`: its files.
pub(super) fn check_directory(directory: &Path, names: &[String]) -> Result<(), ModelError> {
    match kind_of_directory(directory, names) {
        Some((what, advice)) => Err(ModelError::unsupported(directory, what, advice)),
        None => Ok(()),
    }
}

fn kind_of_directory(directory: &Path, names: &[String]) -> Option<(String, String)> {
    let has = |name: &str| names.iter().any(|known| known == name);
    let ends = |ends: &[&str]| names.iter().find(|name| ends.iter().any(|end| name.ends_with(end)));
    let starts = |start: &str| names.iter().any(|name| name.starts_with(start));
    let fixed = |what: &str, advice: &str| Some((what.to_owned(), advice.to_owned()));
    let tensors = names.iter().filter(|name| has_extension(name, &["bin", "npz", "safetensors", "spm"]));
    let pointer = tensors.filter_map(|name| Some((name, pointer(&directory.join(name))?))).next();
    if let Some((name, (what, advice))) = pointer {
        return Some((format!("`{name}`, {what},"), advice.to_owned()));
    }
    let has_tensors = starts("model.safetensors") || starts("pytorch_model.bin");
    if has("model.bin") && !has_tensors && starts("vocabulary.") {
        return fixed(
            "a language model of CTranslate2",
            "models that translate with an encoder and a decoder are read",
        );
    }
    if has("adapter_config.json") {
        return fixed("an adapter (LoRA) to a model", "merge it into its model and save that");
    }
    if let Some(kind) = model_type(directory).filter(|kind| Family::from_model_type(kind).is_none()) {
        return Some((format!("a Hugging Face model of the type `{kind}`{}", known_as(&kind)), MARIAN.to_owned()));
    }
    if !has_tensors && (ends(&[".onnx", ".ort"]).is_some() || directory.join("onnx").is_dir()) {
        return fixed("an ONNX model", ORIGINAL);
    }
    if let Some(packed) = ends(&[".bin.gz", ".npz.gz", ".spm.gz"]).filter(|_| !has_tensors) {
        let what = format!("a model that is packed with gzip (`{packed}`)");
        return Some((what, "unpack its files (`gzip -d *.gz`)".to_owned()));
    }
    if has_tensors || has("config.json") {
        return None;
    }
    if starts("dict.") && ends(&[".pt"]).is_some() {
        return fixed("a fairseq model", MARIAN);
    }
    if ends(&[".pt", ".pth", ".ckpt"]).is_some() {
        return fixed("a checkpoint of PyTorch, such as fairseq's or OpenNMT-py's", MARIAN);
    }
    if has("params.best") || (has("config") && has("version")) {
        return fixed("a Sockeye model", MARIAN);
    }
    if has("saved_model.pb") || has("checkpoint") || ends(&[".h5", ".msgpack"]).is_some() {
        return fixed("a model of TensorFlow or JAX, such as OpenNMT-tf's", MARIAN);
    }
    if let Some((_, what, advice)) = BY_EXTENSION.iter().find(|(extension, ..)| ends(&[*extension]).is_some()) {
        return fixed(what, advice);
    }
    let archive = ends(&[".zip", ".tar.gz", ".tgz", ".tar", ".argosmodel"]);
    archive.map(|archive| (format!("a directory with the archive `{archive}`"), "name the archive itself".into()))
}

/// What a file is that has no content of its own.
fn pointer(path: &Path) -> Option<(&'static str, &'static str)> {
    let length = path.metadata().ok()?.len();
    let mut start = Vec::new();
    File::open(path).ok()?.take(START as u64).read_to_end(&mut start).ok()?;
    kind_of_file("", &start).filter(|_| length == 0 || start.starts_with(b"version "))
}

/// The `model_type` of a `config.json`.
pub(super) fn model_type(directory: &Path) -> Option<String> {
    let settings: serde_json::Value = serde_json::from_slice(&settings(directory)?).ok()?;
    Some(settings.get("model_type")?.as_str()?.chars().take(40).collect())
}

/// The start of a `config.json`: settings have some kilobytes.
fn settings(directory: &Path) -> Option<Vec<u8>> {
    let mut json = Vec::new();
    File::open(directory.join("config.json")).ok()?.take(1 << 20).read_to_end(&mut json).ok()?;
    Some(json)
}

/// The names under which people know the types of Hugging Face.
fn known_as(kind: &str) -> &'static str {
    match kind {
        "nllb-moe" => ", as the NLLB-200 of 54 billion numbers is",
        "umt5" => ", whose layers have positions of their own",
        "fsmt" => ", as fairseq's models of WMT19 are",
        "whisper" | "speech_to_text" | "seamless_m4t" | "seamless_m4t_v2" => ", which reads speech",
        "bart" | "pegasus" | "led" | "bigbird_pegasus" => ", which summarises",
        "bert" | "roberta" | "xlm-roberta" | "distilbert" | "electra" | "modernbert" => ", which has an encoder alone",
        "llama" | "mistral" | "mixtral" | "qwen2" | "qwen3" | "gemma" | "gemma2" | "gemma3" | "gemma3_text"
        | "phi3" | "gpt2" | "gpt_neox" | "opt" | "bloom" | "falcon" | "cohere" | "hunyuan_v1_dense" => {
            ", which is a language model with a decoder alone"
        }
        _ => "",
    }
}

/// The one folder inside a directory without a model, where archives put everything.
pub(super) fn folder_inside(directory: &Path, names: &[String]) -> String {
    let folders: Vec<String> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().filter(|entry| entry.path().is_dir())?.file_name().into_string().ok())
        .take(3)
        .collect();
    match &folders[..] {
        [folder] => format!("{}; is it in its folder `{folder}`?", listed(names)),
        _ => listed(names),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use crate::ModelFiles;
    use std::fs;

    /// What is said about a directory of these files; a name that ends with a slash is a folder.
    fn refused(files: &[(&str, &str)]) -> String {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            if name.ends_with('/') { fs::create_dir(path).unwrap() } else { fs::write(path, text).unwrap() }
        }
        ModelFiles::find(folder.path()).and_then(|files| files.load().map(drop)).unwrap_err().to_string()
    }

    #[test]
    fn directories_of_other_programs_are_named() {
        let umt5 = r#"{"model_type":"umt5"}"#;
        for (files, part) in [
            (&[("model.bin", "x"), ("vocabulary.json", "[]")][..], "language model of CTranslate2"),
            (&[("model.bin", "x"), ("source_vocabulary.txt", "a"), ("target_vocabulary.txt", "a")], "CTranslate2"),
            (&[("metadata.json", "{}"), ("model/", ""), ("sentencepiece.model", "x")], "is it in its folder `model`?"),
            (&[("config.json", r#"{"model_type":"nllb-moe"}"#), ("model.safetensors", "x")], "NLLB-200"),
            (&[("config.json", umt5), ("model.safetensors", "x")], "positions of their own"),
            (&[("config.json", r#"{"model_type":"marian"}"#), ("encoder_model.onnx", "x")], "ONNX"),
            (&[("config.json", r#"{"model_type":"marian"}"#), ("onnx/", "")], "ONNX"),
            (&[("model.enpt.intgemm.alphas.bin.gz", "x"), ("vocab.enpt.spm.gz", "x")], "gzip -d"),
            (&[("config.json", r#"{"model_type":"whisper"}"#), ("model.safetensors", "x")], "reads speech"),
            (&[("config.json", r#"{"model_type":"llama"}"#), ("model.safetensors", "x")], "a decoder alone"),
            (&[("adapter_config.json", "{}"), ("adapter_model.safetensors", "x")], "an adapter"),
            (&[("q4.gguf", "GGUF")], "GGUF"),
            (&[("openvino_model.xml", "<"), ("openvino_model.bin", "x")], "OpenVINO"),
            (&[("model.nemo", "x")], "NeMo"),
            (&[("model.pt", "x"), ("dict.en.txt", "x"), ("dict.de.txt", "x")], "fairseq model"),
            (&[("averaged-10-epoch.pt", "x"), ("bpe.codes", "x")], "OpenNMT-py"),
            (&[("opus-2020-02-26.zip", "PK")], "name the archive itself"),
            (&[("opus-mt/", ""), ("README.md", "x")], "is it in its folder `opus-mt`?"),
            (&[], "it has no files"),
            (&[("model.npz", "")], "empty file"),
            (&[("model.npz", "version https://git-lfs.github.com/spec/v1\noid sha256:1\n")], "git lfs pull"),
            (
                &[("config.json", "{}"), ("model.safetensors", "version https://git-lfs.github.com/spec/v1\n")],
                "git lfs pull",
            ),
            (&[("config.json", "{}"), ("model.safetensors", "")], "empty file"),
        ] {
            let refused = refused(files);
            assert!(refused.contains(part), "{files:?}: {refused}");
        }
    }

    #[test]
    fn files_of_other_programs_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut tar = vec![0; 512];
        tar[257..262].copy_from_slice(b"ustar");
        for (name, bytes, part) in [
            ("a.bin", &b""[..], "empty file"),
            ("opus.zip", b"something else", "name of an archive, which it is not"),
            ("opus.zip", b"<!DOCTYPE html><html>", "web page"),
            ("opus.tar.xz", b"\xfd7zXZ\0", "tar -xf"),
            ("model.gz", b"\x1f\x8b\x08\0", "gzip -d"),
            ("model.bin.gz", b"\x1f\x8b\x08\0", "unexpected end of file"),
            ("vocab.spm", b"\n\x0c\n\x05<unk>", "a vocabulary"),
            ("lm.bin", b"mmap lm http://kheafield.com/code format version 5\n\0", "KenLM"),
            ("lid.176.bin", b"\xba\x16\x4f\x2f\x0c\0\0\0", "fastText"),
            ("model.gguf", b"GGUF\x03\0\0\0", "GGUF"),
            ("opus.bin", &tar, "name it `.tar`"),
            ("translate-en_de.argosmodel", b"something else", "name of an archive"),
            ("model.onnx", b"\x08\x07\x12\x07", "ONNX"),
            ("checkpoint_best.pt", b"PK\x03\x04....", "fairseq"),
            ("model.npz", b"<!DOCTYPE html><html>", "web page"),
            ("model.bin", b"something else", "neither an .npz archive nor a .bin of Marian"),
        ] {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            let refused = ModelFiles::find(&path).unwrap_err().to_string();
            assert!(refused.contains(part), "{name}: {refused}");
        }
    }
}
