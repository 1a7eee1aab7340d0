//! Model files (`sentencepiece_model.proto`), with the fields that a trained model sets.

use super::super::file::Kind;
use super::lattice::Piece;
use super::specials::Specials;
use super::{ModelKind, TrainOptions};

/// A message of Protocol Buffers: fields one after the other.
#[derive(Default)]
pub(in super::super) struct Message(pub(in super::super) Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(&mut self, field: u64, value: usize) {
        self.varint(field << 3);
        self.varint(value as u64);
    }

    /// An id; -1, as the two's complement in 64 bits, for a piece that is missing.
    fn id(&mut self, field: u64, id: Option<usize>) {
        self.varint(field << 3);
        self.varint(id.map_or(u64::MAX, |id| id as u64));
    }

    fn float(&mut self, field: u64, value: f32) {
        self.varint(field << 3 | 5);
        self.0.extend(value.to_le_bytes());
    }

    fn bytes(&mut self, field: u64, value: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    pub(in super::super) fn piece(&mut self, text: &str, score: f32, kind: Kind) {
        let mut piece = Self::default();
        piece.bytes(1, text.as_bytes());
        piece.float(2, score);
        if kind != Kind::Normal {
            piece.number(3, kind.number());
        }
        self.bytes(1, &piece.0);
    }
}

/// The file of a model: special pieces at their ids, `pieces` at the ids between and after them.
pub(super) fn model_file(
    kind: ModelKind,
    options: &TrainOptions,
    charsmap: &[u8],
    specials: &Specials,
    pieces: &[Piece],
) -> Vec<u8> {
    let mut file = Message::default();
    let mut rest = pieces.iter();
    for id in 0..specials.len() + pieces.len() {
        if let Some((text, kind)) = specials.get(id) {
            file.piece(text, 0.0, kind);
        } else if let Some(piece) = rest.next() {
            file.piece(&piece.text, piece.score as f32, Kind::Normal);
        }
    }
    file.bytes(2, &trainer_spec(kind, options).0);
    file.bytes(3, &normalizer_spec(options, charsmap).0);
    file.0
}

fn trainer_spec(kind: ModelKind, options: &TrainOptions) -> Message {
    let mut spec = Message::default();
    spec.number(3, kind as usize);
    spec.number(4, options.vocab_size);
    spec.float(10, options.character_coverage as f32);
    if let Some(sample) = options.sample {
        spec.number(11, sample.lines);
    }
    if kind == ModelKind::Unigram {
        spec.number(14, options.unigram.seed_size);
        spec.float(15, options.unigram.shrinking_factor as f32);
        spec.number(17, options.unigram.sub_iterations);
    }
    spec.number(18, options.max_line_length);
    spec.number(20, options.max_piece_length);
    spec.number(21, options.split_by_unicode_script.into());
    spec.number(22, 1); // split_by_whitespace
    spec.number(23, options.split_by_number.into());
    spec.number(25, options.split_digits.into());
    for symbol in &options.control_symbols {
        spec.bytes(30, symbol.as_bytes());
    }
    for symbol in &options.user_defined_symbols {
        spec.bytes(31, symbol.as_bytes());
    }
    spec.number(35, options.byte_fallback.into());
    let ids = options.special_ids;
    for (field, id) in [(40, Some(ids.unk)), (41, ids.bos), (42, ids.eos), (43, ids.pad)] {
        spec.id(field, id);
    }
    spec
}

fn normalizer_spec(options: &TrainOptions, charsmap: &[u8]) -> Message {
    let mut spec = Message::default();
    spec.bytes(1, options.normalization.name().as_bytes());
    spec.bytes(2, charsmap);
    spec.number(3, 1); // add_dummy_prefix
    spec.number(4, 1); // remove_extra_whitespaces
    spec.number(5, 1); // escape_whitespaces
    spec
}
