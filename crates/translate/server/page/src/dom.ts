/** Small helpers around the browser's document. */

/** The element of index.html with this id. */
export function byId<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element with the id ${id}`);
  return found as T;
}

type Attributes = Record<string, string | boolean | ((event: Event) => void)>;

/** Makes an element. Functions become listeners, `true` an empty attribute, `false` no attribute. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** A use of an icon that index.html defines. */
export function icon(name: string): SVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

/** Fills an element `details` with notes; without notes it is hidden. */
export function listNotes(details: HTMLElement, notes: string[]): void {
  details.hidden = notes.length === 0;
  details.querySelector("summary")!.textContent = notes.length === 1 ? "1 note" : `${notes.length} notes`;
  details.querySelector("ul")!.replaceChildren(...notes.map((note) => make("li", {}, note)));
}

/** A part of a text, from `start` to before `end`, in UTF-16 units. */
export interface Range {
  start: number;
  end: number;
}

/** A range of a text that is shown with a class; `key` becomes `data-key`. */
export interface Mark extends Range {
  class: string;
  key?: string;
}

/** Cuts a text at the borders of its marks. Each marked piece is a `span` with the classes of all marks over it. */
export function cut(text: string, marks: Mark[]): (Node | string)[] {
  const borders = new Set([0, text.length]);
  for (const mark of marks) borders.add(mark.start).add(mark.end);
  const sorted = [...borders].filter((at) => at >= 0 && at <= text.length).sort((a, b) => a - b);
  return sorted.slice(1).map((end, index) => {
    const start = sorted[index]!;
    const over = marks.filter((mark) => mark.start <= start && end <= mark.end);
    const piece = text.slice(start, end);
    if (over.length === 0) return piece;
    const span = make("span", { class: [...new Set(over.map((mark) => mark.class))].join(" ") }, piece);
    const key = over.find((mark) => mark.key)?.key;
    if (key) span.dataset.key = key;
    return span;
  });
}

const announcer = byId("announcer");
let announcing = 0;

/** Lets screen readers say a message once the user has paused; a later message replaces it. */
export function announce(message: string, wait = 0): void {
  clearTimeout(announcing);
  announcing = window.setTimeout(() => (announcer.textContent = message), wait);
}

/** Copies a text. Over plain HTTP browsers have no clipboard for pages, and copy only what is selected. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const before = document.activeElement as HTMLElement | null;
  const area = make("textarea", { class: "hidden", "aria-hidden": "true", tabindex: "-1" });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  before?.focus();
}

/** `0.873` as `87 %`. */
export function percent(share: number): string {
  return share < 0.005 ? "<\u202f1\u202f%" : `${Math.round(share * 100)}\u202f%`;
}

/** Lets the browser save bytes under a name. */
export function saveAs(blob: Blob, name: string): void {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
