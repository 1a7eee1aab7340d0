/** A translated text as the page shows it: the server's answer, with the alternatives that the user chose. */

import type { Alternative, Sentence, Term, Translation } from "./api";

/** What is shown for one sentence. */
export interface Shown {
  sentence: Sentence;
  /** The text between the sentence before and this one. */
  gap: string;
  chosen: Alternative;
  terms: Term[];
}

export interface TranslatedText {
  sentences: Shown[];
  /** The text behind the last sentence. */
  rest: string;
  notes: string[];
}

/** The best translation of a sentence, in the form of an alternative. */
export function best(sentence: Sentence): Alternative {
  return {
    text: sentence.target.text,
    probability: sentence.probability,
    target_words: sentence.target_words,
    alignment: sentence.alignment,
  };
}

/** Puts an answer together with the choices: the text of a source sentence leads to the translation that the user chose for it. */
export function arrange(translation: Translation, choices: Map<string, Alternative>): TranslatedText {
  let end = 0;
  const sentences = translation.sentences.map((sentence) => {
    const gap = translation.text.slice(end, sentence.target.start);
    end = sentence.target.end;
    const choice = choices.get(sentence.source.text);
    const chosen = choice ?? best(sentence);
    const terms = choice ? sentence.terms.map((term) => locate(term, choice.text)) : sentence.terms;
    return { sentence, gap, chosen, terms };
  });
  return { sentences, rest: translation.text.slice(end), notes: translation.notes };
}

/** Finds a term in a translation other than the server's best. */
function locate(term: Term, text: string): Term {
  const lower = text.toLowerCase();
  for (const target of term.targets) {
    const start = lower.indexOf(target.toLowerCase());
    if (start >= 0) return { ...term, met: true, target: { start, end: start + target.length } };
  }
  return { ...term, met: false, target: null };
}

/** What the server notes about the text, but for missing terms, which the page shows by themselves. */
export function notesOf(text: TranslatedText): string[] {
  const complete = (terms: Term[]) => terms.every((term) => term.met);
  const ofSentences = text.sentences.filter(({ sentence }) => complete(sentence.terms)).flatMap(({ sentence }) => sentence.notes);
  const ofText = text.sentences.every(({ sentence }) => complete(sentence.terms)) ? text.notes : [];
  return [...new Set([...ofSentences, ...ofText])];
}

export function textOf(text: TranslatedText): string {
  return text.sentences.map((shown) => shown.gap + shown.chosen.text).join("") + text.rest;
}

/** The indices of the source words that a target word is aligned with. */
export function sourcesOf(shown: Shown, word: number): number[] {
  return (shown.chosen.alignment ?? []).filter(([, target]) => target === word).map(([source]) => source);
}

/** The indices of the target words that a source word is aligned with. */
export function targetsOf(shown: Shown, word: number): number[] {
  return (shown.chosen.alignment ?? []).filter(([source]) => source === word).map(([, target]) => target);
}

/** The source words that a target word is aligned with, as one text. */
export function sourceText(shown: Shown, word: number): string {
  const { text } = shown.sentence.source;
  const words = sourcesOf(shown, word).flatMap((source) => shown.sentence.source_words?.[source] ?? []);
  return words.map(({ start, end }) => text.slice(start, end)).join(" ");
}
