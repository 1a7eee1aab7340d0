//! The SentencePiece models of the shared models read and write their own source text.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use metaphrase_base::WordId;
use metaphrase_testkit::{Outcome, shared};
use metaphrase_text::sentencepiece::SentencePieceModel;

fn reference_models_survive_their_own_source() -> Outcome {
    for name in ["amun", "transformer-pre", "en-de-tatoeba"] {
        let folder = shared(&format!("models/{name}"))?;
        let source = std::fs::read_to_string(folder.join("source.en")).unwrap();
        let model = SentencePieceModel::open(&folder.join("vocab.spm")).unwrap();
        assert_eq!((model.eos(), model.unk()), (Some(WordId(0)), Some(WordId(1))));
        let mut ids = Vec::new();
        for line in source.lines() {
            model.encode(line, &mut ids);
            let text = model.decode(&ids);
            // Other characters may be unknown, or others in the model's table.
            let plain = line.is_ascii() && !ids.iter().any(|&id| model.is_unknown(id));
            assert!(!plain || text == line, "{line:?} {text:?}");
        }
    }
    Ok(())
}

metaphrase_testkit::tests![reference_models_survive_their_own_source];
