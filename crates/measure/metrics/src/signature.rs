//! Signatures: the settings that a score depends on, so that it can be repeated.

use crate::{Metric, ReferenceCount, Setting};

/// The version of sacreBLEU whose numbers, formats and signatures this crate reproduces.
///
/// A signature names the implementation whose numbers it has, so it has this version, not this crate's.
pub const SACREBLEU_VERSION: &str = "2.6.0";

/// How samples were drawn for a significance test or an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// Number of bootstrap samples, if any were drawn.
    pub bootstrap: Option<usize>,
    /// Number of trials of approximate randomisation, if there were any.
    pub randomization: Option<usize>,
    /// Seed of the random generator.
    pub seed: u64,
}

/// A signature: settings in sacreBLEU's order, the version last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    settings: Vec<Setting>,
}

impl Signature {
    /// The signature of scores of `metric` against this number of references.
    pub fn new(metric: &dyn Metric, references: ReferenceCount, sampling: Option<Sampling>) -> Self {
        let mut settings = vec![Setting::new("nrefs", "#", references.to_string())];
        if let Some(sampling) = sampling {
            let count = |key, short_key, n: Option<usize>| n.map(|n| Setting::new(key, short_key, n.to_string()));
            settings.extend(count("bs", "bs", sampling.bootstrap));
            settings.extend(count("ar", "ar", sampling.randomization));
            settings.push(Setting::new("seed", "rs", sampling.seed.to_string()));
        }
        settings.extend(metric.settings());
        settings.push(Setting::new("version", "v", SACREBLEU_VERSION));
        Self { settings }
    }

    /// The settings in order.
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// As `nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0`.
    pub fn long(&self) -> String {
        self.join(|setting| setting.key)
    }

    /// As `#:1|c:mixed|e:no|tok:13a|s:exp|v:2.6.0`.
    pub fn short(&self) -> String {
        self.join(|setting| setting.short_key)
    }

    fn join(&self, key: impl Fn(&Setting) -> &str) -> String {
        let pairs: Vec<String> = self.settings.iter().map(|s| format!("{}:{}", key(s), s.value)).collect();
        pairs.join("|")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bleu, BleuOptions};

    #[test]
    fn both_forms_name_all_settings() {
        let bleu = Bleu::new(BleuOptions::default()).unwrap();
        let plain = Signature::new(&bleu, ReferenceCount::Same(2), None);
        assert_eq!(plain.long(), "nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0");
        let sampling = Sampling { bootstrap: Some(1000), randomization: None, seed: 12345 };
        let sampled = Signature::new(&bleu, ReferenceCount::Varying, Some(sampling));
        assert_eq!(
            sampled.short(),
            "#:var|bs:1000|rs:12345|c:mixed|e:no|tok:tok|s:exp|v:2.6.0".replace("tok:tok", "tok:13a")
        );
    }
}
