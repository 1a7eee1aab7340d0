/** The glossary editor: terms of one pair of languages, kept in the browser and sent with each request. */

import { readGlossary, Refused, sharedGlossaries, type Info, type Shared, type Term } from "./api";
import { announce, byId, icon, make, saveAs } from "./dom";
import { save, settings, type Entry } from "./settings";

type State = "met" | "missing" | "absent";

const SAYS: Record<State, string> = { met: "met", missing: "missing", absent: "not in the text" };
/** A table of more terms than this is slow to show and to send. */
const MOST = 2000;
const EMPTY: Entry = { source: "", target: [] };

export class Glossary {
  private readonly rows = byId<HTMLTableSectionElement>("glossary-rows");
  private readonly count = byId("glossary-count");
  private readonly file = byId<HTMLInputElement>("glossary-file");
  private readonly says = byId("glossary-says");
  private readonly choice = byId<HTMLSelectElement>("glossary-shared");
  private sharedOnes: Shared[] = [];
  private languages: [string, string] = ["", ""];
  private pair = "";
  private terms: Term[] = [];
  /** The number in the id of the next row's state, which describes the translation to screen readers. */
  private nextState = 0;

  constructor(private readonly changed: () => void) {
    byId("glossary-import").addEventListener("click", () => this.file.click());
    byId("glossary-export").addEventListener("click", () => this.download());
    this.file.addEventListener("change", () => void this.upload());
    this.rows.addEventListener("input", () => this.read());
    this.choice.addEventListener("change", () => {
      save({ shared: { ...settings.shared, [this.pair]: this.choice.value } });
      this.changed();
    });
  }

  /** Offers the glossaries that the server keeps. */
  async listShared(info: Info): Promise<void> {
    if (!info.glossaries) return;
    this.sharedOnes = await sharedGlossaries().catch(() => []); // without a key, the server shows none
    this.offerShared();
  }

  /** The server's glossary that is used with the terms of this pair. */
  shared(source: string, target: string): Shared | undefined {
    const id = settings.shared[`${source}-${target}`];
    return this.sharedOnes.find((glossary) => glossary.id === id);
  }

  private offerShared(): void {
    const fits = this.sharedOnes.filter(({ source, target }) => `${source}-${target}` === this.pair);
    const options = fits.map(({ id, name, entries }) => make("option", { value: id }, `${name} (${entries})`));
    this.choice.replaceChildren(make("option", { value: "" }, "Only these terms"), ...options);
    this.choice.value = fits.some(({ id }) => id === settings.shared[this.pair]) ? settings.shared[this.pair]! : "";
    this.choice.hidden = fits.length === 0;
  }

  /** Complete entries of a pair of languages. */
  entries(source: string, target: string): Entry[] {
    return settings.glossaries[`${source}-${target}`] ?? [];
  }

  /** Shows the entries of this pair. */
  open(source: string, target: string, title: string): void {
    byId("glossary-pair").textContent = title;
    if (this.pair === `${source}-${target}`) return;
    this.pair = `${source}-${target}`;
    this.languages = [source, target];
    this.says.textContent = "";
    this.fill(this.entries(source, target));
    this.offerShared();
  }

  /** Shows which of the entries the translation met. */
  report(terms: Term[]): void {
    this.terms = terms;
    for (const row of this.rows.rows) this.mark(row);
  }

  private fill(entries: Entry[]): void {
    this.rows.replaceChildren(...[...entries, EMPTY].map((entry) => this.row(entry)));
    this.report(this.terms);
    this.tell(entries.length);
  }

  private row(entry: Entry): HTMLTableRowElement {
    const field = (label: string, value: string, placeholder = "") =>
      make("input", { type: "text", "aria-label": label, value, placeholder, autocomplete: "off", spellcheck: "false" });
    const remove = make("button", { type: "button", class: "icon", "aria-label": "Remove this term", title: "Remove this term" }, icon("close"));
    const state = `term-state-${this.nextState++}`;
    const translation = field("Its translation", entry.target.join("; "));
    translation.setAttribute("aria-describedby", state);
    const row = make(
      "tr",
      {},
      make("td", {}, field("Term", entry.source, "Add a term")),
      make("td", {}, translation),
      make("td", { class: "state", id: state }),
      make("td", {}, remove),
    );
    remove.addEventListener("click", () => {
      (row.nextElementSibling ?? row.previousElementSibling)?.querySelector("input")?.focus();
      row.remove();
      this.read();
    });
    return row;
  }

  /** Takes the entries from the rows. An empty row is always there for the next term. */
  private read(): void {
    const last = this.rows.rows[this.rows.rows.length - 1];
    if (!last || entryOf(last).source !== "" || entryOf(last).target.length > 0) this.rows.append(this.row(EMPTY));
    const entries = [...this.rows.rows].map(entryOf).filter(({ source, target }) => source !== "" && target.length > 0);
    this.store(entries);
  }

  private store(entries: Entry[]): void {
    save({ glossaries: { ...settings.glossaries, [this.pair]: entries } });
    this.tell(entries.length);
    this.report(this.terms);
    this.changed();
  }

  private tell(entries: number): void {
    this.count.textContent = entries === 0 ? "" : String(entries);
  }

  private mark(row: HTMLTableRowElement): void {
    const { source, target } = entryOf(row);
    const cell = row.cells[2]!;
    const found = this.terms.filter((term) => term.text.toLowerCase() === source.toLowerCase());
    const state: State = found.length === 0 ? "absent" : found.every((term) => term.met) ? "met" : "missing";
    if (source === "" || target.length === 0) return cell.replaceChildren();
    if (cell.dataset.state === state && cell.firstChild) return;
    cell.dataset.state = state;
    cell.replaceChildren(...(state === "absent" ? [] : [icon(state)]), SAYS[state]);
  }

  private async upload(): Promise<void> {
    const file = this.file.files?.[0];
    if (!file) return;
    this.file.value = "";
    this.says.textContent = `Reading ${file.name}…`;
    try {
      const [source, target] = this.languages;
      this.merge(await readGlossary(file, source, target), file.name);
    } catch (error) {
      this.say(error instanceof Refused ? `${file.name}: ${error.message}` : String(error));
    }
  }

  /** Adds the entries of a file; a term that is there already gets the file's translation. */
  private merge(read: Entry[], name: string): void {
    const known = new Map([...this.rows.rows].map(entryOf).filter(({ source, target }) => source && target.length > 0).map((entry) => [entry.source, entry]));
    for (const entry of read) known.set(entry.source, entry);
    if (known.size > MOST) {
      return this.say(`With ${name} there are ${known.size} terms; the page takes ${MOST}. Give longer glossaries to the server.`);
    }
    this.fill([...known.values()]);
    this.store([...known.values()]);
    this.say(read.length === 1 ? `1 term was read from ${name}.` : `${read.length} terms were read from ${name}.`);
  }

  private say(message: string): void {
    this.says.textContent = message;
    announce(message);
  }

  private download(): void {
    const entries = [...this.rows.rows].map(entryOf).filter(({ source, target }) => source && target.length > 0);
    // In these files a bar separates terms, and an asterisk stands for endings; in requests it does so in target terms only.
    const written = (term: string) => term.replaceAll("|", "\\|");
    const lines = entries.map(({ source, target }) => [written(source).replaceAll("*", "\\*"), ...target.map(written)].join("\t") + "\n");
    saveAs(new Blob(lines, { type: "text/tab-separated-values" }), `glossary.${this.pair}.tsv`);
  }
}

function entryOf(row: HTMLTableRowElement): Entry {
  const [source, target] = row.querySelectorAll("input");
  const targets = target!.value.split(";").map((word) => word.trim());
  return { source: source!.value.trim(), target: targets.filter(Boolean) };
}
