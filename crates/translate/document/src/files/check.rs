//! Which formats leave which choice to the caller.

use crate::{Comments, Entries, Error, FileFormat, Options};

/// Whether a format has something that an option is about.
type Concerns = fn(FileFormat) -> bool;

impl Options {
    /// Refuses options that would change nothing in files of this format.
    ///
    /// # Errors
    /// [`Error::OptionWithoutEffect`] for the first of them.
    pub fn check(&self, format: FileFormat) -> Result<(), Error> {
        use FileFormat::{
            Csv, Docx, Epub, Html, Odp, Ods, Odt, Pdf, Po, Pptx, Srt, Tmx, Ts, Tsv, Vtt, Xcstrings, Xliff, Xlsx, Xml,
        };
        let default = Self::default();
        let options: [(&'static str, bool, Concerns); 7] = [
            ("encoding", self.encoding.is_some(), |format| !format.is_archive() && format != Pdf),
            ("subtitle_width", self.subtitle_width != default.subtitle_width, |format| matches!(format, Srt | Vtt)),
            ("comments", self.comments == Comments::Translate, |format| {
                matches!(format, Docx | Pptx | Odt | Ods | Odp)
            }),
            ("keep_elements", !self.copied.is_empty(), |format| matches!(format, Html | Xml | Xliff | Epub)),
            ("entries", self.files.entries == Entries::All, |format| {
                matches!(format, Po | Xliff | Tmx | Ts | Xcstrings | Csv | Tsv)
            }),
            ("columns", !self.files.columns.is_empty(), |format| matches!(format, Csv | Tsv)),
            ("sheet_names", self.files.sheet_names, |format| format == Xlsx),
        ];
        match options.into_iter().find(|(_, given, concerns)| *given && !concerns(format)) {
            None => Ok(()),
            Some((option, _, concerns)) => {
                let others: Vec<&str> =
                    FileFormat::ALL.iter().filter(|format| concerns(**format)).map(|format| format.name()).collect();
                Err(Error::OptionWithoutEffect { option, format: format.name(), others: others.join(", ") })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileOptions;

    #[test]
    fn options_without_effect_are_refused() {
        let refused = |options: Options, format| options.check(format).map_err(|error| error.to_string());
        let files = |files| Options { files, ..Options::default() };
        let columns = files(FileOptions { columns: vec!["en".into()], ..FileOptions::default() });
        assert_eq!(refused(columns.clone(), FileFormat::Tsv), Ok(()));
        assert_eq!(
            refused(columns, FileFormat::Docx),
            Err("the option columns changes nothing in a file of format docx; it is for csv, tsv".into())
        );
        let all = files(FileOptions { entries: Entries::All, ..FileOptions::default() });
        assert_eq!(refused(all.clone(), FileFormat::Po), Ok(()));
        for (options, format) in [
            (all, FileFormat::Json),
            (files(FileOptions { sheet_names: true, ..FileOptions::default() }), FileFormat::Csv),
            (Options { encoding: Some(crate::TextEncoding::default()), ..Options::default() }, FileFormat::Epub),
            (Options { subtitle_width: 30, ..Options::default() }, FileFormat::Json),
            (Options { comments: Comments::Translate, ..Options::default() }, FileFormat::Markdown),
            (Options { copied: vec!["var".into()], ..Options::default() }, FileFormat::Srt),
        ] {
            assert!(refused(options, format).is_err(), "{format:?}");
        }
    }
}
