//! The scores of two models, one for each direction.

use crate::CorpusError;
use crate::read::Lines;
use metaphrase_base::shown;
use std::path::Path;

/// The scores of a file, a line each.
pub(crate) fn read(path: &Path) -> Result<Vec<f32>, CorpusError> {
    let mut lines = Lines::open(path)?;
    let mut scores = Vec::new();
    while let Some(line) = lines.next()? {
        let text = line.unwrap_or_default();
        let score = text.trim().parse().ok().filter(|score: &f32| !score.is_nan());
        let wrong = || CorpusError::Score { path: path.into(), line: lines.read, got: shown(&text) };
        scores.push(score.ok_or_else(wrong)?);
    }
    Ok(scores)
}

/// The dual conditional cross-entropy of a pair, which is lower for better pairs (Junczys-Dowmunt 2018, equation 2):
/// how far both models disagree, plus how unlikely they find the pair, both for each word. `scores` are ln
/// p(target|source) and ln p(source|target) of the whole sentences, `words` the numbers of words of source and target.
pub(crate) fn dual_cross_entropy(scores: [f32; 2], words: [usize; 2]) -> f32 {
    let [forward, backward] = [-scores[0] / words[1].max(1) as f32, -scores[1] / words[0].max(1) as f32];
    (forward - backward).abs() + (forward + backward) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_and_likelihood_count() {
        assert_eq!(dual_cross_entropy([-6.0, -4.0], [2, 3]), 2.0, "both models: 2 for each word");
        assert_eq!(dual_cross_entropy([-9.0, -2.0], [2, 3]), 4.0, "3 and 1: they disagree by 2");
    }

    #[test]
    fn a_line_that_is_no_score_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("scores");
        std::fs::write(&path, "-1.5\n-inf\n").expect("a file");
        assert_eq!(read(&path).expect("scores"), [-1.5, f32::NEG_INFINITY]);
        std::fs::write(&path, "-1.5\nx\n").expect("a file");
        let error = read(&path).expect_err("no score").to_string();
        assert!(
            error.ends_with("scores, line 2: expected a score, the logarithm of a probability, got `x`"),
            "{error}"
        );
    }
}
