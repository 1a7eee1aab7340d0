/** Server-sent events of an answer to a POST, and a translation that is not complete yet. */

import type { Sentence, Translation } from "./translation";

export interface ServerEvent {
  event: string;
  data: string;
}

/** Reads events as they arrive. Lines that begin with a colon keep the connection open and are skipped. */
export async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
    rest = blocks.pop()!;
    for (const block of blocks) {
      const fields = block.split(/\r?\n/).map((line) => /^(\w+): ?(.*)$/.exec(line));
      const of = (name: string) => fields.flatMap((field) => (field?.[1] === name ? [field[2]!] : [])).join("\n");
      if (of("data")) yield { event: of("event"), data: of("data") };
    }
  }
}

/** Puts the sentences that are there together; an ellipsis stands for those that are not. */
export function partial(source: string, language: string, sentences: (Sentence | undefined)[]): Translation {
  let text = "";
  let at = 0;
  let missing = false;
  const placed: Sentence[] = [];
  for (const sentence of sentences) {
    if (!sentence) {
      missing = true;
      continue;
    }
    text += missing ? `${text && " "}… ` : source.slice(at, sentence.source.start);
    const start = text.length;
    text += sentence.target.text;
    placed.push({ ...sentence, target: { ...sentence.target, start, end: text.length } });
    at = sentence.source.end;
    missing = false;
  }
  return { text: text + (missing ? " …" : source.slice(at)), source: language, sentences: placed, notes: [] };
}
