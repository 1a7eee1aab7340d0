//! Words that a run's vocabulary has and that of the model with which the run begins has not, such as those of
//! `vocabulary extend`.

use metaphrase_base::WordId;
use metaphrase_kernels::Matrix;
use metaphrase_text::vocab::Vocabulary;

/// The mark of a new word in a vocabulary of pieces.
const SPACE_MARK: &str = "▁";

/// The new words, each with those in which the old vocabulary writes it.
pub(crate) struct NewWords(Vec<(usize, Vec<usize>)>);

impl NewWords {
    /// The words of `ours` that `theirs` lacks. All others have the same ids in both.
    ///
    /// # Errors
    /// The first word for which this does not hold: it is elsewhere in `theirs`, or `theirs` can not write it.
    pub(crate) fn between(theirs: &Vocabulary, ours: &Vocabulary) -> Result<Self, usize> {
        let mut new = Vec::new();
        for id in 0..theirs.len().min(ours.len()) {
            let word = ours.word(WordId::new(id));
            if word == theirs.word(WordId::new(id)) {
                continue;
            }
            let parts = parts(theirs, word).filter(|_| theirs.id(word).is_none());
            new.push((id, parts.ok_or(id)?));
        }
        if theirs.len() == ours.len() { Ok(Self(new)) } else { Err(theirs.len().min(ours.len())) }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Makes the row of each new word the mean of the rows of its parts.
    pub(crate) fn begin_rows(&self, table: &mut Matrix) {
        let old = table.clone();
        for (id, parts) in &self.0 {
            let row = table.row_mut(*id);
            row.fill(0.0);
            for &part in parts {
                row.iter_mut().zip(old.row(part)).for_each(|(sum, value)| *sum += value / parts.len() as f32);
            }
        }
    }

    /// Makes the number of each new word, in a table of one row, the mean of the numbers of its parts.
    pub(crate) fn begin_columns(&self, table: &mut Matrix) {
        let mean = |parts: &[usize]| parts.iter().map(|&part| table.row(0)[part]).sum::<f32>() / parts.len() as f32;
        let means: Vec<f32> = self.0.iter().map(|(_, parts)| mean(parts)).collect();
        self.0.iter().zip(means).for_each(|((id, _), mean)| table.row_mut(0)[*id] = mean);
    }
}

/// The ids in which a vocabulary writes a word that it lacks, `None` if they do not make the word.
fn parts(vocabulary: &Vocabulary, word: &str) -> Option<Vec<usize>> {
    let mut ids = Vec::new();
    vocabulary.encode(&word.replace(SPACE_MARK, " "), &mut ids);
    ids.pop(); // The end of the sentence.
    if !word.starts_with(SPACE_MARK) && ids.len() > 1 && vocabulary.word(ids[0]) == SPACE_MARK {
        ids.remove(0);
    }
    let known = !ids.is_empty() && !ids.iter().any(|&id| vocabulary.is_unknown(id));
    known.then(|| ids.iter().map(|id| id.index()).collect())
}
