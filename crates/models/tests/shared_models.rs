//! The reference models, where they are at hand: `METAPHRASE_SHARED`, or a folder `shared` beside the repository.

use metaphrase_models::{Architecture, load};
use std::path::PathBuf;

fn shared() -> Option<PathBuf> {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    let models = std::env::var_os("METAPHRASE_SHARED").map_or_else(beside, PathBuf::from).join("models");
    models.is_dir().then_some(models)
}

#[test]
fn all_reference_models_load() {
    let Some(models) = shared() else { return };
    for (name, recurrent) in [
        ("amun", true),
        ("nematus-ln", true),
        ("s2s-deep-lstm", true),
        ("transformer-post", false),
        ("transformer-pre", false),
        ("transformer-ssru", false),
    ] {
        let (config, weights) = load(&models.join(name).join("model.npz")).unwrap();
        assert_eq!((config.source_words, config.target_words), (2000, 2000));
        assert_eq!(matches!(config.architecture, Architecture::Recurrent(_)), recurrent);
        let table = match &config.architecture {
            Architecture::Recurrent(recurrent) => recurrent.tied_embeddings,
            Architecture::Transformer(transformer) => transformer.tied_embeddings,
        };
        weights.tensor(table.source_table()).unwrap().expect(&[2000, 64]).unwrap();
        weights.tensor(table.target_table()).unwrap().expect(&[2000, 64]).unwrap();
        let finite = weights.names().all(|name| weights.tensor(name).unwrap().data.iter().all(|v| v.is_finite()));
        assert!(finite);
    }
}
