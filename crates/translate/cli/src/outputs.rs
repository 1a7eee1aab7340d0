//! Checks of output files: a command overwrites neither a file that it reads nor files that it did not write.

use crate::Usage;
use anyhow::{Context, Result, bail};
use clap::{ArgMatches, Command};
use metaphrase_base::{Checksums, NewFile, UnlistedFile};
use std::any::TypeId;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The options that name an output file or folder.
const OUTPUTS: [&str; 6] = ["output", "to", "table", "lattice", "json", "picture"];

/// The option that names a folder of which the command reads nothing that is there before.
const TEMPORARY: &str = "temporary";

/// Endings of files that may name other files.
const SETTINGS: [&str; 4] = ["ini", "toml", "yaml", "yml"];

/// Checks that no output of the command line is one of its other files. With `overwrite` it may be an input, or lie in
/// a folder that is one, such as a model.
pub fn check_inputs(command: &Command, matches: &ArgMatches, overwrite: bool) -> Result<()> {
    if let Some((name, matches)) = matches.subcommand() {
        let command = command.find_subcommand(name).context("a sub-command without options")?;
        return check_inputs(command, matches, overwrite);
    }
    let files: Vec<NamedFile<'_>> = command.get_arguments().flat_map(|arg| files(arg, matches)).collect();
    let clash = files.iter().enumerate().find_map(|(at, output)| {
        let others = || files.iter().enumerate().filter(|&(other, _)| other != at).map(|(_, file)| file);
        output.is_output.then(|| others().find(|other| other.has(output))).flatten().map(|other| (output, other))
    });
    match clash {
        Some((output, other)) if other.is_output => Err(Usage::error(format!(
            "{} and {} are the same file, {}; name another one",
            output.option,
            other.option,
            output.name.display()
        ))),
        Some((output, other)) if !overwrite => {
            let reads = match other.path == output.path {
                true => "which the command reads".to_owned(),
                false => format!("a file of {}, which the command reads", other.name.display()),
            };
            Err(Usage::error(format!(
                "{} is {}, {reads}; name another file, or add --overwrite to replace it",
                output.option,
                output.name.display()
            )))
        }
        _ => Ok(()),
    }
}

/// An existing file, or an existing folder to read, that the command line names.
struct NamedFile<'a> {
    /// The option as it is written on the command line.
    option: String,
    name: &'a OsStr,
    /// The file, with links resolved.
    path: PathBuf,
    is_output: bool,
}

impl NamedFile<'_> {
    /// Whether an output is this file, lies in this folder, or is named by these settings.
    fn has(&self, output: &Self) -> bool {
        output.path.starts_with(&self.path) || self.lists(output)
    }

    /// Whether these are settings, such as Moses', that name an output as one of their files.
    fn lists(&self, output: &Self) -> bool {
        let is_settings = self.path.extension().is_some_and(|end| SETTINGS.iter().any(|known| end == *known));
        let folder = self.path.parent().filter(|_| is_settings && !self.is_output);
        let (Some(folder), Some(name)) = (folder, output.path.file_name().and_then(OsStr::to_str)) else {
            return false;
        };
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        let parts = text.split(|c: char| c.is_whitespace() || "=\"',;[]".contains(c));
        let mut names = parts.filter(|part| part.ends_with(name));
        names.any(|part| folder.join(part).canonicalize().is_ok_and(|path| path == output.path))
    }
}

/// The existing files, and the folders that are read, among the values of an option.
fn files<'a>(arg: &'a clap::Arg, matches: &'a ArgMatches) -> Vec<NamedFile<'a>> {
    let id = arg.get_id().as_str();
    if arg.get_value_parser().type_id() != TypeId::of::<PathBuf>() {
        return Vec::new();
    }
    let option = arg.get_long().map_or_else(|| id.to_uppercase(), |long| format!("--{long}"));
    let existing = |name: &'a OsStr| {
        let path = Path::new(name).canonicalize().ok()?;
        let is_output = OUTPUTS.contains(&id);
        let is_read = !is_output && path.is_dir() && id != TEMPORARY;
        (path.is_file() || is_read).then(|| NamedFile { option: option.clone(), name, path, is_output })
    };
    matches.try_get_raw(id).ok().flatten().into_iter().flatten().filter_map(existing).collect()
}

/// The list, in a folder, of the files that a command wrote into it. With it the command recognises its own files.
pub struct FileList {
    /// The name of the list in the folder.
    pub name: &'static str,
    /// The command, for messages.
    pub command: &'static str,
}

impl FileList {
    /// The files that the command wrote into a folder that it replaces. With `overwrite` they may have changed since
    /// then; a file that is not in the list is always refused.
    pub fn own_files(&self, folder: &Path, overwrite: bool) -> Result<BTreeSet<String>> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<OsString> =
            entries.map(|entry| entry.file_name()).filter(|name| name != self.name).collect();
        names.sort();
        let list = self.check(folder, &names, overwrite)?;
        Ok(list.names().chain([self.name]).map(str::to_owned).collect())
    }

    /// Checks that the command wrote those of the files `names` that exist in the folder. Returns the list.
    pub fn check<N: AsRef<OsStr>>(&self, folder: &Path, names: &[N], overwrite: bool) -> Result<Checksums> {
        let path = folder.join(self.name);
        let list = Checksums::read_from(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let list = list.unwrap_or_default();
        let unlisted = list.first_unlisted(folder, names);
        match unlisted.with_context(|| format!("cannot read {}", folder.display()))? {
            Some(UnlistedFile { path, is_changed: true }) if !overwrite => bail!(
                "{} was changed since `{}` wrote it; name another folder, or add --overwrite to discard the change",
                path.display(),
                self.command
            ),
            Some(UnlistedFile { path, is_changed: false }) => bail!(
                "{} was not written by `{}`, which replaces only its own files; name another folder",
                path.display(),
                self.command
            ),
            _ => Ok(list),
        }
    }

    /// Writes the list of these files in the folder.
    pub fn write<'n>(&self, folder: &Path, names: impl IntoIterator<Item = &'n str>) -> std::io::Result<()> {
        NewFile::write(&folder.join(self.name), Checksums::from_files(folder, names)?.to_string())
    }
}
