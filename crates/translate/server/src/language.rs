//! Languages: their codes and names.

/// Codes, English names and own names of languages that translation models have.
const NAMES: &[(&str, &str, &str)] = &[
    ("af", "Afrikaans", "Afrikaans"),
    ("ar", "Arabic", "العربية"),
    ("az", "Azerbaijani", "Azərbaycanca"),
    ("be", "Belarusian", "Беларуская"),
    ("bg", "Bulgarian", "Български"),
    ("bn", "Bengali", "বাংলা"),
    ("bs", "Bosnian", "Bosanski"),
    ("ca", "Catalan", "Català"),
    ("cs", "Czech", "Čeština"),
    ("cy", "Welsh", "Cymraeg"),
    ("da", "Danish", "Dansk"),
    ("de", "German", "Deutsch"),
    ("el", "Greek", "Ελληνικά"),
    ("en", "English", "English"),
    ("eo", "Esperanto", "Esperanto"),
    ("es", "Spanish", "Español"),
    ("et", "Estonian", "Eesti"),
    ("eu", "Basque", "Euskara"),
    ("fa", "Persian", "فارسی"),
    ("fi", "Finnish", "Suomi"),
    ("fr", "French", "Français"),
    ("ga", "Irish", "Gaeilge"),
    ("gl", "Galician", "Galego"),
    ("gu", "Gujarati", "ગુજરાતી"),
    ("he", "Hebrew", "עברית"),
    ("hi", "Hindi", "हिन्दी"),
    ("hr", "Croatian", "Hrvatski"),
    ("hu", "Hungarian", "Magyar"),
    ("hy", "Armenian", "Հայերեն"),
    ("id", "Indonesian", "Bahasa Indonesia"),
    ("is", "Icelandic", "Íslenska"),
    ("it", "Italian", "Italiano"),
    ("ja", "Japanese", "日本語"),
    ("ka", "Georgian", "ქართული"),
    ("kk", "Kazakh", "Қазақша"),
    ("kn", "Kannada", "ಕನ್ನಡ"),
    ("ko", "Korean", "한국어"),
    ("lt", "Lithuanian", "Lietuvių"),
    ("lv", "Latvian", "Latviešu"),
    ("mk", "Macedonian", "Македонски"),
    ("ml", "Malayalam", "മലയാളം"),
    ("mn", "Mongolian", "Монгол"),
    ("mr", "Marathi", "मराठी"),
    ("ms", "Malay", "Bahasa Melayu"),
    ("mt", "Maltese", "Malti"),
    ("nb", "Norwegian Bokmål", "Norsk bokmål"),
    ("nl", "Dutch", "Nederlands"),
    ("nn", "Norwegian Nynorsk", "Norsk nynorsk"),
    ("no", "Norwegian", "Norsk"),
    ("pl", "Polish", "Polski"),
    ("pt", "Portuguese", "Português"),
    ("pt-BR", "Portuguese (Brazil)", "Português (Brasil)"),
    ("ro", "Romanian", "Română"),
    ("ru", "Russian", "Русский"),
    ("sk", "Slovak", "Slovenčina"),
    ("sl", "Slovenian", "Slovenščina"),
    ("sq", "Albanian", "Shqip"),
    ("sr", "Serbian", "Српски"),
    ("sv", "Swedish", "Svenska"),
    ("sw", "Swahili", "Kiswahili"),
    ("ta", "Tamil", "தமிழ்"),
    ("te", "Telugu", "తెలుగు"),
    ("th", "Thai", "ไทย"),
    ("tl", "Tagalog", "Tagalog"),
    ("tr", "Turkish", "Türkçe"),
    ("uk", "Ukrainian", "Українська"),
    ("ur", "Urdu", "اردو"),
    ("vi", "Vietnamese", "Tiếng Việt"),
    ("zh", "Chinese", "中文"),
    ("zh-Hans", "Chinese (simplified)", "简体中文"),
    ("zh-Hant", "Chinese (traditional)", "繁體中文"),
];

/// The English and the own name of a language; the code itself if there is no name.
#[must_use]
pub fn names(code: &str) -> (String, String) {
    let found = NAMES.iter().find(|(known, _, _)| known.eq_ignore_ascii_case(code));
    found.map_or_else(|| (code.to_owned(), code.to_owned()), |(_, name, own)| ((*name).to_owned(), (*own).to_owned()))
}

/// Which of the `known` codes a client means: the same code in any case, else one of the same language (`EN-US` is
/// `en`, `pt` is `pt-BR` where there is no other, `zh` is `zh-Hans`).
#[must_use]
pub fn find<'a>(code: &str, known: &'a [String]) -> Option<&'a str> {
    let same = |known: &&String| known.eq_ignore_ascii_case(code) || known.replace('_', "-").eq_ignore_ascii_case(code);
    let base = |code: &str| code.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    let wanted = base(code);
    let found = known.iter().find(same).or_else(|| known.iter().find(|known| base(known) == wanted));
    found.map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_in_the_forms_that_clients_send() {
        let known = ["de", "en", "pt-BR", "zh-Hans"].map(String::from);
        for (code, expected) in [
            ("de", Some("de")),
            ("DE", Some("de")),
            ("EN-US", Some("en")),
            ("en_GB", Some("en")),
            ("pt", Some("pt-BR")),
            ("PT-PT", Some("pt-BR")),
            ("zh", Some("zh-Hans")),
            ("zz", None),
            ("", None),
        ] {
            assert_eq!(find(code, &known), expected, "{code}");
        }
        assert_eq!(names("de"), ("German".into(), "Deutsch".into()));
        assert_eq!(names("xx").0, "xx");
    }
}
