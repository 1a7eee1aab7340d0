/** A translation as the server sends it. Offsets count UTF-16 units. */

import type { Range } from "./dom";

export interface Word extends Range {
  probability?: number;
}

/** One translation of a sentence. Ranges of words are within `text`; `alignment` pairs indices of source and target words. */
export interface Alternative {
  text: string;
  probability?: number;
  target_words?: Word[];
  alignment?: [number, number][];
}

export interface Term {
  source: Range | null;
  /** The source term. */
  text: string;
  targets: string[];
  met: boolean;
  target: Range | null;
}

export interface Sentence {
  source: Range & { text: string };
  target: Range & { text: string };
  probability?: number;
  source_words?: Range[];
  target_words?: Word[];
  alignment?: [number, number][];
  terms: Term[];
  alternatives: Alternative[];
  notes: string[];
}

export interface Translation {
  text: string;
  source: string;
  detected?: { language: string; confidence: number };
  sentences: Sentence[];
  notes: string[];
}
