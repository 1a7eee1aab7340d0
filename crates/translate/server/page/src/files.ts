/** Files by drag and drop: each is sent, translated on the server, and offered for download. */

import { dropFile, fileResult, fileState, sendFile, Refused, type FileState, type Info, type Pair } from "./api";
import { announce, byId, icon, listNotes, make, percent, saveAs } from "./dom";

/** Pause between two questions about a file's progress, in milliseconds. */
const POLL = 300;
/** A server that does not answer, or that is busy, is asked this number of times, with a longer pause. */
const ATTEMPTS = 8;
const LONG_POLL = 2500;

/** Kinds of files that many people know, each with one of its name endings. */
const KNOWN = {
  Word: ".docx", PowerPoint: ".pptx", Excel: ".xlsx", OpenDocument: ".odt", PDF: ".pdf", EPUB: ".epub",
  "web pages": ".html", Markdown: ".md", text: ".txt", subtitles: ".srt", tables: ".csv", "texts of software": ".po",
};

export class Files {
  private readonly list = byId("files-list");
  private readonly chooser = byId<HTMLInputElement>("files-chooser");

  constructor(
    private readonly info: Info,
    private readonly pair: () => Pair,
  ) {
    const known = Object.entries(KNOWN).filter(([, ending]) => info.files.includes(ending)).map(([kind]) => kind);
    byId("files").hidden = info.files.length === 0;
    byId("files-kinds").textContent = known.join(", ");
    byId("files-endings").textContent = info.files.join(", ");
    this.chooser.accept = info.files.join(",");
    this.chooser.addEventListener("change", () => {
      this.take(this.chooser.files);
      this.chooser.value = "";
    });
    byId("files-choose").addEventListener("click", () => this.chooser.click());
    if (info.files.length > 0) this.acceptDrops();
  }

  private acceptDrops(): void {
    const root = document.documentElement;
    let inside = 0; // enter and leave are told for each element on the way
    const carries = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (depth: number) => {
      inside = depth;
      root.toggleAttribute("data-dropping", inside > 0);
    };
    root.addEventListener("dragenter", (event) => carries(event) && over(inside + 1));
    root.addEventListener("dragleave", (event) => carries(event) && over(inside - 1));
    root.addEventListener("dragover", (event) => carries(event) && event.preventDefault());
    root.addEventListener("drop", (event) => {
      if (!carries(event)) return;
      event.preventDefault();
      over(0);
      this.take(event.dataTransfer!.files);
    });
  }

  private take(files: FileList | null): void {
    for (const file of files ?? []) void new Job(file, this.list, this.info).run(this.pair());
  }
}

class Job {
  private readonly work = new AbortController();
  private readonly bar = make("progress", { max: "1", value: "0" });
  private readonly says = make("span", { class: "muted" });
  private readonly actions = make("span", { class: "actions" });
  private readonly notes = make("details", { class: "notes", hidden: true }, make("summary", { class: "muted" }), make("ul"));
  private readonly removal = make("button", { type: "button", class: "icon", click: () => this.remove() }, icon("close"));
  private readonly row: HTMLElement;
  private id = "";

  constructor(
    private readonly file: File,
    list: HTMLElement,
    private readonly info: Info,
  ) {
    this.bar.setAttribute("aria-label", `Progress of ${file.name}`);
    this.row = make("li", { class: "job" }, make("span", { class: "name" }, file.name), this.says, this.bar, this.actions, this.notes);
    this.nameRemoval("Cancel");
    this.actions.append(this.removal);
    list.prepend(this.row);
  }

  async run(pair: Pair): Promise<void> {
    try {
      this.check();
      this.say("Sending…");
      let state = await sendFile(this.file, pair, (share) => (this.bar.value = share * 0.1), this.work.signal);
      this.id = state.id;
      while (state.status === "queued" || state.status === "translating") {
        this.progress(state);
        await new Promise((resolve) => setTimeout(resolve, POLL));
        if (this.work.signal.aborted) return;
        state = await this.state();
      }
      if (state.status === "error") throw new Refused(state.error?.message ?? "The file was not translated.", 0);
      this.finish(state);
    } catch (error) {
      if (!this.work.signal.aborted) this.fail(error instanceof Refused ? error.message : String(error));
    }
  }

  /** The state of the file. A network that fails for a moment does not end the work. */
  private async state(): Promise<FileState> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await fileState(this.id);
      } catch (error) {
        const passing = error instanceof Refused && [0, 429, 502, 503, 504].includes(error.status);
        if (!passing || attempt === ATTEMPTS || this.work.signal.aborted) throw error;
        this.say("The server does not answer; it is asked again…");
        await new Promise((resolve) => setTimeout(resolve, LONG_POLL));
      }
    }
  }

  private check(): void {
    const { files, limits } = this.info;
    const name = this.file.name.toLowerCase();
    if (!files.some((ending) => name.endsWith(ending))) {
      const ending = /\.[^.]+$/.exec(name)?.[0];
      const what = ending ? `Files that end in ${ending} are not translated` : "Files without an ending, such as .docx, are not translated";
      throw new Refused(`${what}; “All kinds” lists those that are.`, 0);
    }
    if (this.file.size > limits.file_bytes) {
      throw new Refused(`The file has ${megabytes(this.file.size)}; the server takes ${megabytes(limits.file_bytes)}.`, 0);
    }
  }

  private progress({ status, done, total }: FileState): void {
    const share = total > 0 ? done / total : 0;
    this.bar.value = 0.1 + 0.9 * share;
    this.say(status === "queued" ? "Waiting…" : total > 0 ? `${done} of ${total} sentences, ${percent(share)}` : "Reading…");
  }

  private finish(state: FileState): void {
    const name = state.result_name ?? this.file.name;
    this.row.dataset.state = "done";
    this.bar.value = 1;
    this.say(state.total === 1 ? "1 sentence translated" : `${state.total} sentences translated`);
    listNotes(this.notes, state.notes ?? []);
    const download = make("button", { type: "button", class: "plain", click: () => void this.download(name) }, icon("download"), "Download");
    download.setAttribute("aria-label", `Download ${name}`);
    this.actions.prepend(download);
    this.nameRemoval("Remove");
    announce(`${this.file.name} is translated.`);
  }

  private async download(name: string): Promise<void> {
    try {
      saveAs(await fileResult(this.id), name);
    } catch (error) {
      const gone = error instanceof Refused && error.status === 404;
      const message = gone ? "The server keeps a translation for some minutes only. Send the file again." : (error as Error).message;
      this.say(message);
      announce(`${this.file.name}: ${message}`);
    }
  }

  private fail(message: string): void {
    this.row.dataset.state = "error";
    this.bar.hidden = true;
    this.nameRemoval("Remove");
    this.say(message);
    announce(`${this.file.name}: ${message}`);
  }

  private remove(): void {
    this.work.abort();
    // The focus would be lost with the button.
    const next = (this.row.nextElementSibling ?? this.row.previousElementSibling)?.querySelector<HTMLElement>("button.icon");
    (next ?? byId("files-choose")).focus();
    this.row.remove();
    if (this.id) dropFile(this.id).catch(() => undefined); // the server drops it by itself after some minutes
  }

  private say(message: string): void {
    this.says.textContent = message;
  }

  private nameRemoval(act: "Cancel" | "Remove"): void {
    this.removal.title = `${act} ${this.file.name}`;
    this.removal.setAttribute("aria-label", this.removal.title);
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
