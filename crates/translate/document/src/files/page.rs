//! Messages of ICU inside pages of HTML, as in Angular's templates: the texts of their branches are translated before
//! the text around them.

use super::icu::{self, Argument, Sign};
use crate::Options;
use crate::block::{Block, Sentences};
use crate::escape::{Base, Escape};
use crate::markup::{Inset, InsetKind, html_part, masked_page};
use std::ops::Range;

/// The arguments with branches of a page, and the page with other bytes in place of its markup.
fn arguments(page: &str, options: &Options, how: &Sentences<'_>) -> (Vec<Argument>, String) {
    if !options.keep.placeholders || !icu::may_have_arguments(page) {
        return Default::default();
    }
    let masked = masked_page(page, &options.copied, how);
    (icu::arguments(&masked), masked)
}

/// The arguments of a page as parts of its paragraphs.
pub(crate) fn insets(page: &str, options: &Options, how: &Sentences<'_>) -> Vec<Inset> {
    let inset = |argument: Argument| Inset { range: argument.range, kind: InsetKind::Argument };
    arguments(page, options, how).0.into_iter().map(inset).collect()
}

/// The texts of all branches.
pub(crate) fn branches(page: &str, options: &Options, how: &Sentences<'_>) -> Vec<Block> {
    let (arguments, masked) = arguments(page, options, how);
    let how = Sentences { escape: Escape::Markup, ..*how };
    let mut blocks = Vec::new();
    for text in icu::texts(page, &arguments) {
        let inset = |(found, sign): (Range<usize>, Sign)| Inset {
            range: text.range.start + found.start..text.range.start + found.end,
            kind: sign.into(),
        };
        let insets: Vec<Inset> = icu::signs(&masked[text.range.clone()], text.number).into_iter().map(inset).collect();
        let mut found = html_part(page, text.range.clone(), &insets, &options.copied, &how);
        found.iter_mut().for_each(|block| block.escape = Some(Escape::Message(Base::Markup)));
        blocks.extend(found);
    }
    blocks
}

/// The page with plurals for each category of the language of the translation.
pub(crate) fn complete(page: String, options: &Options, how: &Sentences<'_>) -> String {
    if options.target.is_empty() || !options.keep.placeholders || !icu::may_have_arguments(&page) {
        return page;
    }
    icu::complete(&page, &masked_page(&page, &options.copied, how), &options.target)
}
