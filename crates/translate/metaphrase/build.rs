//! Reports to the library whether the repository's models are there to become part of it. The crate on crates.io lacks
//! them: a crate has 10 MB at most there, and each model has 26 MB.

use std::path::Path;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_models)");
    println!("cargo::rerun-if-changed=build.rs");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../models");
    let has = |name: &str| folder.join(name).join("model.safetensors").is_file();
    // A path that does not exist would make each build run this again.
    if folder.is_dir() {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    if has("en-de") && has("de-en") {
        println!("cargo::rustc-cfg=has_models");
    }
}
