//! Moses' tools as filters: lines on stdin, lines on stdout.
//!
//! ```text
//! cargo run --release -p metaphrase-text --example moses -- tokenize en < raw > tokenised
//! ```

use std::error::Error;
use std::io::{self, BufRead, BufWriter, Write};

use metaphrase_text::moses::{
    MosesDetokenizer, MosesTokenizer, ProtectedPatterns, PunctuationNormalizer, TokenizerOptions,
};

const USAGE: &str = "usage: moses TOOL LANGUAGE
tools: tokenize, tokenize-raw (no entities), tokenize-web (protects addresses and tags),
       tokenize-dashes, detokenize, normalize";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [tool, lang] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let mut convert = converter(tool, lang).ok_or(USAGE)?;
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().split(b'\n') {
        let line = String::from_utf8(line?)?;
        writeln!(out, "{}", convert(&line))?;
    }
    Ok(out.flush()?)
}

type Converter = Box<dyn FnMut(&str) -> String>;

fn converter(tool: &str, lang: &str) -> Option<Converter> {
    let default = TokenizerOptions::default();
    let options = match tool {
        "tokenize" => default,
        "tokenize-raw" => TokenizerOptions {
            escape: false,
            ..default
        },
        "tokenize-dashes" => TokenizerOptions {
            aggressive_dashes: true,
            ..default
        },
        "tokenize-web" => TokenizerOptions {
            protected: ProtectedPatterns::web(),
            ..default
        },
        "detokenize" => {
            let tool = MosesDetokenizer::new(lang);
            return Some(Box::new(move |line| tool.detokenize_line(line)));
        }
        "normalize" => {
            let tool = PunctuationNormalizer::new(lang);
            return Some(Box::new(move |line| tool.normalize(line)));
        }
        _ => return None,
    };
    let tool = MosesTokenizer::with_options(lang, options);
    Some(Box::new(move |line| tool.tokenize_line(line)))
}
