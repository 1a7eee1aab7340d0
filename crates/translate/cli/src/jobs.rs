//! The inputs of `metaphrase translate`, and where the translation of each is written.

use crate::Usage;
use crate::input_format::Format;
use crate::io::Input;
use anyhow::{Context, Result};
use metaphrase::{FileFormat, TextFormat};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

/// An input, and the output for its translation.
#[derive(Debug)]
pub struct Job {
    pub input: JobInput,
    /// The output file; `None`: standard output.
    pub output: Option<PathBuf>,
    /// The format that a file of a folder has by its name; `Plain` for one that is copied.
    pub format: Option<Format>,
    /// Whether there are other inputs, or a folder was named.
    pub of_several: bool,
    /// What becomes of the input.
    pub task: Task,
}

/// What becomes of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    Translate,
    /// It is a file of a folder in no known format, such as a picture: the other folder gets it as it is.
    Copy,
}

/// The text of a job.
#[derive(Debug)]
pub enum JobInput {
    /// Lines of the command line.
    Text(Vec<String>),
    Stdin,
    File(PathBuf),
}

impl fmt::Display for JobInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => f.write_str("the command line"),
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

impl JobInput {
    /// The file's path.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Text(_) | Self::Stdin => None,
        }
    }

    /// Opens the input.
    pub fn open(&self) -> Result<Input> {
        match self {
            Self::Text(lines) => Ok(Input::from_arguments(lines)),
            Self::Stdin => Input::open(None),
            Self::File(path) => Input::open(Some(path)),
        }
    }
}

impl Job {
    /// Makes the folder of the output, if the job is one of several.
    pub fn make_folder(&self) -> Result<()> {
        let folder = self.output.as_deref().and_then(Path::parent).filter(|folder| *folder != Path::new(""));
        match folder {
            Some(folder) if self.of_several => {
                std::fs::create_dir_all(folder).with_context(|| format!("cannot write {}", folder.display()))
            }
            _ => Ok(()),
        }
    }

    /// Copies the input as it is, if it and the output are files.
    pub fn copy(&self) -> Result<()> {
        let Some((input, output)) = self.input.path().zip(self.output.as_deref()) else { return Ok(()) };
        self.make_folder()?;
        crate::io::copy(input, output)
    }
}

/// What to translate: the lines of the command line, else the inputs, else standard input.
pub fn jobs(lines: &[String], inputs: &[PathBuf], output: Option<&Path>, named: Option<Format>) -> Result<Vec<Job>> {
    let one = |input| {
        vec![Job { input, output: output.map(Path::to_owned), format: None, of_several: false, task: Task::Translate }]
    };
    if !lines.is_empty() {
        check_lines(lines)?;
        return Ok(one(JobInput::Text(lines.to_vec())));
    }
    match inputs {
        [] => return Ok(one(JobInput::Stdin)),
        [input] if input == Path::new("-") => return Ok(one(JobInput::Stdin)),
        [input] if !input.is_dir() && !output.is_some_and(is_folder) => return Ok(one(JobInput::File(input.clone()))),
        _ => {}
    }
    let is_stream = output.is_none_or(|output| output == Path::new("-"));
    if is_stream && let Some(folder) = inputs.iter().find(|input| input.is_dir()) {
        let folder = folder.display();
        return Err(Usage::error(format!(
            "{folder} is a folder; name another folder for the translations of its files with --output"
        )));
    }
    if let Some(output) = output.filter(|output| !is_stream && output.exists() && !output.is_dir()) {
        return Err(Usage::error(format!(
            "{} is a file; several inputs need a folder for their translations",
            output.display()
        )));
    }
    let mut jobs = Vec::new();
    for input in inputs {
        let folder = output.filter(|_| !is_stream);
        if input.is_dir() {
            jobs.extend(folder_jobs(input, folder.unwrap_or(input), named)?);
        } else {
            if input != Path::new("-") {
                std::fs::metadata(input).with_context(|| format!("cannot read {}", input.display()))?;
            }
            let output = folder.zip(input.file_name()).map(|(folder, name)| folder.join(name));
            let input = file_or_stdin(input);
            jobs.push(Job { input, output, format: None, of_several: true, task: Task::Translate });
        }
    }
    name_translations(&mut jobs, named);
    check_outputs(&jobs)?;
    Ok(jobs)
}

fn file_or_stdin(path: &Path) -> JobInput {
    if path == Path::new("-") { JobInput::Stdin } else { JobInput::File(path.to_owned()) }
}

/// Whether the name is written as that of a folder.
fn is_folder(path: &Path) -> bool {
    path.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

/// Refuses an argument that is the name of a file: nobody wants `talk.en` itself translated.
fn check_lines(lines: &[String]) -> Result<()> {
    for line in lines.iter().filter(|line| !line.contains(char::is_whitespace)) {
        let path = Path::new(line);
        let is_there = path.exists();
        if is_there || resembles_file(path) {
            let what = match is_there {
                true if path.is_dir() => "is a folder",
                true => "is a file",
                false => "is the name of a file rather than text",
            };
            return Err(Usage::error(format!(
                "{line} {what}; `metaphrase translate -i {line}` translates it, and standard input takes the word itself"
            )));
        }
    }
    Ok(())
}

/// Whether a word has an extension, as `talk.en` has. Addresses are text.
fn resembles_file(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let is_extension = |end: &str| {
        (2..=8).contains(&end.len())
            && end.starts_with(|c: char| c.is_ascii_lowercase())
            && end.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let has_extension = path.extension().and_then(|end| end.to_str()).is_some_and(is_extension);
    let is_address = text.contains("://") || text.contains('@') || text.starts_with("www.");
    has_extension && !is_address
}

/// The files in a folder and in the folders in it, in the order of their names; those in no known format are copied.
/// Hidden files, links to folders and the folder of the outputs are left out.
fn folder_jobs(folder: &Path, output: &Path, named: Option<Format>) -> Result<Vec<Job>> {
    let outputs = output.canonicalize().ok();
    if outputs.is_some() && outputs == folder.canonicalize().ok() {
        let folder = folder.display();
        return Err(Usage::error(format!("{folder} is the folder of the inputs; name another one with --output")));
    }
    let mut jobs = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(below) = waiting.pop() {
        let context = || format!("cannot read {}", below.display());
        for entry in std::fs::read_dir(&below).with_context(context)? {
            let entry = entry.with_context(context)?;
            let path = entry.path();
            let is_output = outputs.is_some() && path.canonicalize().ok() == outputs;
            if is_output || entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            if entry.file_type().with_context(context)?.is_dir() {
                waiting.push(path);
                continue;
            }
            let Some(inside) = path.strip_prefix(folder).ok().filter(|_| path.is_file()) else { continue };
            let format = named.or_else(|| format_in_folder(&path));
            let task = if format.is_some() { Task::Translate } else { Task::Copy };
            let (output, format) = (Some(output.join(inside)), format.or(Some(Format::Plain)));
            jobs.push(Job { input: JobInput::File(path.clone()), output, format, of_several: true, task });
        }
    }
    jobs.sort_by(|a, b| a.input.path().cmp(&b.input.path()));
    let copies: Vec<&Job> = jobs.iter().filter(|job| job.task == Task::Copy).collect();
    if copies.len() == jobs.len() {
        return Err(Usage::error(format!("{} has no file in a known format", folder.display())));
    }
    if let Some(first) = copies.first() {
        let files = if copies.len() == 1 { "1 file".to_owned() } else { format!("{} files", copies.len()) };
        tracing::warn!(
            "{}: copying {files} in no known format, such as {}; --input-format plain reads all files as lines",
            folder.display(),
            first.input
        );
    }
    Ok(jobs)
}

/// The format of a file in a folder by its extension. Such files are documents: a JSON file is one JSON value there,
/// not one on each line.
fn format_in_folder(path: &Path) -> Option<Format> {
    let plain = match path.extension() {
        Some(end) if end.eq_ignore_ascii_case("gz") => path.with_extension(""),
        _ => path.to_owned(),
    };
    let extension = plain.extension()?.to_str()?.to_lowercase();
    Some(match FileFormat::from_extension(&extension)? {
        FileFormat::Text => Format::Plain,
        FileFormat::Html => Format::Text(TextFormat::Html),
        FileFormat::Xml => Format::Text(TextFormat::Xml),
        format => Format::File(format),
    })
}

/// Gives translations that are in another format than their source, as of PDF documents, the extension of that format.
fn name_translations(jobs: &mut [Job], named: Option<Format>) {
    for job in jobs {
        let format = named.or(job.format).or_else(|| Format::from_name(job.input.path()).ok());
        if let (Some(Format::File(format)), Some(output)) = (format, &mut job.output)
            && let Some(extension) = format.translated_extension()
        {
            output.set_extension(extension);
        }
    }
}

/// Refuses two translations in one file, and translations in the place of inputs.
fn check_outputs(jobs: &[Job]) -> Result<()> {
    let inputs: BTreeSet<PathBuf> = jobs.iter().filter_map(|job| job.input.path()?.canonicalize().ok()).collect();
    let mut seen: BTreeMap<&Path, &JobInput> = BTreeMap::new();
    for job in jobs {
        let Some(output) = job.output.as_deref() else { continue };
        if let Some(other) = seen.insert(output, &job.input) {
            let same = output.display();
            return Err(Usage::error(format!(
                "the translations of {other} and {} would both be {same}; give them different names or folders",
                job.input
            )));
        }
        if output.canonicalize().is_ok_and(|output| inputs.contains(&output)) {
            let output = output.display();
            return Err(Usage::error(format!("the output {output} is one of the inputs; name another folder")));
        }
    }
    Ok(())
}

/// Refuses to replace what lies in the folder of the translations: the user named the folder, and none of its files.
/// With `overwrite` it is replaced.
pub fn keep_existing(jobs: Vec<Job>, overwrite: bool) -> Result<Vec<Job>> {
    let outputs = jobs.iter().filter(|job| job.of_several).filter_map(|job| job.output.as_deref());
    match outputs.filter(|output| !overwrite && output.symlink_metadata().is_ok()).min() {
        Some(output) => Err(Usage::error(format!(
            "{} is there already; name another folder, or add --overwrite to replace it and others with the names of inputs",
            output.display()
        ))),
        None => Ok(jobs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_no_text() {
        for name in ["talk.en", "report.docx", "texts/talk.txt", "three.en", "a.tar"] {
            assert!(check_lines(&[name.to_owned()]).is_err(), "{name}");
        }
        for text in [
            "Hello",
            "Hello.",
            "3.5",
            "U.S.A.",
            "Node.JS",
            "and/or",
            "https://a.com",
            "www.example.com",
            "a@b.com",
            "",
            "End.Start",
            "e.g.",
            "Dr.Who",
            "see talk.en",
        ] {
            assert!(check_lines(&[text.to_owned()]).is_ok(), "{text}");
        }
        let here = check_lines(&["src".to_owned()]).unwrap_err().to_string();
        assert!(here.starts_with("src is a folder; `metaphrase translate -i src` translates it"), "{here}");
    }

    /// Inputs and outputs, without the folder of the test.
    fn pairs(root: &Path, inputs: &[&str], output: &str) -> Result<Vec<(String, String)>> {
        let inputs: Vec<PathBuf> = inputs.iter().map(|input| root.join(input)).collect();
        let short = |path: &Path| path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
        let jobs = jobs(&[], &inputs, Some(&root.join(output)), None)?;
        Ok(jobs.iter().map(|job| (short(job.input.path().unwrap()), short(job.output.as_ref().unwrap()))).collect())
    }

    #[test]
    fn a_folder_is_translated_into_another_one() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        for name in ["in/a.txt", "in/sub/b.html", "in/picture.png", "in/.git/c.txt", "in/paper.pdf", "in/out/old.txt"] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), "text\n").unwrap();
        }
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let expected = [
            pair("in/a.txt", "in/out/a.txt"),
            pair("in/paper.pdf", "in/out/paper.txt"),
            pair("in/picture.png", "in/out/picture.png"),
            pair("in/sub/b.html", "in/out/sub/b.html"),
        ];
        assert_eq!(pairs(root, &["in"], "in/out").unwrap(), expected, "the outputs are no inputs");
        let expected = [pair("in/a.txt", "de/a.txt"), pair("in/sub/b.html", "de/b.html")];
        assert_eq!(pairs(root, &["in/a.txt", "in/sub/b.html"], "de").unwrap(), expected);
        assert_eq!(pairs(root, &["in/a.txt"], "in/sub/").unwrap(), [pair("in/a.txt", "in/sub/a.txt")]);

        std::fs::write(root.join("in/sub/a.txt"), "text\n").unwrap();
        std::fs::write(root.join("file"), "text\n").unwrap();
        std::fs::create_dir(root.join("empty")).unwrap();
        for (inputs, output, expected) in [
            (&["in"][..], "in", "is the folder of the inputs"),
            (&["in/a.txt", "in/sub/b.html"], "file", "is a file; several inputs need a folder"),
            (&["in/a.txt", "in/sub/a.txt"], "de", "would both be"),
            (&["in/a.txt", "in/sub/b.html"], "in", "is one of the inputs"),
            (&["in/a.txt", "in/none"], "de", "cannot read"),
            (&["empty"], "de", "has no file in a known format"),
        ] {
            let error = format!("{:#}", pairs(root, inputs, output).unwrap_err());
            assert!(error.contains(expected), "{error}");
        }
        assert!(jobs(&[], &[root.join("in")], None, None).is_err(), "a folder needs a folder");
    }
}
