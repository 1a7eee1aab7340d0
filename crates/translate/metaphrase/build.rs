//! Reports to the library whether the repository's models are there to become part of it. The crate on crates.io lacks
//! them: a crate has 10 MB at most there, and each model has 26 MB. With METAPHRASE_WITHOUT_MODELS in the environment
//! they stay outside, for programs that are carried to another machine.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_models)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=METAPHRASE_WITHOUT_MODELS");
    // The variable of today: the repository may have moved since this program was built, as with a cache of a CI.
    let own = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let folder = own.join("../../../models");
    let has = |name: &str| folder.join(name).join("model.safetensors").is_file();
    // A path that does not exist would make each build run this again.
    if folder.is_dir() {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let is_wanted = env::var_os("METAPHRASE_WITHOUT_MODELS").is_none();
    if is_wanted && has("en-de") && has("de-en") {
        println!("cargo::rustc-cfg=has_models");
    }
}
