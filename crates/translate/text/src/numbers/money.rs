//! Currencies and per cent.

use super::Language;
use super::tokens::{Kind, Token};

/// The currency of a sign. All dollars are one, and ¥ is not distinguished from other signs of the same shape.
pub(super) fn currency_of_sign(sign: char) -> Option<&'static str> {
    Some(match sign {
        '$' | '＄' => "dollar",
        '€' => "euro",
        '£' => "pound",
        '¥' | '￥' => "yen",
        '₹' => "rupee",
        '₽' => "rouble",
        '₩' => "won",
        '₪' => "shekel",
        '₺' => "lira",
        '₴' => "hryvnia",
        '₫' => "dong",
        '¢' => "cent",
        _ => return None,
    })
}

/// The currency of a code in capital letters.
fn currency_of_code(code: &str) -> Option<&'static str> {
    Some(match code {
        "USD" | "AUD" | "CAD" | "NZD" | "HKD" | "SGD" => "dollar",
        "EUR" => "euro",
        "GBP" => "pound",
        "JPY" | "CNY" | "RMB" => "yen",
        "CHF" => "franc",
        "INR" => "rupee",
        "RUB" => "rouble",
        "KRW" => "won",
        "ILS" => "shekel",
        "TRY" => "lira",
        "SEK" | "NOK" | "DKK" | "CZK" | "ISK" => "crown",
        "PLN" => "zloty",
        "HUF" => "forint",
        "BRL" => "real",
        "ZAR" => "rand",
        "DM" | "DEM" => "mark",
        _ => return None,
    })
}

/// The currency of a word, in lower case.
fn currency_of_word(word: &str, language: Language) -> Option<&'static str> {
    Some(match (language, word) {
        (Language::English | Language::German, "dollar" | "dollars" | "buck" | "bucks") => "dollar",
        (Language::English | Language::German, "euro" | "euros" | "eur") => "euro",
        (Language::English, "pound" | "pounds" | "sterling" | "quid") | (Language::German, "pfund" | "pfunde") => {
            "pound"
        }
        // The sign ¥ is of both currencies.
        (Language::English | Language::German, "yen" | "yuan" | "renminbi") => "yen",
        (Language::English, "franc" | "francs") | (Language::German, "franken" | "francs" | "franc" | "fr") => "franc",
        (Language::English, "rupee" | "rupees") | (Language::German, "rupie" | "rupien") => "rupee",
        (Language::English, "ruble" | "rubles" | "rouble" | "roubles") | (Language::German, "rubel") => "rouble",
        (Language::English, "crown" | "crowns" | "krona" | "kronor" | "krone" | "kroner" | "koruna")
        | (Language::German, "krone" | "kronen") => "crown",
        (Language::English, "mark" | "marks" | "deutschmark" | "deutschmarks") | (Language::German, "mark") => "mark",
        (Language::English, "cent" | "cents") | (Language::German, "cent" | "cents") => "cent",
        (Language::English, "pence" | "penny") | (Language::German, "pence" | "penny") => "penny",
        (Language::English | Language::German, "zloty" | "zlotys" | "złoty") => "zloty",
        (Language::English, "peso" | "pesos") | (Language::German, "peso" | "pesos") => "peso",
        (Language::English, "lira" | "liras") | (Language::German, "lira" | "lire" | "liras") => "lira",
        _ if language == Language::German && word.starts_with("dollar") => "dollar",
        _ => return None,
    })
}

/// The currency that a token names. `text`: the text of the tokens.
pub(super) fn currency(token: &Token<'_>, text: &str, language: Language) -> Option<&'static str> {
    match token.kind {
        Kind::Sign(sign) => currency_of_sign(sign),
        Kind::Word => currency_of_word(&token.text, language).or_else(|| currency_of_code(&text[token.range.clone()])),
        Kind::Digits => None,
    }
}

/// Whether a token means per cent.
pub(super) fn is_percent(token: &Token<'_>, language: Language) -> bool {
    match (language, token.kind) {
        (_, Kind::Sign(sign)) => matches!(sign, '%' | '％' | '٪'),
        (Language::English, Kind::Word) => matches!(&*token.text, "percent" | "percentage" | "pct" | "cent"),
        (Language::German, Kind::Word) => token.text.starts_with("prozent"),
        _ => false,
    }
}

/// Whether a token is a compound with per cent: `zehnprozentig`.
pub(super) fn has_percent(token: &Token<'_>, language: Language) -> bool {
    is_percent(token, language) || (language == Language::German && token.text.contains("prozent"))
}

/// Words that are allowed between a number and the name of its currency: `5 US-Dollar`, `5 Swiss francs`.
fn is_between(token: &Token<'_>) -> bool {
    match token.kind {
        Kind::Sign(sign) => matches!(sign, '-' | '‑' | '.'),
        Kind::Word => matches!(
            &*token.text,
            "us" | "u"
                | "s"
                | "american"
                | "canadian"
                | "australian"
                | "swiss"
                | "british"
                | "hong"
                | "kong"
                | "schweizer"
        ),
        Kind::Digits => false,
    }
}

/// The currency after a number that ends at a token, and the token after its name.
pub(super) fn after(tokens: &[Token<'_>], end: usize, text: &str, language: Language) -> Option<(&'static str, usize)> {
    let between = tokens[end..].iter().take(4).take_while(|token| is_between(token)).count();
    let at = end + between;
    let found = currency(tokens.get(at)?, text, language)?;
    // `5. Mark` begins a sentence; `per 5. Cent` names no amount.
    let sentence = between > 0 && tokens[end].is_sign('.');
    (!sentence).then_some((found, at + 1))
}

/// The currency before a number that begins at a token, and the first token of its name.
pub(super) fn before(tokens: &[Token<'_>], at: usize, text: &str) -> Option<(&'static str, usize)> {
    let sign = at.checked_sub(1)?;
    let found = match tokens[sign].kind {
        Kind::Sign(sign) => currency_of_sign(sign)?,
        Kind::Word => currency_of_code(&text[tokens[sign].range.clone()])?,
        Kind::Digits => return None,
    };
    // `US$`, `A$`, `HK$`
    let country = sign.checked_sub(1).filter(|&at| {
        let glued = !tokens[sign].spaced && tokens[sign].kind != Kind::Word;
        glued && tokens[at].word().is_some_and(|word| word.len() <= 2)
    });
    Some((found, country.unwrap_or(sign)))
}
