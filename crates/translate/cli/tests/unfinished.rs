//! Whatever ends the program, nothing half-written stays, and what is written is as other files are.

#![allow(clippy::unwrap_used, reason = "tests")]

use crate::common::{command, file, names, run, run_after, translate};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../models/en-de");

/// Waits until a folder has this number of files.
fn wait_for(folder: &Path, files: usize) {
    let begun = Instant::now();
    while names(folder).len() != files {
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", names(folder));
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Begins a translation into the folder, which waits for more input.
#[cfg(unix)]
fn begin(folder: &Path, shell: Option<&str>) -> Child {
    let output = folder.join("output");
    let args = ["translate", "--threads", "1", "-b", "1", "-o", output.to_str().unwrap()];
    let mut program = match shell {
        None => command(&args),
        Some(script) => {
            let mut shell = command(&[""; 0]);
            let program = shell.get_program().to_owned();
            shell = Command::new("sh");
            shell.args(["-c", &format!("{script} exec \"$0\" \"$@\"")]).arg(program).args(args);
            shell.stdin(std::process::Stdio::piped());
            shell
        }
    };
    let child = program.spawn().unwrap();
    wait_for(folder, 1);
    // The file is there before the translation begins; the handler of signals was before the file.
    child
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_no_unfinished_file() {
    use std::os::unix::process::ExitStatusExt;
    for (name, number) in [("TERM", 15), ("HUP", 1), ("INT", 2)] {
        let folder = TempDir::new().unwrap();
        let mut child = begin(folder.path(), None);
        // While its input is open the program does not end by itself: its thread for signals may be slow.
        let input = child.stdin.take().filter(|_| !is_ignored(number));
        signal(&child, name);
        let (expected, left) = if is_ignored(number) { (None, 1) } else { (Some(number), 0) };
        assert_eq!(child.wait().unwrap().signal(), expected, "{name}");
        drop(input);
        assert_eq!(names(folder.path()).len(), left, "{name}: {:?}", names(folder.path()));
    }
}

/// Whether this process was started with the signal ignored, as shells start jobs in the background; its children are
/// then started so, too.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() >> (signal - 1) & 1 == 1)
}

#[cfg(target_os = "linux")]
#[test]
fn an_ignored_signal_is_ignored() {
    let folder = TempDir::new().unwrap();
    let mut child = begin(folder.path(), Some("trap '' HUP;"));
    signal(&child, "HUP");
    child.stdin.take().unwrap().write_all(b"I am tired.\n").unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(std::fs::read_to_string(folder.path().join("output")).unwrap(), "Ich bin müde.\n");
}

#[cfg(unix)]
#[test]
fn the_next_run_removes_the_file_of_a_killed_one() {
    let folder = TempDir::new().unwrap();
    let mut child = begin(folder.path(), None);
    let mut other = begin_second(folder.path());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(names(folder.path()).len(), 2, "one of a killed program, one in work");
    let output = folder.path().join("output");
    translate(&["-b", "1", "-o", output.to_str().unwrap()], "I am tired.\n").ok();
    assert_eq!(names(folder.path()).len(), 2, "the file of the program that is at work stays");
    drop(other.stdin.take());
    assert!(other.wait().unwrap().success());
    assert_eq!(names(folder.path()), [Path::new("other"), Path::new("output")]);
}

#[cfg(unix)]
fn begin_second(folder: &Path) -> Child {
    let output = folder.join("other");
    let child = command(&["tokenize", "-o", output.to_str().unwrap()]).spawn().unwrap();
    wait_for(folder, 2);
    child
}

#[test]
fn an_error_in_the_data_leaves_no_directory() {
    let folder = TempDir::new().unwrap();
    let text = file(&folder, "text", "a b\nc d\n");
    let short = file(&folder, "short", "a b\n");
    let links = file(&folder, "links", "0-0\n5-5\n");
    let output = folder.path().join("new/output");
    let to = output.to_str().unwrap();
    let error = run(&["extract", &text, &text, &links, "-o", to], "").error(1);
    assert!(error.contains("link 5-5 is outside the sentence pair"), "{error}");
    run(&["extract", &text, &short, &links, "-o", to], "").error(1);
    let blank = file(&folder, "blank", "\n\n");
    let error = run(&["phrase", "train", &blank, &blank, "-o", to], "").error(1);
    assert!(error.starts_with("there is no sentence pair with words on both sides"), "{error}");
    assert_eq!(names(folder.path()).len(), 4, "{:?}", names(folder.path()));
    // A folder that was there stays, with its files.
    std::fs::create_dir_all(&output).unwrap();
    file(&folder, "new/output/mine", "");
    run(&["extract", &text, &text, &links, "-o", to], "").error(1);
    assert_eq!(names(&output), [Path::new("mine")]);
}

#[cfg(unix)]
#[test]
fn files_of_a_model_are_alike() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let private = folder.path().join("private");
    let to = folder.path().join("model");
    run(&["convert", "-m", MODEL, "--to", private.to_str().unwrap(), "--precision", "f16"], "").ok();
    let closed = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(private.join("source.spm"), closed).unwrap();
    run(&["convert", "-m", private.to_str().unwrap(), "--to", to.to_str().unwrap(), "--precision", "f16"], "").ok();
    let plain = file(&folder, "plain", "");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
    for name in names(&to) {
        assert_eq!(mode(&to.join(&name)), mode(Path::new(&plain)), "{name:?}");
    }
}

/// `ulimit -f` stands for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_names_the_file_that_can_not_be_written() {
    let folder = TempDir::new().unwrap();
    let to = folder.path().join("model");
    let to = to.to_str().unwrap();
    let args = ["convert", "-m", MODEL, "--to", to, "--precision", "f16"];
    let error = run_after("trap '' XFSZ; ulimit -f 8;", &args, "").error(1);
    assert!(error.starts_with(&format!("{to}/source.spm: cannot write: ")), "{error}");
    assert!(names(folder.path()).is_empty());
}

/// Runs the program with a closed standard output.
const CLOSED: &str = "\"$0\" \"$@\" >&-; exit $?;";

#[cfg(target_os = "linux")]
#[test]
fn a_closed_standard_output_is_an_error() {
    for args in [&["translate", "--threads", "1"][..], &["tokenize"], &["--help"], &["lm", "query", "--help"]] {
        let error = run_after(CLOSED, args, "I am tired.\n").error(1);
        assert!(error.starts_with("cannot write standard output: it is closed"), "{args:?}: {error}");
    }
    let folder = TempDir::new().unwrap();
    let output = folder.path().join("output");
    run_after(CLOSED, &["tokenize", "-o", output.to_str().unwrap()], "a b\n").ok();
    assert_eq!(std::fs::read_to_string(output).unwrap(), "a b\n");
}

#[cfg(unix)]
#[test]
fn a_limit_of_file_sizes_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("output");
    let text = "The house is old.\n".repeat(600);
    let input = file(&folder, "input", &text);
    let program = command(&[""; 0]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f 1; exec \"$0\" \"$@\""]).arg(program.get_program());
    shell.args(["tokenize", "-l", "en", "-i", &input, "-o", output.to_str().unwrap()]);
    let ended = shell.output().unwrap();
    let error = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{error}");
    assert!(error.contains(&format!("cannot write {}: File too large", output.display())), "{error}");
    assert_eq!(names(folder.path()), [Path::new("input")], "nothing is left behind");
}
