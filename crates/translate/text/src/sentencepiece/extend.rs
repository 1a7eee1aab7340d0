//! A vocabulary whose least used pieces make room for characters that it lacks, so that a model that knows the others
//! can learn on.

use super::file::{Kind, ModelFile, ModelType};
use super::normalizer::SPACE_MARK;
use super::train::Message;
use super::wire::{Fields, Value};
use super::{Scratch, SentencePieceError as Error, SentencePieceModel};
use std::collections::HashMap;

/// A model with other pieces.
#[derive(Debug)]
pub struct ExtendedModel {
    /// The bytes of its file.
    pub model: Vec<u8>,
    /// The pieces that left and those that came in their places.
    pub replaced: Vec<(String, char)>,
}

/// Gives each of the `characters` that no piece covers a piece of its own in the unigram model whose file has these
/// bytes. They take the places of the pieces that `lines` use least, of those with two characters or more. All other
/// pieces keep their ids and scores.
///
/// # Errors
/// If `file` is no unigram model, if its normalisation changes a character, and if there are more characters than
/// pieces to leave.
pub fn extend<S: AsRef<str>>(
    file: &[u8],
    characters: &str,
    lines: impl IntoIterator<Item = S>,
) -> Result<ExtendedModel, Error> {
    let model = SentencePieceModel::from_bytes(file)?;
    let parsed = ModelFile::parse(file)?;
    if parsed.trainer.model_type != ModelType::Unigram {
        return Err(Error::Extension("only a unigram model's pieces can leave: others are made of each other".into()));
    }
    let new = lacking(&model, characters)?;
    let (used, uses) = count(&model, &new, lines);
    let all: u64 = used.iter().sum();
    let mut places: Vec<usize> = (0..parsed.pieces.len()).collect();
    places.retain(|&id| {
        let piece = &parsed.pieces[id];
        piece.kind == Kind::Normal && piece.text.chars().nth(1).is_some()
    });
    // Among equally rare pieces the last ones are removed: a trained model has the likelier ones first.
    places.sort_by_key(|&id| (used[id], usize::MAX - id));
    if places.len() < new.len() {
        let problem = format!("{} characters are to come, and {} pieces can leave", new.len(), places.len());
        return Err(Error::Extension(problem));
    }
    let share = |c: char| ((uses[&c] + 1) as f64 / (all + 1) as f64).ln() as f32;
    let new: HashMap<usize, char> = places.into_iter().zip(new).collect();
    let mut replaced: Vec<(usize, char)> = new.iter().map(|(&id, &c)| (id, c)).collect();
    replaced.sort_unstable();
    let model = with_pieces(file, |id| new.get(&id).map(|&c| (c, share(c))))?;
    let replaced = replaced.into_iter().map(|(id, c)| (parsed.pieces[id].text.to_owned(), c)).collect();
    Ok(ExtendedModel { model, replaced })
}

/// The characters that no piece covers, once each.
fn lacking(model: &SentencePieceModel, characters: &str) -> Result<Vec<char>, Error> {
    let (mut new, mut normalised) = (Vec::new(), Vec::new());
    for c in characters.chars().filter(|c| !c.is_whitespace()) {
        let text = c.to_string();
        if model.id(&text).is_some() || new.contains(&c) {
            continue;
        }
        model.normalizer.normalize(text.as_bytes(), model.indices.user_defined.as_ref(), &mut normalised);
        let read = String::from_utf8_lossy(&normalised).replace(SPACE_MARK, " ");
        let read = read.trim();
        if read != text {
            let problem = format!("the model reads `{c}` as `{read}`, so it would never use a piece for it");
            return Err(Error::Extension(problem));
        }
        new.push(c);
    }
    Ok(new)
}

/// How often the lines use each piece, and each of the characters.
fn count<S: AsRef<str>>(
    model: &SentencePieceModel,
    characters: &[char],
    lines: impl IntoIterator<Item = S>,
) -> (Vec<u64>, HashMap<char, u64>) {
    let mut used = vec![0; model.len()];
    let mut uses: HashMap<char, u64> = characters.iter().map(|&c| (c, 0)).collect();
    let (mut scratch, mut ids) = (Scratch::default(), Vec::new());
    for line in lines {
        ids.clear();
        model.encode_with(&mut scratch, line.as_ref(), &mut ids);
        ids.iter().for_each(|id| used[id.index()] += 1);
        for c in line.as_ref().chars() {
            if let Some(uses) = uses.get_mut(&c) {
                *uses += 1;
            }
        }
    }
    (used, uses)
}

/// The file with other pieces at the ids for which `new` gives them. All other fields are copied.
fn with_pieces(file: &[u8], new: impl Fn(usize) -> Option<(char, f32)>) -> Result<Vec<u8>, Error> {
    let (mut out, mut fields) = (Message::default(), Fields::new(file, 0));
    let (mut start, mut id) = (0, 0);
    while let Some(field) = fields.next()? {
        let end = match field.value {
            Value::Bytes(bytes) => field.offset + bytes.len(),
            _ => field.offset,
        };
        let is_piece = field.number == 1;
        match new(id).filter(|_| is_piece) {
            Some((c, score)) => out.piece(&c.to_string(), score, Kind::Normal),
            None => out.0.extend_from_slice(&file[start..end]),
        }
        id += usize::from(is_piece);
        start = end;
    }
    Ok(out.0)
}

#[cfg(test)]
mod tests {
    use super::super::train::{TrainOptions, train_bpe, train_unigram};
    use super::*;

    fn text() -> Vec<String> {
        (0..200).map(|n| format!("Der Zug {} fährt um {} Uhr nach Norden ab – pünktlich.", n % 7, n % 24)).collect()
    }

    fn options() -> TrainOptions {
        let coverage = 0.98; // Rare characters become bytes.
        TrainOptions { vocab_size: 312, character_coverage: coverage, byte_fallback: true, ..TrainOptions::default() }
    }

    #[test]
    fn characters_come_for_the_least_used_pieces() {
        let old = train_unigram(text(), &options(), |_| ()).unwrap().model;
        let before = SentencePieceModel::from_bytes(&old).unwrap();
        let ExtendedModel { model, replaced } = extend(&old, "– €ä r€", text()).unwrap();
        let after = SentencePieceModel::from_bytes(&model).unwrap();
        assert_eq!(before.len(), after.len());
        let mut came: Vec<char> = replaced.iter().map(|&(_, c)| c).collect();
        came.sort_unstable();
        let lacked: Vec<char> = ['ä', '–', '€'].into_iter().filter(|c| before.id(&c.to_string()).is_none()).collect();
        assert!(lacked.contains(&'€'));
        assert_eq!(came, lacked);
        for (left, c) in &replaced {
            let id = before.id(left).unwrap();
            assert_eq!(after.id(&c.to_string()), Some(id), "`{c}` has the place of `{left}`");
        }
        let same = (0..before.len()).map(|id| metaphrase_base::WordId(id as u32));
        assert_eq!(same.filter(|&id| before.piece(id) != after.piece(id)).count(), replaced.len());
        let line = "Der Zug fährt für 5 € – ab.";
        let mut ids = Vec::new();
        after.encode(line, &mut ids);
        assert_eq!(after.decode(&ids), line);
        assert!(after.bytes().all(|(id, byte)| byte.is_ascii() || !ids.contains(&id)), "{ids:?}");
        assert!(ids.contains(&after.id("€").unwrap()));
    }

    #[test]
    fn impossible_extensions_are_reported() {
        let unigram = train_unigram(text(), &options(), |_| ()).unwrap().model;
        let error = extend(&unigram, "…", text()).unwrap_err().to_string();
        assert_eq!(error, "the model reads `…` as `...`, so it would never use a piece for it");
        let no_bytes =
            train_unigram(text(), &TrainOptions { byte_fallback: false, vocab_size: 50, ..options() }, |_| ())
                .unwrap()
                .model;
        assert_eq!(extend(&no_bytes, "…", text()).unwrap_err().to_string(), error);
        assert_eq!(extend(&no_bytes, "€", text()).unwrap().replaced.len(), 1);
        let many: String = ('\u{4e00}'..'\u{5000}').collect();
        let error = extend(&unigram, &many, text()).unwrap_err().to_string();
        assert!(error.starts_with("512 characters are to come, and "), "{error}");
        let bpe = train_bpe(text(), &options(), |_| ()).unwrap().model;
        let error = extend(&bpe, "€", text()).unwrap_err().to_string();
        assert!(error.starts_with("only a unigram model's pieces can leave"), "{error}");
        assert!(extend(b"no model", "€", text()).is_err());
    }
}
