//! The commands of the tutorial print what the tutorial says.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

/// A block of the page: the words after its fence, and its text.
struct Block<'p> {
    kind: &'p str,
    text: &'p str,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let parts: Vec<&str> = page.split("\n```").collect();
    // Text and blocks alternate.
    let blocks = parts.iter().skip(1).step_by(2);
    blocks.map(|block| block.split_once('\n').unwrap()).map(|(kind, text)| Block { kind, text }).collect()
}

/// The program, which the commands find by its name, in a shell.
fn shell(script: &str, folder: &Path) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_metaphrase")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-e", "-c", script]).current_dir(folder).env("PATH", path);
    command.env_remove("METAPHRASE_MODEL").env("HOME", folder).env("XDG_CONFIG_HOME", folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts the server of the tutorial on a free port. Returns it and its address.
fn serve(command: &str, folder: &Path) -> (Child, String) {
    let mut server = shell(&format!("exec {}", command.replace("--port 5000", "--port 0")), folder).spawn().unwrap();
    let mut address = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut address).unwrap();
    (server, address.trim().trim_start_matches("http://").to_owned())
}

#[test]
fn the_tutorial_prints_what_it_says() {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/tutorial.md")).unwrap();
    let clone = tempfile::tempdir().unwrap();
    for name in ["examples", "testdata"] {
        std::os::unix::fs::symlink(Path::new(ROOT).canonicalize().unwrap().join(name), clone.path().join(name))
            .unwrap();
    }
    let mut folder = clone.path().to_owned();
    let mut server: Option<(Child, String)> = None;
    let mut printed = String::new();
    let mut compared = 0;
    for Block { kind, text } in blocks(&page) {
        match kind {
            "sh install" => {}
            "sh server" if cfg!(feature = "serve") => server = Some(serve(text.trim(), &folder)),
            "sh" => {
                let script = match &server {
                    Some((_, address)) => text.replace("localhost:5000", address),
                    None => text.to_owned(),
                };
                let output = shell(&format!("{script}\npwd > \"$HOME/.pwd\""), &folder).output().unwrap();
                assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
                printed = String::from_utf8(output.stdout).unwrap();
                folder = fs::read_to_string(folder.join(".pwd")).unwrap().trim().into();
            }
            "text" => {
                // The server's answer ends without a line break.
                assert_eq!(printed.trim_end(), text.trim_end());
                compared += 1;
            }
            other => panic!("a block of an unknown kind: {other}"),
        }
    }
    if let Some((mut server, _)) = server {
        server.kill().unwrap();
        server.wait().unwrap();
    }
    assert!(compared >= 6, "{compared} blocks of output");
}
