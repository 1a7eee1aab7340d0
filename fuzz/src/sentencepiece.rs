//! SentencePiece models: written field by field, and what must hold of one that opens.

use crate::models::check_message;
use crate::text::LINES;
use arbitrary::Arbitrary;
use metaphrase_base::WordId;
use metaphrase_text::sentencepiece::{Scratch, SentencePieceModel};

/// A model file as its fields.
#[derive(Clone, Debug, Arbitrary)]
pub struct ModelFile {
    pub pieces: Vec<Piece>,
    /// 1 unigram, 2 BPE, 3 words, 4 characters.
    pub model_type: u8,
    pub byte_fallback: bool,
    pub suffix: bool,
    pub normalizer: Normalizer,
    pub denormalizer: Option<Normalizer>,
}

/// A piece.
#[derive(Clone, Debug, Arbitrary)]
pub struct Piece {
    pub text: Text,
    pub score: f32,
    /// 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte.
    pub kind: u8,
}

/// The text of a piece: mostly of few letters, so that pieces meet.
#[derive(Clone, Debug, Arbitrary)]
pub enum Text {
    Letters(Vec<Letter>),
    Any(String),
}

#[derive(Clone, Copy, Debug, Arbitrary)]
pub enum Letter {
    A,
    B,
    Mark,
    Umlaut,
    Emoji,
}

/// How text is normalised.
#[derive(Clone, Debug, Arbitrary)]
pub struct Normalizer {
    pub table: Option<Table>,
    pub dummy_prefix: bool,
    pub squeeze_blanks: bool,
    pub escape_blanks: bool,
}

/// A table of rules: a trie with units anywhere, and replacements.
#[derive(Clone, Debug, Arbitrary)]
pub struct Table {
    pub units: Vec<(u8, u32)>,
    pub replacements: Vec<u8>,
}

impl ModelFile {
    /// The bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut file = Vec::new();
        field(&mut file, 1, &Piece::unknown().bytes());
        if self.byte_fallback {
            (0..=255_u8).for_each(|byte| field(&mut file, 1, &Piece::byte(byte).bytes()));
        }
        self.pieces.iter().for_each(|piece| field(&mut file, 1, &piece.bytes()));
        let mut trainer = Vec::new();
        number(&mut trainer, 3, u64::from(self.model_type % 5));
        number(&mut trainer, 24, u64::from(self.suffix));
        number(&mut trainer, 35, u64::from(self.byte_fallback));
        field(&mut file, 2, &trainer);
        field(&mut file, 3, &self.normalizer.bytes());
        if let Some(denormalizer) = &self.denormalizer {
            field(&mut file, 5, &denormalizer.bytes());
        }
        file
    }

    /// A line of the pieces' texts.
    #[must_use]
    pub fn line(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.string()).collect()
    }
}

impl Piece {
    fn unknown() -> Self {
        Self { text: Text::Any("<unk>".into()), score: 0.0, kind: 2 }
    }

    fn byte(byte: u8) -> Self {
        Self { text: Text::Any(format!("<0x{byte:02X}>")), score: 0.0, kind: 6 }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut piece = Vec::new();
        field(&mut piece, 1, self.text.string().as_bytes());
        piece.push(2 << 3 | 5);
        piece.extend(self.score.to_le_bytes());
        number(&mut piece, 3, u64::from(self.kind % 7));
        piece
    }
}

impl Text {
    fn string(&self) -> String {
        let letter = |letter: &Letter| match letter {
            Letter::A => 'a',
            Letter::B => 'b',
            Letter::Mark => '\u{2581}',
            Letter::Umlaut => 'ä',
            Letter::Emoji => '😀',
        };
        match self {
            Self::Letters(letters) => letters.iter().map(letter).collect(),
            Self::Any(text) => text.clone(),
        }
    }
}

impl Normalizer {
    fn bytes(&self) -> Vec<u8> {
        let mut spec = Vec::new();
        if let Some(table) = &self.table {
            field(&mut spec, 2, &table.bytes());
        }
        number(&mut spec, 3, u64::from(self.dummy_prefix));
        number(&mut spec, 4, u64::from(self.squeeze_blanks));
        number(&mut spec, 5, u64::from(self.escape_blanks));
        spec
    }
}

impl Table {
    fn bytes(&self) -> Vec<u8> {
        let mut units = [0_u32; 512];
        // A root whose children are in the second block.
        units[0] = 256 << 10;
        for (i, &(at, unit)) in self.units.iter().enumerate() {
            units[usize::from(at) + if i % 2 == 0 { 256 } else { 0 }] = unit;
        }
        let trie = units.map(u32::to_le_bytes).concat();
        [&(trie.len() as u32).to_le_bytes()[..], &trie, &self.replacements, &[0]].concat()
    }
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn number(out: &mut Vec<u8>, field: u64, value: u64) {
    varint(out, field << 3);
    varint(out, value);
}

fn field(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    varint(out, field << 3 | 2);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// What opens must take any text, and any ids.
pub fn use_model(bytes: &[u8], line: &str) {
    let model = match SentencePieceModel::from_bytes(bytes) {
        Ok(model) => model,
        Err(error) => return check_message(&error),
    };
    try_text(&model, line);
}

/// The model takes any text, and any ids.
pub fn try_text(model: &SentencePieceModel, line: &str) {
    let mut scratch = Scratch::default();
    let mut ids = Vec::new();
    for text in LINES.into_iter().chain([line]) {
        model.encode_with(&mut scratch, text, &mut ids);
        assert!(ids.iter().all(|id| id.index() < model.len()), "an id beyond the model");
        let pieces = model.encode_pieces(text);
        assert_eq!(pieces.len(), ids.len(), "pieces and ids of {text:?}");
        let _ = model.decode(&ids);
        let _ = model.decode_pieces(pieces.iter().map(String::as_str));
    }
    let all: Vec<_> = (0..model.len() as u32 + 2).map(WordId).collect();
    let _ = model.decode(&all);
    for &id in &all {
        let _ = (model.piece(id), model.score(id), model.is_control(id), model.is_unknown(id));
    }
    assert!(model.bytes().all(|(id, _)| all.contains(&id)), "a byte's piece");
}
