//! Texts that are translated as a whole: their sentences are found, and put together again.

use crate::Usage;
use crate::input_format::check_text;
use crate::io::{Input, Output};
use anyhow::{Context, Result};
use clap::ValueEnum;
use metaphrase::{Entries, FileFormat, FileOptions, TextFormat, TextOptions, TranslateOptions, Translator};
use std::io::{Read, Write};
use std::path::Path;

/// Options of texts that are more than lines.
#[derive(clap::Args)]
#[command(next_help_heading = "Text")]
pub struct TextArgs {
    /// Find the sentences of a text and keep all white space; lines alone are sentences without it. `wrapped`: the end of a line
    /// ends no sentence, an empty line does
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, default_missing_value = "sentences")]
    pub split: Option<Split>,
    /// The code of the text's language, whose abbreviations end no sentence [default: the model's source language]
    #[arg(long, value_name = "CODE")]
    pub language: Option<String>,
    /// Numbers in digits stay as they are, as placeholders (`%1$s`, `{name}`) and addresses do; with --split or markup
    #[arg(long)]
    pub keep_numbers: bool,
    /// Elements of markup whose content stays as it is, besides `code`, `kbd` and the like
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub keep_elements: Vec<String>,
    /// Translate all texts of a file that has translations next to its texts (ts, xcstrings, csv with two columns), not
    /// only those without a translation
    #[arg(long)]
    pub all: bool,
    /// The columns of a csv or tsv file to translate, by the names in its first line or by numbers from 1; TEXT=TRANSLATION
    /// writes the translations of one column into another one [default: all columns]
    #[arg(long, value_name = "COLUMN", num_args = 1..)]
    pub columns: Vec<String>,
    /// Translate the names of an xlsx file's sheets, too, but not of those to which formulas refer
    #[arg(long)]
    pub sheet_names: bool,
}

/// What ends a sentence.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Split {
    /// Punctuation and the end of a line
    Sentences,
    /// Punctuation and empty lines
    Wrapped,
    /// The end of a line alone; in markup the end of a paragraph
    Lines,
}

impl TextArgs {
    /// How a text of this form is read.
    pub fn options(&self, format: TextFormat, translator: &Translator) -> TextOptions {
        let language = self.language.clone().or_else(|| translator.languages().map(|[source, _]| source.clone()));
        let split = match self.split {
            None | Some(Split::Sentences) => metaphrase::Split::Sentences,
            Some(Split::Wrapped) => metaphrase::Split::Wrapped,
            Some(Split::Lines) => metaphrase::Split::Lines,
        };
        let mut options =
            TextOptions { format, split, language: language.unwrap_or_default(), ..TextOptions::default() };
        options.keep.numbers = self.keep_numbers;
        options.copied.clone_from(&self.keep_elements);
        options.files = FileOptions {
            entries: if self.all { Entries::All } else { Entries::Untranslated },
            columns: self.columns.clone(),
            sheet_names: self.sheet_names,
            target_language: translator.languages().map(|[_, target]| target.clone()).unwrap_or_default(),
        };
        options
    }

    /// Refuses options of texts for lines.
    pub fn check_lines(&self) -> Result<()> {
        let given = [
            ("--language", self.language.is_some()),
            ("--keep-numbers", self.keep_numbers),
            ("--keep-elements", !self.keep_elements.is_empty()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((name, _)) => {
                Err(Usage::error(format!("{name} is for texts; add --split, or --input-format text, html or xml")))
            }
            None => self.check_other_than_files(),
        }
    }

    /// Refuses options of files for other inputs.
    pub fn check_other_than_files(&self) -> Result<()> {
        let given = [("--all", self.all), ("--columns", !self.columns.is_empty()), ("--sheet-names", self.sheet_names)];
        match given.iter().find(|(_, given)| *given) {
            Some((name, _)) => Err(Usage::error(format!(
                "{name} is for files; add --input-format file, or the name of the input's format"
            ))),
            None => Ok(()),
        }
    }

    /// Refuses an output whose name is that of a format which the translation does not have.
    pub fn check_output(format: FileFormat, output: Option<&Path>) -> Result<()> {
        let end = output.and_then(Path::extension).map(|end| end.to_string_lossy().to_lowercase());
        match format.translated_extension() {
            Some(text) if end.is_some_and(|end| format.extensions().contains(&end.as_str())) => {
                Err(Usage::error(format!(
                    "the translation of a {} file is a text alone; give the output a name in .{text}",
                    format.name()
                )))
            }
            _ => Ok(()),
        }
    }
}

/// An input that is translated as a whole.
#[derive(Clone, Copy)]
pub enum Whole {
    /// A text.
    Text(TextFormat),
    /// A file.
    File(FileFormat),
}

/// Translates the whole input.
pub fn run(
    translator: &Translator,
    options: &TranslateOptions,
    args: &TextArgs,
    whole: Whole,
    mut input: Input,
    output: Option<&Path>,
) -> Result<()> {
    let mut bytes = Vec::new();
    input.reader.read_to_end(&mut bytes).with_context(|| format!("cannot read {}", input.name))?;
    let translated = match whole {
        Whole::Text(format) => {
            check_text(&input.name, &bytes)?;
            let source = String::from_utf8(bytes).unwrap_or_else(|error| {
                let at = error.utf8_error().valid_up_to() + 1;
                let name = &input.name;
                tracing::warn!("{name}: not valid UTF-8 from byte {at} on; each invalid sequence is read as U+FFFD");
                String::from_utf8_lossy(error.as_bytes()).into_owned()
            });
            let text = args.options(format, translator);
            translator.translate_text(options, &text, source)
        }
        Whole::File(format) => {
            let text = args.options(TextFormat::Text, translator);
            translator.translate_file(options, &text, bytes, format)
        }
    };
    let translated = translated.with_context(|| input.name.clone())?;
    for note in translated.notes {
        tracing::warn!("{}, {note}", input.name);
    }
    let mut output = Output::create(output)?;
    output.write_all(&translated.bytes).with_context(|| output.cannot_write())?;
    output.finish()
}
