//! From any format to our own model directory.

use crate::files::{ModelFiles, ShortlistFile, Vocabularies, VocabularyFiles, unpacked_name};
use crate::formats::directory::{self, Manifest, ShortlistSettings, Side, StoredPrecision};
use crate::{Config, ModelError, Precision, Weights};
use metaphrase_base::{Checksums, NewFolder, read_unpacked};
use std::collections::BTreeSet;
use std::path::Path;

/// Writes the model at `from`, of any known format, as a model directory at `to`, vocabularies and shortlist included.
///
/// The directory is written atomically: it is written under another name next to `to`, and
/// renamed when everything is on disk.
///
/// # Errors
/// If the model can not be read, if its tensors do not fit its settings, if something other than an empty directory is
/// at `to`, or if it can not be written.
pub fn convert(from: &Path, to: &Path, precision: StoredPrecision) -> Result<(), ModelError> {
    convert_prepared(from, to, precision, &|_, _| None)
}

/// What prepares the pieces of a vocabulary: from its files and their checksums to the bytes of a file that is read
/// faster. `None` for a vocabulary that needs none.
pub type PreparePieces<'p> = &'p dyn Fn(&VocabularyFiles, &[u64]) -> Option<Vec<u8>>;

/// As [`convert`], with prepared pieces of the vocabularies.
///
/// # Errors
/// As [`convert`].
pub fn convert_prepared(
    from: &Path,
    to: &Path,
    precision: StoredPrecision,
    prepare: PreparePieces<'_>,
) -> Result<(), ModelError> {
    let files = ModelFiles::find(from)?;
    let (model, weights) = files.load()?;
    let vocabularies = files.vocabularies()?;
    check_free(to)?;
    let (config, weights, vocabularies, shortlist) = (&model, &weights, &vocabularies, files.shortlist);
    let parts = Parts { config, weights, vocabularies, shortlist, prepare };
    write(&parts, to, precision)
}

/// What a model directory is made of.
struct Parts<'a> {
    config: &'a Config,
    weights: &'a Weights,
    vocabularies: &'a Vocabularies,
    shortlist: Option<ShortlistFile>,
    prepare: PreparePieces<'a>,
}

/// Writes a model directory at `to`, as [`convert`] does, of a model in memory and the files of its vocabularies.
///
/// # Errors
/// If the settings make no sense, if a tensor that they call for is missing or of another shape, if something other
/// than an empty directory is at `to`, or if the directory can not be written.
pub fn save(
    config: &Config,
    weights: &Weights,
    vocabularies: &Vocabularies,
    to: &Path,
    precision: StoredPrecision,
) -> Result<(), ModelError> {
    check_free(to)?;
    replace(config, weights, vocabularies, to, precision)
}

/// Checks that a model can be saved at `to`: for programs that compute for long before they do.
///
/// # Errors
/// If there is something already.
pub fn check_free(to: &Path) -> Result<(), ModelError> {
    let free = std::fs::read_dir(to).map_or(!to.exists(), |mut entries| entries.next().is_none());
    if free { Ok(()) } else { Err(ModelError::settings(to, "it exists already; remove it or name another directory")) }
}

/// As [`save`], in place of the model directory at `to`, if there is one. Files of somebody else in that directory stay
/// in it.
///
/// # Errors
/// As [`save`]; a directory with files that is not a model directory of ours is refused.
pub fn replace(
    config: &Config,
    weights: &Weights,
    vocabularies: &Vocabularies,
    to: &Path,
    precision: StoredPrecision,
) -> Result<(), ModelError> {
    write(&Parts { config, weights, vocabularies, shortlist: None, prepare: &|_, _| None }, to, precision)
}

/// Writes a model directory, in place of one of ours.
fn write(parts: &Parts<'_>, to: &Path, precision: StoredPrecision) -> Result<(), ModelError> {
    let Parts { config, weights, vocabularies, shortlist, prepare } = parts;
    config.check(weights.path())?;
    for (name, shape) in weights.expected(config) {
        weights.checked(&name, shape)?;
    }
    let old = own_files(to)?;
    let folder = NewFolder::create(to).map_err(|e| ModelError::io(to, "create", e))?;
    let fill = || {
        let source = copy_side(&vocabularies.source, folder.part(), "source")?;
        let target = if vocabularies.target == vocabularies.source {
            source.clone()
        } else {
            copy_side(&vocabularies.target, folder.part(), "target")?
        };
        let sides = [(&vocabularies.source, &source), (&vocabularies.target, &target)];
        let prepared = write_prepared(&sides, folder.part(), prepare)?;
        let (source, target) = (Some(source), Some(target));
        let shortlist = shortlist.as_ref().map(|shortlist| copy_shortlist(shortlist, folder.part())).transpose()?;
        let mut model = Config::clone(config);
        if precision == StoredPrecision::Int8 {
            model.decoding.precision.get_or_insert(Precision::Int8);
        }
        let manifest = Manifest { version: precision.version(), source, target, shortlist, model };
        directory::write(folder.part(), &manifest, weights, precision)?;
        directory::write_checksums(folder.part(), &manifest, &prepared)
    };
    fill().map_err(|error: ModelError| error.moved(folder.part(), to))?;
    folder.finish_over(&old).map_err(|e| ModelError::io(to, "create", e))
}

/// The names of the files that [`replace`] wrote into the directory at `to`; none if the directory is empty or absent.
fn own_files(to: &Path) -> Result<BTreeSet<String>, ModelError> {
    match directory::checksums(to)? {
        Some(list) => {
            let names = list.names().chain([directory::MANIFEST, Checksums::FILE]);
            Ok(names.map(str::to_owned).collect())
        }
        None => check_free(to).map(|()| BTreeSet::new()),
    }
}

/// Copies the vocabulary of one language as `{side}.spm`, or as `{side}.vocab.yml` and its `{side}.spm` or
/// `{side}.tokenizer.json`.
fn copy_side(files: &VocabularyFiles, folder: &Path, side: &str) -> Result<Side, ModelError> {
    let name = files.words.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let extension = unpacked_name(name).rsplit_once('.').map_or("txt", |(_, extension)| extension);
    let vocabulary = if extension == "spm" { format!("{side}.spm") } else { format!("{side}.vocab.{extension}") };
    copy(&files.words, &folder.join(&vocabulary))?;
    if files.has_codes() {
        let what = "a model of BPE units, whose text passes Moses' scripts,";
        return Err(ModelError::unsupported(&files.words, what, "it is translated with from its own directory"));
    }
    let segmenter = match &files.segmenter {
        Some(segmenter) => {
            let name = format!("{side}.{}", if files.has_tokenizer() { "tokenizer.json" } else { "spm" });
            copy(segmenter, &folder.join(&name))?;
            Some(name)
        }
        None => None,
    };
    Ok(Side { vocabulary, segmenter, numbering: files.numbering })
}

/// Writes the prepared pieces of the vocabularies, whose files are in the folder; answers the names.
fn write_prepared(
    sides: &[(&VocabularyFiles, &Side)],
    folder: &Path,
    prepare: PreparePieces<'_>,
) -> Result<Vec<String>, ModelError> {
    let mut names: Vec<String> = Vec::new();
    for (files, side) in sides {
        let name = directory::prepared_name(&side.vocabulary);
        if names.contains(&name) {
            continue;
        }
        let path = folder.join(&name);
        let checksums =
            Checksums::from_files(folder, side.originals()).map_err(|e| ModelError::io(&files.words, "read", e))?;
        let originals: Vec<u64> = side.originals().filter_map(|name| checksums.get(name)).collect();
        if let Some(bytes) = prepare(files, &originals) {
            std::fs::write(&path, bytes).map_err(|e| ModelError::io(&path, "write", e))?;
            names.push(name);
        }
    }
    Ok(names)
}

/// Copies a shortlist as `shortlist.bin` or `shortlist.txt`.
fn copy_shortlist(shortlist: &ShortlistFile, folder: &Path) -> Result<ShortlistSettings, ModelError> {
    let ShortlistFile { path, first, words, threshold } = shortlist;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let file = if unpacked_name(name).ends_with(".bin") { "shortlist.bin" } else { "shortlist.txt" };
    copy(path, &folder.join(file))?;
    Ok(ShortlistSettings { file: file.to_owned(), first: *first, words: *words, threshold: *threshold })
}

/// Copies the content of a file, unpacked; the copy has the permissions of a new file.
fn copy(from: &Path, to: &Path) -> Result<(), ModelError> {
    let content = read_unpacked(from).map_err(|e| ModelError::io(from, "read", e))?;
    std::fs::write(to, content).map_err(|e| ModelError::io(to, "write", e))
}
