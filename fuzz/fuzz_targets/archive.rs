//! Models in archives. The first byte chooses: any bytes as an archive of each kind, or a sound zip or tar file of any
//! names and contents, which zero bytes divide. Archives are unpacked to the folder that `TMPDIR` names.
#![no_main]

use libfuzzer_sys::fuzz_target;
use metaphrase_fuzz::containers::{gzip, tar, zip};
use metaphrase_fuzz::models::check_message;
use metaphrase_fuzz::text::memory_folder;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(memory_folder);

fuzz_target!(|input: &[u8]| {
    let Some((which, bytes)) = input.split_first() else { return };
    let members = || -> Vec<(String, Vec<u8>)> {
        let parts: Vec<&[u8]> = bytes.split(|&byte| byte == 0).collect();
        let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
        parts.chunks(2).map(|pair| (text(pair[0]), pair.get(1).unwrap_or(&&b""[..]).to_vec())).collect()
    };
    let (name, content) = match which % 6 {
        0 => ("model.zip", bytes.to_vec()),
        1 => ("model.tar.gz", bytes.to_vec()),
        2 => ("model.tar", bytes.to_vec()),
        3 => ("model.argosmodel", zip(&members(), true)),
        4 => ("model.tgz", gzip(&tar(&members()))),
        _ => ("model.tar", tar(&members())),
    };
    open(&FOLDER.path().join(name), &content);
});

fn open(path: &Path, content: &[u8]) {
    std::fs::write(path, content).expect("space for a small file");
    if let Err(error) = metaphrase::inspect(path) {
        check_message(&error);
    }
    std::fs::remove_file(path).expect("the file that was written");
}
