//! The languages of styles of OpenDocument, which inherit them from each other.

use super::primary;
use crate::markup::{Kind, Syntax, Token, attribute, scan};
use std::collections::HashMap;

/// Styles that inherit from each other, at most.
const DEEPEST: usize = 32;

/// The styles of a part of a document, by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Styles(HashMap<String, Style>);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Style {
    /// The language that it names.
    language: Option<&'static str>,
    /// The style from which it has its language, if it names none.
    parent: Option<String>,
}

impl Styles {
    /// The styles of a part that others refer to.
    pub(crate) fn of_part(text: &str) -> Self {
        if text.contains("fo:language") { Self::read(text, &scan(text, Syntax::Xml)) } else { Self::default() }
    }

    /// The styles of a part with these tokens.
    pub(super) fn read(text: &str, tokens: &[Token]) -> Self {
        let mut styles = HashMap::new();
        let mut open = String::new();
        for token in tokens {
            let Kind::Open(name, _) = &token.kind else { continue };
            let tag = &text[token.range.clone()];
            let value = |key: &str| attribute(tag, key).unwrap_or_default().to_owned();
            match name.as_str() {
                "style:style" => {
                    open = value("style:name");
                    let parent = Some(value("style:parent-style-name")).filter(|parent| !parent.is_empty());
                    styles.insert(open.clone(), Style { language: None, parent });
                }
                "style:default-style" => open.clear(),
                "style:text-properties" => {
                    if let (Some(code), Some(style)) = (attribute(tag, "fo:language"), styles.get_mut(&open)) {
                        // A code that names no language is none of the parent's either.
                        *style = Style { language: primary(code), parent: None };
                    }
                }
                _ => {}
            }
        }
        Self(styles)
    }

    /// The language of a style, here or in another part.
    pub(super) fn language(&self, name: &str, others: &Self) -> Option<&'static str> {
        let mut name = name;
        for _ in 0..DEEPEST {
            let style = self.0.get(name).or_else(|| others.0.get(name))?;
            match &style.parent {
                Some(parent) => name = parent,
                None => return style.language,
            }
        }
        None
    }
}
