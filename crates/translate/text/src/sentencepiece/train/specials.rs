//! The pieces that every vocabulary has: their ids, texts and kinds.

use super::super::file::Kind;
use super::{TrainError as Error, TrainOptions};
use std::collections::{BTreeMap, HashSet};

/// Special pieces by id.
pub(super) struct Specials(BTreeMap<usize, (String, Kind)>);

impl Specials {
    pub(super) fn new(options: &TrainOptions) -> Result<Self, Error> {
        let ids = options.special_ids;
        let mut specials = Self(BTreeMap::new());
        let named = [("<unk>", Some(ids.unk)), ("<s>", ids.bos), ("</s>", ids.eos), ("<pad>", ids.pad)];
        for (text, id) in named.iter().filter_map(|&(text, id)| Some((text, id?))) {
            let kind = if text == "<unk>" { Kind::Unknown } else { Kind::Control };
            if specials.0.insert(id, (text.to_owned(), kind)).is_some() {
                let fault = "is that of another special piece, expected different ids";
                return Err(Error::SpecialId { piece: text.to_owned(), id, fault });
            }
        }
        specials.add_symbols(&options.control_symbols, Kind::Control)?;
        specials.add_symbols(&options.user_defined_symbols, Kind::UserDefined)?;
        if options.byte_fallback {
            let bytes: Vec<String> = (0..=255u8).map(|byte| format!("<0x{byte:02X}>")).collect();
            specials.add_symbols(&bytes, Kind::Byte)?;
        }
        match specials.0.last_key_value() {
            // With more special pieces than ids, the size of the vocabulary is too small.
            Some((&id, (piece, _))) if id >= options.vocab_size.max(specials.len()) => {
                Err(Error::SpecialId { piece: piece.clone(), id, fault: "is beyond vocab_size" })
            }
            _ => Ok(specials),
        }
    }

    /// Puts symbols on the first free ids.
    fn add_symbols(&mut self, symbols: &[String], kind: Kind) -> Result<(), Error> {
        let mut known: HashSet<String> = self.0.values().map(|(text, _)| text.clone()).collect();
        let mut id = 0;
        for symbol in symbols {
            let fault = if symbol.is_empty() {
                Some("is empty")
            } else if symbol.contains(['\0', ' ', '\n']) {
                Some("has a blank, line feed or zero byte; write U+2581 for a blank")
            } else if symbol.len() > 1000 {
                Some("is longer than 1000 bytes")
            } else if !known.insert(symbol.clone()) {
                Some("is already a special piece")
            } else {
                None
            };
            if let Some(fault) = fault {
                return Err(Error::Symbol { symbol: symbol.chars().take(40).collect(), fault });
            }
            while self.0.contains_key(&id) {
                id += 1;
            }
            self.0.insert(id, (symbol.clone(), kind));
        }
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, id: usize) -> Option<(&str, Kind)> {
        self.0.get(&id).map(|(text, kind)| (text.as_str(), *kind))
    }

    /// Texts and kinds in the order of the ids.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, Kind)> {
        self.0.values().map(|(text, kind)| (text.as_str(), *kind))
    }
}
