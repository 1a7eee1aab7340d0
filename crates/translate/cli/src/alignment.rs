//! Word alignments as text.

use crate::io::append;
use metaphrase::{AlignmentKind, Attention};
use metaphrase_base::SixDigits;

/// Appends an alignment as Marian prints it: pairs `source-target`; or, for soft alignments, weights. Commas separate
/// the weights of a target word, spaces the target words.
pub fn append_alignment(text: &mut String, attention: Option<&Attention>, kind: AlignmentKind) {
    let Some(attention) = attention else { return };
    let mut first = true;
    let mut separate = |text: &mut String, separator| {
        if !std::mem::take(&mut first) {
            text.push(separator);
        }
    };
    if kind != AlignmentKind::Soft {
        for (source, target) in attention.pairs(kind) {
            separate(text, ' ');
            append(text, format_args!("{source}-{target}"));
        }
        return;
    }
    for row in attention.weights.chunks_exact(attention.source_len) {
        for (source, weight) in row.iter().enumerate() {
            separate(text, if source == 0 { ' ' } else { ',' });
            append(text, format_args!("{}", SixDigits((*weight).into())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alignments_look_as_marians() {
        let attention = Attention { source_len: 3, weights: vec![0.1, 0.6, 0.3, 0.7, 0.2, 0.1, 0.4, 0.2, 0.4] };
        for (kind, expected) in
            [("hard", "0-1 0-2 1-0"), ("0.25", "0-1 0-2 1-0 2-0 2-2"), ("soft", "0.1,0.6,0.3 0.7,0.2,0.1 0.4,0.2,0.4")]
        {
            let mut text = String::new();
            append_alignment(&mut text, Some(&attention), kind.parse().unwrap());
            assert_eq!(text, expected);
        }
    }
}
