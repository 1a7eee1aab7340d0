//! The format of a text to translate: the option names it, or else the extension of the file. Files of other kinds are
//! refused by their extension and by their first bytes.

use crate::Usage;
use anyhow::{Result, anyhow};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use metaphrase::{FileFormat, TextEncoding, TextFormat};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::LazyLock;

/// A format of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A line of text.
    Plain,
    /// A line of text, and after tabs words or phrases that its translation must contain.
    Tsv,
    /// A JSON object on each line.
    Json,
    /// A text, a web page or an XML document.
    Text(TextFormat),
    /// A file whose extension names its format.
    NamedFile,
    /// A file.
    File(FileFormat),
}

/// The formats that are no formats of files.
const LINES_AND_TEXTS: [Format; 7] = [
    Format::Plain,
    Format::Tsv,
    Format::Json,
    Format::Text(TextFormat::Text),
    Format::Text(TextFormat::Html),
    Format::Text(TextFormat::Xml),
    Format::NamedFile,
];

/// All formats: those above, and the formats of files that are not among them.
static ALL: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let texts = [FileFormat::Text, FileFormat::Html, FileFormat::Xml];
    let files = FileFormat::ALL.iter().filter(|format| !texts.contains(format)).map(|&format| Format::File(format));
    LINES_AND_TEXTS.into_iter().chain(files).collect()
});

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Plain => "A line of text",
            Self::Tsv => "A line of text, and after tabs words or phrases that its translation must contain",
            Self::Json => "A JSON object on each line, see below",
            Self::Text(TextFormat::Html) => FileFormat::Html.summary(),
            Self::Text(TextFormat::Xml) => FileFormat::Xml.summary(),
            Self::Text(_) => "A text: like plain with --split",
            Self::NamedFile => "A file whose extension names its format",
            Self::File(format) => format.summary(),
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

impl Format {
    /// The format of an input that no option names: the one of its extension, if that is known, otherwise lines.
    ///
    /// # Errors
    /// The extension is that of a format that cannot be read.
    pub fn from_name(input: Option<&Path>) -> Result<Self> {
        let Some(input) = input else { return Ok(Self::Plain) };
        let Some(extension) = extension(input) else { return Ok(Self::Plain) };
        if let Some((_, what)) = OTHER_EXTENSIONS.iter().find(|(extensions, _)| extensions.contains(&&*extension)) {
            return Err(Usage::error(refusal(&input.display().to_string(), what)));
        }
        let format = match FileFormat::from_extension(&extension) {
            None | Some(FileFormat::Text) => return Ok(Self::Plain),
            Some(FileFormat::Html) => Self::Text(TextFormat::Html),
            Some(format) => Self::File(format),
        };
        tracing::info!("{} is read as {}, as its name ends", input.display(), format.name());
        Ok(format)
    }

    /// The format that the extension of a file names.
    ///
    /// # Errors
    /// If it names none.
    pub fn file_format(input: Option<&Path>) -> Result<FileFormat> {
        FileFormat::from_extension(&input.and_then(extension).unwrap_or_default()).ok_or_else(|| {
            let known = known();
            Usage::error(format!(
                "the extension of the input is that of no known format; name one of {known} with --input-format"
            ))
        })
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Tsv => "tsv",
            Self::Json => "json",
            Self::Text(TextFormat::Html) => "html",
            Self::Text(TextFormat::Xml) => "xml",
            Self::Text(_) => "text",
            Self::NamedFile => "file",
            // Names that lines have.
            Self::File(FileFormat::Json) => "json-file",
            Self::File(FileFormat::Tsv) => "tsv-file",
            Self::File(format) => format.name(),
        }
    }
}

/// The extension of a file in lower case; for a compressed file that of the name without `.gz`.
fn extension(input: &Path) -> Option<String> {
    let lowercase = |extension: &OsStr| extension.to_string_lossy().to_lowercase();
    match lowercase(input.extension()?).as_str() {
        "gz" => Path::new(input.file_stem()?).extension().map(lowercase),
        other => Some(other.to_owned()),
    }
}

/// The names of the formats of files.
fn known() -> String {
    FileFormat::ALL.iter().map(|&format| Format::File(format).name()).collect::<Vec<_>>().join(", ")
}

/// The extensions of files that are no text, with their kinds.
const OTHER_EXTENSIONS: &[(&[&str], &str)] = &[
    (&["doc", "ppt"], OLD_OFFICE),
    (&["xls"], "a spreadsheet"),
    (&["rtf"], RTF),
    (&["tex", "latex"], LATEX),
    (&["png", "jpg", "jpeg", "gif", "webp", "tif", "tiff", "bmp", "heic"], PICTURE),
    (&["mp3", "wav", "ogg", "flac", "mp4", "mkv", "avi", "mov", "webm"], "a recording"),
    (&["zip", "tar", "tgz", "7z", "rar"], ARCHIVE),
    (&["bz2", "xz", "zst"], COMPRESSED),
    // Not `so`: that is the code of Somali, and texts are often named by the codes of their languages.
    (&["exe", "dll"], PROGRAM),
];

/// The first bytes of files that are no text, with their kinds. None contains a line break.
const OTHER_STARTS: &[(&[u8], &str)] = &[
    (b"\xd0\xcf\x11\xe0", OLD_OFFICE),
    (b"{\\rtf", RTF),
    (b"\x89PNG", PICTURE),
    (b"\xff\xd8\xff", PICTURE),
    (b"GIF8", PICTURE),
    (b"7z\xbc\xaf", ARCHIVE),
    (b"Rar!\x1a", ARCHIVE),
    (b"\x1f\x8b", COMPRESSED),
    (b"\xfd7zXZ", COMPRESSED),
    (b"\x28\xb5\x2f\xfd", COMPRESSED),
    (b"\x7fELF", PROGRAM),
];

const OLD_OFFICE: &str = "an Office document from before 2007";
const RTF: &str = "an RTF document";
const LATEX: &str = "a LaTeX document";
const PICTURE: &str = "a picture";
const ARCHIVE: &str = "an archive";
const COMPRESSED: &str = "a compressed file";
const PROGRAM: &str = "a program";
const UTF_16: &str = "a UTF-16 text";

/// The first bytes of a ZIP archive, and of a PDF document.
const ZIP: &[u8] = b"PK\x03\x04";
const PDF: &[u8] = b"%PDF-";

/// Refuses an input that begins like a file of another kind; `start` is its first line, or all of it.
///
/// # Errors
/// One sentence that names the option to add.
pub fn check_text(name: &str, start: &[u8]) -> Result<()> {
    if start.starts_with(ZIP) {
        return Err(anyhow!(
            "{name} is an archive, like docx, pptx, xlsx, odt, ods, odp and epub files; name its format with --input-format, \
             or add --input-format plain to read its bytes as lines"
        ));
    }
    if start.starts_with(PDF) {
        return Err(anyhow!(
            "{name} is a PDF document; add --input-format pdf to translate its text, or add --input-format plain to read \
             its bytes as lines"
        ));
    }
    let other = OTHER_STARTS.iter().find(|(bytes, _)| start.starts_with(bytes)).map(|(_, what)| *what);
    match other.or(TextEncoding::is_utf_16(start).then_some(UTF_16)) {
        Some(what) => Err(anyhow!(refusal(name, what))),
        None => Ok(()),
    }
}

fn refusal(name: &str, what: &str) -> String {
    let advice = match what {
        RTF | OLD_OFFICE => "save it as docx, pptx or xlsx".to_owned(),
        LATEX => "convert it to docx, html or md, for example with pandoc".to_owned(),
        UTF_16 => "convert it to UTF-8".to_owned(),
        COMPRESSED => "unpack it first, or give a gzip file a name in .gz".to_owned(),
        _ => format!("convert it to one of {}", known()),
    };
    format!(
        "{name} is {what}, which cannot be translated; {advice}, or add --input-format plain to read its bytes as lines"
    )
}
