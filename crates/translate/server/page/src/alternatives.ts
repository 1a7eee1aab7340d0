/** The panel that a click on a word opens: other words in its place, and how the sentence goes on from each. */

import { Refused, type Alternative, type Pair } from "./api";
import { announce, byId, make, percent } from "./dom";
import { share } from "./share";
import { patiently } from "./live";
import { best, sourceText, type Shown } from "./text";

export interface Place {
  shown: Shown;
  word: number;
  at: HTMLElement;
  pair: Pair;
}

/** Number of words that are offered, and the number below which the model is asked for others once more. */
const SHOWN = 6;
const FEW = 3;

export class Alternatives {
  private readonly panel = byId("alternatives");
  private readonly list = byId("alternatives-list");
  private readonly title = byId("alternatives-title");
  private readonly own = byId<HTMLInputElement>("alternatives-own");
  private place: Place | null = null;
  private request = new AbortController();

  /** `choose` hears the translation that the user chose for a sentence. */
  constructor(
    private readonly choose: (sentence: Shown, alternative: Alternative) => void,
    private readonly closed: () => void,
  ) {
    this.panel.addEventListener("toggle", (event) => {
      if ((event as ToggleEvent).newState !== "closed") return;
      this.request.abort();
      this.place?.at.classList.remove("open");
      this.closed();
    });
    this.panel.addEventListener("keydown", (event) => this.pressed(event));
    byId("alternatives-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.proceed(this.own.value.trim());
    });
  }

  async open(place: Place): Promise<void> {
    this.place = place;
    this.title.replaceChildren(...heading(place));
    this.own.value = "";
    this.say("Searching…");
    byId("alternatives-shares").hidden = true;
    place.at.classList.add("open");
    this.panel.showPopover();
    this.moveTo(place.at);
    this.panel.focus();
    try {
      const start = startOf(place);
      const found = await this.find(place, start);
      if (found.length === 0) this.say("The model has no other word here.");
      else this.list.replaceChildren(...found.map((alternative) => this.item(alternative, start)));
      byId("alternatives-shares").hidden = found.length === 0;
      if (found.length > 0) announce(found.length === 1 ? "1 other word." : `${found.length} other words.`);
      this.moveTo(place.at);
    } catch (error) {
      if (!(error instanceof DOMException)) this.say(error instanceof Refused ? error.message : String(error));
    }
  }

  /** Other words in the place of one, each with the rest of its sentence. */
  private async find(place: Place, start: string): Promise<Alternative[]> {
    const { text } = place.shown.chosen;
    const spaced = /^\s/.test(text.slice(start.length));
    const word = (alternative: Alternative) => nextWord(alternative, start)[0];
    const own = text.slice(wordOf(place).start, wordOf(place).end);
    // An alternative may write on in the word before.
    const fits = (other: Alternative) =>
      other.text !== text && word(other) !== own && (!spaced || /^\s/.test(other.text.slice(start.length)));
    const found = (await this.ask(start, SHOWN)).filter(fits);
    const likeliest = (all: Alternative[]) => all.sort((a, b) => (chance(b, start) ?? 0) - (chance(a, start) ?? 0));
    if (found.length >= FEW) return likeliest(found);
    const words = [own, ...found.map(word)];
    const more = (await this.ask(start, SHOWN, words)).filter((other) => fits(other) && !words.includes(word(other)));
    return likeliest([...found, ...more]).slice(0, SHOWN);
  }

  /** Asks for translations that begin with `start` and differ in the next word. */
  private async ask(start: string, alternatives: number, avoid: string[] = []): Promise<Alternative[]> {
    const { shown, pair } = this.place!;
    this.request.abort();
    this.request = new AbortController();
    const translation = await patiently(
      {
        ...pair,
        text: shown.sentence.source.text,
        format: "lines",
        target_prefix: start,
        alternatives,
        distinct_next_word: alternatives > 0,
        avoid,
      },
      this.request.signal,
    );
    const sentence = translation.sentences[0];
    return sentence ? [best(sentence), ...sentence.alternatives] : [];
  }

  /** Goes on from the words that the user typed in place of the chosen one. */
  private async proceed(words: string): Promise<void> {
    if (!this.place || words === "") return;
    const start = startOf(this.place);
    const space = start === "" || /\s$/.test(this.place.shown.chosen.text.slice(0, wordOf(this.place).start)) ? " " : "";
    try {
      const [first] = await this.ask((start + space + words).trim(), 0);
      if (first) this.take(first);
    } catch (error) {
      if (!(error instanceof DOMException)) this.say(error instanceof Refused ? error.message : String(error));
    }
  }

  private take(alternative: Alternative): void {
    const { shown } = this.place!;
    this.panel.hidePopover();
    this.choose(shown, alternative);
  }

  private item(alternative: Alternative, start: string): HTMLElement {
    const [first, rest] = nextWord(alternative, start);
    return make(
      "li",
      {},
      make(
        "button",
        { type: "button", class: "choice", click: () => this.take(alternative) },
        make("span", { class: "choice-text" }, make("b", {}, first), rest),
        share(chance(alternative, start)),
      ),
    );
  }

  private say(message: string): void {
    announce(message);
    this.list.replaceChildren(make("li", { class: "hint" }, message));
  }

  /** Places the panel below the word, or above it where there is no room. On narrow screens the style sheet places it. */
  private moveTo(word: HTMLElement): void {
    const { left, top, bottom } = word.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.panel;
    const edge = 8;
    const below = bottom + edge + height <= innerHeight || top < height + edge;
    const style = this.panel.style;
    style.setProperty("--left", `${Math.max(edge, Math.min(left - 12, innerWidth - width - edge))}px`);
    style.setProperty("--top", `${below ? bottom + edge : top - edge - height}px`);
  }

  private pressed(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    const stops = [...this.panel.querySelectorAll<HTMLElement>("button.choice, input")];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    stops[at < 0 ? 0 : (at + step + stops.length) % stops.length]?.focus();
    event.preventDefault();
  }
}

function wordOf({ shown, word }: Place) {
  return shown.chosen.target_words![word]!;
}

/** The translation up to the word, without the space before the word. */
function startOf(place: Place): string {
  return place.shown.chosen.text.slice(0, wordOf(place).start).trimEnd();
}

function nextWord({ text, target_words }: Alternative, start: string): [string, string] {
  const next = target_words?.find((word) => word.start >= start.length);
  const end = next ? next.end : (/^\s*\S+/.exec(text.slice(start.length))?.[0].length ?? 0) + start.length;
  return [text.slice(start.length, end).trim(), text.slice(end)];
}

/** The probability of the first word after the start. */
function chance({ target_words }: Alternative, start: string): number | undefined {
  return target_words?.find((word) => word.start >= start.length)?.probability;
}

function heading(place: Place): (Node | string)[] {
  const { shown } = place;
  const word = wordOf(place);
  const source = sourceText(shown, place.word);
  const details = [source ? `from “${source}”` : "", word.probability === undefined ? "" : `${percent(word.probability)} sure`];
  return [
    make("b", {}, shown.chosen.text.slice(word.start, word.end)),
    make("span", { class: "muted" }, details.filter(Boolean).join(" · ")),
  ];
}
