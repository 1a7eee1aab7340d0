//! Search for the best translation: batched beam search over any step model.
