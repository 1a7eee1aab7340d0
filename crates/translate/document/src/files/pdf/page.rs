//! The letters of a page: the operators of its content that set and show text (ISO 32000-1, 9.3 and 9.4).

use super::lines::Letter;
use crate::Error;
use hayro_font::hayro_cmap::BfString;
use hayro_font::hayro_syntax::content::TypedIter;
use hayro_font::hayro_syntax::content::ops::TypedInstruction;
use hayro_font::hayro_syntax::object::dict::keys::{MATRIX, RESOURCES, SUBTYPE};
use hayro_font::hayro_syntax::object::{Array, Dict, Name, Object};
use hayro_font::hayro_syntax::page::Resources;
use hayro_font::kurbo::{Affine, Point};
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, UNITS_PER_EM};
use std::sync::Arc;

/// The most instructions of a document: a form that shows others many times is a page that never ends.
const INSTRUCTIONS: usize = 50_000_000;
/// Forms and states of graphics inside each other, at most.
const DEEPEST: usize = 16;
const STATES: usize = 256;

/// What the operators of text have set.
#[derive(Clone, Default)]
struct TextState<'a> {
    /// From the space of the content to that of the page.
    place: Affine,
    font: Option<Font<'a>>,
    size: f64,
    /// The width of letters, as a multiple of that of the font.
    scale: f64,
    letter_space: f64,
    word_space: f64,
    leading: f64,
    rise: f64,
}

/// Reads pages; counts what all of them have.
pub(super) struct PageReader<'a> {
    fonts: FontCache<'a>,
    font_resolver: FontResolverFn,
    cmap_resolver: CMapResolverFn,
    instructions: usize,
    /// The letters of the page in work.
    pub(super) letters: Vec<Letter>,
    /// Letters whose characters are not known, and pictures.
    pub(super) unknown: usize,
    pub(super) pictures: usize,
}

impl<'a> PageReader<'a> {
    pub(super) fn new() -> Self {
        let font_resolver: FontResolverFn = Arc::new(|query| match query {
            FontQuery::Standard(font) => Some(font.get_font_data()),
            FontQuery::Fallback(query) => Some(query.pick_standard_font().get_font_data()),
        });
        let cmap_resolver: CMapResolverFn = Arc::new(|_| None);
        let (fonts, letters) = (FontCache::new(), Vec::new());
        Self { fonts, font_resolver, cmap_resolver, instructions: 0, letters, unknown: 0, pictures: 0 }
    }

    /// Reads the content of a page. `place`: from its space to that of the page, whose top is 0.
    pub(super) fn page(
        &mut self,
        content: TypedIter<'_>,
        resources: &Resources<'a>,
        place: Affine,
    ) -> Result<(), Error> {
        self.read(content, resources, TextState { place, scale: 1.0, ..TextState::default() }, 0)
    }

    fn read(
        &mut self,
        mut content: TypedIter<'_>,
        resources: &Resources<'a>,
        mut state: TextState<'a>,
        depth: usize,
    ) -> Result<(), Error> {
        let mut saved: Vec<TextState<'a>> = Vec::new();
        // Where the line began, and where the next letter stands.
        let (mut line, mut next) = (Affine::IDENTITY, Affine::IDENTITY);
        let down = |line: Affine, x: f64, y: f64| {
            let line = line * Affine::translate((x, y));
            (line, line)
        };
        while let Some(instruction) = content.next() {
            self.instructions += 1;
            if self.instructions > INSTRUCTIONS {
                return Err(Error::TooLarge { what: "instructions", limit: INSTRUCTIONS as u64 });
            }
            match instruction {
                TypedInstruction::SaveState(_) if saved.len() < STATES => saved.push(state.clone()),
                TypedInstruction::RestoreState(_) => state = saved.pop().unwrap_or(state),
                TypedInstruction::Transform(t) => {
                    let numbers = [t.0, t.1, t.2, t.3, t.4, t.5];
                    state.place *= Affine::new(numbers.map(|number| number.as_f64()));
                }
                TypedInstruction::BeginText(_) => (line, next) = (Affine::IDENTITY, Affine::IDENTITY),
                TypedInstruction::SetTextMatrix(t) => {
                    line = Affine::new([t.0, t.1, t.2, t.3, t.4, t.5].map(|number| number.as_f64()));
                    next = line;
                }
                TypedInstruction::TextFont(t) => {
                    let font = resources.get_font(t.0);
                    let font = font.and_then(|font| self.fonts.font(&font, &self.font_resolver, &self.cmap_resolver));
                    (state.font, state.size) = (font, t.1.as_f64());
                }
                TypedInstruction::NextLine(t) => (line, next) = down(line, t.0.as_f64(), t.1.as_f64()),
                TypedInstruction::NextLineAndSetLeading(t) => {
                    state.leading = -t.1.as_f64();
                    (line, next) = down(line, t.0.as_f64(), t.1.as_f64());
                }
                TypedInstruction::NextLineUsingLeading(_) => (line, next) = down(line, 0.0, -state.leading),
                TypedInstruction::NextLineAndShowText(t) => {
                    (line, _) = down(line, 0.0, -state.leading);
                    next = self.show(&state, line, t.0.as_bytes());
                }
                TypedInstruction::ShowTextWithParameters(t) => {
                    (state.word_space, state.letter_space) = (t.0.as_f64(), t.1.as_f64());
                    (line, _) = down(line, 0.0, -state.leading);
                    next = self.show(&state, line, t.2.as_bytes());
                }
                TypedInstruction::ShowText(t) => next = self.show(&state, next, t.0.as_bytes()),
                TypedInstruction::ShowTexts(t) => next = self.show_parts(&state, next, t.0),
                TypedInstruction::XObject(t) => self.object(t.0, resources, &state, depth)?,
                TypedInstruction::InlineImage(_) => self.pictures += 1,
                other => set(&mut state, &other),
            }
        }
        Ok(())
    }

    /// Reads a form inside a page, or counts a picture.
    fn object(
        &mut self,
        name: &Name<'_>,
        resources: &Resources<'a>,
        state: &TextState<'a>,
        depth: usize,
    ) -> Result<(), Error> {
        let Some(stream) = resources.get_x_object(name) else { return Ok(()) };
        let dict = stream.dict();
        let kind = dict.get::<Name<'_>>(SUBTYPE);
        if kind.as_ref().is_some_and(|kind| kind.as_str() == "Image") {
            self.pictures += 1;
        }
        if depth == DEEPEST || kind.is_none_or(|kind| kind.as_str() != "Form") {
            return Ok(());
        }
        let Ok(content) = stream.decoded_data() else { return Ok(()) };
        let matrix: Vec<f64> =
            dict.get::<Array<'_>>(MATRIX).iter().flat_map(|matrix| matrix.iter::<f32>()).map(f64::from).collect();
        let mut state = state.clone();
        if let Ok(matrix) = <[f64; 6]>::try_from(matrix) {
            state.place *= Affine::new(matrix);
        }
        let own = dict.get::<Dict<'a>>(RESOURCES).map(Resources::new);
        self.read(TypedIter::new(&content), own.as_ref().unwrap_or(resources), state, depth + 1)
    }

    /// Shows strings and the gaps between them, which are thousandths of the size; gives the place after them.
    fn show_parts(&mut self, state: &TextState<'a>, at: Affine, parts: &Array<'_>) -> Affine {
        let mut next = at;
        for part in parts.iter::<Object<'_>>() {
            match part {
                Object::String(text) => next = self.show(state, next, text.as_bytes()),
                Object::Number(gap) => {
                    let gap = -gap.as_f64() / f64::from(UNITS_PER_EM) * state.size * state.scale;
                    next *= Affine::translate((gap, 0.0));
                }
                _ => {}
            }
        }
        next
    }

    /// Shows a string; gives the place after it.
    fn show(&mut self, state: &TextState<'a>, at: Affine, bytes: &[u8]) -> Affine {
        let Some(font) = &state.font else {
            self.unknown += bytes.len();
            return at;
        };
        let (mut next, mut byte) = (at, 0);
        while byte < bytes.len() {
            let (code, length) = font.read_code(bytes, byte);
            byte += length.max(1);
            let advance = font.code_advance(code);
            let width = advance.x / f64::from(UNITS_PER_EM);
            let placed =
                state.place * next * Affine::new([state.size * state.scale, 0.0, 0.0, state.size, 0.0, state.rise]);
            match characters(font, code) {
                Some(text) => self.letter(text, placed, width),
                None => self.unknown += 1,
            }
            let blank = if code == 32 && length == 1 { state.word_space } else { 0.0 };
            let space = state.letter_space + blank;
            next *= if font.is_horizontal() {
                Affine::translate(((width * state.size + space) * state.scale, 0.0))
            } else {
                Affine::translate((0.0, advance.y / f64::from(UNITS_PER_EM) * state.size + space))
            };
        }
        next
    }

    fn letter(&mut self, text: String, placed: Affine, width: f64) {
        let [start, end, top] = [(0.0, 0.0), (width, 0.0), (0.0, 1.0)].map(|point| placed * Point::from(point));
        let letter = Letter { text, x: start.x, end: end.x, y: start.y, size: (top.y - start.y).abs() };
        if [letter.x, letter.end, letter.y, letter.size].iter().all(|number| number.is_finite()) && letter.size > 0.0 {
            self.letters.push(letter);
        }
    }
}

/// The characters of a code, if its font names them.
fn characters(font: &Font<'_>, code: u32) -> Option<String> {
    let found = match font.glyph(font.map_code(code), code) {
        FontGlyph::Outline(glyph) => glyph.as_unicode(),
        FontGlyph::Type3(glyph) => glyph.as_unicode(),
    };
    found.map(|found| match found {
        BfString::Char(c) => c.to_string(),
        BfString::String(text) => text,
    })
}

/// Operators that set one number.
fn set(state: &mut TextState<'_>, instruction: &TypedInstruction<'_, '_>) {
    match instruction {
        TypedInstruction::HorizontalScaling(t) => state.scale = t.0.as_f64() / 100.0,
        TypedInstruction::TextLeading(t) => state.leading = t.0.as_f64(),
        TypedInstruction::CharacterSpacing(t) => state.letter_space = t.0.as_f64(),
        TypedInstruction::WordSpacing(t) => state.word_space = t.0.as_f64(),
        TypedInstruction::TextRise(t) => state.rise = t.0.as_f64(),
        _ => {}
    }
}
