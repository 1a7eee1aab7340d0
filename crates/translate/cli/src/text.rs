//! Texts and files that are translated as a whole: they are split into sentences and put together again.

use crate::Usage;
use crate::input_format::check_text;
use crate::io::{Input, Output};
use anyhow::{Context, Result};
use clap::ValueEnum;
use metaphrase::{FileFormat, TextFormat, TextOptions, TranslateOptions, Translator};
use std::io::{Read, Write};
use std::path::Path;

/// Options of texts that are translated as a whole.
#[derive(clap::Args)]
#[command(next_help_heading = "Text")]
pub struct TextArgs {
    /// Split the text into sentences and keep all white space; without this option each line is a sentence. With
    /// `wrapped` the end of a line does not end a sentence; an empty line does
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, default_missing_value = "sentences")]
    pub split: Option<Split>,
    /// The code of the text's language, whose abbreviations do not end a sentence [default: the model's source
    /// language]
    #[arg(long, value_name = "CODE")]
    pub language: Option<String>,
    /// Keep numbers in digits as they are, as placeholders (`%1$s`, `{name}`) and addresses are kept; with --split or
    /// markup
    #[arg(long)]
    pub keep_numbers: bool,
    /// Elements of markup whose content is not translated, in addition to `code`, `kbd` and similar ones
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub keep_elements: Vec<String>,
}

/// The marks that end a sentence.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Split {
    /// Punctuation and the end of a line
    Sentences,
    /// Punctuation and empty lines
    Wrapped,
    /// Only the end of a line; in markup the end of a paragraph
    Lines,
}

impl TextArgs {
    /// The options for a text of this format.
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
        options
    }

    /// Refuses options that have an effect on whole texts only.
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
            None => Ok(()),
        }
    }
}

/// The format of an input that is translated as a whole.
#[derive(Clone, Copy)]
pub enum WholeFormat {
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
    format: WholeFormat,
    mut input: Input,
    output: Option<&Path>,
) -> Result<()> {
    let mut bytes = Vec::new();
    input.reader.read_to_end(&mut bytes).with_context(|| format!("cannot read {}", input.name))?;
    let translated = match format {
        WholeFormat::Text(format) => {
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
        WholeFormat::File(format) => {
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
