// A stand-in for `metaphrase serve`: it serves the page and answers /api/v1 by a dictionary, word by word. Only for the tests.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

const dist = new URL("../dist/", import.meta.url);
const types = { html: "text/html; charset=utf-8", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// English word: German words, the likelier first.
const dictionary = {
  good: ["gut"], morning: ["Morgen"], the: ["der", "das", "die"], dog: ["Hund", "Köter"], sleeps: ["schläft", "ruht"], in: ["in"],
  my: ["meinem"], garden: ["Garten", "Park"], house: ["Haus", "Gebäude", "Heim"], is: ["ist"], old: ["alt", "betagt"], and: ["und"],
  beautiful: ["schön", "hübsch"], we: ["wir"], live: ["leben", "wohnen"], here: ["hier"], hello: ["hallo"], slow: ["langsam"],
  a: ["ein", "eine"], letter: ["Brief", "Schreiben"], to: ["an"], friend: ["Freund", "Kamerad"],
};
const reversed = {};
for (const [english, words] of Object.entries(dictionary)) for (const word of words) (reversed[word.toLowerCase()] ??= []).push(english);

const wordsOf = (text) => [...text.matchAll(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu)].map((found) => ({ start: found.index, end: found.index + found[0].length }));
const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);

function detect(text) {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const share = (table) => words.filter((word) => table[word]).length / Math.max(words.length, 1);
  return share(reversed) > share(dictionary) ? { language: "de", confidence: 0.96 } : { language: "en", confidence: 0.97 };
}

/** Translates word by word; `pick` says which of a word's translations to take. */
function render(source, words, table, terms, pick) {
  let text = "";
  let at = 0;
  const targets = [];
  const placed = [];
  words.forEach((word, index) => {
    text += source.slice(at, word.start);
    const written = source.slice(word.start, word.end);
    const term = terms.find((term) => term.text.toLowerCase() === written.toLowerCase());
    const choices = table[written.toLowerCase()] ?? [written];
    const place = pick(index, choices.length);
    let chosen = term?.met ? term.targets[0] : (choices[place] ?? choices[0]);
    if (/^\p{Lu}/u.test(written) && !term?.met) chosen = capital(chosen);
    if (term?.met) placed.push({ term, start: text.length, end: text.length + chosen.length });
    for (const part of wordsOf(chosen)) {
      const sure = term?.met ? 0.9 : 0.95 / (place + 1) / (choices.length > 2 ? 2.6 : 1);
      targets.push({ start: text.length + part.start, end: text.length + part.end, probability: sure, from: index });
    }
    text += chosen;
    at = word.end;
  });
  return { text, targets, placed, probability: 0.7 };
}

function sentence(source, table, question) {
  const words = wordsOf(source.text);
  const lower = source.text.toLowerCase();
  const terms = question.terms
    .filter((term) => new RegExp(`(?<!\\p{L})${term.source.toLowerCase()}(?!\\p{L})`, "u").test(lower))
    .map(({ source: text, target }) => {
      const start = lower.indexOf(text.toLowerCase());
      return { source: { start, end: start + text.length }, text, targets: target, met: target[0].length < 200, target: null };
    });
  const prefix = question.target_prefix ?? "";
  const started = wordsOf(prefix).length;
  const option = (rank) => {
    const made = render(source.text, words, table, terms, (index, choices) => (index === (question.distinct_next_word ? started : words.length - 2) ? rank % choices : 0));
    const rest = made.targets[started] ? made.text.slice(made.targets[started].start) : "";
    const shift = prefix && made.targets[started] ? prefix.length + 1 - made.targets[started].start : 0;
    const space = prefix && rest.match(/^[\p{L}\p{N}]/u) ? " " : "";
    const text = prefix ? prefix + space + rest : made.text;
    const moved = (range, at) => (prefix && at >= started ? { ...range, start: range.start + shift + space.length - 1, end: range.end + shift + space.length - 1 } : range);
    const own = wordsOf(prefix);
    const all = made.targets.map((range, at) => (at < started ? { ...range, ...own[at] } : moved(range, at)));
    return {
      text, score: -0.3 - rank / 5, probability: made.probability - rank / 10,
      target_words: all.map(({ start, end, probability }) => ({ start, end, probability })),
      alignment: all.map(({ from }, at) => [from, at]), placed: made.placed,
    };
  };
  const options = [];
  for (let rank = 0; options.length <= question.alternatives && rank < 4; rank++) {
    const next = option(rank);
    if (!options.some(({ text }) => text === next.text)) options.push(next);
  }
  const [best, ...alternatives] = options;
  for (const { term, start, end } of best.placed) term.target = { start, end };
  const long = source.text.length > 300 ? ["The sentence is long: it was translated in parts."] : [];
  const notes = terms.filter((term) => !term.met).map((term) => `The term “${term.targets[0]}” is missing.`).concat(long);
  return { ...best, source, source_words: words, target: { text: best.text }, terms, alternatives, notes };
}

function translate(question) {
  const detected = question.source === "auto" ? detect(question.text) : undefined;
  const language = detected?.language ?? question.source;
  const table = language === question.target ? {} : language === "en" ? dictionary : reversed;
  const pattern = question.format === "lines" ? /[^\n]+/g : /[^\s][^.!?\n]*[.!?]?/g;
  let text = "";
  let at = 0;
  const sentences = [...question.text.matchAll(pattern)].map((found) => {
    const source = { start: found.index, end: found.index + found[0].length, text: found[0] };
    const made = sentence(source, table, { terms: [], alternatives: 0, ...question });
    text += question.text.slice(at, source.start);
    made.target = { start: text.length, end: text.length + made.text.length, text: made.text };
    text += made.text;
    at = source.end;
    return made;
  });
  return { text: text + question.text.slice(at), source: language, detected, sentences, alternatives: [], notes: [] };
}

const info = {
  name: "metaphrase", version: "mock", key_required: false, detects: true, glossaries: true, formats: ["text", "lines"], files: [".txt", ".html"],
  limits: { characters: 5000, texts: 10, alternatives: 10, file_bytes: 100000, glossary_entries: 1000 },
};
const languages = {
  languages: [{ code: "de", name: "German", native_name: "Deutsch", targets: ["en"] }, { code: "en", name: "English", native_name: "English", targets: ["de"] }],
  default: { source: "en", target: "de" },
};

/** Sends the sentences one by one, the last first, then all. */
async function stream(response, whole) {
  const send = (event, data) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const [{ source, detected, sentences }] = whole.translations;
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  send("start", { texts: [{ source, detected, sentences: sentences.length }] });
  for (const [index, { target, ...sentence }] of [...sentences.entries()].reverse()) {
    send("sentence", { text: 0, sentence: index, ...sentence, target: { text: target.text } });
    response.write(": \n\n");
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  send("done", whole);
  response.end();
}

/** Starts the stand-in. */
export async function startMock(port = 0) {
  const files = new Map();
  const glossaries = new Map();
  const answer = (response, status, body, headers = {}) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(body === null ? undefined : JSON.stringify(body));
  };
  const refuse = (response, status, message, headers) => answer(response, status, { error: { code: "mock", message } }, headers);
  const body = async (request) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    return Buffer.concat(parts);
  };

  async function api(request, response, path) {
    if (path === "info") return answer(response, 200, info);
    if (path === "languages") return answer(response, 200, languages);
    if (path === "translate") {
      const question = JSON.parse(await body(request));
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (question.glossary && question.source === "auto") return refuse(response, 400, "A glossary needs the source language.");
      question.terms = [...(question.terms ?? []), ...(glossaries.get(question.glossary)?.list ?? [])];
      const whole = { translations: [translate(question)], characters: question.text.length, milliseconds: 10 };
      return question.stream ? stream(response, whole) : answer(response, 200, whole);
    }
    if (path === "detect") return answer(response, 200, { languages: [detect(JSON.parse(await body(request)).text)] });
    if (path === "glossaries" && request.method === "POST") {
      const { entries, ...glossary } = JSON.parse(await body(request));
      const id = `g${glossaries.size}`;
      glossaries.set(id, { id, ...glossary, entries: entries.length, list: entries });
      return answer(response, 201, glossaries.get(id));
    }
    if (path === "glossaries") return answer(response, 200, { glossaries: [...glossaries.values()].map(({ list, ...glossary }) => glossary) });
    if (path.startsWith("glossaries/")) {
      glossaries.delete(path.slice(11));
      return answer(response, 204, null);
    }
    if (path === "glossary-file") {
      const file = /filename="[^]*?\r\n\r\n([^]*?)\r\n--/.exec((await body(request)).toString())[1];
      if (file.startsWith("<html")) return refuse(response, 400, "The file is XML with the root element `html`.");
      const lines = file.split("\n").filter((line) => line.includes(";") || line.includes("\t"));
      const entries = lines.map((line) => line.split(/[;\t]/)).map(([source, ...target]) => ({ source, target }));
      return answer(response, 200, { entries });
    }
    if (path === "files") {
      const form = (await body(request)).toString();
      const name = /filename="([^"]*)"/.exec(form)[1];
      const text = /filename="[^]*?\r\n\r\n([^]*?)\r\n--/.exec(form)[1];
      const value = (field) => new RegExp(`name="${field}"\\r\\n\\r\\n([^\\r]*)`).exec(form)?.[1];
      const id = String(files.size + 1);
      files.set(id, { id, name, status: "translating", done: 0, total: 4, text, source: value("source"), target: value("target"), result_name: name.replace(/(\.\w+)$/, `.${value("target")}$1`) });
      return answer(response, 202, files.get(id));
    }
    const [, id, result] = /^files\/(\d+)(\/result)?$/.exec(path) ?? [];
    const file = files.get(id);
    if (!file) return refuse(response, 404, `There is nothing at ${path}.`);
    if (request.method === "DELETE") return files.delete(id) && answer(response, 204, null);
    if (result) {
      response.writeHead(200, { "Content-Type": "text/plain; charset=utf-8" });
      return response.end(translate({ ...file, terms: [], alternatives: 0 }).text);
    }
    if (file.name.includes("broken")) Object.assign(file, { status: "error", error: { code: "nothing_translated", message: "The file has no text." } });
    else if (++file.done === file.total) file.status = "done";
    answer(response, 200, file);
  }

  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://mock").pathname;
    if (path.startsWith("/api/v1/")) return api(request, response, path.slice(8)).catch((error) => refuse(response, 500, String(error)));
    const name = path === "/" ? "index.html" : path.slice(1);
    readFile(new URL(name, dist)).then(
      (bytes) => response.writeHead(200, { "Content-Type": types[name.split(".").at(-1)] ?? "text/plain", "Content-Security-Policy": policy }).end(bytes),
      () => refuse(response, 404, `There is nothing at ${path}.`),
    );
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

// Alone (`node test/mock.mjs 5000`), it serves until it is stopped.
if (process.argv[1] === new URL(import.meta.url).pathname) console.log((await startMock(Number(process.argv[2] ?? 5000))).url);
