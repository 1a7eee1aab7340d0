//! Files by name: `-` is standard input or output, a name in `.gz` is compressed, and an output file is written
//! completely or not at all.

use crate::Usage;
use crate::messages::HINT;
use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use metaphrase_base::{Gunzip, NewFile};
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

/// A source of text.
pub struct Input {
    /// The bytes, decompressed.
    pub reader: Box<dyn Read + Send>,
    /// The name in messages.
    pub name: String,
    /// The number of bytes, if it is known in advance.
    pub size: Option<u64>,
    /// Whether it is a terminal.
    pub is_terminal: bool,
}

impl Input {
    /// Opens a file; `None` and `-` are standard input.
    pub fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path.filter(|path| !is_stream(path)) else {
            let is_terminal = io::stdin().is_terminal();
            if is_terminal {
                tracing::warn!(target: HINT, "reading from the terminal; type text, and {END_OF_INPUT} to end it");
            }
            return Ok(Self {
                reader: Box::new(io::stdin()),
                name: "standard input".into(),
                size: regular_stdin_size(),
                is_terminal,
            });
        };
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
        if is_gz(path) {
            return Ok(Self { reader: Box::new(Gunzip::new(file)), name, size: None, is_terminal: false });
        }
        if file.metadata().is_ok_and(|about| about.is_dir()) {
            return Err(Usage::error(format!("{name} is a folder; name a file")));
        }
        let size = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|about| about.len());
        let is_terminal = file.is_terminal();
        Ok(Self { reader: Box::new(file), name, size, is_terminal })
    }

    /// Lines that the command line has.
    pub fn from_arguments(lines: &[String]) -> Self {
        let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        let size = Some(text.len() as u64);
        let reader = Box::new(io::Cursor::new(text.into_bytes()));
        Self { reader, name: "the command line".into(), size, is_terminal: false }
    }
}

/// The key that ends the input of a terminal.
const END_OF_INPUT: &str = if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D" };

fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// Refuses to read two texts from standard input; `None` and `-` are standard input.
pub fn check_one_stdin<'a>(paths: impl IntoIterator<Item = Option<&'a PathBuf>>) -> Result<()> {
    match paths.into_iter().filter(|path| path.is_none_or(|path| is_stream(path))).count() {
        0 | 1 => Ok(()),
        _ => Err(Usage::error("only one text can come from standard input; name files for the others")),
    }
}

/// The size of standard input if it is redirected from a file.
fn regular_stdin_size() -> Option<u64> {
    let about = std::fs::metadata("/dev/stdin").ok()?;
    about.is_file().then_some(about.len())
}

/// Copies a file as it is, completely or not at all.
pub fn copy(input: &Path, output: &Path) -> Result<()> {
    let mut source = File::open(input).with_context(|| format!("cannot read {}", input.display()))?;
    let context = || format!("cannot copy {} to {}", input.display(), output.display());
    let mut copy = NewFile::create(output).with_context(context)?;
    io::copy(&mut source, &mut copy).with_context(context)?;
    copy.finish().with_context(context)
}

fn is_gz(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
}

const STDOUT: &str = "standard output";

/// The destination of a result. A file stays as it was unless [`finish`](Self::finish) is called.
pub struct Output {
    sink: Sink,
    name: String,
}

enum Sink {
    /// A pipe, terminal or device: written at once.
    Stream(BufWriter<Box<dyn Write>>),
    /// A file that is renamed to its final name at the end.
    File(BufWriter<NewFile>),
    /// A compressed file that is renamed to its final name at the end.
    Gz(Box<GzEncoder<BufWriter<NewFile>>>),
}

impl Output {
    /// Creates a file; `None` and `-` are standard output.
    pub fn create(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path.filter(|path| !is_stream(path)) else {
            crate::stdout::check()?;
            let sink = Sink::Stream(BufWriter::new(Box::new(io::stdout())));
            return Ok(Self { sink, name: STDOUT.into() });
        };
        let name = path.display().to_string();
        let sink = Sink::create(path).with_context(|| format!("cannot write {name}"))?;
        Ok(Self { sink, name })
    }

    /// Whether this is standard output, redirected or not.
    pub fn is_stdout(&self) -> bool {
        self.name == STDOUT
    }

    /// Whether this is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.is_stdout() && io::stdout().is_terminal()
    }

    /// Writes a piece of text.
    pub fn write(&mut self, text: &str) -> Result<()> {
        self.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", self.name))
    }

    /// The message for an error of a library that writes here.
    pub fn cannot_write(&self) -> String {
        format!("cannot write {}", self.name)
    }

    /// Flushes a stream, whose reader may be waiting.
    pub fn flush(&mut self) -> Result<()> {
        match &mut self.sink {
            Sink::Stream(writer) => writer.flush().with_context(|| format!("cannot write {}", self.name)),
            Sink::File(..) | Sink::Gz(..) => Ok(()),
        }
    }

    /// Discards the output: a file stays as it was.
    pub fn abandon(&mut self) {
        self.sink = Sink::Stream(BufWriter::new(Box::new(io::sink())));
    }

    /// Finishes the output: a file gets its final name.
    pub fn finish(self) -> Result<()> {
        self.sink.finish().with_context(|| format!("cannot write {}", self.name))
    }
}

/// For libraries that write directly. `flush` does nothing here: [`Output::flush`] and [`Output::finish`] flush.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Stream(writer) => writer.write(bytes),
            Sink::File(writer) => writer.write(bytes),
            Sink::Gz(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink {
    fn create(path: &Path) -> io::Result<Self> {
        // A link stays, and its target is replaced. A named pipe or a device is opened for writing.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if path.exists() && !path.is_file() {
            return Ok(Self::Stream(BufWriter::new(Box::new(File::options().write(true).open(path)?))));
        }
        let writer = BufWriter::new(NewFile::create(&path)?);
        Ok(if is_gz(&path) {
            Self::Gz(Box::new(GzEncoder::new(writer, Compression::default())))
        } else {
            Self::File(writer)
        })
    }

    fn finish(self) -> io::Result<()> {
        let writer = match self {
            Self::Stream(mut writer) => return writer.flush(),
            Self::File(writer) => writer,
            Self::Gz(writer) => writer.finish()?,
        };
        writer.into_inner()?.finish()
    }
}

/// Ends the program as soon as the reader of standard output has closed it, as `| head -1` does. Writing the next line
/// would fail, but that line may never arrive.
pub fn leave_when_closed() {
    #[cfg(target_os = "linux")]
    {
        use rustix::event::{PollFd, PollFlags, poll};

        let watch = || {
            let stdout = io::stdout();
            let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
            if poll(&mut watched, None).is_ok() && watched[0].revents().contains(PollFlags::ERR) {
                std::process::exit(0);
            }
        };
        // If the thread cannot start, the program ends at its next write.
        let _ = std::thread::Builder::new().name("closed".into()).spawn(watch);
    }
}

/// Appends formatted text, which cannot fail.
pub fn append(text: &mut String, arguments: fmt::Arguments<'_>) {
    let _ = fmt::Write::write_fmt(text, arguments);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_whole_or_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["plain.txt", "packed.gz"] {
            let path = folder.path().join(name);
            std::fs::write(&path, "old").unwrap();
            let mut output = Output::create(Some(&path)).unwrap();
            output.write("new\n").unwrap();
            drop(output);
            assert_eq!(std::fs::read(&path).unwrap(), b"old");

            let mut output = Output::create(Some(&path)).unwrap();
            output.write("new\n").unwrap();
            output.finish().unwrap();
            let mut text = String::new();
            Input::open(Some(&path)).unwrap().reader.read_to_string(&mut text).unwrap();
            assert_eq!(text, "new\n");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
    }

    #[test]
    fn what_cannot_be_opened_is_named() {
        let missing = Path::new("/no/such/folder/file");
        let message = format!("{:#}", Input::open(Some(missing)).err().unwrap());
        assert!(message.starts_with("cannot read /no/such/folder/file: "), "{message}");
        let message = format!("{:#}", Output::create(Some(missing)).err().unwrap());
        assert!(message.starts_with("cannot write /no/such/folder/file: "), "{message}");
    }
}
