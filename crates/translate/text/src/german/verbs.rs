//! German verbs: their forms, and the particle that stands at the end of the clause.

use crate::{capitalised, letter_runs};
use std::ops::Range;

/// Particles of verbs, the longer ones first where one begins with another.
const PARTICLES: &[&str] = &[
    "ab",
    "an",
    "aufrecht",
    "auf",
    "auseinander",
    "aus",
    "bei",
    "bereit",
    "dar",
    "durcheinander",
    "ein",
    "fest",
    "fort",
    "frei",
    "heran",
    "heraus",
    "herein",
    "herunter",
    "hervor",
    "her",
    "hinaus",
    "hinein",
    "hinunter",
    "hinzu",
    "hin",
    "hoch",
    "los",
    "mit",
    "nach",
    "nieder",
    "stand",
    "statt",
    "still",
    "teil",
    "um",
    "überein",
    "voran",
    "voraus",
    "vorbei",
    "vor",
    "weg",
    "weiter",
    "wiederher",
    "zurecht",
    "zurück",
    "zusammen",
    "zu",
];

/// Verbs that begin like a particle and have none.
const WITHOUT: &[&str] = &["abonnieren", "antworten", "umarmen", "umfassen", "umgeben"];

/// Words that end like verbs and are none.
const OTHER_WORDS: &[&str] = &[
    "abhanden",
    "einverstanden",
    "golden",
    "offen",
    "selten",
    "trocken",
    "verschieden",
    "vorhanden",
    "willkommen",
    "zufrieden",
];

/// Verbs that begin with `ge`; after a particle, other words of the kind are participles: `angemessen`.
const WITH_GE: &[&str] = &[
    "geben",
    "gehen",
    "gehören",
    "gelangen",
    "gelten",
    "genießen",
    "gestalten",
    "gestehen",
    "gewinnen",
    "gewöhnen",
    "gießen",
];

/// Beginnings of verbs whose participle has no `ge`.
const PREFIXES: &[&str] = &["be", "emp", "ent", "er", "ge", "hinter", "miss", "über", "unter", "ver", "wider", "zer"];

/// Beginnings of the verbs that may follow an infinitive.
const AUXILIARIES: &[&str] = &[
    "dürf", "darf", "hab", "hat", "hätt", "kann", "kön", "lass", "möcht", "muss", "müss", "soll", "werd", "wird",
    "will", "woll", "würd", "zu",
];

/// A verb that changes its vowel.
struct Strong {
    infinitive: &'static str,
    /// `er …`
    present: &'static str,
    past: &'static str,
    participle: &'static str,
}

const fn strong(
    infinitive: &'static str,
    present: &'static str,
    past: &'static str,
    participle: &'static str,
) -> Strong {
    Strong { infinitive, present, past, participle }
}

/// Common ones; others with a prefix are read as these.
const STRONG: &[Strong] = &[
    strong("beginnen", "beginnt", "begann", "begonnen"),
    strong("bieten", "bietet", "bot", "geboten"),
    strong("binden", "bindet", "band", "gebunden"),
    strong("bitten", "bittet", "bat", "gebeten"),
    strong("bleiben", "bleibt", "blieb", "geblieben"),
    strong("brechen", "bricht", "brach", "gebrochen"),
    strong("brennen", "brennt", "brannte", "gebrannt"),
    strong("bringen", "bringt", "brachte", "gebracht"),
    strong("denken", "denkt", "dachte", "gedacht"),
    strong("fahren", "fährt", "fuhr", "gefahren"),
    strong("fallen", "fällt", "fiel", "gefallen"),
    strong("fangen", "fängt", "fing", "gefangen"),
    strong("finden", "findet", "fand", "gefunden"),
    strong("fliegen", "fliegt", "flog", "geflogen"),
    strong("geben", "gibt", "gab", "gegeben"),
    strong("gehen", "geht", "ging", "gegangen"),
    strong("gießen", "gießt", "goss", "gegossen"),
    strong("greifen", "greift", "griff", "gegriffen"),
    strong("halten", "hält", "hielt", "gehalten"),
    strong("hängen", "hängt", "hing", "gehangen"),
    strong("heben", "hebt", "hob", "gehoben"),
    strong("helfen", "hilft", "half", "geholfen"),
    strong("kennen", "kennt", "kannte", "gekannt"),
    strong("kommen", "kommt", "kam", "gekommen"),
    strong("laden", "lädt", "lud", "geladen"),
    strong("lassen", "lässt", "ließ", "gelassen"),
    strong("laufen", "läuft", "lief", "gelaufen"),
    strong("leihen", "leiht", "lieh", "geliehen"),
    strong("lesen", "liest", "las", "gelesen"),
    strong("liegen", "liegt", "lag", "gelegen"),
    strong("messen", "misst", "maß", "gemessen"),
    strong("nehmen", "nimmt", "nahm", "genommen"),
    strong("nennen", "nennt", "nannte", "genannt"),
    strong("raten", "rät", "riet", "geraten"),
    strong("rufen", "ruft", "rief", "gerufen"),
    strong("scheiden", "scheidet", "schied", "geschieden"),
    strong("schieben", "schiebt", "schob", "geschoben"),
    strong("schlagen", "schlägt", "schlug", "geschlagen"),
    strong("schließen", "schließt", "schloss", "geschlossen"),
    strong("schneiden", "schneidet", "schnitt", "geschnitten"),
    strong("schreiben", "schreibt", "schrieb", "geschrieben"),
    strong("sehen", "sieht", "sah", "gesehen"),
    strong("sprechen", "spricht", "sprach", "gesprochen"),
    strong("stehen", "steht", "stand", "gestanden"),
    strong("steigen", "steigt", "stieg", "gestiegen"),
    strong("stoßen", "stößt", "stieß", "gestoßen"),
    strong("streichen", "streicht", "strich", "gestrichen"),
    strong("tragen", "trägt", "trug", "getragen"),
    strong("treffen", "trifft", "traf", "getroffen"),
    strong("treiben", "treibt", "trieb", "getrieben"),
    strong("treten", "tritt", "trat", "getreten"),
    strong("wachsen", "wächst", "wuchs", "gewachsen"),
    strong("weisen", "weist", "wies", "gewiesen"),
    strong("werben", "wirbt", "warb", "geworben"),
    strong("werfen", "wirft", "warf", "geworfen"),
    strong("ziehen", "zieht", "zog", "gezogen"),
];

/// A German verb, as an infinitive.
///
/// ```
/// use metaphrase_text::german::Verb;
///
/// let verb = Verb::read("herunterladen").unwrap();
/// assert_eq!(verb.separate("Sie lädt jeden Tag Musik herunter."), Some(4..9));
/// assert!(verb.whole_forms().contains(&"heruntergeladen".to_owned()));
/// assert!(Verb::read("Haus").is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verb {
    /// What stands at the end of the clause: `herunter`, `neu`; empty for a verb without such a part.
    particle: String,
    /// Whether the particle is a word of its own before the infinitive: `neu starten`.
    is_own_word: bool,
    /// The infinitive without it: `laden`.
    base: String,
}

impl Verb {
    /// `None` if these words can not be an infinitive.
    #[must_use]
    pub fn read(infinitive: &str) -> Option<Self> {
        let (before, last) = infinitive.rsplit_once(' ').map_or(("", infinitive), |(before, last)| (before, last));
        let has_ending = ["en", "ern", "eln"].iter().any(|ending| last.ends_with(ending));
        let is_word = last.chars().count() >= 5 && last.chars().all(char::is_lowercase);
        if !has_ending || !is_word || OTHER_WORDS.contains(&last) {
            return None;
        }
        if !before.is_empty() {
            return Some(Self { particle: before.to_owned(), is_own_word: true, base: last.to_owned() });
        }
        let base_of = |particle: &&'static str| {
            let base = last.strip_prefix(*particle).filter(|base| base.chars().count() >= 5)?;
            Some((*particle, base))
        };
        let is_participle = |base: &str| base.starts_with("ge") && !WITH_GE.contains(&base);
        let separable = PARTICLES.iter().find_map(base_of).filter(|_| !WITHOUT.contains(&last));
        let (particle, base) = separable.unwrap_or(("", last));
        (particle.is_empty() || !is_participle(base)).then(|| Self {
            particle: particle.to_owned(),
            is_own_word: false,
            base: base.to_owned(),
        })
    }

    /// The forms of the verb where its particle stands apart; none if it has no particle.
    #[must_use]
    pub fn separate_forms(&self) -> Vec<String> {
        if self.particle.is_empty() { Vec::new() } else { self.finite() }
    }

    /// The infinitive without its particle's blank: what stands before the verb in one word or in two.
    fn joined(&self, form: &str) -> String {
        let blank = if self.is_own_word { " " } else { "" };
        format!("{}{blank}{form}", self.particle)
    }

    /// The strong verb that the base is, with a prefix or without, and this prefix.
    fn strong(&self) -> Option<(&str, &'static Strong)> {
        STRONG.iter().find_map(|strong| {
            let prefix = self.base.strip_suffix(strong.infinitive)?;
            (prefix.is_empty() || PREFIXES.contains(&prefix)).then_some((prefix, strong))
        })
    }

    fn stem(&self) -> &str {
        self.base.strip_suffix("en").or_else(|| self.base.strip_suffix('n')).unwrap_or(&self.base)
    }

    /// `e` between the stem and an ending with `t`, if the stem needs it: `meldet`, `zeichnet`.
    fn vowel_before_t(&self) -> &'static str {
        let needs = ["d", "t", "chn", "ffn", "tm"].iter().any(|end| self.stem().ends_with(end));
        if needs { "e" } else { "" }
    }

    /// The forms that stand in the place of a verb, without the particle: `er …`, `wir …`, `ich …`, `er …` and `wir …`
    /// in the past.
    fn finite(&self) -> Vec<String> {
        let stem = self.stem();
        let between = self.vowel_before_t();
        let (present, past, past_many) = match self.strong() {
            Some((prefix, strong)) => {
                let past = format!("{prefix}{}", strong.past);
                let many = if past.ends_with('e') { format!("{past}n") } else { format!("{past}en") };
                (format!("{prefix}{}", strong.present), past, many)
            }
            None => (format!("{stem}{between}t"), format!("{stem}{between}te"), format!("{stem}{between}ten")),
        };
        vec![present, self.base.clone(), format!("{stem}e"), past, past_many]
    }

    /// `heruntergeladen`.
    #[must_use]
    pub fn participle(&self) -> String {
        let stem = self.stem();
        let has_prefix = PREFIXES.iter().any(|prefix| stem.starts_with(prefix) && stem.len() > prefix.len() + 2);
        match self.strong() {
            Some(("", strong)) => self.joined(strong.participle),
            Some((prefix, strong)) => {
                self.joined(&format!("{prefix}{}", strong.participle.strip_prefix("ge").unwrap_or(strong.participle)))
            }
            None => {
                let between = self.vowel_before_t();
                let ge = if has_prefix || self.base.ends_with("ieren") { "" } else { "ge" };
                self.joined(&format!("{ge}{stem}{between}t"))
            }
        }
    }

    /// The infinitive, `herunterzuladen`, `heruntergeladen`.
    #[must_use]
    pub fn infinite_forms(&self) -> Vec<String> {
        let mut forms = vec![self.joined(&self.base)];
        if !self.particle.is_empty() {
            forms.push(self.joined(&format!("zu{}{}", if self.is_own_word { " " } else { "" }, self.base)));
        }
        forms.push(self.participle());
        forms
    }

    /// All forms in which the verb stands in one piece: the infinite ones, then `herunterlädt` and the like.
    #[must_use]
    pub fn whole_forms(&self) -> Vec<String> {
        let mut forms = self.infinite_forms();
        for form in self.finite() {
            let form = self.joined(&form);
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        forms
    }

    /// The place of the verb in a text in which its particle stands apart, at the end of the clause: that of `lädt` in
    /// `Sie lädt Musik herunter.`
    #[must_use]
    pub fn separate(&self, text: &str) -> Option<Range<usize>> {
        if self.particle.is_empty() {
            return None;
        }
        let forms = self.finite();
        letter_runs(text).find(|place| {
            let ends_in_particle = || {
                let rest = &text[place.end..clause_end(text, place.end)];
                rest.strip_suffix(&*self.particle).is_some_and(|rest| rest.ends_with(' '))
            };
            forms.contains(&text[place.clone()].to_lowercase()) && ends_in_particle()
        })
    }

    /// Whether a verb in one piece can not be right in a place of a text: its particle belongs to the end of the
    /// clause, and the clause goes on.
    #[must_use]
    pub fn is_misplaced(&self, text: &str, place: &Range<usize>) -> bool {
        let rest = &text[place.end..clause_end(text, place.end)];
        let next = rest.split_whitespace().next();
        !self.particle.is_empty() && next.is_some_and(|next| !is_auxiliary(next))
    }

    /// A text with other forms in the place of the infinitive, or of another form in one piece: the verb at its place
    /// and the particle at the end of the clause, the particle alone if the verb stands before it, and `zu` between
    /// them. None where the clause ends with it and has a verb that goes with it: `Er kann sich anmelden.`
    #[must_use]
    pub fn other_forms_in(&self, text: &str, place: Range<usize>) -> Vec<String> {
        let (before, after) = (&text[..place.start], &text[place.end..]);
        let clause = before.rfind([',', '.', ';', ':', '!', '?']).map_or(0, |sign| sign + 1);
        let end = clause_end(text, place.end) - place.end;
        let goes_with = |place: Range<usize>| is_auxiliary(&before[clause..][place].to_lowercase());
        if end == 0 && !before.ends_with("zu ") && letter_runs(&before[clause..]).any(goes_with) {
            return Vec::new();
        }
        let is_capital = text[place.clone()].starts_with(char::is_uppercase);
        let written = |form: &str| if is_capital { capitalised(form) } else { form.to_owned() };
        let mut texts = Vec::new();
        if let Some(before) = before.strip_suffix("zu ").filter(|_| !self.particle.is_empty() && !self.is_own_word) {
            texts.push(format!("{before}{}zu{}{after}", self.particle, self.base));
        }
        let forms = self.finite();
        for form in &forms {
            let particle = if self.particle.is_empty() { String::new() } else { format!(" {}", self.particle) };
            texts.push(format!("{before}{}{}{particle}{}", written(form), &after[..end], &after[end..]));
        }
        let has_verb =
            letter_runs(&before[clause..]).any(|place| forms.contains(&before[clause..][place].to_lowercase()));
        if has_verb && !self.particle.is_empty() {
            texts.push(format!("{before}{}{after}", self.particle));
        }
        texts.retain(|other| other != text);
        texts
    }
}

fn is_auxiliary(word: &str) -> bool {
    AUXILIARIES.iter().any(|stem| word.starts_with(stem))
}

/// Where the clause ends that a place of a text is in: before a sign or a conjunction.
fn clause_end(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    let sign = rest.find([',', '.', ';', ':', '!', '?', '(', ')', '"', '“', '”', '\n']);
    let conjunction = [" und ", " oder ", " aber "].iter().filter_map(|word| rest.find(word)).min();
    from + sign.into_iter().chain(conjunction).min().unwrap_or(rest.trim_end().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_have_their_forms() {
        for (infinitive, expected) in [
            ("herunterladen", &["herunterzuladen", "heruntergeladen", "herunterlädt", "herunterlade"][..]),
            ("anmelden", &["anzumelden", "angemeldet", "anmeldet", "anmeldete"]),
            ("stornieren", &["storniert", "stornierten"]),
            ("entfernen", &["entfernt", "entfernte"]),
            ("freigeben", &["freizugeben", "freigegeben", "freigibt", "freigab"]),
            ("neu starten", &["neu zu starten", "neu gestartet", "neu startet"]),
            ("sichern", &["gesichert", "sichert"]),
            ("unterzeichnen", &["unterzeichnet", "unterzeichnete"]),
            ("übereinstimmen", &["übereingestimmt", "übereinzustimmen"]),
            ("verschieben", &["verschoben", "verschiebt", "verschob", "verschoben"]),
        ] {
            let forms = Verb::read(infinitive).unwrap().whole_forms();
            assert_eq!(forms[0], infinitive);
            assert!(expected.iter().all(|form| forms.contains(&(*form).to_owned())), "{forms:?}");
        }
        for other in ["Essen", "rot", "tun", "den", "", "zufrieden", "angemessen", "vorhanden"] {
            assert!(Verb::read(other).is_none(), "{other}");
        }
        assert_eq!(Verb::read("antworten").unwrap().particle, "");
        assert_eq!(Verb::read("angehören").unwrap().particle, "an");
    }

    #[test]
    fn particles_stand_at_the_end_of_the_clause() {
        let verb = Verb::read("anmelden").unwrap();
        for (text, expected) in [
            ("Bitte melden Sie sich an, um zu lesen.", Some("melden")),
            ("Er meldete sich an und las.", Some("meldete")),
            ("Melden Sie sich an", Some("Melden")),
            ("Sie melden einen Fehler an der Tür.", None),
            ("Er meldet sich.", None),
            ("angemeldet", None),
        ] {
            assert_eq!(verb.separate(text).map(|place| &text[place]), expected, "{text}");
        }
    }

    #[test]
    fn an_infinitive_goes_with_another_verb() {
        let others = |text: &str| {
            let at = text.find("absenden").unwrap();
            Verb::read("absenden").unwrap().other_forms_in(text, at..at + 8)
        };
        assert!(others("Er kann es absenden.").is_empty() && others("Wird er es absenden?").is_empty());
        assert!(!others("Er absenden es.").is_empty());
    }

    #[test]
    fn an_infinitive_stands_at_the_end_of_its_clause() {
        for (text, expected) in [
            ("Wir anmelden das Kind am Montag.", true),
            ("Wir wollen das Kind anmelden.", false),
            ("Er fragt, ob sie sich anmelden können.", false),
            ("Sie anmelden", false),
        ] {
            let at = text.find("anmelden").unwrap();
            assert_eq!(Verb::read("anmelden").unwrap().is_misplaced(text, &(at..at + 8)), expected, "{text}");
        }
        assert!(!Verb::read("stornieren").unwrap().is_misplaced("Wir stornieren es.", &(4..14)));
    }

    #[test]
    fn an_infinitive_has_other_forms_in_its_place() {
        for (infinitive, text, expected) in [
            (
                "herunterladen",
                "Bitte herunterladen Sie die Datei, bevor er kommt.",
                "Bitte laden Sie die Datei herunter, bevor er kommt.",
            ),
            ("absenden", "Um das Formular zu absenden, klicken Sie.", "Um das Formular abzusenden, klicken Sie."),
            ("anmelden", "Bitte melden Sie sich anmelden, um zu lesen.", "Bitte melden Sie sich an, um zu lesen."),
            ("hochladen", "Hochladen Sie Fotos.", "Laden Sie Fotos hoch."),
            ("stornieren", "Sie stornieren es.", "Sie storniert es."),
            ("absenden", "Er bittet, es zu absenden.", "Er bittet, es abzusenden."),
            ("neu starten", "Die App neu starten automatisch", "Die App startet automatisch neu"),
        ] {
            let at = text.to_lowercase().find(infinitive).unwrap();
            let texts = Verb::read(infinitive).unwrap().other_forms_in(text, at..at + infinitive.len());
            assert!(texts.contains(&expected.to_owned()), "{texts:?}");
        }
    }
}
