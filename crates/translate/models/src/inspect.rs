//! A report on a model file: format, settings, tensors, and whether they fit together.

use crate::files::{ModelFiles, Vocabularies};
use crate::formats::{Format, directory};
use crate::stored::elements;
use crate::{Config, Encoding, ModelError, Weights};
use metaphrase_settings::to_toml;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

/// The findings of [`inspect`]. A report prints as text for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The file or directory with the tensors.
    pub model: PathBuf,
    /// Its format.
    pub format: Format,
    /// Its settings.
    pub config: Config,
    /// Its tensors, under their canonical names, in alphabetical order.
    pub tensors: Vec<TensorReport>,
    /// The vocabularies, or why there are none.
    pub vocabularies: Result<Vocabularies, String>,
    /// The number of files with a checksum, which all agree; `None` if the model has no checksums.
    pub checksums: Option<usize>,
    /// The number of tensors that are scales of activations in 8 bits, which Firefox' models have. They are not
    /// needed: scales
    /// are computed from the activations.
    pub activation_scales: usize,
    /// One sentence for each thing that does not fit.
    pub problems: Vec<String>,
}

/// A tensor of a [`Report`].
#[derive(Debug, Clone, PartialEq)]
pub struct TensorReport {
    /// The canonical name.
    pub name: String,
    /// The sizes of its dimensions.
    pub shape: Vec<usize>,
    /// How its numbers are stored.
    pub encoding: Encoding,
    /// How many bytes they take.
    pub bytes: usize,
}

/// Reads the whole model at `path`, compares its tensors with its settings, and reports on it.
///
/// # Errors
/// If the model can not be opened. The problems of a model that opens are in [`Report::problems`].
pub fn inspect(path: &Path) -> Result<Report, ModelError> {
    let files = ModelFiles::find(path)?;
    let (config, weights) = files.load()?;
    let tensors = weights.stored().map(|(name, stored)| TensorReport {
        name: name.to_owned(),
        shape: stored.shape.clone(),
        encoding: stored.encoding,
        bytes: stored.bytes.bytes().len(),
    });
    let checksums = match files.format {
        Format::Directory => directory::checksums(&files.directory)?,
        _ => None,
    };
    Ok(Report {
        checksums: checksums.map(|checksums| checksums.names().count()),
        model: files.model.clone(),
        format: files.format,
        tensors: tensors.collect(),
        activation_scales: weights.names().filter(|name| is_activation_scale(name)).count(),
        problems: problems(&config, &weights),
        vocabularies: files.vocabularies().map_err(|e| e.to_string()),
        config,
    })
}

/// Sentences about tensors that are missing, misshapen or superfluous, and about numbers that are not finite.
fn problems(config: &Config, weights: &Weights) -> Vec<String> {
    let mut problems = Vec::new();
    let mut used = BTreeSet::new();
    for (name, shape) in weights.expected(config) {
        match weights.checked(&name, shape) {
            Ok(tensor) => _ = used.insert(tensor.name().to_owned()),
            Err(problem) => problems.push(problem.to_string()),
        }
    }
    if problems.is_empty() {
        let unused = weights.names().filter(|name| !used.contains(*name) && !is_activation_scale(name));
        problems.extend(unused.map(|name| format!("tensor `{name}` is not used by the model")));
    }
    for (name, tensor) in weights.names().filter_map(|name| Some((name, weights.find(name)?))) {
        let strange = tensor.data.iter().filter(|value| !value.is_finite()).count();
        if strange > 0 {
            problems.push(format!("tensor `{name}` has {strange} numbers that are infinite or not a number"));
        }
    }
    problems
}

/// Whether a tensor is the scale of the activations that a matrix is multiplied with:
/// `encoder_l1_self_Wq_QuantMultA`, and
/// `none_QuantMultA` for products without a name.
fn is_activation_scale(name: &str) -> bool {
    name.ends_with("_QuantMultA")
}

impl Report {
    /// The number of numbers in all tensors.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.tensors.iter().filter_map(|tensor| elements(&tensor.shape)).sum()
    }

    /// The bytes of all tensors in their file.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.tensors.iter().map(|tensor| tensor.bytes).sum()
    }

    /// How many tensors have which encoding.
    fn encodings(&self) -> String {
        let mut counts = BTreeMap::new();
        for tensor in &self.tensors {
            *counts.entry(tensor.encoding.to_string()).or_insert(0) += 1;
        }
        counts.iter().map(|(encoding, count)| format!("{count} {encoding}")).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "model       {}", self.model.display())?;
        writeln!(f, "format      {}", self.format)?;
        match &self.vocabularies {
            Ok(files) => {
                writeln!(f, "source      {}", files.source.words.display())?;
                writeln!(f, "target      {}", files.target.words.display())?;
            }
            Err(reason) => writeln!(f, "vocabulary  {reason}")?,
        }
        writeln!(f, "parameters  {} in {} tensors", self.parameters(), self.tensors.len())?;
        writeln!(f, "bytes       {} ({})", self.bytes(), self.encodings())?;
        if self.activation_scales > 0 {
            writeln!(f, "scales      {} scales of activations, which are not needed", self.activation_scales)?;
        }
        match self.checksums {
            Some(files) => writeln!(f, "checksums   right for {files} files")?,
            None => writeln!(f, "checksums   none")?,
        }
        writeln!(f, "\nsettings")?;
        let settings = to_toml(&self.config).map_err(|_| fmt::Error)?;
        for line in settings.lines() {
            writeln!(f, "{}", format!("  {line}").trim_end())?;
        }
        writeln!(f, "\ntensors")?;
        let width = self.tensors.iter().map(|tensor| tensor.name.len()).max().unwrap_or(0);
        for TensorReport { name, shape, encoding, bytes } in &self.tensors {
            let shape = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
            writeln!(f, "  {name:width$}  {encoding:5}  {shape:>14}  {bytes:>10}")?;
        }
        match self.problems.len() {
            0 => writeln!(f, "\nno problems"),
            count => {
                writeln!(f, "\n{count} problem{}", if count == 1 { "" } else { "s" })?;
                self.problems.iter().try_for_each(|problem| writeln!(f, "  {problem}"))
            }
        }
    }
}
