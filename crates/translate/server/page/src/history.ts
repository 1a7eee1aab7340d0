/** The texts that were translated, the last one first. The list ends with the page, unless the user has the browser keep it. */

import { announce, byId, make } from "./dom";
import { save, settings, type Visit } from "./settings";

/** Number of texts, and the length of the longest one, in UTF-16 units. */
const MOST = 30;
const LONGEST = 5000;

export class History {
  private readonly list = byId("history-list");
  private readonly keep = byId<HTMLInputElement>("history-keep");
  private visits: Visit[] = settings.history;
  /** The first text of the list is the one that the user writes at. */
  private writing = false;

  /** `name` gives the name of a language, `reopen` shows a text again. */
  constructor(
    private readonly name: (code: string) => string,
    private readonly reopen: (visit: Visit) => void,
  ) {
    this.keep.checked = settings.keepHistory;
    this.keep.addEventListener("change", () => {
      save({ keepHistory: this.keep.checked });
      this.store();
    });
    byId("history-clear").addEventListener("click", () => {
      this.visits = [];
      this.writing = false;
      this.show();
      byId("source-text").focus();
      announce("The history is empty.");
    });
    this.show();
  }

  /** A text is translated. A text that is still being written takes the place of its earlier state. */
  note(visit: Visit): void {
    const [last] = this.visits;
    if (this.writing && last && related(last.text, visit.text)) this.visits.shift();
    this.writing = true;
    const others = this.visits.filter(({ text, target }) => text !== visit.text || target !== visit.target);
    this.visits = visit.text.length > LONGEST ? others : [visit, ...others].slice(0, MOST);
    this.show();
  }

  /** The next text is a new one. */
  close(): void {
    this.writing = false;
  }

  private show(): void {
    this.list.replaceChildren(...this.visits.map((visit) => this.item(visit)));
    byId("history").hidden = this.visits.length === 0;
    this.store();
  }

  private store(): void {
    save({ history: this.keep.checked ? this.visits : [] });
  }

  private item(visit: Visit): HTMLElement {
    const text = make("span", { class: "line", lang: visit.source, dir: "auto" }, visit.text.trim());
    const translation = make("span", { class: "line muted", lang: visit.target, dir: "auto" }, visit.translation.trim());
    const pair = make("span", { class: "share" }, `${this.name(visit.source)} → ${this.name(visit.target)}`);
    const click = () => this.reopen(visit);
    return make("li", {}, make("button", { type: "button", class: "choice", click }, make("span", { class: "lines" }, text, translation), pair));
  }
}

/** Whether one text came from the other by writing on: what they share at both ends is half of the shorter one. */
function related(a: string, b: string): boolean {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return (start + end) * 2 >= most;
}
