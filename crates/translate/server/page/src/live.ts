/** Translation while the user types: a new text cancels the request of the earlier one. */

import { Refused, translate, type Question, type Translation } from "./api";

/** Pause after a key, in milliseconds, before a request is sent. */
const PAUSE = 90;
/** A busy server is asked this number of times. */
const ATTEMPTS = 6;
/** A text of more characters than this is shown sentence by sentence, at most each `STEP` milliseconds. */
const LONG = 400;
const STEP = 150;

export interface Listener {
  waiting(): void;
  /** The server is busy, and is asked again after these seconds. */
  busy(seconds: number): void;
  /** Some of the sentences are there. */
  partly(translation: Translation): void;
  done(translation: Translation, question: Question, milliseconds: number): void;
  failed(error: Refused): void;
}

export class Live {
  private timer = 0;
  private request: AbortController | null = null;

  constructor(private readonly listener: Listener) {}

  /** Translates soon, in place of whatever was asked before. */
  ask(question: Question, pause = PAUSE): void {
    this.cancel();
    this.timer = window.setTimeout(() => void this.send(question), pause);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.request?.abort();
    this.request = null;
  }

  private async send(question: Question): Promise<void> {
    const request = new AbortController();
    this.request = request;
    this.listener.waiting();
    const began = performance.now();
    let shown = began;
    const partly = (translation: Translation) => {
      if (this.request !== request || performance.now() - shown < STEP) return;
      shown = performance.now();
      this.listener.partly(translation);
    };
    try {
      const busy = (seconds: number) => this.listener.busy(seconds);
      const translation = await patiently(question, request.signal, question.text.length > LONG ? partly : undefined, busy);
      if (this.request === request) this.listener.done(translation, question, performance.now() - began);
    } catch (error) {
      if (request.signal.aborted) return;
      this.listener.failed(error instanceof Refused ? error : new Refused(String(error), 0));
    }
  }
}

/** Translates; while the server says that it is busy, waits as long as the server says, and asks again. */
export async function patiently(
  question: Question,
  signal: AbortSignal,
  partly?: (translation: Translation) => void,
  wait?: (seconds: number) => void,
): Promise<Translation> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await translate(question, signal, partly);
    } catch (error) {
      const busy = error instanceof Refused && (error.status === 429 || error.status === 503);
      if (!busy || error.retryAfter === null || attempt === ATTEMPTS) throw error;
      const seconds = Math.min(error.retryAfter, 30);
      wait?.(seconds);
      await pause(seconds * 1000, signal);
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
