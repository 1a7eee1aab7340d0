//! Pieces by fairseq's numbers, as mBART's and NLLB's models have them.

use super::file::{Kind, ModelFile, Piece};
use super::{SentencePieceError as Error, SentencePieceModel};
use std::collections::BTreeMap;

/// The first words of fairseq's vocabularies, in place of the first three pieces.
const FIRST: [(&str, Kind); 4] =
    [("<s>", Kind::Control), ("<pad>", Kind::Control), ("</s>", Kind::Control), ("<unk>", Kind::Unknown)];

/// The number of words of a model's own that [`FIRST`] replace: `<unk>`, `<s>`, `</s>`.
const REPLACED: usize = 3;

impl SentencePieceModel {
    /// Reads the model from the bytes of its file and numbers its pieces as fairseq does; `words` name languages.
    ///
    /// # Errors
    /// If it is no valid model, or if a word of `words` has the id of a piece.
    pub fn from_fairseq(bytes: &[u8], words: &BTreeMap<String, u32>) -> Result<Self, Error> {
        let mut file = ModelFile::parse(bytes)?;
        let rest = file.pieces.split_off(file.pieces.len().min(REPLACED));
        let first = FIRST.into_iter().map(|(text, kind)| Piece { text, score: 0.0, kind });
        file.pieces = first.chain(rest).collect();
        (file.trainer.unk_piece, file.trainer.bos_piece) = ("<unk>", "<s>");
        (file.trainer.eos_piece, file.trainer.pad_piece) = ("</s>", "<pad>");
        let mut words: Vec<(&str, u32)> = words.iter().map(|(word, &id)| (&**word, id)).collect();
        words.sort_unstable_by_key(|&(_, id)| id);
        for (text, id) in words {
            if id as usize >= 1 << 22 || (id as usize) < file.pieces.len() {
                let pieces = file.pieces.len();
                let problem = format!("the language `{text}` has the id {id}, expected one after the {pieces} pieces");
                return Err(Error::Format(problem));
            }
            // Ids that no piece has.
            file.pieces.resize_with(id as usize, || Piece { text: "\0", score: 0.0, kind: Kind::Unused });
            file.pieces.push(Piece { text, score: 0.0, kind: Kind::Control });
        }
        Self::from_file(&file, None)
    }
}
