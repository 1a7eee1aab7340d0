//! The shared models can be read, in each of their file formats.
#![allow(clippy::unwrap_used)] // a test fails by panicking

use metaphrase_models::{Architecture, Config, Tensor, load};
use metaphrase_testkit::{Outcome, shared};

fn all_reference_models_load() -> Outcome {
    for (name, recurrent) in [
        ("amun", true),
        ("nematus-ln", true),
        ("s2s-deep-lstm", true),
        ("transformer-post", false),
        ("transformer-pre", false),
        ("transformer-ssru", false),
    ] {
        let (config, weights) = load(&shared(&format!("models/{name}/model.npz"))?).unwrap();
        assert_eq!((config.source_words, config.target_words), (2000, 2000));
        assert_eq!(matches!(config.architecture, Architecture::Recurrent(_)), recurrent);
        let table = match &config.architecture {
            Architecture::Recurrent(recurrent) => recurrent.tied_embeddings,
            Architecture::Transformer(transformer) => transformer.tied_embeddings,
        };
        assert_eq!(weights.shape(table.source_table()), Some(&[2000, 64][..]));
        assert_eq!(weights.shape(table.target_table()), Some(&[2000, 64][..]));
        let finite = weights.names().all(|name| weights.tensor(name).unwrap().data.iter().all(|v| v.is_finite()));
        assert!(finite);
    }
    Ok(())
}

/// The greatest distance between two tensors of the same shape.
fn distance(a: &Tensor<'_>, b: &Tensor<'_>) -> f32 {
    assert_eq!(a.shape, b.shape, "{}", a.name);
    a.data.iter().zip(b.data.iter()).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max)
}

fn bin_files_hold_the_numbers_of_the_npz() -> Outcome {
    let folder = shared("models/transformer-ssru")?;
    let (config, exact) = load(&folder.join("model.npz")).unwrap();
    // Rounding is off by half a step: 1/127 of the largest weight, or 1/1024.
    for (file, relative, absolute) in [
        ("model.float32.bin", 0.0, 0.0),
        ("model.intgemm8.bin", 0.5 / 127.0, 0.0),
        ("model.intgemm16.bin", 0.0, 0.5 / 1024.0),
    ] {
        // Files of integers are Firefox' models, which have recommendations for decoding.
        let (same, rounded) = load(&folder.join(file)).unwrap();
        assert_eq!(Config { decoding: config.decoding, ..same }, config);
        assert!(rounded.names().eq(exact.names()));
        for name in exact.names() {
            let (a, b) = (exact.tensor(name).unwrap(), rounded.tensor(name).unwrap());
            let largest = a.data.iter().fold(0.0_f32, |max, v| max.max(v.abs()));
            let bound = (relative * largest + absolute) * 1.0001;
            let far = distance(&a, &b);
            assert!(far <= bound, "{file} {name}: {far} > {bound}");
        }
    }
    Ok(())
}

metaphrase_testkit::tests![all_reference_models_load, bin_files_hold_the_numbers_of_the_npz];
