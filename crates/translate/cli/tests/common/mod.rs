//! Runs the program.
#![allow(dead_code, clippy::unwrap_used, reason = "helpers of tests; each file uses a part of them")]

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The results of a run.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// The output of a run that went well.
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self.stdout
    }

    /// The one sentence that a run ended with, with this exit status.
    pub fn error(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        let mut lines = self.stderr.lines().filter_map(|line| line.strip_prefix("metaphrase: error: "));
        let error = lines.next().unwrap_or_else(|| panic!("no error in {:?}", self.stderr)).to_owned();
        assert_eq!(lines.next(), None);
        error
    }

    pub fn lines(self) -> Vec<String> {
        let text = self.ok();
        assert!(text.is_empty() || text.ends_with('\n'));
        text.split_terminator('\n').map(str::to_owned).collect()
    }
}

pub fn command<S: AsRef<OsStr>>(args: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metaphrase"));
    // The settings of the user who runs the tests change nothing.
    command.env_remove("METAPHRASE_MODEL").env_remove("METAPHRASE_MODELS").env_remove("XDG_DATA_HOME");
    command.env("HOME", env!("CARGO_MANIFEST_DIR")).env("XDG_CONFIG_HOME", env!("CARGO_MANIFEST_DIR"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub fn spawn<S: AsRef<OsStr>>(args: &[S]) -> Child {
    command(args).spawn().unwrap()
}

/// Runs the program with this input.
pub fn run<S: AsRef<OsStr>>(args: &[S], input: impl AsRef<[u8]>) -> Run {
    finish(spawn(args), input)
}

/// Runs the program with this input and these variables of the environment.
pub fn run_with<S: AsRef<OsStr>>(variables: &[(&str, &str)], args: &[S], input: impl AsRef<[u8]>) -> Run {
    finish(command(args).envs(variables.iter().copied()).spawn().unwrap(), input)
}

/// Runs the program from a shell, which gets this script first.
pub fn run_after(script: &str, args: &[&str], input: impl AsRef<[u8]>) -> Run {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{script} exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_metaphrase")]).args(args);
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(shell.spawn().unwrap(), input)
}

/// Gives a program its input and waits for its end.
fn finish(mut child: Child, input: impl AsRef<[u8]>) -> Run {
    let mut stdin = child.stdin.take().unwrap();
    let input = input.as_ref();
    let output = std::thread::scope(|scope| {
        // A program that fails need not read what it is given.
        scope.spawn(move || stdin.write_all(input).unwrap_or_default());
        child.wait_with_output().unwrap()
    });
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs `translate`, greedy for speed.
pub fn translate(args: &[&str], input: impl AsRef<[u8]>) -> Run {
    run(&[&["translate", "--threads", "1"], args].concat(), input)
}

/// The path of a file in a folder.
pub fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

/// A file in a folder that is gone after the test.
pub fn file(folder: &tempfile::TempDir, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The names of the files in a folder.
pub fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into()).collect();
    names.sort();
    names
}
