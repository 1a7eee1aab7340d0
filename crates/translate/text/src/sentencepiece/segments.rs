//! Text in segments, by the algorithm of a model.

use super::{Algorithm, Kind, SPACE_MARK, Scratch, Segment, SentencePieceModel, UNKNOWN, utf8};

impl SentencePieceModel {
    /// Normalises `text` and cuts it into segments.
    pub(super) fn segment(&self, text: &str, scratch: &mut Scratch) {
        let Scratch { normalized, segments, best, bpe } = scratch;
        let user_defined = self.indices.user_defined.as_ref();
        self.normalizer.normalize(text.as_bytes(), user_defined, normalized);
        segments.clear();
        match &self.algorithm {
            Algorithm::Unigram(unigram) => {
                unigram.segment(&self.pieces, &self.indices.text, normalized, best, segments);
            }
            Algorithm::Bpe(model) => {
                model.segment(&self.pieces, &self.indices.text, user_defined, normalized, bpe, segments);
            }
            Algorithm::Word => self.look_up(normalized, segments, |rest| {
                let mark = SPACE_MARK.as_bytes();
                (1..rest.len()).find(|&end| rest[end..].starts_with(mark)).unwrap_or(rest.len())
            }),
            Algorithm::Char => self.look_up(normalized, segments, |rest| {
                let symbol = user_defined.and_then(|symbols| symbols.longest_prefix(rest));
                symbol.map_or_else(|| utf8::char_len(rest[0]).min(rest.len()), |(length, _)| length)
            }),
        }
    }

    /// Segments whose lengths `length` finds at the start of a text.
    fn look_up(&self, text: &[u8], segments: &mut Vec<Segment>, length: impl Fn(&[u8]) -> usize) {
        let mut start = 0;
        while start < text.len() {
            let end = start + length(&text[start..]);
            let id = self.indices.text.get(&text[start..end]);
            let used = id.filter(|&id| self.pieces.score_and_kind(id).1 != Kind::Unused);
            segments.push(Segment { end, id: used.unwrap_or(UNKNOWN) });
            start = end;
        }
    }
}
