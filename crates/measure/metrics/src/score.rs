//! A score, and its forms in the output of sacreBLEU's command line.

use crate::Signature;
use crate::json::{self, Value};

/// The score of a text under one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Name of the metric.
    pub name: String,
    /// The score, from 0 to 100; TER has no upper bound.
    pub value: f64,
    /// The text that is printed after the score, empty for most metrics.
    pub details: String,
    /// The confidence interval, if requested.
    pub interval: Option<Interval>,
}

/// The result of bootstrap resampling for a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Mean over the samples.
    pub mean: f64,
    /// Half the width of the interval that holds 95 % of the samples.
    pub half_width: f64,
}

impl Interval {
    /// As `μ = 27.9 ± 0.6`, with `width` digits after the point.
    fn format(&self, width: usize) -> String {
        format!("μ = {:.width$} ± {:.width$}", self.mean, self.half_width)
    }
}

impl Score {
    /// The score and its interval alone, with `width` digits after the point.
    pub fn format_value(&self, width: usize) -> String {
        match self.shown_interval() {
            Some(interval) => format!("{:.width$} ({})", self.value, interval.format(width)),
            None => format!("{:.width$}", self.value),
        }
    }

    /// sacreBLEU's line, as `BLEU|nrefs:1|case:mixed|... = 27.9 57.2/33.9/... (BP = ...)`.
    ///
    /// `signature` is the long or the short form of the signature.
    pub fn format(&self, width: usize, signature: &str) -> String {
        let mut line = format!("{}|{signature} = {}", self.name, self.format_value(width));
        if !self.details.is_empty() {
            line.push(' ');
            line.push_str(&self.details);
        }
        line
    }

    /// sacreBLEU's JSON object, one key a line, indented by one space.
    pub fn to_json(&self, width: usize, signature: &Signature) -> String {
        let number = |x: f64| Value::Number(rounded(x, width));
        let mut fields: Vec<(String, Value)> = vec![
            ("name".to_owned(), Value::Text(self.name.clone())),
            ("score".to_owned(), number(self.value)),
            ("signature".to_owned(), Value::Text(signature.long())),
        ];
        if let Some(interval) = self.shown_interval() {
            fields.push(("confidence_mean".to_owned(), number(interval.mean)));
            fields.push(("confidence_var".to_owned(), number(interval.half_width)));
            fields.push(("confidence".to_owned(), Value::Text(interval.format(width))));
        }
        if !self.details.is_empty() {
            fields.push(("verbose_score".to_owned(), Value::Text(self.details.clone())));
        }
        let settings = signature.settings().iter();
        fields.extend(settings.map(|setting| (setting.key.to_owned(), Value::Text(setting.value.clone()))));
        json::object(&fields, 1, 0)
    }

    /// sacreBLEU leaves out an interval around zero.
    fn shown_interval(&self) -> Option<&Interval> {
        self.interval.as_ref().filter(|interval| interval.mean > 0.0)
    }
}

/// The number that is printed with `width` digits after the point.
fn rounded(x: f64, width: usize) -> f64 {
    format!("{x:.width$}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_rounded_to_even_as_python_does() {
        for (x, width, expected) in
            [(0.25, 1, "0.2"), (0.75, 1, "0.8"), (2.5, 0, "2"), (3.5, 0, "4"), (27.125, 2, "27.12")]
        {
            assert_eq!(format!("{x:.width$}"), expected);
        }
    }

    #[test]
    fn a_line_has_the_interval_before_the_details() {
        let mut score = Score { name: "BLEU".into(), value: 27.94, details: "50.0/40.0 (...)".into(), interval: None };
        assert_eq!(score.format(1, "v:2"), "BLEU|v:2 = 27.9 50.0/40.0 (...)");
        score.interval = Some(Interval { mean: 27.96, half_width: 0.55 });
        assert_eq!(score.format(1, "v:2"), "BLEU|v:2 = 27.9 (μ = 28.0 ± 0.6) 50.0/40.0 (...)");
        score.interval = Some(Interval { mean: 0.0, half_width: 0.0 });
        assert_eq!(score.format_value(2), "27.94");
    }
}
