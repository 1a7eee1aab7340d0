//! The bytes of a piece.

use super::SentencePieceModel;
use super::file::Kind;
use super::normalizer::SPACE_MARK;
use super::pieces::byte_of;
use metaphrase_base::WordId;

impl SentencePieceModel {
    /// Appends the bytes that a piece adds to a text, a blank for each mark; nothing for a control symbol.
    pub(crate) fn spell(&self, id: WordId, out: &mut Vec<u8>) {
        let (piece, kind) = (self.piece(id), self.pieces.get(id.index()).map_or(Kind::Unknown, |(_, kind)| kind));
        match kind {
            Kind::Control => {}
            Kind::Unknown => out.extend_from_slice(self.unk_surface.as_bytes()),
            Kind::Byte => out.extend(byte_of(piece)),
            _ => out.extend_from_slice(piece.replace(SPACE_MARK, " ").as_bytes()),
        }
    }
}
