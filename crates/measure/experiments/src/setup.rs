//! Models, text, and the measuring of a run.

use crate::pictures::{self, Picture};
use anyhow::{Context, Result};
use flate2::read::MultiGzDecoder;
use metaphrase::{Counts, Package, Request, TranslateOptions, Translation, Translator};
use metaphrase_metrics::{Bleu, BleuOptions, Metric, References};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The inputs and outputs of an experiment.
#[derive(clap::Args)]
pub struct Setup {
    /// Model directory [default: the bundled model, but en-de-tatoeba of the shared models where its parts are timed]
    #[arg(long, global = true, value_name = "DIR")]
    pub model: Option<PathBuf>,
    /// The same for a second, self-normalised model (the figures of Zhang et al.)
    #[arg(long, global = true, value_name = "DIR")]
    pub self_normalised: Option<PathBuf>,
    /// Text to translate; .gz is decompressed [default: newstest2014 for the experiments of Post and Vilar, else
    /// tatoeba-de-en/test.en.gz, in the data]
    #[arg(long, global = true, value_name = "FILE")]
    source: Option<PathBuf>,
    /// Its reference translation [default: that of the source]
    #[arg(long, global = true, value_name = "FILE")]
    reference: Option<PathBuf>,
    /// Number of lines that are translated
    #[arg(long, global = true, value_name = "N", default_value_t = 500)]
    pub lines: usize,
    /// Folder of the data [default: the folder `data` of the shared folder, which METAPHRASE_SHARED names; else
    /// ../shared]
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Most source pieces of sentences that share steps; 1: one sentence at a time
    #[arg(long, global = true, value_name = "N", default_value_t = 256)]
    pub batch_tokens: usize,
    /// Threads of the experiments of Post and Vilar and of lists of terms; a time is the CPU seconds of all of them
    #[arg(long, global = true, value_name = "N", default_value_t = 1)]
    pub threads: usize,
    /// Where results are written
    #[arg(long, global = true, value_name = "DIR", default_value = "docs/results")]
    out: PathBuf,
    /// Added to the names of the files written
    #[arg(long, global = true, value_name = "NAME", default_value = "", allow_hyphen_values = true)]
    name: String,
}

/// Sentences and their translations.
pub struct Text {
    pub source: Vec<String>,
    pub reference: Vec<String>,
}

impl Text {
    /// The first lines of a text and of its reference translation.
    pub fn read(source: &Path, reference: &Path, lines: usize) -> Result<Self> {
        let (mut source, mut reference) = (read_lines(source)?, read_lines(reference)?);
        source.truncate(lines);
        reference.truncate(lines);
        Ok(Self { source, reference })
    }

    /// A request for each sentence.
    pub fn requests(&self) -> Vec<Request> {
        self.source.iter().map(Request::translate).collect()
    }
}

impl Setup {
    /// The model directory; by default that of a shared model.
    pub fn model_directory(&self) -> PathBuf {
        self.model.clone().unwrap_or_else(|| shared().join("models/en-de-tatoeba"))
    }

    /// The lines of the text that are translated, by default of Tatoeba.
    pub fn text(&self) -> Result<Text> {
        self.text_or("tatoeba-de-en/test.en.gz", "tatoeba-de-en/test.de.gz")
    }

    /// The lines of the text that are translated, by default of these files: of the data, unless their paths are whole.
    pub fn text_or(&self, source: impl AsRef<Path>, reference: impl AsRef<Path>) -> Result<Text> {
        let source = self.source.clone().unwrap_or_else(|| self.data(source));
        let reference = self.reference.clone().unwrap_or_else(|| self.data(reference));
        Text::read(&source, &reference, self.lines)
    }

    /// A file of the data.
    pub fn data(&self, name: impl AsRef<Path>) -> PathBuf {
        self.data.clone().unwrap_or_else(|| shared().join("data")).join(name)
    }

    /// The model.
    pub fn translator(&self) -> Result<Translator> {
        self.load(self.model.as_deref(), false)
    }

    /// The model of a directory, by default the bundled one; raw scores are those of the output layer alone.
    pub fn load(&self, path: Option<&Path>, raw: bool) -> Result<Translator> {
        let package = path.map_or_else(|| Ok(Package::bundled()), Package::find)?;
        let builder = Translator::builder().package(package.with_raw_scores(raw));
        Ok(builder.threads(self.threads).batch_tokens(self.batch_tokens).build()?)
    }

    /// Where results are written.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// The file of an experiment whose name ends with `end`.
    pub fn path(&self, name: &str, end: &str) -> PathBuf {
        self.out.join(format!("{name}{}{end}", self.name))
    }

    /// Writes results as JSON, and their pictures.
    pub fn write(&self, name: &str, results: &impl Serialize) -> Result<()> {
        std::fs::create_dir_all(&self.out)?;
        std::fs::write(self.path(name, ".json"), serde_json::to_string_pretty(results)? + "\n")?;
        self.draw(name, &pictures::draw(name, &serde_json::to_value(results)?))
    }

    /// Writes pictures, each with the end of its file's name.
    pub fn draw(&self, name: &str, pictures: &[(&str, Picture)]) -> Result<()> {
        for (end, picture) in pictures {
            std::fs::write(self.path(name, &format!("{end}.svg")), picture.svg())?;
        }
        Ok(())
    }
}

/// The folder of shared models and data, as the tests find it.
pub fn shared() -> PathBuf {
    std::env::var_os("METAPHRASE_SHARED").map_or_else(|| "../shared".into(), PathBuf::from)
}

/// The lines of a file.
pub fn read_lines(path: &Path) -> Result<Vec<String>> {
    let file = File::open(path).with_context(|| {
        format!("cannot read {}: run in the repository, or name the shared folder by METAPHRASE_SHARED", path.display())
    })?;
    let mut text = String::new();
    if path.extension().is_some_and(|extension| extension == "gz") {
        MultiGzDecoder::new(file).read_to_string(&mut text)?;
    } else {
        std::io::BufReader::new(file).read_to_string(&mut text)?;
    }
    Ok(text.lines().map(str::to_owned).collect())
}

/// The translations of a run and their cost.
pub struct MeasuredRun {
    pub translations: Vec<Translation>,
    /// CPU seconds of the whole process.
    pub seconds: f64,
}

impl MeasuredRun {
    pub fn counts(&self) -> Counts {
        self.translations.iter().fold(Counts::default(), |mut sum, translation| {
            sum += translation.counts;
            sum
        })
    }

    /// Written words.
    pub fn words(&self) -> usize {
        self.translations.iter().map(|translation| translation.text().split_whitespace().count()).sum()
    }

    /// Target pieces, ends of sentence included.
    pub fn pieces(&self) -> usize {
        self.translations.iter().flat_map(|t| t.hypotheses.first()).map(|best| best.piece_log_probs.len()).sum()
    }

    /// The log-probability of the best translations, summed.
    pub fn log_prob(&self) -> f64 {
        self.translations.iter().flat_map(|t| t.hypotheses.first()).map(|best| f64::from(best.log_prob)).sum()
    }

    pub fn bleu(&self, reference: &[String]) -> Result<f64> {
        bleu(BleuOptions::default(), self.translations.iter().map(Translation::text), reference)
    }
}

/// Translates and measures.
pub fn measure(translator: &Translator, options: &TranslateOptions, requests: Vec<Request>) -> Result<MeasuredRun> {
    let begun = cpu_seconds();
    let translations = translator.run(options, requests)?;
    Ok(MeasuredRun { translations, seconds: cpu_seconds() - begun })
}

/// CPU seconds that this process has used.
pub fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// BLEU of these options.
pub fn bleu<'a>(options: BleuOptions, lines: impl Iterator<Item = &'a str>, reference: &[String]) -> Result<f64> {
    let lines: Vec<&str> = lines.map(str::trim_end).collect();
    let reference: Vec<&str> = reference.iter().map(|line| line.trim_end()).collect();
    Ok(Bleu::new(options)?.corpus_score(&lines, &References::new(&[reference])?)?.value)
}

/// A value rounded to this number of decimals, for tables.
pub fn round(value: f64, digits: i32) -> f64 {
    let unit = 10f64.powi(digits);
    (value * unit).round() / unit
}
