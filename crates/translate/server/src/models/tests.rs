#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::model_spec::parse_model;
use std::fs;

fn models(specs: &[&str], memory: Option<u64>) -> Models {
    let options = ModelOptions { threads: 1, device: Device::Cpu, batch_tokens: 256, precision: None, memory };
    Models::new(specs.iter().map(|spec| parse_model(spec).unwrap()).collect(), options, Arc::default())
}

fn tiny() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../testdata/models/marian-tiny")
}

#[tokio::test]
async fn the_model_that_was_not_used_for_the_longest_time_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let specs = ["a-b", "a-c", "a-d"].map(|pair| {
        let copy = folder.path().join(pair);
        fs::create_dir(&copy).unwrap();
        stamp(&tiny()).iter().for_each(|(file, ..)| _ = fs::copy(file, copy.join(file.file_name().unwrap())).unwrap());
        format!("{pair}={}", copy.display())
    });
    let size: u64 = stamp(&tiny()).iter().map(|(_, size, _)| size).sum();
    let models = models(&specs.each_ref().map(String::as_str), Some(2 * size));
    for target in ["b", "c", "b", "d"] {
        models.get("a", target).await.unwrap();
    }
    let loaded: Vec<bool> = models.states().iter().map(|state| state.loaded).collect();
    assert_eq!(loaded, [true, false, true]);
    assert!(models.get("a", "c").await.is_ok(), "it comes again");
    assert!(matches!(models.get("b", "a").await, Err(Failure::Pair { .. })));
}
