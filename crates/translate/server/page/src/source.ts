/** The source pane: a text area, and behind it the same text with its terms and aligned words marked. */

import { byId, cut, type Mark } from "./dom";
import type { Shown, TranslatedText } from "./text";

export class Source {
  readonly area = byId<HTMLTextAreaElement>("source-text");
  private readonly backdrop = byId("source-marks");
  private shown: Shown[] = [];

  /** `point` hears which source word of which sentence the pointer or the caret is on. */
  constructor(point: (sentence: number, word: number) => void, leave: () => void) {
    this.area.addEventListener("input", () => this.draw());
    this.area.addEventListener("pointermove", (event) => {
      const key = keyAt(event);
      if (key) point(...key);
      else leave();
    });
    this.area.addEventListener("pointerleave", leave);
    this.draw();
  }

  get text(): string {
    return this.area.value;
  }

  set text(text: string) {
    this.area.value = text;
    this.draw();
  }

  show(text: TranslatedText | null): void {
    this.shown = text?.sentences ?? [];
    this.draw();
  }

  /** Marks these words of a sentence as aligned; no words: none is marked. */
  highlight(sentence: number, words: number[]): void {
    for (const marked of this.backdrop.querySelectorAll(".aligned")) marked.classList.remove("aligned");
    for (const word of words) {
      for (const span of this.backdrop.querySelectorAll(`[data-key="${sentence}.${word}"]`)) {
        span.classList.add("aligned");
      }
    }
  }

  /** Draws the marks of the sentences that the text still has in their places. */
  private draw(): void {
    const text = this.area.value;
    const pieces: (Node | string)[] = [];
    let end = 0;
    this.shown.forEach(({ sentence, terms }, index) => {
      const { start, text: source } = sentence.source;
      if (start < end || !text.startsWith(source, start)) return;
      const marks: Mark[] = (sentence.source_words ?? []).map((word, at) => ({ ...word, class: "word", key: `${index}.${at}` }));
      for (const term of terms) {
        if (term.source) marks.push({ ...term.source, class: term.met ? "term met" : "term missing" });
      }
      pieces.push(text.slice(end, start), ...cut(source, marks));
      end = start + source.length;
    });
    // The last line counts only if something follows its line break.
    this.backdrop.replaceChildren(...pieces, text.slice(end), "\u200b");
    this.area.dataset.size = this.backdrop.dataset.size = text.length > 240 ? "small" : "large";
  }
}

function keyAt(event: PointerEvent): [number, number] | null {
  for (const element of document.elementsFromPoint(event.clientX, event.clientY)) {
    const key = (element as HTMLElement).dataset?.key;
    if (key && element.closest("#source-marks")) return key.split(".").map(Number) as [number, number];
  }
  return null;
}
