//! Texts that are translated as a whole: their sentences are found, and put together again.

use crate::Usage;
use crate::input_format::check_text;
use crate::io::{Input, Output};
use anyhow::{Context, Result};
use clap::ValueEnum;
use metaphrase::{FileFormat, TextFormat, TextOptions, TranslateOptions, Translator};
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
            None => Ok(()),
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
