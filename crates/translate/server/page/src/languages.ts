/** The pair of languages: two lists, a button that swaps them, and the language that the server detected. */

import type { Info, Language, Languages as Answer } from "./api";
import { byId, make } from "./dom";
import { save, settings } from "./settings";

export class Languages {
  private readonly from = byId<HTMLSelectElement>("source-language");
  private readonly to = byId<HTMLSelectElement>("target-language");
  private readonly auto = make("option", { value: "auto" }, "Detect language");
  private readonly known: Language[];
  /** The source language: the chosen one, or the last detected one. */
  source: string;
  target: string;

  constructor(answer: Answer, info: Info, changed: () => void, swapped: () => void) {
    this.known = answer.languages;
    this.source = answer.default.source;
    this.target = answer.default.target;
    const targets = new Set(this.known.flatMap((language) => language.targets));
    const sources = this.known.filter((language) => language.targets.length > 0);
    this.from.replaceChildren(...(info.detects ? [this.auto] : []), ...sources.map(option));
    this.to.replaceChildren(...this.known.filter(({ code }) => targets.has(code)).map(option));
    this.from.value = info.detects ? "auto" : this.source;
    if (sources.some(({ code }) => code === settings.source)) this.from.value = this.source = settings.source;
    if (targets.has(settings.target)) this.target = settings.target;
    this.repairTarget(answer.default.source);
    this.from.addEventListener("change", () => {
      const before = this.source;
      if (this.asked === "auto") this.forget();
      else this.source = this.asked;
      this.repairTarget(before);
      this.keep();
      changed();
    });
    this.to.addEventListener("change", () => {
      this.chooseTarget(this.to.value);
      this.keep();
      changed();
    });
    byId("swap").addEventListener("click", () => this.swap() && swapped());
  }

  /** The source as the user asked for it: a code, or `auto`. */
  get asked(): string {
    return this.from.value;
  }

  get title(): string {
    return `${this.name(this.source)} → ${this.name(this.target)}`;
  }

  /** Takes the detected language of a text. True: it is the target, so the target has changed, and the text has to be translated again. */
  detected(language: string): boolean {
    const before = [this.source, this.target];
    this.source = language;
    this.auto.textContent = `${this.name(language)} (auto)`;
    this.repairTarget(before[0]!);
    this.keep();
    return this.target !== before[1];
  }

  /** The text is empty: no language is detected. */
  forget(): void {
    this.auto.textContent = "Detect language";
  }

  /** Takes a pair of languages, whose source may be `auto`. False: the server does not translate between them. */
  choose(source: string, target: string): boolean {
    const sources = [...this.from.options].map(({ value }) => value);
    const reached = source === "auto" ? this.known.flatMap(({ targets }) => targets) : this.targets(source);
    if (!sources.includes(source) || !reached.includes(target)) return false;
    this.from.value = source;
    if (source !== "auto") this.source = source;
    this.chooseTarget(target);
    this.to.value = target;
    this.forget();
    this.keep();
    return true;
  }

  name(code: string): string {
    return this.known.find((language) => language.code === code)?.name ?? code;
  }

  private targets(source: string): string[] {
    return this.known.find(({ code }) => code === source)?.targets ?? [];
  }

  /** If the source does not lead to the target: another target, `wanted` where it can be. */
  private repairTarget(wanted: string): void {
    const targets = this.targets(this.source);
    if (!targets.includes(this.target)) this.target = targets.includes(wanted) ? wanted : (targets[0] ?? "");
    this.to.value = this.target;
  }

  /** If the source does not lead to the chosen target: another source, the earlier target where it can be. */
  private chooseTarget(target: string): void {
    const leads = (source: string) => this.targets(source).includes(target);
    if (!leads(this.source)) {
      this.source = leads(this.target) ? this.target : (this.known.find(({ code }) => leads(code))?.code ?? this.source);
      if (this.asked !== "auto") this.from.value = this.source;
    }
    this.target = target;
  }

  private swap(): boolean {
    if (!this.targets(this.target).includes(this.source)) return false;
    [this.source, this.target] = [this.target, this.source];
    this.from.value = this.source;
    this.to.value = this.target;
    this.forget();
    this.keep();
    return true;
  }

  private keep(): void {
    save({ source: this.asked, target: this.target });
  }
}

function option({ code, name }: Language): HTMLOptionElement {
  return make("option", { value: code }, name);
}
