/** The page: it wires the panes, the languages, the glossary and the files together. */

import "./style/base.css";
import "./style/panes.css";
import "./style/tools.css";
import { Alternatives } from "./alternatives";
import { info, languages, Refused, type Alternative, type Info, type Languages as Answer, type Pair, type Question, type Translation } from "./api";
import { addressOf, LONGEST, takeLinked } from "./address";
import { announce, byId, copyText, listNotes, percent } from "./dom";
import { Files } from "./files";
import { Glossary } from "./glossary";
import { History } from "./history";
import { askForKey } from "./key";
import { Languages } from "./languages";
import { Live } from "./live";
import { showNBest } from "./nbest";
import { Output } from "./output";
import { save, settings, type Visit } from "./settings";
import { Source } from "./source";
import { arrange, notesOf, sourcesOf, sourceText, targetsOf, textOf, type TranslatedText } from "./text";
import { startTheme } from "./theme";

/** Further translations of each sentence that are asked for. */
const ALTERNATIVES = 4;
/** After this time the page says that it waits, in milliseconds. */
const SLOW = 3000;

class Page {
  private readonly source = new Source(
    (sentence, word) => this.pointAtSource(sentence, word),
    () => this.leave(),
  );
  private readonly output = new Output({
    point: (sentence, word) => this.pointAtTarget(sentence, word),
    leave: () => this.leave(),
    pick: (sentence, word, at) => this.pick(sentence, word, at),
  });
  private readonly alternatives = new Alternatives(
    (shown, alternative) => this.choose(shown.sentence.source.text, alternative),
    () => this.leave(),
  );
  private readonly glossary = new Glossary(() => this.again());
  private readonly live = new Live({
    waiting: () => this.wait(true),
    busy: (seconds) => this.tell(`The server is busy. It is asked again in ${seconds} s.`),
    partly: (translation) => this.showPartly(translation),
    done: (translation, question, milliseconds) => this.take(translation, question, milliseconds),
    failed: (error) => this.fail(error),
  });
  private readonly languages: Languages;
  private readonly history: History;
  private readonly choices = new Map<string, Alternative>();
  private translation: Translation | null = null;
  private text: TranslatedText | null = null;
  private slow = 0;
  /** The sentence whose further translations are listed. */
  private sentence = 0;

  constructor(
    private readonly info: Info,
    answer: Answer,
  ) {
    this.languages = new Languages(answer, info, () => this.again(), () => this.swapTexts());
    this.history = new History((code) => this.languages.name(code), (visit) => this.open(visit));
    void this.glossary.listShared(info);
    new Files(info, () => ({ ...this.pair(), source: this.languages.asked }));
    this.source.area.addEventListener("input", () => this.ask());
    this.source.area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.output.element.focus();
    });
    byId("clear").addEventListener("click", () => this.clear());
    byId("copy").addEventListener("click", () => void this.copy());
    byId("link").addEventListener("click", () => void this.link());
    addEventListener("hashchange", () => this.openLinked());
    this.output.element.addEventListener("keydown", (event) => event.key === "Escape" && this.source.area.focus());
    byId("retry").addEventListener("click", () => this.ask(0));
    this.startConfidence();
    this.clear();
    this.openLinked();
  }

  /** Shows the text that the page's address has. */
  private openLinked(): void {
    const linked = takeLinked();
    if (linked) this.open(linked);
  }

  /** Shows a text of the history or of a link. */
  private open({ source, target, text }: Omit<Visit, "translation">): void {
    this.history.close();
    this.choices.clear();
    this.source.text = text;
    const known = this.languages.choose(source, target);
    this.ask(0);
    this.source.area.focus();
    if (known) return;
    this.live.cancel();
    this.fail(new Refused(`This server does not translate from “${source}” to “${target}”. Choose other languages.`, 0));
  }

  private startConfidence(): void {
    const toggle = byId<HTMLInputElement>("confidence");
    const apply = () => this.output.element.toggleAttribute("data-confidence", toggle.checked);
    toggle.checked = settings.confidence;
    toggle.addEventListener("change", () => {
      save({ confidence: toggle.checked });
      apply();
      this.leave();
    });
    apply();
  }

  private pair(): Pair {
    const { source, target } = this.languages;
    return { source, target, terms: this.glossary.entries(source, target), glossary: this.glossary.shared(source, target) };
  }

  /** Languages or terms have changed: choices that the user made may not fit any more. */
  private again(): void {
    this.choices.clear();
    this.ask(250);
  }

  private ask(pause?: number): void {
    const text = this.source.text;
    const { limits } = this.info;
    const [length, most] = [text.length, limits.characters].map((number) => number.toLocaleString("en"));
    byId("characters").textContent = text.length > limits.characters / 2 ? `${length} of ${most} characters` : text === "" ? "" : `${length} characters`;
    byId("clear").hidden = text.length === 0;
    byId<HTMLButtonElement>("link").disabled = text.trim() === "";
    this.glossary.open(this.languages.source, this.languages.target, this.languages.title);
    if (text.trim() === "") return this.forget();
    if (text.length > limits.characters) {
      this.live.cancel();
      return this.fail(new Refused(`The text has ${length} characters; the server takes ${most}.`, 413));
    }
    this.live.ask({ ...this.pair(), source: this.languages.asked, text, alternatives: Math.min(ALTERNATIVES, limits.alternatives) }, pause);
  }

  private take(translation: Translation, question: Question, milliseconds: number): void {
    const { source, target } = this.languages;
    if (translation.detected) {
      const changed = this.languages.detected(translation.detected.language);
      const { terms, glossary } = this.pair();
      const others = this.languages.source !== source && (terms.length + question.terms.length > 0 || glossary !== question.glossary);
      if (changed) announce(`The text is ${this.languages.name(this.languages.source)}, so it is translated into ${this.languages.name(this.languages.target)}.`);
      if (changed || others) return this.ask(0);
    }
    this.wait(false);
    this.source.area.lang = this.languages.source;
    this.output.element.lang = target;
    byId("failure").hidden = true;
    byId("time").textContent = `${Math.max(1, Math.round(milliseconds))} ms`;
    this.translation = translation;
    this.glossary.open(this.languages.source, target, this.languages.title);
    this.show();
    this.history.note({ source: this.languages.source, target, text: this.source.text, translation: translation.text });
  }

  /** Shows the sentences of a long text that are there. */
  private showPartly(translation: Translation): void {
    this.text = arrange(translation, this.choices);
    this.source.show(this.text);
    this.output.show(this.text);
    byId("card").toggleAttribute("data-partly", true);
  }

  private show(): void {
    this.text = this.translation && arrange(this.translation, this.choices);
    this.source.show(this.text);
    this.output.show(this.text);
    this.leave();
    const terms = this.text?.sentences.flatMap((shown) => shown.terms) ?? [];
    this.glossary.report(terms);
    this.sentence = Math.min(this.sentence, Math.max(0, (this.text?.sentences.length ?? 1) - 1));
    this.listNBest();
    byId<HTMLButtonElement>("copy").disabled = !this.text;
    const missing = [...new Set(terms.filter((term) => !term.met).map((term) => term.text))];
    const met = terms.filter((term) => term.met).length;
    byId("terms-met").textContent = met > 0 ? `${met} ${met === 1 ? "term" : "terms"} met` : "";
    byId("terms-missing").textContent = missing.length > 0 ? `Missing: ${missing.join(", ")}` : "";
    listNotes(byId("notes"), this.text ? notesOf(this.text) : []);
    const text = this.text ? textOf(this.text) : "";
    const lacks = missing.length > 0 ? ` ${missing.length === 1 ? "Missing term" : "Missing terms"}: ${missing.join(", ")}.` : "";
    if (text) announce((text.length <= 200 ? text : "The translation is ready.") + lacks, 900);
  }

  private listNBest(): void {
    const shown = this.text?.sentences[this.sentence];
    showNBest(shown, (this.text?.sentences.length ?? 0) > 1, (alternative) => {
      if (shown) this.choose(shown.sentence.source.text, alternative);
    });
  }

  private choose(sentence: string, alternative: Alternative): void {
    this.choices.set(sentence, alternative);
    this.show();
  }

  private pick(sentence: number, word: number, at: HTMLElement): void {
    const shown = this.text?.sentences[sentence];
    if (shown) void this.alternatives.open({ shown, word, at, pair: this.pair() });
  }

  private pointAtTarget(sentence: number, word: number): void {
    const shown = this.text?.sentences[sentence];
    const at = shown?.chosen.target_words?.[word];
    if (!shown || !at) return;
    this.source.highlight(sentence, sourcesOf(shown, word));
    this.output.highlight(sentence, [word]);
    this.detail(shown.chosen.text.slice(at.start, at.end), sourceText(shown, word), at.probability);
    this.pointAtSentence(sentence);
  }

  private pointAtSource(sentence: number, word: number): void {
    const shown = this.text?.sentences[sentence];
    if (!shown) return;
    this.source.highlight(sentence, [word]);
    this.output.highlight(sentence, targetsOf(shown, word));
    this.pointAtSentence(sentence);
  }

  private pointAtSentence(sentence: number): void {
    if (sentence === this.sentence) return;
    this.sentence = sentence;
    this.listNBest();
  }

  private leave(): void {
    this.source.highlight(0, []);
    this.output.highlight(0, []);
    byId("detail").textContent = this.output.hesitates ? "The model is not sure of the words that are underlined." : "";
  }

  private detail(target: string, source: string, probability: number | undefined): void {
    const sure = probability === undefined ? "" : `${percent(probability)} sure`;
    byId("detail").textContent = [target + (source && ` ← ${source}`), sure].filter(Boolean).join(" · ");
    if (document.activeElement === this.output.element) {
      announce([target, sure, source && `from ${source}`].filter(Boolean).join(", "), 150);
    }
  }

  private swapTexts(): void {
    const text = this.text && textOf(this.text);
    this.choices.clear();
    this.history.close();
    if (text) this.source.text = text;
    this.ask(0);
  }

  private clear(): void {
    this.source.text = "";
    this.ask();
    this.source.area.focus({ preventScroll: true });
  }

  private forget(): void {
    this.live.cancel();
    this.history.close();
    this.wait(false);
    this.languages.forget();
    this.translation = null;
    byId("failure").hidden = true;
    byId("time").textContent = "";
    this.show();
  }

  private wait(waiting: boolean): void {
    clearTimeout(this.slow);
    if (waiting) this.slow = window.setTimeout(() => this.tell("The translation takes a while…"), SLOW);
    this.output.element.setAttribute("aria-busy", String(waiting));
    byId("card").toggleAttribute("data-waiting", waiting);
    byId("card").toggleAttribute("data-partly", false);
  }

  /** Says what the user waits for. */
  private tell(message: string): void {
    clearTimeout(this.slow);
    byId("detail").textContent = message;
    announce(message);
  }

  private fail(error: Refused): void {
    this.wait(false);
    byId("failure").hidden = false;
    byId("failure-says").textContent = error.message;
    byId("detail").textContent = "";
    if (!error.needsKey) return;
    void askForKey(error.message).then((given) => {
      if (!given) return;
      this.ask(0);
      void this.glossary.listShared(this.info);
    });
  }

  private async copy(): Promise<void> {
    if (!this.text) return;
    await copyText(textOf(this.text));
    confirm("copy-says", "The translation is copied.");
  }

  /** Copies an address that opens the page with this text. */
  private async link(): Promise<void> {
    const { target, asked: source } = this.languages;
    const address = addressOf({ source, target, text: this.source.text });
    if (address.length > LONGEST) return this.tell("The text is too long for a link.");
    await copyText(address);
    confirm("link-says", "A link to this text is copied.");
  }
}

/** Shows for a moment that something was copied. */
function confirm(id: string, message: string): void {
  const says = byId(id);
  const name = (says.dataset.name ??= says.textContent!);
  says.textContent = "Copied";
  announce(message);
  setTimeout(() => (says.textContent = name), 1500);
}

async function start(): Promise<void> {
  startTheme();
  try {
    new Page(...(await Promise.all([info(), languages()])));
    document.documentElement.toggleAttribute("data-ready", true);
  } catch (error) {
    byId("failure").hidden = false;
    byId("failure-says").textContent = error instanceof Error ? error.message : String(error);
    if (!(error instanceof Refused)) throw error;
    if (error.needsKey && (await askForKey(error.message))) return start();
    byId("retry").addEventListener("click", () => location.reload());
  }
}

void start();
