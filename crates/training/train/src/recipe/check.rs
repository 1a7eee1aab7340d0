//! Which numbers and networks of a recipe training can not work with.

use super::{Recipe, Validation, VocabularyKind, VocabularyRecipe};
use crate::TrainerSettings;
use metaphrase_models::Architecture;

/// A key, and what is wrong with it.
type Problem = (String, String);

impl Recipe {
    /// Networks and numbers that training can not work with.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut problems = self.problems_of_network();
        let TrainerSettings { loss, dropout, optimizer, accumulate, .. } = self.training.update;
        problems.extend(optimizer.problems().into_iter().map(|problem| {
            let key = format!("training.update.optimizer.{}", problem.name);
            (key.clone(), format!("`{key}` is {}, expected {}", problem.value, problem.expected))
        }));
        let mut check = |good: bool, key: &str, value: String, expected: &str| {
            if !good {
                problems.push((key.to_owned(), format!("`{key}` is {value}; it must be {expected}")));
            }
        };
        for (name, value) in [
            ("loss.label-smoothing", loss.label_smoothing),
            ("dropout.layer", dropout.layer),
            ("dropout.attention", dropout.attention),
            ("dropout.feed-forward", dropout.feed_forward),
            ("dropout.source-words", dropout.source_words),
            ("dropout.target-words", dropout.target_words),
            ("dropout.recurrent", dropout.recurrent),
            ("dropout.output", dropout.output),
        ] {
            let share = (0.0..1.0).contains(&value);
            check(share, &format!("training.update.{name}"), value.to_string(), "at least 0 and less than 1");
        }
        let Validation { beam_size, normalize, every, .. } = self.validation;
        for (key, value) in [
            ("training.update.loss.self-normalisation", loss.self_normalisation),
            ("training.update.loss.guided-alignment", loss.guided_alignment),
            ("validation.normalize", normalize),
        ] {
            check(value.is_finite() && value >= 0.0, key, value.to_string(), "0 or more");
        }
        check((1..=10_000).contains(&beam_size), "validation.beam-size", beam_size.to_string(), "from 1 to 10000");
        check(every > 0, "validation.every", "0".into(), "at least 1");
        let [updates, accumulate_key] = ["training.updates", "training.update.accumulate"];
        check(self.training.updates != Some(0), updates, "0".into(), "at least 1");
        check((1..=255).contains(&accumulate), accumulate_key, accumulate.to_string(), "from 1 to 255");
        let seconds = self.training.seconds.unwrap_or(1.0);
        let is_time = seconds.is_finite() && seconds > 0.0;
        check(is_time, "training.seconds", seconds.to_string(), "a number above 0");
        if let VocabularyRecipe::Train(vocabulary) = &self.vocabulary {
            let (size, coverage) = (vocabulary.size, vocabulary.coverage);
            check((1..1 << 22).contains(&size), "vocabulary.train.size", size.to_string(), "from 1 to 4194303");
            let covers = vocabulary.kind == VocabularyKind::Words || (0.98..=1.0).contains(&coverage);
            check(covers, "vocabulary.train.coverage", coverage.to_string(), "from 0.98 to 1");
        }
        if self.training.updates.is_none() && self.training.seconds.is_none() {
            let problem = "the key `training.updates` is missing, which `training.seconds` may replace";
            problems.push((updates.to_owned(), problem.to_owned()));
        }
        problems
    }

    fn problems_of_network(&self) -> Vec<Problem> {
        let (kind, tied) = match &self.model.architecture {
            Architecture::Transformer(network) => ("transformer", network.tied_embeddings),
            Architecture::Recurrent(network) => ("recurrent", network.tied_embeddings),
        };
        let problems = crate::networks::problems(&self.model.architecture).into_iter();
        let mut problems: Vec<Problem> = problems
            .map(|problem| {
                let key = format!("model.architecture.{kind}.{}", problem.key);
                (key.clone(), format!("`{key}`: {}", problem.sentence))
            })
            .collect();
        match &self.vocabulary {
            VocabularyRecipe::Train(training) if tied.source_target && !training.shared => problems.push((
                "vocabulary.train.shared".into(),
                "`vocabulary.train.shared` is false, but source and target words share a table of embeddings \
                 (tied-embeddings.source-target); set one of the two to the other's value"
                    .into(),
            )),
            _ => {}
        }
        problems
    }
}
