/** The target pane: the translation, word by word. A word shows its alignment and confidence, and opens its alternatives. */

import { byId, cut, type Mark } from "./dom";
import { textOf, type Shown, type TranslatedText } from "./text";

/** Words below the first share are marked as uncertain, below the second as doubtful. */
const UNCERTAIN = 0.5;
const DOUBTFUL = 0.2;

interface Events {
  point(sentence: number, word: number): void;
  leave(): void;
  pick(sentence: number, word: number, at: HTMLElement): void;
}

export class Output {
  readonly element = byId("output");
  private current: HTMLElement | null = null;

  constructor(private readonly events: Events) {
    this.element.addEventListener("pointermove", (event) => {
      const word = wordAt(event.target);
      if (word) events.point(...keyOf(word));
      else events.leave();
    });
    this.element.addEventListener("pointerleave", () => events.leave());
    this.element.addEventListener("click", (event) => this.clicked(event));
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    this.element.addEventListener("blur", () => this.select(null));
  }

  show(text: TranslatedText | null): void {
    const pieces = text?.sentences.flatMap((shown, index) => [shown.gap, this.sentence(shown, index)]) ?? [];
    this.current = null;
    this.element.replaceChildren(...pieces, text?.rest ?? "");
    this.element.dataset.size = text && textOf(text).length > 240 ? "small" : "large";
    this.element.toggleAttribute("data-empty", !text);
  }

  /** Whether words are underlined. */
  get hesitates(): boolean {
    return this.element.hasAttribute("data-confidence") && this.element.querySelector(".uncertain, .doubtful") !== null;
  }

  highlight(sentence: number, words: number[]): void {
    for (const marked of this.element.querySelectorAll(".aligned")) marked.classList.remove("aligned");
    for (const word of words) {
      for (const span of this.element.querySelectorAll(`[data-key="${sentence}.${word}"]`)) span.classList.add("aligned");
    }
  }

  private sentence({ chosen, terms }: Shown, index: number): HTMLElement {
    const marks: Mark[] = (chosen.target_words ?? []).map((word, at) => ({
      ...word,
      class: `word ${confidence(word.probability)}`.trim(),
      key: `${index}.${at}`,
    }));
    for (const term of terms) if (term.target) marks.push({ ...term.target, class: "term met" });
    const span = document.createElement("span");
    span.dataset.sentence = String(index);
    span.append(...cut(chosen.text, marks));
    return span;
  }

  private clicked(event: MouseEvent): void {
    const word = wordAt(event.target);
    if (!word || !getSelection()?.isCollapsed) return;
    this.events.pick(...keyOf(word), word);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const words = [...this.element.querySelectorAll<HTMLElement>("[data-key]")];
    if ((event.key === "Enter" || event.key === " ") && this.current) {
      this.events.pick(...keyOf(this.current), this.current);
    } else {
      const next = neighbour(words, this.current, event.key);
      if (!next) return;
      this.select(next);
    }
    event.preventDefault();
  }

  private select(word: HTMLElement | null): void {
    this.current?.classList.remove("current");
    this.current = word;
    if (!word) return this.events.leave();
    word.classList.add("current");
    word.scrollIntoView({ block: "nearest" });
    this.events.point(...keyOf(word));
  }
}

function confidence(probability: number | undefined): string {
  if (probability === undefined || probability >= UNCERTAIN) return "";
  return probability >= DOUBTFUL ? "uncertain" : "doubtful";
}

function wordAt(target: EventTarget | null): HTMLElement | null {
  return (target as HTMLElement).closest<HTMLElement>("[data-key]");
}

function keyOf(word: HTMLElement): [number, number] {
  return word.dataset.key!.split(".").map(Number) as [number, number];
}

/** The word that a key leads to from the current one: the next, or the nearest of the line above or below. */
function neighbour(words: HTMLElement[], current: HTMLElement | null, key: string): HTMLElement | undefined {
  const at = current ? words.indexOf(current) : -1;
  if (key === "ArrowRight") return words[Math.min(at + 1, words.length - 1)];
  if (key === "ArrowLeft") return words[Math.max(at - 1, 0)];
  if (key === "Home") return words[0];
  if (key === "End") return words.at(-1);
  if (key !== "ArrowDown" && key !== "ArrowUp") return undefined;
  if (!current) return words[0];
  const { left, top } = current.getBoundingClientRect();
  const sign = key === "ArrowDown" ? 1 : -1;
  const distance = (word: HTMLElement) => {
    const place = word.getBoundingClientRect();
    const lines = (place.top - top) * sign;
    return lines < 2 ? Infinity : lines * 1000 + Math.abs(place.left - left);
  };
  const nearest = words.reduce((a, b) => (distance(b) < distance(a) ? b : a), current);
  return distance(nearest) === Infinity ? current : nearest;
}
