/** The server's interface `/api/v1`, as far as the page uses it: docs/serve.md describes it. Offsets count UTF-16 units. */

import { settings, type Entry } from "./settings";
import { events, partial } from "./stream";
import type { Sentence, Translation } from "./translation";

export type { Alternative, Sentence, Term, Translation, Word } from "./translation";

export interface Info {
  version: string;
  key_required: boolean;
  limits: { characters: number; alternatives: number; file_bytes: number };
  /** Name endings of the files that the server translates. */
  files: string[];
  detects: boolean;
  glossaries: boolean;
}

export interface Language {
  code: string;
  name: string;
  targets: string[];
}

/** A glossary that the server keeps for its users. */
export interface Shared {
  id: string;
  name: string;
  source: string;
  target: string;
  entries: number;
}

export interface Languages {
  languages: Language[];
  default: { source: string; target: string };
}

export interface Question {
  text: string;
  source: string;
  target: string;
  terms: Entry[];
  /** A glossary that the server keeps, for this pair of languages. */
  glossary?: Shared;
  alternatives: number;
  /** `lines`: the text is one sentence. */
  format?: "text" | "lines";
  target_prefix?: string;
  distinct_next_word?: boolean;
  /** Words that must not appear. */
  avoid?: string[];
}

/** The languages and the terms of a request. */
export type Pair = Pick<Question, "source" | "target" | "terms" | "glossary">;

export interface FileState {
  id: string;
  name: string;
  status: "queued" | "translating" | "done" | "error";
  done: number;
  total: number;
  result_name?: string;
  error?: { code: string; message: string } | null;
  notes?: string[];
}

/** An answer that is not a result. `retryAfter` counts seconds. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }

  get needsKey(): boolean {
    return this.status === 401 || this.status === 403;
  }
}

function headers(): Record<string, string> {
  return settings.key ? { Authorization: `Bearer ${settings.key}` } : {};
}

/** The server's sentences about keys are for programs. */
const KEYS: Record<number, string> = {
  401: "This server translates for people who have a key. Its operator gives you one.",
  403: "The server does not know this key. Check it, or ask the server's operator for another one.",
};

function refusal(status: number, body: unknown, retryAfter: string | null): Refused {
  const error = (body as { error?: { message?: string } | string } | null)?.error;
  const message = KEYS[status] ?? (typeof error === "string" ? error : error?.message);
  const seconds = Number(retryAfter);
  return new Refused(
    message ?? `The server answered with status ${status}.`,
    status,
    retryAfter !== null && Number.isFinite(seconds) ? seconds : null,
  );
}

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`api/v1/${path}`, { ...init, headers: { ...headers(), ...init.headers } });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Refused("The server cannot be reached. Check that it runs, then try again.", 0);
  }
  if (response.ok) return response;
  throw refusal(response.status, await response.json().catch(() => null), response.headers.get("Retry-After"));
}

async function get<T>(path: string): Promise<T> {
  return (await call(path)).json() as Promise<T>;
}

export const info = () => get<Info>("info");
export const languages = () => get<Languages>("languages");
export const sharedGlossaries = async () => (await get<{ glossaries: Shared[] }>("glossaries")).glossaries;

/** The entries of a glossary file of any kind. The server reads it and does not keep it. */
export async function readGlossary(file: File, source: string, target: string): Promise<Entry[]> {
  const form = new FormData();
  form.set("source", source);
  form.set("target", target);
  form.set("file", file, file.name);
  const response = await call("glossary-file", { method: "POST", body: form });
  return ((await response.json()) as { entries: Entry[] }).entries;
}

export const fileState = (id: string) => get<FileState>(`files/${id}`);

interface Answer {
  translations: Translation[];
}

/** Translates. With `partly`, the sentences come one by one, and `partly` hears those that are there. */
export async function translate(
  question: Question,
  signal: AbortSignal,
  partly?: (translation: Translation) => void,
): Promise<Translation> {
  const [asked, detected] = await withLanguage(question, signal);
  const body = { format: "text", alignment: true, scores: true, ...asked, glossary: asked.glossary?.id, stream: partly !== undefined };
  const response = await call("translate", post(body, signal));
  const streamed = partly && response.headers.get("Content-Type")?.startsWith("text/event-stream");
  const answer = streamed ? await collect(response, question.text, partly) : ((await response.json()) as Answer);
  const translation = answer.translations[0];
  if (!translation) throw new Refused("The server's answer has no translation.", response.status);
  return { detected, ...translation };
}

/** Glossaries of the server do not go with `auto`: the language is detected first, and another one leaves the glossary out. */
async function withLanguage(question: Question, signal: AbortSignal): Promise<[Question, Translation["detected"]]> {
  if (!question.glossary || question.source !== "auto") return [question, undefined];
  const response = await call("detect", post({ text: question.text }, signal));
  const { languages } = (await response.json()) as { languages: { language: string; confidence: number }[] };
  const detected = languages[0];
  if (detected?.language !== question.glossary.source) return [{ ...question, glossary: undefined }, undefined];
  return [{ ...question, source: detected.language }, detected];
}

function post(body: object, signal: AbortSignal): RequestInit {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal };
}

async function collect(response: Response, text: string, partly: (translation: Translation) => void): Promise<Answer> {
  let sentences: (Sentence | undefined)[] = [];
  let language = "";
  for await (const { event, data } of events(response.body!)) {
    const told = JSON.parse(data);
    if (event === "start") {
      language = told.texts[0].source;
      sentences = new Array(told.texts[0].sentences).fill(undefined);
    } else if (event === "sentence") {
      sentences[told.sentence] = told;
      partly(partial(text, language, sentences));
    } else if (event === "done") return told;
    else if (event === "error") throw refusal(500, told, null);
  }
  throw new Refused("The server's answer broke off. Try again.", 0);
}

/** Sends a file. `progress` hears the share of its bytes that is sent: `fetch` cannot tell, so this is an XMLHttpRequest. */
export function sendFile(
  file: File,
  pair: Pair,
  progress: (share: number) => void,
  signal: AbortSignal,
): Promise<FileState> {
  const form = new FormData();
  form.set("source", pair.glossary?.source ?? pair.source);
  form.set("target", pair.target);
  if (pair.glossary) form.set("glossary", pair.glossary.id);
  if (pair.terms.length > 0) form.set("terms", JSON.stringify(pair.terms));
  form.set("file", file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "api/v1/files");
    request.responseType = "json";
    for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => progress(event.loaded / Math.max(event.total, 1));
    request.onload = () => {
      if (request.status < 300) resolve(request.response as FileState);
      else reject(refusal(request.status, request.response, request.getResponseHeader("Retry-After")));
    };
    request.onerror = () => reject(new Refused("The file was not sent: the server cannot be reached.", 0));
    signal.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}

export async function fileResult(id: string): Promise<Blob> {
  return (await call(`files/${id}/result`)).blob();
}

export async function dropFile(id: string): Promise<void> {
  await call(`files/${id}`, { method: "DELETE" });
}
