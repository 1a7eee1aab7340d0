//! The lines of subtitles: a translation is divided among the subtitles of its sentence, and each part into lines.

use metaphrase_text::without_spaces;

/// How the text of one or more subtitles is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// What stands between the texts of the subtitles: the times of the next one.
    heads: Vec<String>,
    /// The lengths of the texts in the source.
    lengths: Vec<usize>,
    /// The longest line; 0: any.
    width: usize,
    line_end: &'static str,
}

/// A character or a tag of a text.
struct Unit<'t> {
    text: &'t str,
    /// How wide it is; a tag has no width.
    width: usize,
    is_tag: bool,
    /// Whether a line may end here: a blank is left out, all else stays.
    breaks: bool,
}

impl Layout {
    pub(crate) fn new(heads: Vec<String>, lengths: Vec<usize>, width: usize, crlf: bool) -> Self {
        Self { heads, lengths, width, line_end: if crlf { "\r\n" } else { "\n" } }
    }

    /// The text divided into subtitles and lines.
    pub(crate) fn apply(&self, text: &str) -> String {
        let text = in_order(text);
        let units = units(&text);
        let cuts = self.cuts(&units);
        let mut out = String::with_capacity(text.len() + 100);
        let mut open: Vec<&str> = Vec::new();
        let mut start = 0;
        for (number, end) in cuts.iter().copied().chain([units.len()]).enumerate() {
            let end = end.max(start);
            // Tags of a sentence are closed at the end of a subtitle and opened again in the next one.
            let mut part: String = if start < end { open.concat() } else { String::new() };
            self.lines(&units[start..end], &mut part);
            if start < end && !self.heads.is_empty() {
                for unit in units[start..end].iter().filter(|unit| unit.is_tag) {
                    follow(unit.text, &mut open);
                }
                part.extend(open.iter().rev().map(|tag| format!("</{}>", name(tag))).filter(|_| end < units.len()));
            }
            out.push_str(&part);
            if let Some(head) = self.heads.get(number) {
                out.push_str(head);
            }
            start = end + usize::from(units.get(end).is_some_and(|unit| unit.text == " "));
        }
        out
    }

    /// The units before which subtitles end.
    fn cuts(&self, units: &[Unit<'_>]) -> Vec<usize> {
        let total: usize = self.lengths.iter().sum::<usize>().max(1);
        let whole: usize = units.iter().map(|unit| unit.width).sum();
        let places: Vec<(usize, usize, bool)> = places(units);
        let (mut cuts, mut first, mut so_far) = (Vec::new(), 0, 0);
        for number in 0..self.heads.len() {
            so_far += self.lengths[number];
            let wanted = whole * so_far / total;
            let left = self.heads.len() - number - 1;
            // Each subtitle after it needs a place, too.
            let last = places.len().saturating_sub(left).max(first);
            let cost = |&(_, width, clause): &(usize, usize, bool)| {
                (width.abs_diff(wanted) + if clause { 0 } else { 6 }, width)
            };
            let best = (first..last).min_by_key(|&place| cost(&places[place]));
            match best {
                Some(best) => {
                    cuts.push(places[best].0);
                    first = best + 1;
                }
                None => cuts.push(units.len()),
            }
        }
        cuts
    }

    /// Appends a text in as few lines as its width allows, of about the same length.
    fn lines(&self, units: &[Unit<'_>], out: &mut String) {
        let whole: usize = units.iter().map(|unit| unit.width).sum();
        let raw: String = units.iter().map(|unit| unit.text).collect();
        // Lines that the sentences have already.
        let kept = raw.contains('\n') && raw.lines().count() <= 2 && raw.lines().all(|line| width(line) <= self.width);
        if self.width == 0 || kept {
            return out.push_str(&raw);
        }
        if whole <= self.width {
            return out.push_str(&raw.replace("\r\n", " ").replace('\n', " "));
        }
        let places = places(units);
        let count = whole.div_ceil(self.width);
        let (mut start, mut at, mut written) = (0, 0, 0);
        for line in 1..=count.max(2) {
            let left = whole - written;
            if left <= self.width && line > 1 {
                break;
            }
            let lines = count.max(2) + 1 - line;
            let wanted = written + left / lines.max(1);
            let fits = places[at..].iter().take_while(|place| place.1 <= written + self.width).count();
            let cost = |place: &(usize, usize, bool)| place.1.abs_diff(wanted) * 2 + if place.2 { 0 } else { 20 };
            let candidates = at..at + fits;
            let Some(best) = candidates.min_by_key(|&place| cost(&places[place])).or((at < places.len()).then_some(at))
            else {
                break;
            };
            let end = places[best].0;
            push(out, &units[start..end]);
            out.push_str(self.line_end);
            let blank = units[end].breaks && units[end].text.trim().is_empty();
            start = end + usize::from(blank);
            written = places[best].1 + usize::from(blank);
            at = best + 1;
        }
        push(out, &units[start.min(units.len())..]);
    }
}

/// Appends units with blanks for the ends of lines.
fn push(out: &mut String, units: &[Unit<'_>]) {
    for unit in units {
        out.push_str(if matches!(unit.text, "\n" | "\r\n") { " " } else { unit.text });
    }
}

/// The units before which a line may end, the width before each, and whether a clause ends there.
fn places(units: &[Unit<'_>]) -> Vec<(usize, usize, bool)> {
    let (mut found, mut width, mut last) = (Vec::new(), 0, ' ');
    for (number, unit) in units.iter().enumerate() {
        if unit.breaks && width > 0 {
            found.push((
                number,
                width,
                matches!(last, ',' | '.' | ';' | ':' | '!' | '?' | '…' | '–' | '—' | '，' | '、' | '。'),
            ));
        }
        width += unit.width;
        if !unit.is_tag {
            last = unit.text.chars().next_back().unwrap_or(last);
        }
    }
    found.retain(|place| place.1 < width);
    found
}

fn units(text: &str) -> Vec<Unit<'_>> {
    let mut units: Vec<Unit<'_>> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let end = |mark: char| rest.find(mark).filter(|end| !rest[..*end].contains('\n')).map(|end| end + 1);
        let tag = match c {
            '<' if rest[1..].starts_with(|c: char| c.is_alphanumeric() || c == '/') => end('>'),
            '{' if rest.starts_with("{\\") => end('}'),
            _ => None,
        };
        let reference = (c == '&').then(|| end(';').filter(|end| *end <= 10)).flatten();
        let length = tag.or(reference).unwrap_or(if rest.starts_with("\r\n") { 2 } else { c.len_utf8() });
        let closes = matches!(c, '，' | '、' | '。' | '！' | '？' | '」' | '』' | '）' | '：' | '；' | 'ー' | '…');
        let wide = without_spaces(c);
        let after_wide = units.last().is_some_and(|unit| unit.text.chars().next_back().is_some_and(without_spaces));
        let breaks =
            tag.is_none() && (c == ' ' || c == '\n' || rest.starts_with("\r\n") || (wide && after_wide && !closes));
        let width = if tag.is_some() {
            0
        } else if wide {
            2
        } else {
            1
        };
        units.push(Unit { text: &rest[..length], width, is_tag: tag.is_some(), breaks });
        at += length;
    }
    units
}

/// The width of a text without its tags.
pub(crate) fn width(text: &str) -> usize {
    units(text).iter().map(|unit| unit.width).sum()
}

/// The name of a tag.
fn name(tag: &str) -> &str {
    tag.trim_start_matches(['<', '/']).split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
}

/// Opens or closes a tag.
fn follow<'t>(tag: &'t str, open: &mut Vec<&'t str>) {
    if tag.starts_with("</") {
        if let Some(at) = open.iter().rposition(|known| name(known) == name(tag)) {
            open.remove(at);
        }
    } else if tag.starts_with('<') && !tag.ends_with("/>") && tag[1..].starts_with(char::is_alphabetic) {
        open.push(tag);
    }
}

/// The text with its time stamps in their order, wherever the translation has put their words.
fn in_order(text: &str) -> String {
    let is_stamp = |unit: &Unit<'_>| unit.is_tag && unit.text[1..].starts_with(|c: char| c.is_ascii_digit());
    let units = units(text);
    let mut stamps: Vec<&str> = units.iter().filter(|unit| is_stamp(unit)).map(|unit| unit.text).collect();
    if stamps.len() < 2 {
        return text.to_owned();
    }
    // Times of one length are in the order of their characters.
    stamps.sort_by_key(|stamp| (stamp.len(), *stamp));
    let mut stamps = stamps.into_iter();
    units.iter().map(|unit| if is_stamp(unit) { stamps.next().unwrap_or(unit.text) } else { unit.text }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> String {
        Layout::new(Vec::new(), vec![1], 42, false).apply(text)
    }

    #[test]
    fn lines_are_short_and_alike() {
        assert_eq!(lines("<i>Good morning, my friend.</i>"), "<i>Good morning, my friend.</i>");
        assert_eq!(
            lines("Der Garten ist sehr groß, und die Tür des alten Hauses steht offen."),
            "Der Garten ist sehr groß,\nund die Tür des alten Hauses steht offen."
        );
        assert_eq!(lines("One.\nTwo."), "One.\nTwo.");
        let long = lines(&"word ".repeat(30));
        assert!(long.lines().all(|line| width(line) <= 42), "{long}");
        let wide = lines(&"家".repeat(30));
        assert!(wide.lines().count() == 2 && wide.lines().all(|line| width(line) <= 42), "{wide}");
        assert_eq!(lines(&"x".repeat(100)), "x".repeat(100));
    }

    #[test]
    fn sentences_are_divided_among_subtitles() {
        let layout = Layout::new(vec!["\n\n2\nT\n".into()], vec![10, 20], 42, false);
        assert_eq!(layout.apply("eins zwei drei vier fünf sechs"), "eins zwei\n\n2\nT\ndrei vier fünf sechs");
        assert_eq!(layout.apply("<i>eins zwei drei</i>"), "<i>eins</i>\n\n2\nT\n<i>zwei drei</i>");
        assert_eq!(layout.apply("eins"), "eins\n\n2\nT\n");
        assert_eq!(in_order("<00:02.000>a <00:01.000>b"), "<00:01.000>a <00:02.000>b");
    }
}
