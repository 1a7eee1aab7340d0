//! The vocabularies of a run.

use crate::data::check_line_counts;
use crate::error::TrainError;
use crate::output::Output;
use crate::recipe::{Data, Recipe, VocabularyRecipe};
use metaphrase_base::{MappedFile, checksum};
use metaphrase_models::{Vocabularies, VocabularyFiles};
use metaphrase_text::vocab::Vocabulary;

/// The vocabularies of a run, and their files.
pub(crate) struct RunVocabularies {
    pub(crate) files: Vocabularies,
    pub(crate) source: Vocabulary,
    pub(crate) target: Vocabulary,
}

impl RunVocabularies {
    pub(crate) fn open(recipe: &Recipe, output: &mut Output, threads: usize) -> Result<Self, TrainError> {
        let resume = output.checkpoint.is_some();
        if let (VocabularyRecipe::Train(_), false) = (&recipe.vocabulary, resume) {
            // Vocabularies take longer to train than lines to count.
            let Data { train, dev, .. } = &recipe.data;
            train.iter().chain([dev]).try_for_each(check_line_counts)?;
        }
        let run = output.path().to_owned();
        let files = recipe.vocabulary.prepare(&recipe.data.train, &run, &mut output.own, resume, threads)?;
        let open = |side: &VocabularyFiles| Vocabulary::open(&side.words);
        Ok(Self { source: open(&files.source)?, target: open(&files.target)?, files })
    }

    /// A checksum of the files.
    pub(crate) fn checksum(&self) -> std::io::Result<u64> {
        let Vocabularies { source, target } = &self.files;
        let [source, target] = [source, target].map(|side| MappedFile::open(&side.words));
        let sums = [checksum([&*source?]), checksum([&*target?])].map(u64::to_le_bytes);
        Ok(checksum([&sums[0][..], &sums[1]]))
    }
}
