//! Directories of CTranslate2, which these tests write: a tiny Marian model (`testdata/models/transformer`) in the
//! format's versions, and what is refused. `docs/results/formats.md` compares with CTranslate2 itself.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{fixtures, word_scores};
use half::f16;
use metaphrase_base::{Row, SentId, Sentence, Step, StepDemand, StepModel, StepRow, WordId};
use metaphrase_models::config::{LanguagePlaces, Positions, TransformerConfig};
use metaphrase_models::{
    Architecture, Config, Encoding, Model, ModelFiles, Precision, StoredPrecision, Weights, convert, load,
    position_vectors,
};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A variable: its name, shape, the code of its type, and its bytes.
#[derive(Clone)]
struct Variable {
    name: String,
    shape: Vec<usize>,
    kind: u8,
    bytes: Vec<u8>,
}

const F32: u8 = 0;
const I8: u8 = 1;
const I16: u8 = 2;
const F16: u8 = 4;

fn floats(name: &str, shape: &[usize], numbers: &[f32]) -> Variable {
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    Variable { name: name.to_owned(), shape: shape.to_vec(), kind: F32, bytes }
}

fn flag(name: &str, value: i8) -> Variable {
    Variable { name: name.to_owned(), shape: Vec::new(), kind: I8, bytes: vec![value as u8] }
}

fn text(name: &str, text: &str) -> Variable {
    Variable { name: name.to_owned(), shape: vec![text.len()], kind: I8, bytes: text.as_bytes().to_vec() }
}

fn put_name(file: &mut Vec<u8>, name: &str) {
    file.extend((name.len() as u16 + 1).to_le_bytes());
    file.extend(name.as_bytes());
    file.push(0);
}

/// `model.bin` of a version of the layout, of `TransformerSpec` in a revision.
fn file(version: u32, revision: u32, variables: &[Variable], aliases: &[(&str, &str)]) -> Vec<u8> {
    let mut file = version.to_le_bytes().to_vec();
    if version >= 2 {
        put_name(&mut file, "TransformerSpec");
        file.extend(revision.to_le_bytes());
    }
    file.extend((variables.len() as u32).to_le_bytes());
    for Variable { name, shape, kind, bytes } in variables {
        put_name(&mut file, name);
        file.push(shape.len() as u8);
        shape.iter().for_each(|&size| file.extend((size as u32).to_le_bytes()));
        let width = match *kind {
            F32 => 4,
            I16 | F16 => 2,
            _ => 1,
        };
        match version {
            1..4 => {
                file.push(width as u8);
                file.extend(((bytes.len() / width) as u32).to_le_bytes());
            }
            _ => {
                file.push(*kind);
                file.extend((bytes.len() as u32).to_le_bytes());
            }
        }
        file.extend(bytes);
    }
    if version >= 3 {
        file.extend((aliases.len() as u32).to_le_bytes());
        for (alias, name) in aliases {
            put_name(&mut file, alias);
            put_name(&mut file, name);
        }
    }
    file
}

/// Settings and tensors of the tiny Marian model that the files hold.
fn tiny() -> (Config, Weights) {
    load(&fixtures("transformer").join("post-relu-tied-all.npz")).unwrap()
}

fn network(config: &Config) -> &TransformerConfig {
    match &config.architecture {
        Architecture::Transformer(network) => network,
        Architecture::Recurrent(_) => panic!("a Transformer"),
    }
}

/// The variables of the tiny model, without settings.
fn tensors(config: &Config, weights: &Weights) -> Vec<Variable> {
    let (network, mut out) = (network(config), Vec::new());
    let dim = network.dim_emb;
    let get = |name: &str| weights.tensor(name).unwrap();
    let vector = |name: String, ours: &str| {
        let tensor = get(ours);
        floats(&name, &[tensor.data.len()], &tensor.data)
    };
    // Matrices of several maps are one, `outputs × inputs`.
    let map = |scope: String, ours: &str, suffixes: &[&str]| {
        let (mut rows, mut numbers, mut bias) = (0, Vec::new(), Vec::new());
        for suffix in suffixes {
            let tensor = get(&format!("{ours}_W{suffix}"));
            let [inputs, outputs] = tensor.shape[..] else { panic!("a matrix") };
            rows += outputs;
            numbers.extend((0..outputs * inputs).map(|at| tensor.data[at % inputs * outputs + at / inputs]));
            bias.extend_from_slice(&get(&format!("{ours}_b{suffix}")).data);
        }
        let cols = numbers.len() / rows;
        [floats(&format!("{scope}/weight"), &[rows, cols], &numbers), floats(&format!("{scope}/bias"), &[rows], &bias)]
    };
    for (side, depth) in [("encoder", network.encoder_depth), ("decoder", network.decoder_depth)] {
        for i in 0..depth {
            let (theirs, ours) = (format!("{side}/layer_{i}"), format!("{side}_l{}", i + 1));
            let mut blocks = vec![
                ("self_attention", format!("{ours}_self"), vec![vec!["q", "k", "v"], vec!["o"]]),
                ("ffn", format!("{ours}_ffn"), vec![vec!["1"], vec!["2"]]),
            ];
            if side == "decoder" {
                blocks.push(("attention", format!("{ours}_context"), vec![vec!["q"], vec!["k", "v"], vec!["o"]]));
            }
            for (scope, ours, maps) in blocks {
                for (k, suffixes) in maps.iter().enumerate() {
                    out.extend(map(format!("{theirs}/{scope}/linear_{k}"), &ours, suffixes));
                }
                let norm = if scope == "ffn" { format!("{ours}_ffn_ln") } else { format!("{ours}_Wo_ln") };
                out.push(vector(format!("{theirs}/{scope}/layer_norm/gamma"), &format!("{norm}_scale")));
                out.push(vector(format!("{theirs}/{scope}/layer_norm/beta"), &format!("{norm}_bias")));
            }
        }
    }
    out.push(floats("decoder/embeddings/weight", &[config.target_words, dim], &get("Wemb").data));
    out.push(vector("decoder/projection/bias".to_owned(), "decoder_ff_logit_out_b"));
    let positions = position_vectors(Positions::SinusoidalMarian, dim, 64).unwrap();
    out.push(floats("decoder/position_encodings/encodings", &[64, dim], positions.as_slice()));
    out
}

const ALIASES: [(&str, &str); 3] = [
    ("decoder/projection/weight", "decoder/embeddings/weight"),
    ("encoder/embeddings_0/weight", "decoder/embeddings/weight"),
    ("encoder/position_encodings/encodings", "decoder/position_encodings/encodings"),
];

/// The settings that variables of newer revisions hold.
fn settings(config: &Config) -> Vec<Variable> {
    let network = network(config);
    let heads = network.heads as i16;
    let sides = ["encoder", "decoder"].into_iter().flat_map(|side| {
        [
            Variable { kind: I16, bytes: heads.to_le_bytes().to_vec(), ..flag(&format!("{side}/num_heads"), 0) },
            flag(&format!("{side}/pre_norm"), 0),
            flag(&format!("{side}/activation"), 0),
            flag(&format!("{side}/scale_embeddings"), 1),
            flag(&format!("{side}/alibi"), 0),
        ]
    });
    sides.chain([flag("decoder/start_from_zero_embedding", 1)]).collect()
}

const JSON: &str = r#"{"add_source_bos": false, "add_source_eos": true, "bos_token": "<s>", "decoder_start_token": "<s>",
    "eos_token": "</s>", "layer_norm_epsilon": 1e-6, "unk_token": "<unk>"}"#;

/// Words of a model: in the tiny one `</s>` is 0 and `<unk>` 1.
fn words(count: usize) -> Vec<String> {
    let word = |id| match id {
        0 => "</s>".to_owned(),
        1 => "<unk>".to_owned(),
        2 => "<s>".to_owned(),
        _ => format!("w{id}"),
    };
    (0..count).map(word).collect()
}

/// A directory with this `model.bin`.
fn directory(file: &[u8], json: Option<&str>, words: &[String]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("model.bin"), file).unwrap();
    if let Some(json) = json {
        fs::write(folder.path().join("config.json"), json).unwrap();
        let list = format!("[{}]", words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", "));
        fs::write(folder.path().join("shared_vocabulary.json"), list).unwrap();
    } else {
        fs::write(folder.path().join("shared_vocabulary.txt"), words.join("\n") + "\n").unwrap();
    }
    folder
}

fn newest(config: &Config, weights: &Weights) -> Vec<Variable> {
    [tensors(config, weights), settings(config)].concat()
}

fn current(variables: &[Variable], config: &Config) -> TempDir {
    directory(&file(6, 7, variables, &ALIASES), Some(JSON), &words(config.target_words))
}

const SOURCE: [u32; 5] = [5, 9, 2, 17, 0];
const TARGET: [u32; 6] = [8, 3, 11, 4, 6, 0];

fn scores(model: &Model) -> Vec<f32> {
    word_scores(model, &SOURCE.map(WordId), &TARGET.map(WordId))
}

fn assert_near(found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len());
    let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance);
    assert!(near, "{found:?}, not {expected:?}");
}

/// The message about a directory that is refused.
fn refused(folder: &Path) -> String {
    ModelFiles::find(folder).and_then(|files| files.load().map(drop)).unwrap_err().to_string()
}

#[test]
fn a_model_has_the_scores_of_the_marian_model_that_it_was_made_from() {
    let (config, weights) = tiny();
    let expected = scores(&Model::new(config.clone(), &weights).unwrap());
    let folder = current(&newest(&config, &weights), &config);
    for path in ["", "model.bin", "config.json"] {
        let (read, tensors) = load(&folder.path().join(path)).unwrap();
        assert_eq!((read.source_words, read.end_of_sentence, &read.never[..]), (config.source_words, 0, &[1][..]));
        assert_near(&scores(&Model::new(read, &tensors).unwrap()), &expected, 0.0);
    }
    let to = folder.path().join("converted");
    convert(folder.path(), &to, StoredPrecision::F32).unwrap();
    assert_near(&scores(&Model::load(&to).unwrap()), &expected, 0.0);
    // Marian's vocabularies lack the word that the settings name, and need none.
    let list = fs::read_to_string(folder.path().join("shared_vocabulary.json")).unwrap();
    fs::write(folder.path().join("shared_vocabulary.json"), list.replace("<s>", "w2")).unwrap();
    assert_near(&scores(&Model::load(folder.path()).unwrap()), &expected, 0.0);
}

/// Older revisions have settings once for both sides; older files have no types, aliases, or `config.json`.
#[test]
fn all_versions_are_read() {
    let (config, weights) = tiny();
    let expected = scores(&Model::new(config.clone(), &weights).unwrap());
    for version in 1..=5 {
        let mut variables = tensors(&config, &weights);
        variables.push(flag("decoder/start_from_zero_embedding", 1));
        variables.extend([flag("with_source_eos", 1), text("unk_token", "<unk>"), flag("pre_norm", 0)]);
        let mut aliases = &ALIASES[..];
        if version < 3 {
            for (alias, name) in ALIASES {
                let copy = variables.iter().find(|variable| variable.name == name).unwrap().clone();
                variables.push(Variable { name: alias.to_owned(), ..copy });
            }
            aliases = &[];
        }
        if version > 1 {
            let heads = network(&config).heads as i8;
            variables.extend([flag("num_heads", heads), flag("activation", 0)]);
        } else {
            let heads = network(&config).heads as i8;
            variables.push(flag("num_heads", heads));
            for variable in &mut variables {
                variable.name = variable.name.replace("layer_norm", "LayerNorm").replace("weight", "kernel");
            }
        }
        let folder = directory(&file(version, version.min(4), &variables, aliases), None, &words(config.target_words));
        let (read, tensors) = load(folder.path()).unwrap_or_else(|error| panic!("version {version}: {error}"));
        // Layer normalisation of older files has another ε, and tables that are not tied are packed alone.
        assert_near(&scores(&Model::new(read, &tensors).unwrap()), &expected, 2e-3);
    }
}

#[test]
fn integers_and_halves_are_read() {
    let (config, weights) = tiny();
    let exact = newest(&config, &weights);
    let numbers = |variable: &Variable| -> Vec<f32> {
        variable.bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
    };
    let is_weight = |variable: &Variable| variable.name.ends_with("weight");
    for kind in [I8, I16, F16] {
        let (mut stored, mut rounded) = (Vec::new(), Vec::new());
        for variable in &exact {
            if variable.kind != F32 || (kind != F16 && !is_weight(variable)) {
                stored.push(variable.clone());
                rounded.push(variable.clone());
                continue;
            }
            let (values, cols) = (numbers(variable), *variable.shape.last().unwrap());
            let largest = |row: &[f32]| row.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
            let factors: Vec<f32> = match kind {
                I8 => values.chunks(cols).map(|row| 127.0 / largest(row)).collect(),
                I16 => vec![1024.0 / largest(&values)],
                _ => Vec::new(),
            };
            let factor = |at: usize| factors[if factors.len() == 1 { 0 } else { at / cols }];
            let integer = |at: usize, value: f32| (value * factor(at)).round();
            let numbered = || values.iter().copied().enumerate();
            let bytes = match kind {
                I8 => numbered().map(|(at, value)| integer(at, value) as i8 as u8).collect(),
                I16 => numbered().flat_map(|(at, value)| (integer(at, value) as i16).to_le_bytes()).collect(),
                _ => numbered().flat_map(|(_, value)| f16::from_f32(value).to_le_bytes()).collect(),
            };
            let values: Vec<f32> = match kind {
                F16 => numbered().map(|(_, value)| f16::from_f32(value).to_f32()).collect(),
                _ => numbered().map(|(at, value)| integer(at, value) / factor(at)).collect(),
            };
            stored.push(Variable { kind, bytes, ..variable.clone() });
            rounded.push(floats(&variable.name, &variable.shape, &values));
            if kind != F16 {
                let shape = if kind == I8 { vec![factors.len()] } else { Vec::new() };
                stored.push(floats(&format!("{}_scale", variable.name), &shape, &factors));
            }
        }
        let folder = current(&stored, &config);
        let (read, tensors) = load(folder.path()).unwrap();
        let expected = match kind {
            I8 => Some(Precision::Int8),
            I16 => Some(Precision::Int16),
            _ => None,
        };
        assert_eq!(read.decoding.precision, expected);
        let reference = scores(&Model::load(current(&rounded, &config).path()).unwrap());
        assert_near(&scores(&Model::new(read.clone(), &tensors).unwrap()), &reference, 1e-4);
        if kind == I8 {
            let integers = Model::with_precision(read, &tensors, Precision::Int8).unwrap();
            assert_near(&scores(&integers), &reference, 0.3);
            // The integers of the file go into our own directory as they are.
            let to = folder.path().join("converted");
            convert(folder.path(), &to, StoredPrecision::Int8).unwrap();
            let report = metaphrase_models::inspect(&to).unwrap();
            let table = report.tensors.iter().find(|tensor| tensor.name == "Wemb").unwrap();
            assert_eq!(table.encoding, Encoding::Panels8);
            assert_near(&scores(&Model::load(&to).unwrap()), &reference, 1e-4);
        }
    }
}

/// OpenNMT's models start from the vector of `<s>`, and read sentences without their end, here after `<s>`.
#[test]
fn starts_and_ends_are_those_of_the_settings() {
    let (config, weights) = tiny();
    let mut variables = newest(&config, &weights);
    variables.retain(|variable| variable.name != "decoder/start_from_zero_embedding");
    for (bos, eos, start, expected) in [
        (false, false, "<s>", (Some(2), None, true)),
        (true, false, "<s>", (Some(2), Some(2), true)),
        (true, true, "<s>", (Some(2), Some(2), false)),
        (false, true, "</s>", (Some(0), None, false)),
        // Requests to models of Hugging Face have the end of sentence.
        (false, false, "</s>", (Some(0), None, false)),
    ] {
        let json = JSON.replace(r#"start_token": "<s>""#, &format!(r#"start_token": "{start}""#));
        let json = json.replace(r#"bos": false"#, &format!(r#"bos": {bos}"#));
        let json = json.replace(r#"eos": true"#, &format!(r#"eos": {eos}"#));
        let folder = directory(&file(6, 7, &variables, &ALIASES), Some(&json), &words(config.target_words));
        let (read, tensors) = load(folder.path()).unwrap();
        let network = network(&read);
        assert_eq!((network.start_word, network.source_start, network.source_without_end), expected);
        let (start, without_end) = (network.source_start, network.source_without_end);
        let model = Model::new(read, &tensors).unwrap();
        let plain = {
            let mut plain = model.config().clone();
            if let Architecture::Transformer(network) = &mut plain.architecture {
                (network.source_start, network.source_without_end) = (None, false);
            }
            Model::new(plain, &tensors).unwrap()
        };
        let end = SOURCE.len() - usize::from(without_end);
        let given: Vec<WordId> = start.into_iter().chain(SOURCE[..end].iter().copied()).map(WordId).collect();
        assert_near(&scores(&model), &word_scores(&plain, &given, &TARGET.map(WordId)), 0.0);
        assert_eq!(attention(&model).len(), SOURCE.len());
    }
    let folder = directory(&file(6, 7, &variables, &ALIASES), Some(JSON), &words(config.target_words));
    for (start, about) in [("\"<x>\"", "names the word `<x>`"), ("null", "without a decoder_start_token")] {
        let json = JSON.replace("start_token\": \"<s>\"", &format!("start_token\": {start}"));
        fs::write(folder.path().join("config.json"), json).unwrap();
        let message = refused(folder.path());
        assert!(message.contains(about), "{message}");
    }
}

/// A factor of queries that is not the usual one, as in T5, goes into their map.
#[test]
fn the_factor_of_queries_goes_into_their_map() {
    let (config, weights) = tiny();
    let expected = scores(&Model::new(config.clone(), &weights).unwrap());
    let network = network(&config);
    let root = (network.dim_emb as f32 / network.heads as f32).sqrt();
    let mut variables = newest(&config, &weights);
    for variable in &mut variables {
        let is_queries = variable.name.starts_with("decoder/layer_0/attention/linear_0/");
        if is_queries {
            let numbers = variable.bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes) / root);
            variable.bytes = numbers.flat_map(|number| number.to_le_bytes()).collect();
        }
    }
    let unscaled = scores(&Model::load(current(&variables, &config).path()).unwrap());
    assert!(expected.iter().zip(&unscaled).any(|(a, b)| (a - b).abs() > 1e-4));
    variables.push(floats("decoder/layer_0/attention/queries_scale", &[], &[1.0]));
    assert_near(&scores(&Model::load(current(&variables, &config).path()).unwrap()), &expected, 1e-5);
}

/// Attention of the first word over the source.
fn attention(model: &Model) -> Vec<f32> {
    let (mut state, mut scores) = (model.new_state(), model.new_scores());
    let source = SOURCE.map(WordId);
    let sentence = Sentence { attention: true, ..Sentence::new(SentId(0), &source) };
    model.encode(&[sentence], &mut state);
    let row = StepRow { sentence: SentId(0), parent: None };
    model.step(Step::New, StepDemand::ANYTHING, &[row], &mut state, &mut scores);
    model.attention(&state, Row(0)).to_vec()
}

#[test]
fn what_is_not_implemented_is_refused_by_name() {
    let (config, weights) = tiny();
    let all = newest(&config, &weights);
    let with = |added: Variable| {
        let mut all: Vec<_> = all.iter().filter(|variable| variable.name != added.name).cloned().collect();
        all.push(added);
        refused(current(&all, &config).path())
    };
    for (added, about) in [
        (flag("decoder/alibi", 1), "the variable `decoder/alibi`"),
        (floats("encoder/layer_0/ffn/linear_0_noact/weight", &[1], &[0.5]), "linear_0_noact"),
        (flag("encoder/activation", 1), "differ in `activation`"),
        (floats("encoder/embeddings_1/weight", &[1, 1], &[0.5]), "source features"),
        (floats("decoder/scale_embeddings", &[], &[3.0]), "multiplied with"),
        (floats("encoder/layer_0/ffn/linear_1/bias", &[3], &[0.0; 3]), "linear_1/bias` is a vector of 3, expected"),
        (
            floats("decoder/layer_1/attention/linear_1/weight", &[4, 2], &[0.0; 8]),
            "linear_1/weight` is 4 × 2, expected",
        ),
        (
            Variable { kind: I8, ..floats("encoder/layer_0/ffn/linear_1/weight", &[1], &[]) },
            "linear_1/weight`: it is a vector of 1 of i8, but takes 0 bytes",
        ),
    ] {
        let message = with(added);
        assert!(message.contains(about) && message.contains("model.bin"), "{message}");
    }
    for (specification, about) in [
        ("TransformerDecoderModelSpec", "language model"),
        ("WhisperSpec", "speech"),
        ("TransformerEncoderModelSpec", "without a decoder"),
    ] {
        let mut bytes = 6_u32.to_le_bytes().to_vec();
        put_name(&mut bytes, specification);
        bytes.extend(1_u32.to_le_bytes());
        let message = refused(directory(&bytes, Some(JSON), &words(4)).path());
        assert!(message.contains(specification) && message.contains(about), "{message}");
    }
    for (json, about) in [
        (JSON.replace("\"<s>\"", "null"), "can not be read"),
        (JSON.replace("</s>", "</x>"), "the special word `</x>`"),
        (JSON.replace("{", "{\"quantization_type\": 1, "), "quantization_type"),
        (JSON.replace("{", "{\"multi_query_attention\": true, "), "multi_query_attention"),
        ("[".repeat(9999), "can not be read"),
    ] {
        let folder = directory(&file(6, 7, &all, &ALIASES), Some(&json), &words(config.target_words));
        let message = refused(folder.path());
        assert!(message.contains(about) && message.contains("config.json"), "{message}");
    }
    let newer = refused(directory(&file(7, 7, &all, &ALIASES), Some(JSON), &words(9)).path());
    assert!(newer.contains("version 7 of CTranslate2's files"), "{newer}");
}

/// A damaged file is an error or a model, never a panic, and sizes that a file states take no memory.
#[test]
fn damaged_files_are_harmless() {
    let (config, weights) = tiny();
    let bytes = file(6, 7, &newest(&config, &weights), &ALIASES);
    let folder = directory(&bytes, Some(JSON), &words(config.target_words));
    let path = folder.path().join("model.bin");
    for end in (0..bytes.len()).step_by(641).chain(bytes.len() - 40..bytes.len()) {
        fs::write(&path, &bytes[..end]).unwrap();
        let message = refused(folder.path());
        assert!(message.contains("model.bin") && !message.contains('\n'), "{end}: {message}");
    }
    for at in (0..400).chain((400..bytes.len()).step_by(331)) {
        let mut changed = bytes.clone();
        changed[at] ^= 0xff;
        fs::write(&path, &changed).unwrap();
        if let Ok((config, tensors)) = load(folder.path()) {
            _ = Model::new(config, &tensors);
        }
    }
}

#[test]
fn pieces_need_the_model_that_makes_them() {
    let (config, weights) = tiny();
    let folder = current(&newest(&config, &weights), &config);
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    let names = |files: ModelFiles| {
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        let vocabularies = files.vocabularies()?;
        let side =
            |side: metaphrase_models::VocabularyFiles| (name(&side.words), side.segmenter.map(|path| name(&path)));
        Ok::<_, metaphrase_models::ModelError>([side(vocabularies.source), side(vocabularies.target)])
    };
    let found = || names(ModelFiles::find(folder.path()).unwrap()).map_err(|error| error.to_string());
    let list = || "shared_vocabulary.json".to_owned();
    assert_eq!(found().unwrap(), [(list(), None), (list(), None)]);
    let pieces: Vec<String> = (0..config.target_words).map(|id| format!("\"\u{2581}w{id}\"")).collect();
    put("shared_vocabulary.json", format!("[{}]", pieces.join(",")).as_bytes());
    assert!(found().unwrap_err().contains("pieces of SentencePiece; copy the model"));
    put("sentencepiece.model", b"\n");
    assert_eq!(found().unwrap(), ["sentencepiece.model"; 2].map(|name| (list(), Some(name.to_owned()))));
    put("other.spm", b"\n");
    assert!(found().unwrap_err().contains("other.spm, sentencepiece.model"));
    put("source.spm", b"\n");
    put("target.spm", b"\n");
    assert_eq!(found().unwrap(), ["source.spm", "target.spm"].map(|name| (list(), Some(name.to_owned()))));
}

#[test]
fn packages_of_argos_translate_are_read() {
    let (config, weights) = tiny();
    let model = current(&newest(&config, &weights), &config);
    let package = tempfile::tempdir().unwrap();
    fs::create_dir(package.path().join("model")).unwrap();
    for name in ["model.bin", "config.json", "shared_vocabulary.json"] {
        fs::copy(model.path().join(name), package.path().join("model").join(name)).unwrap();
    }
    let put = |name: &str, text: &str| fs::write(package.path().join(name), text).unwrap();
    let metadata = r#"{"from_code": "en", "to_code": "de", "type": "translate", "target_prefix": ""}"#;
    put("metadata.json", metadata);
    put("sentencepiece.model", "\n");
    let files = ModelFiles::find(package.path()).unwrap();
    let (read, _) = files.load().unwrap();
    assert_eq!(read.languages, Some(["en".to_owned(), "de".to_owned()]));
    assert_eq!((read.decoding.beam_size, read.decoding.normalize), (Some(4), Some(0.2)));
    let segmenter = files.vocabularies().unwrap().target.segmenter.unwrap();
    assert_eq!(fs::read(segmenter).unwrap(), b"\n");
    for (from, to, about) in
        [("translate", "sbd", "does not translate"), ("\": \"\"", "\": \"__de__\"", "has no word `__de__`")]
    {
        put("metadata.json", &metadata.replace(from, to));
        assert!(refused(package.path()).contains(about));
    }
    let list = fs::read(package.path().join("model/shared_vocabulary.json")).unwrap();
    let list: Vec<String> = serde_json::from_slice(&list).unwrap();
    put("metadata.json", &metadata.replace("\": \"\"", &format!("\": {:?}", list[5])));
    let (read, _) = ModelFiles::find(package.path()).unwrap().load().unwrap();
    let named = read.language_words.unwrap();
    assert_eq!(
        (named.places, named.target.as_ref(), named.words[&list[5]]),
        (LanguagePlaces::Target, Some(&list[5]), 5)
    );
    put("metadata.json", metadata);
    fs::rename(package.path().join("sentencepiece.model"), package.path().join("bpe.model")).unwrap();
    let vocabularies = ModelFiles::find(package.path()).unwrap().vocabularies().unwrap();
    assert!(vocabularies.source.has_codes() && vocabularies.target.segmenter.unwrap().ends_with("bpe.model"));
    let to = tempfile::tempdir().unwrap();
    let error = convert(package.path(), &to.path().join("ours"), StoredPrecision::F32).unwrap_err().to_string();
    assert!(error.contains("from its own directory"), "{error}");
}
